//! The runtime as the shell sees it: start it, ask it, be told of changes.

mod changing;
mod diagnostics;
pub(crate) mod driving;
mod outside;
mod past;
mod reading;
mod running;
mod settings;
pub(crate) mod start_form;
mod workspaces;

use crate::catalog::{Catalog, FollowUpPair};
use crate::journal::{self, Journal, Retention};
use crate::last_work::LastWork;
use crate::owner::{Event, Owner, Reply, SWEEP_EVERY};
use crate::page::Found;
use crate::rows::{Failure, Settings};
use crate::store::Remembered;
use crate::tables::LastTable;
use crate::timeline::LastTimeline;
use crate::watch::Watch;
use loopdeck_core::times::Millis;
use loopdeck_execution::agents::doctor::Doctor;
use loopdeck_execution::agents::environment;
use loopdeck_execution::event::Inbox;
use loopdeck_execution::launcher::workshop::{Outputs, Workshop};
use loopdeck_execution::preferences::choices::Kept;
use loopdeck_execution::rows::Needs;
use loopdeck_execution::runs::GuardianProgram;
use loopdeck_execution::tries::Tries;
use loopdeck_system::dirs::Dirs;
use loopdeck_system::files;
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

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
    /// Look by itself instead of being told by the operating system.
    pub polling: bool,
    /// How often everything is looked at although the operating system tells of changes: the floor below it.
    pub floor: Duration,
    /// How much of the past of all loops is kept.
    pub retention: Retention,
    /// What may be left behind.
    pub traces: Traces,
    /// Who becomes the guardian of a run: this program once more, unless a test says otherwise.
    pub guardian: Option<GuardianProgram>,
    /// How long a minute of a limit lasts; shorter in tests only.
    pub minute: Duration,
    /// The one loop that is worked on, by its state file or the stem of it: runs and requests that an earlier Loopdeck
    /// left on other loops are not taken up. `None`: all loops.
    pub only: Option<String>,
}

impl Options {
    /// The usual way: told by the operating system, with a look at everything every five seconds.
    #[must_use]
    pub fn new(data: PathBuf) -> Self {
        let retention = Retention::default();
        Self {
            dirs: Dirs { data },
            polling: false,
            floor: SWEEP_EVERY,
            retention,
            traces: Traces::All,
            guardian: None,
            minute: Duration::from_secs(60),
            only: None,
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
        Self { traces: Traces::Runs, only: Some(only.to_owned()), ..Self::new(data) }
    }
}

/// A running runtime. Ends with its last reference.
#[derive(Debug)]
pub struct Runtime {
    inbox: Sender<Event>,
    catalog: Arc<RwLock<Catalog>>,
    remembered: Mutex<Remembered>,
    dirs: Dirs,
    traces: Traces,
    last_table: LastTable,
    last_work: LastWork,
    last_timeline: LastTimeline,
    pub(crate) choices: Arc<Kept>,
    pub(crate) doctor: Doctor,
    needs: Arc<Mutex<Needs>>,
    outputs: Arc<Outputs>,
    pub(crate) tries: Tries,
    owner: Option<JoinHandle<()>>,
}

impl Runtime {
    /// Starts the owner. Workspaces are opened afterwards, see [`Runtime::reopen`].
    ///
    /// # Errors
    /// With [`Traces::Requests`] and [`Traces::Runs`] when the journal cannot be kept. The window starts all the same: loops can be looked at,
    /// and each write is refused until it can be recorded.
    pub fn start(options: &Options) -> Result<Self, Failure> {
        let remembered = match options.traces {
            Traces::All => Remembered::load(&options.dirs.settings()),
            Traces::Requests | Traces::Runs | Traces::Nothing => Remembered::peek(&options.dirs.settings()),
        };
        let mut journal = journal(options)?;
        let (inbox, events) = mpsc::channel();
        let notices = inbox.clone();
        let watch = Watch::start(options.polling, move |notice| drop(notices.send(Event::Noticed(notice))));
        // A journal of an earlier version that is only looked at has none.
        let follow_ups = journal.follow_ups().unwrap_or_default().iter().map(FollowUpPair::of).collect();
        let mut catalog = Catalog::default();
        catalog.follow_ups = follow_ups;
        let catalog = Arc::new(RwLock::new(catalog));
        let fresh_within = fresh_within(&remembered.settings);
        let housekeeping = matches!(options.traces, Traces::All | Traces::Runs);
        let dirs = options.dirs.clone();
        let traces = options.traces;
        let choices = Arc::new(Kept::load(dirs.choices(), traces != Traces::All));
        let (needs, outputs) = (Arc::<Mutex<Needs>>::default(), Arc::<Outputs>::default());
        let guardian = match options.guardian.clone() {
            Some(guardian) => guardian,
            None => GuardianProgram::this_program().map_err(Failure::own_data)?,
        };
        let tries = Tries::new(guardian.clone(), Arc::clone(&choices), dirs.clone());
        let workshop = Workshop {
            dirs: dirs.clone(),
            choices: Arc::clone(&choices),
            guardian,
            inbox: {
                let inbox = inbox.clone();
                Inbox::new(move |event| drop(inbox.send(Event::Execution(event))))
            },
            needs: Arc::clone(&needs),
            outputs: Arc::clone(&outputs),
            watchers: Vec::new(),
            minute: Millis::try_from(options.minute.as_millis()).unwrap_or(60_000),
        };
        let mut owner = Owner::new(
            Arc::clone(&catalog),
            journal,
            watch,
            fresh_within,
            options.floor,
            housekeeping,
            workshop,
        );
        owner.only.clone_from(&options.only);
        owner.leaves_traces = traces != Traces::Nothing;
        if owner.leaves_traces {
            files::remove_left_overs(&dirs.data);
        }
        let thread = std::thread::Builder::new().name("owner".into());
        let owner = thread.spawn(move || owner.run(&events)).map_err(Failure::own_data)?;
        let (remembered, owner) = (Mutex::new(remembered), Some(owner));
        let (last_table, last_work) = (LastTable::default(), LastWork::default());
        Ok(Self {
            inbox,
            catalog,
            remembered,
            dirs,
            traces,
            last_table,
            last_work,
            last_timeline: LastTimeline::default(),
            choices,
            doctor: Doctor::default(),
            needs,
            outputs,
            tries,
            owner,
        })
    }

    /// Opens the workspaces that were open when the app ended.
    pub fn reopen(&self) {
        for path in self.remembered(|remembered| remembered.open.clone()) {
            let sample = self.is_sample_path(&path);
            let _ = self.ask(|reply| Event::Open(path, sample, reply)); // a folder that is gone is simply not opened
        }
    }

    /// Makes what the first start of an agent would have to wait for. Called once the window is painted.
    pub fn warm_up(&self) {
        environment::prepare();
    }

    fn remembered<T>(&self, read: impl FnOnce(&Remembered) -> T) -> T {
        read(&self.remembered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn remember(&self, change: impl FnOnce(&mut Remembered)) -> Result<(), Failure> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut remembered);
        if self.traces != Traces::All {
            return Ok(());
        }
        remembered.save(&self.dirs.settings()).map_err(Failure::own_data)
    }

    fn find(&self, key: &str) -> Result<Found, Failure> {
        self.read(|catalog| Found::in_catalog(catalog, key))
    }

    fn read<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask<T>(&self, event: impl FnOnce(Reply<T>) -> Event) -> Result<T, Failure> {
        let gone = || Failure::own_data("the runtime has ended");
        let (reply, answer) = mpsc::channel();
        self.inbox.send(event(reply)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let _ = self.inbox.send(Event::Quit);
        if let Some(owner) = self.owner.take() {
            let _ = owner.join();
        }
    }
}

fn journal(options: &Options) -> Result<Journal, journal::Error> {
    let mut journal = match options.traces {
        Traces::All | Traces::Requests | Traces::Runs => {
            Journal::open(&options.dirs.journal(), options.retention)
        }
        Traces::Nothing => Journal::look(&options.dirs.journal(), options.retention)?,
    };
    if matches!(options.traces, Traces::Requests | Traces::Runs) {
        journal.check()?;
    }
    Ok(journal)
}

fn fresh_within(settings: &Settings) -> Millis {
    Millis::from(settings.fresh_minutes.max(1)) * 60_000
}
