//! Checks that the page really appears: a blank window is the most common failure on Linux and gives no
//! error.

use crate::platform::blank_notice;
use parking_lot::{Condvar, Mutex};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io, thread};
use tauri::AppHandle;

/// How long a page may take to send its first request before we explain ourselves.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long it may take from there to its first paint: it runs, but may be slow (many loops, a busy machine).
const PATIENCE_AT_WORK: Duration = Duration::from_secs(60);

/// A file to create on first paint: it tells a script when to take a screenshot.
const MARKER_VARIABLE: &str = "LOOPDECK_PAINTED_FILE";

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
    /// Whether the page is on screen by now.
    pub(crate) fn is_painted(&self) -> bool {
        self.wait(Stage::Painted, Duration::ZERO)
    }

    /// Waits until the page has sent a request, at most `patience`.
    pub(crate) fn wait_for_request(&self, patience: Duration) {
        self.wait(Stage::AtWork, patience);
    }

    /// The page sent a request, so it runs.
    pub(crate) fn at_work(&self) {
        self.reach(Stage::AtWork);
    }

    /// The page is on screen; closes the notice that it is not. Errors only when the marker file cannot be
    /// written.
    pub(crate) fn report(&self, app: &AppHandle) -> io::Result<()> {
        self.reach(Stage::Painted);
        blank_notice::close(app);
        env::var_os(MARKER_VARIABLE).map_or(Ok(()), |file| fs::write(Path::new(&file), b""))
    }

    /// From now on the page has [`PATIENCE`] for its first request and [`PATIENCE_AT_WORK`] for its first paint. After that, the person
    /// learns what to do.
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
        let mut reached = reached.lock();
        *reached = stage.max(*reached);
        changed.notify_all();
    }

    fn appears(&self, patience: Duration, at_work: Duration) -> bool {
        self.wait(Stage::AtWork, patience) && self.wait(Stage::Painted, at_work)
    }

    fn wait(&self, stage: Stage, patience: Duration) -> bool {
        let (reached, changed) = &*self.0;
        let mut reached = reached.lock();
        changed.wait_while_for(&mut reached, |reached| *reached < stage, patience);
        *reached >= stage
    }
}

/// Explains it on stderr and in the log, and offers a restart that is likely to help.
fn explain(app: &AppHandle, watched: &FirstPaint) {
    eprintln!("{}", blank_notice::TEXT);
    tracing::error!("the window has shown nothing so far");
    let watched = watched.clone();
    blank_notice::show(app, move || watched.is_painted());
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
    fn the_first_request_ends_the_wait_for_it() {
        let paint = FirstPaint::default();
        paint.wait_for_request(SOON); // none came
        let page = paint.clone();
        let asking = thread::spawn(move || page.at_work());
        paint.wait_for_request(PATIENCE);
        assert!(paint.wait(Stage::AtWork, Duration::ZERO) && !paint.is_painted());
        asking.join().expect("joined");
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
