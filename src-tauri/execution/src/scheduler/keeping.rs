//! The end of the work, what is kept of it and what the list shows.

use crate::completion::verdicts::verdicts_of;
use crate::driver_context::DriverContext;
use crate::preferences::plan::Driver;
use crate::records::LEASE_LASTS;
use crate::rows::{NeedAnswerKind as K, NeedKind, NeedReason};
use crate::shown::over_at;
use crate::store::LoopNow;
use crate::work::{Activity, Execution, NeedSubject, PendingNeed, RunSlot};
use loopdeck_agents::outcome::{Asked, Outcome, Verdict};
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{EndReason, Memory, ProviderWait, UsedUp};
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::loops::drive;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_system::clock;
use loopdeck_system::failure::Failure;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::words::to_word;
use std::sync::atomic::Ordering;

/// How often old folders of runs are looked for.
const CLEAN_EVERY: TimeDelta = TimeDelta::minutes(15);
/// A limit that should be over already is not tried again at once.
const SOONEST: TimeDelta = TimeDelta::seconds(5);
/// A provider's clock and ours differ a little.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::seconds(5);
/// How often a provider's limit is waited for after one start.
const MOST_WAITS: u32 = 2;

impl DriverContext<'_> {
    /// The driver is done, for a reason.
    pub(crate) fn end_work(&mut self, key: &LoopId, reason: &EndReason) {
        match reason {
            // The file says so, and resuming is all that can be answered.
            EndReason::Limit { limit: UsedUp::Stalls | UsedUp::Choices } => {}
            EndReason::Limit { limit } => self.need_limit(key, *limit, None),
            EndReason::Stalled { question } => return self.ask_question(key, question),
            EndReason::Refused { refusal } => {
                return self.fail(key, &refusal.clone().into());
            }
            EndReason::Damaged | EndReason::NotOurs => {
                self.need_failed(key, NeedReason::Damaged, "");
            }
            EndReason::Completed => self.forget_memory(key),
            _ => {}
        }
        self.conclude_work(key);
    }

    /// Something is in the way that the person has to see.
    pub(crate) fn fail(&mut self, key: &LoopId, failure: &Failure) {
        if self.is_gone(key) {
            return self.conclude_work(key); // which says so
        }
        let said = match &failure.refusal {
            Some(refusal) => to_word(refusal.code),
            None => {
                // Which folder it is about, the person sees; of a repository, what changed in it.
                let said = ["reason", "what", "path"].into_iter().find_map(|name| failure.args.get(name));
                said.cloned().unwrap_or_default()
            }
        };
        self.need_failed(key, NeedReason::Failure(failure.kind), &said);
        self.conclude_work(key);
    }

    /// Nothing of ours continues.
    pub(crate) fn conclude_work(&mut self, key: &LoopId) {
        if self.scheduler().works.get(key).is_some_and(Execution::is_on) && self.is_gone(key) {
            self.need_restore(key);
        }
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.memory.waiting = None;
        }
        self.add_held_items(key);
        self.exit_paused(key);
        self.close_round(key);
        self.sweep_apart(key);
        self.keep_memory(key);
        let written = self.written_at(key);
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.doing = Activity::Over;
        work.needs.retain(|waiting| !matches!(waiting.about, NeedSubject::Marked));
        (work.action, work.final_at, work.parallel) = (None, None, false);
        work.over_at = Some(over_at(clock::now(), written));
        let of = work.loop_key();
        if self.store.leave_to_guard(key) {
            self.end_running((&of).into());
        } else {
            self.give_lease_back((&of).into());
        }
        self.forget_start(key);
        self.tell_needs();
        self.show_work(key);
        self.store.observe(key);
        self.clean_up_runs();
    }

    /// Our driver of a Loop v2 leaves because the loop is paused: the file says so (seed 001, `pause_exit`). What the
    /// request of the pause says stays as it is, and the next action begins as ever.
    fn exit_paused(&mut self, key: &LoopId) {
        let leaves = |work: &&mut Execution| work.is_on() && work.plan.driver == Driver::Loopdeck;
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(leaves) else { return };
        let Some(step) = drive::pause_exit(work.format) else { return };
        work.doing = Activity::Over; // what is seen from here on no longer concerns the work
        self.show_work(key);
        self.store.observe(key);
        let paused = |entry: &LoopNow| entry.summary.status == FileStatus::Paused;
        if self.store.read(key).is_ok_and(|entry| paused(&entry)) {
            // A loop without a skill state has no action to tell of; one that was resumed in this moment runs.
            self.store
                .commit(key, &Intent::Operate(Box::new(step)))
                .logged("a step of the driver is not written");
        }
    }

    /// When the file was last written by its own time.
    fn written_at(&self, key: &LoopId) -> Option<Timestamp> {
        let root = self.store.root_of(key).ok()?;
        Fingerprint::at(&root.join(file_of(key))).ok().map(Fingerprint::modified)
    }

    /// A start that led to an end is no longer news: the row shows the result.
    fn forget_start(&mut self, key: &LoopId) {
        use loopdeck_core::control::Verb;
        let request = self.store.read(key).ok().and_then(|entry| entry.request);
        let began = matches!(request, Some(Verb::Start | Verb::Resume | Verb::Reopen));
        if began && self.store.guarded_verb(key).is_none() {
            self.store.forget_request(key);
        }
    }

    /// Old folders of runs go from time to time, in a thread of its own: there may be gigabytes.
    pub fn clean_up_runs(&mut self) {
        let now = clock::now();
        if !self.scheduler().housekeeping || now.since(self.scheduler().runs_cleaned) < CLEAN_EVERY {
            return;
        }
        self.scheduler_mut().runs_cleaned = now;
        let runs = self.scheduler().workshop.dirs.runs();
        let clean = move || crate::retention::clean_up(&runs, crate::retention::KeepLimits::default());
        // Without a thread now, the next time.
        crate::tasks::start(clean).logged("a thread is not started");
    }

    pub(crate) fn keep_memory(&mut self, key: &LoopId) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get(key) else { return };
        let (text, claims) = (serde_json::to_string(&work.memory).ok(), work.memory.claim_counts());
        journal
            .keep_memory((&work.loop_key()).into(), text.as_deref())
            .logged("what a driver remembers is not recorded");
        self.store.show_claims(key, claims);
    }

    fn forget_memory(&mut self, key: &LoopId) {
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            let old = std::mem::take(&mut work.memory);
            // What was chosen for the tools of its tasks holds when it is reopened, and what was proven stays proven.
            let Memory { policy, instead, without_look_only, referee, .. } = old;
            work.memory = Memory { policy, instead, without_look_only, referee, ..Memory::default() };
        }
    }

    /// Puts what is known of the work into the loop's row.
    pub(crate) fn show_work(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler().works.get(key) else { return };
        let (run, facts) = (work.shown(), crate::shown::facts(work));
        self.store.show(key, run, facts);
    }

    /// The loop was read again: another program may have ended it while the person was asked.
    pub fn check_work(&mut self, key: &LoopId) {
        // What a plan's file says is its tool's to judge.
        if !self.scheduler().is_on(key) || self.scheduler().runs_own_tool(key) {
            return;
        }
        let seen = self.store.read(key).ok();
        let is_held = self.is_redirected(key, seen.as_ref());
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|work| work.is_on()) else { return };
        let read = |entry: &LoopNow| (entry.summary.status, entry.summary.stop_requested.is_some());
        let seen = seen.as_ref().map(read);
        let (status, is_asked_to_end) = (seen.map(|seen| seen.0), seen.is_some_and(|seen| seen.1));
        if !work.is_taken_up(status) {
            return;
        }
        let is_plugin = work.is_plugin();
        let is_final = match status {
            Some(FileStatus::Paused | FileStatus::LimitReached) => is_plugin,
            Some(FileStatus::Completed | FileStatus::Failed) => true,
            Some(FileStatus::UserExit | FileStatus::StoppedByUser) => true,
            _ => false,
        };
        let is_new = is_final && work.final_at.is_none();
        work.final_at = if is_final { work.final_at.or_else(|| Some(clock::now())) } else { None };
        if !is_final {
            work.needs.retain(|waiting| !matches!(waiting.about, NeedSubject::Marked));
        }
        // A skill says itself how its loop ended, and ends then; so does the plugin, or it is ended after a moment.
        let stopped = status == Some(FileStatus::StoppedByUser) && !is_plugin;
        let drives = work.plan.driver == Driver::Loopdeck || stopped;
        let at_work = drives && work.asked.is_none() && work.slots().iter().any(|slot| slot.end.is_none());
        if at_work && is_held && !work.is_held_for_redirect {
            return self.hold(key); // by another program: what runs belongs to the old direction
        }
        if let Some(status) = status.filter(|_| at_work) {
            return self.obey_foreign_word(key, status, is_new);
        }
        let waits = matches!(work.doing, Activity::Asks | Activity::Waits { .. });
        if waits && work.is_held_for_redirect && status == Some(FileStatus::Running) {
            return self.continue_after_hold(key);
        }
        // A file that is half written or damaged says nothing; the step after the answer sees what it is.
        let status = status.filter(|status| *status != FileStatus::Unreadable);
        // Between two steps nothing delays a stop that another program requests for an AoT loop: ending the work closes the round.
        let is_over = is_asked_to_end || status.is_some_and(|status| status != FileStatus::Running);
        if waits && is_over {
            work.needs.retain(PendingNeed::stays);
            self.conclude_work(key);
        }
    }

    /// Whether another program holds the loop for a redirect, or has redirected it in one go.
    fn is_redirected(&mut self, key: &LoopId, seen: Option<&LoopNow>) -> bool {
        let readable = |entry: &&LoopNow| entry.summary.status != FileStatus::Unreadable;
        let Some(entry) = seen.filter(readable) else { return false };
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let before = work.corrections.replace(entry.summary.corrections);
        let is_changed = before.is_some_and(|before| entry.summary.corrections > before);
        entry.summary.hold_requested || (is_changed && !entry.is_ours)
    }

    /// A lease expires unless it is renewed; that of a loop with work of ours is renewed well before. A Loopdeck that slept so long that
    /// another one took it stops driving.
    pub fn renew_leases(&mut self) {
        let now = clock::now();
        // Also after the clock was set back.
        let is_due = (now - self.scheduler().leases_renewed).abs() >= LEASE_LASTS / 4;
        if is_due {
            self.scheduler_mut().leases_renewed = now;
        }
        let mut lost = Vec::new();
        let (scheduler, journal) = self.store.scheduler_and_journal();
        for work in scheduler.works.values().filter(|work| work.is_on() && work.asked.is_none()) {
            let of = work.loop_key();
            let is_ours = !is_due && journal.has_lease((&of).into(), &scheduler.holder).unwrap_or(true);
            if !is_ours && !journal.hold_to_run((&of).into(), scheduler.runner(), now).unwrap_or(true) {
                lost.push(work.key.clone());
            }
        }
        // One that another window paused or ended is not announced: it stops anyway.
        lost.retain(|key| self.is_running(key));
        for key in lost {
            self.taken_over(&key);
        }
    }

    /// Another Loopdeck drives the loop: two at once would be two agents in one folder.
    fn taken_over(&mut self, key: &LoopId) {
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.memory.interrupted = true;
        }
        self.end_runs(key, Asked::Interrupt);
        self.need(key, NeedKind::Interrupted, "", NeedSubject::GoOn, &[K::Resume, K::Dismiss], |need| {
            need.args.insert("by".into(), "another".into());
        });
        self.show_work(key);
    }

    /// The app ends: agents continue under their guardians, and the next Loopdeck finds what was being done here.
    pub fn leave_works(&mut self) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        for work in scheduler.works.values().filter(|work| work.is_on()) {
            journal
                .leave_lease((&work.loop_key()).into(), &scheduler.holder)
                .logged("a lease is not left behind");
            for slot in work.slots() {
                slot.cancel.store(true, Ordering::SeqCst);
                if let Some(attached) = &slot.attached {
                    attached.leave();
                }
            }
        }
    }

    /// Nothing of ours may continue below a workspace that is closed, or on a loop that is deleted.
    ///
    /// # Errors
    /// `Refused` with `running`.
    pub fn refuse_at_work(&self, keys: impl IntoIterator<Item = LoopId>) -> Result<(), Failure> {
        let on = keys.into_iter().find(|key| self.scheduler().works.get(key).is_some_and(Execution::is_on));
        let Some(key) = on else { return Ok(()) };
        let refusal = match self.store.read(&key) {
            Ok(entry) => Refusal::because(RefusalCode::Running, &entry.summary),
            Err(_) => Refusal::new(RefusalCode::Running),
        };
        Err(refusal.into())
    }

    /// Forgets work that is over; what a stop left is still shown.
    pub fn forget_works(&mut self, of: impl Fn(&LoopId) -> bool) {
        let has_left = |work: &Execution| work.needs.iter().any(PendingNeed::stays);
        self.scheduler_mut().works.retain(|key, work| work.is_on() || has_left(work) || !of(key));
        self.tell_needs();
    }

    /// Provider limits that are over now.
    pub fn resume_due(&mut self) {
        let now = clock::now();
        let due: Vec<LoopId> = self
            .scheduler()
            .works
            .values()
            .filter(|work| matches!(work.doing, Activity::Waits { until } if until <= now))
            .map(|work| work.key.clone())
            .collect();
        for key in due {
            if let Some(work) = self.scheduler_mut().works.get_mut(&key) {
                work.needs.retain(PendingNeed::stays);
                work.wait_no_more();
            }
            self.go_on(&key);
        }
    }

    /// The run whose provider reached its limit.
    pub(crate) fn unavailable<'p>(&self, key: &LoopId, slots: &'p [RunSlot]) -> Option<(&'p str, Verdict)> {
        let asked = self.scheduler().works.get(key).and_then(|work| work.asked);
        verdicts_of(slots, asked).find(|(_, verdict)| verdict.outcome == Outcome::Limit)
    }

    /// Waits until the provider serves again, when the person wants that and it is known; at most twice.
    pub(crate) fn wait_for_limit(&mut self, key: &LoopId, run: &str, verdict: &Verdict) -> bool {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let may = work.plan.wait_for_limit && work.memory.waits < MOST_WAITS;
        let Some(until) = verdict.resets_at_ms.filter(|_| may) else { return false };
        work.memory.waits += 1;
        work.memory.interrupted = true;
        let said = verdict.message.clone().unwrap_or_default();
        let until = Timestamp::from_number(until);
        work.memory.waiting = Some(ProviderWait { until, run: run.to_owned(), said });
        self.wait_on(key)
    }

    /// Waits for the provider's limit that is remembered, also after a restart of Loopdeck; false when there is none.
    pub(crate) fn wait_on(&mut self, key: &LoopId) -> bool {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let Some(wait) = work.memory.waiting.clone() else { return false };
        work.wait(Activity::Waits { until: (wait.until + CLOCKS_DIFFER).max(clock::now() + SOONEST) });
        self.need(key, NeedKind::UsageLimit, &wait.said, NeedSubject::GoOn, &[K::Resume, K::Stop], |need| {
            (need.run, need.until) = (Some(wait.run), Some(wait.until.number()));
        });
        self.keep_memory(key);
        self.show_work(key);
        self.store.observe(key); // a loop that was paused or ended meanwhile waits for nothing
        true
    }
}
