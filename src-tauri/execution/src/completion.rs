//! What runs say and how they end: rows, usage, verdicts, and what follows from them for the loop.

mod conclusion;
mod skill;
pub mod test_run;
pub(crate) mod verdicts;

use super::apart;
use super::driver_context::DriverContext;
use super::person::by_person;
use super::run_event::{RunEnd, RunEvent};
use super::work::{Activity, NeedSubject, Purpose, RunSlot, ids_of};
use crate::changes::ChangeList;
use crate::completion::verdicts::{exit_how, has_finished, holds_up, is_good, note_end, verdict_of};
use crate::preferences::plan::{Driver, RunPlan};
use crate::run::{Run, RunAction};
use crate::runs::{LoopKey, StopReason, StopReport};
use loopdeck_agents::outcome::{Asked, BudgetKind};
use loopdeck_agents::usage::{self, Usage};
use loopdeck_agents::{OutputKind, conversation};
use loopdeck_core::driver::UsedUp;
use loopdeck_core::format::Teamwork;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::times::TimeDelta;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use std::sync::atomic::Ordering;

/// The shortest time between changes of a row that are caused by agent output alone.
const SHOWN_APART: TimeDelta = TimeDelta::seconds(1);

impl DriverContext<'_> {
    /// A run said something.
    pub(crate) fn on_run_event(&mut self, key: &LoopId, run: &str, said: RunEvent) {
        match said {
            RunEvent::Began(attached) => self.on_run_begun(key, run, attached),
            RunEvent::Rows(heard) => {
                let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
                let was_started = work.started;
                work.take_in(&heard);
                if let Some(slot) = work.slot_mut(run) {
                    slot.run.rows = heard.rows;
                    slot.line = (heard.line, heard.last_output);
                    slot.run.session = heard.session;
                    slot.run.model = heard.model;
                }
                // An agent that keeps producing output changes the list at most once a second.
                let now = clock::now();
                if !was_started || now.since(work.shown_at) >= SHOWN_APART {
                    work.shown_at = now;
                    self.show_work(key);
                }
            }
            RunEvent::Asks(request) => self.ask_permission(key, run, &request),
            RunEvent::Withdrawn(request) => self.withdraw(key, run, &request),
            RunEvent::Lacks(failed) => self.lacks_skill(key, run, &failed),
            RunEvent::Ended(end) => self.on_run_ended(key, run, end),
        }
    }

    fn on_run_begun(&mut self, key: &LoopId, run: &str, attached: crate::runs::Attached) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let of = work.loop_key();
        let Some(slot) = work.slot_mut(run) else { return };
        slot.run.pid = attached.record().ok().and_then(|record| record.child).map(|child| child.pid);
        let (row, is_found) = (slot.run.clone(), matches!(slot.what, Purpose::Found));
        // A stop or a hold that came before it could be told.
        if slot.cancel.load(Ordering::SeqCst) {
            attached.stop(by_person(), true).logged("a guardian is not told to stop");
        }
        slot.attached = Some(attached);
        work.started |= is_found;
        self.journal().keep_run((&of).into(), &row).logged("a run is not recorded");
        self.show_work(key);
    }

    /// Keeps a run that is over, and which files it changed.
    fn keep_ended(&mut self, of: &LoopKey, run: &Run, changes: Option<&ChangeList>) {
        self.journal().keep_run(of.into(), run).logged("a run is not recorded");
        if let Some(changes) = changes {
            let kept = self.journal().keep_changed_files(of.into(), &run.id, &changes.paths);
            kept.logged("which files a run changed is not recorded");
        }
    }

    fn on_run_ended(&mut self, key: &LoopId, run: &str, mut end: Box<RunEnd>) {
        let scheduler = self.scheduler_mut();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        work.needs.retain(
            |waiting| !matches!(&waiting.about, NeedSubject::Permission { run: of, .. } if of == run),
        );
        work.last_output = work.last_output.max(end.at);
        let (asked, of) = (work.asked, work.loop_key());
        let is_alone = work.slots().len() <= 1;
        let is_of_round = work.format.joins_results() && !is_alone;
        let is_alone_written = work.plan.driver == Driver::Loopdeck && !work.format.works_in_rounds();
        let Some(slot) = work.slot_mut(run) else { return };
        let is_counted = slot.run.ended.is_some(); // an earlier Loopdeck saw its end too
        let verdict = verdict_of(slot, &end, asked);
        note_end(&mut slot.run, slot.kind, &end, &verdict);
        // Who changed what cannot be told when several work in one folder.
        let changes = end.changes.take().filter(|_| is_alone || slot.run.worktree.is_some());
        slot.run.changes = changes.as_ref().map(|changes| changes.totals).or(slot.run.changes);
        let is_unknown = asked.is_none() && does_not_know(slot, &end);
        scheduler.workshop.outputs.note_end(run);
        let instrumented = end.instrumented.clone().map(|files| (files, slot.run.is_tests()));
        let usage = (end.facts.usage, slot.run.session.clone(), slot.kind, slot.run.agent.clone());
        slot.end = Some(end);
        // Until its result is in the file, a crash must not lose what it did; that holds for one that was found too. A worker's is written
        // when the whole round is over.
        let is_worker = slot.run.action == RunAction::Atom;
        let is_result = is_alone_written && asked.is_none() && has_finished(slot);
        slot.run.unconcluded |= (is_worker || is_of_round || is_result) && !is_unknown;
        let mut row = slot.run.clone();
        if !is_counted {
            self.count_usage(&mut row, usage);
        }
        self.keep_ended(&of, &row, changes.as_ref());
        let spent = self.journal().spent((&of).into()).unwrap_or_default();
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.spent = spent;
        work.memory.worked_ms = spent.worked.map(|worked| worked.num_milliseconds() as f64);
        work.note_conversation(&row, &verdict);
        if let Some(slot) = work.slot_mut(run) {
            slot.run = row;
        }
        if let (Some(work), Some((files, is_test))) = (self.scheduler_mut().works.get_mut(key), instrumented)
        {
            work.memory.v2.instrumented_now(files);
            if is_test {
                work.memory.v2.tests_begin(clock::now());
            }
        }
        if is_unknown && self.begin_anew(key, run) {
            return;
        }
        let Some(work) = self.scheduler().works.get(key) else { return };
        let all_over = work.slots().iter().all(|slot| slot.end.is_some());
        if all_over {
            self.on_all_ended(key);
        } else {
            self.show_work(key);
        }
    }

    /// A run's share of what the agent reports since its conversation began.
    fn count_usage(
        &mut self,
        row: &mut Run,
        (reported, session, kind, agent): (Option<Usage>, Option<String>, OutputKind, String),
    ) {
        let Some(reported) = reported else { return };
        let session = session.unwrap_or_else(|| row.id.clone());
        let before = self.journal().used(&agent, &session).ok().flatten();
        let before: Option<Usage> = before.and_then(|text| serde_json::from_str(&text).ok());
        let share = usage::share(kind, reported, before);
        if let Ok(text) = serde_json::to_string(&share.baseline) {
            self.journal()
                .keep_used(&agent, &session, &text)
                .logged("what a conversation used is not recorded");
        }
        row.tokens = Some(share.run.input.saturating_add(share.run.output));
        row.cost_usd = share.run.cost_usd;
    }

    /// All processes of this step are over.
    fn on_all_ended(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let Activity::Runs(slots) = std::mem::replace(&mut work.doing, Activity::Runs(Vec::new())) else {
            return;
        };
        if apart::are_open(&slots) {
            return self.merge_worktrees(key, slots);
        }
        self.on_all_merged(key, slots);
    }

    /// They are over, and what those did that worked apart is merged or kept.
    pub(crate) fn on_all_merged(&mut self, key: &LoopId, slots: Vec<RunSlot>) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let report = StopReport::of_all(slots.iter().filter_map(|slot| Some(&slot.end.as_ref()?.report)));
        let (asked, is_left, is_own_tool) = (work.asked, !report.is_all_gone(), work.is_own_tool());
        if asked.is_some() || is_left {
            work.stop = Some(report);
        }
        if is_left {
            let left = slots.iter().map(|slot| slot.run_dir.clone()).collect();
            self.need_left(key, left);
        }
        if is_own_tool {
            return self.own_tool_ended(key, &slots);
        }
        if slots.iter().any(|slot| matches!(slot.what, Purpose::Found)) {
            return self.found_runs_ended(key, slots, is_left);
        }
        self.on_step_ended(key, slots, is_left);
    }

    /// All processes of this step are over, and it is known what they were for. `is_left`: not all of them are gone.
    pub(crate) fn on_step_ended(&mut self, key: &LoopId, slots: Vec<RunSlot>, is_left: bool) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let asked = work.asked;
        if work.is_held_for_redirect && asked.is_none() {
            return self.discard_interrupted(key, &slots);
        }
        match work.format.traits().teamwork {
            _ if asked.is_none() => {}
            Teamwork::Rounds => self.write_finished_workers(key, &slots),
            _ => self.mark_concluded(ids_of(&slots)),
        }
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        if asked.is_some() || work.plan.driver != Driver::Loopdeck {
            work.memory.interrupted |= asked.is_some();
            return self.skill_or_asked_ended(key, &slots);
        }
        let stays = is_left && !slots.iter().all(|slot| is_good(slot, asked));
        let is_cut_short = stays || used_up(&slots, asked, &work.plan).is_some();
        let slots = match work.format.traits().teamwork {
            Teamwork::Rounds if is_cut_short => self.write_good_workers(key, slots),
            Teamwork::Joined if is_cut_short || slots.iter().any(holds_up) => self.keep_finished(key, slots),
            _ => slots,
        };
        if self.ended_by_limit(key, &slots) {
            return;
        }
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        if stays {
            // Another agent next to one that may still run would make two on one loop.
            work.memory.interrupted = true;
            return self.conclude_work(key);
        }
        self.conclude(key, slots);
    }

    /// Whether a limit of ours ended one of these processes; the person is asked then.
    pub(crate) fn ended_by_limit(&mut self, key: &LoopId, slots: &[RunSlot]) -> bool {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let Some((run, limit)) = used_up(slots, work.asked, &work.plan) else { return false };
        // The limit is the loop's, not the task's: nothing counts as a failed try.
        (work.memory.interrupted, work.memory.used_up) = (true, Some(limit));
        self.need_limit(key, limit, Some(run));
        self.conclude_work(key);
        true
    }
}

/// A limit of ours that ended one of these processes, and which.
pub(crate) fn used_up(slots: &[RunSlot], asked: Option<Asked>, plan: &RunPlan) -> Option<(String, UsedUp)> {
    slots.iter().find_map(|slot| limit_of(slot, asked, plan).map(|limit| (slot.run.id.clone(), limit)))
}

fn limit_of(slot: &RunSlot, asked: Option<Asked>, plan: &RunPlan) -> Option<UsedUp> {
    let end = slot.end.as_ref().filter(|_| asked.is_none())?;
    if matches!(slot.what, Purpose::Check(_)) {
        return None; // a check has a limit of its own, and reaching it is a result
    }
    if matches!(end.stopped_by, Some(StopReason::WallLimit)) {
        return Some(UsedUp::Time);
    }
    match verdict_of(slot, end, asked).budget? {
        BudgetKind::Money => Some(UsedUp::Money),
        // A cap of the person's own settings is no limit of this loop.
        BudgetKind::Turns => plan.turns.is_some().then_some(UsedUp::Turns),
        BudgetKind::Time | BudgetKind::Other => None,
    }
}

/// Whether the agent refused to start because it does not know the conversation that it was to continue.
fn does_not_know(slot: &RunSlot, end: &RunEnd) -> bool {
    let was_resumed = slot.run.resumed.as_ref().is_some_and(|resumed| resumed.goes_on().is_some());
    was_resumed && conversation::is_unknown(slot.kind, &end.facts, exit_how(end))
}

/// Why an agent could not even be started.
fn never_started(slots: &[RunSlot]) -> Option<String> {
    let agents = slots.iter().filter(|slot| !matches!(slot.what, Purpose::Tests | Purpose::Check(_)));
    agents.filter_map(|slot| slot.end.as_ref()?.not_started.clone()).next()
}
