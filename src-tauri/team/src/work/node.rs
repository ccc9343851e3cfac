//! A node: takes jobs from the queues, each with a free slot, and lets a task of its own carry it.

use crate::commands;
use crate::envelope::{Fault, open};
use crate::jwt::{Identity, Reader};
use crate::layout::{self, LEASES, REPORTS, RUNS};
use crate::queue::Queue;
use crate::stored::{self, Bucket};
use crate::team::Context;
use crate::work::carrying::{self, HandedOut};
use crate::work::job::{Job, JobHead, LARGEST_JOB, Target};
use crate::work::rules::{AllowedFolder, NodeRules, Refused, is_large_enough};
use crate::work::slots::{Slot, Slots};
use crate::work::{offer, report};
use async_nats::Client;
use async_nats::jetstream::{self, AckKind, Message};
use loopdeck_execution::git::bundle;
use loopdeck_system::failure::FailureKind;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// How long one request for a job waits for one.
const FETCH: Duration = Duration::from_secs(3);
/// A job that is not for this node is offered to others after this.
const NOT_OURS: Duration = Duration::from_secs(2);
/// How long the end waits for tasks in the middle of something that cannot be stopped, such as a question to git.
const ENDING: Duration = Duration::from_secs(2);
/// How often the owner's rules are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// An older job is no longer what anybody wants.
const FRESH_MS: i64 = 7 * 24 * 3_600_000;

/// The servers, as tasks that outlive a connection find them.
#[derive(Clone)]
pub(crate) struct Servers {
    pub(crate) client: Client,
    pub(crate) jetstream: jetstream::Context,
    pub(crate) leases: Bucket,
    pub(crate) reports: Bucket,
    all: stored::Servers,
}

/// Where the queue wants to hear of a job that is at work: another place after each time it is handed out.
pub(crate) type Reply = Arc<Mutex<Option<async_nats::Subject>>>;

/// This machine as a node.
pub(crate) struct Node {
    pub(crate) rules: Mutex<NodeRules>,
    pub(crate) offer: Mutex<offer::Offer>,
    pub(crate) servers: tokio::sync::watch::Sender<Option<Servers>>,
    /// The offer is another one: others are told at once.
    pub(crate) offered: Notify,
    slots: Arc<Slots>,
    carried: Mutex<HashMap<String, Reply>>,
    tasks: Mutex<JoinSet<()>>,
}

impl Node {
    pub(crate) fn new(rules: NodeRules) -> Self {
        let slots = rules.slots as usize;
        Self {
            rules: Mutex::new(rules),
            offer: Mutex::default(),
            servers: tokio::sync::watch::Sender::new(None),
            offered: Notify::new(),
            slots: Arc::new(Slots::new(slots)),
            carried: Mutex::default(),
            tasks: Mutex::default(),
        }
    }

    /// Reads the owner's rules again.
    fn take_up_rules(&self, path: &std::path::Path) -> NodeRules {
        let rules = NodeRules::read(path).unwrap_or_else(|failure| {
            tracing::error!(kind = ?failure.kind, path = %path.display(), "the node takes nothing: its rules cannot be read");
            NodeRules::default()
        });
        let before = std::mem::replace(&mut *self.rules.lock(), rules.clone());
        self.slots.change(before.slots as usize, rules.slots as usize);
        rules
    }

    /// What it offers right now.
    pub(crate) fn offer(&self) -> offer::Offer {
        let busy = u32::try_from(self.carried.lock().len()).unwrap_or(u32::MAX);
        offer::Offer { busy, ..self.offer.lock().clone() }
    }

    /// Ends the tasks that carry jobs, before what they need is gone. Their loops run on, and the next start takes them up.
    pub(crate) async fn end(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        tasks.abort_all();
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(ENDING, all).await.is_err() {
            tracing::warn!("a task that carries a job is still at work");
        }
    }

    /// A job is no longer carried here.
    pub(crate) fn put_down(&self, job: &str) {
        self.carried.lock().remove(job);
    }
}

/// Takes jobs from all queues that are for this node.
pub(crate) async fn take(
    context: &Arc<Context>,
    all: &stored::Servers,
) -> Result<Infallible, async_nats::Error> {
    let servers = Servers {
        client: all.client.clone(),
        jetstream: all.jetstream.clone(),
        leases: Bucket::new(all, LEASES),
        reports: Bucket::new(all, REPORTS),
        all: all.clone(),
    };
    context.node.servers.send_replace(Some(servers.clone()));
    loop {
        let rules = context.node.take_up_rules(&context.home.node());
        tokio::select! {
            failed = take_by(context, &rules, &servers) => return failed,
            () = changed(context, &rules) => {}
        }
    }
}

/// The owner's rules; none while they cannot be read: what they allowed is not known, so nothing is taken.
fn rules_now(path: &std::path::Path) -> NodeRules {
    NodeRules::read(path).unwrap_or_default()
}

/// Until the owner has other rules.
async fn changed(context: &Context, rules: &NodeRules) {
    while rules_now(&context.home.node()) == *rules {
        tokio::time::sleep(LOOK).await;
    }
}

async fn take_by(
    context: &Arc<Context>,
    rules: &NodeRules,
    servers: &Servers,
) -> Result<Infallible, async_nats::Error> {
    let offer = tokio::task::block_in_place(|| offer::Offer::of(context, rules));
    *context.node.offer.lock() = offer;
    context.node.offered.notify_one();
    if rules.folders.is_empty() {
        return std::future::pending().await;
    }
    let own = layout::own_queue(context.seat());
    let own = Queue::new(&servers.all, (RUNS, &own)).await?;
    let pool = Queue::new(&servers.all, (RUNS, layout::POOL)).await?;
    let (never, _) = tokio::try_join!(take_from(context, servers, own), take_from(context, servers, pool))?;
    Ok(never)
}

/// Takes from one queue, one job at a time and only while there is a slot for it: what is handed out and waits here is
/// another node's by then.
async fn take_from(
    context: &Arc<Context>,
    servers: &Servers,
    mut queue: Queue,
) -> Result<Infallible, async_nats::Error> {
    loop {
        let slot = Arc::clone(&context.node.slots).take().await?;
        if let Some(message) = queue.within(FETCH).await? {
            consider(context, servers, message, slot).await?;
        }
    }
}

/// Carries a job, or lets others have it.
async fn consider(
    context: &Arc<Context>,
    servers: &Servers,
    message: Message,
    slot: Slot,
) -> Result<(), async_nats::Error> {
    let (job, identity) = match read(context.reader(), &message.subject, &message.payload) {
        Ok(read) => read,
        Err(fault) => {
            tracing::warn!(subject = %message.subject, ?fault, "a job is not taken");
            return message.ack_with(AckKind::Term).await;
        }
    };
    if let Some(reply) = context.node.carried.lock().get(&job.id) {
        *reply.lock() = message.reply.clone(); // it is at work here, and is acknowledged there
        return Ok(());
    }
    // By the server's clock, which nobody sets. A job that was asked here long ago may be known no longer to be done.
    if is_old(job.at, commands::stored(&message)) {
        return refuse_for_good(context, servers, (&job, &message), Refused::Old).await;
    }
    let folder = match tokio::task::block_in_place(|| folder_for(context, &job, &identity)) {
        Ok(folder) => folder,
        Err(refused) => return refuse(context, servers, (&job, &message), refused).await,
    };
    let reply = Arc::new(Mutex::new(message.reply.clone()));
    let times = message.info().map_or(1, |info| info.delivered);
    context.node.carried.lock().insert(job.id.clone(), Arc::clone(&reply));
    let context = Arc::clone(context);
    let node = Arc::clone(&context);
    let mut tasks = node.node.tasks.lock();
    while tasks.try_join_next().is_some() {} // those that ended
    tasks.spawn(async move {
        let carried = Carried { context: Arc::clone(&context), job: job.id.clone(), _slot: slot };
        let out = HandedOut { reply, times };
        Box::pin(carrying::carry(&context, job, &identity, (folder, out))).await;
        drop(carried);
    });
    Ok(())
}

/// A job that is carried here, until this is dropped: also when carrying it panics.
struct Carried {
    context: Arc<Context>,
    job: String,
    _slot: Slot,
}

impl Drop for Carried {
    fn drop(&mut self) {
        self.context.node.put_down(&self.job);
    }
}

/// Whether a job that was asked at `at`, which may be any number, came to the server so late, `stored`, that nobody counts on it.
fn is_old(at: i64, stored: i64) -> bool {
    stored.saturating_sub(at) > FRESH_MS
}

/// A job, when its sender is who it says, and it is for this queue.
pub(crate) fn read(reader: Reader<'_>, subject: &str, bytes: &[u8]) -> Result<(Job, Identity), Fault> {
    let sealed = open(bytes)?;
    let claimed: JobHead = sealed.claimed()?;
    let identity = reader.identity(&claimed.token).ok_or(Fault::Forged)?;
    let head: JobHead = sealed.verified(subject, &identity.key)?;
    if sealed.body.len() > LARGEST_JOB {
        return Err(Fault::Malformed);
    }
    let job: Job = serde_json::from_slice(sealed.body).map_err(|_| Fault::Malformed)?;
    let wanted = match &job.target {
        Target::Machine { seat } => layout::run_at(seat, Some(&job.from)),
        Target::Any { .. } => layout::run_any(&job.plan.agent, &job.from),
    };
    let matches =
        identity.role.contributes() && identity.seat == job.from && head.id == job.id && subject == wanted;
    if matches && job.is_sound() { Ok((job, identity)) } else { Err(Fault::Forged) }
}

/// The folder in whose worktree it runs.
fn folder_for(context: &Context, job: &Job, identity: &Identity) -> Result<AllowedFolder, Refused> {
    let rules = context.node.rules.lock().clone();
    let offered = context.node.offer.lock().clone();
    let own = context.seat().member();
    let mut refused = Refused::Repository;
    context.runtime.take_up_trust();
    for folder in rules.folders {
        let repository = match context.runtime.repository(&folder.path) {
            Ok(repository) => repository,
            Err(failure) => {
                if failure.kind == FailureKind::Untrusted {
                    refused = Refused::Untrusted;
                }
                continue;
            }
        };
        if bundle::origin(&repository).ok().as_deref() != Some(&*job.origin) {
            continue;
        }
        let ready = |agent: &str| {
            offered
                .repositories
                .iter()
                .any(|one| one.origin == job.origin && one.agents.iter().any(|id| id == agent))
        };
        match folder.check(job, &identity.seat, own) {
            Ok(()) if !job.agents().all(ready) => refused = Refused::Agent,
            Ok(()) if !is_large_enough(&job.target, offered.memory_gb) => refused = Refused::Memory,
            Ok(()) => return Ok(folder),
            Err(why) => refused = why,
        }
    }
    Err(refused)
}

/// Nobody else reads this machine's own queue; a pool has other nodes. Either way, whoever asked hears why.
async fn refuse(
    context: &Context,
    servers: &Servers,
    (job, message): (&Job, &Message),
    refused: Refused,
) -> Result<(), async_nats::Error> {
    if matches!(job.target, Target::Machine { .. }) {
        return refuse_for_good(context, servers, (job, message), refused).await;
    }
    let why = Some(refused.code().to_owned());
    // Told once for each reason, and never over a report of work that was done here.
    let known = report::own(context, &servers.reports, &job.id).await?;
    if known.is_none_or(|known| known.stage == report::Stage::Passed && known.why != why) {
        tracing::info!(from = %job.from, ?refused, "a job is left to others");
        let told = report::Report { why, ..report::new(context, &job.id, report::Stage::Passed) };
        report::tell(context, &servers.reports, &told).await?;
    }
    message.ack_with(AckKind::Nak(Some(NOT_OURS))).await
}

async fn refuse_for_good(
    context: &Context,
    servers: &Servers,
    (job, message): (&Job, &Message),
    refused: Refused,
) -> Result<(), async_nats::Error> {
    tracing::info!(from = %job.from, ?refused, "a job is refused");
    let why = Some(refused.code().to_owned());
    let told = report::Report { why, ..report::new(context, &job.id, report::Stage::Refused) };
    report::tell(context, &servers.reports, &told).await?;
    message.double_ack().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_old_after_a_week_whatever_number_its_time_is() {
        assert!(!is_old(0, FRESH_MS) && is_old(0, FRESH_MS + 1));
        assert!(is_old(i64::MIN, 1) && !is_old(i64::MAX, 1));
    }
}
