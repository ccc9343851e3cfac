//! Undo: our last write and what belongs to it are reversed together, unless another program wrote since.

use crate::observe::catalog::Entry;
use crate::observe::roots::Candidate;
use crate::store::companion_writes::{self, CompanionWrite, Content, below_folder};
use crate::store::draft::PutBack;
use crate::store::journal::{LastWrite, LoopRef, UNDO, UndoGroup, Version};
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::{Failure, FailureKind};
use loopdeck_execution::runs::LoopKey;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

impl WorkspaceStore {
    /// Restores the content from before our last write and what belongs to it, unless another program wrote since.
    pub(crate) fn undo(&mut self, key: &str) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        let root = self.root_of(key)?;
        self.resolve_writes(&root);
        let (of, beside) = group_names(&root, &entry.candidate);
        let last = self.journal.last_group((&of).into(), &beside)?;
        let group = self.taken_up(&root, last)?;
        if group.is_empty() {
            return Err(Failure::new(FailureKind::NothingToUndo).with("path", &entry.candidate.file));
        }
        // All or none: what another program wrote since stays, and with it the rest.
        for taken in &group {
            taken.check(&root)?;
        }
        let moment = self.moment();
        let undone = group.first().map_or(moment.group, |taken| taken.write.group);
        let step = self.begin_restoring((&of).into(), (undone, true), moment);
        let done = group.iter().try_for_each(|taken| self.put_back_taken(&root, &entry, taken, true, moment));
        if done.is_err() {
            self.take_back(&root, &entry, moment.group);
        }
        self.end_step(step);
        done
    }

    /// So that a kill between the files is noticed at the next start. Without the note, only that is not.
    pub(crate) fn begin_restoring(
        &mut self,
        of: LoopRef<'_>,
        what: (UndoGroup, bool),
        moment: Moment,
    ) -> Option<i64> {
        self.journal.begin_restoring(of, what, (moment.at, moment.group), &self.holder).ok()
    }

    /// Everything of a step is written, or taken back.
    pub(crate) fn end_step(&mut self, step: Option<i64>) {
        if let Some(step) = step {
            self.journal.end_step(step).logged("the end of a step is not recorded"); // else the next start finds nothing left to do
        }
    }

    /// Takes back the writes of a group: they belong to something that could not be completed. What another program has overwritten since
    /// stays.
    pub(crate) fn take_back(&mut self, root: &Path, entry: &Entry, group: UndoGroup) {
        let (of, _) = group_names(root, &entry.candidate);
        let moment = self.moment();
        let step = self.begin_restoring((&of).into(), (group, false), moment);
        self.put_back_rest(root, entry, group, (false, moment));
        self.end_step(step);
    }

    /// Restores what the writes of the group `of` replaced and is not restored yet. All of it, for a person's undo; for an incomplete change, as
    /// much as no other program has overwritten since. False when nothing is known of them.
    pub(crate) fn put_back_rest(
        &mut self,
        root: &Path,
        entry: &Entry,
        of: UndoGroup,
        (undo, moment): (bool, Moment),
    ) -> bool {
        let (loop_key, beside) = group_names(root, &entry.candidate);
        let Ok(writes) = self.journal.writes_in_group((&loop_key).into(), &beside, of) else { return false };
        let Ok(group) = self.taken_up(root, writes) else { return false };
        for taken in &group {
            let is_back = taken.is_back(root);
            let done = is_back || self.put_back_taken(root, entry, taken, undo, moment).is_ok();
            if undo && !done {
                self.take_back(root, entry, moment.group);
                return true;
            }
            if done && !undo {
                self.note_taken_back((&loop_key).into(), &beside, taken, moment.group);
            }
        }
        true
    }

    /// Nothing is left to undo of a write that the group `by` took back.
    fn note_taken_back(&mut self, of: LoopRef<'_>, beside: &[String; 4], taken: &WriteToUndo, by: UndoGroup) {
        let back = self.journal.writes_in_group(of, beside, by).unwrap_or_default();
        for write in back.iter().chain([&taken.write]).filter(|write| write.file == taken.write.file) {
            self.journal.taken_back(write).logged("a write that was taken back is not recorded"); // else it can be undone by hand
        }
    }

    /// The files of the group `of` that still say what its writes wrote.
    pub(crate) fn left_to_put_back(&mut self, root: &Path, entry: &Entry, of: UndoGroup) -> Vec<String> {
        let (loop_key, beside) = group_names(root, &entry.candidate);
        let writes = self.journal.writes_in_group((&loop_key).into(), &beside, of).unwrap_or_default();
        let group = self.taken_up(root, writes).unwrap_or_default();
        let left = group.into_iter().filter(|taken| taken.check(root).is_ok() && !taken.is_back(root));
        left.map(|taken| taken.write.file).collect()
    }

    /// Of each file the last of these writes, with what it replaced and what it wrote.
    fn taken_up(&mut self, root: &Path, writes: Vec<LastWrite>) -> Result<Vec<WriteToUndo>, Failure> {
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
            let mut kept = |id| self.journal.version(of, id)?.ok_or_else(nothing);
            let (before, after) = (kept(write.before)?, kept(write.after)?);
            group.push(WriteToUndo { write, before, after });
        }
        Ok(group)
    }

    fn put_back_taken(
        &mut self,
        root: &Path,
        entry: &Entry,
        taken: &WriteToUndo,
        ends: bool,
        moment: Moment,
    ) -> Result<(), Failure> {
        let file = taken.write.file.as_str();
        if file == entry.candidate.file {
            let (version, bytes) = taken.before.clone();
            let over = Some(taken.after.1.clone());
            let put = PutBack { word: UNDO, bytes, readable: version.readable, over, ends };
            return self.put_back(entry, &put, moment);
        }
        let beside = CompanionWrite { root, entry, file, word: UNDO, moment };
        self.write_companion(&beside, |there| {
            if there == content_of(&taken.after).as_deref() {
                Ok(content_of(&taken.before))
            } else {
                Err(Failure::new(FailureKind::ChangedSince).with("path", file))
            }
        })
    }
}

/// A write that is to be taken back.
struct WriteToUndo {
    write: LastWrite,
    /// What was there before.
    before: (Version, Vec<u8>),
    /// What must be there now.
    after: (Version, Vec<u8>),
}

impl WriteToUndo {
    /// Whether no other program wrote since.
    fn check(&self, root: &Path) -> Result<(), Failure> {
        match companion_writes::content(root, &self.write.file) {
            Ok(there) if there.as_deref().unwrap_or_default() == self.after.1 => Ok(()),
            _ => Err(Failure::new(FailureKind::ChangedSince).with("path", &self.write.file)),
        }
    }
}

impl WriteToUndo {
    /// Whether what it replaced is there again.
    fn is_back(&self, root: &Path) -> bool {
        let (version, bytes) = &self.before;
        let was = (version.readable || !bytes.is_empty()).then_some(bytes.as_slice());
        self.before.1 != self.after.1
            && companion_writes::content(root, &self.write.file).is_ok_and(|there| there.as_deref() == was)
    }
}

/// The content of a version of a companion; an unreadable empty one means no file.
fn content_of((version, bytes): &(Version, Vec<u8>)) -> Content {
    (version.readable || !bytes.is_empty()).then(|| bytes.clone())
}

/// The loop, and where its companions are.
pub(crate) fn group_names(root: &Path, candidate: &Candidate) -> (LoopKey, [String; 4]) {
    let stem = candidate.stem();
    let beside = [".tasks.jsonl", ".progress/", ".workers/", "/"];
    let beside = beside.map(|ending| below_folder(candidate, &format!("{stem}{ending}")));
    let of = LoopKey { workspace: root.to_string_lossy().into_owned(), file: candidate.file.clone() };
    (of, beside)
}
