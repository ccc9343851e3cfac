//! A commit that a person makes of files that they chose. It is made in an index of our own, so that what else they have staged stays
//! staged, and is neither lost nor committed.

use super::super::apart::{Index, line, submodules};
use super::super::repository::person::Hooks;
use super::super::{CHECKOUT_LIMIT, Repository, git_error, names};
use super::{OpenFile, open_files};
use crate::brief::Answer;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use tempfile::NamedTempFile;

/// So many characters are shown of what a hook says: the last ones.
const LONGEST_SAID: usize = 4_000;
/// Names of files are no patterns.
const LITERAL: (&str, &str) = ("GIT_LITERAL_PATHSPECS", "1");

/// What came of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Committed {
    /// It is made.
    Done {
        /// Its full name.
        commit: String,
        /// How many files were chosen.
        files: usize,
    },
    /// A hook of the repository refused it; nothing has changed but what the hook itself changed.
    RefusedByHook {
        /// What it said last. Untrusted text.
        said: String,
    },
    /// None of the files differs from the last commit.
    Nothing,
    /// This file is not among those that can be committed: it is unchanged, ignored, or not in the folder.
    NotOpen(String),
}

/// Commits the files with these names, or all but the state of loops when none is named, with `message`.
///
/// # Errors
/// What git says: no name and address of the person, a merge that is not finished. Nothing has changed then.
pub fn commit(repository: &Repository, chosen: &[String], message: &str) -> io::Result<Committed> {
    if let Some(what) = repository.unfinished() {
        return Err(io::Error::other(format!("a {what} is not finished in this repository")));
    }
    let files = match files_to_commit(repository, chosen)? {
        Ok(files) if files.is_empty() => return Ok(Committed::Nothing),
        Ok(files) => files,
        Err(name) => return Ok(Committed::NotOpen(name)),
    };
    let before = commit_named(repository, "HEAD")?;
    let index = Index::copied(&repository.at_top())?;
    match &before {
        Some(before) => index.run(repository, &["read-tree", "--reset", before])?,
        None => index.run(repository, &["read-tree", "--empty"])?,
    };
    let begins_with = index.run(repository, &["write-tree"])?;
    stage(repository, &index, &files)?;
    if index.run(repository, &["write-tree"])? == begins_with {
        return Ok(Committed::Nothing);
    }
    let answer = make(repository, &index, message)?;
    if answer.code != Some(0) {
        return refused(repository, &answer);
    }
    let commit = commit_named(repository, "HEAD")?.ok_or_else(|| git_error(&answer))?;
    check_parent(repository, before.as_deref(), &commit)?;
    if let Err(error) = unstage(repository, before.as_deref(), &commit) {
        tracing::warn!(%error, "the index still has what was staged before a commit");
    }
    Ok(Committed::Done { commit, files: files.len() })
}

/// The files that are meant, or the name that is none of those that can be committed.
fn files_to_commit(repository: &Repository, chosen: &[String]) -> io::Result<Result<Vec<OpenFile>, String>> {
    let open = open_files(repository)?;
    if chosen.is_empty() {
        return Ok(Ok(open.into_iter().filter(|file| !file.is_state).collect()));
    }
    let known =
        |name: &String| open.iter().find(|file| file.path == *name).cloned().ok_or_else(|| name.clone());
    Ok(chosen.iter().map(known).collect())
}

/// Puts these files, as they are now, into the index.
fn stage(repository: &Repository, index: &Index, files: &[OpenFile]) -> io::Result<()> {
    let modules = submodules(&index.run(repository, &["ls-files", "--stage", "-z"])?);
    // Of a submodule only its commit is noted: git would be asked in it, by its own settings.
    let (modules, plain): (Vec<&str>, Vec<&str>) = files
        .iter()
        .map(|file| file.path.as_str())
        .partition(|name| modules.iter().any(|known| known == name));
    let is_there = |name: &&str| repository.folder().join(name).symlink_metadata().is_ok();
    let (kept, gone): (Vec<&str>, Vec<&str>) = plain.into_iter().partition(is_there);
    for name in modules {
        index.run(repository, &["update-index", "--remove", "--", name])?;
    }
    let variables = [index.variable(), LITERAL];
    about(repository, &["add", "--all"], &kept, &variables)?;
    about(repository, &["rm", "--cached", "-q", "-f", "--ignore-unmatch"], &gone, &variables)
}

/// Asks git about files with these names, however many.
fn about(
    repository: &Repository,
    args: &[&str],
    names: &[&str],
    variables: &[(&str, &str)],
) -> io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut list = NamedTempFile::new()?;
    list.write_all(names.join("\0").as_bytes())?;
    let from = format!("--pathspec-from-file={}", list.path().display());
    let args = args.iter().copied().chain([from.as_str(), "--pathspec-file-nul"]).map(OsStr::new);
    let answer = repository.ask(&args.collect::<Vec<_>>(), variables, CHECKOUT_LIMIT)?;
    if answer.code == Some(0) { Ok(()) } else { Err(git_error(&answer)) }
}

/// Makes the commit of the index, with the hooks of the repository.
fn make(repository: &Repository, index: &Index, message: &str) -> io::Result<Answer> {
    let mut text = NamedTempFile::new()?;
    text.write_all(message.as_bytes())?;
    let args = ["commit", "--quiet", "--no-status", "--cleanup=whitespace", "--file"].map(OsStr::new);
    let args = [&args[..], &[text.path().as_os_str()]].concat();
    // A hook that wants an editor gets the message as it is.
    let variables = [index.variable(), ("GIT_EDITOR", ":")];
    repository.ask_for_person(Hooks::OfCommit, &args, &variables, CHECKOUT_LIMIT)
}

/// Why there is no commit: a hook, or git itself.
fn refused(repository: &Repository, answer: &Answer) -> io::Result<Committed> {
    let said = [&answer.stderr[..], &answer.stdout].concat();
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let is_of_git = said.lines().any(|line| line.starts_with("fatal: "));
    if is_of_git || answer.code.is_none() || repository.commit_hooks()?.is_empty() {
        return Err(git_error(answer));
    }
    let skipped = said.chars().count().saturating_sub(LONGEST_SAID);
    Ok(Committed::RefusedByHook { said: said.chars().skip(skipped).collect() })
}

/// Takes the commit back when somebody else committed in between: theirs would be undone by it.
fn check_parent(repository: &Repository, before: Option<&str>, commit: &str) -> io::Result<()> {
    let parent = commit_named(repository, &format!("{commit}^"))?;
    let Some(parent) = parent.filter(|parent| Some(parent.as_str()) != before) else { return Ok(()) };
    let back = ["update-ref", "HEAD", &parent, commit].map(OsStr::new);
    repository.ask(&back, &[], CHECKOUT_LIMIT)?;
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "another program committed at the same time"))
}

/// What is committed is no longer staged in the index of the person; everything else stays as it is there.
fn unstage(repository: &Repository, before: Option<&str>, commit: &str) -> io::Result<()> {
    let top = repository.at_top();
    let trees: &[&str] = match before {
        Some(before) => &[before, commit],
        None => &["--root", commit],
    };
    let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id"];
    let args: Vec<&OsStr> = args.iter().chain(trees).map(OsStr::new).collect();
    let answer = top.ask(&args, &[], CHECKOUT_LIMIT)?;
    if answer.code != Some(0) {
        return Err(git_error(&answer));
    }
    let changed: Vec<String> = names(&answer.stdout).collect();
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    about(&top, &["reset", "-q"], &changed, &[LITERAL])
}

/// The full name of a commit; `None` when there is none of this name.
pub(super) fn commit_named(repository: &Repository, name: &str) -> io::Result<Option<String>> {
    let name = format!("{name}^{{commit}}");
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name].map(OsStr::new);
    let answer = repository.ask(&args, &[], CHECKOUT_LIMIT)?;
    Ok(Some(line(&answer.stdout)).filter(|it| answer.code == Some(0) && super::super::is_commit(it)))
}
