//! Every desktop here has a place for icons.

/// Whether an icon can be made.
pub(crate) fn can_be_made() -> bool {
    true
}

/// Whether the desktop shows it.
pub(crate) fn desktop_shows_trays() -> bool {
    true
}
