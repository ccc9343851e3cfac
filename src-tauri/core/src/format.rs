//! The formats and how a file is recognised (the CCW contract §1.1).

use crate::times::Millis;
use serde::Serialize;
use specta::Type;

/// The system that a file's loop belongs to. Words: catalogue `format.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// CCW Loop v2, Claude and Codex flavours.
    LoopV2,
    /// CCW Loop-B: coordinator and workers.
    LoopB,
    /// AoT loop.
    Aot,
    /// CCW v1 engine file, read-only.
    V1,
    /// Legacy CCW session folder, read-only.
    Legacy,
    /// Where a loop should be, but unreadable, so its format is unknown.
    Unknown,
}

/// What Loopdeck does with loops of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Handling {
    /// It is controlled, and Loopdeck can run its agents.
    Driven,
    /// It is controlled through its file; its agents run elsewhere.
    Controlled,
    /// It is only shown.
    ReadOnly,
}

impl Format {
    /// What Loopdeck does with its loops.
    #[must_use]
    pub fn handling(self) -> Handling {
        match self {
            Format::LoopV2 | Format::LoopB | Format::Aot => Handling::Driven,
            Format::V1 | Format::Legacy | Format::Unknown => Handling::ReadOnly,
        }
    }
}

/// What is known about a file before its bytes are read.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'a> {
    /// File name without `.json`, or the folder name of a legacy session: the identity (E5).
    pub stem: &'a str,
    /// Modification time.
    pub modified: Millis,
    /// Now.
    pub now: Millis,
}
