//! What only the rounds of an AoT loop have: beginning with a batch of workers, holding for a redirect, and closing the round that a person ends (AoT contract
//! §6, §7).

use crate::completion::verdicts::is_good;
use crate::driver_context::DriverContext;
use crate::person::by_person;
use crate::store::LoopNow;
use crate::work::{Activity, Execution, Purpose, RunSlot, ids_of};
use loopdeck_core::control::Intent;
use loopdeck_core::driver::AgentTask;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, LoopConclusion};
use loopdeck_core::status::FileStatus;
use loopdeck_core::step::{Direction, Operation};
use loopdeck_core::summary::StopFlag;
use loopdeck_system::logged::Logged as _;
use std::sync::atomic::Ordering;

impl DriverContext<'_> {
    /// Starts the workers of an AoT round, once the file says that their atoms are in progress.
    pub(crate) fn run_batch(&mut self, key: &LoopId, begin: Operation, tasks: Vec<AgentTask>) {
        if let Err(failure) = self.may_start(key) {
            return self.fail(key, &failure);
        }
        if self.asks_for_tool(key, &tasks) {
            return;
        }
        if self.works_apart(key, tasks.len()) {
            return self.part_workers(key, begin, tasks);
        }
        self.begin_batch(key, begin, tasks);
    }

    pub(crate) fn begin_batch(&mut self, key: &LoopId, begin: Operation, tasks: Vec<AgentTask>) {
        if let Err(failure) = self.write_step(key, begin) {
            return self.step_refused(key, &failure);
        }
        self.start_agents(key, tasks, true);
    }

    /// A person's step on a loop of ours landed: a hold interrupts what runs, the end of a hold lets it continue.
    pub(crate) fn on_redirect(&mut self, key: &LoopId, step: &Operation) {
        match step.direction() {
            Some(Direction::Held) => self.hold(key),
            Some(Direction::Changed { checks }) => {
                if checks {
                    self.agree_to_commands(key, true);
                }
                self.continue_after_hold(key);
            }
            Some(Direction::Released) => self.continue_after_hold(key),
            None => {}
        }
    }

    /// What runs is interrupted, and its results are discarded: they belong to the old direction.
    pub(crate) fn hold(&mut self, key: &LoopId) {
        let begins = |work: &&mut Execution| work.is_on() && !work.is_held_for_redirect;
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(begins) else { return };
        work.is_held_for_redirect = true;
        let running = matches!(&work.doing, Activity::Runs(slots) if !slots.is_empty());
        if !running {
            return self.wait_for_redirect(key);
        }
        for slot in work.slots().iter().filter(|slot| slot.end.is_none()) {
            slot.cancel.store(true, Ordering::SeqCst);
            if let Some(attached) = &slot.attached {
                attached.stop(by_person(), true).logged("a guardian is not told to stop");
            }
        }
        self.show_work(key);
    }

    /// Nothing starts until the file says that the direction is settled.
    pub(crate) fn wait_for_redirect(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.is_held_for_redirect = true;
        work.wait(Activity::Asks);
        self.keep_memory(key);
        self.show_work(key);
    }

    /// The interrupted workers are gone; the atoms they had are released with the redirect, or with the next round.
    pub(crate) fn discard_interrupted(&mut self, key: &LoopId, slots: &[RunSlot]) {
        self.mark_concluded(ids_of(slots));
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.memory.conversations.clear();
        work.doing = Activity::Asks;
        self.continue_after_hold(key);
    }

    /// A limit cuts the round short: what workers finished is written all the same. The others are returned, and nothing of
    /// theirs is written, so that no try counts; their atoms are done again when the loop continues.
    pub(crate) fn write_good_workers(&mut self, key: &LoopId, slots: Vec<RunSlot>) -> Vec<RunSlot> {
        let is_worker =
            |slot: &RunSlot| matches!(&slot.what, Purpose::Agent(task) if task.is_worker_on_atom());
        let (good, others): (Vec<RunSlot>, Vec<RunSlot>) =
            slots.into_iter().partition(|slot| is_worker(slot) && is_good(slot, None));
        if !good.is_empty() {
            self.write_finished_workers(key, &good);
        }
        self.mark_concluded(ids_of(&others));
        others
    }

    /// A person ended the round: what workers had finished by then is written all the same.
    pub(crate) fn write_finished_workers(&mut self, key: &LoopId, slots: &[RunSlot]) {
        let asked = self.scheduler_mut().works.get_mut(key).and_then(|work| work.asked.take());
        let concluded = self.conclude_round(key, slots);
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.asked = asked;
        }
        if let Ok(LoopConclusion::Write(operations) | LoopConclusion::WriteThenEnd(operations, _)) = concluded
        {
            for operation in operations {
                // Of a loop that was ended in the file only results are taken.
                self.write_step(key, operation).logged("a step of the driver is not written");
            }
        }
        self.mark_concluded(ids_of(slots));
    }

    /// Continues as soon as nothing of the old direction runs; a hold that is still in the file remains.
    pub(crate) fn continue_after_hold(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|work| work.is_held_for_redirect)
        else {
            return;
        };
        if matches!(&work.doing, Activity::Runs(slots) if slots.iter().any(|slot| slot.end.is_none())) {
            return; // asked again when they are gone
        }
        if work.settling.is_some() {
            return; // and when what they did is kept
        }
        work.is_held_for_redirect = false;
        work.wait_no_more();
        self.go_on(key);
    }

    /// Nothing of ours continues: a requested stop or pause is carried out in the file (§5, row 4).
    pub(crate) fn close_round(&mut self, key: &LoopId) {
        self.stop_taken_up(key);
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|work| work.is_on()) else { return };
        let Some(step) = drive::end_round(work.format) else { return };
        (work.is_held_for_redirect, work.handed_over_status, work.doing) = (false, None, Activity::Over); // what is seen from here on is not for the work
        self.show_work(key);
        self.store.observe(key);
        let asked = |entry: &LoopNow| {
            entry.summary.status == FileStatus::Running
                && matches!(entry.summary.stop_requested, Some(StopFlag::Stop | StopFlag::Pause))
        };
        if self.store.read(key).is_ok_and(|entry| asked(&entry)) {
            // Whoever ended or resumed it at this moment has the last word.
            self.store
                .commit(key, &Intent::Operate(Box::new(step)))
                .logged("a step of the driver is not written");
        }
    }
}
