//! One interface to the pure drivers of Loop v2, Loop-B and AoT.

use loopdeck_agents::AgentId;
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::custom::CustomAgent;
use loopdeck_agents::prompts::{Matter, TaskMatter};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::aot::Operation as Aot;
use loopdeck_core::formats::aot::drive::{self as aot, CommandCheck, FileCheck, LeftApart, Unmerged};
use loopdeck_core::formats::ccw::driver::{
    Action, AgentTask, Checked, Conclusion, DriverQuestion, EndReason, Ended, Lines, Memory, Seen, Talk,
    TestsEnd,
};
use loopdeck_core::formats::ccw::menu::MenuChoice;
use loopdeck_core::formats::ccw_v2::drive as v2;
use loopdeck_core::formats::ccw_v2::operation::{ListedWork, Operation as V2};
use loopdeck_core::formats::loop_b::drive as b;
use loopdeck_core::formats::loop_b::operation::Operation as B;
use loopdeck_core::step::Operation;

/// One run of an agent, whichever the format.
#[derive(Clone, Debug)]
pub enum Task {
    /// Of a Loop v2.
    V2(Box<AgentTask<V2>>),
    /// Of a Loop-B.
    B(Box<AgentTask<B>>),
    /// Of an AoT loop: a worker on one atom, or a judge of one check.
    Aot(Box<AgentTask<Aot>>),
}

/// Calls the same on the task of every format.
macro_rules! of_task {
    ($self:expr, $task:ident => $what:expr) => {
        match $self {
            Task::V2($task) => $what,
            Task::B($task) => $what,
            Task::Aot($task) => $what,
        }
    };
}

impl Task {
    /// A worker on an atom whose run was found again; the prompt that it got is in its run's folder.
    pub(crate) fn of_found_worker(atom: &str) -> Self {
        Self::Aot(Box::new(AgentTask {
            action: Action::Atom { id: atom.to_owned() },
            begin: None,
            prompt: String::new(),
            answer: AnswerKind::Atom,
            matter: Matter::default(),
        }))
    }

    /// Whether it changes nothing, whatever the plan allows: a judge, a probe.
    pub(crate) fn only_looks(&self) -> bool {
        matches!(self, Self::Aot(task) if matches!(task.action, Action::Judge { .. } | Action::Probe { .. }))
    }

    /// Whether it is a worker of an AoT round.
    pub(crate) fn is_worker_on_atom(&self) -> bool {
        matches!(self, Self::Aot(task) if matches!(task.action, Action::Atom { .. }))
    }

    pub(crate) fn action(&self) -> &str {
        of_task!(self, task => task.action.word())
    }

    /// Id of the task of the loop that it works on.
    pub(crate) fn task_id(&self) -> Option<String> {
        of_task!(self, task => task.matter.task.as_ref().map(|task| task.id.clone()))
    }

    /// The task whose tool and mode choose the agent: one of a Loop v2. A worker of Loop-B does several in one run.
    pub(crate) fn chooses(&self) -> Option<&TaskMatter> {
        if let Task::V2(task) = self { task.matter.task.as_ref() } else { None }
    }

    /// How its run begins.
    pub(crate) fn talk(&self, memory: &Memory, agent: &AgentId, custom: &[CustomAgent]) -> Talk {
        of_task!(self, task => task.talk(memory, agent, custom))
    }

    /// Kind of its answer.
    pub(crate) fn answer(&self) -> AnswerKind {
        of_task!(self, task => task.answer)
    }

    /// Whether its work is searched for log statements of debugging: only Loop v2 asks for them.
    pub(crate) fn may_instrument(&self) -> bool {
        matches!(self, Task::V2(_))
    }

    /// Whether it is a round of debugging that logs.
    pub(crate) fn logs(&self) -> bool {
        matches!(self, Task::V2(task) if matches!(task.action, Action::Debug { .. }))
    }

    /// What its agent is told.
    pub fn prompt(&self) -> &str {
        of_task!(self, task => &task.prompt)
    }

    /// The schema of its answer.
    pub fn schema(&self) -> &'static str {
        of_task!(self, task => loopdeck_agents::answers::schema(task.answer))
    }

    pub(crate) fn iteration(&self) -> u32 {
        of_task!(self, task => task.matter.iteration)
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        of_task!(self, task => loopdeck_agents::prompts::environment(&task.action, &task.matter))
    }

    /// Written before the agent starts.
    pub(crate) fn begin(&self) -> Option<Operation> {
        match self {
            Task::V2(task) => task.begin.clone().map(|step| Operation::LoopV2 { step }),
            Task::B(task) => task.begin.clone().map(|step| Operation::LoopB { step }),
            Task::Aot(task) => task.begin.clone().map(|step| Operation::Aot { step }),
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
pub enum Next {
    /// An agent.
    Agent(Task),
    /// These agents and the tests at once.
    Parallel(Vec<Task>),
    /// These workers in parallel, once this is written: the batch of an AoT round.
    Batch(Operation, Vec<Task>),
    /// The tests, once this is written.
    Tests(Operation),
    /// A command of the completion check.
    Command(CommandCheck),
    /// Paths and patterns of the completion check.
    Files(Vec<FileCheck>),
    /// A person is about to redirect: nothing starts until the file says otherwise.
    Hold,
    /// The worker's version of changes that could not be merged.
    Take(Box<Unmerged>),
    /// A step that needs no process.
    Write(Operation),
    /// The person chooses.
    Menu(Vec<MenuChoice>),
    /// The person is asked.
    Ask(DriverQuestion),
    /// Nothing more.
    End(EndReason),
}

/// One of the agents that ran in parallel.
pub(crate) struct AgentEnd<'e> {
    pub(crate) task: Task,
    pub(crate) ended: Ended<'e>,
    /// Files that were seen to change, where that can be told.
    pub(crate) changed: Option<&'e [String]>,
    /// Its changes that are not in the folder.
    pub(crate) left: Option<&'e LeftApart>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Concluded {
    Write(Vec<Operation>),
    /// Writes these, then ends.
    WriteThenEnd(Vec<Operation>, EndReason),
    Retry(String),
    Ask(DriverQuestion),
    End(EndReason),
}

/// The next step, and the file that it leaves where that is known.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) next: Next,
    pub(crate) after: Option<Vec<u8>>,
}

/// The next step of a loop, whatever its task list says.
pub fn next(format: Format, bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Next {
    step(format, bytes, facts, memory, &[]).next
}

/// The next step of a loop, with the tasks of the list beside it.
pub(crate) fn step(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &Memory,
    listed: &[ListedWork],
) -> Step {
    if format == Format::Aot {
        let aot::Step { next, after } = aot::step(bytes, facts, memory);
        return Step { next: aot_next(next), after };
    }
    Step { next: ccw_next(format, bytes, facts, memory, listed), after: None }
}

fn ccw_next(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &Memory,
    listed: &[ListedWork],
) -> Next {
    match format {
        Format::LoopV2 => match v2::next_beside(bytes, facts, memory, listed) {
            v2::Next::Agent(task) => Next::Agent(Task::V2(task)),
            v2::Next::Tests { begin } => Next::Tests(Operation::LoopV2 { step: begin }),
            v2::Next::Write(step) => Next::Write(Operation::LoopV2 { step }),
            v2::Next::Menu(choices) => Next::Menu(choices),
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

fn aot_next(next: aot::Next) -> Next {
    let step = |step| Operation::Aot { step };
    match next {
        aot::Next::Batch { begin, tasks } => {
            Next::Batch(step(begin), tasks.into_iter().map(|task| Task::Aot(Box::new(task))).collect())
        }
        aot::Next::Judge(task) | aot::Next::Probe(task) => Next::Agent(Task::Aot(task)),
        aot::Next::Command(check) => Next::Command(check),
        aot::Next::Files(checks) => Next::Files(checks),
        aot::Next::Take(unmerged) => Next::Take(unmerged),
        aot::Next::Write(operation) => Next::Write(step(operation)),
        aot::Next::Hold => Next::Hold,
        aot::Next::Ask(question) => Next::Ask(question),
        aot::Next::End(end) => Next::End(end),
    }
}

/// What follows from the end of an agent.
pub(crate) fn conclude(
    task: &Task,
    ended: &Ended<'_>,
    seen: Seen<'_>,
    lines: Option<Lines>,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    match task {
        Task::V2(task) => v2_concluded(v2::conclude(task, ended, seen, bytes, facts, memory)),
        Task::B(task) => b_concluded(b::conclude(task, ended, seen.changed, lines, bytes, facts, memory)),
        Task::Aot(task) if matches!(task.action, Action::Judge { .. }) => {
            aot_concluded(aot::conclude_judge(task, ended, bytes, facts, memory))
        }
        Task::Aot(task) if matches!(task.action, Action::Probe { .. }) => {
            aot_concluded(aot::conclude_probe(task, ended, bytes, facts, memory))
        }
        Task::Aot(task) => {
            let ends = [aot::BatchEnd { task, ended: *ended, left: None }];
            aot_concluded(aot::conclude_batch(&ends, bytes, facts, memory))
        }
    }
}

/// What of an answer the disk does not bear out; to be asked before [`conclude`].
pub(crate) fn check(
    task: &Task,
    ended: &Ended<'_>,
    changed: Option<&[String]>,
    bytes: &[u8],
    memory: &Memory,
) -> Checked {
    match task {
        Task::V2(task) => v2::check(task, ended, changed, bytes, memory),
        Task::B(task) => b::check(task, ended, changed, memory),
        Task::Aot(_) => Checked::default(),
    }
}

/// Failed actions that the file does not tell yet, once it can.
pub(crate) fn unwritten(
    format: Format,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &Memory,
) -> Option<Operation> {
    let step = v2::unwritten(bytes, facts, memory).filter(|_| format == Format::LoopV2)?;
    Some(Operation::LoopV2 { step })
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
    ends: &[AgentEnd<'_>],
    tests: &TestsEnd,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    let workers: Vec<aot::BatchEnd<'_>> = ends
        .iter()
        .filter_map(|end| match &end.task {
            Task::Aot(task) => Some(aot::BatchEnd { task, ended: end.ended, left: end.left }),
            Task::V2(_) | Task::B(_) => None,
        })
        .collect();
    if !workers.is_empty() {
        return aot_concluded(aot::conclude_batch(&workers, bytes, facts, memory));
    }
    let ends: Vec<b::ParallelEnd<'_>> = ends
        .iter()
        .filter_map(|end| match &end.task {
            Task::B(task) => Some(b::ParallelEnd { task, ended: end.ended, seen: end.changed }),
            Task::V2(_) | Task::Aot(_) => None,
        })
        .collect();
    b_concluded(b::conclude_parallel(&ends, tests, bytes, facts, memory))
}

/// Whether the worker says that it did its atom.
pub(crate) fn resolves(task: &Task, ended: Ended<'_>) -> bool {
    matches!(task, Task::Aot(task) if aot::resolves(&aot::BatchEnd { task, ended, left: None }))
}

/// What follows when the worker's version was taken, or could not be.
pub(crate) fn conclude_taken(
    taken: Result<(), &str>,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    aot_concluded(aot::conclude_taken(taken, bytes, facts, memory))
}

/// What the end of a command of the completion check means.
pub(crate) fn conclude_command(
    check: &CommandCheck,
    result: &aot::CommandResult<'_>,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    aot_concluded(aot::conclude_command(check, result, bytes, facts, memory))
}

/// What the files that were looked up mean for the completion check.
pub(crate) fn conclude_files(
    found: &[(FileCheck, aot::FileFound)],
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    aot_concluded(aot::conclude_files(found, bytes, facts, memory))
}

fn aot_concluded(conclusion: Conclusion<Aot>) -> Concluded {
    concluded(conclusion, |step| Operation::Aot { step })
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
        Conclusion::WriteThenEnd(steps, end) => {
            Concluded::WriteThenEnd(steps.into_iter().map(wrap).collect(), end)
        }
        Conclusion::Retry { prompt } => Concluded::Retry(prompt),
        Conclusion::Ask(question) => Concluded::Ask(question),
        Conclusion::End(end) => Concluded::End(end),
    }
}
