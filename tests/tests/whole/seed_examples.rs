//! Every example of the format specifications is listed, opened, and not reported as broken or suspicious
//! without cause.

use loopdeck_core::problem::Severity;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::{LoopPage, LoopRow};
use loopdeck_tests::live::Live;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(kind);
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert!(found.len() > 8, "{kind}: {found:?}");
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Opens each listed loop and returns its page.
fn pages(live: &Live) -> Vec<(LoopRow, LoopPage)> {
    live.rows.values().map(|row| (row.clone(), live.runtime.open_loop(&row.key).unwrap())).collect()
}

/// The only example that is a form, not a state: its words are lists such as `running | paused`.
const FORM: &str = "seed-003-master";

fn check(name: &str, row: &LoopRow, page: &LoopPage) {
    if name == FORM {
        let codes: Vec<_> = page.detail.problems.iter().map(|problem| problem.code.name()).collect();
        assert_eq!((row.word, codes[0]), (StatusWord::Unknown, "E4_unknown_status"), "{codes:?}");
        return;
    }
    assert_ne!(row.word, StatusWord::CannotRead, "{name}: {:?}", row.problem);
    assert_ne!(row.word, StatusWord::Unknown, "{name}");
    assert!(!row.title.is_empty() && !page.detail.facts.is_empty(), "{name}");
    assert!(!page.detail.controls.is_empty(), "{name} offers no verb");
    let errors = page.detail.problems.iter().filter(|problem| problem.severity == Severity::Error);
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&loopdeck_core::problem::Problem>::new(), "{name}");
}

#[test]
fn every_ccw_example_is_listed_and_opened() {
    for fixture in fixtures("ccw") {
        let name = fixture.file_name().unwrap().to_string_lossy().into_owned();
        let parts: Vec<PathBuf> = if fixture.join("1-paused-mid-develop").is_dir() {
            fs::read_dir(&fixture).unwrap().map(|entry| entry.unwrap().path()).collect()
        } else {
            vec![fixture]
        };
        for part in parts {
            let live = Live::with(|workspace| copy(&part, &workspace.join(".workflow/.loop")));
            let pages = pages(&live);
            assert_eq!(pages.len(), 1, "{name}");
            check(&name, &pages[0].0, &pages[0].1);
        }
    }
}

#[test]
fn every_aot_example_is_listed_and_opened() {
    for fixture in fixtures("aot") {
        let name = fixture.file_name().unwrap().to_string_lossy().into_owned();
        let live = Live::with(|workspace| copy(&fixture, workspace));
        let pages = pages(&live);
        assert_eq!(pages.len(), 1, "{name}");
        check(&name, &pages[0].0, &pages[0].1);
        assert!(!pages[0].1.detail.atoms.is_empty(), "{name} shows no atoms");
    }
}
