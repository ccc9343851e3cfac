//! What the disk says of a run, apart from what its agent says: files that changed, the debug log, log statements left in.

use crate::changes::RunChanges;
use crate::git::{self, Repository};
use loopdeck_agents::answers::{self, Answer, AnswerKind};
use loopdeck_core::driver::ChangedLines;
use loopdeck_core::driver::debug_log;
use loopdeck_core::driver::debug_log::DebugLog;
use loopdeck_system::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Clocks of file systems are a little behind.
const BEHIND: Duration = Duration::from_millis(20);
/// A longer file has no log statement of an agent.
const LONGEST_SOURCE: u64 = 2 << 20;
/// So many files are looked into for log statements.
const MOST_SOURCES: usize = 600;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct FolderWatch {
    /// Kind of the answer; none for a test run or a skill.
    pub(crate) answer: Option<AnswerKind>,
    /// The loop's `debug.log`, absolute: log statements of this run write to it.
    pub(crate) log: Option<PathBuf>,
    /// Files that had log statements in them when it was begun.
    pub(crate) instrumented: BTreeSet<String>,
    /// Whether log statements are looked for at all.
    pub(crate) sources: bool,
}

/// The folder when the run began.
pub(crate) struct FolderBefore {
    look: git::FolderSnapshot,
    at: SystemTime,
}

impl FolderBefore {
    pub(crate) fn now(folder: &Path, repository: Option<Repository>) -> Self {
        let at = SystemTime::now().checked_sub(BEHIND).unwrap_or(SystemTime::UNIX_EPOCH);
        Self { look: git::snapshot(folder, repository), at }
    }

    /// Files that changed since; those that git leaves out count when the answer names them.
    pub(crate) fn changed(&self, folder: &Path, named: &[String]) -> Option<Vec<String>> {
        let mut changed = git::changed_since(folder, &self.look)?;
        let is_new = |file: &&String| {
            let seen = folder.join(file).symlink_metadata().and_then(|seen| seen.modified());
            !changed.contains(file) && seen.is_ok_and(|modified| modified >= self.at)
        };
        let new: Vec<String> = named.iter().filter(is_new).cloned().collect();
        changed.extend(self.look.left_out(&new));
        Some(changed)
    }

    /// These files with both versions, in a repository.
    pub(crate) fn changes(&self, folder: &Path, changed: &[String]) -> Option<RunChanges> {
        git::changes_since(folder, &self.look, changed)
    }

    /// Lines that were added and removed in these files; `None` when they cannot be counted.
    pub(crate) fn lines(&self, folder: &Path, changed: &[String]) -> Option<ChangedLines> {
        git::lines_since(folder, &self.look, changed)
    }
}

impl FolderWatch {
    /// The folder of the log is there, so that a log statement can write.
    pub(crate) fn prepare(&self, folder: &Path) {
        let Some(progress) = self.log.as_deref().and_then(Path::parent) else { return };
        if progress.parent().is_some_and(|root| files::lies_within(folder, root)) {
            // Where it cannot be made, the agent sees that nothing can be logged.
            let _ = std::fs::create_dir(progress);
        }
    }

    /// Files that the answer names.
    pub(crate) fn files_named_in(&self, structured: Option<&str>, text: &str) -> Vec<String> {
        let read = self.answer.and_then(|kind| answers::read_structured(kind, structured, text).ok());
        match read.map(|reading| reading.answer) {
            Some(Answer::Develop(answer)) => answer.files_changed,
            Some(Answer::Debug(answer)) => answer.files_changed,
            Some(Answer::Worker(answer)) => answer.files_changed,
            Some(Answer::Init(_) | Answer::Atom(_) | Answer::Judge(_) | Answer::Probe(_)) | None => {
                Vec::new()
            }
        }
    }

    /// The end of the debug log; `None` without one. Untrusted text.
    pub(crate) fn log_text(&self, folder: &Path) -> Option<String> {
        let log = self.log.as_deref()?;
        let within = log.parent().is_some_and(|progress| files::lies_within(folder, progress));
        let (bytes, _) = files::read_end(folder, log, debug_log::MOST_BYTES).ok().filter(|_| within)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Of these files and those that had them before, the ones with log statements in them; `None` when they were not checked.
    pub(crate) fn marked_files(&self, folder: &Path, changed: &[String]) -> Option<BTreeSet<String>> {
        let all: BTreeSet<&String> = changed.iter().chain(&self.instrumented).collect();
        let is_marked = |file: &&&String| {
            let path = folder.join(file);
            let is_source = path.symlink_metadata().is_ok_and(|it| it.is_file());
            let mut bytes = Vec::new();
            is_source
                && answers::relative_path(file).is_ok()
                && files::read_up_to(folder, &path, LONGEST_SOURCE, &mut bytes).is_ok()
                && debug_log::is_marked(&bytes)
        };
        self.sources
            .then(|| all.iter().take(MOST_SOURCES).filter(is_marked).map(|file| (*file).clone()).collect())
    }
}

/// The debug log, without secrets.
pub(crate) fn read_log(text: Option<String>, hide: impl Fn(String) -> String) -> Option<DebugLog> {
    text.map(|text| DebugLog::read(hide(text).as_bytes()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use loopdeck_system::files::Canonical as _;
    use std::fs;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        (dir, root)
    }

    #[test]
    fn files_that_are_not_compared_count_when_they_are_named_and_new() {
        let (_dir, root) = folder();
        fs::create_dir_all(root.join("dist")).unwrap();
        for name in ["dist/old.js", "a.rs", "b.rs"] {
            fs::write(root.join(name), "1").unwrap();
            let long_ago = SystemTime::now() - Duration::from_secs(600);
            fs::File::open(root.join(name)).unwrap().set_modified(long_ago).unwrap();
        }
        let before = FolderBefore::now(&root, None);
        fs::write(root.join("dist/new.js"), "1").unwrap();
        fs::write(root.join("a.rs"), "2").unwrap();
        fs::File::open(root.join("b.rs")).unwrap().set_modified(SystemTime::now()).unwrap();
        let named = ["dist/new.js", "dist/old.js", "b.rs", "gone.rs"].map(str::to_owned);
        assert_eq!(before.changed(&root, &named).unwrap(), ["a.rs", "dist/new.js"]);
    }

    #[test]
    fn log_statements_are_found_in_files_of_the_folder_only() {
        let (_dir, root) = folder();
        let (_outside, other) = folder();
        let marked = "x(); // loopdeck:debug H1\n";
        fs::write(other.join("secret.rs"), marked).unwrap();
        std::os::unix::fs::symlink(&other, root.join("link")).unwrap();
        fs::write(root.join("a.rs"), marked).unwrap();
        fs::write(root.join("b.rs"), "x();\n").unwrap();
        fs::write(root.join("long.rs"), [marked, &" ".repeat(3 << 20)].concat()).unwrap();
        fs::create_dir(root.join("dir")).unwrap();
        let before = ["was.rs", "b.rs"].map(str::to_owned).into_iter().collect();
        let lookout = FolderWatch { instrumented: before, sources: true, ..FolderWatch::default() };
        let names = ["a.rs", "b.rs", "gone.rs", "dir", "long.rs", "link/secret.rs"].map(str::to_owned);
        assert_eq!(lookout.marked_files(&root, &names).unwrap(), BTreeSet::from(["a.rs".to_owned()]));
        assert_eq!(FolderWatch::default().marked_files(&root, &names), None);
    }

    #[test]
    fn the_folder_of_the_log_is_made_and_its_end_is_read_without_secrets() {
        let (_dir, root) = folder();
        let log = root.join(".loop/x.progress/debug.log");
        let lookout = FolderWatch { log: Some(log.clone()), ..FolderWatch::default() };
        lookout.prepare(&root);
        assert!(!root.join(".loop").exists(), "no folder of a loop");
        fs::create_dir(root.join(".loop")).unwrap();
        assert_eq!(lookout.log_text(&root), None);
        lookout.prepare(&root);
        fs::write(&log, "{\"hid\":\"H1\",\"data\":\"swordfish\"}\nfree text\n").unwrap();
        let read = read_log(lookout.log_text(&root), |text| text.replace("swordfish", "****")).unwrap();
        assert_eq!((read.entries, read.foreign), (1, 1));
        assert_eq!(read.evidence("H1").compact(), r#"[{"hid":"H1","data":"****"}]"#);
        let (_outside, other) = folder();
        fs::write(other.join("debug.log"), "{\"hid\":\"H1\"}\n").unwrap();
        fs::remove_dir_all(root.join(".loop/x.progress")).unwrap();
        std::os::unix::fs::symlink(&other, root.join(".loop/x.progress")).unwrap();
        assert_eq!(lookout.log_text(&root), None, "a link that leads out");
    }
}
