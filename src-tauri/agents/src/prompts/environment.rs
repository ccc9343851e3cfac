//! The contents of a prompt in a form that a shell command can use.

use super::parts::cut;
use super::{Action, PromptContext, TaskContext};

/// The longest value; systems allow 128 kB for one.
const MOST_BYTES: usize = 30_000;

/// Variables for an agent that reads no prompt: `LOOPDECK_ACTION` (`init`, `develop`, `debug`, `atom`,
/// `judge`, `probe`, `iterate`), `LOOPDECK_TASK_ID` (for an AoT loop the atom's id, or `check-<number>`),
/// `LOOPDECK_TASK`, `LOOPDECK_MODE` (`analysis` for a read-only task, else `write`), `LOOPDECK_ITERATION`,
/// `LOOPDECK_GOAL`, `LOOPDECK_FAILED_TESTS` (one per line). All are always set; for a Loop-B worker, the task
/// is the first pending one.
#[must_use]
pub fn environment(action: &Action, context: &PromptContext) -> Vec<(String, String)> {
    let about = context.task.as_ref();
    let mode = if about.is_some_and(TaskContext::only_looks) { "analysis" } else { "write" };
    let failed: Vec<String> =
        context.failed_tests.iter().map(|test| test.name.replace(['\n', '\r'], " ")).collect();
    [
        ("LOOPDECK_ACTION", action.word().to_owned()),
        ("LOOPDECK_TASK_ID", about.map(|task| task.id.clone()).unwrap_or_default()),
        ("LOOPDECK_TASK", about.map(|task| task.description.clone()).unwrap_or_default()),
        ("LOOPDECK_MODE", mode.to_owned()),
        ("LOOPDECK_ITERATION", context.iteration.to_string()),
        ("LOOPDECK_GOAL", context.goal().to_owned()),
        ("LOOPDECK_FAILED_TESTS", failed.join("\n")),
    ]
    .map(|(name, value)| (name.to_owned(), cut(&value, MOST_BYTES)))
    .to_vec()
}
