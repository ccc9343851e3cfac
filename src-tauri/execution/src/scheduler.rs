//! State of the drivers: the work on each loop, and what they need for it.

mod additions;
pub(crate) mod control;
pub(crate) mod go;
pub mod goes_on;
pub(crate) mod keeping;
pub(crate) mod round;
use super::work::{Activity, Execution, PreparedStep};
use crate::launcher::workshop::Workshop;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::status::Program;
use loopdeck_core::times::Timestamp;
use loopdeck_system::clock;
use loopdeck_system::fence::Fence;
use std::collections::HashMap;

/// State of the drivers. The owner holds it; a turn changes it.
pub struct Scheduler {
    /// Work of ours, by loop.
    pub(crate) works: HashMap<LoopId, Execution>,
    pub(crate) workshop: Workshop,
    /// When old folders of runs were looked for last; 1970 before.
    pub(crate) runs_cleaned: Timestamp,
    /// When the leases of works were renewed last.
    pub(crate) leases_renewed: Timestamp,
    /// Names this process in leases.
    pub(crate) holder: String,
    program: Program,
    /// Whether old folders of runs are cleaned up.
    pub(crate) housekeeping: bool,
}

impl Scheduler {
    /// Until when this computer may work on the workspace.
    #[must_use]
    pub fn fence(&self) -> Fence {
        self.workshop.fence()
    }

    /// Nothing is at work.
    #[must_use]
    pub fn new(workshop: Workshop, (holder, program): (String, Program), housekeeping: bool) -> Self {
        Self {
            works: HashMap::new(),
            workshop,
            runs_cleaned: Timestamp::default(),
            leases_renewed: clock::now(),
            holder,
            program,
            housekeeping,
        }
    }

    /// This process as one that runs loops. What was lent to this machine is run by a node, whichever program that is.
    #[must_use]
    pub fn runner(&self) -> (&str, Program) {
        let is_lent = self.workshop.fence().exists();
        (&self.holder, if is_lent { Program::Node } else { self.program })
    }

    /// Whether any work of ours continues, or waits for an answer.
    #[must_use]
    pub fn is_any_on(&self) -> bool {
        self.works.values().any(Execution::is_on)
    }

    /// Whether work of ours on a loop continues, or waits for an answer.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        self.works.get(key).is_some_and(Execution::is_on)
    }

    /// Loops with work that is not over.
    pub(crate) fn keys_at_work(&self) -> Vec<LoopId> {
        self.works.values().filter(|work| work.is_on()).map(|work| work.key.clone()).collect()
    }

    /// Whether the own tool of a plan is at work under this process.
    #[must_use]
    pub fn runs_own_tool(&self, key: &str) -> bool {
        self.works.get(key).is_some_and(|work| work.is_on() && work.is_own_tool())
    }

    /// Whether a process of ours works on a loop.
    #[must_use]
    pub fn is_at_work(&self, key: &str) -> bool {
        self.works.get(key).is_some_and(|work| work.slots().iter().any(|slot| slot.end.is_none()))
    }

    /// What the next step makes of the file, when that is worked out already.
    pub fn take_prepared_step(&mut self, key: &str) -> Option<PreparedStep> {
        self.works.get_mut(key)?.prepared_step.take()
    }

    /// When the next limit of a provider is over.
    #[must_use]
    pub fn next_resume(&self) -> Option<Timestamp> {
        let until = |work: &Execution| match work.doing {
            Activity::Waits { until } => Some(until),
            _ => None,
        };
        self.works.values().filter_map(until).min()
    }

    /// When the next agent is due to be ended that continues after its loop has ended.
    #[must_use]
    pub fn next_lingering(&self) -> Option<Timestamp> {
        self.works.values().filter_map(Execution::lingers_until).min()
    }
}
