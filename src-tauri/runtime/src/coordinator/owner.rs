//! The owner of the loops of one workspace: one thread, one inbox, one writer of their rows. It alone touches its folder.
//!
//! It decides what happens in which order: events are taken in, changed paths are read, then whatever is due is done. What is known
//! of the loops, and how they are changed, is in the [`WorkspaceStore`]. The screen is fed by one path: whatever happened, a change
//! appears because the file was read again.

mod opening;
mod reconciling;
mod requests;
mod watch_events;

pub(crate) use requests::WaitingRequest;

use crate::coordinator::{Hearing, Job, WorkerContext};
use crate::observe::watch::{Watch, WatchEvent};
use crate::store::workspace_store::{Parts, WorkspaceStore};
use crate::views::Tick;
use loopdeck_core::times::TimeDelta;
use loopdeck_execution::event::ExecutionEvent;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// A quiet time after which a changed path is read, and the longest wait under continuous writing.
const QUIET: Duration = Duration::from_millis(15);
const LONGEST: Duration = Duration::from_millis(150);
/// The floor below the watcher: a stat of every file.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(4);
/// The same for a copy of another machine's folder, which nobody else writes.
pub(crate) const SWEEP_COPY_EVERY: Duration = Duration::from_secs(30);
/// The same when watching is not possible.
pub(crate) const POLL_EVERY: Duration = Duration::from_secs(2);

/// Tells a window that there is something newer; false when the window is gone.
pub type Subscriber = Box<dyn Fn(Tick) -> bool + Send>;

/// What a worker hears.
pub enum Event {
    /// The watcher saw something.
    Watched(WatchEvent),
    /// The watcher saw more than could be told: look at everything again.
    Overflowed,
    /// Something happened to a run of ours.
    Execution(ExecutionEvent),
    /// A question, or something to do.
    Job(Job),
    /// A job that hands in a request, see [`Owner::take_request`].
    Request(Job),
}

/// A path that may have changed.
struct Dirty {
    /// It is read no later than this, however much more is written.
    latest: Instant,
    /// When to read it.
    due: Instant,
}

/// When everything is checked next.
struct Sweep {
    /// How often, while watching works.
    every: Duration,
    next: Instant,
    /// Before waiting for the next event.
    now: bool,
}

/// The owner's state. Lives on its own thread.
pub struct Owner {
    /// The loops of its workspace.
    pub(crate) store: WorkspaceStore,
    context: WorkerContext,
    watch: Watch,
    dirty: HashMap<PathBuf, Dirty>,
    sweep: Sweep,
    /// See [`crate::Options::named`].
    named: Option<String>,
    /// Requests that wait for the end of the burst in which they came.
    requests: Vec<WaitingRequest>,
}

impl Owner {
    /// An owner that has not read its workspace yet, and checks all of it once per `floor`.
    #[must_use]
    pub(crate) fn new(
        parts: Parts,
        context: WorkerContext,
        watch: Watch,
        floor: Duration,
        named: Option<String>,
    ) -> Self {
        let sweep = Sweep { every: floor, next: Instant::now() + floor, now: false };
        let (store, dirty) = (WorkspaceStore::new(parts), HashMap::new());
        let mut owner = Self { store, context, watch, dirty, sweep, named, requests: Vec::new() };
        owner.note_watching();
        owner
    }

    /// Handles events until the workspace is closed or the app ends.
    pub(crate) fn run(mut self, tokio: &Handle, mut inbox: Hearing) {
        while let Some(event) = self.next(tokio, &mut inbox) {
            self.context.begin();
            if let Some(event) = event {
                self.handle(event);
            }
            // A burst is taken in whole before anything is read, so that only last states are read.
            while let Some(event) = inbox.next_there() {
                self.handle(event);
            }
            self.carry_out_requests();
            self.work();
            self.context.heartbeat.rest();
        }
        self.context.heartbeat.beat();
        self.store.leave();
    }

    /// The next event, or nothing when something else is due; the end.
    fn next(&self, tokio: &Handle, inbox: &mut Hearing) -> Option<Option<Event>> {
        let due = self.next_deadline().into();
        let closed = &self.context.closed;
        tokio.block_on(async {
            tokio::select! {
                biased;
                () = closed.cancelled() => None,
                event = inbox.next() => event.map(Some),
                () = tokio::time::sleep_until(due) => Some(None),
            }
        })
    }

    fn work(&mut self) {
        self.read_dirty();
        self.store.do_due();
        self.store.look_at_journal(&self.context.path);
        self.store.bring_back(&self.context.id, &self.context.path);
        self.sweep_if_due();
        self.store.journal.checkpoint_and_prune_if_due();
        self.context.changed.notify_one();
    }

    fn next_deadline(&self) -> Instant {
        let sweep = if self.sweep.now || self.store.wants_sweep { Instant::now() } else { self.sweep.next };
        let dirty = self.dirty.values().map(|dirty| dirty.due);
        dirty.chain(self.store.next_deadline()).fold(sweep, Instant::min)
    }

    fn handle(&mut self, event: Event) {
        self.context.heartbeat.beat();
        if !matches!(event, Event::Request(_) | Event::Watched(_) | Event::Overflowed) {
            self.carry_out_requests(); // they came before it
        }
        match event {
            Event::Watched(WatchEvent::Paths(paths)) => self.note_paths(paths, QUIET),
            Event::Watched(WatchEvent::Replaced(paths)) => self.note_paths(paths, Duration::ZERO),
            Event::Watched(WatchEvent::Gone(paths)) => {
                self.sweep.now |= paths.iter().filter(|path| self.watch.forget(path)).count() > 0;
                self.note_paths(paths, QUIET);
            }
            Event::Watched(WatchEvent::Rescan) | Event::Overflowed => {
                // What went away unseen took its watches along.
                self.watch.forget(&self.context.path);
                self.sweep.now = true;
            }
            Event::Execution(event) => self.store.driver_context().handle(event),
            Event::Job(job) | Event::Request(job) => job(Ok(self)),
        }
    }

    /// How long a foreign change counts as a sign of life.
    pub(crate) fn set_fresh_within(&mut self, fresh_within: TimeDelta) {
        self.store.fresh_within = fresh_within;
        self.refresh_words();
    }
}
