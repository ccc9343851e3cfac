//! Where the repository of a folder is. Only files are read, and no program runs: a folder whose person has not trusted it can be asked
//! this. What a file names counts only when what it names says so too.

use crate::platform::is_ours;
use loopdeck_system::files;
use loopdeck_system::files::Canonical as _;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// More is no file that git wrote.
const LONGEST: u64 = 1 << 20;

/// Where a repository is; all canonical.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// The folder of its files.
    pub(super) top: PathBuf,
    /// What belongs to these files: HEAD, the index.
    pub(super) git_dir: PathBuf,
    /// What worktrees have in common: commits, branches, settings. Often the same folder.
    pub(super) common: PathBuf,
    /// It is not known by its place that it belongs to these files: its settings have to say so.
    pub(super) elsewhere: bool,
}

/// The repository of `folder`, which is canonical; `None` when it is in none.
///
/// # Errors
/// `InvalidData` for a `.git` that leads to a repository of other files.
pub(super) fn place_of(folder: &Path) -> io::Result<Option<Place>> {
    for top in folder.ancestors() {
        let dot = top.join(".git");
        if dot.symlink_metadata().is_err() {
            continue;
        }
        let git_dir = if dot.is_dir() { dot.canonical()? } else { folder_named_in(&dot, top, "gitdir:")? };
        // Git, too, goes on above a folder of this name that is no repository.
        if git_dir.join("HEAD").symlink_metadata().is_err() {
            if dot.is_dir() {
                continue;
            }
            return Err(leads_elsewhere(&dot));
        }
        return place_of_repository(top, &dot, git_dir).map(Some);
    }
    Ok(None)
}

fn place_of_repository(top: &Path, dot: &Path, git_dir: PathBuf) -> io::Result<Place> {
    let top = top.to_owned();
    let link = git_dir.join("commondir");
    if link.symlink_metadata().is_err() {
        let elsewhere = !git_dir.starts_with(&top);
        return Ok(Place { top, common: git_dir.clone(), git_dir, elsewhere });
    }
    let common = folder_named_in(&link, &git_dir, "")?;
    let is_one_of_its = git_dir.parent() == Some(&*common.join("worktrees"));
    let back = one_line(&git_dir.join("gitdir"))?;
    if !is_one_of_its || git_dir.join(back).canonical()? != dot.canonical()? {
        return Err(leads_elsewhere(dot));
    }
    Ok(Place { top, git_dir, common, elsewhere: false })
}

impl Place {
    /// Checks that all of it belongs to whoever runs this program, as git does; `may`: whether the person said that this folder is safe
    /// all the same.
    pub(super) fn check_owner(&self, may: impl FnOnce(&Path) -> bool) -> io::Result<()> {
        let all = [&self.top, &self.git_dir, &self.common];
        if all.into_iter().all(|path| is_ours(path)) || may(&self.top) {
            return Ok(());
        }
        let why = format!("{} belongs to another user (safe.directory)", self.top.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
    }

    /// The branch that is checked out, or the first characters of a commit.
    pub(super) fn branch(&self) -> Option<String> {
        one_line(&self.git_dir.join("HEAD")).ok().filter(|_| !self.elsewhere).map(|head| checked_out(&head))
    }
}

/// The branch that HEAD names, or the first characters of its commit.
pub(super) fn checked_out(head: &str) -> String {
    match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.chars().take(200).collect(),
        None => head.chars().take(10).collect(),
    }
}

/// The folder that a file of one line names, from `base`.
fn folder_named_in(file: &Path, base: &Path, before: &str) -> io::Result<PathBuf> {
    let text = one_line(file)?;
    let name = text.strip_prefix(before).ok_or_else(|| leads_elsewhere(file))?;
    base.join(name.trim()).canonical()
}

fn leads_elsewhere(dot: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{} leads elsewhere", dot.display()))
}

fn one_line(file: &Path) -> io::Result<String> {
    let text = String::from_utf8_lossy(&content(file)?).into_owned();
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// A file of a repository; empty when it is not there.
pub(super) fn content(file: &Path) -> io::Result<Vec<u8>> {
    let real = match file.canonical() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    let folder = real.parent().unwrap_or(&real);
    match files::read_up_to(folder, &real, LONGEST, &mut bytes) {
        Ok(_) => Ok(bytes),
        Err(fault) if fault.is_empty() || fault.is_gone() => Ok(Vec::new()),
        Err(fault) => Err(io::Error::new(io::ErrorKind::InvalidData, fault.reason())),
    }
}
