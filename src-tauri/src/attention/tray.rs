//! The icon in the tray with its menu. Many desktops have no tray, so the window can do everything this can.

use crate::platform::tray::{can_be_made, desktop_shows_trays};
use crate::words::{Words, fill};
use loopdeck_runtime::logged::Logged as _;
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tauri::image::Image;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager as _, Wry};

const QUIET: Image<'static> = tauri::include_image!("../icons/64x64.png");
const NEEDS: Image<'static> = tauri::include_image!("../icons/tray-needs.png");

/// The icon, once created.
#[derive(Default)]
pub(crate) struct Tray(Mutex<Option<Made>>);

struct Made {
    icon: TrayIcon,
    items: Items,
    face: TrayFace,
    visible: bool,
}

struct Items {
    show: MenuItem<Wry>,
    needs: MenuItem<Wry>,
    running: MenuItem<Wry>,
    stop: MenuItem<Wry>,
    quit: MenuItem<Wry>,
}

/// What the tray shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TrayFace {
    waiting: usize,
    is_running: bool,
    show: String,
    needs: String,
    running: String,
    stop: String,
    quit: String,
}

impl TrayFace {
    pub(super) fn new(waiting: usize, running: u32, words: &Words) -> Self {
        let needs = match waiting {
            0 => &words.tray_needs_none,
            1 => &words.tray_needs_one,
            _ => &words.tray_needs,
        };
        Self {
            waiting,
            is_running: running > 0,
            show: words.tray_show.clone(),
            needs: fill(needs, &[("count", &waiting.to_string())]),
            running: fill(&words.tray_running, &[("count", &running.to_string())]),
            stop: words.tray_stop.clone(),
            quit: words.tray_quit.clone(),
        }
    }
}

/// Whether the person can bring the window back from the tray. May wait for the desktop, so not on the main
/// thread.
pub(crate) fn is_there(app: &AppHandle) -> bool {
    let tray = app.state::<Tray>();
    let made = tray.0.lock().as_ref().is_some_and(|made| made.visible);
    made && desktop_shows_trays()
}

/// Runs a menu item, given its id.
pub(super) type Chosen = fn(&AppHandle, &str);

/// Shows `face`, or removes the icon when it is not wanted. Menu clicks go to `chosen`.
pub(super) fn show(app: &AppHandle, wanted: bool, face: TrayFace, chosen: Chosen) {
    let told = app.clone();
    // Menus belong to the main thread. An error means that the app is exiting.
    app.run_on_main_thread(move || {
        let tray = told.state::<Tray>();
        let mut made = tray.0.lock();
        if made.is_none() && wanted && can_be_made() {
            *made = make(&told, chosen);
        }
        if let Some(made) = made.as_mut() {
            made.set(wanted, face);
        }
    })
    .logged("the tray is not up to date");
}

impl Made {
    fn set(&mut self, wanted: bool, face: TrayFace) {
        // A desktop that refuses one of these has lost the tray; the window shows it all.
        if self.visible != wanted {
            self.icon.set_visible(wanted).logged("the tray is not up to date");
            self.visible = wanted;
        }
        if self.face == face {
            return;
        }
        let count = (face.waiting > 0).then(|| face.waiting.to_string());
        self.icon
            .set_icon(Some(if face.waiting > 0 { NEEDS } else { QUIET }))
            .logged("the tray is not up to date");
        self.icon.set_title(Some(count.as_deref().unwrap_or_default())).logged("the tray is not up to date");
        self.icon.set_tooltip(Some(format!("Loopdeck: {}", face.needs))).logged("the tray is not up to date");
        self.items.set(&face).logged("the tray is not up to date");
        self.face = face;
    }
}

impl Items {
    fn new(app: &AppHandle) -> tauri::Result<Self> {
        let item = |id: &str| MenuItem::with_id(app, id, "", true, None::<&str>);
        Ok(Self {
            show: item("show")?,
            needs: item("needs")?,
            running: item("running")?,
            stop: item("stop")?,
            quit: item("quit")?,
        })
    }

    fn set(&self, face: &TrayFace) -> tauri::Result<()> {
        self.show.set_text(&face.show)?;
        self.needs.set_text(&face.needs)?;
        self.needs.set_enabled(face.waiting > 0)?;
        self.running.set_text(&face.running)?;
        self.running.set_enabled(false)?;
        self.stop.set_text(&face.stop)?;
        self.stop.set_enabled(face.is_running)?;
        self.quit.set_text(&face.quit)
    }
}

/// `None` where the desktop does not support it.
fn make(app: &AppHandle, chosen: Chosen) -> Option<Made> {
    // The underlying library is loaded on first use, and panics if that fails.
    let made = catch_unwind(AssertUnwindSafe(|| build(app, chosen)));
    match made {
        Ok(Ok(made)) => Some(made),
        Ok(Err(error)) => {
            tracing::warn!(%error, "no icon in the tray");
            None
        }
        Err(_) => None, // the panic message has the reason
    }
}

fn build(app: &AppHandle, chosen: Chosen) -> tauri::Result<Made> {
    let items = Items::new(app)?;
    let (before_stop, before_quit) =
        (PredefinedMenuItem::separator(app)?, PredefinedMenuItem::separator(app)?);
    let menu = Menu::with_items(
        app,
        &[&items.show, &items.needs, &items.running, &before_stop, &items.stop, &before_quit, &items.quit],
    )?;
    let builder = TrayIconBuilder::with_id("loopdeck").icon(QUIET).menu(&menu).tooltip("Loopdeck");
    // The desktop reads the icon from a file, and its default location is world-writable.
    let builder =
        builder.temp_dir_path(app.state::<loopdeck_runtime::data_dir::DataDir>().path().join("tray"));
    let icon = builder.on_menu_event(move |app, event| chosen(app, event.id().as_ref())).build(app)?;
    Ok(Made { icon, items, face: TrayFace::default(), visible: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    #[test]
    fn the_menu_counts() {
        let needs = |count| TrayFace::new(count, 0, &words("en")).needs;
        assert_eq!([needs(0), needs(1), needs(2)], ["Nothing needs you", "1 needs you", "2 need you"]);
        let face = TrayFace::new(0, 3, &words("en"));
        assert_eq!((face.running.as_str(), face.is_running), ("3 running", true));
    }
}
