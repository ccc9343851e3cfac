//! The meaning of a text agent's output when it contains no answer: exit code 0 means that it did its work.

use super::{DebugAnswer, DevelopAnswer, InitAnswer, WorkStatus, WorkerAnswer};
use crate::answers::records::{Hypothesis, PlannedTask};
use loopdeck_text::shorten;

const LAST_LINES: usize = 20;
const LONGEST: usize = 2_000;

/// The last non-blank lines, at most 20 lines and 2,000 characters.
#[must_use]
pub fn plain_summary(output: &str) -> String {
    let tail = super::find::tail(output, LONGEST * 4);
    let mut lines: Vec<&str> = tail
        .lines()
        .rev()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
        .take(LAST_LINES)
        .collect();
    lines.reverse();
    let text = lines.join("\n");
    let from = text.chars().count().saturating_sub(LONGEST);
    let text: String =
        text.chars().skip(from).filter(|c| !c.is_control() || *c == '\n' || *c == '\t').collect();
    if text.trim().is_empty() { "Ended with exit code 0 and no output.".to_owned() } else { text }
}

/// One task whose description is the goal.
#[must_use]
pub fn plain_init(goal: &str) -> InitAnswer {
    let goal = goal.trim();
    let description = if goal.is_empty() { "Work on the loop's goal" } else { goal };
    let task = PlannedTask {
        id: "task-001".to_owned(),
        description: shorten(description, super::LONGEST_PROSE),
        priority: 1,
        ..PlannedTask::default()
    };
    InitAnswer { tasks: vec![task], needs: None }
}

/// The task is completed.
#[must_use]
pub fn plain_develop(output: &str) -> DevelopAnswer {
    DevelopAnswer { summary: plain_summary(output), ..DevelopAnswer::default() }
}

/// One inconclusive hypothesis built from the first failed test; the same test gives the same hypothesis in
/// every round.
#[must_use]
pub fn plain_debug(
    output: &str,
    known: &[Hypothesis],
    failed_test: Option<&str>,
    changed: bool,
) -> DebugAnswer {
    let understanding = plain_summary(output);
    let description = match failed_test {
        Some(test) => format!("What makes {} fail lies in the code it tests", shorten(test, 200)),
        None => "Something makes the tests fail".to_owned(),
    };
    let same = known.iter().find(|hypothesis| hypothesis.description == description);
    let taken = |id: &String| known.iter().any(|hypothesis| hypothesis.id == *id);
    let free = || (1..).map(|number: u32| format!("H{number}")).find(|id| !taken(id)).unwrap_or_default();
    let hypothesis = Hypothesis {
        id: same.map_or_else(free, |same| same.id.clone()),
        description,
        status: "inconclusive".to_owned(),
        verdict_reason: Some("A text agent gives no verdict".to_owned()),
        ..Hypothesis::default()
    };
    DebugAnswer { hypotheses: vec![hypothesis], understanding, fixed: changed, ..DebugAnswer::default() }
}

/// The worker succeeded, and finished the tasks assigned to it.
#[must_use]
pub fn plain_worker(output: &str, tasks: &[String]) -> WorkerAnswer {
    WorkerAnswer {
        status: WorkStatus::Completed,
        summary: plain_summary(output),
        completed_tasks: tasks.to_vec(),
        ..WorkerAnswer::default()
    }
}
