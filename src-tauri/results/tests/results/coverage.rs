//! Coverage by file and in total, from every report.

use super::{fixture, reading};
use loopdeck_results::record::CoverageFigures;
use loopdeck_results::{ReadingNote, Source, read};

#[test]
fn every_report_is_read() {
    let figures = |statements, functions| CoverageFigures {
        statements,
        branches: Some(50.0),
        functions,
        lines: Some(66.67),
    };
    let (half, most) = (Some(50.0), Some(60.0));
    for (name, file, expected) in [
        ("coverage-final.json", "/home/dev/shop/src/cart.js", figures(most, half)),
        ("coverage-summary.json", "/home/dev/shop/src/cart.js", figures(most, half)),
        ("jest.info", "src/cart.js", figures(None, half)),
        ("jest.xml", "src/cart.js", figures(None, half)),
        ("python.info", "shop.py", figures(None, half)),
        ("python.xml", "shop.py", figures(None, None)),
    ] {
        let reading = reading(&format!("coverage/{name}"), Some(0));
        assert_eq!(reading.files, [(file.to_owned(), expected)], "{name}");
        assert_eq!(reading.partial.unwrap().coverage, Some(expected), "{name}");
        assert!(reading.run.is_none(), "{name}: coverage alone passes nothing");
    }
}

#[test]
fn jest_carries_its_coverage_along() {
    let run = super::run("node/jest.json");
    assert_eq!(run.coverage.and_then(|figures| figures.statements), Some(60.0));
}

#[test]
fn the_same_files_are_not_counted_twice_and_others_are_added() {
    let [summary, jest, python] =
        ["coverage-summary.json", "jest.info", "python.xml"].map(|name| fixture(&format!("coverage/{name}")));
    let source = |name, bytes| Source { name, bytes };
    let sources = [source("lcov.info", &jest[..]), source("s.json", &summary), source("p.xml", &python)];
    let reading = read(&sources, b"", b"", Some(0), None);
    assert_eq!(reading.files.len(), 2);
    assert!(reading.notes.contains(&ReadingNote::SameRun { source: "lcov.info".into() }));
    let whole = reading.partial.unwrap().coverage.unwrap();
    // 2 of 3 lines there, 4 of 6 here; statements are known for only one.
    assert_eq!((whole.lines, whole.statements), (Some(66.67), Some(60.0)));
}

#[test]
fn records_of_several_programs_are_one_file() {
    let text = "TN:a\nSF:x.c\nDA:1,1\nDA:2,0\nend_of_record\nTN:b\nSF:x.c\nDA:2,3\nDA:3,0\nend_of_record\nSF:y.c\nLF:10\nLH:5\nend_of_record\n";
    let reading = read(&[Source { name: "l", bytes: text.as_bytes() }], b"", b"", Some(0), None);
    let lines: Vec<_> = reading.files.iter().map(|(name, figures)| (name.as_str(), figures.lines)).collect();
    assert_eq!(lines, [("x.c", Some(66.67)), ("y.c", Some(50.0))]);
}
