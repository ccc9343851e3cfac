//! What a run changed in the files of its folder.

use loopdeck_core::driver::ChangedLines;
use loopdeck_execution::changes::{ChangeKind, ChangedFile};
use serde::Serialize;
use specta::Type;

/// One file that a run changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct ChangedFileRow {
    /// Relative to the folder of the run. Untrusted text.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// `None` when it is no text, too long, or ignored by git.
    pub lines: Option<ChangedLines>,
    /// Whether its text was kept.
    pub has_text: bool,
}

impl From<ChangedFile> for ChangedFileRow {
    fn from(file: ChangedFile) -> Self {
        let has_text = file.before.is_some() && file.after.is_some();
        Self { path: file.path, kind: file.kind, lines: file.lines, has_text }
    }
}

/// The lines of a file before and after a run. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct ChangedTexts {
    /// Before, none when it was not there.
    pub before: Vec<String>,
    /// After, none when it is gone.
    pub after: Vec<String>,
}
