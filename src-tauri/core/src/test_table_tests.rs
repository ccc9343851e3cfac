//! The table of a test run: order, changes since the previous run, filters, windows.

use super::*;

fn row(suite: &str, name: &str, status: &str) -> TestRow {
    TestRow { suite: suite.into(), name: name.into(), status: status.into(), ..TestRow::default() }
}

fn table() -> TestTable {
    let first = vec![row("a", "one", "passed"), row("a", "two", "failed"), row("b", "three", "passed")];
    let now = vec![
        row("b", "three", "passed"),
        row("a", "one", "FAILED"),
        row("a", "two", "passed"),
        row("c", "four", "skipped"),
        TestRow {
            error_message: Some("\n  expected 1\n  got 2".into()),
            duration_ms: Some(12.0),
            ..row("c", "five", "failed")
        },
    ];
    TestTable::new(&[first], now)
}

fn shown(page: &TestTablePage) -> Vec<String> {
    let text = |line: &TestLine| match line {
        TestLine::Suite(suite) => {
            format!("{}{}:{}", if suite.open { "-" } else { "+" }, suite.suite, suite.tests)
        }
        TestLine::Test(test) => test.name.clone(),
    };
    page.lines.iter().map(text).collect()
}

fn query() -> TestQuery {
    TestQuery { limit: 100, ..TestQuery::default() }
}

#[test]
fn failed_suites_come_first_and_green_ones_are_closed() {
    let page = table().page(&query());
    assert_eq!(shown(&page), ["-a:2", "one", "two", "-c:2", "five", "four", "+b:1"]);
    assert_eq!(page.failures, [1, 4]);
    let toggled = TestQuery { toggled: vec!["b".into(), "a".into()], ..query() };
    assert_eq!(shown(&table().page(&toggled)), ["+a:2", "-c:2", "five", "four", "-b:1", "three"]);
}

#[test]
fn what_became_of_a_test_is_said() {
    let page = table().page(&query());
    let change = |name: &str| {
        let found = page.lines.iter().find_map(|line| match line {
            TestLine::Test(test) if test.name == name => Some(test.change),
            _ => None,
        });
        found.flatten()
    };
    assert_eq!(change("one"), Some(TestChange::NewFailure));
    assert_eq!(change("two"), Some(TestChange::Fixed));
    assert_eq!(change("five"), Some(TestChange::NewFailure), "new and failed");
    assert_eq!(change("four"), None);
    let counts = TestCounts { all: 5, failed: 2, passed: 2, skipped: 1, new_failures: 2, fixed: 1, flaky: 0 };
    assert_eq!(page.counts, counts);
    let run = |status: &str| vec![row("a", "one", status)];
    let flaky = TestTable::new(&[run("passed"), run("failed"), run("passed")], run("failed"));
    assert_eq!(flaky.changes, [Some(TestChange::Flaky)]);
    let alone = TestTable::new(&[], run("failed"));
    assert_eq!(alone.changes, [None], "nothing to compare with");
}

fn entries(page: &TestTablePage) -> Vec<&TestEntry> {
    let tests = page.lines.iter();
    tests.filter_map(|line| if let TestLine::Test(test) = line { Some(test) } else { None }).collect()
}

#[test]
fn the_word_of_the_file_is_kept_where_it_says_more_than_the_outcome() {
    for (status, outcome, own) in [
        ("failed", RowOutcome::Failed, None),
        ("FAILED", RowOutcome::Failed, None),
        ("timeout", RowOutcome::Failed, Some("timeout")),
        ("ok", RowOutcome::Passed, Some("ok")),
        ("todo", RowOutcome::Skipped, Some("todo")),
        ("Flaky", RowOutcome::Other, Some("Flaky")),
        ("", RowOutcome::Other, None),
    ] {
        let page = TestTable::new(&[], vec![row("a", "one", status)]).page(&query());
        let found = entries(&page)[0];
        assert_eq!((found.outcome, found.own_word.as_deref()), (outcome, own), "{status}");
    }
}

#[test]
fn a_skipped_test_of_no_time_was_not_measured() {
    let timed = |status: &str, ms: f64| TestRow { duration_ms: Some(ms), ..row("a", status, status) };
    let rows = vec![timed("skipped", 0.0), timed("passed", 0.0), timed("todo", 4.0)];
    let page = TestTable::new(&[], rows).page(&TestQuery { sort: TestSort::Slowest, ..query() });
    let took: Vec<_> = entries(&page).iter().map(|test| (test.name.as_str(), test.duration_ms)).collect();
    assert_eq!(took, [("todo", Some(4.0)), ("passed", Some(0.0)), ("skipped", None)]);
    let page = TestTable::new(&[], vec![timed("skipped", 0.0)]).page(&query());
    assert!(matches!(&page.lines[0], TestLine::Suite(suite) if suite.duration_ms.is_none()));
}

#[test]
fn failed_runs_are_counted_from_the_end() {
    for (letters, count) in
        [("fff", 3), ("pff", 2), ("f.f", 2), ("fpf", 1), ("ffp", 0), ("f..", 1), ("sff", 2)]
    {
        let dot = |letter| match letter {
            'f' => Some(RowOutcome::Failed),
            'p' => Some(RowOutcome::Passed),
            's' => Some(RowOutcome::Skipped),
            _ => None,
        };
        assert_eq!(failing_for(&letters.chars().map(dot).collect::<Vec<_>>()), count, "{letters}");
    }
    let before = [vec![row("a", "one", "failed")], vec![]];
    let page = TestTable::new(&before, vec![row("a", "one", "error")]).page(&query());
    assert_eq!(entries(&page)[0].failing_for, 2, "it was not part of the run between");
}

#[test]
fn filters_keep_the_counts_of_the_text() {
    let query = TestQuery { text: "EXPECTED".into(), ..query() };
    let page = table().page(&query);
    assert_eq!(shown(&page), ["-c:1", "five"]);
    assert_eq!((page.counts.all, page.counts.passed), (1, 0));
    let chips = TestQuery { chips: vec![TestChip::Fixed, TestChip::Skipped], text: String::new(), ..query };
    let page = table().page(&chips);
    assert_eq!(shown(&page), ["-a:1", "two", "-c:1", "four"]);
    assert_eq!(page.counts.all, 5);
}

#[test]
fn tests_of_a_file_are_those_that_name_it() {
    let failed = |suite: &str, name: &str, message: &str| TestRow {
        error_message: Some(message.into()),
        ..row(suite, name, "failed")
    };
    let rows = vec![
        failed("s", "in the message", "\n at key.ts:3"),
        failed("test/key.ts", "in the suite", ""),
        failed("s", "of key.ts", ""),
        failed("s", "another", "at monkey.ts:3"),
        failed("s", "deeper down", "expected 1\n at key.ts:3"),
        row("s", "key.ts is fine", "passed"),
    ];
    let asked = TestQuery { file: Some("src/limit/key.ts".into()), chips: vec![TestChip::Failed], ..query() };
    let page = TestTable::new(&[], rows).page(&TestQuery { sort: TestSort::Name, ..asked });
    assert_eq!(shown(&page), ["in the message", "in the suite", "of key.ts"]);
    assert_eq!((page.counts.all, page.counts.failed), (4, 3));
}

#[test]
fn pages_are_cut_and_sorted_without_suites() {
    let query = TestQuery { sort: TestSort::Slowest, offset: 0, limit: 2, ..query() };
    let page = table().page(&query);
    assert_eq!((page.total, shown(&page)[0].as_str(), page.lines.len()), (5, "five", 2));
    assert_eq!(page.longest_ms, Some(12.0));
    let names = table().page(&TestQuery { sort: TestSort::Name, limit: 9, ..query.clone() });
    assert_eq!(shown(&names), ["five", "four", "one", "three", "two"]);
    assert!(table().page(&TestQuery { offset: 90, ..query }).lines.is_empty());
}
