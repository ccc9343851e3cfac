//! Writing the files beside a loop: progress texts, logs, side files, the task list. As guarded, recorded and undoable
//! as the state file itself.

use crate::catalog::Entry;
use crate::clock;
use crate::files::{self, ReplaceFault};
use crate::journal::{Ask, LoopRef, Plan, PlanFault};
use crate::owner::{NEVER, Owner};
use crate::rows::{Failure, FailureKind};
use crate::stamp::Stamp;
use loopdeck_core::ccw::drive::{FileWrite, WriteHow};
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::times::Millis;
use std::path::Path;
use std::time::Duration;

/// As for the state file: a file that changes under every try is reported.
const TRIES: u32 = 5;

/// One file beside a loop, and what a write to it is for.
pub(crate) struct Beside<'a> {
    pub(crate) root: &'a Path,
    pub(crate) entry: &'a Entry,
    /// Below the workspace.
    pub(crate) file: &'a str,
    /// For the journal.
    pub(crate) word: &'static str,
    /// Writes that belong together have one time.
    pub(crate) at: Millis,
}

enum BesideFault {
    Again,
    Failed(Failure),
}

impl From<Failure> for BesideFault {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What stands there, `None` when there is no such file.
struct There {
    bytes: Option<Vec<u8>>,
    modified: Millis,
}

impl Owner {
    /// Writes what an operation says beside the state file, in order.
    pub(crate) fn write_all_beside(
        &mut self,
        root: &Path,
        entry: &Entry,
        texts: &[FileWrite],
        word: &'static str,
        at: Millis,
    ) -> Result<(), Failure> {
        for text in texts {
            let file = below_folder_of(entry, &text.file);
            let beside = Beside { root, entry, file: &file, word, at };
            self.write_beside(&beside, |there| Ok(added(there, text)))?;
        }
        Ok(())
    }

    /// Writes what `make` makes of one file; again on the newer bytes when somebody else writes in between.
    pub(crate) fn write_beside(
        &mut self,
        beside: &Beside<'_>,
        make: impl Fn(Option<&[u8]>) -> Result<Vec<u8>, Failure>,
    ) -> Result<(), Failure> {
        for attempt in 0..TRIES {
            match self.write_beside_once(beside, &make) {
                Ok(stamp) => {
                    self.note_own_companion(beside.entry, stamp);
                    return Ok(());
                }
                Err(BesideFault::Again) => std::thread::sleep(Duration::from_millis(1 << attempt)),
                Err(BesideFault::Failed(failure)) => return Err(failure),
            }
        }
        Err(Failure::new(FailureKind::Contended).with("path", beside.file))
    }

    fn write_beside_once(
        &mut self,
        beside: &Beside<'_>,
        make: &impl Fn(Option<&[u8]>) -> Result<Vec<u8>, Failure>,
    ) -> Result<Stamp, BesideFault> {
        let there = read(beside.root, beside.file, beside.at)?;
        let after = make(there.bytes.as_deref())?;
        let before = there.bytes.as_deref().unwrap_or_default();
        let workspace = beside.root.to_string_lossy();
        let plan = Plan {
            of: LoopRef { workspace: &workspace, file: beside.file },
            word: beside.word,
            ask: Ask::None,
            before: (before, there.modified, true),
            after: (&after, true),
            life: NEVER,
            at: beside.at,
        };
        let planned = self.journal.plan(&plan).map_err(|fault| match fault {
            PlanFault::NotRecorded(error) => Failure::new(FailureKind::OwnData).with("reason", error),
            PlanFault::NoSnapshot(error) => Failure::new(FailureKind::NoUndo).with("reason", error),
        })?;
        let path = beside.root.join(beside.file);
        let written = match &there.bytes {
            Some(before) => files::replace(&path, before, &after).map(|replaced| replaced.stamp),
            None => files::create(beside.root, &path, &after),
        };
        match written {
            Ok(stamp) => {
                let _ = self.journal.landed(&planned, stamp); // should the note fail, the bytes tell the next look
                Ok(stamp)
            }
            Err(ReplaceFault::Changed(_)) => {
                let _ = self.journal.lost(&planned);
                Err(BesideFault::Again)
            }
            Err(ReplaceFault::Io(error)) => {
                self.resolve_writes(beside.root);
                let failure = Failure::new(FailureKind::Disk).with("path", beside.file);
                Err(failure.with("reason", error).into())
            }
        }
    }

    /// What we write beside a loop is no sign of life of anybody else.
    fn note_own_companion(&mut self, entry: &Entry, stamp: Stamp) {
        let key = entry.key();
        let known = self.read_catalog(|catalog| catalog.get(&key).cloned());
        let changed = stamp.modified_ms().min(clock::now());
        if let Some(mut entry) = known.filter(|known| known.companion_change < changed) {
            entry.companion_change = changed;
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }
}

/// Path below the workspace of a file that stands beside the state file.
pub(crate) fn below_folder_of(entry: &Entry, file: &str) -> String {
    let folder = entry.candidate.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}

fn added(there: Option<&[u8]>, text: &FileWrite) -> Vec<u8> {
    match &text.how {
        WriteHow::Replace => text.text.clone().into_bytes(),
        WriteHow::Append { begin } => {
            let mut bytes = there.map_or_else(|| begin.clone().into_bytes(), <[u8]>::to_vec);
            bytes.extend_from_slice(text.text.as_bytes());
            bytes
        }
    }
}

fn read(root: &Path, file: &str, now: Millis) -> Result<There, Failure> {
    let mut bytes = Vec::new();
    match files::read(root, &root.join(file), &mut bytes) {
        Ok(stamp) => Ok(There { bytes: Some(bytes), modified: stamp.modified_ms() }),
        Err(fault) if fault.is_gone() => Ok(There { bytes: None, modified: now }),
        // An empty file is one to begin in.
        Err(fault)
            if fault.code == ProblemCode::F5_being_written
                && fault.stamp.is_some_and(|stamp| stamp.size == 0) =>
        {
            Ok(There { bytes: Some(Vec::new()), modified: now })
        }
        Err(fault) => {
            let reason = fault.args.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ");
            Err(Failure::new(FailureKind::Unreadable).with("path", file).with("reason", reason))
        }
    }
}
