//! What is left of a damaged file, and where a replacement comes from.

use crate::view::Companion;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The sources of proposals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remains<'a> {
    /// The current file.
    pub damaged: &'a [u8],
    /// Its last readable content.
    pub last_good: Option<&'a [u8]>,
    /// The backup next to it.
    pub backup: Option<&'a [u8]>,
    /// This loop's content in another loop's file, if the two were swapped.
    pub elsewhere: Option<&'a [u8]>,
    /// The files next to it.
    pub companions: &'a [Companion],
}

/// The source of a proposal; of two that restore the same, the earlier one in this list is offered first.
/// Words: catalogue `way.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProposalSource {
    /// The last good version that Loopdeck has seen, byte for byte.
    LastGood,
    /// The damaged file itself: its faults corrected, without what surrounds it, closed where it breaks off.
    Prefix,
    /// The `.json.backup` that the v1 engine keeps, byte for byte.
    Backup,
    /// This loop's state found in another loop's file, byte for byte.
    Elsewhere,
    /// Merged field by field from all remains: the file, the last good version, progress files.
    Rebuilt,
}
