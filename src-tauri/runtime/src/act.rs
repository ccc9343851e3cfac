//! Carrying out what a person asked: record, write under guard, verify, write again when undone.

use crate::catalog::{Entry, Key};
use crate::clock;
use crate::files::{self, ReplaceFault, Replaced, TakenBack};
use crate::guard::{Guard, RETRY, Step};
use crate::journal::Outcome;
use crate::overtaken::{Exchanged, LateWrite};
use crate::owner::Owner;
use crate::roots::Candidate;
use crate::rows::{Failure, FailureKind, RequestState};
use crate::stamp::Stamp;
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::{FileFacts, Summary};
use loopdeck_core::loops;
use loopdeck_core::status::{FileStatus, StatusWord};
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
                // Nothing has happened: an older request stands as if this one had never been made.
                let older = self.guards.get(&key).cloned();
                let older_id = older.as_ref().map(|older| older.entry.id);
                let _ = self.journal.take_back(guard.entry.id, older_id, clock::now());
                guard.state = RequestState::Failed;
                self.show_request(&key, older.as_ref().or(failure.refusal.is_none().then_some(&guard)));
                Err(failure)
            }
        }
    }

    /// Reads the newest bytes, applies the intent, replaces the file; again on a foreign change.
    fn write(&mut self, entry: &Entry, intent: &Intent, situation: &Situation) -> Result<Stamp, Failure> {
        let root = self.root_of(&entry.key())?;
        for attempt in 0..TRIES {
            match write_once(&root, &entry.candidate, intent, situation) {
                Err(WriteFault::Again(taken_back)) => {
                    if let Some(taken_back) = taken_back {
                        self.overtaken.keep(&entry.key(), &[], taken_back);
                    }
                    std::thread::sleep(Duration::from_millis(1 << attempt));
                }
                Err(WriteFault::Failed(failure)) => return Err(failure),
                Ok((stamp, exchanged)) => {
                    self.overtaken.keep(&entry.key(), std::slice::from_ref(intent), exchanged);
                    return Ok(stamp);
                }
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

    /// What foreign writers wrote into versions that we had replaced becomes the file again, with our intents on top.
    pub(crate) fn take_up_late_writes(&mut self) {
        let is_whole = |catalog: &crate::catalog::Catalog, key: &Key, bytes: &[u8]| {
            catalog.get(key).is_some_and(|entry| summary_of(&entry.candidate, bytes).is_some())
        };
        let mut overtaken = std::mem::take(&mut self.overtaken);
        let found = self.read_catalog(|catalog| overtaken.look(|key, bytes| is_whole(catalog, key, bytes)));
        self.overtaken = overtaken;
        for late in found {
            self.take_up(late);
        }
    }

    fn take_up(&mut self, late: LateWrite) {
        let LateWrite { key, bytes, ours, intents } = late;
        let (Ok(entry), Ok(root)) = (self.entry(&key), self.root_of(&key)) else { return };
        let new = apply_all(&entry, bytes, &intents);
        let path = root.join(&entry.candidate.file);
        // Anybody who wrote since has the last word.
        let Ok(Replaced { stamp, former }) = files::replace(&path, &ours, &new) else { return };
        self.overtaken.keep(&key, &intents, Exchanged { former, old: ours, new });
        if let Some(guard) = self.guards.get_mut(&key) {
            guard.written = Some(stamp);
        }
        self.look_now(&key);
    }

    // --- guarding -------------------------------------------------------------------------------------------------

    /// After each look at a loop: does the request still stand?
    pub(crate) fn check_guard(&mut self, key: &Key) {
        let Some(guard) = self.guards.get(key).cloned() else { return };
        let Ok(entry) = self.entry(key) else { return };
        match guard.step(&entry.summary, entry.stamp, clock::now()) {
            Step::Wait => {}
            Step::Confirm => self.confirm(guard),
            Step::SendAgain => self.send_again(guard, &entry),
            Step::Release => self.release(&guard, &entry),
        }
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
            // Not legal on what stands there now: the next change decides again. In trouble: the next moment does.
            Err(failure) => {
                guard.retry_at = failure.refusal.is_none().then_some(now + RETRY);
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
            if let Some(guard) = self.guards.get_mut(&key) {
                guard.retry_at = None;
            }
            self.check_guard(&key);
            let Some(guard) = self.guards.get_mut(&key) else { continue };
            if guard.next_look() <= now {
                // Still open: an AoT flag that nobody answers is watched on, without spinning.
                guard.until = now + self.fresh_within;
                guard.live = true;
            }
        }
    }

    /// Requests that were open when the app ended last are guarded again.
    pub(crate) fn reload_requests(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let now = clock::now();
        for recorded in self.journal.open_requests(&workspace).unwrap_or_default() {
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
    /// Somebody else writes; with ours, when it was in place for a moment.
    Again(Option<Exchanged>),
    Failed(Failure),
}

fn write_once(
    root: &Path,
    candidate: &Candidate,
    intent: &Intent,
    situation: &Situation,
) -> Result<(Stamp, Exchanged), WriteFault> {
    let path = root.join(&candidate.file);
    let mut bytes = Vec::new();
    let stamp = files::read(root, &path, &mut bytes).map_err(|fault| match fault.code {
        loopdeck_core::problem::ProblemCode::F5_being_written => WriteFault::Again(None),
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
    match files::replace(&path, &bytes, &new) {
        Ok(Replaced { stamp, former }) => Ok((stamp, Exchanged { former, old: bytes, new })),
        Err(ReplaceFault::Changed(taken_back)) => {
            let exchanged = |back: TakenBack| Exchanged { former: back.file, old: new, new: back.there };
            Err(WriteFault::Again(taken_back.map(exchanged)))
        }
        Err(ReplaceFault::Io(error)) => Err(WriteFault::Failed(
            Failure::new(FailureKind::Disk).with("path", &candidate.file).with("reason", error),
        )),
    }
}

/// `bytes` after all `intents`; those that are not legal on them any more are left out.
fn apply_all(entry: &Entry, mut bytes: Vec<u8>, intents: &[Intent]) -> Vec<u8> {
    let now = clock::now();
    let facts = FileFacts { stem: entry.candidate.stem(), modified: now, now };
    let situation = Situation { shown: StatusWord::RunningElsewhere, now };
    for intent in intents {
        let Some(summary) = summary_of(&entry.candidate, &bytes) else { break };
        if let Ok(after) = loops::carry_out(&summary, &bytes, &facts, intent, &situation) {
            bytes = after;
        }
    }
    bytes
}

/// The summary of bytes that are not (yet) the file's; `None` when they are no whole loop.
fn summary_of(candidate: &Candidate, bytes: &[u8]) -> Option<Summary> {
    let now = clock::now();
    let facts = FileFacts { stem: candidate.stem(), modified: now, now };
    let summary = loops::summary(candidate.place, bytes, &facts)?;
    (summary.status != FileStatus::Unreadable).then_some(summary)
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
