//! Checks that the page really appears: a blank window is the most common failure on Linux and gives no
//! error.

use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, io, thread};
use tauri::{AppHandle, Manager as _};

use loopdeck_runtime::data_dir::DataDir;

/// How long a page may take to send its first request before we explain ourselves.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long it may take from there to its first paint: it runs, but may be slow (many loops, a busy machine).
const PATIENCE_AT_WORK: Duration = Duration::from_secs(60);

/// A file to create on first paint: it tells a script when to take a screenshot.
const MARKER_VARIABLE: &str = "LOOPDECK_PAINTED_FILE";

const BLANK: &str = "\
loopdeck: the window has shown nothing so far. The likely cause is the graphics driver under WebKitGTK.
loopdeck: try again with WEBKIT_DISABLE_COMPOSITING_MODE=1 in the environment; if that does not help, GDK_BACKEND=x11.";

const BLANK_ELSEWHERE: &str = "loopdeck: the window has shown nothing so far.";

/// How far the page has come.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Nothing received yet.
    #[default]
    Silent,
    /// It sent a request.
    AtWork,
    /// It is on screen.
    Painted,
}

/// How far the page has come towards its first paint.
#[derive(Clone, Default)]
pub(crate) struct FirstPaint(Arc<(Mutex<Stage>, Condvar)>);

impl FirstPaint {
    /// The page sent a request, so it runs.
    pub(crate) fn at_work(&self) {
        self.reach(Stage::AtWork);
    }

    /// The page is on screen; closes the notice that it is not. Errors only when the marker file cannot be
    /// written.
    pub(crate) fn report(&self, app: &AppHandle) -> io::Result<()> {
        self.reach(Stage::Painted);
        notice::close(app);
        env::var_os(MARKER_VARIABLE).map_or(Ok(()), |file| fs::write(Path::new(&file), b""))
    }

    /// From now on the page has [`PATIENCE`] for its first request and [`PATIENCE_AT_WORK`] for its first
    /// paint. After that, the person is told what to do.
    pub(crate) fn watch(&self, app: &AppHandle) {
        let (watched, app) = (self.clone(), app.clone());
        thread::spawn(move || {
            if !watched.appears(PATIENCE, PATIENCE_AT_WORK) {
                explain(&app, &watched);
            }
        });
    }

    fn reach(&self, stage: Stage) {
        let (reached, changed) = &*self.0;
        let mut reached = reached.lock().unwrap_or_else(PoisonError::into_inner);
        *reached = stage.max(*reached);
        changed.notify_all();
    }

    fn appears(&self, patience: Duration, at_work: Duration) -> bool {
        self.wait(Stage::AtWork, patience) && self.wait(Stage::Painted, at_work)
    }

    fn wait(&self, stage: Stage, patience: Duration) -> bool {
        let (reached, changed) = &*self.0;
        let guard = reached.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = changed
            .wait_timeout_while(guard, patience, |reached| *reached < stage)
            .unwrap_or_else(PoisonError::into_inner);
        *guard >= stage
    }
}

/// Explains it on stderr and in the log, and offers a restart that is likely to help.
fn explain(app: &AppHandle, watched: &FirstPaint) {
    let text = if cfg!(target_os = "linux") { BLANK } else { BLANK_ELSEWHERE };
    eprintln!("{text}");
    let _ = log(&app.state::<DataDir>().path().join("loopdeck.log"), text); // it is already on stderr
    notice::show(app, watched);
}

fn log(file: &Path, text: &str) -> io::Result<()> {
    writeln!(fs::OpenOptions::new().create(true).append(true).open(file)?, "{text}")
}

/// The notice on screen. Uses GTK directly: if the page does appear later, the notice has to close itself.
#[cfg(target_os = "linux")]
mod notice {
    use super::{FirstPaint, Stage};
    use crate::{web_view_env, words};
    use gtk::prelude::{DialogExt as _, GtkWindowExt as _, WidgetExt as _};
    use loopdeck_runtime::Runtime;
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::time::Duration;
    use tauri::{AppHandle, Manager as _};

    thread_local! {
        /// Used only on the main thread.
        static SHOWN: RefCell<Option<gtk::MessageDialog>> = const { RefCell::new(None) };
    }

    pub(super) fn show(app: &AppHandle, watched: &FirstPaint) {
        if web_view_env::compositing_is_off() {
            return;
        }
        let (watched, handle) = (watched.clone(), app.clone());
        let _ = app.run_on_main_thread(move || {
            // Only here can no report come in between.
            if !watched.wait(Stage::Painted, Duration::ZERO) {
                open(&handle);
            }
        });
    }

    pub(super) fn close(app: &AppHandle) {
        let _ = app.run_on_main_thread(|| {
            if let Some(dialog) = SHOWN.take() {
                dialog.close();
            }
        });
    }

    fn open(app: &AppHandle) {
        let words = words::words(&app.state::<Arc<Runtime>>().settings().language);
        let dialog = gtk::MessageDialog::builder()
            .message_type(gtk::MessageType::Warning)
            .title(&words.blank_title)
            .text(&words.blank_title)
            .secondary_text(&words.blank_text)
            .build();
        dialog.add_button(&words.blank_restart, gtk::ResponseType::Accept);
        dialog.add_button(&words.blank_wait, gtk::ResponseType::Cancel);
        dialog.connect_response(|dialog, response| {
            SHOWN.take();
            if response == gtk::ResponseType::Accept {
                web_view_env::restart_without_compositing();
            }
            // Closing emits one more response at the end.
            if response != gtk::ResponseType::DeleteEvent {
                dialog.close();
            }
        });
        dialog.show_all();
        SHOWN.set(Some(dialog));
    }
}

/// Elsewhere no remedy is known.
#[cfg(not(target_os = "linux"))]
mod notice {
    use super::FirstPaint;
    use tauri::AppHandle;

    pub(super) fn show(_: &AppHandle, _: &FirstPaint) {}
    pub(super) fn close(_: &AppHandle) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(1);

    #[test]
    fn silence_is_noticed() {
        assert!(!FirstPaint::default().appears(SOON, PATIENCE));
    }

    #[test]
    fn a_page_that_runs_has_more_time_but_not_for_ever() {
        let paint = FirstPaint::default();
        paint.at_work();
        assert!(!paint.appears(Duration::ZERO, SOON));
        paint.reach(Stage::Painted);
        paint.at_work(); // a second window or a reload: it has already been on screen
        assert!(paint.appears(Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn a_report_ends_the_wait() {
        let paint = FirstPaint::default();
        let reporter = paint.clone();
        let reporting = thread::spawn(move || reporter.reach(Stage::Painted));
        assert!(paint.appears(PATIENCE, PATIENCE));
        reporting.join().expect("joined");
    }
}
