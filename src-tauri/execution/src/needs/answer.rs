//! What the person answers, and what that leads to.

use crate::driver_context::DriverContext;
use crate::limits;
use crate::person::person_or_unknown;
use crate::preferences::plan::RunPlan;
use crate::rows::NeedAnswer;
use crate::work::{Activity, Execution, PendingNeed};
use loopdeck_core::driver::{MenuChoice, Reply};
use loopdeck_core::layout;
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files::{self, ReplaceFault};

impl DriverContext<'_> {
    /// The person answers.
    pub fn answer_need(&mut self, id: &str, answer: NeedAnswer) -> Result<(), Failure> {
        let unknown = || Failure::new(FailureKind::UnknownNeed);
        let found = self.scheduler().works.values().find_map(|work| {
            let waiting = work.needs.iter().find(|waiting| waiting.need.id == id)?;
            Some((work.key.clone(), waiting.need.clone()))
        });
        let (key, need) = found.ok_or_else(unknown)?;
        if !need.answers.contains(&answer.kind()) {
            return Err(unknown()); // the page asked something else meanwhile
        }
        check_answer(&answer)?;
        match answer {
            NeedAnswer::Dismiss => {
                self.drop_need(&key, id);
                Ok(())
            }
            NeedAnswer::Stop => {
                self.stop_now(&key)?;
                self.drop_need(&key, id);
                Ok(())
            }
            NeedAnswer::AllowOnce => self.permit(&key, id, false),
            NeedAnswer::AllowForRun => self.permit(&key, id, true),
            NeedAnswer::Deny { note } => self.forbid(&key, id, &note),
            NeedAnswer::Say { text } => self.reply(&key, id, &Reply::Text { text }),
            NeedAnswer::TryAgain => self.reply(&key, id, &Reply::TryAgain),
            NeedAnswer::GoOn => self.reply(&key, id, &Reply::GoOn),
            NeedAnswer::Confirm => self.reply(&key, id, &Reply::Confirm),
            NeedAnswer::Refute { why } => {
                let text = Some(why).filter(|why| !why.trim().is_empty());
                self.reply(&key, id, &Reply::Deny { text })
            }
            NeedAnswer::Accept { why } => self.accept(&key, id, why),
            NeedAnswer::AllowTool => {
                self.allow_tool(&key)?;
                self.reply(&key, id, &Reply::Allow)
            }
            NeedAnswer::Choose { index } => {
                let choice = need.choices.get(index as usize).copied().ok_or_else(unknown)?;
                self.choose(&key, id, choice)
            }
            NeedAnswer::Extend { iterations, minutes, money_usd, tokens, turns } => {
                self.extend(&key, id, iterations, |plan| {
                    // Time, money and tokens start at zero with each start: what is added is what the new start may use.
                    plan.minutes = minutes.or(plan.minutes);
                    plan.money_usd = money_usd.or(plan.money_usd);
                    plan.tokens = tokens.or(plan.tokens);
                    plan.turns = turns.or(plan.turns);
                })
            }
            NeedAnswer::Resume => self.resume(&key, id),
            NeedAnswer::EndLeft => self.end_left(&key, id),
            NeedAnswer::Restore => self.restore_gone(&key, id),
        }
    }

    pub(super) fn take_need(&mut self, key: &LoopId, id: &str) -> Option<PendingNeed> {
        let work = self.scheduler_mut().works.get_mut(key)?;
        let at = work.needs.iter().position(|waiting| waiting.need.id == id)?;
        Some(work.needs.remove(at))
    }

    fn drop_need(&mut self, key: &LoopId, id: &str) {
        self.take_need(key, id);
        self.tell_needs();
        self.show_work(key);
    }

    fn reply(&mut self, key: &LoopId, id: &str, reply: &Reply) -> Result<(), Failure> {
        self.go_on_after(key, id, |work| work.memory.reply(reply))
    }

    /// Somebody accepts the work as it is; who, the evidence has.
    fn accept(&mut self, key: &LoopId, id: &str, why: String) -> Result<(), Failure> {
        let by = self.store.asked_by().unwrap_or_else(person_or_unknown);
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.evidence.accepted_by.clone_from(&by);
        }
        self.reply(key, id, &Reply::Accept { reason: why, by })
    }

    fn choose(&mut self, key: &LoopId, id: &str, choice: MenuChoice) -> Result<(), Failure> {
        self.go_on_after(key, id, |work| work.memory.choose(choice))
    }

    fn go_on_after(
        &mut self,
        key: &LoopId,
        id: &str,
        change: impl FnOnce(&mut Execution),
    ) -> Result<(), Failure> {
        self.take_need(key, id).ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?;
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            change(work);
            work.wait_no_more();
        }
        // Answers survive a crash, and the run that an answer leads to refers to it.
        self.keep_memory(key);
        self.tell_needs();
        self.go_on(key);
        Ok(())
    }

    /// Raises the limit that was reached and continues.
    fn extend(
        &mut self,
        key: &LoopId,
        id: &str,
        iterations: Option<u32>,
        change: impl FnOnce(&mut RunPlan),
    ) -> Result<(), Failure> {
        let plan = self.scheduler().works.get(key).map(|work| work.plan.clone());
        let mut plan = plan.ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?;
        change(&mut plan);
        let bar = self.bar_of(key);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small counts
        let limit = iterations.zip(bar).map(|(more, bar)| (bar.limit as u32).saturating_add(more));
        self.launch_after(key, id, Some(plan), limit)
    }

    fn resume(&mut self, key: &LoopId, id: &str) -> Result<(), Failure> {
        if self.scheduler().works.get(key).is_some_and(|work| matches!(work.doing, Activity::Waits { .. })) {
            return self.go_on_after(key, id, |_| {});
        }
        self.launch_after(key, id, None, None)
    }

    fn launch_after(
        &mut self,
        key: &LoopId,
        id: &str,
        plan: Option<RunPlan>,
        limit: Option<u32>,
    ) -> Result<(), Failure> {
        let kept = self.take_need(key, id);
        let done = self.launch(key, plan, limit);
        if let (Err(_), Some(kept), Some(work)) = (&done, kept, self.scheduler_mut().works.get_mut(key)) {
            work.needs.push(kept); // it still waits
            self.show_work(key);
        }
        self.tell_needs();
        done
    }

    fn restore_gone(&mut self, key: &LoopId, id: &str) -> Result<(), Failure> {
        let file = file_of(key).to_owned();
        let disk = |error: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Disk).with("path", &file).with("reason", error)
        };
        let unknown = || Failure::new(FailureKind::UnknownVersion);
        let bytes = self.last_words(key).ok_or_else(unknown)?;
        let root = files::canonical_folder(&self.store.root_of(key)?).map_err(|error| disk(&error))?;
        let path = root.join(layout::on_disk(&file));
        files::make_folder_above(&root, &path).map_err(|error| disk(&error))?;
        match files::create(&root, &path, &bytes) {
            Ok(stamp) => {
                // No other program has worked on it since.
                if let Some(work) = self.scheduler_mut().works.get_mut(key) {
                    work.over_at = work.over_at.max(Some(stamp.modified()));
                }
            }
            Err(ReplaceFault::Changed(_)) => {} // it came back
            Err(fault) => return Err(disk(&fault)),
        }
        self.take_need(key, id);
        self.store.observe(key);
        self.show_work(key);
        self.tell_needs();
        Ok(())
    }
}

/// What an answer has to hold.
fn check_answer(answer: &NeedAnswer) -> Result<(), Failure> {
    let bad = |field: &str| Err(Failure::new(FailureKind::BadForm).with("field", field));
    match answer {
        NeedAnswer::Say { text } if text.trim().is_empty() => bad("text"),
        NeedAnswer::Extend { iterations: Some(0), .. } => bad("max_iterations"),
        NeedAnswer::Extend { minutes, money_usd, tokens, turns, .. } => {
            let (minutes, money_usd, tokens, turns) = (*minutes, *money_usd, *tokens, *turns);
            let plan = RunPlan { minutes, money_usd, tokens, turns, ..RunPlan::default() };
            limits::out_of_range(&plan).next().map_or(Ok(()), bad)
        }
        _ => Ok(()),
    }
}
