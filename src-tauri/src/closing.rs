//! Closing the window while loops run: the page asks, and the answer is carried out.
//!
//! A driver needs a running Loopdeck, so *keep running* keeps the process and hides the window. It comes back
//! from the tray, from a notification, or by starting Loopdeck again.

use crate::attention::tray;
use crate::open::Windows;
use crate::window;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::drivers::rows::NeedKind;
use loopdeck_runtime::logged::Logged as _;
use loopdeck_runtime::views::{ClosingAnswer, ClosingStep, Push};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tauri::{AppHandle, Manager as _};

/// Longer than any recipe allows for stopping one run; all runs stop in parallel.
const PATIENCE: Duration = Duration::from_secs(60);

/// How far shutting down is.
#[derive(Default)]
pub(crate) struct Closing(Mutex<ClosingState>, Condvar);

#[derive(Default)]
struct ClosingState {
    /// The last reported number of loops with work of ours.
    running: u32,
    stage: ClosingStage,
    /// The page's open question.
    asked: Option<ClosingStep>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ClosingStage {
    #[default]
    Open,
    /// Runs are being stopped.
    Stopping {
        /// The app exits afterwards.
        quits: bool,
    },
    /// Nothing keeps the app running.
    Leaving,
}

impl Closing {
    /// The number of loops with work of ours changed. Returns the question to ask again with the new number.
    fn note_running(&self, running: u32) -> Option<ClosingStep> {
        let again = self.change(|stand| {
            let before = std::mem::replace(&mut stand.running, running);
            stand.asked.filter(|_| before != running)
        });
        self.1.notify_all();
        again
    }

    /// Returns whether a stop is already in progress.
    fn begin_stop(&self, quits: bool) -> bool {
        self.change(|stand| {
            let before = std::mem::replace(&mut stand.stage, ClosingStage::Stopping { quits });
            if let ClosingStage::Stopping { quits: before } = before {
                stand.stage = ClosingStage::Stopping { quits: quits || before };
            }
            matches!(before, ClosingStage::Stopping { .. })
        })
    }

    /// Waits until nothing runs, and calls `tell` whenever the number left changes. Returns whether it got
    /// there in time.
    fn wait_for_none(&self, patience: Duration, tell: impl Fn(u32)) -> bool {
        let end = Instant::now() + patience;
        let mut told = None;
        let mut stand = self.0.lock();
        while stand.running > 0 {
            let running = stand.running;
            if told.replace(running) != Some(running) {
                drop(stand);
                tell(running);
                stand = self.0.lock();
                continue;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.1.wait_for(&mut stand, left);
        }
        true
    }

    fn change<T>(&self, change: impl FnOnce(&mut ClosingState) -> T) -> T {
        change(&mut self.0.lock())
    }
}

/// Whether the app may exit now without asking: nothing of ours runs, or no page can answer. No run is lost:
/// each has a guardian, and the next start finds them.
pub(crate) fn may_end(app: &AppHandle) -> bool {
    match app.state::<Closing>().change(|stand| stand.stage) {
        ClosingStage::Leaving => true,
        ClosingStage::Stopping { .. } => false,
        ClosingStage::Open => {
            app.state::<Arc<Runtime>>().needs().running == 0 || !app.state::<Windows>().listens()
        }
    }
}

/// The number of loops with work of ours changed.
pub(crate) fn note_running(app: &AppHandle, running: u32) {
    if let Some(step) = app.state::<Closing>().note_running(running) {
        ask(app, step);
    }
}

/// Makes the page ask.
pub(crate) fn ask(app: &AppHandle, step: ClosingStep) {
    app.state::<Closing>().change(|stand| stand.asked = Some(step));
    let app = app.clone();
    // Asking the desktop goes over the bus; the main thread does not wait for it.
    tauri::async_runtime::spawn_blocking(move || {
        let is_stopping =
            app.state::<Closing>().change(|stand| matches!(stand.stage, ClosingStage::Stopping { .. }));
        let running = app.state::<Arc<Runtime>>().needs().running;
        tell_pages(&app, if is_stopping { ClosingStep::Stopping } else { step }, running);
    });
}

/// Exits the app, or asks when something runs.
pub(crate) fn quit(app: &AppHandle) {
    if may_end(app) {
        return leave(app);
    }
    window::focus(app);
    ask(app, ClosingStep::Close);
}

/// Carries out the person's answer.
pub(crate) fn answered(app: &AppHandle, answer: ClosingAnswer) {
    app.state::<Closing>().change(|stand| stand.asked = None);
    match answer {
        ClosingAnswer::Cancel => {}
        ClosingAnswer::KeepRunning => {
            window::hide(app);
            keep_going(app);
        }
        ClosingAnswer::StopAll => stop(app, true),
        ClosingAnswer::StopRuns => stop(app, false),
    }
}

/// Remembers the choice, so that a crash does not undo it.
fn keep_going(app: &AppHandle) {
    let runtime = Arc::clone(&app.state::<Arc<Runtime>>());
    tauri::async_runtime::spawn_blocking(move || {
        // An error means that the runtime has ended, and its runs with it.
        runtime.keep_going().logged("the runs are not told to keep running");
    });
}

/// Stops everything of ours and reports progress.
fn stop(app: &AppHandle, quits: bool) {
    if app.state::<Closing>().begin_stop(quits) {
        return;
    }
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let runtime = Arc::clone(&app.state::<Arc<Runtime>>());
        let closing = app.state::<Closing>();
        closing.note_running(runtime.needs().running);
        let asked = runtime.stop_all();
        let tell_stopping = |running| tell_pages(&app, ClosingStep::Stopping, running);
        let ended = asked.is_ok() && closing.wait_for_none(PATIENCE, tell_stopping);
        let needs = runtime.needs();
        let left = needs.needs.iter().any(|need| need.kind == NeedKind::LeftOver);
        let stage = closing.change(|stand| std::mem::take(&mut stand.stage));
        match stage {
            _ if !ended || left => tell_pages(&app, ClosingStep::Left, needs.running),
            ClosingStage::Stopping { quits: true } => leave(&app),
            _ => tell_pages(&app, ClosingStep::Over, 0),
        }
    });
}

fn leave(app: &AppHandle) {
    app.state::<Closing>().change(|stand| stand.stage = ClosingStage::Leaving);
    app.exit(0);
}

fn tell_pages(app: &AppHandle, step: ClosingStep, running: u32) {
    let tray = step == ClosingStep::Close && tray::is_there(app);
    app.state::<Windows>().send(&Push::Closing { step, running, tray });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn the_wait_tells_of_each_number_and_ends_with_the_last_run() {
        let closing = Arc::new(Closing::default());
        closing.note_running(2);
        let (told, heard) = mpsc::channel();
        let waiting = Arc::clone(&closing);
        let waiter = thread::spawn(move || {
            waiting.wait_for_none(PATIENCE, |running| told.send(running).expect("heard"))
        });
        assert_eq!(heard.recv(), Ok(2));
        closing.note_running(1);
        assert_eq!(heard.recv(), Ok(1));
        closing.note_running(0);
        assert!(waiter.join().expect("no panic"));
    }

    #[test]
    fn an_open_question_is_asked_again_when_its_number_changes() {
        let closing = Closing::default();
        assert_eq!(closing.note_running(2), None, "nothing was asked");
        closing.change(|stand| stand.asked = Some(ClosingStep::Close));
        assert_eq!(closing.note_running(2), None);
        assert_eq!(closing.note_running(1), Some(ClosingStep::Close));
    }

    #[test]
    fn what_does_not_end_is_not_waited_for_for_ever() {
        let closing = Closing::default();
        closing.note_running(1);
        assert!(!closing.wait_for_none(Duration::from_millis(1), |_| {}));
    }

    #[test]
    fn a_second_stop_joins_the_first_and_may_add_that_the_app_ends() {
        let closing = Closing::default();
        assert!(!closing.begin_stop(false));
        assert!(closing.begin_stop(true));
        assert!(closing.begin_stop(false));
        assert!(closing.change(|stand| stand.stage == ClosingStage::Stopping { quits: true }));
    }
}
