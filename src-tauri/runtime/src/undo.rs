//! Undo: our last write and what belongs to it go back together, unless somebody else wrote since.

use crate::beside::{self, Beside, Content, below_folder};
use crate::catalog::Entry;
use crate::journal::{LastWrite, LoopRef, UNDO, Version};
use crate::owner::Owner;
use crate::roots::Candidate;
use crate::rows::{Failure, FailureKind};
use crate::runs::LoopKey;
use crate::write::PutBack;
use loopdeck_core::control::Situation;
use loopdeck_core::times::Millis;
use std::path::Path;

impl Owner {
    /// Puts back what was there before our last write and what belongs to it, unless somebody else wrote since.
    pub(crate) fn undo(&mut self, key: &str) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        let root = self.root_of(key)?;
        self.resolve_writes(&root);
        let (of, beside) = group_names(&root, &entry.candidate);
        let last = self.journal.last_group((&of).into(), &beside).map_err(Failure::own_data)?;
        let group = self.taken_up(&root, last)?;
        if group.is_empty() {
            return Err(Failure::new(FailureKind::NothingToUndo).with("path", &entry.candidate.file));
        }
        // All or none: what somebody else wrote since stays, and with it the rest.
        for taken in &group {
            taken.check(&root)?;
        }
        let situation = entry.situation(self.moment());
        for taken in group {
            let done = self.put_back_taken(&root, &entry, &taken, true, &situation);
            if done.is_err() {
                self.take_back(&root, &entry, situation.now);
                return done;
            }
        }
        Ok(())
    }

    /// Takes back the writes made at `at`: they belong to something that could not be done whole. What somebody else
    /// wrote over since stays.
    pub(crate) fn take_back(&mut self, root: &Path, entry: &Entry, at: Millis) {
        let (of, beside) = group_names(root, &entry.candidate);
        let writes = self.journal.group_of((&of).into(), &beside, at).unwrap_or_default();
        let Ok(group) = self.taken_up(root, writes) else { return };
        let situation = entry.situation(self.moment());
        for taken in &group {
            if self.put_back_taken(root, entry, taken, false, &situation).is_ok() {
                let back = self.journal.group_of((&of).into(), &beside, situation.now).unwrap_or_default();
                for write in back.iter().chain([&taken.write]).filter(|write| write.file == taken.write.file)
                {
                    let _ = self.journal.taken_back(write); // else it can be undone by hand
                }
            }
        }
    }

    /// Of each file the last of these writes, with what it replaced and what it wrote.
    fn taken_up(&mut self, root: &Path, writes: Vec<LastWrite>) -> Result<Vec<TakenUp>, Failure> {
        let workspace = root.to_string_lossy();
        let mut newest: Vec<LastWrite> = Vec::new();
        for write in writes {
            newest.retain(|other| other.file != write.file);
            newest.push(write);
        }
        let mut group = Vec::new();
        for write in newest {
            let nothing = || Failure::new(FailureKind::NothingToUndo).with("path", &write.file);
            let of = LoopRef { workspace: &workspace, file: &write.file };
            let mut kept = |id| self.journal.version(of, id).map_err(Failure::own_data)?.ok_or_else(nothing);
            let (before, after) = (kept(write.before)?, kept(write.after)?);
            group.push(TakenUp { write, before, after });
        }
        Ok(group)
    }

    fn put_back_taken(
        &mut self,
        root: &Path,
        entry: &Entry,
        taken: &TakenUp,
        ends: bool,
        situation: &Situation,
    ) -> Result<(), Failure> {
        let file = taken.write.file.as_str();
        if file == entry.candidate.file {
            let (version, bytes) = taken.before.clone();
            let over = Some(taken.after.1.clone());
            let put = PutBack { word: UNDO, bytes, readable: version.readable, over, ends };
            return self.put_back(entry, &put, situation);
        }
        let beside = Beside { root, entry, file, word: UNDO, at: situation.now };
        self.write_beside(&beside, |there| {
            if there == content_of(&taken.after).as_deref() {
                Ok(content_of(&taken.before))
            } else {
                Err(Failure::new(FailureKind::ChangedSince).with("path", file))
            }
        })
    }
}

/// A write that is to be taken back.
struct TakenUp {
    write: LastWrite,
    /// What was there before.
    before: (Version, Vec<u8>),
    /// What must be there now.
    after: (Version, Vec<u8>),
}

impl TakenUp {
    /// Whether nobody else wrote since.
    fn check(&self, root: &Path) -> Result<(), Failure> {
        match beside::content(root, &self.write.file) {
            Ok(there) if there.as_deref().unwrap_or_default() == self.after.1 => Ok(()),
            _ => Err(Failure::new(FailureKind::ChangedSince).with("path", &self.write.file)),
        }
    }
}

/// What a version of a file beside a loop says; nothing that cannot be read stands for no file.
fn content_of((version, bytes): &(Version, Vec<u8>)) -> Content {
    (version.readable || !bytes.is_empty()).then(|| bytes.clone())
}

/// The loop, and where the files beside it are.
pub(crate) fn group_names(root: &Path, candidate: &Candidate) -> (LoopKey, [String; 4]) {
    let stem = candidate.stem();
    let beside = [".tasks.jsonl", ".progress/", ".workers/", "/"];
    let beside = beside.map(|ending| below_folder(candidate, &format!("{stem}{ending}")));
    let of = LoopKey { workspace: root.to_string_lossy().into_owned(), file: candidate.file.clone() };
    (of, beside)
}
