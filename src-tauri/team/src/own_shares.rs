//! What this machine shares, as its tasks know it while their person changes it.

use crate::share::{Share, Shares};
use loopdeck_system::failure::Failure;
use parking_lot::Mutex;
use std::path::PathBuf;

/// The shares of this machine. While their file cannot be read, it is not known what is shared.
#[derive(Debug)]
pub(crate) struct OwnShares {
    path: PathBuf,
    known: Mutex<Option<Shares>>,
}

impl OwnShares {
    /// Reads the file at `path`. With why it cannot be read, if so.
    pub(crate) fn read(path: PathBuf) -> (Self, Option<Failure>) {
        let (known, damaged) = match Shares::read(&path) {
            Ok(shares) => (Some(shares), None),
            Err(failure) => (None, Some(failure)),
        };
        (Self { path, known: Mutex::new(known) }, damaged)
    }

    /// All of them; none while they are not known.
    pub(crate) fn list(&self) -> Vec<Share> {
        self.known.lock().as_ref().map(|shares| shares.shares.clone()).unwrap_or_default()
    }

    /// The one that has this name on the server.
    pub(crate) fn find(&self, id: &str) -> Option<Share> {
        self.list().into_iter().find(|share| share.id() == id)
    }

    /// Whether it is known what is shared. While it is not, nothing is withdrawn.
    pub(crate) fn are_known(&self) -> bool {
        self.find_out(&mut self.known.lock()).is_ok()
    }

    /// Changes and saves them.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Shares)) -> Result<(), Failure> {
        let mut known = self.known.lock();
        let mut wanted = self.find_out(&mut known)?.clone();
        change(&mut wanted);
        wanted.save(&self.path)?;
        *known = Some(wanted);
        Ok(())
    }

    /// Reads the file again that could not be read, in case the person has corrected it.
    fn find_out<'k>(&self, known: &'k mut Option<Shares>) -> Result<&'k Shares, Failure> {
        match known {
            Some(shares) => Ok(shares),
            None => Ok(known.insert(Shares::read(&self.path)?)),
        }
    }
}
