//! The ralph-loop plugin of Claude Code, and its relatives.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct RalphLoop;

impl PlanFormat for RalphLoop {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File(".claude/ralph-loop.local.md"),
            Found::File(".qwen/ralph-loop.local.md"),
            Found::File(".omo/ralph-loop.local.md"),
        ]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
