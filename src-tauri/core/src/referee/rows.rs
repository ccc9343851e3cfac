//! Checks of a start form as the rows that are shown and judged, as those of an AoT file are.

use crate::checklist::wanted::{Check, CheckItem, CheckKind, CheckPart, Criteria, Criterion, Quality};
use crate::checklist::{CheckType, ItemKind, coverage, normalised};
use crate::formats::aot::edit::quality;
use crate::view::{ChecklistRow, RubricLevel, RubricRow};

/// Most checks of a loop.
const MOST: usize = 100;
/// Characters of a name or value.
const LONGEST: usize = 4_000;
/// Deepest list in a list.
const DEEPEST: usize = 4;

/// One row for each check and list, in reading order.
#[must_use]
pub fn rows_of(checks: &[CheckItem]) -> Vec<ChecklistRow> {
    let mut rows = Vec::new();
    add(checks, 0, &mut rows);
    rows
}

// Recursion is bounded by `flaw`, which every plan passes.
fn add(checks: &[CheckItem], depth: u32, rows: &mut Vec<ChecklistRow>) {
    for check in checks {
        let row = ChecklistRow { depth, item: check.item.trim().to_owned(), ..ChecklistRow::default() };
        match &check.part {
            CheckPart::Check(Check { kind, value }) => rows.push(ChecklistRow {
                kind: ItemKind::Check,
                check_type: Some(type_of(*kind)),
                value: Some(value.trim().to_owned()),
                ..row
            }),
            CheckPart::Quality(quality) => rows.push(quality_row(quality, row)),
            CheckPart::Group(items) => {
                rows.push(ChecklistRow { kind: ItemKind::Group, ..row });
                add(items, depth + 1, rows);
            }
            CheckPart::AnyOf(items) => {
                rows.push(ChecklistRow { kind: ItemKind::AnyOf, ..row });
                add(items, depth + 1, rows);
            }
        }
    }
}

fn quality_row(quality: &Quality, row: ChecklistRow) -> ChecklistRow {
    let (value, rubric) = match &quality.criteria {
        Criteria::Text(text) => (Some(text.trim().to_owned()), Vec::new()),
        Criteria::Rubric(criteria) => (None, rubric(criteria)),
    };
    ChecklistRow {
        kind: ItemKind::Check,
        check_type: Some(CheckType::Quality),
        value,
        pass_threshold: Some(f64::from(quality.pass_threshold) / 100.0),
        scope: quality.scope.clone(),
        rubric,
        ..row
    }
}

fn rubric(criteria: &[Criterion]) -> Vec<RubricRow> {
    let weights: Vec<Option<f64>> = criteria.iter().map(|one| one.weight.map(f64::from)).collect();
    let weights = normalised(&weights).unwrap_or_else(|| vec![0.0; criteria.len()]);
    let level = |(score, text): &(u8, String)| RubricLevel {
        score: Some(*score),
        name: score.to_string(),
        text: text.clone(),
    };
    let row = |(one, weight): (&Criterion, f64)| RubricRow {
        criterion: one.criterion.trim().to_owned(),
        description: one.description.clone().unwrap_or_default(),
        weight,
        score: None,
        levels: one.levels.iter().map(level).collect(),
    };
    criteria.iter().zip(weights).map(row).collect()
}

fn type_of(kind: CheckKind) -> CheckType {
    CheckType::from_word(kind.word())
}

/// What is wrong with checks of a start form, as a code of `start.wrong`; `None` when they can be run.
#[must_use]
pub fn flaw(checks: &[CheckItem]) -> Option<&'static str> {
    flaw_at(checks, 0).or_else(|| (rows_of(checks).len() > MOST).then_some("too_many_checks"))
}

fn flaw_at(checks: &[CheckItem], depth: usize) -> Option<&'static str> {
    if depth > DEEPEST {
        return Some("checks_too_deep");
    }
    checks.iter().find_map(|check| match &check.part {
        CheckPart::Check(check) if check.kind.has_value() && check.value.trim().is_empty() => {
            Some("blank_check")
        }
        CheckPart::Check(check) if check.value.chars().count() > LONGEST => Some("check_too_long"),
        CheckPart::Check(Check { kind: CheckKind::Coverage, value }) if coverage::read(value).is_none() => {
            Some("bad_coverage")
        }
        CheckPart::Check(_) => None,
        CheckPart::Quality(quality) => quality::flaw(quality),
        CheckPart::Group(items) | CheckPart::AnyOf(items) if items.is_empty() => Some("blank_check"),
        CheckPart::Group(items) | CheckPart::AnyOf(items) => flaw_at(items, depth + 1),
    })
}
