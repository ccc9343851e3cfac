//! Linux: GTK, WebKitGTK and the session bus.

pub(crate) mod autostart;
pub(crate) mod blank_notice;
pub(crate) mod restart;
pub(crate) mod tray;

use crate::words::Words;

/// Why no window can be opened. Starts GTK, which the window needs anyway, on this thread.
pub(crate) fn obstacle(words: &Words) -> Option<&str> {
    gtk::init().is_err().then_some(&words.no_display)
}

/// Says why the program ends.
pub(crate) fn say_last(message: &str) {
    eprintln!("loopdeck: {message}");
}

/// The person's language, as `ja_JP.UTF-8`.
pub(crate) fn locale() -> Option<String> {
    ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| std::env::var(name).ok())
}

/// Everything is built in.
pub(crate) fn with_plugins(app: tauri::Builder<tauri::Wry>) -> tauri::Builder<tauri::Wry> {
    app
}
