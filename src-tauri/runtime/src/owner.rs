//! The one task that owns every loop: one inbox, one closed set of events, one writer of the catalog.
//!
//! The screen is fed by one path: whatever happened, a change appears because the file was read again.

mod noticing;
mod sweeping;
mod workspaces;

use crate::catalog::{Catalog, Key};
use crate::guard::Guard;
use crate::journal::{self, Journal, Version};
use crate::looking::SecondLook;
use crate::overtaken::{LateWrite, OvertakenVersions};
use crate::past::{Keeping, Remembered};
use crate::recovery::Agreed;
use crate::redirects::Redirected;
use crate::rows::{Failure, RecoveryPage, Tick, VersionView};
use crate::watch::{Notice, Watch};
use loopdeck_core::control::Intent;
use loopdeck_core::follow_up::FollowUp;
use loopdeck_core::formats::aot::drive::Verification;
use loopdeck_core::formats::ccw_v2::edit::task_list::TaskEdit;
use loopdeck_core::times::Millis;
use loopdeck_execution::event::ExecutionEvent;
use loopdeck_execution::launcher::workshop::{NeedsWatcher, Workshop};
use loopdeck_execution::preferences::plan::RunPlan;
use loopdeck_execution::rows::{NeedAnswer, RunView};
use loopdeck_execution::scheduler::Scheduler;
use loopdeck_system::clock;
use loopdeck_system::stamp::Stamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

/// A quiet time after which a changed path is read, and the longest wait under continuous writing.
const QUIET: Duration = Duration::from_millis(15);
const LONGEST: Duration = Duration::from_millis(150);
/// Pushed messages per window: at most ten a second. The first goes at once.
const BETWEEN_TICKS: Duration = Duration::from_millis(100);
/// The floor below the watcher: a stat of every file.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// The same when watching is not possible.
pub(crate) const POLL_EVERY: Duration = Duration::from_secs(2);
/// No sign of life of anybody else is known: before any clock.
pub(crate) const NEVER: Millis = 0;

/// Tells a window that there is something newer; false when the window is gone.
pub type Subscriber = Box<dyn Fn(Tick) -> bool + Send>;
/// Where the answer to an event goes.
pub type Reply<T> = Sender<Result<T, Failure>>;

/// Everything that can happen to the owner.
pub enum Event {
    /// The watcher noticed something.
    Noticed(Notice),
    /// A person opened a workspace; answers its id.
    Open(PathBuf, bool, Reply<String>),
    /// A person closed a workspace.
    Close(String, Reply<()>),
    /// A person asked for a change of a loop.
    Act(String, Intent, Reply<()>),
    /// What the state file of a loop says is read again now.
    Look(String, Reply<()>),
    /// The same after a redirect: how often it was written again, and whether it is undone all the same.
    LookAtRedirect(String, Reply<(u32, bool)>),
    /// A person changed the task list beside a loop.
    EditTasks(String, TaskEdit, Reply<()>),
    /// A person looks at what can be made of a damaged loop.
    Recovery(String, Reply<RecoveryPage>),
    /// A person agreed to a proposal.
    Recover(String, Box<Agreed>, Reply<()>),
    /// A person deleted a loop; answers what went to the trash.
    Delete(String, Reply<Vec<String>>),
    /// A window shows this loop: its companions are watched too, and what it says now is kept as good.
    Shown(String),
    /// A window wants to be told of changes.
    Subscribe(Subscriber),
    /// A person looks at the past of a loop: so many versions, newest first.
    History(String, u32, Reply<Vec<VersionView>>),
    /// A person looks at the timeline of a loop: what is remembered of it, with so many versions.
    Remembered(String, u32, Reply<Remembered>),
    /// A person looks at one of the versions.
    Version(String, u32, Reply<(Version, Vec<u8>)>),
    /// A person looks at what changed over time.
    Versions(String, u32, Reply<Vec<(VersionView, Vec<u8>)>>),
    /// A person looks at the past of a file beside a loop, by its path below the workspace.
    BesideHistory(String, String, u32, Reply<Vec<VersionView>>),
    /// They open one of its versions.
    BesideVersion(String, String, u32, Reply<Vec<u8>>),
    /// The page of a damaged loop wants what it said last.
    RecallGood(String, Reply<()>),
    /// A person undid our last write.
    Undo(String, Reply<()>),
    /// A person put an older version back.
    Restore(String, u32, Reply<()>),
    /// A new loop takes the place of this one.
    Replace(String, String, Reply<()>),
    /// Look at everything now; answers when it is done.
    Rescan(Reply<()>),
    /// A foreign change counts as a sign of life for so long.
    FreshWithin(Millis),
    /// Something happened to work of ours.
    Execution(ExecutionEvent),
    /// A person starts the agent of a loop.
    Launch(String, Option<RunPlan>, Option<u32>, Reply<()>),
    /// A person pauses at once.
    PauseNow(String, Reply<()>),
    /// A person stops at once.
    StopNow(String, Reply<()>),
    /// A person answers what waited.
    Answer(String, NeedAnswer, Reply<()>),
    /// A person looks at the whole input of a permission.
    NeedInput(String, Reply<String>),
    /// A person looks at the runs of a loop.
    Runs(String, u32, Reply<Vec<RunView>>),
    /// How a loop was run last.
    PlanOf(String, Reply<Option<RunPlan>>),
    /// A new loop follows from another one.
    KeepFollowUp(String, FollowUp, Reply<()>),
    /// How a loop is to be run.
    KeepPlan(String, Box<RunPlan>, Reply<()>),
    /// Whether a launch would go on in a conversation.
    GoesOn(String, Box<RunPlan>, Reply<bool>),
    /// Somebody wants to be told of what waits.
    WatchNeeds(NeedsWatcher),
    /// All runs of ours are to end, because the app does.
    StopAll(Reply<()>),
    /// The window is closed, and the person keeps what runs running.
    KeepGoing(Reply<()>),
    /// A person looks at what the completion check of a loop came to, newest first.
    Verifications(String, u32, Reply<Vec<Verification>>),
    /// The app ends.
    Quit,
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
    subscribers: Vec<Subscriber>,
    told: u32,
    last_tick: Instant,
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
    /// An owner without workspaces.
    #[must_use]
    pub(crate) fn new(
        catalog: Arc<RwLock<Catalog>>,
        journal: Journal,
        watch: Watch,
        fresh_within: Millis,
        floor: Duration,
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
            subscribers: Vec::new(),
            told: 0,
            last_tick: now.checked_sub(BETWEEN_TICKS).unwrap_or(now),
            floor,
            housekeeping,
            leaves_traces: true,
            only: None,
            next_sweep: now + floor,
            sweep_now: false,
            buffer: Vec::new(),
        };
        owner.note_watching();
        owner
    }

    /// Handles events until the app ends.
    pub fn run(mut self, inbox: &Receiver<Event>) {
        self.work_until_quit(inbox);
        // Whoever starts next looks after what is still open.
        self.turn().leave_works();
        for key in self.guards.keys().cloned().collect::<Vec<_>>() {
            self.unguard(&key);
        }
    }

    fn work_until_quit(&mut self, inbox: &Receiver<Event>) {
        loop {
            let wait = self.next_deadline().saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(Event::Quit) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // A burst is taken in whole before anything is read, so that only last states are read.
            while let Ok(event) = inbox.try_recv() {
                if matches!(event, Event::Quit) {
                    return;
                }
                self.handle(event);
            }
            self.work();
        }
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
        self.tick_if_due();
        self.journal.tend_if_due();
    }

    fn next_deadline(&self) -> Instant {
        let now = Instant::now();
        let until = |at: Millis| now + Duration::from_millis(u64::try_from(at - clock::now()).unwrap_or(0));
        let dirty = self.dirty.values().map(|dirty| dirty.due);
        let second = self.second_looks.values().map(|look| look.at);
        let guards = self.guards.values().map(|guard| until(guard.next_look()));
        let tick = (self.told != self.revision()).then(|| self.last_tick + BETWEEN_TICKS);
        let sweep = if self.sweep_now { now } else { self.next_sweep };
        let past = self.keeping.next().into_iter().chain(self.journal.tend_at());
        let overtaken = self.overtaken.next_look().into_iter().chain(self.overtaken_beside.next_look());
        let overtaken = overtaken.chain(
            self.scheduler.next_resume().into_iter().chain(self.scheduler.next_lingering()).map(until),
        );
        let overtaken = overtaken.chain((!self.late_beside.is_empty()).then(|| now + QUIET));
        dirty.chain(second).chain(guards).chain(tick).chain(past).chain(overtaken).fold(sweep, Instant::min)
    }

    /// The time of something a person asked for: no two have the same, so that each can be undone by itself.
    pub(crate) fn moment(&mut self) -> Millis {
        let now = clock::now();
        let set_back = self.last_moment - now > 1_000; // the clock was
        self.last_moment = if set_back { now } else { now.max(self.last_moment + 1) };
        self.last_moment
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Noticed(Notice::Paths(paths)) => self.note_paths(paths, QUIET),
            Event::Noticed(Notice::Replaced(paths)) => self.note_paths(paths, Duration::ZERO),
            Event::Noticed(Notice::Gone(paths)) => {
                self.sweep_now |= paths.iter().filter(|path| self.watch.forget(path)).count() > 0;
                self.note_paths(paths, QUIET);
            }
            Event::Noticed(Notice::Rescan) => self.sweep_now = true,
            Event::Rescan(reply) => self.answer(&reply, |owner| {
                owner.sweep();
                Ok(())
            }),
            Event::Open(path, sample, reply) => self.answer(&reply, |owner| owner.open(&path, sample)),
            Event::Close(id, reply) => self.answer(&reply, |owner| owner.close(&id)),
            Event::Act(key, intent, reply) => self.answer(&reply, |owner| owner.act(&key, &intent)),
            Event::Look(key, reply) => self.answer(&reply, |owner| {
                owner.look_now(&key);
                Ok(())
            }),
            Event::LookAtRedirect(key, reply) => self.answer(&reply, |owner| {
                owner.look_now(&key);
                Ok(owner.redirect_state(&key))
            }),
            Event::EditTasks(key, edit, reply) => self.answer(&reply, |owner| owner.edit_tasks(&key, &edit)),
            Event::Recovery(key, reply) => self.answer(&reply, |owner| owner.recovery(&key)),
            Event::Recover(key, agreed, reply) => self.answer(&reply, |owner| owner.recover(&key, &agreed)),
            Event::Delete(key, reply) => self.answer(&reply, |owner| owner.delete(&key)),
            Event::History(key, limit, reply) => self.answer(&reply, |owner| owner.history(&key, limit)),
            Event::Remembered(key, limit, reply) => {
                self.answer(&reply, |owner| owner.remembered(&key, limit));
            }
            Event::Version(key, id, reply) => self.answer(&reply, |owner| owner.version(&key, id)),
            Event::Versions(key, limit, reply) => {
                self.answer(&reply, |owner| owner.versions_with_bytes(&key, limit));
            }
            Event::BesideHistory(key, file, limit, reply) => {
                self.answer(&reply, |owner| owner.beside_history(&key, &file, limit));
            }
            Event::BesideVersion(key, file, id, reply) => {
                self.answer(&reply, |owner| owner.beside_version(&key, &file, id));
            }
            Event::RecallGood(key, reply) => self.answer(&reply, |owner| owner.recall_good(&key).map(drop)),
            Event::Undo(key, reply) => self.answer(&reply, |owner| owner.undo(&key)),
            Event::Restore(key, id, reply) => self.answer(&reply, |owner| owner.restore(&key, id)),
            Event::Replace(key, text, reply) => self.answer(&reply, |owner| owner.replace_loop(&key, text)),
            Event::Shown(key) => self.note_shown(&key),
            Event::Subscribe(subscriber) => {
                self.subscribers.push(subscriber);
                self.told = u32::MAX; // the newcomer is told at once
            }
            Event::FreshWithin(fresh_within) => {
                self.fresh_within = fresh_within;
                self.refresh_words();
            }
            Event::Execution(event) => self.turn().handle(event),
            Event::Launch(key, plan, limit, reply) => {
                self.answer(&reply, |owner| owner.turn().launch(&key, plan, limit));
            }
            Event::PauseNow(key, reply) => self.answer(&reply, |owner| owner.turn().pause_now(&key)),
            Event::StopNow(key, reply) => self.answer(&reply, |owner| owner.turn().stop_now(&key)),
            Event::Answer(id, answer, reply) => {
                self.answer(&reply, |owner| owner.turn().answer_need(&id, answer));
            }
            Event::NeedInput(id, reply) => self.answer(&reply, |owner| owner.turn().hand_out_input(&id)),
            Event::Runs(key, limit, reply) => self.answer(&reply, |owner| owner.turn().runs_of(&key, limit)),
            Event::KeepFollowUp(key, follow_up, reply) => {
                self.answer(&reply, |owner| owner.keep_follow_up(&key, &follow_up));
            }
            Event::PlanOf(key, reply) => self.answer(&reply, |owner| owner.turn().plan_of(&key)),
            Event::KeepPlan(key, plan, reply) => {
                self.answer(&reply, |owner| owner.turn().keep_plan(&key, &plan));
            }
            Event::GoesOn(key, plan, reply) => self.answer(&reply, |owner| owner.turn().goes_on(&key, &plan)),
            Event::WatchNeeds(watcher) => self.scheduler.watch_needs(watcher),
            Event::StopAll(reply) => self.answer(&reply, |owner| owner.turn().stop_all()),
            Event::KeepGoing(reply) => self.answer(&reply, |owner| owner.turn().keep_going()),
            Event::Verifications(key, limit, reply) => {
                self.answer(&reply, |owner| owner.shown_verifications(&key, limit));
            }
            Event::Quit => {}
        }
    }

    fn answer<T>(&mut self, reply: &Reply<T>, work: impl FnOnce(&mut Self) -> Result<T, Failure>) {
        let result = work(self);
        let _ = reply.send(result); // the asker may have gone
    }

    /// Whether work and requests on the loop with this state file are ours to look after.
    pub(crate) fn looks_after(&self, file: &str) -> bool {
        let stem = || Path::new(file).file_stem().and_then(|stem| stem.to_str());
        self.only.as_deref().is_none_or(|only| only == file || stem() == Some(only))
    }

    fn revision(&self) -> u32 {
        self.read_catalog(Catalog::revision)
    }

    // A poisoned lock means a reader panicked; the catalog itself is only changed here and is whole.
    pub(crate) fn read_catalog<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    pub(crate) fn write_catalog<T>(&self, write: impl FnOnce(&mut Catalog) -> T) -> T {
        write(&mut self.catalog.write().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
