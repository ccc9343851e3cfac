//! Which versions are compared when, and what is shown while the journal cannot be read.

use super::*;
use crate::observe::catalog::{Catalog, Entry, Workspace};
use crate::observe::roots::Candidate;
use loopdeck_core::format::Format;
use loopdeck_core::loops::Place;
use loopdeck_core::past::{KeptVersion, VersionWriter};
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;
use loopdeck_core::timeline::EntryContent;
use loopdeck_core::times::Timestamp;
use std::cell::RefCell;
use std::path::PathBuf;

/// A journal that counts what it is asked for; each version is in the next iteration, and every third cannot be read.
struct Noting {
    versions: RefCell<u32>,
    asked: RefCell<Vec<usize>>,
    broken: RefCell<bool>,
}

impl Noting {
    fn with(versions: u32) -> Self {
        Self { versions: RefCell::new(versions), asked: RefCell::default(), broken: RefCell::default() }
    }

    fn views(&self) -> Vec<VersionView> {
        let view = |id: u32| VersionView {
            id,
            at: f64::from(id),
            who: VersionWriter::Foreign,
            cause: None,
            size: 1.0,
            current: false,
            readable: !id.is_multiple_of(3),
            asker: None,
        };
        (1..=*self.versions.borrow()).rev().map(view).collect()
    }
}

impl TimelineJournal for Noting {
    fn remembered(&self) -> Result<RememberedLoop, Failure> {
        if *self.broken.borrow() {
            return Err(Failure::own_data("disk full"));
        }
        let versions = self.views();
        let kept = versions.iter().map(|view| KeptVersion {
            id: view.id,
            at: Timestamp::from_millis(i64::from(view.id)),
            who: view.who,
            cause: None,
            note: None,
            asker: None,
        });
        Ok(RememberedLoop { kept: kept.collect(), versions, notes: Vec::new() })
    }

    fn with_bytes(&self, limit: usize) -> Result<Vec<(VersionView, Vec<u8>)>, Failure> {
        self.asked.borrow_mut().push(limit);
        let text = |id: u32| {
            format!(
                "{{\"loop_id\":\"x\",\"status\":\"running\",\"current_iteration\":{id},\"max_iterations\":900,\
                 \"description\":\"v{id}\",\"skill_state\":null}}"
            )
        };
        let newest = self.views().into_iter().take(limit).filter(|view| view.readable);
        Ok(newest.map(|view| (view.clone(), text(view.id).into_bytes())).collect())
    }
}

fn found(name: &str) -> LocatedLoop {
    let candidate = Candidate { file: format!(".loop/{name}.json"), place: Place::CcwFile };
    let summary = Summary::empty(Format::LoopV2, name, FileStatus::Running);
    let mut catalog = Catalog::default();
    let path = PathBuf::from("/nowhere");
    let workspace = Workspace { scanned: true, ..Workspace::new("w", path, false) };
    catalog.workspaces.push(workspace);
    catalog.put(Entry::new("w".into(), candidate, None, summary, Timestamp::from_millis(0)));
    LocatedLoop::in_catalog(&catalog, &format!("w:.loop/{name}.json")).expect("it was put there")
}

fn iterations(page: &TimelinePage) -> Vec<Option<f64>> {
    page.entries.iter().map(|entry| entry.said_iteration).collect()
}

#[test]
fn only_versions_that_are_not_known_yet_are_compared() {
    let (last, journal, found) = (LastTimeline::default(), Noting::with(100), found("a"));
    let first = last.page(&found, &journal);
    assert!(first.more && first.failure.is_none());
    // 16 of them, the one before those that can be read, and one more that may come in between.
    assert_eq!(*journal.asked.borrow(), [19]);
    let whole = last.page(&found, &journal);
    assert!(!whole.more, "the second answer is whole");
    let readable: Vec<_> =
        (2..=100_u32).filter(|id| !id.is_multiple_of(3)).map(|id| Some(f64::from(id))).collect();
    assert_eq!(iterations(&whole), readable);
    assert_eq!(iterations(&first), readable[readable.len() - 11..]);
    journal.asked.borrow_mut().clear();
    last.page(&found, &journal);
    assert_eq!(*journal.asked.borrow(), [0; 0], "all are known");
    *journal.versions.borrow_mut() += 1;
    let next = last.page(&found, &journal);
    assert_eq!((journal.asked.borrow().as_slice(), next.more), (&[3][..], false));
    let EntryContent::Version { id, changes, .. } = &next.entries.last().expect("some").content else {
        panic!("a version")
    };
    assert_eq!((*id, changes[0].from.as_deref()), (101, Some("v100")));
}

#[test]
fn what_was_known_of_the_journal_stays_when_it_cannot_be_read() {
    let (last, journal) = (LastTimeline::default(), Noting::with(4));
    let whole = last.page(&found("a"), &journal);
    *journal.broken.borrow_mut() = true;
    let kept = last.page(&found("a"), &journal);
    assert!(kept.failure.is_some() && !kept.more);
    assert_eq!((kept.entries, kept.versions), (whole.entries, whole.versions));
    let other = last.page(&found("b"), &journal);
    assert!(other.failure.is_some() && other.entries.is_empty(), "of another loop nothing was known");
}
