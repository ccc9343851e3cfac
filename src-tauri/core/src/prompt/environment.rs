//! The same in a form that a shell command can use.

use super::parts::cut;
use crate::ccw::driver::AgentTask;

/// The longest value; systems take 128 kB for one.
const MOST_BYTES: usize = 30_000;

/// Variables for an agent that reads no prompt: `LOOPDECK_ACTION` (`init`, `develop`, `debug`), `LOOPDECK_TASK_ID`,
/// `LOOPDECK_TASK`, `LOOPDECK_ITERATION`, `LOOPDECK_GOAL`, `LOOPDECK_FAILED_TESTS` (one per line). All are always there;
/// of a worker of Loop-B the task is the first pending one.
#[must_use]
pub fn environment<Op>(task: &AgentTask<Op>) -> Vec<(String, String)> {
    let matter = &task.matter;
    let about = matter.task.as_ref();
    let failed: Vec<String> =
        matter.failed_tests.iter().map(|test| test.name.replace(['\n', '\r'], " ")).collect();
    [
        ("LOOPDECK_ACTION", task.action.word().to_owned()),
        ("LOOPDECK_TASK_ID", about.map(|task| task.id.clone()).unwrap_or_default()),
        ("LOOPDECK_TASK", about.map(|task| task.description.clone()).unwrap_or_default()),
        ("LOOPDECK_ITERATION", matter.iteration.to_string()),
        ("LOOPDECK_GOAL", matter.goal().to_owned()),
        ("LOOPDECK_FAILED_TESTS", failed.join("\n")),
    ]
    .map(|(name, value)| (name.to_owned(), cut(&value, MOST_BYTES)))
    .to_vec()
}
