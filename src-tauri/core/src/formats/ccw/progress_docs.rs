//! The files below `<id>.progress/`, line by line (the CCW contract §17): read tolerantly, written in one form.
//!
//! Every reader takes the variants of all flavours (Codex, Claude, legacy, Loop-B, the seeds); the writers beside them
//! write the unified Loop v2 form or the Loop-B form, and their own reader gives back what was meant. Readers never
//! fail: what cannot be read is a problem or a count. Texts of others are kept apart from our headings by a backslash
//! before lines that would look like one.

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

/// Whose form a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Loop v2, Codex' unified form.
    LoopV2,
    /// Loop-B.
    LoopB,
}

/// What the heads of all progress texts say.
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
