//! What the journal keeps of runs, in the words that drivers and journal share.

use crate::run::Run;
use crate::runs::LoopKey;
use loopdeck_core::times::{TimeDelta, Timestamp};

/// A lease that is not renewed for this long is free, whatever happened to its holder. Guards renew theirs more often; a holder that is
/// known to be gone is succeeded at once.
pub const LEASE_LASTS: TimeDelta = TimeDelta::minutes(20);

/// Which loop, as the journal names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopRef<'a> {
    /// Canonical workspace path.
    pub workspace: &'a str,
    /// State file below it.
    pub file: &'a str,
}

impl<'a> From<&'a LoopKey> for LoopRef<'a> {
    fn from(of: &'a LoopKey) -> Self {
        Self { workspace: &of.workspace, file: &of.file }
    }
}

/// A run with the loop it belongs to.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// Canonical workspace path.
    pub workspace: String,
    /// State file below it.
    pub file: String,
    /// The run.
    pub run: Run,
}

/// What a person said to the agents of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopMessage {
    /// Its number in the journal.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// What it is about: a place in a file; empty for the loop as a whole.
    pub about: String,
    /// What.
    pub text: String,
    /// The first run that has it in its prompt, and when that began; `None` while it waits.
    pub delivered: Option<(String, Timestamp)>,
}

/// What all runs of a loop reported to have used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens of all kinds; `None` when none was reported.
    pub tokens: Option<u64>,
    /// US dollars; `None` when none was reported.
    pub cost_usd: Option<f64>,
    /// How long runs were at work, those at the same time counted once; `None` when the first of them was not the loop's
    /// first round.
    pub worked: Option<TimeDelta>,
}
