//! The one window: decorated and opaque, its position remembered in the data folder.

use tauri::plugin::TauriPlugin;
use tauri::utils::config::WindowConfig;
use tauri::webview::NewWindowResponse;
use tauri::{App, AppHandle, LogicalSize, Manager, Runtime, WebviewWindowBuilder};
use tauri_plugin_window_state::StateFlags;

use crate::first_paint::FirstPaint;
use crate::outside;
use loopdeck_runtime::data_dir::DataDir;

/// Label of the window in the configuration and the capability.
const MAIN: &str = "main";

/// Creates the window as `tauri.conf.json` describes it and starts waiting for its first paint. `first` is a script that runs
/// before those of the page.
pub(crate) fn create(app: &App, first: Option<String>) -> tauri::Result<()> {
    let development = app.config().build.dev_url.clone().filter(|_| tauri::is_dev());
    let window = WebviewWindowBuilder::from_config(app, &config(app)?)?
        .data_directory(app.state::<DataDir>().path().join("webview"))
        // Whatever the page shows, it neither leaves the app nor opens or loads something beside it.
        .on_navigation(move |url| outside::is_own_page(url, development.as_ref()))
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false);
    let window = match first {
        Some(script) => window.initialization_script(script),
        None => window,
    };
    window.build()?;
    app.state::<FirstPaint>().watch(app.handle());
    Ok(())
}

/// Its size, its title and all else that is known before it is made.
pub(crate) fn config(app: &App) -> tauri::Result<WindowConfig> {
    let config = app.config().app.windows.iter().find(|window| window.label == MAIN);
    let config = config.cloned().ok_or(tauri::Error::WindowNotFound)?;
    // Wayland and some displays don't know a first screen.
    let any = || app.available_monitors().ok()?.into_iter().next();
    let screen = app.primary_monitor().ok().flatten().or_else(any);
    let room = screen.map(|screen| screen.work_area().size.to_logical(screen.scale_factor()));
    Ok(room.map_or_else(|| config.clone(), |room| within(config.clone(), room)))
}

/// No larger than the `room` on the screen, also where everything on it is drawn at twice its size.
fn within(mut config: WindowConfig, room: LogicalSize<f64>) -> WindowConfig {
    // A system that doesn't know its screen says that there is no room at all.
    if room.width < 1.0 || room.height < 1.0 {
        return config;
    }
    config.width = config.width.min(room.width);
    config.height = config.height.min(room.height);
    config.min_width = config.min_width.map(|width| width.min(room.width));
    config.min_height = config.min_height.map(|height| height.min(room.height));
    config
}

/// Remembers size and position, and nothing that could bring the window back hidden or undecorated.
pub(crate) fn state_plugin<R: Runtime>(data_dir: &DataDir) -> TauriPlugin<R> {
    // The plugin joins the name to its own folder; an absolute path replaces it.
    let file = data_dir.path().join("window.json");
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
        .with_filename(file.to_string_lossy())
        .build()
}

/// Hides the window; runs continue, and [`focus`] brings it back.
pub(crate) fn hide<R: Runtime>(app: &AppHandle<R>) {
    let hidden = app.get_webview_window(MAIN).map(|window| window.hide());
    if let Some(Err(error)) = hidden {
        tracing::warn!(%error, "the window cannot be hidden");
    }
}

/// Whether the person is looking at the window, as far as the desktop reports it.
pub(crate) fn is_in_front<R: Runtime>(app: &AppHandle<R>) -> bool {
    let window = app.get_webview_window(MAIN);
    window.is_some_and(|window| {
        window.is_visible().unwrap_or_default() && window.is_focused().unwrap_or_default()
    })
}

/// Shows the number of waiting items in the title and on the app's icon; the title works where icons have no
/// badges.
pub(crate) fn show_count<R: Runtime>(app: &AppHandle<R>, count: usize) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let title = if count == 0 { "Loopdeck".to_owned() } else { format!("({count}) Loopdeck") };
    let _ = window.set_title(&title); // fails only when the window is gone
    let badge = i64::try_from(count).ok().filter(|count| *count > 0);
    let _ = window.set_badge_count(badge); // not every desktop has badges
}

/// Brings the window to the front.
pub(crate) fn focus<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    // The window manager may refuse any step; the next one is still worth trying.
    let steps = [window.unminimize(), window.show(), window.set_focus()];
    for error in steps.into_iter().filter_map(Result::err) {
        tracing::warn!(%error, "the window cannot be brought to the front");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(config: &WindowConfig) -> [Option<f64>; 4] {
        [Some(config.width), Some(config.height), config.min_width, config.min_height]
    }

    #[test]
    fn a_window_is_no_larger_than_its_screen() {
        let config = WindowConfig {
            width: 1280.0,
            height: 800.0,
            min_width: Some(900.0),
            min_height: Some(600.0),
            ..Default::default()
        };
        let on = |width, height| sizes(&within(config.clone(), LogicalSize::new(width, height)));
        assert_eq!(on(640.0, 400.0), [640.0, 400.0, 640.0, 400.0].map(Some));
        assert_eq!(on(1024.0, 768.0), [1024.0, 768.0, 900.0, 600.0].map(Some));
        assert_eq!(on(2560.0, 1440.0), sizes(&config));
        assert_eq!(on(0.0, 0.0), sizes(&config));
    }
}
