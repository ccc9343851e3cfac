//! What a node remembers of a job that it took: where its worktree is, and under which name it holds the lease. With it, a
//! node that is started again takes up its own work.

use crate::share::{Scope, Share, Steering};
use loopdeck_execution::git::{Repository, apart, bundle};
use loopdeck_system::files;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Worktrees of ended jobs are kept for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Older than any change that counts as a sign that somebody is at work.
const LONG_AGO: Duration = Duration::from_secs(24 * 3_600);

/// A job that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lent {
    job: String,
    /// Tells this holding of the lease from others.
    pub(crate) nonce: String,
    /// Top of the worktree, once there is one.
    pub(crate) top: Option<PathBuf>,
    /// The workspace in it.
    pub(crate) folder: Option<PathBuf>,
    /// Its loop is in the workspace.
    pub(crate) begun: bool,
    /// Nothing more happens in it.
    pub(crate) ended: bool,
}

impl Lent {
    pub(crate) fn new(job: &str, nonce: String) -> Self {
        Self { job: job.to_owned(), nonce, top: None, folder: None, begun: false, ended: false }
    }

    /// What is remembered of `job` in the folder `home`.
    pub(crate) fn read(home: &Path, job: &str) -> Option<Self> {
        let lent: Self = serde_json::from_slice(&std::fs::read(path(home, job)).ok()?).ok()?;
        (lent.job == job && !lent.ended).then_some(lent)
    }

    /// Remembers it.
    pub(crate) fn keep(&self, home: &Path) -> io::Result<()> {
        files::write_own(&path(home, &self.job), &serde_json::to_vec(self)?)
    }

    /// Makes the worktree of `of`: of the commit, or as it was left elsewhere.
    pub(crate) fn make(
        &mut self,
        home: &Path,
        (of, worktrees): (&Repository, &Path),
        (commit, checkpoint): (&str, Option<&str>),
    ) -> io::Result<()> {
        let name: String = self.job.to_lowercase().chars().take(16).collect();
        // Others see the name of the folder.
        let top = worktrees.join(format!("run-{name}")).join(of.folder().file_name().unwrap_or_default());
        apart::remove(std::slice::from_ref(of), &top); // of a job that was lost, and comes back
        // The nonce before the worktree: whatever happens, the lease is found again.
        self.keep(home)?;
        let made = match checkpoint {
            Some(state) => restored(of, &top, state),
            None => apart::add(of, commit, &top).map(|made| made.folder().to_owned()),
        };
        let folder = made.inspect_err(|_| apart::remove(std::slice::from_ref(of), &top))?;
        // The worktree keeps what it was made of.
        [Some(commit), checkpoint].into_iter().flatten().for_each(|commit| bundle::forget(of, commit));
        (self.top, self.folder) = (Some(top.canonicalize()?), Some(folder.canonicalize()?));
        self.begun = checkpoint.is_some();
        self.keep(home)
    }

    /// Forgets `job`; its worktree stays.
    pub(crate) fn forget(home: &Path, job: &str) {
        let _ = std::fs::remove_file(path(home, job)); // one that stays names a lease that is somebody else's
    }
}

/// A worktree at `top` as it was left elsewhere.
fn restored(of: &Repository, top: &Path, state: &str) -> io::Result<PathBuf> {
    let made = apart::add(of, &bundle::before(of, state)?, top)?;
    bundle::restore(&made.at_top(), state)?;
    date_back(made.folder())?;
    Ok(made.folder().to_owned())
}

/// Jobs that ended long ago, each with the file that remembers it.
pub(crate) fn ended_long_ago(home: &Path) -> Vec<(Lent, PathBuf)> {
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let old = entries.filter(|entry| {
        let age = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        age.is_some_and(|age| age > KEPT)
    });
    let read =
        |path: PathBuf| Some((serde_json::from_slice::<Lent>(&std::fs::read(&path).ok()?).ok()?, path));
    old.filter_map(|entry| read(entry.path())).filter(|(lent, _)| lent.ended).collect()
}

/// Gives the files of loops a time at which nobody is at work any more: whoever wrote them has lost the lease, however new they are.
fn date_back(folder: &Path) -> io::Result<()> {
    let then = SystemTime::now() - LONG_AGO;
    let loops = Share { path: folder.to_owned(), scope: Scope::Progress, steering: Steering::Nobody };
    // None of them is a link.
    loops.files().iter().try_for_each(|file| files::open_plain(&folder.join(file))?.set_modified(then))
}

fn path(home: &Path, job: &str) -> PathBuf {
    home.join(format!("{job}.json"))
}
