//! The work that follows from a failed completion check: one atom for each check that has to pass and does
//! not.

use super::look::AotView;
use super::{CheckOutcome, CheckedBy};
use crate::checklist::outcome::{by_row, label};
use crate::checklist::{self, CheckType, ItemKind, Verdict};
use crate::formats::aot::edit::operation::NewAtom;
use crate::formats::aot::edit::written::one_line;
use crate::view::ChecklistRow;
use loopdeck_text::shorten;

/// The start of every such atom; the rest names its check.
const ASKED: &str = "Make this check pass:";
/// Characters of a command, path or sentence.
const LONGEST_VALUE: usize = 300;
/// Characters of the evidence.
const LONGEST_SEEN: usize = 400;
/// Lines of output included.
const LAST_LINES: usize = 5;
/// Characters of a whole description.
const LONGEST: usize = 1_200;
/// Atoms of one verification.
const MOST: usize = 100;

/// The atoms, in the order of the checklist; none for a check whose earlier atom is still unresolved.
pub(super) fn atoms(look: &AotView<'_>, results: &[CheckOutcome]) -> Vec<NewAtom> {
    let mut atoms: Vec<NewAtom> = Vec::new();
    let mut begun: Vec<String> = open_atoms(look);
    for row in decisive(look, results) {
        let check = &look.checklist.rows[row];
        let begins = beginning(check);
        if begun.contains(&begins) || begun.iter().any(|open| open.starts_with(&format!("{begins};"))) {
            continue;
        }
        let seen = results.iter().find(|outcome| outcome.row == row).map(outcome_text).unwrap_or_default();
        let description = one_line(&format!("{begins}; {seen})"), LONGEST);
        atoms.push(NewAtom { description, ..NewAtom::default() });
        begun.push(begins);
        if atoms.len() >= MOST {
            break;
        }
    }
    atoms
}

/// Descriptions of unresolved atoms that an earlier verification asked for.
fn open_atoms(look: &AotView<'_>) -> Vec<String> {
    let atoms = look.state().atoms.iter().enumerate();
    let open =
        atoms.filter(|(at, atom)| look.graph.is_unresolved(*at) && atom.description.starts_with(ASKED));
    open.map(|(_, atom)| atom.description.clone().into_owned()).collect()
}

/// Failed checks that make the whole list fail: a failed alternative of a passed any-of is not work.
fn decisive(look: &AotView<'_>, results: &[CheckOutcome]) -> Vec<usize> {
    let rows = &look.checklist.rows;
    let verdicts = checklist::verdicts(rows, &by_row(rows, results));
    let mut above: Vec<(u32, bool)> = Vec::new();
    let mut found = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        above.retain(|(depth, _)| *depth < row.depth);
        let fails = verdicts[at] == Verdict::Fail && above.last().is_none_or(|(_, fails)| *fails);
        above.push((row.depth, fails));
        if fails && row.kind == ItemKind::Check && results.iter().any(|outcome| outcome.row == at) {
            found.push(at);
        }
    }
    found
}

/// `Make this check pass: Tests pass (command: npm test`
fn beginning(check: &ChecklistRow) -> String {
    let kind = match check.check_type {
        Some(CheckType::Command) => "command",
        Some(CheckType::NotCommand) => "command that has to fail",
        Some(CheckType::File) => "file that has to exist",
        Some(CheckType::NotFile) => "file that must not exist",
        Some(CheckType::Assertion) => "the person confirms",
        Some(CheckType::Quality) => "quality",
        Some(CheckType::TestsKept | CheckType::Coverage | CheckType::Other) | None => "check",
    };
    let value = flat(check.value.as_deref().unwrap_or_default(), LONGEST_VALUE);
    let said = if value.is_empty() { kind.to_owned() } else { format!("{kind}: {value}") };
    one_line(&format!("{ASKED} {} ({said}", label(check)), LONGEST)
}

/// Its result: `exit code 1; last lines: …`, the score, the person's words.
fn outcome_text(outcome: &CheckOutcome) -> String {
    match (outcome.by, outcome.score) {
        (CheckedBy::Judge, Some(score)) => {
            format!("score {score:.2}; {}", flat(&outcome.evidence, LONGEST_SEEN))
        }
        (CheckedBy::Person, _) => match flat(&outcome.evidence, LONGEST_SEEN).as_str() {
            "" => "the person says that it is not true".to_owned(),
            words => format!("the person says that it is not true: {words}"),
        },
        _ => native(&outcome.evidence),
    }
}

fn native(evidence: &str) -> String {
    let (ended, output) = evidence.split_once('\n').unwrap_or((evidence, ""));
    let lines: Vec<&str> =
        output.lines().filter(|line| !matches!(line.trim(), "" | "stdout:" | "stderr:")).collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    let last = last.join(" | ");
    let ended = flat(ended, LONGEST_SEEN);
    if last.is_empty() { ended } else { format!("{ended}; last lines: {}", tail(&last)) }
}

/// The end of a text: errors come last.
fn tail(text: &str) -> String {
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let skip = flat.chars().count().saturating_sub(LONGEST_SEEN);
    flat.chars().skip(skip).collect()
}

fn flat(text: &str, most: usize) -> String {
    shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}
