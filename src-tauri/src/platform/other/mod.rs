//! macOS and Windows. Only compiled.

pub(crate) mod autostart;
pub(crate) mod blank_notice;
pub(crate) mod restart;
pub(crate) mod tray;

/// A desktop without a display has nobody who could start a program.
pub(crate) fn has_display() -> bool {
    true
}

/// Notifications go through a plugin here.
pub(crate) fn with_plugins(app: tauri::Builder<tauri::Wry>) -> tauri::Builder<tauri::Wry> {
    app.plugin(tauri_plugin_notification::init())
}
