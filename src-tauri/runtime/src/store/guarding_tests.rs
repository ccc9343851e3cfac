//! Which requests of scripts end although no window is open.

use crate::files::Canonical as _;
use crate::store::journal::{Journal, Retention};
use crate::views::VerbOptions;
use crate::{Options, Runtime, Traces};
use loopdeck_core::control::Verb;
use serde_json::json;
use std::path::PathBuf;

struct Scripted {
    folder: tempfile::TempDir,
}

impl Scripted {
    /// A running loop.
    fn new() -> Self {
        let scripted = Self { folder: tempfile::TempDir::with_prefix("loopdeck-scripted-").unwrap() };
        std::fs::create_dir_all(scripted.path().parent().unwrap()).unwrap();
        scripted.write("running");
        scripted
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().canonical().unwrap().join("workspace")
    }

    fn path(&self) -> PathBuf {
        self.workspace().join(".workflow/.loop/loop-v2-a.json")
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("data/journal.sqlite")
    }

    /// What an agent that has missed every request writes.
    fn write(&self, status: &str) {
        let text = json!({
            "loop_id": "loop-v2-a", "title": "a", "description": "", "max_iterations": 10, "status": status,
            "current_iteration": 1, "created_at": "2026-11-20T04:24:21.870Z", "updated_at": "2026-11-20T04:24:21.915Z",
        });
        std::fs::write(self.path(), text.to_string()).unwrap();
    }

    /// One command.
    fn command(&self, command: impl FnOnce(&Runtime, &str)) {
        let options = Options::once(self.folder.path().join("data"), Traces::Requests);
        let runtime = Runtime::start(&options).unwrap();
        runtime.open_workspace(&self.workspace()).unwrap();
        let key = runtime.rows()[0].key.clone();
        command(&runtime, &key);
    }

    fn open(&self) -> usize {
        let mut journal = Journal::open(&self.journal(), Retention::default());
        journal.open_requests(&self.workspace().to_string_lossy()).unwrap().len()
    }

    fn outcome(&self) -> String {
        let database = rusqlite::Connection::open(self.journal()).unwrap();
        database.query_row("SELECT outcome FROM intents ORDER BY id DESC", [], |row| row.get(0)).unwrap()
    }
}

fn pause(runtime: &Runtime, key: &str) {
    runtime.act(key, Verb::Pause, VerbOptions::default()).unwrap();
}

#[test]
fn a_request_that_is_too_old_to_be_sent_again_ends_with_the_next_command() {
    let scripted = Scripted::new();
    scripted.command(pause);
    scripted.write("running");
    scripted.command(|_, _| {});
    assert_eq!(scripted.open(), 1, "a window that is opened now sends it again");
    let database = rusqlite::Connection::open(scripted.journal()).unwrap();
    database.execute("UPDATE intents SET at = at - 3600000", []).unwrap();
    scripted.command(|_, _| {});
    assert_eq!(scripted.open(), 0);
}

#[test]
fn a_request_that_the_loop_has_answered_ends_with_the_next_command() {
    let scripted = Scripted::new();
    scripted.command(pause);
    scripted.write("completed");
    scripted.command(|_, _| {});
    assert_eq!((scripted.open(), &*scripted.outcome()), (0, "settled"));
}

#[test]
fn a_request_that_is_overwritten_again_and_again_ends_unless_a_window_looks_after_it() {
    for has_window in [false, true] {
        let scripted = Scripted::new();
        let window = has_window.then(|| {
            let window = Runtime::start(&Options::new(scripted.folder.path().join("data"))).unwrap();
            window.open_workspace(&scripted.workspace()).unwrap();
            window
        });
        if let Some(window) = &window {
            pause(window, &window.rows()[0].key);
        } else {
            scripted.command(pause);
        }
        scripted.command(|script, key| {
            if !has_window {
                script.act(key, Verb::Resume, VerbOptions::default()).unwrap();
            }
            script.end_overwritten(key).unwrap();
        });
        let expected = if has_window { (1, "open") } else { (0, "overruled") };
        assert_eq!((scripted.open(), &*scripted.outcome()), expected);
        drop(window);
    }
}
