//! A plan's own tool: its documented command, run by a guardian like an agent until it ends. And nobody works on a plan twice.

use crate::agents::environment::environment;
use crate::agents::places;
use crate::completion::verdicts::verdicts_of;
use crate::driver_context::DriverContext;
use crate::launcher::starting;
use crate::preferences::plan::{Driver, RunPlan};
use crate::records::LoopRef;
use crate::rows::{NeedAnswerKind, NeedReason};
use crate::run::{Run, RunAction};
use crate::store::LoopNow;
use crate::work::{Execution, NeedSubject, PendingNeed, Purpose, RunSlot};
use loopdeck_agents::OutputKind;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::format::FileFacts;
use loopdeck_core::layout;
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::loops::drive;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::view::CompanionKind;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files::Canonical as _;
use loopdeck_system::{clock, dirs, files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl DriverContext<'_> {
    /// Starts the own tool of the plan named `key`. `confirmed`: the command as the person saw it; it has to be the one that the file
    /// leads to now.
    pub fn start_own_tool(&mut self, key: &str, confirmed: &[String]) -> Result<(), Failure> {
        let entry = self.store.read(key)?;
        let refuse = |code| Err(Refusal::because(code, &entry.summary).into());
        if let Some(program) = self.store.runs_elsewhere(key) {
            return Err(Refusal::run_by(program).into());
        }
        if self.scheduler().is_on(key) {
            return refuse(RefusalCode::AlreadyRunning);
        }
        let root = self.store.root_of(key)?;
        if !self.scheduler().workshop.choices.read(|choices| choices.trusts(&root)) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", dirs::shown(&root)));
        }
        let Some(command) = self.own_command(&entry, &root)?.filter(|command| command == confirmed) else {
            return refuse(RefusalCode::CommandChanged);
        };
        let program = program_of(&command, &root)?;
        let workspace = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        self.claim(&entry, of)?;
        let began = self.begin_own_tool(&entry, &root, command, &program);
        if began.is_err() {
            self.scheduler_mut().works.remove(&entry.key);
            self.release(&entry.key, of);
        }
        self.tell_needs();
        began
    }

    /// The command that the file leads to now.
    fn own_command(&self, entry: &LoopNow, root: &Path) -> Result<Option<Vec<String>>, Failure> {
        let file = &entry.candidate.file;
        let mut bytes = Vec::new();
        let stamp =
            files::read(root, &root.join(entry.candidate.on_disk()), &mut bytes).map_err(|fault| {
                Failure::new(FailureKind::Unreadable).with("path", file).with("reason", fault.code.name())
            })?;
        let beside = self.store.beside(&entry.key, &[CompanionKind::Plan]);
        let facts = FileFacts { stem: entry.candidate.stem(), modified: stamp.modified(), now: clock::now() };
        Ok(drive::own_command(entry.summary.format, (&bytes, &facts), &beside))
    }

    fn begin_own_tool(
        &mut self,
        entry: &LoopNow,
        root: &Path,
        command: Vec<String>,
        program: &Path,
    ) -> Result<(), Failure> {
        let key = entry.key();
        let name = command.first().cloned().unwrap_or_default();
        let plan = RunPlan { driver: Driver::OwnTool { command }, ..RunPlan::default() };
        let workspace = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        self.journal().keep_plan(of, &plan, clock::now())?;
        let spent = self.journal().spent(of).unwrap_or_default();
        let mut work = Execution::new(&key, root.to_owned(), entry.summary.format, plan, spent);
        work.agent.clone_from(&name);
        if let Some(old) = self.scheduler_mut().works.remove(&key) {
            // What a stop left remains until it is ended.
            work.needs.extend(old.needs.into_iter().filter(PendingNeed::stays));
        }
        self.scheduler_mut().works.insert(key.clone(), work);
        self.may_start(&key)?;
        let iteration = self.iteration(&key);
        let work = self.scheduler().works.get(&key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let command = work.plan.own_tool().unwrap_or_default();
        let run = crate::runs::spec::new_run_id();
        let spec = starting::own_tool_spec(command, program, root, &run, work.loop_key());
        let row = Run { action: RunAction::OwnTool, iteration, agent: name, ..starting::row_of(&spec) };
        let job = self.job(&key, &run, work, Some(spec), OutputKind::Text, None)?;
        let slot = RunSlot::new(Purpose::OwnTool, row, &job);
        self.begin(&key, vec![slot], vec![job], false);
        Ok(())
    }

    /// The tool ended, now or while no Loopdeck was open. Its files say what it did; only a failure needs a person.
    pub(crate) fn own_tool_ended(&mut self, key: &LoopId, slots: &[RunSlot]) {
        let asked = self.scheduler().works.get(key).and_then(|work| work.asked);
        let is_bad = |outcome| !matches!(outcome, Outcome::Ok | Outcome::Cancelled);
        let failed = verdicts_of(slots, asked).find(|(_, verdict)| is_bad(verdict.outcome));
        if let Some((run, verdict)) = failed {
            let never_began =
                slots.iter().any(|slot| slot.end.as_ref().is_some_and(|end| end.not_started.is_some()));
            let reason = if never_began { NeedReason::CannotStart } else { NeedReason::Run(verdict.outcome) };
            let said = verdict.message.unwrap_or_default();
            // It is started again where its command is shown, and confirmed there.
            let answers = [NeedAnswerKind::Dismiss];
            self.need_because(key, reason, &said, NeedSubject::GoOn, &answers, |need| {
                need.run = Some(run.to_owned());
            });
        }
        self.conclude_work(key);
    }

    /// Refuses a second start on the plan that the loop named `key` works off, or is: another loop works it off, or the plan's own tool is
    /// at work, ours or one whose lock lives.
    ///
    /// # Errors
    /// `Refused` with `plan_taken` or `plan_tool_runs`.
    pub(crate) fn refuse_twice(&mut self, key: &str) -> Result<(), Failure> {
        let entry = self.store.read(key)?;
        let root = self.store.root_of(key)?;
        let own = entry.candidate.file;
        let is_plan = entry.summary.format.plan().is_some();
        let linked = linked_plan(&root, &own);
        let Some(plan) = linked.or_else(|| is_plan.then(|| own.clone())) else { return Ok(()) };
        let refusal = |code| Refusal::new(code).with("field", &plan);
        let mut running: BTreeSet<String> = self.store.run_by_others(key).into_iter().collect();
        running.extend(self.scheduler().keys_at_work().iter().map(|key| file_of(key).to_owned()));
        running.remove(&own);
        if running.contains(&plan) {
            return Err(refusal(RefusalCode::PlanToolRuns).into());
        }
        if let Some(by) = running.iter().find(|file| linked_plan(&root, file).as_ref() == Some(&plan)) {
            return Err(refusal(RefusalCode::PlanTaken).with("by", by).into());
        }
        if self.store.is_tool_alive(&root, &plan) {
            return Err(refusal(RefusalCode::PlanToolRuns).into());
        }
        Ok(())
    }
}

/// The plan that the loop in this file works off.
fn linked_plan(root: &Path, file: &str) -> Option<String> {
    let mut places = layout::places_of(file).filter(|place| layout::names_files(*place)).peekable();
    places.peek()?;
    let mut bytes = Vec::new();
    files::read(root, &root.join(file), &mut bytes).ok()?;
    places.find_map(|place| layout::linked(place, &bytes))
}

/// Where the program of a command is; never one of the folder that it works in.
fn program_of(command: &[String], root: &Path) -> Result<PathBuf, Failure> {
    let name = command.first().map(String::as_str).unwrap_or_default();
    let root = root.canonical().unwrap_or_else(|_| root.to_owned());
    let is_outside = |path: &PathBuf| {
        !path.starts_with(&root) && path.canonical().is_ok_and(|real| !real.starts_with(&root))
    };
    let found = places::search(name, environment()).found.into_iter().find(is_outside);
    found.ok_or_else(|| Failure::new(FailureKind::ProgramMissing).with("program", name))
}
