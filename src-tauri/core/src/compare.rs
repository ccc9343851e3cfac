//! What changed between two versions of a loop, in a person's terms: statuses, verdicts, counts, not lines.

mod status;

pub use status::KnownStatus;

use crate::view::{AtomView, Fact, FactValue, HypothesisView, LoopDetail, RunView, TaskView};
use serde::Serialize;
use specta::Type;
use std::collections::{BTreeMap, HashMap};

/// What changed. Words: catalogue `changed.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ChangedWhat {
    /// A plain fact of the overview; its id is the fact's name.
    Fact,
    /// Status of a task.
    Task,
    /// A task was taken from the list next to the loop.
    ListedTask,
    /// Verdict on a hypothesis.
    Hypothesis,
    /// The root cause.
    RootCause,
    /// Status of an atom.
    Atom,
    /// Selection of an OR group.
    Branch,
    /// A validation run; its id is its iteration, or else its time, and from and to are `passed/total`.
    TestRun,
    /// A worker's status.
    Worker,
    /// A correction was made; its id is its kind.
    Correction,
    /// The number of errors recorded in the loop.
    Errors,
}

/// One change. `None` on one side: it did not exist.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Changed {
    /// What.
    pub what: ChangedWhat,
    /// Which one: task, hypothesis or atom id, group or fact name.
    pub id: String,
    /// The earlier value. Untrusted text.
    pub from: Option<String>,
    /// The later value. Untrusted text.
    pub to: Option<String>,
    /// The meaning of `from`, if it is a status that a format defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_status: Option<KnownStatus>,
    /// The meaning of `to`, if it is a status that a format defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_status: Option<KnownStatus>,
}

impl ChangedWhat {
    /// Whether the changed value with this id is a status word.
    fn is_status(self, id: &str) -> bool {
        match self {
            Self::Fact => id == "status",
            Self::Task | Self::ListedTask | Self::Hypothesis | Self::Atom | Self::Worker => true,
            Self::RootCause | Self::Branch | Self::TestRun | Self::Correction | Self::Errors => false,
        }
    }
}

/// Changes from `before` to `after`, in reading order.
#[must_use]
pub fn compare(before: &LoopDetail, after: &LoopDetail) -> Vec<Changed> {
    let mut changes = Changes::default();
    let facts = |detail: &LoopDetail| {
        let counted = detail.facts.iter().filter(|fact| fact.value != FactValue::NotCounted);
        counted.map(|fact: &Fact| (fact.name.clone(), fact_text(fact))).collect::<Vec<_>>()
    };
    changes.between(ChangedWhat::Fact, &facts(before), &facts(after));
    let tasks =
        |detail: &LoopDetail| pairs(&detail.tasks, |task: &TaskView| (task.id.clone(), task.status.clone()));
    changes.between(ChangedWhat::Task, &tasks(before), &tasks(after));
    changes.name_listed(after);
    let hypotheses = |detail: &LoopDetail| {
        let all = detail.debug.iter().flat_map(|debug| &debug.hypotheses);
        all.map(|one: &HypothesisView| (one.id.clone(), one.status.clone())).collect::<Vec<_>>()
    };
    changes.between(ChangedWhat::Hypothesis, &hypotheses(before), &hypotheses(after));
    let confirmed = |detail: &LoopDetail| {
        let confirmed = detail.debug.as_ref().and_then(|debug| debug.confirmed.clone());
        confirmed.map(|id| (String::new(), id)).into_iter().collect::<Vec<_>>()
    };
    changes.between(ChangedWhat::RootCause, &confirmed(before), &confirmed(after));
    let atoms =
        |detail: &LoopDetail| pairs(&detail.atoms, |atom: &AtomView| (atom.id.clone(), atom.status.clone()));
    changes.between(ChangedWhat::Atom, &atoms(before), &atoms(after));
    let branches = |detail: &LoopDetail| {
        let chosen =
            detail.or_groups.iter().filter_map(|group| Some((group.name.clone(), group.selected.clone()?)));
        chosen.collect::<Vec<_>>()
    };
    changes.between(ChangedWhat::Branch, &branches(before), &branches(after));
    changes.runs(&runs(before), &runs(after));
    let workers = |detail: &LoopDetail| {
        let all = detail.workers.iter();
        all.map(|worker| (worker.action.clone(), worker.status.clone())).collect::<Vec<_>>()
    };
    changes.between(ChangedWhat::Worker, &workers(before), &workers(after));
    for correction in after.corrections.iter().skip(before.corrections.len()) {
        changes.push(ChangedWhat::Correction, &correction.word, None, Some(correction.description.clone()));
    }
    let errors = |detail: &LoopDetail| vec![(String::new(), detail.errors.len().to_string())];
    changes.between(ChangedWhat::Errors, &errors(before), &errors(after));
    changes.0
}

#[derive(Default)]
struct Changes(Vec<Changed>);

impl Changes {
    fn push(&mut self, what: ChangedWhat, id: &str, from: Option<String>, to: Option<String>) {
        let status = |text: &Option<String>| {
            text.as_deref().filter(|_| what.is_status(id)).and_then(KnownStatus::from_word)
        };
        let (from_status, to_status) = (status(&from), status(&to));
        self.0.push(Changed { what, id: id.to_owned(), from, to, from_status, to_status });
    }

    /// A file that keeps only its last runs has lost nothing: a newer run makes up for one that is gone.
    fn runs(&mut self, before: &[(String, String)], after: &[(String, String)]) {
        let mut runs = Self::default();
        runs.between(ChangedWhat::TestRun, before, after);
        let is_newer = runs.0.iter().any(|change| change.to.is_some());
        runs.0.retain(|change| change.to.is_some() || !is_newer);
        self.0.append(&mut runs.0);
    }

    /// Marks new tasks that come from the list.
    fn name_listed(&mut self, after: &LoopDetail) {
        let is_listed = |id: &str| after.tasks.iter().any(|task| task.listed && task.id == id);
        for change in &mut self.0 {
            if change.what == ChangedWhat::Task && change.from.is_none() && is_listed(&change.id) {
                change.what = ChangedWhat::ListedTask;
            }
        }
    }

    /// In the order of `after`; removed ones come last.
    fn between(&mut self, what: ChangedWhat, before: &[(String, String)], after: &[(String, String)]) {
        let old: HashMap<&str, &str> = before.iter().map(|(id, word)| (id.as_str(), word.as_str())).collect();
        let new: BTreeMap<&str, &str> = after.iter().map(|(id, word)| (id.as_str(), word.as_str())).collect();
        for (id, word) in after {
            let was = old.get(id.as_str()).copied();
            if was != Some(word.as_str()) && new.get(id.as_str()) == Some(&word.as_str()) {
                self.push(what, id, was.map(str::to_owned), Some(word.clone()));
            }
        }
        for (id, word) in before.iter().filter(|(id, _)| !new.contains_key(id.as_str())) {
            self.push(what, id, Some(word.clone()), None);
        }
    }
}

fn pairs<T>(all: &[T], pair: impl Fn(&T) -> (String, String)) -> Vec<(String, String)> {
    all.iter().map(pair).collect()
}

/// Facts that only record a time of writing are not changes.
fn fact_text(fact: &Fact) -> String {
    match &fact.value {
        FactValue::Text(text) | FactValue::Code(text) => text.clone(),
        FactValue::Number(number) | FactValue::Percent(number) | FactValue::Duration(number) => {
            number.to_string()
        }
        FactValue::Flag(flag) => flag.to_string(),
        FactValue::List(all) => all.join(", "),
        FactValue::NotCounted | FactValue::NotMeasured | FactValue::Time(_) => String::new(),
    }
}

/// Test runs by a stable name: their iteration, or else their time, or else their position.
fn runs(detail: &LoopDetail) -> Vec<(String, String)> {
    let runs = detail.validation.as_ref().map(|validation| validation.runs.as_slice()).unwrap_or_default();
    let mut named: HashMap<String, usize> = HashMap::new();
    let one = |(at, run): (usize, &RunView)| {
        let time = run.time.as_ref().map(|time| time.text.clone()).filter(|time| !time.is_empty());
        let iteration = run.iteration.map(|iteration| iteration.to_string());
        let mut id = iteration.or(time).unwrap_or_else(|| (at + 1).to_string());
        let same = named.entry(id.clone()).and_modify(|same| *same += 1).or_insert(1);
        if *same > 1 {
            // Several runs of one iteration, in their order.
            id = format!("{id} ({same})");
        }
        (id, format!("{}/{}", run.passed, run.total))
    };
    runs.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::TimeView;
    use crate::view::{CorrectionView, DebugView, ValidationView};

    fn detail(tasks: &[(&str, &str)], verdict: &str) -> LoopDetail {
        let task = |(id, status): &(&str, &str)| TaskView {
            id: (*id).into(),
            status: (*status).into(),
            ..TaskView::default()
        };
        let hypothesis =
            HypothesisView { id: "H1".into(), status: verdict.into(), ..HypothesisView::default() };
        LoopDetail {
            tasks: tasks.iter().map(task).collect(),
            debug: Some(DebugView { hypotheses: vec![hypothesis], ..DebugView::default() }),
            ..LoopDetail::default()
        }
    }

    fn said(changes: &[Changed]) -> Vec<(ChangedWhat, &str, Option<&str>, Option<&str>)> {
        changes
            .iter()
            .map(|one| (one.what, one.id.as_str(), one.from.as_deref(), one.to.as_deref()))
            .collect()
    }

    #[test]
    fn what_changed_is_said_once_and_in_order() {
        let before = detail(&[("t1", "pending"), ("gone", "pending")], "pending");
        let mut after = detail(&[("t1", "completed"), ("t2", "pending")], "confirmed");
        after
            .corrections
            .push(CorrectionView { word: "constraint_change".into(), ..CorrectionView::default() });
        let changes = compare(&before, &after);
        let expected = [
            (ChangedWhat::Task, "t1", Some("pending"), Some("completed")),
            (ChangedWhat::Task, "t2", None, Some("pending")),
            (ChangedWhat::Task, "gone", Some("pending"), None),
            (ChangedWhat::Hypothesis, "H1", Some("pending"), Some("confirmed")),
            (ChangedWhat::Correction, "constraint_change", None, Some("")),
        ];
        assert_eq!(said(&changes), expected);
        assert!(compare(&after, &after).is_empty());
    }

    #[test]
    fn status_words_that_a_format_defines_are_typed_beside_what_is_written() {
        use KnownStatus::{Completed, NeedsFix, Pending, Running};
        let facts = |word: &str| {
            let fact = |name: &str, value| Fact { name: name.into(), value };
            let said = FactValue::Text(word.into());
            vec![fact("status", FactValue::Code(word.into())), fact("failure_reason", said)]
        };
        let before =
            LoopDetail { facts: facts("running"), ..detail(&[("t", "Pending"), ("u", "parked")], "x") };
        let after = LoopDetail { facts: facts("completed"), ..detail(&[("t", "NEEDS_FIX")], "x") };
        let changes = compare(&before, &after);
        let typed: Vec<_> =
            changes.iter().map(|one| (one.id.as_str(), one.from_status, one.to_status)).collect();
        let expected = [
            ("status", Some(Running), Some(Completed)),
            ("failure_reason", None, None),
            ("t", Some(Pending), Some(NeedsFix)),
            ("u", None, None),
        ];
        assert_eq!(typed, expected);
        assert_eq!(changes[2].to.as_deref(), Some("NEEDS_FIX"));
    }

    #[test]
    fn of_two_with_one_id_the_last_counts() {
        let twice = detail(&[("t", "pending"), ("t", "completed")], "pending");
        assert!(compare(&twice, &twice).is_empty());
    }

    fn with_runs(all: &[(Option<f64>, &str, u32)]) -> LoopDetail {
        let run = |&(iteration, time, passed): &(Option<f64>, &str, u32)| RunView {
            iteration,
            time: Some(TimeView::read(time, false)),
            passed,
            total: 9,
            ..RunView::default()
        };
        let validation = ValidationView { runs: all.iter().map(run).collect(), ..ValidationView::default() };
        LoopDetail { validation: Some(validation), ..LoopDetail::default() }
    }

    #[test]
    fn a_test_run_keeps_its_name_when_older_ones_go() {
        let before = with_runs(&[(Some(1.0), "", 3), (Some(2.0), "", 4)]);
        let after = with_runs(&[(Some(2.0), "", 4), (Some(3.0), "", 9), (Some(3.0), "", 8)]);
        let new = [
            (ChangedWhat::TestRun, "3", None, Some("9/9")),
            (ChangedWhat::TestRun, "3 (2)", None, Some("8/9")),
        ];
        assert_eq!(said(&compare(&before, &after)), new);
        let gone = with_runs(&[(Some(1.0), "", 3)]);
        assert_eq!(said(&compare(&before, &gone)), [(ChangedWhat::TestRun, "2", Some("4/9"), None)]);
    }

    #[test]
    fn runs_without_an_iteration_go_by_their_time() {
        let early = "2026-01-02T03:04:05Z";
        let before = with_runs(&[(None, early, 3)]);
        let after = with_runs(&[(None, early, 5), (None, "", 9)]);
        let expected = [
            (ChangedWhat::TestRun, early, Some("3/9"), Some("5/9")),
            (ChangedWhat::TestRun, "2", None, Some("9/9")),
        ];
        assert_eq!(said(&compare(&before, &after)), expected);
    }
}
