//! What the ends of processes mean for the file, as the driver sees it, and carrying that out.

use super::{never_started, test_run};
use crate::apart;
use crate::completion::verdicts::{ended_of, exit_code, verdict_of, verdicts_of};
use crate::driver_context::DriverContext;
use crate::mask::Mask;
use crate::preferences::plan::RunPlan;
use crate::rows::NeedReason;
use crate::run::Run;
use crate::run_event::RunEnd;
use crate::runs::StopReason;
use crate::verify;
use crate::work::{Execution, Purpose, RunSlot, ids_of};
use loopdeck_agents::outcome::{Outcome, Verdict};
use loopdeck_core::checklist::TestsRan;
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{AgentTask, Checked, EndReason, ObservedRun, TestsEnd};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, AgentEnd, CommandCheck, CommandResult, LoopConclusion};
use loopdeck_core::status::FileStatus;
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// So many files with log statements in them are shown with a run.
const MOST_SHOWN: usize = 100;

impl DriverContext<'_> {
    pub(crate) fn conclude(&mut self, key: &LoopId, slots: Vec<RunSlot>) {
        // What the other workers of an AoT round did is written first.
        if !self.works_in_rounds(key)
            && let Some((run, verdict)) = self.unavailable(key, &slots)
            && self.wait_for_limit(key, run, &verdict)
        {
            return;
        }
        let slots = self.check_claims(key, slots);
        let concluded = self.conclude_round(key, &slots);
        self.follow(key, concluded, slots);
    }

    /// What the agent says is held against the disk, and what differs is shown with the run.
    fn check_claims(&mut self, key: &LoopId, mut slots: Vec<RunSlot>) -> Vec<RunSlot> {
        for slot in &mut slots {
            let checked = self.with_file(key, |work, bytes, _| check_answer(work, slot, bytes));
            let Ok(Some(checked)) = checked else { continue };
            if checked != Checked::default() {
                slot.run.checked = Some(checked);
                let (row, of) = (slot.run.clone(), self.scheduler().works.get(key).map(Execution::loop_key));
                let _ = of.map(|of| self.journal().keep_run((&of).into(), &row));
            }
        }
        slots
    }

    /// What failed is written into the file as soon as it has a place for it.
    pub(crate) fn write_failures(&mut self, key: &LoopId) {
        let step = self
            .with_file(key, |work, bytes, facts| drive::unwritten(work.format, (bytes, facts), &work.memory));
        let Ok(Some(step)) = step else { return };
        // What cannot be written now is tried with the next action.
        if self.write_step(key, step).is_ok()
            && let Some(work) = self.scheduler_mut().works.get_mut(key)
        {
            work.memory.v2.errors.clear();
            self.keep_memory(key);
        }
    }

    /// What the ends of these processes mean for the file as it is now.
    pub(crate) fn conclude_round(
        &mut self,
        key: &LoopId,
        slots: &[RunSlot],
    ) -> Result<LoopConclusion, Failure> {
        let mask = self.scheduler().workshop.choices.read(Mask::of_all);
        self.with_file(key, |work, bytes, facts| match slots {
            [RunSlot { what: Purpose::Check(check), end: Some(end), run, run_dir, .. }] => {
                conclude_check(check, end, (run, run_dir, &mask), (bytes, facts), work)
            }
            _ if work.parallel => conclude_together(slots, (bytes, facts), work),
            [slot, ..] => conclude_alone(slot, (bytes, facts), work),
            [] => LoopConclusion::End(EndReason::Cancelled),
        })
    }

    pub(crate) fn follow(
        &mut self,
        key: &LoopId,
        concluded: Result<LoopConclusion, Failure>,
        slots: Vec<RunSlot>,
    ) {
        self.keep_memory(key);
        self.keep_checks(key);
        let mut runs = ids_of(&slots);
        if !matches!(concluded, Ok(LoopConclusion::Write(_))) {
            self.write_failures(key);
            if !self.works_in_rounds(key) {
                self.mark_concluded(std::mem::take(&mut runs)); // they are done again
            }
        }
        match concluded {
            Ok(LoopConclusion::Write(operations)) => {
                for operation in operations {
                    if let Err(failure) = self.write_step(key, operation) {
                        if !self.works_in_rounds(key) {
                            self.mark_concluded(runs); // they are done again
                        }
                        return self.step_refused(key, &failure);
                    }
                }
                self.mark_concluded(runs);
                self.write_failures(key);
                self.go_on(key);
            }
            Ok(LoopConclusion::Retry { prompt }) => {
                self.note_limits(key);
                let task = slots.into_iter().find_map(|slot| match slot.what {
                    Purpose::Agent(task) => Some(AgentTask { prompt: prompt.clone(), ..*task }),
                    _ => None,
                });
                match task {
                    // A pause or stop in the meantime, or a limit, is seen before the agent is started again.
                    Some(task) if self.is_running(key) && !self.is_used_up(key) => {
                        self.start_agents(key, vec![task], false);
                    }
                    _ => self.go_on(key),
                }
            }
            Ok(LoopConclusion::Ask(question)) => self.ask_question(key, &question),
            Ok(LoopConclusion::WriteThenEnd(operations, reason)) => {
                for operation in operations {
                    if let Err(failure) = self.write_step(key, operation) {
                        return self.step_refused(key, &failure);
                    }
                }
                self.mark_concluded(runs);
                self.ended_for(key, &reason, &slots);
            }
            Ok(LoopConclusion::End(reason)) => self.ended_for(key, &reason, &slots),
            Err(failure) => self.fail(key, &failure),
        }
    }

    /// The driver ends because of what became of these runs.
    fn ended_for(&mut self, key: &LoopId, reason: &EndReason, slots: &[RunSlot]) {
        if matches!(reason, EndReason::AgentUnavailable { .. }) {
            if let Some(why) = never_started(slots) {
                return self.launch_failed(key, &why);
            }
            if let Some((run, verdict)) = self.unavailable(key, slots)
                && self.wait_for_limit(key, run, &verdict)
            {
                return;
            }
            let bad = |(_, verdict): &(&str, Verdict)| verdict.outcome != Outcome::Ok;
            if let Some((run, verdict)) = verdicts_of(slots, None).find(bad) {
                self.need_verdict(key, run, &verdict);
                return self.conclude_work(key);
            }
        }
        if matches!(reason, EndReason::Cancelled) {
            // Not by a person here, or it would not have come to this.
            self.need_failed(key, NeedReason::Cancelled, "");
        }
        self.end_work(key, reason);
    }

    fn works_in_rounds(&self, key: &LoopId) -> bool {
        self.scheduler().works.get(key).is_some_and(|work| work.format.works_in_rounds())
    }

    /// The file says that the launch failed, and the person why. Nothing was tried, so nothing counts as a try.
    pub(super) fn launch_failed(&mut self, key: &LoopId, why: &str) {
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.memory.interrupted = true;
        }
        // Who paused or ended it meanwhile has the last word.
        self.store
            .commit(key, &Intent::LaunchFailed { why: why.to_owned() })
            .logged("a step of the driver is not written");
        self.need_failed(key, NeedReason::CannotStart, why);
        self.conclude_work(key);
    }

    fn is_used_up(&self, key: &LoopId) -> bool {
        self.scheduler().works.get(key).is_some_and(|work| work.memory.used_up.is_some())
    }

    pub(crate) fn is_running(&self, key: &LoopId) -> bool {
        self.store.read(key).is_ok_and(|entry| entry.summary.status == FileStatus::Running)
    }
}

/// What the ends of agents mean that worked at the same time, and of the tests after them.
fn conclude_together(
    slots: &[RunSlot],
    file: (&[u8], &FileFacts<'_>),
    work: &mut Execution,
) -> LoopConclusion {
    let asked = work.asked;
    let verdicts: Vec<Option<Verdict>> =
        slots.iter().map(|slot| slot.end.as_ref().map(|end| verdict_of(slot, end, asked))).collect();
    let ends = slots.iter().zip(&verdicts).filter_map(|(slot, verdict)| {
        let (Purpose::Agent(task), Some(end), Some(verdict)) = (&slot.what, &slot.end, verdict) else {
            return None;
        };
        // Who changed what cannot be told when several work in one folder.
        let ended = ended_of(slot, end, verdict);
        Some(AgentEnd { task, ended, changed: None, left: apart::left_apart(slot) })
    });
    let ends: Vec<AgentEnd<'_>> = ends.collect();
    let tests = slots.iter().find(|slot| matches!(slot.what, Purpose::Tests));
    let tests = tests.map_or_else(|| could_not_run(""), |slot| tests_end_of(slot, &work.plan));
    drive::conclude_parallel(work.format, &ends, &tests, file, &mut work.memory)
}

/// What the end of the only agent, or of the only test run, means.
fn conclude_alone(slot: &RunSlot, file: (&[u8], &FileFacts<'_>), work: &mut Execution) -> LoopConclusion {
    let Some(end) = &slot.end else { return LoopConclusion::End(EndReason::Cancelled) };
    let verdict = verdict_of(slot, end, work.asked);
    if let Purpose::Agent(task) = &slot.what {
        let observed = ObservedRun { changed: end.changed.as_deref(), log: end.log.as_ref() };
        let ended = ended_of(slot, end, &verdict);
        return drive::conclude(work.format, task, &ended, observed, end.lines, file, &mut work.memory);
    }
    // A test run that was ended says nothing of the work.
    if verdict.outcome == Outcome::Cancelled {
        work.memory.interrupted = true;
        return LoopConclusion::End(EndReason::Cancelled);
    }
    drive::conclude_tests(work.format, tests_end_of(slot, &work.plan), file, &mut work.memory)
}

fn tests_end_of(slot: &RunSlot, plan: &RunPlan) -> TestsEnd {
    let Some(end) = slot.end.as_ref() else { return could_not_run("") };
    match &end.not_started {
        Some(why) => could_not_run(why),
        None => test_run::tests_end(end.tests.clone(), exit_code(end.exit.as_ref()), &plan.test_command),
    }
}

/// What the disk contradicts of a run's answer, and what the run left. When several work in one folder, it is unknown who changed what:
/// then only files that none of them changed are listed.
fn check_answer(work: &Execution, slot: &RunSlot, bytes: &[u8]) -> Option<Checked> {
    let end = slot.end.as_ref()?;
    let (verdict, changed) = (verdict_of(slot, end, work.asked), end.changed.as_deref());
    let checked = match &slot.what {
        Purpose::Agent(task) => {
            drive::check(work.format, task, &ended_of(slot, end, &verdict), changed, bytes, &work.memory)
        }
        _ => Checked::default(),
    };
    let log = end.log.as_ref();
    Some(Checked {
        instrumented: end.instrumented.iter().flatten().take(MOST_SHOWN).cloned().collect(),
        log_entries: log.map_or(0, |log| log.entries),
        log_foreign: log.map_or(0, |log| log.foreign),
        nothing_changed: checked.nothing_changed && !work.parallel,
        ..checked
    })
}

/// What the end of a command of the completion check means. One that was ended says nothing of the work.
fn conclude_check(
    check: &CommandCheck,
    end: &RunEnd,
    (run, run_dir, mask): (&Run, &Path, &Mask),
    file: (&[u8], &FileFacts<'_>),
    work: &mut Execution,
) -> LoopConclusion {
    let by_limit = matches!(end.stopped_by, None | Some(StopReason::WallLimit | StopReason::Lingered));
    if !by_limit {
        return LoopConclusion::End(EndReason::Cancelled);
    }
    let outcome = verify::result_of(end, run_dir, mask);
    #[allow(clippy::cast_precision_loss)] // milliseconds of a run are exact in f64
    let took_ms = end.at.since(run.started).num_milliseconds() as f64;
    let result = CommandResult {
        end: outcome.end,
        stdout: &outcome.stdout,
        stderr: &outcome.stderr,
        took_ms,
        tests: end.tests.as_ref().and_then(TestsRan::of),
    };
    drive::conclude_command(work.format, check, &result, file, &mut work.memory)
}

fn could_not_run(why: &str) -> TestsEnd {
    TestsEnd::CouldNotRun { why: why.to_owned() }
}
