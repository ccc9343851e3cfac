//! The tolerant full read: where tasks, hypotheses and runs are, whatever else is wrong (the CCW contract §2, §13, §18).
//!
//! Also reads the sections of a legacy session, which lie at the top level under older names.

use loopdeck_text::json_span::tree::Node;

/// Where the sections `develop`, `debug`, `validate` lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In `skill_state`.
    SkillState,
    /// At the top level: legacy sessions.
    TopLevel,
}

/// A master file, looked at as a Loop v2.
#[derive(Debug)]
pub(crate) struct State<'t> {
    pub(crate) root: &'t Node<'t>,
    /// The object that holds the sections; null when there is none.
    pub(crate) skill: &'t Node<'t>,
    /// Path of `skill` with its dot, for problems.
    pub(crate) prefix: &'static str,
    pub(crate) develop: &'t Node<'t>,
    pub(crate) debug: &'t Node<'t>,
    pub(crate) validate: &'t Node<'t>,
    pub(crate) tasks: &'t [Node<'t>],
    pub(crate) hypotheses: &'t [Node<'t>],
    pub(crate) runs: Vec<Run<'t>>,
}

/// One validation run; flat rows at the top level are one run together.
#[derive(Clone, Debug)]
pub(crate) struct Run<'t> {
    /// The record; the whole list for flat rows.
    pub(crate) node: &'t Node<'t>,
    pub(crate) iteration: Option<f64>,
    pub(crate) total: u32,
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    pub(crate) skipped: u32,
    pub(crate) pass_rate: Option<f64>,
    pub(crate) rows: Vec<&'t Node<'t>>,
}

impl<'t> State<'t> {
    pub(crate) fn new(root: &'t Node<'t>, home: Home) -> Self {
        let (skill, prefix) = match home {
            Home::SkillState => (root.get("skill_state"), "skill_state."),
            Home::TopLevel => (root, ""),
        };
        let (develop, debug, validate) = (skill.get("develop"), skill.get("debug"), skill.get("validate"));
        Self {
            root,
            skill,
            prefix,
            develop,
            debug,
            validate,
            tasks: develop.get("tasks").items(),
            hypotheses: debug.get("hypotheses").items(),
            runs: runs(validate.get("test_results")),
        }
    }

    /// `total` ?? `total_count` ?? length of the list (§13).
    #[allow(clippy::cast_precision_loss)] // lists are shorter than 2^52
    pub(crate) fn total(&self) -> f64 {
        either(self.develop, "total", "total_count").number().unwrap_or(self.tasks.len() as f64)
    }

    /// Completed tasks of the list; the counter only when there is no list (§13).
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn completed(&self) -> f64 {
        if self.tasks.is_empty() {
            return either(self.develop, "completed", "completed_count").number().unwrap_or(0.0);
        }
        self.tasks.iter().filter(|task| has_status(task, "completed")).count() as f64
    }

    /// Statement coverage as the section has it. Writers put 0 there when the latest run did not measure it: then none.
    pub(crate) fn coverage(&self) -> Option<f64> {
        let written = crate::formats::ccw_v2::view::coverage(self.validate.get("coverage"))?;
        let measured = || {
            self.latest_run()
                .is_some_and(|run| crate::formats::ccw_v2::view::coverage(run.node.get("coverage")).is_some())
        };
        (written != 0.0 || measured()).then_some(written)
    }

    /// The id of the confirmed hypothesis, if any.
    pub(crate) fn confirmed(&self) -> Option<&'t str> {
        self.debug.get("confirmed_hypothesis").text().filter(|id| !id.is_empty())
    }

    /// The last run by iteration, then position (§13).
    pub(crate) fn latest_run(&self) -> Option<&Run<'t>> {
        let order = |run: &&Run<'t>| run.iteration.unwrap_or(f64::MIN);
        self.runs.iter().max_by(|left, right| order(left).total_cmp(&order(right)))
    }

    /// All skill-written times: whatever stands under `…_at` or `timestamp`, evidence and test rows left out.
    pub(crate) fn skill_times(&self) -> Vec<&'t str> {
        let mut times = Vec::new();
        for (key, node) in self.skill.fields() {
            let is_api = self.prefix.is_empty() && matches!(&**key, "created_at" | "updated_at");
            if !is_api {
                gather_times(key, node, &mut times);
            }
        }
        times
    }
}

/// `node.first`, or the older name of the same thing.
pub(crate) fn either<'t>(node: &'t Node<'t>, first: &str, older: &str) -> &'t Node<'t> {
    let value = node.get(first);
    if value.is_null() { node.get(older) } else { value }
}

/// Compares a status word case-insensitively.
pub(crate) fn has_status(node: &Node<'_>, word: &str) -> bool {
    node.get("status").text().is_some_and(|status| status.eq_ignore_ascii_case(word))
}

/// All times below `node`, which stands under `key`.
pub(crate) fn gather_times<'t>(key: &str, node: &'t Node<'t>, times: &mut Vec<&'t str>) {
    if matches!(key, "evidence" | "tests" | "failures") {
        return;
    }
    if let Some(text) = node.text()
        && (key == "timestamp" || key.ends_with("_at"))
    {
        times.push(text);
    }
    for item in node.items() {
        gather_times(key, item, times);
    }
    for (key, node) in node.fields() {
        gather_times(key, node, times);
    }
}

/// Run records in file order, which is oldest first; flat rows come as one run before them.
fn runs<'t>(results: &'t Node<'t>) -> Vec<Run<'t>> {
    let (records, flat): (Vec<_>, Vec<_>) =
        results.items().iter().filter(|item| item.is_object()).partition(|item| is_record(item));
    let mut runs = Vec::new();
    if !flat.is_empty() {
        runs.push(counted(results, flat));
    }
    runs.extend(records.into_iter().map(run));
    runs
}

fn is_record(node: &Node<'_>) -> bool {
    node.find("summary").is_some() || node.find("tests").is_some()
}

/// Reads one run record; also `test-results.json`.
pub(crate) fn run<'t>(node: &'t Node<'t>) -> Run<'t> {
    let mut run = counted(node, node.get("tests").items().iter().collect());
    run.iteration = node.get("iteration").lenient_number();
    let summary = node.get("summary");
    if summary.is_object() {
        (run.total, run.passed) = (count(summary, "total"), count(summary, "passed"));
        (run.failed, run.skipped) = (count(summary, "failed"), count(summary, "skipped"));
        run.pass_rate = summary.get("pass_rate").lenient_number();
    }
    run
}

fn counted<'t>(node: &'t Node<'t>, rows: Vec<&'t Node<'t>>) -> Run<'t> {
    let of = |word: &str| saturated(rows.iter().filter(|row| has_status(row, word)).count());
    let (total, passed) = (saturated(rows.len()), of("passed"));
    let pass_rate = (total > 0).then(|| f64::from(passed) / f64::from(total) * 100.0);
    Run {
        node,
        iteration: None,
        total,
        passed,
        failed: of("failed"),
        skipped: of("skipped"),
        pass_rate,
        rows,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates; negative counts become 0
pub(crate) fn count(node: &Node<'_>, key: &str) -> u32 {
    node.get(key).lenient_number().unwrap_or_default() as u32
}

/// A length as a count.
pub(crate) fn saturated(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
