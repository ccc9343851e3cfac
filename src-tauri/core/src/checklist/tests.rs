//! Reading and judging completion checks.

use super::*;

fn checklist(text: &str) -> Checklist {
    let tree = loopdeck_text::yaml_span::parse(text, 0, 1).expect(text);
    read(Some(&tree.root))
}

fn flaws(text: &str) -> Vec<(String, &'static str)> {
    checklist(text).flaws.into_iter().map(|flaw| (flaw.path, flaw.reason)).collect()
}

#[test]
fn the_legacy_form_is_one_row() {
    let list = checklist("type: command\nvalue: npm test\n");
    assert_eq!(list.flaws, []);
    assert_eq!(list.rows.len(), 1);
    let row = &list.rows[0];
    assert_eq!(
        (row.kind, row.check_type, row.value.as_deref()),
        (ItemKind::Check, Some(CheckType::Command), Some("npm test"))
    );
}

#[test]
fn nesting_becomes_depth() {
    let text = "checklist:\n- item: a\n  group:\n  - item: b\n    any_of:\n    - item: c\n      check: {type: file, value: x}\n- item: d\n  check: {type: quality, criteria: good, pass_threshold: 3, scope: [a, b]}\n";
    let list = checklist(text);
    use ItemKind::{AnyOf, Check, Group};
    let rows: Vec<_> = list.rows.iter().map(|row| (row.depth, row.item.as_str(), row.kind)).collect();
    assert_eq!(rows, [(0, "a", Group), (1, "b", AnyOf), (2, "c", Check), (0, "d", Check)]);
    assert_eq!((list.rows[3].pass_threshold, list.rows[3].scope.as_deref()), (Some(3.0), Some("a, b")));
    assert!(list.flaws.is_empty());
}

#[test]
fn the_word_of_an_unknown_type_is_kept_as_it_is_written() {
    for (word, expected, kept) in [
        ("command", CheckType::Command, None),
        ("not_command", CheckType::NotCommand, None),
        ("file", CheckType::File, None),
        ("not_file", CheckType::NotFile, None),
        ("assertion", CheckType::Assertion, None),
        ("quality", CheckType::Quality, None),
        ("Command", CheckType::Other, Some("Command")),
        ("vibes", CheckType::Other, Some("vibes")),
    ] {
        let list = checklist(&format!("type: {word}\nvalue: v\n"));
        let row = &list.rows[0];
        assert_eq!((row.check_type, row.type_word.as_deref()), (Some(expected), kept), "{word}");
    }
    let neither = checklist("checklist: [{item: a}]\n");
    assert_eq!((neither.rows[0].kind, neither.rows[0].check_type), (ItemKind::Nothing, None));
}

#[test]
fn levels_are_scores_with_what_they_mean() {
    let text =
        "type: quality\nrubric: [{criterion: a, levels: {1: 'Hard: very', good: Reads well, 5: ''}}]\n";
    let list = checklist(text);
    let levels: Vec<_> = list.rows[0].rubric[0]
        .levels
        .iter()
        .map(|level| (level.score, level.name.as_str(), level.text.as_str()))
        .collect();
    assert_eq!(levels, [(Some(1), "1", "Hard: very"), (None, "good", "Reads well"), (Some(5), "5", "")]);
}

#[test]
fn what_can_never_pass_is_named() {
    assert_eq!(read(None).flaws[0].reason, "missing");
    assert_eq!(flaws("checklist: []\n"), [("checklist".into(), "empty_checklist")]);
    assert_eq!(flaws("checklist: [{item: a, group: []}]\n"), [("checklist[0].group".into(), "empty_group")]);
    assert_eq!(
        flaws("checklist: [{item: a, any_of: []}]\n"),
        [("checklist[0].any_of".into(), "empty_any_of")]
    );
    assert_eq!(flaws("checklist: [{item: a}]\n"), [("checklist[0]".into(), "no_check")]);
    assert_eq!(flaws("type: command\nvalue: ' '\n"), [(String::new(), "empty_value")]);
    assert_eq!(flaws("type: vibes\nvalue: good\n"), [(String::new(), "unknown_type")]);
    assert_eq!(
        flaws("type: quality\nrubric: [{criterion: a, weight: 0}]\n"),
        [(String::new(), "bad_weights")]
    );
    assert_eq!(flaws("type: quality\n"), [(String::new(), "empty_value")]);
}

#[test]
fn odd_spellings_are_understood_and_told() {
    let list = checklist(
        "type: file\nvalue: 'exists: ./a'\nchecklist:\n- item: a\n  check: {type: file, value: 'exists: ./b'}\n  group: [{item: c, check: {type: file, value: c}}]\n",
    );
    let remarks: Vec<_> = list.remarks.iter().map(|remark| remark.reason).collect();
    assert_eq!(remarks, ["two_forms", "several_parts"]);
    assert_eq!(list.rows[1].value.as_deref(), Some("c"));
    let legacy = checklist("type: file\nvalue: 'exists: ./a'\n");
    assert_eq!((legacy.rows[0].value.as_deref(), legacy.remarks[0].reason), (Some("./a"), "exists_prefix"));
}

#[test]
fn checks_that_say_nothing_are_told() {
    let hollow = |kind: &str, value: &str| {
        let list = checklist(&format!("type: {kind}\nvalue: '{value}'\n"));
        assert!(list.flaws.is_empty() && list.can_pass());
        list.hollow.first().map(|flaw| flaw.reason)
    };
    let (always, never) = (Some("always_passes"), Some("never_passes"));
    for (kind, value, expected) in [
        ("command", "true", always),
        ("command", " exit 0 ; ", always),
        ("command", "false", never),
        ("not_command", "false", always),
        ("not_command", ":", never),
        ("file", ".", always),
        ("not_file", "./", never),
        ("file", "dist/*", None),
        ("command", "true && npm test", None),
        ("not_command", "grep -r TODO src", None),
        ("assertion", "true", None),
    ] {
        assert_eq!(hollow(kind, value), expected, "{kind} {value}");
    }
    let judged = |threshold: &str| {
        let text = format!("type: quality\ncriteria: good\npass_threshold: {threshold}\n");
        checklist(&text).hollow.first().map(|flaw| flaw.reason)
    };
    assert_eq!(["0", "1", "1.5", "5", "5.1"].map(judged), [always, always, None, None, never]);
}

#[test]
fn a_check_can_pass_unless_it_is_invalid() {
    let can_pass = |text: &str| checklist(text).can_pass();
    assert!(can_pass("type: assertion\nvalue: it works\n"));
    assert!(!can_pass("type: vibes\nvalue: it works\n"));
    assert!(!can_pass("checklist: [{item: a, check: {type: file, value: a}}, {item: b, group: []}]\n"));
    assert!(can_pass(
        "checklist: [{item: a, any_of: [{item: b}, {item: c, check: {type: file, value: c}}]}]\n"
    ));
    // Without a threshold, a person is asked for one.
    assert!(can_pass("type: quality\ncriteria: good\n"));
}

#[test]
fn weights_are_shares() {
    let close = |weights: &[Option<f64>], expected: &[f64]| {
        let found = normalised(weights).expect("shares");
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    };
    close(&[Some(0.4), Some(0.4)], &[0.5, 0.5]);
    close(&[None, None, None, None], &[0.25; 4]);
    close(&[Some(1.0), Some(3.0), None], &[1.0 / 6.0, 0.5, 2.0 / 6.0]);
    assert_eq!(normalised(&[Some(0.0), Some(-1.0)]), None);
}

/// Rows as `depth kind`; a check is valid unless its kind is `bad`.
fn rows(spec: &[&str]) -> Vec<ChecklistRow> {
    let row = |text: &&str| {
        let (depth, kind) = text.split_once(' ').expect("depth and kind");
        let is = match kind {
            "group" => ItemKind::Group,
            "any_of" => ItemKind::AnyOf,
            _ => ItemKind::Check,
        };
        let check = ChecklistRow { depth: depth.parse().expect("depth"), kind: is, ..Default::default() };
        if kind != "check" {
            return check;
        }
        ChecklistRow { check_type: Some(CheckType::Command), value: Some("true".into()), ..check }
    };
    spec.iter().map(row).collect()
}

/// The verdict when the checks' results are `P`, `F`, `?` in reading order.
fn judged(spec: &[&str], answers: &str) -> char {
    let rows = rows(spec);
    let mut left = answers.chars();
    let results: Vec<Verdict> = rows
        .iter()
        .map(|row| match (row.kind, row.check_type.is_some()) {
            (ItemKind::Check, true) => match left.next() {
                Some('P') => Verdict::Pass,
                Some('F') => Verdict::Fail,
                _ => Verdict::Unknown,
            },
            // Results of lists are ignored.
            _ => Verdict::Pass,
        })
        .collect();
    match verdict(&rows, &results) {
        Verdict::Pass => 'P',
        Verdict::Fail => 'F',
        Verdict::Unknown => '?',
    }
}

#[test]
fn three_values_are_joined() {
    let answers = ["PP", "PF", "P?", "FP", "FF", "F?", "?P", "?F", "??"];
    let all = |spec: &[&str]| answers.map(|answer| judged(spec, answer)).iter().collect::<String>();
    assert_eq!(all(&["0 check", "0 check"]), "PF?FFF?F?");
    assert_eq!(all(&["0 group", "1 check", "1 check"]), "PF?FFF?F?");
    assert_eq!(all(&["0 any_of", "1 check", "1 check"]), "PPPPF?P??");
    assert_eq!(all(&["0 any_of", "1 group", "2 check", "1 check"]), "PPPPF?P??");
    assert_eq!(all(&["0 group", "1 any_of", "2 check", "0 check"]), "PF?FFF?F?");
}

#[test]
fn what_is_invalid_never_passes() {
    assert_eq!(judged(&[], ""), 'F');
    assert_eq!(judged(&["0 group"], ""), 'F');
    assert_eq!(judged(&["0 any_of"], ""), 'F');
    assert_eq!(judged(&["0 bad"], ""), 'F');
    assert_eq!(judged(&["0 check", "0 group", "0 check"], "PP"), 'F');
    assert_eq!(judged(&["0 any_of", "1 bad", "1 check"], "P"), 'P');
    assert_eq!(judged(&["0 any_of", "1 bad", "1 check"], "?"), '?');
    let row = |check_type: &str, value: &str| ChecklistRow {
        kind: ItemKind::Check,
        check_type: Some(CheckType::from_word(check_type)),
        value: Some(value.into()),
        ..Default::default()
    };
    for (check, expected) in [
        (row("command", "true"), Verdict::Pass),
        (row("assertion", "good"), Verdict::Pass),
        (row("command", " "), Verdict::Fail),
        (row("vibes", "x"), Verdict::Fail),
        (row("", "x"), Verdict::Fail),
        (row("quality", "criteria"), Verdict::Unknown),
        (ChecklistRow { pass_threshold: Some(3.0), ..row("quality", "criteria") }, Verdict::Pass),
    ] {
        assert_eq!(verdict(std::slice::from_ref(&check), &[Verdict::Pass]), expected, "{check:?}");
        assert_ne!(verdict(std::slice::from_ref(&check), &[]), Verdict::Pass);
    }
}

#[test]
fn lists_have_the_verdict_of_their_items() {
    let rows = rows(&["0 group", "1 check", "1 any_of", "2 check", "2 check", "0 check"]);
    let (p, f, u) = (Verdict::Pass, Verdict::Fail, Verdict::Unknown);
    assert_eq!(verdicts(&rows, &[u, p, u, f, p, u]), [p, p, p, f, p, u]);
}

#[test]
fn commands_pass_by_their_exit() {
    use CommandEnd::{Exit, NotStarted, Signal, TimedOut};
    for (end, command, not_command) in [
        (Exit(0), Verdict::Pass, Verdict::Fail),
        (Exit(1), Verdict::Fail, Verdict::Pass),
        (Exit(126), Verdict::Fail, Verdict::Pass),
        (Exit(127), Verdict::Fail, Verdict::Pass),
        (Signal, Verdict::Fail, Verdict::Pass),
        (TimedOut, Verdict::Fail, Verdict::Fail),
        (NotStarted, Verdict::Fail, Verdict::Fail),
    ] {
        assert_eq!(
            (command_verdict(false, end), command_verdict(true, end)),
            (command, not_command),
            "{end:?}"
        );
        assert_eq!(end.could_not_run(), matches!(end, Exit(126 | 127) | Signal | NotStarted));
    }
}
