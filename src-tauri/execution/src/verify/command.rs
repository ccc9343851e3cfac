//! What a command of a completion check said and how it ended.

use crate::mask::Mask;
use crate::run_event::RunEnd;
use crate::runs::log::{LogReader, Stream};
use crate::runs::{Exit, StopReason};
use loopdeck_core::checklist::CommandEnd;
use std::path::Path;

/// So much of the output is kept as evidence (AoT contract §11).
const STDOUT: usize = 5_000;
const STDERR: usize = 2_000;
/// How much of the log is searched for it.
const LOOKED_AT: usize = 1 << 20;

/// How the command ended, and the beginning of its output without secrets.
pub(crate) struct Outcome {
    pub(crate) end: CommandEnd,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Reads the result of a check's command from its end and the log in `run_dir`.
pub(crate) fn result_of(end: &RunEnd, run_dir: &Path, mask: &Mask) -> Outcome {
    let window = LogReader::of_run(run_dir).read(0, LOOKED_AT).unwrap_or_default();
    let text = |stream: Stream, most: usize| {
        let pieces = window.pieces.iter().filter(|piece| piece.stream == stream);
        let bytes: Vec<u8> = pieces.flat_map(|piece| piece.bytes.iter().copied()).collect();
        mask.hide(String::from_utf8_lossy(&bytes).into_owned()).chars().take(most).collect()
    };
    Outcome { end: command_end(end), stdout: text(Stream::Out, STDOUT), stderr: text(Stream::Err, STDERR) }
}

fn command_end(end: &RunEnd) -> CommandEnd {
    match (&end.stopped_by, &end.exit) {
        (Some(StopReason::WallLimit), _) => CommandEnd::TimedOut,
        (_, Some(Exit::Code { code })) => CommandEnd::Exit(*code),
        (_, Some(Exit::Signal { .. })) => CommandEnd::Signal,
        (_, Some(Exit::NotStarted { .. }) | None) => CommandEnd::NotStarted,
    }
}
