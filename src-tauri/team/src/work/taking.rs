//! Taking jobs from the queues, each with a free slot; a task of its own carries it.

use crate::codes::code_of;
use crate::context::Context;
use crate::envelope::{Fault, open_vouched};
use crate::jwt::{Identity, Reader};
use crate::layout::{self, REPORTS, RUNS};
use crate::nats::{Endless, NatsResult};
use crate::queue::{Queue, stored_at};
use crate::stored::{Bucket, Servers};
use crate::work::carrying::{self, HandedOut};
use crate::work::job::{Job, JobHead, LARGEST_JOB, Target};
use crate::work::node::NodeServers;
use crate::work::offering::offer_by;
use crate::work::report::{Report, Stage};
use crate::work::reporting::{new_report, own_report, publish_report};
use crate::work::rules::{AllowedFolder, NodeRules, Refused, is_large_enough};
use crate::work::slots::Slot;
use async_nats::jetstream::{AckKind, Message};
use loopdeck_execution::git::bundle;
use loopdeck_system::failure::FailureKind;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// How long one request for a job waits for one.
const FETCH: Duration = Duration::from_secs(3);
/// A job that is not for this node is offered to others after this.
const NOT_OURS: Duration = Duration::from_secs(2);
/// How often the owner's rules are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// An older job is no longer what anybody wants.
const FRESH_MS: i64 = 7 * 24 * 3_600_000;

/// Takes jobs from all queues that are for this node.
pub(crate) async fn take_jobs(context: &Arc<Context>, servers: &Servers) -> Endless {
    context.node.servers.send_replace(Some(NodeServers::new(servers)));
    loop {
        let rules = context.node.take_up_rules(&context.home.node());
        tokio::select! {
            failed = take_by(context, &rules, servers) => return failed,
            () = rules_changed(context, &rules) => {}
        }
    }
}

/// Until the owner has other rules: none while they cannot be read, because what they allowed is not known.
async fn rules_changed(context: &Context, rules: &NodeRules) {
    while NodeRules::read(&context.home.node()).unwrap_or_default() == *rules {
        tokio::time::sleep(LOOK).await;
    }
}

async fn take_by(context: &Arc<Context>, rules: &NodeRules, servers: &Servers) -> Endless {
    let offer = tokio::task::block_in_place(|| offer_by(context, rules));
    *context.node.offer.lock() = offer;
    context.node.offered.notify_one();
    if rules.folders.is_empty() {
        return std::future::pending().await;
    }
    let own = Queue::new(servers, (RUNS, &layout::own_queue(context.seat()))).await?;
    let pool = Queue::new(servers, (RUNS, layout::POOL)).await?;
    let reports = Bucket::new(servers, REPORTS);
    let (never, _) = tokio::try_join!(take_from(context, &reports, own), take_from(context, &reports, pool))?;
    Ok(never)
}

/// Takes from one queue, one job at a time and only while there is a slot for it: what is handed out and waits here is
/// another node's by then.
async fn take_from(context: &Arc<Context>, reports: &Bucket, mut queue: Queue) -> Endless {
    loop {
        let slot = Arc::clone(&context.node.slots).take_free().await?;
        if let Some(message) = queue.next_within(FETCH).await? {
            take_or_refuse(context, reports, message, slot).await?;
        }
    }
}

/// Carries a job, or lets others have it.
async fn take_or_refuse(
    context: &Arc<Context>,
    reports: &Bucket,
    message: Message,
    slot: Slot,
) -> NatsResult<()> {
    let (job, identity) = match read_job(context.reader(), &message.subject, &message.payload) {
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
    if is_old(job.at, stored_at(&message)) {
        return refuse(context, reports, (&job, &message), Refused::Old).await;
    }
    let folder = match tokio::task::block_in_place(|| folder_for(context, &job, &identity)) {
        Ok(folder) => folder,
        Err(refused) => return refuse(context, reports, (&job, &message), refused).await,
    };
    let reply = Arc::new(Mutex::new(message.reply.clone()));
    let times = message.info().map_or(1, |info| info.delivered);
    context.node.carried.lock().insert(job.id.clone(), Arc::clone(&reply));
    let context = Arc::clone(context);
    let node = Arc::clone(&context);
    let mut tasks = node.node.tasks.lock();
    while tasks.try_join_next().is_some() {} // those that ended
    tasks.spawn(async move {
        let at_work = AtWork { context: Arc::clone(&context), job: job.id.clone(), _slot: slot };
        let out = HandedOut { reply, times };
        Box::pin(carrying::carry_job(&context, job, &identity, (folder, out))).await;
        drop(at_work);
    });
    Ok(())
}

/// A job that is carried here, until this is dropped: also when carrying it panics.
struct AtWork {
    context: Arc<Context>,
    job: String,
    _slot: Slot,
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.context.node.carried.lock().remove(&self.job);
    }
}

/// Whether a job that was asked at `at`, which may be any number, came to the server so late, `stored`, that nobody counts on it.
fn is_old(at: i64, stored: i64) -> bool {
    stored.saturating_sub(at) > FRESH_MS
}

/// A job, when its sender is who it says, and it is for this queue.
pub(crate) fn read_job(reader: Reader<'_>, subject: &str, bytes: &[u8]) -> Result<(Job, Identity), Fault> {
    let (head, identity, sealed): (JobHead, _, _) = open_vouched(reader, subject, bytes)?;
    if sealed.body.len() > LARGEST_JOB {
        return Err(Fault::Malformed);
    }
    let job: Job = serde_json::from_slice(sealed.body).map_err(|_| Fault::Malformed)?;
    let wanted = match &job.target {
        Target::Machine { seat } => layout::run_at_subject(seat, Some(&job.from)),
        Target::Any { .. } => layout::run_any_subject(&job.plan.agent, &job.from),
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
        match folder.check_job(job, &identity.seat, own) {
            Ok(()) if !job.agents().all(ready) => refused = Refused::Agent,
            Ok(()) if !is_large_enough(&job.target, offered.memory_gb) => refused = Refused::Memory,
            Ok(()) => return Ok(folder),
            Err(why) => refused = why,
        }
    }
    Err(refused)
}

/// Refuses a job of this machine's own queue for good: nobody else reads it. One of the pool is left to other nodes, unless it is too
/// old. Either way, whoever asked hears why.
async fn refuse(
    context: &Context,
    reports: &Bucket,
    (job, message): (&Job, &Message),
    refused: Refused,
) -> NatsResult<()> {
    let for_good = refused == Refused::Old || matches!(job.target, Target::Machine { .. });
    let (stage, why) = (if for_good { Stage::Refused } else { Stage::Passed }, Some(code_of(&refused)));
    // That others may have it is told once for each reason, and never over a report of work that was done here.
    let known = if for_good { None } else { own_report(context, reports, &job.id).await? };
    if known.is_none_or(|known| known.stage == Stage::Passed && known.why != why) {
        tracing::info!(from = %job.from, ?refused, for_good, "a job is refused");
        publish_report(context, reports, &Report { why, ..new_report(context, &job.id, stage) }).await?;
    }
    match for_good {
        true => message.double_ack().await,
        false => message.ack_with(AckKind::Nak(Some(NOT_OURS))).await,
    }
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
