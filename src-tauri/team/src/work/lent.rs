//! What a node remembers of a job that it took: where its worktree is, and under which name it holds the lease. With it, a
//! node that is started again takes up its own work.
//!
//! One that cannot be read is set aside, and the person learns of it. The job then goes the way of one that somebody else had: under a
//! new name its lease is to be had only once the old one is over, with which the fence closed for whatever still ran, and it continues
//! from its last checkpoint or is interrupted, as whoever asked for it wished. Without a report of its start it begins anew.

use crate::our_files::{is_older, json_files};
use crate::share::files_of_loops;
use loopdeck_execution::git::{Repository, apart, bundle};
use loopdeck_system::failure::Failure;
use loopdeck_system::files;
use loopdeck_system::files::Canonical as _;
use loopdeck_system::kept::{self, Kept};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Worktrees of ended jobs are kept for so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Older than any change that counts as a sign that somebody is at work.
const LONG_AGO: Duration = Duration::from_secs(24 * 3_600);

/// A job that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LentJob {
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

impl Kept for LentJob {
    /// None is written, which is the same.
    const FORM: u32 = 0;
}

impl LentJob {
    pub(crate) fn new(job: &str, nonce: String) -> Self {
        Self { job: job.to_owned(), nonce, top: None, folder: None, begun: false, ended: false }
    }

    /// What is remembered of `job` in the folder `home`. A damaged file is set aside, and there is a line in the log.
    pub(crate) fn read(home: &Path, job: &str) -> Option<Self> {
        let (lent, _) = kept::load::<Self>(&job_file(home, job));
        (lent.job == job && !lent.ended).then_some(lent)
    }

    /// Whether `job` ended here: it is never begun again, whatever a server that is behind still says.
    pub(crate) fn has_ended(home: &Path, job: &str) -> bool {
        kept::read::<Self>(&job_file(home, job)).is_ok_and(|lent| lent.job == job && lent.ended)
    }

    /// Remembers it, unless what is there is not ours to write over.
    pub(crate) fn keep(&self, home: &Path) -> io::Result<()> {
        let path = job_file(home, &self.job);
        let not_ours = "what is remembered of the job is damaged, or of a newer Loopdeck";
        kept::check::<Self>(&path).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, not_ours))?;
        files::write_own(&path, &serde_json::to_vec(self)?)
    }

    /// Makes the worktree of `of`: of the commit, or as it was left elsewhere.
    pub(crate) fn make_worktree(
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
            Some(state) => restore_worktree(of, &top, state),
            None => apart::add(of, commit, &top).map(|made| made.folder().to_owned()),
        };
        let folder = made.inspect_err(|_| apart::remove(std::slice::from_ref(of), &top))?;
        // The worktree keeps what it was made of.
        [Some(commit), checkpoint].into_iter().flatten().for_each(|commit| bundle::forget(of, commit));
        (self.top, self.folder) = (Some(top.canonical()?), Some(folder.canonical()?));
        self.begun = checkpoint.is_some();
        self.keep(home)
    }

    /// Forgets `job`; its worktree stays.
    pub(crate) fn forget(home: &Path, job: &str) {
        let _ = std::fs::remove_file(job_file(home, job)); // one that stays names a lease that is somebody else's
    }
}

/// A worktree at `top` as it was left elsewhere.
fn restore_worktree(of: &Repository, top: &Path, state: &str) -> io::Result<PathBuf> {
    let made = apart::add(of, &bundle::before(of, state)?, top)?;
    bundle::restore(&made.at_top(), state)?;
    date_back(made.folder())?;
    Ok(made.folder().to_owned())
}

/// Jobs that ended long ago, each with the file that remembers it. Beside them are bundles, and what was set aside.
pub(crate) fn ended_long_ago(home: &Path) -> Vec<(LentJob, PathBuf)> {
    let old = json_files(home).into_iter().filter(|path| is_older(path, KEPT));
    let read = |path: PathBuf| Some((kept::read::<LentJob>(&path).ok()?, path)); // the next start sets a damaged one aside
    old.filter_map(read).filter(|(lent, _)| lent.ended).collect()
}

/// Sets aside what cannot be read, and says which. Every start begins with it, so that the person learns of it.
pub(crate) fn set_aside_damaged(home: &Path) -> Vec<Failure> {
    json_files(home).iter().filter_map(|path| kept::load::<LentJob>(path).1).collect()
}

/// Gives the files of loops a time at which nobody is at work any more: whoever wrote them has lost the lease, however new they are.
fn date_back(folder: &Path) -> io::Result<()> {
    let then = SystemTime::now() - LONG_AGO;
    // None of them is a link.
    files_of_loops(folder)
        .iter()
        .try_for_each(|file| files::open_plain(&folder.join(file))?.set_modified(then))
}

fn job_file(home: &Path, job: &str) -> PathBuf {
    home.join(format!("{job}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_system::failure::FailureKind;

    /// What is in a folder, sorted.
    fn texts(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut texts: Vec<String> = entries.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        texts.sort();
        texts
    }

    #[test]
    fn a_job_that_is_remembered_is_found_again() {
        let home = tempfile::tempdir().unwrap();
        let mut lent = LentJob::new("A", "n1".to_owned());
        lent.keep(home.path()).unwrap();
        assert_eq!(LentJob::read(home.path(), "A"), Some(lent.clone()));
        assert_eq!(LentJob::read(home.path(), "B"), None);
        assert!(!LentJob::has_ended(home.path(), "A"));
        lent.ended = true;
        lent.keep(home.path()).unwrap();
        assert_eq!((LentJob::read(home.path(), "A"), set_aside_damaged(home.path())), (None, Vec::new()));
        assert!(LentJob::has_ended(home.path(), "A") && !LentJob::has_ended(home.path(), "B"));
    }

    #[test]
    fn one_that_is_damaged_is_set_aside_and_told_before_its_job_begins_anew() {
        for damage in ["", "{oops", r#"{"job":"A","nonce":"n1"}"#, "{}", "7"] {
            let home = tempfile::tempdir().unwrap();
            let path = job_file(home.path(), "A");
            std::fs::write(&path, damage).unwrap();
            std::fs::write(home.path().join("A.bundle"), "commits").unwrap();
            let told = set_aside_damaged(home.path());
            assert_eq!(told.len(), 1, "{damage:?}: {told:?}");
            assert_eq!(told[0].kind, FailureKind::SetAside);
            assert_eq!(told[0].args["path"], path.display().to_string());
            assert!(!path.exists() && set_aside_damaged(home.path()).is_empty(), "it is told once");
            // The same while the program runs.
            std::fs::write(&path, damage).unwrap();
            assert!(LentJob::new("A", "n2".to_owned()).keep(home.path()).is_err(), "it is not written over");
            assert_eq!(LentJob::read(home.path(), "A"), None);
            let mut expected = [damage, damage, "commits"];
            expected.sort_unstable();
            assert_eq!(texts(home.path()), expected, "nothing is lost");
            LentJob::new("A", "n2".to_owned()).keep(home.path()).unwrap();
            assert_eq!(LentJob::read(home.path(), "A").map(|lent| lent.nonce), Some("n2".to_owned()));
        }
    }

    #[test]
    fn what_a_newer_loopdeck_remembers_is_not_written_over() {
        let home = tempfile::tempdir().unwrap();
        let newer = r#"{"form":9,"job":["A"]}"#;
        std::fs::write(job_file(home.path(), "A"), newer).unwrap();
        assert_eq!((LentJob::read(home.path(), "A"), set_aside_damaged(home.path())), (None, Vec::new()));
        assert!(LentJob::new("A", "n2".to_owned()).keep(home.path()).is_err());
        assert_eq!(texts(home.path()), [newer]);
    }
}
