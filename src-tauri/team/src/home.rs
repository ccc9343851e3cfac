//! The part of our own data that belongs to the team: where each file of it is.

use crate::invitation::Invitation;
use crate::place::SharePlace;
use loopdeck_system::failure::{Failure, FailureKind};
use std::path::{Path, PathBuf};

/// The part of our own data that belongs to the team.
#[derive(Clone, Debug)]
pub struct Home {
    folder: PathBuf,
    copies: PathBuf,
}

impl Home {
    /// The team's part of the data folder `data`.
    #[must_use]
    pub fn new(data: &Path) -> Self {
        let folder = data.join("team");
        Self { copies: folder.join("copies"), folder }
    }

    /// The same with copies of others' files in `copies`, for a look that leaves no trace.
    #[must_use]
    pub fn with_copies(self, copies: PathBuf) -> Self {
        Self { copies, ..self }
    }

    /// The invitation with which this machine joined.
    #[must_use]
    pub fn invitation(&self) -> PathBuf {
        self.folder.join("invitation.json")
    }

    /// What this machine shares.
    #[must_use]
    pub fn shares(&self) -> PathBuf {
        self.folder.join("shares.json")
    }

    /// Copies of what others share.
    #[must_use]
    pub fn mirrors(&self) -> PathBuf {
        self.copies.clone()
    }

    /// The copy of a share.
    pub(crate) fn copy_of(&self, share: &SharePlace) -> PathBuf {
        self.copies.join(share.seat.to_string()).join(&share.id)
    }

    /// Which messages of other machines were taken last; beside their copies, which go with it.
    pub(crate) fn numbers(&self) -> PathBuf {
        self.copies.with_file_name("numbers")
    }

    /// Commands that were begun.
    pub(crate) fn begun_commands(&self) -> PathBuf {
        self.folder.join("begun")
    }

    /// Answers that the server does not have yet.
    pub(crate) fn owed_answers(&self) -> PathBuf {
        self.folder.join("owed")
    }

    /// What this machine runs for others.
    #[must_use]
    pub fn node(&self) -> PathBuf {
        self.folder.join("node.json")
    }

    /// Jobs that this machine took.
    pub(crate) fn lent_jobs(&self) -> PathBuf {
        self.folder.join("lent")
    }

    /// Jobs that this machine asked for.
    pub(crate) fn asked_jobs(&self) -> PathBuf {
        self.folder.join("jobs")
    }

    /// The output of other machines, while somebody looks at it.
    pub(crate) fn heard_output(&self) -> PathBuf {
        self.folder.join("heard")
    }

    /// Where the server may have output of loops of this machine.
    pub(crate) fn sent_output(&self) -> PathBuf {
        self.folder.join("output.json")
    }

    /// Requests that wait to be sent or answered.
    pub(crate) fn outbox(&self) -> PathBuf {
        self.folder.join("outbox")
    }

    /// Joins: keeps the invitation at `path`.
    ///
    /// # Errors
    /// `BadInvitation`; `OwnData`.
    pub fn join(&self, path: &Path) -> Result<Invitation, Failure> {
        let invitation = Invitation::read(path)?;
        invitation.write(&self.invitation()).map_err(Failure::own_data)?;
        Ok(invitation)
    }

    /// Leaves: the invitation, all copies and all other data of the team go. What this machine shared stays on the server.
    ///
    /// # Errors
    /// `OwnData`.
    pub fn leave(&self) -> Result<(), Failure> {
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::own_data(error)),
            _ => Ok(()),
        }
    }

    /// The invitation, when this machine belongs to a team.
    ///
    /// # Errors
    /// `NotInTeam`; `BadInvitation`.
    pub fn read_invitation(&self) -> Result<Invitation, Failure> {
        if !self.invitation().exists() {
            return Err(Failure::new(FailureKind::NotInTeam));
        }
        Invitation::read(&self.invitation())
    }
}
