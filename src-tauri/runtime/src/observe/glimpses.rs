//! Versions of guarded files, read when another program wrote them. Whoever writes next may be a few milliseconds behind, and the owner, which
//! waits for a moment of quiet or for the disk, would see only the newest version: an agent's work on top of another tool's decision looks
//! like an agent that has missed our request.

use loopdeck_system::files;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Versions of one file, at most; the newest are kept.
const MOST: usize = 16;
/// Larger versions are left out. Real state files are smaller.
const LARGEST: u64 = 1 << 20;

/// The guarded files of a workspace, and what was seen of them. The watcher's thread fills it, the owner takes from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Glimpses(Arc<Mutex<HashMap<PathBuf, Glimpsed>>>);

#[derive(Debug)]
struct Glimpsed {
    workspace: PathBuf,
    versions: Vec<Vec<u8>>,
}

impl Glimpses {
    /// Looks at `file` in `workspace` from now on.
    pub(crate) fn begin(&self, workspace: &Path, file: &str) {
        let glimpsed = || Glimpsed { workspace: workspace.to_owned(), versions: Vec::new() };
        self.0.lock().entry(workspace.join(file)).or_insert_with(glimpsed);
    }

    /// Looks at it no longer.
    pub(crate) fn end(&self, path: &Path) {
        self.0.lock().remove(path);
    }

    /// These paths were written just now.
    pub(crate) fn note(&self, paths: &[PathBuf]) {
        for path in paths {
            let Some(workspace) = self.0.lock().get(path).map(|known| known.workspace.clone()) else {
                continue;
            };
            let mut bytes = Vec::new();
            if files::read_up_to(&workspace, path, LARGEST, &mut bytes).is_err() {
                continue; // too large, half written, or gone again
            }
            if let Some(known) = self.0.lock().get_mut(path)
                && known.versions.last() != Some(&bytes)
            {
                known.versions.push(bytes);
                let old = known.versions.len().saturating_sub(MOST);
                known.versions.drain(..old);
            }
        }
    }

    /// Hands out what was seen of a file, oldest first.
    pub(crate) fn take(&self, path: &Path) -> Vec<Vec<u8>> {
        self.0.lock().get_mut(path).map(|known| std::mem::take(&mut known.versions)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::{RequestState, RequestView, VerbOptions};
    use crate::{Options, Runtime};
    use loopdeck_core::control::Verb;
    use loopdeck_core::times::to_iso_millis;
    use loopdeck_system::clock;
    use serde_json::{Value, json};
    use std::time::{Duration, Instant};

    /// Long enough for a busy machine to notice a write.
    const MOMENT: Duration = Duration::from_millis(300);
    const ROOT: &str = ".workflow/.loop";

    struct Guarded {
        runtime: Runtime,
        folder: tempfile::TempDir,
    }

    impl Guarded {
        /// Two running loops, `a` and `b`.
        fn new() -> Self {
            let folder = tempfile::TempDir::with_prefix("loopdeck-glimpses-").unwrap();
            let root = folder.path().join("workspace").join(ROOT);
            std::fs::create_dir_all(&root).unwrap();
            for id in ["a", "b"] {
                let text = json!({
                    "loop_id": format!("loop-v2-{id}"), "title": id, "description": "", "max_iterations": 10,
                    "status": "running", "current_iteration": 1, "created_at": "2026-11-20T04:24:21.870Z",
                    "updated_at": "2026-11-20T04:24:21.915Z",
                });
                std::fs::write(root.join(format!("loop-v2-{id}.json")), text.to_string()).unwrap();
            }
            let runtime = Runtime::start(&Options::new(folder.path().join("data"))).unwrap();
            runtime.open_workspace(&folder.path().join("workspace")).unwrap();
            Self { runtime, folder }
        }

        fn path(&self, id: &str) -> PathBuf {
            self.folder.path().join("workspace").join(ROOT).join(format!("loop-v2-{id}.json"))
        }

        fn key(&self, id: &str) -> String {
            let rows = self.runtime.rows();
            rows.into_iter().find(|row| row.title == id).map(|row| row.key).unwrap()
        }

        fn act(&self, id: &str, verb: Verb) {
            self.runtime.act(&self.key(id), verb, VerbOptions::default()).unwrap();
        }

        fn request(&self, id: &str) -> Option<RequestView> {
            self.runtime.rows().into_iter().find(|row| row.title == id)?.request
        }

        /// Like upstream's server: read, change, write the whole file in place.
        fn serve(&self, id: &str, changes: &[(&str, Value)]) {
            let mut state: Value = serde_json::from_slice(&std::fs::read(self.path(id)).unwrap()).unwrap();
            state["updated_at"] = json!(to_iso_millis(clock::now()));
            for (field, value) in changes {
                state[*field] = value.clone();
            }
            std::fs::write(self.path(id), state.to_string()).unwrap();
        }
    }

    fn wait_for(what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !holds() {
            assert!(Instant::now() < end, "never: {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_decision_stands_although_an_agent_works_on_top_of_it_before_it_is_looked_at() {
        for (ours, theirs) in [(Verb::Pause, "running"), (Verb::Resume, "paused")] {
            let guarded = Guarded::new();
            guarded.act("b", Verb::Pause);
            if ours == Verb::Resume {
                guarded.serve("a", &[("status", json!("paused"))]);
                wait_for("paused", || {
                    guarded.runtime.rows().iter().any(|row| row.file_word == "paused" && row.title == "a")
                });
            }
            guarded.act("a", ours);
            // The owner has a version of the other loop to record, and waits for the journal.
            let journal =
                rusqlite::Connection::open(guarded.folder.path().join("data/journal.sqlite")).unwrap();
            journal.execute_batch("BEGIN IMMEDIATE").unwrap();
            guarded.serve("b", &[("x_work", json!(1))]);
            std::thread::sleep(MOMENT);
            guarded.serve("a", &[("status", json!(theirs))]);
            std::thread::sleep(MOMENT);
            guarded.serve("a", &[("x_work", json!(1))]);
            drop(journal);
            wait_for("it is judged", || {
                let request = guarded.request("a").unwrap();
                assert_eq!(request.sent_again, 0, "{request:?}");
                request.state == RequestState::Overruled
            });
            let state: Value = serde_json::from_slice(&std::fs::read(guarded.path("a")).unwrap()).unwrap();
            assert_eq!((&state["status"], &state["x_work"]), (&json!(theirs), &json!(1)));
        }
    }
}
