//! The one window: decorated and opaque, its position remembered in the data folder.

use tauri::plugin::TauriPlugin;
use tauri::utils::config::WindowConfig;
use tauri::webview::NewWindowResponse;
use tauri::{
    App, AppHandle, LogicalSize, Manager, PhysicalRect, PhysicalSize, Runtime, WebviewWindowBuilder,
};
use tauri_plugin_window_state::StateFlags;

use crate::damaged::Damaged;
use crate::first_paint::FirstPaint;
use crate::outside;
use loopdeck_runtime::data_dir::DataDir;
use loopdeck_runtime::kept::{self, Kept};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Label of the window in the configuration and the capability.
const MAIN: &str = "main";
/// Where size and position are remembered.
const FILE: &str = "window.json";

/// What the plugin that remembers them writes, by the label of a window.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Places(HashMap<String, Place>);

/// Where a window was. Each of these has to be there, or the plugin takes none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Place {
    width: u32,
    height: u32,
    x: i32,
    y: i32,
    prev_x: i32,
    prev_y: i32,
    maximized: bool,
    visible: bool,
    decorated: bool,
    fullscreen: bool,
}

impl Kept for Places {
    /// The plugin writes none.
    const FORM: u32 = 0;
}

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
    let window = window.build()?;
    // The plugin has read the file by now, and begins without one that is damaged: it would write over it at the end.
    let (Places(places), damaged) = kept::load(&app.state::<DataDir>().path().join(FILE));
    app.state::<Damaged>().note(damaged.into_iter().collect());
    let smaller = places.get(MAIN).and_then(|place| fitting(place, &rooms(app)));
    if let Some(Err(error)) = smaller.map(|size| window.set_size(size)) {
        tracing::warn!(%error, "the window may be larger than its screen");
    }
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

/// What a window can use of each screen, the first screen first.
fn rooms(app: &App) -> Vec<PhysicalRect<i32, u32>> {
    let first = app.primary_monitor().ok().flatten();
    let screens = first.into_iter().chain(app.available_monitors().unwrap_or_default());
    screens.map(|screen| *screen.work_area()).collect()
}

/// The size for a window that comes back at `place`, when the one that it had is larger than its screen is now.
fn fitting(place: &Place, rooms: &[PhysicalRect<i32, u32>]) -> Option<PhysicalSize<u32>> {
    let has = |room: &&PhysicalRect<i32, u32>| {
        let within = |at: i32, from: i32, length: u32| {
            (0..i64::from(length)).contains(&(i64::from(at) - i64::from(from)))
        };
        within(place.x, room.position.x, room.size.width)
            && within(place.y, room.position.y, room.size.height)
    };
    let room = rooms.iter().find(has).or_else(|| rooms.first())?.size;
    // A system that doesn't know its screen says that there is no room at all.
    if place.maximized || room.width == 0 || room.height == 0 {
        return None;
    }
    let size = PhysicalSize::new(place.width.min(room.width), place.height.min(room.height));
    (size != PhysicalSize::new(place.width, place.height)).then_some(size)
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
    let file = data_dir.path().join(FILE);
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

    fn room(x: i32, y: i32, width: u32, height: u32) -> PhysicalRect<i32, u32> {
        PhysicalRect { position: (x, y).into(), size: (width, height).into() }
    }

    #[test]
    fn a_window_that_comes_back_is_no_larger_than_the_screen_it_is_on() {
        let rooms = [room(0, 30, 1920, 1050), room(-1280, 0, 1280, 720)];
        let at = |x, y, width, height| {
            let place = Place { x, y, width, height, ..Place::default() };
            fitting(&place, &rooms).map(|size| (size.width, size.height))
        };
        assert_eq!(at(100, 100, 1280, 800), None, "it fits");
        assert_eq!(at(100, 100, 3840, 2160), Some((1920, 1050)));
        assert_eq!(at(100, 100, 3840, 800), Some((1920, 800)));
        assert_eq!(at(-1200, 10, 1920, 1050), Some((1280, 720)), "on the other screen");
        assert_eq!(at(9_000, -9_000, 3840, 2160), Some((1920, 1050)), "its screen is gone");
        assert_eq!(at(i32::MIN, i32::MAX, u32::MAX, u32::MAX), Some((1920, 1050)));
        let large = Place { width: 3840, height: 2160, ..Place::default() };
        assert_eq!(fitting(&large, &[]), None, "no screen is known");
        assert_eq!(fitting(&large, &[room(0, 0, 0, 0)]), None, "nor its size");
        assert_eq!(fitting(&Place { maximized: true, ..large }, &rooms), None, "it has its screen");
    }

    #[test]
    fn a_place_is_read_as_the_plugin_reads_it_and_damage_is_set_aside() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join(FILE);
        let written = r#"{"main": {"width": 900, "height": 600, "x": 1, "y": 2, "prev_x": 0, "prev_y": 0, "maximized": false,
            "visible": true, "decorated": true, "fullscreen": false}}"#;
        std::fs::write(&file, written).expect("written");
        let (Places(places), damaged) = kept::load(&file);
        assert_eq!((places[MAIN].width, places[MAIN].y, damaged), (900, 2, None));
        for damage in ["", "{oops", r#"{"main": {"width": 900}}"#] {
            std::fs::write(&file, damage).expect("written");
            let (Places(places), damaged) = kept::load(&file);
            assert!(places.is_empty() && !file.exists(), "{damage:?}");
            let kept = damaged.expect("it is told").args["kept"].clone();
            assert_eq!(std::fs::read_to_string(kept).expect("kept"), damage);
        }
    }
}
