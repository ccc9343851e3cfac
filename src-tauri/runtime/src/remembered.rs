//! What a person remembers between starts: settings, open and recent workspaces. One small JSON file of our own.

use crate::views::Settings;
use loopdeck_core::facts::AttentionRule;
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use serde::{Deserialize, Serialize};
use std::io;
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

const RECENT_LIMIT: usize = 12;

impl Remembered {
    /// Reads the file; a missing one gives defaults, an unreadable one is set aside, never overwritten.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let Ok(bytes) = std::fs::read(path) else { return Self::default() };
        serde_json::from_slice(&bytes).unwrap_or_else(|_| {
            std::fs::rename(path, path.with_extension("unreadable.json"))
                .logged("an unreadable file is not set aside");
            Self::default()
        })
    }

    /// Reads the file and leaves whatever is there as it is.
    #[must_use]
    pub fn peek(path: &Path) -> Self {
        std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Saves the file atomically.
    ///
    /// # Errors
    /// What the disk says; the old file stays.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        files::write_own(path, &bytes)
    }

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
    fn it_is_read_back_and_damage_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/settings.json");
        let mut remembered = Remembered::default();
        remembered.opened(Path::new("/a"));
        remembered.opened(Path::new("/b"));
        remembered.closed(Path::new("/a"));
        remembered.save(&path).unwrap();
        assert_eq!(Remembered::load(&path), remembered);
        assert_eq!(remembered.recent, [PathBuf::from("/b"), PathBuf::from("/a")]);

        std::fs::write(&path, "{oops").unwrap();
        assert_eq!(Remembered::load(&path), Remembered::default());
        assert_eq!(std::fs::read(path.with_extension("unreadable.json")).unwrap(), b"{oops");
    }
}
