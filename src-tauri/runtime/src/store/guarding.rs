//! Guards requests: after each read of a loop, whether it is still in effect, was undone, or was decided otherwise.

use crate::observe::catalog::{Entry, LoopId};
use crate::store::draft::Change;
use crate::store::guard::{Guard, Step};
use crate::store::journal::Outcome;
use crate::store::judging::{Judgement, RepeatedRequest};
use crate::store::requests::is_live;
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::{Failure, FailureKind, RequestState};
use loopdeck_core::control::{Intent, Situation, Standing};
use loopdeck_core::loops;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::times::TimeDelta;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// How long until a request is written again that another writer undid while the disk refused.
const RETRY_AFTER: TimeDelta = TimeDelta::seconds(1);
/// How long until a request is judged again that was overwritten at the same moment.
const LOOK_AGAIN_AFTER: TimeDelta = TimeDelta::milliseconds(2);

impl WorkspaceStore {
    /// After each read of a loop: is the request still in effect?
    pub(crate) fn check_guard(&mut self, key: &LoopId) {
        let Some(guard) = self.guards.get(key).cloned() else { return };
        let Ok(entry) = self.entry(key) else { return };
        let guard = self.note_held(guard, &entry);
        match guard.step(&entry.summary, entry.stamp, clock::now()) {
            Step::Wait => {}
            Step::Confirm => self.confirm(guard),
            Step::SendAgain if guard.just_sent => self.look_again_soon(guard),
            Step::SendAgain if self.is_superseded(&guard) => self.give_way(&guard),
            Step::SendAgain if self.was_decided(&guard, &entry) => self.overrule(guard, &entry),
            Step::SendAgain => match self.is_decided(&guard, &entry) {
                (true, _) => self.overrule(guard, &entry),
                (false, judgement) => self.send_again(guard, &entry, judgement.as_ref()),
            },
            Step::Release if self.is_answered_by_decision(&guard, &entry) => match self.is_superseded(&guard)
            {
                true => self.give_way(&guard),
                false => self.overrule(guard, &entry),
            },
            Step::Release => self.release(&guard, &entry),
        }
    }

    /// Remembers what the file says while it says what was asked: what others make of that is made from ours.
    fn note_held(&mut self, mut guard: Guard, entry: &Entry) -> Guard {
        let stands = guard.entry.intent.verb().map(|verb| loops::request_standing(&entry.summary, verb));
        if stands == Some(Standing::Holds) && entry.summary.status != FileStatus::Unreadable {
            guard.held = self.last_bytes(&guard.key);
            if let Some(guarded) = self.guards.get_mut(&guard.key) {
                guarded.held.clone_from(&guard.held);
            }
        }
        guard
    }

    /// Whether another process (a script) asked for something else since; the journal is the one they share.
    fn is_superseded(&mut self, guard: &Guard) -> bool {
        self.journal.is_open(guard.entry.id).is_ok_and(|open| !open) || !self.holds_lease(guard)
    }

    /// Whether this process looks after the request; a journal that cannot be written leaves it to us, and a script leaves it to a process
    /// that stays.
    fn holds_lease(&mut self, guard: &Guard) -> bool {
        if !self.housekeeping {
            return true;
        }
        let of = guard.entry.loop_ref();
        self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(true)
    }

    /// What the file says now is what the newer request wanted: fighting it would undo a person's word.
    fn give_way(&mut self, guard: &Guard) {
        self.unguard(&guard.key);
        self.show_request(&guard.key, None);
        self.wants_sweep = true;
    }

    fn confirm(&mut self, mut guard: Guard) {
        guard.state = RequestState::InEffect;
        self.show_request(&guard.key.clone(), Some(&guard));
        self.guards.put(guard);
    }

    /// Stops looking after a request, and leaves its loop to any other Loopdeck: the one place where guards go.
    pub(crate) fn unguard(&mut self, key: &str) -> Option<Guard> {
        let guard = self.guards.remove(key)?;
        if self.scheduler.is_on(key) {
            return Some(guard); // the lease is the work's too
        }
        // A journal that cannot be written: the lease expires.
        self.journal
            .give_lease_back(guard.entry.loop_ref(), &self.holder)
            .logged("a lease is not given back");
        Some(guard)
    }

    fn release(&mut self, guard: &Guard, entry: &Entry) {
        self.unguard(&guard.key);
        self.settle(guard, Outcome::Settled);
        let stands = guard.entry.intent.verb().map(|verb| loops::request_standing(&entry.summary, verb));
        let held = stands == Some(Standing::Holds);
        let shown = Guard { state: RequestState::InEffect, ..guard.clone() };
        self.show_request(&guard.key, held.then_some(&shown));
    }

    fn send_again(&mut self, mut guard: Guard, entry: &Entry, judgement: Option<&Judgement>) {
        // Another program writes: from now on only that program can confirm.
        let Moment { at: now, group } = self.moment();
        let situation = Situation { shown: StatusWord::RunningElsewhere, now };
        if matches!(guard.entry.intent, Intent::Pause | Intent::Stop { .. }) {
            guard.live = true;
            guard.until = guard.until.max(now + self.fresh_within);
        }
        guard.state = RequestState::Requested;
        let situation = if is_live(entry.shown.word) { situation } else { entry.situation(now) };
        guard.retry_at = None;
        let intent = guard.entry.intent.clone();
        let again = RepeatedRequest { intent: &intent, request: guard.entry.id, judgement };
        match self.write(entry, &Change::Again(again), &situation, group) {
            Ok(written) => {
                guard.entry.sent_again += 1;
                guard.written = Some(written.stamp);
                guard.written_at = now;
                self.journal
                    .sent_again(guard.entry.id, guard.entry.sent_again)
                    .logged("a request that was sent again is not recorded");
                let key = guard.key.clone();
                guard.just_sent = true;
                self.show_request(&key, Some(&guard));
                self.guards.put(guard);
                self.look_now(&key);
                if let Some(guard) = self.guards.get_mut(&key) {
                    guard.just_sent = false;
                }
            }
            Err(unwritten) => {
                let Failure { kind, refusal, .. } = unwritten.failure;
                guard.retry_at = match kind {
                    // Another program wrote meanwhile: that is judged as well.
                    FailureKind::ChangedSince | FailureKind::Contended => Some(now + LOOK_AGAIN_AFTER),
                    // A disk in trouble may recover.
                    _ if refusal.is_none() => Some(now + RETRY_AFTER),
                    // Not legal on the current content: the next change decides again.
                    _ => None,
                };
                self.guards.put(guard);
            }
        }
    }

    /// Undone again before the look after our write: another turn judges that. A writer who undoes every write at once
    /// would otherwise keep this thread here until its stack is full.
    fn look_again_soon(&mut self, mut guard: Guard) {
        guard.retry_at = Some(self.moment().at + LOOK_AGAIN_AFTER);
        self.guards.put(guard);
    }

    /// Guards whose time has come although nothing changed.
    pub(crate) fn watch_guards(&mut self) {
        let now = clock::now();
        for key in self.guards.due(now) {
            let retry = |guard: &mut Guard| guard.retry_at.take_if(|at| *at <= now);
            match self.guards.get_mut(&key).and_then(retry) {
                Some(_) => self.look_now(&key),
                None => self.check_guard(&key),
            }
            if let Some(guard) = self.guards.get(&key).cloned() {
                let _ = self.holds_lease(&guard); // renewed
            }
            let Some(guard) = self.guards.get_mut(&key) else { continue };
            if guard.next_look() <= now {
                // Still open: an AoT flag without an answer is watched further, without spinning.
                guard.retry_at = None;
                guard.until = now + self.fresh_within;
                guard.live = true;
            }
        }
    }

    /// Open requests without a guard, from an earlier start or a script, are guarded from now on.
    pub(crate) fn reload_requests(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let now = clock::now();
        let guarded = self.guards.ids();
        let mut open = self.journal.open_requests(&workspace).unwrap_or_default();
        open.retain(|recorded| !guarded.contains(&recorded.id) && self.is_in_scope(&recorded.file));
        for recorded in open {
            let key = LoopId::new(&loopdeck_system::dirs::id_of(root), &recorded.file);
            let late = now - recorded.at > self.fresh_within;
            let guard = Guard::new(key.clone(), recorded, true, now, self.fresh_within);
            match self.entry(&key) {
                Ok(entry) if late && self.is_undone_by_decision(&guard, &entry) => {
                    self.overrule(guard, &entry);
                }
                Ok(entry) if late => self.release(&guard, &entry),
                // Another Loopdeck looks after it: asked again at the next sweep of this workspace.
                Ok(_) if !self.holds_lease(&guard) => {}
                Ok(_) => {
                    let intent = guard.entry.intent.clone();
                    self.show_request(&key, Some(&guard));
                    self.guards.put(guard);
                    self.check_guard(&key);
                    self.driver_context().follow_request(&key, &intent);
                }
                Err(_) => self.settle(&guard, Outcome::Settled),
            }
        }
        self.show_overruled(root);
    }

    fn is_undone_by_decision(&mut self, guard: &Guard, entry: &Entry) -> bool {
        guard.step(&entry.summary, entry.stamp, guard.entry.at) == Step::SendAgain
            && self.is_decided(guard, entry).0
    }

    /// What is under way, for a script: shown as it is, and left to the window to guard. What has had its answer, or is too old for
    /// a window to send it again, ends.
    pub(crate) fn show_requests(&mut self, root: &Path) {
        let now = clock::now();
        let open = self.journal.open_requests(&root.to_string_lossy()).unwrap_or_default();
        for recorded in open {
            let key = LoopId::new(&loopdeck_system::dirs::id_of(root), &recorded.file);
            let Some(entry) = self.entry(&key).ok().filter(|_| !self.guards.has(&key)) else {
                continue;
            };
            let (asked, live) = (recorded.at, is_live(entry.shown.word));
            let mut guard = Guard::new(key.clone(), recorded, live, asked, self.fresh_within);
            let late = now - asked > self.fresh_within;
            if !late && self.state_of(&mut guard, &entry).is_some() {
                self.show_request(&key, Some(&guard));
            } else if self.leaves_traces && self.is_left(&guard) {
                match self.is_undone_by_decision(&guard, &entry) {
                    true => self.overrule(guard, &entry),
                    false => self.release(&guard, &entry),
                }
            }
        }
        self.show_overruled(root);
    }

    /// Ends a request of a script that another program keeps writing over. A window that is open keeps sending it.
    pub(crate) fn end_overwritten(&mut self, key: &LoopId) {
        let Some(guard) = self.guards.get(key).cloned().filter(|_| !self.housekeeping) else { return };
        if let Ok(entry) = self.entry(key)
            && self.is_left(&guard)
        {
            self.overrule(guard, &entry);
        }
    }

    /// Whether no other Loopdeck looks after a request.
    fn is_left(&mut self, guard: &Guard) -> bool {
        let of = guard.entry.loop_ref();
        self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(false)
    }
}

#[cfg(test)]
#[path = "guarding_tests.rs"]
mod tests;
