//! The output of a Loop-B worker, and its file (seed 003, "Worker Output Structure").

use super::report::WorkerReport;
use crate::formats::ccw::progress_docs::loop_b::WorkerHypothesis;
use crate::formats::ccw::progress_docs::records::{CoverageFigures, ValidationRun};
use loopdeck_text::json_span::json::Json;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The output of a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct WorkerOutput {
    /// `init`, `develop`, `debug`, `validate`, `complete`. A driver takes it from the file, so any word may come.
    #[specta(type = crate::phase::CcwPhase)]
    pub action: String,
    /// `success`, `failed`, `needs_input`, …
    pub status: String,
    /// In a sentence.
    pub summary: String,
    /// Files changed.
    pub files_changed: Vec<String>,
    /// An action.
    pub next_suggestion: Option<String>,
    /// An action.
    pub loop_back_to: Option<String>,
    /// Raw text, or an object; in change requests as text or JSON text.
    #[serde(with = "loopdeck_text::json_span::json::as_text")]
    #[specta(type = String)]
    pub detailed_output: Json,
    /// Ids of tasks it finished; not part of the output file.
    pub completed_tasks: Vec<String>,
    /// Its report as fields; `None` leaves `detailed_output` unchanged.
    #[serde(default)]
    pub report: Option<Box<WorkerReport>>,
    /// Discoveries for `skill_state.findings`. Used only by Loopdeck, like the next two: no form has them.
    #[serde(default)]
    #[specta(skip)]
    pub findings: Vec<String>,
    /// From a debug worker, for `debug.md`; not part of the output file.
    #[serde(default)]
    #[specta(skip)]
    pub debugged: Option<Box<DebugFindings>>,
    /// From a test run, for `validate.md` and the files next to it.
    #[serde(default)]
    #[specta(skip)]
    pub tested: Option<Box<Tested>>,
}

/// The findings of a debug worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DebugFindings {
    /// What it investigated; the loop's description if not named.
    pub bug: Option<String>,
    /// New and changed hypotheses, including the root cause.
    pub hypotheses: Vec<WorkerHypothesis>,
    /// Id of the root cause.
    pub confirmed: Option<String>,
}

/// A run of the tests. Its iteration and time are filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// Counts and rows.
    pub run: ValidationRun,
    /// Coverage by file.
    pub files: Vec<(String, CoverageFigures)>,
}

impl WorkerOutput {
    /// As it is written.
    #[must_use]
    pub fn json(&self, now: &str) -> Json {
        let mut members = vec![
            ("action", Json::text(&self.action)),
            ("status", Json::text(&self.status)),
            ("summary", Json::text(&self.summary)),
            ("files_changed", Json::texts(&self.files_changed)),
            ("next_suggestion", Json::optional(self.next_suggestion.as_deref())),
            ("loop_back_to", Json::optional(self.loop_back_to.as_deref())),
        ];
        let figures = self.tested.as_ref().and_then(|tested| tested.run.coverage);
        let detail = match &self.report {
            Some(report) => {
                members.extend(report.members(&self.action, figures));
                report.detail(&self.detailed_output)
            }
            None => self.detailed_output.clone(),
        };
        members.push(("detailed_output", detail));
        members.push(("timestamp", Json::text(now)));
        Json::object(members)
    }
}
