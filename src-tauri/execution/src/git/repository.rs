//! The one way to ask git. A repository's files are written by agents and strangers, and its configuration can name programs: hooks,
//! filters, monitors, transports. Git never reads that configuration for us. It gets one of our own in its place, in a folder that
//! leads to the commits, branches and worktrees of the real one. So it does not matter which setting is the next that can run something,
//! or when it is written.
//!
//! That folder says where it came from: a [`Pin`] is what was there when the person trusted the folder. When `.git` is another one, or
//! its configuration says something else, git is not asked.

pub(super) mod person;

use super::place::{Place, content, place_of};
use super::settings::{Settings, difference};
use super::{LIMIT, git_error};
use crate::agents::environment::environment;
use crate::agents::places;
use crate::brief::{Answer, Question, ask};
use crate::platform::link;
use loopdeck_system::files::Canonical as _;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// What is the repository's in the folder that git takes for it. Files may come to be later.
const FILES: [&str; 3] = ["HEAD", "packed-refs", "shallow"];
/// The same for folders. Git cannot make one where a link leads to nothing.
const FOLDERS: [&str; 7] = ["info", "lfs", "logs", "objects", "refs", "reftable", WORKTREES];
const WORKTREES: &str = "worktrees";
/// So many characters are shown of the name of a setting.
const LONGEST_NAME: usize = 200;
/// Variables of git that say something of this computer, not of a repository, a remote or a program to run.
const PASSED_ON: [&str; 4] =
    ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH"];
/// The person's own configuration stays; these are not asked for, whoever wants them.
const QUIET: [&str; 13] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "submodule.recurse=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "worktree.useRelativePaths=false",
    "--no-optional-locks",
];
const VARIABLES: [(&str, &str); 6] = [
    // A bundle is a file. Nothing else is ever fetched, not even what a partial clone lacks.
    ("GIT_ALLOW_PROTOCOL", "file"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // A commit is what its name says.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// What a repository was when the person trusted its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pin {
    place: Place,
    /// Its settings, without what ordinary work with git writes.
    settings: Vec<String>,
}

/// The repository of a folder that the person trusts. There is no other way to ask git, and only
/// [`KeptChoices::repository`](crate::preferences::choices::KeptChoices::repository) makes one.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Where git is asked.
    folder: PathBuf,
    pin: Arc<Pin>,
    /// What git takes for the repository.
    own: Arc<TempDir>,
    /// The configuration that was last compared, as its bytes.
    seen: Arc<Mutex<Vec<u8>>>,
}

/// It is not what it was when the person trusted its folder.
#[derive(Debug)]
struct Changed {
    /// A setting, or `.git`.
    what: String,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has changed since the folder was trusted", self.what)
    }
}

impl std::error::Error for Changed {}

/// What changed in a repository so that git was not asked: the name of a setting, or `.git`.
#[must_use]
pub fn changed_in(error: &io::Error) -> Option<&str> {
    error.get_ref()?.downcast_ref::<Changed>().map(|changed| changed.what.as_str())
}

fn changed(what: &str) -> io::Error {
    let what = what.chars().take(LONGEST_NAME).collect();
    io::Error::new(io::ErrorKind::PermissionDenied, Changed { what })
}

impl Repository {
    /// The repository of `folder`, which the person trusts; `pin`: what it was then.
    ///
    /// # Errors
    /// `NotFound` when there is none; what [`changed_in`] tells; what git says of its configuration.
    pub(crate) fn open(folder: &Path, pin: Option<&Pin>) -> io::Result<Self> {
        let folder = folder.canonical()?;
        let found = place_of(&folder)?;
        if pin.is_some_and(|pin| found.as_ref() != Some(&pin.place)) {
            return Err(changed(".git"));
        }
        let place = found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not a git repository"))?;
        let own = TempDir::with_prefix("loopdeck-git-")?;
        for name in FILES.into_iter().chain(FOLDERS) {
            let real = place.common.join(name);
            if FILES.contains(&name) || real.is_dir() {
                link(&real, &own.path().join(name))?;
            }
        }
        // Until it is written, git has no settings but the person's.
        std::fs::write(own.path().join("config"), "")?;
        place.check_owner(|top| is_safe(own.path(), top))?;
        let seen = configuration(&place)?;
        let settings = settings(own.path(), &seen)?;
        let now = Pin { settings: settings.lasting(), place };
        if let Some(key) = pin.and_then(|pin| difference(&pin.settings, &now.settings)) {
            return Err(changed(key));
        }
        let back = settings.value("core.worktree").map(|top| now.place.git_dir.join(top));
        if now.place.elsewhere && back.and_then(|back| back.canonical().ok()).as_ref() != Some(&now.place.top)
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                ".git leads to a repository of other files",
            ));
        }
        std::fs::write(own.path().join("config"), settings.copied()?)?;
        let bytes = seen.concat();
        Ok(Self { folder, pin: Arc::new(now), own: Arc::new(own), seen: Arc::new(Mutex::new(bytes)) })
    }

    /// The worktree of this repository at `at`.
    ///
    /// # Errors
    /// Those of [`Repository::open`]; it is not one of this repository.
    pub(crate) fn worktree(&self, at: &Path) -> io::Result<Self> {
        self.check()?;
        let made = Self::open(at, None)?;
        if made.pin.place.common == self.pin.place.common { Ok(made) } else { Err(changed(".git")) }
    }

    /// The same at the top of its files.
    #[must_use]
    pub fn at_top(&self) -> Self {
        Self { folder: self.top().to_owned(), ..self.clone() }
    }

    /// The folder of its files.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.pin.place.top
    }

    /// The folder for which it was opened.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of its folder in it: empty for the top.
    #[must_use]
    pub fn inner(&self) -> &Path {
        self.folder.strip_prefix(self.top()).unwrap_or(Path::new(""))
    }

    /// What it was when it was opened.
    pub(crate) fn pin(&self) -> &Pin {
        &self.pin
    }

    /// Where git says what is staged.
    pub(super) fn index(&self) -> PathBuf {
        self.pin.place.git_dir.join("index")
    }

    /// Where git keeps what commits hold.
    pub(super) fn objects(&self) -> PathBuf {
        self.pin.place.common.join("objects")
    }

    /// Asks git. `variables`: added to the environment.
    ///
    /// # Errors
    /// What [`changed_in`] tells; those of [`ask`].
    pub(super) fn ask(
        &self,
        args: &[&OsStr],
        variables: &[(&str, &str)],
        limit: Duration,
    ) -> io::Result<Answer> {
        self.check().inspect_err(|error| {
            tracing::warn!(folder = %self.folder.display(), %error, "git is not asked");
        })?;
        let quiet = QUIET.iter().map(OsStr::new);
        let args = quiet.chain(args.iter().copied()).collect();
        let here = [
            ("GIT_DIR", self.pin.place.git_dir.as_path()),
            ("GIT_COMMON_DIR", self.own.path()),
            ("GIT_WORK_TREE", self.top()),
        ];
        let here = here.map(|(name, path)| (OsString::from(name), path.as_os_str().to_owned()));
        run(&self.folder, args, &here, variables, limit)
    }

    /// Compares it with what it was.
    fn check(&self) -> io::Result<()> {
        let place = &self.pin.place;
        if place_of(&self.folder)?.as_ref() != Some(place) {
            return Err(changed(".git"));
        }
        let now = configuration(place)?;
        let mut seen = self.seen.lock();
        let bytes = now.concat();
        if *seen == bytes {
            return Ok(());
        }
        let lasting = settings(self.own.path(), &now)?.lasting();
        if let Some(key) = difference(&self.pin.settings, &lasting) {
            return Err(changed(key));
        }
        *seen = bytes;
        Ok(())
    }

    /// Makes a worktree at `at`; `how`: more arguments before its path, `commit` behind it.
    ///
    /// # Errors
    /// What git says; something may be left of it.
    pub(super) fn make_worktree(
        &self,
        at: &Path,
        how: &[&str],
        commit: Option<&str>,
        limit: Duration,
    ) -> io::Result<Self> {
        self.has_worktrees()?;
        let add = ["worktree", "add", "--no-checkout"].iter().chain(how).chain(&["--"]).map(OsStr::new);
        let args: Vec<&OsStr> = add.chain([at.as_os_str()]).chain(commit.map(OsStr::new)).collect();
        let answer = self.ask(&args, &[], limit)?;
        if answer.code != Some(0) {
            return Err(git_error(&answer));
        }
        self.lead_to_common(at)?;
        let made = self.worktree(at)?;
        let answer = made.ask(&["reset", "-q", "--hard"].map(OsStr::new), &[], limit)?;
        if answer.code == Some(0) { Ok(made) } else { Err(git_error(&answer)) }
    }

    /// Git notes worktrees in the repository, also the first one.
    pub(super) fn has_worktrees(&self) -> io::Result<()> {
        let (real, own) = (self.pin.place.common.join(WORKTREES), self.own.path().join(WORKTREES));
        let no_place =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", real.display()));
        std::fs::create_dir_all(&real).map_err(no_place)?;
        if own.symlink_metadata().is_ok() { Ok(()) } else { link(&real, &own) }
    }

    /// A new worktree leads to where git took its repository to be, which goes away.
    fn lead_to_common(&self, at: &Path) -> io::Result<()> {
        let dot = at.join(".git");
        let text = String::from_utf8_lossy(&content(&dot)?).into_owned();
        let name = noted_as(&text).ok_or(io::ErrorKind::InvalidData)?;
        let to = self.pin.place.common.join(WORKTREES).join(name);
        std::fs::write(dot, [b"gitdir: ", to.as_os_str().as_encoded_bytes(), b"\n"].concat())
    }
}

/// The name under which a repository has noted a worktree, from the `.git` of that.
pub(super) fn noted_as(dot: &str) -> Option<&OsStr> {
    Path::new(dot.strip_prefix("gitdir:")?.trim()).file_name()
}

/// Its configuration, and that of its worktree.
fn configuration(place: &Place) -> io::Result<[Vec<u8>; 2]> {
    Ok([content(&place.common.join("config"))?, content(&place.git_dir.join("config.worktree"))?])
}

/// What its configuration says; files that it includes say nothing.
fn settings(own: &Path, [all, worktree]: &[Vec<u8>; 2]) -> io::Result<Settings> {
    let all = listed(own, all)?;
    // Git does not read the other one either, unless it is told to.
    if all.is_on("extensions.worktreeconfig") { Ok(all.and(listed(own, worktree)?)) } else { Ok(all) }
}

fn listed(own: &Path, bytes: &[u8]) -> io::Result<Settings> {
    if bytes.is_empty() {
        return Ok(Settings::default());
    }
    // A copy: git reads exactly the bytes that are compared later.
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), bytes)?;
    let args = ["config", "--no-includes", "--list", "-z", "--file"].map(OsStr::new);
    let args = args.into_iter().chain([file.path().as_os_str()]).collect();
    Settings::listed(&run(own, args, &without_repository(own), &[], LIMIT)?)
}

/// Whether the person's own configuration says that `top` is safe, whoever it belongs to.
fn is_safe(own: &Path, top: &Path) -> bool {
    let args = ["config", "--type=path", "-z", "--get-all", "safe.directory"].map(OsStr::new).to_vec();
    let Ok(answer) = run(own, args, &without_repository(own), &[], LIMIT) else { return false };
    names_safe(&String::from_utf8_lossy(&answer.stdout), top)
}

/// Whether the values of `safe.directory`, the last one last, name `top`.
pub(super) fn names_safe(text: &str, top: &Path) -> bool {
    let mut safe = false;
    for named in text.split_terminator('\0') {
        safe = match named.strip_suffix("/*") {
            _ if named.is_empty() => false,
            _ if named == "*" => true,
            Some(above) => safe || top.starts_with(above),
            None => safe || Path::new(named).canonical().is_ok_and(|named| named == top),
        };
    }
    safe
}

/// Git reads no repository but our own empty one.
fn without_repository(own: &Path) -> [(OsString, OsString); 1] {
    [("GIT_DIR".into(), own.as_os_str().to_owned())]
}

/// Starts git; nothing else does.
fn run(
    folder: &Path,
    args: Vec<&OsStr>,
    here: &[(OsString, OsString)],
    variables: &[(&str, &str)],
    limit: Duration,
) -> io::Result<Answer> {
    // A relative entry of PATH would name a program of the workspace.
    let found = places::search("git", environment()).found;
    let program = found.first().ok_or(io::ErrorKind::NotFound)?;
    let environment = [&of_this_computer(environment())[..], here].concat();
    let also = [&VARIABLES[..], variables].concat();
    ask(&Question {
        program,
        args,
        folder: Some(folder),
        environment: Some(&environment),
        also: &also,
        limit,
    })
}

/// Without what says where a repository is, and what it is asked with.
fn of_this_computer(environment: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_passed_on = |name: &OsStr| {
        !name.as_encoded_bytes().starts_with(b"GIT_") || PASSED_ON.iter().any(|passed| name == *passed)
    };
    environment.iter().filter(|(name, _)| is_passed_on(name)).cloned().collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_name_a_repository_or_a_program_are_not_passed_on() {
        let pairs = |names: &[&str]| -> Vec<(OsString, OsString)> {
            names.iter().map(|name| (name.into(), "x".into())).collect()
        };
        let all =
            ["GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_WORK_TREE", "GIT_EXEC_PATH", "HOME"];
        assert_eq!(of_this_computer(&pairs(&all)), pairs(&["GIT_EXEC_PATH", "HOME"]));
    }
}
