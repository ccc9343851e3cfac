//! Our work on one loop: what was chosen, what is running, what waits for the person.

use super::records::Spent;
use super::run_event::{Heard, RunEnd};
use super::worktrees::{Settled, Worktree};
use crate::evidence::desk::EvidenceDesk;
use crate::preferences::plan::{Driver, RunPlan};
use crate::rows::{LoopRun, Need, NeedReason, Resumed, StopView, WorkerNow};
use crate::run::{Run, RunAction};
use crate::run_monitor::Job;
use crate::runs::{Attached, LoopKey, StopReport};
use loopdeck_agents::outcome::{Asked, Verdict};
use loopdeck_agents::{Level, OutputKind};
use loopdeck_core::driver::{AgentTask, EndedRun, Memory};
use loopdeck_core::format::Format;
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::loops::drive::CommandCheck;
use loopdeck_core::status::FileStatus;
use loopdeck_core::step::Operation;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_system::clock;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A step that was worked out on `before`: written as it is while the file has not changed.
#[derive(Debug)]
pub struct PreparedStep {
    /// The step.
    pub operation: Operation,
    /// The file that it was worked out on.
    pub before: Vec<u8>,
    /// What it makes of that.
    pub after: Vec<u8>,
}

/// The work on one loop, from the start of its agent to its end, and what is still shown of it afterwards.
pub(crate) struct Execution {
    pub(crate) key: LoopId,
    pub(crate) format: Format,
    /// The workspace, where agents and tests run.
    pub(crate) root: PathBuf,
    pub(crate) plan: RunPlan,
    /// Display name of the agent that is at work, or was last: a task may name another one than the plan's.
    pub(crate) agent: String,
    /// What that one may do.
    pub(crate) level: Option<Level>,
    pub(crate) memory: Memory,
    pub(crate) doing: Activity,
    /// How long it was at work, for the limit of time.
    pub(crate) watch: Stopwatch,
    /// What was spent before, for the limits of money and tokens.
    pub(crate) spent_before: Spent,
    pub(crate) spent: Spent,
    /// What waits for the person, with what an answer needs.
    pub(crate) needs: Vec<PendingNeed>,
    /// Run and tool that the person allowed until the run ends.
    pub(crate) allowed: BTreeSet<(String, String)>,
    /// The end was asked for.
    pub(crate) asked: Option<Asked>,
    pub(crate) last_output: Timestamp,
    pub(crate) started: bool,
    /// When the loop's own final word was seen while a process was alive.
    pub(crate) final_at: Option<Timestamp>,
    /// What the end left behind.
    pub(crate) stop: Option<StopReport>,
    /// The action that is shown.
    pub(crate) action: Option<RunAction>,
    /// A round of parallel workers is running.
    pub(crate) parallel: bool,
    /// Whose start this work is.
    pub(crate) origin: Origin,
    /// When the last work of ours ended; `None` while some continues.
    pub(crate) over_at: Option<Timestamp>,
    /// When the row was last changed because of more output only.
    pub(crate) shown_at: Timestamp,
    /// Runs whose result is taken up when the loop continues: they ended while no Loopdeck was there, or others of their
    /// round were cut off.
    pub(crate) unconcluded: Vec<RunSlot>,
    /// AoT: the direction is about to change. What runs is interrupted, and nothing starts until the file says otherwise.
    pub(crate) is_held_for_redirect: bool,
    /// AoT: how often the direction was changed, as it was seen last.
    pub(crate) corrections: Option<u32>,
    /// AoT, the plugin drives: what the file said when the plugin was started, until it says anything else.
    pub(crate) handed_over_status: Option<FileStatus>,
    /// AoT, the plugin drives: the limit that the person raised, until it is written.
    pub(crate) raise: Option<u32>,
    /// AoT: which preparation of worktrees is awaited; an older one is of no use.
    pub(crate) parting: u32,
    /// AoT: worktrees of the workers that are started now, by atom.
    pub(crate) apart: BTreeMap<String, Worktree>,
    /// AoT: workers that ended and whose changes are being merged.
    pub(crate) settling: Option<Vec<RunSlot>>,
    /// What the next step makes of the file; taken by the write of that step.
    pub(crate) prepared_step: Option<PreparedStep>,
    /// AoT: worktrees whose work is settled and that are being removed.
    pub(crate) removing: Vec<PathBuf>,
    /// What of the results is in the evidence next to the loop.
    pub(crate) evidence: EvidenceDesk,
    /// Number of the newest message that the last step read; 0 without one.
    pub(crate) newest_message: i64,
}

/// Adds up time as guardians count it: by the clock that cannot be set and that stops while the machine sleeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopwatch {
    sum: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    pub(crate) fn started(now: Instant) -> Self {
        Self { sum: Duration::ZERO, since: Some(now) }
    }

    pub(crate) fn start(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    pub(crate) fn stop(&mut self, now: Instant) {
        self.sum = self.read(now);
        self.since = None;
    }

    pub(crate) fn read(&self, now: Instant) -> Duration {
        self.sum + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

/// Whose start a work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A person started it here.
    Started,
    /// An earlier Loopdeck started it, and was killed or closed.
    Found,
    /// The same, and a person has started the loop here since: it continues as if it had been started here.
    TakenOver,
}

/// What is running.
pub(crate) enum Activity {
    /// Processes are at work, or about to be.
    Runs(Vec<RunSlot>),
    /// The person has to answer.
    Asks,
    /// A provider's limit is waited for.
    Waits {
        /// When it is tried again.
        until: Timestamp,
    },
    /// Nothing.
    Over,
}

/// One process of the work.
pub(crate) struct RunSlot {
    pub(crate) what: Purpose,
    pub(crate) run: Run,
    pub(crate) run_dir: PathBuf,
    pub(crate) kind: OutputKind,
    /// Once its guardian can be talked to.
    pub(crate) attached: Option<Attached>,
    /// Set when the end is wanted before it was started.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Last line of output, and when; `None` before the first output.
    pub line: (String, Option<Timestamp>),
    /// Once it is over.
    pub(crate) end: Option<Box<RunEnd>>,
    /// Of one that worked apart, once that is settled: what it did.
    pub(crate) settled: Option<Settled>,
}

impl RunSlot {
    /// What `job` is going to do.
    pub(crate) fn new(what: Purpose, run: Run, job: &Job) -> Self {
        let (run_dir, cancel) = (job.run_dir.clone(), Arc::clone(&job.cancel));
        Self {
            what,
            run,
            run_dir,
            kind: job.kind,
            attached: None,
            cancel,
            line: (String::new(), None),
            end: None,
            settled: None,
        }
    }
}

/// Ids of the runs of these.
pub(crate) fn ids_of(slots: &[RunSlot]) -> Vec<String> {
    slots.iter().map(|slot| slot.run.id.clone()).collect()
}

/// What a process is for.
pub(crate) enum Purpose {
    Agent(Box<AgentTask>),
    Tests,
    /// A command of an AoT loop's completion check.
    Check(CommandCheck),
    /// The skill drives; its slash command without the slash, where it is started by one.
    Skill(Option<String>),
    /// The own tool of a plan.
    OwnTool,
    /// Found at the start: the process of a Loopdeck that ended.
    Found,
}

/// A need with what its answer is for.
pub(crate) struct PendingNeed {
    pub(crate) need: Need,
    pub(crate) about: NeedSubject,
    /// Of something that failed: why it is shown.
    pub(crate) reason: Option<NeedReason>,
}

impl PendingNeed {
    /// It is about something that remains until a person deals with it, whatever happens to the work.
    pub(crate) fn stays(&self) -> bool {
        matches!(self.about, NeedSubject::Left(_) | NeedSubject::Kept)
    }
}

/// What an answer is for.
pub(crate) enum NeedSubject {
    /// A request of the agent, to be answered over standard input.
    Permission { run: String, request: String, tool: String, input: String },
    /// A question of the driver.
    Question,
    /// The menu of an interactive loop; the need has its choices.
    Menu,
    /// A used-up limit.
    Limit,
    /// A provider's limit, a failure, an interruption.
    GoOn,
    /// The file says *failed* while processes are at work.
    Marked,
    /// The state file is gone.
    Gone,
    /// Work that is not in the folder.
    Kept,
    /// What a stop left: folders of the runs.
    Left(Vec<PathBuf>),
}

impl Execution {
    /// Work that begins now.
    pub(crate) fn new(key: &LoopId, root: PathBuf, format: Format, plan: RunPlan, spent: Spent) -> Self {
        let now = clock::now();
        Self {
            key: key.clone(),
            format,
            root,
            level: plan.level,
            plan,
            agent: String::new(),
            memory: Memory::default(),
            doing: Activity::Runs(Vec::new()),
            watch: Stopwatch::started(Instant::now()),
            spent_before: spent,
            spent,
            needs: Vec::new(),
            allowed: BTreeSet::new(),
            asked: None,
            last_output: now,
            started: false,
            final_at: None,
            stop: None,
            action: None,
            parallel: false,
            origin: Origin::Started,
            over_at: None,
            shown_at: Timestamp::default(),
            unconcluded: Vec::new(),
            is_held_for_redirect: false,
            corrections: None,
            handed_over_status: None,
            raise: None,
            parting: 0,
            apart: BTreeMap::new(),
            settling: None,
            prepared_step: None,
            removing: Vec::new(),
            evidence: EvidenceDesk::default(),
            newest_message: 0,
        }
    }

    /// Whether the plugin drives: an AoT loop that Loopdeck does not drive itself.
    pub(crate) fn is_plugin(&self) -> bool {
        self.format.traits().has_plugin && self.plan.driver != Driver::Loopdeck
    }

    /// Whether the own tool of a plan is at work.
    pub(crate) fn is_own_tool(&self) -> bool {
        self.plan.own_tool().is_some()
    }

    /// Another participant is awaited: that time is not the agent's.
    pub(crate) fn wait(&mut self, doing: Activity) {
        self.doing = doing;
        self.watch.stop(Instant::now());
    }

    /// It continues.
    pub(crate) fn wait_no_more(&mut self) {
        self.memory.waiting = None;
        self.doing = Activity::Runs(Vec::new());
        self.watch.start(Instant::now());
    }

    /// Whether the person chose that the loop continues after an earlier Loopdeck was closed or crashed: beforehand, or by starting it
    /// here.
    pub(crate) fn keeps_going(&self) -> bool {
        self.plan.keep_going || self.memory.keeps_going || self.origin == Origin::TakenOver
    }

    /// Its loop, as the journal and guardians name it.
    pub(crate) fn loop_key(&self) -> LoopKey {
        LoopKey { workspace: self.root.to_string_lossy().into_owned(), file: file_of(&self.key).to_owned() }
    }

    /// US dollars spent since this start.
    pub(crate) fn spent_now(&self) -> f64 {
        self.spent.cost_usd.unwrap_or(0.0) - self.spent_before.cost_usd.unwrap_or(0.0)
    }

    /// Tokens used since this start.
    pub(crate) fn tokens_now(&self) -> u64 {
        self.spent.tokens.unwrap_or(0).saturating_sub(self.spent_before.tokens.unwrap_or(0))
    }

    /// How long the work took so far, waiting not counted.
    pub(crate) fn took(&self) -> TimeDelta {
        TimeDelta::from_std(self.watch.read(Instant::now())).unwrap_or(TimeDelta::MAX)
    }

    /// Whether processes are running, or an answer lets them continue.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self.doing, Activity::Over)
    }

    pub(crate) fn slots(&self) -> &[RunSlot] {
        if let Activity::Runs(slots) = &self.doing { slots } else { &[] }
    }

    pub(crate) fn slot_mut(&mut self, run: &str) -> Option<&mut RunSlot> {
        let Activity::Runs(slots) = &mut self.doing else { return None };
        slots.iter_mut().find(|slot| slot.run.id == run)
    }

    /// A run of the work is over: what an interrupted agent can continue with is remembered.
    pub(crate) fn note_conversation(&mut self, run: &Run, verdict: &Verdict) {
        let was_to = run.resumed.as_ref().and_then(Resumed::goes_on);
        self.memory.run_ended(&EndedRun {
            action: run.action.word(),
            task: run.task.as_deref(),
            agent: Some(run.agent_of(&self.plan)).filter(|_| !run.agent.is_empty()),
            conversation: run.session.as_deref().or(was_to),
            verdict,
            beside: self.slots().len() > 1,
        });
    }

    pub(crate) fn take_in(&mut self, heard: &Heard) {
        self.last_output = heard.last_output.map_or(self.last_output, |at| self.last_output.max(at));
        self.started |= heard.started;
    }

    /// Whether the agent, or the driver, asked something that is not answered yet.
    pub(crate) fn asks(&self) -> bool {
        use crate::rows::NeedKind as K;
        self.needs.iter().any(|it| matches!(it.need.kind, K::Permission | K::Question | K::Menu))
    }

    /// What the list shows of it.
    #[allow(clippy::cast_precision_loss)] // exact up to 9e15 tokens
    pub(crate) fn shown(&self) -> LoopRun {
        LoopRun {
            agent: self.agent.clone(),
            level: self.level,
            alive: self.is_on(),
            action: self.action.as_ref().filter(|_| self.is_on()).map(|action| action.word().to_owned()),
            last_output: Some(self.last_output.number()),
            cost_usd: self.spent.cost_usd,
            tokens: self.spent.tokens.map(|tokens| tokens as f64),
            stop: self.stop.as_ref().map(stop_view),
            needs: u32::try_from(self.needs.len()).unwrap_or(u32::MAX),
            workers: self.slots().iter().filter(|slot| slot.end.is_none()).map(worker_of).collect(),
        }
    }
}

fn worker_of(slot: &RunSlot) -> WorkerNow {
    let (line, at) = &slot.line;
    WorkerNow {
        run: slot.run.id.clone(),
        action: slot.run.action.word().to_owned(),
        task: slot.run.task.clone(),
        started: slot.run.started.number(),
        last_output: at.map(Timestamp::number),
        line: line.clone(),
    }
}

/// What a stop left, for the window.
pub(crate) fn stop_view(report: &StopReport) -> StopView {
    match report {
        StopReport::AllGone { ended } => StopView::AllGone { ended: *ended },
        StopReport::Left { ended, processes } => {
            StopView::Left { ended: *ended, processes: processes.iter().map(Into::into).collect() }
        }
        StopReport::Unknown { why } => StopView::Unknown { why: why.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_at_work_is_added_up() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut watch = Stopwatch::started(begin);
        assert_eq!(watch.read(at(3)).as_secs(), 3);
        watch.stop(at(5));
        watch.stop(at(7)); // waits on
        assert_eq!(watch.read(at(100)).as_secs(), 5);
        watch.start(at(100));
        watch.start(at(101)); // continues
        assert_eq!(watch.read(at(104)).as_secs(), 9);
    }

    #[test]
    fn time_in_which_a_person_thinks_is_not_the_agents() {
        let plan = RunPlan::default();
        let mut work = Execution::new(&"a:b".into(), PathBuf::new(), Format::LoopV2, plan, Spent::default());
        let later = || Instant::now() + Duration::from_secs(60 * 60);
        work.wait(Activity::Asks);
        assert!(work.watch.read(later()).as_secs() < 60, "while they think");
        work.wait_no_more();
        assert!(work.watch.read(later()).as_secs() >= 60 * 60, "and it counts again after");
    }
}
