//! What the work of a loop says is done, and what of it is proven (the proof contract §2).

use serde::{Deserialize, Serialize};
use specta::Type;

/// What became of one claim. Iterations are those of the loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct ClaimedItem {
    /// As the work names it; for boxes without names, their number.
    pub id: String,
    /// Its text. Untrusted.
    pub text: String,
    /// The iteration after which it was first seen to be called done.
    pub claimed: u32,
    /// The iteration in which all checks passed with it.
    pub proven: Option<u32>,
    /// The iteration in which a check failed although nothing else was claimed since it was proven.
    pub broke: Option<u32>,
    /// A person accepted it without proof.
    pub accepted: bool,
}

impl ClaimedItem {
    /// Proven, and not broken since.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.proven.is_some_and(|proven| self.broke.is_none_or(|broke| broke < proven))
    }
}

/// What a loop with checks claims, and what of it is proven.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct Claims {
    /// Items that are called done.
    pub claimed: u32,
    /// Those of them that are proven.
    pub proven: u32,
    /// Why a person accepts the rest, in their words, which may be none.
    pub accepted: Option<String>,
    /// Who that is; empty when the system did not say.
    pub accepted_by: String,
}

/// How many items a loop with checks calls done, and how many of them are proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ClaimCounts {
    /// Items that are called done; never 0.
    pub claimed: u32,
    /// Those of them that are proven.
    pub proven: u32,
}

impl ClaimCounts {
    /// The counts of these items; none when nothing is claimed.
    #[must_use]
    pub fn of(items: &[ClaimedItem]) -> Option<Self> {
        let proven = items.iter().filter(|item| item.is_proven()).count();
        let [claimed, proven] = [items.len(), proven].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        (claimed > 0).then_some(Self { claimed, proven })
    }
}
