//! The only place that reads the clock.

use loopdeck_core::times::{Millis, Timestamp};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 UTC.
#[must_use]
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}

/// Now.
#[must_use]
pub fn timestamp() -> Timestamp {
    Timestamp::from_millis(now())
}
