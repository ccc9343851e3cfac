//! The one window: decorated and opaque (L5.4), its place remembered in the data folder.

use tauri::plugin::TauriPlugin;
use tauri::{App, AppHandle, DragDropEvent, Manager, Runtime, WebviewWindowBuilder, Window, WindowEvent};
use tauri_plugin_window_state::StateFlags;

use crate::data_dir::DataDir;
use crate::first_paint::FirstPaint;
use crate::open;

/// Label of the window in the configuration and the capability.
const MAIN: &str = "main";

/// Creates the window as `tauri.conf.json` describes it and starts waiting for its first paint.
pub(crate) fn create(app: &App) -> tauri::Result<()> {
    let config = app.config().app.windows.iter().find(|window| window.label == MAIN);
    let config = config.cloned().ok_or(tauri::Error::WindowNotFound)?;
    WebviewWindowBuilder::from_config(app, &config)?
        .data_directory(app.state::<DataDir>().path().join("webview"))
        .build()?;
    app.state::<FirstPaint>().watch(app.handle());
    Ok(())
}

/// Remembers size and place, and nothing that could bring the window back hidden or undecorated.
pub(crate) fn state_plugin<R: Runtime>(data_dir: &DataDir) -> TauriPlugin<R> {
    // The plugin joins the name to its own folder; an absolute path replaces it.
    let file = data_dir.path().join("window.json");
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
        .with_filename(file.to_string_lossy())
        .build()
}

/// What happens to the window that the page cannot see.
pub(crate) fn on_event(window: &Window, event: &WindowEvent) {
    let WindowEvent::DragDrop(drag) = event else { return };
    let app = window.app_handle();
    match drag {
        DragDropEvent::Enter { .. } => open::dragging(app, true),
        DragDropEvent::Leave => open::dragging(app, false),
        DragDropEvent::Drop { paths, .. } => {
            open::dragging(app, false);
            open::open_dropped(app, paths);
        }
        _ => {}
    }
}

/// Brings the window to the front.
pub(crate) fn focus<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    // Each step may be refused by the window manager; the next one is still worth trying.
    let steps = [window.unminimize(), window.show(), window.set_focus()];
    for error in steps.into_iter().filter_map(Result::err) {
        eprintln!("loopdeck: cannot bring the window to the front: {error}");
    }
}
