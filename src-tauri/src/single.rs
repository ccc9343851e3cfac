//! One running Loopdeck per data folder: a second start passes its folders to the first and exits.

use std::ffi::OsString;
use std::path::Path;

use tauri::AppHandle;
use tauri::plugin::TauriPlugin;

use crate::args::{self, Request};
use crate::{open, window};

/// The plugin; the app's identifier decides what counts as the same instance (see
/// `DataDir::instance_suffix`).
pub(crate) fn plugin() -> TauriPlugin<tauri::Wry> {
    tauri_plugin_single_instance::Builder::new()
        .callback(|app, argv, cwd| on_second_start(app, argv, Path::new(&cwd)))
        .build()
}

fn on_second_start(app: &AppHandle, argv: Vec<String>, cwd: &Path) {
    let args = argv.into_iter().skip(1).map(OsString::from);
    // The second process checks its arguments before it calls us; anything else is not for us to open.
    if let Ok(Request::Open(args)) = args::parse(args) {
        open::open_wanted(app, open::wanted(cwd, &args.paths));
    }
    window::focus(app);
}
