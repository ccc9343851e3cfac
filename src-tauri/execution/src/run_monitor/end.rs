//! How a run ended, as its guardian or its record tells it.

use crate::runs::{Exit, Leftovers, RunRecord, StopReason, StopReport};
use loopdeck_core::times::Timestamp;

/// The end as the guardian or its record tells it.
pub(crate) struct RunExit {
    pub(crate) exit: Option<Exit>,
    pub(crate) report: StopReport,
    pub(crate) stopped_by: Option<StopReason>,
    pub(crate) at: Timestamp,
}

impl RunExit {
    pub(crate) fn from_record(record: &RunRecord) -> Self {
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

    /// As the guardian reported it. A record that could not be written, as on a full disk, is older than its report.
    pub(crate) fn from_guardian(
        record: Option<&RunRecord>,
        exit: Option<Exit>,
        ended_by: Option<StopReason>,
        report: StopReport,
    ) -> Self {
        let known = record.map(Self::from_record);
        Self {
            exit: known.as_ref().and_then(|known| known.exit.clone()).or(exit),
            report,
            stopped_by: known.as_ref().and_then(|known| known.stopped_by.clone()).or(ended_by),
            at: known.map_or_else(loopdeck_system::clock::now, |known| known.at),
        }
    }

    pub(crate) fn lost(record: &RunRecord, left: Leftovers) -> Self {
        Self { report: StopReport::of_leftovers(left), ..Self::from_record(record) }
    }
}
