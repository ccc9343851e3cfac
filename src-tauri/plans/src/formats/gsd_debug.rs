//! GSD: a debug session.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct GsdDebug;

impl PlanFormat for GsdDebug {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFile { root: ".planning/debug", ending: ".md" },
            Found::EachFile { root: ".planning/debug/resolved", ending: ".md" },
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
