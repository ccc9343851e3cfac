//! What the items of the tray's menu do.

use super::go;
use super::news::Opens;
use crate::{closing, window};
use loopdeck_runtime::views::ClosingStep;
use tauri::AppHandle;

/// The item with this id was chosen.
pub(super) fn chosen(app: &AppHandle, item: &str) {
    match item {
        "show" => window::focus(app),
        "needs" => go(app, &Opens::Waiting),
        "stop" => {
            window::focus(app);
            closing::ask(app, ClosingStep::StopRuns);
        }
        "quit" => closing::quit(app),
        _ => {}
    }
}
