//! Reading the results of a real test run: what the command printed and the files it left.

use crate::runs::log::{LogReader, Stream};
use loopdeck_core::driver::TestsEnd;
use loopdeck_core::problem::ProblemCode;
use loopdeck_results::unread::{UnreadReason, UnreadReport};
use loopdeck_results::{self, Reading, Source};
use loopdeck_system::files::{self, ReadFault};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::platform::seen_at;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

/// Output of tests that is looked through: the last of it.
const OUTPUT: usize = 32 << 20;
/// Where test reporters write that Loopdeck proposes, below the workspace: next to the state of loops, which no repository tracks.
pub const RESULTS: &str = ".workflow/test-results";
/// So many files of results are read.
const MOST_FILES: u32 = 500;
/// So many bytes of them in all: everything that the tests print can be in a report.
const MOST_BYTES: u64 = 256 << 20;
/// How reports are called in a folder of results; what they are, they say themselves.
const ENDINGS: [&str; 8] = ["xml", "json", "jsonl", "ndjson", "tap", "info", "lcov", "trx"];
/// Where coverage files usually are, below the workspace.
const COVERAGE: [&str; 6] = [
    "coverage/coverage-summary.json",
    "coverage/coverage-final.json",
    "coverage/lcov.info",
    "lcov.info",
    "coverage.xml",
    "target/coverage/cobertura.xml",
];

/// Where test reports usually are, below the workspace: a check has no names of its own for them.
const USUAL: [&str; 7] = [
    RESULTS,
    "junit.xml",
    "test-results",
    "reports",
    "target/surefire-reports",
    "build/test-results/test",
    "target/nextest/default/junit.xml",
];

/// The reports that are counted of a command that names none.
#[must_use]
pub fn usual_reports() -> Vec<String> {
    USUAL.map(str::to_owned).into()
}

/// What was known of results before the command began: they are of another run and say nothing.
#[derive(Debug)]
pub(crate) enum EarlierResults {
    /// These files stood there, as they were then.
    Files(BTreeMap<String, Seen>),
    /// It began then; what is older is of another run.
    Since(SystemTime),
}

/// A file as it was: length, time of its last change, its number in the file system.
type Seen = (u64, Option<SystemTime>, u64);

impl EarlierResults {
    /// Removes results of earlier runs from our own results folder and creates it; elsewhere nothing is touched and existing files are
    /// remembered.
    pub(crate) fn prepare(folder: &Path, results: &[String]) -> Self {
        let mut known = BTreeMap::new();
        for name in results.iter().map(String::as_str).chain(COVERAGE) {
            each_file(folder, name, &mut |file, path, seen| {
                let ours = is_in_results(file) && files::lies_within(folder, path);
                if !ours || std::fs::remove_file(path).is_err() {
                    known.insert(file.to_owned(), stamp(path, seen));
                }
            });
        }
        for name in results.iter().filter(|name| is_in_results(name) && *name != RESULTS && is_safe(name)) {
            let wanted = if name.ends_with('/') {
                Some(name.as_str())
            } else {
                name.rsplit_once('/').map(|(to, _)| to)
            };
            if let Some(wanted) = wanted {
                // A command that cannot write its results says so itself.
                files::make_folders(folder, wanted).logged("the folder of the test results is not made");
            }
        }
        Self::Files(known)
    }

    /// Of a run that began `at` and is found again.
    pub(crate) fn at(at: SystemTime) -> Self {
        Self::Since(at)
    }

    fn is_new(&self, name: &str, path: &Path, seen: &Metadata) -> bool {
        match self {
            Self::Files(known) => known.get(name) != Some(&stamp(path, seen)),
            Self::Since(since) => seen.modified().is_ok_and(|at| at >= *since),
        }
    }
}

fn stamp(path: &Path, seen: &Metadata) -> Seen {
    (seen.len(), seen.modified().ok(), seen_at(path).map_or(0, |(_, number)| number))
}

/// Reads what the run in `folder` left; what stood there `before` says nothing.
pub(crate) fn read(
    folder: &Path,
    results: &[String],
    before: &EarlierResults,
    log: &LogReader,
    exit_code: Option<i32>,
) -> Reading {
    let mut found = Reports::default();
    for name in results.iter().map(String::as_str).chain(COVERAGE) {
        found.collect(folder, name, before);
    }
    let sources: Vec<Source<'_>> = found.read.iter().map(|(name, bytes)| Source { name, bytes }).collect();
    let (stdout, stderr) = output(log);
    loopdeck_results::read_with(&sources, &found.missed, &stdout, &stderr, exit_code, None)
}

/// Whether a path below the workspace is our results folder or in it.
fn is_in_results(name: &str) -> bool {
    name.strip_prefix(RESULTS).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_safe(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('/') && !name.split(['/', '\\']).any(|part| part == "..")
}

/// Calls `look` with every file that a name means: itself, or with a folder those in it that may be results.
fn each_file(folder: &Path, name: &str, look: &mut impl FnMut(&str, &Path, &Metadata)) {
    if !is_safe(name) {
        return;
    }
    let path = folder.join(name);
    let Ok(seen) = path.symlink_metadata() else { return };
    if seen.is_file() || seen.is_symlink() {
        return look(name, &path, &seen);
    }
    if !seen.is_dir() {
        return;
    }
    let name = name.trim_end_matches('/');
    let mut names: Vec<String> = std::fs::read_dir(&path)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|file| {
            let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
            ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
        })
        .collect();
    names.sort();
    for file in &names {
        let path = path.join(file);
        if let Some(seen) = path.symlink_metadata().ok().filter(|seen| seen.is_file() || seen.is_symlink()) {
            look(&format!("{name}/{file}"), &path, &seen);
        }
    }
}

/// The reports that a run left.
#[derive(Default)]
struct Reports {
    /// Each with its content.
    read: Vec<(String, Vec<u8>)>,
    /// Those that were found and could not be read.
    missed: Vec<UnreadReport>,
    bytes: u64,
}

impl Reports {
    /// The files that a name means; only those in the workspace that this run made.
    fn collect(&mut self, folder: &Path, name: &str, before: &EarlierResults) {
        each_file(folder, name, &mut |file, path, seen| {
            let is_known = self.read.iter().any(|(known, _)| known == file)
                || self.missed.iter().any(|known| known.source == file);
            if !is_known && before.is_new(file, path, seen) {
                self.one(folder, file, path, seen);
            }
        });
    }

    fn one(&mut self, folder: &Path, file: &str, path: &Path, seen: &Metadata) {
        let left = MOST_BYTES.saturating_sub(self.bytes);
        let mut bytes = Vec::new();
        let why = if self.read.len() >= MOST_FILES as usize {
            UnreadReason::TooMany { limit: MOST_FILES }
        } else if seen.is_symlink() {
            UnreadReason::Unreadable { message: "a link".to_owned() }
        } else {
            match files::read_up_to(folder, path, left, &mut bytes) {
                Ok(_) => {
                    self.bytes += bytes.len() as u64;
                    return self.read.push((file.to_owned(), bytes));
                }
                Err(fault) if fault.is_gone() => return,
                Err(fault) => why_unread(&fault, seen.len()),
            }
        };
        self.missed.push(UnreadReport { source: file.to_owned(), why });
    }
}

fn why_unread(fault: &ReadFault, size: u64) -> UnreadReason {
    let megabytes = |bytes: u64| u32::try_from(bytes.div_ceil(1 << 20)).unwrap_or(u32::MAX);
    if fault.is_empty() {
        return UnreadReason::Empty;
    }
    if fault.code == ProblemCode::F1_too_large {
        return UnreadReason::TooLarge { size: megabytes(size), limit: megabytes(MOST_BYTES) };
    }
    UnreadReason::Unreadable {
        message: fault.source.as_ref().map_or_else(|| fault.reason(), ToString::to_string),
    }
}

fn output(log: &LogReader) -> (Vec<u8>, Vec<u8>) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut position = 0;
    while let Ok(window) = log.read(position, 1 << 20) {
        for piece in &window.pieces {
            let to = if piece.stream == Stream::Out { &mut stdout } else { &mut stderr };
            to.extend_from_slice(&piece.bytes);
            if to.len() > 2 * OUTPUT {
                let cut = to.len() - OUTPUT;
                to.drain(..cut);
            }
        }
        position = window.next;
        if window.at_end || window.pieces.is_empty() {
            break;
        }
    }
    (stdout, stderr)
}

/// What a reading means for the loop. A command that failed without naming a test (a build error) is one failure, which
/// an agent can look into; one that is missing, or says nothing of tests, is for the person.
pub(crate) fn tests_end(reading: Option<Reading>, exit_code: Option<i32>, command: &str) -> TestsEnd {
    let Some(reading) = reading else { return TestsEnd::CouldNotRun { why: String::new() } };
    let missing = matches!(exit_code, Some(126 | 127));
    match reading.run.clone() {
        Some(run) => TestsEnd::Ran { run, files: reading.files },
        None if missing || exit_code == Some(0) => {
            let said = Some(reading.explanation()).filter(|said| !said.trim().is_empty());
            let silent = || format!("{command}: exit code {}", exit_code.unwrap_or_default());
            TestsEnd::CouldNotRun { why: said.unwrap_or_else(silent) }
        }
        None => TestsEnd::Ran { run: reading.record(command), files: reading.files },
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use loopdeck_system::files::Canonical as _;

    fn names(root: &Path, wanted: &[&str], before: &EarlierResults) -> Vec<String> {
        let mut found = Reports::default();
        wanted.iter().for_each(|name| found.collect(root, name, before));
        found.read.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn only_results_of_this_run_that_lie_in_the_folder_count() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        std::fs::create_dir_all(root.join("out/deep")).unwrap();
        for name in ["out/old.xml", "out/same.xml", "out/deep/x.txt"] {
            std::fs::write(root.join(name), "<x/>").unwrap();
        }
        std::os::unix::fs::symlink("/etc/hostname", root.join("out/link.xml")).unwrap();
        let wanted = ["out/", "../etc", "/etc/hostname", ""];
        let before = EarlierResults::prepare(&root, &wanted.map(str::to_owned));
        assert_eq!(names(&root, &wanted, &before), [""; 0], "nothing has run yet");
        std::fs::write(root.join("out/old.xml"), "<x />").unwrap();
        std::fs::write(root.join("out/new.xml"), "<x/>").unwrap();
        assert_eq!(names(&root, &wanted, &before), ["out/new.xml", "out/old.xml"]);
        // A link of this run is named, and not followed.
        std::os::unix::fs::symlink("old.xml", root.join("out/new-link.xml")).unwrap();
        let mut found = Reports::default();
        found.collect(&root, "out/", &before);
        assert_eq!(found.read.len(), 2);
        let missed: Vec<String> = found.missed.iter().map(ToString::to_string).collect();
        assert_eq!(missed, ["out/new-link.xml: can't be read (a link)"]);
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        assert_eq!(names(&root, &wanted, &EarlierResults::at(later)), [""; 0]);
    }

    #[test]
    fn what_is_found_and_not_read_is_named_with_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        std::fs::create_dir(root.join("out")).unwrap();
        let before = EarlierResults::prepare(&root, &["out/".to_owned()]);
        for name in 0..=MOST_FILES {
            std::fs::write(root.join(format!("out/{name:04}.xml")), "<testsuite/>").unwrap();
        }
        std::fs::write(root.join("out/0000.TRX"), "").unwrap();
        let huge = std::fs::File::create(root.join("out/0000.json")).unwrap();
        huge.set_len(MOST_BYTES + 1).unwrap(); // takes no room on the disk
        let mut found = Reports::default();
        found.collect(&root, "out/", &before);
        assert_eq!(found.read.len(), MOST_FILES as usize);
        let missed: Vec<String> = found.missed.iter().map(ToString::to_string).collect();
        assert_eq!(
            missed,
            [
                "out/0000.TRX: empty",
                "out/0000.json: not read, 257 MB of at most 256 MB",
                "out/0500.xml: not read, more than 500 result files"
            ]
        );
    }

    #[test]
    fn our_own_folder_for_results_is_made_and_emptied_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        let ours = [format!("{RESULTS}/junit/"), format!("{RESULTS}/one/report.json"), "mine".to_owned()];
        EarlierResults::prepare(&root, &ours);
        assert!(root.join(RESULTS).join("junit").is_dir() && root.join(RESULTS).join("one").is_dir());
        assert!(!root.join("mine").exists());
        std::fs::create_dir(root.join("mine")).unwrap();
        let stale =
            [format!("{RESULTS}/junit/a.xml"), format!("{RESULTS}/one/report.json"), "mine/a.xml".into()];
        for name in &stale {
            std::fs::write(root.join(name), "<x/>").unwrap();
        }
        EarlierResults::prepare(&root, &ours);
        let there = stale.map(|name| root.join(name).exists());
        assert_eq!(there, [false, false, true]);
        // A name that begins like it is another folder's.
        let theirs = format!("{RESULTS}-nightly/a.xml");
        std::fs::create_dir(root.join(format!("{RESULTS}-nightly"))).unwrap();
        std::fs::write(root.join(&theirs), "<x/>").unwrap();
        let wanted = [theirs.clone(), format!("{RESULTS}-nightly/"), format!("{RESULTS}-other/deep/")];
        let before = EarlierResults::prepare(&root, &wanted);
        assert!(root.join(&theirs).exists() && !root.join(format!("{RESULTS}-other")).exists());
        assert_eq!(
            names(&root, &wanted.each_ref().map(String::as_str), &before),
            [""; 0],
            "it is of an earlier run"
        );
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_made_behind_a_link_that_leads_out() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = dir.path().canonical().unwrap();
        std::fs::create_dir(root.join(".workflow")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join(RESULTS)).unwrap();
        let wanted = [format!("{RESULTS}/junit/"), format!("{RESULTS}/deep/er/report.json")];
        EarlierResults::prepare(&root, &wanted);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        // The same for a link further up, and for one to nowhere.
        std::fs::remove_file(root.join(RESULTS)).unwrap();
        std::fs::remove_dir(root.join(".workflow")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join(".workflow")).unwrap();
        EarlierResults::prepare(&root, &wanted);
        std::fs::remove_file(root.join(".workflow")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("new"), root.join(".workflow")).unwrap();
        EarlierResults::prepare(&root, &wanted);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_failed_build_is_a_failure_and_a_missing_command_is_a_question() {
        let reading = |stderr: &[u8], code| loopdeck_results::read(&[], b"", stderr, code, None);
        let failed = tests_end(Some(reading(b"error: expected `;`", Some(2))), Some(2), "make test");
        let TestsEnd::Ran { run, .. } = failed else { panic!("{failed:?}") };
        assert_eq!((run.failed, run.tests[0].name.as_str()), (1, "make test"));
        for code in [127, 0] {
            let end = tests_end(Some(reading(b"sh: nope: not found", Some(code))), Some(code), "nope");
            assert!(matches!(&end, TestsEnd::CouldNotRun { why } if why.contains("nope")), "{end:?}");
        }
        let silent = tests_end(Some(reading(b"", Some(0))), Some(0), "true");
        assert_eq!(silent, TestsEnd::CouldNotRun { why: "true: exit code 0".into() });
    }
}
