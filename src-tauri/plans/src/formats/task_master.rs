//! Task Master: tasks and subtasks of a tag.

use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::plan::Plan;

pub(crate) struct TaskMaster;

impl PlanFormat for TaskMaster {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".taskmaster/tasks/tasks.json"), Found::File("tasks/tasks.json")]
    }

    fn read(&self, _source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        Ok(None)
    }
}
