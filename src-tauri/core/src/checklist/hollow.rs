//! Checks without content: their result is known before any work is done (AoT contract §11).
//!
//! Judges by the words alone, and only when certain; no command is run and no file looked up.

use super::CheckType;
use crate::view::ChecklistRow;

/// `always_passes` or `never_passes`; `None` when, going by its words, the check depends on the work.
pub(super) fn foregone(check: &ChecklistRow) -> Option<&'static str> {
    let value = check.value.as_deref().unwrap_or_default();
    let passes = match check.check_type? {
        CheckType::Command => succeeds(value)?,
        CheckType::NotCommand => !succeeds(value)?,
        CheckType::File => is_workspace(value).then_some(true)?,
        CheckType::NotFile => !is_workspace(value).then_some(true)?,
        CheckType::Quality => reached(check.pass_threshold?)?,
        CheckType::Assertion | CheckType::TestsKept | CheckType::Coverage | CheckType::Other => return None,
    };
    Some(if passes { "always_passes" } else { "never_passes" })
}

/// Whether a command that does nothing succeeds.
fn succeeds(command: &str) -> Option<bool> {
    match command.trim().trim_end_matches(';').trim_end() {
        ":" | "true" | "/bin/true" | "/usr/bin/true" | "exit 0" | "! false" => Some(true),
        "false" | "/bin/false" | "/usr/bin/false" | "exit 1" | "! true" | "! :" => Some(false),
        _ => None,
    }
}

/// The folder that checks run in always exists.
fn is_workspace(path: &str) -> bool {
    matches!(path.trim(), "." | "./")
}

/// Scores are between 1 and 5.
fn reached(threshold: f64) -> Option<bool> {
    const TOLERANCE: f64 = 1e-9;
    if threshold <= 1.0 + TOLERANCE {
        Some(true)
    } else if threshold > 5.0 + TOLERANCE {
        Some(false)
    } else {
        None
    }
}
