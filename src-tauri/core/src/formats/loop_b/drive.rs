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
pub(crate) mod matter;
pub(crate) mod next;
pub(crate) mod output;

pub use crate::formats::loop_b::drive::end::{
    ParallelEnd, check, conclude, conclude_parallel, conclude_tests,
};

use super::operate::{follows, operate};
use super::operation::Operation;
use crate::control::Situation;
use crate::format::{FileFacts, Format};
use crate::formats::ccw::driver::{
    Action, AgentTask, DriverQuestion, EndReason, Memory, QuestionCode, UsedUp, stand,
};
use crate::formats::ccw::menu::MenuChoice;
use crate::formats::ccw_v2::drive::matter::counted;
use crate::formats::loop_b::drive::matter::{executive, matter};
use crate::formats::loop_b::read::state::State;
use crate::status::StatusWord;
use crate::summary::Summary;
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::prompts::prompt;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// What to do now.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run an agent, then [`conclude`].
    Agent(Box<AgentTask<Operation>>),
    /// Run these agents and the tests in parallel, then [`conclude_parallel`].
    Parallel(Vec<AgentTask<Operation>>),
    /// Run the workspace's tests, then [`conclude_tests`].
    Tests {
        /// Written before they start.
        begin: Operation,
    },
    /// Write this, then ask for the next step.
    Write(Operation),
    /// Interactive: a person chooses ([`Memory::choose`]).
    Menu(Vec<MenuChoice>),
    /// A person has to decide; [`Memory::reply`] takes the answer.
    Ask(DriverQuestion),
    /// There is nothing left to do.
    End(EndReason),
}

/// The next step of the loop in `bytes`. Pure: the same arguments give the same step.
#[must_use]
pub fn next(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Next {
    let summary = match stand(bytes, Format::LoopB, facts) {
        Ok(summary) => summary,
        Err(end) => return Next::End(end),
    };
    if let Some(limit) = memory.used_up {
        return Next::End(EndReason::Limit { limit });
    }
    if let Some(question) = &memory.question {
        return ask(memory, question.clone());
    }
    let Ok(root) = Node::parse(bytes) else { return Next::End(EndReason::Damaged) };
    let state = State::new(&root);
    let mode = root.get("mode").text().unwrap_or("auto").to_lowercase();
    let place = Place { state: &state, summary: &summary, memory };
    tried(bytes, facts, place.choose(&mode))
}

fn ask(memory: &Memory, question: DriverQuestion) -> Next {
    match memory.asks(question) {
        Ok(question) => Next::Ask(question),
        Err(end) => Next::End(end),
    }
}

/// The step, provided its operation fits the file.
fn tried(bytes: &[u8], facts: &FileFacts<'_>, next: Next) -> Next {
    let operation = match &next {
        Next::Agent(task) => task.begin.as_ref(),
        Next::Tests { begin } => Some(begin),
        Next::Write(operation) => Some(operation),
        Next::Parallel(_) | Next::Menu(_) | Next::Ask(_) | Next::End(_) => None,
    };
    let situation = Situation { shown: StatusWord::Running, now: facts.now };
    let refused = operation.and_then(|operation| operate(bytes, facts, operation, &situation).err());
    refused.map_or(next, |refusal| Next::End(EndReason::Refused { refusal }))
}

/// The current state of the loop.
struct Place<'s> {
    state: &'s State<'s>,
    summary: &'s Summary,
    memory: &'s Memory,
}

impl Place<'_> {
    fn choose(&self, mode: &str) -> Next {
        if self.phase() == "complete" {
            return self.complete();
        }
        if mode == "interactive" {
            return self.menu();
        }
        let target = if mode == "parallel" { self.target_in_parallel() } else { self.target() };
        if self.summary.at_limit() && target != "complete" {
            return Next::End(EndReason::Limit { limit: UsedUp::Iterations });
        }
        if let Some(worker) = ["develop", "debug"].into_iter().find(|worker| self.gives_up(worker)) {
            return self.ask_about(worker);
        }
        match target {
            "parallel" => {
                Next::Parallel(["develop", "debug"].map(|worker| self.worker(worker, None)).to_vec())
            }
            target => self.go(target),
        }
    }

    fn phase(&self) -> String {
        self.state.skill.get("phase").text().unwrap_or("init").to_lowercase()
    }

    fn is_planned(&self) -> bool {
        !self.state.pending.is_empty() || !self.state.completed.is_empty() || self.memory.without_tasks
    }

    /// Tasks, or issues that debugging found.
    fn has_work(&self) -> bool {
        !self.state.pending.is_empty() || !self.memory.issues.is_empty()
    }

    fn gives_up(&self, worker: &str) -> bool {
        self.memory.is_used_up(worker) && !self.memory.left.contains(worker)
    }

    /// Auto: what follows the worker that ended last; if unknown, the worker of this phase.
    fn target(&self) -> &str {
        let phase = self.phase();
        match &self.memory.worker {
            _ if !self.is_planned() => "init",
            Some(worker) if worker.action == phase => &worker.next,
            _ => match phase.as_str() {
                "debug" => "debug",
                "validate" => "validate",
                _ => "develop",
            },
        }
    }

    fn target_in_parallel(&self) -> &str {
        match &self.memory.worker {
            _ if !self.is_planned() => "init",
            Some(worker) if worker.next == "complete" => "complete",
            Some(worker) if worker.action == "validate" => "parallel",
            _ if self.state.parallel.is_null() => "parallel",
            _ => "validate",
        }
    }

    fn go(&self, target: &str) -> Next {
        match target {
            "init" => self.init(),
            "complete" => self.finish(),
            "validate" if self.memory.without_tests => self.finish(),
            "validate" => Next::Tests { begin: enter("validate") },
            // Nothing to develop: the phase is passed through, and the next worker sees what there is.
            "develop" if !self.has_work() && self.phase() == "develop" => self.go("debug"),
            "develop" if !self.has_work() && self.phase() == "init" => Next::Write(enter("develop")),
            worker => Next::Agent(Box::new(self.worker(worker, Some(enter(worker))))),
        }
    }

    fn init(&self) -> Next {
        let action = Action::Init;
        let matter = matter(self.state, self.summary, self.memory, &action);
        let prompt = prompt(&action, &matter);
        Next::Agent(Box::new(AgentTask { action, begin: None, prompt, answer: AnswerKind::Init, matter }))
    }

    fn worker(&self, worker: &str, begin: Option<Operation>) -> AgentTask<Operation> {
        let action = Action::Worker { worker: worker.to_owned() };
        let mut matter = matter(self.state, self.summary, self.memory, &action);
        if begin.is_none() {
            matter.others = ["develop", "debug"]
                .into_iter()
                .filter(|&other| other != worker)
                .map(str::to_owned)
                .collect();
        }
        let prompt = prompt(&action, &matter);
        AgentTask { action, begin, prompt, answer: AnswerKind::Worker, matter }
    }

    fn ask_about(&self, worker: &str) -> Next {
        let failed = self.memory.failures.get(worker).cloned().unwrap_or_default();
        if !self.memory.policy.ask {
            let tries = counted(failed.tries as usize, "time");
            return fail(&format!("The {worker} worker failed {tries}: {}", failed.why));
        }
        let question =
            DriverQuestion::new(QuestionCode::WorkerFailed, worker, &failed.why).counted(failed.tries);
        ask(self.memory, question)
    }

    /// A person skipped the develop worker, and no task was finished.
    fn came_to_nothing(&self) -> bool {
        let left = self.memory.left.contains("develop") && !self.state.pending.is_empty();
        left && self.state.completed.is_empty()
    }

    /// Through the phases on the way: complete can only be reached from debug and validate.
    fn finish(&self) -> Next {
        let phase = self.phase();
        let mode = self.state.root.get("mode").text().unwrap_or_default();
        if self.came_to_nothing() && !mode.eq_ignore_ascii_case("interactive") {
            let said = self.memory.summaries.iter().rev().find(|note| note.about == "develop");
            let said = said.map(|note| format!(": {}", note.text)).unwrap_or_default();
            return fail(&format!("The develop worker failed and no task was completed{said}"));
        }
        let step = ["complete", "validate", "develop"]
            .into_iter()
            .find(|step| follows(&phase, step) || (mode.eq_ignore_ascii_case("parallel") && phase == "init"));
        // If the limit is reached on the way, only the end is possible.
        step.map_or_else(|| self.complete(), |step| Next::Write(enter(step)))
    }

    fn complete(&self) -> Next {
        let (executive, recommendations) = executive(self.state, self.memory);
        Next::Write(Operation::Complete { executive, recommendations, worked_ms: self.memory.worked_ms })
    }

    /// Interactive: the person's choice, or the possible choices.
    fn menu(&self) -> Next {
        let choices = self.choices();
        match self.memory.chosen.filter(|chosen| choices.contains(chosen)) {
            Some(MenuChoice::Exit) => Next::Write(Operation::Leave),
            Some(choice) => self.go(choice.word()),
            None if choices.is_empty() => Next::End(EndReason::Limit { limit: UsedUp::Iterations }),
            None => Next::Menu(choices),
        }
    }

    /// Currently possible choices; none at the limit of a loop that cannot be completed.
    fn choices(&self) -> Vec<MenuChoice> {
        let (phase, at_limit) = (self.phase(), self.summary.at_limit());
        let is_planned = self.is_planned();
        let completes = is_planned && follows(&phase, "complete");
        let can = |choice: &MenuChoice| match choice {
            MenuChoice::Complete => completes,
            MenuChoice::Exit => completes || !at_limit,
            _ if at_limit => false,
            MenuChoice::Init => !is_planned,
            MenuChoice::Develop => self.has_work() && follows(&phase, "develop"),
            MenuChoice::Debug | MenuChoice::Validate => is_planned && follows(&phase, choice.word()),
        };
        MenuChoice::ALL.into_iter().filter(can).collect()
    }
}

fn fail(reason: &str) -> Next {
    Next::Write(Operation::Fail { reason: shorten(reason, 2_000) })
}

fn enter(phase: &str) -> Operation {
    Operation::Enter { phase: phase.to_owned() }
}

#[cfg(test)]
#[path = "drive_claims_tests.rs"]
mod claims_tests;
#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
