//! The runtime as the shell sees it: start it, ask it, be told of changes.

mod beginnings;
mod changed_by;
mod changing;
mod comments;
mod comparing;
mod diagnostics;
pub(crate) mod driving;
mod elsewhere;
mod finishing;
mod handing;
mod keeping_history;
mod lent;
mod links;
mod list_marks;
mod loop_changes;
mod loop_in_git;
mod messages;
mod notes;
mod outputs;
mod outside;
mod overview;
mod past;
mod proving;
mod pull_requests;
mod reading;
mod reverting;
mod rules;
mod run_changes;
mod running;
mod searching;
mod settings;
pub(crate) mod start_form;
mod trends;
mod verifying;
mod weakened_tests;
mod workspaces;

pub use comparing::ComparedMoment;
pub use lent::trust_repository;
pub use links::LinkTarget;
pub use outputs::WorkedOn;
pub use verifying::Verified;

use crate::coordinator::owner::{Owner, SWEEP_EVERY};
use crate::coordinator::{Asked, Coordinator, Start, open_journal};
use crate::facts_cache::FactsCache;
use crate::last_work::LastWork;
use crate::loop_reader::LocatedLoop;
use crate::observe::catalog::{Catalog, FollowUpPair, MarkedLoops};
use crate::remembered::Remembered;
use crate::search::LoopSearch;
use crate::store::journal::{self, Journal, Retention};
use crate::store::notes::by_loop;
use crate::tables::LastTable;
use crate::timeline::LastTimeline;
use crate::views::{Failure, FailureKind, Settings};
use elsewhere::MessengerSlot;
use loopdeck_core::loop_id::workspace_of;
use loopdeck_core::status::Program;
use loopdeck_core::times::TimeDelta;
use loopdeck_execution::agents::doctor::Doctor;
use loopdeck_execution::agents::environment;
use loopdeck_execution::launcher::workshop::Outputs;
use loopdeck_execution::needs_board::NeedsBoard;
use loopdeck_execution::preferences::choices::{Choices, KeptChoices};
use loopdeck_execution::runs::GuardianProgram;
use loopdeck_execution::tries::Tries;
use loopdeck_system::clock;
use loopdeck_system::dirs::Dirs;
use loopdeck_system::files;
use loopdeck_system::kept;
use loopdeck_system::logged::Logged as _;
use parking_lot::{Mutex, RwLock};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use workspaces::CanonicalFolder;

/// What a runtime leaves behind besides the changes of loops that it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traces {
    /// Settings, open workspaces, the journal; old temporary files of ours are cleaned up: the window.
    #[default]
    All,
    /// The journal and nothing else: one request of a script. What is open there is guarded by the window.
    Requests,
    /// The journal and what runs leave: one loop is run to its end without a window. Requests are guarded as a window
    /// guards them; settings, open workspaces and the person's choices are read and never written.
    Runs,
    /// Nothing, neither in our data folder nor in a workspace: a look of a script. The journal is only read.
    Nothing,
}

/// How the runtime is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Our own data.
    pub dirs: Dirs,
    /// Poll instead of being told by the operating system.
    pub polling: bool,
    /// How often everything is checked although the operating system reports changes: the floor below it.
    pub floor: Duration,
    /// How much of the past of all loops is kept.
    pub retention: Retention,
    /// What may be left behind.
    pub traces: Traces,
    /// Which program runs loops here, as others see it.
    pub program: Program,
    /// Who becomes the guardian of a run: this program once more, unless a test says otherwise.
    pub guardian: Option<GuardianProgram>,
    /// How long a minute of a limit lasts; shorter in tests only.
    pub minute: Duration,
    /// The one loop that is worked on, by its state file or the stem of it: runs and requests that an earlier Loopdeck
    /// left on other loops are not taken up. `None`: all loops.
    pub only: Option<String>,
    /// The one loop that is read, by its state file or the stem of it, with those that it follows from or that follow
    /// from it. `None`: all loops.
    pub named: Option<String>,
}

impl Options {
    /// The usual way: told by the operating system, with a check of everything every four seconds.
    #[must_use]
    pub fn new(data: PathBuf) -> Self {
        let retention = Retention::default();
        Self {
            dirs: Dirs { data },
            polling: false,
            floor: SWEEP_EVERY,
            retention,
            traces: Traces::All,
            program: Program::Window,
            guardian: None,
            minute: Duration::from_secs(60),
            only: None,
            named: None,
        }
    }

    /// For one command without a window: nothing is watched, because it ends before anything could change.
    #[must_use]
    pub fn once(data: PathBuf, traces: Traces) -> Self {
        Self { polling: true, traces, ..Self::new(data) }
    }

    /// For running the loop `only` to its end without a window.
    #[must_use]
    pub fn run(data: PathBuf, only: &str) -> Self {
        let only = Some(only.to_owned());
        Self { traces: Traces::Runs, program: Program::Terminal, only, ..Self::new(data) }
    }
}

/// A running runtime. Ends with its last reference.
#[derive(Debug)]
pub struct Runtime {
    coordinator: Coordinator,
    catalog: Arc<RwLock<Catalog>>,
    remembered: Mutex<Remembered>,
    newer: Option<Failure>,
    damaged: Vec<Failure>,
    dirs: Dirs,
    traces: Traces,
    last_table: LastTable,
    last_work: LastWork,
    last_timeline: LastTimeline,
    facts: FactsCache,
    search: LoopSearch,
    moved: loop_changes::Moved,
    pub(crate) choices: Arc<KeptChoices>,
    pub(crate) doctor: Doctor,
    needs: Arc<NeedsBoard>,
    outputs: Arc<Outputs>,
    pub(crate) tries: Tries,
    messenger_slot: MessengerSlot,
}

impl Runtime {
    /// Starts the coordinator. Workspaces are opened afterwards, see [`Runtime::reopen`].
    ///
    /// # Errors
    /// With [`Traces::Requests`] and [`Traces::Runs`] when the journal cannot be kept. The window starts all the same: loops can be read,
    /// and each write is refused until it can be recorded.
    pub fn start(options: &Options) -> Result<Self, Failure> {
        let (remembered, damaged): (Remembered, Option<Failure>) = match options.traces {
            Traces::All => kept::load(&options.dirs.settings()),
            Traces::Requests | Traces::Runs | Traces::Nothing => kept::peek(&options.dirs.settings()),
        };
        let mut journal = open_journal(options)?;
        let newer = newer_data(&mut journal, &options.dirs);
        let catalog = catalog_from(&mut journal);
        let catalog = Arc::new(RwLock::new(catalog));
        let dirs = options.dirs.clone();
        let traces = options.traces;
        let (choices, damaged_choices) = KeptChoices::load(dirs.choices(), traces != Traces::All);
        let choices = Arc::new(choices);
        let (needs, outputs) = (Arc::<NeedsBoard>::default(), Arc::<Outputs>::default());
        let guardian = match options.guardian.clone() {
            Some(guardian) => guardian,
            None => GuardianProgram::this_program().map_err(Failure::own_data)?,
        };
        let tries = Tries::new(guardian.clone(), Arc::clone(&choices), dirs.clone());
        if traces != Traces::Nothing {
            files::remove_left_overs(&dirs.data);
        }
        let coordinator = Coordinator::start(Start {
            options: options.clone(),
            catalog: Arc::clone(&catalog),
            journal,
            fresh_within: fresh_within(&remembered.settings),
            choices: Arc::clone(&choices),
            guardian,
            needs: Arc::clone(&needs),
            outputs: Arc::clone(&outputs),
        })?;
        Ok(Self {
            coordinator,
            catalog,
            remembered: Mutex::new(remembered),
            newer,
            damaged: damaged.into_iter().chain(damaged_choices).collect(),
            dirs,
            traces,
            last_table: LastTable::default(),
            last_work: LastWork::default(),
            last_timeline: LastTimeline::default(),
            facts: FactsCache::default(),
            search: LoopSearch::default(),
            moved: loop_changes::Moved::default(),
            choices,
            doctor: Doctor::default(),
            needs,
            outputs,
            tries,
            messenger_slot: MessengerSlot::default(),
        })
    }

    /// Announces [`Runtime::reopen`], so that a window knows that an empty list is not the whole list.
    pub fn announce_reopening(&self) {
        let any = self.remembered(|remembered| !remembered.open.is_empty());
        self.note_reopening(any);
    }

    /// Opens the workspaces that were open when the app ended. One that does not answer delays no other.
    pub fn reopen(&self) {
        let paths = self.remembered(|remembered| remembered.open.clone());
        let found: Vec<_> = paths.into_iter().map(|path| (CanonicalFolder::look_up(&path), path)).collect();
        // In the order in which they were opened. One that is not found in time was canonical then.
        let asked = found.into_iter().filter_map(|(found, path)| match found.wait() {
            Ok(path) => Some(self.ask_open(&path)),
            Err(failure) if failure.kind == FailureKind::FolderDoesNotAnswer => Some(self.ask_open(&path)),
            Err(_) => None, // a folder that is gone is simply not opened
        });
        for asked in asked.collect::<Vec<_>>() {
            asked.wait().logged("a workspace is not opened again");
        }
        self.note_reopening(false);
    }

    fn note_reopening(&self, reopening: bool) {
        self.coordinator.change_catalog(|catalog| {
            catalog.reopening = reopening;
            catalog.touch();
        });
    }

    /// Makes what the first start of an agent would have to wait for. Called once the window is painted.
    pub fn warm_up(&self) {
        environment::prepare();
    }

    fn remembered<T>(&self, read: impl FnOnce(&Remembered) -> T) -> T {
        read(&self.remembered.lock())
    }

    fn remember(&self, change: impl FnOnce(&mut Remembered)) -> Result<(), Failure> {
        let mut remembered = self.remembered.lock();
        change(&mut remembered);
        if self.traces != Traces::All {
            return Ok(());
        }
        kept::save(&self.dirs.settings(), &*remembered)
    }

    /// Why nothing of what a person does here is kept: a newer Loopdeck wrote our data.
    #[must_use]
    pub fn newer_data(&self) -> Option<Failure> {
        self.newer.clone()
    }

    /// Files of ours that could not be read, and what became of each: to be told to the person.
    #[must_use]
    pub fn damaged_data(&self) -> Vec<Failure> {
        self.damaged.clone()
    }

    fn find(&self, key: &str) -> Result<LocatedLoop, Failure> {
        if let Some(silence) = self.coordinator.silence(workspace_of(key)) {
            return Err(silence); // a page must not wait forever
        }
        self.read(|catalog| LocatedLoop::in_catalog(catalog, key))
    }

    fn read<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read())
    }

    /// Has `work` done by the worker of a loop's workspace, and waits for it. The one way in which anything is asked.
    fn ask<T: Send + 'static>(
        &self,
        key: &str,
        work: impl FnOnce(&mut Owner, &str) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let named = key.to_owned();
        self.coordinator.ask(workspace_of(key), move |owner| work(owner, &named)).wait()
    }

    /// The same for what changes a loop: refused for loops of other machines.
    fn ask_change<T: Send + 'static>(
        &self,
        key: &str,
        work: impl FnOnce(&mut Owner, &str) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.refuse_elsewhere(key)?;
        self.ask(key, work)
    }

    fn open_ids(&self) -> Vec<Arc<str>> {
        self.read(|catalog| catalog.workspaces.iter().map(|workspace| Arc::clone(&workspace.id)).collect())
    }

    /// Has the same done in every workspace, and waits for all of them.
    fn ask_all(
        &self,
        work: impl Fn(&mut Owner) -> Result<(), Failure> + Clone + Send + 'static,
    ) -> Result<(), Failure> {
        let asked: Vec<_> = self.open_ids().iter().map(|id| self.coordinator.ask(id, work.clone())).collect();
        let answers: Vec<_> = asked.into_iter().map(Asked::wait).collect();
        answers.into_iter().collect()
    }
}

/// A catalog without loops, with what the journal knows of them.
fn catalog_from(journal: &mut Journal) -> Catalog {
    let mut catalog = Catalog::default();
    if !journal.is_blank() {
        // A journal of an earlier version that is only read has none.
        let follow_ups = journal.follow_ups().unwrap_or_default();
        catalog.follow_ups = follow_ups.iter().map(FollowUpPair::from_recorded).collect();
        catalog.notes = journal.all_notes().unwrap_or_default().into_iter().map(by_loop).collect();
        let marks = journal.all_list_marks().unwrap_or_default();
        catalog.marked = MarkedLoops::from_recorded(&marks, clock::now());
    }
    catalog
}

fn newer_data(journal: &mut Journal, dirs: &Dirs) -> Option<Failure> {
    let files = kept::check::<Remembered>(&dirs.settings()).and(kept::check::<Choices>(&dirs.choices()));
    match (journal.check(), files) {
        (Err(journal::Error::Newer), _) => Some(journal::Error::Newer.into()),
        (_, files) => files.err().filter(|failure| failure.kind == FailureKind::NewerData),
    }
}

fn fresh_within(settings: &Settings) -> TimeDelta {
    TimeDelta::minutes(settings.fresh_minutes.max(1).into())
}
