//! What our own last writes made of each file, so that they are not mistaken for foreign ones. Of a file that holds several loops, a write
//! to one of them is ours for all.

use crate::observe::catalog::LoopId;
use loopdeck_core::layout;
use loopdeck_core::loop_id::{file_of, workspace_of};
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::HashMap;

/// The version that our last write made of a loop or a companion, and the last sign of life of anybody else then.
#[derive(Debug, Default)]
pub(crate) struct OwnWrites(HashMap<LoopId, (Fingerprint, Timestamp)>);

impl OwnWrites {
    /// We wrote this version; anybody else last showed a sign of life at `life`.
    pub(crate) fn note(&mut self, key: &LoopId, stamp: Fingerprint, life: Timestamp) {
        self.0.insert(file_key(key), (stamp, life));
    }

    /// Whether our last write made this version.
    pub(crate) fn made_version(&self, key: &str, stamp: Option<Fingerprint>) -> bool {
        self.life_before(key, stamp).is_some()
    }

    /// The last sign of life of anybody else before our last write, if that write made this version.
    pub(crate) fn life_before(&self, key: &str, stamp: Option<Fingerprint>) -> Option<Timestamp> {
        self.0.get(&file_key(key)).filter(|(written, _)| Some(*written) == stamp).map(|(_, life)| *life)
    }
}

/// The name of the file that a loop or a companion is in.
fn file_key(key: &str) -> LoopId {
    LoopId::new(workspace_of(key), layout::on_disk(file_of(key)))
}
