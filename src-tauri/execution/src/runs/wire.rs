//! What apps and guardians say to each other: one JSON object per line.

use super::report::{Exit, StepTaken, StopReason, StopReport};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// From an app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Request {
    /// End the run.
    Stop { by: StopReason, ask_first: bool },
    /// SIGINT to the child, nothing more.
    Interrupt,
    /// Text for a stream on stdin.
    Stdin { text: String },
    /// The end of stdin.
    CloseStdin,
    /// The final event was read: the process has a grace to exit.
    FinalSeen,
    /// Report the state.
    Status,
    /// The last `More` was taken; the next may come.
    Seen,
}

/// From a guardian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// There will be no run; instead of the first `Status`.
    Failed { why: String },
    /// The state; the first line of every connection.
    Status(RunStatus),
    /// The log has grown. One at a time per connection.
    More,
    /// The child has exited; the ending continues.
    Exited { exit: Exit },
    /// A step of the ending.
    Step { step: StepTaken },
    /// The record is complete, or as complete as the disk allowed. `by`: who or what ended the run; absent in what an older
    /// guardian says.
    Ended {
        report: StopReport,
        #[serde(default)]
        by: Option<StopReason>,
    },
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStatus {
    /// Position behind the last frame of its log.
    pub log_end: u64,
    /// How the child ended, if it did.
    pub exit: Option<Exit>,
    /// Whether the run is being ended.
    pub ending: bool,
    /// Apps connected, this one included.
    pub apps: u32,
    /// Its processes that are alive, when it was asked; `None` unasked, and when they cannot be seen. Absent in what an older
    /// guardian says.
    #[serde(default)]
    pub processes: Option<u32>,
}

/// One line.
pub(crate) fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}
