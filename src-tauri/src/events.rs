//! Window and app events from the desktop: closing, and drops.

use crate::{closing, open, platform, window};
use loopdeck_runtime::views::ClosingStep;
use tauri::{AppHandle, DragDropEvent, Manager as _, RunEvent, Window, WindowEvent};

/// Window events that the page cannot see.
pub(crate) fn on_event(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    match event {
        WindowEvent::DragDrop(drag) => on_drag(app, drag),
        WindowEvent::CloseRequested { api, .. } if !closing::may_end(app) => {
            api.prevent_close();
            closing::ask(app, ClosingStep::Close);
        }
        _ => {}
    }
}

/// App events outside of any window: the system quits it, and on macOS reopens it.
pub(crate) fn on_run_event(app: &AppHandle, event: RunEvent) {
    match event {
        // Only macOS quits an app that has a window.
        RunEvent::ExitRequested { code: None, api, .. }
            if platform::QUITS_WITH_WINDOWS && !closing::may_end(app) =>
        {
            api.prevent_exit();
            window::focus(app);
            closing::ask(app, ClosingStep::Close);
        }
        event if platform::is_called_back(&event) => window::focus(app),
        _ => {}
    }
}

fn on_drag(app: &AppHandle, drag: &DragDropEvent) {
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
