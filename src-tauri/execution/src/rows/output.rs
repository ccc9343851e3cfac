//! Rows of what a run said.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What a row of output is. Words: catalogue `output.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// The agent began; `text` says model, mode and version.
    Started,
    /// What the agent says, or a line of a command.
    Text,
    /// What it thinks.
    Thinking,
    /// It uses a tool; `name` and `text` say which and how.
    ToolStart,
    /// What came of it.
    ToolEnd,
    /// It changes a file; `name` is the file.
    Edit,
    /// A line of the error channel.
    Stderr,
    /// The agent warns.
    Warning,
    /// The agent tries again.
    Retry,
    /// It asks whether it may do something.
    Permission,
    /// It may not.
    Denied,
    /// Tokens and money.
    Usage,
    /// It ended.
    Finished,
    /// Something that is not known; kept as it came.
    Other,
    /// Loopdeck itself says something (action began, stop requested, log cut).
    Note,
}

/// A row of output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct OutputRow {
    /// ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// What it is.
    pub kind: OutputKind,
    /// Tool, file, or what a note is about (`note.<name>`).
    pub name: String,
    /// At most 4 kB. Untrusted text; may have escape sequences for colours.
    pub text: String,
    /// There is more than was cut here: bytes in all.
    pub cut: Option<u32>,
    /// Whether a tool succeeded.
    pub ok: Option<bool>,
    /// 1 for what a sub-agent says.
    pub depth: u32,
}

/// A window over the output of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct OutputPage {
    /// The run it is of; empty when the loop has none.
    pub run: String,
    /// How many rows there are now.
    pub total: u32,
    /// The first row of this page.
    pub first: u32,
    /// Rows that were dropped at the beginning because the log is bounded.
    pub dropped: u32,
    /// At most 64 kB of them.
    pub rows: Vec<OutputRow>,
    /// Whether more may come.
    pub alive: bool,
}

/// What to look for in the output of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct OutputSearch {
    /// Text, whatever its case; any row when blank.
    pub text: String,
    /// Only errors: error channel, failed tools, denials, warnings, a failed end.
    pub errors: bool,
    /// Begin at this row.
    pub from: u32,
    /// Towards the beginning.
    pub backwards: bool,
}
