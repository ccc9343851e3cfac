//! The person in front of the screen.

use crate::runs::StopReason;

/// The person in front of the screen ends a run.
pub(crate) fn by_person() -> StopReason {
    StopReason::Person { name: person_or_unknown() }
}

/// Who that is, as the environment says or, without it (a service, a container), as the system's accounts say.
pub fn known_person() -> Option<String> {
    let named = std::env::var("USER")
        .or_else(|_| std::env::var("USERNAME"))
        .ok()
        .filter(|name| !name.trim().is_empty());
    named
        .or_else(|| whoami::username().ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
}

/// The same for a record that must name somebody; `?` when nothing says who.
pub fn person_or_unknown() -> String {
    known_person().unwrap_or_else(|| "?".to_owned())
}
