//! What the status function needs to know of the work of ours.

use super::plan::Driver;
use super::work::{Doing, Work};
use crate::runs::StopReport as Report;
use loopdeck_core::status::{Lease, Process, StopReport};
use loopdeck_core::times::Millis;

/// Facts of our work on a loop, beside what its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkFacts {
    /// Whether the newest run is ours.
    pub lease: Lease,
    /// Whether something of ours is alive, or about to be.
    pub alive: bool,
    /// Last output, or the start.
    pub last_output: Millis,
    /// Whether a first agent event was seen.
    pub started: bool,
    /// Whether a concrete question is open.
    pub question: bool,
    /// Whether a provider's limit is waited for.
    pub usage_limit: bool,
    /// What the last stop left.
    pub stop_report: StopReport,
    /// Since when the file has a final word while something is alive.
    pub final_at: Option<Millis>,
    /// An end was asked for that is not in the file.
    pub ending: bool,
    /// When nothing of ours went on any more; 0 while it does.
    pub over_at: Millis,
    /// Loopdeck decides what is next, and goes on first with what was begun.
    pub drives: bool,
}

impl WorkFacts {
    /// The same when somebody else changed the loop at `foreign`: who works on it after us is not shadowed by our last run,
    /// unless that left something behind.
    #[must_use]
    pub fn after(self, foreign: Millis) -> Self {
        let is_past = !self.alive && self.over_at > 0 && foreign > self.over_at;
        if is_past && self.stop_report == StopReport::AllGone { Self::default() } else { self }
    }

    /// The process, as the status function wants it.
    #[must_use]
    pub fn process(&self, now: Millis) -> Process {
        match (self.lease, self.alive) {
            (_, true) => Process::Alive { quiet: (now - self.last_output).max(0), started: self.started },
            (Lease::Ours, false) => Process::Gone,
            _ => Process::None,
        }
    }
}

/// The facts of `work`.
pub(crate) fn facts(work: &Work) -> WorkFacts {
    let stop_report = match &work.stop {
        None | Some(Report::AllGone { .. }) => StopReport::AllGone,
        Some(Report::Left { .. }) => StopReport::Left,
        Some(Report::Unknown { .. }) => StopReport::Unknown,
    };
    let waits = matches!(work.doing, Doing::Waits { .. });
    WorkFacts {
        lease: Lease::Ours,
        alive: work.is_on(),
        // Whoever waits for an answer is not silent.
        last_output: if waits || matches!(work.doing, Doing::Asks) {
            Millis::MAX / 2
        } else {
            work.last_output
        },
        started: work.started || !matches!(work.doing, Doing::Runs(_)),
        question: work.asks(),
        usage_limit: waits,
        stop_report,
        final_at: work.final_at,
        ending: work.asked.is_some(),
        over_at: if work.is_on() { 0 } else { work.over_at },
        drives: work.plan.driver == Driver::Loopdeck,
    }
}
