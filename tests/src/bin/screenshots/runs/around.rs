//! Agents that are found, and what is set for all loops.

use crate::camera::Camera;

/// The page of agents, and the dialog for one of the person's own.
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

/// Settings: notices, the tray, trusted folders. They lie below the fold.
pub(crate) fn settings(camera: &mut Camera<'_>) {
    if camera.begin("settings") {
        camera.click("[data-testid=settings]");
        camera.keep_in_dialog("[data-testid=settings-dialog]", "settings");
    }
}
