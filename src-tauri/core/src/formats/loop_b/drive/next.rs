//! Which worker follows in auto mode (seed 003, "Status Transitions" and "Worker Output Structure"; the CCW contract §8).
//!
//! 1. A worker is not done and runs again if it waits for a person, failed, finished none of the pending
//!    tasks, or reports a fix although no file changed.
//! 2. Its `loop_back_to`, then its `next_suggestion`, is followed where the diagram has such an arrow. A suggestion never
//!    repeats the same worker. Develop needs something to do: pending tasks, or issues that debugging found.
//! 3. Without a usable suggestion: develop leads to develop while tasks are pending, then to debug; after
//!    fixing issues, to validate.
//! 4. Debug leads to the fork "needs fix?". The tests decide about its fixes: validate. Issues it found and
//!    did not fix go back to develop. If nothing needs fixing, the loop is complete, provided the tests
//!    passed and no file has changed since; otherwise they run first.
//! 5. Validate is a test run, never an agent: pending tasks lead to develop, failed tests to debug, unfixed
//!    issues from debugging to develop, the rest to complete.
//!
//! Parallel workers are joined first, then the tests run: the workers' findings lead to the next round by
//! rule 5.
//!
//! So only passed tests, or a person, complete a loop.

use crate::formats::ccw::driver::{Memory, NOTHING_CHANGED};
use crate::formats::loop_b::operate::{WorkerOutput, follows};
use crate::formats::loop_b::read::state::State;
use loopdeck_text::json_span::tree::Node;

/// What is known about the end of a worker besides its output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// It waits for a person, and is redone.
    pub(crate) asks: bool,
    /// For a debug worker: whether it says that it removed the cause.
    pub(crate) fixed: Option<bool>,
    /// The runtime observed that no file changed.
    pub(crate) untouched: bool,
}

impl Known {
    /// A debug worker says that it removed the cause, but no file changed.
    pub(crate) fn is_claim(self, worker: &str) -> bool {
        worker == "debug" && self.fixed == Some(true) && self.untouched && !self.asks
    }
}

/// The action after a worker; updates the memory.
pub(crate) fn after(
    worker: &str,
    output: &WorkerOutput,
    known: Known,
    bytes: &[u8],
    memory: &mut Memory,
) -> String {
    memory.summarise(worker, &told(output));
    memory.passed &= known.untouched;
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = State::new(&root);
    let finished = |task: &&Node<'_>| {
        task.get("id").text().is_some_and(|id| output.completed_tasks.iter().any(|done| done == id))
    };
    let moved = state.pending.iter().filter(finished).count();
    let left = state.pending.len() - moved > 0 && !memory.left.contains("develop");
    let stuck = worker == "develop" && left && moved == 0 && output.loop_back_to.is_none();
    if known.asks {
        return worker.to_owned();
    }
    let is_claim = known.is_claim(worker);
    if output.status == "failed" || stuck || is_claim {
        let why = match (is_claim, stuck) {
            (true, _) => NOTHING_CHANGED,
            (_, true) => "No task was finished",
            _ => output.summary.as_str(),
        };
        memory.failed_again(worker, why);
        return worker.to_owned();
    }
    memory.failures.remove(worker);
    let was_fixing = worker == "develop" && state.pending.is_empty();
    match worker {
        "develop" => memory.issues.clear(),
        "debug" => note_issues(output, known, memory),
        _ => {}
    }
    let to = Fork { worker, output, known, left, was_fixing, memory };
    to.asked().unwrap_or_else(|| to.usual()).to_owned()
}

/// What later prompts say about it.
fn told(output: &WorkerOutput) -> String {
    let report = output.report.as_deref().cloned().unwrap_or_default();
    let mut text = output.summary.clone();
    for (name, lines) in [("Issues found", &report.issues_found), ("Suggestions", &report.suggestions)] {
        if !lines.is_empty() {
            text += &format!("\n{name}: {}", lines.join("; "));
        }
    }
    text
}

/// Work for the next develop worker: issues and a root cause left by a debug worker, and failed tests whose
/// cause it says it did not remove.
fn note_issues(output: &WorkerOutput, known: Known, memory: &mut Memory) {
    memory.issues.clear();
    if has_fixed(output, known) {
        return;
    }
    memory.issues.extend(output.report.iter().flat_map(|report| report.issues_found.clone()));
    let debugged = output.debugged.iter();
    let cause = debugged.flat_map(|debugged| {
        debugged.hypotheses.iter().find(|one| debugged.confirmed.as_ref() == Some(&one.id))
    });
    memory.issues.extend(cause.map(|cause| format!("Root cause {}: {}", cause.id, cause.description)));
    if known.fixed == Some(false) && memory.issues.is_empty() {
        let failing = memory.failing.iter().map(|test| format!("Failed test: {}", test.name));
        memory.issues = failing.collect();
    }
}

/// Without a statement, changed files count as a fix; if it says that nothing is fixed, they may be logs and
/// caches.
fn has_fixed(output: &WorkerOutput, known: Known) -> bool {
    known.fixed.unwrap_or(!output.files_changed.is_empty())
}

struct Fork<'f> {
    worker: &'f str,
    output: &'f WorkerOutput,
    known: Known,
    /// Tasks are pending.
    left: bool,
    /// A develop worker without pending tasks: it fixed issues.
    was_fixing: bool,
    memory: &'f Memory,
}

impl Fork<'_> {
    /// The worker's own suggestion, if allowed.
    fn asked(&self) -> Option<&str> {
        let back = self.output.loop_back_to.as_deref().filter(|to| self.may_follow(to));
        let next = self.output.next_suggestion.as_deref();
        back.or(next.filter(|to| *to != self.worker && self.may_follow(to)))
    }

    fn may_follow(&self, to: &str) -> bool {
        follows(self.worker, to)
            && match to {
                "develop" => self.has_work(),
                "complete" => self.is_done(),
                _ => true,
            }
    }

    fn usual(&self) -> &'static str {
        match self.worker {
            "develop" if self.left => "develop",
            "develop" if self.was_fixing => "validate",
            "develop" => "debug",
            "debug" if has_fixed(self.output, self.known) => "validate",
            "debug" if self.needs_fix() => "develop",
            "debug" if self.is_done() => "complete",
            _ => "validate",
        }
    }

    fn has_work(&self) -> bool {
        self.left || self.needs_fix()
    }

    /// No fix is expected from a develop worker that a person skipped.
    fn needs_fix(&self) -> bool {
        !self.memory.issues.is_empty() && !self.memory.left.contains("develop")
    }

    /// The tests passed, no file has changed since, and nothing is left to do.
    fn is_done(&self) -> bool {
        self.memory.passed && self.memory.failing.is_empty() && !self.has_work()
    }
}

#[cfg(test)]
#[path = "drive_next_tests.rs"]
mod tests;
