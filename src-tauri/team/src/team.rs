//! A machine's place in its team, as the programs see it.

use crate::context::{Context, Participation};
use crate::invitation::Invitation;
use crate::seat::Role;
use crate::share::Share;
use crate::state::TeamView;
use loopdeck_system::failure::{Failure, FailureKind};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A machine's place in its team. Ends with its last reference.
pub struct Team {
    pub(crate) context: Arc<Context>,
    pub(crate) damaged: Vec<Failure>,
    pub(crate) end: CancellationToken,
    pub(crate) thread: Option<std::thread::JoinHandle<()>>,
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Team").field(self.context.seat()).finish()
    }
}

impl Team {
    /// Files of the team's that could not be read when it was started: to be told to the person.
    #[must_use]
    pub fn damaged_data(&self) -> Vec<Failure> {
        self.damaged.clone()
    }

    /// The team on the screen.
    #[must_use]
    pub fn view(&self) -> TeamView {
        let Invitation { seat, role, servers, .. } = &self.context.invitation;
        self.context.state.lock().view(seat, *role, servers)
    }

    /// Whether everything that others share has arrived since the connection was made; of whoever asks for work also what
    /// became of it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        let hears_reports = self.context.participation == Participation::Asking
            && self.context.invitation.role != Role::Viewer;
        let state = self.context.state.lock();
        state.current && (state.jobs_current || !hears_reports)
    }

    /// What this machine shares.
    #[must_use]
    pub fn shares(&self) -> Vec<Share> {
        self.context.shares.list()
    }

    /// Shares a folder, or shares it otherwise.
    ///
    /// # Errors
    /// `TeamRefused` for a role that shares nothing; `OwnData` when it cannot be kept: then nothing changes.
    pub fn share(&self, share: Share) -> Result<(), Failure> {
        let role = self.context.invitation.role;
        if !role.contributes() {
            return Err(Failure::new(FailureKind::TeamRefused).with("reason", role.word()));
        }
        self.context.put_share(share)
    }

    /// Shares a folder no longer: its files go from the server and from the other machines.
    ///
    /// # Errors
    /// As [`Team::share`].
    pub fn unshare(&self, path: &Path) -> Result<(), Failure> {
        self.context.drop_share(path)
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.context.runtime.deliver_by(None);
        self.end.cancel();
        if let Some(thread) = self.thread.take() {
            drop(thread.join()); // a panic of it was logged
        }
        for share in self.context.known_shares() {
            self.context.close_copy(&share);
        }
    }
}
