//! A worker: the thread that owns the loops of one workspace, and what all workers share.

use super::{Inbox, WorkerHeartbeat};
use crate::coordinator::owner::{Event, Owner, SWEEP_COPY_EVERY};
use crate::observe::catalog::{Catalog, Workspace};
use crate::observe::glimpses::Glimpses;
use crate::observe::watch::Watch;
use crate::runtime::{Options, Traces};
use crate::store::journal::{Journal, Retention};
use crate::store::workspace_store::Parts;
use crate::views::Failure;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_execution::event::Inbox as ExecutionInbox;
use loopdeck_execution::launcher::workshop::{Outputs, Workshop};
use loopdeck_execution::needs_board::NeedsBoard;
use loopdeck_execution::preferences::choices::KeptChoices;
use loopdeck_execution::rows::Needs;
use loopdeck_execution::runs::GuardianProgram;
use parking_lot::{Mutex, RwLock};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::SyncSender;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What the runtime begins with.
pub(crate) struct Start {
    pub(crate) options: Options,
    pub(crate) catalog: Arc<RwLock<Catalog>>,
    /// The journal that was opened to see whether it can be, for the first worker.
    pub(crate) journal: Journal,
    pub(crate) fresh_within: TimeDelta,
    pub(crate) choices: Arc<KeptChoices>,
    pub(crate) guardian: GuardianProgram,
    pub(crate) needs: Arc<NeedsBoard>,
    pub(crate) outputs: Arc<Outputs>,
}

/// What all workers share.
pub(crate) struct Shared {
    catalog: Arc<RwLock<Catalog>>,
    options: Options,
    spare: Mutex<Option<Journal>>,
    /// In milliseconds.
    fresh_within: AtomicI64,
    choices: Arc<KeptChoices>,
    guardian: GuardianProgram,
    needs: Arc<NeedsBoard>,
    outputs: Arc<Outputs>,
    changed: Arc<Notify>,
    attention: Arc<Attention>,
    tokio: Handle,
    end: CancellationToken,
    /// Every worker holds one until it has ended.
    alive: Mutex<Option<SyncSender<()>>>,
}

impl Shared {
    pub(super) fn new(start: Start, tokio: Handle, end: CancellationToken, alive: SyncSender<()>) -> Self {
        Self {
            catalog: start.catalog,
            options: start.options,
            spare: Mutex::new(Some(start.journal)),
            fresh_within: AtomicI64::new(start.fresh_within.num_milliseconds()),
            choices: start.choices,
            guardian: start.guardian,
            needs: start.needs,
            outputs: start.outputs,
            changed: Arc::new(Notify::new()),
            attention: Arc::default(),
            tokio,
            end,
            alive: Mutex::new(Some(alive)),
        }
    }

    /// Only workers that are still at work keep the end waiting.
    pub(super) fn end(&self) {
        self.alive.lock().take();
    }

    /// Notified of every change of the catalog.
    pub(super) fn changed(&self) -> &Arc<Notify> {
        &self.changed
    }

    /// Whether the coordinator checks that workers answer.
    pub(super) fn attention(&self) -> &Attention {
        &self.attention
    }

    pub(super) fn read<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read())
    }

    pub(super) fn write<T>(&self, write: impl FnOnce(&mut Catalog) -> T) -> T {
        write(&mut self.catalog.write())
    }

    /// How long a foreign change counts as a sign of life, in workspaces that are opened from now on.
    pub(crate) fn set_fresh_within(&self, fresh_within: TimeDelta) {
        self.fresh_within.store(fresh_within.num_milliseconds(), Ordering::Relaxed);
    }

    /// Nothing waits in a workspace that is closed.
    pub(super) fn forget_needs(&self, workspace: &str) {
        self.needs.update(workspace, Needs::default(), || self.write(|catalog| catalog.needs += 1));
    }

    /// The journal of a worker: a connection of its own to the one file.
    fn journal(&self) -> Result<Journal, Failure> {
        if let Some(spare) = self.spare.lock().take() {
            return Ok(spare);
        }
        open_journal(&self.options)
    }

    fn workshop(&self, workspace: &str, inbox: &Inbox) -> Workshop {
        let inbox = inbox.clone();
        Workshop {
            dirs: self.options.dirs.clone(),
            choices: Arc::clone(&self.choices),
            guardian: self.guardian.clone(),
            inbox: ExecutionInbox::new(move |event| inbox.tell(Event::Execution(event))),
            workspace: workspace.to_owned(),
            needs: Arc::clone(&self.needs),
            outputs: Arc::clone(&self.outputs),
            minute: TimeDelta::from_std(self.options.minute).unwrap_or(TimeDelta::minutes(1)),
        }
    }
}

/// Opens the journal as the traces that may be left allow it.
///
/// # Errors
/// When a script's request could not be recorded. A window starts all the same: each write is refused until it can be.
pub(crate) fn open_journal(options: &Options) -> Result<Journal, Failure> {
    let path = options.dirs.journal();
    let retention: Retention = options.retention;
    let mut journal = match options.traces {
        Traces::All | Traces::Requests | Traces::Runs => Journal::open(&path, retention),
        Traces::Nothing => Journal::open_for_reading(&path, retention)?,
    };
    if matches!(options.traces, Traces::Requests | Traces::Runs) {
        journal.check()?;
    }
    Ok(journal)
}

/// A handle to a worker.
pub(super) struct Worker {
    pub(super) inbox: Inbox,
    pub(super) heartbeat: Arc<WorkerHeartbeat>,
    closed: CancellationToken,
    forgotten: CancellationToken,
    folder: PathBuf,
    /// Its folder did not answer at the last check.
    silent: AtomicBool,
}

impl Worker {
    /// Starts the thread of a workspace.
    ///
    /// # Errors
    /// `OwnData` when the system gives no thread.
    pub(super) fn start(shared: Arc<Shared>, workspace: &Workspace) -> Result<Self, Failure> {
        let (inbox, events) = super::inbox::inbox();
        let (heartbeat, closed) = (Arc::new(WorkerHeartbeat::default()), shared.end.child_token());
        let forgotten = CancellationToken::new();
        let context = WorkerContext {
            id: Arc::clone(&workspace.id),
            path: workspace.path.clone(),
            heartbeat: Arc::clone(&heartbeat),
            closed: closed.clone(),
            forgotten: forgotten.clone(),
            changed: Arc::clone(&shared.changed),
            attention: Arc::clone(&shared.attention),
            is_copy: workspace.elsewhere.is_some(),
        };
        let alive = shared.alive.lock().clone();
        let told = inbox.clone();
        let work = move || {
            let heartbeat = Arc::clone(&context.heartbeat);
            context.begin();
            match shared.journal() {
                Ok(journal) => owner(&shared, context, journal, &told).run(&shared.tokio, events),
                Err(failure) => tracing::error!(?failure, "a workspace has no journal, and is not opened"),
            }
            heartbeat.end();
            drop(alive);
        };
        std::thread::Builder::new()
            .name(format!("ws-{}", workspace.id))
            .spawn(work)
            .map_err(Failure::own_data)?;
        let folder = workspace.path.clone();
        Ok(Self { inbox, heartbeat, closed, forgotten, folder, silent: AtomicBool::new(false) })
    }

    /// Checks that the folder answers if the worker has been silent for a while.
    pub(super) fn ask_folder(&self, now: Timestamp) {
        if self.heartbeat.wants_question(now) {
            let (heartbeat, folder) = (Arc::clone(&self.heartbeat), self.folder.clone());
            drop(tokio::task::spawn_blocking(move || heartbeat.ask(&folder)));
        }
    }

    /// Whether its folder does not answer; remembered.
    pub(super) fn note_silence(&self, now: Timestamp) -> bool {
        let silent = self.heartbeat.silent_since(now).is_some();
        self.silent.store(silent, Ordering::Relaxed);
        silent
    }

    pub(super) fn was_silent(&self) -> bool {
        self.silent.load(Ordering::Relaxed)
    }

    /// Closes the workspace. What the worker still does is no longer shown, and a write that has not begun is dropped.
    pub(super) fn forget(&self) {
        self.forgotten.cancel();
        self.closed.cancel();
    }
}

fn owner(shared: &Shared, context: WorkerContext, journal: Journal, inbox: &Inbox) -> Owner {
    let options = &shared.options;
    let (events, glimpses) = (inbox.clone(), Glimpses::default());
    // The team package writes copies and reports each change. Watchers for a hundred machines would exceed the system's limit.
    let watch = match context.is_copy {
        true => Watch::watching_nothing(),
        false => Watch::start(options.polling, glimpses.clone(), move |event| events.tell_watched(event)),
    };
    let parts = Parts {
        catalog: Arc::clone(&shared.catalog),
        forgotten: context.forgotten.clone(),
        journal,
        glimpses,
        workshop: shared.workshop(&context.id, inbox),
        fresh_within: TimeDelta::milliseconds(shared.fresh_within.load(Ordering::Relaxed)),
        housekeeping: matches!(options.traces, Traces::All | Traces::Runs),
        leaves_traces: options.traces != Traces::Nothing,
        only: options.only.clone(),
        program: options.program,
    };
    let floor = if context.is_copy { options.floor.max(SWEEP_COPY_EVERY) } else { options.floor };
    Owner::new(parts, context, watch, floor, options.named.clone())
}

/// Whether the coordinator checks that workers answer: from when one begins until none is at work.
#[derive(Debug, Default)]
pub(crate) struct Attention(AtomicBool);

impl Attention {
    pub(super) fn is_given(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Asks for checks; true when there were none, so that the coordinator must be woken.
    fn ask(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Continues to check if there is `work`. A worker that begins meanwhile asks again.
    pub(super) fn keep(&self, work: impl FnOnce() -> bool) {
        self.0.swap(false, Ordering::AcqRel); // so that `work` sees what asked before
        if work() {
            self.0.store(true, Ordering::Release);
        }
    }
}

/// The workspace of a worker, and how the worker is heard of.
pub(crate) struct WorkerContext {
    pub(crate) id: Arc<str>,
    pub(crate) path: PathBuf,
    pub(crate) heartbeat: Arc<WorkerHeartbeat>,
    /// The workspace is closed, or the app ends.
    pub(crate) closed: CancellationToken,
    /// The workspace is closed, although it may not answer.
    pub(crate) forgotten: CancellationToken,
    /// Notified of every change of the catalog.
    pub(crate) changed: Arc<Notify>,
    attention: Arc<Attention>,
    /// It is a copy of a folder of another machine.
    pub(crate) is_copy: bool,
}

impl WorkerContext {
    /// Something begins; from now on the coordinator checks whether the folder answers.
    pub(crate) fn begin(&self) {
        self.heartbeat.beat();
        if self.attention.ask() {
            self.changed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_go_on_for_a_worker_that_begins_while_they_end() {
        let attention = Attention::default();
        assert!(attention.ask(), "the first worker wakes the coordinator");
        assert!(!attention.ask(), "checks go on");
        attention.keep(|| true);
        assert!(attention.is_given() && !attention.ask());
        attention.keep(|| false);
        assert!(!attention.is_given() && attention.ask());
        attention.keep(|| {
            assert!(attention.ask(), "one begins while no other is found at work");
            false
        });
        assert!(attention.is_given());
    }
}
