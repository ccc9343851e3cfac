//! *Try it now*: one command of the form, once, to see whether it says what it is meant to say.
//!
//! It runs as the tests of a loop do: by the same guardian, with the same environment, and it can be stopped. Nothing of it
//! is kept; what is left of its folder when the computer fails goes with the old runs.

mod drafting;

use super::mask::Mask;
use super::path_checks::{self, LINES};
use super::person::by_person;
use super::verify::coverage;
use super::work::stop_view;
use crate::completion::test_run;
use crate::completion::test_run::EarlierResults;
use crate::completion::verdicts;
use crate::launcher::starting;
use crate::preferences::choices::KeptChoices;
use crate::rows::{FormTry, Tried, TriedEnd, TriedLine, TryKind};
use crate::run_monitor::RunExit;
use crate::runs::log::{LogReader, Stream};
use crate::runs::{
    Attached, Exit, GuardianProgram, IfAppEnds, LoopKey, RunNotice, StopReason, StopReport, spawn, spec,
};
use loopdeck_core::checklist::{CommandEnd, TestsRan, Verdict, command_verdict};
use loopdeck_results::Reading;
use loopdeck_system::dirs::{self, Dirs};
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a check may take (AoT contract §11).
const CHECK: Duration = Duration::from_secs(120);
/// How long a test command may take before trying it is no longer worth the wait.
const TESTS: Duration = Duration::from_secs(30 * 60);
/// So much of each line is shown.
const LINE: usize = 400;
/// How much of the output is searched for them.
const LOOKED_AT: usize = 1 << 20;

/// Tries that are running now.
#[derive(Debug)]
pub struct Tries {
    guardian: GuardianProgram,
    choices: Arc<KeptChoices>,
    dirs: Dirs,
    /// By the id that the page gave; without a guardian yet while it begins.
    now: Mutex<HashMap<String, RunningTry>>,
}

#[derive(Debug, Default)]
struct RunningTry {
    attached: Option<Attached>,
    stop: bool,
}

impl Tries {
    /// Nothing is tried yet.
    #[must_use]
    pub fn new(guardian: GuardianProgram, choices: Arc<KeptChoices>, dirs: Dirs) -> Self {
        Self { guardian, choices, dirs, now: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, RunningTry>> {
        self.now.lock()
    }

    /// Keeps the guardian where a stop finds it; one that came before is passed on.
    fn keep_guardian(&self, id: &str, attached: &Attached) {
        let mut now = self.lock();
        let Some(going) = now.get_mut(id) else { return };
        going.attached = Some(attached.clone());
        if going.stop {
            attached.stop(by_person(), false).logged("a guardian is not told to stop");
        }
    }

    fn stop(&self, id: &str) {
        let mut now = self.lock();
        let Some(going) = now.get_mut(id) else { return };
        going.stop = true;
        if let Some(attached) = &going.attached {
            attached.stop(by_person(), false).logged("a guardian is not told to stop");
        }
    }

    fn is_stopped(&self, id: &str) -> bool {
        self.lock().get(id).is_some_and(|going| going.stop)
    }
}

impl Tries {
    /// Runs one command of the form once and waits for its end; [`Tries::stop_try`] ends it before.
    ///
    /// # Errors
    /// `BadForm` without a command, or with a floor that is none; `NotAFolder`; `Untrusted`: then nothing was run. `CannotStart` when there is no guardian.
    pub fn try_command(&self, wanted: &FormTry) -> Result<Tried, Failure> {
        let command = wanted.command.trim();
        if command.is_empty() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "command"));
        }
        let folder = dirs::written(&wanted.folder);
        let missing = || Failure::new(FailureKind::NotAFolder).with("path", dirs::shown(&folder));
        let folder = files::canonical_folder(&folder).map_err(|_| missing())?;
        match wanted.kind {
            TryKind::File | TryKind::NotFile => {
                return Ok(path_checks::check_path(&folder, command, wanted.kind == TryKind::NotFile));
            }
            TryKind::Coverage => return coverage::check_report(&folder, command),
            TryKind::Command | TryKind::NotCommand | TryKind::Tests => {}
        }
        if !self.choices.read(|choices| choices.trusts(&folder)) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", dirs::shown(&folder)));
        }
        let run = spec::new_run_id();
        let run_dir = self.dirs.runs().join(&run);
        self.lock().insert(wanted.id.clone(), RunningTry::default());
        let tried = self.try_in(wanted, command, &folder, (&run, &run_dir));
        self.lock().remove(&wanted.id);
        if tried.as_ref().is_ok_and(|tried| tried.left.is_none()) || tried.is_err() {
            std::fs::remove_dir_all(&run_dir).logged("a folder of ours is not removed"); // what cannot go now goes with the old runs
        }
        tried
    }

    /// Ends a try; nothing happens when it is over.
    pub fn stop_try(&self, id: &str) {
        self.stop(id);
    }

    fn try_in(
        &self,
        wanted: &FormTry,
        command: &str,
        folder: &Path,
        (run, run_dir): (&str, &PathBuf),
    ) -> Result<Tried, Failure> {
        let is_tests = wanted.kind == TryKind::Tests;
        let about = LoopKey { workspace: folder.to_string_lossy().into_owned(), file: String::new() };
        let wall = if is_tests { TESTS } else { CHECK };
        let mut spec = starting::tests_spec(command, folder, run, about, Some(wall));
        spec.plan.if_app_ends = IfAppEnds::End { after_ms: 0 };
        let mask = Mask::from_environment(&spec.environment);
        // The shell environment may have taken its time.
        if self.is_stopped(&wanted.id) {
            return Ok(Tried::stopped());
        }
        let before = is_tests.then(|| EarlierResults::prepare(folder, &wanted.results));
        let began = Instant::now();
        let attached = spawn(&self.guardian, run_dir, &spec).map_err(|error| {
            Failure::new(FailureKind::CannotStart).with("agent", command).with("reason", error)
        })?;
        self.keep_guardian(&wanted.id, &attached);
        let (over, took) = until_over(&attached, began);
        let log = LogReader::of_run(run_dir);
        let code = verdicts::exit_code(over.exit.as_ref());
        let tests = before.map(|before| test_run::read(folder, &wanted.results, &before, &log, code));
        let (lines, cut) = first_lines(&log, &mask);
        let end = end_of(&over);
        Ok(Tried {
            passes: passes(wanted.kind, &over),
            could_not_run: could_not_run(&over),
            end,
            code: code.filter(|_| end == TriedEnd::Exited),
            #[allow(clippy::cast_precision_loss)] // a short time
            took_ms: took.as_millis() as f64,
            lines,
            cut,
            unread: tests.as_ref().map(Reading::unread).unwrap_or_default(),
            tests: tests.as_ref().and_then(TestsRan::of),
            found: None,
            covered: None,
            left: Some(&over.report).filter(|report| !report.is_all_gone()).map(stop_view),
        })
    }
}

/// How it ended, and how long it took to exit.
fn until_over(attached: &Attached, began: Instant) -> (RunExit, Duration) {
    let (mut exit, mut ended_by, mut took) = (None, None, None);
    let report = attached.events().iter().find_map(|notice| match notice {
        RunNotice::Exited(how) => {
            took.get_or_insert_with(|| began.elapsed());
            exit = Some(how);
            None
        }
        RunNotice::EndedBy(by) => {
            ended_by = Some(by);
            None
        }
        RunNotice::Ended(report) => Some(report),
        RunNotice::Lost => Some(StopReport::of_no_guardian()),
        RunNotice::More | RunNotice::Status(_) | RunNotice::Step(_) => None,
    });
    let report = report.unwrap_or_else(StopReport::of_no_guardian);
    let over = RunExit::from_guardian(attached.record().ok().as_ref(), exit, ended_by, report);
    (over, took.unwrap_or_else(|| began.elapsed()))
}

fn end_of(over: &RunExit) -> TriedEnd {
    match (&over.stopped_by, &over.exit) {
        (Some(StopReason::WallLimit), _) => TriedEnd::TimedOut,
        (Some(_), _) => TriedEnd::Stopped,
        (None, Some(Exit::Code { .. })) => TriedEnd::Exited,
        (None, Some(Exit::Signal { .. })) => TriedEnd::Signal,
        (None, Some(Exit::NotStarted { .. }) | None) => TriedEnd::NotStarted,
    }
}

fn command_end(over: &RunExit) -> Option<CommandEnd> {
    match (end_of(over), &over.exit) {
        (TriedEnd::Stopped, _) => None,
        (TriedEnd::TimedOut, _) => Some(CommandEnd::TimedOut),
        (TriedEnd::Exited, Some(Exit::Code { code })) => Some(CommandEnd::Exit(*code)),
        (TriedEnd::Signal, _) => Some(CommandEnd::Signal),
        _ => Some(CommandEnd::NotStarted),
    }
}

/// It is unknown whether one was stopped.
fn passes(kind: TryKind, over: &RunExit) -> Option<bool> {
    let end = command_end(over)?;
    Some(command_verdict(kind == TryKind::NotCommand, end) == Verdict::Pass)
}

fn could_not_run(over: &RunExit) -> bool {
    command_end(over).is_some_and(CommandEnd::could_not_run)
}

/// The first lines of both channels in the order in which they came, and whether there is more.
fn first_lines(log: &LogReader, mask: &Mask) -> (Vec<TriedLine>, bool) {
    let window = log.read(0, LOOKED_AT).unwrap_or_default();
    let mut lines: Vec<TriedLine> = Vec::new();
    for stretch in window.pieces.chunk_by(|one, other| one.stream == other.stream) {
        let bytes: Vec<u8> = stretch.iter().flat_map(|piece| piece.bytes.iter().copied()).collect();
        let error = stretch.first().is_some_and(|piece| piece.stream == Stream::Err);
        for line in String::from_utf8_lossy(&bytes).lines() {
            if lines.len() == LINES {
                return (lines, true);
            }
            let text = mask.hide(line.to_owned()).chars().take(LINE).collect();
            lines.push(TriedLine { text, error });
        }
    }
    (lines, !window.at_end)
}
