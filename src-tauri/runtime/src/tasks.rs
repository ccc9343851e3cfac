//! Changes of the task list beside a loop (ccw-loops.md §12).

use crate::beside::{Beside, below_folder_of};
use crate::catalog::Entry;
use crate::files;
use crate::owner::Owner;
use crate::rows::Failure;
use loopdeck_core::ccw_v2::repair;
use loopdeck_core::ccw_v2::task_edit::{self, TaskEdit};
use loopdeck_core::ccw_v2::task_recover;
use loopdeck_core::control::{Refusal, RefusalCode, Situation};
use loopdeck_core::format::Format;
use loopdeck_core::step::RepairCode;
use loopdeck_core::text_edit::{self, TextEdit};
use loopdeck_core::times::Millis;
use std::path::Path;

/// In the journal.
const EDIT_TASKS: &str = "edit_tasks";
const REPAIR: &str = "repair";

impl Owner {
    /// Changes one task of the list: in the file where it stands, a new one where the list is kept.
    pub(crate) fn edit_tasks(&mut self, key: &str, edit: &TaskEdit) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        if !matches!(entry.summary.format, Format::LoopV2 | Format::LoopB) {
            return Err(Refusal::new(RefusalCode::NotInFormat).into());
        }
        let root = self.root_of(key)?;
        let now = self.moment();
        let edit = named(edit, now);
        let file = place_of(&root, &entry, &edit);
        let beside = Beside { root: &root, entry: &entry, file: &file, word: EDIT_TASKS, at: now };
        self.write_beside(&beside, |there| {
            let bytes = there.unwrap_or_default();
            applied(bytes, &task_edit::edit(bytes, &edit, now)?).map(Some)
        })?;
        self.look_now(key);
        Ok(())
    }

    /// One task per line, or nothing but tasks, in every task list of the loop.
    pub(crate) fn repair_tasks(
        &mut self,
        entry: &Entry,
        code: RepairCode,
        situation: &Situation,
    ) -> Result<(), Failure> {
        if let Some(refusal) = repair::refuse(situation) {
            return Err(refusal.into());
        }
        let root = self.root_of(&entry.key())?;
        let at = situation.now;
        let mut found = false;
        for (file, bytes, _) in lists(&root, entry) {
            let backup = read_list(&root, &format!("{file}.backup")).map(|(bytes, _)| bytes);
            if repaired(&bytes, code, backup.as_deref())? == bytes {
                continue;
            }
            found = true;
            let beside = Beside { root: &root, entry, file: &file, word: REPAIR, at };
            let done = self.write_beside(&beside, |there| {
                repaired(there.unwrap_or_default(), code, backup.as_deref()).map(Some)
            });
            if done.is_err() {
                self.take_back(&root, entry, at);
                return done;
            }
        }
        self.look_now(&entry.key());
        if found { Ok(()) } else { Err(Refusal::new(RefusalCode::NothingToRepair).into()) }
    }
}

fn repaired(bytes: &[u8], code: RepairCode, backup: Option<&[u8]>) -> Result<Vec<u8>, Failure> {
    if code == RepairCode::CleanTaskList {
        let clean = task_recover::clean(bytes, backup);
        return Ok(clean.map_or_else(|| bytes.to_vec(), |clean| clean.text.into_bytes()));
    }
    applied(bytes, &task_edit::split_glued(bytes))
}

fn read_list(root: &Path, file: &str) -> Option<(Vec<u8>, Millis)> {
    let mut bytes = Vec::new();
    let stamp = files::read_within(root, &root.join(file), &mut bytes).ok()?;
    Some((bytes, stamp.modified_ms()))
}

fn applied(bytes: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, Failure> {
    text_edit::apply(bytes, edits).map_err(|_| Refusal::new(RefusalCode::NotEditable).into())
}

/// The files that exist, with what they say and when they were changed; both places (§12).
fn lists(root: &Path, entry: &Entry) -> Vec<(String, Vec<u8>, Millis)> {
    let stem = entry.candidate.stem();
    let places = [format!("{stem}.tasks.jsonl"), format!("{stem}/tasks.jsonl")];
    let read = |place: String| {
        let file = below_folder_of(entry, &place);
        let (bytes, modified) = read_list(root, &file)?;
        Some((file, bytes, modified))
    };
    places.into_iter().filter_map(read).collect()
}

/// A task that stands in only one of them is changed there.
fn place_of(root: &Path, entry: &Entry, edit: &TaskEdit) -> String {
    let lists = lists(root, entry);
    let takes = |bytes: &[u8]| task_edit::edit(bytes, edit, 0).is_ok();
    let is_new = matches!(edit, TaskEdit::Add { .. });
    let holds = lists.iter().filter(|(_, bytes, _)| !is_new && takes(bytes));
    if let Some((file, _, _)) = holds.max_by_key(|(_, _, modified)| *modified) {
        return file.clone();
    }
    let existing: Vec<(&str, Millis)> =
        lists.iter().map(|(file, _, modified)| (file.as_str(), *modified)).collect();
    match existing.iter().max_by_key(|(_, modified)| *modified) {
        Some((file, _)) => (*file).to_owned(),
        None => below_folder_of(entry, &task_edit::home(entry.candidate.stem(), &[])),
    }
}

/// A new task without a name gets one as upstream makes them: `task-<ms>-<8 hex>`.
fn named(edit: &TaskEdit, now: Millis) -> TaskEdit {
    match edit {
        TaskEdit::Add { id, task } if id.is_empty() => {
            let mixed = crate::journal::hash(
                format!("{now}{}{:?}", std::process::id(), std::time::Instant::now()).as_bytes(),
            );
            let id = format!("task-{now}-{:08x}", mixed & 0xffff_ffff);
            TaskEdit::Add { id, task: task.clone() }
        }
        _ => edit.clone(),
    }
}
