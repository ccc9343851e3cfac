//! The only place that reads the clock.

use loopdeck_core::times::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time zone of this computer.
#[must_use]
pub fn zone() -> jiff::tz::TimeZone {
    jiff::tz::TimeZone::system()
}

/// Now.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).map_or(Timestamp::MAX, Timestamp::from_millis)
}
