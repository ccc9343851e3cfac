//! The beginning: the lease of a job, and what was done of it so far.

use super::{Carried, HandedOut};
use crate::context::Context;
use crate::jwt::random_id;
use crate::seat::Seat;
use crate::work::job::{IfGone, Job};
use crate::work::lease::Lease;
use crate::work::lent::LentJob;
use crate::work::node::NodeServers;
use crate::work::report::{Report, SentCommit, Stage};
use crate::work::reporting::all_reports;
use crate::work::rules::AllowedFolder;
use async_nats::jetstream::AckKind;
use std::sync::Arc;
use tokio::time::Instant;

/// Takes the lease and finds out what was done so far. `None`: there is nothing to do here, and the queue knows.
pub(super) async fn take_up<'a>(
    context: &'a Arc<Context>,
    job: Job,
    (folder, out): (AllowedFolder, &HandedOut),
) -> Option<Carried<'a>> {
    let servers = context.node.connected_servers().await;
    if LentJob::has_ended(&context.home.lent_jobs(), &job.id) {
        servers.acknowledge(&out.reply).await;
        return None;
    }
    let told = all_reports(context, &servers.reports, &job.id).await;
    let told = told.inspect_err(|error| tracing::warn!(%error, "what became of a job is not known"));
    let told = told.ok()?; // handed out again
    let is_over = |(report, seat): &(Report, Seat)| match report.stage {
        Stage::Running | Stage::Passed => false,
        Stage::Withdrawn => *seat == job.from,
        Stage::Ended | Stage::Refused | Stage::Interrupted => true,
    };
    if told.iter().any(is_over) {
        servers.acknowledge(&out.reply).await;
        return None;
    }
    let last = told.into_iter().rev().find(|(report, _)| report.stage == Stage::Running);
    // The newest state is here only if nobody else has had it since. Otherwise what is here is not touched again.
    let here = last.as_ref().is_none_or(|(_, seat)| seat == context.seat());
    let known = LentJob::read(&context.home.lent_jobs(), &job.id).filter(|_| here);
    let begun = last.is_some();
    let checkpoint = last.and_then(|(report, _)| report.checkpoint);
    let mut carried = with_lease(context, &servers, (job, folder), (known, checkpoint), out).await?;
    let gone = begun && carried.lent.folder.is_none();
    if gone && carried.job.if_gone == IfGone::Interrupt {
        carried.report_end(carried.report(Stage::Interrupted)).await;
        return None;
    }
    Some(carried)
}

/// `None`: somebody else has the lease, or nobody knows.
async fn with_lease<'a>(
    context: &'a Arc<Context>,
    servers: &NodeServers,
    (job, folder): (Job, AllowedFolder),
    (known, checkpoint): (Option<LentJob>, Option<SentCommit>),
    HandedOut { reply, .. }: &HandedOut,
) -> Option<Carried<'a>> {
    let spans = context.node.rules.lock().spans();
    let fence = known.as_ref().and_then(|lent| Some(context.runtime.fence(lent.folder.as_deref()?)));
    let lent = known.unwrap_or_else(|| LentJob::new(&job.id, random_id()));
    let name = (job.id.as_str(), context.seat(), lent.nonce.as_str());
    let taken = Lease::take(&servers.leases, name, (spans, fence.as_ref()));
    let lease = match taken.await {
        Ok(Some(lease)) => lease,
        Ok(None) => {
            servers.tell_queue(reply, AckKind::Nak(Some(spans.renewal()))).await;
            return None;
        }
        Err(error) => {
            tracing::warn!(%error, "the lease of a job is not to be had");
            return None;
        }
    };
    let (reply, renewed) = (Arc::clone(reply), Instant::now());
    Some(Carried { context, job, folder, reply, spans, lease, lent, fence, renewed, checkpoint })
}
