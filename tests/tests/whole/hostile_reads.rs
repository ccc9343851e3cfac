//! What the window asks for, with something else in the place of every file that is read for it: each question is answered, in little
//! memory and without waiting for anybody. The questions are asked by this program, started again with its memory watched.

use loopdeck_runtime::{Options, Runtime};
use loopdeck_team::share::{Leaving, Scope, Share, Steering};
use loopdeck_tests::bounded::{Hostile, bounded};
use loopdeck_tests::live::{ROOT, loop_v2};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const WORKSPACE: &str = "LOOPDECK_TEST_TRAPPED";
const THIS: &str = "hostile_reads::every_question_of_a_window_is_answered_in_little_memory";
const GOOD: &str = "loop-v2-good";
const SAID: &str = "every question was answered";

#[test]
fn every_question_of_a_window_is_answered_in_little_memory() {
    if let Some(workspace) = std::env::var_os(WORKSPACE).map(PathBuf::from) {
        ask_everything(&workspace);
        println!("{SAID}");
        return;
    }
    for hostile in Hostile::ALL {
        let folder = TempDir::with_prefix("loopdeck-trap-").unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (workspace, secret) = (top.join("workspace"), top.join("secret"));
        fs::write(&secret, "gitdir: /nowhere\nref: refs/heads/secret\n").unwrap();
        fs::create_dir_all(workspace.join(ROOT)).unwrap();
        fs::write(workspace.join(format!("{ROOT}/{GOOD}.json")), loop_v2(GOOD, "paused")).unwrap();
        let traps = [
            format!("{ROOT}/loop-v2-bad.json"),
            format!("{ROOT}/{GOOD}.progress/debug.log"),
            format!("{ROOT}/{GOOD}.progress/notes.md"),
            format!("{ROOT}/{GOOD}.tasks.jsonl"),
            ".claude/aot-loop-state.md".to_owned(),
            ".git".to_owned(),
            "package.json".to_owned(),
            "Cargo.toml".to_owned(),
            "Makefile".to_owned(),
            ".loopdeck/other.running".to_owned(),
        ];
        let put = |file: &String| hostile.put(&workspace.join(file), &secret);
        let growing: Vec<_> = traps.iter().filter_map(put).collect();
        let asked = bounded(std::env::current_exe().unwrap(), |command| {
            command.args(["--exact", THIS, "--nocapture"]).env(WORKSPACE, &workspace);
        });
        drop(growing);
        let said = String::from_utf8_lossy(&asked.stdout);
        assert!(asked.status.success() && said.contains(SAID), "{hostile:?}: {asked:?}");
    }
}

fn ask_everything(workspace: &Path) {
    let data = tempfile::tempdir().unwrap();
    let runtime = Runtime::start(&Options::new(data.path().to_owned())).unwrap();
    let facts = runtime.folder_facts(&workspace.to_string_lossy());
    assert!(facts.exists && facts.branch.is_none(), "{facts:?}");
    runtime.open_workspace(workspace).unwrap();
    let rows = runtime.rows();
    assert!(rows.iter().any(|row| row.id == GOOD), "{rows:?}");
    for row in &rows {
        let page = runtime.open_loop(&row.key).unwrap();
        for document in &page.documents {
            let _ = runtime.document(&row.key, &document.name, 1, 10); // it may be refused
        }
        let _ = runtime.source(&row.key, 1, 10); // as above
    }
    let found = loop {
        let answer = runtime.search(GOOD, 0).unwrap();
        if answer.left == 0 {
            break answer;
        }
    };
    assert!(!found.loops.is_empty(), "{found:?}");
    for scope in Scope::ALL {
        let share = Share { path: workspace.to_owned(), scope, steering: Steering::Nobody };
        let leaving = Leaving::of(&share);
        assert!(leaving.names.iter().any(|name| name.contains(GOOD)), "{leaving:?}");
    }
}
