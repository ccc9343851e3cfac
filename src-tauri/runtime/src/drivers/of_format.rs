//! One face for the pure drivers of Loop v2 and Loop-B.

use loopdeck_core::agent::AgentId;
use loopdeck_core::agent::custom::CustomAgent;
use loopdeck_core::ccw::driver::{
    AgentTask, Conclusion, DriverQuestion, EndReason, Ended, Memory, Talk, TestsEnd,
};
use loopdeck_core::ccw_v2::{drive as v2, operate::Operation as V2};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loop_b::drive as b;
use loopdeck_core::loop_b::operate::Operation as B;
use loopdeck_core::step::Operation;
use loopdeck_core::view::LoopBPhase;

/// One run of an agent, whichever the format.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Of a Loop v2.
    V2(Box<AgentTask<V2>>),
    /// Of a Loop-B.
    B(Box<AgentTask<B>>),
}

/// Calls the same on the task of either format.
macro_rules! of_task {
    ($self:expr, $task:ident => $what:expr) => {
        match $self {
            Task::V2($task) => $what,
            Task::B($task) => $what,
        }
    };
}

impl Task {
    pub(crate) fn action(&self) -> &str {
        of_task!(self, task => task.action.word())
    }

    /// Id of the task of the loop that it works on.
    pub(crate) fn task_id(&self) -> Option<String> {
        of_task!(self, task => task.matter.task.as_ref().map(|task| task.id.clone()))
    }

    /// How its run begins.
    pub(crate) fn talk(&self, memory: &Memory, agent: &AgentId, custom: &[CustomAgent]) -> Talk {
        of_task!(self, task => task.talk(memory, agent, custom))
    }

    pub(crate) fn prompt(&self) -> &str {
        of_task!(self, task => &task.prompt)
    }

    pub(crate) fn schema(&self) -> &'static str {
        of_task!(self, task => loopdeck_core::answer::schema(task.answer))
    }

    pub(crate) fn iteration(&self) -> u32 {
        of_task!(self, task => task.matter.iteration)
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        of_task!(self, task => loopdeck_core::prompt::environment(task))
    }

    /// Written before the agent starts.
    pub(crate) fn begin(&self) -> Option<Operation> {
        match self {
            Task::V2(task) => task.begin.clone().map(|step| Operation::LoopV2 { step }),
            Task::B(task) => task.begin.clone().map(|step| Operation::LoopB { step }),
        }
    }

    /// The same task with other words.
    pub(crate) fn said_again(mut self, prompt: String) -> Self {
        of_task!(&mut self, task => task.prompt = prompt);
        self
    }
}

/// What is to be done now.
#[derive(Debug)]
pub(crate) enum Next {
    Agent(Task),
    /// These agents and the tests at once.
    Parallel(Vec<Task>),
    Tests(Operation),
    Write(Operation),
    Menu(Vec<LoopBPhase>),
    Ask(DriverQuestion),
    End(EndReason),
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Concluded {
    Write(Vec<Operation>),
    Retry(String),
    Ask(DriverQuestion),
    End(EndReason),
}

/// The next step of a loop.
pub(crate) fn next(format: Format, bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Next {
    match format {
        Format::LoopV2 => match v2::next(bytes, facts, memory) {
            v2::Next::Agent(task) => Next::Agent(Task::V2(task)),
            v2::Next::Tests { begin } => Next::Tests(Operation::LoopV2 { step: begin }),
            v2::Next::Write(step) => Next::Write(Operation::LoopV2 { step }),
            v2::Next::Ask(question) => Next::Ask(question),
            v2::Next::End(end) => Next::End(end),
        },
        Format::LoopB => match b::next(bytes, facts, memory) {
            b::Next::Agent(task) => Next::Agent(Task::B(task)),
            b::Next::Parallel(tasks) => {
                Next::Parallel(tasks.into_iter().map(|task| Task::B(Box::new(task))).collect())
            }
            b::Next::Tests { begin } => Next::Tests(Operation::LoopB { step: begin }),
            b::Next::Write(step) => Next::Write(Operation::LoopB { step }),
            b::Next::Menu(choices) => Next::Menu(choices),
            b::Next::Ask(question) => Next::Ask(question),
            b::Next::End(end) => Next::End(end),
        },
        _ => Next::End(EndReason::NotOurs),
    }
}

/// What follows from the end of an agent.
pub(crate) fn conclude(
    task: &Task,
    ended: &Ended<'_>,
    seen: Option<&[String]>,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    match task {
        Task::V2(task) => v2_concluded(v2::conclude(task, ended, seen, bytes, facts, memory)),
        Task::B(task) => b_concluded(b::conclude(task, ended, seen, bytes, facts, memory)),
    }
}

/// What follows from the end of the tests.
pub(crate) fn conclude_tests(
    format: Format,
    ended: TestsEnd,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    match format {
        Format::LoopB => b_concluded(b::conclude_tests(ended, bytes, facts, memory)),
        _ => v2_concluded(v2::conclude_tests(ended, bytes, facts, memory)),
    }
}

/// What follows when agents and tests that ran at once have all ended.
pub(crate) fn conclude_parallel(
    ends: &[(Task, Ended<'_>, Option<&[String]>)],
    tests: &TestsEnd,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    let ends: Vec<b::ParallelEnd<'_>> = ends
        .iter()
        .filter_map(|(task, ended, seen)| match task {
            Task::B(task) => Some(b::ParallelEnd { task, ended: *ended, seen: *seen }),
            Task::V2(_) => None,
        })
        .collect();
    b_concluded(b::conclude_parallel(&ends, tests, bytes, facts, memory))
}

fn v2_concluded(conclusion: Conclusion<V2>) -> Concluded {
    concluded(conclusion, |step| Operation::LoopV2 { step })
}

fn b_concluded(conclusion: Conclusion<B>) -> Concluded {
    concluded(conclusion, |step| Operation::LoopB { step })
}

fn concluded<Op>(conclusion: Conclusion<Op>, wrap: impl Fn(Op) -> Operation) -> Concluded {
    match conclusion {
        Conclusion::Write(steps) => Concluded::Write(steps.into_iter().map(wrap).collect()),
        Conclusion::Retry { prompt } => Concluded::Retry(prompt),
        Conclusion::Ask(question) => Concluded::Ask(question),
        Conclusion::End(end) => Concluded::End(end),
    }
}
