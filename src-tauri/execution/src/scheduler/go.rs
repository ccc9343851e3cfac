//! Driving: what the pure driver decides is carried out, one step after the other, until the loop ends or waits.

use crate::driver_context::DriverContext;
use crate::launcher::starting;
use crate::launcher::starting::starting_intent;
use crate::launcher::starting::{UsableAgent, Wanted};
use crate::preferences::plan::{Driver, RunPlan};
use crate::records::LoopRef;
use crate::store::LoopNow;
use crate::work::{Execution, Origin, PendingNeed, PreparedStep};
use crate::{plugin, tools};
use loopdeck_agents::AgentId;
use loopdeck_agents::launch::Session;
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{EndReason, Memory, Policy, UsedUp};
use loopdeck_core::format::{FileFacts, Handling};
use loopdeck_core::located::Candidate;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, LoopNext, LoopStep};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::step::Operation;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs, files};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Steps that need no process follow each other; a driver that takes the same ones again and again is wrong.
const MOST_REPEATED: u32 = 50;
/// A file that is being written at this moment is read again.
const SECOND_LOOKS: u32 = 5;
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(20);

impl DriverContext<'_> {
    // --- starting -------------------------------------------------------------------------------------------------

    /// Starts the agent of the loop named `key`: first start, resume or reopen, whichever is legal now. A process that is there for this
    /// loop takes over what an earlier Loopdeck left at work.
    pub fn launch(
        &mut self,
        key: &str,
        plan: Option<RunPlan>,
        raise_limit_to: Option<u32>,
    ) -> Result<(), Failure> {
        let entry = self.store.read(key)?;
        let refuse = |code| Err(Refusal::because(code, &entry.summary).into());
        if let Some(program) = self.store.runs_elsewhere(&entry.key) {
            return Err(Refusal::run_by(program).into());
        }
        let found = self.scheduler().works.get(key).filter(|work| work.is_on());
        let is_left = found.is_some_and(|work| work.origin == Origin::Found && work.asked.is_none());
        let is_plain = entry.summary.status == FileStatus::Running && raise_limit_to.is_none();
        let is_left = is_left && is_plain && self.store.is_for_one_loop();
        if found.is_some() && !is_left {
            return refuse(RefusalCode::AlreadyRunning);
        }
        if entry.summary.format.handling() != Handling::Driven {
            return refuse(RefusalCode::NotInFormat);
        }
        let root = self.store.root_of(key)?;
        let workspace = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        let remembered = self.journal().plan_of(of).unwrap_or_default().filter(RunPlan::names_agent);
        let plan = plan.or(remembered).ok_or_else(|| Failure::new(FailureKind::NoPlan))?;
        if plan.driver != Driver::Loopdeck && !entry.summary.format.has_own_runner() {
            return refuse(RefusalCode::NotInFormat);
        }
        let agent = self.check_plan(&plan, &root)?;
        let key = entry.key();
        if is_left {
            return self.take_over(&entry, of, plan);
        }
        self.check_plugin(&entry, &root, &plan, raise_limit_to)?;
        self.claim(&entry, of)?;
        let began = self.begin_work(&entry, root, plan, agent, raise_limit_to);
        if began.is_err() {
            self.release(&key, of);
        }
        began?;
        self.go_on(&key);
        self.tell_needs();
        Ok(())
    }

    /// From here on nobody else starts anything on the loop, or on the plan that it works off.
    pub(crate) fn claim(&mut self, entry: &LoopNow, of: LoopRef<'_>) -> Result<(), Failure> {
        // One with another data folder may have begun just now.
        if let Err(program) = self.store.mark_running(&entry.key) {
            return Err(Refusal::run_by(program).into());
        }
        if !self.hold_lease(of) {
            self.store.unmark_running(&entry.key);
            return Err(Refusal::because(RefusalCode::ForeignOwner, &entry.summary).into());
        }
        // Only now: of two that begin at the same time each sees the other.
        self.refuse_twice(&entry.key).inspect_err(|_| self.release(&entry.key, of))
    }

    /// Nothing was started after all.
    pub(crate) fn release(&mut self, key: &LoopId, of: LoopRef<'_>) {
        if self.store.guarded_verb(key).is_none() {
            self.give_lease_back(of);
        }
        self.store.unmark_running(key);
    }

    /// What an earlier Loopdeck started still runs, or is being looked at: no second agent starts next to it. When it has ended, the loop
    /// continues by `plan`.
    fn take_over(&mut self, entry: &LoopNow, of: LoopRef<'_>, plan: RunPlan) -> Result<(), Failure> {
        let key = entry.key();
        let drives = |work: &Execution| work.plan.driver == plan.driver;
        if !self.scheduler().works.get(&key).is_some_and(drives) {
            return Err(Refusal::because(RefusalCode::AlreadyRunning, &entry.summary).into());
        }
        let policy = self.policy_of(&plan);
        self.journal().keep_plan(of, &plan, clock::now())?;
        if let Some(work) = self.scheduler_mut().works.get_mut(&key) {
            (work.plan, work.memory.policy, work.origin) = (plan, policy, Origin::TakenOver);
        }
        self.show_work(&key);
        self.tell_needs();
        Ok(())
    }

    fn begin_work(
        &mut self,
        entry: &LoopNow,
        root: PathBuf,
        plan: RunPlan,
        agent: UsableAgent,
        raise_limit_to: Option<u32>,
    ) -> Result<(), Failure> {
        let workspace = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        let memory = self.recall_memory(of, &plan); // by the plan before this one
        self.journal().keep_plan(of, &plan, clock::now())?;
        let by_plugin = plugin::drives(entry.summary.format, &plan);
        if !by_plugin {
            self.set_running(entry, raise_limit_to)?;
        }
        self.scheduler()
            .workshop
            .choices
            .change(|choices| choices.remember_start(&plan))
            .logged("the choices are not saved");
        let spent = self.journal().spent(of).unwrap_or_default();
        let key = entry.key();
        let mut work = Execution { memory, ..Execution::new(&key, root, entry.summary.format, plan, spent) };
        work.agent = agent.name;
        work.raise = raise_limit_to.filter(|_| by_plugin);
        if let Some(old) = self.scheduler_mut().works.remove(&key) {
            // What a stop left remains until it is ended.
            work.needs.extend(old.needs.into_iter().filter(PendingNeed::stays));
            work.unconcluded = old.unconcluded;
        }
        self.scheduler_mut().works.insert(key.clone(), work);
        self.agree_to_commands(&key, entry.summary.status == FileStatus::NotStarted);
        self.take_in_tasks(&key);
        Ok(())
    }

    /// Everything that would make the start fail, before anything is written.
    pub(crate) fn check_plan(&self, plan: &RunPlan, root: &Path) -> Result<UsableAgent, Failure> {
        let choices = self.scheduler().workshop.choices.read(Clone::clone);
        if !choices.trusts(root) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", dirs::shown(root)));
        }
        if plan.own_tool().is_some() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "driver"));
        }
        if plan.level.is_none() && !plan.is_by_shell() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "level"));
        }
        let agent = starting::usable_agent(&plan.agent, &choices)?;
        let run_dir = self.scheduler().workshop.dirs.runs();
        let run = crate::runs::spec::new_run_id();
        let wanted = Wanted {
            plan,
            agent: &agent,
            prompt: "x",
            schema: Some("{}"),
            variables: Vec::new(),
            folder: root,
            run_dir: &run_dir,
            run: &run,
            session: Session::New(run.clone()),
            money: plan.money_usd,
            without_hooks: false,
        };
        wanted.line().map_err(|mistakes| wanted.failure_of(&mistakes))?;
        Ok(agent)
    }

    pub(crate) fn recall_memory(&mut self, of: LoopRef<'_>, plan: &RunPlan) -> Memory {
        let kept = self.journal().memory(of).ok().flatten();
        let mut memory: Memory = kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        memory.policy = self.policy_of(plan);
        if let Ok(Some(former)) = self.journal().plan_of(of) {
            memory.staff_changed(AgentId::parse(&former.agent).map(|agent| agent.tool()).as_deref());
        }
        let stem = of.file.strip_suffix(".json").unwrap_or(of.file);
        memory.v2.debug_log = format!("{stem}.progress/debug.log");
        memory.start_again();
        memory
    }

    /// What a driver may decide by itself.
    fn policy_of(&self, plan: &RunPlan) -> Policy {
        let tool = AgentId::parse(&plan.agent).map_or_else(|| plan.agent.clone(), |agent| agent.tool());
        let tools = self.scheduler().workshop.choices.read(|choices| tools::offered_tools(plan, choices));
        let checks = plan.checks.clone();
        Policy { ask: true, tool, tools, mode: plan.mode, probes: plan.probes, checks, ..Policy::default() }
    }

    /// Status first, agent second: skills and drivers do nothing unless the file says running.
    fn set_running(&mut self, entry: &LoopNow, raise_limit_to: Option<u32>) -> Result<(), Failure> {
        let situation = entry.situation(clock::now());
        let raises = raise_limit_to.is_some();
        let intent = starting_intent(&entry.summary, &situation, raise_limit_to);
        if !raises && entry.summary.status == FileStatus::Running && entry.word == StatusWord::Running {
            return Ok(());
        }
        self.store.commit(&entry.key(), &intent)
    }

    /// Starting an AoT loop means agreeing to the commands of its completion check as they are. `anew`: regardless of earlier agreement.
    pub(crate) fn agree_to_commands(&mut self, key: &LoopId, anew: bool) {
        let agrees = |work: &Execution| {
            let has_checks = work.format.traits().has_completion_check;
            (anew && has_checks) || drive::wants_agreement(work.format, &work.memory)
        };
        if !self.scheduler().works.get(key).is_some_and(agrees) {
            return;
        }
        // What cannot be read now is not run either.
        let _ = self.with_file(key, |work, bytes, _| {
            drive::agree_to_commands(bytes, &mut work.memory);
        });
    }

    /// Tasks of the form are what INIT would plan.
    fn take_in_tasks(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler().works.get(key) else { return };
        if work.plan.driver != Driver::Loopdeck {
            return;
        }
        let Some(step) = drive::planned(work.format, &work.plan.tasks, &work.memory) else { return };
        // Of a loop that is initialised already they were taken in before.
        self.write_step(key, step).logged("a step of the driver is not written");
    }

    // --- one step after the other ----------------------------------------------------------------------------------

    /// Does what is next, until something runs, waits or is over.
    pub(crate) fn go_on(&mut self, key: &LoopId) {
        let (mut written, mut repeated) = (Vec::new(), 0);
        while repeated < MOST_REPEATED {
            if self.store.guarded_verb(key).is_some() {
                self.store.observe(key); // a pause that the agent wrote over is sent again before anything is started
            }
            if !self.scheduler().works.get(key).is_some_and(Execution::is_on) {
                return;
            }
            self.note_limits(key);
            let Some(work) = self.scheduler().works.get(key) else { return };
            if let Driver::Skill { .. } = work.plan.driver {
                // It checks none of our limits.
                return match work.memory.used_up {
                    Some(limit) => self.end_work(key, &EndReason::Limit { limit }),
                    None if work.is_plugin() => self.run_plugin(key),
                    None => self.run_skill(key),
                };
            }
            if let Some(found) = self.take_unconcluded(key) {
                return self.take_up_found(key, found);
            }
            self.keep_checks(key);
            self.read_messages(key);
            self.add_held_items(key);
            let next = match self.next_step(key) {
                Ok(next) => next,
                Err(failure) => return self.fail(key, &failure),
            };
            if self.adds_evidence(key, &next) {
                return;
            }
            match next {
                LoopNext::Agent { begin, task } => return self.run_agents(key, begin, vec![*task], false),
                LoopNext::Parallel(tasks) => return self.run_agents(key, None, tasks, true),
                LoopNext::Batch { begin, tasks } => return self.run_batch(key, begin, tasks),
                LoopNext::Tests { begin } => return self.run_tests(key, begin),
                LoopNext::Command(check) => return self.run_check(key, check),
                LoopNext::Files(checks) => return self.look_for_files(key, checks),
                LoopNext::Take(unmerged) => return self.take_unmerged(key, *unmerged),
                LoopNext::Hold => return self.wait_for_redirect(key),
                LoopNext::Write(operation) => {
                    // Each group of alternatives without a choice is a step of its own.
                    repeated += u32::from(written.contains(&operation));
                    written.push(operation.clone());
                    if let Err(failure) = self.write_step(key, operation) {
                        return self.step_refused(key, &failure);
                    }
                }
                LoopNext::Menu(choices) => return self.ask_menu(key, choices),
                LoopNext::Ask(question) => return self.ask_question(key, &question),
                LoopNext::End(reason) => return self.end_work(key, &reason),
            }
        }
        self.fail(key, &Failure::own_data("the driver goes in a circle"));
    }

    /// Decides on the file as it is now. What the step leaves is remembered for the write that follows.
    fn next_step(&mut self, key: &LoopId) -> Result<LoopNext, Failure> {
        let reads = self.scheduler().works.get(key).map(|work| drive::reads(work.format)).unwrap_or_default();
        let beside = if reads.is_empty() { Vec::new() } else { self.store.beside(key, reads) };
        let mut looks = 0;
        loop {
            let (step, is_torn) = self.look_at_file(
                key,
                |_, _| true,
                |work, candidate, bytes, facts| {
                    drive::note_claims(work.format, (bytes, facts), &beside, &mut work.memory);
                    let step = drive::step(work.format, (bytes, facts), &work.memory, Some(&beside));
                    let is_torn = matches!(step.next, LoopNext::End(EndReason::Damaged))
                        && !candidate.is_readable(bytes);
                    work.prepared_step = prepared_step(&step, bytes);
                    (step, is_torn)
                },
            )?;
            if !is_torn || looks == SECOND_LOOKS {
                return Ok(step.next);
            }
            looks += 1;
            std::thread::sleep(SECOND_LOOK_AFTER); // another program is writing it
        }
    }

    /// A step was not taken: a pause or stop at this moment is obeyed, anything else is shown.
    pub(crate) fn step_refused(&mut self, key: &LoopId, failure: &Failure) {
        let next =
            self.with_file(key, |work, bytes, facts| drive::next(work.format, (bytes, facts), &work.memory));
        match next {
            Ok(LoopNext::End(reason)) if failure.refusal.is_some() => self.end_work(key, &reason),
            _ => self.fail(key, failure),
        }
    }

    /// Time, money and tokens of the whole work; iterations are the file's, turns the agent's.
    pub(crate) fn note_limits(&mut self, key: &LoopId) {
        let scheduler = self.scheduler_mut();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        if work.plan.minutes.is_some_and(|limit| work.took() >= scheduler.workshop.limit_of(limit)) {
            work.memory.used_up = Some(UsedUp::Time);
        }
        if work.plan.money_usd.is_some_and(|limit| work.spent_now() >= limit) {
            work.memory.used_up = Some(UsedUp::Money);
        }
        if work.plan.tokens.is_some_and(|limit| work.tokens_now() >= u64::from(limit)) {
            work.memory.used_up = Some(UsedUp::Tokens);
        }
    }

    /// Reads the state file as it is now.
    pub(crate) fn with_file<T>(
        &mut self,
        key: &LoopId,
        look: impl FnOnce(&mut Execution, &[u8], &FileFacts<'_>) -> T,
    ) -> Result<T, Failure> {
        self.look_at_file(key, Candidate::is_readable, |work, _, bytes, facts| look(work, bytes, facts))
    }

    /// The same, as soon as `is_whole` or after a few looks.
    fn look_at_file<T>(
        &mut self,
        key: &LoopId,
        is_whole: impl Fn(&Candidate, &[u8]) -> bool,
        look: impl FnOnce(&mut Execution, &Candidate, &[u8], &FileFacts<'_>) -> T,
    ) -> Result<T, Failure> {
        let entry = self.store.read(key)?;
        let root = self.store.root_of(key)?;
        let path = root.join(entry.candidate.on_disk());
        let mut bytes = Vec::new();
        let mut read = files::read(&root, &path, &mut bytes);
        for _ in 0..SECOND_LOOKS {
            if read.is_ok() && is_whole(&entry.candidate, &bytes) {
                break;
            }
            // It is being written at this moment.
            std::thread::sleep(SECOND_LOOK_AFTER);
            read = files::read(&root, &path, &mut bytes);
        }
        let stamp = read.map_err(|fault| {
            Failure::new(FailureKind::Unreadable)
                .with("path", &entry.candidate.file)
                .with("reason", fault.code.name())
        })?;
        let facts = FileFacts { stem: entry.candidate.stem(), modified: stamp.modified(), now: clock::now() };
        let work =
            self.scheduler_mut().works.get_mut(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        Ok(look(work, &entry.candidate, &bytes, &facts))
    }

    /// Writes a step of the work, as the owner of a running loop.
    pub(crate) fn write_step(&mut self, key: &LoopId, operation: Operation) -> Result<(), Failure> {
        self.show_work(key);
        self.store.commit(key, &Intent::Operate(Box::new(operation)))
    }
}

/// What `step` makes of `before`, when it writes something first.
fn prepared_step(step: &LoopStep, before: &[u8]) -> Option<PreparedStep> {
    let (operation, after) = (step.next.operation()?.clone(), step.after.clone()?);
    Some(PreparedStep { operation, before: before.to_vec(), after })
}
