//! Reports that were found and not read, or not to their end.

use loopdeck_text::json_span::scan::{Fault, ScanError};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::fmt::{self, Display, Formatter};

/// A report that was found and not read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct UnreadReport {
    /// Its path below the workspace; `output` for what the command printed.
    pub source: String,
    /// Why.
    pub why: UnreadReason,
}

/// Why a report was not read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum UnreadReason {
    /// Larger than what is left of what is read in all; both in MB, rounded up.
    TooLarge {
        /// Its size.
        size: u32,
        /// What is read of all reports.
        limit: u32,
    },
    /// Behind as many files as are read.
    TooMany {
        /// So many are read.
        limit: u32,
    },
    /// In no format that Loopdeck reads.
    UnknownFormat,
    /// Neither valid XML nor valid JSON.
    NotWellFormed {
        /// The first line that isn't, from 1.
        line: u32,
    },
    /// It ends early.
    CutOff,
    /// Its encoding can't be read.
    Encoding {
        /// As the report names it.
        name: String,
    },
    /// It is empty.
    Empty,
    /// The file can't be read: a link that leads outside, no permission.
    Unreadable {
        /// What the system said.
        message: String,
    },
}

impl UnreadReport {
    pub(crate) fn new(source: &str, why: UnreadReason) -> Self {
        Self { source: source.to_owned(), why }
    }

    /// Whether passed tests of other reports prove nothing next to it: it may name failed ones.
    pub(crate) fn may_hide_failures(&self) -> bool {
        !matches!(self.why, UnreadReason::UnknownFormat | UnreadReason::Empty)
    }
}

/// In English, for records and prompts; the window has its own words.
impl Display for UnreadReport {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.source)?;
        match &self.why {
            UnreadReason::TooLarge { size, limit } => {
                write!(out, "not read, {size} MB of at most {limit} MB")
            }
            UnreadReason::TooMany { limit } => write!(out, "not read, more than {limit} result files"),
            UnreadReason::UnknownFormat => out.write_str("unknown format"),
            UnreadReason::NotWellFormed { line } => write!(out, "not well formed at line {line}"),
            UnreadReason::CutOff => out.write_str("ends early"),
            UnreadReason::Encoding { name } => write!(out, "unknown encoding {name}"),
            UnreadReason::Empty => out.write_str("empty"),
            UnreadReason::Unreadable { message } => write!(out, "can't be read ({message})"),
        }
    }
}

/// Where and how a text stops being JSON.
pub(super) fn unread_json(text: &str, error: &ScanError) -> UnreadReason {
    match error.fault {
        Fault::UnexpectedEnd => UnreadReason::CutOff,
        _ if error.offset >= text.trim_end().len() => UnreadReason::CutOff,
        _ => UnreadReason::NotWellFormed { line: super::json::line_of(text, error.offset) },
    }
}
