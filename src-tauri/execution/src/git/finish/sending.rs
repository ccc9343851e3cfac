//! Sending a branch to where it is shared, by the person's own means to sign in. Only when they said so.

use super::super::{CHECKOUT_LIMIT, Remote, Repository, git_error};
use std::io;

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The branch.
    pub branch: String,
    /// Where.
    pub remote: Remote,
}

/// Sends the branch that is checked out to the remote of the repository. Nothing there is overwritten.
///
/// # Errors
/// `NotFound` without a remote or a branch; what git says: the remote has commits that are not here, nobody is signed in.
pub fn push(repository: &Repository) -> io::Result<Sent> {
    let missing = |what: &str| io::Error::new(io::ErrorKind::NotFound, what);
    let remote = repository.remote()?.ok_or_else(|| missing("no remote to push to"))?;
    let branch = repository.current_branch()?.ok_or_else(|| missing("no branch is checked out"))?;
    let answer = repository.ask_to_push(&remote, &branch, CHECKOUT_LIMIT)?;
    if answer.code == Some(0) { Ok(Sent { branch, remote }) } else { Err(git_error(&answer)) }
}
