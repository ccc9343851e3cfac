//! Every way a folder reaches the window from outside the page: argument, second start, drop. All of them end here.

use crate::link::Link;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::rows::{Failure, Push};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager};

/// The pages that listen, and what happened before the first one did.
#[derive(Default)]
pub(crate) struct Windows(Mutex<Listeners>);

#[derive(Default)]
struct Listeners {
    channels: Vec<Channel<Push>>,
    missed: Vec<Push>,
}

impl Windows {
    /// Adds a page; it is told what it missed.
    pub(crate) fn listen(&self, channel: Channel<Push>) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for push in listeners.missed.drain(..) {
            let _ = channel.send(push); // a page that is gone needs nothing
        }
        listeners.channels.push(channel);
    }

    /// Whether a page could answer.
    pub(crate) fn listens(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).channels.is_empty()
    }

    /// Tells every page; the first one that comes when there is none.
    pub(crate) fn tell(&self, push: &Push) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.channels.retain(|channel| channel.send(push.clone()).is_ok());
        // A drag is over before a page that starts now could show it, and a question of a moment ago is asked again.
        let passes = matches!(push, Push::Dragging { .. } | Push::Closing { .. });
        if listeners.channels.is_empty() && !passes {
            listeners.missed.push(push.clone());
        }
    }
}

/// Opens `paths` (absolute) as workspaces in the running window; the page learns how it went.
pub(crate) fn open_workspaces(app: &AppHandle, paths: Vec<PathBuf>) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let runtime = app.state::<Arc<Runtime>>();
        for path in paths {
            let link = path.to_str().and_then(Link::parse);
            app.state::<Windows>().tell(&match link {
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
    app.state::<Windows>().tell(&Push::Dragging { over });
}

/// Opens what a person dropped on the window; of a dropped file, its folder.
pub(crate) fn open_dropped(app: &AppHandle, paths: &[PathBuf]) {
    let folder = |path: &PathBuf| match path.parent() {
        Some(parent) if path.is_file() => parent.to_path_buf(),
        _ => path.clone(),
    };
    let mut folders: Vec<PathBuf> = paths.iter().map(folder).collect();
    folders.dedup();
    open_workspaces(app, folders);
}

/// Opens what was open last time, then what the command line asks for.
pub(crate) fn open_at_start(app: &AppHandle, paths: Vec<PathBuf>) {
    let handle = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        handle.state::<Arc<Runtime>>().reopen();
        open_workspaces(&handle, paths);
    });
}

/// Absolute forms of `paths`, links as they are, as a caller in `cwd` means them.
pub(crate) fn absolute(cwd: &Path, paths: &[PathBuf]) -> Vec<PathBuf> {
    let absolute = |path: &PathBuf| match path.to_str().and_then(Link::parse) {
        Some(_) => path.clone(),
        None => cwd.join(path),
    };
    paths.iter().map(absolute).collect()
}
