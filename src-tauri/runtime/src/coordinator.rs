//! The coordinator: a task that starts and ends the workers, hands each question to the worker of its workspace, and tells the
//! windows that there is something newer. It only decides and routes. Whatever touches a file or the journal happens in the
//! thread of one workspace ([`owner`]), so a folder that does not answer holds up no other one.

mod heartbeat;
mod inbox;
pub mod owner;
mod windows;
mod worker;

pub(crate) use heartbeat::WorkerHeartbeat;
pub(crate) use inbox::{Hearing, Inbox};
pub(crate) use worker::{Shared, Start, WorkerContext, open_journal};

use crate::coordinator::owner::{Event, Owner, Subscriber, WaitingRequest};
use crate::observe::catalog::{Catalog, LoopId, Workspace};
use crate::views::{Failure, FailureKind};
use loopdeck_core::control::Intent;
use loopdeck_core::loop_id::workspace_of;
use loopdeck_core::times::TimeDelta;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windows::Windows;
use worker::Worker;

/// How many questions may wait to be routed before callers have to wait.
const ORDERS: usize = 1_024;
/// How often the coordinator checks that every workspace answers, until no worker is busy.
const LOOK: Duration = Duration::from_secs(1);
/// How often a caller checks that the folder still answers.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long a worker may be silent before the app ends without it.
const END: TimeDelta = TimeDelta::seconds(2);

/// Work for a worker. It gets the owner, or the reason why there is none.
pub(crate) type Job = Box<dyn FnOnce(Result<&mut Owner, Failure>) + Send>;

enum Order {
    /// Starts a worker unless there is one; the job is its first.
    Open(Workspace, Job),
    /// A job for the worker of a workspace.
    Ask(Arc<str>, Job),
    /// The same; it hands in a request.
    Request(Arc<str>, Job),
    /// The worker of a closed workspace ends.
    Forget(Arc<str>),
    /// A window wants to be told of changes.
    Subscribe(Subscriber),
}

/// A handle to the coordinator. Dropping it ends the workers.
pub(crate) struct Coordinator {
    orders: mpsc::Sender<Order>,
    shared: Arc<Shared>,
    known: KnownWorkers,
    end: CancellationToken,
    /// Ends when all workers have.
    workers: Mutex<Receiver<()>>,
    tokio: Option<tokio::runtime::Runtime>,
}

type KnownWorkers = Arc<Mutex<HashMap<Arc<str>, KnownWorker>>>;

/// What callers know of a worker.
struct KnownWorker {
    heartbeat: Arc<WorkerHeartbeat>,
    inbox: Inbox,
}

impl std::fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Coordinator")
    }
}

impl Coordinator {
    /// Starts the task.
    ///
    /// # Errors
    /// `OwnData` when the system gives no thread.
    pub(crate) fn start(start: Start) -> Result<Self, Failure> {
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("coordinator")
            .enable_time()
            .build()
            .map_err(Failure::own_data)?;
        let (orders, ordered) = mpsc::channel(ORDERS);
        let (alive, workers) = sync_channel(0);
        let (end, known) = (CancellationToken::new(), KnownWorkers::default());
        let shared = Arc::new(Shared::new(start, tokio.handle().clone(), end.clone(), alive));
        tokio.spawn(coordinate(Arc::clone(&shared), end.clone(), ordered, Arc::clone(&known)));
        Ok(Self { orders, shared, known, end, workers: Mutex::new(workers), tokio: Some(tokio) })
    }

    /// Tells `subscriber` of changes from now on.
    pub(crate) fn subscribe(&self, subscriber: Subscriber) {
        self.order(Order::Subscribe(subscriber)).logged("a window is not told of changes");
    }

    /// Opens a workspace; `work` is the first thing that is done in it.
    ///
    /// # Errors
    /// Those of `work`; `FolderDoesNotAnswer`.
    pub(crate) fn open<T: Send + 'static>(
        &self,
        workspace: Workspace,
        work: impl FnOnce(&mut Owner) -> Result<T, Failure> + Send + 'static,
    ) -> Asked<'_, T> {
        let id = Arc::clone(&workspace.id);
        self.ask_in_order(&id, work, |job| Order::Open(workspace, job))
    }

    /// Asks the worker of a workspace.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        workspace: &str,
        work: impl FnOnce(&mut Owner) -> Result<T, Failure> + Send + 'static,
    ) -> Asked<'_, T> {
        let id: Arc<str> = workspace.into();
        self.ask_in_order(&id, work, |job| Order::Ask(Arc::clone(&id), job))
    }

    /// Has the worker of a workspace do something that nobody waits for. Never blocks, and goes straight to the worker: it may
    /// overtake a question that was asked just before.
    pub(crate) fn tell(&self, workspace: &str, work: impl FnOnce(&mut Owner) + Send + 'static) {
        // A workspace that was closed meanwhile has nothing to do.
        let Some(inbox) = self.known.lock().get(workspace).map(|worker| worker.inbox.clone()) else { return };
        inbox.tell(Event::Job(Box::new(|owner| drop(owner.map(work)))));
    }

    /// Hands a request on a loop to the worker of its workspace, which carries out together what comes together.
    pub(crate) fn request(&self, key: &str, intent: Intent) -> Asked<'_, ()> {
        let (workspace, key): (Arc<str>, LoopId) = (workspace_of(key).into(), key.into());
        let (reply, answer) = sync_channel(1);
        let given_up = CancellationToken::new();
        let is_given_up = given_up.clone();
        let answer_to = move |done| drop(reply.send(done)); // the asker may have gone meanwhile
        let job: Job = Box::new(move |owner| match owner {
            Ok(_) if is_given_up.is_cancelled() => {} // the caller was told that it will not happen
            Ok(owner) => owner.take_request(WaitingRequest { key, intent, answer: Box::new(answer_to) }),
            Err(failure) => answer_to(Err(failure)),
        });
        let sent = self.order(Order::Request(Arc::clone(&workspace), job));
        Asked { coordinator: self, workspace, answer, given_up, sent }
    }

    /// Changes what is known of loops, and tells the windows.
    pub(crate) fn change_catalog(&self, change: impl FnOnce(&mut Catalog)) {
        self.shared.write(change);
        self.shared.changed().notify_one();
    }

    /// How long a foreign change counts as a sign of life, in workspaces that are opened from now on.
    pub(crate) fn set_fresh_within(&self, fresh_within: TimeDelta) {
        self.shared.set_fresh_within(fresh_within);
    }

    /// Ends the worker of a closed workspace.
    pub(crate) fn forget(&self, workspace: &str) {
        self.order(Order::Forget(workspace.into())).logged("the worker of a closed workspace is still there");
    }

    /// `FolderDoesNotAnswer` when the folder of this workspace does not answer.
    pub(crate) fn silence(&self, workspace: &str) -> Option<Failure> {
        let heartbeat = Arc::clone(&self.known.lock().get(workspace)?.heartbeat);
        heartbeat.silent_since(clock::now())?;
        let path = self.shared.read(|catalog| catalog.workspace(workspace).map(|found| found.path.clone()));
        Some(does_not_answer(&path.unwrap_or_default()))
    }

    fn ask_in_order<T: Send + 'static>(
        &self,
        workspace: &Arc<str>,
        work: impl FnOnce(&mut Owner) -> Result<T, Failure> + Send + 'static,
        order: impl FnOnce(Job) -> Order,
    ) -> Asked<'_, T> {
        let (reply, answer) = sync_channel(1);
        let given_up = CancellationToken::new();
        let is_given_up = given_up.clone();
        let job: Job = Box::new(move |owner| {
            // The caller was told that it will not happen.
            if !is_given_up.is_cancelled() {
                let _ = reply.send(owner.and_then(work)); // the asker may have gone meanwhile
            }
        });
        let sent = self.order(order(job));
        Asked { coordinator: self, workspace: Arc::clone(workspace), answer, given_up, sent }
    }

    fn order(&self, order: Order) -> Result<(), Failure> {
        let gone = || Failure::own_data("the runtime has ended");
        match self.orders.try_send(order) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Full(order)) => {
                self.orders.blocking_send(order).map_err(|_| gone())
            }
            Err(mpsc::error::TrySendError::Closed(_)) => Err(gone()),
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.end.cancel();
        self.shared.end();
        // A worker whose folder does not answer is left behind; the others leave their work in order.
        let workers = self.workers.lock();
        while workers.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let done = |heartbeat: &WorkerHeartbeat| {
                heartbeat.has_ended() || heartbeat.was_silent_for(clock::now(), END)
            };
            if self.known.lock().values().all(|worker| done(&worker.heartbeat)) {
                break;
            }
        }
        drop(workers);
        if let Some(tokio) = self.tokio.take() {
            tokio.shutdown_background();
        }
    }
}

/// A question on its way.
pub(crate) struct Asked<'a, T> {
    coordinator: &'a Coordinator,
    workspace: Arc<str>,
    answer: Receiver<Result<T, Failure>>,
    given_up: CancellationToken,
    sent: Result<(), Failure>,
}

impl<T> Asked<'_, T> {
    /// Waits for the answer. If the folder does not answer, work that has not begun is dropped.
    ///
    /// # Errors
    /// Those of the question; `FolderDoesNotAnswer`; `OwnData` when the runtime has ended.
    pub(crate) fn wait(self) -> Result<T, Failure> {
        self.sent?;
        loop {
            match self.answer.recv_timeout(PATIENCE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::own_data("the runtime has ended"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(silence) = self.coordinator.silence(&self.workspace) {
                        self.given_up.cancel();
                        return Err(silence);
                    }
                }
            }
        }
    }
}

/// The folder at `path` does not answer.
pub(crate) fn does_not_answer(path: &std::path::Path) -> Failure {
    Failure::new(FailureKind::FolderDoesNotAnswer).with("path", loopdeck_system::dirs::shown(path))
}

async fn coordinate(
    shared: Arc<Shared>,
    end: CancellationToken,
    mut orders: mpsc::Receiver<Order>,
    known: KnownWorkers,
) {
    let mut workers: HashMap<Arc<str>, Worker> = HashMap::new();
    let mut windows = Windows::default();
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let due = windows.due();
        let watches = shared.attention().is_given();
        tokio::select! {
            () = end.cancelled() => break,
            order = orders.recv() => match order {
                Some(order) => take_order(order, &shared, &mut workers, &mut windows, &known),
                None => break,
            },
            () = shared.changed().notified() => {}
            () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)), if due.is_some() => {}
            _ = look.tick(), if watches => {
                note_silence(&shared, &workers);
                let is_at_work = |worker: &Worker| worker.heartbeat.is_busy() || worker.was_silent();
                shared.attention().keep(|| workers.values().any(is_at_work));
            }
        }
        windows.tell_all(&shared);
    }
}

fn take_order(
    order: Order,
    shared: &Arc<Shared>,
    workers: &mut HashMap<Arc<str>, Worker>,
    windows: &mut Windows,
    known: &KnownWorkers,
) {
    match order {
        Order::Subscribe(subscriber) => windows.add(subscriber),
        Order::Forget(workspace) => {
            if let Some(worker) = workers.remove(&workspace) {
                worker.forget();
            }
            known.lock().remove(&workspace);
            shared.forget_needs(&workspace);
            shared.write(|catalog| catalog.close(&workspace));
        }
        Order::Ask(workspace, job) => hand(workers, &workspace, job, Event::Job),
        Order::Request(workspace, job) => hand(workers, &workspace, job, Event::Request),
        Order::Open(workspace, job) => {
            let id = Arc::clone(&workspace.id);
            if let Some(worker) = workers.get(&id) {
                return worker.inbox.tell(Event::Job(job));
            }
            shared.write(|catalog| catalog.open(workspace.clone()));
            match Worker::start(Arc::clone(shared), &workspace) {
                Ok(worker) => {
                    known.lock().insert(Arc::clone(&id), worker.known());
                    worker.inbox.tell(Event::Job(job));
                    workers.insert(id, worker);
                }
                Err(failure) => {
                    shared.write(|catalog| catalog.close(&id));
                    job(Err(failure));
                }
            }
        }
    }
}

/// Shows which workspaces do not answer.
fn note_silence(shared: &Shared, workers: &HashMap<Arc<str>, Worker>) {
    let now = clock::now();
    workers.values().for_each(|worker| worker.ask_folder(now));
    let found: Vec<(&Arc<str>, bool)> =
        workers.iter().map(|(id, worker)| (id, worker.note_silence(now))).collect();
    let is_new = |catalog: &Catalog| {
        catalog
            .workspaces
            .iter()
            .any(|known| found.iter().any(|(id, silent)| **id == known.id && *silent != known.silent))
    };
    if !shared.read(is_new) {
        return;
    }
    shared.write(|catalog| {
        for known in &mut catalog.workspaces {
            if let Some((_, silent)) = found.iter().find(|(id, _)| **id == known.id) {
                known.silent = *silent;
            }
        }
        catalog.touch();
    });
}

fn hand(workers: &HashMap<Arc<str>, Worker>, workspace: &str, job: Job, event: fn(Job) -> Event) {
    match workers.get(workspace) {
        Some(worker) => worker.inbox.tell(event(job)),
        None => job(Err(Failure::new(FailureKind::UnknownLoop))),
    }
}

impl Worker {
    fn known(&self) -> KnownWorker {
        KnownWorker { heartbeat: Arc::clone(&self.heartbeat), inbox: self.inbox.clone() }
    }
}
