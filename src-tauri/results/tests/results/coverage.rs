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

fn files(reports: &[(&str, &str)]) -> (Option<f64>, Vec<(String, Option<f64>)>) {
    let sources: Vec<_> =
        reports.iter().map(|(name, text)| Source { name, bytes: text.as_bytes() }).collect();
    let reading = read(&sources, b"", b"", Some(0), None);
    let files = reading.files.iter().map(|(name, figures)| (name.clone(), figures.lines)).collect();
    (reading.partial.and_then(|run| run.coverage).and_then(|figures| figures.lines), files)
}

#[test]
fn files_of_one_name_are_two_files() {
    let two = |names: [&str; 2]| -> Vec<(String, Option<f64>)> {
        [(names[0].to_owned(), Some(100.0)), (names[1].to_owned(), Some(0.0))].into()
    };
    let hit = "SF:src/index.ts\nDA:1,1\nDA:2,1\nLF:2\nLH:2\nend_of_record\n";
    let missed = hit.replace(",1\n", ",0\n");
    // In one report, and in two.
    let text = format!("{hit}{missed}");
    assert_eq!(files(&[("lcov.info", &text)]), (Some(50.0), two(["src/index.ts", "src/index.ts (2)"])));
    let both = [("a/lcov.info", hit), ("b/lcov.info", &*missed)];
    assert_eq!(files(&both), (Some(50.0), two(["src/index.ts", "src/index.ts (b/lcov.info)"])));
    // A file with another number of lines is another file, whatever the format.
    let xml = "<coverage line-rate='0'><packages><package name='p'><classes><class name='i' filename='index.ts'><lines><line number='1' hits='0'/></lines></class></classes></package></packages></coverage>";
    let (total, all) = files(&[("lcov.info", hit), ("coverage.xml", xml)]);
    assert_eq!((total, all.len()), (Some(66.67), 2));
    // An absolute path is one file: neither report covers less than the larger share.
    let absolute = |text: &str| text.replace("src/", "/w/src/");
    let (hit, missed) = (absolute(hit), absolute(&missed));
    for reports in [[("a.info", &*hit), ("b.info", &*missed)], [("a.info", &*missed), ("b.info", &*hit)]] {
        assert_eq!(files(&reports), (Some(100.0), vec![("/w/src/index.ts".to_owned(), Some(100.0))]));
    }
}

#[test]
fn classes_of_one_file_are_one_and_two_of_one_name_are_two() {
    let class = |name: &str, line: u32, hits: u32| {
        format!(
            "<class name='{name}' filename='Cart.kt'><lines><line number='{line}' hits='{hits}'/></lines></class>"
        )
    };
    let xml = |classes: &[String]| {
        format!(
            "<coverage line-rate='0'><package name='p'><classes>{}</classes></package></coverage>",
            classes.concat()
        )
    };
    let inner = xml(&[class("Cart", 1, 1), class("Cart$Item", 2, 0)]);
    assert_eq!(files(&[("c.xml", &inner)]), (Some(50.0), vec![("Cart.kt".to_owned(), Some(50.0))]));
    let twice = xml(&[class("Cart", 1, 1), class("Cart", 1, 0)]);
    assert_eq!(files(&[("c.xml", &twice)]).0, Some(50.0));
    // What the report counts and doesn't list is not covered.
    let counted = inner.replace("line-rate='0'", "line-rate='0' lines-valid='4' lines-covered='1'");
    assert_eq!(files(&[("c.xml", &counted)]).0, Some(25.0));
}

#[test]
fn a_report_that_is_cut_off_says_nothing_of_the_whole() {
    let text = "SF:a.c\nDA:1,1\nLF:1\nLH:1\nend_of_record\nSF:b.c\nDA:1,1\nDA:2,0\nLF:3\n";
    let source = [Source { name: "lcov.info", bytes: text.as_bytes() }];
    let reading = read(&source, b"", b"", Some(0), None);
    assert_eq!(reading.files.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["a.c"]);
    assert!(reading.partial.is_none_or(|run| run.coverage.is_none()));
    assert!(reading.notes.iter().any(|note| matches!(note, ReadingNote::Unread { is_doubt: false, .. })));
}

#[test]
fn nothing_but_all_of_it_is_100_percent() {
    let mut text = "SF:a.c\n".to_owned();
    (0..30_000).for_each(|line| text.push_str(&format!("DA:{line},{}\n", u32::from(line > 0))));
    text.push_str("end_of_record\n");
    assert_eq!(files(&[("lcov.info", &text)]).0, Some(99.99));
}
