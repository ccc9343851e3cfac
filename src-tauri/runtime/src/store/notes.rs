//! Notes and labels of a loop, kept and shown.

use crate::store::journal::RecordedNotes;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, LoopNotes};
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::clock;
use loopdeck_system::dirs;
use std::path::Path;

/// Longest note, in characters.
const NOTE_CHARS: usize = 20_000;
/// Most labels of a loop.
const MOST_LABELS: usize = 20;
/// Longest label, in characters.
const LABEL_CHARS: usize = 40;

impl WorkspaceStore {
    /// Keeps note and labels of a loop; the state file is not touched.
    pub(crate) fn keep_notes(&mut self, key: &str, notes: &LoopNotes) -> Result<(), Failure> {
        let notes = check_notes(notes)?;
        let (_, root, candidate) = self.locate(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let recorded = RecordedNotes {
            workspace: root.to_string_lossy().into_owned(),
            file: candidate.file,
            note: notes.note.clone(),
            labels: notes.labels.clone(),
            at: clock::now(),
        };
        self.journal.keep_notes(&recorded).map_err(Failure::own_data)?;
        self.write_catalog(|catalog| catalog.note(key.into(), notes));
        Ok(())
    }

    /// Shows what the journal has of the notes of all loops: they came from elsewhere.
    pub(crate) fn show_notes(&mut self) -> Result<(), Failure> {
        let all = self.journal.all_notes().map_err(Failure::own_data)?;
        self.write_catalog(|catalog| {
            for (key, notes) in all.into_iter().map(by_loop) {
                if catalog.notes.get(&key) != Some(&notes) {
                    catalog.note(key, notes);
                }
            }
        });
        Ok(())
    }
}

/// Notes of the journal, by the name that the catalog has for their loop.
pub(crate) fn by_loop(recorded: RecordedNotes) -> (LoopId, LoopNotes) {
    let key = LoopId::new(&dirs::id_of(Path::new(&recorded.workspace)), &recorded.file);
    (key, LoopNotes { note: recorded.note, labels: recorded.labels })
}

/// The notes without empty and repeated labels. What is too long is refused and not cut.
fn check_notes(notes: &LoopNotes) -> Result<LoopNotes, Failure> {
    let mut labels: Vec<String> = Vec::new();
    for label in notes.labels.iter().map(|label| label.split_whitespace().collect::<Vec<_>>().join(" ")) {
        let is_known = labels.iter().any(|known| known.to_lowercase() == label.to_lowercase());
        if !label.is_empty() && !is_known {
            labels.push(label);
        }
    }
    let refused = |field| Err(Failure::new(FailureKind::BadForm).with("field", field));
    if labels.len() > MOST_LABELS || labels.iter().any(|label| label.chars().count() > LABEL_CHARS) {
        return refused("labels");
    }
    if notes.note.chars().count() > NOTE_CHARS {
        return refused("note");
    }
    Ok(LoopNotes { note: notes.note.trim_end().to_owned(), labels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_kept_once_and_nothing_is_cut() {
        let notes = |labels: &[&str], note: String| LoopNotes {
            note,
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        };
        let kept =
            check_notes(&notes(&[" release  2 ", "", "Release 2", "登录"], "a\n".into())).expect("kept");
        assert_eq!(kept, notes(&["release 2", "登录"], "a".into()));
        let long = "x".repeat(41);
        assert!(check_notes(&notes(&[&long], String::new())).is_err());
        assert!(check_notes(&notes(&[], "x".repeat(20_001))).is_err());
        let many: Vec<String> = (0..21).map(|n| n.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(check_notes(&notes(&many, String::new())).is_err());
    }
}
