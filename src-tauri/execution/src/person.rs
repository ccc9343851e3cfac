//! The person in front of the screen.

use crate::runs::StopReason;

/// The person in front of the screen ends a run.
pub(crate) fn by_person() -> StopReason {
    StopReason::Person { name: known_person().unwrap_or_else(|| "?".to_owned()) }
}

/// Who that is, when the system says it.
pub fn known_person() -> Option<String> {
    let named = std::env::var("USER").or_else(|_| std::env::var("USERNAME")).ok();
    named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}
