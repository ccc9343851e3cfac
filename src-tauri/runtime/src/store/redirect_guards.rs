//! The last redirect or hold of each loop, by which an undo of it by another program is noticed.

use crate::observe::catalog::LoopId;
use loopdeck_core::control::Intent;
use loopdeck_core::times::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// The last redirect or hold of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Redirected {
    /// The file right after it.
    pub(crate) ours: Arc<[u8]>,
    /// What is written again; nothing when another process wrote it.
    pub(crate) intent: Option<Intent>,
    pub(crate) until: Timestamp,
    pub(crate) sent_again: u32,
}

/// The last redirect or hold of each loop.
#[derive(Debug, Default)]
pub(crate) struct Redirects(HashMap<LoopId, Redirected>);

impl Redirects {
    /// The last one of a loop.
    pub(crate) fn get(&self, key: &str) -> Option<&Redirected> {
        self.0.get(key)
    }

    /// Takes the place of the one before.
    pub(crate) fn put(&mut self, key: &LoopId, redirected: Redirected) {
        self.0.insert(key.clone(), redirected);
    }

    /// It is no longer watched.
    pub(crate) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }
}
