use super::*;
use crate::rows::{OutputKind, OutputSearch};

fn row(text: &str) -> StoredRow {
    let row = OutputRow {
        at: 1.0,
        kind: OutputKind::Text,
        name: String::new(),
        text: text.into(),
        cut: None,
        ok: None,
        depth: 0,
    };
    StoredRow { row, source: None }
}

fn filled(dir: &Path, count: u32) -> OutputLog {
    let mut log = OutputLog::begin_again(dir).unwrap();
    for number in 0..count {
        log.append(&row(&format!("row {number}"))).unwrap();
    }
    log.flush().unwrap();
    log
}

fn texts(page: &OutputPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.text.as_str()).collect()
}

#[test]
fn any_window_is_read_while_it_grows_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = filled(dir.path(), 1_000);
    for first in [0, 1, 63, 64, 65, 500, 999] {
        let page = log.page("r", first, 3, true).unwrap();
        assert_eq!(page.rows[0].text, format!("row {first}"));
        assert_eq!((page.first, page.total), (first, 1_000));
    }
    log.append(&row("new")).unwrap();
    log.flush().unwrap();
    assert_eq!(texts(&log.page("r", 999, 9, true).unwrap()), ["row 999", "new"]);
    let again = OutputLog::open(dir.path()).unwrap();
    assert_eq!(texts(&again.page("r", 998, 9, false).unwrap()), ["row 998", "row 999", "new"]);
    assert_eq!(again.page("r", 5_000, 9, false).unwrap().rows, []);
}

#[test]
fn a_page_is_bounded_and_a_huge_row_still_comes() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = OutputLog::begin_again(dir.path()).unwrap();
    for _ in 0..50 {
        log.append(&row(&"x".repeat(4_000))).unwrap();
    }
    log.append(&row(&"y".repeat(200_000))).unwrap();
    log.flush().unwrap();
    assert!(log.page("r", 0, 50, false).unwrap().rows.len() < 20);
    assert_eq!(log.page("r", 50, 50, false).unwrap().rows.len(), 1);
}

#[test]
fn the_oldest_segments_go_and_numbers_stay() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = OutputLog::begin_again(dir.path()).unwrap();
    let long = row(&"z".repeat(1 << 20));
    let rows = u32::try_from((SEGMENTS + 3) * 8).unwrap();
    for _ in 0..rows {
        log.append(&long).unwrap();
    }
    log.flush().unwrap();
    assert_eq!(log.total(), rows);
    assert!(log.dropped() > 0);
    assert_eq!(log.page("r", 0, 1, true).unwrap().first, log.dropped());
    assert!(log.row(0).is_err() && log.row(rows - 1).is_ok());
    assert_eq!(fs::read_dir(dir.path().join("rows")).unwrap().count(), SEGMENTS);
    let again = OutputLog::open(dir.path()).unwrap();
    assert_eq!((again.dropped(), again.total()), (log.dropped(), log.total()));
}

#[test]
fn rows_are_found_both_ways() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = filled(dir.path(), 3_000);
    let mut bad = row("tests failed");
    bad.row.ok = Some(false);
    log.append(&bad).unwrap();
    log.flush().unwrap();
    let find = |text: &str, errors, from, backwards| {
        let search = OutputSearch { text: text.into(), errors, from, backwards };
        match log.snapshot().find(&search, || true).unwrap() {
            SearchResult::Found(row) => Some(row),
            _ => None,
        }
    };
    assert_eq!(find("ROW 17", false, 0, false), Some(17));
    assert_eq!(find("row 17", false, 18, false), Some(170));
    assert_eq!(find("row 17", false, 2_500, true), Some(1_799));
    assert_eq!(find("", true, 0, false), Some(3_000));
    assert_eq!(find("", true, 2_999, true), None);
    assert_eq!(find("nowhere", false, 0, false), None);
}

#[test]
fn the_newest_rows_are_asked_for_without_knowing_how_many_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = filled(dir.path(), 1_000);
    let page = log.page("r", NEWEST, 3, true).unwrap();
    assert_eq!((page.first, texts(&page)), (997, vec!["row 997", "row 998", "row 999"]));
    assert_eq!(log.page("r", NEWEST, 0, true).unwrap().rows, []);
    for letter in ["a", "b", "c"] {
        log.append(&row(&letter.repeat(25_000))).unwrap();
    }
    log.flush().unwrap();
    let page = log.page("r", NEWEST, 64, true).unwrap();
    assert_eq!((page.first, page.rows.len()), (1_001, 2), "a page that is full keeps the newest");
    let empty = OutputLog::open(&dir.path().join("none")).unwrap();
    assert_eq!(empty.page("r", NEWEST, 64, true).unwrap().rows, []);
}

#[test]
fn a_page_of_short_rows_stays_small_in_the_window_too() {
    let dir = tempfile::tempdir().unwrap();
    let log = filled(dir.path(), 5_000);
    for first in [0, NEWEST] {
        let page = log.page("r", first, 5_000, true).unwrap();
        assert!(serde_json::to_vec(&page).unwrap().len() < 64_000);
    }
}

#[test]
fn memory_is_bounded_as_the_disk_is() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = OutputLog::begin_again(dir.path()).unwrap();
    let long = row(&"z".repeat(100_000));
    let places = |log: &OutputLog| log.segments.iter().map(Segment::places).sum::<usize>();
    let segments = |log: &mut OutputLog, count: usize| {
        for _ in 0..count * 84 {
            log.append(&long).unwrap();
        }
    };
    segments(&mut log, SEGMENTS + 1);
    let held = places(&log);
    segments(&mut log, SEGMENTS);
    assert_eq!(places(&log), held);
    assert!(log.line.capacity() < 300_000);
}

#[test]
fn a_search_that_nobody_wants_any_more_ends_and_rows_that_go_meanwhile_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = filled(dir.path(), 60_000);
    let search = OutputSearch { text: "nowhere".into(), ..OutputSearch::default() };
    let asked = std::cell::Cell::new(0);
    let twice = || {
        asked.set(asked.get() + 1);
        asked.get() < 3
    };
    assert_eq!(log.snapshot().find(&search, twice).unwrap(), SearchResult::Given);
    assert_eq!(asked.get(), 3);
    let before = log.snapshot();
    let long = row(&"z".repeat(1 << 20));
    for _ in 0..(SEGMENTS + 1) * 8 {
        log.append(&long).unwrap();
    }
    assert_eq!(before.find(&search, || true).unwrap(), SearchResult::Nothing);
}

#[test]
fn rows_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = OutputLog::begin_again(dir.path()).unwrap();
    let mut full = row("quoted \"text\"\n\u{1b}[31mred");
    full.row = OutputRow { name: "Bash".into(), cut: Some(7), ok: Some(true), depth: 1, ..full.row };
    full.source = Some(Source { frame: 1 << 40, offset: 9 });
    let rows = [row(""), full];
    for row in &rows {
        log.append(row).unwrap();
    }
    log.flush().unwrap();
    assert_eq!([log.row(0).unwrap(), log.row(1).unwrap()], rows);
}

#[test]
fn rows_that_never_came_are_left_out_of_the_count_of_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = filled(dir.path(), 10);
    log.continue_at(500).unwrap();
    assert_eq!((log.dropped(), log.total()), (500, 500));
    log.append(&row("row 500")).unwrap();
    log.flush().unwrap();
    let page = log.page("r", 3, 9, true).unwrap();
    assert_eq!((page.first, page.dropped, page.total, texts(&page)), (500, 500, 501, vec!["row 500"]));
    let again = OutputLog::open(dir.path()).unwrap();
    assert_eq!((again.dropped(), again.total()), (500, 501));
}
