//! Open workspaces: whether their folders can be reached, how their changes are noticed, and whose they are.

use super::Catalog;
use crate::elsewhere::Elsewhere;
use crate::observe::orphans::Orphans;
use crate::views::{ElsewhereView, WorkspaceView};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::times::Timestamp;
use loopdeck_system::dirs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

/// An open workspace.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Short stable id.
    pub id: Arc<str>,
    /// Canonical path.
    pub path: PathBuf,
    /// Whether it can be reached.
    pub reachable: bool,
    /// Whether the first scan is done.
    pub scanned: bool,
    /// Whether it is the bundled sample.
    pub sample: bool,
    /// Whether its folder has not answered for a while.
    pub silent: bool,
    /// How its changes are noticed.
    pub watched: Watched,
    /// Whose copy it is; `None` for a folder of this computer.
    pub elsewhere: Option<Elsewhere>,
}

/// How the changes of a workspace are noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Folders watched by the operating system.
    pub folders: u32,
    /// Seconds between looks when watching is not possible.
    pub polling: Option<u32>,
    /// Why not (words: catalogue `watching.<reason>`).
    pub reason: Option<&'static str>,
}

impl Workspace {
    /// A workspace that was not read yet.
    #[must_use]
    pub fn new(id: &str, path: PathBuf, sample: bool) -> Self {
        Self {
            id: id.into(),
            path,
            reachable: true,
            scanned: false,
            sample,
            silent: false,
            watched: Watched::default(),
            elsewhere: None,
        }
    }

    /// The key that a loop has whose state file is at `file`; nothing outside of the workspace.
    #[must_use]
    pub fn key(&self, file: &Path) -> Option<LoopId> {
        let below = file.strip_prefix(&self.path).ok()?.to_string_lossy().replace(MAIN_SEPARATOR, "/");
        Some(LoopId::new(&self.id, &below))
    }
}

impl Catalog {
    /// The open workspace with this id.
    #[must_use]
    pub fn workspace(&self, id: &str) -> Option<&Workspace> {
        self.workspaces.iter().find(|workspace| &*workspace.id == id)
    }

    /// The open workspace that a file belongs to: of nested ones the inner one.
    #[must_use]
    pub fn workspace_around(&self, path: &Path) -> Option<&Workspace> {
        let around = self.workspaces.iter().filter(|workspace| path.starts_with(&workspace.path));
        around.max_by_key(|workspace| workspace.path.as_os_str().len())
    }

    /// A workspace was opened.
    pub(crate) fn open(&mut self, workspace: Workspace) {
        self.workspaces.push(workspace);
        self.touch();
    }

    /// A workspace was closed: its loops go with it.
    pub(crate) fn close(&mut self, id: &str) {
        let keys: Vec<LoopId> =
            self.entries().filter(|(_, entry)| &*entry.workspace == id).map(|(key, _)| key.clone()).collect();
        for key in &keys {
            self.remove(key);
        }
        self.counts.remove(id);
        self.workspaces.retain(|workspace| &*workspace.id != id);
        self.sum_up_watching();
        self.touch();
    }

    /// Notes how changes of a workspace are noticed, and that it was checked just now.
    pub(crate) fn watched(&mut self, id: &str, watched: Watched, now: Timestamp) {
        if let Some(known) = self.workspaces.iter_mut().find(|known| &*known.id == id)
            && known.watched != watched
        {
            known.watched = watched;
            self.sum_up_watching();
            self.touch();
        }
        #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
        {
            self.watching.checked = now.number();
        }
    }

    /// One workspace that cannot be watched is what a person should hear of.
    fn sum_up_watching(&mut self) {
        let polled =
            self.workspaces.iter().map(|known| &known.watched).find(|watched| watched.polling.is_some());
        self.watching.polling = polled.and_then(|watched| watched.polling);
        self.watching.reason = polled.and_then(|watched| watched.reason.map(str::to_owned));
        self.watching.folders = self.workspaces.iter().map(|known| known.watched.folders).sum();
    }

    /// Notes companions in the roots of a workspace whose loop is gone.
    pub fn note_orphans(&mut self, workspace: &Arc<str>, found: Orphans) {
        let open: Vec<&Arc<str>> = self.workspaces.iter().map(|workspace| &workspace.id).collect();
        self.orphans.retain(|id, _| open.contains(&id));
        if self.orphans.get(workspace).map_or(found.total > 0, |known| *known != found) {
            self.orphans.insert(Arc::clone(workspace), found);
            self.touch();
        }
    }

    /// Updates whose copy a workspace is.
    pub fn set_elsewhere(&mut self, id: &str, elsewhere: Elsewhere) {
        let known = self.workspaces.iter_mut().find(|known| *known.id == *id);
        if let Some(known) = known.filter(|known| known.elsewhere.as_ref() != Some(&elsewhere)) {
            known.elsewhere = Some(elsewhere);
            self.touch();
        }
    }

    /// The workspaces as a window shows them.
    #[must_use]
    pub fn workspace_views(&self) -> Vec<WorkspaceView> {
        let view = |workspace: &Workspace| WorkspaceView {
            id: workspace.id.to_string(),
            name: workspace.elsewhere.as_ref().map_or_else(
                || workspace.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                |elsewhere| format!("{} · {} · {}", elsewhere.name, elsewhere.member, elsewhere.machine),
            ),
            elsewhere: workspace.elsewhere.as_ref().map(|elsewhere| ElsewhereView {
                member: elsewhere.member.clone(),
                machine: elsewhere.machine.clone(),
                unreachable_since: elsewhere.unreachable_since.map(Timestamp::number),
                steerable: elsewhere.steerable,
                rows_only: elsewhere.rows_only,
                output: elsewhere.output,
            }),
            path: dirs::shown(&workspace.path),
            folder: workspace.path.to_string_lossy().into_owned(),
            loops: self.counts.get(&workspace.id).copied().unwrap_or(0),
            reachable: workspace.reachable,
            scanned: workspace.scanned,
            sample: workspace.sample,
            silent: workspace.silent,
            orphans: self.orphans.get(&workspace.id).map_or_else(Vec::new, |found| found.names.clone()),
            orphans_total: self.orphans.get(&workspace.id).map_or(0, |found| found.total),
        };
        self.workspaces.iter().map(view).collect()
    }
}
