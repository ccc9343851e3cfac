//! Every way a folder reaches the window: argument, second start, drop. All of them end here.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Manager, Runtime};

/// The folders asked for so far, absolute, each once.
pub(crate) struct Opened(Mutex<Vec<PathBuf>>);

impl Opened {
    /// Starts with the folders from the command line.
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        let opened = Self(Mutex::default());
        opened.add(paths);
        opened
    }

    /// What the window should show, in the order asked for.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, paths: Vec<PathBuf>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            if !known.contains(&path) {
                known.push(path);
            }
        }
    }
}

/// Opens `paths` (absolute) as workspaces in the running window.
pub(crate) fn open_workspaces<R: Runtime>(app: &AppHandle<R>, paths: Vec<PathBuf>) {
    app.state::<Opened>().add(paths);
}

/// Opens what a person dropped on the window.
pub(crate) fn open_dropped<R: Runtime>(app: &AppHandle<R>, paths: &[PathBuf]) {
    open_workspaces(app, paths.to_vec());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_opened_once() {
        let opened = Opened::new(vec!["/a".into(), "/b".into()]);
        opened.add(vec!["/b".into(), "/c".into()]);
        assert_eq!(opened.paths(), ["/a", "/b", "/c"].map(PathBuf::from));
    }
}
