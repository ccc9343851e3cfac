//! One job at work on a node: its lease, its worktree, its loop, its reports and its end. It is a task of its own that outlives
//! the connection: without one, work continues until the fence closes.

mod commits;
mod stop;
mod taking_up;

use self::stop::Stop;
use self::taking_up::take_up;
use crate::codes::code_of;
use crate::context::Context;
use crate::jwt::Identity;
use crate::seat::Role;
use crate::share::{Scope, Share, Steering};
use crate::work::job::{IfGone, Job};
use crate::work::lease::{Lease, Renewed, Spans};
use crate::work::lent::LentJob;
use crate::work::node::Reply;
use crate::work::report::{Report, SentCommit, Stage};
use crate::work::reporting::{new_report, publish_report};
use crate::work::rules::AllowedFolder;
use async_nats::jetstream::AckKind;
use loopdeck_core::status::StatusWord;
use loopdeck_execution::git::Repository;
use loopdeck_runtime::views::LoopRow;
use loopdeck_system::failure::Failure;
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

/// A job that is carried.
struct Carried<'a> {
    context: &'a Arc<Context>,
    job: Job,
    folder: AllowedFolder,
    reply: Reply,
    spans: Spans,
    lease: Lease,
    lent: LentJob,
    fence: Option<Fence>,
    renewed: Instant,
    checkpoint: Option<SentCommit>,
}

/// What the queue handed out: where it hears of the job, and how often it was handed out.
pub(crate) struct HandedOut {
    pub(crate) reply: Reply,
    pub(crate) times: i64,
}

/// Carries `job` to its end, or as far as this machine may.
pub(crate) async fn carry_job(
    context: &Arc<Context>,
    job: Job,
    identity: &Identity,
    (folder, out): (AllowedFolder, HandedOut),
) {
    let id = job.id.clone();
    let Some(mut carried) = take_up(context, job, (folder, &out)).await else { return };
    match carried.run_to_end(identity.role).await {
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

impl Carried<'_> {
    async fn run_to_end(&mut self, role: Role) -> Result<(), Stop> {
        let key = self.prepare_worktree().await?;
        self.share_worktree(role)?;
        self.launch(&key).await?;
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
            match self.send_result(changed).await {
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
        let word = Some(code_of(&word));
        self.report_end(Report { word, result, ..self.report(Stage::Ended) }).await;
        Ok(())
    }

    /// The worktree, with the state so far or the first file. Answers the key of the loop.
    async fn prepare_worktree(&mut self) -> Result<String, Stop> {
        let first = self.job.first_file().map_err(|refusal| Stop::Failed(refusal.into()))?;
        std::fs::create_dir_all(self.context.home.lent_jobs())?;
        if self.lent.folder.is_none() {
            self.fetch_commits().await?;
            let path = self.folder.path.clone();
            let (home, of) = (self.context.home.lent_jobs(), self.repository(&path).await?);
            let (worktrees, mut lent) = (self.context.runtime.worktrees(), self.lent.clone());
            let (commit, checkpoint) =
                (self.job.commit.clone(), self.checkpoint.as_ref().map(|sent| sent.commit.clone()));
            self.lent = self
                .while_renewing(move || {
                    lent.make_worktree(&home, (&of, &worktrees), (&commit, checkpoint.as_deref()))
                        .map(|()| lent)
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
        let key = self.while_renewing(open).await??;
        self.lent.begun = true;
        self.lent.keep(&self.context.home.lent_jobs())?;
        Ok(key)
    }

    /// Others see the loop as they see any that is shared; whoever may send work may steer it.
    fn share_worktree(&self, role: Role) -> Result<(), Stop> {
        let Some(path) = self.lent.folder.clone() else { return Ok(()) };
        let steering = if role == Role::Lead { Steering::Leads } else { Steering::Members };
        Ok(self.context.put_share(Share { path, scope: Scope::Output, steering })?)
    }

    /// Starts its agent. That asks git for the state of the folder first, which can take longer than the fence stays open.
    async fn launch(&mut self, key: &str) -> Result<(), Stop> {
        let known = self.context.runtime.row(key);
        // This program was started again, and found it at work; or it is done; or a person paused it.
        if known.is_some_and(|row| is_at_work(&row) || is_over(row.word) || row.word == StatusWord::Paused) {
            return Ok(());
        }
        let (context, key, plan) = (Arc::clone(self.context), key.to_owned(), self.job.plan.clone());
        Ok(self.while_renewing(move || context.runtime.launch(&key, Some(plan), None)).await??)
    }

    /// Reports that it is at work; whether the server has that.
    async fn tell_running(&self) -> bool {
        let servers = self.context.node.connected_servers().await;
        let told = publish_report(self.context, &servers.reports, &self.report(Stage::Running)).await;
        told.inspect_err(|error| tracing::warn!(%error, "the start of a job is not reported yet")).is_ok()
    }

    fn report(&self, stage: Stage) -> Report {
        let share = self.lent.folder.as_ref().map(|path| loopdeck_system::dirs::id_of(path).to_lowercase());
        Report {
            fence: self.lease.revision,
            share,
            checkpoint: self.checkpoint.clone(),
            ..new_report(self.context, &self.job.id, stage)
        }
    }

    /// Tells the end, and takes the job from the queue. The fence stays closed: nothing more happens in that worktree.
    async fn report_end(&mut self, told: Report) {
        self.close_fence();
        let mut servers = self.context.node.connected_servers().await;
        while let Err(error) = publish_report(self.context, &servers.reports, &told).await {
            tracing::warn!(%error, "the end of a job is not reported yet");
            tokio::time::sleep(LOOK * 3).await;
            servers = self.context.node.connected_servers().await;
            let renewing = self.lease.renew(&servers.leases, self.spans, None);
            if matches!(renewing.await, Ok(Renewed::Lost)) {
                return; // whoever has it now tells how it ends
            }
        }
        self.lent.ended = true;
        self.lent.keep(&self.context.home.lent_jobs()).logged("a worktree of an ended job is not remembered");
        while let Err(error) = self.lease.mark_ended(&servers.leases).await {
            tracing::warn!(%error, "a lease does not say yet that its job ended");
            tokio::time::sleep(LOOK * 3).await;
            servers = self.context.node.connected_servers().await;
        }
        servers.acknowledge(&self.reply).await;
        self.close_worktree();
    }

    /// Closes the worktree here: those of a week would each have a thread and a watcher. It stays shared.
    fn close_worktree(&self) {
        let Some(folder) = &self.lent.folder else { return };
        let close = || self.context.runtime.close_lent(folder);
        tokio::task::block_in_place(close).logged("the worktree of an ended job stays open");
    }

    /// It cannot be done here, for a reason that the person has to know.
    async fn refuse(&mut self, failure: &Failure) {
        tracing::warn!(job = %self.job.id, ?failure, "a job cannot be done here");
        let why = Some(code_of(&failure.kind));
        let reason = failure.args.get("reason").map(|said| self.context.runtime.mask().hide(said.clone()));
        self.report_end(Report { why, reason, ..self.report(Stage::Refused) }).await;
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
        tracing::warn!(job = %self.job.id, "a job is put down: nothing of it continues here");
        self.context.drop_share(&folder).logged("a worktree is still shared");
        self.close_worktree();
        LentJob::forget(&self.context.home.lent_jobs(), &self.job.id);
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
        let servers = self.context.node.connected_servers().await;
        let renewing = self.lease.renew(&servers.leases, self.spans, self.fence.as_ref());
        match renewing.await {
            Ok(Renewed::Held) => {
                self.renewed = Instant::now();
                servers.tell_queue(&self.reply, AckKind::Progress).await;
            }
            Ok(Renewed::Lost) => return Err(Stop::Lost),
            Err(error) => tracing::warn!(%error, "a lease is not renewed"),
        }
        if self.fence.as_ref().is_some_and(|fence| !fence.is_open()) { Err(Stop::Lost) } else { Ok(()) }
    }

    /// The repository of a folder that this machine trusts.
    async fn repository(&mut self, folder: &Path) -> Result<Repository, Stop> {
        let (context, folder) = (Arc::clone(self.context), folder.to_owned());
        Ok(self.while_renewing(move || context.runtime.repository(&folder)).await??)
    }

    /// Does what blocks, and keeps the lease meanwhile.
    async fn while_renewing<T: Send + 'static>(
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

fn is_at_work(row: &LoopRow) -> bool {
    row.run.as_ref().is_some_and(|run| run.alive)
}

/// Whether nothing more will happen to a loop unless a person wants it.
fn has_ended(row: &LoopRow) -> bool {
    !is_at_work(row) && is_over(row.word)
}

/// Whether the file of a loop can't be read, or is gone, and nothing works on it.
fn is_lost(row: &LoopRow) -> bool {
    !is_at_work(row) && row.word == StatusWord::CannotRead
}

fn is_over(word: StatusWord) -> bool {
    use StatusWord::{Completed, CompletedWithWarnings, Failed, LeftByUser, LimitReached, Stopped};
    matches!(word, Completed | CompletedWithWarnings | Failed | LeftByUser | LimitReached | Stopped)
}
