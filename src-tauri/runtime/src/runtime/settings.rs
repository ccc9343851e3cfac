//! Settings and folders that are remembered.

use super::{Runtime, fresh_within};
use crate::editor::EditorChoice;
use crate::remembered::Remembered;
use crate::views::{Failure, RecentFolder, Settings};
use std::path::PathBuf;

impl Runtime {
    /// Remembered settings.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.remembered(|remembered| remembered.settings.clone())
    }

    /// Remembers settings.
    ///
    /// # Errors
    /// `OwnData` when they cannot be saved; they hold until the app ends.
    pub fn save_settings(&self, settings: Settings) -> Result<(), Failure> {
        let within = fresh_within(&settings);
        self.coordinator.set_fresh_within(within);
        for id in self.open_ids() {
            // The caller does not wait: rows follow.
            drop(self.coordinator.ask(&id, move |owner| {
                owner.set_fresh_within(within);
                Ok(())
            }));
        }
        self.remember(|remembered| remembered.save(settings))
    }

    /// The command that `choice` would run and that the person has yet to confirm, as one line to be shown.
    #[must_use]
    pub fn editor_to_confirm(&self, choice: &EditorChoice) -> Option<String> {
        let has_to = self.remembered(|remembered| remembered.has_to_confirm(choice));
        has_to.then(|| loopdeck_results::detect::quoted_line(&choice.command))
    }

    /// Remembers that the person confirmed this command, in a dialog that the page can't answer.
    ///
    /// # Errors
    /// `OwnData`.
    pub fn confirm_editor(&self, command: Vec<String>) -> Result<(), Failure> {
        self.remember(|remembered| remembered.confirmed_editor = Some(command))
    }

    /// Folders opened before that are not open now.
    #[must_use]
    pub fn recent(&self) -> Vec<RecentFolder> {
        let closed = |remembered: &Remembered| -> Vec<PathBuf> {
            remembered.recent.iter().filter(|path| !remembered.open.contains(path)).cloned().collect()
        };
        self.remembered(closed).into_iter().map(RecentFolder::from).collect()
    }
}
