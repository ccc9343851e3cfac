//! The files below `<id>.progress/`, line by line (the CCW contract §17): read tolerantly, written in one form.
//!
//! Every reader accepts the variants of all flavours (Codex, Claude, legacy, Loop-B, the seeds). The writers
//! next to them write the unified Loop v2 form or the Loop-B form, and their own reader returns what was
//! meant. Readers never fail: unreadable parts become a problem or a count. In texts of others, lines that
//! would look like our headings get a backslash.

pub mod debug;
pub mod develop;
mod lines;
pub mod loop_b;
pub mod ndjson;
pub mod records;
pub mod side;
pub mod summary;
pub mod validate;

pub use lines::{block, one_line};

/// The form in which a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Loop v2, Codex' unified form.
    LoopV2,
    /// Loop-B.
    LoopB,
}

/// The common head of all progress texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `**Loop ID**`, `**Session ID**` or `## Session: `.
    pub loop_id: Option<String>,
    /// `**Task**`; may have several lines.
    pub task: Option<String>,
    /// `**Started**`, `**Validated**`, or the time in the title; as written.
    pub time: Option<String>,
}

#[cfg(test)]
mod tests;
