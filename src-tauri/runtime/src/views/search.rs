//! What a search finds.

use loopdeck_core::searched::TextKind;
use loopdeck_core::status::StatusWord;
use serde::Serialize;
use specta::Type;

/// Loops that have what was looked for, those that changed last first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct SearchAnswer {
    /// As many of them as were found in time.
    pub loops: Vec<FoundLoop>,
    /// Where to go on, when there may be more.
    pub next: Option<u32>,
    /// Loops that are not in the index yet: ask again.
    pub left: u32,
    /// Loops whose files could not be read.
    pub unread: u32,
}

/// A loop that has what was looked for.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct FoundLoop {
    /// Names the loop in every command.
    pub key: String,
    /// Id of its workspace.
    pub workspace: String,
    /// Title. Untrusted text.
    pub title: String,
    /// The shown status.
    pub word: StatusWord,
    /// Status word as the file has it. Untrusted text.
    pub file_word: String,
    /// Last change of the state file, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub changed: f64,
    /// The first places.
    pub hits: Vec<SearchHit>,
    /// How many places there are.
    pub total: u32,
}

/// A place where all terms are.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct SearchHit {
    /// What the text is.
    pub kind: TextKind,
    /// What its view calls it; the name of a document.
    pub item: Option<String>,
    /// 1-based line of a document or of the state file.
    pub line: Option<u32>,
    /// The text around what was found, on one line. Untrusted text.
    pub text: String,
    /// What was found in it.
    pub marks: Vec<FoundMark>,
}

/// A part of a text, in UTF-16 units, as the page counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FoundMark {
    /// Its first unit.
    pub start: u32,
    /// The unit after it.
    pub end: u32,
}
