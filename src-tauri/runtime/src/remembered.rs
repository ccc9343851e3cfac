//! What a person remembers between starts: settings, open and recent workspaces. One small JSON file of our own.

use crate::editor::{CUSTOM, EditorChoice};
use crate::views::Settings;
use loopdeck_core::facts::AttentionRule;
use loopdeck_system::kept::Kept;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The remembered things, saved as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// Settings.
    pub settings: Settings,
    /// The command of an editor that the person confirmed outside of the page. Without it, the one that the file had before the page
    /// changed it.
    pub confirmed_editor: Option<Vec<String>>,
    /// Open workspaces, canonical, in the order they were opened.
    pub open: Vec<PathBuf>,
    /// Folders opened before, newest first.
    pub recent: Vec<PathBuf>,
    /// When the overview was looked at last, ms since 1970 UTC.
    pub overview_visited: Option<i64>,
    /// What the person counts as needing them, beside what Loopdeck tells anyway.
    pub rules: Vec<AttentionRule>,
}

impl Kept for Remembered {
    const FORM: u32 = 2;
}

const RECENT_LIMIT: usize = 12;

impl Remembered {
    /// Notes that `workspace` is open now.
    pub fn note_opened(&mut self, workspace: &Path) {
        if !self.open.iter().any(|open| open == workspace) {
            self.open.push(workspace.to_owned());
        }
        self.recent.retain(|recent| recent != workspace);
        self.recent.insert(0, workspace.to_owned());
        self.recent.truncate(RECENT_LIMIT);
    }

    /// Takes over what the page saves. A command of an editor in it is not confirmed thereby.
    pub fn save(&mut self, settings: Settings) {
        self.confirmed_editor.get_or_insert_with(|| self.settings.editor.command.clone());
        self.settings = settings;
    }

    /// Whether the person has yet to confirm the command that `choice` runs: the page alone can start no program.
    #[must_use]
    pub fn has_to_confirm(&self, choice: &EditorChoice) -> bool {
        let confirmed = self.confirmed_editor.as_ref().unwrap_or(&self.settings.editor.command);
        choice.id == CUSTOM && *confirmed != choice.command
    }

    /// Notes that `workspace` is closed; it stays among the recent ones.
    pub fn note_closed(&mut self, workspace: &Path) {
        self.open.retain(|open| open != workspace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_the_page_saved_waits_for_the_person() {
        let choice = |program: &str| EditorChoice {
            id: "custom".into(),
            command: vec![program.to_owned(), "{file}".into()],
        };
        let with = |program: &str| Settings { editor: choice(program), ..Settings::default() };
        let mut remembered = Remembered { settings: with("mine"), ..Remembered::default() };
        assert!(!remembered.has_to_confirm(&choice("mine")), "from before there were confirmations");
        for _ in 0..2 {
            remembered.save(with("theirs"));
            assert!(remembered.has_to_confirm(&choice("theirs")));
            assert!(!remembered.has_to_confirm(&choice("mine")));
        }
        assert!(!remembered.has_to_confirm(&EditorChoice::default()));
        remembered.confirmed_editor = Some(choice("theirs").command);
        assert!(!remembered.has_to_confirm(&choice("theirs")) && remembered.has_to_confirm(&choice("mine")));
    }

    #[test]
    fn what_was_opened_last_comes_first() {
        let mut remembered = Remembered::default();
        remembered.note_opened(Path::new("/a"));
        remembered.note_opened(Path::new("/b"));
        remembered.note_closed(Path::new("/a"));
        assert_eq!(remembered.open, [PathBuf::from("/b")]);
        assert_eq!(remembered.recent, [PathBuf::from("/b"), PathBuf::from("/a")]);
    }
}
