//! Reading the results of a real test run: what the command printed and the files it left.

use crate::files;
use crate::runs::log::{LogReader, Stream};
use loopdeck_core::ccw::driver::TestsEnd;
use loopdeck_core::results::{self, Reading, ReadingNote, Source};
use std::path::Path;
use std::time::SystemTime;

/// Output of tests that is looked through: the last of it.
const OUTPUT: usize = 32 << 20;
/// Where coverage usually lies, below the workspace.
const COVERAGE: [&str; 6] = [
    "coverage/coverage-summary.json",
    "coverage/coverage-final.json",
    "coverage/lcov.info",
    "lcov.info",
    "coverage.xml",
    "target/coverage/cobertura.xml",
];

/// Reads what the run in `folder` left that began at `since`. Older files are of another run and say nothing.
pub(crate) fn read(
    folder: &Path,
    results: &[String],
    since: SystemTime,
    log: &LogReader,
    exit_code: Option<i32>,
) -> Reading {
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for name in results.iter().map(String::as_str).chain(COVERAGE) {
        collect(folder, name, since, &mut found);
    }
    let sources: Vec<Source<'_>> = found.iter().map(|(name, bytes)| Source { name, bytes }).collect();
    let (stdout, stderr) = output(log);
    results::read(&sources, &stdout, &stderr, exit_code, None)
}

/// A result file, or the files of a folder of results; only such that lie in the workspace and are of this run.
fn collect(folder: &Path, name: &str, since: SystemTime, found: &mut Vec<(String, Vec<u8>)>) {
    let safe =
        !name.is_empty() && !name.starts_with('/') && !name.split(['/', '\\']).any(|part| part == "..");
    let path = folder.join(name);
    if !safe || found.len() >= 500 || found.iter().any(|(known, _)| known == name) {
        return;
    }
    let Ok(seen) = path.symlink_metadata() else { return };
    if seen.is_dir() {
        let mut names: Vec<String> = std::fs::read_dir(&path)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|file| [".xml", ".json", ".tap", ".info"].iter().any(|end| file.ends_with(end)))
            .collect();
        names.sort();
        for file in names {
            collect(folder, &format!("{name}/{file}"), since, found);
        }
        return;
    }
    // A clock of a file system may stand a little behind ours.
    let fresh = seen.modified().is_ok_and(|at| at + std::time::Duration::from_secs(2) >= since);
    let mut bytes = Vec::new();
    if fresh && files::read_within(folder, &path, &mut bytes).is_ok() {
        found.push((name.to_owned(), bytes));
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
        None if missing || exit_code == Some(0) => TestsEnd::CouldNotRun { why: why(&reading.notes) },
        None => TestsEnd::Ran { run: reading.record(command), files: reading.files },
    }
}

/// The last lines of what the command said.
fn why(notes: &[ReadingNote]) -> String {
    notes.iter().rev().find_map(ReadingNote::reason).unwrap_or_default().to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn only_results_of_this_run_that_lie_in_the_folder_count() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("out/deep")).unwrap();
        for (name, age) in [("out/old.xml", 100), ("out/new.xml", 0), ("out/deep/x.txt", 0)] {
            let path = root.join(name);
            std::fs::write(&path, "<x/>").unwrap();
            let at = SystemTime::now() - std::time::Duration::from_secs(age);
            std::fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
        }
        std::os::unix::fs::symlink("/etc/hostname", root.join("out/link.xml")).unwrap();
        let mut found = Vec::new();
        for name in ["out", "../etc", "/etc/hostname", ""] {
            collect(&root, name, SystemTime::now(), &mut found);
        }
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["out/new.xml"]);
    }

    #[test]
    fn a_failed_build_is_a_failure_and_a_missing_command_is_a_question() {
        let reading = |stderr: &[u8], code| results::read(&[], b"", stderr, code, None);
        let failed = tests_end(Some(reading(b"error: expected `;`", Some(2))), Some(2), "make test");
        let TestsEnd::Ran { run, .. } = failed else { panic!("{failed:?}") };
        assert_eq!((run.failed, run.tests[0].name.as_str()), (1, "make test"));
        for code in [127, 0] {
            let end = tests_end(Some(reading(b"sh: nope: not found", Some(code))), Some(code), "nope");
            assert!(matches!(&end, TestsEnd::CouldNotRun { why } if why.contains("nope")), "{end:?}");
        }
    }
}
