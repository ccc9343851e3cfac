//! Asking for work on another machine: a job is kept, sent once there is a connection, heard of, and its result brought here.

use crate::context::{Context, run_blocking};
use crate::jwt;
use crate::layout::{self, REPORTS};
use crate::nats::{Endless, NatsResult};
use crate::place::{FilePlace, SharePlace};
use crate::seat::{Role, Seat};
use crate::stored::{Bucket, Entry, Servers};
use crate::team::Team;
use crate::work::asked::{AskedJob, JobStage, JobView};
use crate::work::job::{IfGone, Job, JobHead, LARGEST_JOB, Target, portable_plan, stays_here};
use crate::work::offer::OfferedRepository;
use crate::work::parcel;
use crate::work::report::{Stage, read_report};
use crate::work::reporting::{new_report, publish_report};
use async_nats::jetstream::{self, message::PublishMessage};
use loopdeck_core::refusal::Refusal;
use loopdeck_execution::git::{self, Repository, bundle};
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs, files};
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::time::Duration;

/// What waits is looked at at least so often.
const LOOK: Duration = Duration::from_secs(30);
/// The server forgets what waits in a queue after a week. A machine that took it at the last moment tells so within a day.
const EXPIRES: Duration = layout::KEPT.saturating_add(Duration::from_secs(24 * 3_600));

impl Team {
    /// Has the loop of `form` run on another machine. Answers the id of the job, which is sent as soon as there is a connection.
    ///
    /// # Errors
    /// `RunNeedsAgent`, `RunHasArguments`, `RunTooLarge`, `NoMachineForRun`, `NoMachineHasAgent`, `GitRefused`; a refusal of the form; `TeamRefused` for a role that may not; `OwnData`.
    pub fn send_run(&self, form: &StartForm, target: Target, if_gone: IfGone) -> Result<String, Failure> {
        let context = &self.context;
        let role = context.invitation.role;
        if !matches!(role, Role::Member | Role::Lead) {
            return Err(Failure::new(FailureKind::TeamRefused).with("reason", role.word()));
        }
        if let Some(kind) = stays_here(&form.plan) {
            return Err(Failure::new(kind));
        }
        let folder = files::canonical_folder(&dirs::written(&form.folder))
            .map_err(|_| Failure::new(FailureKind::NotAFolder).with("path", &form.folder))?;
        let repository = context.runtime.repository(&folder)?;
        let refused = |error: std::io::Error| git::failure(&folder, &error);
        let origin = bundle::origin(&repository).map_err(refused)?;
        let commit = bundle::head(&repository).map_err(refused)?;
        let known = context.known_commits((&target, &form.plan.agent), &origin)?;
        let mut plan = portable_plan(&form.plan);
        (plan.tasks, plan.mode) = (form.work.tasks.clone(), form.work.init_mode());
        let now = clock::now();
        #[allow(clippy::cast_possible_truncation)] // any bits do
        let random = RandomState::new().hash_one(now) as u32;
        let job = Job {
            id: jwt::random_id(),
            from: context.seat().clone(),
            target,
            if_gone,
            at: now.millis(),
            random,
            work: form.work.clone(),
            plan,
            origin,
            commit,
            name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            parcel: None,
        };
        job.first_file().map_err(|refusal: Refusal| Failure::from(refusal))?;
        context.keep_new_job(&AskedJob::new(job, folder), &repository, &known)
    }

    /// Jobs that this machine asked for, newest first.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobView> {
        let now = clock::now();
        let view = |asked: &AskedJob| {
            let machine =
                asked.seat.as_ref().and_then(|seat| self.context.state.lock().machines.get(seat).cloned());
            let gone = machine.and_then(|machine| machine.unreachable_since(now));
            asked.view(gone, self.context.key_of(asked))
        };
        self.context.jobs.list().iter().rev().map(view).collect()
    }

    /// Takes what came of a job into its repository, as a branch. Nothing is checked out. Answers the branch.
    ///
    /// # Errors
    /// `UnknownJob`, `NoResult`, `GitRefused`.
    pub fn take_in(&self, id: &str) -> Result<String, Failure> {
        let context = &self.context;
        let asked = context.jobs.find(id)?;
        if let Some(branch) = asked.branch {
            return Ok(branch);
        }
        let none = || Failure::new(FailureKind::NoResult);
        let sent = asked.result.filter(|_| asked.arrived).ok_or_else(none)?;
        let repository = context.runtime.repository(&asked.folder)?;
        let refused = |error: std::io::Error| git::failure(&asked.folder, &error);
        if !bundle::has(&repository, &sent.commit) {
            bundle::unpack(&repository, &sent.commit, &context.jobs.incoming_bundle(id)).map_err(refused)?;
        }
        let file = asked.job.first_file().map_err(Failure::from)?.file;
        let stem =
            file.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("run").to_owned();
        let short: String = sent.commit.chars().take(7).collect();
        let branch = format!("loopdeck/{stem}-{short}");
        let made = bundle::make_branch(&repository, &branch, &sent.commit);
        bundle::forget(&repository, &sent.commit);
        made.map_err(refused)?;
        context.change_job(id, |asked| asked.branch = Some(branch.clone()))?;
        Ok(branch)
    }

    /// Withdraws a job that no machine has begun. One at work is stopped like any loop of another machine.
    ///
    /// # Errors
    /// `UnknownJob`; `JobAtWork`; `JobIsOver`; `OwnData`.
    pub fn withdraw(&self, id: &str) -> Result<(), Failure> {
        match self.context.jobs.find(id)?.stage {
            JobStage::Waiting | JobStage::Queued | JobStage::Withdrawn => {}
            JobStage::Running => return Err(Failure::new(FailureKind::JobAtWork)),
            JobStage::Ended | JobStage::Refused | JobStage::Interrupted => {
                return Err(Failure::new(FailureKind::JobIsOver));
            }
        }
        self.context.change_job(id, |asked| asked.withdraw = true)?;
        self.context.asked_work.notify_one();
        Ok(())
    }

    /// Forgets a job that is over. Its loop stays.
    ///
    /// # Errors
    /// `UnknownJob`; `OwnData`.
    pub fn forget_job(&self, id: &str) -> Result<(), Failure> {
        self.context.jobs.find(id)?;
        self.context.jobs.forget(id).map_err(Failure::own_data)?;
        self.context.tell_screen();
        Ok(())
    }
}

impl Context {
    fn keep_new_job(
        &self,
        asked: &AskedJob,
        repository: &Repository,
        known: &[String],
    ) -> Result<String, Failure> {
        let id = asked.job.id.clone();
        if serde_json::to_vec(&asked.job).map_err(Failure::own_data)?.len() > LARGEST_JOB {
            return Err(Failure::new(FailureKind::RunTooLarge));
        }
        let outgoing = self.jobs.outgoing_bundle(&id);
        std::fs::create_dir_all(outgoing.parent().unwrap_or(Path::new("."))).map_err(Failure::own_data)?;
        let packed = bundle::pack(repository, &asked.job.commit, known, &outgoing);
        let done = packed.map_err(|error| git::failure(&asked.folder, &error)).and_then(|has| {
            let size = outgoing.metadata().map_or(0, |metadata| metadata.len());
            if has && !parcel::is_sendable(size) {
                return Err(Failure::new(FailureKind::RunTooLarge));
            }
            self.jobs.keep(asked)
        });
        if let Err(failure) = done {
            let _ = self.jobs.forget(&id); // nothing of it was promised
            return Err(failure);
        }
        self.asked_work.notify_one();
        self.tell_screen();
        Ok(id)
    }

    /// Commits that every machine has that may get the job. When no machine may, or none has the agent, it fails at once: nobody
    /// would ever take it from the queue.
    fn known_commits(&self, (target, agent): (&Target, &str), origin: &str) -> Result<Vec<String>, Failure> {
        let state = self.state.lock();
        let offers: Vec<(&Seat, &OfferedRepository)> = state
            .machines
            .iter()
            .filter(|(seat, _)| match target {
                Target::Machine { seat: wanted } => *seat == wanted,
                Target::Any { .. } => true,
            })
            .flat_map(|(seat, machine)| machine.offer.iter().map(move |offer| (seat, offer)))
            .flat_map(|(seat, offer)| offer.repositories.iter().map(move |one| (seat, one)))
            .filter(|(seat, one)| one.origin == origin && one.takes_from(self.seat(), seat))
            .collect();
        let Some((_, first)) = offers.first() else { return Err(Failure::new(FailureKind::NoMachineForRun)) };
        let has_agent = |offer: &OfferedRepository| offer.agents.iter().any(|known| known == agent);
        if matches!(target, Target::Any { .. }) && !offers.iter().any(|(_, offer)| has_agent(offer)) {
            return Err(Failure::new(FailureKind::NoMachineHasAgent).with("agent", agent));
        }
        let everywhere = |tip: &&String| offers.iter().all(|(_, offer)| offer.tips.contains(tip));
        Ok(first.tips.iter().filter(everywhere).cloned().collect())
    }

    /// The loop of a job in the list.
    fn key_of(&self, asked: &AskedJob) -> Option<String> {
        let share = SharePlace { seat: asked.seat.clone()?, id: asked.share.clone()? };
        if !self.state.lock().folders.contains_key(&share) {
            return None;
        }
        let file = asked.job.first_file().ok()?.file;
        Some(self.copy_key(&FilePlace { share, file }).to_string())
    }

    fn change_job(&self, id: &str, change: impl FnOnce(&mut AskedJob)) -> Result<(), Failure> {
        self.jobs.change(id, change)?;
        self.tell_screen();
        Ok(())
    }
}

/// Sends what waits and fetches what came of it, oldest first.
pub(crate) async fn send_jobs(context: &Context, servers: &Servers) -> Endless {
    let reports = Bucket::new(servers, REPORTS);
    loop {
        let more = context.asked_work.notified();
        for asked in context.jobs.list() {
            let id = asked.job.id.clone();
            if let Err(error) = advance_job(context, &reports, asked).await {
                tracing::warn!(job = %id, %error, "a job waits for the next try");
            }
        }
        tokio::select! {
            () = more => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Does what is next for one job, if anything.
async fn advance_job(context: &Context, reports: &Bucket, asked: AskedJob) -> NatsResult<()> {
    let jetstream = &reports.servers.jetstream;
    match asked.stage {
        JobStage::Waiting | JobStage::Queued if asked.withdraw => {
            publish_report(context, reports, &new_report(context, &asked.job.id, Stage::Withdrawn)).await
        }
        JobStage::Waiting => send_job(context, jetstream, asked).await,
        JobStage::Queued if is_no_longer_queued(context, &asked) => {
            note_in_job(context, &asked.job.id, AskedJob::expire)
        }
        _ if asked.awaits_result() => fetch_result(context, jetstream, asked).await,
        _ => Ok(()),
    }
}

/// Whether the queue no longer has it, by the server's clock, and no machine has told of it.
fn is_no_longer_queued(context: &Context, asked: &AskedJob) -> bool {
    let heard = context.state.lock().jobs_current;
    let waited = context.server_time(asked.since).saturating_sub(asked.since);
    heard && u128::try_from(waited).is_ok_and(|waited| waited > EXPIRES.as_millis())
}

async fn send_job(context: &Context, jetstream: &jetstream::Context, mut asked: AskedJob) -> NatsResult<()> {
    let id = asked.job.id.clone();
    let outgoing = context.jobs.outgoing_bundle(&id);
    if outgoing.exists() {
        let sent = parcel::send_parcel(jetstream, (context.seat(), &asked.job.commit), &outgoing).await?;
        asked.job.parcel = Some(sent);
    }
    let subject = match &asked.job.target {
        Target::Machine { seat } => layout::run_at_subject(seat, Some(context.seat())),
        Target::Any { .. } => layout::run_any_subject(&asked.job.plan.agent, context.seat()),
    };
    let head = JobHead { token: context.token.clone(), id: id.clone() };
    let message = context.signer.seal(&subject, &head, &serde_json::to_vec(&asked.job)?)?;
    let publish = PublishMessage::build().payload(message.into()).message_id(&id);
    jetstream.send_publish(subject, publish).await?.await?;
    let sent = |kept: &mut AskedJob| {
        kept.job.parcel = asked.job.parcel.clone();
        // A machine may have been faster.
        if kept.stage == JobStage::Waiting {
            (kept.stage, kept.since) = (JobStage::Queued, clock::now().millis());
        }
    };
    note_in_job(context, &id, sent)?;
    let _ = std::fs::remove_file(outgoing); // it is forgotten with the job
    Ok(())
}

/// Fetches what came of a job. It is taken in when the person wants it.
async fn fetch_result(context: &Context, jetstream: &jetstream::Context, asked: AskedJob) -> NatsResult<()> {
    let id = asked.job.id.clone();
    if let Some(from) = asked.result.as_ref().and_then(|sent| sent.parcel.as_ref()) {
        parcel::fetch_parcel(jetstream, from, &context.jobs.incoming_bundle(&id)).await?;
    }
    note_in_job(context, &id, |kept| kept.arrived = true)
}

fn note_in_job(context: &Context, id: &str, change: impl FnOnce(&mut AskedJob)) -> NatsResult<()> {
    run_blocking(|| context.change_job(id, change)).map_err(|failure| format!("{failure:?}").into())
}

/// Hears what becomes of them.
pub(crate) async fn hear_reports(context: &Context, servers: &Servers) -> Endless {
    let mut entries = Bucket::new(servers, REPORTS).follow(">").await?;
    loop {
        match entries.next().await? {
            Some(entry) => take_report(context, &entry),
            None => note_current(context),
        }
    }
}

/// What was reported before this connection was made has arrived.
fn note_current(context: &Context) {
    context.state.lock().jobs_current = true;
    context.asked_work.notify_one(); // what nobody told of may have waited for too long
    context.tell_screen();
}

fn take_report(context: &Context, entry: &Entry) {
    let Some((id, _)) = entry.key.split_once('.') else { return };
    if context.jobs.find(id).is_err() {
        return; // somebody else's
    }
    let (report, seat) = match read_report(context.reader(), &entry.key, &entry.message.value) {
        Ok(read) => read,
        Err(fault) => return tracing::warn!(key = %entry.key, ?fault, "a report is not taken"),
    };
    let mut awaits_result = false;
    let change = || {
        context.change_job(id, |asked| {
            asked.take_report(report, seat);
            awaits_result = asked.awaits_result();
        })
    };
    run_blocking(change).logged("what became of a job is not kept");
    if awaits_result {
        context.asked_work.notify_one();
    }
}
