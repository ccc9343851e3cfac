//! The past of a loop: keeping versions, looking at them, putting an older version back.

use crate::observe::catalog::{Entry, LoopId};
use crate::observe::roots::Candidate;
use crate::store::draft::{Change, PutBack};
use crate::store::journal::{self, LoopRef, Version, Writer};
use crate::store::undo::group_names;
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::{Failure, FailureKind, VersionView, VersionWriter, from_word};
use loopdeck_core::control::Verb;
use loopdeck_core::format::FileFacts;
use loopdeck_core::layout;
use loopdeck_core::loops;
use loopdeck_core::past::{KeptVersion, Note, Noted};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::TimeDelta;
use loopdeck_execution::records::LoopMessage;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs, files};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A write that did not land within this time never will.
const STILL_WRITING: TimeDelta = TimeDelta::minutes(1);
const HISTORY_LIMIT: u32 = 1_000;
const RESTORE: &str = "restore";
/// Versions that are compared with each other hold so many bytes together.
const COMPARED_BYTES: f64 = 64.0 * 1024.0 * 1024.0;

/// What the journal remembers of a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct RememberedLoop {
    /// Kept versions as a window shows them, newest first.
    pub(crate) versions: Vec<VersionView>,
    /// The same versions as the timeline takes them.
    pub(crate) kept: Vec<KeptVersion>,
    /// What was noted, newest first.
    pub(crate) notes: Vec<Note>,
}

impl WorkspaceStore {
    // --- keeping --------------------------------------------------------------------------------------------------

    /// Keeps what another program wrote (it is in the buffer) to loops that are on screen or guarded.
    pub(crate) fn keep_version(
        &mut self,
        key: &LoopId,
        root: &Path,
        candidate: &Candidate,
        stamp: Fingerprint,
    ) {
        // Of some loops nothing else is left when they end.
        let is_all = self.leaves_traces && layout::ends_without_file(candidate.place);
        let wanted = self.shown.as_ref() == Some(key) || self.guards.has(key) || is_all;
        let ours = self.own_writes.made_version(key, Some(stamp));
        if wanted && !ours && self.keeping.is_due(key, stamp, Instant::now()) {
            let workspace = root.to_string_lossy();
            let of = LoopRef { workspace: &workspace, file: &candidate.file };
            // Without it the past has a gap; writes of ours keep what they replace in any case.
            self.journal
                .keep_foreign(of, &self.buffer, stamp.modified(), true)
                .logged("a version of another program is not recorded");
            if is_all {
                self.forget_ended_deleted(of);
            }
        }
    }

    /// Versions that came too soon after the one before: the newest is kept now.
    pub(crate) fn keep_overdue(&mut self) {
        let now = Instant::now();
        for key in self.keeping.take_due(now) {
            self.look_now(&key);
        }
    }

    /// Decides which writes landed that the app did not see the end of.
    pub(crate) fn resolve_writes(&mut self, root: &Path) {
        for write in self.journal.unresolved_writes(&root.to_string_lossy()).unwrap_or_default() {
            let landed = fingerprint_if_unchanged(root, &write.file, &write.bytes);
            // Another process (a script) may be in the middle of it: only an old one is given up.
            if landed.is_some() || clock::now() - write.at > STILL_WRITING {
                self.journal.resolve(&write, landed).logged("what became of a write is not recorded"); // asked again next time
            }
        }
    }

    /// What our last writes made of the loops of a workspace, so that they do not pass for signs of life.
    pub(crate) fn reload_writes(&mut self, root: &Path) {
        self.resolve_writes(root);
        let id = dirs::id_of(root);
        for last in self.journal.last_writes(&root.to_string_lossy()).unwrap_or_default() {
            self.own_writes.note(&LoopId::new(&id, &last.file), last.stamp, last.life);
        }
    }

    /// Notes that a loop went to the trash; what was asked of it ends.
    pub(crate) fn note_deleted(&mut self, key: &str, root: &Path, candidate: &Candidate) {
        if let Some(guard) = self.unguard(key) {
            self.settle(&guard, journal::Outcome::Superseded);
        }
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        self.journal
            .note(of, "deleted", journal::verb_word(Verb::Delete), clock::now())
            .logged("an event is not recorded");
    }

    // --- looking --------------------------------------------------------------------------------------------------

    /// Kept versions, newest first; the current content is kept first when it is not yet.
    pub(crate) fn history(&mut self, key: &str, limit: u32) -> Result<Vec<VersionView>, Failure> {
        let versions = self.versions(key, limit)?;
        Ok(versions.into_iter().map(|(_, view)| view).collect())
    }

    fn versions(&mut self, key: &str, limit: u32) -> Result<Vec<(Version, VersionView)>, Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(unknown_loop)?;
        self.resolve_writes(&root);
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        let mut bytes = Vec::new();
        let here = files::read(&root, &root.join(candidate.on_disk()), &mut bytes).ok();
        if let Some(stamp) = here.filter(|_| candidate.is_readable(&bytes)) {
            self.journal
                .keep_foreign(of, &bytes, stamp.modified(), true)
                .logged("a version of another program is not recorded");
        }
        let versions = self.journal.versions(of, limit.min(HISTORY_LIMIT)).map_err(Failure::own_data)?;
        let here = here.map(|_| (loopdeck_system::hash::hash(&bytes), bytes.len() as u64));
        let current = versions.iter().position(|version| Some((version.hash, version.size)) == here);
        let seen = |(at, version): (usize, Version)| {
            let view = view(&version, Some(at) == current);
            (version, view)
        };
        Ok(versions.into_iter().enumerate().map(seen).collect())
    }

    /// What the journal remembers of a loop and its companions, for its timeline: at most `limit` versions.
    pub(crate) fn remembered(&mut self, key: &str, limit: u32) -> Result<RememberedLoop, Failure> {
        let versions = self.versions(key, limit)?;
        let (_, root, candidate) = self.locate(key).ok_or_else(unknown_loop)?;
        let (of, beside) = group_names(&root, &candidate);
        let events = self.journal.events((&of).into(), &beside, HISTORY_LIMIT).map_err(Failure::own_data)?;
        let messages = self.journal.messages((&of).into()).map_err(Failure::own_data)?;
        let messages = messages.into_iter().rev().map(|message| note_of_message(message, &candidate.file));
        Ok(RememberedLoop {
            kept: versions.iter().map(|(version, view)| kept_version(version, view)).collect(),
            versions: versions.into_iter().map(|(_, view)| view).collect(),
            notes: messages.chain(events.iter().filter_map(note_of)).collect(),
        })
    }

    /// One of them with its bytes.
    pub(crate) fn version(&mut self, key: &str, id: u32) -> Result<(Version, Vec<u8>), Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(unknown_loop)?;
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        let version = self.journal.version(of, i64::from(id)).map_err(Failure::own_data)?;
        version.ok_or_else(|| Failure::new(FailureKind::UnknownVersion))
    }

    /// The newest versions with their bytes, newest first: at most `limit`, and at most [`COMPARED_BYTES`] together.
    pub(crate) fn versions_with_bytes(
        &mut self,
        key: &str,
        limit: u32,
    ) -> Result<Vec<(VersionView, Vec<u8>)>, Failure> {
        let mut found = Vec::new();
        let mut bytes = 0.0;
        for version in self.history(key, limit)?.into_iter().filter(|version| version.readable) {
            bytes += version.size;
            if bytes > COMPARED_BYTES {
                break;
            }
            // One that was pruned meanwhile is simply not there.
            if let Ok((_, text)) = self.version(key, version.id) {
                found.push((version, text));
            }
        }
        Ok(found)
    }

    /// Kept versions of a companion, newest first: what we wrote there and what that replaced. Foreign writes are kept only as far as that.
    pub(crate) fn companion_history(
        &mut self,
        key: &str,
        file: &str,
        limit: u32,
    ) -> Result<Vec<VersionView>, Failure> {
        let (_, root, _) = self.locate(key).ok_or_else(unknown_loop)?;
        self.resolve_writes(&root);
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file };
        let mut bytes = Vec::new();
        let here = files::read(&root, &root.join(file), &mut bytes).ok();
        let here = here.map(|_| (loopdeck_system::hash::hash(&bytes), bytes.len() as u64));
        let versions = self.journal.versions(of, limit.min(HISTORY_LIMIT)).map_err(Failure::own_data)?;
        // What is kept as nothing was no file then.
        let there = versions.iter().filter(|version| version.readable);
        let current = versions.iter().find(|one| one.readable && Some((one.hash, one.size)) == here);
        Ok(there.map(|one| view(one, current.is_some_and(|current| current.id == one.id))).collect())
    }

    /// One of them with its bytes.
    pub(crate) fn companion_version(&mut self, key: &str, file: &str, id: u32) -> Result<Vec<u8>, Failure> {
        let (_, root, _) = self.locate(key).ok_or_else(unknown_loop)?;
        let workspace = root.to_string_lossy();
        let version = self.journal.version(LoopRef { workspace: &workspace, file }, i64::from(id));
        let version =
            version.map_err(Failure::own_data)?.ok_or_else(|| Failure::new(FailureKind::UnknownVersion))?;
        Ok(version.1)
    }

    /// What a damaged loop said last, taken from the journal into memory.
    pub(crate) fn recall_good(&mut self, key: &str) -> Result<Option<Arc<[u8]>>, Failure> {
        let (_, root, candidate) = self.locate(key).ok_or_else(unknown_loop)?;
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        let Ok(Some((version, bytes))) = self.journal.newest_readable(of) else { return Ok(None) };
        let bytes: Arc<[u8]> = bytes.into();
        let kept = Arc::clone(&bytes);
        self.write_catalog(|catalog| catalog.last_good.keep(&key.into(), kept, version.at));
        Ok(Some(bytes))
    }

    /// The summary of what a damaged loop said last.
    pub(crate) fn good_of(&mut self, entry: &Entry) -> Option<Summary> {
        let bytes = self.recall_good(&entry.key()).ok()??;
        let now = clock::now();
        let facts = FileFacts { stem: entry.candidate.stem(), modified: now, now };
        loops::summary(entry.candidate.place, &bytes, &facts)
    }

    // --- putting back ---------------------------------------------------------------------------------------------

    /// Overwrites the current content with an older version.
    pub(crate) fn restore(&mut self, key: &str, id: u32) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        let (version, bytes) = self.version(key, id)?;
        let put = PutBack { word: RESTORE, bytes, readable: version.readable, over: None, ends: true };
        let moment = self.moment();
        self.put_back(&entry, &put, moment)
    }

    pub(crate) fn put_back(&mut self, entry: &Entry, put: &PutBack, moment: Moment) -> Result<(), Failure> {
        let situation = entry.situation(moment.at);
        let written = self.write(entry, &Change::PutBack(put), &situation, moment.group);
        written.map_err(|unwritten| unwritten.failure)?;
        let key = entry.key();
        if put.ends {
            // The request behind what was undone must not be sent again; the journal ended it together with the write.
            self.unguard(&key);
            self.show_request(&key, None);
        }
        self.look_now(&key);
        Ok(())
    }
}

/// Which version `file` has when it has these bytes; without bytes, also when there is no file.
pub(crate) fn fingerprint_if_unchanged(root: &Path, file: &str, bytes: &[u8]) -> Option<Fingerprint> {
    let mut there = Vec::new();
    match files::read(root, &root.join(layout::on_disk(file)), &mut there) {
        Ok(stamp) => (there == bytes).then_some(stamp),
        Err(_) if !bytes.is_empty() => None,
        Err(fault) if fault.is_gone() => Some(Fingerprint::GONE),
        Err(fault) => fault.stamp.filter(|_| fault.is_empty()),
    }
}

/// As the timeline takes it; what a later version noted is left out.
fn note_of(recorded: &journal::Recorded) -> Option<Note> {
    let cause = from_word(&recorded.word);
    let what = match recorded.kind.as_str() {
        "requested" => {
            let outcome = recorded.state.as_deref().and_then(from_word);
            Noted::Requested { cause, outcome, ended: recorded.ended }
        }
        "write" => Noted::Written { cause, state: recorded.state.as_deref().and_then(from_word) },
        "deleted" => Noted::Deleted,
        "asked" => Noted::AskedAcross { cause },
        "answered" => Noted::AnsweredAcross { cause, refused: recorded.state.clone() },
        _ => return None,
    };
    let (file, beside) = (recorded.file.clone(), recorded.beside.clone());
    Some(Note { number: recorded.number, at: recorded.at, file, beside, asker: recorded.asker.clone(), what })
}

fn note_of_message(message: LoopMessage, file: &str) -> Note {
    let LoopMessage { id, at, by, about, text, delivered } = message;
    let text = if about.is_empty() { text } else { format!("{about}: {text}") };
    let what = Noted::Message { text, by, delivered: delivered.map(|(_, at)| at) };
    // Below those of the other records, which count from 1.
    Note { number: -id, at, file: file.to_owned(), beside: Vec::new(), asker: None, what }
}

fn kept_version(version: &Version, view: &VersionView) -> KeptVersion {
    let VersionView { id, who, cause, .. } = *view;
    KeptVersion { id, at: version.at, who, cause, note: version.event, asker: version.asker.clone() }
}

#[allow(clippy::cast_precision_loss)] // sizes and times are exact in f64
fn view(version: &Version, current: bool) -> VersionView {
    let word = version.word.as_deref().filter(|_| version.who == Writer::Ours);
    VersionView {
        id: number(version.id),
        at: version.at.number(),
        who: if version.who == Writer::Ours { VersionWriter::Ours } else { VersionWriter::Foreign },
        cause: word.and_then(from_word),
        size: version.size as f64,
        current,
        readable: version.readable,
        asker: version.asker.clone(),
    }
}

/// The journal counts from one and never reaches the end of this.
pub(crate) fn number(id: i64) -> u32 {
    u32::try_from(id).unwrap_or(0)
}

fn unknown_loop() -> Failure {
    Failure::new(FailureKind::UnknownLoop)
}
