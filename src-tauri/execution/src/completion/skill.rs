//! The end of what the person ended, or of an agent that runs a loop by its own skill: whether it had the skill at all, and did its job.

use super::{never_started, used_up};
use crate::completion::verdicts::{last_lines, verdicts_of};
use crate::driver_context::DriverContext;
use crate::rows::{NeedAnswerKind, NeedReason};
use crate::runs::StopReason;
use crate::work::{Execution, NeedSubject, Purpose, RunSlot};
use loopdeck_agents::OutputKind;
use loopdeck_agents::outcome::{Outcome, Verdict};
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::logged::Logged as _;

impl DriverContext<'_> {
    /// The person ended it, or the skill did what it does.
    pub(super) fn skill_or_asked_ended(&mut self, key: &LoopId, slots: &[RunSlot]) {
        let Some(work) = self.scheduler().works.get(key) else { return };
        let is_bad = |verdict: &Verdict| !matches!(verdict.outcome, Outcome::Ok | Outcome::Cancelled);
        let failed = verdicts_of(slots, work.asked).find(|(_, verdict)| is_bad(verdict));
        if let Some(why) = never_started(slots).filter(|_| work.asked.is_none()) {
            return self.launch_failed(key, &why);
        }
        match (used_up(slots, work.asked, &work.plan), failed) {
            (Some((run, limit)), _) => self.need_limit(key, limit, Some(run)),
            (None, Some((run, verdict))) => {
                if verdict.outcome == Outcome::Limit && self.wait_for_limit(key, run, &verdict) {
                    return;
                }
                self.need_verdict(key, run, &verdict);
            }
            (None, None) if work.asked.is_none() => self.need_skill(key, slots),
            (None, None) => {}
        }
        self.conclude_work(key);
    }

    /// A skill that exits while the file says it is running has not done its job.
    fn need_skill(&mut self, key: &LoopId, slots: &[RunSlot]) {
        self.store.observe(key);
        // Nor has a plugin that never took the loop up.
        let is_waiting =
            self.scheduler().works.get(key).is_some_and(|work| work.handed_over_status.is_some());
        if !self.is_running(key) && !is_waiting {
            return;
        }
        for slot in slots {
            let (Purpose::Skill(command), Some(end)) = (&slot.what, &slot.end) else { continue };
            let command = command.as_deref().filter(|command| end.facts.lacks_command(command));
            let said = match slot.kind {
                OutputKind::Text => last_lines(&end.tail),
                _ => end.facts.answer().unwrap_or_default(),
            };
            match command {
                Some(command) => {
                    self.need_missing_skill(key, &slot.run.id, command, &end.facts.plugin_errors);
                }
                None => {
                    let (reason, run) = (NeedReason::SkillUnfinished, slot.run.id.clone());
                    let answers = [NeedAnswerKind::Resume, NeedAnswerKind::Dismiss];
                    self.need_because(key, reason, said, NeedSubject::GoOn, &answers, |need| {
                        need.run = Some(run);
                    });
                }
            }
        }
    }

    /// The agent said at its beginning that it has not the skill: whatever it does now is not the loop's work.
    pub(super) fn lacks_skill(&mut self, key: &LoopId, run: &str, failed: &[String]) {
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|work| work.asked.is_none()) else {
            return;
        };
        let Some(slot) = work.slot_mut(run) else { return };
        let (Purpose::Skill(Some(command)), Some(attached)) = (&slot.what, &slot.attached) else { return };
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
        self.need_because(key, reason, &failed, NeedSubject::GoOn, &answers, |need| {
            need.args.insert("command".into(), format!("/{command}"));
            need.run = Some(run.to_owned());
        });
    }
}
