//! What a person remembers between starts: settings, open and recent workspaces. One small JSON file of our own.

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
    const FORM: u32 = 1;
}

const RECENT_LIMIT: usize = 12;

impl Remembered {
    /// Notes that `workspace` is open now.
    pub fn opened(&mut self, workspace: &Path) {
        if !self.open.iter().any(|open| open == workspace) {
            self.open.push(workspace.to_owned());
        }
        self.recent.retain(|recent| recent != workspace);
        self.recent.insert(0, workspace.to_owned());
        self.recent.truncate(RECENT_LIMIT);
    }

    /// Notes that `workspace` is closed; it stays among the recent ones.
    pub fn closed(&mut self, workspace: &Path) {
        self.open.retain(|open| open != workspace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_opened_last_comes_first() {
        let mut remembered = Remembered::default();
        remembered.opened(Path::new("/a"));
        remembered.opened(Path::new("/b"));
        remembered.closed(Path::new("/a"));
        assert_eq!(remembered.open, [PathBuf::from("/b")]);
        assert_eq!(remembered.recent, [PathBuf::from("/b"), PathBuf::from("/a")]);
    }
}
