//! The one task that owns every loop: one inbox, one closed set of events, one writer of the catalog.
//!
//! The screen is fed by one path: whatever happened, a change appears because the file was read again.

use crate::catalog::{Catalog, Entry, Key, Workspace, key};
use crate::clock;
use crate::dirs::id_of;
use crate::drivers::plan::RunPlan;
use crate::drivers::rows::{NeedAnswer, RunRow};
use crate::drivers::{NeedsWatcher, Said, Work, Workshop};
use crate::files;
use crate::guard::Guard;
use crate::journal::{self, Journal, Version};
use crate::looking::SecondLook;
use crate::overtaken::{LateWrite, OvertakenVersions};
use crate::past::Keeping;
use crate::roots::{self, Candidate};
use crate::rows::{Failure, FailureKind, JournalEvent, RecoveryPage, Tick, VersionView};
use crate::runs::StopReport;
use crate::scan;
use crate::stamp::Stamp;
use crate::sweep;
use crate::watch::{Notice, Watch};
use loopdeck_core::ccw_v2::task_edit::TaskEdit;
use loopdeck_core::control::Intent;
use loopdeck_core::recovery::Way;
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::Millis;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

/// A quiet time after which a changed path is read, and the longest wait under continuous writing.
const QUIET: Duration = Duration::from_millis(15);
const LONGEST: Duration = Duration::from_millis(150);
/// Pushed messages per window: at most ten a second (L4.2). The first goes at once.
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
    /// A person changed the task list beside a loop.
    EditTasks(String, TaskEdit, Reply<()>),
    /// A person looks at what can be made of a damaged loop.
    Recovery(String, Reply<RecoveryPage>),
    /// A person agreed to a proposal.
    Recover(String, Way, String, Reply<()>),
    /// A person deleted a loop; answers what went to the trash.
    Delete(String, Reply<Vec<String>>),
    /// A window shows this loop: its companions are watched too, and what it says now is kept as good.
    Shown(String),
    /// A window wants to be told of changes.
    Subscribe(Subscriber),
    /// A person looks at the past of a loop: so many versions, newest first.
    History(String, u32, Reply<Vec<VersionView>>),
    /// A person looks at what happened to a loop: so much of it, newest first.
    Events(String, u32, Reply<Vec<JournalEvent>>),
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
    /// Look at everything now; answers when it is done.
    Rescan(Reply<()>),
    /// A foreign change counts as a sign of life for so long.
    FreshWithin(Millis),
    /// A run said something.
    Run(Key, String, Said),
    /// What a stop had left was ended, as far as it would.
    LeftEnded(Key, Vec<PathBuf>, Vec<StopReport>),
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
    Runs(String, u32, Reply<Vec<RunRow>>),
    /// How a loop was run last.
    PlanOf(String, Reply<Option<RunPlan>>),
    /// Whether a launch would go on in a conversation.
    GoesOn(String, Box<RunPlan>, Reply<bool>),
    /// Somebody wants to be told of what waits.
    WatchNeeds(NeedsWatcher),
    /// All runs of ours are to end, because the app does.
    StopAll(Reply<()>),
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
    /// Names this process in leases.
    pub(crate) holder: String,
    /// Late writes that could not be taken up yet.
    pub(crate) late_beside: Vec<LateWrite>,
    /// Work of ours, by loop.
    pub(crate) works: HashMap<Key, Work>,
    pub(crate) workshop: Workshop,
    pub(crate) last_need: u32,
    /// When old folders of runs were looked for last.
    pub(crate) runs_cleaned: Millis,
    /// When the leases of works were renewed last.
    pub(crate) leases_renewed: Millis,
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
        let mut owner = Self {
            catalog,
            journal,
            guards: HashMap::new(),
            overtaken: OvertakenVersions::default(),
            overtaken_beside: OvertakenVersions::default(),
            late_beside: Vec::new(),
            works: HashMap::new(),
            workshop,
            last_need: 0,
            leases_renewed: clock::now(),
            runs_cleaned: NEVER,
            last_moment: NEVER,
            fresh_within,
            ours: HashMap::new(),
            keeping: Keeping::default(),
            ahead: HashMap::new(),
            holder: journal::holder(clock::now()),
            watch,
            dirty: HashMap::new(),
            second_looks: HashMap::new(),
            shown: None,
            subscribers: Vec::new(),
            told: 0,
            last_tick: now.checked_sub(BETWEEN_TICKS).unwrap_or(now),
            floor,
            housekeeping,
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
        self.leave_works();
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
        self.resume_due();
        self.tell_needs();
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
        let overtaken = overtaken.chain(self.next_resume().map(until));
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
            Event::EditTasks(key, edit, reply) => self.answer(&reply, |owner| owner.edit_tasks(&key, &edit)),
            Event::Recovery(key, reply) => self.answer(&reply, |owner| owner.recovery(&key)),
            Event::Recover(key, way, fingerprint, reply) => {
                self.answer(&reply, |owner| owner.recover(&key, way, &fingerprint));
            }
            Event::Delete(key, reply) => self.answer(&reply, |owner| owner.delete(&key)),
            Event::History(key, limit, reply) => self.answer(&reply, |owner| owner.history(&key, limit)),
            Event::Events(key, limit, reply) => self.answer(&reply, |owner| owner.events(&key, limit)),
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
            Event::Shown(key) => self.note_shown(&key),
            Event::Subscribe(subscriber) => {
                self.subscribers.push(subscriber);
                self.told = u32::MAX; // the newcomer is told at once
            }
            Event::FreshWithin(fresh_within) => {
                self.fresh_within = fresh_within;
                self.refresh_words();
            }
            Event::Run(key, run, said) => self.run_said(&key, &run, said),
            Event::LeftEnded(key, runs, reports) => self.left_ended(&key, runs, &reports),
            Event::Launch(key, plan, limit, reply) => {
                self.answer(&reply, |owner| owner.launch(&key, plan, limit));
            }
            Event::PauseNow(key, reply) => self.answer(&reply, |owner| owner.pause_now(&key)),
            Event::StopNow(key, reply) => self.answer(&reply, |owner| owner.stop_now(&key)),
            Event::Answer(id, answer, reply) => {
                self.answer(&reply, |owner| owner.answer_need(&id, answer));
            }
            Event::NeedInput(id, reply) => self.answer(&reply, |owner| owner.hand_out_input(&id)),
            Event::Runs(key, limit, reply) => self.answer(&reply, |owner| owner.runs_of(&key, limit)),
            Event::PlanOf(key, reply) => self.answer(&reply, |owner| owner.plan_of(&key)),
            Event::GoesOn(key, plan, reply) => self.answer(&reply, |owner| owner.goes_on(&key, &plan)),
            Event::WatchNeeds(watcher) => self.workshop.watchers.push(watcher),
            Event::StopAll(reply) => self.answer(&reply, Self::stop_all),
            Event::Quit => {}
        }
    }

    fn answer<T>(&mut self, reply: &Reply<T>, work: impl FnOnce(&mut Self) -> Result<T, Failure>) {
        let result = work(self);
        let _ = reply.send(result); // the asker may have gone
    }

    // --- workspaces -----------------------------------------------------------------------------------------------

    fn open(&mut self, path: &Path, sample: bool) -> Result<String, Failure> {
        let named = |error: &dyn std::fmt::Display| {
            Failure::new(FailureKind::NotAFolder).with("path", path.display()).with("reason", error)
        };
        let path = files::canonical_folder(path).map_err(|error| named(&error))?;
        let id = id_of(&path);
        if self.read_catalog(|catalog| catalog.workspace(&id).is_some()) {
            return Ok(id);
        }
        let workspace =
            Workspace { id: id.as_str().into(), path: path.clone(), reachable: true, scanned: false, sample };
        self.write_catalog(|catalog| {
            catalog.workspaces.push(workspace);
            catalog.touch();
        });
        self.tick_if_due();
        if self.housekeeping {
            for folder in roots::state_folders(&path) {
                files::remove_left_overs(&folder);
            }
        }
        self.watch_folders();
        self.reload_writes(&path);
        self.scan(&path);
        if self.housekeeping {
            // Before requests are guarded: leases tell what was left.
            self.find_runs_again(&path);
            self.find_left_again(&path);
            self.clean_up_runs();
        }
        self.take_up_requests(&path);
        Ok(id)
    }

    fn close(&mut self, id: &str) -> Result<(), Failure> {
        let known = self.read_catalog(|catalog| catalog.workspace(id).is_some());
        if !known {
            return Err(Failure::new(FailureKind::UnknownWorkspace));
        }
        let keys = self.keys_of(id);
        self.refuse_at_work(keys.iter().cloned())?;
        self.forget_works(|key| keys.contains(key));
        for key in &keys {
            self.unguard(key);
        }
        self.ours.retain(|key, _| key.split_once(':').is_none_or(|(workspace, _)| workspace != id));
        self.keeping.forget(&keys);
        self.write_catalog(|catalog| {
            for key in &keys {
                catalog.remove(key);
            }
            catalog.workspaces.retain(|workspace| &*workspace.id != id);
            catalog.touch();
        });
        self.watch_folders();
        Ok(())
    }

    /// Looks at everything before waiting for the next event.
    pub(crate) fn sweep_soon(&mut self) {
        self.sweep_now = true;
    }

    /// Requests in the journal that nobody here guards: of an earlier start, or of a script meanwhile.
    fn take_up_requests(&mut self, root: &Path) {
        if self.housekeeping {
            self.reload_requests(root);
        } else {
            self.show_requests(root);
        }
    }

    /// Reads a whole workspace for the first time.
    fn scan(&mut self, path: &Path) {
        let looks = scan::look_at_workspace(path, clock::now());
        let id = id_of(path);
        for look in looks {
            self.take_in(&id, look, true);
        }
        self.write_catalog(|catalog| {
            if let Some(workspace) = catalog.workspaces.iter_mut().find(|workspace| *workspace.id == *id) {
                workspace.scanned = true;
            }
            catalog.touch();
        });
    }

    pub(crate) fn keys_of(&self, workspace: &str) -> HashSet<Key> {
        self.read_catalog(|catalog| {
            let mine = catalog.entries().filter(|(_, entry)| &*entry.workspace == workspace);
            mine.map(|(key, _)| Arc::clone(key)).collect()
        })
    }

    // --- noticing -------------------------------------------------------------------------------------------------

    fn note_paths(&mut self, paths: Vec<PathBuf>, quiet: Duration) {
        let now = Instant::now();
        for path in paths {
            let name = path.file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
            if !name.starts_with(files::TEMP_PREFIX.as_bytes()) {
                let dirty = self.dirty.entry(path).or_insert(Dirty { latest: now + LONGEST, due: now });
                dirty.due = (now + quiet).min(dirty.latest);
            }
        }
    }

    fn read_dirty(&mut self) {
        let now = Instant::now();
        let due: Vec<PathBuf> =
            self.dirty.iter().filter(|(_, dirty)| dirty.due <= now).map(|(path, _)| path.clone()).collect();
        for path in due {
            self.dirty.remove(&path);
            self.read_changed(&path);
        }
    }

    fn read_changed(&mut self, path: &Path) {
        let Some((id, root)) = self.workspace_of(path) else { return };
        match roots::candidate_of(&root, path) {
            Some(candidate) if root.join(&candidate.file) == path => {
                self.look_at(&id, &root, candidate, false);
            }
            Some(candidate) => self.companion_changed(&id, &root, &candidate, path),
            None if self.is_structural(&root, path) => self.sweep_now = true,
            None => {}
        }
    }

    fn workspace_of(&self, path: &Path) -> Option<(Arc<str>, PathBuf)> {
        self.read_catalog(|catalog| {
            let around = catalog.workspaces.iter().filter(|workspace| path.starts_with(&workspace.path));
            // Of nested workspaces the inner one owns the file.
            let inner = around.max_by_key(|workspace| workspace.path.as_os_str().len())?;
            Some((Arc::clone(&inner.id), inner.path.clone()))
        })
    }

    /// A folder that came or went where loops can lie: the whole workspace is looked at again.
    fn is_structural(&self, root: &Path, path: &Path) -> bool {
        sweep::may_hold_loops(root, path)
            && (path.is_dir() || (!path.exists() && self.was_folder(root, path)))
    }

    /// Whether what went away at `path` was a folder of ours; most of what goes away are other writers' temporary files.
    fn was_folder(&self, root: &Path, path: &Path) -> bool {
        let Some(below) = path.strip_prefix(root).ok().and_then(Path::to_str) else { return true };
        let holds = |entry: &Entry| {
            entry.candidate.file.strip_prefix(below).is_some_and(|rest| rest.starts_with('/'))
        };
        self.watch.contains(path)
            || self.read_catalog(|catalog| catalog.entries().any(|(_, entry)| holds(entry)))
    }

    /// Workspace id, workspace path and state file that `key` names.
    pub(crate) fn locate(&self, key: &str) -> Option<(Arc<str>, PathBuf, Candidate)> {
        let (id, file) = key.split_once(':')?;
        self.read_catalog(|catalog| {
            let workspace = catalog.workspace(id)?;
            let known = catalog.get(key).map(|entry| entry.candidate.clone());
            let candidate =
                known.or_else(|| roots::candidate_of(&workspace.path, &workspace.path.join(file)))?;
            Some((Arc::clone(&workspace.id), workspace.path.clone(), candidate))
        })
    }

    /// A progress file or worker output changed: a sign of life, and the open detail is out of date.
    fn companion_changed(&mut self, id: &str, root: &Path, candidate: &Candidate, path: &Path) {
        let key = key(id, &candidate.file);
        let Some(mut entry) = self.read_catalog(|catalog| catalog.get(&key).cloned()) else {
            // A folder named like a loop may have come before its file.
            self.look_at(id, root, candidate.clone(), false);
            return;
        };
        let now = clock::now();
        let file = path.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
        let file = file.replace(std::path::MAIN_SEPARATOR, "/");
        // A folder changes with whatever is made in it, also by us: the files in it tell.
        let changed =
            Stamp::at(path).ok().filter(|stamp| stamp.is_file() && !self.is_ours(id, &file, *stamp));
        if let Some(stamp) = changed {
            entry.note_companion(stamp.modified_ms(), now);
        }
        entry.shown = entry.shown_at(now, self.fresh_within);
        self.write_catalog(|catalog| catalog.put(entry));
        if self.shown.as_ref() == Some(&key) {
            self.watch_folders(); // a companion folder may be new
        }
    }

    fn note_shown(&mut self, key: &str) {
        let first = self.shown.as_deref() != Some(key);
        self.shown = Some(key.into());
        if let Some((id, root, candidate)) = self.locate(key).filter(|_| first) {
            self.look_at(&id, &root, candidate, false);
            self.watch_folders();
        }
    }

    /// Watches what must be watched now; whatever lies in newly watched folders is looked for.
    fn watch_folders(&mut self) {
        let roots: Vec<PathBuf> = self.read_catalog(|catalog| {
            catalog.workspaces.iter().map(|workspace| workspace.path.clone()).collect()
        });
        let mut wanted: HashSet<PathBuf> = roots.iter().flat_map(|root| roots::watch_folders(root)).collect();
        if let Some((_, root, candidate)) = self.shown.clone().and_then(|key| self.locate(&key)) {
            wanted.extend(sweep::companion_folders(&root, &candidate));
        }
        let fresh = self.watch.set(&wanted);
        self.sweep_now |= !fresh.is_empty();
        self.note_watching();
    }

    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    fn note_watching(&mut self) {
        let polling = self.watch.degraded().map(|_| u32::try_from(POLL_EVERY.as_secs()).unwrap_or(u32::MAX));
        let reason = self.watch.degraded().map(|degraded| degraded.word().to_owned());
        let folders = self.watch.count();
        self.write_catalog(|catalog| {
            let watching = &mut catalog.watching;
            if (watching.polling, &watching.reason, watching.folders) != (polling, &reason, folders) {
                (watching.polling, watching.reason, watching.folders) = (polling, reason, folders);
                catalog.touch();
            }
            catalog.watching.checked = clock::now() as f64;
        });
    }

    // --- sweeping and telling -------------------------------------------------------------------------------------

    fn sweep_if_due(&mut self) {
        let now = Instant::now();
        if !self.sweep_now && now < self.next_sweep {
            return;
        }
        self.sweep_now = false;
        self.sweep();
        let every = if self.watch.degraded().is_some() { POLL_EVERY } else { self.floor };
        self.next_sweep = Instant::now() + every;
    }

    fn sweep(&mut self) {
        let workspaces = self.read_catalog(|catalog| catalog.workspaces.clone());
        for workspace in workspaces {
            self.note_reachable(&workspace);
            let found = self.read_catalog(|catalog| sweep::differences(catalog, &workspace));
            for candidate in found.changed {
                self.look_at(&workspace.id, &workspace.path, candidate, false);
            }
            for key in found.gone {
                self.remove(&key);
            }
            self.sweep_companions(&workspace, &found.folders);
            if self.housekeeping {
                self.find_runs_again(&workspace.path); // another Loopdeck may have ended since
            }
            self.take_up_requests(&workspace.path);
        }
        self.renew_leases();
        self.refresh_words();
        self.watch_folders();
    }

    /// A folder that cannot be reached keeps its loops on screen, with that reason.
    fn note_reachable(&mut self, workspace: &Workspace) {
        let reachable = workspace.path.is_dir();
        if reachable != workspace.reachable {
            self.write_catalog(|catalog| {
                if let Some(known) = catalog.workspaces.iter_mut().find(|known| known.id == workspace.id) {
                    known.reachable = reachable;
                }
                catalog.touch();
            });
        }
    }

    /// Words that depend on the time (running elsewhere becomes interrupted).
    fn refresh_words(&mut self) {
        let now = clock::now();
        let fresh_within = self.fresh_within;
        self.write_catalog(|catalog| {
            let is_timed = |entry: &Entry| entry.summary.status == FileStatus::Running || entry.work.alive;
            let timed = catalog.entries().filter(|(_, entry)| is_timed(entry));
            let stale: Vec<Entry> = timed
                .filter(|(_, entry)| entry.shown_at(now, fresh_within) != entry.shown)
                .map(|(_, entry)| entry.clone())
                .collect();
            for mut entry in stale {
                entry.shown = entry.shown_at(now, fresh_within);
                catalog.put(entry);
            }
        });
    }

    fn tick_if_due(&mut self) {
        let revision = self.revision();
        if self.told == revision || self.last_tick.elapsed() < BETWEEN_TICKS {
            return;
        }
        self.subscribers.retain(|subscriber| subscriber(Tick { revision }));
        self.told = revision;
        self.last_tick = Instant::now();
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
