//! Changes the task list next to a loop (the CCW contract §12).

use crate::observe::catalog::Entry;
use crate::store::companion_writes::{CompanionWrite, below_folder_of};
use crate::store::journal::UndoGroup;
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::{Failure, FailureKind};
use loopdeck_core::control::Situation;
use loopdeck_core::formats::ccw_v2::edit::task_list::TaskEdit;
use loopdeck_core::formats::ccw_v2::edit::{repair, task_list as task_edit};
use loopdeck_core::formats::ccw_v2::recover::task_list as task_recover;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::step::RepairCode;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::runs::LoopKey;
use loopdeck_system::files;
use loopdeck_text::text_edit::{self, TextEdit};
use std::path::Path;

/// In the journal.
const EDIT_TASKS: &str = "edit_tasks";
const MOVE_TASKS: &str = "move_tasks";
const REPAIR: &str = "repair";

/// How often a list is read again that changes while it is moved.
const MOVE_TRIES: u32 = 5;

impl WorkspaceStore {
    /// Changes one task of the list: in the file where it is; a list that upstream's server would not find moves to where
    /// it looks.
    pub(crate) fn edit_tasks(&mut self, key: &str, edit: &TaskEdit) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        if !entry.summary.format.traits().has_task_list {
            return Err(Refusal::new(RefusalCode::NotInFormat).into());
        }
        let root = self.root_of(key)?;
        let moment = self.moment();
        let edit = with_id(edit, moment.at);
        match self.move_tasks(&root, &entry, &edit, moment)? {
            MoveResult::Done => {}
            MoveResult::NotNeeded => {
                let file = place_of(&root, &entry, &edit);
                let beside =
                    CompanionWrite { root: &root, entry: &entry, file: &file, word: EDIT_TASKS, moment };
                self.write_companion(&beside, |there| {
                    edited(there.unwrap_or_default(), &edit, moment.at).map(Some)
                })?;
            }
        }
        self.look_now(key);
        Ok(())
    }

    /// Writes the changed list to its place and removes the one in the other, as one step that is undone as one.
    fn move_tasks(
        &mut self,
        root: &Path,
        entry: &Entry,
        edit: &TaskEdit,
        moment: Moment,
    ) -> Result<MoveResult, Failure> {
        for _ in 0..MOVE_TRIES {
            let [from, to] = places_of(entry);
            let Some(old) = only_in(root, &from, &to) else { return Ok(MoveResult::NotNeeded) };
            let new = edited(&old, edit, moment.at)?;
            if new == old {
                return Ok(MoveResult::Done); // nothing to write, and so nothing to move
            }
            let changed = || Failure::new(FailureKind::ChangedSince);
            // A program that has the list open may still write into it: that is added to the new one.
            let open = std::fs::File::open(root.join(&from)).ok();
            let beside = |file| CompanionWrite { root, entry, file, word: MOVE_TASKS, moment };
            let is_free = |there: Option<&[u8]>| there.is_none().then(|| Some(new.clone()));
            let is_old = |there: Option<&[u8]>| (there == Some(old.as_slice())).then_some(None);
            let of = LoopKey {
                workspace: root.to_string_lossy().into_owned(),
                file: entry.candidate.file.clone(),
            };
            let back = self.moment();
            let step = self.begin_putting_back((&of).into(), (moment.group, false), back);
            let written = self.write_companion(&beside(&to), |there| is_free(there).ok_or_else(changed));
            let moved = written.and_then(|()| {
                self.write_companion(&beside(&from), |there| is_old(there).ok_or_else(changed))
            });
            match moved {
                Ok(()) => {
                    self.end_step(step);
                    if let Some(former) = open {
                        self.hear_late(&beside(&to), former, old, new);
                    }
                    return Ok(MoveResult::Done);
                }
                Err(failure) => {
                    self.take_back(root, entry, moment.group);
                    self.end_step(step);
                    if failure.kind != FailureKind::ChangedSince {
                        return Err(failure);
                    }
                }
            }
        }
        let [from, _] = places_of(entry);
        Err(Failure::new(FailureKind::Contended).with("path", from))
    }

    /// One task per line, or nothing but tasks, in every task list of the loop.
    pub(crate) fn repair_tasks(
        &mut self,
        entry: &Entry,
        code: RepairCode,
        situation: &Situation,
        group: UndoGroup,
    ) -> Result<(), Failure> {
        if let Some(refusal) = repair::refuse(situation) {
            return Err(refusal.into());
        }
        let root = self.root_of(&entry.key())?;
        let moment = Moment { at: situation.now, group };
        let mut found = false;
        for (file, bytes, _) in lists(&root, entry) {
            let backup = read_list(&root, &format!("{file}.backup")).map(|(bytes, _)| bytes);
            if repaired(&bytes, code, backup.as_deref())? == bytes {
                continue;
            }
            found = true;
            let beside = CompanionWrite { root: &root, entry, file: &file, word: REPAIR, moment };
            let done = self.write_companion(&beside, |there| {
                repaired(there.unwrap_or_default(), code, backup.as_deref()).map(Some)
            });
            if done.is_err() {
                self.take_back(&root, entry, group);
                return done;
            }
        }
        self.look_now(&entry.key());
        if found { Ok(()) } else { Err(Refusal::new(RefusalCode::NothingToRepair).into()) }
    }
}

enum MoveResult {
    Done,
    NotNeeded,
}

fn edited(bytes: &[u8], edit: &TaskEdit, now: Timestamp) -> Result<Vec<u8>, Failure> {
    applied(bytes, &task_edit::edit(bytes, edit, now)?)
}

/// The list in `from`, when there is none in `to`.
fn only_in(root: &Path, from: &str, to: &str) -> Option<Vec<u8>> {
    root.join(to).symlink_metadata().is_err().then(|| read_list(root, from)).flatten().map(|(bytes, _)| bytes)
}

/// Both places, below the workspace, see [`task_edit::places`].
fn places_of(entry: &Entry) -> [String; 2] {
    task_edit::places(entry.candidate.stem()).map(|place| below_folder_of(entry, &place))
}

fn repaired(bytes: &[u8], code: RepairCode, backup: Option<&[u8]>) -> Result<Vec<u8>, Failure> {
    if code == RepairCode::CleanTaskList {
        let clean = task_recover::clean(bytes, backup);
        return Ok(clean.map_or_else(|| bytes.to_vec(), |clean| clean.text.into_bytes()));
    }
    applied(bytes, &task_edit::split_glued(bytes))
}

fn read_list(root: &Path, file: &str) -> Option<(Vec<u8>, Timestamp)> {
    let mut bytes = Vec::new();
    let stamp = files::read(root, &root.join(file), &mut bytes).ok()?;
    Some((bytes, stamp.modified()))
}

fn applied(bytes: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, Failure> {
    text_edit::apply(bytes, edits).map_err(|_| Refusal::new(RefusalCode::NotEditable).into())
}

/// The files that exist, with what they say and when they were changed; both places (§12).
fn lists(root: &Path, entry: &Entry) -> Vec<(String, Vec<u8>, Timestamp)> {
    let read = |file: String| {
        let (bytes, modified) = read_list(root, &file)?;
        Some((file, bytes, modified))
    };
    places_of(entry).into_iter().filter_map(read).collect()
}

/// A task that is in only one of them is changed there; a new one goes where upstream's server looks.
fn place_of(root: &Path, entry: &Entry, edit: &TaskEdit) -> String {
    let [_, home] = places_of(entry);
    if matches!(edit, TaskEdit::Add { .. }) {
        return home;
    }
    let lists = lists(root, entry);
    let takes = |bytes: &[u8]| task_edit::edit(bytes, edit, Timestamp::from_millis(0)).is_ok();
    let holds = lists.iter().filter(|(_, bytes, _)| takes(bytes)).max_by_key(|(_, _, modified)| *modified);
    let newest = lists.iter().max_by_key(|(_, _, modified)| *modified);
    holds.or(newest).map_or(home, |(file, _, _)| file.clone())
}

/// A new task without a name gets one as upstream makes them: `task-<ms>-<8 hex>`.
fn with_id(edit: &TaskEdit, now: Timestamp) -> TaskEdit {
    match edit {
        TaskEdit::Add { id, task } if id.is_empty() => {
            let mixed = loopdeck_system::hash::hash(
                format!("{}{}{:?}", now.millis(), std::process::id(), std::time::Instant::now()).as_bytes(),
            );
            let id = format!("task-{}-{:08x}", now.millis(), mixed & 0xffff_ffff);
            TaskEdit::Add { id, task: task.clone() }
        }
        _ => edit.clone(),
    }
}
