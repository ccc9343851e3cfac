//! Ralph-orchestrator: tasks of its loops.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Orchestrator;

impl PlanFormat for Orchestrator {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".ralph/agent/tasks.jsonl")]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
