//! Reports of whoever has a job. The one with the highest fencing token counts.

use crate::envelope::{Fault, open_vouched};
use crate::jwt::Reader;
use crate::layout::{self, REPORTS};
use crate::message::is_id;
use crate::seat::{Role, Seat};
use crate::work::parcel::Parcel;
use loopdeck_execution::git::bundle::is_commit;
use serde::{Deserialize, Serialize};

/// How far a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// A node works on it.
    #[default]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// A report and its machine, when that machine's key signed it. Only nodes report work; anybody can withdraw, and it counts only from
/// whoever asked.
pub(crate) fn read_report(reader: Reader<'_>, key: &str, bytes: &[u8]) -> Result<(Report, Seat), Fault> {
    let subject = layout::key_subject(REPORTS, key);
    let (report, identity, _): (Report, _, _) = open_vouched(reader, &subject, bytes)?;
    let may = identity.role == Role::Node || report.stage == Stage::Withdrawn;
    let matches = key == layout::report_key(&report.job, &identity.seat);
    if may && matches && report.is_sound() { Ok((report, identity.seat)) } else { Err(Fault::Forged) }
}
