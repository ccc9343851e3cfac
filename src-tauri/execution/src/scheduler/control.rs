//! What a person asks of the work: pause, stop, now or after the current step; and what they may read.

use crate::driver_context::DriverContext;
use crate::person::by_person;
use crate::preferences::plan::RunPlan;
use crate::records::LoopRef;
use crate::rows::{NeedAnswerKind, NeedReason, RunView};
use crate::run::Run;
use crate::work::{Activity, Execution, NeedSubject, PendingNeed};
use loopdeck_agents::outcome::Asked;
use loopdeck_core::control::Intent;
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::status::FileStatus;
use loopdeck_system::clock;
use loopdeck_system::dirs;
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use std::sync::atomic::Ordering;

impl DriverContext<'_> {
    /// What a landed request means for the processes: a stop ends them; a pause lets the action end.
    pub fn control_work(&mut self, key: &str, intent: &Intent) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let key = work.key.clone();
        let is_round = work.format.works_in_rounds();
        let at_work = matches!(work.doing, Activity::Runs(_));
        match intent {
            // The round ends on its own, and the loop with it: both verbs only raise a flag (AoT contract §6).
            Intent::Stop { .. } | Intent::Pause if is_round && at_work => {}
            Intent::Stop { .. } | Intent::Pause if is_round => self.conclude_work(&key),
            Intent::Stop { .. } => self.end_runs(&key, Asked::Stop),
            Intent::Pause if !at_work && work.is_on() => self.conclude_work(&key),
            Intent::Operate(step) if is_round => self.on_redirect(&key, step),
            _ => {}
        }
    }

    /// What another Loopdeck recorded (a script, another window) means the same for our processes as what is asked here.
    pub fn follow_request(&mut self, key: &LoopId, intent: &Intent) {
        if self.scheduler().works.get(key).is_some_and(|work| work.asked.is_none()) {
            self.control_work(key, intent);
        }
    }

    /// Another program gave the file a final word while processes of ours work. That is a stop, whoever wrote it; a failure that Loopdeck
    /// does not know of is for the person to judge. A pause takes effect when the action has ended.
    pub(crate) fn obey_foreign_word(&mut self, key: &LoopId, status: FileStatus, is_new: bool) {
        use loopdeck_core::control::Verb;
        let guarded = self.store.guarded_verb(key).flatten();
        match status {
            FileStatus::StoppedByUser if guarded != Some(Verb::Stop) => self.end_runs(key, Asked::Stop),
            FileStatus::Failed if is_new => {
                let answers = [NeedAnswerKind::Stop, NeedAnswerKind::Dismiss];
                self.need_because(key, NeedReason::MarkedFailed, "", NeedSubject::Marked, &answers, |_| {});
                self.show_work(key);
            }
            _ => {}
        }
    }

    /// Ends the processes of ours; what they did so far stays.
    pub(crate) fn end_runs(&mut self, key: &LoopId, asked: Asked) {
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|work| work.is_on()) else { return };
        let again = work.asked.is_some();
        if work.asked != Some(Asked::Stop) {
            work.asked = Some(asked);
        }
        // No answer is awaited any longer; what an earlier stop left is still there.
        work.needs.retain(PendingNeed::stays);
        if work.settling.is_some() {
            return; // nothing runs; it ends when what was done is merged
        }
        match &work.doing {
            Activity::Runs(slots) if !slots.is_empty() => {
                let by = by_person();
                for slot in slots.iter().filter(|slot| slot.end.is_none()) {
                    slot.cancel.store(true, Ordering::SeqCst);
                    // One that cannot be reached yet is told as soon as it can. A second request skips the question.
                    if let Some(attached) = &slot.attached {
                        attached.stop(by.clone(), !again).logged("a guardian is not told to stop");
                    }
                }
                self.show_work(key);
            }
            _ => self.conclude_work(key),
        }
        self.tell_needs();
    }

    /// Pauses at once: the file says paused, and what runs is interrupted.
    pub fn pause_now(&mut self, key: &str) -> Result<(), Failure> {
        let entry = self.store.read(key)?;
        if entry.summary.status != FileStatus::Paused {
            self.store.commit(key, &Intent::Pause)?;
        }
        self.end_runs(&entry.key(), Asked::Interrupt);
        Ok(())
    }

    /// Stops at once: an agent is not first asked to finish.
    pub fn stop_now(&mut self, key: &str) -> Result<(), Failure> {
        let on = self.scheduler().works.get(key).filter(|work| work.is_on()).map(|work| work.key.clone());
        let entry = match (self.store.read(key), on) {
            (Ok(entry), _) => entry,
            // Its file is gone; its processes need not be.
            (Err(_), Some(key)) => {
                self.end_runs(&key, Asked::Stop);
                return Ok(());
            }
            (Err(failure), None) => return Err(failure),
        };
        if entry.summary.status != FileStatus::StoppedByUser {
            // A loop that has just ended has nothing to be told; its processes end all the same.
            let told = self.store.commit(key, &Intent::Stop { reason: None });
            if let Err(failure) = told
                && !self.scheduler().works.get(key).is_some_and(Execution::is_on)
            {
                return Err(failure);
            }
        }
        // The second request, or the first when the file said so already: see above.
        self.end_runs(&entry.key(), Asked::Stop);
        Ok(())
    }

    /// The app ends and takes its runs along.
    pub fn stop_all(&mut self) -> Result<(), Failure> {
        for key in self.scheduler().keys_at_work() {
            // What can no longer be written is ended all the same.
            self.stop_now(&key).logged("a run is not stopped");
        }
        Ok(())
    }

    /// The person closes the window and keeps what runs running: if this Loopdeck crashes, the next one continues.
    pub fn keep_going(&mut self) -> Result<(), Failure> {
        for key in self.scheduler().keys_at_work() {
            if let Some(work) = self.scheduler_mut().works.get_mut(&key) {
                work.memory.keeps_going = true;
            }
            self.keep_memory(&key);
        }
        Ok(())
    }

    /// Runs of a loop, newest first, those at work as they are now.
    pub fn runs_of(&mut self, key: &str, limit: u32) -> Result<Vec<RunView>, Failure> {
        // One whose file is gone since has done its runs all the same.
        let file = match self.store.read(key) {
            Err(_) if self.scheduler().works.contains_key(key) => file_of(key).to_owned(),
            entry => entry?.candidate.file,
        };
        let root = self.store.root_of(key)?.to_string_lossy().into_owned();
        let mut runs = self.journal().runs(LoopRef { workspace: &root, file: &file }, limit)?;
        for slot in self.scheduler().works.get(key).map(Execution::slots).unwrap_or_default() {
            if let Some(run) = runs.iter_mut().find(|run| run.id == slot.run.id) {
                *run = slot.run.clone();
            }
        }
        let folder = self.scheduler().workshop.dirs.runs();
        let view = |run: Run| {
            let log = dirs::shown(&folder.join(&run.id).join("log"));
            RunView::new(run, log)
        };
        Ok(runs.into_iter().map(view).collect())
    }

    /// How a loop was run last.
    pub fn plan_of(&mut self, key: &str) -> Result<Option<RunPlan>, Failure> {
        let entry = self.store.read(key)?;
        let root = self.store.root_of(key)?.to_string_lossy().into_owned();
        self.journal().plan_of(LoopRef { workspace: &root, file: &entry.candidate.file })
    }

    /// Remembers how a loop is to be run.
    pub fn keep_plan(&mut self, key: &str, plan: &RunPlan) -> Result<(), Failure> {
        let entry = self.store.read(key)?;
        let root = self.store.root_of(key)?.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &root, file: &entry.candidate.file };
        self.journal().keep_plan(of, plan, clock::now())
    }
}
