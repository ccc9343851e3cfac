//! Text files: those next to a loop, and lines of any of them.

use serde::Serialize;
use specta::Type;

/// What a text next to a loop is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// Markdown: written as a whole.
    Markdown,
    /// Lines, some of which are only ever added.
    Lines,
}

impl DocumentKind {
    /// The kind of a file of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let is_markdown = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
        if is_markdown { Self::Markdown } else { Self::Lines }
    }
}

/// A text file next to a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DocumentView {
    /// File name such as `develop.md`; names it in [`document`](crate) requests.
    pub name: String,
    /// What its name says it is.
    pub kind: DocumentKind,
    /// Path below the workspace.
    pub file: String,
    /// Bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub size: f64,
    /// Last change, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub changed: f64,
}

/// A window of a text file's lines.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct SourcePage {
    /// Path below the workspace.
    pub file: String,
    /// 1-based number of the first line here.
    pub first: u32,
    /// The lines, each cut to 2,000 characters.
    pub lines: Vec<String>,
    /// Lines in the file.
    pub total: u32,
    /// It is a log: most of its first lines are JSON objects, one each.
    pub log: bool,
    /// Bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub size: f64,
    /// Invalid UTF-8 was replaced for display.
    pub lossy: bool,
}
