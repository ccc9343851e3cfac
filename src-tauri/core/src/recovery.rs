//! Replacements for an unreadable state file: proposals, most complete first. Nothing is written here; a
//! person agrees to one first.

pub(crate) mod proposals;
pub(crate) mod remains;
pub mod supplied;

pub use crate::recovery::remains::{ProposalSource, Remains};
pub use crate::recovery::supplied::{ApiField, Asked, StatusChoice, Supplied, asked, stamped, supply};

use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::formats::ccw::recover::Recovery;
use crate::formats::ccw::recover::reading::{self, first_value};
use crate::problem::{Problem, Severity};
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::times::{self, Timestamp};

/// Proposals for a loop of `format`; each reads without errors.
#[must_use]
pub fn proposals(
    format: Format,
    remains: &Remains<'_>,
    facts: &FileFacts<'_>,
) -> Vec<(ProposalSource, Recovery)> {
    format.rules().proposals(remains, facts)
}

/// Whether a loop may have proposals: its file is unreadable, or has an error that forbids verbs.
#[must_use]
pub fn is_recoverable(summary: &Summary) -> bool {
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    summary.status == FileStatus::Unreadable || summary.problems.iter().any(is_error)
}

/// Whether `bytes` are a complete state of the loop `stem`.
#[must_use]
pub fn is_of(bytes: &[u8], stem: &str) -> bool {
    reading::is_whole(bytes, stem)
}

/// Whether `bytes` are a complete object of a loop other than `stem`.
#[must_use]
pub fn is_of_another(bytes: &[u8], stem: &str) -> bool {
    reading::is_of_another(bytes, stem)
}

/// For finding the newest of several complete states of one loop: by `updated_at`; unreadable times sort
/// first.
#[must_use]
pub fn written(bytes: &[u8]) -> Option<Timestamp> {
    let (node, _) = first_value(bytes)?;
    times::parse(node.get("updated_at").text()?)
}

/// The format of a damaged loop: by its name when the file is another loop's, otherwise what the file was
/// taken for.
#[must_use]
pub fn format_of(taken_for: Format, damaged: &[u8], stem: &str) -> Format {
    let named = ccw::format_by_name(stem);
    if named.is_known() && is_of_another(damaged, stem) { named } else { taken_for }
}
