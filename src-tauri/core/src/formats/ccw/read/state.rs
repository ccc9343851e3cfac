//! The tolerant full read: finds tasks, hypotheses and runs whatever else is wrong (the CCW contract §2, §13,
//! §18).
//!
//! Also reads the sections of a legacy session, which are at the top level under older names.

use crate::formats::ccw::read::runs::{ValidationRun, runs};
use crate::formats::ccw::read::values::{either, gather_times, has_status};
use loopdeck_text::json_span::tree::Node;

/// Where the sections `develop`, `debug`, `validate` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In `skill_state`.
    SkillState,
    /// At the top level: legacy sessions.
    TopLevel,
}

/// A master file, read as a Loop v2.
#[derive(Debug)]
pub(crate) struct CcwState<'t> {
    pub(crate) root: &'t Node<'t>,
    /// The object that contains the sections; null when there is none.
    pub(crate) skill: &'t Node<'t>,
    /// Path of `skill` with its dot, for problems.
    pub(crate) prefix: &'static str,
    pub(crate) develop: &'t Node<'t>,
    pub(crate) debug: &'t Node<'t>,
    pub(crate) validate: &'t Node<'t>,
    pub(crate) tasks: &'t [Node<'t>],
    pub(crate) hypotheses: &'t [Node<'t>],
    pub(crate) runs: Vec<ValidationRun<'t>>,
}

impl<'t> CcwState<'t> {
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

    /// Statement coverage from the section. Writers put 0 there when the latest run did not measure it; that
    /// counts as none.
    pub(crate) fn coverage(&self) -> Option<f64> {
        let written = crate::formats::ccw::progress_docs::records::coverage(self.validate.get("coverage"))?;
        let measured = || {
            self.latest_run().is_some_and(|run| {
                crate::formats::ccw::progress_docs::records::coverage(run.node.get("coverage")).is_some()
            })
        };
        (written != 0.0 || measured()).then_some(written)
    }

    /// The id of the confirmed hypothesis, if any.
    pub(crate) fn confirmed(&self) -> Option<&'t str> {
        self.debug.get("confirmed_hypothesis").text().filter(|id| !id.is_empty())
    }

    /// The last run by iteration, then position (§13).
    pub(crate) fn latest_run(&self) -> Option<&ValidationRun<'t>> {
        let order = |run: &&ValidationRun<'t>| run.iteration.unwrap_or(f64::MIN);
        self.runs.iter().max_by(|left, right| order(left).total_cmp(&order(right)))
    }

    /// All skill-written times: every value under `…_at` or `timestamp`, except in evidence and test rows.
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
