//! Every way a folder reaches the window from outside the page: argument, second start, drop.

use crate::link::Link;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::views::{Failure, Push};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager};

/// The listening pages, and events from before the first one listened.
#[derive(Default)]
pub(crate) struct Windows(Mutex<Listeners>);

#[derive(Default)]
struct Listeners {
    channels: Vec<Channel<Push>>,
    missed: Vec<Push>,
}

impl Windows {
    /// Adds a page and sends it the events it missed.
    pub(crate) fn listen(&self, channel: Channel<Push>) {
        let mut listeners = self.0.lock();
        for push in listeners.missed.drain(..) {
            let _ = channel.send(push); // a closed page needs nothing
        }
        listeners.channels.push(channel);
    }

    /// Whether a page can answer.
    pub(crate) fn listens(&self) -> bool {
        !self.0.lock().channels.is_empty()
    }

    /// Sends to every page, or keeps it for the first one to come.
    pub(crate) fn send(&self, push: &Push) {
        let mut listeners = self.0.lock();
        listeners.channels.retain(|channel| channel.send(push.clone()).is_ok());
        // By the time a new page starts, a drag is over, and a recent question is asked again.
        let passes = matches!(push, Push::Dragging { .. } | Push::Closing { .. });
        if listeners.channels.is_empty() && !passes {
            listeners.missed.push(push.clone());
        }
    }
}

/// Opens `paths` (absolute) as workspaces in the running window and tells the page the result.
pub(crate) fn open_workspaces(app: &AppHandle, paths: Vec<PathBuf>) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let runtime = app.state::<Arc<Runtime>>();
        for path in paths {
            let link = path.to_str().and_then(Link::parse);
            app.state::<Windows>().send(&match link {
                Some(link) => followed(&runtime, link),
                None => outcome(runtime.open_workspace(&path)),
            });
        }
    });
}

/// Opens the workspace of the loop that a link names.
fn followed(runtime: &Runtime, link: Link) -> Push {
    match runtime.open_file(&link.file) {
        Ok(key) => Push::Linked { key, tab: link.tab, item: link.item },
        Err(failure) => Push::Failed { failure },
    }
}

fn outcome(opened: Result<String, Failure>) -> Push {
    match opened {
        Ok(workspace) => Push::Opened { workspace },
        Err(failure) => Push::Failed { failure },
    }
}

/// Lets the page show that a folder may be dropped.
pub(crate) fn dragging(app: &AppHandle, over: bool) {
    app.state::<Windows>().send(&Push::Dragging { over });
}

/// Opens what a person dropped on the window; for a file, its folder.
pub(crate) fn open_dropped(app: &AppHandle, paths: &[PathBuf]) {
    let folder = |path: &PathBuf| match path.parent() {
        Some(parent) if path.is_file() => parent.to_path_buf(),
        _ => path.clone(),
    };
    let mut folders: Vec<PathBuf> = paths.iter().map(folder).collect();
    folders.dedup();
    open_workspaces(app, folders);
}

/// Opens the workspaces from last time, then those on the command line.
pub(crate) fn open_at_start(app: &AppHandle, paths: Vec<PathBuf>) {
    let handle = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        handle.state::<Arc<Runtime>>().reopen();
        open_workspaces(&handle, paths);
    });
}

/// Absolute forms of `paths`, relative to the caller's `cwd`; links are unchanged.
pub(crate) fn absolute(cwd: &Path, paths: &[PathBuf]) -> Vec<PathBuf> {
    let absolute = |path: &PathBuf| match path.to_str().and_then(Link::parse) {
        Some(_) => path.clone(),
        None => cwd.join(path),
    };
    paths.iter().map(absolute).collect()
}
