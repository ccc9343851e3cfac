//! Writes the companions of a loop: progress texts, logs, side files, the task list. As guarded, recorded and undoable as the state file
//! itself.

use crate::observe::catalog::{Entry, LoopId};
use crate::observe::roots::{self, Candidate};
use crate::store::journal::{LoopRef, Plan, Planned, RequestLink, StepText};
use crate::store::replaced_versions::{Exchanged, LATE, LateWrite};
use crate::store::workspace_store::{Moment, NEVER, WorkspaceStore};
use crate::views::{Failure, FailureKind};
use loopdeck_core::layout;
use loopdeck_core::outcome::FileWrite;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::times::Timestamp;
use loopdeck_system::files;
use loopdeck_system::files::{Addition, ReplaceFault, TakenBack};
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::hash::hash;
use loopdeck_system::logged::Logged as _;
use std::io;
use std::path::Path;
use std::time::Duration;

/// As for the state file: a file that changes under every try is reported.
const TRIES: u32 = 5;

/// One companion of a loop, and what a write to it is for.
pub(crate) struct CompanionWrite<'a> {
    pub(crate) root: &'a Path,
    pub(crate) entry: &'a Entry,
    /// Below the workspace.
    pub(crate) file: &'a str,
    /// For the journal.
    pub(crate) word: &'static str,
    /// When, and the group of what is undone with it.
    pub(crate) moment: Moment,
}

/// What a file says; `None` when there is no such file. The journal keeps that as nothing that cannot be read.
pub(crate) type Content = Option<Vec<u8>>;

enum CompanionFault {
    Again,
    Failed(Failure),
}

impl From<Failure> for CompanionFault {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// How a write came about.
enum Put {
    /// What was planned is what the file says.
    AsPlanned(Fingerprint),
    /// Others have added as well since it was planned.
    BehindOthers(Addition),
}

/// Its content, and since when.
struct CurrentContent {
    content: Content,
    modified: Timestamp,
}

impl WorkspaceStore {
    /// Writes what an operation adds next to the state file, in order.
    pub(crate) fn write_companions(
        &mut self,
        root: &Path,
        entry: &Entry,
        texts: &[FileWrite],
        word: &'static str,
        moment: Moment,
    ) -> Result<(), Failure> {
        for text in texts {
            let file = below_folder_of(entry, &text.file);
            let beside = CompanionWrite { root, entry, file: &file, word, moment };
            self.write_companion(&beside, |there| written_over(text, there))?;
        }
        Ok(())
    }

    /// Writes what `make` makes of one file; again on the newer bytes when another program writes in between.
    pub(crate) fn write_companion(
        &mut self,
        beside: &CompanionWrite<'_>,
        make: impl Fn(Option<&[u8]>) -> Result<Content, Failure>,
    ) -> Result<(), Failure> {
        for attempt in 0..TRIES {
            match self.write_companion_once(beside, &make) {
                Ok(()) => return Ok(()),
                Err(CompanionFault::Again) => std::thread::sleep(Duration::from_millis(1 << attempt)),
                Err(CompanionFault::Failed(failure)) => return Err(failure),
            }
        }
        Err(Failure::new(FailureKind::Contended).with("path", beside.file))
    }

    fn write_companion_once(
        &mut self,
        beside: &CompanionWrite<'_>,
        make: &impl Fn(Option<&[u8]>) -> Result<Content, Failure>,
    ) -> Result<(), CompanionFault> {
        self.check_fence(beside.root)?;
        let there = match read(beside.root, beside.file, beside.moment.at) {
            Err(failure) if failure.kind == FailureKind::Contended => return Err(CompanionFault::Again),
            read => read?,
        };
        let after = make(there.content.as_deref())?;
        if after == there.content {
            return Ok(());
        }
        let planned = self.plan_companion(beside, &there, after.as_deref())?;
        let put = match (&there.content, &after) {
            (Some(old), Some(new)) if new.starts_with(old) => self.add_to_companion(beside, (old, new), make),
            _ => self.put_companion(beside, there.content, after.clone()).map(Put::AsPlanned),
        };
        match put {
            Ok(Put::AsPlanned(stamp)) => {
                self.journal
                    .mark_landed(&planned, stamp)
                    .logged("a write that landed is not recorded as such"); // should the note fail, the bytes tell the next look
                self.note_own_companion(beside, stamp);
                Ok(())
            }
            Ok(Put::BehindOthers(added)) => {
                self.note_added(beside, &planned, &added);
                Ok(())
            }
            Err(ReplaceFault::Changed(taken_back)) => {
                // Ours was in place for a moment: another program may have opened it.
                if let (Some(TakenBack { file, there }), Some(old)) = (taken_back, after) {
                    let exchanged = Exchanged { former: file, old, new: there };
                    self.replaced_companions.keep_companion(&companion_key(beside), exchanged);
                }
                self.journal.mark_lost(&planned).logged("a write that was lost is not recorded as such");
                Err(CompanionFault::Again)
            }
            Err(ReplaceFault::Io(error)) => {
                self.resolve_writes(beside.root);
                let failure = Failure::new(FailureKind::Disk).with("path", beside.file);
                Err(failure.with("reason", error).into())
            }
        }
    }

    /// Appends what `new` has after `old` to the file itself: a program that has it open continues to write into it.
    fn add_to_companion(
        &mut self,
        beside: &CompanionWrite<'_>,
        (old, new): (&[u8], &[u8]),
        make: &impl Fn(Option<&[u8]>) -> Result<Content, Failure>,
    ) -> Result<Put, ReplaceFault> {
        let more = |there: &[u8]| {
            let made = make(Some(there)).ok()??;
            made.strip_prefix(there).map(<[u8]>::to_vec)
        };
        let added = match files::append(beside.root, &beside.root.join(beside.file), more) {
            // May not be written into, but replaced.
            Err(ReplaceFault::Io(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
                let (old, new) = (Some(old.to_vec()), Some(new.to_vec()));
                return self.put_companion(beside, old, new).map(Put::AsPlanned);
            }
            added => added?,
        };
        self.replaced_companions.note_grown(&companion_key(beside), &added.before, &added.after);
        let as_planned = added.before == old && added.after == new;
        Ok(if as_planned { Put::AsPlanned(added.stamp) } else { Put::BehindOthers(added) })
    }

    /// The journal has the actual content, so that an undo takes back our part and nothing else.
    fn note_added(&mut self, beside: &CompanionWrite<'_>, meant: &Planned, added: &Addition) {
        let there = CurrentContent { content: Some(added.before.clone()), modified: beside.moment.at };
        if let Ok(planned) = self.plan_companion(beside, &there, Some(&added.after)) {
            self.journal
                .mark_landed(&planned, added.stamp)
                .logged("a write that landed is not recorded as such");
        }
        self.journal.mark_lost(meant).logged("a write that was lost is not recorded as such");
        self.note_own_companion(beside, added.stamp);
    }

    fn plan_companion(
        &mut self,
        beside: &CompanionWrite<'_>,
        there: &CurrentContent,
        after: Option<&[u8]>,
    ) -> Result<Planned, Failure> {
        let workspace = beside.root.to_string_lossy();
        let before = there.content.as_deref();
        let plan = Plan {
            of: LoopRef { workspace: &workspace, file: beside.file },
            word: beside.word,
            ask: RequestLink::None,
            before: (before.unwrap_or_default(), there.modified, before.is_some()),
            after: (after.unwrap_or_default(), after.is_some()),
            life: NEVER,
            at: beside.moment.at,
            group: beside.moment.group,
        };
        self.journal.plan(&plan).map_err(Failure::from)
    }

    fn put_companion(
        &mut self,
        beside: &CompanionWrite<'_>,
        before: Content,
        after: Content,
    ) -> Result<Fingerprint, ReplaceFault> {
        let path = beside.root.join(beside.file);
        match (before, after) {
            (Some(before), Some(after)) => {
                let replaced = files::replace(beside.root, &path, &before, &after)?;
                let exchanged = Exchanged { former: replaced.former, old: before, new: after };
                self.replaced_companions.keep_companion(&companion_key(beside), exchanged);
                Ok(replaced.stamp)
            }
            (None, Some(after)) => files::create(beside.root, &path, &after),
            (Some(before), None) => {
                files::remove(beside.root, &path, &before)?;
                if let Some(folder) = path.parent().filter(|folder| is_list_folder(beside, folder)) {
                    let _ = std::fs::remove_dir(folder); // it stays when anything is in it
                }
                Ok(Fingerprint::GONE)
            }
            (None, None) => Ok(Fingerprint::GONE),
        }
    }

    /// What we write next to a loop is not a sign of life of another program; an open page is out of date.
    fn note_own_companion(&mut self, beside: &CompanionWrite<'_>, stamp: Fingerprint) {
        self.own_writes.note(&companion_key(beside), stamp, NEVER);
        let key = beside.entry.key();
        self.write_catalog(|catalog| {
            if let Some(entry) = catalog.get(&key).cloned() {
                catalog.put(entry);
            }
        });
    }

    /// Whether a file of the workspace `id` is as we wrote it.
    pub(crate) fn is_ours(&self, id: &str, file: &str, stamp: Fingerprint) -> bool {
        self.own_writes.made_version(&LoopId::new(id, file), Some(stamp))
    }

    /// What other programs wrote into companions that we had replaced is added to the newest version.
    pub(crate) fn take_up_late_companions(&mut self) {
        let mut found = std::mem::take(&mut self.late_companions);
        found.extend(self.replaced_companions.take_late_writes(|_, _| true));
        for late in found {
            let Some((id, file)) = loopdeck_core::loop_id::split(&late.key) else { continue };
            let root =
                self.read_catalog(|catalog| catalog.workspace(id).map(|workspace| workspace.path.clone()));
            let Some(root) = root else { continue };
            let of = roots::candidate_of(&root, &root.join(file));
            let entry = of.and_then(|candidate| self.entry(&LoopId::new(id, &candidate.file)).ok());
            let Some(entry) = entry else { continue };
            let moment = self.moment();
            let beside = CompanionWrite { root: &root, entry: &entry, file, word: LATE, moment };
            let done = self.write_companion(&beside, |there| Ok(with_late(there, &late)));
            // Others are faster now: tried again soon. On a disk in trouble the text is lost.
            if done.is_err_and(|failure| failure.kind == FailureKind::Contended) {
                self.late_companions.push(late);
            }
        }
    }
}

/// What a file says with `text`.
pub(crate) fn written_over(text: &FileWrite, there: Option<&[u8]>) -> Result<Content, Failure> {
    if text.fits(there) {
        return Ok(Some(text.onto(there)));
    }
    Err(Failure::new(FailureKind::ChangedSince).with("path", &text.file))
}

/// Whether `folder` is the one that the task list of the loop is made in.
fn is_list_folder(beside: &CompanionWrite<'_>, folder: &Path) -> bool {
    folder.file_name().and_then(|name| name.to_str()) == Some(beside.entry.candidate.stem())
}

fn companion_key(beside: &CompanionWrite<'_>) -> LoopId {
    LoopId::new(&beside.entry.workspace, beside.file)
}

/// The current content, with what was written into a version below it.
fn with_late(there: Option<&[u8]>, late: &LateWrite) -> Content {
    let there = there?;
    let LateWrite { bytes, ours, base, .. } = late;
    match bytes.strip_prefix(base.as_slice()) {
        Some(more) if !base.is_empty() => Some([there, more].concat()),
        // A text of its own: with what we had added to the one below it, unless another write has replaced both.
        _ if there == ours => {
            let added = ours.strip_prefix(base.as_slice()).filter(|_| !base.is_empty());
            Some([bytes, added.unwrap_or_default()].concat())
        }
        _ => Some(there.to_vec()),
    }
}

/// Path below the workspace of a file next to the state file.
pub(crate) fn below_folder_of(entry: &Entry, file: &str) -> String {
    below_folder(&entry.candidate, file)
}

/// The same for a state file that is not in the catalog, or no longer is.
pub(crate) fn below_folder(candidate: &Candidate, file: &str) -> String {
    layout::beside_path(&candidate.file, file)
}

/// Whether all of `texts` can be written: said before anything is touched. The texts with what is there before them.
pub(crate) fn check_all(
    root: &Path,
    entry: &Entry,
    texts: &[FileWrite],
    now: Timestamp,
) -> Result<Vec<StepText>, Failure> {
    let mut checked = Vec::new();
    for text in texts {
        let file = below_folder_of(entry, &text.file);
        let there = match read(root, &file, now) {
            Ok(there) => there.content,
            Err(failure) if failure.kind == FailureKind::Contended => None, // read again when it is written
            Err(failure) => return Err(failure),
        };
        checked.push(StepText { write: text.clone(), was: there.as_deref().map(hash) });
        files::takes_files(root, &root.join(&file))
            .map_err(|error| Failure::new(FailureKind::Disk).with("path", &file).with("reason", error))?;
    }
    Ok(checked)
}

/// What `file` says now.
pub(crate) fn content(root: &Path, file: &str) -> Result<Content, Failure> {
    read(root, file, NEVER).map(|there| there.content)
}

fn read(root: &Path, file: &str, now: Timestamp) -> Result<CurrentContent, Failure> {
    let mut bytes = Vec::new();
    match files::read(root, &root.join(layout::on_disk(file)), &mut bytes) {
        Ok(stamp) => Ok(CurrentContent { content: Some(bytes), modified: stamp.modified() }),
        Err(fault) if fault.is_gone() => Ok(CurrentContent { content: None, modified: now }),
        Err(fault) if fault.is_empty() => Ok(CurrentContent { content: Some(Vec::new()), modified: now }),
        // It is being written.
        Err(fault) if fault.code == ProblemCode::F5_being_written => {
            Err(Failure::new(FailureKind::Contended).with("path", file))
        }
        Err(fault) => {
            Err(Failure::new(FailureKind::Unreadable).with("path", file).with("reason", fault.reason()))
        }
    }
}
