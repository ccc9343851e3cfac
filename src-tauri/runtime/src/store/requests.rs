//! Carrying out what a person asked: record, write under guard, verify, write again when undone.

use crate::observe::catalog::{Catalog, Entry, LoopId};
use crate::store::commit::{Unwritten, Written};
use crate::store::draft::Change;
use crate::store::guard::Guard;
use crate::store::journal::{self, Outcome, RecordedRequest, RequestLink, UndoGroup};
use crate::store::replaced_versions::LateWrite;
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::{Failure, FailureKind, RequestState};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::loop_id::file_of;
use loopdeck_core::loops;
use loopdeck_core::refusal::Refusal;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode;
use loopdeck_core::times::Timestamp;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;

impl WorkspaceStore {
    /// Carries out `intent` on the loop named `key`.
    ///
    /// # Errors
    /// A refusal when it is not legal now; a failure when the journal or the disk refuse. Nothing is half done.
    pub(crate) fn act(&mut self, key: &str, intent: &Intent) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        if matches!(intent, Intent::Stop { .. }) && self.scheduler.runs_own_tool(key) {
            // It is not up to the plan's file whether its tool stops.
            self.driver_context().control_work(key, intent);
            return Ok(());
        }
        let Moment { at, group } = self.moment();
        let situation = entry.situation(at);
        if let Some(refusal) = refusal_for(&entry, intent, &situation) {
            return Err(refusal.into());
        }
        if !intent.is_request() {
            self.change(&entry, intent, &situation, group)?;
            self.driver_context().control_work(key, intent);
            return Ok(());
        }
        let written = self.write(&entry, &Change::Carry(intent, RequestLink::New(intent)), &situation, group);
        self.take_leases(written.as_ref().ok().and_then(|written| written.request.as_ref()), at);
        let beside = written.as_ref().map(|written| written.beside.clone()).unwrap_or_default();
        self.follow_write(&entry, intent, written, at)?;
        if beside.is_empty() {
            return Ok(());
        }
        // What its own tool waits for is a file, not a word in this one.
        let root = self.root_of(key)?;
        let word = journal::intent_word(intent);
        self.write_companions(&root, &entry, &beside, word, Moment { at, group })
    }

    /// Takes the leases on the loops of requests that were written. Without one another Loopdeck may send its request again too;
    /// the request remains all the same.
    pub(super) fn take_leases<'a>(
        &mut self,
        requests: impl IntoIterator<Item = &'a RecordedRequest>,
        now: Timestamp,
    ) {
        if self.housekeeping {
            let loops = requests.into_iter().map(RecordedRequest::loop_ref);
            self.journal.take_leases(loops, &self.holder, now).logged("a lease is not taken");
        }
    }

    /// Guards a request that was written, or gives up one that was not.
    pub(super) fn follow_write(
        &mut self,
        entry: &Entry,
        intent: &Intent,
        written: Result<Written, Unwritten>,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let key = entry.key();
        match written {
            Ok(written) => {
                self.guard(entry, written, at);
                self.driver_context().control_work(&key, intent);
                Ok(())
            }
            Err(unwritten) => {
                let failure = self.give_up(entry, unwritten, at);
                if matches!(intent, Intent::Stop { .. }) && self.is_gone(&key) {
                    // There is nothing left to write it into; its processes end all the same.
                    self.show_request(&key, None);
                    self.driver_context().control_work(&key, intent);
                    return Ok(());
                }
                Err(failure)
            }
        }
    }

    /// Changes that need no answer: metadata, repairs, steps of the work.
    fn change(
        &mut self,
        entry: &Entry,
        intent: &Intent,
        situation: &Situation,
        group: UndoGroup,
    ) -> Result<(), Failure> {
        if let Intent::Repair(code @ (RepairCode::SplitGluedLines | RepairCode::CleanTaskList)) = intent {
            return self.repair_tasks(entry, *code, situation, group);
        }
        let change = Change::Carry(intent, RequestLink::None);
        let written = self.write(entry, &change, situation, group).map_err(|unwritten| unwritten.failure)?;
        let key = entry.key();
        self.look_now(&key);
        let Written { beside, step, stamp, .. } = written;
        self.guard_redirect(&key, intent, stamp);
        if beside.is_empty() {
            return Ok(());
        }
        let root = self.root_of(&key)?;
        let word = journal::intent_word(intent);
        let done = self.write_companions(&root, entry, &beside, word, Moment { at: situation.now, group });
        if done.is_err() {
            self.take_back(&root, entry, group);
        }
        self.end_step(step);
        done
    }

    fn guard(&mut self, entry: &Entry, written: Written, now: Timestamp) {
        let key = entry.key();
        if let Some(request) = written.request {
            let live = is_live(entry.shown.word);
            let mut guard = Guard::new(key.clone(), request, live, now, self.fresh_within);
            guard.written = Some(written.stamp);
            guard.written_at = clock::now();
            self.show_request(&key, Some(&guard));
            self.guards.put(guard);
        }
        self.look_now(&key);
    }

    /// A request that was recorded but could not be written is shown as failed; one that was not changed nothing.
    fn give_up(&mut self, entry: &Entry, unwritten: Unwritten, now: Timestamp) -> Failure {
        let Unwritten { failure, request } = unwritten;
        let Some(request) = request else { return failure };
        let mut guard = Guard::new(entry.key(), *request, false, now, self.fresh_within);
        let key = guard.key.clone();
        // Nothing has happened: an older request remains as if this one had never been made.
        let older = self.guards.get(&key).cloned();
        let older_id = older.as_ref().map(|older| older.entry.id);
        // A journal that cannot be written keeps the request open: the next start checks it again.
        self.journal
            .take_back(&guard.entry, older_id, clock::now())
            .logged("a request that was taken back is not recorded");
        guard.state = RequestState::Failed;
        self.show_request(&key, older.as_ref().or(failure.refusal.is_none().then_some(&guard)));
        failure
    }

    /// What foreign writers wrote into versions that we had replaced becomes the file again, with our intents on top.
    pub(crate) fn take_up_late_writes(&mut self) {
        let is_whole = |catalog: &Catalog, key: &LoopId, bytes: &[u8]| {
            catalog.get(key).is_some_and(|entry| entry.candidate.is_readable(bytes))
        };
        let mut overtaken = std::mem::take(&mut self.replaced);
        let found = self
            .read_catalog(|catalog| overtaken.take_late_writes(|key, bytes| is_whole(catalog, key, bytes)));
        self.replaced = overtaken;
        for late in found {
            self.take_up(late);
        }
    }

    fn take_up(&mut self, mut late: LateWrite) {
        let Ok(entry) = self.entry(&late.key) else { return };
        if self.is_late_decision(&entry, &late) {
            late.intents.clear(); // the next look ends the request
        }
        let late = &late;
        let Moment { at, group } = self.moment();
        let situation = Situation { shown: StatusWord::RunningElsewhere, now: at };
        // Anybody who wrote since has the last word: then this write is refused.
        let Ok(written) = self.write(&entry, &Change::Late(late), &situation, group) else { return };
        if let Some(guard) = self.guards.get_mut(&late.key) {
            guard.written = Some(written.stamp);
        }
        self.look_now(&late.key);
    }

    fn is_late_decision(&mut self, entry: &Entry, late: &LateWrite) -> bool {
        let Some(guard) = self.guards.get(&late.key).cloned() else { return false };
        self.is_other_decision(&guard, entry, &late.bytes)
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
        Err(Failure::new(FailureKind::NotAFolder).with("path", loopdeck_system::dirs::shown(&root)))
    }

    /// Whether the state file is gone from a workspace that is there.
    fn is_gone(&self, key: &LoopId) -> bool {
        self.root_of(key).is_ok_and(|root| {
            let seen = root.join(file_of(key)).symlink_metadata();
            seen.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        })
    }

    pub(crate) fn show_request(&mut self, key: &LoopId, guard: Option<&Guard>) {
        let request = guard.and_then(Guard::view);
        let entry = self.read_catalog(|catalog| catalog.get(key).cloned());
        if let Some(mut entry) = entry.filter(|entry| entry.request != request) {
            entry.request = request;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }

    pub(crate) fn settle(&mut self, guard: &Guard, outcome: Outcome) {
        // A journal that cannot be written keeps the request open: the next start checks it again.
        self.journal
            .settle(&guard.entry, outcome, clock::now())
            .logged("the end of a request is not recorded");
    }
}

/// Why the verb of `intent` is not legal now; one that raises the limit is judged by what it makes of the file.
pub(super) fn refusal_for(entry: &Entry, intent: &Intent, situation: &Situation) -> Option<Refusal> {
    let verb = intent.verb().filter(|_| !raises_limit(intent))?;
    loops::refuse(&entry.summary, verb, situation)
}

fn raises_limit(intent: &Intent) -> bool {
    matches!(intent, Intent::Resume { raise_limit_to: Some(_) } | Intent::Reopen { raise_limit_to: Some(_) })
}

/// The loop is being worked on: only that agent can confirm a request.
pub(crate) fn is_live(word: StatusWord) -> bool {
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
