//! One-click repairs (AoT contract §10): layout that the plugin reads differently, unknown status words,
//! atoms that nobody works on.

use super::canonical;
use super::draft::PendingChanges;
use super::written::Written;
use crate::formats::aot::check::lint;
use crate::formats::aot::read::state::{self, Document, SECTIONS};
use crate::formats::aot::read::{comments, lines, links};
use crate::formats::aot::recover::quotes;
use crate::problem::{Problem, ProblemCode, Severity};
use crate::refusal::{Refusal, RefusalCode};
use crate::times::Timestamp;
use loopdeck_text::text_edit::{self, TextEdit};
use loopdeck_text::yaml_span::{CollectionStyle, Entry, YamlKind};
use memchr::memmem;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Rules whose violations can be repaired without changing the content of the file.
const REPAIRABLE: [&str; 22] = [
    "L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10", "L11", "L12", "L13", "L14", "L15", "L16",
    "L17", "L18", "L19", "L20", "L21", "L22",
];

/// More than a person fixes by hand.
const MANY: usize = 10_000;

/// An available repair. Words: catalogue `repair.<code>` with these values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The problems it solves.
    pub code: ProblemCode,
    /// Named values for the sentence: `count`; for layout the broken `rules`, those that stay broken (`left`), and
    /// how many `comments` are dropped.
    pub args: BTreeMap<String, String>,
}

impl Repair {
    fn new(code: ProblemCode, args: &[(&str, String)]) -> Self {
        Self { code, args: args.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect() }
    }
}

/// The repairs that are possible now; only a caller that knows the agents can tell whether an atom in
/// progress is orphaned.
#[must_use]
pub fn repairs(bytes: &[u8]) -> Vec<Repair> {
    let Ok(document) = state::read(bytes) else {
        let quotes = quotes::fix(bytes).map(|fixed| {
            let first = fixed.lines.first().copied().unwrap_or_default();
            let args = [("count", fixed.lines.len().to_string()), ("line", first.to_string())];
            Repair::new(ProblemCode::V1_unescaped_quote, &args)
        });
        return quotes.into_iter().collect();
    };
    repairs_of(bytes, &document, &lint::layout(bytes, &document))
}

/// [`repairs`] of a file already read, with its `lints`: without any, the layout is not rebuilt.
pub(crate) fn repairs_of(bytes: &[u8], document: &Document<'_>, lints: &[Problem]) -> Vec<Repair> {
    let mut found = Vec::new();
    let unknown =
        document.problems.iter().filter(|problem| problem.code == ProblemCode::V3_unknown_status).count();
    if unknown > 0 {
        found.push(Repair::new(ProblemCode::V3_unknown_status, &[("count", unknown.to_string())]));
    }
    let orphans = document.state.atoms.iter().filter(|atom| atom.word == "in_progress").count();
    if orphans > 0 {
        found.push(Repair::new(ProblemCode::V16_orphaned_atom, &[("count", orphans.to_string())]));
    }
    if let Some(layout) = normalised(bytes, document, lints) {
        let (rules, left) = (layout.rules.join(", "), layout.left.join(", "));
        let args = [("rules", rules), ("left", left), ("comments", layout.comments.to_string())];
        found.push(Repair::new(ProblemCode::V20_layout, &args));
    }
    found
}

/// The edits that repair the problems of `code`; none when there is nothing to repair.
///
/// # Errors
/// A refusal when the file is unreadable, the repair does not exist, or a line cannot be edited safely.
pub fn repair(bytes: &[u8], code: ProblemCode, now: Timestamp) -> Result<Vec<TextEdit>, Refusal> {
    // No repair writes a time; everything that writes has the clock in its signature.
    let _ = now;
    if code == ProblemCode::V1_unescaped_quote {
        return Ok(quotes::fix(bytes).map(|fixed| fixed.edits).unwrap_or_default());
    }
    let document = state::read(bytes)
        .map_err(|problem| Refusal::new(RefusalCode::DamagedFile).with("problem", problem.code.name()))?;
    if code == ProblemCode::V20_layout {
        let lints = lint::layout(bytes, &document);
        return match normalised(bytes, &document, &lints) {
            Some(layout) => Ok(layout.edits),
            None if lints.is_empty() => Ok(Vec::new()),
            None => Err(cannot(&lints)),
        };
    }
    let Document { front, tree, state, .. } = document;
    let mut draft = PendingChanges::new(bytes, front, tree.root);
    match code {
        ProblemCode::V3_unknown_status => {
            if !matches!(state.control.status.as_ref(), "pending" | "running" | "stopped" | "completed") {
                draft.control("status", &Written::word("stopped"))?;
            }
            for (index, atom) in state.atoms.iter().enumerate() {
                if !matches!(atom.word.as_ref(), "pending" | "in_progress" | "resolved") {
                    draft.atom_status(index, "pending")?;
                }
            }
        }
        ProblemCode::V16_orphaned_atom => draft.release_atoms(&state.atoms)?,
        _ => return Err(Refusal::new(RefusalCode::NotInFormat)),
    }
    draft.finish()
}

/// Reports which rules would stay broken, and where the first violation is.
fn cannot(lints: &[Problem]) -> Refusal {
    let field = lints.first().map(|problem| problem.path.as_str()).unwrap_or_default();
    Refusal::new(RefusalCode::NotEditable)
        .with("field", field)
        .with("rules", rules_of(lints.iter()).join(", "))
}

/// A layout that the plugin reads the way we do.
pub(crate) struct Normalised {
    pub(crate) edits: Vec<TextEdit>,
    pub(crate) rules: Vec<String>,
    left: Vec<String>,
    pub(crate) comments: usize,
}

/// `None` when nothing can be improved, or the content would change.
pub(crate) fn normalised(bytes: &[u8], document: &Document<'_>, lints: &[Problem]) -> Option<Normalised> {
    let repairable = |problem: &&Problem| rule(problem).is_some_and(|rule| REPAIRABLE.contains(&rule));
    let broken: Vec<&Problem> = lints.iter().filter(repairable).collect();
    if broken.is_empty() {
        return None;
    }
    let front = front_text(bytes, document, &broken)?;
    let old_end = document.front.body.start;
    let old = std::str::from_utf8(&bytes[..old_end]).ok()?;
    let new = format!("---\n{front}---\n");
    let mut edits: Vec<TextEdit> = difference(old, &new).into_iter().collect();
    edits.extend(body_edits(bytes, document));
    let after = text_edit::apply(bytes, &edits).ok()?;
    let again = state::read(&after).ok()?;
    let errors = |document: &Document<'_>| {
        document.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    };
    let left = lint::layout(&after, &again);
    let better = left.len() < lints.len() && errors(&again) <= errors(document);
    if !better || !canonical::means_the_same(document.root(), again.root()) {
        return None;
    }
    let comments = commented(old).saturating_sub(commented(&new));
    Some(Normalised { edits, rules: rules_of(broken.into_iter()), left: rules_of(left.iter()), comments })
}

/// Their rules in order, each once.
pub(crate) fn rules_of<'p>(problems: impl Iterator<Item = &'p Problem>) -> Vec<String> {
    let mut rules: Vec<String> = problems.filter_map(rule).map(str::to_owned).collect();
    rules.sort_by_key(|rule| REPAIRABLE.iter().position(|name| name == rule));
    rules.dedup();
    rules
}

fn rule(problem: &Problem) -> Option<&str> {
    problem.args.get("rule").map(String::as_str)
}

/// Lines with a comment, as far as visible without parsing.
fn commented(text: &str) -> usize {
    text.lines().filter(|line| line.trim_start().starts_with('#') || line.contains(" #")).count()
}

/// The front matter with every broken section in canonical layout and all sections in order (L19).
fn front_text(bytes: &[u8], document: &Document<'_>, broken: &[&Problem]) -> Option<String> {
    let sections = match &document.tree.root.kind {
        YamlKind::Map(sections, CollectionStyle::Block) => sections,
        YamlKind::Map(_, CollectionStyle::Flow) => return rewritten(document),
        _ => return None,
    };
    let closing = document.front.closing;
    let start_of = |index: usize| {
        sections.get(index).map_or(closing, |entry| lines::line_start(bytes, entry.key.range.start))
    };
    let kept = KeptLines::new(bytes, document);
    let mut touched = touched(document, sections, broken, &kept);
    // An anchor and its aliases change together, or not at all.
    let linked = |entry: &Entry<'_>| links::is_linked(&entry.value);
    if sections.iter().zip(&touched).any(|(entry, touched)| *touched && linked(entry)) {
        touched.iter_mut().zip(sections).for_each(|(touched, entry)| *touched |= linked(entry));
    }
    let mut parts: Vec<(usize, String)> = Vec::new();
    let mut rank = 0;
    for (index, (entry, meant)) in sections.iter().zip(document.root().entries()).enumerate() {
        let (start, end) = (start_of(index), start_of(index + 1));
        let shifted = entry.key.range.start != start;
        let rewritten = (touched[index] || shifted).then(|| canonical::section(meant)).flatten();
        let written = match rewritten {
            Some(section) => {
                let behind = lines::next_line(bytes, lines::entry_end(bytes, entry))?.min(end);
                section + &kept.text(behind..end)
            }
            None if shifted => return None,
            None => kept.text(start..end),
        };
        rank = rank_of(entry, rank);
        parts.push((rank, written));
    }
    let preamble = kept.text(document.front.start..start_of(0));
    Some(preamble + &in_order(document, parts))
}

/// A document within braces, such as JSON: every section in canonical layout.
fn rewritten(document: &Document<'_>) -> Option<String> {
    let mut rank = 0;
    let part = |entry: &Entry<'_>| {
        rank = rank_of(entry, rank);
        Some((rank, canonical::section(entry)?))
    };
    let parts: Option<Vec<(usize, String)>> = document.root().entries().iter().map(part).collect();
    Some(in_order(document, parts?))
}

/// Fields that no schema lists stay after their neighbour, whose rank is `last`, but never after `corrections`.
fn rank_of(entry: &Entry<'_>, last: usize) -> usize {
    let known = entry.key.text().and_then(|key| SECTIONS.iter().position(|name| *name == key.as_ref()));
    known.map_or((last | 1).min(13), |known| known * 2)
}

/// Those that are there and those that are missing, by their rank.
fn in_order(document: &Document<'_>, mut parts: Vec<(usize, String)>) -> String {
    add_missing(document, &mut parts);
    parts.sort_by_key(|(rank, _)| *rank);
    parts.into_iter().map(|(_, text)| text).collect()
}

/// Which sections have to be rewritten; comments and line ends are fixed in place.
fn touched(
    document: &Document<'_>,
    sections: &[Entry<'_>],
    broken: &[&Problem],
    kept: &KeptLines<'_>,
) -> Vec<bool> {
    let text = document.front.text.as_bytes();
    let dashes: HashSet<u32> = memmem::find_iter(text, b"---")
        .map(|at| document.front.start + at)
        .filter(|at| !kept.in_comment(*at))
        .map(|at| text_edit::line_of(kept.bytes, at))
        .take(MANY)
        .collect();
    let section = |index: usize| {
        let first = sections[index].key.line;
        let last = sections.get(index + 1).map_or(u32::MAX, |next| next.key.line.saturating_sub(1));
        broken.iter().any(|problem| {
            let line = problem.line.filter(|line| (first..=last).contains(line));
            line.is_some_and(|line| match rule(problem) {
                Some("L1" | "L14") => false,
                Some("L13") => dashes.contains(&line),
                _ => true,
            })
        })
    };
    (0..sections.len()).map(section).collect()
}

/// The lines that are kept, except where comments would affect the scripts.
struct KeptLines<'b> {
    bytes: &'b [u8],
    comments: Vec<Range<usize>>,
    ending: Vec<usize>,
}

impl<'b> KeptLines<'b> {
    fn new(bytes: &'b [u8], document: &Document<'_>) -> Self {
        let (start, end) = (document.front.start, document.front.closing);
        Self {
            bytes,
            comments: comments::between(bytes, &document.tree.root, start, end),
            ending: lint::ending_comments(bytes, document),
        }
    }

    fn in_comment(&self, at: usize) -> bool {
        let next = self.comments.partition_point(|comment| comment.start <= at);
        next > 0 && self.comments[next - 1].contains(&at)
    }

    /// With plain line ends, without dashes in comments (L13), and with no comment that ends its section (L14).
    fn text(&self, range: Range<usize>) -> String {
        let plain = |part: Range<usize>| String::from_utf8_lossy(&self.bytes[part]).replace('\r', "");
        let mut text = String::new();
        let mut at = range.start;
        for comment in self.comments.iter().filter(|comment| range.contains(&comment.start)) {
            text.push_str(&plain(at..comment.start));
            if self.ending.binary_search(&comment.start).is_ok() {
                text.push(' ');
            }
            text.push_str(&plain(comment.clone()).replace("---", "—"));
            at = comment.end;
        }
        text + &plain(at..range.end)
    }
}

fn add_missing(document: &Document<'_>, parts: &mut Vec<(usize, String)>) {
    for (index, name) in SECTIONS.iter().enumerate() {
        if let Some(empty) = canonical::empty(name).filter(|_| document.tree.root.entry(name).is_none()) {
            parts.push((index * 2, format!("{name}: {empty}\n")));
        }
    }
}

/// One edit for the differing lines.
pub(crate) fn difference(old: &str, new: &str) -> Option<TextEdit> {
    if old == new {
        return None;
    }
    let same = |a: &[&str], b: &[&str]| {
        a.iter().zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum::<usize>()
    };
    let (olds, news): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let front = same(&olds, &news);
    let (mut back_old, mut back_new) = (old.len(), new.len());
    for (a, b) in olds.iter().rev().zip(news.iter().rev()) {
        if a != b || back_old - a.len() < front || back_new - b.len() < front {
            break;
        }
        (back_old, back_new) = (back_old - a.len(), back_new - b.len());
    }
    Some(TextEdit::replace(front..back_old, &new[front..back_new]))
}

/// L12: lines of the prompt that the plugin would take for its own.
fn body_edits(bytes: &[u8], document: &Document<'_>) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    let mut at = document.front.body.start;
    while at < bytes.len() {
        let next = lines::next_line(bytes, at).unwrap_or(bytes.len());
        let line = &bytes[at..next];
        let field = line.strip_prefix(b"  ").filter(|rest| {
            crate::formats::aot::read::hook::CONTROL_KEYS
                .iter()
                .any(|key| rest.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b":")))
        });
        if field.is_some() {
            edits.push(TextEdit::insert(at, " "));
        } else if line.trim_ascii_start().starts_with(b"- id:") {
            edits.push(TextEdit::insert(at, "> "));
        }
        at = next;
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_differ_are_replaced() {
        let found = |old: &str, new: &str| difference(old, new).map(|edit| (edit.range, edit.text));
        assert_eq!(found("a\nb\nc\n", "a\nx\nc\n"), Some((2..4, "x\n".to_owned())));
        assert_eq!(found("a\na\n", "a\n"), Some((2..4, String::new())));
        assert_eq!(found("a\n", "a\na\n"), Some((2..2, "a\n".to_owned())));
        assert_eq!(found("a\n", "a\n"), None);
    }
}
