//! What runs say and how they end: rows, usage, verdicts, and what follows from them for the loop.

mod conclusion;
mod skill;
pub mod test_run;
pub(crate) mod verdicts;

use super::apart;
use super::person::by_person;
use super::run_event::{RunEnd, RunEvent};
use super::turn::Turn;
use super::work::{About, Activity, Part, Purpose, ids_of};
use crate::completion::verdicts::{exit_how, has_finished, holds_up, is_good, note_end, verdict_of};
use crate::preferences::plan::{Driver, RunPlan};
use crate::run::{Run, RunAction};
use crate::runs::{StopReason, StopReport};
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

impl Turn<'_> {
    /// A run said something.
    pub(crate) fn run_said(&mut self, key: &LoopId, run: &str, said: RunEvent) {
        match said {
            RunEvent::Began(attached) => self.run_began(key, run, attached),
            RunEvent::Rows(heard) => {
                let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
                let was_started = work.started;
                work.take_in(&heard);
                if let Some(part) = work.part_mut(run) {
                    part.run.rows = heard.rows;
                    part.line = (heard.line, heard.last_output);
                    part.run.session = heard.session;
                    part.run.model = heard.model;
                }
                // An agent that keeps producing output changes the list at most ten times a second.
                let now = clock::now();
                if !was_started || now.since(work.shown_at) >= SHOWN_APART {
                    work.shown_at = now;
                    self.show_work(key);
                }
            }
            RunEvent::Asks(request) => self.ask_permission(key, run, &request),
            RunEvent::Withdrawn(request) => self.withdraw(key, run, &request),
            RunEvent::Lacks(failed) => self.lacks_skill(key, run, &failed),
            RunEvent::Ended(end) => self.run_ended(key, run, end),
        }
    }

    fn run_began(&mut self, key: &LoopId, run: &str, attached: crate::runs::Attached) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let of = work.loop_key();
        let Some(part) = work.part_mut(run) else { return };
        part.run.pid = attached.record().ok().and_then(|record| record.child).map(|child| child.pid);
        let (row, is_found) = (part.run.clone(), matches!(part.what, Purpose::Found));
        // A stop or a hold that came before it could be told.
        if part.cancel.load(Ordering::SeqCst) {
            attached.stop(by_person(), true).logged("a guardian is not told to stop");
        }
        part.attached = Some(attached);
        work.started |= is_found;
        self.journal().keep_run((&of).into(), &row).logged("a run is not recorded");
        self.show_work(key);
    }

    fn run_ended(&mut self, key: &LoopId, run: &str, end: Box<RunEnd>) {
        let scheduler = self.scheduler_mut();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        work.needs
            .retain(|waiting| !matches!(&waiting.about, About::Permission { run: of, .. } if of == run));
        work.last_output = work.last_output.max(end.at);
        let (asked, of) = (work.asked, work.loop_key());
        let is_alone = work.parts().len() <= 1;
        let is_of_round = work.format.joins_results() && !is_alone;
        let is_alone_written = work.plan.driver == Driver::Loopdeck && !work.format.works_in_rounds();
        let Some(part) = work.part_mut(run) else { return };
        let is_counted = part.run.ended.is_some(); // an earlier Loopdeck saw its end too
        let verdict = verdict_of(part, &end, asked);
        note_end(&mut part.run, part.kind, &end, &verdict);
        // Who changed what cannot be told when several work in one folder.
        if is_alone || part.run.worktree.is_some() {
            part.run.changes = end.totals.or(part.run.changes);
        }
        let is_unknown = asked.is_none() && does_not_know(part, &end);
        scheduler.workshop.outputs.note_end(run);
        let instrumented = end.instrumented.clone().map(|files| (files, end.tests.is_some()));
        let usage = (end.facts.usage, part.run.session.clone(), part.kind, part.run.agent.clone());
        part.end = Some(end);
        // Until its result is in the file, a crash must not lose what it did; that holds for one that was found too. A worker's is written
        // when the whole round is over.
        let is_worker = part.run.action == RunAction::Atom;
        let is_result = is_alone_written && asked.is_none() && has_finished(part);
        part.run.unconcluded |= (is_worker || is_of_round || is_result) && !is_unknown;
        let mut row = part.run.clone();
        if !is_counted {
            self.count_usage(&mut row, usage);
        }
        self.journal().keep_run((&of).into(), &row).logged("a run is not recorded");
        let spent = self.journal().spent((&of).into()).unwrap_or_default();
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.spent = spent;
        work.memory.worked_ms = spent.worked.map(|worked| worked.num_milliseconds() as f64);
        work.note_conversation(&row, &verdict);
        if let Some(part) = work.part_mut(run) {
            part.run = row;
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
        let all_over = work.parts().iter().all(|part| part.end.is_some());
        if all_over {
            self.all_ended(key);
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
    fn all_ended(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let Activity::Runs(parts) = std::mem::replace(&mut work.doing, Activity::Runs(Vec::new())) else {
            return;
        };
        if apart::are_open(&parts) {
            return self.settle_apart(key, parts);
        }
        self.all_settled(key, parts);
    }

    /// They are over, and what those did that worked apart is merged or kept.
    pub(crate) fn all_settled(&mut self, key: &LoopId, parts: Vec<Part>) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let report = StopReport::of_all(parts.iter().filter_map(|part| Some(&part.end.as_ref()?.report)));
        let (asked, is_left) = (work.asked, !report.is_all_gone());
        if asked.is_some() || is_left {
            work.stop = Some(report);
        }
        if is_left {
            let left = parts.iter().map(|part| part.run_dir.clone()).collect();
            self.need_left(key, left);
        }
        if parts.iter().any(|part| matches!(part.what, Purpose::Found)) {
            return self.found_runs_ended(key, parts, is_left);
        }
        self.step_ended(key, parts, is_left);
    }

    /// All processes of this step are over, and it is known what they were for. `is_left`: not all of them are gone.
    pub(crate) fn step_ended(&mut self, key: &LoopId, parts: Vec<Part>, is_left: bool) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let asked = work.asked;
        if work.held && asked.is_none() {
            return self.discard_interrupted(key, &parts);
        }
        match work.format.traits().teamwork {
            _ if asked.is_none() => {}
            Teamwork::Rounds => self.write_finished_workers(key, &parts),
            _ => self.are_concluded(ids_of(&parts)),
        }
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        if asked.is_some() || work.plan.driver != Driver::Loopdeck {
            work.memory.interrupted |= asked.is_some();
            return self.skill_or_asked_ended(key, &parts);
        }
        let stays = is_left && !parts.iter().all(|part| is_good(part, asked));
        let is_cut_short = stays || used_up(&parts, asked, &work.plan).is_some();
        let parts = match work.format.traits().teamwork {
            Teamwork::Rounds if is_cut_short => self.write_good_workers(key, parts),
            Teamwork::Joined if is_cut_short || parts.iter().any(holds_up) => self.keep_finished(key, parts),
            _ => parts,
        };
        if self.ended_by_limit(key, &parts) {
            return;
        }
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        if stays {
            // Another agent next to one that may still run would make two on one loop.
            work.memory.interrupted = true;
            return self.conclude_work(key);
        }
        self.conclude(key, parts);
    }

    /// Whether a limit of ours ended one of these processes; the person is asked then.
    pub(crate) fn ended_by_limit(&mut self, key: &LoopId, parts: &[Part]) -> bool {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let Some((run, limit)) = used_up(parts, work.asked, &work.plan) else { return false };
        // The limit is the loop's, not the task's: nothing counts as a failed try.
        (work.memory.interrupted, work.memory.used_up) = (true, Some(limit));
        self.need_limit(key, limit, Some(run));
        self.conclude_work(key);
        true
    }
}

/// A limit of ours that ended one of these processes, and which.
pub(crate) fn used_up(parts: &[Part], asked: Option<Asked>, plan: &RunPlan) -> Option<(String, UsedUp)> {
    parts.iter().find_map(|part| limit_of(part, asked, plan).map(|limit| (part.run.id.clone(), limit)))
}

fn limit_of(part: &Part, asked: Option<Asked>, plan: &RunPlan) -> Option<UsedUp> {
    let end = part.end.as_ref().filter(|_| asked.is_none())?;
    if matches!(part.what, Purpose::Check(_)) {
        return None; // a check has a limit of its own, and reaching it is a result
    }
    if matches!(end.stopped_by, Some(StopReason::WallLimit)) {
        return Some(UsedUp::Time);
    }
    match verdict_of(part, end, asked).budget? {
        BudgetKind::Money => Some(UsedUp::Money),
        // A cap of the person's own settings is no limit of this loop.
        BudgetKind::Turns => plan.turns.is_some().then_some(UsedUp::Turns),
        BudgetKind::Time | BudgetKind::Other => None,
    }
}

/// Whether the agent refused to start because it does not know the conversation that it was to continue.
fn does_not_know(part: &Part, end: &RunEnd) -> bool {
    let was_resumed = part.run.resumed.as_ref().is_some_and(|resumed| resumed.goes_on().is_some());
    was_resumed && conversation::is_unknown(part.kind, &end.facts, exit_how(end))
}

/// Why an agent could not even be started.
fn never_started(parts: &[Part]) -> Option<String> {
    let agents = parts.iter().filter(|part| !matches!(part.what, Purpose::Tests | Purpose::Check(_)));
    agents.filter_map(|part| part.end.as_ref()?.not_started.clone()).next()
}
