//! The views of one loop.

use crate::camera::Camera;
use loopdeck_tests::window::keys::ENTER;
use serde_json::json;

/// Every tab, and what opens inside it.
pub(crate) fn every_part(camera: &mut Camera<'_>, name: &str) {
    tab(camera, "overview");
    camera.keep(&format!("{name}-overview")).keep_end(&format!("{name}-overview-end"));
    work(camera, name);
    debug(camera, name);
    tests(camera, name);
    activity(camera, name);
    documents(camera, name);
    state_file(camera);
    camera.keep(&format!("{name}-file")).keep_end(&format!("{name}-file-end"));
}

fn state_file(camera: &mut Camera<'_>) {
    tab(camera, "files");
    camera.click("[data-testid=state-file]");
}

fn tab(camera: &mut Camera<'_>, tab: &str) {
    camera.anew();
    let tab = format!("[data-testid=tab-{tab}]");
    camera.only_with(&tab).click(&tab);
}

fn work(camera: &mut Camera<'_>, name: &str) {
    tab(camera, "work");
    camera.keep(&format!("{name}-work")).keep_end(&format!("{name}-work-end"));
    camera
        .click("[data-testid=task-row]")
        .keep_and_close("[data-testid=task-drawer]", &format!("{name}-work-task"));
    camera.anew();
    camera.click("[data-testid=tasks-as-table]").keep(&format!("{name}-work-table"));
    camera.click("[data-testid=tasks-as-groups]");
    camera.anew();
    camera.press_in("[data-testid=listed-task]", &[ENTER]);
    camera.keep_and_close("[data-testid=listed-drawer]", &format!("{name}-work-listed"));
    camera.anew();
    camera
        .click("[data-testid=task-add]")
        .keep_and_close("[data-testid=step-dialog]", &format!("{name}-work-add"));
    graph(camera, name);
}

fn graph(camera: &mut Camera<'_>, name: &str) {
    camera.anew();
    if !camera.click("[data-testid=work-view-outline]").is_lost() {
        graph_views(camera, name);
    }
    camera.anew();
    for (button, ending) in
        [("redirect", "redirect"), ("loop-steps", "steps"), ("record-step", "record"), ("graph-more", "more")]
    {
        let button = format!("[data-testid={button}]");
        camera.only_with(&button).click(&button);
        let shown = "[role=menu], [data-testid=step-dialog], [data-testid=steps-dialog]";
        camera.keep_and_close(shown, &format!("{name}-work-{ending}"));
        camera.anew();
    }
}

fn graph_views(camera: &mut Camera<'_>, name: &str) {
    camera.keep(&format!("{name}-work-outline"));
    camera.press_in("[data-testid=atom-row]", &[ENTER]);
    camera.keep_and_close("[data-testid=unit-drawer]", &format!("{name}-work-outline-drawer"));
    camera.anew();
    camera.click("[data-testid=work-view-graph]").keep(&format!("{name}-work-graph"));
    camera.click("[data-testid=fit]").keep(&format!("{name}-work-graph-fit"));
    camera.click("[data-testid=choices]").keep(&format!("{name}-work-choices"));
    camera.click("[data-testid=choices]");
}

fn debug(camera: &mut Camera<'_>, name: &str) {
    tab(camera, "debug");
    camera.keep(&format!("{name}-debug")).keep_end(&format!("{name}-debug-end"));
    camera.press_in("[data-testid=card]", &[ENTER]);
    camera.keep(&format!("{name}-debug-drawer"));
    tab(camera, "overview");
    tab(camera, "debug");
    camera.click("[data-testid=view-table]").keep(&format!("{name}-debug-table"));
    camera.click("[data-testid=view-board]");
}

pub(crate) fn tests(camera: &mut Camera<'_>, name: &str) {
    tab(camera, "tests");
    camera.keep(&format!("{name}-tests")).keep_end(&format!("{name}-tests-end"));
    tab(camera, "overview");
    tab(camera, "tests");
    camera.press_in("[data-testid=test-line]", &["n"]);
    camera.keep(&format!("{name}-tests-expanded"));
    camera.anew();
    camera.click("[data-testid=show-coverage]").keep(&format!("{name}-coverage"));
    camera.anew();
    camera.click("[data-testid=show-runs]").keep(&format!("{name}-runs"));
    camera.click("[data-testid=show-tests]");
}

fn activity(camera: &mut Camera<'_>, name: &str) {
    tab(camera, "activity");
    camera.keep(&format!("{name}-activity"));
    camera.click("[data-testid=timeline-entry]");
    camera.keep_and_close("[data-testid=event-drawer]", &format!("{name}-activity-event"));
}

fn documents(camera: &mut Camera<'_>, name: &str) {
    tab(camera, "files");
    camera.keep(&format!("{name}-documents")).keep_end(&format!("{name}-documents-end"));
    if camera.click("[data-testid^='doc-']").is_lost() {
        return;
    }
    for document in ["develop", "debug", "validate"] {
        camera.anew();
        let link = format!("[data-testid^='doc-'][data-testid$='{document}.md']");
        camera.only_with(&link).click(&link);
        camera.keep(&format!("{name}-document-{document}"));
    }
    camera.click("[data-testid=show-source]").keep(&format!("{name}-document-source"));
    for document in ["debug.log", "changes.log"] {
        camera.anew();
        let link = format!("[data-testid^='doc-'][data-testid$='{document}']");
        camera.only_with(&link).click(&link);
        camera.keep(&format!("{name}-document-{document}"));
    }
}

/// An unreadable file.
pub(crate) fn damaged(camera: &mut Camera<'_>, name: &str) {
    for (id, ending) in [("overview", "overview"), ("files", "documents")] {
        tab(camera, id);
        camera.keep(&format!("{name}-{ending}"));
    }
    state_file(camera);
    camera.keep(&format!("{name}-file"));
    camera.anew();
    camera
        .click("[data-testid=recover]")
        .keep_and_close("[data-testid=recover-dialog]", &format!("{name}-recovery"));
}

/// The past of a loop: many versions of it, one of them opened, and one restored.
pub(crate) fn history(camera: &mut Camera<'_>, name: &str) {
    write_versions(camera);
    state_file(camera);
    camera.keep(&format!("{name}-history"));
    camera.click("[data-testid=version]:nth-child(3)").keep(&format!("{name}-past"));
    for part in ["work", "activity", "compare", "source"] {
        camera.click(&format!("[data-testid=part-{part}]")).keep(&format!("{name}-past-{part}"));
        camera.anew();
    }
    camera
        .click("[data-testid=restore]")
        .keep_and_close("[data-testid=restore-dialog]", &format!("{name}-restore"));
    tab(camera, "activity");
    camera.keep(&format!("{name}-activity"));
    camera.click("[data-testid=as-it-was-then]").keep(&format!("{name}-past-point"));
}

/// Our own changes: each leaves two versions.
fn write_versions(camera: &Camera<'_>) {
    let page = &camera.app.page;
    for (number, priority) in ["low", "high", "medium", "low", "high", ""].into_iter().enumerate() {
        let patch = json!({ "title": null, "description": null, "max_iterations": 20 + number, "tags": null,
            "priority": priority, "notes": null });
        page.invoke("edit_metadata", &json!({ "key": camera.key, "patch": patch }));
    }
}

/// All overlays on a loop at rest.
pub(crate) fn dialogs(camera: &mut Camera<'_>, name: &str) {
    for (button, dialog, what) in [
        ("control-stop", "verb-dialog", "stop"),
        ("control-edit_metadata", "metadata-dialog", "metadata"),
        ("control-delete", "delete-dialog", "delete"),
    ] {
        tab(camera, "overview");
        camera.click(&format!("[data-testid={button}]"));
        camera.keep_and_close(&format!("[data-testid={dialog}]"), &format!("{name}-{what}"));
    }
    // A loop of the sample would start immediately.
    camera.click("[data-pane=header] [aria-haspopup=menu]").click("[data-testid=menu-choose-launch]");
    camera.sees("[data-testid=start-next]:enabled").keep(&format!("{name}-resume"));
    camera.click("[data-testid=start-close]");
}
