//! One job at work on a node: its lease, its worktree, its loop, its reports and its end. It is a task of its own that outlives
//! the connection: without one, work continues until the fence closes.

use crate::jwt::Identity;
use crate::seat::Role;
use crate::share::{Scope, Share, Steering};
use crate::team::Context;
use crate::work::job::{IfGone, Job};
use crate::work::lease::{Lease, Renewed, Spans};
use crate::work::lent::Lent;
use crate::work::node::{Reply, Servers};
use crate::work::report::{self, Report, SentCommit, Stage};
use crate::work::rules::AllowedFolder;
use crate::work::{lent, parcel};
use async_nats::jetstream::AckKind;
use async_nats::jetstream::stream::{DirectGetError, DirectGetErrorKind};
use loopdeck_core::status::StatusWord;
use loopdeck_execution::git::{self, Repository, apart, bundle};
use loopdeck_runtime::views::LoopRow;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::fence::Fence;
use loopdeck_system::logged::Logged as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often the loop is looked at.
const LOOK: Duration = Duration::from_millis(300);
/// How long the state file of a loop on which nothing works may be missing or damaged: some programs remove a file before they write it.
const LOST_FOR: Duration = Duration::from_secs(10);
/// So often a job is handed out while the disk or git refuses it for now; then its sender hears why.
const MOST_TRIES: i64 = 8;
/// The same of its result, whose slot nobody else has meanwhile.
const RESULT_WITHIN: Duration = Duration::from_secs(600);
/// How long the end of a process tree is waited for.
const ENDING: Duration = Duration::from_secs(60);

/// Why a job is put down before its end.
#[derive(Debug)]
enum Stop {
    /// Its lease is somebody else's, or may be.
    Lost,
    /// It cannot be done here, however often it is tried.
    Failed(Failure),
    /// The disk, or git, for now: a disk that is full, a file that is locked. It is handed out again, a few times.
    Passing(Failure),
    /// The servers. It is handed out again.
    Again(String),
}

impl Stop {
    fn of(error: std::io::Error, kind: FailureKind) -> Self {
        let passes = git::passes(&error);
        let failure = Failure::new(kind).with("reason", error);
        if passes { Stop::Passing(failure) } else { Stop::Failed(failure) }
    }

    fn of_git(error: std::io::Error) -> Self {
        Self::of(error, FailureKind::GitRefused)
    }
}

impl From<async_nats::Error> for Stop {
    fn from(error: async_nats::Error) -> Self {
        let error = match error.downcast::<std::io::Error>() {
            Ok(error) => return Self::of(*error, FailureKind::OwnData),
            Err(error) => error,
        };
        let gone = |error: &DirectGetError| error.kind() == DirectGetErrorKind::NotFound;
        match error.downcast_ref::<DirectGetError>().is_some_and(gone) {
            true => Stop::Failed(Failure::own_data(error)),
            false => Stop::Again(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::of(error, FailureKind::OwnData)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

/// A job that is carried.
struct Carried<'a> {
    context: &'a Arc<Context>,
    job: Job,
    folder: AllowedFolder,
    reply: Reply,
    spans: Spans,
    lease: Lease,
    lent: Lent,
    fence: Option<Fence>,
    renewed: Instant,
    checkpoint: Option<SentCommit>,
}

/// What the queue handed out: where it hears of the job, and how often it was handed out.
#[derive(Clone)]
pub(crate) struct HandedOut {
    pub(crate) reply: Reply,
    pub(crate) times: i64,
}

/// Carries `job` to its end, or as far as this machine may.
pub(crate) async fn carry(
    context: &Arc<Context>,
    job: Job,
    identity: &Identity,
    (folder, out): (AllowedFolder, HandedOut),
) {
    let id = job.id.clone();
    let Some(mut carried) = take_up(context, job, (folder, &out.reply)).await else { return };
    let done = carried.run(identity.role).await;
    match done {
        Ok(()) => {}
        Err(Stop::Lost) => carried.stop_lost().await,
        Err(Stop::Failed(failure)) => carried.refuse(&failure).await,
        Err(Stop::Passing(failure)) if out.times >= MOST_TRIES => carried.refuse(&failure).await,
        Err(Stop::Passing(failure)) => {
            tracing::warn!(job = %id, ?failure, "a job is put down for another try");
            carried.stop_lost().await;
        }
        Err(Stop::Again(error)) => {
            tracing::warn!(job = %id, error, "a job is put down");
            carried.stop_lost().await;
        }
    }
}

/// Takes the lease and finds out what was done so far. `None`: there is nothing to do here, and the queue knows.
async fn take_up<'a>(
    context: &'a Arc<Context>,
    job: Job,
    (folder, reply): (AllowedFolder, &Reply),
) -> Option<Carried<'a>> {
    let servers = current(context).await;
    let spans = context.node.rules.lock().spans();
    if Lent::has_ended(&context.home.lent(), &job.id) {
        acknowledge(&servers, reply).await;
        return None;
    }
    let told = match report::all(context, &servers.reports, &job.id).await {
        Ok(told) => told,
        Err(error) => {
            tracing::warn!(%error, "what became of a job is not known");
            return None; // handed out again
        }
    };
    let is_over = |(report, seat): &(Report, crate::seat::Seat)| match report.stage {
        Stage::Running | Stage::Passed => false,
        Stage::Withdrawn => *seat == job.from,
        Stage::Ended | Stage::Refused | Stage::Interrupted => true,
    };
    if told.iter().any(is_over) {
        acknowledge(&servers, reply).await;
        return None;
    }
    let last = told.into_iter().rev().find(|(report, _)| report.stage == Stage::Running);
    // The newest state is here only if nobody else has had it since. Otherwise what is here is not touched again.
    let here = last.as_ref().is_none_or(|(_, seat)| seat == context.seat());
    let known = Lent::read(&context.home.lent(), &job.id).filter(|_| here);
    let nonce = known.as_ref().map_or_else(crate::jwt::random_id, |lent| lent.nonce.clone());
    let fence = known.as_ref().and_then(|lent| Some(context.runtime.fence(lent.folder.as_deref()?)));
    let taken = Lease::take(
        &servers.jetstream,
        &servers.leases,
        (&job.id, context.seat(), &nonce),
        (spans, fence.as_ref()),
    );
    let lease = match taken.await {
        Ok(Some(lease)) => lease,
        Ok(None) => {
            say(&servers, reply, AckKind::Nak(Some(spans.renewal()))).await;
            return None;
        }
        Err(error) => {
            tracing::warn!(%error, "the lease of a job is not to be had");
            return None;
        }
    };
    let lent = known.unwrap_or_else(|| Lent::new(&job.id, nonce));
    let checkpoint = last.as_ref().and_then(|(report, _)| report.checkpoint.clone());
    let gone = last.is_some() && lent.folder.is_none();
    let mut carried = Carried {
        context,
        folder,
        reply: Arc::clone(reply),
        spans,
        lease,
        fence,
        lent,
        renewed: Instant::now(),
        checkpoint,
        job,
    };
    if gone && carried.job.if_gone == IfGone::Interrupt {
        carried.end(Report { why: None, ..carried.report(Stage::Interrupted) }).await;
        return None;
    }
    Some(carried)
}

impl Carried<'_> {
    async fn run(&mut self, role: Role) -> Result<(), Stop> {
        let key = self.prepare().await?;
        self.share(role)?;
        self.launch(&key)?;
        let mut told = self.tell_running().await;
        let (mut kept, mut kept_at, mut lost_since) = (0.0, Instant::now(), None);
        let mut changed = loopdeck_system::clock::now().number();
        let word = loop {
            tokio::time::sleep(LOOK).await;
            if self.renew_when_due().await? && !told {
                told = self.tell_running().await;
            }
            let Some(row) = self.context.runtime.row(&key).filter(|row| !is_lost(row)) else {
                // Nobody can bring it back from another machine; what was done is sent all the same.
                if lost_since.get_or_insert_with(Instant::now).elapsed() >= LOST_FOR {
                    break StatusWord::Failed;
                }
                continue;
            };
            lost_since = None;
            changed = row.changed;
            if has_ended(&row) {
                break row.word;
            }
            let wants = self.job.if_gone == IfGone::Continue && row.changed > kept;
            if wants && kept_at.elapsed() >= self.spans.renewal() {
                (kept, kept_at) = (row.changed, Instant::now());
                match self.keep_checkpoint().await {
                    Err(Stop::Lost) => return Err(Stop::Lost),
                    // Work continues without a checkpoint; the next one may arrive.
                    Err(stop) => tracing::warn!(?stop, "the state of a job is not kept elsewhere"),
                    Ok(()) => {}
                }
            }
        };
        let since = Instant::now();
        let result = loop {
            match self.result(changed).await {
                Err(Stop::Again(error)) => tracing::warn!(error, "what was done is not sent yet"),
                Err(Stop::Passing(failure)) if since.elapsed() < RESULT_WITHIN => {
                    tracing::warn!(?failure, "what was done is not kept yet");
                }
                Err(Stop::Passing(failure)) => return Err(Stop::Failed(failure)),
                result => break result?,
            }
            tokio::time::sleep(LOOK * 3).await;
            self.renew_when_due().await?;
        };
        let word = serde_json::to_value(word).ok().and_then(|word| word.as_str().map(str::to_owned));
        self.end(Report { word, result, ..self.report(Stage::Ended) }).await;
        Ok(())
    }

    /// The worktree, with the state so far or the first file. Answers the key of the loop.
    async fn prepare(&mut self) -> Result<String, Stop> {
        let first = self.job.first_file().map_err(|refusal| Stop::Failed(refusal.into()))?;
        std::fs::create_dir_all(self.context.home.lent())?;
        if self.lent.folder.is_none() {
            self.fetch_commits().await?;
            let path = self.folder.path.clone();
            let (home, of) = (self.context.home.lent(), self.repository(&path).await?);
            let (worktrees, mut lent) = (self.context.runtime.worktrees(), self.lent.clone());
            let (commit, checkpoint) =
                (self.job.commit.clone(), self.checkpoint.as_ref().map(|sent| sent.commit.clone()));
            self.lent = self
                .meanwhile(move || {
                    lent.make(&home, (&of, &worktrees), (&commit, checkpoint.as_deref())).map(|()| lent)
                })
                .await?
                .map_err(Stop::of_git)?;
        }
        let folder = self.lent.folder.clone().ok_or_else(|| Stop::Again("no folder".to_owned()))?;
        self.fence = Some(self.context.runtime.fence(&folder));
        // Before the workspace is open: nothing is ever done there without a fence.
        self.renew().await?;
        let (context, of, begins) = (Arc::clone(self.context), self.folder.path.clone(), !self.lent.begun);
        let open = move || context.runtime.open_lent(&folder, &of, (&first, begins));
        let key = self.meanwhile(open).await??;
        self.lent.begun = true;
        self.lent.keep(&self.context.home.lent())?;
        Ok(key)
    }

    /// The commits that this repository lacks.
    async fn fetch_commits(&mut self) -> Result<(), Stop> {
        let base = SentCommit { commit: self.job.commit.clone(), parcel: self.job.parcel.clone() };
        for sent in std::iter::once(base).chain(self.checkpoint.clone()) {
            let Some(from) = sent.parcel else { continue };
            let path = self.folder.path.clone();
            let (of, commit) = (self.repository(&path).await?, sent.commit);
            if bundle::has(&of, &commit) {
                continue;
            }
            let path = self.context.home.lent().join(format!("{}.bundle", self.job.id));
            let servers = current(self.context).await;
            parcel::fetch(&servers.jetstream, &from, &path).await?;
            let taken = self.meanwhile(move || {
                let taken = bundle::unpack(&of, &commit, &path);
                let _ = std::fs::remove_file(path); // overwritten by the next
                taken
            });
            taken.await?.map_err(Stop::of_git)?;
        }
        Ok(())
    }

    /// Others see the loop as they see any that is shared; whoever may send work may steer it.
    fn share(&self, role: Role) -> Result<(), Stop> {
        let Some(path) = self.lent.folder.clone() else { return Ok(()) };
        let steering = if role == Role::Lead { Steering::Leads } else { Steering::Members };
        Ok(self.context.put_share(Share { path, scope: Scope::Output, steering })?)
    }

    fn launch(&self, key: &str) -> Result<(), Stop> {
        let known = self.context.runtime.row(key);
        let at_work = |row: &LoopRow| row.run.as_ref().is_some_and(|run| run.alive);
        // This program was started again, and found it at work; or it is done; or a person paused it.
        if known.is_some_and(|row| at_work(&row) || is_over(row.word) || row.word == StatusWord::Paused) {
            return Ok(());
        }
        let launch = || self.context.runtime.launch(key, Some(self.job.plan.clone()), None);
        Ok(tokio::task::block_in_place(launch)?)
    }

    async fn keep_checkpoint(&mut self) -> Result<(), Stop> {
        let Some(folder) = self.lent.folder.clone() else { return Ok(()) };
        let files =
            Share { path: folder.clone(), scope: Scope::Progress, steering: Steering::Nobody }.files();
        let of = self.repository(&folder).await?;
        let made = self.meanwhile(move || bundle::checkpoint(&of, &files)).await?;
        let commit = made.map_err(Stop::of_git)?;
        self.checkpoint = Some(self.send(commit).await?);
        self.tell_running().await; // one that is not heard of is sent again with the next
        Ok(())
    }

    /// What was done, as a commit on its way. `changed`: when the loop ended, in ms since 1970 UTC.
    async fn result(&mut self, changed: f64) -> Result<Option<SentCommit>, Stop> {
        let Some(folder) = self.lent.folder.clone() else { return Ok(None) };
        let of = self.repository(&folder).await?;
        let (base, message) = (self.job.commit.clone(), self.job.message());
        #[allow(clippy::cast_possible_truncation)] // seconds since 1970 are exact in f64
        let at = (changed / 1_000.0) as i64;
        let made = self.meanwhile(move || bundle::result(&of, &base, (&message, at)));
        match made.await?.map_err(Stop::of_git)? {
            Some(commit) => Ok(Some(self.send(commit).await?)),
            None => Ok(None),
        }
    }

    /// Sends what whoever asked lacks of `commit`.
    async fn send(&mut self, commit: String) -> Result<SentCommit, Stop> {
        let Some(folder) = self.lent.folder.clone() else { return Ok(SentCommit { commit, parcel: None }) };
        let path = self.context.home.lent().join(format!("{}.out", self.job.id));
        let of = self.repository(&folder).await?;
        let (known, packed, at) = (vec![self.job.commit.clone()], commit.clone(), path.clone());
        let made = self.meanwhile(move || bundle::pack(&of, &packed, &known, &at));
        let has = made.await?.map_err(Stop::of_git)?;
        if !has {
            return Ok(SentCommit { commit, parcel: None });
        }
        if !parcel::is_sendable(path.metadata()?.len()) {
            return Err(Stop::Failed(Failure::new(FailureKind::RunTooLarge)));
        }
        let servers = current(self.context).await;
        let sent = parcel::send(&servers.jetstream, (self.context.seat(), &commit), &path).await?;
        let _ = std::fs::remove_file(path); // overwritten by the next
        Ok(SentCommit { commit, parcel: Some(sent) })
    }

    /// Reports that it is at work; whether the server has that.
    async fn tell_running(&self) -> bool {
        let servers = current(self.context).await;
        let told = report::tell(self.context, &servers.reports, &self.report(Stage::Running)).await;
        told.inspect_err(|error| tracing::warn!(%error, "the start of a job is not reported yet")).is_ok()
    }

    fn report(&self, stage: Stage) -> Report {
        let share = self.lent.folder.as_ref().map(|path| loopdeck_system::dirs::id_of(path).to_lowercase());
        Report {
            fence: self.lease.revision,
            share,
            checkpoint: self.checkpoint.clone(),
            ..report::new(self.context, &self.job.id, stage)
        }
    }

    /// Tells the end, and takes the job from the queue. The fence stays closed: nothing more happens in that worktree.
    async fn end(&mut self, told: Report) {
        self.close_fence();
        let mut servers = current(self.context).await;
        while let Err(error) = report::tell(self.context, &servers.reports, &told).await {
            tracing::warn!(%error, "the end of a job is not reported yet");
            tokio::time::sleep(LOOK * 3).await;
            servers = current(self.context).await;
            let renewing = self.lease.renew(&servers.jetstream, &servers.leases, self.spans, None);
            if matches!(renewing.await, Ok(Renewed::Lost)) {
                return; // whoever has it now tells how it ends
            }
        }
        self.lent.ended = true;
        self.lent.keep(&self.context.home.lent()).logged("a worktree of an ended job is not remembered");
        while let Err(error) = self.lease.mark_ended(&servers.jetstream, &servers.leases).await {
            tracing::warn!(%error, "a lease does not say yet that its job ended");
            tokio::time::sleep(LOOK * 3).await;
            servers = current(self.context).await;
        }
        acknowledge(&servers, &self.reply).await;
        self.close();
    }

    /// Closes the worktree here: those of a week would each have a thread and a watcher. It stays shared.
    fn close(&self) {
        let Some(folder) = &self.lent.folder else { return };
        let close = || self.context.runtime.close_lent(folder);
        tokio::task::block_in_place(close).logged("the worktree of an ended job stays open");
    }

    /// It cannot be done here, for a reason that the person has to know.
    async fn refuse(&mut self, failure: &Failure) {
        tracing::warn!(job = %self.job.id, ?failure, "a job cannot be done here");
        let why = serde_json::to_value(failure.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let reason = failure.args.get("reason").map(|said| self.context.runtime.mask().hide(said.clone()));
        self.end(Report { why, reason, ..self.report(Stage::Refused) }).await;
    }

    /// Somebody else may have the job: everything of ours ends, and that is seen; nothing is written.
    async fn stop_lost(&mut self) {
        self.close_fence();
        let Some(folder) = self.lent.folder.clone() else { return };
        let Ok(first) = self.job.first_file() else { return };
        let key = format!("{}:{}", loopdeck_system::dirs::id_of(&folder), first.file);
        let until = Instant::now() + ENDING;
        let runtime = &self.context.runtime;
        let gone = || {
            tokio::task::block_in_place(|| runtime.runs(&key))
                .is_ok_and(|runs| runs.iter().all(|run| run.ended.is_some()))
        };
        while !gone() {
            if Instant::now() > until {
                tracing::error!(job = %self.job.id, "processes of a job that is somebody else's may be alive");
                break;
            }
            tokio::time::sleep(LOOK).await;
        }
        tracing::warn!(job = %self.job.id, "the lease was lost; every process of it has ended");
        self.context.drop_share(&folder).logged("a worktree is still shared");
        self.close();
        Lent::forget(&self.context.home.lent(), &self.job.id);
    }

    fn close_fence(&self) {
        if let Some(fence) = &self.fence {
            fence.close().logged("a fence stays open until its time is over");
        }
    }

    /// Renews the lease if it is time; whether it was.
    async fn renew_when_due(&mut self) -> Result<bool, Stop> {
        if self.renewed.elapsed() < self.spans.renewal() {
            return Ok(false);
        }
        self.renew().await.map(|()| true)
    }

    /// Renews the lease and tells the queue. Without a server it is tried again, as long as the fence is open.
    async fn renew(&mut self) -> Result<(), Stop> {
        let servers = current(self.context).await;
        let renewing = self.lease.renew(&servers.jetstream, &servers.leases, self.spans, self.fence.as_ref());
        match renewing.await {
            Ok(Renewed::Held) => {
                self.renewed = Instant::now();
                say(&servers, &self.reply, AckKind::Progress).await;
            }
            Ok(Renewed::Lost) => return Err(Stop::Lost),
            Err(error) => tracing::warn!(%error, "a lease is not renewed"),
        }
        if self.fence.as_ref().is_some_and(|fence| !fence.is_open()) { Err(Stop::Lost) } else { Ok(()) }
    }

    /// The repository of a folder that this machine trusts.
    async fn repository(&mut self, folder: &Path) -> Result<Repository, Stop> {
        let (context, folder) = (Arc::clone(self.context), folder.to_owned());
        Ok(self.meanwhile(move || context.runtime.repository(&folder)).await??)
    }

    /// Does what blocks, and keeps the lease meanwhile.
    async fn meanwhile<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stop> {
        let mut work = tokio::task::spawn_blocking(work);
        loop {
            tokio::select! {
                done = &mut work => return done.map_err(|error| Stop::Again(error.to_string())),
                () = tokio::time::sleep(self.spans.renewal()) => self.renew().await?,
            }
        }
    }
}

/// Whether nothing more will happen to a loop unless a person wants it.
fn has_ended(row: &LoopRow) -> bool {
    let alive = row.run.as_ref().is_some_and(|run| run.alive);
    !alive && is_over(row.word)
}

/// Whether the file of a loop can't be read, or is gone, and nothing works on it.
fn is_lost(row: &LoopRow) -> bool {
    let alive = row.run.as_ref().is_some_and(|run| run.alive);
    !alive && row.word == StatusWord::CannotRead
}

fn is_over(word: StatusWord) -> bool {
    use StatusWord::{Completed, CompletedWithWarnings, Failed, LeftByUser, LimitReached, Stopped};
    matches!(word, Completed | CompletedWithWarnings | Failed | LeftByUser | LimitReached | Stopped)
}

/// The servers, once there is a connection.
async fn current(context: &Context) -> Servers {
    let mut there = context.node.servers.subscribe();
    loop {
        if let Some(servers) = there.borrow_and_update().clone() {
            return servers;
        }
        if there.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Tells the queue of a job.
async fn say(servers: &Servers, reply: &Reply, what: AckKind) {
    let Some(to) = reply.lock().clone() else { return };
    if let Err(error) = servers.client.publish(to, what.into()).await {
        tracing::warn!(%error, "the queue does not hear of a job"); // it is handed out again, and the lease decides
    }
}

/// Takes a job from the queue, and waits until the server says so.
async fn acknowledge(servers: &Servers, reply: &Reply) {
    let Some(to) = reply.lock().clone() else { return };
    if let Err(error) = servers.client.request(to, AckKind::Ack.into()).await {
        tracing::warn!(%error, "an ended job stays in the queue"); // handed out again, it is found to be over
    }
}

/// Removes worktrees of jobs that ended long ago.
pub(crate) fn sweep(context: &Context) {
    for (lent, path) in lent::ended_long_ago(&context.home.lent()) {
        if let Some(folder) = &lent.folder {
            context.drop_share(folder).logged("the worktree of an ended job is still shared");
            let _ = context.runtime.close_lent(folder); // one of an older Loopdeck may be open
            context.runtime.fence(folder).remove().logged("the fence of an ended job stays");
        }
        // Which repository it is a worktree of, only that repository says.
        let folders = context.node.rules.lock().clone().folders;
        let of: Vec<Repository> =
            folders.iter().filter_map(|folder| context.runtime.repository(&folder.path).ok()).collect();
        remove(&lent, &of, &path);
    }
}

fn remove(lent: &Lent, of: &[Repository], path: &Path) {
    if let Some(top) = &lent.top {
        apart::remove(of, top);
        let _ = top.parent().map(std::fs::remove_dir); // an empty folder
    }
    std::fs::remove_file(path).logged("an ended job is still remembered");
}
