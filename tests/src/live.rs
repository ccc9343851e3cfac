//! A running runtime on a temporary workspace, watched the way a window watches it: notified, then pulling.

use loopdeck_core::control::Verb;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::LoopDetail;
use loopdeck_runtime::dirs::Dirs;
use loopdeck_runtime::files::Canonical as _;
use loopdeck_runtime::views::{Failure, FailureKind, LoopChange, LoopRow, Tick, VerbOptions};
use loopdeck_runtime::{Options, Runtime};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// Where most tests put their loops.
pub const ROOT: &str = ".workflow/.loop";
const PATIENCE: Duration = Duration::from_secs(20);

/// A workspace with a runtime on it.
pub struct Live {
    /// The runtime, for commands.
    pub runtime: Runtime,
    /// The workspace.
    pub workspace: PathBuf,
    /// Rows by state file, like a window's.
    pub rows: BTreeMap<String, LoopRow>,
    revision: u32,
    ticks: Receiver<Tick>,
    options: Options,
    /// Contains Loopdeck's own data, and usually the workspace.
    _folder: TempDir,
}

impl Live {
    /// An empty workspace, opened.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// A workspace that `fill` prepares before it is opened.
    pub fn with(fill: impl FnOnce(&Path)) -> Self {
        Self::start(|_| {}, fill)
    }

    /// The same, relying only on the operating system's events: no full check catches what they missed.
    pub fn told_only() -> Self {
        Self::start(|options| options.floor = Duration::from_secs(86_400), |_| {})
    }

    /// The same, without the operating system's help.
    pub fn polling(fill: impl FnOnce(&Path)) -> Self {
        Self::start(|options| options.polling = true, fill)
    }

    /// The same, with `change` applied to its options.
    pub fn start(change: impl FnOnce(&mut Options), fill: impl FnOnce(&Path)) -> Self {
        let folder = TempDir::with_prefix("loopdeck-live-").expect("a temporary folder");
        let workspace = folder.path().canonical().expect("a path").join("workspace");
        Self::on(folder, workspace, change, fill)
    }

    /// The same in an existing folder.
    pub fn inside(workspace: &Path, change: impl FnOnce(&mut Options), fill: impl FnOnce(&Path)) -> Self {
        let folder = TempDir::with_prefix("loopdeck-live-").expect("a temporary folder");
        Self::on(folder, workspace.canonical().expect("a path"), change, fill)
    }

    fn on(
        folder: TempDir,
        workspace: PathBuf,
        change: impl FnOnce(&mut Options),
        fill: impl FnOnce(&Path),
    ) -> Self {
        fs::create_dir_all(workspace.join(ROOT)).expect("a root");
        fill(&workspace);
        let mut options = Options::new(folder.path().join("data"));
        change(&mut options);
        let (runtime, ticks) = runtime(&options);
        match runtime.open_workspace(&workspace) {
            Err(failure) if failure.kind == FailureKind::OwnData => {} // open, though it cannot be remembered
            opened => drop(opened.expect("opens")),
        }
        let rows = BTreeMap::new();
        let mut live = Self { runtime, workspace, rows, revision: 0, ticks, options, _folder: folder };
        live.pull();
        live
    }

    /// Ends the runtime and starts another one on the same data, like a restart.
    #[must_use]
    pub fn restarted(self) -> Self {
        self.restarted_after(|_, _| {})
    }

    /// The same, after `meanwhile` has changed our data and the workspace.
    #[must_use]
    pub fn restarted_after(self, meanwhile: impl FnOnce(&Path, &Path)) -> Self {
        let Self { runtime: old, workspace, options, _folder, .. } = self;
        drop(old);
        meanwhile(&options.dirs.data, &workspace);
        let (runtime, ticks) = runtime(&options);
        runtime.reopen();
        let rows = BTreeMap::new();
        let mut live = Self { runtime, workspace, rows, revision: 0, ticks, options, _folder };
        live.pull();
        live
    }

    /// Loopdeck's own data.
    pub fn data(&self) -> &Dirs {
        &self.options.dirs
    }

    /// Writes a state file in the usual root, in place.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("written");
    }

    /// Replaces a state file in the usual root by rename, like careful writers.
    pub fn replace(&self, name: &str, text: impl AsRef<[u8]>) {
        let temp = self.path(&format!("{name}.tmp.1"));
        fs::write(&temp, text).expect("written");
        fs::rename(temp, self.path(name)).expect("renamed");
    }

    /// Path of a file in the usual root, or of one that is named by its path, such as [`AOT`].
    pub fn path(&self, name: &str) -> PathBuf {
        self.workspace.join(below(name))
    }

    /// Text of a file in the usual root.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("readable")
    }

    /// The row of a file in the usual root.
    pub fn row(&self, name: &str) -> Option<&LoopRow> {
        self.rows.get(&below(name))
    }

    /// The key of a file in the usual root.
    pub fn key(&self, name: &str) -> String {
        self.row(name).unwrap_or_else(|| panic!("{name} is not listed")).key.clone()
    }

    /// Requests a verb.
    ///
    /// # Errors
    /// The failure a person would see.
    pub fn act(&self, name: &str, verb: Verb) -> Result<(), Failure> {
        self.runtime.act(&self.key(name), verb, VerbOptions::default())
    }

    /// Carries out a change beyond the verbs.
    ///
    /// # Errors
    /// The failure a person would see.
    pub fn change(&self, name: &str, change: LoopChange) -> Result<(), Failure> {
        self.runtime.change(&self.key(name), change)
    }

    /// Undoes our last change.
    ///
    /// # Errors
    /// The failure a person would see.
    pub fn undo(&self, name: &str) -> Result<(), Failure> {
        self.runtime.undo(&self.key(name))
    }

    /// The page of a file in the usual root.
    pub fn detail(&self, name: &str) -> LoopDetail {
        self.runtime.open_loop(&self.key(name)).expect("a page").detail
    }

    /// All files of the workspace with their bytes, by path below it.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.workspace.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&self.workspace).expect("below").to_owned();
                    let target =
                        |_| fs::read_link(&path).map(|to| to.as_os_str().as_encoded_bytes().to_vec());
                    found.insert(name, fs::read(&path).or_else(target).expect("readable"));
                }
            }
        }
        found
    }

    /// Makes a file in the usual root look idle for an hour.
    pub fn age(&self, name: &str) {
        let old = SystemTime::now() - Duration::from_secs(3_600);
        let file = fs::File::options().write(true).open(self.path(name)).expect("opened");
        file.set_modified(old).expect("aged");
    }

    /// Pulls all changes.
    pub fn pull(&mut self) {
        loop {
            let changes = self.runtime.changes(self.revision);
            if changes.reset {
                self.rows.clear();
            }
            for key in &changes.removed {
                self.rows.retain(|_, row| row.key != *key);
            }
            self.rows.extend(changes.rows.into_iter().map(|row| (row.file.clone(), row)));
            self.revision = changes.revision;
            if !changes.more {
                return;
            }
        }
    }

    /// Waits until `holds`, checking after each announced change.
    pub fn wait_for(&mut self, what: &str, holds: impl FnMut(&Self) -> bool) {
        let came = self.waits(PATIENCE, holds);
        assert!(came, "never: {what}; rows: {:#?}", self.rows.values().collect::<Vec<_>>());
    }

    /// Waits until `holds`, at most this long; returns whether it did.
    pub fn waits(&mut self, patience: Duration, mut holds: impl FnMut(&Self) -> bool) -> bool {
        let end = Instant::now() + patience;
        loop {
            self.pull();
            if holds(self) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if self.ticks.recv_timeout(left).is_err() {
                return false;
            }
        }
    }

    /// Waits until the loop in `name` shows `word`.
    pub fn wait_for_word(&mut self, name: &str, word: StatusWord) {
        self.wait_for(&format!("{name} shows {word:?}"), |live| {
            live.row(name).is_some_and(|row| row.word == word)
        });
    }
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

fn runtime(options: &Options) -> (Runtime, Receiver<Tick>) {
    let runtime = Runtime::start(options).expect("starts");
    let (tell, ticks) = mpsc::channel();
    runtime.subscribe(Box::new(move |tick| tell.send(tick).is_ok()));
    (runtime, ticks)
}

/// A small Loop v2 state file as the server writes it.
pub fn loop_v2(id: &str, status: &str) -> String {
    loop_v2_at(id, status, 1)
}

/// The same in iteration `iteration`.
pub fn loop_v2_at(id: &str, status: &str, iteration: u32) -> String {
    format!(
        r#"{{
  "loop_id": "{id}",
  "title": "Title of {id}",
  "description": "",
  "max_iterations": 10,
  "status": "{status}",
  "current_iteration": {iteration},
  "created_at": "2026-11-20T04:24:21.870Z",
  "updated_at": "2026-11-20T04:24:21.915Z"
}}"#
    )
}

/// The state file of an AoT loop.
pub const AOT: &str = ".claude/aot-loop-state.md";

/// The location of a state file, below the workspace.
fn below(name: &str) -> String {
    // Loops of other formats are named by their whole path.
    if name.starts_with('.') { name.to_owned() } else { format!("{ROOT}/{name}") }
}

/// A small AoT state file that follows every layout rule.
pub fn aot(status: &str, iteration: u32) -> String {
    format!(
        "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n    type: command\n    value: \"npm test\"\n  \
         background_intent: \"Because\"\n  deliverables: \"A thing\"\n  definition_of_done: \"It works\"\n  constraints:\n    \
         max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n\ncontrol:\n  status: {status}\n  \
         iteration: {iteration}\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  \
         redirect_requested: false\n\natoms:\n  - id: A1\n    description: \"Do it\"\n    status: pending\n    depends_on: []\n\n\
         decompositions: []\n\nor_groups: {{}}\n\nbindings: {{}}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n"
    )
}
