//! Results of runs that were found after a restart.
//!
//! What finished meanwhile counts. Where the person chose that the loop keeps going, its result is written and the loop
//! continues; else it waits until they resume, and the card says which action finished. Only an action that was cut off, or
//! failed, is done again.

use crate::completion::used_up;
use crate::completion::verdicts::{ended_of, has_finished, holds_up, verdict_of};
use crate::driver_context::DriverContext;
use crate::preferences::plan::Driver;
use crate::rows::{LeftHow, NeedAnswerKind, NeedKind, NeedReason};
use crate::run::{Run, RunAction};
use crate::runs::StopReport;
use crate::work::{Execution, NeedSubject, Origin, Purpose, RunSlot, ids_of};
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::driver::{AgentTask, Ended, FailureClass};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, LoopConclusion, LoopNext};
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::words::to_word;

/// What a loop was doing when it was left, and how that ended.
pub(crate) struct LeftState {
    how: LeftHow,
    /// `develop`; of several at once with commas between.
    actions: String,
    /// Id of the task, of one action.
    task: Option<String>,
    /// What the one that failed said.
    said: String,
    run: Option<String>,
}

/// Runs that ended unobserved, each with its purpose, and the runs of their round that have not started.
pub(crate) struct FoundRuns {
    pub(crate) slots: Vec<RunSlot>,
    pub(crate) tasks: Vec<AgentTask>,
    pub(crate) tests: bool,
    /// Actions of the round in their order.
    order: Vec<RunAction>,
}

impl FoundRuns {
    /// `None` when these are not what would be done now.
    fn from_parts(
        mut slots: Vec<RunSlot>,
        mut tasks: Vec<AgentTask>,
        parallel: bool,
        runs_tests: bool,
    ) -> Option<Self> {
        let order = tasks.iter().map(|task| RunAction::from(&task.action)).collect();
        for slot in &mut slots {
            slot.what = match slot.run.is_tests() {
                true => Purpose::Tests,
                false => Purpose::Agent(Box::new(take_task(&mut tasks, &slot.run)?)),
            };
        }
        let tests = runs_tests && !slots.iter().any(|slot| matches!(slot.what, Purpose::Tests));
        let is_it = parallel || (tasks.is_empty() && slots.len() == 1);
        is_it.then_some(Self { slots, tasks, tests, order })
    }

    /// Nothing has to run yet.
    fn is_whole(&self) -> bool {
        self.tasks.is_empty() && !self.tests
    }

    /// The whole round, with what was started for the rest of it.
    pub(crate) fn with(self, started: Vec<RunSlot>) -> Vec<RunSlot> {
        let Self { mut slots, order, .. } = self;
        for end in slots.iter_mut().filter_map(|slot| slot.end.as_mut()) {
            end.report = StopReport::AllGone { ended: 0 }; // what it left was told when it ended
        }
        slots.extend(started);
        slots.sort_by_key(|slot| {
            order.iter().position(|action| *action == slot.run.action).unwrap_or(order.len())
        });
        slots
    }
}

impl LeftState {
    /// Nothing ran.
    pub(crate) const BETWEEN: Self =
        Self { how: LeftHow::Between, actions: String::new(), task: None, said: String::new(), run: None };

    fn from_parts(slots: &[RunSlot]) -> Self {
        let mut how = LeftHow::Finished;
        let mut said = String::new();
        for slot in slots.iter().filter(|slot| !has_finished(slot)) {
            let verdict = slot.end.as_ref().map(|end| verdict_of(slot, end, None));
            match verdict {
                Some(verdict) if !matches!(verdict.outcome, Outcome::Crashed | Outcome::Cancelled) => {
                    if how == LeftHow::Finished {
                        (how, said) = (LeftHow::Failed, verdict.message.unwrap_or_default());
                    }
                }
                _ => how = LeftHow::CutOff,
            }
        }
        let actions: Vec<&str> = slots.iter().map(|slot| slot.run.action.word()).collect();
        Self {
            how,
            actions: actions.join(","),
            task: slots.first().filter(|_| slots.len() == 1).and_then(|slot| slot.run.task.clone()),
            said: if how == LeftHow::Failed { said } else { String::new() },
            run: slots.first().map(|slot| slot.run.id.clone()),
        }
    }

    fn with_how(self, how: LeftHow) -> Self {
        Self { how, said: String::new(), ..self }
    }
}

impl DriverContext<'_> {
    /// Runs that were found are over. `is_left`: not all of their processes are gone.
    pub(crate) fn found_runs_ended(&mut self, key: &LoopId, slots: Vec<RunSlot>, is_left: bool) {
        let Some(work) = self.scheduler().works.get(key) else { return };
        let left = LeftState::from_parts(&slots);
        let (asked, is_skill) = (work.asked.is_some(), work.plan.driver != Driver::Loopdeck);
        let goes_on = work.keeps_going() && !is_left;
        if work.format.works_in_rounds() && !is_skill {
            return self.found_round_ended(key, slots, left, goes_on && !asked);
        }
        let is_used_up = used_up(&slots, work.asked, &work.plan).is_some();
        match left.how {
            _ if asked => {
                self.mark_concluded(ids_of(&slots));
                self.show_interrupted(key, &left);
            }
            LeftHow::Finished if is_skill => self.skill_left(key, &left),
            _ if is_skill => self.show_interrupted(key, &left),
            LeftHow::Finished => self.finished_meanwhile(key, slots, left, goes_on),
            LeftHow::Failed if goes_on && !is_used_up => self.finished_meanwhile(key, slots, left, goes_on),
            LeftHow::Failed | LeftHow::CutOff | LeftHow::Recorded | LeftHow::Between => {
                let unfinished = self.keep_finished(key, slots);
                self.left_unfinished(key, &unfinished);
            }
        }
    }

    /// These are done again when the loop continues.
    fn left_unfinished(&mut self, key: &LoopId, slots: &[RunSlot]) {
        if self.ended_by_limit(key, slots) {
            return;
        }
        let left = LeftState::from_parts(slots);
        match left.how {
            LeftHow::Failed => self.failed_meanwhile(key, slots, &left),
            _ => self.show_interrupted(key, &left),
        }
    }

    /// A round of Loop-B is cut short: results of workers that finished are kept until the others have run again. Returns the
    /// others.
    pub(crate) fn keep_finished(&mut self, key: &LoopId, slots: Vec<RunSlot>) -> Vec<RunSlot> {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get_mut(key) else { return slots };
        if !work.format.joins_results() || slots.len() < 2 {
            return slots;
        }
        let of = work.loop_key();
        let (mut finished, mut others): (Vec<RunSlot>, Vec<RunSlot>) =
            slots.into_iter().partition(|slot| has_finished(slot) && !holds_up(slot));
        for (slot, is_kept) in
            finished.iter_mut().map(|slot| (slot, true)).chain(others.iter_mut().map(|slot| (slot, false)))
        {
            slot.run.unconcluded = is_kept;
            journal.keep_run((&of).into(), &slot.run).logged("a run is not recorded");
        }
        work.unconcluded = finished;
        others
    }

    /// Workers of an AoT round: the result of each is written at once, because a resume releases its atom (AoT contract §6.1). Atoms of
    /// interrupted workers are released then.
    fn found_round_ended(&mut self, key: &LoopId, mut slots: Vec<RunSlot>, left: LeftState, goes_on: bool) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.parallel = true;
        let is_used_up = used_up(&slots, work.asked, &work.plan).is_some();
        for slot in slots.iter_mut().filter(|slot| slot.run.action == RunAction::Atom) {
            let Some(atom) = &slot.run.task else { continue };
            slot.what = Purpose::Agent(Box::new(AgentTask::of_found_worker(atom)));
        }
        if is_used_up {
            let others = self.write_good_workers(key, slots);
            self.ended_by_limit(key, &others);
            return;
        }
        slots.retain(|slot| matches!(slot.what, Purpose::Agent(_)));
        let concluded = if slots.is_empty() {
            Ok(LoopConclusion::Write(Vec::new()))
        } else {
            self.conclude_round(key, &slots)
        };
        let runs = ids_of(&slots);
        let all_came_to_their_end = left.how == LeftHow::Finished;
        let operations = match concluded {
            Ok(LoopConclusion::Write(operations) | LoopConclusion::WriteThenEnd(operations, _)) => operations,
            Ok(LoopConclusion::Ask(question)) => return self.ask_question(key, &question),
            Ok(LoopConclusion::Retry { .. } | LoopConclusion::End(_)) => Vec::new(),
            Err(failure) => {
                self.keep_for_later(key, slots);
                return self.fail(key, &failure);
            }
        };
        self.keep_memory(key);
        for operation in operations {
            if let Err(failure) = self.write_step(key, operation) {
                self.keep_for_later(key, slots);
                return self.step_refused(key, &failure);
            }
        }
        self.mark_concluded(runs);
        match (goes_on, all_came_to_their_end) {
            (true, true) => self.go_on(key),
            (_, true) => self.show_interrupted(key, &left.with_how(LeftHow::Recorded)),
            (_, false) => self.show_interrupted(key, &left),
        }
    }

    /// Their results are written now, or kept until the person resumes.
    fn finished_meanwhile(&mut self, key: &LoopId, mut slots: Vec<RunSlot>, left: LeftState, goes_on: bool) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        let is_seen = slots.iter().all(|slot| slot.attached.is_some());
        let of = work.loop_key();
        for slot in &mut slots {
            slot.run.unconcluded = true;
            journal.keep_run((&of).into(), &slot.run).logged("a run is not recorded");
        }
        work.unconcluded = slots;
        if !goes_on && !is_seen {
            return self.show_interrupted(key, &left);
        }
        match self.take_unconcluded(key) {
            Some(found) if goes_on => self.take_up_found(key, found),
            Some(found) if found.is_whole() => self.write_found(key, &found.slots, left),
            Some(found) => {
                self.keep_for_later(key, found.slots);
                self.show_interrupted(key, &left);
            }
            None => {
                // The file is past what they were for, or does not run.
                let is_kept =
                    self.scheduler().works.get(key).is_some_and(|work| !work.unconcluded.is_empty());
                let left = if is_kept { left } else { LeftState::BETWEEN };
                self.show_interrupted(key, &left);
            }
        }
    }

    /// It failed without being stopped: the service was unavailable, or the action runs again.
    fn failed_meanwhile(&mut self, key: &LoopId, slots: &[RunSlot], left: &LeftState) {
        let verdicts = slots
            .iter()
            .filter_map(|slot| Some((slot.run.id.clone(), verdict_of(slot, slot.end.as_ref()?, None))));
        let mut verdicts = verdicts.filter(|(_, it)| matches!(it.outcome, Outcome::Limit | Outcome::Auth));
        let Some((run, verdict)) = verdicts.next() else {
            self.tell_failed(key, slots);
            return self.show_interrupted(key, left);
        };
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.memory.interrupted = true;
        }
        if verdict.outcome == Outcome::Limit && self.wait_for_limit(key, &run, &verdict) {
            return;
        }
        if self.is_running(key) {
            self.need_verdict(key, &run, &verdict);
        }
        self.conclude_work(key);
    }

    /// A failed action of a Loop v2 is an error of the file and a try of its task, even when its failure was not observed.
    fn tell_failed(&mut self, key: &LoopId, slots: &[RunSlot]) {
        let tells = |work: &&mut Execution| work.format.traits().tells_failures;
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(tells) else { return };
        for slot in slots {
            let Some(end) = &slot.end else { continue };
            let verdict = verdict_of(slot, end, None);
            if let Ended::Failed { class: FailureClass::Work, message } = ended_of(slot, end, &verdict) {
                work.memory.failed_unseen(slot.run.action.word(), slot.run.task.as_deref(), message, end.at);
            }
        }
        self.keep_memory(key);
        self.write_failures(key);
    }

    /// A skill says in the file how its loop ended; one that ended without that has to be started again.
    fn skill_left(&mut self, key: &LoopId, left: &LeftState) {
        self.store.observe(key);
        if self.is_running(key) {
            let answers = [NeedAnswerKind::Resume, NeedAnswerKind::Dismiss];
            self.need_because(key, NeedReason::SkillUnfinished, "", NeedSubject::GoOn, &answers, |need| {
                need.run.clone_from(&left.run);
            });
        }
        self.conclude_work(key);
    }

    /// Results of runs that ended unobserved, once their purpose is known again. Only a running loop tells that: for a paused one they are
    /// kept until it is resumed.
    pub(crate) fn take_unconcluded(&mut self, key: &LoopId) -> Option<FoundRuns> {
        if self.scheduler().works.get(key)?.unconcluded.is_empty() {
            return None;
        }
        let next =
            self.with_file(key, |work, bytes, facts| drive::next(work.format, (bytes, facts), &work.memory));
        self.drop_written(key);
        let (tasks, parallel) = match next.ok()? {
            LoopNext::Agent { task, .. } => (vec![*task], false),
            LoopNext::Parallel(tasks) => (tasks, true),
            LoopNext::Tests { .. } | LoopNext::Command(_) => (Vec::new(), false),
            LoopNext::End(_) | LoopNext::Hold | LoopNext::Files(_) | LoopNext::Take(_) => return None,
            // Another program advanced the loop; nothing is kept of a batch, it is written at once.
            LoopNext::Write(_) | LoopNext::Menu(_) | LoopNext::Ask(_) | LoopNext::Batch { .. } => {
                let slots = std::mem::take(&mut self.scheduler_mut().works.get_mut(key)?.unconcluded);
                self.mark_concluded(ids_of(&slots));
                return None;
            }
        };
        let runs_tests = parallel && self.runs_tests_in_parallel(key);
        let work = self.scheduler_mut().works.get_mut(key)?;
        work.parallel = parallel;
        let slots = std::mem::take(&mut work.unconcluded);
        let runs = ids_of(&slots);
        let found = FoundRuns::from_parts(slots, tasks, parallel, runs_tests);
        if found.is_none() {
            self.mark_concluded(runs);
        }
        found
    }

    /// Of runs whose result is in the file, only the note of that is missing: each result counts an iteration.
    fn drop_written(&mut self, key: &LoopId) {
        let bar = self.store.read(key).ok().and_then(|entry| entry.summary.iteration);
        let (Some(bar), Some(work)) = (bar, self.scheduler_mut().works.get_mut(key)) else { return };
        let is_open = |slot: &RunSlot| f64::from(slot.run.iteration) > bar.current;
        let (open, written) = std::mem::take(&mut work.unconcluded).into_iter().partition(is_open);
        work.unconcluded = open;
        self.mark_concluded(ids_of(&written));
    }

    /// Takes up the results of found runs: they go into the file, and the loop continues. When others of their round are still to run, that
    /// happens when those have ended too.
    pub(crate) fn take_up_found(&mut self, key: &LoopId, found: FoundRuns) {
        if !found.is_whole() {
            return self.start_missing(key, found);
        }
        let runs = ids_of(&found.slots);
        self.on_step_ended(key, found.slots, false);
        self.mark_concluded(runs);
    }

    /// They are taken up another time.
    pub(crate) fn keep_for_later(&mut self, key: &LoopId, slots: Vec<RunSlot>) {
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.unconcluded = slots;
        }
    }

    /// Writes the results of found runs, and starts nothing.
    fn write_found(&mut self, key: &LoopId, slots: &[RunSlot], left: LeftState) {
        let concluded = self.conclude_round(key, slots);
        self.keep_memory(key);
        if !matches!(concluded, Ok(LoopConclusion::Write(_))) {
            self.write_failures(key);
        }
        match concluded {
            Ok(LoopConclusion::Write(operations)) => {
                let all: Result<Vec<()>, Failure> =
                    operations.into_iter().map(|operation| self.write_step(key, operation)).collect();
                match all {
                    Ok(_) => {
                        self.write_failures(key);
                        self.show_interrupted(key, &left.with_how(LeftHow::Recorded));
                    }
                    Err(failure) => self.step_refused(key, &failure),
                }
            }
            Ok(LoopConclusion::Ask(question)) => self.ask_question(key, &question),
            // Its answer cannot be used.
            Ok(LoopConclusion::Retry { .. } | LoopConclusion::End(_) | LoopConclusion::WriteThenEnd(..)) => {
                self.show_interrupted(key, &left.with_how(LeftHow::Failed));
            }
            Err(failure) => self.fail(key, &failure),
        }
        self.mark_concluded(ids_of(slots));
    }

    /// Nothing of these runs is left to take up.
    pub(crate) fn mark_concluded(&mut self, runs: Vec<String>) {
        for run in runs {
            self.journal().conclude_run(&run).logged("a run is not recorded as concluded");
        }
    }

    /// Nothing continues. The person learns of it unless the loop's file says so. A loop that they have started here since does what was cut
    /// off again.
    pub(crate) fn show_interrupted(&mut self, key: &LoopId, left: &LeftState) {
        let running = self.is_running(key);
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let asked = work.asked.is_some();
        work.memory.interrupted |= asked || matches!(left.how, LeftHow::CutOff | LeftHow::Failed);
        let is_clear = work.stop.as_ref().is_none_or(StopReport::is_all_gone);
        if running && !asked && is_clear && work.origin == Origin::TakenOver && work.is_on() {
            work.wait_no_more();
            return self.go_on(key);
        }
        if running && !asked {
            let answers = [NeedAnswerKind::Resume, NeedAnswerKind::Stop, NeedAnswerKind::Dismiss];
            self.need(key, NeedKind::Interrupted, &left.said, NeedSubject::GoOn, &answers, |need| {
                need.left = Some(left.how);
                need.args.insert("left".into(), to_word(left.how));
                need.args.insert("action".into(), left.actions.clone());
                if let Some(task) = &left.task {
                    need.args.insert("task".into(), task.clone());
                }
                need.run.clone_from(&left.run);
            });
        }
        self.conclude_work(key);
    }
}

/// The task that a run was for, among those that would be done now.
fn take_task(tasks: &mut Vec<AgentTask>, run: &Run) -> Option<AgentTask> {
    let at = tasks
        .iter()
        .position(|task| RunAction::from(&task.action) == run.action && task.task_id() == run.task)?;
    Some(tasks.remove(at))
}
