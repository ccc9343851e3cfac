//! macOS and Windows. Only compiled.

pub(crate) mod autostart;
pub(crate) mod blank_notice;
pub(crate) mod restart;
pub(crate) mod tray;

use crate::words::Words;

/// Why no window can be opened: a Windows may lack what draws it.
pub(crate) fn obstacle(words: &Words) -> Option<&str> {
    (cfg!(windows) && tauri::webview_version().is_err()).then_some(&words.no_web_view)
}

/// Says why the program ends. Nobody sees the standard error of a program that was started from a menu.
pub(crate) fn say_last(message: &str) {
    eprintln!("loopdeck: {message}");
    let dialog = rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error).set_title("Loopdeck");
    dialog.set_description(message).show();
}

/// The person's language, as `ja-JP`.
pub(crate) fn locale() -> Option<String> {
    sys_locale::get_locale()
}

/// Notifications go through a plugin here.
pub(crate) fn with_plugins(app: tauri::Builder<tauri::Wry>) -> tauri::Builder<tauri::Wry> {
    app.plugin(tauri_plugin_notification::init())
}
