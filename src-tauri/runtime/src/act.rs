//! Carrying out what a person asked: record, write under guard, verify, write again when undone.

use crate::catalog::{Catalog, Entry, Key};
use crate::clock;
use crate::guard::{Guard, Step};
use crate::journal::{self, Ask, LoopRef, Outcome};
use crate::overtaken::LateWrite;
use crate::owner::Owner;
use crate::rows::{Failure, FailureKind, RequestState};
use crate::write::{Change, Unwritten, Written};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::loops;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode;
use loopdeck_core::times::Millis;
use std::path::Path;
use std::sync::Arc;

/// A request that another writer undid while the disk refused is written again after so long.
const RETRY_AFTER: Millis = 1_000;

impl Owner {
    /// Carries out `intent` on the loop named `key`.
    ///
    /// # Errors
    /// A refusal when it is not legal now; a failure when the journal or the disk refuse. Nothing is half done.
    pub(crate) fn act(&mut self, key: &str, intent: &Intent) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        let situation = entry.situation(self.moment());
        if let Some(verb) = intent.verb().filter(|_| !raises_limit(intent))
            && let Some(refusal) = loops::refuse(&entry.summary, verb, &situation)
        {
            return Err(refusal.into());
        }
        if !intent.is_request() {
            return self.change(&entry, intent, &situation);
        }
        match self.write(&entry, &Change::Carry(intent, Ask::New(intent)), &situation) {
            Ok(written) => {
                self.guard(&entry, written, situation.now);
                self.control_work(key, intent);
                Ok(())
            }
            Err(unwritten) => {
                let failure = self.give_up(&entry, unwritten, situation.now);
                if matches!(intent, Intent::Stop { .. }) && self.is_gone(&entry.key()) {
                    // There is nothing left to write it into; its processes end all the same.
                    self.show_request(&entry.key(), None);
                    self.control_work(key, intent);
                    return Ok(());
                }
                Err(failure)
            }
        }
    }

    /// What nobody has to answer: metadata, repairs, steps of the work.
    fn change(&mut self, entry: &Entry, intent: &Intent, situation: &Situation) -> Result<(), Failure> {
        if let Intent::Repair(code @ (RepairCode::SplitGluedLines | RepairCode::CleanTaskList)) = intent {
            return self.repair_tasks(entry, *code, situation);
        }
        let change = Change::Carry(intent, Ask::None);
        let written = self.write(entry, &change, situation).map_err(|unwritten| unwritten.failure)?;
        let key = entry.key();
        self.look_now(&key);
        let Written { beside, .. } = written;
        if beside.is_empty() {
            return Ok(());
        }
        let root = self.root_of(&key)?;
        let word = journal::intent_word(intent);
        let done = self.write_all_beside(&root, entry, &beside, word, situation.now);
        if done.is_err() {
            self.take_back(&root, entry, situation.now);
        }
        done
    }

    fn guard(&mut self, entry: &Entry, written: Written, now: Millis) {
        let key = entry.key();
        if let Some(request) = written.request {
            if self.housekeeping {
                // Without the lease another Loopdeck may send it again too; the request stands all the same.
                let _ = self.journal.take_lease(LoopRef::of(&request), &self.holder, now);
            }
            let live = is_live(entry.shown.word);
            let mut guard = Guard::new(Arc::clone(&key), request, live, now, self.fresh_within);
            guard.written = Some(written.stamp);
            guard.written_at = clock::now();
            self.show_request(&key, Some(&guard));
            self.guards.insert(Arc::clone(&key), guard);
        }
        self.look_now(&key);
    }

    /// A request that was recorded but could not be written is shown as failed; one that was not changed nothing.
    fn give_up(&mut self, entry: &Entry, unwritten: Unwritten, now: Millis) -> Failure {
        let Unwritten { failure, request } = unwritten;
        let Some(request) = request else { return failure };
        let mut guard = Guard::new(entry.key(), *request, false, now, self.fresh_within);
        let key = Arc::clone(&guard.key);
        // Nothing has happened: an older request stands as if this one had never been made.
        let older = self.guards.get(&key).cloned();
        let older_id = older.as_ref().map(|older| older.entry.id);
        // A journal that cannot be written keeps the request open: it is looked at again at the next start.
        let _ = self.journal.take_back(&guard.entry, older_id, clock::now());
        guard.state = RequestState::Failed;
        self.show_request(&key, older.as_ref().or(failure.refusal.is_none().then_some(&guard)));
        failure
    }

    /// What foreign writers wrote into versions that we had replaced becomes the file again, with our intents on top.
    pub(crate) fn take_up_late_writes(&mut self) {
        let is_whole = |catalog: &Catalog, key: &Key, bytes: &[u8]| {
            catalog.get(key).is_some_and(|entry| crate::write::is_readable(&entry.candidate, bytes))
        };
        let mut overtaken = std::mem::take(&mut self.overtaken);
        let found = self.read_catalog(|catalog| overtaken.look(|key, bytes| is_whole(catalog, key, bytes)));
        self.overtaken = overtaken;
        for late in found {
            self.take_up(&late);
        }
    }

    fn take_up(&mut self, late: &LateWrite) {
        let Ok(entry) = self.entry(&late.key) else { return };
        let situation = Situation { shown: StatusWord::RunningElsewhere, now: self.moment() };
        // Anybody who wrote since has the last word: then this write is refused.
        let Ok(written) = self.write(&entry, &Change::Late(late), &situation) else { return };
        if let Some(guard) = self.guards.get_mut(&late.key) {
            guard.written = Some(written.stamp);
        }
        self.look_now(&late.key);
    }

    pub(crate) fn look_now(&mut self, key: &str) {
        if let Some((id, root, candidate)) = self.locate(key) {
            self.look_at(&id, &root, candidate, false);
        }
    }

    pub(crate) fn entry(&self, key: &str) -> Result<Entry, Failure> {
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        entry.ok_or_else(|| Failure::new(FailureKind::UnknownLoop))
    }

    pub(crate) fn root_of(&self, key: &str) -> Result<std::path::PathBuf, Failure> {
        let (_, root, _) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        if root.is_dir() {
            return Ok(root);
        }
        Err(Failure::new(FailureKind::NotAFolder).with("path", crate::dirs::shown(&root)))
    }

    pub(crate) fn show_request(&mut self, key: &Key, guard: Option<&Guard>) {
        let request = guard.and_then(Guard::view);
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        if let Some(mut entry) = entry.filter(|entry| entry.request != request) {
            entry.request = request;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }

    pub(crate) fn settle(&mut self, guard: &Guard, outcome: Outcome) {
        // A journal that cannot be written keeps the request open: it is looked at again at the next start.
        let _ = self.journal.settle(&guard.entry, outcome, clock::now());
    }

    // --- guarding -------------------------------------------------------------------------------------------------

    /// After each look at a loop: does the request still stand?
    pub(crate) fn check_guard(&mut self, key: &Key) {
        let Some(guard) = self.guards.get(key).cloned() else { return };
        let Ok(entry) = self.entry(key) else { return };
        match guard.step(&entry.summary, entry.stamp, clock::now()) {
            Step::Wait => {}
            Step::Confirm => self.confirm(guard),
            Step::SendAgain if self.is_superseded(&guard) => self.give_way(&guard),
            Step::SendAgain if self.is_told_otherwise(&guard) => {
                self.settle(&guard, Outcome::Superseded); // or the next look would guard it again
                self.give_way(&guard);
            }
            Step::SendAgain => self.send_again(guard, &entry),
            Step::Release => self.release(&guard, &entry),
        }
    }

    /// Whether another process (a script) asked for something else since; the journal is the one they share.
    fn is_superseded(&mut self, guard: &Guard) -> bool {
        self.journal.is_open(guard.entry.id).is_ok_and(|open| !open) || !self.holds_lease(guard)
    }

    /// Whether what undid a start is somebody's word to the agent that works since: a copy from before the start would have
    /// to come from an agent, and there was none but ours.
    fn is_told_otherwise(&self, guard: &Guard) -> bool {
        guard.entry.intent.starts_work()
            && self
                .works
                .get(&guard.key)
                .is_some_and(|work| work.parts().iter().any(|part| part.end.is_none()))
    }

    /// Whether we are the one to look after this request; a journal that cannot be written leaves it to us, and a script
    /// leaves it to whoever stays.
    fn holds_lease(&mut self, guard: &Guard) -> bool {
        if !self.housekeeping {
            return true;
        }
        let of = LoopRef::of(&guard.entry);
        self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(true)
    }

    /// What the file says now is what the newer request wanted: fighting it would undo a person's word.
    fn give_way(&mut self, guard: &Guard) {
        self.unguard(&guard.key);
        self.show_request(&guard.key, None);
        self.sweep_soon();
    }

    fn confirm(&mut self, mut guard: Guard) {
        guard.state = RequestState::InEffect;
        self.show_request(&guard.key.clone(), Some(&guard));
        self.guards.insert(Arc::clone(&guard.key), guard);
    }

    /// Stops looking after a request, and leaves its loop to any other Loopdeck: the one place where guards go.
    pub(crate) fn unguard(&mut self, key: &str) -> Option<Guard> {
        let guard = self.guards.remove(key)?;
        if self.works.get(key).is_some_and(crate::drivers::Work::is_on) {
            return Some(guard); // the lease is the work's too
        }
        // A journal that cannot be written: the lease runs out by itself.
        let _ = self.journal.give_lease_back(LoopRef::of(&guard.entry), &self.holder);
        Some(guard)
    }

    fn release(&mut self, guard: &Guard, entry: &Entry) {
        self.unguard(&guard.key);
        self.settle(guard, Outcome::Settled);
        let stands = guard.entry.intent.verb().map(|verb| loops::standing(&entry.summary, verb));
        let held = stands == Some(loopdeck_core::control::Standing::Holds);
        let shown = Guard { state: RequestState::InEffect, ..guard.clone() };
        self.show_request(&guard.key, held.then_some(&shown));
    }

    fn send_again(&mut self, mut guard: Guard, entry: &Entry) {
        // Somebody writes: from now on only they can confirm.
        let now = self.moment();
        let situation = Situation { shown: StatusWord::RunningElsewhere, now };
        if matches!(guard.entry.intent, Intent::Pause | Intent::Stop { .. }) {
            guard.live = true;
            guard.until = guard.until.max(now + self.fresh_within);
        }
        guard.state = RequestState::Requested;
        let situation = if is_live(entry.shown.word) { situation } else { entry.situation(now) };
        guard.retry_at = None;
        let intent = guard.entry.intent.clone();
        match self.write(entry, &Change::Carry(&intent, Ask::Known(guard.entry.id)), &situation) {
            Ok(written) => {
                guard.entry.sent_again += 1;
                guard.written = Some(written.stamp);
                guard.written_at = now;
                let _ = self.journal.sent_again(guard.entry.id, guard.entry.sent_again);
                let key = Arc::clone(&guard.key);
                self.show_request(&key, Some(&guard));
                self.guards.insert(Arc::clone(&key), guard);
                self.look_now(&key);
            }
            Err(unwritten) => {
                // Not legal on what stands there now: the next change decides again. A disk in trouble may recover.
                guard.retry_at = unwritten.failure.refusal.is_none().then_some(now + RETRY_AFTER);
                self.guards.insert(Arc::clone(&guard.key), guard);
            }
        }
    }

    /// Guards whose time has come although nothing changed.
    pub(crate) fn watch_guards(&mut self) {
        let now = clock::now();
        let due: Vec<Key> = self
            .guards
            .values()
            .filter(|guard| guard.next_look() <= now)
            .map(|guard| Arc::clone(&guard.key))
            .collect();
        for key in due {
            self.check_guard(&key);
            if let Some(guard) = self.guards.get(&key).cloned() {
                let _ = self.holds_lease(&guard); // renewed
            }
            let Some(guard) = self.guards.get_mut(&key) else { continue };
            if guard.next_look() <= now {
                // Still open: an AoT flag that nobody answers is watched on, without spinning.
                guard.retry_at = None;
                guard.until = now + self.fresh_within;
                guard.live = true;
            }
        }
    }

    /// Open requests that nobody guards, of an earlier start or of a script, are guarded from now on.
    pub(crate) fn reload_requests(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let now = clock::now();
        let guarded: Vec<i64> = self.guards.values().map(|guard| guard.entry.id).collect();
        let mut open = self.journal.open_requests(&workspace).unwrap_or_default();
        open.retain(|recorded| !guarded.contains(&recorded.id));
        for recorded in open {
            let key = crate::catalog::key(&crate::dirs::id_of(root), &recorded.file);
            let late = now - recorded.at > self.fresh_within;
            let guard = Guard::new(Arc::clone(&key), recorded, true, now, self.fresh_within);
            match self.entry(&key) {
                Ok(entry) if late => self.release(&guard, &entry),
                // Another Loopdeck looks after it: asked again at the next look at this workspace.
                Ok(_) if !self.holds_lease(&guard) => {}
                Ok(_) => {
                    let intent = guard.entry.intent.clone();
                    self.show_request(&key, Some(&guard));
                    self.guards.insert(Arc::clone(&key), guard);
                    self.check_guard(&key);
                    self.follow_request(&key, &intent);
                }
                Err(_) => self.settle(&guard, Outcome::Settled),
            }
        }
    }

    /// What is under way, for a script: shown as it stands, and left to the window to guard and to settle.
    pub(crate) fn show_requests(&mut self, root: &Path) {
        let open = self.journal.open_requests(&root.to_string_lossy()).unwrap_or_default();
        for recorded in open {
            let key = crate::catalog::key(&crate::dirs::id_of(root), &recorded.file);
            let Some(entry) = self.entry(&key).ok().filter(|_| !self.guards.contains_key(&key)) else {
                continue;
            };
            let (asked, live) = (recorded.at, is_live(entry.shown.word));
            let mut guard = Guard::new(Arc::clone(&key), recorded, live, asked, self.fresh_within);
            match guard.step(&entry.summary, entry.stamp, clock::now()) {
                Step::Release => continue,
                Step::Confirm => guard.state = RequestState::InEffect,
                Step::Wait | Step::SendAgain => {}
            }
            self.show_request(&key, Some(&guard));
        }
    }
}

fn raises_limit(intent: &Intent) -> bool {
    matches!(intent, Intent::Resume { raise_limit_to: Some(_) } | Intent::Reopen { raise_limit_to: Some(_) })
}

/// Somebody works on the loop: only they can confirm a request.
fn is_live(word: StatusWord) -> bool {
    use StatusWord as W;
    matches!(
        word,
        W::RunningElsewhere
            | W::Running
            | W::Starting
            | W::Silent
            | W::NeedsYou
            | W::Pausing
            | W::Stopping
            | W::UsageLimit
    )
}
