//! What is to be written, and what that makes of the newest bytes of a file. Nothing is recorded or touched yet.

use crate::observe::catalog::Entry;
use crate::observe::companions;
use crate::observe::roots::Candidate;
use crate::store::journal::RequestLink;
use crate::store::judging::RepeatedRequest;
use crate::store::replaced_versions::LateWrite;
use crate::views::{Failure, FailureKind};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::outcome::FileWrite;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::Companion;
use loopdeck_execution::work::PreparedStep;
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use std::path::Path;

/// What is to be written.
pub(crate) enum Change<'a> {
    /// What an intent makes of the newest bytes.
    Carry(&'a Intent, RequestLink<'a>),
    /// A request that another writer undid.
    Again(RepeatedRequest<'a>),
    /// An older version.
    PutBack(&'a PutBack),
    /// What was written into a version that we had replaced, with our intents on top.
    Late(&'a LateWrite),
}

impl Change<'_> {
    /// What we meant, for writers that still write into the version below.
    pub(super) fn intents(&self) -> Vec<Intent> {
        match self {
            Change::Carry(intent, _) | Change::Again(RepeatedRequest { intent, .. }) => {
                vec![(*intent).clone()]
            }
            Change::PutBack(_) => Vec::new(),
            Change::Late(late) => late.intents.clone(),
        }
    }
}

/// An older version to be written.
pub(crate) struct PutBack {
    /// [`journal::UNDO`] or `restore`.
    pub(crate) word: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) readable: bool,
    /// Only over these bytes.
    pub(crate) over: Option<Vec<u8>>,
    /// Whether the request behind what stood there ends with it.
    pub(crate) ends: bool,
}

/// The old and the new bytes.
pub(super) struct Draft {
    pub(super) before: Vec<u8>,
    /// The version that was read; nothing for an emptied file.
    pub(super) stamp: Option<Fingerprint>,
    pub(super) modified: Timestamp,
    pub(super) readable: bool,
    pub(super) after: Vec<u8>,
    /// The new content can be read as a loop.
    pub(super) stays_readable: bool,
    pub(super) beside: Vec<FileWrite>,
}

impl Draft {
    /// A step that changes nothing is neither written nor recorded.
    pub(super) fn changes_nothing(&self) -> bool {
        self.before == self.after && self.beside.is_empty()
    }
}

/// Why nothing was written.
pub(super) enum WriteFault {
    Again,
    /// The file isn't there. Some programs remove a file before they write it, such as `git checkout`.
    Missing(Failure),
    Failed(Failure),
}

impl From<Failure> for WriteFault {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Reads the current content and makes the new one.
pub(super) fn draft(
    root: &Path,
    entry: &Entry,
    change: &Change<'_>,
    situation: &Situation,
    made: Option<PreparedStep>,
) -> Result<Draft, WriteFault> {
    let candidate = &entry.candidate;
    let (before, stamp) = read_current(root, candidate, change)?;
    let modified = stamp.map_or(situation.now, Fingerprint::modified);
    if let Some(made) = made.filter(|made| made.before == before) {
        let (after, beside) = (made.after, Vec::new());
        return Ok(Draft { before, stamp, modified, readable: true, after, stays_readable: true, beside });
    }
    let facts = FileFacts { stem: candidate.stem(), modified, now: situation.now };
    let (of_row, _) = companions::of_row(root, candidate, &before);
    let summary = loops::summary_with(candidate.place, &before, &facts, &of_row);
    let readable = summary.as_ref().is_some_and(|summary| summary.status != FileStatus::Unreadable);
    let was_readable = entry.summary.status != FileStatus::Unreadable;
    let is_aot = candidate.place == Place::AotFile;
    if is_aot
        && !readable
        && was_readable
        && matches!(change, Change::Carry(Intent::Stop { .. } | Intent::Pause, _))
    {
        // A script is writing it: a flag in half a file is soon lost.
        return Err(WriteFault::Again);
    }
    let read = (&before[..], &facts, summary, of_row);
    let (after, beside) = apply(root, candidate, change, situation, read)?;
    let stays_readable = readable || candidate.is_readable(&after);
    Ok(Draft { before, stamp, modified, readable, after, stays_readable, beside })
}

/// What stands in the file, and its version; no version for an emptied file that an older version replaces.
fn read_current(
    root: &Path,
    candidate: &Candidate,
    change: &Change<'_>,
) -> Result<(Vec<u8>, Option<Fingerprint>), WriteFault> {
    let mut before = Vec::new();
    match files::read(root, &root.join(candidate.on_disk()), &mut before) {
        Ok(stamp) => Ok((before, Some(stamp))),
        // An emptied file is damage that an older version heals.
        Err(fault) if fault.is_empty() && matches!(change, Change::PutBack(_)) => Ok((before, None)),
        Err(fault) if fault.code == ProblemCode::F5_being_written => Err(WriteFault::Again),
        Err(fault) => {
            let failure = Failure::new(FailureKind::Unreadable).with("path", &candidate.file);
            let failure = failure.with("reason", fault.reason());
            Err(if fault.is_gone() { WriteFault::Missing(failure) } else { failure.into() })
        }
    }
}

/// The bytes that a change makes of those `before` it, and the files next to them that change too.
fn apply(
    root: &Path,
    candidate: &Candidate,
    change: &Change<'_>,
    situation: &Situation,
    (before, facts, summary, of_row): (&[u8], &FileFacts<'_>, Option<Summary>, Vec<Companion>),
) -> Result<(Vec<u8>, Vec<FileWrite>), Failure> {
    let changed_since = || Failure::new(FailureKind::ChangedSince).with("path", &candidate.file);
    match change {
        Change::Again(again) if !summary.as_ref().is_some_and(|summary| again.goes_over(summary, before)) => {
            Err(changed_since())
        }
        Change::Carry(intent, _) | Change::Again(RepeatedRequest { intent, .. }) => {
            let summary = summary.ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
            let companions = if loops::reads_companions(intent) {
                companions::companions(root, candidate)
            } else {
                of_row
            };
            let carried =
                loops::carry_out_with_companions(&summary, before, facts, intent, situation, &companions)?;
            Ok((carried.bytes, carried.beside))
        }
        Change::PutBack(put) if put.over.as_ref().is_some_and(|over| over != before) => Err(changed_since()),
        Change::PutBack(put) => Ok((put.bytes.clone(), Vec::new())),
        Change::Late(late) if late.ours != before => Err(changed_since()),
        Change::Late(late) => Ok((apply_all(candidate, late, situation), Vec::new())),
    }
}

/// The late bytes after all our intents; those that are no longer legal on them are left out.
fn apply_all(candidate: &Candidate, late: &LateWrite, situation: &Situation) -> Vec<u8> {
    let facts = FileFacts { stem: candidate.stem(), modified: situation.now, now: situation.now };
    let mut bytes = late.bytes.clone();
    for intent in &late.intents {
        let Some(summary) = loops::summary(candidate.place, &bytes, &facts) else { break };
        if let Ok(carried) = loops::carry_out(&summary, &bytes, &facts, intent, situation) {
            bytes = carried.bytes;
        }
    }
    bytes
}
