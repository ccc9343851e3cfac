//! Two loops, or two moments of one loop, side by side: the differences first.
//!
//! [`crate::compare`] tells what happened between two versions of one loop; here neither side comes first.

use crate::checklist::CheckResult;
use crate::compare::KnownStatus;
use crate::facts::{LoopFacts, Portion, RunFacts, TestTotals};
use crate::summary::Summary;
use crate::view::{LoopDetail, TestRow};
use serde::Serialize;
use specta::Type;
use std::collections::BTreeMap;

/// Rows of one kind that are told apart; more are only counted.
const MOST_ROWS: usize = 500;
/// Longest text of a row, in characters.
const TEXT_CHARS: usize = 300;

/// One side: what a loop says at a moment.
#[derive(Clone, Debug)]
pub struct ComparedSide<'a> {
    /// Its summary.
    pub summary: &'a Summary,
    /// Its detail.
    pub detail: &'a LoopDetail,
    /// Its facts.
    pub facts: &'a LoopFacts,
    /// The tests of its last run.
    pub tests: &'a [TestRow],
    /// What its runs add up to; `None` for a moment of the past, and when Loopdeck never ran it.
    pub runs: Option<&'a RunFacts>,
}

/// Two sides, part by part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct SideBySide {
    /// Parts that at least one side has.
    pub parts: Vec<ComparedPart>,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ComparedPart {
    /// Which.
    pub kind: ComparedKind,
    /// Differences, then what is equal.
    pub rows: Vec<ComparedRow>,
    /// How many rows differ.
    pub different: u32,
    /// How many are equal; some of them may be left out of `rows`.
    pub equal: u32,
}

/// Parts of a comparison. Words: catalogue `compare.part.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ComparedKind {
    /// Status, progress and cost.
    Facts,
    /// Hypotheses and their verdicts.
    Hypotheses,
    /// Tasks of both.
    Tasks,
    /// Atoms of the work graph.
    Atoms,
    /// The alternative selected in each OR group.
    Choices,
    /// Items of the completion checklist.
    Checklist,
    /// Tests of the last run.
    Tests,
}

/// One thing on both sides. `None`: that side does not have it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ComparedRow {
    /// A fact, or the id or name of the thing.
    pub name: ComparedName,
    /// What it is about. Untrusted text.
    pub text: String,
    /// Its value on the left.
    pub left: Option<ComparedValue>,
    /// Its value on the right.
    pub right: Option<ComparedValue>,
}

/// What a row is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum ComparedName {
    /// A fact. Words: catalogue `compare.fact.<name>`.
    Fact(ComparedFact),
    /// An id or a name from the file. Untrusted text.
    Item(String),
}

/// Facts that both sides may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ComparedFact {
    /// Status in the file.
    Status,
    /// Iterations used of the limit.
    Iterations,
    /// Passed tests of the last run.
    Tests,
    /// Tasks done.
    Tasks,
    /// Atoms resolved.
    Atoms,
    /// Checks that pass.
    Checks,
    /// Files changed.
    Files,
    /// Corrections by a person.
    Redirects,
    /// Time of agents.
    AgentTime,
    /// USD.
    Cost,
}

/// A value of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ComparedValue {
    /// A status word, and what it means if a format defines it.
    Status {
        /// As the file has it. Untrusted text.
        word: String,
        /// Its meaning.
        known: Option<KnownStatus>,
    },
    /// A number.
    Number(#[specta(type = u32)] f64),
    /// A part of a whole.
    Portion {
        /// The part.
        #[specta(type = u32)]
        done: f64,
        /// The whole; 0 when there is none.
        #[specta(type = u32)]
        total: f64,
    },
    /// Milliseconds.
    Duration(#[specta(type = u32)] f64),
    /// USD.
    Cost(#[specta(type = u32)] f64),
    /// The result of a check.
    Check(CheckResult),
    /// Untrusted text.
    Text(String),
}

impl SideBySide {
    /// Both sides, part by part.
    #[must_use]
    pub fn new(left: &ComparedSide<'_>, right: &ComparedSide<'_>) -> Self {
        let parts = [
            (ComparedKind::Facts, [facts(left), facts(right)]),
            (ComparedKind::Hypotheses, [left, right].map(|side| hypotheses(side.detail))),
            (ComparedKind::Tasks, [left, right].map(|side| tasks(side.detail))),
            (ComparedKind::Atoms, [left, right].map(|side| atoms(side.detail))),
            (ComparedKind::Choices, [left, right].map(|side| choices(side.detail))),
            (ComparedKind::Checklist, [left, right].map(|side| checklist(side.detail))),
            (ComparedKind::Tests, [left, right].map(|side| tests(side.tests))),
        ];
        let parts = parts.into_iter().filter(|(_, sides)| sides.iter().any(|side| !side.is_empty()));
        Self { parts: parts.map(|(kind, [left, right])| part(kind, left, right)).collect() }
    }
}

/// Name, text and value of one thing.
type Item = (ComparedName, String, ComparedValue);

fn part(kind: ComparedKind, left: Vec<Item>, right: Vec<Item>) -> ComparedPart {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows: Vec<ComparedRow> = Vec::new();
    for (name, text, value) in left {
        places.entry(key(&name)).or_insert(rows.len());
        rows.push(ComparedRow { name, text, left: Some(value), right: None });
    }
    for (name, text, value) in right {
        let known = places.get(&key(&name)).and_then(|place| rows.get_mut(*place));
        match known.filter(|row| row.right.is_none()) {
            Some(row) => row.right = Some(value),
            None => rows.push(ComparedRow { name, text, left: None, right: Some(value) }),
        }
    }
    let (mut different, equal): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.left != row.right);
    let counts = (count(different.len()), count(equal.len()));
    different.extend(equal);
    different.truncate(MOST_ROWS);
    ComparedPart { kind, rows: different, different: counts.0, equal: counts.1 }
}

fn key(name: &ComparedName) -> String {
    match name {
        ComparedName::Fact(fact) => format!("{fact:?}"),
        ComparedName::Item(name) => name.clone(),
    }
}

fn facts(side: &ComparedSide<'_>) -> Vec<Item> {
    let LoopFacts { iterations, tests, tasks, atoms, checks, files_changed, redirects, .. } = side.facts;
    let portion = |portion: Portion| ComparedValue::Portion {
        done: f64::from(portion.done),
        total: f64::from(portion.total),
    };
    let runs = side.runs;
    let all = [
        (
            ComparedFact::Status,
            (!side.summary.status_word.is_empty()).then(|| status(&side.summary.status_word)),
        ),
        (
            ComparedFact::Iterations,
            iterations.map(|bar| ComparedValue::Portion { done: bar.current, total: bar.limit }),
        ),
        (ComparedFact::Tests, tests.map(|tests| passed(tests.last))),
        (ComparedFact::Tasks, tasks.map(portion)),
        (ComparedFact::Atoms, atoms.map(portion)),
        (ComparedFact::Checks, checks.map(portion)),
        (ComparedFact::Files, Some(ComparedValue::Number(f64::from(*files_changed)))),
        (ComparedFact::Redirects, Some(ComparedValue::Number(f64::from(*redirects)))),
        (ComparedFact::AgentTime, runs.map(|runs| ComparedValue::Duration(runs.worked_ms))),
        (ComparedFact::Cost, runs.and_then(|runs| runs.cost_usd).map(ComparedValue::Cost)),
    ];
    let known = all.into_iter().filter_map(|(fact, value)| Some((fact, value?)));
    known.map(|(fact, value)| (ComparedName::Fact(fact), String::new(), value)).collect()
}

fn passed(totals: TestTotals) -> ComparedValue {
    ComparedValue::Portion { done: f64::from(totals.passed), total: f64::from(totals.total) }
}

fn status(word: &str) -> ComparedValue {
    ComparedValue::Status {
        word: loopdeck_text::shorten(word, TEXT_CHARS),
        known: KnownStatus::from_word(word),
    }
}

fn item(name: &str, text: &str, value: ComparedValue) -> Item {
    let short = |text: &str| loopdeck_text::shorten(text, TEXT_CHARS);
    (ComparedName::Item(short(name)), short(text), value)
}

fn hypotheses(detail: &LoopDetail) -> Vec<Item> {
    let all = detail.debug.iter().flat_map(|debug| &debug.hypotheses);
    all.map(|one| item(&one.id, &one.description, status(&one.status))).collect()
}

fn tasks(detail: &LoopDetail) -> Vec<Item> {
    detail.tasks.iter().map(|task| item(&task.id, &task.description, status(&task.status))).collect()
}

fn atoms(detail: &LoopDetail) -> Vec<Item> {
    detail.atoms.iter().map(|atom| item(&atom.id, &atom.description, status(&atom.status))).collect()
}

fn choices(detail: &LoopDetail) -> Vec<Item> {
    let chosen = detail.or_groups.iter().filter_map(|group| {
        let selected = group.selected.as_ref()?;
        Some(item(&group.name, "", ComparedValue::Text(loopdeck_text::shorten(selected, TEXT_CHARS))))
    });
    chosen.collect()
}

fn checklist(detail: &LoopDetail) -> Vec<Item> {
    let checks = detail.checklist.iter().filter(|row| row.check_type.is_some());
    checks.map(|row| item(&row.item, "", ComparedValue::Check(row.result))).collect()
}

fn tests(rows: &[TestRow]) -> Vec<Item> {
    rows.iter().map(|row| item(&row.full_name(), "", status(&row.status))).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::status::FileStatus;
    use crate::view::TaskView;

    fn detail(tasks: &[(&str, &str)]) -> LoopDetail {
        let task = |(id, status): &(&str, &str)| TaskView {
            id: (*id).into(),
            description: format!("do {id}"),
            status: (*status).into(),
            ..TaskView::default()
        };
        LoopDetail { tasks: tasks.iter().map(task).collect(), ..LoopDetail::default() }
    }

    fn compared(left: &LoopDetail, right: &LoopDetail) -> SideBySide {
        let mut summary = Summary::empty(Format::LoopV2, "a", FileStatus::Running);
        summary.status_word = "running".into();
        let facts = [left, right].map(|detail| LoopFacts::from_detail(&summary, detail));
        let side = |detail, facts| ComparedSide { summary: &summary, detail, facts, tests: &[], runs: None };
        SideBySide::new(&side(left, &facts[0]), &side(right, &facts[1]))
    }

    fn names(part: &ComparedPart) -> Vec<(String, bool, bool)> {
        part.rows.iter().map(|row| (key(&row.name), row.left.is_some(), row.right.is_some())).collect()
    }

    #[test]
    fn differences_come_first_and_what_one_side_lacks_is_one() {
        let left = detail(&[("t1", "completed"), ("t2", "pending"), ("t3", "pending")]);
        let right = detail(&[("t4", "pending"), ("t2", "completed"), ("t1", "completed")]);
        let compared = compared(&left, &right);
        let tasks = compared.parts.iter().find(|part| part.kind == ComparedKind::Tasks).expect("tasks");
        assert_eq!((tasks.different, tasks.equal), (3, 1));
        let expected = [("t2", true, true), ("t3", true, false), ("t4", false, true), ("t1", true, true)];
        assert_eq!(names(tasks), expected.map(|(name, left, right)| (name.to_owned(), left, right)));
        let facts = &compared.parts[0];
        assert_eq!((facts.kind, facts.different), (ComparedKind::Facts, 0));
        assert!(compared.parts.iter().all(|part| part.kind != ComparedKind::Atoms), "{compared:?}");
    }

    #[test]
    fn the_same_id_twice_is_two_rows_and_many_rows_are_counted() {
        let twice = detail(&[("t1", "pending"), ("t1", "completed")]);
        let tasks = compared(&twice, &twice).parts.remove(1);
        assert_eq!((tasks.different + tasks.equal) as usize, tasks.rows.len());
        let ids: Vec<String> = (0..800).map(|n| format!("t{n}")).collect();
        let many: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "pending")).collect();
        let tasks = compared(&detail(&many), &detail(&[])).parts.into_iter().next_back().expect("tasks");
        assert_eq!((tasks.different, tasks.rows.len()), (800, MOST_ROWS));
    }
}
