//! Judges a foreign version that does not have what was requested: whether it is overwritten again, or stays because another tool decided
//! otherwise. The rules are `loopdeck_core::lineage`; the versions are those of the journal.

use crate::observe::catalog::{Entry, LoopId};
use crate::store::guard::{Guard, Step};
use crate::store::journal::{KnownVersion, Outcome};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::RequestState;
use loopdeck_core::control::{Intent, Standing};
use loopdeck_core::format::FileFacts;
use loopdeck_core::lineage::{Descent, JudgementInputs, Lineage, Version};
use loopdeck_core::loops;
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, files};
use std::path::Path;
use std::sync::Arc;

/// What a request is written again over, and what it gives way to.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    lineage: Lineage,
    seen: JudgementInputs,
}

impl Judgement {
    /// What `bytes`, which say `summary`, are; `None` when they say what was requested or answer it.
    pub(crate) fn judge(&self, summary: &Summary, bytes: &[u8]) -> Option<Descent> {
        (loops::request_standing(summary, self.seen.verb) == Standing::Undone)
            .then(|| self.descent(summary, bytes))
    }

    fn descent(&self, summary: &Summary, bytes: &[u8]) -> Descent {
        let version = Version::from_bytes(summary.format, bytes);
        version.map_or(Descent::AgentsWork, |version| self.lineage.descent(&version, &self.seen))
    }
}

impl WorkspaceStore {
    /// What there is to judge by now; `None` when the journal cannot be read, and then nothing can be written either.
    pub(crate) fn judgement(&mut self, guard: &Guard, entry: &Entry, foreign: &[u8]) -> Option<Judgement> {
        let verb = guard.entry.intent.verb()?;
        let of = guard.entry.loop_ref();
        let known = self.journal.known_versions(of, guard.entry.id).ok()?;
        let mut lineage = lineage_of(guard, entry, known, foreign);
        if lineage.since.is_empty() {
            return None;
        }
        let held = guard.held.as_ref().and_then(|held| Version::from_bytes(entry.summary.format, held));
        lineage.since.extend(held);
        let our_agent = match guard.entry.intent.starts_work() {
            // What undoes a pause may be an agent's last breath; of a start, only one that still breathes counts.
            true => self.scheduler.is_at_work(&guard.key),
            false => self.scheduler.is_on(&guard.key),
        };
        Some(Judgement { lineage, seen: JudgementInputs { verb, now: clock::now(), our_agent } })
    }

    /// Whether the current content, which is not what was requested, is another tool's decision. If not, what it is judged by.
    pub(crate) fn is_decided(&mut self, guard: &Guard, entry: &Entry) -> (bool, Option<Judgement>) {
        let Some(bytes) = self.bytes_of(entry) else { return (false, None) };
        let judgement = self.judgement(guard, entry, &bytes);
        let descent = judgement.as_ref().map(|judgement| judgement.descent(&entry.summary, &bytes));
        let is_decided = descent.is_some_and(|descent| !descent.is_answered());
        (is_decided, judgement)
    }

    /// Whether a version before the current content was another tool's decision: an agent may have worked on top of it since.
    pub(crate) fn was_decided(&mut self, guard: &Guard, entry: &Entry) -> bool {
        let glimpsed = self.guards.take_glimpses(guard);
        glimpsed.iter().any(|bytes| self.is_other_decision(guard, entry, bytes))
    }

    /// Whether these bytes undo the request by another tool's decision.
    pub(crate) fn is_other_decision(&mut self, guard: &Guard, entry: &Entry, bytes: &[u8]) -> bool {
        let facts = FileFacts { stem: entry.candidate.stem(), modified: clock::now(), now: clock::now() };
        let summary = loops::summary(entry.candidate.place, bytes, &facts);
        let judgement = self.judgement(guard, entry, bytes);
        let descent = summary.zip(judgement).and_then(|(summary, seen)| seen.judge(&summary, bytes));
        descent == Some(Descent::Decision)
    }

    /// The content at the last read; a first scan of many files does not keep it.
    pub(crate) fn bytes_of(&self, entry: &Entry) -> Option<Arc<[u8]>> {
        let key = entry.key();
        self.last_bytes(&key).or_else(|| {
            let root = self.root_of(&key).ok()?;
            let mut bytes = Vec::new();
            let read = files::read(&root, &root.join(entry.candidate.on_disk()), &mut bytes).ok();
            (read.is_some() && read == entry.stamp).then(|| bytes.into())
        })
    }

    /// What the file said at the last look.
    pub(crate) fn last_bytes(&self, key: &LoopId) -> Option<Arc<[u8]>> {
        self.read_catalog(|catalog| catalog.last_good.get(key).map(|(bytes, _)| bytes))
    }

    /// Whether the loop ended our request by a word that only people give.
    pub(crate) fn is_answered_by_decision(&mut self, guard: &Guard, entry: &Entry) -> bool {
        let verb = guard.entry.intent.verb();
        let is_answered =
            verb.is_some_and(|verb| loops::request_standing(&entry.summary, verb) == Standing::Answered);
        let status = entry.summary.status;
        let is_a_persons = matches!(status, FileStatus::StoppedByUser | FileStatus::Paused)
            || (status == FileStatus::Running && entry.summary.stop_requested.is_some());
        is_answered && is_a_persons && guard.written != entry.stamp && self.is_decided(guard, entry).0
    }

    /// Another tool decided otherwise: that is in force, and the request ends.
    pub(crate) fn overrule(&mut self, mut guard: Guard, entry: &Entry) {
        let now = clock::now();
        let written = entry.stamp.map_or(now, Fingerprint::modified);
        let at = written.clamp(guard.entry.at.min(now), now);
        self.unguard(&guard.key);
        // A journal that cannot be written keeps the request open: it is judged again at the next start.
        self.journal
            .settle(&guard.entry, Outcome::Overruled, at)
            .logged("the end of a request is not recorded");
        guard.note_overruled(at);
        self.show_request(&guard.key.clone(), Some(&guard));
    }

    /// Requests that another tool overruled a short while ago, also in another process or before the start; older ones are no longer news.
    pub(crate) fn show_overruled(&mut self, root: &Path) {
        let now = clock::now();
        let since: Timestamp = now - self.fresh_within;
        let id = loopdeck_system::dirs::id_of(root);
        let is_old = |entry: &Entry| {
            let at = entry.request.as_ref().and_then(|request| request.overruled_at);
            *entry.workspace == *id && at.is_some_and(|at| Timestamp::from_number(at) < since)
        };
        let old: Vec<LoopId> = self.read_catalog(|catalog| {
            let old = catalog.entries().filter(|(_, entry)| is_old(entry));
            old.map(|(key, _)| key.clone()).collect()
        });
        for key in old {
            self.show_request(&key, None); // the timeline keeps it
        }
        let overruled = self.journal.overruled_requests(&root.to_string_lossy(), since).unwrap_or_default();
        for (recorded, at) in overruled {
            let key = LoopId::new(&id, &recorded.file);
            let is_silent = self.entry(&key).is_ok_and(|entry| entry.request.is_none());
            if is_silent && !self.guards.has(&key) {
                let mut guard = Guard::new(key.clone(), recorded, false, now, self.fresh_within);
                guard.note_overruled(at);
                self.show_request(&key, Some(&guard));
            }
        }
    }

    /// For a reader: how far a request is that this process does not guard.
    pub(crate) fn state_of(&mut self, guard: &mut Guard, entry: &Entry) -> Option<()> {
        match guard.step(&entry.summary, entry.stamp, clock::now()) {
            Step::Release => return None,
            Step::Confirm => guard.state = RequestState::InEffect,
            Step::SendAgain if self.is_decided(guard, entry).0 => {
                let now = clock::now();
                guard.note_overruled(entry.stamp.map_or(now, Fingerprint::modified).min(now));
            }
            Step::Wait | Step::SendAgain => {}
        }
        Some(())
    }
}

/// Sorts what the journal knows (newest first) by whether it says what was requested.
fn lineage_of(guard: &Guard, entry: &Entry, known: Vec<KnownVersion>, foreign: &[u8]) -> Lineage {
    let mut lineage = Lineage::default();
    let verb = guard.entry.intent.verb();
    let now = clock::now();
    let facts = FileFacts { stem: entry.candidate.stem(), modified: now, now };
    // The version to be judged may have been kept already.
    let is_judged = known.first().is_some_and(|newest| newest.bytes == foreign);
    for known in known.into_iter().skip(usize::from(is_judged)).rev() {
        let Some(version) = Version::from_bytes(entry.summary.format, &known.bytes) else { continue };
        let says_it = || {
            let summary = loops::summary(entry.candidate.place, &known.bytes, &facts);
            let stands = summary.zip(verb).map(|(summary, verb)| loops::request_standing(&summary, verb));
            stands == Some(Standing::Holds)
        };
        if known.since && says_it() {
            lineage.since.push(version);
        } else {
            lineage.before.push(version);
        }
    }
    lineage
}

/// A request that is written once more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepeatedRequest<'a> {
    /// What was meant.
    pub(crate) intent: &'a Intent,
    /// Its number in the journal.
    pub(crate) request: i64,
    /// What it may be written over; nothing when that is not known.
    pub(crate) judgement: Option<&'a Judgement>,
}

impl RepeatedRequest<'_> {
    /// Whether `bytes` may be overwritten; if not, another program wrote since they were read.
    pub(crate) fn goes_over(&self, summary: &Summary, bytes: &[u8]) -> bool {
        self.judgement
            .is_none_or(|judgement| judgement.judge(summary, bytes).is_some_and(Descent::is_answered))
    }
}
