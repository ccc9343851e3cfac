//! Carrying out what a person asked: record, write under guard, verify, write again when undone.

use crate::catalog::{Entry, Key};
use crate::clock;
use crate::files::{self, ReplaceFault};
use crate::guard::{Guard, Step};
use crate::journal::Outcome;
use crate::owner::Owner;
use crate::roots::Candidate;
use crate::rows::{Failure, FailureKind, RequestState};
use crate::stamp::Stamp;
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops;
use loopdeck_core::status::StatusWord;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A file that changes under every try is reported, not fought for ever (L3.3).
const TRIES: u32 = 5;

impl Owner {
    /// Carries out `intent` on the loop named `key`.
    ///
    /// # Errors
    /// A refusal when it is not legal now; a failure when the journal or the disk refuse. Nothing is half done.
    pub(crate) fn act(&mut self, key: &str, intent: &Intent) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        let situation = entry.situation(clock::now());
        if let Some(refusal) =
            loops::refuse(&entry.summary, intent.verb(), &situation).filter(|_| !raises_limit(intent))
        {
            return Err(refusal.into());
        }
        if let Intent::EditMetadata(_) = intent {
            return self.write(&entry, intent, &situation).map(|_| self.look_now(key));
        }
        let root = self.root_of(key)?;
        let workspace = root.to_string_lossy().into_owned();
        let recorded = self
            .journal
            .record(&workspace, &entry.candidate.file, intent, situation.now)
            .map_err(|error| Failure::new(FailureKind::OwnData).with("reason", error))?;
        let guard =
            Guard::new(entry.key(), recorded, is_live(entry.shown.word), situation.now, self.fresh_within);
        self.write_guarded(guard, &entry, &situation)
    }

    fn write_guarded(
        &mut self,
        mut guard: Guard,
        entry: &Entry,
        situation: &Situation,
    ) -> Result<(), Failure> {
        let key = Arc::clone(&guard.key);
        match self.write(entry, &guard.entry.intent, situation) {
            Ok(stamp) => {
                guard.written = Some(stamp);
                guard.written_at = clock::now();
                self.show_request(&key, Some(&guard));
                self.guards.insert(Arc::clone(&key), guard);
                self.look_now(&key);
                Ok(())
            }
            Err(failure) => {
                self.settle(&guard, Outcome::Refused);
                // The older request was superseded in the journal; its guard must not fight on.
                self.guards.remove(&key);
                guard.state = RequestState::Failed;
                self.show_request(&key, failure.refusal.is_none().then_some(&guard));
                Err(failure)
            }
        }
    }

    /// Reads the newest bytes, applies the intent, replaces the file; again on a foreign change.
    fn write(&mut self, entry: &Entry, intent: &Intent, situation: &Situation) -> Result<Stamp, Failure> {
        let root = self.root_of(&entry.key())?;
        for attempt in 0..TRIES {
            match write_once(&root, &entry.candidate, intent, situation) {
                Err(WriteFault::Again) => std::thread::sleep(Duration::from_millis(1 << attempt)),
                Err(WriteFault::Failed(failure)) => return Err(failure),
                Ok(stamp) => return Ok(stamp),
            }
        }
        Err(Failure::new(FailureKind::Contended).with("path", &entry.candidate.file))
    }

    fn look_now(&mut self, key: &str) {
        if let Some((id, root, candidate)) = self.locate(key) {
            self.look_at(&id, &root, candidate, false);
        }
    }

    fn entry(&self, key: &str) -> Result<Entry, Failure> {
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        entry.ok_or_else(|| Failure::new(FailureKind::UnknownLoop))
    }

    fn root_of(&self, key: &str) -> Result<std::path::PathBuf, Failure> {
        let (_, root, _) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        if root.is_dir() {
            return Ok(root);
        }
        Err(Failure::new(FailureKind::NotAFolder).with("path", crate::dirs::shown(&root)))
    }

    fn show_request(&mut self, key: &Key, guard: Option<&Guard>) {
        let request = guard.map(Guard::view);
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        if let Some(mut entry) = entry.filter(|entry| entry.request != request) {
            entry.request = request;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }

    fn settle(&mut self, guard: &Guard, outcome: Outcome) {
        // A journal that cannot be written keeps the request open: it is looked at again at the next start.
        let _ = self.journal.settle(guard.entry.id, outcome, clock::now());
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
            Step::SendAgain => self.send_again(guard, &entry),
            Step::Release => self.release(&guard, &entry),
        }
    }

    /// Whether another process (a script) asked for something else since; the journal is the one they share.
    fn is_superseded(&self, guard: &Guard) -> bool {
        self.journal.is_open(guard.entry.id).is_ok_and(|open| !open)
    }

    /// What the file says now is what the newer request wanted: fighting it would undo a person's word.
    fn give_way(&mut self, guard: &Guard) {
        self.guards.remove(&guard.key);
        self.show_request(&guard.key, None);
        self.sweep_soon();
    }

    fn confirm(&mut self, mut guard: Guard) {
        guard.state = RequestState::InEffect;
        self.show_request(&guard.key.clone(), Some(&guard));
        self.guards.insert(Arc::clone(&guard.key), guard);
    }

    fn release(&mut self, guard: &Guard, entry: &Entry) {
        self.guards.remove(&guard.key);
        self.settle(guard, Outcome::Settled);
        let stands = loops::standing(&entry.summary, guard.entry.intent.verb());
        let held = stands == loopdeck_core::control::Standing::Holds;
        let shown = Guard { state: RequestState::InEffect, ..guard.clone() };
        self.show_request(&guard.key, held.then_some(&shown));
    }

    fn send_again(&mut self, mut guard: Guard, entry: &Entry) {
        // Somebody writes: from now on only they can confirm.
        let now = clock::now();
        let situation = Situation { shown: StatusWord::RunningElsewhere, now };
        if matches!(guard.entry.intent, Intent::Pause | Intent::Stop { .. }) {
            guard.live = true;
            guard.until = guard.until.max(now + self.fresh_within);
        }
        guard.state = RequestState::Requested;
        let situation = if is_live(entry.shown.word) { situation } else { entry.situation(now) };
        match self.write(entry, &guard.entry.intent, &situation) {
            Ok(stamp) => {
                guard.entry.sent_again += 1;
                guard.written = Some(stamp);
                guard.written_at = now;
                let _ = self.journal.sent_again(guard.entry.id, guard.entry.sent_again);
                let key = Arc::clone(&guard.key);
                self.show_request(&key, Some(&guard));
                self.guards.insert(Arc::clone(&key), guard);
                self.look_now(&key);
            }
            // Not legal on what stands there now (or the disk is in trouble): the next change decides again.
            Err(_) => drop(self.guards.insert(Arc::clone(&guard.key), guard)),
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
            let Some(guard) = self.guards.get_mut(&key) else { continue };
            if guard.next_look() <= now {
                // Still open: an AoT flag that nobody answers is watched on, without spinning.
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
                Ok(_) => {
                    self.show_request(&key, Some(&guard));
                    self.guards.insert(Arc::clone(&key), guard);
                    self.check_guard(&key);
                }
                Err(_) => self.settle(&guard, Outcome::Settled),
            }
        }
    }
}

enum WriteFault {
    Again,
    Failed(Failure),
}

fn write_once(
    root: &Path,
    candidate: &Candidate,
    intent: &Intent,
    situation: &Situation,
) -> Result<Stamp, WriteFault> {
    let path = root.join(&candidate.file);
    let mut bytes = Vec::new();
    let stamp = files::read(root, &path, &mut bytes).map_err(|fault| match fault.code {
        loopdeck_core::problem::ProblemCode::F5_being_written => WriteFault::Again,
        _ => {
            let reason = fault.args.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ");
            let failure = Failure::new(FailureKind::Unreadable).with("path", &candidate.file);
            WriteFault::Failed(failure.with("reason", reason))
        }
    })?;
    let facts = FileFacts { stem: candidate.stem(), modified: stamp.modified_ms(), now: situation.now };
    let summary = loops::summary(candidate.place, &bytes, &facts)
        .ok_or_else(|| WriteFault::Failed(Failure::new(FailureKind::UnknownLoop)))?;
    let new = loops::carry_out(&summary, &bytes, &facts, intent, situation)
        .map_err(|refusal| WriteFault::Failed(refusal.into()))?;
    files::replace(&path, &bytes, &new).map_err(|fault| match fault {
        ReplaceFault::Changed => WriteFault::Again,
        ReplaceFault::Io(error) => WriteFault::Failed(
            Failure::new(FailureKind::Disk).with("path", &candidate.file).with("reason", error),
        ),
    })
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
