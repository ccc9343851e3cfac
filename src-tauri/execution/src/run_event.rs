//! What the owner learns about a run.

use super::person::by_person;
use crate::changes::ChangeList;
use crate::runs::{Attached, Exit, StopReason, StopReport};
use loopdeck_agents::event::PermissionRequest;
use loopdeck_agents::facts::Facts;
use loopdeck_core::driver::ChangedLines;
use loopdeck_core::driver::debug_log::DebugLog;
use loopdeck_core::times::Timestamp;
use loopdeck_results::Reading;
use std::collections::BTreeSet;

/// What the owner learns about a run.
#[derive(Debug)]
pub enum RunEvent {
    /// Its guardian can be talked to.
    Began(Attached),
    /// There are more rows.
    Rows(Heard),
    /// The agent wants to use a tool.
    Asks(Box<PermissionRequest>),
    /// It no longer wants to.
    Withdrawn(String),
    /// It has not the slash command that it was started by; plugins of it that failed.
    Lacks(Vec<String>),
    /// It is over.
    Ended(Box<RunEnd>),
}

/// What is known of a run so far.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Rows so far.
    pub rows: u32,
    /// Its last line of output, without secrets.
    pub line: String,
    /// Last output; `None` before the first.
    pub last_output: Option<Timestamp>,
    /// Whether the agent said that it is up.
    pub started: bool,
    /// Conversation.
    pub session: Option<String>,
    /// Model.
    pub model: Option<String>,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// Typed facts of its output.
    pub facts: Facts,
    /// How the process ended; `None` when that was not observed.
    pub exit: Option<Exit>,
    /// What became of its processes.
    pub report: StopReport,
    /// Who ended it.
    pub stopped_by: Option<StopReason>,
    /// Files that changed meanwhile; `None` when unknown.
    pub changed: Option<Vec<String>>,
    /// Lines that changed in them; `None` when they could not be counted.
    pub lines: Option<ChangedLines>,
    /// The changes that are kept with the run; `None` when none are.
    pub changes: Option<ChangeList>,
    /// Of a round of debugging: what log statements wrote.
    pub log: Option<DebugLog>,
    /// Files with debugging log statements in them; `None` when they were not checked.
    pub instrumented: Option<BTreeSet<String>>,
    /// Of a test command: its output.
    pub tests: Option<Reading>,
    /// The end of its standard output.
    pub tail: String,
    /// When it ended.
    pub at: Timestamp,
    /// It could not even be started.
    pub not_started: Option<String>,
}

impl RunEnd {
    /// The end was wanted before it began.
    pub(crate) fn cancelled() -> Self {
        let stopped_by = Some(by_person());
        Self { stopped_by, ..Self::not_started("not started any more".into()) }
    }

    pub(crate) fn not_started(why: String) -> Self {
        Self {
            facts: Facts::default(),
            exit: None,
            report: StopReport::AllGone { ended: 0 },
            stopped_by: None,
            changed: None,
            lines: None,
            changes: None,
            log: None,
            instrumented: None,
            tests: None,
            tail: String::new(),
            at: loopdeck_system::clock::now(),
            not_started: Some(why),
        }
    }
}
