//! OpenSpec: the tasks of a change.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct OpenSpec;

impl PlanFormat for OpenSpec {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFolder { root: "openspec/changes", file: "tasks.md" },
            Found::EachFolder { root: "openspec/changes/archive", file: "tasks.md" },
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
