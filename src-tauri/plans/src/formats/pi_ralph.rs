//! Pi-ralph: a task file and a state with a pause.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct PiRalph;

impl PlanFormat for PiRalph {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFile { root: ".ralph", ending: ".state.json" }]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
