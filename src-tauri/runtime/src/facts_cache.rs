//! Facts of loops, counted once for each version of their files.

use crate::loop_reader::LocatedLoop;
use crate::observe::catalog::Entry;
use loopdeck_core::facts::LoopFacts;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Facts of loops by the version of their files.
#[derive(Debug, Default)]
pub(crate) struct FactsCache(Mutex<HashMap<LoopId, CountedFacts>>);

#[derive(Debug)]
struct CountedFacts {
    version: FactsVersion,
    facts: Arc<LoopFacts>,
}

/// The versions of the state file and of what is next to it.
type FactsVersion = (Option<Fingerprint>, Timestamp);

impl FactsCache {
    pub(crate) fn get(&self, entry: &Entry) -> Option<Arc<LoopFacts>> {
        let cache = self.0.lock();
        let counted = cache.get(&entry.key())?;
        (counted.version == version(entry)).then(|| Arc::clone(&counted.facts))
    }

    /// Counts the facts of a loop from its files.
    pub(crate) fn count(&self, found: &LocatedLoop) -> Arc<LoopFacts> {
        if let Some(known) = self.get(&found.entry) {
            return known;
        }
        let (detail, _) = found.detail();
        let facts = Arc::new(LoopFacts::from_detail(&found.entry.summary, &detail));
        let counted = CountedFacts { version: version(&found.entry), facts: Arc::clone(&facts) };
        self.0.lock().insert(found.entry.key(), counted);
        facts
    }
}

fn version(entry: &Entry) -> FactsVersion {
    (entry.stamp, entry.companion_change)
}
