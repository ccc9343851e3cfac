//! Whether the processes live that locks of other tools name.

use crate::files::Canonical as _;
use crate::observe::companions;
use crate::observe::roots::Candidate;
use loopdeck_core::format::FileFacts;
use loopdeck_core::layout;
use loopdeck_core::loops;
use loopdeck_core::status::Holder;
use loopdeck_core::summary::Summary;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, files, processes};
use std::path::Path;

/// The process that the lock of a loop names. One that began after the lock was written has only the number of another.
pub(crate) fn holder(root: &Path, summary: &Summary) -> Holder {
    let Some(lock) = &summary.lock else { return Holder::Unknown };
    let Ok(written) = Fingerprint::at(&root.join(&lock.file)) else { return Holder::Unknown };
    match processes::was_there(lock.pid, written.modified()) {
        Ok(true) => Holder::Alive,
        Ok(false) => Holder::Gone,
        Err(_) => Holder::Unknown,
    }
}

/// Whether the lock of the plan in this file of the workspace names a living process.
pub(crate) fn is_tool_alive(root: &Path, plan: &str) -> bool {
    let Ok(root) = root.canonical() else { return false };
    let mut bytes = Vec::new();
    let Ok(stamp) = files::read(&root, &root.join(layout::on_disk(plan)), &mut bytes) else { return false };
    layout::places_of(plan).any(|place| {
        let candidate = Candidate { file: plan.to_owned(), place };
        let (beside, _) = companions::of_row(&root, &candidate, &bytes);
        let facts = FileFacts { stem: candidate.stem(), modified: stamp.modified(), now: clock::now() };
        let summary = loops::summary_with(place, &bytes, &facts, &beside);
        summary.is_some_and(|summary| holder(&root, &summary) == Holder::Alive)
    })
}
