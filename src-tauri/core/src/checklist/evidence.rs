//! What the file itself says about its checks: noted results, and bindings that mention them.
//!
//! None of it is a result. Results are stored by the program that ran the checks and never in the file
//! (AoT contract §5, §11), which anyone can write: `result: passed` next to a command is a claim, and so is
//! an agent's opinion of an assertion. A note never makes a check pass or fail; it is shown as evidence, and
//! a check mentioned only in the file stays unjudged. The only checks that fail here are those that can never
//! pass.

use super::verdict::{CheckResult, Verdict, verdict, verdicts};
use super::{CheckType, ItemKind, number, short_text};
use crate::view::{CheckCounts, CheckEvidence, ChecklistRow, ChecklistTotal, EvidenceKind};
use loopdeck_text::yaml_span::{YamlKind, YamlNode};

/// Most notes next to one check, or bindings that mention it: more than a person reads.
const MAX_EVIDENCE: usize = 12;
/// Shorter values occur in every text.
const TELLING: usize = 4;
const KEYS: [&str; 11] = [
    "item",
    "check",
    "group",
    "any_of",
    "checklist",
    "type",
    "value",
    "criteria",
    "pass_threshold",
    "scope",
    "rubric",
];

/// A resolved atom with its own account of the work.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// The atom.
    pub id: &'a str,
    /// Its summary.
    pub summary: &'a str,
    /// What it made.
    pub artifacts: &'a [std::borrow::Cow<'a, str>],
}

/// Fields of a check that are not among the known ones.
pub(super) fn noted(node: &YamlNode<'_>) -> Vec<CheckEvidence> {
    let known = |key: &str| KEYS.contains(&key);
    let note = |entry: &loopdeck_text::yaml_span::Entry<'_>| {
        let name = short_text(Some(&entry.key));
        let text = match &entry.value.kind {
            YamlKind::Seq(items, _) => items
                .iter()
                .take(MAX_EVIDENCE)
                .map(|item| short_text(Some(item)))
                .collect::<Vec<_>>()
                .join(", "),
            _ => short_text(Some(&entry.value)),
        };
        let tells = !known(&name) && !text.trim().is_empty();
        tells.then_some(CheckEvidence { kind: EvidenceKind::Noted, name, text })
    };
    node.entries().iter().filter_map(note).take(MAX_EVIDENCE).collect()
}

/// Adds what the bindings say, latest last, and judges every row: no check was run, some can never pass.
#[must_use]
pub fn judge(mut rows: Vec<ChecklistRow>, done: &[Done<'_>]) -> Vec<ChecklistRow> {
    for row in rows.iter_mut().filter(|row| row.kind == ItemKind::Check) {
        let room = MAX_EVIDENCE.saturating_sub(row.evidence.len());
        let mut found: Vec<CheckEvidence> =
            done.iter().rev().filter_map(|one| evidence_of_binding(row, one)).take(room).collect();
        found.reverse();
        row.evidence.extend(found);
    }
    let judged = verdicts(&rows, &vec![Verdict::Unknown; rows.len()]);
    for (row, verdict) in rows.iter_mut().zip(judged) {
        row.result = CheckResult::from_verdict(verdict, !row.evidence.is_empty());
    }
    rows
}

/// The overall result of judged `rows`; `completed`: the file says that its loop was completed.
#[must_use]
pub fn total(rows: &[ChecklistRow], completed: bool) -> Option<ChecklistTotal> {
    if rows.is_empty() {
        return None;
    }
    let results: Vec<Verdict> = rows.iter().map(|row| row.result.verdict()).collect();
    let mut counts = CheckCounts::default();
    for row in rows.iter().filter(|row| row.kind == ItemKind::Check) {
        counts.all += 1;
        *match row.result {
            CheckResult::Pass => &mut counts.pass,
            CheckResult::Fail => &mut counts.fail,
            CheckResult::Unknown => &mut counts.unknown,
            CheckResult::None => &mut counts.none,
        } += 1;
    }
    let single = matches!(rows, [only] if only.kind == ItemKind::Check && only.item.is_empty());
    Some(ChecklistTotal { verdict: verdict(rows, &results), completed, counts, single })
}

/// What a binding says about a check: that it made the file, or it mentions the command or path.
fn evidence_of_binding(row: &ChecklistRow, done: &Done<'_>) -> Option<CheckEvidence> {
    let value = row.value.as_deref().unwrap_or_default().trim();
    if value.len() < TELLING {
        return None;
    }
    let evidence = |kind, text: &str| {
        Some(CheckEvidence { kind, name: loopdeck_text::shorten(done.id, 200), text: text.to_owned() })
    };
    match row.check_type {
        Some(CheckType::File | CheckType::NotFile) => {
            let path = plain_path(value);
            if let Some(made) = done.artifacts.iter().find(|made| plain_path(made) == path) {
                return evidence(EvidenceKind::Artifact, made);
            }
        }
        Some(CheckType::Command | CheckType::NotCommand) => {}
        _ => return None,
    }
    let speaks = done.summary.contains(value);
    if speaks { evidence(EvidenceKind::Summary, &loopdeck_text::shorten(done.summary, 400)) } else { None }
}

fn plain_path(path: &str) -> &str {
    path.trim().trim_start_matches("./")
}

/// The score of a criterion, if the file has one.
pub(super) fn score_of(criterion: &YamlNode<'_>) -> Option<f64> {
    criterion.get("score").and_then(number).filter(|score| (1.0..=5.0).contains(score))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn read(yaml: &str) -> Vec<ChecklistRow> {
        let tree = loopdeck_text::yaml_span::parse(yaml, 0, 1).expect("YAML");
        super::super::read(Some(&tree.root)).rows
    }

    /// Name, result and evidence of a row.
    type Said<'r> = (&'r str, CheckResult, Vec<(EvidenceKind, &'r str, &'r str)>);

    fn said(rows: &[ChecklistRow]) -> Vec<Said<'_>> {
        rows.iter().map(one).collect()
    }

    fn one(row: &ChecklistRow) -> Said<'_> {
        let evidence = row.evidence.iter().map(|one| (one.kind, one.name.as_str(), one.text.as_str()));
        (row.item.as_str(), row.result, evidence.collect())
    }

    #[test]
    fn without_a_word_nothing_is_known_and_nothing_is_made_up() {
        let rows = judge(
            read("checklist:\n  - item: a\n    check:\n      type: command\n      value: npm test\n"),
            &[],
        );
        assert_eq!(said(&rows), [("a", CheckResult::None, vec![])]);
        let counts = CheckCounts { all: 1, none: 1, ..CheckCounts::default() };
        let expected = ChecklistTotal { verdict: Verdict::Unknown, completed: true, counts, single: false };
        assert_eq!(total(&rows, true), Some(expected));
        assert_eq!(total(&[], true), None);
        let never =
            judge(read("checklist:\n  - item: a\n    check:\n      type: magic\n      value: v\n"), &[]);
        assert_eq!(never[0].result, CheckResult::Fail, "it can never pass");
    }

    #[test]
    fn bindings_that_made_the_file_or_speak_of_the_command_are_hints() {
        let text = "checklist:\n  - item: all\n    group:\n      - item: f\n        check:\n          type: file\n          value: ./src/a.ts\n      - item: c\n        check:\n          type: command\n          value: npm test\n      - item: s\n        check:\n          type: assertion\n          value: npm test\n";
        let artifacts = [Cow::Borrowed("src/a.ts")];
        let done = [
            Done { id: "A1", summary: "Wrote it.", artifacts: &artifacts },
            Done { id: "A2", summary: "npm test is green.", artifacts: &[] },
        ];
        let rows = judge(read(text), &done);
        assert_eq!(
            said(&rows),
            [
                ("all", CheckResult::None, vec![]),
                ("f", CheckResult::Unknown, vec![(EvidenceKind::Artifact, "A1", "src/a.ts")]),
                ("c", CheckResult::Unknown, vec![(EvidenceKind::Summary, "A2", "npm test is green.")]),
                ("s", CheckResult::None, vec![]),
            ]
        );
    }

    #[test]
    fn what_is_noted_beside_a_check_is_evidence_and_no_result() {
        for check in [
            "type: command, value: npm test, exit_code: 0",
            "type: command, value: npm test, exit_code: 1",
            "type: file, value: a.ts, passed: false",
            "type: assertion, value: It is nice, result: passed",
            "type: quality, criteria: nice, pass_threshold: 3, score: 4",
            "type: quality, pass_threshold: 3, rubric: [{criterion: a, score: 5}], verdict: pass",
        ] {
            let rows = judge(read(&format!("checklist:\n  - item: a\n    check: {{{check}}}\n")), &[]);
            assert_eq!((rows[0].result, rows[0].evidence.len()), (CheckResult::Unknown, 1), "{check}");
            assert_eq!(rows[0].evidence[0].kind, EvidenceKind::Noted, "{check}");
        }
        let rubric = "checklist:\n  - item: a\n    check: {type: quality, pass_threshold: 3, rubric: [{criterion: a, score: 2}]}\n";
        assert_eq!(judge(read(rubric), &[])[0].rubric[0].score, Some(2.0), "it is shown");
        let item = "checklist:\n  - item: a\n    evidence: [log, shot]\n    note: ''\n    check: {type: command, value: npm test, run_at: today}\n";
        let rows = judge(read(item), &[]);
        let expected =
            vec![(EvidenceKind::Noted, "run_at", "today"), (EvidenceKind::Noted, "evidence", "log, shot")];
        assert_eq!(said(&rows), [("a", CheckResult::Unknown, expected)]);
    }

    #[test]
    fn one_check_without_a_list_is_judged_too() {
        let whole = |text: &str| total(&judge(read(text), &[]), false).expect("there is one").verdict;
        assert_eq!(whole("type: command\nvalue: npm test\n"), Verdict::Unknown);
        assert_eq!(whole("type: command\nvalue: ''\n"), Verdict::Fail, "an empty command never passes");
    }

    #[test]
    fn checks_are_counted_by_what_is_known_of_them_and_lists_are_none() {
        let row = |kind, result| ChecklistRow { kind, result, item: "a".into(), ..ChecklistRow::default() };
        let rows = [
            row(ItemKind::Group, CheckResult::Fail),
            row(ItemKind::Check, CheckResult::Pass),
            row(ItemKind::Check, CheckResult::Fail),
            row(ItemKind::Check, CheckResult::Fail),
            row(ItemKind::Check, CheckResult::Unknown),
            row(ItemKind::Check, CheckResult::None),
            row(ItemKind::AnyOf, CheckResult::None),
            row(ItemKind::Nothing, CheckResult::Fail),
        ];
        let counts = CheckCounts { all: 5, pass: 1, fail: 2, unknown: 1, none: 1 };
        assert_eq!(total(&rows, false).expect("there is one").counts, counts);
    }

    #[test]
    fn the_older_form_is_one_check_without_a_name() {
        for (text, single) in [
            ("type: command\nvalue: npm test\n", true),
            ("checklist: [{item: a, check: {type: command, value: npm test}}]\n", false),
            ("checklist: [{item: '', group: []}]\n", false),
        ] {
            let total = total(&judge(read(text), &[]), false).expect("there is one");
            assert_eq!(total.single, single, "{text}");
        }
    }

    #[test]
    fn of_more_than_a_person_reads_the_last_is_kept() {
        let ids: Vec<String> = (0..20).map(|n| format!("A{n}")).collect();
        let done: Vec<Done<'_>> =
            ids.iter().map(|id| Done { id, summary: "npm test is green.", artifacts: &[] }).collect();
        let rows = judge(read("type: command\nvalue: npm test\n"), &done);
        let names: Vec<&str> = rows[0].evidence.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names.len(), names[0], *names.last().expect("some")), (12, "A8", "A19"));
    }
}
