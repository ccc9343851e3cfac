//! Cut off, hostile and huge inputs: never a panic, never a pass.

use super::{fixture, root};
use loopdeck_results::{MAX_ROWS, ReadingNote, Source, Verdict, read};

/// Every fixture there is.
fn all() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for folder in std::fs::read_dir(root()).unwrap() {
        for entry in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = entry.unwrap().path();
            all.push((path.display().to_string(), std::fs::read(path).unwrap()));
        }
    }
    assert!(all.len() > 40);
    all
}

fn both(bytes: &[u8], exit: i32) -> [loopdeck_results::Reading; 2] {
    let source = Source { name: "x", bytes };
    [read(&[source], b"", b"", Some(exit), None), read(&[], bytes, b"", Some(exit), None)]
}

#[test]
fn what_is_cut_off_never_passes() {
    // Only runs with failures or without tests are here: no part of them may read as a pass, whatever the
    // exit code.
    for (name, bytes) in all() {
        let step = (bytes.len() / 97).max(1);
        for end in (0..bytes.len()).step_by(step) {
            for reading in both(&bytes[..end], 0) {
                assert_ne!(reading.verdict(), Verdict::Passed, "{name} cut at {end}");
            }
        }
    }
}

#[test]
fn a_cut_report_keeps_what_it_says() {
    let bytes = fixture("pytest/junit.xml");
    let reading = read(&[Source { name: "x", bytes: &bytes[..bytes.len() - 30] }], b"", b"", Some(1), None);
    assert_eq!(reading.run.unwrap().failed, 5);
    assert!(reading.notes.contains(&ReadingNote::Truncated { source: "x".into() }));
}

#[test]
fn tap_says_when_something_is_missing() {
    let verdict = |text: &str| read(&[], text.as_bytes(), b"", Some(0), None).verdict();
    assert_eq!(verdict("1..2\nok 1\nok 2\n"), Verdict::Passed);
    assert_eq!(verdict("1..3\nok 1\nok 2\n"), Verdict::Unclear, "fewer than planned");
    assert_eq!(verdict("ok 1\nok 2\n"), Verdict::Unclear, "no plan");
    assert_eq!(verdict("1..0 # SKIP nothing here\n"), Verdict::NoTests);
    assert_eq!(verdict("1..1\nnot ok 1 # TODO later\n"), Verdict::NoTests);
    assert_eq!(verdict("1..2\nok 1\nBail out! no database\n"), Verdict::Unclear);
    let bailed = read(&[], b"1..2\nok 1\nBail out! no database\n", b"", Some(0), None);
    assert!(bailed.notes.contains(&ReadingNote::BailedOut { reason: "no database".into() }));
}

#[test]
fn numbers_are_bounded() {
    let text =
        "99999999999 failed, 99999999999999999999999999 passed in 1e400s\n= 9999999999 passed in 0.01s =\n";
    let run = read(&[], text.as_bytes(), b"", Some(0), None).run.unwrap();
    assert_eq!((run.passed, run.failed, run.total()), (u32::MAX, 0, u32::MAX));
    let xml = "<testsuite time='NaN' tests='1000000000' failures='-3'/>";
    let run = read(&[Source { name: "x", bytes: xml.as_bytes() }], b"", b"", Some(0), None).run.unwrap();
    assert_eq!((run.passed, run.failed, run.duration_ms, run.tests.len()), (1_000_000_000, 0, None, 0));
    let xml = "<testsuite><testcase name='a' time='-inf'/><testcase name='b' time='1e99'/></testsuite>";
    let run = read(&[Source { name: "x", bytes: xml.as_bytes() }], b"", b"", Some(0), None).run.unwrap();
    assert!(run.tests.iter().all(|row| row.duration_ms.is_none()));
}

#[test]
fn hostile_documents_end() {
    let deep = "<testsuite>".repeat(300_000);
    let lists = format!("{{\"testResults\":{}", "[".repeat(300_000));
    let bomb = r#"<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&a;"><failure>&b;</failure></testcase></testsuite>"#;
    for text in [deep.as_str(), &lists] {
        for reading in both(text.as_bytes(), 0) {
            assert_ne!(reading.verdict(), Verdict::Passed);
        }
    }
    let run = read(&[Source { name: "x", bytes: bomb.as_bytes() }], b"", b"", Some(1), None).run.unwrap();
    assert_eq!((run.tests[0].name.as_str(), run.tests[0].error_message.as_deref()), ("&a;", Some("&b;")));
}

#[test]
fn many_and_long_rows_are_cut() {
    let count = MAX_ROWS + 10;
    let mut text = format!("TAP version 13\n1..{count}\n");
    for index in 0..count {
        text.push_str(&format!(
            "not ok {index} - test {index}\n  ---\n  message: '{}'\n  ...\n",
            "x".repeat(400)
        ));
    }
    let reading = read(&[], text.as_bytes(), b"", Some(1), None);
    let run = reading.run.unwrap();
    assert_eq!((run.failed as usize, run.tests.len()), (count, MAX_ROWS));
    assert!(reading.notes.contains(&ReadingNote::RowsCut { kept: 100_000 }));
    let kept: usize = run.tests.iter().map(|row| row.stack_trace.as_ref().map_or(0, String::len)).sum();
    assert!(kept < 40 << 20, "{kept}");
    let long = format!(
        "<testsuite><testcase name='{0}'><failure message='{0}'>{0}</failure></testcase></testsuite>",
        "ä".repeat(1 << 20)
    );
    let run = read(&[Source { name: "x", bytes: long.as_bytes() }], b"", b"", Some(1), None).run.unwrap();
    let row = &run.tests[0];
    assert!(row.name.len() <= 1000 && row.error_message.as_ref().unwrap().len() <= 4000);
    assert!(row.stack_trace.as_ref().unwrap().len() <= 16_000);
}
