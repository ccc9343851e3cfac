//! What may take the place of a state file that cannot be read: proposals, in the order in which they are offered.
//! Nothing is written here; a person agrees to one first.

use crate::aot;
use crate::ccw::recover::{Provenance, Recovery};
use crate::ccw::recovery_ways;
use crate::format::{FileFacts, Format};
use crate::problem::Severity;
use crate::view::Companion;

pub use crate::ccw::recovery_ways::Way;

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
    let Remains { damaged, last_good, backup, companions } = *remains;
    if format == Format::Aot {
        return aot_ways(damaged, last_good, facts);
    }
    recovery_ways::ways(format, damaged, last_good, backup, companions, facts)
}

fn aot_ways(damaged: &[u8], last_good: Option<&[u8]>, facts: &FileFacts<'_>) -> Vec<(Way, Recovery)> {
    let as_it_was = last_good.filter(|bytes| is_good(bytes, facts));
    let as_it_was = as_it_was.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(|text| Recovery {
        text: text.to_owned(),
        provenance: vec![Provenance { path: String::new(), source: "last_good" }],
        lost: Vec::new(),
    });
    let rebuilt = aot::recover(damaged, last_good, facts);
    let mut ways: Vec<(Way, Recovery)> =
        as_it_was.map(|recovery| (Way::LastGood, recovery)).into_iter().collect();
    ways.extend(rebuilt.map(|recovery| (Way::Rebuilt, recovery)));
    ways.dedup_by(|later, earlier| later.1.text == earlier.1.text);
    ways
}

fn is_good(bytes: &[u8], facts: &FileFacts<'_>) -> bool {
    !aot::summary(bytes, facts).problems.iter().any(|problem| problem.severity == Severity::Error)
}
