//! Linux: GTK, WebKitGTK and the session bus.

pub(crate) mod autostart;
pub(crate) mod blank_notice;
pub(crate) mod restart;
pub(crate) mod tray;

/// Whether there is a display to open a window on. Starts GTK, which the window needs anyway, on this thread.
pub(crate) fn has_display() -> bool {
    gtk::init().is_ok()
}

/// Everything is built in.
pub(crate) fn with_plugins(app: tauri::Builder<tauri::Wry>) -> tauri::Builder<tauri::Wry> {
    app
}
