//! A person's actions on loops, in the real window, on real files.

use loopdeck_tests::live::{loop_v2, loop_v2_at};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = ".workflow/.loop";
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

fn workspace(stage: &Stage, loops: &[(&str, String)]) -> PathBuf {
    let workspace = stage.folder().join("shop");
    fs::create_dir_all(workspace.join(ROOT)).unwrap();
    for (id, text) in loops {
        fs::write(workspace.join(format!("{ROOT}/{id}.json")), text).unwrap();
    }
    workspace
}

fn file(workspace: &Path) -> PathBuf {
    workspace.join(format!("{ROOT}/{ID}.json"))
}

fn wait_for_word(app: &App<'_>, id: &str, word: &str) {
    app.page.wait_until(
        &format!("return document.querySelector('[data-testid=loop-row][data-key$=\"{id}.json\"]')?.dataset.word === '{word}'"),
        SOON,
    );
}

fn row(id: &str) -> String {
    format!("[data-testid=loop-row][data-key$=\"{id}.json\"]")
}

#[test]
fn a_newcomer_sees_the_sample_workspace() {
    let stage = Stage::new("sample");
    let app = stage.open(&[]);
    app.page.find("[data-testid=open-sample]");
    app.screenshot("first-start");
    app.page.click("[data-testid=open-sample]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=loop-row]').length >= 10", SOON);
    app.screenshot("list");
    app.page.click(&row("loop-v2-20261120T091500-7c41e0aa"));
    app.page.wait_until("return document.querySelector('[data-testid=tab-overview]') !== null", SOON);
    app.screenshot("detail");
}

#[test]
fn the_list_is_seen_as_it_was_left_until_the_folders_are_read() {
    let stage = Stage::new("as-left");
    let titled = |status: &str| loop_v2(ID, status).replace("Title of", "<b>Title</b> of");
    let workspace = workspace(&stage, &[(ID, titled("running"))]);
    let kept = stage.data_dir().join("last-list.json");
    {
        let app = stage.open(&[workspace.as_os_str()]);
        app.page.find(&row(ID));
        eventually("the list is kept", || kept.exists().then_some(()));
    }
    assert!(fs::read_to_string(&kept).unwrap().contains("<b>Title</b> of"));
    fs::write(file(&workspace), titled("paused")).unwrap();
    let app = stage.open(&[]);
    wait_for_word(&app, ID, "paused");
    app.page.wait_until(
        "return performance.getEntriesByName('last-list').length === 1
            && document.getElementById('last-list') === null",
        SOON,
    );
}

/// The visible cells of the loop row, by the name of their column; a narrow list shows the phase with the
/// evidence.
const COLUMNS_SEEN: &str = "
    const row = document.querySelector('[data-testid=loop-row]');
    return ['status', 'what', 'format', 'phase', 'inline-phase', 'iteration', 'seen', 'spent', 'actions']
        .filter((name) => row?.querySelector('.' + name)?.getClientRects().length > 0).join(' ')";

#[test]
fn a_list_with_less_room_leaves_columns_out_and_brings_them_back() {
    const WHOLE: &str = "status what format phase iteration seen actions";
    let stage = Stage::new("columns");
    let workspace = workspace(&stage, &[(ID, loop_v2(ID, "paused"))]);
    let app = stage.open(&[workspace.as_os_str()]);
    wait_for_word(&app, ID, "paused");
    let rooms = [
        (1280, WHOLE),
        (1100, WHOLE),
        (960, "status what inline-phase iteration seen actions"),
        (1600, "status what format phase iteration seen spent actions"),
        (1280, WHOLE),
    ];
    for (width, seen) in rooms {
        app.page.resize(width, 800);
        app.page.wait_until(&format!("{COLUMNS_SEEN} === '{seen}'"), SOON);
        let beyond = "const list = document.querySelector('[data-testid=loop-list]');
            return list.scrollWidth - list.clientWidth";
        assert_eq!(app.page.execute(beyond, &[]), json!(0), "a row wider than a list of {width} px");
    }
}

#[test]
fn another_process_renames_a_new_version_over_a_file_and_the_row_changes() {
    let stage = Stage::new("live");
    let workspace = workspace(&stage, &[(ID, loop_v2(ID, "paused"))]);
    let app = stage.open(&[workspace.as_os_str()]);
    wait_for_word(&app, ID, "paused");
    app.screenshot("before");
    let script = "import os, sys; open(sys.argv[1] + '.tmp', 'w').write(sys.argv[2]); os.rename(sys.argv[1] + '.tmp', sys.argv[1])";
    let mut outside = xtask::child::bound_command("python3");
    outside.arg("-c").arg(script).arg(file(&workspace)).arg(loop_v2(ID, "completed"));
    assert!(outside.status().unwrap().success());
    wait_for_word(&app, ID, "completed");
    app.screenshot("after");
}

#[test]
fn pause_writes_exactly_what_it_says_and_comes_back_when_a_stale_copy_undoes_it() {
    let stage = Stage::new("pause");
    let before = loop_v2(ID, "running");
    let workspace = workspace(&stage, &[(ID, before.clone())]);
    let app = stage.open(&[workspace.as_os_str()]);
    wait_for_word(&app, ID, "running_elsewhere");
    app.page.click(&format!("{} [data-testid=verb-pause]", row(ID)));
    wait_for_word(&app, ID, "paused");
    app.screenshot("paused");
    let after = fs::read_to_string(file(&workspace)).unwrap();
    let time = |text: &str| text.split("\"updated_at\": \"").nth(1).unwrap()[..24].to_owned();
    let expected = before.replace("\"running\"", "\"paused\"").replace(&time(&before), &time(&after));
    assert_eq!(after, expected, "only the status and the time of the update differ");
    assert_ne!(time(&before), time(&after));

    // The agent still holds an earlier copy and writes it back with its own progress.
    fs::write(file(&workspace), loop_v2_at(ID, "running", 2)).unwrap();
    app.page.wait_until(
        &format!("return document.querySelector('{}').textContent.includes('(1)')", row(ID)),
        SOON,
    );
    wait_for_word(&app, ID, "paused");
    app.screenshot("sent-again");
    let text = fs::read_to_string(file(&workspace)).unwrap();
    assert!(text.contains("\"status\": \"paused\"") && text.contains("\"current_iteration\": 2"), "{text}");
}

#[test]
fn ten_thousand_loops_are_filtered_and_opened_by_keyboard_only() {
    let stage = Stage::new("keyboard");
    let many: Vec<(String, String)> = (0..10_000)
        .map(|n| (format!("loop-v2-20261120T042421-{n:08x}"), n))
        .map(|(id, n)| (id.clone(), loop_v2(&id, if n == 4_321 { "failed" } else { "paused" })))
        .collect();
    let borrowed: Vec<(&str, String)> = many.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    let workspace = workspace(&stage, &borrowed);
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.wait_until("return document.querySelector('[data-loops]')?.dataset.loops === '10000'", SOON);
    app.screenshot("ten-thousand");
    let rows = app.page.count("[data-testid=loop-row]");
    assert!(rows > 5 && rows < 80, "{rows} rows stand in the document");
    app.page.press(&["/"]);
    app.page.type_text("s:failed title");
    app.page.wait_until("return document.querySelectorAll('[data-testid=loop-row]').length === 1", SOON);
    app.screenshot("filtered");
    app.page.press(&[keys::ENTER]);
    app.page.press(&[keys::DOWN]);
    app.page.press(&[keys::ENTER]);
    app.page.wait_until("return document.querySelector('[data-testid=tab-overview]') !== null", SOON);
    app.screenshot("opened");
    let shown: Value =
        app.page.execute("return document.body.textContent.includes(arguments[0])", &[json!("000010e1")]);
    assert_eq!(shown, true);
}
