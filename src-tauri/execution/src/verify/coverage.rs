//! Looking a coverage report up for a check: it has to be of the work as it is now.

use crate::path_checks;
use crate::rows::{Tried, TriedEnd, TriedLine};
use loopdeck_core::checklist::coverage::{self, CoverageFloor};
use loopdeck_core::loops::drive::FileFound;
use loopdeck_core::times::Timestamp;
use loopdeck_results::{Source, read};
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Bytes of a report.
const LARGEST: u64 = 64 << 20;
/// So many of the files that it names are compared with it.
const MOST_FILES: usize = 5_000;

/// What the report at `pattern` says, unless it was written before `since`, or before one of the files that it names.
pub(super) fn found(root: &Path, pattern: &str, since: Timestamp) -> FileFound {
    let report = match path_checks::file_found(root, pattern) {
        FileFound::Found(names) => names.into_iter().next().unwrap_or_default(),
        nothing => return nothing,
    };
    let path = root.join(&report);
    let mut bytes = Vec::new();
    let Ok(stamp) = files::read_up_to(root, &path, LARGEST, &mut bytes) else { return FileFound::NoReport };
    let reading = read(&[Source { name: &report, bytes: &bytes }], b"", b"", None, None);
    let figures = reading.run.or(reading.partial).and_then(|run| run.coverage);
    let Some(percent) = figures.and_then(|figures| figures.overall()) else { return FileFound::NoReport };
    let mut is_of_folder = false;
    for (name, _) in reading.files.iter().take(MOST_FILES) {
        let Some(named) = named_file(root, &path, name) else { continue };
        is_of_folder = true;
        if Fingerprint::at(&named).is_ok_and(|file| file.modified() > stamp.modified()) {
            return FileFound::Stale(Some(name.clone()));
        }
    }
    match is_of_folder {
        false => FileFound::NoReport,
        true if stamp.modified() < since => FileFound::Stale(None),
        true => FileFound::Covered(percent),
    }
}

/// Trying a floor such as `80:coverage/lcov.info`. Nothing was worked on yet: only files that the report names can be newer than it.
///
/// # Errors
/// `BadForm` when it is no floor.
pub(crate) fn check_report(root: &Path, value: &str) -> Result<Tried, Failure> {
    let began = Instant::now();
    let bad = || Failure::new(FailureKind::BadForm).with("field", "command");
    let (hundredths, report) = coverage::read(value).ok_or_else(bad)?;
    let floor = CoverageFloor { hundredths, since: Timestamp::from_millis(0) };
    let (end, passes, covered, named) = match found(root, report, floor.since) {
        FileFound::Covered(percent) => {
            (TriedEnd::Read, Some(percent >= floor.percent()), Some(percent), None)
        }
        FileFound::Nothing => (TriedEnd::NoReport, Some(false), None, None),
        FileFound::Outside => (TriedEnd::Outside, None, None, None),
        FileFound::TooMany => (TriedEnd::TooMany, None, None, None),
        FileFound::Stale(file) => (TriedEnd::Stale, None, None, file),
        _ => (TriedEnd::NoReport, None, None, None),
    };
    let lines = named.into_iter().map(|text| TriedLine { text, error: false }).collect();
    #[allow(clippy::cast_precision_loss)] // a short time
    let took_ms = began.elapsed().as_millis() as f64;
    Ok(Tried { passes, end, covered, lines, took_ms, ..Tried::stopped() })
}

/// The file of the folder that a report names: from the folder, or from where the report is.
fn named_file(root: &Path, report: &Path, name: &str) -> Option<PathBuf> {
    let bases = report.ancestors().skip(1).take_while(|base| base.starts_with(root));
    let mut paths = bases.map(|base| base.join(name));
    paths.find(|path| path.is_file() && files::lies_within(root, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_system::files::Canonical as _;
    use std::fs::{self, File};
    use std::time::{Duration, UNIX_EPOCH};

    /// Writes a file that was changed so many seconds after 1970.
    fn write(root: &Path, name: &str, text: &str, second: u64) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let changed = UNIX_EPOCH + Duration::from_secs(second);
        File::options().write(true).open(&path).unwrap().set_modified(changed).unwrap();
    }

    const LCOV: &str = "SF:src/a.ts\nDA:1,1\nDA:2,0\nDA:3,1\nDA:4,1\nend_of_record\n";
    const XML: &str = r#"<coverage line-rate="0.75"><packages><package><classes><class filename="src/a.ts"><lines><line number="1" hits="1"/><line number="2" hits="0"/><line number="3" hits="1"/><line number="4" hits="1"/></lines></class></classes></package></packages></coverage>"#;
    const SUMMARY: &str = r#"{"total":{"lines":{"total":4,"covered":3},"statements":{"total":4,"covered":3},"functions":{"total":0,"covered":0},"branches":{"total":0,"covered":0}},"src/a.ts":{"lines":{"total":4,"covered":3},"statements":{"total":4,"covered":3},"functions":{"total":0,"covered":0},"branches":{"total":0,"covered":0}}}"#;

    #[test]
    fn a_report_counts_when_it_is_of_this_folder_and_newer_than_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonical().unwrap();
        write(&root, "src/a.ts", "", 100);
        write(&root, "coverage/lcov.info", LCOV, 200);
        write(&root, "coverage.xml", XML, 200);
        write(&root, "coverage/coverage-summary.json", SUMMARY, 200);
        write(&root, "early.info", LCOV, 99);
        write(&root, "other.info", &LCOV.replace("a.ts", "b.ts"), 200);
        write(&root, "outside.info", &LCOV.replace("src/a.ts", "/etc/passwd"), 200);
        write(&root, "notes.txt", "80 %", 200);
        let stale = |name: &str| FileFound::Stale(Some(name.into()));
        for (report, since, expected) in [
            ("coverage/lcov.info", 150, FileFound::Covered(75.0)),
            ("coverage.xml", 150, FileFound::Covered(75.0)),
            ("coverage/coverage-summary.json", 200, FileFound::Covered(75.0)),
            ("coverage/lcov.info", 201, FileFound::Stale(None)),
            ("early.info", 0, stale("src/a.ts")),
            ("other.info", 150, FileFound::NoReport),
            ("outside.info", 150, FileFound::NoReport),
            ("notes.txt", 150, FileFound::NoReport),
            ("gone.info", 150, FileFound::Nothing),
            ("../lcov.info", 150, FileFound::Outside),
        ] {
            assert_eq!(
                found(&root, report, Timestamp::from_millis(since * 1_000)),
                expected,
                "{report} {since}"
            );
        }
    }

    #[test]
    fn a_floor_is_tried_on_the_report_that_is_there_now() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonical().unwrap();
        write(&root, "src/a.ts", "", 100);
        write(&root, "lcov.info", LCOV, 200);
        write(&root, "early.info", LCOV, 99);
        write(&root, "notes.txt", "80 %", 200);
        for (value, expected) in [
            ("75:lcov.info", (TriedEnd::Read, Some(true), Some(75.0))),
            ("75.1:lcov.info", (TriedEnd::Read, Some(false), Some(75.0))),
            ("1:early.info", (TriedEnd::Stale, None, None)),
            ("1:notes.txt", (TriedEnd::NoReport, None, None)),
            ("1:gone.info", (TriedEnd::NoReport, Some(false), None)),
        ] {
            let tried = check_report(&root, value).unwrap();
            assert_eq!((tried.end, tried.passes, tried.covered), expected, "{value}");
        }
        assert_eq!(check_report(&root, "1:early.info").unwrap().lines[0].text, "src/a.ts");
        assert_eq!(check_report(&root, "80:../lcov.info").unwrap_err().kind, FailureKind::BadForm);
    }
}
