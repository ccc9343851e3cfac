//! Listens to a run: reads its raw log on disk as it grows, turns it into events and rows, and reports to the owner.
//!
//! The log is the one source: a run that is found again after a restart is read from the same bytes in the same way.

mod disk;
mod end;
mod reading;
pub(crate) mod said;
mod source;

pub(crate) use disk::FolderWatch;
pub(crate) use end::RunExit;
pub use source::source_text;

use super::event::{ExecutionEvent as Event, Inbox};
use super::git::{self, Repository};
use super::mask::{Hide as _, Mask, Variable};
use super::output::OutputLog;
use super::run_event::{RunEnd, RunEvent};
use crate::changes::{ChangeList, RunChanges};
use crate::completion::test_run;
use crate::preferences::choices::KeptChoices;
use crate::rows::Resumed;
use crate::runs::log::LogReader;
use crate::runs::{Exit, FoundRun, GuardianProgram, RunSpec, StopReport, attach, spawn};
use crate::tasks;
use loopdeck_agents::OutputKind;
use loopdeck_agents::answers;
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::fence::Fence;
use parking_lot::Mutex;
use reading::Listening;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Rows of a run, shared with the windows that read them.
pub type SharedOutput = Arc<Mutex<OutputLog>>;

/// How long, and how often, we try to reach a guardian that was found.
const ATTACH_WITHIN: Duration = Duration::from_secs(12);
const ATTACH_APART: Duration = Duration::from_millis(200);

/// A run to be started, or found again.
pub(crate) struct Job {
    pub(crate) key: LoopId,
    pub(crate) run: String,
    pub(crate) run_dir: PathBuf,
    /// Where it works.
    pub(crate) folder: PathBuf,
    /// `None`: it runs already, or ran.
    pub spec: Option<RunSpec>,
    pub(crate) kind: OutputKind,
    /// Of a test command: where its results will be, relative to the folder.
    pub(crate) tests: Option<Vec<String>>,
    /// Of one that is found again: when it began.
    pub(crate) since: Option<SystemTime>,
    /// The environment of a run that is found again is no longer known: what the person's own agents get.
    pub(crate) own: Vec<Variable>,
    /// The folder that the person trusts: where it works, or what that is a worktree of.
    pub(crate) root: PathBuf,
    pub(crate) choices: Arc<KeptChoices>,
    /// The slash command that it is started by, without its sign.
    pub(crate) command: Option<String>,
    /// The conversation that it continues, or was to continue.
    pub(crate) resumed: Option<Resumed>,
    /// What is looked for on the disk when it ends.
    pub(crate) lookout: FolderWatch,
    /// The end is wanted before it was started.
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) guardian: GuardianProgram,
    pub(crate) output: SharedOutput,
    pub(crate) inbox: Inbox,
}

/// What is known before a run begins.
struct Prepared {
    mask: Mask,
    disk: DiskBefore,
}

/// The disk before a run began.
struct DiskBefore {
    /// Files with log statements of debugging.
    left: Option<BTreeSet<String>>,
    folder: Option<disk::FolderBefore>,
    results: Option<test_run::EarlierResults>,
}

impl Job {
    /// Starts the task that carries it out.
    pub(crate) fn start(self) {
        match tasks::handle() {
            Ok(tokio) => drop(tokio.spawn(self.carry_out())),
            Err(error) => self.end(RunEnd::not_started(error.to_string())),
        }
    }

    async fn carry_out(mut self) {
        let prepare = move || {
            let prepared = self.prepare();
            (self, prepared)
        };
        let Some((job, Some((prepared, found)))) = tasks::blocking(prepare).await else { return };
        let (job, Prepared { mask, disk }) = (Arc::new(job), prepared);
        let (listening, end) = match found {
            Ok(FoundRun::Alive(attached)) => {
                let (begun, run) = (Arc::clone(&job), attached.clone());
                let begin = move || {
                    let mut listening = begun.listening(mask);
                    begun.report(RunEvent::Began(run));
                    listening.begin(&begun);
                    listening
                };
                let Some(listening) = tasks::blocking(begin).await else { return };
                match listening.until_ended(&job, &attached).await {
                    Some(ended) => ended,
                    None => return, // the app ends
                }
            }
            Ok(FoundRun::Ended(record)) => (job.listening(mask), RunExit::from_record(&record)),
            Ok(FoundRun::Lost(record, left)) => (job.listening(mask), RunExit::lost(&record, left)),
            Err(error) => {
                tasks::blocking(move || job.end_unstarted(&error)).await;
                return;
            }
        };
        tasks::blocking(move || job.conclude(listening, disk, end)).await;
    }

    /// The repository of the folder; `None` when there is none, or git is not asked.
    fn repository(&self) -> Option<Repository> {
        let of_folder = |root: Repository| {
            let worktree = if self.folder == self.root { Ok(root) } else { root.worktree(&self.folder) };
            worktree.map_err(|error| git::failure(&self.folder, &error))
        };
        let found = self.choices.repository(&self.root).and_then(of_folder);
        found.inspect_err(|failure| tracing::info!(?failure, run = self.run, "a run without git")).ok()
    }

    /// Looks at the folder, then starts the run or finds it again; `None` when its end is wanted already.
    fn prepare(&mut self) -> Option<(Prepared, io::Result<FoundRun>)> {
        // A run that is found again may have to wait for the environment here; its owner never does.
        let mask = match &self.spec {
            Some(spec) => Mask::from_environment(&spec.environment),
            None => Mask::of_any(std::mem::take(&mut self.own)),
        };
        self.lookout.prepare(&self.folder);
        let disk = DiskBefore {
            // Log statements that are in the code before the tests start are there while they run.
            left: self.tests.as_ref().and_then(|_| self.lookout.marked_files(&self.folder, &[])),
            folder: self.spec.is_some().then(|| disk::FolderBefore::now(&self.folder, self.repository())),
            results: match (&self.tests, self.since) {
                (Some(results), None) => Some(test_run::EarlierResults::prepare(&self.folder, results)),
                (Some(_), Some(since)) => Some(test_run::EarlierResults::at(since)),
                (None, _) => None,
            },
        };
        // A run that is found again is alive: it gets the stop as soon as it can be reached.
        if self.spec.is_some() && self.cancel.load(Ordering::SeqCst) {
            self.end(RunEnd::cancelled());
            return None;
        }
        // Its lease may have run out while it waited for its turn.
        let fence = self.spec.as_ref().and_then(|spec| spec.plan.fence.clone());
        if fence.is_some_and(|fence| !Fence::at(fence).is_open()) {
            self.end(RunEnd::cancelled());
            return None;
        }
        let found = match self.spec.take() {
            Some(spec) => spawn(&self.guardian, &self.run_dir, &spec)
                .map(FoundRun::Alive)
                .or_else(|error| self.began_all_the_same().ok_or(error)),
            None => self.attach_patiently(),
        };
        Some((Prepared { mask, disk }, found))
    }

    fn listening(&self, mask: Mask) -> Listening {
        let mut listening = Listening::new(self, mask);
        if let Some((name, text)) = self.resumed.as_ref().map(Resumed::first_note) {
            listening.rows.add_note(name, text, loopdeck_system::clock::now());
        }
        listening
    }

    fn end_unstarted(&self, error: &io::Error) {
        let mut end = RunEnd::not_started(error.to_string());
        if self.since.is_some() {
            end.report = StopReport::Unknown { why: error.to_string() };
        }
        self.end(end);
    }

    /// Reads the rest, and reports the end with what the disk says of it.
    fn conclude(&self, mut listening: Listening, before: DiskBefore, end: RunExit) {
        listening.read_all(self);
        listening.finish(self);
        let code = match &end.exit {
            Some(Exit::Code { code }) => Some(*code),
            _ => None,
        };
        let tests = self.tests.as_ref().zip(before.results).map(|(results, begun)| {
            test_run::read(&self.folder, results, &begun, &LogReader::of_run(&self.run_dir), code)
        });
        let not_started = match &end.exit {
            Some(Exit::NotStarted { program, why, .. }) => Some(format!("{program}: {why}")),
            _ => None,
        };
        let facts = listening.decoder.facts().clone();
        let tail = String::from_utf8_lossy(&listening.tail).into_owned();
        let text = if self.kind == OutputKind::Text {
            &tail
        } else {
            answers::among(self.lookout.answer, &facts.messages)
        };
        let named = self.lookout.files_named_in(facts.structured.as_deref(), text);
        let changed = before.folder.as_ref().and_then(|folder| folder.changed(&self.folder, &named));
        let counted = before.folder.zip(changed.as_ref());
        let lines = counted.as_ref().and_then(|(folder, changed)| folder.lines(&self.folder, changed));
        let changes = counted.and_then(|(folder, changed)| folder.changes(&self.folder, changed));
        let changes = changes.map(|changes| self.keep_changes(changes, &listening.mask));
        let all = changed.as_deref().unwrap_or(&named);
        let instrumented = before.left.or_else(|| self.lookout.marked_files(&self.folder, all));
        let log = disk::read_log(self.lookout.log_text(&self.folder), |text| listening.mask.hide(text));
        let RunExit { exit, report, stopped_by, at } = end;
        let mut end = RunEnd {
            facts,
            exit,
            report,
            stopped_by,
            changed,
            lines,
            changes,
            log,
            instrumented,
            tests,
            tail,
            at,
            not_started,
        };
        // From here on it may get into the files of the loop.
        end.facts.hide(&listening.mask);
        end.tests.hide(&listening.mask);
        end.tail.hide(&listening.mask);
        self.end(end);
    }

    /// Keeps what it changed, without secrets.
    fn keep_changes(&self, changes: RunChanges, mask: &Mask) -> ChangeList {
        let changes = changes.hidden(|text| mask.hide(text));
        changes.keep(&self.run_dir);
        let totals = changes.totals();
        ChangeList { totals, paths: changes.files.into_iter().map(|file| file.path).collect() }
    }

    /// A guardian that died before it could report may have started its child: no second agent may start next to that one.
    fn began_all_the_same(&self) -> Option<FoundRun> {
        attach(&self.run_dir).ok()
    }

    /// A guardian that is only just beginning, or cannot be reached in this moment, is tried again.
    fn attach_patiently(&self) -> io::Result<FoundRun> {
        let until = Instant::now() + ATTACH_WITHIN;
        loop {
            match attach(&self.run_dir) {
                Err(_) if Instant::now() < until && !self.cancel.load(Ordering::SeqCst) => {
                    std::thread::sleep(ATTACH_APART);
                }
                other => return other,
            }
        }
    }

    fn end(&self, end: RunEnd) {
        self.report(RunEvent::Ended(Box::new(end)));
    }

    fn report(&self, event: RunEvent) {
        self.inbox.send(Event::Run(self.key.clone(), self.run.clone(), event));
    }
}
