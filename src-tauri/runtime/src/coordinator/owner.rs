//! The owner of the loops of one workspace: one thread, one inbox, one writer of their rows. It alone touches its folder.
//!
//! The screen is fed by one path: whatever happened, a change appears because the file was read again.

mod opening;
mod reconciling;
mod watch_events;

use crate::coordinator::{Home, Job};
use crate::observe::catalog::{Catalog, Key};
use crate::observe::ingest::SecondLook;
use crate::observe::watch::{Notice, Watch};
use crate::store::guard::Guard;
use crate::store::history::Keeping;
use crate::store::journal::{self, Journal};
use crate::store::redirects::Redirected;
use crate::store::replaced_versions::{LateWrite, OvertakenVersions};
use crate::views::Tick;
use loopdeck_core::times::Millis;
use loopdeck_execution::event::ExecutionEvent;
use loopdeck_execution::launcher::workshop::Workshop;
use loopdeck_execution::scheduler::Scheduler;
use loopdeck_system::clock;
use loopdeck_system::stamp::Stamp;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Receiver;

/// A quiet time after which a changed path is read, and the longest wait under continuous writing.
const QUIET: Duration = Duration::from_millis(15);
const LONGEST: Duration = Duration::from_millis(150);
/// The floor below the watcher: a stat of every file.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// The same when watching is not possible.
pub(crate) const POLL_EVERY: Duration = Duration::from_secs(2);
/// No sign of life of anybody else is known: before any clock.
pub(crate) const NEVER: Millis = 0;

/// Tells a window that there is something newer; false when the window is gone.
pub type Subscriber = Box<dyn Fn(Tick) -> bool + Send>;

/// What a worker hears.
pub enum Event {
    /// The watcher noticed something.
    Noticed(Notice),
    /// Something happened to work of ours.
    Execution(ExecutionEvent),
    /// Somebody asks for something.
    Job(Job),
}

/// A path that may have changed.
struct Dirty {
    /// Not later than then, however much more is written.
    latest: Instant,
    /// When to read it.
    due: Instant,
}

/// The owner's state. Lives on its own thread.
pub struct Owner {
    pub(crate) catalog: Arc<RwLock<Catalog>>,
    pub(crate) journal: Journal,
    pub(crate) guards: HashMap<Key, Guard>,
    pub(crate) overtaken: OvertakenVersions,
    /// The same of files beside loops.
    pub(crate) overtaken_beside: OvertakenVersions,
    pub(crate) fresh_within: Millis,
    /// Which version our last write made of a loop or a file beside one, and the last sign of life of anybody else then.
    pub(crate) ours: HashMap<Key, (Stamp, Millis)>,
    pub(crate) keeping: Keeping,
    /// Versions that what stands there now falls behind.
    pub(crate) ahead: HashMap<Key, Arc<[u8]>>,
    /// The last redirect or hold of each loop.
    pub(crate) redirected: HashMap<Key, Redirected>,
    /// Files that a change which was cut short did not come to, by loop; of a look that must not complete it.
    pub(crate) unfinished: HashMap<Key, Arc<str>>,
    /// Names this process in leases.
    pub(crate) holder: String,
    /// Late writes that could not be taken up yet.
    pub(crate) late_beside: Vec<LateWrite>,
    /// State of the drivers.
    pub(crate) scheduler: Scheduler,
    last_moment: Millis,
    watch: Watch,
    dirty: HashMap<PathBuf, Dirty>,
    pub(crate) second_looks: HashMap<Key, SecondLook>,
    pub(crate) shown: Option<Key>,
    /// Its workspace.
    pub(crate) home: Home,
    floor: Duration,
    /// Cleans up after earlier starts and guards their requests.
    pub(crate) housekeeping: bool,
    /// Whether anything may be left behind, see [`crate::Traces`].
    pub(crate) leaves_traces: bool,
    /// See [`crate::Options::only`].
    pub(crate) only: Option<String>,
    next_sweep: Instant,
    sweep_now: bool,
    pub(crate) buffer: Vec<u8>,
}

impl Owner {
    /// An owner that has not looked at its workspace yet.
    #[must_use]
    pub(crate) fn new(
        catalog: Arc<RwLock<Catalog>>,
        home: Home,
        journal: Journal,
        watch: Watch,
        fresh_within: Millis,
        housekeeping: bool,
        workshop: Workshop,
    ) -> Self {
        let now = Instant::now();
        let holder = journal::holder(clock::now());
        let mut owner = Self {
            catalog,
            journal,
            guards: HashMap::new(),
            overtaken: OvertakenVersions::default(),
            overtaken_beside: OvertakenVersions::default(),
            late_beside: Vec::new(),
            scheduler: Scheduler::new(workshop, holder.clone(), housekeeping),
            last_moment: NEVER,
            fresh_within,
            ours: HashMap::new(),
            keeping: Keeping::default(),
            ahead: HashMap::new(),
            redirected: HashMap::new(),
            unfinished: HashMap::new(),
            holder,
            watch,
            dirty: HashMap::new(),
            second_looks: HashMap::new(),
            shown: None,
            home,
            floor: SWEEP_EVERY,
            housekeeping,
            leaves_traces: true,
            only: None,
            next_sweep: now + SWEEP_EVERY,
            sweep_now: false,
            buffer: Vec::new(),
        };
        owner.note_watching();
        owner
    }

    /// The same, looking at everything this often.
    pub(crate) fn looking_every(mut self, floor: Duration) -> Self {
        self.floor = floor;
        self.next_sweep = Instant::now() + floor;
        self
    }

    /// Handles events until the workspace is closed or the app ends.
    pub(crate) fn run(mut self, tokio: &Handle, mut inbox: Receiver<Event>) {
        while let Some(event) = self.next(tokio, &mut inbox) {
            self.home.pulse.beat();
            self.home.changed.notify_one(); // from now on it is watched whether the folder answers
            if let Some(event) = event {
                self.handle(event);
            }
            // A burst is taken in whole before anything is read, so that only last states are read.
            while let Ok(event) = inbox.try_recv() {
                self.handle(event);
            }
            self.work();
            self.home.pulse.rest();
        }
        self.home.pulse.beat();
        // Whoever starts next looks after what is still open.
        self.turn().leave_works();
        for key in self.guards.keys().cloned().collect::<Vec<_>>() {
            self.unguard(&key);
        }
    }

    /// The next event, or nothing when something else is due; the end.
    fn next(&self, tokio: &Handle, inbox: &mut Receiver<Event>) -> Option<Option<Event>> {
        let due = self.next_deadline().into();
        let closed = &self.home.closed;
        tokio.block_on(async {
            tokio::select! {
                biased;
                () = closed.cancelled() => None,
                event = inbox.recv() => event.map(Some),
                () = tokio::time::sleep_until(due) => Some(None),
            }
        })
    }

    fn work(&mut self) {
        self.read_dirty();
        self.look_again();
        self.take_up_late_writes();
        self.take_up_late_beside();
        self.watch_guards();
        self.turn().resume_due();
        self.turn().end_lingering();
        self.turn().tell_needs();
        self.keep_overdue();
        self.sweep_if_due();
        self.journal.tend_if_due();
        self.home.changed.notify_one();
    }

    fn next_deadline(&self) -> Instant {
        let now = Instant::now();
        let until = |at: Millis| now + Duration::from_millis(u64::try_from(at - clock::now()).unwrap_or(0));
        let dirty = self.dirty.values().map(|dirty| dirty.due);
        let second = self.second_looks.values().map(|look| look.at);
        let guards = self.guards.values().map(|guard| until(guard.next_look()));
        let sweep = if self.sweep_now { now } else { self.next_sweep };
        let past = self.keeping.next().into_iter().chain(self.journal.tend_at());
        let overtaken = self.overtaken.next_look().into_iter().chain(self.overtaken_beside.next_look());
        let overtaken = overtaken.chain(
            self.scheduler.next_resume().into_iter().chain(self.scheduler.next_lingering()).map(until),
        );
        let overtaken = overtaken.chain((!self.late_beside.is_empty()).then(|| now + QUIET));
        dirty.chain(second).chain(guards).chain(past).chain(overtaken).fold(sweep, Instant::min)
    }

    /// The time of something a person asked for: no two have the same, so that each can be undone by itself.
    pub(crate) fn moment(&mut self) -> Millis {
        let now = clock::now();
        let set_back = self.last_moment - now > 1_000; // the clock was
        self.last_moment = if set_back { now } else { now.max(self.last_moment + 1) };
        self.last_moment
    }

    fn handle(&mut self, event: Event) {
        self.home.pulse.beat();
        match event {
            Event::Noticed(Notice::Paths(paths)) => self.note_paths(paths, QUIET),
            Event::Noticed(Notice::Replaced(paths)) => self.note_paths(paths, Duration::ZERO),
            Event::Noticed(Notice::Gone(paths)) => {
                self.sweep_now |= paths.iter().filter(|path| self.watch.forget(path)).count() > 0;
                self.note_paths(paths, QUIET);
            }
            Event::Noticed(Notice::Rescan) => self.sweep_now = true,
            Event::Execution(event) => self.turn().handle(event),
            Event::Job(job) => job(Ok(self)),
        }
    }

    /// A foreign change counts as a sign of life for so long.
    pub(crate) fn set_fresh_within(&mut self, fresh_within: Millis) {
        self.fresh_within = fresh_within;
        self.refresh_words();
    }

    /// Whether work and requests on the loop with this state file are ours to look after.
    pub(crate) fn looks_after(&self, file: &str) -> bool {
        let stem = || Path::new(file).file_stem().and_then(|stem| stem.to_str());
        self.only.as_deref().is_none_or(|only| only == file || stem() == Some(only))
    }

    // A poisoned lock means a reader panicked; the catalog itself is only changed here and is whole.
    pub(crate) fn read_catalog<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read())
    }

    pub(crate) fn write_catalog<T>(&self, write: impl FnOnce(&mut Catalog) -> T) -> T {
        if self.home.forgotten.is_cancelled() {
            return write(&mut Catalog::default()); // its rows are gone, and must not come back
        }
        write(&mut self.catalog.write())
    }
}
