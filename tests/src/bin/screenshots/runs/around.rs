//! Detected agents, and the settings for all loops.

use super::Scene;
use crate::camera::Camera;
use crate::look::Amount;
use serde_json::json;

/// The page of agents, and the dialog for a custom one.
pub(crate) fn agents(camera: &mut Camera<'_>) {
    if !camera.begin("agents") {
        return;
    }
    camera.click("[data-testid=nav-agents]").keep("agents").keep_end("agents-end");
    camera.click("[data-testid=add-agent]");
    camera.keep_in_dialog("[data-testid=own-agent-dialog]", "agents-own");
    camera.anew();
    camera.click("[data-testid=edit-agent]");
    camera.keep_in_dialog("[data-testid=own-agent-dialog]", "agents-edit");
    camera.anew();
    camera.click("[data-testid=remove-agent]").keep("agents-remove");
    camera.anew();
    camera.click("[data-testid=nav-loops]");
}

/// Settings: notices, the tray, trusted folders. They are below the fold.
pub(crate) fn settings(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    if camera.begin("settings") {
        if scene.amount != Amount::Small {
            camera.app.page.invoke("trust", &json!({ "path": scene.shop, "trusted": true }));
        }
        camera.click("[data-testid=settings]");
        camera.keep_in_dialog("[data-testid=settings-dialog]", "settings");
    }
}
