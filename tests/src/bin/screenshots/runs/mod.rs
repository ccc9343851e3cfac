//! Starting and running loops: each look has its own window, home and agents, because each run happens only
//! once.

mod around;
mod cases;
mod forms;
mod home;
mod needs;
mod output;
mod reach;
mod start;

use crate::camera::Camera;
use crate::look::{Amount, Look};
use home::Home;
use loopdeck_tests::driving::planned;
use loopdeck_tests::scripted::{Output, Scripted};
use loopdeck_tests::window::{App, Stage};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a started loop may take to appear.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// The parts of the window that are shown here, as in [`Camera::begin`].
pub(crate) const PARTS: [&str; 9] = [
    "agents",
    "start",
    "launch",
    "output-none",
    "output-live",
    "output-done",
    "output-long",
    "needs",
    "settings",
];

/// The setting for the pictures of one look.
pub(crate) struct Scene<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) home: &'a Home,
    pub(crate) amount: Amount,
    /// The folder in which new loops are started.
    pub(crate) shop: PathBuf,
}

/// All pictures of one look; `view` as in [`Camera::new`].
pub(crate) fn take(amount: Amount, look: &Look, folder: &Path, view: &str) -> usize {
    let stage = Stage::new("pictures");
    let home = Home::furnish(&stage, amount);
    let _end = reach::EndOfAll(&stage);
    let shop = home.project("shop", &Scripted { output: Output::ClaudeJsonl, rules: vec![planned(2)] });
    let scene = Scene { stage: &stage, home: &home, amount, shop };
    let interrupted = needs::interrupted(&scene, look, view);
    let app = open(&scene, look);
    reach::save_agents(&app, home.own_agents(amount));
    let mut camera = Camera::new(&app, look, folder.to_owned(), view.to_owned());
    around::agents(&mut camera);
    start::form(&mut camera, &scene);
    start::launch(&mut camera, &scene);
    output::none(&mut camera);
    if amount != Amount::Small {
        output::of_runs(&mut camera, &scene);
    }
    needs::all(&mut camera, &scene, interrupted);
    around::settings(&mut camera, &scene);
    camera.taken
}

/// Opens the window on the shop, which is not trusted yet.
pub(crate) fn open<'a>(scene: &Scene<'a>, look: &Look) -> App<'a> {
    let settings = json!({ "settings": { "theme": look.theme, "language": look.language } });
    let file = scene.stage.data_dir().join("settings.json");
    if !file.exists() {
        fs::create_dir_all(scene.stage.data_dir()).expect("a data folder");
        fs::write(file, settings.to_string()).expect("settings");
    }
    let app = scene.stage.open_with(&[scene.shop.as_os_str()], &scene.home.environment());
    app.page.resize(look.size.0, look.size.1);
    app.page.wait_until("return document.querySelector('[data-loops]') !== null", SOON);
    app
}
