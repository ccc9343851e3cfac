//! What is known of the work of a driven loop as it is now, as records.

use super::{Acceptance, EvidenceItem, EvidenceRecord, VERSION, claimed, records_of};
use crate::control::Situation;
use crate::driver::Memory;
use crate::format::Format;
use crate::formats::aot::drive as aot;
use crate::formats::loop_format::KnownFile;
use crate::referee::rows_of;
use crate::status::StatusWord;
use crate::view::Companion;

/// What the checks said since an agent worked last, and that a person accepts the work. What the folder holds is added by whoever looks
/// at it, and so is who accepts it, and when.
#[must_use]
pub fn found_now(
    format: Format,
    file: KnownFile<'_>,
    beside: &[Companion],
    memory: &Memory,
) -> Vec<EvidenceRecord> {
    if !format.traits().has_completion_check {
        return found_by_referee(memory);
    }
    let Some(found) = aot::verified(file.0, memory) else { return Vec::new() };
    let situation = Situation { shown: StatusWord::Running, now: file.1.now };
    let detail = format.rules().detail(file, &situation, beside);
    let about = EvidenceRecord { items: claimed(&detail, false).items, ..EvidenceRecord::default() };
    records_of(found, &detail.checklist, &about)
}

fn found_by_referee(memory: &Memory) -> Vec<EvidenceRecord> {
    let referee = &memory.referee;
    let item =
        |claim: &crate::referee::Claim| EvidenceItem { id: claim.id.clone(), text: claim.text.clone() };
    let about =
        EvidenceRecord { items: referee.claims().iter().map(item).collect(), ..EvidenceRecord::default() };
    let rows = rows_of(&memory.policy.checks);
    let checked = referee.verification().map(|found| records_of(found, &rows, &about));
    let accepted = referee.accepted().map(|why| EvidenceRecord {
        v: VERSION,
        iteration: u32::try_from(referee.iteration()).ok(),
        accepted: Some(Acceptance { by: String::new(), why: why.to_owned() }),
        ..about.clone()
    });
    checked.into_iter().flatten().chain(accepted).collect()
}
