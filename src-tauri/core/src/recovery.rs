//! What may take the place of a state file that cannot be read: proposals, in the order in which they are offered (the
//! CCW contract §16). Nothing is written here; a person agrees to one first.

use crate::ccw::recover::Recovery;
use crate::format::{FileFacts, Format};
use crate::view::Companion;
use crate::{ccw, ccw_v2, loop_b};
use serde::{Deserialize, Serialize};
use specta::Type;

/// Where a proposal comes from. Words: catalogue `recovery_way.<word>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Our own last good copy, as it was.
    LastGood,
    /// What is left at the beginning of the file.
    Prefix,
    /// The backup that v1 keeps beside its file.
    Backup,
    /// Put together from the files beside the loop and all that is left.
    Rebuilt,
}

/// What proposals are made of.
#[derive(Clone, Copy, Debug)]
pub struct Remains<'a> {
    /// The file as it is.
    pub damaged: &'a [u8],
    /// What it said when it could be read last.
    pub last_good: Option<&'a [u8]>,
    /// The backup beside it.
    pub backup: Option<&'a [u8]>,
    /// The files beside it.
    pub companions: &'a [Companion],
}

/// Proposals for a loop of `format`; each can be read without errors.
#[must_use]
pub fn ways(format: Format, remains: &Remains<'_>, facts: &FileFacts<'_>) -> Vec<(Way, Recovery)> {
    let Remains { damaged, last_good, companions, .. } = *remains;
    let rebuilt = match format {
        Format::LoopB => loop_b::recover::recover(damaged, last_good, companions, facts),
        Format::LoopV2 | Format::Unknown => ccw_v2::recover::recover(damaged, last_good, companions, facts),
        Format::Aot | Format::V1 | Format::Legacy => return Vec::new(),
    };
    let _ = ccw::summary(rebuilt.text.as_bytes(), facts);
    vec![(Way::Rebuilt, rebuilt)]
}
