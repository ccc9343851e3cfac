//! The commands the page may call. Each is listed in `bindings::builder`, which types it for the page.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use serde::Serialize;
use specta::Type;
use tauri::State;

use crate::first_paint::FirstPaint;
use crate::open::Opened;

/// What a window needs to know before its first frame.
#[derive(Debug, Serialize, Type)]
pub(crate) struct Startup {
    /// Version of Loopdeck.
    version: String,
    /// Folders asked for on the command line, by a second start or by a drop, absolute.
    workspaces: Vec<String>,
}

/// The page is on screen. It calls this once, after its first paint.
#[tauri::command]
#[specta::specta]
pub(crate) fn painted(first_paint: State<'_, FirstPaint>) -> Result<(), String> {
    first_paint.report().map_err(|error| error.to_string())
}

/// What to show at first.
#[tauri::command]
#[specta::specta]
pub(crate) fn startup(opened: State<'_, Opened>) -> Startup {
    let workspaces = opened.paths().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    Startup { version: env!("CARGO_PKG_VERSION").into(), workspaces }
}
