//! What runs say and how they end: rows, usage, verdicts, and what follows from them for the loop.

pub mod test_run;
pub(crate) mod verdicts;
use super::apart;
use super::mask::Mask;
use super::person::by_person;
use super::run_event::{RunEnd, RunEvent};
use super::turn::Turn;
use super::verify;
use super::work::{About, Activity, Execution, Part, Purpose, ids_of};
use crate::completion::verdicts::{
    ended_of, exit_code, exit_how, has_finished, holds_up, is_good, last_lines, note_end, verdict_of,
    verdicts_of,
};
use crate::preferences::plan::{Driver, RunPlan};
use crate::rows::{NeedAnswerKind, NeedReason};
use crate::run::{Run, RunAction};
use crate::runs::{StopReason, StopReport};
use loopdeck_agents::outcome::{Asked, BudgetKind, Outcome, Verdict};
use loopdeck_agents::usage::{self, Usage};
use loopdeck_agents::{OutputKind, conversation};
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{AgentTask, Checked, EndReason, ObservedRun, TestsEnd, UsedUp};
use loopdeck_core::format::{FileFacts, Teamwork};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, AgentEnd, CommandCheck, CommandResult, LoopConclusion};
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::TimeDelta;
use loopdeck_system::clock;
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use std::path::Path;
use std::sync::atomic::Ordering;

/// The shortest time between changes of a row that are caused by agent output alone.
const SHOWN_APART: TimeDelta = TimeDelta::seconds(1);
/// So many files with log statements in them are shown with a run.
const MOST_SHOWN: usize = 100;

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

    /// The person ended it, or the skill did what it does.
    fn skill_or_asked_ended(&mut self, key: &LoopId, parts: &[Part]) {
        let Some(work) = self.scheduler().works.get(key) else { return };
        let is_bad = |verdict: &Verdict| !matches!(verdict.outcome, Outcome::Ok | Outcome::Cancelled);
        let failed = verdicts_of(parts, work.asked).find(|(_, verdict)| is_bad(verdict));
        if let Some(why) = never_started(parts).filter(|_| work.asked.is_none()) {
            return self.launch_failed(key, &why);
        }
        match (used_up(parts, work.asked, &work.plan), failed) {
            (Some((run, limit)), _) => self.need_limit(key, limit, Some(run)),
            (None, Some((run, verdict))) => {
                if verdict.outcome == Outcome::Limit && self.wait_for_limit(key, run, &verdict) {
                    return;
                }
                self.need_verdict(key, run, &verdict);
            }
            (None, None) if work.asked.is_none() => self.need_skill(key, parts),
            (None, None) => {}
        }
        self.conclude_work(key);
    }

    /// A skill that exits while the file says it is running has not done its job.
    fn need_skill(&mut self, key: &LoopId, parts: &[Part]) {
        self.store.observe(key);
        // Nor has a plugin that never took the loop up.
        let is_waiting = self.scheduler().works.get(key).is_some_and(|work| work.handed.is_some());
        if !self.is_running(key) && !is_waiting {
            return;
        }
        for part in parts {
            let (Purpose::Skill(command), Some(end)) = (&part.what, &part.end) else { continue };
            let command = command.as_deref().filter(|command| end.facts.lacks_command(command));
            let said = match part.kind {
                OutputKind::Text => last_lines(&end.tail),
                _ => end.facts.answer().unwrap_or_default(),
            };
            match command {
                Some(command) => {
                    self.need_missing_skill(key, &part.run.id, command, &end.facts.plugin_errors);
                }
                None => {
                    let (reason, run) = (NeedReason::SkillUnfinished, part.run.id.clone());
                    let answers = [NeedAnswerKind::Resume, NeedAnswerKind::Dismiss];
                    self.need_because(key, reason, said, About::GoOn, &answers, |need| need.run = Some(run));
                }
            }
        }
    }

    /// The agent said at its beginning that it has not the skill: whatever it does now is not the loop's work.
    fn lacks_skill(&mut self, key: &LoopId, run: &str, failed: &[String]) {
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|work| work.asked.is_none()) else {
            return;
        };
        let Some(part) = work.part_mut(run) else { return };
        let (Purpose::Skill(Some(command)), Some(attached)) = (&part.what, &part.attached) else { return };
        let command = command.clone();
        attached
            .stop(StopReason::Rule { word: "skill_missing".into() }, true)
            .logged("a guardian is not told to stop");
        self.need_missing_skill(key, run, &command, failed);
        self.show_work(key);
    }

    /// Said once of a run: when it begins, or when it ended before anybody listened.
    fn need_missing_skill(&mut self, key: &LoopId, run: &str, command: &str, failed: &[String]) {
        let is_said = |work: &Execution| {
            work.needs.iter().any(|waiting| {
                waiting.need.run.as_deref() == Some(run) && waiting.reason == Some(NeedReason::SkillMissing)
            })
        };
        if self.scheduler().works.get(key).is_some_and(is_said) {
            return;
        }
        let answers = [NeedAnswerKind::Resume, NeedAnswerKind::Dismiss];
        let (reason, failed) = (NeedReason::SkillMissing, failed.join("\n"));
        self.need_because(key, reason, &failed, About::GoOn, &answers, |need| {
            need.args.insert("command".into(), format!("/{command}"));
            need.run = Some(run.to_owned());
        });
    }

    pub(crate) fn conclude(&mut self, key: &LoopId, parts: Vec<Part>) {
        // What the other workers of an AoT round did is written first.
        if !self.works_in_rounds(key)
            && let Some((run, verdict)) = self.unavailable(key, &parts)
            && self.wait_for_limit(key, run, &verdict)
        {
            return;
        }
        let parts = self.check_claims(key, parts);
        let concluded = self.concluded(key, &parts);
        self.follow(key, concluded, parts);
    }

    /// What the agent says is held against the disk, and what differs is shown with the run.
    fn check_claims(&mut self, key: &LoopId, mut parts: Vec<Part>) -> Vec<Part> {
        for part in &mut parts {
            let checked = self.with_file(key, |work, bytes, _| checked(work, part, bytes));
            let Ok(Some(checked)) = checked else { continue };
            if checked != Checked::default() {
                part.run.checked = Some(checked);
                let (row, of) = (part.run.clone(), self.scheduler().works.get(key).map(Execution::loop_key));
                let _ = of.map(|of| self.journal().keep_run((&of).into(), &row));
            }
        }
        parts
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
    pub(crate) fn concluded(&mut self, key: &LoopId, parts: &[Part]) -> Result<LoopConclusion, Failure> {
        let mask = self.scheduler().workshop.choices.read(Mask::of_all);
        self.with_file(key, |work, bytes, facts| {
            let asked = work.asked;
            let command = work.plan.test_command.clone();
            if let [Part { what: Purpose::Check(check), end: Some(end), run, run_dir, .. }] = parts {
                return concluded_check(check, end, (run, run_dir, &mask), (bytes, facts), work);
            }
            let tests = |part: &Part| {
                let Some(end) = part.end.as_ref() else { return could_not_run("") };
                if let Some(why) = &end.not_started {
                    return could_not_run(why);
                }
                test_run::tests_end(end.tests.clone(), exit_code(end.exit.as_ref()), &command)
            };
            let verdicts: Vec<Option<Verdict>> =
                parts.iter().map(|part| part.end.as_ref().map(|end| verdict_of(part, end, asked))).collect();
            if work.parallel {
                let ends: Vec<AgentEnd<'_>> = parts
                    .iter()
                    .zip(&verdicts)
                    .filter_map(|(part, verdict)| {
                        let (Purpose::Agent(task), Some(end), Some(verdict)) =
                            (&part.what, &part.end, verdict)
                        else {
                            return None;
                        };
                        // Who changed what cannot be told when several work in one folder.
                        let ended = ended_of(part, end, verdict);
                        Some(AgentEnd { task, ended, changed: None, left: apart::left_apart(part) })
                    })
                    .collect();
                let tests = parts.iter().find(|part| matches!(part.what, Purpose::Tests)).map(tests);
                return drive::conclude_parallel(
                    work.format,
                    &ends,
                    &tests.unwrap_or_else(|| could_not_run("")),
                    (bytes, facts),
                    &mut work.memory,
                );
            }
            match (parts.first(), verdicts.first().and_then(Option::as_ref)) {
                (Some(part), Some(verdict)) => match (&part.what, &part.end) {
                    (Purpose::Agent(task), Some(end)) => drive::conclude(
                        work.format,
                        task,
                        &ended_of(part, end, verdict),
                        ObservedRun { changed: end.changed.as_deref(), log: end.log.as_ref() },
                        end.lines,
                        (bytes, facts),
                        &mut work.memory,
                    ),
                    // A test run that was ended says nothing of the work.
                    _ if verdict.outcome == Outcome::Cancelled => {
                        work.memory.interrupted = true;
                        LoopConclusion::End(EndReason::Cancelled)
                    }
                    _ => drive::conclude_tests(work.format, tests(part), (bytes, facts), &mut work.memory),
                },
                _ => LoopConclusion::End(EndReason::Cancelled),
            }
        })
    }

    pub(crate) fn follow(
        &mut self,
        key: &LoopId,
        concluded: Result<LoopConclusion, Failure>,
        parts: Vec<Part>,
    ) {
        self.keep_memory(key);
        self.keep_checks(key);
        let mut runs = ids_of(&parts);
        if !matches!(concluded, Ok(LoopConclusion::Write(_))) {
            self.write_failures(key);
            if !self.works_in_rounds(key) {
                self.are_concluded(std::mem::take(&mut runs)); // they are done again
            }
        }
        match concluded {
            Ok(LoopConclusion::Write(operations)) => {
                for operation in operations {
                    if let Err(failure) = self.write_step(key, operation) {
                        if !self.works_in_rounds(key) {
                            self.are_concluded(runs); // they are done again
                        }
                        return self.step_refused(key, &failure);
                    }
                }
                self.are_concluded(runs);
                self.write_failures(key);
                self.go_on(key);
            }
            Ok(LoopConclusion::Retry { prompt }) => {
                self.note_limits(key);
                let task = parts.into_iter().find_map(|part| match part.what {
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
                self.are_concluded(runs);
                self.ended_for(key, &reason, &parts);
            }
            Ok(LoopConclusion::End(reason)) => self.ended_for(key, &reason, &parts),
            Err(failure) => self.fail(key, &failure),
        }
    }

    /// The driver ends because of what became of these runs.
    fn ended_for(&mut self, key: &LoopId, reason: &EndReason, parts: &[Part]) {
        if matches!(reason, EndReason::AgentUnavailable { .. }) {
            if let Some(why) = never_started(parts) {
                return self.launch_failed(key, &why);
            }
            if let Some((run, verdict)) = self.unavailable(key, parts)
                && self.wait_for_limit(key, run, &verdict)
            {
                return;
            }
            let bad = |(_, verdict): &(&str, Verdict)| verdict.outcome != Outcome::Ok;
            if let Some((run, verdict)) = verdicts_of(parts, None).find(bad) {
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
    fn launch_failed(&mut self, key: &LoopId, why: &str) {
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

/// What the disk contradicts of a run's answer, and what the run left. When several work in one folder, it is unknown who changed what:
/// then only files that none of them changed are listed.
fn checked(work: &Execution, part: &Part, bytes: &[u8]) -> Option<Checked> {
    let end = part.end.as_ref()?;
    let (verdict, changed) = (verdict_of(part, end, work.asked), end.changed.as_deref());
    let checked = match &part.what {
        Purpose::Agent(task) => {
            drive::check(work.format, task, &ended_of(part, end, &verdict), changed, bytes, &work.memory)
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
fn concluded_check(
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
    let result =
        CommandResult { end: outcome.end, stdout: &outcome.stdout, stderr: &outcome.stderr, took_ms };
    drive::conclude_command(check, &result, file, &mut work.memory)
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

/// Why an agent could not even be started.
fn never_started(parts: &[Part]) -> Option<String> {
    let agents = parts.iter().filter(|part| !matches!(part.what, Purpose::Tests | Purpose::Check(_)));
    agents.filter_map(|part| part.end.as_ref()?.not_started.clone()).next()
}

/// Whether the agent refused to start because it does not know the conversation that it was to continue.
fn does_not_know(part: &Part, end: &RunEnd) -> bool {
    let was_resumed = part.run.resumed.as_ref().is_some_and(|resumed| resumed.goes_on().is_some());
    was_resumed && conversation::is_unknown(part.kind, &end.facts, exit_how(end))
}

fn could_not_run(why: &str) -> TestsEnd {
    TestsEnd::CouldNotRun { why: why.to_owned() }
}
