//! Replacements for an unreadable state file: proposals, most complete first. Nothing is written here; a
//! person agrees to one first.

pub mod proposals;
pub mod supplied;

pub use crate::recovery::proposals::ProposalSource;
pub use crate::recovery::supplied::{ApiField, Asked, StatusChoice, Supplied, asked, stamped, supply};

use crate::format::{FileFacts, Format};
use crate::formats::ccw::recover::reading::{self, first_value};
use crate::formats::ccw::recover::{Provenance, Recovery};
use crate::formats::{aot, ccw, ralph};
use crate::problem::{Problem, Severity};
use crate::recovery::proposals as recovery_proposals;
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::times::{self, Timestamp};
use crate::view::Companion;

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

/// Proposals for a loop of `format`; each reads without errors.
#[must_use]
pub fn proposals(
    format: Format,
    remains: &Remains<'_>,
    facts: &FileFacts<'_>,
) -> Vec<(ProposalSource, Recovery)> {
    match format {
        Format::Aot => return aot_ways(remains.damaged, remains.last_good, facts),
        Format::Ralph => {
            let recovery = ralph::recover(remains.last_good, facts);
            return recovery.map(|recovery| (ProposalSource::LastGood, recovery)).into_iter().collect();
        }
        Format::LoopV2 | Format::LoopB | Format::V1 | Format::Legacy | Format::Unknown => {}
    }
    recovery_proposals::proposals(format, remains, facts)
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
    match ccw::format_by_name(stem) {
        Format::Unknown => taken_for,
        named if is_of_another(damaged, stem) => named,
        _ => taken_for,
    }
}

fn aot_ways(
    damaged: &[u8],
    last_good: Option<&[u8]>,
    facts: &FileFacts<'_>,
) -> Vec<(ProposalSource, Recovery)> {
    let as_it_was = last_good.filter(|bytes| is_good(bytes, facts));
    let as_it_was = as_it_was.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(|text| Recovery {
        text: text.to_owned(),
        provenance: vec![Provenance { path: String::new(), source: "last_good" }],
        ..Recovery::default()
    });
    let rebuilt = aot::recover(damaged, last_good, facts);
    let mut ways: Vec<(ProposalSource, Recovery)> =
        as_it_was.map(|recovery| (ProposalSource::LastGood, recovery)).into_iter().collect();
    ways.extend(rebuilt.map(|recovery| (ProposalSource::Rebuilt, recovery)));
    // What is readable is newer than the last good version.
    if aot::summary(damaged, facts).status != FileStatus::Unreadable {
        ways.reverse();
    }
    ways.dedup_by(|later, earlier| later.1.text == earlier.1.text);
    ways
}

fn is_good(bytes: &[u8], facts: &FileFacts<'_>) -> bool {
    !aot::summary(bytes, facts).problems.iter().any(|problem| problem.severity == Severity::Error)
}
