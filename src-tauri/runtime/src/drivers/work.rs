//! The work of ours on one loop: what was chosen, what goes on, what waits for the person.

use super::listen::{Heard, Job, RunEnd};
use super::of_format::Task;
use super::plan::RunPlan;
use super::rows::{LoopRun, Need, RunRow, StopView};
use crate::catalog::{Entry, Key};
use crate::clock;
use crate::journal::Spent;
use crate::runs::{Attached, StopReport};
use loopdeck_core::agent::OutputKind;
use loopdeck_core::agent::outcome::Asked;
use loopdeck_core::ccw::driver::Memory;
use loopdeck_core::format::Format;
use loopdeck_core::times::Millis;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The work on one loop, from the start of its agent to its end, and what is still shown of it afterwards.
pub(crate) struct Work {
    pub(crate) key: Key,
    pub(crate) format: Format,
    /// The workspace, where agents and tests run.
    pub(crate) root: PathBuf,
    pub(crate) plan: RunPlan,
    /// Display name of the agent.
    pub(crate) agent: String,
    pub(crate) memory: Memory,
    pub(crate) doing: Doing,
    /// When the work began, for the limit of time.
    pub(crate) since: Millis,
    /// How long the person or a provider was waited for meanwhile.
    pub(crate) waited: Millis,
    /// Since when one of them is waited for now.
    pub(crate) waits_since: Option<Millis>,
    /// What was spent before, for the limit of money.
    pub(crate) spent_before: Spent,
    pub(crate) spent: Spent,
    /// What waits for the person, with what an answer needs.
    pub(crate) needs: Vec<Waiting>,
    /// Run and tool that the person allowed until the run ends.
    pub(crate) allowed: BTreeSet<(String, String)>,
    /// The end was asked for.
    pub(crate) asked: Option<Asked>,
    /// How often a provider's limit was waited for.
    pub(crate) waits: u32,
    pub(crate) last_output: Millis,
    pub(crate) started: bool,
    /// When the loop's own final word was seen while a process was alive.
    pub(crate) final_at: Option<Millis>,
    /// What the end left behind.
    pub(crate) stop: Option<StopReport>,
    /// The action that is shown.
    pub(crate) action: Option<String>,
    /// What goes on now is a round of workers side by side.
    pub(crate) parallel: bool,
    /// When nothing of ours went on any more.
    pub(crate) over_at: Millis,
    /// When the row was last changed because of more output only.
    pub(crate) shown_at: Millis,
    /// Runs that ended well while no Loopdeck was there: what they came to is taken up when the person resumes.
    pub(crate) unconcluded: Vec<Part>,
}

/// What goes on.
pub(crate) enum Doing {
    /// Processes are at work, or about to be.
    Runs(Vec<Part>),
    /// The person has to answer.
    Asks,
    /// A provider's limit is waited for.
    Waits {
        /// When it is tried again.
        until: Millis,
    },
    /// Nothing any more.
    Over,
}

/// One process of the work.
pub(crate) struct Part {
    pub(crate) what: What,
    pub(crate) run: RunRow,
    pub(crate) run_dir: PathBuf,
    pub(crate) kind: OutputKind,
    /// Once its guardian can be talked to.
    pub(crate) attached: Option<Attached>,
    /// Set when the end is wanted before it was started.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Once it is over.
    pub(crate) end: Option<Box<RunEnd>>,
}

impl Part {
    /// What `job` is going to do.
    pub(crate) fn of(what: What, run: RunRow, job: &Job) -> Self {
        let (run_dir, cancel) = (job.run_dir.clone(), Arc::clone(&job.cancel));
        Self { what, run, run_dir, kind: job.kind, attached: None, cancel, end: None }
    }
}

/// What a process is for.
pub(crate) enum What {
    Agent(Task),
    Tests,
    /// The skill drives.
    Skill,
    /// Found at the start: the process of a Loopdeck that ended.
    Found,
}

/// A need with what its answer is for.
pub(crate) struct Waiting {
    pub(crate) need: Need,
    pub(crate) about: About,
}

/// What an answer is for.
pub(crate) enum About {
    /// A request of the agent, to be answered over standard input.
    Permission { run: String, request: String, tool: String, input: String },
    /// A question of the driver.
    Question,
    /// The menu of an interactive Loop-B; the need has its actions.
    Menu,
    /// A used-up limit.
    Limit,
    /// A provider's limit, a failure, an interruption.
    GoOn,
    /// What a stop left: folders of the runs.
    Left(Vec<PathBuf>),
}

impl Work {
    /// Work that begins now.
    pub(crate) fn new(key: &Key, root: PathBuf, format: Format, plan: RunPlan, spent: Spent) -> Self {
        let now = clock::now();
        Self {
            key: Arc::clone(key),
            format,
            root,
            plan,
            agent: String::new(),
            memory: Memory::default(),
            doing: Doing::Runs(Vec::new()),
            since: now,
            waited: 0,
            waits_since: None,
            spent_before: spent,
            spent,
            needs: Vec::new(),
            allowed: BTreeSet::new(),
            asked: None,
            waits: 0,
            last_output: now,
            started: false,
            final_at: None,
            stop: None,
            action: None,
            parallel: false,
            over_at: 0,
            shown_at: 0,
            unconcluded: Vec::new(),
        }
    }

    /// Somebody else is waited for: that time is not the agent's.
    pub(crate) fn wait(&mut self, doing: Doing) {
        self.doing = doing;
        self.waits_since.get_or_insert_with(clock::now);
    }

    /// It goes on.
    pub(crate) fn wait_no_more(&mut self) {
        self.doing = Doing::Runs(Vec::new());
        if let Some(since) = self.waits_since.take() {
            self.waited += (clock::now() - since).max(0);
        }
    }

    /// US dollars spent since this start.
    pub(crate) fn spent_now(&self) -> f64 {
        self.spent.cost_usd.unwrap_or(0.0) - self.spent_before.cost_usd.unwrap_or(0.0)
    }

    /// Milliseconds that the work took so far, waiting not counted.
    pub(crate) fn took(&self) -> Millis {
        let now = clock::now();
        let waiting = self.waits_since.map_or(0, |since| now - since);
        (now - self.since - self.waited - waiting).max(0)
    }

    /// Whether processes are at work, or an answer makes them go on.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self.doing, Doing::Over)
    }

    pub(crate) fn parts(&self) -> &[Part] {
        if let Doing::Runs(parts) = &self.doing { parts } else { &[] }
    }

    pub(crate) fn part_mut(&mut self, run: &str) -> Option<&mut Part> {
        let Doing::Runs(parts) = &mut self.doing else { return None };
        parts.iter_mut().find(|part| part.run.id == run)
    }

    pub(crate) fn take_in(&mut self, heard: &Heard) {
        self.last_output = self.last_output.max(heard.last_output);
        self.started |= heard.started;
    }

    /// What the list shows of it.
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub(crate) fn shown(&self) -> LoopRun {
        LoopRun {
            agent: self.agent.clone(),
            level: self.plan.level,
            alive: self.is_on(),
            action: self.action.clone().filter(|_| self.is_on()),
            last_output: (self.last_output > 0).then_some(self.last_output as f64),
            cost_usd: self.spent.cost_usd,
            tokens: self.spent.tokens,
            stop: self.stop.as_ref().map(stop_view),
            needs: u32::try_from(self.needs.len()).unwrap_or(u32::MAX),
        }
    }
}

/// What a stop left, for the window.
pub(crate) fn stop_view(report: &StopReport) -> StopView {
    match report {
        StopReport::AllGone { ended } => StopView::AllGone { ended: *ended },
        StopReport::Left { processes } => StopView::Left {
            ended: 0,
            processes: processes
                .iter()
                .map(|process| super::rows::LeftProcess { pid: process.pid, name: process.name.clone() })
                .collect(),
        },
        StopReport::Unknown { why } => StopView::Unknown { why: why.clone() },
    }
}

/// Formats that Loopdeck drives.
pub(crate) fn is_driven(entry: &Entry) -> bool {
    matches!(entry.summary.format, Format::LoopV2 | Format::LoopB)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Millis = 60 * 60_000;
    const MINUTE: Millis = 60_000;

    fn work() -> Work {
        let plan = RunPlan::default();
        Work::new(&"a:b".into(), PathBuf::new(), Format::LoopV2, plan, Spent::default())
    }

    #[test]
    fn time_in_which_a_person_thinks_is_not_the_agents() {
        let mut work = work();
        work.since -= 3 * HOUR;
        assert!((3 * HOUR..3 * HOUR + MINUTE).contains(&work.took()));
        work.wait(Doing::Asks);
        work.waits_since = work.waits_since.map(|since| since - HOUR);
        assert!((2 * HOUR..2 * HOUR + MINUTE).contains(&work.took()), "while they think");
        work.wait(Doing::Waits { until: 0 });
        work.wait_no_more();
        assert!((2 * HOUR..2 * HOUR + MINUTE).contains(&work.took()), "and after");
        work.wait(Doing::Asks);
        work.waits_since = work.waits_since.map(|since| since - HOUR);
        work.wait_no_more();
        work.wait_no_more();
        assert!((HOUR..HOUR + MINUTE).contains(&work.took()), "each time, once");
    }
}
