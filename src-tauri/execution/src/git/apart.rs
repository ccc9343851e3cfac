//! Worktrees in which workers of one round work apart from each other, and bringing back what they did.
//!
//! The working state of a folder, committed or not, becomes a commit without touching its index or its branch. Workers begin
//! with that commit. What one of them did is a commit too, under a reference, so that it outlives its worktree. Merging is a
//! real three-way merge, and its result is applied to the files all at once or not at all.

use super::{CHECKOUT_LIMIT, Repository, git_error, is_commit};
use loopdeck_system::files;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Where references to what workers did begin.
const REFERENCES: &str = "refs/loopdeck";
/// For each worktree: the commit that it started from.
const BASE: &str = "refs/worktree/loopdeck-base";
/// State files are written by loops, not by workers: they are in no worktree.
pub(super) const NOT_WORK: [&str; 3] =
    [":(top,glob)**/.claude/aot-loop-state*", ":(top,glob)**/.workflow/.loop/**", ":(top,glob)**/.loop/**"];
pub(super) const IDENTITY: [&str; 6] =
    ["-c", "user.name=Loopdeck", "-c", "user.email=loopdeck@localhost", "-c", "commit.gpgSign=false"];

/// That of a repository with millions of files is smaller.
const LARGEST_INDEX: u64 = 1 << 30;
/// The same work is the same commit, whenever it is kept.
const DATES: [(&str, &str); 2] = [("GIT_AUTHOR_DATE", "@0 +0000"), ("GIT_COMMITTER_DATE", "@0 +0000")];

/// What came of merging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// It is in the folder.
    Done,
    /// These files were changed by others too; the folder is as it was.
    Conflict(Vec<String>),
}

/// What a worker left in its worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptWork {
    /// The commit with which it began.
    pub base: String,
    /// The commit of what it did.
    pub commit: String,
    /// The reference that keeps the commit.
    pub reference: String,
}

/// The working state of a repository as a commit: tracked and new files, without what git ignores. `parent`: what
/// it follows from; HEAD when absent.
///
/// # Errors
/// What git says: none with a commit.
pub fn snapshot(repository: &Repository, parent: Option<&str>) -> io::Result<String> {
    let top = repository.at_top();
    let parent = match parent {
        Some(parent) => parent.to_owned(),
        None => text(&top, &["rev-parse", "--verify", "HEAD^{commit}"], None)?,
    };
    let index = Index::copied(&top)?;
    index.add_all(&top)?;
    let remove = ["rm", "--cached", "-r", "-q", "-f", "--ignore-unmatch", "--"];
    index.run(&top, &[&remove[..], &NOT_WORK[..]].concat())?;
    let tree = index.run(&top, &["write-tree"])?;
    let commit = ["commit-tree", "-p", &parent, "-m", "Working state", &tree];
    text(&top, &[&IDENTITY[..], &commit[..]].concat(), None)
}

/// Makes a worktree of `base` at `at`, and answers it at the folder in it that the repository was opened for.
///
/// # Errors
/// What git says.
pub fn add(repository: &Repository, base: &str, at: &Path) -> io::Result<Repository> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let made = repository.make_worktree(at, &["--detach"], Some(base), CHECKOUT_LIMIT)?;
    text(&made, &["update-ref", BASE, base], None)?;
    let inner = made.top().join(repository.inner());
    // A folder whose files are all ignored is in no commit.
    std::fs::create_dir_all(&inner)?;
    repository.worktree(&inner)
}

/// The worktree of the repository at `at`, which [`add`] made.
///
/// # Errors
/// It is not one of this repository any more; what [`changed_in`](super::changed_in) tells.
pub fn at(repository: &Repository, at: &Path) -> io::Result<Repository> {
    repository.worktree(at)
}

/// Keeps what was done in a worktree under a reference of this name; `None` when nothing was.
///
/// # Errors
/// What git says; nothing may be removed then.
pub fn keep(worktree: &Repository, name: &str) -> io::Result<Option<KeptWork>> {
    let base = base_of(worktree)?;
    let commit = snapshot(worktree, Some(&base))?;
    let tree = |commit: &str| text(worktree, &["rev-parse", &format!("{commit}^{{tree}}")], None);
    if tree(&base)? == tree(&commit)? {
        return Ok(None);
    }
    let short: String = commit.chars().take(10).collect();
    let reference = format!("{REFERENCES}/{name}-{short}");
    text(worktree, &["update-ref", &reference, &commit], None)?;
    Ok(Some(KeptWork { base, commit, reference }))
}

/// The commit with which the worktree began, whatever an agent committed in it.
fn base_of(worktree: &Repository) -> io::Result<String> {
    let noted = text(worktree, &["rev-parse", "--verify", "--quiet", BASE], None);
    noted.or_else(|_| text(worktree, &["rev-parse", "--verify", "HEAD"], None))
}

/// Brings what `kept` holds into the files of the repository. `theirs`: of files that others changed too, the worker's version is taken.
///
/// # Errors
/// What git says; the folder is as it was.
pub fn merge(repository: &Repository, kept: &KeptWork, theirs: bool) -> io::Result<Merged> {
    let top = repository.at_top();
    let now = snapshot(&top, Some(&kept.base))?;
    let merging = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", &now, &kept.commit];
    let answer = top.ask(&merging.map(OsStr::new), &[], CHECKOUT_LIMIT)?;
    if !matches!(answer.code, Some(0 | 1)) {
        return Err(git_error(&answer));
    }
    let (mut tree, conflicts) = parse_merge(&answer.stdout).ok_or_else(|| git_error(&answer))?;
    if answer.code == Some(1) {
        if !theirs {
            return Ok(Merged::Conflict(conflicts));
        }
        tree = with_theirs(&top, &tree, &kept.commit, &conflicts)?;
    }
    apply(&top, &now, &tree)?;
    Ok(Merged::Done)
}

/// What `git merge-tree -z --name-only` says: a tree, and the files that both sides changed. `None` when it is none, or one of the
/// files has no name of a file.
pub(super) fn parse_merge(said: &[u8]) -> Option<(String, Vec<String>)> {
    let mut records = super::records(said);
    let tree = records.next().filter(|tree| is_commit(tree))?;
    let conflicts: Vec<String> = records.collect();
    conflicts.iter().all(|name| super::is_inside(name)).then_some((tree, conflicts))
}

/// The mode and the object of the first file that `git ls-tree -z` lists.
pub(super) fn entry(listed: &str) -> Option<(&str, &str)> {
    let mut words = listed.split([' ', '\t']);
    let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
    let is_mode = mode.len() == 6 && mode.bytes().all(|byte| byte.is_ascii_digit());
    (is_mode && is_commit(object)).then_some((mode, object))
}

/// The submodules among what `git ls-files --stage -z` lists.
pub(super) fn submodules(listed: &str) -> Vec<String> {
    let name = |line: &str| {
        let (entry, name) = line.split_once('\t')?;
        (entry.starts_with("160000 ") && super::is_inside(name)).then(|| name.to_owned())
    };
    listed.split('\0').filter_map(name).collect()
}

/// `tree` with these files as they are in `commit`.
fn with_theirs(top: &Repository, tree: &str, commit: &str, files: &[String]) -> io::Result<String> {
    let index = Index::empty()?;
    index.run(top, &["read-tree", tree])?;
    for file in files {
        match entry(&text(top, &["ls-tree", "-z", commit, "--", file], None)?) {
            Some((mode, object)) => {
                let info = format!("{mode},{object},{file}");
                index.run(top, &["update-index", "--add", "--cacheinfo", &info])?;
            }
            None => drop(index.run(top, &["update-index", "--force-remove", "--", file])?),
        }
    }
    index.run(top, &["write-tree"])
}

/// Changes the files of `top` from one state to another, all or none.
fn apply(top: &Repository, from: &str, to: &str) -> io::Result<()> {
    let patch = tempfile::NamedTempFile::new()?;
    let mut output = OsString::from("--output=");
    output.push(patch.path());
    let diff = [
        "diff-tree",
        "-r",
        "-p",
        "--binary",
        "--full-index",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--submodule=short",
    ];
    let diff =
        [&diff.map(OsStr::new)[..], &[output.as_os_str()], &[OsStr::new(from), OsStr::new(to)]].concat();
    run_checked(top, &diff, None)?;
    if patch.path().metadata()?.len() == 0 {
        return Ok(());
    }
    let apply = ["apply", "--whitespace=nowarn", "--"].map(OsStr::new);
    run_checked(top, &[&apply[..], &[patch.path().as_os_str()]].concat(), None).map(drop)
}

/// Forgets what is in the folder by now.
pub fn forget(repository: &Repository, reference: &str) {
    let _ = text(repository, &["update-ref", "-d", reference], None);
}

/// Removes a worktree whose work is kept; `of`: the repositories of which it can be one.
pub fn remove(of: &[Repository], at: &Path) {
    for repository in of {
        super::remove_folder(&repository.at_top(), at);
        let _ = text(repository, &["worktree", "prune"], None);
    }
    let _ = std::fs::remove_dir_all(at);
}

/// An index of our own: that of the repository is not touched.
pub(super) struct Index {
    folder: tempfile::TempDir,
    path: String,
    /// Where new objects go, and where the others are; without them, the repository gets the new ones.
    objects: Option<[String; 2]>,
}

impl Index {
    pub(super) fn empty() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("index").to_string_lossy().into_owned();
        Ok(Self { folder, path, objects: None })
    }

    /// A copy, which knows which files need not be read. It is as old as the original: git reads again what is not older than the
    /// index, because it may have changed within one second.
    pub(super) fn copied(top: &Repository) -> io::Result<Self> {
        let index = Self::empty()?;
        let own = match files::open_plain(&top.index()) {
            Ok(own) => own,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(index),
            Err(error) => return Err(error),
        };
        let known = own.metadata()?;
        if known.len() > LARGEST_INDEX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut copy = File::create(&index.path)?;
        io::copy(&mut own.take(LARGEST_INDEX), &mut copy)?;
        copy.set_modified(known.modified()?)?;
        Ok(index)
    }

    /// Adds every file of `top`. For a submodule, git would be asked in it, by its own settings: only its commit is noted.
    pub(super) fn add_all(&self, top: &Repository) -> io::Result<()> {
        let listed = self.run(top, &["ls-files", "--stage", "-z"])?;
        let submodules = submodules(&listed);
        let without: Vec<String> =
            submodules.iter().map(|name| format!(":(top,exclude,literal){name}")).collect();
        let without: Vec<&str> = without.iter().map(String::as_str).collect();
        self.run(top, &[&["add", "--all", "--", "."][..], &without].concat())?;
        if !submodules.is_empty() {
            let names: Vec<&str> = submodules.iter().map(String::as_str).collect();
            self.run(top, &[&["update-index", "--remove", "--"][..], &names].concat())?;
        }
        Ok(())
    }

    /// The same with a folder of its own for new objects: nothing is written into the repository.
    pub(super) fn with_own_objects(self, top: &Repository) -> io::Result<Self> {
        let own = self.folder.path().join("objects");
        std::fs::create_dir(&own)?;
        let real = top.objects().to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        // In quotes, a colon is one of the name.
        let objects = Some([own.to_string_lossy().into_owned(), format!("\"{real}\"")]);
        Ok(Self { objects, ..self })
    }

    pub(super) fn run(&self, top: &Repository, args: &[&str]) -> io::Result<String> {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let objects = self.objects.iter().flat_map(|[own, real]| {
            [("GIT_OBJECT_DIRECTORY", &**own), ("GIT_ALTERNATE_OBJECT_DIRECTORIES", &**real)]
        });
        let variables: Vec<(&str, &str)> =
            [("GIT_INDEX_FILE", &*self.path)].into_iter().chain(objects).chain(DATES).collect();
        Ok(line(&run(top, &args, &variables)?))
    }

    /// The variable that makes git use it.
    pub(super) fn variable(&self) -> (&'static str, &str) {
        ("GIT_INDEX_FILE", &self.path)
    }
}

pub(super) fn text(of: &Repository, args: &[&str], index: Option<&str>) -> io::Result<String> {
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let stdout = run_checked(of, &args, index)?;
    Ok(line(&stdout))
}

/// The same for a commit of this time, in seconds since 1970 UTC.
pub(super) fn text_at(of: &Repository, args: &[&str], at: i64) -> io::Result<String> {
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let date = format!("@{at} +0000");
    let stdout = run(of, &args, &DATES.map(|(name, _)| (name, &*date)))?;
    Ok(line(&stdout))
}

pub(super) fn line(stdout: &[u8]) -> String {
    String::from_utf8_lossy(stdout).trim_end_matches(['\r', '\n', '\0']).to_owned()
}

pub(super) fn run_checked(of: &Repository, args: &[&OsStr], index: Option<&str>) -> io::Result<Vec<u8>> {
    let index = index.iter().map(|path| ("GIT_INDEX_FILE", *path));
    let variables: Vec<(&str, &str)> = index.chain(DATES).collect();
    run(of, args, &variables)
}

fn run(of: &Repository, args: &[&OsStr], variables: &[(&str, &str)]) -> io::Result<Vec<u8>> {
    let answer = of.ask(args, variables, CHECKOUT_LIMIT)?;
    if answer.code == Some(0) { Ok(answer.stdout) } else { Err(git_error(&answer)) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::tests::{opened, run};
    use super::*;
    use std::path::PathBuf;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(folder: &Path, name: &str) -> Option<String> {
        std::fs::read_to_string(folder.join(name)).ok()
    }

    /// A repository with a commit, and changes that are not committed: staged, unstaged, new.
    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), &["init", "-q", "-b", "main"]);
        write(dir.path(), "lines.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        write(dir.path(), ".gitignore", "ignored\n");
        write(dir.path(), ".claude/aot-loop-state.md", "state");
        run(dir.path(), &["add", "."]);
        run(dir.path(), &["commit", "-qm", "x"]);
        write(dir.path(), "staged.txt", "staged");
        run(dir.path(), &["add", "staged.txt"]);
        write(dir.path(), "in/new é.txt", "new");
        write(dir.path(), "ignored", "theirs");
        dir
    }

    /// Worktrees for workers with these names.
    fn apart(dir: &Path, place: &Path, names: &[&str]) -> Vec<PathBuf> {
        let of = opened(dir);
        let base = snapshot(&of, None).unwrap();
        names.iter().map(|name| add(&of, &base, &place.join(name)).unwrap().folder().to_owned()).collect()
    }

    #[test]
    fn a_copy_of_the_index_is_as_old_as_it() {
        let dir = repository();
        let at = dir.path().join(".git/index");
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
        File::options().append(true).open(&at).unwrap().set_modified(long_ago).unwrap();
        let copy = Index::copied(&opened(dir.path())).unwrap();
        assert_eq!(std::fs::metadata(&copy.path).unwrap().modified().unwrap(), long_ago);
    }

    #[test]
    fn workers_begin_with_the_working_state_and_the_index_stays() {
        let (dir, place) = (repository(), tempfile::tempdir().unwrap());
        let before = run(dir.path(), &["status", "--porcelain"]);
        let at = apart(&dir.path().join("in"), place.path(), &["a"]).remove(0);
        assert!(at.ends_with("a/in"), "{}", at.display());
        let top = place.path().join("a");
        assert_eq!(read(&top, "staged.txt").as_deref(), Some("staged"));
        assert_eq!(read(&at, "new é.txt").as_deref(), Some("new"));
        assert_eq!((read(&top, "ignored"), read(&top, ".claude/aot-loop-state.md")), (None, None));
        assert_eq!(run(dir.path(), &["status", "--porcelain"]), before);
        assert_eq!(keep(&opened(&top), "w/a").unwrap(), None, "nothing was done");
        remove(&[opened(dir.path())], &top);
        assert!(!top.exists());
        assert_eq!(run(dir.path(), &["worktree", "list"]).lines().count(), 1);
    }

    #[test]
    fn what_workers_did_is_merged_and_the_state_file_is_nobodys() {
        let (dir, place) = (repository(), tempfile::tempdir().unwrap());
        let at = apart(dir.path(), place.path(), &["a", "b"]);
        write(&at[0], "lines.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
        write(&at[0], "a.bin", "\0\u{1}");
        run(&at[0], &["add", "."]);
        run(&at[0], &["commit", "-qm", "an agent commits"]);
        write(&at[1], "lines.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
        write(&at[1], ".claude/aot-loop-state.md", "theirs");
        std::fs::remove_file(at[1].join("staged.txt")).unwrap();
        for at in &at {
            let kept = keep(&opened(at), "w/x").unwrap().unwrap();
            assert_eq!(merge(&opened(dir.path()), &kept, false).unwrap(), Merged::Done);
            assert_eq!(merge(&opened(dir.path()), &kept, false).unwrap(), Merged::Done, "twice is once");
            forget(&opened(dir.path()), &kept.reference);
        }
        assert_eq!(read(dir.path(), "lines.txt").as_deref(), Some("one\n2\n3\n4\n5\n6\n7\n8\nnine\n"));
        assert_eq!(read(dir.path(), "a.bin").as_deref(), Some("\0\u{1}"));
        assert_eq!(read(dir.path(), "staged.txt"), None);
        assert_eq!(read(dir.path(), ".claude/aot-loop-state.md").as_deref(), Some("state"));
        assert_eq!(run(dir.path(), &["for-each-ref", "refs/loopdeck"]), "");
    }

    #[test]
    fn a_conflict_changes_nothing_and_the_workers_version_can_be_taken() {
        let (dir, place) = (repository(), tempfile::tempdir().unwrap());
        let at = apart(dir.path(), place.path(), &["a"]).remove(0);
        write(&at, "lines.txt", "theirs\n");
        write(&at, "more.txt", "more");
        std::fs::remove_file(at.join("staged.txt")).unwrap();
        write(dir.path(), "lines.txt", "mine\n");
        write(dir.path(), "staged.txt", "mine");
        let kept = keep(&opened(&at), "w/a").unwrap().unwrap();
        let conflict = Merged::Conflict(vec!["lines.txt".into(), "staged.txt".into()]);
        assert_eq!(merge(&opened(dir.path()), &kept, false).unwrap(), conflict);
        assert_eq!(read(dir.path(), "lines.txt").as_deref(), Some("mine\n"));
        assert_eq!(read(dir.path(), "more.txt"), None);
        remove(&[opened(dir.path())], &at);
        assert!(run(dir.path(), &["rev-parse", &kept.reference]).starts_with(&kept.commit), "it is kept");
        assert_eq!(merge(&opened(dir.path()), &kept, true).unwrap(), Merged::Done);
        assert_eq!(read(dir.path(), "lines.txt").as_deref(), Some("theirs\n"));
        assert_eq!(
            (read(dir.path(), "more.txt").as_deref(), read(dir.path(), "staged.txt")),
            (Some("more"), None)
        );
    }

    #[test]
    fn without_a_commit_there_is_nothing_to_begin_with() {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), &["init", "-q"]);
        assert!(snapshot(&opened(dir.path()), None).is_err());
    }
}
