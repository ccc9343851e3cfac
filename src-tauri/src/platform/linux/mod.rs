//! Linux: GTK, WebKitGTK and the session bus.

pub(crate) mod autostart;
pub(crate) mod blank_notice;
pub(crate) mod restart;
pub(crate) mod tray;

/// Everything is built in.
pub(crate) fn with_plugins(app: tauri::Builder<tauri::Wry>) -> tauri::Builder<tauri::Wry> {
    app
}
