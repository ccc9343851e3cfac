//! What a loop changed in 10,000 files with 500,000 lines, compared with what git itself needs for a list of them.

use crate::report::{Report, ms, percentile};
use crate::views;
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::repository;
use loopdeck_tests::window::Stage;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

const FILES: usize = 10_000;
const LINES: usize = 50;
const ROUNDS: usize = 7;
const LIST: &str = "[data-testid=finish-dialog] .files .box";
const OPEN_FINISH: &str = "const all = [...document.querySelectorAll('[data-pane=header] button')];\
    const finish = all.find((one) => one.textContent.trim().startsWith('Finish')); finish?.click(); return finish !== undefined;";
const ID: &str = "loop-v2-20261120T042410-d8ff7e62";

/// Measures the list, and one file of it.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let workspace = changed_workspace(folder);
    let runtime =
        Runtime::start(&Options { polling: true, ..Options::new(folder.join("data")) }).expect("starts");
    let id = runtime.open_workspace(&workspace).expect("opens");
    runtime.trust(&workspace.to_string_lossy(), true).expect("trusted");
    let key = format!("{id}:{ROOT}/{ID}.json");
    let (mut stats, mut lists, mut files) = (vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        let start = Instant::now();
        repository::git(&workspace, &["diff", "--stat", "HEAD"]);
        stats.push(ms(start.elapsed()));
        let start = Instant::now();
        let changes = runtime.loop_changes(&key).expect("a list");
        lists.push(ms(start.elapsed()));
        assert_eq!(changes.files.len(), FILES);
        let start = Instant::now();
        runtime.loop_change(&key, &name(round * 1_000)).expect("a file");
        files.push(ms(start.elapsed()));
    }
    let stat = percentile(&mut stats, 0.5);
    Report::note("changes of a loop: git diff --stat of 10,000 files", stat, "ms");
    let list = percentile(&mut lists, 0.5) / stat;
    report.limit("changes of a loop: list of 10,000 files / git diff --stat", list, 1.3, "x");
    let file = percentile(&mut files, 0.5) / stat;
    report.limit("changes of a loop: one of these files / git diff --stat", file, 0.2, "x");
}

/// Scrolling through the changed files in the window, compared with its frames at rest.
pub(crate) fn measure_scrolling(report: &mut Report, folder: &Path) {
    let workspace = changed_workspace(folder);
    let stage = Stage::new("bench-changes");
    let app = views::opened(&stage, &workspace);
    app.page.invoke("trust", &json!({ "path": workspace, "trusted": true }));
    let rest = views::frame_at_rest(&app);
    app.page.wait_until(OPEN_FINISH, views::PATIENCE);
    app.page
        .wait_until(&format!("return document.querySelectorAll('{LIST} li').length > 5;"), views::PATIENCE);
    let scrolling = views::p95(&app, &format!("'{LIST}'"), "120");
    report.limit("frame while scrolling 10,000 changed files, p95 / at rest", scrolling / rest, 2.0, "x");
    let rows = app.page.count(&format!("{LIST} li"));
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    report.limit("rows of changed files in the document", rows as f64, 120.0, "");
}

/// A completed loop in a repository in which all files changed.
fn changed_workspace(folder: &Path) -> PathBuf {
    let workspace = folder.join("workspace");
    fs::create_dir_all(workspace.join(ROOT)).expect("a folder");
    fs::write(workspace.join(format!("{ROOT}/{ID}.json")), loop_v2(ID, "completed")).expect("written");
    fill(&workspace, "was");
    repository::commit_all(&workspace);
    fill(&workspace, "is");
    workspace
}

fn name(file: usize) -> String {
    format!("src/{}/{file}.txt", file % 100)
}

/// All files, in every fifth line of which `word` stands.
fn fill(workspace: &Path, word: &str) {
    for file in 0..FILES {
        let path = workspace.join(name(file));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let mut text = String::new();
        for line in 0..LINES {
            let word = if line % 5 == 0 { word } else { "stays" };
            let _ =
                writeln!(text, "line {line} of file {file} {word} here, as long as a line of a program is");
        }
        fs::write(path, text).expect("written");
    }
}
