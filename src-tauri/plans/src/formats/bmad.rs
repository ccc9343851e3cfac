//! BMAD: the status of a sprint.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Bmad;

impl PlanFormat for Bmad {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File("_bmad-output/implementation-artifacts/sprint-status.yaml"),
            Found::File("docs/implementation-artifacts/sprint-status.yaml"),
            Found::File("docs/sprint-artifacts/sprint-status.yaml"),
            Found::File("docs/sprint-status.yaml"),
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
