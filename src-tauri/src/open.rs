//! Every way a folder reaches the window from outside the page: argument, second start, drop.

use crate::first_paint::FirstPaint;
use crate::link::Link;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::runtime::LinkTarget;
use loopdeck_runtime::views::{Failure, FailureKind, Push};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, Url};

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

/// What an argument or a drop asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A folder, absolute.
    Folder(PathBuf),
    /// A place that a link names.
    Link(Link),
    /// An address that names nothing here, as it was given.
    Nothing(String),
}

impl Wanted {
    /// Reads an argument: a folder (relative to the caller's `cwd`), its `file://` address as a file manager gives it, or a
    /// link.
    pub(crate) fn read(cwd: &Path, argument: &Path) -> Self {
        let text = argument.to_str().unwrap_or_default();
        let scheme = text.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let found = match scheme.as_deref() {
            Some("loopdeck") => Link::parse(text).map(Self::Link),
            Some("file") => Url::parse(text).ok().and_then(|url| url.to_file_path().ok()).map(Self::Folder),
            _ => Some(Self::Folder(cwd.join(argument))),
        };
        found.unwrap_or_else(|| Self::Nothing(text.to_owned()))
    }
}

/// Opens what is wanted in the running window and tells the page the result.
pub(crate) fn open_wanted(app: &AppHandle, wanted: Vec<Wanted>) {
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let runtime = app.state::<Arc<Runtime>>();
        for wanted in wanted {
            let push = opened(&runtime, wanted).unwrap_or_else(|failure| Push::Failed { failure });
            app.state::<Windows>().send(&push);
        }
    });
}

fn opened(runtime: &Runtime, wanted: Wanted) -> Result<Push, Failure> {
    match wanted {
        Wanted::Folder(path) => Ok(Push::Opened { workspace: runtime.open_workspace(&path)? }),
        Wanted::Link(link) => Ok(match runtime.follow_link(&link.file)? {
            LinkTarget::Loop(key) => Push::Linked { key, tab: link.tab, item: link.item },
            LinkTarget::Workspace(workspace) => Push::Opened { workspace },
        }),
        Wanted::Nothing(address) => {
            let shown: String = address.chars().take(200).collect();
            Err(Failure::new(FailureKind::UnknownLink).with("path", shown))
        }
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
    open_wanted(app, folders.into_iter().map(Wanted::Folder).collect());
}

/// How long the folders wait for a page that shows the list as it was left.
const LAST_LIST_DRAWN: Duration = Duration::from_secs(1);

/// Opens the workspaces from last time, then what the command line asks for. Reading many loops keeps every core busy: while the
/// page `draws_last_list`, they wait until it asks for something.
pub(crate) fn open_at_start(app: &AppHandle, wanted: Vec<Wanted>, draws_last_list: bool) {
    let handle = app.clone();
    app.state::<Arc<Runtime>>().announce_reopening();
    tauri::async_runtime::spawn_blocking(move || {
        if draws_last_list {
            handle.state::<FirstPaint>().wait_for_request(LAST_LIST_DRAWN);
        }
        handle.state::<Arc<Runtime>>().reopen();
        open_wanted(&handle, wanted);
    });
}

/// What each of `arguments` asks for, given by a caller in `cwd`.
pub(crate) fn wanted(cwd: &Path, arguments: &[PathBuf]) -> Vec<Wanted> {
    arguments.iter().map(|argument| Wanted::read(cwd, argument)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(argument: &str) -> Wanted {
        Wanted::read(Path::new("/here"), Path::new(argument))
    }

    #[test]
    fn folders_come_as_paths_and_as_addresses() {
        for (argument, folder) in [
            ("shop", "/here/shop"),
            ("/code/shop", "/code/shop"),
            ("file:///code/an%20a", "/code/an a"),
            ("file://localhost/code", "/code"),
            ("./loopdeck:x", "/here/./loopdeck:x"),
        ] {
            assert_eq!(read(argument), Wanted::Folder(folder.into()), "{argument}");
        }
    }

    #[test]
    fn an_address_that_names_nothing_is_no_path() {
        for argument in ["loopdeck://../../etc", "LOOPDECK:///etc", "loopdeck:", "file://server/share"] {
            assert_eq!(read(argument), Wanted::Nothing(argument.to_owned()));
        }
    }

    #[test]
    fn a_link_stays_a_link() {
        assert!(
            matches!(read("loopdeck:///a/b.json?tab=debug"), Wanted::Link(link) if link.tab.as_deref() == Some("debug"))
        );
    }
}
