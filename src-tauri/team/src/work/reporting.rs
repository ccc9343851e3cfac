//! Reports of this machine on the jobs that it has, and those of all machines on one job.

use crate::context::Context;
use crate::layout::{self, REPORTS};
use crate::nats::NatsResult;
use crate::seat::Seat;
use crate::stored::{Bucket, Entry};
use crate::work::report::{Report, Stage, read_report};
use loopdeck_system::clock;

/// Publishes a report of this machine.
pub(crate) async fn publish_report(context: &Context, reports: &Bucket, report: &Report) -> NatsResult<()> {
    let key = layout::report_key(&report.job, context.seat());
    let message = context.signer.seal(&layout::key_subject(REPORTS, &key), report, b"")?;
    reports.put(&key, message).await
}

/// The last report of this machine on a job, when it is one.
pub(crate) async fn own_report(context: &Context, reports: &Bucket, job: &str) -> NatsResult<Option<Report>> {
    let entry = reports.entry(&layout::report_key(job, context.seat())).await?;
    let read = |entry: Entry| read_report(context.reader(), &entry.key, &entry.message.value).ok();
    Ok(entry.and_then(read).map(|(report, _)| report))
}

/// All reports of a job, the one that counts last.
pub(crate) async fn all_reports(
    context: &Context,
    reports: &Bucket,
    job: &str,
) -> NatsResult<Vec<(Report, Seat)>> {
    let mut found = Vec::new();
    let mut entries = reports.follow(&format!("{job}.>")).await?;
    while let Some(entry) = entries.next().await? {
        found.extend(read_report(context.reader(), &entry.key, &entry.message.value).ok());
    }
    found.sort_by_key(|(report, _)| report.fence);
    Ok(found)
}

/// A report of this machine, with nothing in it yet.
pub(crate) fn new_report(context: &Context, job: &str, stage: Stage) -> Report {
    Report {
        token: context.token.clone(),
        job: job.to_owned(),
        at: clock::now().millis(),
        stage,
        ..Report::default()
    }
}
