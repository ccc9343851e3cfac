//! How runs end, in the words of the record.

use loopdeck_core::times::Timestamp;
use serde::{Deserialize, Serialize};

/// How the child itself ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Exit {
    /// It exited.
    Code {
        /// Its exit code.
        code: i32,
    },
    /// It was ended by a signal.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// It never began.
    NotStarted {
        /// The program that was to be started.
        program: String,
        /// What the operating system said.
        why: String,
        /// Whether the program (or its folder to run in) does not exist.
        missing: bool,
    },
}

/// What is known about the processes of a run after its end. Never a bare success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StopReport {
    /// All processes were seen to be gone.
    AllGone {
        /// How many were still there when the ending began.
        ended: u32,
    },
    /// These could not be ended.
    Left {
        /// How many others were seen to end.
        #[serde(default)]
        ended: u32,
        /// What is left.
        processes: Vec<LeftProcess>,
    },
    /// It could not be found out.
    Unknown {
        /// Why, for the log and a tooltip.
        why: String,
    },
}

impl StopReport {
    /// What is known about several runs together. Processes that are left come before what is unknown.
    #[must_use]
    pub fn of_all<'r>(reports: impl IntoIterator<Item = &'r Self>) -> Self {
        let (mut all_ended, mut left, mut unknown) = (0_u32, Vec::new(), Vec::new());
        for report in reports {
            match report {
                Self::AllGone { ended } => all_ended = all_ended.saturating_add(*ended),
                Self::Left { ended, processes } => {
                    all_ended = all_ended.saturating_add(*ended);
                    left.extend(processes.iter().cloned());
                }
                Self::Unknown { why } => unknown.push(why.clone()),
            }
        }
        if !left.is_empty() {
            return Self::Left { ended: all_ended, processes: left };
        }
        if unknown.is_empty() {
            return Self::AllGone { ended: all_ended };
        }
        unknown.dedup();
        Self::Unknown { why: unknown.join("; ") }
    }

    /// The state of a run without a guardian; nothing was ended.
    #[must_use]
    pub fn of_leftovers(left: Leftovers) -> Self {
        match left {
            Leftovers::Processes(processes) if processes.is_empty() => Self::AllGone { ended: 0 },
            Leftovers::Processes(processes) => Self::Left { ended: 0, processes },
            Leftovers::Unknown { why } => Self::Unknown { why },
        }
    }

    /// What is known when the guardian went away without a word.
    #[must_use]
    pub fn of_no_guardian() -> Self {
        Self::Unknown { why: "its guardian is gone".into() }
    }

    /// Whether all processes were seen to be gone.
    #[must_use]
    pub fn is_all_gone(&self) -> bool {
        matches!(self, Self::AllGone { .. })
    }
}

/// A process that is still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct LeftProcess {
    /// Its pid.
    pub pid: u32,
    /// Its short name.
    pub name: String,
}

/// Who or what wanted the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StopReason {
    /// A person, by name.
    Person {
        /// Whom to name.
        name: String,
    },
    /// Loopdeck, following a rule; the word is the caller's.
    Rule {
        /// Which rule.
        word: String,
    },
    /// The wall-clock limit.
    WallLimit,
    /// The final event was seen and the process did not exit.
    Lingered,
    /// No app was left and the run was to end with it.
    AppEnded,
    /// The guardian was told to end, as at logout.
    System,
}

/// The request behind an end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRequest {
    /// Who or what.
    pub by: StopReason,
    /// When; always before the first signal.
    pub at: Timestamp,
}

/// A step of the ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// The child has exited; its remaining processes may end without being told.
    Settle,
    /// Asked on stdin.
    Ask,
    /// SIGINT to the child.
    Interrupt,
    /// SIGTERM to the group, and to what the child left behind.
    Terminate,
    /// SIGKILL to everything that was seen; up to three times.
    Kill,
    /// All seen to be gone, or given up.
    Over,
}

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTaken {
    /// Which.
    pub step: StepName,
    /// When.
    pub at: Timestamp,
    /// Processes of the run that were alive then, zombies not counted; `None` when it could not be seen.
    pub alive: Option<u32>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// What became of its processes.
    pub report: StopReport,
    /// Whether the guardian saw it; else an app found what was left.
    pub by_guardian: bool,
}

/// What is left of a run without guardian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftovers {
    /// These processes; none when empty.
    Processes(Vec<LeftProcess>),
    /// It cannot be told.
    Unknown {
        /// Why.
        why: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_several_runs_lose_nothing() {
        let process = |pid| LeftProcess { pid, name: "node".into() };
        let gone = |ended| StopReport::AllGone { ended };
        let left = |ended, pid| StopReport::Left { ended, processes: vec![process(pid)] };
        let unknown = |why: &str| StopReport::Unknown { why: why.into() };
        assert_eq!(StopReport::of_all(&[gone(2), gone(1)]), gone(3));
        let all = StopReport::of_all(&[unknown("x"), left(3, 7), gone(2), left(0, 8)]);
        assert_eq!(all, StopReport::Left { ended: 5, processes: vec![process(7), process(8)] });
        assert_eq!(StopReport::of_all(&[gone(1), unknown("a"), unknown("a"), unknown("b")]), unknown("a; b"));
    }

    #[test]
    fn a_report_of_an_older_version_has_no_count() {
        let old = r#"{"kind":"left","processes":[]}"#;
        let read: StopReport = serde_json::from_str(old).expect("read");
        assert_eq!(read, StopReport::Left { ended: 0, processes: Vec::new() });
    }
}
