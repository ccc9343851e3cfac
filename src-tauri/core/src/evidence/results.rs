//! Results of the referee, or of the completion check of an AoT loop, as records.

use super::judge::check_of;
use super::{EvidenceRecord, VERSION};
use crate::checklist::{Verdict, Verification};
use crate::times::{Timestamp, to_iso_seconds};
use crate::view::ChecklistRow;

/// The results of one run of `checks`, each as a record about what `about` names: the loop, its claims, the commit and the content. A check
/// that failed first and then passed on the same files has both results.
#[must_use]
pub fn records_of(
    found: &Verification,
    checks: &[ChecklistRow],
    about: &EvidenceRecord,
) -> Vec<EvidenceRecord> {
    let mut records = Vec::new();
    for outcome in &found.results {
        let Some(check) = checks.get(outcome.row).and_then(check_of) else { continue };
        let record = EvidenceRecord {
            v: VERSION,
            check: Some(check),
            verdict: outcome.verdict,
            exit_code: outcome.exit_code,
            tests: outcome.tests,
            at: to_iso_seconds(Timestamp::from_number(outcome.at.unwrap_or(found.started))),
            iteration: u32::try_from(found.iteration).ok(),
            ..about.clone()
        };
        if outcome.flaky {
            records.push(EvidenceRecord {
                verdict: Verdict::Fail,
                exit_code: None,
                tests: None,
                ..record.clone()
            });
        }
        records.push(record);
    }
    records
}
