//! Changes the task list next to a loop (the CCW contract §12).

use crate::observe::catalog::Entry;
use crate::store::companion_writes::{CompanionWrite, below_folder_of};
use crate::store::journal::UndoGroup;
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::Failure;
use loopdeck_core::control::Situation;
use loopdeck_core::formats::ccw_v2::edit::task_list::TaskEdit;
use loopdeck_core::formats::ccw_v2::edit::{repair, task_list as task_edit};
use loopdeck_core::formats::ccw_v2::recover::task_list as task_recover;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::step::RepairCode;
use loopdeck_core::times::Timestamp;
use loopdeck_system::files;
use loopdeck_text::text_edit::{self, TextEdit};
use std::path::Path;

/// In the journal.
const EDIT_TASKS: &str = "edit_tasks";
const REPAIR: &str = "repair";

impl WorkspaceStore {
    /// Changes one task of the list, in the file where the list is.
    pub(crate) fn edit_tasks(&mut self, key: &str, edit: &TaskEdit) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        if !entry.summary.format.traits().has_task_list {
            return Err(Refusal::new(RefusalCode::NotInFormat).into());
        }
        let root = self.root_of(key)?;
        let moment = self.moment();
        let edit = with_id(edit, moment.at);
        let file = place_of(&root, &entry, &edit);
        let beside = CompanionWrite { root: &root, entry: &entry, file: &file, word: EDIT_TASKS, moment };
        self.write_companion(&beside, |there| {
            edit_list(there.unwrap_or_default(), &edit, moment.at).map(Some)
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
            if repair_list(&bytes, code, backup.as_deref())? == bytes {
                continue;
            }
            found = true;
            let beside = CompanionWrite { root: &root, entry, file: &file, word: REPAIR, moment };
            let done = self.write_companion(&beside, |there| {
                repair_list(there.unwrap_or_default(), code, backup.as_deref()).map(Some)
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

fn edit_list(bytes: &[u8], edit: &TaskEdit, now: Timestamp) -> Result<Vec<u8>, Failure> {
    apply_edits(bytes, &task_edit::edit(bytes, edit, now)?)
}

/// Both places, below the workspace, see [`task_edit::places`].
fn places_of(entry: &Entry) -> [String; 2] {
    task_edit::places(entry.candidate.stem()).map(|place| below_folder_of(entry, &place))
}

fn repair_list(bytes: &[u8], code: RepairCode, backup: Option<&[u8]>) -> Result<Vec<u8>, Failure> {
    if code == RepairCode::CleanTaskList {
        let clean = task_recover::clean(bytes, backup);
        return Ok(clean.map_or_else(|| bytes.to_vec(), |clean| clean.text.into_bytes()));
    }
    apply_edits(bytes, &task_edit::split_glued(bytes))
}

fn read_list(root: &Path, file: &str) -> Option<(Vec<u8>, Timestamp)> {
    let mut bytes = Vec::new();
    let stamp = files::read(root, &root.join(file), &mut bytes).ok()?;
    Some((bytes, stamp.modified()))
}

fn apply_edits(bytes: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, Failure> {
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

/// A list is changed where it is; of two, the one that has the task, else the one that changed last. A new one begins where the seeds
/// place it, unless upstream's server made its folder (§12).
fn place_of(root: &Path, entry: &Entry, edit: &TaskEdit) -> String {
    let lists = lists(root, entry);
    let takes = |bytes: &[u8]| task_edit::edit(bytes, edit, Timestamp::from_millis(0)).is_ok();
    let holds = lists.iter().filter(|(_, bytes, _)| takes(bytes)).max_by_key(|(_, _, modified)| *modified);
    let newest = lists.iter().max_by_key(|(_, _, modified)| *modified);
    if let Some((file, ..)) = holds.or(newest) {
        return file.clone();
    }
    let [seeds, server] = places_of(entry);
    // One that cannot be read is not passed over.
    let is_there = |file: &str| root.join(file).symlink_metadata().is_ok();
    let is_servers = root.join(&server).parent().is_some_and(Path::is_dir);
    if is_there(&server) || (is_servers && !is_there(&seeds)) { server } else { seeds }
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
