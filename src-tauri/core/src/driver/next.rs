//! What a driver decides: the next step of a loop, and what follows from the end of what it started.

use super::{AgentTask, DriverQuestion, EndReason, Memory, MenuChoice};
use crate::checklist::{CommandCheck, FileCheck};
use crate::formats::aot::drive::verification::Unmerged;

/// What to do now. `Op`: the operations of the format. No format has all of these; each one's driver says which.
#[derive(Clone, Debug, PartialEq)]
pub enum Next<Op> {
    /// Run an agent.
    Agent {
        /// Written before it starts.
        begin: Option<Op>,
        /// What it is asked to do.
        task: Box<AgentTask>,
    },
    /// Run these agents and the tests in parallel (Loop-B).
    Parallel(Vec<AgentTask>),
    /// Run these agents in parallel (AoT).
    Batch {
        /// Written before they start: one write sets all of them in progress.
        begin: Op,
        /// One for each atom, in file order.
        tasks: Vec<AgentTask>,
    },
    /// Run the workspace's tests (CCW).
    Tests {
        /// Written before they start.
        begin: Op,
    },
    /// Run this command of the completion check (AoT).
    Command(CommandCheck),
    /// Look these files of the completion check up (AoT); there may be none, which opens the verification.
    Files(Vec<FileCheck>),
    /// Take the worker's version of these changes (AoT).
    Take(Box<Unmerged>),
    /// Write this, then ask again.
    Write(Op),
    /// A person is about to redirect: wait until the file changes (AoT).
    Hold,
    /// Interactive: a person chooses ([`Memory::choose`]).
    Menu(Vec<MenuChoice>),
    /// A person has to decide: [`Memory::question`] takes it, [`Memory::reply`] the answer.
    Ask(DriverQuestion),
    /// There is nothing to do.
    End(EndReason),
}

impl<Op> Next<Op> {
    /// An agent that starts without a write.
    pub(crate) fn agent(task: AgentTask) -> Self {
        Self::Agent { begin: None, task: Box::new(task) }
    }

    /// The question, or the end when there is nobody to ask.
    pub(crate) fn ask(memory: &Memory, question: DriverQuestion) -> Self {
        memory.asks(question).map_or_else(Self::End, Self::Ask)
    }

    /// What is written for it, before anything starts.
    #[must_use]
    pub fn operation(&self) -> Option<&Op> {
        match self {
            Self::Agent { begin, .. } => begin.as_ref(),
            Self::Batch { begin, .. } | Self::Tests { begin } | Self::Write(begin) => Some(begin),
            _ => None,
        }
    }

    /// The agents that it runs.
    #[must_use]
    pub fn into_tasks(self) -> Vec<AgentTask> {
        match self {
            Self::Agent { task, .. } => vec![*task],
            Self::Parallel(tasks) | Self::Batch { tasks, .. } => tasks,
            _ => Vec::new(),
        }
    }

    /// The same with operations of another type.
    #[must_use]
    pub fn map<To>(self, to: impl Fn(Op) -> To) -> Next<To> {
        match self {
            Self::Agent { begin, task } => Next::Agent { begin: begin.map(to), task },
            Self::Parallel(tasks) => Next::Parallel(tasks),
            Self::Batch { begin, tasks } => Next::Batch { begin: to(begin), tasks },
            Self::Tests { begin } => Next::Tests { begin: to(begin) },
            Self::Command(check) => Next::Command(check),
            Self::Files(checks) => Next::Files(checks),
            Self::Take(unmerged) => Next::Take(unmerged),
            Self::Write(operation) => Next::Write(to(operation)),
            Self::Hold => Next::Hold,
            Self::Menu(choices) => Next::Menu(choices),
            Self::Ask(question) => Next::Ask(question),
            Self::End(end) => Next::End(end),
        }
    }
}

/// The next step, and what the file says once it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<Op> {
    /// The step.
    pub next: Next<Op>,
    /// Where [`Next::operation`] was tried on the file already: the whole file after it. Who finds the file unchanged can
    /// write this, and saves two passes over it.
    pub after: Option<Vec<u8>>,
}

impl<Op> Step<Op> {
    /// The same with operations of another type.
    #[must_use]
    pub fn map<To>(self, to: impl Fn(Op) -> To) -> Step<To> {
        Step { next: self.next.map(to), after: self.after }
    }
}

impl<Op> From<Next<Op>> for Step<Op> {
    fn from(next: Next<Op>) -> Self {
        Self { next, after: None }
    }
}

/// What follows from the end of agents, of tests or of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion<Op> {
    /// Write these in this order, then ask for the next step. A loop that a person paused meanwhile takes them under
    /// the situation `Pausing`.
    Write(Vec<Op>),
    /// The same action once more; what was written before it began is not written again.
    Retry {
        /// With what was wrong.
        prompt: String,
    },
    /// A person has to decide; it is also in [`Memory::question`].
    Ask(DriverQuestion),
    /// The driver ends.
    End(EndReason),
    /// What others came to is written in this order, then the driver ends.
    WriteThenEnd(Vec<Op>, EndReason),
}

impl<Op> Conclusion<Op> {
    /// The same with operations of another type.
    #[must_use]
    pub fn map<To>(self, to: impl Fn(Op) -> To) -> Conclusion<To> {
        let all = |operations: Vec<Op>| operations.into_iter().map(&to).collect();
        match self {
            Self::Write(operations) => Conclusion::Write(all(operations)),
            Self::WriteThenEnd(operations, end) => Conclusion::WriteThenEnd(all(operations), end),
            Self::Retry { prompt } => Conclusion::Retry { prompt },
            Self::Ask(question) => Conclusion::Ask(question),
            Self::End(end) => Conclusion::End(end),
        }
    }
}
