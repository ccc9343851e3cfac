//! What changed in a folder since a loop began there: by file, without reading more than git reads for a list.
//!
//! Where it began is a commit of the working state then, with what was not committed; a reference keeps it. What git ignores,
//! and the state of loops, is in no list.

use super::apart::{self, Index};
use super::finish::without_state_files;
use super::{CHECKOUT_LIMIT, Repository, git_error, is_commit, is_inside, records};
use crate::changes::ChangeKind;
use crate::tasks;
use loopdeck_core::driver::ChangedLines;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::sync::mpsc;
use std::time::Duration;

/// Where references to beginnings of loops are.
const REFERENCES: &str = "refs/loopdeck-begin";
/// More files than this are compared by name only, not for what was moved.
const MOST_RENAMES: &str = "diff.renameLimit=1000";
/// A list that is as long as what is kept of an answer is not whole.
const LONGEST_LIST: usize = 16 << 20;

/// A file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSince {
    /// Relative to the folder. Untrusted text.
    pub path: String,
    /// Where it was before, when it was moved. Untrusted text.
    pub from: Option<String>,
    /// What became of it.
    pub kind: ChangeKind,
    /// `None` when it is no text.
    pub lines: Option<ChangedLines>,
    /// It is another repository in this one.
    pub is_submodule: bool,
    /// How git keeps it: before when it was there, else now. Octal: 100644, 100755 for what can be run, 120000 for a link.
    pub mode: u32,
}

/// Notes the working state of the folder as the beginning of the loop with this name: a commit, kept under a reference.
///
/// # Errors
/// What git says: none with a commit.
pub fn begin(repository: &Repository, name: &str) -> io::Result<String> {
    let commit = apart::snapshot(repository, None)?;
    let reference = format!("{REFERENCES}/{name}");
    apart::text(repository, &["update-ref", &reference, &commit], None)?;
    Ok(commit)
}

/// The same, when git needs no longer than that.
///
/// # Errors
/// As [`begin`]; `TimedOut` when it needs longer: what it makes all the same is forgotten.
pub fn begin_within(repository: Repository, name: String, wait: Duration) -> io::Result<String> {
    let (late, of) = (repository.clone(), name.clone());
    within(wait, move || begin(&repository, &name), move |_| forget(&late, &of))?
}

/// Forgets the beginning of the loop with this name, when there is one.
pub fn forget(repository: &Repository, name: &str) {
    apart::forget(repository, &format!("{REFERENCES}/{name}"));
}

/// What `work` makes, when that takes no longer than `wait`; otherwise it goes to `too_late` once it is there.
fn within<T: Send + 'static>(
    wait: Duration,
    work: impl FnOnce() -> T + Send + 'static,
    too_late: impl FnOnce(T) + Send + 'static,
) -> io::Result<T> {
    // Without room: what is sent was received, or comes back.
    let (reply, answer) = mpsc::sync_channel(0);
    tasks::start(move || {
        if let Err(mpsc::SendError(made)) = reply.send(work()) {
            too_late(made);
        }
    })?;
    answer.recv_timeout(wait).map_err(|_| io::ErrorKind::TimedOut.into())
}

/// The files below the folder that are not as in `base`, a commit; as in the last commit when there is none.
///
/// # Errors
/// What git says: the commit is no longer here. `FileTooLarge` for more files than anybody looks at.
pub fn files_since(repository: &Repository, base: Option<&str>) -> io::Result<Vec<FileSince>> {
    list_since(repository, base, &["."])
}

/// The file at `path`, when it is not as in `base`; `from`: where it may have been moved from. Nothing else is looked at.
///
/// # Errors
/// As [`files_since`].
pub fn file_since(
    repository: &Repository,
    base: Option<&str>,
    path: &str,
    from: Option<&str>,
) -> io::Result<Option<FileSince>> {
    let names: Vec<String> =
        [Some(path), from].into_iter().flatten().map(|name| format!(":(literal){name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(list_since(repository, base, &names)?.into_iter().find(|file| file.path == path))
}

/// The files that these patterns name, relative to the folder, and that are not as in `base`.
fn list_since(repository: &Repository, base: Option<&str>, named: &[&str]) -> io::Result<Vec<FileSince>> {
    let index = Index::copied(&repository.at_top())?;
    note_new_files(repository, &index, named)?;
    let head = || apart::text(repository, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], None);
    let empty = || apart::text(repository, &["hash-object", "-t", "tree", "/dev/null"], None);
    let base = match base.filter(|base| is_commit(base)) {
        Some(base) => base.to_owned(),
        None => head().or_else(|_| empty())?,
    };
    let options = [
        "-c",
        MOST_RENAMES,
        "diff",
        "--raw",
        "--numstat",
        "-z",
        "--no-abbrev",
        "--find-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "--relative",
        &base,
        "--",
    ];
    let state = without_state_files();
    let state = state.iter().map(String::as_str);
    let args: Vec<&OsStr> =
        options.into_iter().chain(named.iter().copied()).chain(state).map(OsStr::new).collect();
    let answer = repository.ask(&args, &[index.variable()], CHECKOUT_LIMIT)?;
    if answer.code != Some(0) {
        return Err(git_error(&answer));
    }
    if answer.stdout.len() >= LONGEST_LIST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(parse_list(&answer.stdout))
}

/// Git compares what it knows of: it is told of new files in an index of our own, without reading them.
fn note_new_files(repository: &Repository, index: &Index, named: &[&str]) -> io::Result<()> {
    let list = ["ls-files", "--others", "--exclude-standard", "-z", "--"];
    let list: Vec<&OsStr> = list.into_iter().chain(named.iter().copied()).map(OsStr::new).collect();
    let answer = repository.ask(&list, &[index.variable()], CHECKOUT_LIMIT)?;
    if answer.code != Some(0) {
        return Err(git_error(&answer));
    }
    // A repository in this one that is no submodule is not this one's.
    let names: Vec<String> = super::names(&answer.stdout).filter(|name| !name.ends_with('/')).collect();
    if names.is_empty() {
        return Ok(());
    }
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(names.join("\0").as_bytes())?;
    let from = format!("--pathspec-from-file={}", file.path().display());
    let add = ["add", "--intent-to-add", &from, "--pathspec-file-nul"].map(OsStr::new);
    let answer = repository.ask(&add, &[index.variable(), ("GIT_LITERAL_PATHSPECS", "1")], CHECKOUT_LIMIT)?;
    if answer.code == Some(0) { Ok(()) } else { Err(git_error(&answer)) }
}

/// What `git diff --raw --numstat -z` says: first every file with what became of it, then every file with its lines.
pub(super) fn parse_list(said: &[u8]) -> Vec<FileSince> {
    let mut files: Vec<FileSince> = Vec::new();
    let mut lines = std::collections::BTreeMap::new();
    let mut records = records(said);
    while let Some(record) = records.next() {
        if let Some(raw) = record.strip_prefix(':') {
            let Some((file, moved)) = raw_file(raw) else { continue };
            let first = records.next().unwrap_or_default();
            let (from, path) =
                if moved { (Some(first), records.next().unwrap_or_default()) } else { (None, first) };
            let is_known = from.as_ref().is_none_or(|from| is_inside(from));
            if is_inside(&path) && is_known {
                files.push(FileSince { path, from, ..file });
            }
            continue;
        }
        let mut cells = record.splitn(3, '\t');
        let (Some(added), Some(removed), Some(name)) = (cells.next(), cells.next(), cells.next()) else {
            continue;
        };
        let counted = added.parse().ok().zip(removed.parse().ok());
        let path =
            if name.is_empty() { records.by_ref().nth(1).unwrap_or_default() } else { name.to_owned() };
        lines.insert(path, counted.map(|(added, removed)| ChangedLines { added, removed }));
    }
    for file in &mut files {
        file.lines = lines.get(&file.path).copied().flatten().filter(|_| !file.is_submodule);
    }
    files
}

/// The modes and the letter of a line of `--raw`; whether a second name follows.
fn raw_file(raw: &str) -> Option<(FileSince, bool)> {
    let mut words = raw.split(' ');
    let (old, new) = (words.next()?, words.next()?);
    let letter = words.nth(2)?.chars().next()?;
    let kind = match letter {
        'A' => ChangeKind::Added,
        'D' => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    };
    let is_submodule = [old, new].contains(&"160000");
    let mode = u32::from_str_radix(if letter == 'A' { new } else { old }, 8).ok()?;
    let file = FileSince { path: String::new(), from: None, kind, lines: None, is_submodule, mode };
    Some((file, matches!(letter, 'R' | 'C')))
}

/// A file as it was in `base`, as it would be in the folder; `None` when it was not there. `path`: relative to the folder.
///
/// # Errors
/// What git says.
pub fn bytes_in(repository: &Repository, base: &str, path: &str) -> io::Result<Option<Vec<u8>>> {
    if !is_inside(path) || !is_commit(base) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if listed_in(repository, base, path)?.is_none() {
        return Ok(None);
    }
    let top_name = repository.inner().join(path);
    let name = format!("{base}:{}", top_name.to_string_lossy());
    let answer = repository.ask(&["cat-file", "--filters", &name].map(OsStr::new), &[], CHECKOUT_LIMIT)?;
    if answer.code == Some(0) { Ok(Some(answer.stdout)) } else { Err(git_error(&answer)) }
}

/// Whether a file can be run as it is in `base`. `path`: relative to the folder.
///
/// # Errors
/// What git says.
pub fn is_executable_in(repository: &Repository, base: &str, path: &str) -> io::Result<bool> {
    if !is_inside(path) || !is_commit(base) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(listed_in(repository, base, path)?.is_some_and(|listed| listed.starts_with("100755 ")))
}

/// The entry of a file in `base`: mode, kind, object and name.
fn listed_in(repository: &Repository, base: &str, path: &str) -> io::Result<Option<String>> {
    let top_name = repository.inner().join(path);
    let list = ["ls-tree", "-z", "--full-tree", base, "--"].map(OsStr::new);
    let variables = [("GIT_LITERAL_PATHSPECS", "1")];
    let answer =
        repository.ask(&[&list[..], &[top_name.as_os_str()]].concat(), &variables, CHECKOUT_LIMIT)?;
    if answer.code != Some(0) {
        return Err(git_error(&answer));
    }
    Ok(records(&answer.stdout).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_too_late_is_not_taken_and_not_lost() {
        let (open, gate) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let work = move || {
            let _ = gate.recv();
            "late"
        };
        let late = within(Duration::ZERO, work, move |made| tell.send(made).unwrap());
        assert_eq!(late.unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(open);
        assert_eq!(told.recv(), Ok("late"));
        let on_time = within(Duration::from_secs(600), || "made", |_| unreachable!("somebody waits"));
        assert_eq!(on_time.unwrap(), "made");
    }
}
