//! GSD: a project with phases and plans.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Gsd;

impl PlanFormat for Gsd {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File(".planning/STATE.md"),
            Found::EachFolder { root: ".planning/workstreams", file: "STATE.md" },
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
