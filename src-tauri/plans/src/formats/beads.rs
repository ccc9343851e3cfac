//! Beads: the export of its issues.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Beads;

impl PlanFormat for Beads {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".beads/issues.jsonl")]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
