//! Output of agents: before there is a run, while one works, when it is done, and a lot of it.

use super::cases::{self, Case};
use super::forms::form;
use super::{Scene, reach};
use crate::camera::Camera;
use crate::extreme::texts;
use crate::look::Amount;
use crate::walk;
use loopdeck_tests::driving::planned;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use loopdeck_tests::tiny_project::TEST_COMMAND;
use loopdeck_tests::window::desk::Has;
use serde_json::{Value, json};

/// Lines of a run that talks too much.
const LINES: u64 = 20_000;
/// Runs of a loop that keeps going.
const MANY: u32 = 14;

/// A loop that was never started.
pub(crate) fn none(camera: &mut Camera<'_>) {
    if camera.begin("output-none") {
        walk::open(camera, "loop-v2-20261120T042421-d8ff7e62");
        camera.click("[data-testid=tab-output]").keep("output-none");
        camera.anew();
        camera.click("[data-testid=nav-loops]");
    }
}

/// Loops with runs.
pub(crate) fn of_runs(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    if camera.begin("output-live") {
        live(camera, scene);
    }
    if scene.amount == Amount::Typical && camera.begin("output-done") {
        done(camera, scene);
    }
    if scene.amount == Amount::Extreme && camera.begin("output-long") {
        long(camera, scene);
    }
}

/// An agent at work: what it says, does, changes and gets wrong; then it is stopped.
fn live(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    let rule = at_work(Rule::on("develop").task("task-001")).then(Step::WaitFor("gate".into()));
    let script = Scripted::tiny_project(Output::ClaudeJsonl).first(rule);
    let folder = scene.home.project("bakery", &script);
    let goal = match scene.amount {
        Amount::Extreme => texts::text(0),
        _ => "Prices end in one digit of cents, and discounts round down",
    };
    let case = Case { need: "", form: form(goal, &folder, "claude") };
    let key = reach::start(camera.app, &case.form);
    reach::wait_for_file(&case.form, "begun");
    open(camera, &key);
    camera.keep("live-overview");
    camera.click("[data-testid=tab-output]");
    camera.waits_until("document.querySelector('main').textContent.includes('Half a cent')");
    camera.keep("output-live");
    tools(camera, "output-live");
    closing(camera, scene);
    stop(camera, &key);
    camera.click("[data-testid=nav-loops]");
}

/// What a real agent does in a minute.
fn at_work(rule: Rule) -> Rule {
    let edit = Step::Edit {
        path: "src/money.sh".into(),
        old: "\techo \"$(($1 / 100)).$(($1 % 100))\"".into(),
        new: "\tprintf \"%d.%02d\\n\" \"$(($1 / 100))\" \"$(($1 % 100))\"".into(),
    };
    rule.then(raw(&thinking(
        "The tests name two places: money.sh writes one digit, cart.sh cuts the half away.",
    )))
    .then(Step::Say("I look at what the tests expect before I change anything.".into()))
    .then(Step::Shell("cat src/money.sh".into()))
    .then(Step::Shell("sh test.sh".into()))
    .then(raw(&failed_tool("bash: shellcheck: command not found")))
    .then(Step::Complain("warning: could not read ~/.shellcheckrc".into()))
    .then(edit)
    .then(Step::Write { path: "begun".into(), text: String::new() })
    .then(Step::Say("Half a cent is next: `discounted` cuts it away.".into()))
}

fn raw(event: &Value) -> Step {
    Step::Raw(format!("{event}\n"))
}

fn thinking(text: &str) -> Value {
    let content = json!([{ "type": "thinking", "thinking": text, "signature": "" }]);
    let message = json!({ "id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": content });
    json!({ "type": "assistant", "message": message, "parent_tool_use_id": null, "session_id": "s" })
}

fn failed_tool(text: &str) -> Value {
    let content =
        json!([{ "type": "tool_result", "tool_use_id": "toolu_2", "content": text, "is_error": true }]);
    let message = json!({ "role": "user", "content": content });
    json!({ "type": "user", "message": message, "parent_tool_use_id": null, "session_id": "s" })
}

/// Details of the run, the raw text, search results.
fn tools(camera: &mut Camera<'_>, name: &str) {
    details(camera, name);
    camera.click("[data-testid=raw]").keep(&format!("{name}-raw"));
    camera.click("[data-testid=raw]");
    camera.click("[data-testid=next-error]").keep(&format!("{name}-error"));
    camera.anew();
    camera.click("[data-testid=output-row] [data-act=rest]");
    camera.keep_and_close("[data-testid=whole-text]", &format!("{name}-whole"));
    camera.anew();
}

fn details(camera: &mut Camera<'_>, name: &str) {
    camera.click("[data-testid=run-details-button]");
    camera.keep_and_close("[data-testid=run-drawer]", &format!("{name}-details"));
    camera.anew();
}

/// The window is closed while a loop runs.
fn closing(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    let desk = scene.stage.desk(Has::default());
    desk.close_window();
    camera.sees("[data-testid=closing-dialog]").keep("closing");
    drop(desk); // the display forgets the question of the closed app
    camera.click("[data-testid=closing-cancel]");
    camera.anew();
    camera.waits_until("document.querySelector('[data-testid=closing-dialog]') === null");
}

fn stop(camera: &mut Camera<'_>, key: &str) {
    camera.click("[data-testid=tab-overview]").click("[data-testid=control-stop]");
    camera.sees("[data-testid=verb-dialog]").keep("stop");
    camera.click("[data-testid=verb-dialog] [data-testid=confirm]");
    reach::wait_for_word(camera.app, key, "stopped");
    camera.waits_until("document.querySelector('[data-testid=verb-dialog]') === null");
    camera.keep("stopped-overview");
    camera.click("[data-testid=tab-output]").keep("output-stopped");
    camera.anew();
}

/// A finished loop.
fn done(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    let mut rule = at_work(Rule::on("develop").task("task-001"));
    rule.says = "The task is done.".into();
    rule.answer = json!({ "task_id": "task-001", "status": "completed", "summary": "Two digits of cents.",
        "files_changed": ["src/money.sh"], "needs": null });
    let folder = scene.home.project("kiosk", &Scripted::tiny_project(Output::ClaudeJsonl).first(rule));
    let mut form = form("Make the tests of the kiosk pass", &folder, "claude");
    form.plan.test_command = TEST_COMMAND.into();
    let key = reach::start(camera.app, &form);
    reach::wait_for_word(camera.app, &key, "completed");
    open(camera, &key);
    camera.keep("done-overview");
    camera.click("[data-testid=tab-output]").keep("output-done");
    details(camera, "output-done");
    for (number, name) in [(2, "debug"), (3, "tests"), (6, "develop")] {
        camera
            .click(&format!("[data-testid=run][aria-posinset='{number}']"))
            .keep(&format!("output-done-{name}"));
        camera.anew();
    }
    camera.click("[data-testid=tab-debug]").keep("done-debug");
    camera.click("[data-testid=card] [data-testid=location]");
    camera.keep_and_close("[data-testid=editor-dialog]", "editor");
    camera.anew();
    camera.click("[data-testid=nav-loops]");
}

/// Many runs, one of them with a lot of very long lines.
fn long(camera: &mut Camera<'_>, scene: &Scene<'_>) {
    let talks =
        Rule::on("develop").task("task-001").then(Step::Spam { lines: LINES, text: texts::text(0).into() });
    let talks =
        (0..40).fold(talks, |rule, n| rule.then(Step::Say(format!("{} {}", texts::text(n), texts::path(n)))));
    let talks = talks.then(Step::Say(texts::text(0).repeat(60)));
    let answer = |rule: Rule, task: &str| loopdeck_tests::driving::done(rule, task);
    let tasks = (2..=MANY).map(|n| format!("task-{n:03}"));
    let rules = [planned(MANY), answer(talks, "task-001")]
        .into_iter()
        .chain(tasks.map(|task| answer(Rule::on("develop").task(&task), &task)))
        .collect();
    let folder = scene.home.project("museum", &Scripted { output: Output::Text, rules });
    let mut form = form(texts::text(0), &folder, "custom:house");
    form.work.max_iterations = Some(100);
    let key = reach::start(camera.app, &form);
    reach::wait_for_word(camera.app, &key, "completed");
    open(camera, &key);
    camera.click("[data-testid=tab-output]").keep("output-many");
    camera.app.page.execute("document.querySelector('[data-testid=run-list]')?.scrollTo(0, 1e6)", &[]);
    camera.keep("output-many-end");
    camera.click("[data-testid=run][aria-posinset='15']").keep("output-long");
    tools(camera, "output-long");
    camera.click("[data-testid=nav-loops]");
}

/// The page of the loop with this key.
pub(crate) fn open(camera: &mut Camera<'_>, key: &str) {
    camera.anew();
    let id = cases::id_of(key);
    walk::open(camera, &id);
}
