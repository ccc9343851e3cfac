//! What the status function needs to know of the work of ours.

use super::work::{Activity, Execution};
use crate::preferences::plan::Driver;
use crate::runs::StopReport as Report;
use loopdeck_core::status::{Lease, Process, StopReport};
use loopdeck_core::times::{TimeDelta, Timestamp};

/// Facts about our work on a loop, apart from what its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkFacts {
    /// Whether the newest run is ours.
    pub lease: Lease,
    /// Whether something of ours is alive, or about to be.
    pub alive: bool,
    /// Last output, or the start; `None` for an agent that waits for an answer, which is not silent.
    pub last_output: Option<Timestamp>,
    /// Whether a first agent event was seen.
    pub started: bool,
    /// Whether a concrete question is open.
    pub question: bool,
    /// Whether a provider's limit is waited for.
    pub usage_limit: bool,
    /// What the last stop left.
    pub stop_report: StopReport,
    /// Since when the file has a final word while something is alive.
    pub final_at: Option<Timestamp>,
    /// An end was asked for that is not in the file.
    pub ending: bool,
    /// Later changes are not ours ([`over_at`]); `None` while work of ours continues.
    pub over_at: Option<Timestamp>,
    /// Loopdeck decides what is next, and first continues what was started.
    pub drives: bool,
    /// Something was started that says in its own time that the loop runs: the AoT plugin, which has not taken the loop up yet, or the
    /// own tool of a plan.
    pub handed_over: bool,
}

impl WorkFacts {
    /// The same when another program changed the loop at `foreign`: whoever works on it after us is not hidden by our last run, unless that
    /// run left something behind.
    #[must_use]
    pub fn after_foreign_change(self, foreign: Timestamp) -> Self {
        let is_past = !self.alive && self.over_at.is_some_and(|over_at| foreign > over_at);
        if is_past && self.stop_report == StopReport::AllGone { Self::default() } else { self }
    }

    /// The process, as the status function wants it.
    #[must_use]
    pub fn process(&self, now: Timestamp) -> Process {
        match (self.lease, self.alive) {
            (_, true) => {
                let quiet = self.last_output.map_or(TimeDelta::zero(), |at| now.since(at));
                Process::Alive { quiet, started: self.started }
            }
            (Lease::Ours, false) => Process::Gone,
            _ => Process::None,
        }
    }

    /// Time since the file has a final word while something is alive.
    #[must_use]
    pub fn since_final(&self, now: Timestamp) -> TimeDelta {
        self.final_at.map_or(TimeDelta::zero(), |at| now - at)
    }
}

/// How far the times of files may be behind the clock: the kernel takes them from its last tick, 100 a second at the least.
const FILE_TIMES_LAG: TimeDelta = TimeDelta::milliseconds(10);

/// The time up to which changes of a file are those of our work, when that ended at `now` and the file was last
/// written at `written`. A change right after the end may have a file time from before it.
pub(crate) fn over_at(now: Timestamp, written: Option<Timestamp>) -> Timestamp {
    written.unwrap_or_default().clamp(now - FILE_TIMES_LAG, now)
}

/// The facts of `work`.
pub(crate) fn facts(work: &Execution) -> WorkFacts {
    let stop_report = match &work.stop {
        None | Some(Report::AllGone { .. }) => StopReport::AllGone,
        Some(Report::Left { .. }) => StopReport::Left,
        Some(Report::Unknown { .. }) => StopReport::Unknown,
    };
    let waits = matches!(work.doing, Activity::Waits { .. });
    WorkFacts {
        lease: Lease::Ours,
        alive: work.is_on(),
        last_output: Some(work.last_output).filter(|_| !waits && !matches!(work.doing, Activity::Asks)),
        started: work.started || !matches!(work.doing, Activity::Runs(_)),
        question: work.asks(),
        usage_limit: waits,
        stop_report,
        final_at: work.final_at,
        ending: work.asked.is_some(),
        over_at: work.over_at.filter(|_| !work.is_on()),
        drives: work.plan.driver == Driver::Loopdeck,
        handed_over: work.is_on() && (work.handed_over_status.is_some() || work.is_own_tool()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_past(ended: i64, written: i64, foreign: i64) -> bool {
        let at = Timestamp::from_millis;
        let over_at = Some(over_at(at(ended), Some(at(written))));
        let ours = WorkFacts { lease: Lease::Ours, over_at, ..WorkFacts::default() };
        ours.after_foreign_change(at(foreign)) == WorkFacts::default()
    }

    #[test]
    fn what_changes_after_our_end_is_not_ours_although_file_times_are_behind() {
        assert!(is_past(5_000, 4_900, 4_998), "changed at 5,001 by the clock");
        assert!(is_past(5_000, 4_900, 5_000));
        assert!(is_past(5_000, 4_995, 4_996));
        assert!(!is_past(5_000, 4_995, 4_995), "written by our agent with its last breath");
        assert!(!is_past(5_000, 4_900, 4_990), "a progress file of our agent");
        assert!(!is_past(5_000, 9_000, 5_000), "a file time from the future says nothing");
    }
}
