//! Non-letter keys, as WebDriver encodes them. Use with [`super::Page::press`].

/// Enter.
pub const ENTER: &str = "\u{E007}";
/// Escape.
pub const ESCAPE: &str = "\u{E00C}";
/// Tabulator.
pub const TAB: &str = "\u{E004}";
/// Backspace.
pub const BACKSPACE: &str = "\u{E003}";
/// Delete.
pub const DELETE: &str = "\u{E017}";
/// Cursor up.
pub const UP: &str = "\u{E013}";
/// Cursor down.
pub const DOWN: &str = "\u{E015}";
/// Cursor left.
pub const LEFT: &str = "\u{E012}";
/// Cursor right.
pub const RIGHT: &str = "\u{E014}";
/// First position.
pub const HOME: &str = "\u{E011}";
/// Last position.
pub const END: &str = "\u{E010}";
/// One page up.
pub const PAGE_UP: &str = "\u{E00E}";
/// One page down.
pub const PAGE_DOWN: &str = "\u{E00F}";
/// Held together with other keys.
pub const SHIFT: &str = "\u{E008}";
/// Held together with other keys.
pub const CONTROL: &str = "\u{E009}";
/// Held together with other keys.
pub const ALT: &str = "\u{E00A}";
