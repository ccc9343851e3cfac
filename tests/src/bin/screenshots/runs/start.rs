//! The form of a new loop, and that of an existing one.

use super::Scene;
use super::forms;
use crate::camera::Camera;
use crate::look::Amount;
use crate::walk;
use loopdeck_agents::Level;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_runtime::drivers::plan::{Driver, StartForm, Template};
use loopdeck_tests::live::loop_v2;
use serde_json::json;
use std::fs;

const PAGES: [&str; 2] = ["work", "run"];
const CREATED: &str = "loop-v2-20261120T042421-d8ff7e62";

/// Every page of the form: empty, then filled.
pub(crate) fn form(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    if !camera.begin("start") {
        return;
    }
    if scene.amount != Amount::Extreme {
        empty(camera);
    }
    if scene.amount != Amount::Small {
        filled(camera, scene);
    }
}

fn empty(camera: &mut Camera<'_>) {
    open(camera, None);
    camera.keep("start-work-empty");
    camera.click("[data-testid=start-next]").keep("start-work-wrong");
    pages(camera, &PAGES[1..], "empty");
    camera
        .click("[data-testid=templates]")
        .keep_and_close("[data-testid=templates-dialog]", "start-templates-empty");
    close(camera);
}

fn filled(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    let form = forms::filled(scene.amount, &scene.shop);
    open(camera, Some(&form));
    pages(camera, &PAGES[..1], "untrusted");
    camera
        .click("[data-testid=trust]")
        .waits_until("document.querySelector('[data-testid=trust-card]') === null");
    pages(camera, &PAGES, "filled");
    close(camera);
    expert(camera, &form);
    checks(camera, &form);
    templates(camera, &form);
    camera.app.page.invoke("save_draft", &json!({ "form": null }));
}

/// The shell as the agent, with all expert settings open.
fn expert(camera: &mut Camera<'_>, form: &StartForm) {
    for (agent, name) in [("shell", "shell"), ("claude", "expert")] {
        let mut form = form.clone();
        form.plan.agent = agent.into();
        form.plan.level = Some(Level::FullAccess);
        form.plan.shell_command = "sh agent.sh".into();
        form.plan.driver =
            if agent == "shell" { Driver::Loopdeck } else { Driver::Skill { command: String::new() } };
        open(camera, Some(&form));
        camera.click("[data-testid=page-run]").keep(&format!("start-run-{name}"));
        camera.click("[data-testid=expert] summary").keep_end(&format!("start-run-{name}-end"));
        close(camera);
    }
}

/// A work graph with checks.
fn checks(camera: &mut Camera<'_>, form: &StartForm) {
    let mut form = form.clone();
    form.work.recipe = Recipe::Checklist;
    form.work.format = Some(NewFormat::Aot);
    open(camera, Some(&form));
    camera.click("[data-testid=page-checks]");
    for shape in ["single", "checklist", "quality"] {
        camera
            .click(&format!("[data-testid=check-shape] [value={shape}], [data-testid=check-shape-{shape}]"));
        camera.keep(&format!("start-checks-{shape}"));
        camera.anew();
    }
    camera.click("[data-testid=page-run]").keep("start-checks-run");
    close(camera);
}

fn templates(camera: &mut Camera<'_>, form: &StartForm) {
    for name in ["A bug of the shop", "Weekly checks of every translation, with the slow tests"] {
        let template = Template { name: name.into(), form: form.clone() };
        camera.app.page.invoke("save_template", &json!({ "template": template }));
    }
    open(camera, None);
    camera
        .click("[data-testid=templates]")
        .keep_and_close("[data-testid=templates-dialog]", "start-templates");
    close(camera);
}

fn pages(camera: &mut Camera<'_>, pages: &[&str], ending: &str) {
    for page in pages {
        camera.click(&format!("[data-testid=page-{page}]")).keep(&format!("start-{page}-{ending}"));
        camera.keep_end(&format!("start-{page}-{ending}-end"));
        camera.anew();
    }
}

fn open(camera: &mut Camera<'_>, draft: Option<&StartForm>) {
    camera.anew();
    camera.app.page.invoke("save_draft", &json!({ "form": draft }));
    camera.click("[data-testid=nav-loops]").click("[data-testid=start-loop]");
    camera.waits_until("document.querySelector('[data-testid=goal]') !== null");
}

fn close(camera: &mut Camera<'_>) {
    camera.anew();
    camera.click("[data-testid=start-close]");
}

/// A loop that was never started.
pub(crate) fn launch(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    let file = scene.shop.join(format!(".workflow/.loop/{CREATED}.json"));
    fs::write(file, loop_v2(CREATED, "created")).expect("a loop");
    if !camera.begin("launch") {
        return;
    }
    walk::open(camera, CREATED);
    camera.click("[data-testid=verb-start]").sees("[data-testid=start-next]:enabled").keep("launch");
    camera.keep_end("launch-end");
    camera.click("[data-testid=start-next]").sees("[data-testid=start-view] [data-testid^=wrong-]");
    camera.keep("launch-wrong");
    close(camera);
    camera.click("[data-testid=nav-loops]");
}
