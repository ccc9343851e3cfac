//! Reports of whoever has a job. The one with the highest fencing token counts.

use crate::envelope::{Fault, open};
use crate::jwt::Reader;
use crate::layout::{self, REPORTS};
use crate::message::is_id;
use crate::seat::{Role, Seat};
use crate::stored::{Bucket, Entry};
use crate::team::Context;
use crate::work::parcel::Parcel;
use loopdeck_execution::git::bundle::is_commit;
use loopdeck_system::clock;
use serde::{Deserialize, Serialize};

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// A node works on it.
    Running,
    /// It ended; its state says how.
    Ended,
    /// No node is to run it, for the reason in `why`.
    Refused,
    /// This node does not take it from the queue, for the reason in `why`. Others may.
    Passed,
    /// Its machine was gone, and nobody was to continue.
    Interrupted,
    /// Whoever asked no longer wants it.
    Withdrawn,
}

/// A commit, and where it is to be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentCommit {
    pub(crate) commit: String,
    /// `None` when it is one that both sides have.
    pub(crate) parcel: Option<Parcel>,
}

/// The state of a job, as its machine reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The user's claims of whoever tells it.
    pub(crate) token: String,
    pub(crate) job: String,
    /// The fencing token of the lease at that time.
    pub(crate) fence: u64,
    /// ms since 1970 UTC.
    pub(crate) at: i64,
    pub(crate) stage: Stage,
    /// Kind of a failure or code of a refusal.
    pub(crate) why: Option<String>,
    /// What a failure says besides its kind, such as the words of git. Untrusted text.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// The share that has the loop.
    pub(crate) share: Option<String>,
    /// The word that the loop shows.
    pub(crate) word: Option<String>,
    /// From what another node continues.
    pub(crate) checkpoint: Option<SentCommit>,
    /// What was done.
    pub(crate) result: Option<SentCommit>,
}

impl Report {
    fn is_sound(&self) -> bool {
        let commits = [&self.checkpoint, &self.result].into_iter().flatten();
        let sound =
            |sent: &SentCommit| is_commit(&sent.commit) && sent.parcel.as_ref().is_none_or(Parcel::is_sound);
        is_id(&self.job) && commits.into_iter().all(sound)
    }
}

/// Publishes a report of this machine.
pub(crate) async fn tell(
    context: &Context,
    reports: &Bucket,
    report: &Report,
) -> Result<(), async_nats::Error> {
    let key = layout::report_key(&report.job, context.seat());
    let message = context.signer.seal(&layout::key_subject(REPORTS, &key), report, b"")?;
    reports.put(&key, message).await
}

/// The last report of this machine on a job, when it is one.
pub(crate) async fn own(
    context: &Context,
    reports: &Bucket,
    job: &str,
) -> Result<Option<Report>, async_nats::Error> {
    let entry = reports.entry(&layout::report_key(job, context.seat())).await?;
    let read = |entry: Entry| read(context.reader(), &entry.key, &entry.kept.value).ok();
    Ok(entry.and_then(read).map(|(report, _)| report))
}

/// A report and its machine, when that machine's key signed it. Only nodes report work; anybody can withdraw, and it counts only from
/// whoever asked.
pub(crate) fn read(reader: Reader<'_>, key: &str, bytes: &[u8]) -> Result<(Report, Seat), Fault> {
    let sealed = open(bytes)?;
    let claimed: Report = sealed.claimed()?;
    let identity = reader.identity(&claimed.token).ok_or(Fault::Forged)?;
    let report: Report = sealed.verified(&layout::key_subject(REPORTS, key), &identity.key)?;
    let may = identity.role == Role::Node || report.stage == Stage::Withdrawn;
    let matches = key == layout::report_key(&report.job, &identity.seat);
    if may && matches && report.is_sound() { Ok((report, identity.seat)) } else { Err(Fault::Forged) }
}

/// All reports of a job, the one that counts last.
pub(crate) async fn all(
    context: &Context,
    reports: &Bucket,
    job: &str,
) -> Result<Vec<(Report, Seat)>, async_nats::Error> {
    let mut found = Vec::new();
    let mut entries = reports.follow(&format!("{job}.>")).await?;
    while let Some(entry) = entries.next().await? {
        found.extend(read(context.reader(), &entry.key, &entry.kept.value).ok());
    }
    found.sort_by_key(|(report, _)| report.fence);
    Ok(found)
}

/// A report of this machine, with nothing in it yet.
pub(crate) fn new(context: &Context, job: &str, stage: Stage) -> Report {
    Report {
        token: context.token.clone(),
        job: job.to_owned(),
        fence: 0,
        at: clock::now().millis(),
        stage,
        why: None,
        reason: None,
        share: None,
        word: None,
        checkpoint: None,
        result: None,
    }
}
