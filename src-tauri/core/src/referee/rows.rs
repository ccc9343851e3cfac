//! Checks of a start form as the rows that are shown and judged, as those of an AoT file are.

use crate::checklist::wanted::{Check, CheckItem, CheckKind, CheckPart};
use crate::checklist::{CheckType, ItemKind};
use crate::view::ChecklistRow;

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
            CheckPart::Quality(_) => {}
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

fn type_of(kind: CheckKind) -> CheckType {
    match kind {
        CheckKind::TestsKept => CheckType::TestsKept,
        _ => CheckType::from_word(kind.word()),
    }
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
        CheckPart::Check(_) => None,
        CheckPart::Quality(_) => Some("quality_here"),
        CheckPart::Group(items) | CheckPart::AnyOf(items) if items.is_empty() => Some("blank_check"),
        CheckPart::Group(items) | CheckPart::AnyOf(items) => flaw_at(items, depth + 1),
    })
}
