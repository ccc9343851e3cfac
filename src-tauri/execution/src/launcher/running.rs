//! Starting processes: agents, the test command, a skill; each becomes a part of the work and a job of its own thread.

use super::starting::{self, SkillLoop, Wanted};
use crate::driver_context::DriverContext;
use crate::output::OutputLog;
use crate::reattach::found::FoundRuns;
use crate::rows::Resumed;
use crate::run::{Run, RunAction};
use crate::run_monitor::{FolderWatch, Job};
use crate::tools;
use crate::tools::AgentForRun;
use crate::work::{Activity, Execution, Purpose, RunSlot};
use crate::{mask, plugin};
use loopdeck_agents::launch::Session;
use loopdeck_agents::{Level, OutputKind};
use loopdeck_core::driver::debug_log::VARIABLE;
use loopdeck_core::driver::{AgentTask, ConversationStart, TestsEnd};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive;
use loopdeck_core::phase::{CcwPhase, IterationBar};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::start::WorkMode;
use loopdeck_core::step::Operation;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

impl DriverContext<'_> {
    /// Whether another program may be started now. Each one is asked for separately, because trust can end at any time, and so can the
    /// lease of a Loopdeck that slept.
    pub(crate) fn may_start(&mut self, key: &LoopId) -> Result<(), Failure> {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let program = scheduler.runner().1;
        let work = scheduler.works.get_mut(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let of = work.loop_key();
        let holder = (scheduler.holder.as_str(), program);
        let refused = if !scheduler.workshop.choices.read(|choices| choices.trusts(&work.root)) {
            Failure::new(FailureKind::Untrusted).with("path", dirs::shown(&work.root))
        } else if !scheduler.workshop.fence().is_open() {
            Failure::new(FailureKind::LeaseLost).with("path", dirs::shown(&work.root))
        } else if !journal.hold_to_run((&of).into(), holder, clock::now()).unwrap_or(true) {
            Refusal::new(RefusalCode::ForeignOwner).into()
        } else {
            return Ok(());
        };
        work.memory.interrupted = true;
        Err(refused)
    }

    /// Starts agents once `begin` is written.
    pub(crate) fn run_agents(
        &mut self,
        key: &LoopId,
        begin: Option<Operation>,
        tasks: Vec<AgentTask>,
        with_tests: bool,
    ) {
        // Before the file says that it begins.
        if let Err(failure) = self.may_start(key) {
            return self.fail(key, &failure);
        }
        if self.asks_for_tool(key, &tasks) {
            return;
        }
        if let Some(begin) = begin
            && let Err(failure) = self.write_step(key, begin)
        {
            return self.step_refused(key, &failure);
        }
        self.start_agents(key, tasks, with_tests);
    }

    /// Starts agents; in a parallel round together with the tests.
    pub(crate) fn start_agents(&mut self, key: &LoopId, tasks: Vec<AgentTask>, with_tests: bool) {
        if self.asks_for_tool(key, &tasks) {
            return; // something was taken away since the action began
        }
        match self.jobs(key, tasks, with_tests) {
            Ok((slots, jobs)) => self.begin(key, slots, jobs, with_tests),
            Err(failure) => self.fail(key, &failure),
        }
    }

    /// Starts what has to run yet of a parallel round whose other workers have ended.
    pub(crate) fn start_missing(&mut self, key: &LoopId, mut found: FoundRuns) {
        let (tasks, tests) = (std::mem::take(&mut found.tasks), found.tests);
        match self.jobs(key, tasks, tests) {
            // Only the tests were missing, and they cannot be started.
            Ok((_, jobs)) if jobs.is_empty() => {
                found.tests = false;
                self.take_up_found(key, found);
            }
            Ok((started, jobs)) => self.begin(key, found.with(started), jobs, true),
            Err(failure) => {
                self.keep_for_later(key, found.slots);
                self.fail(key, &failure);
            }
        }
    }

    fn jobs(
        &mut self,
        key: &LoopId,
        tasks: Vec<AgentTask>,
        with_tests: bool,
    ) -> Result<(Vec<RunSlot>, Vec<Job>), Failure> {
        let (mut slots, mut jobs) = (Vec::new(), Vec::new());
        let beside = tasks.len();
        for task in tasks {
            let (job, run) = self.agent_job(key, &task, beside)?;
            slots.push(RunSlot::new(Purpose::Agent(Box::new(task)), run, &job));
            jobs.push(job);
        }
        if with_tests
            && self.runs_tests_in_parallel(key)
            && let Ok((job, run)) = self.tests_job(key)
        {
            slots.push(RunSlot::new(Purpose::Tests, run, &job));
            jobs.push(job);
        }
        Ok((slots, jobs))
    }

    /// An AoT loop has its completion check instead.
    pub(crate) fn runs_tests_in_parallel(&self, key: &LoopId) -> bool {
        self.has_tests(key)
            && self.scheduler().works.get(key).is_some_and(|work| work.format.traits().runs_tests)
    }

    fn has_tests(&self, key: &LoopId) -> bool {
        self.scheduler().works.get(key).is_some_and(|work| !work.plan.test_command.trim().is_empty())
    }

    pub(crate) fn run_tests(&mut self, key: &LoopId, begin: Operation) {
        if let Err(failure) = self.may_start(key) {
            return self.fail(key, &failure);
        }
        if let Err(failure) = self.write_step(key, begin) {
            return self.step_refused(key, &failure);
        }
        if !self.has_tests(key) {
            let end = TestsEnd::CouldNotRun { why: String::new() };
            let concluded = self.with_file(key, |work, bytes, facts| {
                drive::conclude_tests(work.format, end, (bytes, facts), &mut work.memory)
            });
            return self.follow(key, concluded, Vec::new());
        }
        match self.tests_job(key) {
            Ok((job, run)) => {
                let slot = RunSlot::new(Purpose::Tests, run, &job);
                self.begin(key, vec![slot], vec![job], false);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    pub(crate) fn run_skill(&mut self, key: &LoopId) {
        match self.skill_job(key) {
            Ok((job, run, command)) => {
                let slot = RunSlot::new(Purpose::Skill(command), run, &job);
                self.begin(key, vec![slot], vec![job], false);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    pub(crate) fn begin(&mut self, key: &LoopId, slots: Vec<RunSlot>, jobs: Vec<Job>, parallel: bool) {
        self.note_delivered(key, &slots);
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        let begins = slots.iter().find(|slot| slot.end.is_none());
        work.action = begins.map(|slot| slot.run.action.clone());
        if let Some(slot) = slots.iter().find(|slot| !slot.run.agent.is_empty()) {
            (work.agent, work.level) = (slot.run.agent.clone(), slot.run.level);
        }
        (work.started, work.parallel) = (false, parallel);
        work.last_output = clock::now();
        work.allowed.clear();
        let of = work.loop_key();
        for slot in &slots {
            journal.keep_run((&of).into(), &slot.run).logged("a run is not recorded");
        }
        work.doing = Activity::Runs(slots);
        self.keep_memory(key);
        self.show_work(key);
        for job in jobs {
            self.scheduler().workshop.outputs.keep(&job.run, &job.output);
            job.start();
        }
    }

    /// The agent did not know the conversation that `run` was to continue: its action starts over, once. Returns whether it did.
    pub(crate) fn begin_anew(&mut self, key: &LoopId, run: &str) -> bool {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let Some(slot) = work.slot_mut(run) else { return false };
        let Purpose::Agent(task) = &slot.what else { return false };
        let (task, old) = (task.clone(), slot.run.resumed.as_ref().and_then(Resumed::goes_on));
        let Some(session) = old.map(str::to_owned) else { return false };
        let beside = work.slots().iter().filter(|slot| matches!(slot.what, Purpose::Agent(_))).count();
        let Ok((mut job, mut row)) = self.agent_job(key, &task, beside) else { return false };
        row.resumed = Some(Resumed::BeganAnew { session });
        job.resumed.clone_from(&row.resumed);
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get_mut(key) else { return false };
        journal.keep_run((&work.loop_key()).into(), &row).logged("a run is not recorded");
        if let Some(slot) = work.slot_mut(run) {
            *slot = RunSlot::new(Purpose::Agent(task), row, &job);
        }
        work.last_output = clock::now();
        self.keep_memory(key);
        self.show_work(key);
        self.scheduler().workshop.outputs.keep(&job.run, &job.output);
        job.start();
        true
    }

    /// `beside`: how many agents are started together, including this one; they share the remaining money.
    fn agent_job(&mut self, key: &LoopId, task: &AgentTask, beside: usize) -> Result<(Job, Run), Failure> {
        self.may_start(key)?;
        let choices = self.scheduler().workshop.choices.read(Clone::clone);
        let work = self.scheduler().works.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let AgentForRun { agent, mut plan } = tools::agent_for(task, &work.plan, &choices, &work.memory)?;
        if task.only_looks() && tools::has_level(&agent, Level::LookOnly) {
            plan.level = plan.level.map(|_| Level::LookOnly);
        }
        let run = crate::runs::spec::new_run_id();
        let run_dir = self.scheduler().workshop.dirs.runs().join(&run);
        let apart = task.task_id().and_then(|id| work.apart.get(&id)).cloned();
        // A conversation belongs to the folder in which it began.
        let talk = match &apart {
            Some(_) => ConversationStart::New,
            None => task.conversation_start(&work.memory, &agent.id, &agent.custom),
        };
        let (session, prompt, resumed) = match talk {
            ConversationStart::New => (Session::New(run.clone()), task.prompt.clone(), None),
            ConversationStart::GoOn { id, prompt } => {
                (Session::Resume(id.clone()), prompt, Some(Resumed::GoesOn { session: id }))
            }
        };
        let lookout = watch_of(work, task);
        let mut variables = starting::variables(task, &agent.id);
        variables
            .extend(lookout.log.iter().map(|log| (VARIABLE.to_owned(), log.to_string_lossy().into_owned())));
        let wanted = Wanted {
            plan: &plan,
            agent: &agent,
            prompt: &prompt,
            schema: task.schema(),
            variables,
            folder: apart.as_ref().map_or(work.root.as_path(), |apart| apart.folder.as_path()),
            run_dir: &run_dir,
            run: &run,
            session,
            money: money_left(work, beside),
            without_hooks: work.format.traits().has_plugin,
        };
        let (spec, kind) = wanted.spec(work.loop_key(), self.time_left(work))?;
        let row = Run {
            resumed,
            action: (&task.action).into(),
            task: task.task_id(),
            iteration: task.context.iteration,
            agent: agent.name,
            agent_id: plan.agent,
            level: plan.level,
            worktree: apart.as_ref().map(|apart| apart.top.to_string_lossy().into_owned()),
            ..starting::row_of(&spec)
        };
        let mut job = self.job(key, &run, work, Some(spec), kind, None)?;
        if let Some(apart) = apart {
            job.folder = apart.folder;
        }
        job.resumed = row.resumed.clone();
        job.lookout = lookout;
        Ok((job, row))
    }

    fn tests_job(&mut self, key: &LoopId) -> Result<(Job, Run), Failure> {
        self.may_start(key)?;
        let iteration = self.iteration(key);
        let work = self.scheduler().works.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let run = crate::runs::spec::new_run_id();
        let command = work.plan.test_command.trim();
        let spec = starting::tests_spec(command, &work.root, &run, work.loop_key(), self.time_left(work));
        let row = Run { action: RunAction::Phase(CcwPhase::Validate), iteration, ..starting::row_of(&spec) };
        let results = Some(work.plan.results.clone());
        let mut job = self.job(key, &run, work, Some(spec), OutputKind::Text, results)?;
        if work.format.traits().tells_failures {
            job.lookout.instrumented.clone_from(&work.memory.v2.instrumented);
            job.lookout.sources = true;
        }
        Ok((job, row))
    }

    fn skill_job(&mut self, key: &LoopId) -> Result<(Job, Run, Option<String>), Failure> {
        self.may_start(key)?;
        let choices = self.scheduler().workshop.choices.read(Clone::clone);
        let entry = self.store.read(key)?;
        let work = self.scheduler().works.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let agent = starting::usable_agent(&work.plan.agent, &choices)?;
        // A menu needs a terminal.
        let as_it_is = |mode: &str| mode == WorkMode::Parallel.word();
        let mode = entry.summary.mode.as_deref();
        let mode = mode.map(|mode| if as_it_is(mode) { WorkMode::Parallel } else { WorkMode::Auto });
        let (stem, file) = (entry.candidate.stem(), entry.candidate.file.as_str());
        let prompt = starting::skill_words(
            &work.plan,
            &agent.id,
            &SkillLoop { format: work.format, stem, file, mode },
        )?;
        let run = crate::runs::spec::new_run_id();
        let run_dir = self.scheduler().workshop.dirs.runs().join(&run);
        let mut variables = vec![("LOOPDECK_STATE_FILE".to_owned(), file.to_owned())];
        variables.extend(plugin::environment(work.format));
        let wanted = Wanted {
            plan: &work.plan,
            agent: &agent,
            prompt: &prompt,
            schema: None,
            variables,
            folder: &work.root,
            run_dir: &run_dir,
            run: &run,
            // A skill reads its loop's file when it begins, so nothing is lost with its conversation.
            session: Session::New(run.clone()),
            money: money_left(work, 1),
            without_hooks: false,
        };
        let (spec, kind) = wanted.spec(work.loop_key(), self.time_left(work))?;
        let row = Run {
            action: RunAction::Skill,
            agent: agent.name,
            agent_id: work.plan.agent.clone(),
            level: work.plan.level,
            ..starting::row_of(&spec)
        };
        let mut job = self.job(key, &run, work, Some(spec), kind, None)?;
        let command = prompt.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        job.command = command.map(str::to_owned);
        let command = job.command.clone();
        Ok((job, row, command))
    }

    pub(crate) fn job(
        &self,
        key: &LoopId,
        run: &str,
        work: &Execution,
        mut spec: Option<crate::runs::RunSpec>,
        kind: OutputKind,
        tests: Option<Vec<String>>,
    ) -> Result<Job, Failure> {
        let fence = self.scheduler().workshop.fence();
        if let Some(spec) = spec.as_mut().filter(|_| fence.exists()) {
            spec.plan.fence = Some(fence.path().to_owned());
        }
        let run_dir = self.scheduler().workshop.dirs.runs().join(run);
        Ok(Job {
            key: key.clone(),
            run: run.to_owned(),
            folder: work.root.clone(),
            own: self.scheduler().workshop.choices.read(mask::own_variables),
            root: work.root.clone(),
            choices: Arc::clone(&self.scheduler().workshop.choices),
            output: Arc::new(Mutex::new(OutputLog::begin_again(&run_dir).map_err(Failure::own_data)?)),
            run_dir,
            spec,
            kind,
            tests,
            since: None,
            command: None,
            resumed: None,
            lookout: FolderWatch::default(),
            cancel: Arc::default(),
            guardian: self.scheduler().workshop.guardian.clone(),
            inbox: self.scheduler().workshop.inbox.clone(),
        })
    }

    /// What is left of the limit of time; never so little that a process could not even begin.
    pub(crate) fn time_left(&self, work: &Execution) -> Option<Duration> {
        let left = self.scheduler().workshop.limit_of(work.plan.minutes?) - work.took();
        Some(left.to_std().unwrap_or_default().max(Duration::from_secs(1)))
    }

    pub(crate) fn iteration(&self, key: &LoopId) -> u32 {
        let bar = self.store.read(key).ok().and_then(|entry| entry.summary.iteration);
        bar.map_or(1, IterationBar::next)
    }
}

/// What is looked for on the disk when a run of this task ends.
fn watch_of(work: &Execution, task: &AgentTask) -> FolderWatch {
    let log = Some(&work.memory.v2.debug_log).filter(|log| task.logs() && !log.is_empty());
    FolderWatch {
        answer: task.answer,
        log: log.map(|log| work.root.join(log)),
        instrumented: work.memory.v2.instrumented.clone(),
        sources: work.format.traits().tells_failures,
    }
}

/// What each of so many agents may still spend, in whole cents; never so little that an agent takes it for no limit.
fn money_left(work: &Execution, agents: usize) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // a handful
    let share = |left: f64| (left / agents.max(1) as f64 * 100.0).floor() / 100.0;
    work.plan.money_usd.map(|limit| {
        let left = limit - work.spent_now();
        if agents > 1 { share(left) } else { left }.max(0.01)
    })
}
