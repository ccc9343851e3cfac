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

use crate::driver::{Memory, NOTHING_CHANGED};
use crate::formats::loop_b::operate::{WorkerOutput, follows};
use crate::formats::loop_b::read::state::LoopBState;
use crate::phase::CcwPhase;
use crate::view::WorkerOutcome;
use loopdeck_text::json_span::tree::Node;

/// What is known about the end of a worker besides its output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KnownEnd {
    /// It waits for a person, and is redone.
    pub(crate) asks: bool,
    /// For a debug worker: whether it says that it removed the cause.
    pub(crate) fixed: Option<bool>,
    /// The runtime observed that no file changed.
    pub(crate) untouched: bool,
}

impl KnownEnd {
    /// A debug worker says that it removed the cause, and no file changed.
    pub(crate) fn is_claim(self, worker: CcwPhase) -> bool {
        worker == CcwPhase::Debug && self.fixed == Some(true) && self.untouched && !self.asks
    }
}

/// The action after a worker; updates the memory.
pub(crate) fn after(
    worker: CcwPhase,
    output: &WorkerOutput,
    known: KnownEnd,
    bytes: &[u8],
    memory: &mut Memory,
) -> CcwPhase {
    memory.summarise(worker.word(), &summary_for_prompts(output));
    memory.b.passed &= known.untouched;
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = LoopBState::new(&root);
    let finished = |task: &&Node<'_>| {
        task.get("id").text().is_some_and(|id| output.completed_tasks.iter().any(|done| done == id))
    };
    let moved = state.pending.iter().filter(finished).count();
    let left = state.pending.len() - moved > 0 && !memory.left.contains(CcwPhase::Develop.word());
    let stuck = worker == CcwPhase::Develop && left && moved == 0 && output.loop_back_to.is_none();
    if known.asks {
        return worker;
    }
    let is_claim = known.is_claim(worker);
    if WorkerOutcome::from_word(&output.status) == WorkerOutcome::Failed || stuck || is_claim {
        let why = match (is_claim, stuck) {
            (true, _) => NOTHING_CHANGED,
            (_, true) => "No task was finished",
            _ => output.summary.as_str(),
        };
        memory.failed_again(worker.word(), why);
        return worker;
    }
    memory.failures.remove(worker.word());
    let was_fixing = worker == CcwPhase::Develop && state.pending.is_empty();
    match worker {
        CcwPhase::Develop => memory.b.issues.clear(),
        CcwPhase::Debug => note_issues(output, known, memory),
        _ => {}
    }
    let to = DebugFork { worker, output, known, left, was_fixing, memory };
    to.requested_phase().unwrap_or_else(|| to.usual())
}

/// What later prompts say about it.
fn summary_for_prompts(output: &WorkerOutput) -> String {
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
fn note_issues(output: &WorkerOutput, known: KnownEnd, memory: &mut Memory) {
    memory.b.issues.clear();
    if has_fixed(output, known) {
        return;
    }
    memory.b.issues.extend(output.report.iter().flat_map(|report| report.issues_found.clone()));
    let debugged = output.debugged.iter();
    let cause = debugged.flat_map(|debugged| {
        debugged.hypotheses.iter().find(|one| debugged.confirmed.as_ref() == Some(&one.id))
    });
    memory.b.issues.extend(cause.map(|cause| format!("Root cause {}: {}", cause.id, cause.description)));
    if known.fixed == Some(false) && memory.b.issues.is_empty() {
        let failing = memory.b.failing.iter().map(|test| format!("Failed test: {}", test.name));
        memory.b.issues = failing.collect();
    }
}

/// Without a statement, changed files count as a fix; if it says that nothing is fixed, they may be logs and
/// caches.
fn has_fixed(output: &WorkerOutput, known: KnownEnd) -> bool {
    known.fixed.unwrap_or(!output.files_changed.is_empty())
}

struct DebugFork<'f> {
    worker: CcwPhase,
    output: &'f WorkerOutput,
    known: KnownEnd,
    /// Tasks are pending.
    left: bool,
    /// A develop worker without pending tasks: it fixed issues.
    was_fixing: bool,
    memory: &'f Memory,
}

impl DebugFork<'_> {
    /// What the worker itself asks for, where it may follow.
    fn requested_phase(&self) -> Option<CcwPhase> {
        // Any other word leads nowhere.
        let to = |word: &Option<String>| {
            CcwPhase::ALL.into_iter().find(|phase| word.as_deref() == Some(phase.word()))
        };
        let back = to(&self.output.loop_back_to).filter(|to| self.may_follow(*to));
        let next = to(&self.output.next_suggestion);
        back.or(next.filter(|to| *to != self.worker && self.may_follow(*to)))
    }

    fn may_follow(&self, to: CcwPhase) -> bool {
        follows(self.worker, to)
            && match to {
                CcwPhase::Develop => self.has_work(),
                CcwPhase::Complete => self.is_done(),
                _ => true,
            }
    }

    fn usual(&self) -> CcwPhase {
        match self.worker {
            CcwPhase::Develop if self.left => CcwPhase::Develop,
            CcwPhase::Develop if self.was_fixing => CcwPhase::Validate,
            CcwPhase::Develop => CcwPhase::Debug,
            CcwPhase::Debug if has_fixed(self.output, self.known) => CcwPhase::Validate,
            CcwPhase::Debug if self.needs_fix() => CcwPhase::Develop,
            CcwPhase::Debug if self.is_done() => CcwPhase::Complete,
            _ => CcwPhase::Validate,
        }
    }

    fn has_work(&self) -> bool {
        self.left || self.needs_fix()
    }

    /// No fix is expected from a develop worker that a person skipped.
    fn needs_fix(&self) -> bool {
        !self.memory.b.issues.is_empty() && !self.memory.left.contains(CcwPhase::Develop.word())
    }

    /// The tests passed, no file has changed since, and nothing is left to do.
    fn is_done(&self) -> bool {
        self.memory.b.passed && self.memory.b.failing.is_empty() && !self.has_work()
    }
}

#[cfg(test)]
#[path = "drive_next_tests.rs"]
mod tests;
