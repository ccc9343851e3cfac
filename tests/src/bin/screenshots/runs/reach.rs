//! Bringing loops into the state to be shown: by events, never by waiting for a time.

use super::cases::Case;
use loopdeck_runtime::dirs::Dirs;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::CustomAgentForm;
use loopdeck_runtime::runs::RunRecord;
use loopdeck_tests::runs::{end_all, eventually, with_argument};
use loopdeck_tests::window::{App, Stage};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Instant;
use xtask::child::TICK;

/// Opens the form's folder as a trusted workspace, and starts the loop; returns its key.
pub(crate) fn start(app: &App<'_>, form: &StartForm) -> String {
    app.page.invoke("add_workspace", &json!({ "path": form.folder }));
    app.page.invoke("trust", &json!({ "path": form.folder, "trusted": true }));
    let key = app.page.invoke("start_loop", &json!({ "form": form }));
    key.as_str().expect("a key").to_owned()
}

/// Starts it and waits for its need; returns its key, if it got there.
pub(crate) fn start_until_needed(app: &App<'_>, case: &Case) -> Option<String> {
    let key = start(app, &case.form);
    comes_to_need(app, &key, case.need).then_some(key)
}

/// Waits until the loop has this need; returns whether it got there. The other pictures are taken in any
/// case.
pub(crate) fn comes_to_need(app: &App<'_>, key: &str, kind: &str) -> bool {
    let end = Instant::now() + super::SOON;
    loop {
        let needs = app.page.invoke("needs", &json!({}));
        let mut all = needs["needs"].as_array().into_iter().flatten();
        if all.any(|need| need["key"] == key && need["kind"] == kind) {
            return true;
        }
        if Instant::now() > end {
            println!("never: {kind} of {key}: {needs} {}", app.page.invoke("runs", &json!({ "key": key })));
            return false;
        }
        std::thread::sleep(TICK);
    }
}

/// Waits until the list shows this status for the loop.
pub(crate) fn wait_for_word(app: &App<'_>, key: &str, word: &str) {
    eventually(word, || {
        let mut since = 0;
        loop {
            let changes = app.page.invoke("changes", &json!({ "since": since }));
            let rows = changes["rows"].as_array()?;
            if rows.iter().any(|row| row["key"] == key && row["word"] == word) {
                return Some(());
            }
            since = changes["revision"].as_u64().filter(|_| changes["more"] == true)?;
        }
    });
}

/// Waits until the agent of the loop has written this file to its folder.
pub(crate) fn wait_for_file(form: &StartForm, name: &str) {
    let file = Path::new(&form.folder).join(name);
    eventually(name, || file.exists().then_some(()));
}

/// Lets the agent of the loop continue.
pub(crate) fn open_gate(form: &StartForm) {
    fs::write(Path::new(&form.folder).join("gate"), "").expect("a gate");
}

/// Kills the guardian of the loop's current run, like an accident: its agent is left over.
pub(crate) fn kill_guardian(app: &App<'_>, stage: &Stage, key: &str) {
    // The list may be older than the agent's work.
    let run = eventually("a run that develops", || {
        let runs = app.page.invoke("runs", &json!({ "key": key }));
        let mut runs = runs.as_array()?.iter();
        let present = runs.find(|run| run["action"] == "develop" && run["ended"].is_null())?;
        present["id"].as_str().map(str::to_owned)
    });
    let folder = Dirs { data: stage.data_dir() }.runs().join(run);
    let guardian = RunRecord::read(&folder).expect("a record").guardian.expect("a guardian");
    end_all(&[guardian.pid]);
}

/// Kills the app, like an accident; its runs continue.
pub(crate) fn kill_app(stage: &Stage) {
    let data_dir = stage.data_dir();
    end_all(&with_argument(|argument| argument == data_dir.as_os_str().as_encoded_bytes()));
    eventually("the end of the app", || (!stage.is_open()).then_some(()));
}

/// Saves custom agents.
pub(crate) fn save_agents(app: &App<'_>, agents: Vec<CustomAgentForm>) {
    for agent in agents {
        let wrong = app.page.invoke("save_agent", &json!({ "agent": agent }));
        assert_eq!(wrong, Value::Array(Vec::new()), "the agent is kept");
    }
    app.page.invoke("agents", &json!({ "again": true }));
}

/// Ends everything these loops started, in any state: nothing outlives the pictures, even if taking them
/// fails.
pub(crate) struct EndOfAll<'a>(pub(crate) &'a Stage);

impl Drop for EndOfAll<'_> {
    fn drop(&mut self) {
        let Ok(folder) = self.0.folder().canonicalize() else { return };
        let mut all = self.0.processes();
        all.extend(working_below(&folder));
        end_all(&all);
    }
}

fn working_below(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder)))
        .collect()
}
