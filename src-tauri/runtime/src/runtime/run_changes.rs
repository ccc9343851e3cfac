//! What runs changed in the files of their folders, from what was kept with their output.

use crate::Runtime;
use crate::views::{ChangedFileRow, ChangedTexts, Failure, FailureKind};
use loopdeck_execution::changes::RunChanges;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::runs::folder_of;

impl Runtime {
    /// The files that a run changed, by path.
    ///
    /// # Errors
    /// `NoChanges` when none were kept, or they went with the run's output.
    pub fn run_changes(&self, run: &str) -> Result<Vec<ChangedFileRow>, Failure> {
        let mask = self.choices.read(Mask::of_all);
        let rows = self.changes_of(run)?.files.into_iter().map(ChangedFileRow::from);
        Ok(rows.map(|row| ChangedFileRow { path: mask.hide(row.path), ..row }).collect())
    }

    /// The two versions of the file at this place of [`Runtime::run_changes`].
    ///
    /// # Errors
    /// As [`Runtime::run_changes`]; `NoChanges` also when its text was not kept.
    pub fn run_change(&self, run: &str, file: u32) -> Result<ChangedTexts, Failure> {
        let file = self.changes_of(run)?.files.into_iter().nth(file as usize);
        let Some((Some(before), Some(after))) = file.map(|file| (file.before, file.after)) else {
            return Err(Failure::new(FailureKind::NoChanges));
        };
        let mask = self.choices.read(Mask::of_all);
        let lines = |text: String| mask.hide(text).lines().map(str::to_owned).collect();
        Ok(ChangedTexts { before: lines(before), after: lines(after) })
    }

    fn changes_of(&self, run: &str) -> Result<RunChanges, Failure> {
        let kept = folder_of(&self.dirs().runs(), run).and_then(|folder| RunChanges::read(&folder));
        kept.map_err(|error| Failure::new(FailureKind::NoChanges).with("reason", error))
    }
}
