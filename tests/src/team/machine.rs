//! A machine of a team, with a runtime, a workspace and data of its own.

use super::PATIENCE;
use crate::live::{ROOT, loop_v2};
use loopdeck_core::control::Verb;
use loopdeck_core::timeline::TimelineEntry;
use loopdeck_runtime::files::Canonical as _;
use loopdeck_runtime::views::{LoopRow, VerbOptions, WriteCause};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_team::invitation::Invitation;
use loopdeck_team::share::{Scope, Share, Steering};
use loopdeck_team::{AnswerView, Home, Participation, Team};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn join(home: &Home, folder: &Path, invitation: &Invitation) {
    let file = folder.join("invitation.json");
    invitation.write(&file).expect("written");
    home.join(&file).expect("joined");
}

/// A machine with a workspace.
pub struct Machine {
    /// Its runtime.
    pub runtime: Arc<Runtime>,
    /// Its workspace, `shop`.
    pub workspace: PathBuf,
    /// Its place in the team; `None` while Loopdeck is closed there.
    pub team: Option<Team>,
    home: Home,
    tell: Sender<()>,
    told: Receiver<()>,
    pub(super) folder: TempDir,
}

impl Machine {
    /// A machine with `invitation`, running.
    pub fn new(invitation: &Invitation) -> Self {
        let mut machine = Self::closed(
            invitation,
            |_| {},
            |workspace| {
                fs::create_dir_all(workspace.join(ROOT)).expect("a workspace");
            },
        );
        machine.open();
        machine
    }

    /// The same before its connection is opened: `change` its options, and make its workspace.
    pub fn closed(
        invitation: &Invitation,
        change: impl FnOnce(&mut Options),
        make: impl FnOnce(&Path),
    ) -> Self {
        let folder = TempDir::with_prefix("loopdeck-machine-").expect("a folder");
        let root = folder.path().canonical().expect("a path");
        let workspace = root.join("shop");
        fs::create_dir_all(&workspace).expect("a workspace");
        make(&workspace);
        let data = root.join("data");
        let home = Home::new(&data);
        join(&home, &root, invitation);
        let mut options = Options::new(data);
        change(&mut options);
        let runtime = Arc::new(Runtime::start(&options).expect("a runtime"));
        runtime.open_workspace(&workspace).expect("opened");
        let (tell, told) = channel();
        let ticks = tell.clone();
        runtime.subscribe(Box::new(move |_| ticks.send(()).is_ok()));
        Self { runtime, workspace, team: None, home, tell, told, folder }
    }

    /// Opens Loopdeck's connection to the team.
    pub fn open(&mut self) {
        let tell = self.tell.clone();
        let told = Box::new(move || tell.send(()).unwrap_or_default());
        self.team =
            Some(Team::start(&self.runtime, self.home.clone(), Participation::Full, told).expect("a team"));
    }

    /// Joins with another invitation.
    pub fn rejoin(&mut self, invitation: &Invitation) {
        self.team.take();
        join(&self.home, self.folder.path(), invitation);
        self.open();
    }

    /// Closes Loopdeck there; what it has on its disk, with its data in `data`, is for another process.
    pub fn into_folder(self) -> TempDir {
        self.folder
    }

    /// Its data of the team.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Writes a Loop v2 file.
    pub fn write(&self, id: &str, status: &str) {
        let path = self.workspace.join(ROOT).join(format!("{id}.json"));
        let draft = path.with_extension("draft");
        fs::write(&draft, loop_v2(id, status)).expect("written");
        fs::rename(draft, path).expect("renamed");
    }

    /// What a file of the workspace says.
    pub fn status(&self, id: &str) -> String {
        let path = self.workspace.join(ROOT).join(format!("{id}.json"));
        let state: serde_json::Value =
            serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
        state["status"].as_str().unwrap_or_default().to_owned()
    }

    /// The key of a loop of its own.
    pub fn key(&self, id: &str) -> String {
        self.own(id).expect("a loop").key
    }

    /// The row of a loop of its own.
    pub fn own(&self, id: &str) -> Option<LoopRow> {
        self.rows().into_iter().find(|row| row.id == id && self.runtime.elsewhere(&row.key).is_none())
    }

    /// The whole timeline of a loop.
    pub fn timeline(&self, key: &str) -> Vec<TimelineEntry> {
        loop {
            let page = self.runtime.timeline(key).expect("a timeline");
            if !page.more {
                return page.entries;
            }
        }
    }

    /// How often its journal has a write for `cause` to a loop of its own.
    pub fn writes(&self, id: &str, cause: WriteCause) -> usize {
        let history = self.runtime.history(&self.key(id), 1_000).expect("a history");
        history.iter().filter(|version| version.cause == Some(cause)).count()
    }

    /// What became of its requests, newest first.
    pub fn answers(&self) -> Vec<AnswerView> {
        self.team.as_ref().map(|team| team.view().answers).unwrap_or_default()
    }

    /// Shares the workspace.
    pub fn share(&self, scope: Scope, steering: Steering) {
        let share = Share { path: self.workspace.clone(), scope, steering };
        self.team.as_ref().expect("open").share(share).expect("shared");
    }

    /// All rows, those of other machines too.
    pub fn rows(&self) -> Vec<LoopRow> {
        let (mut rows, mut since) = (Vec::new(), 0);
        loop {
            let page = self.runtime.changes(since);
            rows.extend(page.rows);
            since = page.revision;
            if !page.more {
                return rows;
            }
        }
    }

    /// The row of another machine's loop with this id.
    pub fn foreign(&self, id: &str) -> Option<LoopRow> {
        self.rows().into_iter().find(|row| row.id == id && self.runtime.elsewhere(&row.key).is_some())
    }

    /// The row, once there is one for which `holds`.
    pub fn wait_for(&self, id: &str, holds: impl Fn(&LoopRow) -> bool) -> LoopRow {
        self.until(id, || self.foreign(id).filter(&holds))
    }

    /// Asks another machine's loop for something.
    pub fn ask(&self, id: &str, verb: Verb) {
        let row = self.foreign(id).expect("a row");
        self.runtime.act(&row.key, verb, VerbOptions::default()).expect("asked");
    }

    /// Waits until `found` finds something, looking again whenever runtime or team have something to tell.
    pub fn until<T>(&self, what: &str, found: impl Fn() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = found() {
                return found;
            }
            let view = self.team.as_ref().map(Team::view);
            assert!(Instant::now() < deadline, "{what}: {view:#?} {:#?}", self.rows());
            let _ = self.told.recv_timeout(Duration::from_millis(200)); // files of other machines tell nobody here
            while self.told.try_recv().is_ok() {} // one look for all of it
        }
    }

    /// Files of the copies of other machines' workspaces. The draft of a machine's next file has no more than a byte of the one before.
    pub fn copies(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.home.mirrors(), &mut found);
        let machines = self.home.mirrors();
        let is_draft = |path: &Path| {
            path.ends_with("incoming.tmp") && path.ancestors().nth(2).is_some_and(|above| above == machines)
        };
        found.retain(|path| !is_draft(path) || fs::metadata(path).is_ok_and(|file| file.len() > 1));
        found
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), found),
            _ => found.push(entry.path()),
        }
    }
}
