//! Commits of a job on their way: those that this repository lacks, and those that were made here.

use super::{Carried, Stop};
use crate::share::files_of_loops;
use crate::work::parcel;
use crate::work::report::SentCommit;
use loopdeck_execution::git::bundle;
use loopdeck_system::failure::{Failure, FailureKind};

impl Carried<'_> {
    /// The commits that this repository lacks.
    pub(super) async fn fetch_commits(&mut self) -> Result<(), Stop> {
        let base = SentCommit { commit: self.job.commit.clone(), parcel: self.job.parcel.clone() };
        for sent in std::iter::once(base).chain(self.checkpoint.clone()) {
            let Some(from) = sent.parcel else { continue };
            let path = self.folder.path.clone();
            let (of, commit) = (self.repository(&path).await?, sent.commit);
            if bundle::has(&of, &commit) {
                continue;
            }
            let path = self.context.home.lent_jobs().join(format!("{}.bundle", self.job.id));
            let servers = self.context.node.connected_servers().await;
            parcel::fetch_parcel(&servers.jetstream, &from, &path).await?;
            let taken = self.while_renewing(move || {
                let taken = bundle::unpack(&of, &commit, &path);
                let _ = std::fs::remove_file(path); // overwritten by the next
                taken
            });
            taken.await?.map_err(Stop::of_git)?;
        }
        Ok(())
    }

    pub(super) async fn keep_checkpoint(&mut self) -> Result<(), Stop> {
        let Some(folder) = self.lent.folder.clone() else { return Ok(()) };
        let files = files_of_loops(&folder);
        let of = self.repository(&folder).await?;
        let made = self.while_renewing(move || bundle::checkpoint(&of, &files)).await?;
        let commit = made.map_err(Stop::of_git)?;
        self.checkpoint = Some(self.send_commit(commit).await?);
        self.tell_running().await; // one that is not heard of is sent again with the next
        Ok(())
    }

    /// What was done, as a commit on its way. `changed`: when the loop ended, in ms since 1970 UTC.
    pub(super) async fn send_result(&mut self, changed: f64) -> Result<Option<SentCommit>, Stop> {
        let Some(folder) = self.lent.folder.clone() else { return Ok(None) };
        let of = self.repository(&folder).await?;
        let (base, message) = (self.job.commit.clone(), self.job.message());
        #[allow(clippy::cast_possible_truncation)] // seconds since 1970 are exact in f64
        let at = (changed / 1_000.0) as i64;
        let made = self.while_renewing(move || bundle::result(&of, &base, (&message, at)));
        match made.await?.map_err(Stop::of_git)? {
            Some(commit) => Ok(Some(self.send_commit(commit).await?)),
            None => Ok(None),
        }
    }

    /// Sends what whoever asked lacks of `commit`.
    async fn send_commit(&mut self, commit: String) -> Result<SentCommit, Stop> {
        let Some(folder) = self.lent.folder.clone() else { return Ok(SentCommit { commit, parcel: None }) };
        let path = self.context.home.lent_jobs().join(format!("{}.out", self.job.id));
        let of = self.repository(&folder).await?;
        let (known, packed, at) = (vec![self.job.commit.clone()], commit.clone(), path.clone());
        let made = self.while_renewing(move || bundle::pack(&of, &packed, &known, &at));
        let has = made.await?.map_err(Stop::of_git)?;
        if !has {
            return Ok(SentCommit { commit, parcel: None });
        }
        if !parcel::is_sendable(path.metadata()?.len()) {
            return Err(Stop::Failed(Failure::new(FailureKind::RunTooLarge)));
        }
        let servers = self.context.node.connected_servers().await;
        let sent = parcel::send_parcel(&servers.jetstream, (self.context.seat(), &commit), &path).await?;
        let _ = std::fs::remove_file(path); // overwritten by the next
        Ok(SentCommit { commit, parcel: Some(sent) })
    }
}
