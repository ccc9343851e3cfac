//! Whether the processes live that locks of other tools name.

use loopdeck_core::status::Holder;
use loopdeck_core::summary::Summary;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::processes;
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
