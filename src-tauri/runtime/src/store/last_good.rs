//! Last readable versions of loops, in bounded memory: what a damaged file showed before.

use loopdeck_core::loop_id::LoopId;
use loopdeck_core::times::Timestamp;
use std::collections::VecDeque;
use std::sync::Arc;

/// Kept in all; the oldest versions go first.
const LIMIT: usize = 8 << 20;

/// The versions, oldest first.
#[derive(Debug, Default)]
pub struct LastGood {
    versions: VecDeque<GoodVersion>,
    bytes: usize,
}

#[derive(Debug)]
struct GoodVersion {
    key: LoopId,
    bytes: Arc<[u8]>,
    modified: Timestamp,
}

impl LastGood {
    /// Keeps `bytes` as the last good version of `key`, in place of an older one. A version above the limit is not kept.
    pub fn keep(&mut self, key: &LoopId, bytes: Arc<[u8]>, modified: Timestamp) {
        self.forget(key);
        if bytes.len() > LIMIT {
            return;
        }
        self.bytes += bytes.len();
        self.versions.push_back(GoodVersion { key: key.clone(), bytes, modified });
        while self.bytes > LIMIT
            && let Some(oldest) = self.versions.pop_front()
        {
            self.bytes -= oldest.bytes.len();
        }
    }

    /// The last good version of `key` and when it was written.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<(Arc<[u8]>, Timestamp)> {
        let found = self.versions.iter().find(|version| &*version.key == key)?;
        Some((Arc::clone(&found.bytes), found.modified))
    }

    fn forget(&mut self, key: &str) {
        if let Some(at) = self.versions.iter().position(|version| &*version.key == key)
            && let Some(old) = self.versions.remove(at)
        {
            self.bytes -= old.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_kept_and_memory_is_bounded() {
        let mut kept = LastGood::default();
        let key = |n: usize| LoopId::new("w", &n.to_string());
        kept.keep(&key(0), b"one"[..].into(), Timestamp::from_millis(1));
        kept.keep(&key(0), b"two"[..].into(), Timestamp::from_millis(2));
        assert_eq!(kept.get("w:0"), Some((b"two"[..].into(), Timestamp::from_millis(2))));
        for n in 1..=40 {
            kept.keep(&key(n), vec![0; LIMIT / 20].into(), Timestamp::from_millis(3));
        }
        assert!(kept.bytes <= LIMIT && kept.get("w:0").is_none() && kept.get("w:40").is_some());
        kept.keep(&key(40), vec![0; LIMIT + 1].into(), Timestamp::from_millis(4));
        assert!(kept.get("w:40").is_none(), "an older version must not pass for the last good one");
    }
}
