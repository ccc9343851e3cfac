//! A list that cannot be read: its last good version is all that there is (the Ralph contract §6).

use super::summary;
use crate::format::FileFacts;
use crate::formats::ccw::recover::{Provenance, Recovery};

/// The last good version, byte for byte.
#[must_use]
pub fn recover(last_good: Option<&[u8]>, facts: &FileFacts<'_>) -> Option<Recovery> {
    let good = last_good.filter(|bytes| summary(bytes, facts).problems.is_empty())?;
    let provenance = vec![Provenance { path: String::new(), source: "last_good" }];
    Some(Recovery { text: std::str::from_utf8(good).ok()?.to_owned(), provenance, ..Recovery::default() })
}
