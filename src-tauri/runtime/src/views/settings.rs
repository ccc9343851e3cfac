//! What is remembered for the person: settings, folders, how the window starts.

use super::SavedView;
use crate::editor::EditorChoice;
use crate::terminal::TerminalChoice;
use loopdeck_system::dirs::shown;
use loopdeck_system::failure::Failure;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a person remembers between starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Settings {
    /// `system`, `light`, `dark`.
    pub theme: String,
    /// `system`, `en`, `zh-CN`, `ja`.
    pub language: String,
    /// `compact`, `comfortable`.
    pub density: String,
    /// Columns of the loop list that are hidden: `format`, `phase`, `iteration`, `seen`.
    pub hidden_columns: Vec<String>,
    /// Single-letter shortcuts (WCAG 2.1.4 wants a switch).
    pub letter_keys: bool,
    /// Keys that a person chose, by the shortcut’s id, as the window writes them: `Control+j`, `g l`.
    pub shortcuts: BTreeMap<String, String>,
    /// Filter history, newest first, at most 20.
    pub filters: Vec<String>,
    /// Minutes a foreign change counts as a sign of life.
    pub fresh_minutes: u32,
    /// Keys of loops whose end was seen by the person: they leave Attention. Pairs of key and change time.
    pub opened: BTreeMap<String, f64>,
    /// Views of the list that the person saved, in their order.
    pub views: Vec<SavedView>,
    /// The editor in which files are opened.
    pub editor: EditorChoice,
    /// The terminal that is opened in folders.
    pub terminal: TerminalChoice,
    /// How the work of a loop is shown: `graph`, `outline`, or `auto` while its size decides.
    pub work_view: String,
    /// Which way a work graph is drawn: `down`, `right`.
    pub work_direction: String,
    /// How hypotheses are shown: `board`, `table`.
    pub hypotheses_view: String,
    /// Commands of the palette used last, newest first, at most 7.
    pub recent_commands: Vec<String>,
    /// What the desktop is asked to notify of.
    pub notify: Notify,
    /// An icon in the tray, where the desktop has one.
    pub tray: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: "system".into(),
            language: "system".into(),
            density: "comfortable".into(),
            hidden_columns: Vec::new(),
            letter_keys: true,
            shortcuts: BTreeMap::new(),
            filters: Vec::new(),
            fresh_minutes: 15,
            opened: BTreeMap::new(),
            views: Vec::new(),
            editor: EditorChoice::default(),
            terminal: TerminalChoice::default(),
            work_view: "auto".into(),
            work_direction: "right".into(),
            hypotheses_view: "board".into(),
            recent_commands: Vec::new(),
            notify: Notify::default(),
            tray: true,
        }
    }
}

/// Kinds of notifications, each with its switch. Nothing else is ever notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Notify {
    /// A permission, a question, a menu, a missing sign-in.
    pub needs_you: bool,
    /// A run failed, was interrupted, or left processes behind.
    pub failed: bool,
    /// A limit of the loop or of the provider is reached.
    pub limit: bool,
    /// A loop completed while the window was not in front.
    pub finished: bool,
}

impl Default for Notify {
    fn default() -> Self {
        Self { needs_you: true, failed: true, limit: true, finished: true }
    }
}

/// What the window needs before its first paint.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Startup {
    /// Version of Loopdeck.
    pub version: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
    /// Remembered settings.
    pub settings: Settings,
    /// Recently opened folders that are not open now, newest first.
    pub recent: Vec<RecentFolder>,
    /// Why nothing of what a person does now is kept: a newer Loopdeck wrote our data.
    pub newer: Option<Failure>,
    /// Files of our own that cannot be read, and what became of them.
    pub damaged: Vec<Failure>,
    /// Whether a person can look for a newer version of Loopdeck.
    pub updates: bool,
    /// A loop to open at once (key), from the command line.
    pub open: Option<String>,
}

/// A folder opened before.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RecentFolder {
    /// Absolute path.
    pub path: String,
    /// For display, home folder as `~`.
    pub shown: String,
}

impl From<PathBuf> for RecentFolder {
    fn from(path: PathBuf) -> Self {
        Self { shown: shown(&path), path: path.to_string_lossy().into_owned() }
    }
}
