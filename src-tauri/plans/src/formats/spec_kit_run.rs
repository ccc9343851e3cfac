//! Runs of Spec Kit's workflows.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct SpecKitRun;

impl PlanFormat for SpecKitRun {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFolder { root: ".specify/workflows/runs", file: "state.json" }]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
