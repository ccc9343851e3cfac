//! Waiting for the person: one loop for each kind of need, its card on the loop's page, and the drawer with
//! all of them.

use super::cases::{self, Case};
use super::{Scene, output, reach};
use crate::camera::Camera;
use crate::look::{Amount, Look};

/// The part that these pictures belong to.
const PART: &str = "needs";

/// Kills the app while an agent works, before the window of the pictures is opened: it then finds an
/// interrupted loop.
pub(crate) fn interrupted(scene: &Scene<'_>, look: &Look, view: &str) -> Option<String> {
    if scene.amount == Amount::Small || !PART.contains(view) {
        return None;
    }
    let place = ("catalogue", "Every article has a picture");
    let case = cases::at_the_gate(scene.home, "interrupted", place);
    let app = super::open(scene, look);
    reach::save_agents(&app, scene.home.own_agents(Amount::Typical));
    let key = reach::start(&app, &case.form);
    reach::wait_for_file(&case.form, "begun");
    reach::kill_app(scene.stage);
    reach::open_gate(&case.form);
    drop(app);
    Some(key)
}

/// Every kind of need.
pub(crate) fn all(camera: &mut Camera<'_>, scene: &Scene<'_>, interrupted: Option<String>) {
    if !camera.begin(PART) {
        return;
    }
    if scene.amount == Amount::Small {
        camera.click("[data-testid=nav-needs]").keep_and_close("[data-testid=needs-drawer]", "needs-none");
        return;
    }
    let interrupted = interrupted.filter(|key| reach::comes_to_need(camera.app, key, "interrupted"));
    let mut keys: Vec<_> = interrupted.into_iter().map(|key| ("interrupted", key)).collect();
    for case in cases::all(scene.home, scene.amount) {
        keys.extend(reach::start_until_needed(camera.app, &case).map(|key| (case.need, key)));
    }
    let place = ("importer", "Take over the orders of the old shop");
    let case = cases::at_the_gate(scene.home, "left_over", place);
    keys.extend(left_over(camera, scene, &case).map(|key| (case.need, key)));
    // The window learns here which folders are trusted, because it did not trust them itself.
    camera.click("[data-testid=settings]").close("[data-testid=settings-dialog]", "settings");
    for (kind, key) in &keys {
        card(camera, kind, key);
    }
    drawer(camera);
}

/// A run whose guardian is gone, so its agent is left over.
fn left_over(camera: &Camera<'_>, scene: &Scene<'_>, case: &Case) -> Option<String> {
    let key = reach::start(camera.app, &case.form);
    reach::wait_for_file(&case.form, "begun");
    reach::kill_guardian(camera.app, scene.stage, &key);
    reach::comes_to_need(camera.app, &key, case.need).then_some(key)
}

fn card(camera: &mut Camera<'_>, kind: &str, key: &str) {
    output::open(camera, key);
    camera.sees("[data-testid=need]").keep(&format!("need-{kind}"));
    camera.click("[data-testid=tab-output]").keep(&format!("need-{kind}-output"));
    camera.anew();
    camera.click("[data-testid=nav-loops]");
}

fn drawer(camera: &mut Camera<'_>) {
    camera.anew();
    camera.keep("list-running");
    camera.click("[data-testid=nav-needs]").keep("needs");
    camera.keep_end_in("[data-testid=needs-drawer]", "needs-end");
    camera.click("[data-testid=nav-needs]");
}
