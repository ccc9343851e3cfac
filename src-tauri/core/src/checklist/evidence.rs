//! What the file itself says about its checks: results noted beside them, and bindings that speak of them.
//!
//! The format keeps no results (AoT contract §11), so there is rarely more than hints; what another tool noted is shown
//! as noted. An assertion is confirmed by a person only: whatever stands beside it stays a hint.

use super::verdict::{CommandEnd, Verdict, command_verdict, score, score_verdict, verdict, verdicts};
use super::{number, shown};
use crate::view::{CheckEvidence, ChecklistRow, ChecklistTotal, EvidenceKind};
use crate::yaml_span::{Kind, Node};

/// More notes beside one check, or bindings that speak of it, than a person reads.
const MAX_EVIDENCE: usize = 12;
/// Shorter values are in every text.
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

/// A resolved atom with what it says it did.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// The atom.
    pub id: &'a str,
    /// Its summary.
    pub summary: &'a str,
    /// What it made.
    pub artifacts: &'a [std::borrow::Cow<'a, str>],
}

/// What stands beside a check and belongs to none of its known fields.
pub(super) fn noted(node: &Node<'_>) -> Vec<CheckEvidence> {
    let known = |key: &str| KEYS.contains(&key);
    let note = |entry: &crate::yaml_span::Entry<'_>| {
        let name = shown(Some(&entry.key));
        let text = match &entry.value.kind {
            Kind::Seq(items, _) => {
                items.iter().take(MAX_EVIDENCE).map(|item| shown(Some(item))).collect::<Vec<_>>().join(", ")
            }
            _ => shown(Some(&entry.value)),
        };
        let tells = !known(&name) && !text.trim().is_empty();
        tells.then_some(CheckEvidence { kind: EvidenceKind::Noted, name, text })
    };
    node.entries().iter().filter_map(note).take(MAX_EVIDENCE).collect()
}

/// Adds what the bindings say, and judges every row by what is known.
#[must_use]
pub fn judge(mut rows: Vec<ChecklistRow>, done: &[Done<'_>]) -> Vec<ChecklistRow> {
    for row in rows.iter_mut().filter(|row| row.kind == "check") {
        let room = MAX_EVIDENCE.saturating_sub(row.evidence.len());
        let found: Vec<CheckEvidence> = done.iter().filter_map(|one| told(row, one)).take(room).collect();
        row.evidence.extend(found);
    }
    let results: Vec<Verdict> = rows.iter().map(claimed).collect();
    let judged = verdicts(&rows, &results);
    for (row, verdict) in rows.iter_mut().zip(judged) {
        row.verdict = verdict;
    }
    rows
}

/// The whole of judged `rows`; `completed`: the file says that its loop was completed.
#[must_use]
pub fn total(rows: &[ChecklistRow], completed: bool) -> Option<ChecklistTotal> {
    if rows.is_empty() {
        return None;
    }
    let results: Vec<Verdict> = rows.iter().map(|row| row.verdict).collect();
    Some(ChecklistTotal { verdict: verdict(rows, &results), completed })
}

/// What a binding says about a check: that it made the file, or that it speaks of the command or path.
fn told(row: &ChecklistRow, done: &Done<'_>) -> Option<CheckEvidence> {
    let value = row.value.as_deref().unwrap_or_default().trim();
    if value.len() < TELLING {
        return None;
    }
    let evidence = |kind, text: &str| {
        Some(CheckEvidence { kind, name: crate::problem::shorten(done.id, 200), text: text.to_owned() })
    };
    match row.check_type.as_deref() {
        Some("file" | "not_file") => {
            let path = plain_path(value);
            if let Some(made) = done.artifacts.iter().find(|made| plain_path(made) == path) {
                return evidence(EvidenceKind::Artifact, made);
            }
        }
        Some("command" | "not_command") => {}
        _ => return None,
    }
    let speaks = done.summary.contains(value);
    if speaks { evidence(EvidenceKind::Summary, &crate::problem::shorten(done.summary, 400)) } else { None }
}

fn plain_path(path: &str) -> &str {
    path.trim().trim_start_matches("./")
}

/// What the file notes as the result of a check.
fn claimed(row: &ChecklistRow) -> Verdict {
    let note = |names: &[&str]| {
        let mut notes = row.evidence.iter().filter(|one| one.kind == EvidenceKind::Noted);
        notes.find(|one| names.contains(&one.name.as_str())).map(|one| one.text.trim())
    };
    match row.check_type.as_deref() {
        Some("quality") => {
            let weights: Vec<Option<f64>> = row.rubric.iter().map(|one| Some(one.weight)).collect();
            let scores: Vec<Option<f64>> = row.rubric.iter().map(|one| one.score).collect();
            let whole = note(&["score"]).and_then(|text| text.parse().ok());
            let whole = whole.filter(|score: &f64| (1.0..=5.0).contains(score));
            let of_rubric = if scores.is_empty() { None } else { score(&weights, &scores) };
            score_verdict(of_rubric.or(whole), row.pass_threshold)
        }
        Some(kind @ ("command" | "not_command")) => {
            let code = note(&["exit_code"]).and_then(|text| text.parse().ok());
            code.map_or_else(
                || word(note(&["result", "verdict", "passed"])),
                |code| command_verdict(kind == "not_command", CommandEnd::Exit(code)),
            )
        }
        Some("file" | "not_file") => word(note(&["result", "verdict", "passed"])),
        _ => Verdict::Unknown,
    }
}

fn word(text: Option<&str>) -> Verdict {
    match text.map(str::to_ascii_lowercase).as_deref() {
        Some("pass" | "passed" | "true" | "yes") => Verdict::Pass,
        Some("fail" | "failed" | "false" | "no") => Verdict::Fail,
        _ => Verdict::Unknown,
    }
}

/// The score that a criterion was given, when the file notes it.
pub(super) fn score_of(criterion: &Node<'_>) -> Option<f64> {
    criterion.get("score").and_then(number).filter(|score| (1.0..=5.0).contains(score))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn read(yaml: &str) -> Vec<ChecklistRow> {
        let tree = crate::yaml_span::parse(yaml, 0, 1).expect("YAML");
        super::super::read(Some(&tree.root)).rows
    }

    /// Name, verdict and evidence of a row.
    type Said<'r> = (&'r str, Verdict, Vec<(EvidenceKind, &'r str, &'r str)>);

    fn said(rows: &[ChecklistRow]) -> Vec<Said<'_>> {
        rows.iter().map(one).collect()
    }

    fn one(row: &ChecklistRow) -> Said<'_> {
        let evidence = row.evidence.iter().map(|one| (one.kind, one.name.as_str(), one.text.as_str()));
        (row.item.as_str(), row.verdict, evidence.collect())
    }

    #[test]
    fn without_a_word_nothing_is_known_and_nothing_is_made_up() {
        let rows = judge(
            read("checklist:\n  - item: a\n    check:\n      type: command\n      value: npm test\n"),
            &[],
        );
        assert_eq!(said(&rows), [("a", Verdict::Unknown, vec![])]);
        assert_eq!(total(&rows, true), Some(ChecklistTotal { verdict: Verdict::Unknown, completed: true }));
        assert_eq!(total(&[], true), None);
        let never =
            judge(read("checklist:\n  - item: a\n    check:\n      type: magic\n      value: v\n"), &[]);
        assert_eq!(never[0].verdict, Verdict::Fail, "it can never pass");
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
                ("all", Verdict::Unknown, vec![]),
                ("f", Verdict::Unknown, vec![(EvidenceKind::Artifact, "A1", "src/a.ts")]),
                ("c", Verdict::Unknown, vec![(EvidenceKind::Summary, "A2", "npm test is green.")]),
                ("s", Verdict::Unknown, vec![]),
            ]
        );
    }

    #[test]
    fn results_noted_beside_a_check_count_but_for_what_a_person_confirms() {
        let one = |check: &str| {
            let rows = judge(read(&format!("checklist:\n  - item: a\n    check: {{{check}}}\n")), &[]);
            rows[0].verdict
        };
        for (check, expected) in [
            ("type: command, value: npm test, exit_code: 0", Verdict::Pass),
            ("type: command, value: npm test, exit_code: 1", Verdict::Fail),
            ("type: not_command, value: npm audit, exit_code: 1", Verdict::Pass),
            ("type: command, value: npm test, result: passed", Verdict::Pass),
            ("type: file, value: a.ts, passed: false", Verdict::Fail),
            ("type: file, value: a.ts, result: maybe", Verdict::Unknown),
            ("type: assertion, value: It is nice, result: passed", Verdict::Unknown),
            ("type: quality, criteria: nice, pass_threshold: 3, score: 4", Verdict::Pass),
            ("type: quality, criteria: nice, pass_threshold: 3, score: 400", Verdict::Unknown),
            ("type: quality, criteria: nice, score: 4", Verdict::Unknown),
        ] {
            assert_eq!(one(check), expected, "{check}");
        }
        let rubric = "type: quality, pass_threshold: 3, rubric: [{criterion: a, weight: 1, score: 2}, {criterion: b, weight: 3, score: 4}]";
        assert_eq!(one(rubric), Verdict::Pass, "3.5");
        assert_eq!(one(&rubric.replace("score: 4", "score: 3")), Verdict::Fail, "2.75");
        assert_eq!(one(&rubric.replace(", score: 4", "")), Verdict::Unknown, "one is missing");
        let item = "checklist:\n  - item: a\n    evidence: [log, shot]\n    note: ''\n    check: {type: command, value: npm test, run_at: today}\n";
        let rows = judge(read(item), &[]);
        let expected =
            vec![(EvidenceKind::Noted, "run_at", "today"), (EvidenceKind::Noted, "evidence", "log, shot")];
        assert_eq!(said(&rows), [("a", Verdict::Unknown, expected)]);
    }

    #[test]
    fn one_check_without_a_list_is_judged_too() {
        let rows = judge(read("type: command\nvalue: npm test\nresult: fail\n"), &[]);
        assert_eq!(total(&rows, false), Some(ChecklistTotal { verdict: Verdict::Fail, completed: false }));
    }
}
