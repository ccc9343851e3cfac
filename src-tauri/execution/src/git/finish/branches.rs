//! Branches of a loop's work: a new one here, merging that of a worktree back, and giving a worktree up.

use super::super::apart::{line, parse_merge};
use super::super::repository::person::Hooks;
use super::super::{CHECKOUT_LIMIT, Repository, git_error, names, remove_folder};
use super::commit::commit_named;
use super::open_files;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;

/// What came of merging a branch back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergedBack {
    /// It is in the folder.
    Done {
        /// The commit that is checked out there now.
        commit: String,
        /// How many files that changed.
        files: usize,
    },
    /// Everything of it was there already.
    Nothing,
    /// Both sides changed these files; nothing was done.
    Conflict(Vec<String>),
    /// These files would be changed, and have changes that are not committed; nothing was done.
    InTheWay(Vec<String>),
}

/// A worktree that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftWorktree {
    /// The branch that stays, because it has commits of its own.
    pub kept: Option<String>,
}

/// Makes a branch of this name here and checks it out, with every change that is not committed.
///
/// # Errors
/// What git says: the name is taken, or is none of a branch.
pub fn branch_here(repository: &Repository, name: &str) -> io::Result<()> {
    if name.starts_with('-') {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("'{name}' is not a valid branch name"),
        ));
    }
    asked(repository, &["switch", "--quiet", "--no-track", "--create", name]).map(drop)
}

/// How many commits a branch has that no other branch has, also none of a remote.
///
/// # Errors
/// What git says: there is no such branch.
pub fn own_commits(repository: &Repository, branch: &str) -> io::Result<u32> {
    let reference = format!("refs/heads/{branch}");
    let without = format!("--exclude={branch}");
    let count = ["rev-list", "--count", &reference, "--not", &without, "--branches", "--remotes"];
    let said = asked(repository, &count)?;
    said.trim().parse().map_err(|_| io::Error::other("git did not count the commits"))
}

/// Merges what is committed on `branch` into what is checked out in the folder. Changes there that are not committed stay, or are named.
///
/// # Errors
/// What git says; nothing has changed then.
pub fn merge_back(into: &Repository, branch: &str) -> io::Result<MergedBack> {
    let into = into.at_top();
    if let Some(what) = into.unfinished() {
        return Err(io::Error::other(format!("a {what} is not finished in this repository")));
    }
    let no_commit = || io::Error::new(io::ErrorKind::NotFound, "there is no commit to merge");
    let theirs = commit_named(&into, &format!("refs/heads/{branch}"))?.ok_or_else(no_commit)?;
    let ours = commit_named(&into, "HEAD")?.ok_or_else(no_commit)?;
    let base = merge_base(&into, &ours, &theirs)?;
    if base.as_deref() == Some(theirs.as_str()) {
        return Ok(MergedBack::Nothing);
    }
    let commit = if base.as_deref() == Some(ours.as_str()) {
        theirs
    } else {
        match merged(&into, &ours, &theirs, branch)? {
            Ok(commit) => commit,
            Err(files) => return Ok(MergedBack::Conflict(files)),
        }
    };
    let changed = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", &ours, &commit].map(OsStr::new);
    let answer = into.ask(&changed, &[], CHECKOUT_LIMIT)?;
    let changed: BTreeSet<String> = names(&answer.stdout).collect();
    let open: BTreeSet<String> = open_files(&into)?.into_iter().map(|file| file.path).collect();
    let in_the_way: Vec<String> = changed.intersection(&open).cloned().collect();
    if !in_the_way.is_empty() {
        return Ok(MergedBack::InTheWay(in_the_way));
    }
    // What came to be in the way since, git sees itself, and then changes nothing.
    asked(&into, &["merge", "--quiet", "--ff-only", "--no-autostash", "--no-stat", &commit])?;
    Ok(MergedBack::Done { commit, files: changed.len() })
}

fn merge_base(into: &Repository, ours: &str, theirs: &str) -> io::Result<Option<String>> {
    let answer = into.ask(&["merge-base", ours, theirs].map(OsStr::new), &[], CHECKOUT_LIMIT)?;
    Ok(answer.good_text())
}

/// The commit that joins the two, or the files that both changed.
fn merged(
    into: &Repository,
    ours: &str,
    theirs: &str,
    branch: &str,
) -> io::Result<Result<String, Vec<String>>> {
    let merging = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
    let answer = into.ask(&merging.map(OsStr::new), &[], CHECKOUT_LIMIT)?;
    if !matches!(answer.code, Some(0 | 1)) {
        return Err(git_error(&answer));
    }
    let (tree, conflicts) = parse_merge(&answer.stdout).ok_or_else(|| git_error(&answer))?;
    if answer.code == Some(1) {
        return Ok(Err(conflicts));
    }
    let message = format!("Merge branch '{branch}'");
    let make = ["commit-tree", "-p", ours, "-p", theirs, "-m", &message, &tree];
    asked(into, &make).map(|commit| Ok(line(commit.as_bytes())))
}

/// Gives the worktree of a branch up. What is not committed in it must be somewhere else by now. Its branch stays, unless it has
/// nothing that other branches don't have.
///
/// # Errors
/// What git says.
pub fn leave_worktree(of: &Repository, worktree: &Repository) -> io::Result<LeftWorktree> {
    let branch = worktree.current_branch()?;
    let own = branch.as_deref().map_or(Ok(0), |branch| own_commits(of, branch))?;
    remove_folder(&of.at_top(), worktree.top());
    let Some(branch) = branch else { return Ok(LeftWorktree { kept: None }) };
    if own == 0 {
        asked(of, &["branch", "-D", "--", &branch])?;
        return Ok(LeftWorktree { kept: None });
    }
    Ok(LeftWorktree { kept: Some(branch) })
}

/// What git answers to something that the person does, without hooks.
fn asked(repository: &Repository, args: &[&str]) -> io::Result<String> {
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let answer = repository.ask_for_person(Hooks::Off, &args, &[], CHECKOUT_LIMIT)?;
    if answer.code == Some(0) {
        Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
    } else {
        Err(git_error(&answer))
    }
}
