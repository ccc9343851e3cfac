//! Ralph-claude-code: a plan to fix with its run.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct Frankbria;

impl PlanFormat for Frankbria {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".ralph/fix_plan.md")]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
