//! What the driver of a Loop-B remembers between two workers.

use crate::driver::{DriverQuestion, QuestionCode};
use crate::formats::ccw::progress_docs::records::Hypothesis;
use crate::phase::CcwPhase;
use loopdeck_agents::prompts::FailedTest;
use serde::{Deserialize, Serialize};

/// What no file of a Loop-B has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopBMemory {
    /// The worker that ended last.
    pub worker: Option<WorkerEnd>,
    /// Tests that failed in the last run; Loop v2 has them in its file.
    pub failing: Vec<FailedTest>,
    /// The tests passed, and no file has changed since.
    pub passed: bool,
    /// What a debug worker found and nobody has fixed.
    pub issues: Vec<String>,
    /// Hypotheses of its debug workers; its files have them as text only.
    pub hypotheses: Vec<Hypothesis>,
    /// How many runs in a row failed with the same tests.
    pub same_failures: u32,
}

/// The worker that ended last, and where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerEnd {
    /// Which one.
    pub action: Worked,
    /// The action after it.
    pub next: CcwPhase,
}

/// What ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Worked {
    /// The worker of this phase.
    Phase(CcwPhase),
    /// Workers in parallel.
    Merge(Merge),
}

/// The word for workers whose results were put side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// `merge`.
    Merge,
}

impl WorkerEnd {
    /// The worker of a phase.
    pub(crate) fn after(action: CcwPhase, next: CcwPhase) -> Self {
        Self { action: Worked::Phase(action), next }
    }

    /// Workers in parallel: the tests are next.
    pub(crate) fn merged() -> Self {
        Self { action: Worked::Merge(Merge::Merge), next: CcwPhase::Validate }
    }
}

impl LoopBMemory {
    /// The person's reply to a question; what any other format asks changes nothing.
    pub(crate) fn answered(&mut self, question: &DriverQuestion) {
        if question.code == QuestionCode::TestsKeepFailing {
            self.same_failures = 0;
        }
    }

    /// A person leaves a worker that failed: the one after it is next.
    pub(crate) fn step_over(&mut self, worker: &str) {
        let Some(worker) = CcwPhase::from_word(worker) else { return };
        let after = match worker {
            CcwPhase::Init => CcwPhase::Develop,
            CcwPhase::Develop => CcwPhase::Debug,
            _ => CcwPhase::Validate,
        };
        self.worker = Some(WorkerEnd::after(worker, after));
    }
}
