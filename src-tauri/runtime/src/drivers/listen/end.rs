//! How a run ended, as its guardian or its record tells it.

use loopdeck_agents::facts::Facts;
use loopdeck_core::formats::ccw::driver::Lines;
use loopdeck_core::formats::ccw::read::debug_log::DebugLog;
use loopdeck_core::times::Millis;
use loopdeck_execution::runs::{Exit, Leftovers, RunRecord, StopReason, StopReport};
use loopdeck_results::Reading;
use std::collections::BTreeSet;

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// Typed facts of its output.
    pub facts: Facts,
    /// How the process ended; `None` when nobody saw it.
    pub exit: Option<Exit>,
    /// What became of its processes.
    pub report: StopReport,
    /// Who ended it.
    pub stopped_by: Option<StopReason>,
    /// Files that changed meanwhile; `None` when nobody could tell.
    pub changed: Option<Vec<String>>,
    /// Lines that changed in them; `None` when nobody could count.
    pub lines: Option<Lines>,
    /// Of a round of debugging: what log statements wrote.
    pub log: Option<DebugLog>,
    /// Files with log statements of debugging in them; `None` when nobody looked.
    pub instrumented: Option<BTreeSet<String>>,
    /// Of a test command: what it said.
    pub tests: Option<Reading>,
    /// The last of what it said on standard output.
    pub tail: String,
    /// When it ended.
    pub at: Millis,
    /// It could not even be started.
    pub not_started: Option<String>,
}

impl RunEnd {
    /// The end was wanted before it began.
    pub(super) fn cancelled() -> Self {
        let stopped_by = Some(crate::drivers::control::by_person());
        Self { stopped_by, ..Self::not_started("not started any more".into()) }
    }

    pub(super) fn not_started(why: String) -> Self {
        Self {
            facts: Facts::default(),
            exit: None,
            report: StopReport::AllGone { ended: 0 },
            stopped_by: None,
            changed: None,
            lines: None,
            log: None,
            instrumented: None,
            tests: None,
            tail: String::new(),
            at: loopdeck_system::clock::now(),
            not_started: Some(why),
        }
    }
}

/// The end as the guardian or its record tells it.
pub(crate) struct Over {
    pub(crate) exit: Option<Exit>,
    pub(crate) report: StopReport,
    pub(crate) stopped_by: Option<StopReason>,
    pub(super) at: Millis,
}

impl Over {
    pub(super) fn of(record: &RunRecord) -> Self {
        let report = record.ended.as_ref().map(|ended| ended.report.clone());
        let unknown = || StopReport::Unknown { why: "the record does not say".into() };
        Self {
            exit: record.exit.clone(),
            report: report.unwrap_or_else(unknown),
            stopped_by: record.stop_request.as_ref().map(|request| request.by.clone()),
            at: record
                .exited_at
                .or(record.ended.as_ref().map(|ended| ended.at))
                .unwrap_or_else(loopdeck_system::clock::now),
        }
    }

    /// As the guardian said it. A record that could not be written any more, as on a full disk, is older than its words.
    pub(crate) fn told(
        record: Option<&RunRecord>,
        exit: Option<Exit>,
        ended_by: Option<StopReason>,
        report: StopReport,
    ) -> Self {
        let known = record.map(Self::of);
        Self {
            exit: known.as_ref().and_then(|known| known.exit.clone()).or(exit),
            report,
            stopped_by: known.as_ref().and_then(|known| known.stopped_by.clone()).or(ended_by),
            at: known.map_or_else(loopdeck_system::clock::now, |known| known.at),
        }
    }

    pub(super) fn lost(record: &RunRecord, left: Leftovers) -> Self {
        Self { report: StopReport::of_leftovers(left), ..Self::of(record) }
    }
}
