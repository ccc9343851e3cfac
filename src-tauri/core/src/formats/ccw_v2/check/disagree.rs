//! Contradictions between the master and the files next to it: W6 (the CCW contract §14), and signs of a lost
//! update (§3, §16), because every writer rewrites the whole master while the files next to it only grow.

use crate::formats::ccw::read::facts::Findings;
use crate::formats::ccw::read::runs::ValidationRun;
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::has_status;
use crate::formats::ccw_v2::read::companions::Side;
use crate::problem::ProblemCode as Code;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::{BTreeMap, BTreeSet};

/// All of them. `at_work`: the skill writes the files next to the master first, so they may be ahead of it.
pub(crate) fn check(state: &CcwState<'_>, side: &Side<'_>, at_work: bool, found: &mut Findings<'_>) {
    report(state, side, found);
    found.problems.extend(side.problems(at_work).iter().cloned());
    if at_work || !state.skill.is_object() {
        return;
    }
    latest_run(state, side, found);
    let here = (state.hypotheses, "debug.hypotheses");
    listed(state, here, side.hypotheses(), side.hypotheses.as_ref().map(|doc| doc.file), found);
    let here = (state.tasks, "develop.tasks");
    listed(state, here, side.tasks(), side.tasks.as_ref().map(|doc| doc.file), found);
    root_cause(state, side, found);
    tasks(state, side, found);
}

/// W6: the report of the run has another result than the section (it also fails on skipped tests).
fn report(state: &CcwState<'_>, side: &Side<'_>, found: &mut Findings<'_>) {
    let Some(doc) = &side.docs.validate else { return };
    let passed = state.validate.get("passed");
    if let (Some(stored), Some(decided)) = (passed.flag(), doc.says.decision)
        && stored != decided
    {
        let word = if decided { "PASS" } else { "FAIL" };
        let args = [
            ("field", "passed".to_owned()),
            ("found", stored.to_string()),
            ("expected", format!("{word} ({})", doc.file)),
        ];
        found.add(Code::W6_validation_disagrees, format!("{}validate.passed", state.prefix), passed, &args);
    }
}

/// The essentials of a run: which one, and its passed, failed and total tests.
type RunCounts = (Option<f64>, u32, u32, u32);

/// W6: `test-results.json` and `validate.md` repeat the latest run.
fn latest_run(state: &CcwState<'_>, side: &Side<'_>, found: &mut Findings<'_>) {
    let counts = |run: &ValidationRun<'_>| (run.iteration, run.passed, run.failed, run.total);
    let results = side.run().zip(side.results.as_ref()).map(|(run, doc)| (counts(&run), doc.file));
    let report = side.docs.validate.as_ref().and_then(|doc| {
        let says = &doc.says;
        Some(((says.iteration.map(f64::from), says.passed?, says.failed?, says.total?), doc.file))
    });
    let master = state.latest_run().map(counts);
    for (beside, file) in results.into_iter().chain(report) {
        if !same(master, beside) {
            let stored = master.map_or("-".to_owned(), counts_text);
            let args = [
                ("field", "test_results".to_owned()),
                ("found", stored),
                ("expected", format!("{} ({file})", counts_text(beside))),
            ];
            let path = format!("{}validate.test_results", state.prefix);
            found.add(Code::W6_validation_disagrees, path, state.validate.get("test_results"), &args);
            return; // one lost run is one problem
        }
    }
}

fn same(master: Option<RunCounts>, beside: RunCounts) -> bool {
    let Some(master) = master else { return false };
    let same_round = master.0.zip(beside.0).is_none_or(|(left, right)| left == right);
    same_round && (master.1, master.2, master.3) == (beside.1, beside.2, beside.3)
}

/// `#2 3/4`: the round, passed and total tests.
fn counts_text((iteration, passed, _, total): RunCounts) -> String {
    let round = iteration.map(|iteration| format!("#{iteration} ")).unwrap_or_default();
    format!("{round}{passed}/{total}")
}

/// `hypotheses.json` and a session's `tasks.json` are written together with the master's lists.
fn listed(
    state: &CcwState<'_>,
    (nodes, path): (&[Node<'_>], &str),
    beside: &[Node<'_>],
    file: Option<&str>,
    found: &mut Findings<'_>,
) {
    let Some(file) = file else { return };
    let path = format!("{}{path}", state.prefix);
    let ids = (0..).zip(nodes).filter_map(|(index, node)| Some((node.get("id").text()?, index)));
    let places: BTreeMap<&str, usize> = ids.collect();
    for beside in beside {
        let Some(id) = beside.get("id").text() else { continue };
        let Some(&index) = places.get(id) else {
            unknown(id, file, path.clone(), state, found);
            continue;
        };
        let stored = nodes[index].get("status");
        let (Some(here), Some(there)) = (stored.text(), beside.get("status").text()) else { continue };
        if !here.eq_ignore_ascii_case(there) {
            disagree(found, format!("{path}[{index}].status"), stored, here, there, file);
        }
    }
}

/// `debug.md` names the root cause at the same time as the master.
fn root_cause(state: &CcwState<'_>, side: &Side<'_>, found: &mut Findings<'_>) {
    let Some(doc) = &side.docs.debug else { return };
    let Some(cause) = &doc.says.confirmed else { return };
    // A later analysis may have withdrawn it.
    let stands = doc.says.hypotheses.iter().any(|known| known.id == *cause && known.status == "confirmed");
    let here = state.confirmed();
    if stands && here != Some(cause) {
        let path = format!("{}debug.confirmed_hypothesis", state.prefix);
        disagree(found, path, state.debug.get("confirmed_hypothesis"), here.unwrap_or("-"), cause, doc.file);
    }
}

/// `changes.log` and `develop.md` get a line when a task is completed; the log also for the changes of a
/// round of debugging, under the id of its hypothesis or `debug`.
fn tasks(state: &CcwState<'_>, side: &Side<'_>, found: &mut Findings<'_>) {
    let mut done: BTreeMap<&str, &str> = BTreeMap::new();
    if let Some(doc) = &side.docs.develop {
        let completed = doc.says.entries.iter().filter(|entry| entry.status.as_deref() == Some("completed"));
        done.extend(completed.filter_map(|entry| Some((entry.task_id.as_deref()?, doc.file))));
    }
    if let Some(doc) = &side.docs.changes {
        let hypotheses: BTreeSet<&str> =
            state.hypotheses.iter().filter_map(|known| known.get("id").text()).chain(["debug"]).collect();
        let is_task = |id: &str| {
            !hypotheses.contains(id) || state.tasks.iter().any(|task| task.get("id").text() == Some(id))
        };
        let succeeded = doc.says.entries.iter().filter(|change| change.result == "success");
        let succeeded = succeeded.filter(|change| is_task(&change.task_id));
        done.extend(succeeded.map(|change| (change.task_id.as_str(), doc.file)));
    }
    let path = format!("{}develop.tasks", state.prefix);
    let known: BTreeMap<&str, usize> =
        (0..).zip(state.tasks).filter_map(|(index, task)| Some((task.get("id").text()?, index))).collect();
    for (id, file) in done {
        match known.get(id).map(|&index| (index, &state.tasks[index])) {
            None => unknown(id, file, path.clone(), state, found),
            Some((index, task)) if !has_status(task, "completed") => {
                let stored = task.get("status");
                let here = stored.shown(60).unwrap_or_else(|| "-".to_owned());
                disagree(found, format!("{path}[{index}].status"), stored, &here, "completed", file);
            }
            Some(_) => {}
        }
    }
}

fn unknown(id: &str, file: &str, path: String, state: &CcwState<'_>, found: &mut Findings<'_>) {
    let args = [("found", shorten(id, 60)), ("file", file.to_owned())];
    found.add(Code::W12_unknown_in_companion, path, state.skill, &args);
}

fn disagree(found: &mut Findings<'_>, path: String, node: &Node<'_>, here: &str, there: &str, file: &str) {
    let args = [("found", here.to_owned()), ("expected", there.to_owned()), ("file", file.to_owned())];
    found.add(Code::W12_companion_disagrees, path, node, &args);
}

#[cfg(test)]
#[path = "disagree_tests.rs"]
mod tests;
