//! "Loopdeck runs" a Loop-B: the next worker, and its result (the CCW contract §8).
//!
//! - auto: `init, develop, debug, validate, complete` in the order of `action_index`, with the jumps and the
//!   fork of [`crate::formats::loop_b::drive::next`]. A failed worker is retried once, then a person is
//!   asked. If nobody can be asked, the loop ends as `failed`. So does a loop that would complete without a
//!   single finished task, because a person skipped its develop worker.
//! - parallel: `init`, then develop, debug and validate in parallel, with their results side by side. Tests
//!   that ran in parallel with the work say nothing about its result, so they run once more; if they fail, or
//!   tasks are left, there is another round.
//! - interactive: a person chooses each worker, or exits.
//!
//! `validate` is always a real test run, never an agent. The master does not show which worker ended last; if
//! the memory was lost, the worker of the current phase runs again.

pub(crate) mod end;
pub mod memory;
pub(crate) mod next;
pub(crate) mod output;
pub(crate) mod prompt_context;

pub use crate::formats::loop_b::drive::end::{
    ParallelEnd, check, conclude, conclude_parallel, conclude_tests,
};

use super::operate::{follows, operate};
use super::operation::LoopBOperation;
use crate::control::Situation;
use crate::driver::{
    self, Action, AgentTask, DriverQuestion, EndReason, Memory, MenuChoice, QuestionCode, UsedUp,
};
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::check_drivable;
use crate::formats::ccw_v2::drive::prompt_context::counted;
use crate::formats::loop_b::create::WorkMode;
use crate::formats::loop_b::drive::memory::Worked;
use crate::formats::loop_b::drive::prompt_context::{executive, prompt_context};
use crate::formats::loop_b::read::state::LoopBState;
use crate::phase::CcwPhase;
use crate::status::StatusWord;
use crate::summary::Summary;
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::prompts::{WorkerKind, prompt};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// What to do now: `Agent`, `Parallel`, `Tests`, `Write`, `Menu`, `Ask` or `End`; then [`conclude`], [`conclude_parallel`] or
/// [`conclude_tests`].
pub type LoopBNext = driver::Next<LoopBOperation>;

/// The next step of the loop in `bytes`. Pure: the same arguments give the same step.
#[must_use]
pub fn next(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> LoopBNext {
    let summary = match check_drivable(bytes, Format::LoopB, facts) {
        Ok(summary) => summary,
        Err(end) => return LoopBNext::End(end),
    };
    if let Some(limit) = memory.used_up {
        return LoopBNext::End(EndReason::Limit { limit });
    }
    if let Some(question) = &memory.question {
        return LoopBNext::ask(memory, question.clone());
    }
    let Ok(root) = Node::parse(bytes) else { return LoopBNext::End(EndReason::Damaged) };
    let state = LoopBState::new(&root);
    let place = LoopBPlace { state: &state, summary: &summary, memory };
    tried(bytes, facts, place.choose())
}

/// A round of debugging after checks failed although the tests pass. A person decides in an interactive loop, and in one that is past
/// its last phase.
#[must_use]
pub fn send_back(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Option<LoopBNext> {
    let summary = check_drivable(bytes, Format::LoopB, facts).ok()?;
    let root = Node::parse(bytes).ok()?;
    let state = LoopBState::new(&root);
    let place = LoopBPlace { state: &state, summary: &summary, memory };
    if place.mode() == Some(WorkMode::Interactive) || place.phase() == Some(CcwPhase::Complete) {
        return None;
    }
    if summary.at_limit() {
        return Some(LoopBNext::End(EndReason::Limit { limit: UsedUp::Iterations }));
    }
    Some(tried(bytes, facts, place.start(WorkerKind::Debug)))
}

/// The step, provided its operation fits the file.
fn tried(bytes: &[u8], facts: &FileFacts<'_>, next: LoopBNext) -> LoopBNext {
    let situation = Situation { shown: StatusWord::Running, now: facts.now };
    let refused = next.operation().and_then(|operation| operate(bytes, facts, operation, &situation).err());
    refused.map_or(next, |refusal| LoopBNext::End(EndReason::Refused { refusal }))
}

/// The workers that are agents, in the order of the phases.
const WORKERS: [WorkerKind; 2] = [WorkerKind::Develop, WorkerKind::Debug];

/// What follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A round of workers in parallel.
    Parallel,
    /// The action of this phase.
    Phase(CcwPhase),
}

impl From<WorkerKind> for CcwPhase {
    fn from(worker: WorkerKind) -> Self {
        match worker {
            WorkerKind::Develop => Self::Develop,
            WorkerKind::Debug => Self::Debug,
        }
    }
}

/// Where the loop stands.
struct LoopBPlace<'s> {
    state: &'s LoopBState<'s>,
    summary: &'s Summary,
    memory: &'s Memory,
}

impl LoopBPlace<'_> {
    fn choose(&self) -> LoopBNext {
        if self.phase() == Some(CcwPhase::Complete) {
            return self.complete();
        }
        if self.mode() == Some(WorkMode::Interactive) {
            return self.menu();
        }
        let in_parallel = self.mode() == Some(WorkMode::Parallel);
        let target = if in_parallel { self.target_in_parallel() } else { self.target() };
        if self.summary.at_limit() && target != Target::Phase(CcwPhase::Complete) {
            return LoopBNext::End(EndReason::Limit { limit: UsedUp::Iterations });
        }
        if let Some(worker) = WORKERS.into_iter().find(|worker| self.gives_up(*worker)) {
            return self.ask_about(worker);
        }
        match target {
            Target::Parallel => LoopBNext::Parallel(WORKERS.map(|worker| self.worker(worker, true)).to_vec()),
            Target::Phase(phase) => self.go(phase),
        }
    }

    /// The phase that the file names; `None` for any other word.
    fn phase(&self) -> Option<CcwPhase> {
        CcwPhase::from_word(self.state.skill.get("phase").text().unwrap_or(CcwPhase::Init.word()))
    }

    /// The mode that the file names; any other word counts as auto.
    fn mode(&self) -> Option<WorkMode> {
        self.state.root.get("mode").text().and_then(WorkMode::from_word)
    }

    fn is_planned(&self) -> bool {
        !self.state.pending.is_empty() || !self.state.completed.is_empty() || self.memory.without_tasks
    }

    /// Tasks, or issues that debugging found.
    fn has_work(&self) -> bool {
        !self.state.pending.is_empty() || !self.memory.b.issues.is_empty()
    }

    fn gives_up(&self, worker: WorkerKind) -> bool {
        self.memory.is_used_up(worker.word()) && !self.memory.left.contains(worker.word())
    }

    /// Auto: what follows from the worker that ended last; the worker of this phase when nobody knows.
    fn target(&self) -> Target {
        let phase = self.phase();
        Target::Phase(match &self.memory.b.worker {
            _ if !self.is_planned() => CcwPhase::Init,
            Some(worker) if phase.is_some_and(|phase| worker.action == Worked::Phase(phase)) => worker.next,
            _ => match phase {
                Some(phase @ (CcwPhase::Debug | CcwPhase::Validate)) => phase,
                _ => CcwPhase::Develop,
            },
        })
    }

    fn target_in_parallel(&self) -> Target {
        match &self.memory.b.worker {
            _ if !self.is_planned() => Target::Phase(CcwPhase::Init),
            Some(worker) if worker.next == CcwPhase::Complete => Target::Phase(CcwPhase::Complete),
            Some(worker) if worker.action == Worked::Phase(CcwPhase::Validate) => Target::Parallel,
            _ if self.state.parallel.is_null() => Target::Parallel,
            _ => Target::Phase(CcwPhase::Validate),
        }
    }

    fn go(&self, target: CcwPhase) -> LoopBNext {
        match target {
            CcwPhase::Init => self.init(),
            CcwPhase::Complete => self.finish(),
            CcwPhase::Validate if self.memory.without_tests => self.finish(),
            CcwPhase::Validate => LoopBNext::Tests { begin: enter(target) },
            // Nothing to develop: the phase is gone through, and the next worker looks at what is there.
            CcwPhase::Develop if !self.has_work() && self.phase() == Some(CcwPhase::Develop) => {
                self.go(CcwPhase::Debug)
            }
            CcwPhase::Develop if !self.has_work() && self.phase() == Some(CcwPhase::Init) => {
                LoopBNext::Write(enter(target))
            }
            CcwPhase::Develop => self.start(WorkerKind::Develop),
            CcwPhase::Debug => self.start(WorkerKind::Debug),
        }
    }

    fn start(&self, worker: WorkerKind) -> LoopBNext {
        LoopBNext::Agent { begin: Some(enter(worker.into())), task: Box::new(self.worker(worker, false)) }
    }

    fn init(&self) -> LoopBNext {
        let action = Action::Init;
        let context = prompt_context(self.state, self.summary, self.memory, &action);
        let prompt = prompt(&action, &context);
        LoopBNext::agent(AgentTask { action, prompt, answer: Some(AnswerKind::Init), context })
    }

    fn worker(&self, worker: WorkerKind, in_parallel: bool) -> AgentTask {
        let action = Action::Worker { worker };
        let mut context = prompt_context(self.state, self.summary, self.memory, &action);
        if in_parallel {
            let others = WORKERS.into_iter().filter(|other| *other != worker);
            context.others = others.map(|other| other.word().to_owned()).collect();
        }
        let prompt = prompt(&action, &context);
        AgentTask { action, prompt, answer: Some(AnswerKind::Worker), context }
    }

    fn ask_about(&self, worker: WorkerKind) -> LoopBNext {
        let worker = worker.word();
        let failed = self.memory.failures.get(worker).cloned().unwrap_or_default();
        if !self.memory.policy.ask {
            let tries = counted(failed.tries as usize, "time");
            return fail(&format!("The {worker} worker failed {tries}: {}", failed.why));
        }
        let question =
            DriverQuestion::new(QuestionCode::WorkerFailed, worker, &failed.why).counted(failed.tries);
        LoopBNext::ask(self.memory, question)
    }

    /// A person skipped the develop worker, and no task was finished.
    fn came_to_nothing(&self) -> bool {
        let left = self.memory.left.contains(CcwPhase::Develop.word()) && !self.state.pending.is_empty();
        left && self.state.completed.is_empty()
    }

    /// Through the phases on the way: complete can only be reached from debug and validate.
    fn finish(&self) -> LoopBNext {
        let phase = self.phase();
        if self.came_to_nothing() && self.mode() != Some(WorkMode::Interactive) {
            let said = self.memory.summaries.iter().rev().find(|note| note.about == CcwPhase::Develop.word());
            let said = said.map(|note| format!(": {}", note.text)).unwrap_or_default();
            return fail(&format!("The develop worker failed and no task was completed{said}"));
        }
        let leaps = self.mode() == Some(WorkMode::Parallel) && phase == Some(CcwPhase::Init);
        let leads = |step: &CcwPhase| leaps || phase.is_some_and(|phase| follows(phase, *step));
        let step = [CcwPhase::Complete, CcwPhase::Validate, CcwPhase::Develop].into_iter().find(leads);
        // A limit that is reached on the way lets only the end through.
        step.map_or_else(|| self.complete(), |step| LoopBNext::Write(enter(step)))
    }

    fn complete(&self) -> LoopBNext {
        let (executive, recommendations) = executive(self.state, self.memory);
        LoopBNext::Write(LoopBOperation::Complete {
            executive,
            recommendations,
            worked_ms: self.memory.worked_ms,
        })
    }

    /// Interactive: the person's choice, or the possible choices.
    fn menu(&self) -> LoopBNext {
        let choices = self.choices();
        match self.memory.chosen.filter(|chosen| choices.contains(chosen)) {
            Some(choice) => {
                choice.phase().map_or(LoopBNext::Write(LoopBOperation::Leave), |phase| self.go(phase))
            }
            None if choices.is_empty() => LoopBNext::End(EndReason::Limit { limit: UsedUp::Iterations }),
            None => LoopBNext::Menu(choices),
        }
    }

    /// Currently possible choices; none at the limit of a loop that cannot be completed.
    fn choices(&self) -> Vec<MenuChoice> {
        let (phase, at_limit) = (self.phase(), self.summary.at_limit());
        let is_planned = self.is_planned();
        let leads = |to| phase.is_some_and(|phase| follows(phase, to));
        let completes = is_planned && leads(CcwPhase::Complete);
        let can = |choice: &MenuChoice| match choice {
            MenuChoice::Complete => completes,
            MenuChoice::Exit => completes || !at_limit,
            _ if at_limit => false,
            MenuChoice::Init => !is_planned,
            MenuChoice::Develop => self.has_work() && leads(CcwPhase::Develop),
            MenuChoice::Debug => is_planned && leads(CcwPhase::Debug),
            MenuChoice::Validate => is_planned && leads(CcwPhase::Validate),
        };
        MenuChoice::ALL.into_iter().filter(can).collect()
    }
}

fn fail(reason: &str) -> LoopBNext {
    LoopBNext::Write(LoopBOperation::Fail { reason: shorten(reason, 2_000) })
}

fn enter(phase: CcwPhase) -> LoopBOperation {
    LoopBOperation::Enter { phase: phase.word().to_owned() }
}

#[cfg(test)]
#[path = "drive_any_tests.rs"]
mod any_tests;
#[cfg(test)]
#[path = "drive_claims_tests.rs"]
mod claims_tests;
#[cfg(test)]
#[path = "drive_menu_tests.rs"]
mod menu_tests;
#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
