//! What a list says of its loop, what is wrong with it, and which verbs it takes (the Ralph contract §3, §4).

use super::forms::{ITERATIONS, USUAL_ITERATIONS};
use super::read::{StatusField, Todo};
use crate::control::{Control, Situation, Verb};
use crate::format::{FileFacts, Format};
use crate::formats::ccw::check::controls::effect;
use crate::formats::ccw::check::rules::refuse;
use crate::phase::{IterationBar, LimitKind, Phase};
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use crate::summary::Summary;
use loopdeck_text::markdown::{LookalikePlace, Mark};
use loopdeck_text::shorten;
use loopdeck_text::text_edit::line_of;
use std::collections::BTreeMap;
use std::ops::Range;

/// Most lines that are named for one reason.
const MANY: usize = 100;

/// The words of `status`. A file without one was not started.
const WORDS: [(&str, FileStatus); 6] = [
    ("pending", FileStatus::NotStarted),
    ("running", FileStatus::Running),
    ("paused", FileStatus::Paused),
    ("stopped", FileStatus::StoppedByUser),
    ("failed", FileStatus::Failed),
    ("completed", FileStatus::Completed),
];

const OFFERED: [Verb; 7] =
    [Verb::Start, Verb::Pause, Verb::Resume, Verb::Stop, Verb::Reopen, Verb::EditMetadata, Verb::Delete];

/// What the status line says, with what it leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RalphState<'b> {
    /// As written; empty when it is not.
    pub(crate) word: &'b str,
    pub(crate) status: FileStatus,
    /// Iterations that ended.
    pub(crate) iteration: u32,
    pub(crate) max: u32,
}

impl<'b> RalphState<'b> {
    pub(crate) fn of(todo: &Todo<'b>) -> Self {
        let word = todo.field("status").map_or("", |field| field.value);
        let known = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        let status = match known {
            Some((_, status)) => *status,
            None if word.is_empty() => FileStatus::NotStarted,
            None => FileStatus::Unknown,
        };
        let or = |key, usual| todo.field(key).and_then(number).unwrap_or(usual);
        Self { word, status, iteration: or("iteration", 0), max: or("max", USUAL_ITERATIONS) }
    }
}

fn number(field: &StatusField<'_>) -> Option<u32> {
    let digits = field.value.bytes().all(|byte| byte.is_ascii_digit());
    field.value.parse().ok().filter(|_| digits)
}

/// What a list of loops shows of it.
#[must_use]
pub fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> Summary {
    match Todo::read(bytes) {
        Ok(todo) => summary_of(&todo, facts),
        Err(offset) => {
            let problem = Problem::new(ProblemCode::F6_not_utf8, "").with("offset", offset);
            Summary::unreadable(Format::Ralph, facts.stem, problem)
        }
    }
}

pub(crate) fn summary_of(todo: &Todo<'_>, facts: &FileFacts<'_>) -> Summary {
    let state = RalphState::of(todo);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (done, total) = (count(todo.done()), count(todo.items.len()));
    let mut summary = Summary {
        status_word: shorten(state.word, 40),
        phase: Some(Phase::Todo { done, total }),
        iteration: Some(IterationBar { current: state.iteration.into(), limit: state.max.into() }),
        nothing_left: state.status == FileStatus::Completed && todo.is_done(),
        problems: errors(todo).into_iter().chain(warnings(todo, state.status)).collect(),
        ..Summary::empty(Format::Ralph, facts.stem, state.status)
    };
    if let Some(title) = &todo.title {
        summary.title = shorten(title, 200);
    }
    if state.status == FileStatus::Running && summary.at_limit() && !todo.is_done() {
        summary.limit = Some(LimitKind::Iterations);
    }
    summary
}

/// Everything that refuses a verb.
fn errors(todo: &Todo<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(second) = todo.status_lines.get(1) {
        problems
            .push(Problem::new(ProblemCode::E8_duplicate_key, "").with("key", "loop").at_line(second.line));
    }
    let Some(line) = todo.status_lines.first() else { return problems };
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
            "iteration" if number(field).is_none() => ProblemCode::E6_bad_iteration,
            "max" if number(field).is_none_or(|max| !ITERATIONS.accepts(max)) => {
                ProblemCode::E6_bad_iteration
            }
            _ => continue,
        };
        problems.push(Problem::new(code, field.key).with("found", field.value).at_line(line.line));
    }
    problems
}

/// What a person should know of the boxes: which of them are none, and why the list isn't done.
fn warnings(todo: &Todo<'_>, status: FileStatus) -> Vec<Problem> {
    let said = |code, range: &Range<usize>| {
        let line = line_of(todo.text.as_bytes(), range.start);
        Problem::new(code, "").with("found", &todo.text[range.clone()]).at_line(line)
    };
    let mut problems: Vec<Problem> = todo
        .lookalikes
        .iter()
        .take(MANY)
        .map(|found| match found.place {
            LookalikePlace::Text => said(ProblemCode::R2_not_a_box, &found.line),
            LookalikePlace::Unclosed | LookalikePlace::Verbatim => {
                said(ProblemCode::R3_hidden_box, &found.line)
            }
        })
        .collect();
    let unknown = todo.items.iter().filter(|item| item.mark == Mark::Unknown);
    problems.extend(unknown.take(MANY).map(|item| said(ProblemCode::R4_unknown_mark, &item.range)));
    if todo.items.is_empty() {
        problems.push(Problem::new(ProblemCode::R5_no_boxes, ""));
    } else if status == FileStatus::Completed && !todo.is_done() {
        let (done, total) = (todo.done(), todo.items.len());
        let problem = Problem::new(ProblemCode::R6_completed_open, "status");
        problems.push(problem.with("found", done).with("expected", total));
    }
    problems
}

/// Verbs with their sentences and reasons. Their value `iteration` is the next one.
#[must_use]
pub fn controls(summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
    let control = |verb| Control {
        verb,
        refusal: refuse(summary, verb, situation),
        effect: effect(summary, verb, situation),
        args: args(summary, verb, facts),
        confirm: matches!(verb, Verb::Stop | Verb::Delete | Verb::Reopen),
        notice: None,
        takes_reason: false,
    };
    OFFERED.into_iter().map(control).collect()
}

fn args(summary: &Summary, verb: Verb, facts: &FileFacts<'_>) -> BTreeMap<String, String> {
    let mut args = BTreeMap::new();
    if let (Verb::Start | Verb::Resume | Verb::Reopen, Some(bar)) = (verb, summary.iteration) {
        args.insert("iteration".to_owned(), (bar.current + 1.0).to_string());
        args.insert("limit".to_owned(), bar.limit.to_string());
        args.insert("command".to_owned(), format!("loopdeck run . {}", quoted(facts.stem)));
    }
    args
}

/// The name of a folder as one word of a shell, whatever is in it: a person may copy the command.
fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_name_is_one_word_of_a_shell() {
        for (name, word) in
            [("shop-2", "shop-2"), ("a;rm -rf ~", "'a;rm -rf ~'"), ("it's", r"'it'\''s'"), ("$(x)", "'$(x)'")]
        {
            assert_eq!(quoted(name), word);
        }
    }
}
