//! Watches that the page really appears: a blank window is the most common failure on Linux and says nothing (L5.2).

use loopdeck_runtime::Runtime;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, io, thread};
use tauri::{AppHandle, Manager as _};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons, MessageDialogKind};

use crate::data_dir::DataDir;
use crate::{web_view_env, words};

/// How long a page may take to appear before we explain ourselves.
const PATIENCE: Duration = Duration::from_secs(8);

/// A file to create on first paint: how a script knows when a screenshot is worth taking.
const MARKER_VARIABLE: &str = "LOOPDECK_PAINTED_FILE";

const BLANK: &str = "\
loopdeck: the window has shown nothing for 8 seconds. The likely cause is the graphics driver under WebKitGTK.
loopdeck: try again with WEBKIT_DISABLE_COMPOSITING_MODE=1 in the environment; if that does not help, GDK_BACKEND=x11.";

const BLANK_ELSEWHERE: &str = "loopdeck: the window has shown nothing for 8 seconds.";

/// Whether the page reported its first paint.
#[derive(Clone, Default)]
pub(crate) struct FirstPaint(Arc<(Mutex<bool>, Condvar)>);

impl FirstPaint {
    /// The page is on screen. Errors only when the marker file cannot be written.
    pub(crate) fn report(&self) -> io::Result<()> {
        let (painted, changed) = &*self.0;
        *painted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
        env::var_os(MARKER_VARIABLE).map_or(Ok(()), |file| fs::write(Path::new(&file), b""))
    }

    /// From now on the page has [`PATIENCE`] to report; then the person is told what to do.
    pub(crate) fn watch(&self, app: &AppHandle) {
        let (watched, app) = (self.clone(), app.clone());
        thread::spawn(move || {
            if !watched.wait(PATIENCE) {
                explain(&app);
            }
        });
    }

    fn wait(&self, patience: Duration) -> bool {
        let (painted, changed) = &*self.0;
        let guard = painted.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = changed
            .wait_timeout_while(guard, patience, |painted| !*painted)
            .unwrap_or_else(PoisonError::into_inner);
        *guard
    }
}

/// Says it on stderr and in the log, and offers a restart that is likely to help.
fn explain(app: &AppHandle) {
    let text = if cfg!(target_os = "linux") { BLANK } else { BLANK_ELSEWHERE };
    eprintln!("{text}");
    let _ = log(&app.state::<DataDir>().path().join("loopdeck.log"), text); // stderr has said it
    if cfg!(target_os = "linux") && !web_view_env::compositing_is_off() {
        offer_restart(app);
    }
}

fn log(file: &Path, text: &str) -> io::Result<()> {
    writeln!(fs::OpenOptions::new().create(true).append(true).open(file)?, "{text}")
}

fn offer_restart(app: &AppHandle) {
    let words = words::words(&app.state::<Arc<Runtime>>().settings().language);
    app.dialog()
        .message(words.blank_text)
        .title(words.blank_title)
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::OkCancelCustom(words.blank_restart, words.blank_wait))
        .show(|restart| {
            if restart {
                web_view_env::restart_without_compositing();
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_noticed() {
        assert!(!FirstPaint::default().wait(Duration::from_millis(1)));
    }

    #[test]
    fn a_report_ends_the_wait() {
        let paint = FirstPaint::default();
        let reporter = paint.clone();
        let reporting = thread::spawn(move || reporter.report());
        assert!(paint.wait(PATIENCE));
        reporting.join().expect("joined").expect("reported");
    }
}
