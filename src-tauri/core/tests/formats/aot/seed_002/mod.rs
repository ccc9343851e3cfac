//! The seed of the AoT format ("State Schema v1.3"): one row for each field and rule, under the number of its
//! section. A row marked `†` follows the contract where that differs from the seed; the row names its
//! section.

mod fields;
mod operations;
mod rules;

use crate::aot::operations::operate;
use crate::aot::{detail, summary, text};
use loopdeck_core::formats::aot::AotOperation;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::{ChecklistRow, FactValue, LoopDetail};
use std::panic::catch_unwind;

/// Section of the seed, the rule, and its check.
struct Row(&'static str, &'static str, fn());

/// Number of rows in the seed.
const ROWS: usize = 185;

#[test]
fn every_field_and_rule_of_the_seed_holds() {
    let tables = [fields::ROWS, rules::ROWS, operations::ROWS];
    let rows: Vec<&Row> = tables.into_iter().flatten().copied().flatten().collect();
    let mut failed = Vec::new();
    for Row(section, rule, holds) in &rows {
        if catch_unwind(holds).is_err() {
            failed.push(format!("{section} {rule}"));
        }
    }
    assert!(failed.is_empty(), "{} rows do not hold:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(rows.len(), ROWS);
}

/// A fixture of the seed: `s3` is its complete example.
fn seed(name: &str) -> String {
    text(&format!("seed-002-{name}"))
}

fn page(text: &str) -> LoopDetail {
    detail(text.as_bytes(), StatusWord::RunningElsewhere)
}

/// A fixture with some text replaced; the text must exist.
fn with(name: &str, replacements: &[(&str, &str)]) -> String {
    let mut text = seed(name);
    for (from, to) in replacements {
        assert!(text.contains(from), "{from:?} is not in {name}");
        text = text.replacen(from, to, 1);
    }
    text
}

/// `code path` of every problem with this code.
fn problems(text: &str, code: &str) -> Vec<String> {
    let all = page(text).problems;
    let own = all.iter().filter(|problem| problem.code.name().split('_').next() == Some(code));
    own.map(|problem| problem.path.clone()).collect()
}

/// Codes and paths of everything that refuses a verb.
fn errors(text: &str) -> Vec<String> {
    let problems = summary(text.as_bytes()).problems;
    problems.iter().map(|problem| format!("{} {}", problem.code.name(), problem.path)).collect()
}

fn fact(text: &str, name: &str) -> Option<FactValue> {
    page(text).facts.into_iter().find(|fact| fact.name == name).map(|fact| fact.value)
}

fn number(text: &str, name: &str) -> f64 {
    match fact(text, name) {
        Some(FactValue::Number(number)) => number,
        other => panic!("{name}: {other:?}"),
    }
}

fn check(text: &str, item: &str) -> ChecklistRow {
    page(text).checklist.into_iter().find(|row| row.item == item).expect("a row")
}

/// The file after an operation.
fn after(text: &str, operation: &AotOperation) -> String {
    String::from_utf8(operate(text.as_bytes(), operation).expect("legal")).expect("utf-8")
}

fn refused(text: &str, operation: &AotOperation) -> RefusalCode {
    operate(text.as_bytes(), operation).expect_err("refused").code
}

/// `A1 pending, A2 resolved`
fn atoms(text: &str) -> String {
    let atoms = page(text).atoms;
    atoms.iter().map(|atom| format!("{} {}", atom.id, atom.status)).collect::<Vec<_>>().join(", ")
}
