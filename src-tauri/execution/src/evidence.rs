//! The evidence of a loop in its folder (docs/spec/evidence.md): only ever added to, read as a whole. What a driven loop adds is in
//! `adding`.
//!
//! It is a record, not state: nothing of ours is decided by it, and an undo would take away what was seen. So it is not in the journal.

mod adding;
pub(crate) mod desk;

use loopdeck_core::evidence::{Evidence, EvidenceRecord, addition, path_beside, read as read_lines};
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files::{self, ReplaceFault};
use std::io;
use std::path::Path;

/// How often it is tried again when another program adds to the file, or replaces it, at the same moment.
const TRIES: u32 = 5;

/// The evidence of the loop in `file`, below `root`; `None` when there is none.
///
/// # Errors
/// `Unreadable`.
pub fn read(root: &Path, file: &str) -> Result<Option<Evidence>, Failure> {
    let beside = path_beside(file);
    let mut bytes = Vec::new();
    match files::read(root, &root.join(&beside), &mut bytes) {
        Ok(_) => Ok(Some(read_lines(&bytes))),
        Err(fault) if fault.is_gone() => Ok(None),
        Err(fault) if fault.is_empty() => Ok(Some(Evidence::default())),
        Err(fault) => {
            Err(Failure::new(FailureKind::Unreadable).with("path", beside).with("reason", fault.reason()))
        }
    }
}

/// Adds records to the evidence of the loop in `file`, below `root`, which is canonical. What other programs add meanwhile stays; ours is
/// then written again behind it, so that each line follows from the one before.
///
/// # Errors
/// `Disk` when they cannot be written; `Contended` when other programs write all the time.
pub fn add(root: &Path, file: &str, records: &[EvidenceRecord]) -> Result<(), Failure> {
    let beside = path_beside(file);
    let path = root.join(&beside);
    let refused = |error: &dyn std::fmt::Display| {
        Failure::new(FailureKind::Disk).with("path", &beside).with("reason", error)
    };
    for _ in 0..TRIES {
        let mut seen = Vec::new();
        let added = files::append(root, &path, |there| {
            seen = there.to_vec();
            Some(addition(there, records)).filter(|added| !added.is_empty())
        });
        match added {
            Ok(added) if added.before == seen => return Ok(()),
            Ok(_) | Err(ReplaceFault::Changed(_)) => {}
            Err(ReplaceFault::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                match files::create(root, &path, &addition(b"", records)) {
                    Ok(_) => return Ok(()),
                    Err(ReplaceFault::Changed(_)) => {}
                    Err(ReplaceFault::Io(error)) => return Err(refused(&error)),
                }
            }
            Err(ReplaceFault::Io(error)) => return Err(refused(&error)),
        }
    }
    Err(Failure::new(FailureKind::Contended).with("path", beside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::checklist::Verdict;
    use loopdeck_system::files::Canonical as _;

    fn record(at: &str) -> EvidenceRecord {
        EvidenceRecord {
            v: 1,
            file: "plan.md".into(),
            verdict: Verdict::Pass,
            at: at.into(),
            ..EvidenceRecord::default()
        }
    }

    fn lines(root: &Path) -> Vec<String> {
        let evidence = read(root, "plan.md").unwrap().unwrap();
        assert_eq!(evidence.faults, []);
        evidence.records.into_iter().map(|(_, record)| record.at).collect()
    }

    #[test]
    fn lines_are_added_and_each_follows_from_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        assert_eq!(read(&root, "plan.md").unwrap(), None);
        add(&root, "plan.md", &[record("1"), record("2")]).unwrap();
        add(&root, "plan.md", &[record("3")]).unwrap();
        assert_eq!(lines(&root), ["1", "2", "3"]);
        let text = std::fs::read_to_string(root.join("plan.evidence.jsonl")).unwrap();
        std::fs::write(root.join("plan.evidence.jsonl"), text.trim_end()).unwrap();
        add(&root, "plan.md", &[record("4")]).unwrap();
        assert_eq!(lines(&root), ["1", "2", "3", "4"], "an editor took the last line end");
    }

    #[test]
    fn several_programs_add_at_the_same_time_and_no_line_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        add(&root, "plan.md", &[record("0")]).unwrap();
        std::thread::scope(|scope| {
            for name in ["a", "b"] {
                let root = &root;
                scope.spawn(move || {
                    for number in 0..8 {
                        // A try that lost against the other one is made again, as whoever asks does.
                        while add(root, "plan.md", &[record(&format!("{name}{number}"))]).is_err() {}
                    }
                });
            }
        });
        let evidence = read(&root, "plan.md").unwrap().unwrap();
        for name in ["a", "b"] {
            for number in 0..8 {
                let at = format!("{name}{number}");
                assert!(evidence.records.iter().any(|(_, record)| record.at == at), "{at}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_outside_of_the_folder() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = dir.path().canonical().unwrap();
        std::fs::write(other.path().join("theirs"), "theirs\n").unwrap();
        std::os::unix::fs::symlink(other.path().join("theirs"), root.join("plan.evidence.jsonl")).unwrap();
        add(&root, "plan.md", &[record("1")]).unwrap_err();
        assert_eq!(std::fs::read_to_string(other.path().join("theirs")).unwrap(), "theirs\n");
    }
}
