//! Steps of a Loopdeck that was killed between the files of one change: completed, or taken back.

use crate::observe::catalog::Entry;
use crate::store::companion_writes::{self, CompanionWrite, below_folder_of, written_over};
use crate::store::history;
use crate::store::journal::{LoopRef, OpenStep, RemainingWrites, StepText, StepWrite};
use crate::store::workspace_store::{Moment, WorkspaceStore};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::outcome::{FileWrite, WriteHow};
use loopdeck_system::dirs;
use loopdeck_system::hash::hash;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// What a step of ours can be for; anything else was written down by a later version.
const WORDS: [&str; 5] = ["operate", "redirect", "repair", "edit_metadata", "undo"];

impl WorkspaceStore {
    /// Completes the steps of processes that are gone; a reader only learns what that would be.
    pub(crate) fn finish_steps(&mut self, root: &Path) {
        let left = self.journal.left_steps(&root.to_string_lossy()).unwrap_or_default();
        if !left.is_empty() {
            self.resolve_writes(root);
        }
        for step in left {
            let entry = self.entry(&LoopId::new(&dirs::id_of(root), &step.file)).ok();
            if !self.leaves_traces {
                self.note_unfinished(root, entry, &step);
                continue;
            }
            // Without the note that we do it, it is left: the next start tries again.
            let Ok(Some(taken)) = self.journal.take_step(&step, &self.holder) else { continue };
            let done = entry.is_none_or(|entry| self.finish_step(root, &entry, &step));
            if done {
                self.journal.end_step(taken).logged("the end of a step is not recorded");
            }
        }
    }

    /// Whether nothing is left of it.
    fn finish_step(&mut self, root: &Path, entry: &Entry, step: &OpenStep) -> bool {
        // What is still written of it belongs to the same change.
        let moment_of_step = Moment { at: step.at, group: step.group };
        match &step.rest {
            RemainingWrites::Write { texts } => {
                if !self.has_begun(root, step) {
                    return self.lose_planned(root, &step.file, step);
                }
                let word = WORDS.into_iter().find(|word| *word == step.word).unwrap_or(WORDS[0]);
                for (file, write) in self.left_texts(root, entry, step, texts) {
                    self.lose_planned(root, &file, step);
                    let beside = CompanionWrite { root, entry, file: &file, word, moment: moment_of_step };
                    if self.write_companion(&beside, |there| written_over(&write, there)).is_err() {
                        self.take_back(root, entry, step.group);
                        break;
                    }
                }
                true
            }
            RemainingWrites::PutBack { of, undo } => {
                self.put_back_rest(root, entry, *of, (*undo, moment_of_step))
            }
        }
    }

    /// Whether the state file was written: without that nothing was.
    fn has_begun(&mut self, root: &Path, step: &OpenStep) -> bool {
        match self.write_of(root, &step.file, step) {
            Some(StepWrite { landed: true, .. }) => true,
            Some(StepWrite { bytes: Some(bytes), .. }) => {
                history::fingerprint_if_unchanged(root, &step.file, &bytes).is_some()
            }
            _ => false,
        }
    }

    /// What was planned for `file` and is not there never will be: its process is gone.
    fn lose_planned(&mut self, root: &Path, file: &str, step: &OpenStep) -> bool {
        let workspace = root.to_string_lossy();
        self.journal.give_up_planned(LoopRef { workspace: &workspace, file }, step.group).is_ok()
    }

    fn write_of(&mut self, root: &Path, file: &str, step: &OpenStep) -> Option<StepWrite> {
        let workspace = root.to_string_lossy();
        self.journal.step_write(LoopRef { workspace: &workspace, file }, step.group).ok().flatten()
    }

    /// The texts that are not in their files yet.
    fn left_texts(
        &mut self,
        root: &Path,
        entry: &Entry,
        step: &OpenStep,
        texts: &[StepText],
    ) -> Vec<(String, FileWrite)> {
        let mut left = Vec::new();
        for StepText { write, was } in texts {
            let file = below_folder_of(entry, &write.file);
            let there = companion_writes::content(root, &file).ok().flatten();
            let is_there = match self.write_of(root, &file, step) {
                Some(StepWrite { landed: true, .. }) => true,
                Some(_) => is_in(write, there.as_deref()),
                None => false,
            };
            // A program that wrote a whole file since knows more than this step did.
            let is_whole = matches!(write.how, WriteHow::Replace | WriteHow::ReplaceOnly { .. });
            let is_overtaken = is_whole && there.as_deref().map(hash) != *was;
            if !is_there && !is_overtaken {
                left.push((file, write.clone()));
            }
        }
        left
    }

    fn note_unfinished(&mut self, root: &Path, entry: Option<Entry>, step: &OpenStep) {
        let Some(mut entry) = entry else { return };
        let files: Vec<String> = match &step.rest {
            RemainingWrites::Write { texts } if self.has_begun(root, step) => {
                self.left_texts(root, &entry, step, texts).into_iter().map(|(file, _)| file).collect()
            }
            RemainingWrites::Write { .. } => Vec::new(),
            RemainingWrites::PutBack { of, .. } => self.left_to_put_back(root, &entry, *of),
        };
        if !files.is_empty() {
            let key = entry.key();
            self.unfinished.insert(key.clone(), files.join(", ").into());
            entry.unfinished = self.unfinished.get(&key).cloned();
            self.write_catalog(|catalog| catalog.put(entry));
        }
    }
}

/// Whether `there` has the text of a write that was begun.
fn is_in(write: &FileWrite, there: Option<&[u8]>) -> bool {
    let Some(there) = there else { return false };
    match write.how {
        WriteHow::Replace | WriteHow::ReplaceOnly { .. } => there == write.text.as_bytes(),
        WriteHow::Append { .. } => [write.text.clone(), write.text.replace('\n', "\r\n")]
            .iter()
            .any(|text| memchr::memmem::find(there, text.as_bytes()).is_some()),
    }
}
