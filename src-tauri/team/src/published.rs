//! What the server has of the files of this machine: learnt by whoever receives, used by whoever publishes.

use crate::layout::LARGEST_FILE;
use crate::parts;
use crate::stored::Bucket;
use loopdeck_core::stable_hash::stable_hash;
use std::collections::{HashMap, HashSet};

/// What the server has of this machine, by key.
pub(crate) type Published = HashMap<String, SentContent>;

/// What was sent under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentContent {
    /// The hash of the content, without the times in it.
    pub(crate) hash: u64,
    /// In how many further messages.
    pub(crate) parts: u32,
}

impl SentContent {
    /// Something that is none of ours: whatever is shared differs from it, and any of its parts may be there.
    pub(crate) const UNKNOWN: Self = Self { hash: u64::MAX, parts: parts::part_count(LARGEST_FILE as usize) };

    /// A body that fits in one message.
    pub(crate) fn of(body: &[u8]) -> Self {
        Self { hash: stable_hash(body), parts: 0 }
    }
}

/// What the server was told of this machine since the connection was made.
#[derive(Debug, Default)]
pub(crate) struct ToldServer {
    /// The number of the last message, by key.
    pub(crate) numbers: HashMap<String, u64>,
    /// Keys under which the server has something else.
    pub(crate) again: HashSet<String>,
}

/// The buckets of files.
#[derive(Clone, Copy)]
pub(crate) struct Buckets<'a> {
    pub(crate) loops: &'a Bucket,
    pub(crate) parts: &'a Bucket,
}
