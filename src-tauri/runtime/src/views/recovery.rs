//! Proposals for a state file that cannot be read.

use loopdeck_core::recovery::{Asked, ProposalSource};
use serde::Serialize;
use specta::Type;

/// A state file that cannot be read, and what can replace it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RecoveryPage {
    /// State file below the workspace.
    pub file: String,
    /// Its content, cut to 1 MiB.
    pub there: String,
    /// Invalid UTF-8 was replaced for display.
    pub lossy: bool,
    /// Name below the workspace under which the damaged file is kept.
    pub aside: String,
    /// Proposals, the one that brings back most first.
    pub options: Vec<RecoveryOption>,
}

/// One proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RecoveryOption {
    /// Where it comes from.
    pub way: ProposalSource,
    /// The whole new file.
    pub text: String,
    /// Where each field comes from, in the order of the text.
    pub fields: Vec<FieldOrigin>,
    /// What it does not bring back: fields that nothing is left of, and parts that another proposal has.
    pub lost: Vec<String>,
    /// Fields that are made up, for a person to type in.
    pub asked: Vec<Asked>,
    /// How many of the newest values of the loop it has.
    pub recovered: u32,
    /// How many of them there are, with the lost ones that no proposal has; 0 when they are not counted.
    pub known: u32,
    /// Names this proposal for this damage.
    pub fingerprint: String,
}

/// Where a field comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct FieldOrigin {
    /// Such as `skill_state.develop.tasks`; once for each source of a list that was put together.
    pub path: String,
    /// `stem`, `prefix`, `elsewhere`, `last_good`, `backup`, `proposed`, `missing`, `ours`, `theirs` (words: catalogue
    /// `recovery_source.<word>`), or the name of a file next to the loop.
    pub source: String,
}
