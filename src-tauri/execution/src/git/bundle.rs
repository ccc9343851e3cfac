//! Commits that travel between clones of one repository, as git bundles. A bundle from elsewhere is only ever read by git, with
//! its own checks switched on, and counts for the commit that was named, not for the one that it names.

use super::Repository;
use super::apart::{IDENTITY, Index, NOT_WORK, run_checked, text, text_at};
pub use super::is_commit;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// Where references to commits that travel begin.
const REFERENCES: &str = "refs/loopdeck/travel";
/// So many branches are compared to find out what the other side has.
const MOST_TIPS: &str = "--count=64";

/// Names a repository in all its clones: its first commit, the smallest where there are several.
///
/// # Errors
/// What git says: no repository, or none with a commit.
pub fn origin(of: &Repository) -> io::Result<String> {
    let roots = text(of, &["rev-list", "--max-parents=0", "HEAD"], None)?;
    commits(&roots).min().map(str::to_owned).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// The commits that git lists, one a line.
pub(super) fn commits(listed: &str) -> impl Iterator<Item = &str> {
    listed.lines().filter(|line| is_commit(line))
}

/// The commit that is checked out.
///
/// # Errors
/// As [`origin`].
pub fn head(of: &Repository) -> io::Result<String> {
    text(of, &["rev-parse", "--verify", "HEAD^{commit}"], None)
}

/// The last commits of the newest branches.
///
/// # Errors
/// What git says.
pub fn tips(of: &Repository) -> io::Result<Vec<String>> {
    let each = ["for-each-ref", "--sort=-committerdate", MOST_TIPS, "--format=%(objectname)"];
    let found = text(of, &[&each[..], &["refs/heads", "refs/remotes"]].concat(), None)?;
    Ok(commits(&found).map(str::to_owned).collect())
}

/// Whether the repository has this commit.
#[must_use]
pub fn has(of: &Repository, commit: &str) -> bool {
    is_commit(commit) && text(of, &["cat-file", "-e", &format!("{commit}^{{commit}}")], None).is_ok()
}

/// Writes `commit` to the bundle `at`, without what follows from `known` commits. `false`: those have all of it, and there is
/// no bundle.
///
/// # Errors
/// What git says.
pub fn pack(of: &Repository, commit: &str, known: &[String], at: &Path) -> io::Result<bool> {
    let known: Vec<&String> = known.iter().filter(|tip| has(of, tip)).collect();
    let without: Vec<String> = known.iter().map(|tip| format!("^{tip}")).collect();
    let without: Vec<&str> = without.iter().map(String::as_str).collect();
    let more = text(of, &[&["rev-list", "--max-count=1", commit][..], &without].concat(), None)?;
    if more.is_empty() {
        return Ok(false);
    }
    let reference = reference(commit);
    text(of, &["update-ref", &reference, commit], None)?;
    let create = ["bundle", "create", "-q"].map(OsStr::new);
    let wanted: Vec<&OsStr> =
        [&[reference.as_str()][..], &without].concat().into_iter().map(OsStr::new).collect();
    let made = run_checked(of, &[&create[..], &[at.as_os_str()], &wanted].concat(), None);
    let _ = text(of, &["update-ref", "-d", &reference], None); // one that stays harms nobody
    made.map(|_| true)
}

/// Takes `commit` from the bundle `at` into the repository, under a reference that [`forget`] takes away.
///
/// # Errors
/// What git says: a damaged bundle, one without the commit, one that needs commits that are not here.
pub fn unpack(of: &Repository, commit: &str, at: &Path) -> io::Result<()> {
    if !is_commit(commit) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let reference = reference(commit);
    let fetch = [
        "-c",
        "transfer.fsckObjects=true",
        "-c",
        "fetch.recurseSubmodules=false",
        "fetch",
        "-q",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--",
    ]
    .map(OsStr::new);
    let wanted = format!("{reference}:{reference}");
    run_checked(of, &[&fetch[..], &[at.as_os_str(), OsStr::new(&wanted)]].concat(), None)?;
    if text(of, &["rev-parse", "--verify", &reference], None)? == commit {
        return Ok(());
    }
    forget(of, commit);
    Err(io::Error::other("the bundle has another commit"))
}

/// Takes away the reference that keeps a commit that travelled.
pub fn forget(of: &Repository, commit: &str) {
    let _ = text(of, &["update-ref", "-d", &reference(commit)], None); // there may be none
}

/// Makes the branch `name` at `commit`, which the repository has.
///
/// # Errors
/// What git says: the name is taken, or none of a branch.
pub fn make_branch(of: &Repository, name: &str, commit: &str) -> io::Result<()> {
    text(of, &["branch", "--no-track", "--", name, commit], None).map(drop)
}

/// The working state of a worktree as a commit that follows from its own, with `files` in it that git may ignore: everything
/// that is needed to go on elsewhere.
///
/// # Errors
/// What git says.
pub fn checkpoint(of: &Repository, files: &[String]) -> io::Result<String> {
    commit_state(of, files, ("State of a run", 0)).map(|(commit, _)| commit)
}

/// What was done in a worktree until `at`, in seconds since 1970 UTC, as a commit of that time, without the state of its loop;
/// `None` when nothing was since `base`.
///
/// # Errors
/// What git says.
pub fn result(of: &Repository, base: &str, (message, at): (&str, i64)) -> io::Result<Option<String>> {
    let (commit, is_new) = commit_state(of, &[], (message, at))?;
    let commit = if is_new { commit } else { head(of)? };
    Ok((commit != base).then_some(commit))
}

fn commit_state(of: &Repository, files: &[String], (message, at): (&str, i64)) -> io::Result<(String, bool)> {
    let (top, head) = (of.at_top(), head(of)?);
    let index = Index::copied(&top)?;
    index.add_all(&top)?;
    // A state file that the repository itself has stays as it is there.
    index.run(&top, &[&["reset", "-q", "HEAD", "--"][..], &NOT_WORK[..]].concat())?;
    for some in files.chunks(200) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        index.run(of, &[&["--literal-pathspecs", "add", "-f", "--"][..], &some].concat())?;
    }
    let tree = index.run(&top, &["write-tree"])?;
    let is_new = text(&top, &["rev-parse", "HEAD^{tree}"], None)? != tree;
    let commit = ["commit-tree", "-p", &head, "-m", message, &tree];
    Ok((text_at(&top, &[&IDENTITY[..], &commit[..]].concat(), at)?, is_new))
}

/// Brings the worktree at `top`, whose commit is the one before `checkpoint`, to that state; nothing is committed.
///
/// # Errors
/// What git says.
pub fn restore(top: &Repository, checkpoint: &str) -> io::Result<()> {
    text(top, &["read-tree", "-u", "--reset", checkpoint], None)?;
    text(top, &["reset", "-q"], None).map(drop)
}

/// The commit before `commit`.
///
/// # Errors
/// What git says.
pub fn before(of: &Repository, commit: &str) -> io::Result<String> {
    text(of, &["rev-parse", "--verify", &format!("{commit}^^{{commit}}")], None)
}

fn reference(commit: &str) -> String {
    format!("{REFERENCES}/{commit}")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::apart;
    use super::super::tests::{opened, run};
    use super::*;

    fn commit(folder: &Path, file: &str) -> String {
        std::fs::write(folder.join(file), file).unwrap();
        run(folder, &["add", file]);
        run(folder, &["commit", "-qm", file]);
        head(&opened(folder)).unwrap()
    }

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), &["init", "-q", "-b", "main"]);
        std::fs::write(dir.path().join(".gitignore"), ".loop/\n").unwrap();
        run(dir.path(), &["add", "."]);
        commit(dir.path(), "first");
        dir
    }

    fn clone(of: &Path) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        run(of, &["clone", "-q", ".", &dir.path().to_string_lossy()]);
        dir
    }

    #[test]
    fn a_commit_travels_to_a_clone_with_only_what_is_missing_there() {
        let dir = repository();
        let other = clone(dir.path());
        let (here, there) = (opened(dir.path()), opened(other.path()));
        assert_eq!(origin(&here).unwrap(), origin(&there).unwrap());
        let second = commit(dir.path(), "second");
        let bundle = dir.path().join("x.bundle");
        let known = tips(&there).unwrap();
        assert!(!has(&there, &second));
        assert!(pack(&here, &second, &known, &bundle).unwrap());
        assert!(unpack(&there, &known[0], &bundle).is_err(), "the commit that was named is not in it");
        unpack(&there, &second, &bundle).unwrap();
        assert!(has(&there, &second));
        assert!(!pack(&here, &second, std::slice::from_ref(&second), &bundle).unwrap(), "nothing is missing");
        make_branch(&there, "loopdeck/x", &second).unwrap();
        assert!(make_branch(&there, "loopdeck/x", &second).is_err());
        assert!(make_branch(&there, "--force", &second).is_err());
        forget(&there, &second);
        assert!(!run(other.path(), &["for-each-ref"]).contains("travel"));
        std::fs::write(&bundle, "garbage").unwrap();
        assert!(unpack(&there, &second, &bundle).is_err());
        for name in ["", "HEAD", "--all", "abc"] {
            assert!(!is_commit(name) && !has(&here, name));
        }
    }

    #[test]
    fn what_was_going_on_continues_in_another_worktree() {
        let (dir, place) = (repository(), tempfile::tempdir().unwrap());
        let of = opened(dir.path());
        let base = head(&of).unwrap();
        let one = apart::add(&of, &base, &place.path().join("one")).unwrap();
        assert_eq!(result(&one, &base, ("x", 1)).unwrap(), None);
        let own = commit(one.folder(), "committed by the agent");
        std::fs::write(one.folder().join("new"), "new").unwrap();
        std::fs::remove_file(one.folder().join("first")).unwrap();
        std::fs::create_dir(one.folder().join(".loop")).unwrap();
        std::fs::write(one.folder().join(".loop/a.json"), "{}").unwrap();
        let state = checkpoint(&one, &[".loop/a.json".to_owned()]).unwrap();
        assert_eq!(before(&one, &state).unwrap(), own);

        let two = apart::add(&of, &own, &place.path().join("two")).unwrap();
        restore(&two, &state).unwrap();
        for file in ["new", ".loop/a.json", "committed by the agent"] {
            assert!(two.folder().join(file).exists(), "{file}");
        }
        assert!(!two.folder().join("first").exists());
        assert_eq!(head(&two).unwrap(), own);
        let work = ("What was done", 1_800_000_000);
        let done = result(&two, &base, work).unwrap().unwrap();
        assert_eq!(result(&two, &base, work).unwrap().unwrap(), done, "made again, it is the same");
        let times = run(two.folder(), &["show", "-s", "--format=%at %ct", &done]);
        assert_eq!(times, "1800000000 1800000000", "the time of the work");
        assert_eq!(before(&two, &done).unwrap(), own);
        let files = run(two.folder(), &["ls-tree", "-r", "--name-only", &done]);
        assert!(files.contains("new") && !files.contains(".loop"), "{files}");
    }
}
