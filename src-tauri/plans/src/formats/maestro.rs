//! Maestro: a session with its chain of steps.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Maestro;

impl PlanFormat for Maestro {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFolder { root: ".workflow/sessions", file: "session.json" }]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
