//! Reading `TODO.md`: its status line, its title, its boxes, and what is wrong with them (the Ralph contract §2, §3).

use super::forms::{ITERATIONS, USUAL_ITERATIONS};
use crate::formats::list::{ListItem, WorkList, text_of};
use crate::formats::plan::linked::PlanLink;
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use loopdeck_text::markdown::{Document, Lookalike, LookalikePlace, Mark};
use loopdeck_text::text_edit::line_of;
use std::ops::Range;

/// Most lines that are named for one reason, and most status lines that are read: a second one is an error already.
const MANY: usize = 100;
/// What tells a status line from any other comment.
const NAME: &str = "loop:";

/// The name of the value with the plan that the loop works off.
pub(crate) const PLAN: &str = "plan";
/// What a path has that a value of a status line can't have, and what is written for it.
const ENCODED: [(&str, &str); 4] = [("%", "%25"), (" ", "%20"), (">", "%3E"), ("\t", "%09")];

/// A path as a value of a status line.
pub(crate) fn encoded(path: &str) -> String {
    ENCODED.iter().fold(path.to_owned(), |path, (letter, code)| path.replace(letter, code))
}

fn decoded(value: &str) -> String {
    ENCODED.iter().rev().fold(value.to_owned(), |value, (letter, code)| value.replace(code, letter))
}

/// The plan that a list names.
pub(crate) fn plan_of(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !text.contains("plan=") {
        return None; // most lists have their own items: they aren't read twice
    }
    read(bytes).ok()?.link.map(|link| link.file)
}

/// The words of `status`. A file without one was not started.
pub(crate) const WORDS: [(&str, FileStatus); 6] = [
    ("pending", FileStatus::NotStarted),
    ("running", FileStatus::Running),
    ("paused", FileStatus::Paused),
    ("stopped", FileStatus::StoppedByUser),
    ("failed", FileStatus::Failed),
    ("completed", FileStatus::Completed),
];

/// A status line.
#[derive(Debug)]
pub(crate) struct StatusLine<'b> {
    /// Its 1-based line.
    pub(crate) line: u32,
    /// Its values in file order.
    pub(crate) fields: Vec<StatusField<'b>>,
    /// Where another value goes.
    pub(crate) end: usize,
}

/// One `key=value` of a status line.
#[derive(Debug)]
pub(crate) struct StatusField<'b> {
    pub(crate) key: &'b str,
    pub(crate) value: &'b str,
    /// The bytes of the value.
    pub(crate) range: Range<usize>,
}

impl StatusField<'_> {
    fn number(&self) -> Option<u32> {
        let digits = self.value.bytes().all(|byte| byte.is_ascii_digit());
        self.value.parse().ok().filter(|_| digits)
    }
}

impl<'b> StatusLine<'b> {
    /// The value of this name, when it has one.
    pub(crate) fn field(&self, key: &str) -> Option<&StatusField<'b>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// What the comment with this content says, if it is a status line.
    fn read(text: &'b str, comment: &Range<usize>) -> Option<Self> {
        let said = text[comment.clone()].trim_start().strip_prefix(NAME)?;
        let inner = comment.end - said.len()..comment.end;
        let line = line_of(text.as_bytes(), inner.start);
        let mut fields = Vec::new();
        let (mut at, mut end) = (inner.start, inner.start);
        for piece in text[inner].split_inclusive(char::is_whitespace) {
            let (start, word) = (at, piece.trim_end());
            at += piece.len();
            if word.is_empty() {
                continue;
            }
            end = start + word.len();
            if let Some((key, value)) = word.split_once('=') {
                fields.push(StatusField { key, value, range: start + key.len() + 1..end });
            }
        }
        Some(Self { line, fields, end })
    }
}

/// The status lines of a list, and where one goes that is not there yet. A sound list has one, or none yet.
pub(crate) fn status_lines(text: &str) -> (Vec<StatusLine<'_>>, usize) {
    lines_of(text, &Document::read(text))
}

fn lines_of<'b>(text: &'b str, document: &Document) -> (Vec<StatusLine<'b>>, usize) {
    let lines = document.comments.iter().filter_map(|inner| StatusLine::read(text, inner));
    (lines.take(MANY).collect(), document.start)
}

/// The list in `bytes`.
///
/// # Errors
/// Where it is not text.
pub(crate) fn read(bytes: &[u8]) -> Result<WorkList<'_>, Problem> {
    let text = text_of(bytes)?;
    let document = Document::read(text);
    let (lines, _) = lines_of(text, &document);
    let line = lines.first();
    let word = line.and_then(|line| line.field("status"));
    let known = |word: &str| WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
    let status = match word.map(|field| field.value) {
        None | Some("") => FileStatus::NotStarted,
        Some(word) => known(word).map_or(FileStatus::Unknown, |(_, status)| *status),
    };
    let number = |key, usual| line.and_then(|line| line.field(key)?.number()).unwrap_or(usual);
    let titles = document.headings.iter().map(|heading| one_line(&text[heading.text.clone()]));
    let items = document.items.iter().filter_map(|item| {
        let (mark, _) = item.mark.as_ref()?;
        // A mark that isn't known says nothing of the kind.
        Some(ListItem { text: &text[item.text.clone()], is_done: *mark == Mark::Ticked })
    });
    let unclear = document.lookalikes.iter().filter(|found| found.may_be_open());
    let mut list = WorkList {
        text,
        title: titles.into_iter().find(|title| !title.is_empty()),
        word: word.map_or("", |field| field.value),
        status,
        word_at: word.map_or(0..0, |field| field.range.clone()),
        has_control: line.is_some(),
        iteration: number("iteration", 0),
        limit: number("max", USUAL_ITERATIONS),
        items: items.collect(),
        link: line.and_then(|line| PlanLink::to(&decoded(line.field(PLAN)?.value))),
        unclear: unclear.map(|found| line_of(bytes, found.line.start)).collect(),
        problems: errors(&lines),
    };
    let warnings = warnings(&list, &document);
    list.problems.extend(warnings);
    Ok(list)
}

/// Everything that refuses a verb.
fn errors(lines: &[StatusLine<'_>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(second) = lines.get(1) {
        problems
            .push(Problem::new(ProblemCode::E8_duplicate_key, "").with("key", "loop").at_line(second.line));
    }
    let Some(line) = lines.first() else { return problems };
    for (index, field) in line.fields.iter().enumerate() {
        let code = match field.key {
            key if line.fields[..index].iter().any(|earlier| earlier.key == key) => {
                problems.push(
                    Problem::new(ProblemCode::E8_duplicate_key, key).with("key", key).at_line(line.line),
                );
                continue;
            }
            "status" if WORDS.iter().all(|(word, _)| !word.eq_ignore_ascii_case(field.value)) => {
                ProblemCode::E4_unknown_status
            }
            "iteration" if field.number().is_none() => ProblemCode::E6_bad_iteration,
            "max" if field.number().is_none_or(|max| !ITERATIONS.accepts(max)) => {
                ProblemCode::E6_bad_iteration
            }
            _ => continue,
        };
        problems.push(Problem::new(code, field.key).with("found", field.value).at_line(line.line));
    }
    problems
}

/// What a person should know of the boxes: which of them are none, and why the list isn't done.
fn warnings(list: &WorkList<'_>, document: &Document) -> Vec<Problem> {
    let said = |code, range: &Range<usize>| {
        let line = line_of(list.text.as_bytes(), range.start);
        Problem::new(code, "").with("found", &list.text[range.clone()]).at_line(line)
    };
    let of_lookalike = |found: &Lookalike| match found.place {
        LookalikePlace::Text => said(ProblemCode::R2_not_a_box, &found.line),
        LookalikePlace::Unclosed | LookalikePlace::Verbatim => said(ProblemCode::R3_hidden_box, &found.line),
    };
    let mut problems: Vec<Problem> = document.lookalikes.iter().take(MANY).map(of_lookalike).collect();
    let marks = document.items.iter().filter_map(|item| item.mark.as_ref());
    let unknown = marks.filter(|(mark, _)| *mark == Mark::Unknown);
    problems.extend(unknown.take(MANY).map(|(_, range)| said(ProblemCode::R4_unknown_mark, range)));
    if list.link.is_some() {
        return problems; // the plan has the items
    }
    if list.items.is_empty() {
        problems.push(Problem::new(ProblemCode::R5_no_boxes, ""));
    } else if list.status == FileStatus::Completed && !list.is_done() {
        let problem = Problem::new(ProblemCode::R6_completed_open, "status");
        problems.push(problem.with("found", list.progress().0).with("expected", list.items.len()));
    }
    problems
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_heading_with_a_text_is_the_title() {
        for (text, title) in [
            ("# Shop #\n", Some("Shop")),
            ("#\n## **The**  shop\n# x\n", Some("**The** shop")),
            ("The\nshop\n---\n", Some("The shop")),
            ("```\n# x\n```\n> # y\n#z\n", None),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap().title.as_deref(), title, "{text:?}");
        }
    }

    #[test]
    fn a_status_line_is_a_comment_of_its_own() {
        let text = "<!-- loop: status=running iteration=3 odd max=20 -->\n<!-- loops: a=b -->\nx <!-- loop: a=b -->\n\
                    ```\n<!-- loop: a=b -->\n```\n  <!--loop:-->\n";
        let (found, _) = status_lines(text);
        let lines: Vec<u32> = found.iter().map(|line| line.line).collect();
        assert_eq!(lines, [1, 7]);
        let fields: Vec<_> = found[0].fields.iter().map(|field| (field.key, field.value)).collect();
        assert_eq!(fields, [("status", "running"), ("iteration", "3"), ("max", "20")]);
        let range = found[0].field("iteration").unwrap().range.clone();
        assert_eq!((&text[range], &text[found[0].end..][..4]), ("3", " -->"));
    }

    #[test]
    fn what_is_no_text_is_no_list() {
        assert_eq!(read(b"ab\xff").unwrap_err().args["offset"], "2");
    }
}
