//! Reports about loops: what happened, what is true now, what to do next. One self-contained HTML file, or Markdown, in
//! the three languages of the window.
//!
//! Everything that comes from a loop is text of strangers: it is escaped where it is written, cut by core, and never a
//! link, a style or a script. The HTML needs no script and no other file, and forbids itself to load any.
//!
//! ```
//! use loopdeck_reports::{Format, Options, Report};
//! let report = Report { loops: Vec::new(), options: Options::default(), made: loopdeck_core::times::Timestamp::from_millis(0) };
//! assert!(report.text(Format::Markdown).starts_with("# "));
//! ```

mod html;
mod markdown;
mod sentence;
mod shown;
mod words;

pub use sentence::sentence;
pub use words::Language;

use loopdeck_core::facts::{LoopAccount, LoopFacts, RunFacts};
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::ClaimCounts;
use serde::{Deserialize, Serialize};
use specta::Type;

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One HTML file.
    Html,
    /// Markdown.
    Markdown,
}

/// What a report says. Paths and commands are left out unless they are asked for: a report is made to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename = "ReportOptions")]
pub struct Options {
    /// Its title; blank for the usual one. Text of the person's.
    #[serde(default)]
    pub title: String,
    /// Its language.
    #[serde(default)]
    pub language: Language,
    /// Whether it names files.
    #[serde(default)]
    pub paths: bool,
    /// Whether it shows commands of checks.
    #[serde(default)]
    pub commands: bool,
    /// Whether it has the notes and labels that people gave the loops.
    #[serde(default)]
    pub notes: bool,
}

/// One loop of a report.
#[derive(Clone, Debug)]
pub struct ReportedLoop {
    /// Title. Untrusted text.
    pub title: String,
    /// Name of its workspace. Untrusted text.
    pub workspace: String,
    /// The shown status.
    pub word: StatusWord,
    /// The status word as written. Untrusted text.
    pub file_word: String,
    /// Why it ended or stopped. Untrusted text.
    pub reason: Option<String>,
    /// Its last change.
    pub changed: Timestamp,
    /// What is counted.
    pub facts: LoopFacts,
    /// What it calls done and what of that is proven.
    pub claims: Option<ClaimCounts>,
    /// What our runs add up to.
    pub runs: Option<RunFacts>,
    /// What happened in it.
    pub account: LoopAccount,
    /// What people noted about it; empty when there is nothing.
    pub note: String,
    /// Labels that people gave it.
    pub labels: Vec<String>,
    /// How urgent it is: the lowest number comes first.
    pub rank: u32,
}

/// A report about loops.
#[derive(Clone, Debug)]
pub struct Report {
    /// The loops; they are written by rank, then by their last change.
    pub loops: Vec<ReportedLoop>,
    /// What it says.
    pub options: Options,
    /// When it is made.
    pub made: Timestamp,
}

impl Report {
    /// The whole text of the report.
    #[must_use]
    pub fn text(mut self, format: Format) -> String {
        self.loops.sort_by(|a, b| (a.rank, b.changed).cmp(&(b.rank, a.changed)));
        match format {
            Format::Html => html::html(&self),
            Format::Markdown => markdown::markdown(&self),
        }
    }
}

#[cfg(test)]
mod tests;
