//! Tests of [`super`].

use super::*;
use crate::observe::roots::Candidate;
use loopdeck_core::format::Format;
use loopdeck_core::loops::Place;
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;

fn entry(name: &str, status: FileStatus) -> Entry {
    let candidate = Candidate { file: format!(".loop/{name}.json"), place: Place::CcwFile };
    Entry::new(
        "w".into(),
        candidate,
        None,
        Summary::empty(Format::LoopV2, name, status),
        Timestamp::from_millis(0),
    )
}

fn keys(changes: &Changes) -> Vec<&str> {
    changes.rows.iter().map(|row| row.id.as_str()).collect()
}

#[test]
fn a_window_gets_each_row_once_in_its_newest_form() {
    let mut catalog = Catalog::default();
    catalog.put(entry("a", FileStatus::Running));
    catalog.put(entry("b", FileStatus::Running));
    catalog.put(entry("a", FileStatus::Completed));
    let snapshot = catalog.changes(0, Timestamp::from_millis(1));
    assert_eq!((keys(&snapshot), snapshot.reset, snapshot.more), (vec!["b", "a"], true, false));
    catalog.put(entry("b", FileStatus::Paused));
    catalog.remove("w:.loop/a.json");
    let delta = catalog.changes(snapshot.revision, Timestamp::from_millis(1));
    assert_eq!((keys(&delta), delta.reset), (vec!["b"], false));
    assert_eq!(delta.removed, ["w:.loop/a.json"]);
    assert!(catalog.changes(delta.revision, Timestamp::from_millis(1)).rows.is_empty());
}

#[test]
fn a_removed_and_recreated_loop_is_not_reported_gone() {
    let mut catalog = Catalog::default();
    catalog.put(entry("a", FileStatus::Running));
    let since = catalog.revision();
    catalog.remove("w:.loop/a.json");
    catalog.put(entry("a", FileStatus::Paused));
    let delta = catalog.changes(since, Timestamp::from_millis(1));
    assert_eq!((keys(&delta), delta.removed.len()), (vec!["a"], 0));
}

#[test]
fn workspaces_with_changes_are_told_apart() {
    let mut catalog = Catalog::default();
    let changed = |catalog: &Catalog, since| {
        let mut found: Vec<String> =
            catalog.changed_workspaces(since).iter().map(ToString::to_string).collect();
        found.sort();
        found
    };
    catalog.put(entry("a", FileStatus::Running));
    catalog.put(Entry { workspace: "v".into(), ..entry("b", FileStatus::Running) });
    assert_eq!(changed(&catalog, 0), ["v", "w"]);
    let since = catalog.revision();
    assert_eq!(changed(&catalog, since), Vec::<String>::new());
    catalog.put(entry("a", FileStatus::Paused));
    assert_eq!(changed(&catalog, since), ["w"]);
    let since = catalog.revision();
    catalog.remove("v:.loop/b.json");
    assert_eq!(changed(&catalog, since), ["v"]);
}

#[test]
fn each_workspace_says_how_many_loops_it_has() {
    let mut catalog = Catalog::default();
    for id in ["v", "w"] {
        catalog.workspaces.push(Workspace::new(id, format!("/{id}").into(), false));
    }
    let counts = |catalog: &Catalog| -> Vec<u32> {
        catalog.workspace_views().iter().map(|workspace| workspace.loops).collect()
    };
    assert_eq!(counts(&catalog), [0, 0]);
    for name in ["a", "b", "a"] {
        catalog.put(entry(name, FileStatus::Running));
    }
    catalog.put(Entry { workspace: "v".into(), ..entry("a", FileStatus::Running) });
    assert_eq!(counts(&catalog), [1, 2]);
    catalog.remove("w:.loop/a.json");
    catalog.remove("w:.loop/a.json");
    assert_eq!(counts(&catalog), [1, 1]);
    catalog.close("v");
    assert_eq!(counts(&catalog), [1]);
    catalog.workspaces.push(Workspace::new("v", "/v".into(), false));
    assert_eq!(counts(&catalog), [1, 0]);
}

#[test]
fn pages_are_bounded_and_together_complete() {
    let mut catalog = Catalog::default();
    for n in 0..3_000 {
        catalog.put(entry(&format!("loop-{n}"), FileStatus::Running));
    }
    let (mut since, mut seen, mut pages) = (0, 0, 0);
    loop {
        let page = catalog.changes(since, Timestamp::from_millis(1));
        let most = if pages == 0 { 64 << 10 } else { 512 << 10 };
        assert!(serde_json::to_vec(&page).unwrap().len() < most);
        assert_eq!(page.reset, pages == 0);
        (seen, pages, since) = (seen + page.rows.len(), pages + 1, page.revision);
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, 3_000);
    assert!((3..8).contains(&pages), "{pages}");
}

#[test]
fn a_snapshot_in_pages_ends_although_removals_were_forgotten() {
    let mut catalog = Catalog::default();
    for n in 0..3_000 {
        catalog.put(entry(&format!("loop-{n}"), FileStatus::Running));
    }
    let remove_some = |catalog: &mut Catalog, count| {
        for _ in 0..count {
            catalog.put(entry("x", FileStatus::Running));
            catalog.remove("w:.loop/x.json");
        }
    };
    remove_some(&mut catalog, 2 * GONE_LIMIT);
    let mut known = HashSet::new();
    let (mut since, mut resets) = (0, 0);
    for page in 0.. {
        assert!(page < 20, "{} rows after {page} pages", known.len());
        let page = catalog.changes(since, Timestamp::from_millis(1));
        resets += u32::from(page.reset);
        known.extend(page.rows.into_iter().map(|row| row.id));
        since = page.revision;
        if !page.more {
            break;
        }
        remove_some(&mut catalog, 100); // others go on meanwhile
        catalog.remove(&format!("w:.loop/loop-{}.json", 2_999 - page.removed.len()));
    }
    // Once more at most: while it was read, half of the removals were forgotten again.
    assert!(resets <= 2 && known.len() >= 2_990, "{resets} {}", known.len());
}

#[test]
fn a_window_from_the_future_or_too_far_behind_gets_a_snapshot() {
    let mut catalog = Catalog::default();
    catalog.put(entry("a", FileStatus::Running));
    assert!(catalog.changes(99, Timestamp::from_millis(1)).reset);
    for n in 0..=GONE_LIMIT {
        catalog.put(entry(&format!("x{n}"), FileStatus::Running));
        catalog.remove(&format!("w:.loop/x{n}.json"));
    }
    assert!(catalog.changes(1, Timestamp::from_millis(1)).reset);
    assert_eq!(keys(&catalog.changes(1, Timestamp::from_millis(1))), ["a"]);
}
