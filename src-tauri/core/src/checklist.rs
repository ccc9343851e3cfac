//! Checks that decide whether work is done: how a person writes them, how an AoT file does (AoT contract §11), and what comes of them.

mod asked;
pub mod coverage;
mod evidence;
mod hollow;
mod kind;
pub(crate) mod outcome;
pub mod path_pattern;
mod score;
#[cfg(test)]
mod tests;
mod verdict;
pub mod wanted;

pub use asked::{CommandCheck, CommandResult, FileCheck, FileFound, TestsRan};
pub use evidence::{Done, judge, total};
pub use kind::{CheckType, ItemKind};
pub use outcome::{CheckOutcome, CheckedBy, UnknownWhy, Verification, add_results};
pub use score::{quality_verdict, weighted};
pub use verdict::{CheckResult, CommandEnd, Verdict, command_verdict, verdict, verdicts};

use crate::view::{ChecklistRow, RubricLevel, RubricRow};
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::{YamlKind, YamlNode};

/// Longest name, value or criterion shown; anything longer is cut and not run.
pub(crate) const SHOWN: usize = 4_000;
/// More rows than a person reads.
const MAX_ROWS: usize = 5_000;

/// A completion check as read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checklist {
    /// Items in reading order.
    pub rows: Vec<ChecklistRow>,
    /// Why it can never pass; empty when it is valid.
    pub flaws: Vec<ItemRemark>,
    /// Spellings that are understood but worth reporting.
    pub remarks: Vec<ItemRemark>,
    /// Valid checks whose result is known before the work: `always_passes` or `never_passes`.
    pub hollow: Vec<ItemRemark>,
}

/// A remark on one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRemark {
    /// Path below `base_case`, e.g. `checklist[1].group[0]`; empty for the whole.
    pub path: String,
    /// 1-based line in the file.
    pub line: Option<u32>,
    /// Stable words, e.g. `empty_group`.
    pub reason: &'static str,
}

/// Reads `base_case`; `None` when there is none, so it can never pass.
#[must_use]
pub fn read(base_case: Option<&YamlNode<'_>>) -> Checklist {
    let mut list = Checklist::default();
    let Some(node) = base_case.filter(|node| node.is_map()) else {
        list.flaws.push(ItemRemark {
            path: String::new(),
            line: base_case.map(|n| n.line),
            reason: "missing",
        });
        return list;
    };
    let Some(checklist) = node.get("checklist") else {
        list.check(node, "", 0, String::new());
        return list;
    };
    if node.get("type").is_some() {
        list.remark("", node.line, "two_forms");
    }
    list.items(checklist, "checklist", 0, "empty_checklist");
    list
}

/// Whether a check passes whatever the work is, going by its words.
#[must_use]
pub(crate) fn always_passes(check: &ChecklistRow) -> bool {
    hollow::foregone(check) == Some("always_passes")
}

impl Checklist {
    /// Whether it could pass if each of its checks did.
    #[must_use]
    pub fn can_pass(&self) -> bool {
        verdict(&self.rows, &vec![Verdict::Pass; self.rows.len()]) != Verdict::Fail
    }

    fn flaw(&mut self, path: &str, line: u32, reason: &'static str) {
        self.flaws.push(ItemRemark { path: path.to_owned(), line: Some(line), reason });
    }

    fn remark(&mut self, path: &str, line: u32, reason: &'static str) {
        self.remarks.push(ItemRemark { path: path.to_owned(), line: Some(line), reason });
    }

    // Recursion is bounded by the depth of the tree.
    fn items(&mut self, list: &YamlNode<'_>, path: &str, depth: u32, when_empty: &'static str) {
        if list.items().is_empty() {
            self.flaw(path, list.line, when_empty);
        }
        for (index, item) in list.items().iter().enumerate() {
            if self.rows.len() >= MAX_ROWS {
                return;
            }
            self.item(item, &format!("{path}[{index}]"), depth);
        }
    }

    fn item(&mut self, item: &YamlNode<'_>, path: &str, depth: u32) {
        let name = short_text(item.get("item"));
        let parts = ["group", "any_of", "check"].map(|key| (key, item.get(key)));
        if parts.iter().filter(|(_, node)| node.is_some()).count() > 1 {
            self.remark(path, item.line, "several_parts");
        }
        match parts.into_iter().find_map(|(key, node)| node.map(|node| (key, node))) {
            None => {
                self.flaw(path, item.line, "no_check");
                self.rows.push(ChecklistRow { depth, item: name, ..ChecklistRow::default() });
            }
            Some(("check", check)) => {
                self.check(check, &format!("{path}.check"), depth, name);
                if let Some(row) = self.rows.last_mut() {
                    row.evidence.extend(evidence::noted(item));
                }
            }
            Some((key, list)) => {
                let (kind, empty) = if key == "group" {
                    (ItemKind::Group, "empty_group")
                } else {
                    (ItemKind::AnyOf, "empty_any_of")
                };
                self.rows.push(ChecklistRow { depth, item: name, kind, ..ChecklistRow::default() });
                self.items(list, &format!("{path}.{key}"), depth + 1, empty);
            }
        }
    }

    fn check(&mut self, check: &YamlNode<'_>, path: &str, depth: u32, item: String) {
        let word = short_text(check.get("type"));
        let check_type = CheckType::in_file(&word);
        let quality = check_type == CheckType::Quality;
        let mut value = short_text(check.get(if quality { "criteria" } else { "value" }));
        match check_type {
            CheckType::File | CheckType::NotFile => {
                let bare = path_of(&value);
                if bare != value {
                    value = bare.to_owned();
                    self.remark(path, check.line, "exists_prefix");
                }
            }
            CheckType::Command | CheckType::NotCommand | CheckType::Assertion | CheckType::Quality => {}
            // No words of a file: only plans of ours have them.
            CheckType::TestsKept | CheckType::Coverage | CheckType::Other => {
                self.flaw(path, check.line, "unknown_type");
            }
        }
        let rubric = if quality { self.rubric(check, path) } else { Vec::new() };
        if value.trim().is_empty() && rubric.is_empty() {
            self.flaw(path, check.line, "empty_value");
        }
        let row = ChecklistRow {
            depth,
            item,
            kind: ItemKind::Check,
            check_type: Some(check_type),
            type_word: (check_type == CheckType::Other).then(|| shorten(&word, 40)),
            value: (!value.is_empty()).then_some(value),
            pass_threshold: check.get("pass_threshold").and_then(number),
            scope: check.get("scope").map(joined).filter(|scope| !scope.is_empty()),
            rubric,
            result: CheckResult::None,
            evidence: evidence::noted(check),
        };
        if let Some(reason) = hollow::foregone(&row) {
            self.hollow.push(ItemRemark { path: path.to_owned(), line: Some(check.line), reason });
        }
        self.rows.push(row);
    }

    fn rubric(&mut self, check: &YamlNode<'_>, path: &str) -> Vec<RubricRow> {
        let criteria = check.get("rubric").map(YamlNode::items).unwrap_or_default();
        let written: Vec<Option<f64>> =
            criteria.iter().map(|row| row.get("weight").and_then(number)).collect();
        let weights = normalised(&written);
        if weights.is_none() && !criteria.is_empty() {
            self.flaw(path, check.line, "bad_weights");
        }
        let weights = weights.unwrap_or_else(|| vec![0.0; criteria.len()]);
        let row = |(row, weight): (&YamlNode<'_>, f64)| RubricRow {
            criterion: short_text(row.get("criterion")),
            description: short_text(row.get("description")),
            weight,
            score: evidence::score_of(row),
            levels: row.get("levels").map(levels).unwrap_or_default(),
        };
        criteria.iter().zip(weights).map(row).collect()
    }
}

/// Shares that sum to 1. A missing weight counts as the mean of the given ones; `None` when no positive
/// weight is left.
#[must_use]
pub fn normalised(weights: &[Option<f64>]) -> Option<Vec<f64>> {
    let given: Vec<f64> = weights.iter().copied().flatten().collect();
    #[allow(clippy::cast_precision_loss)] // a rubric has few criteria
    let mean = if given.is_empty() { 1.0 } else { given.iter().sum::<f64>() / given.len() as f64 };
    let filled: Vec<f64> = weights.iter().map(|weight| weight.unwrap_or(mean).max(0.0)).collect();
    let sum: f64 = filled.iter().sum();
    (sum > 0.0 && sum.is_finite()).then(|| filled.iter().map(|weight| weight / sum).collect())
}

fn levels(node: &YamlNode<'_>) -> Vec<RubricLevel> {
    let level = |entry: &loopdeck_text::yaml_span::Entry<'_>| {
        let name = short_text(Some(&entry.key));
        RubricLevel { score: name.parse().ok(), name, text: short_text(Some(&entry.value)) }
    };
    node.entries().iter().take(20).map(level).collect()
}

fn short_text(node: Option<&YamlNode<'_>>) -> String {
    node.and_then(YamlNode::text).map(|text| shorten(text, SHOWN)).unwrap_or_default()
}

/// The path of a file check, without the word that some put before it.
pub(crate) fn path_of(value: &str) -> &str {
    value.strip_prefix("exists: ").unwrap_or(value)
}

/// One text from a text or a list of texts.
pub(crate) fn joined(node: &YamlNode<'_>) -> String {
    match &node.kind {
        YamlKind::Seq(items, _) => {
            items.iter().take(100).map(|item| short_text(Some(item))).collect::<Vec<_>>().join(", ")
        }
        _ => short_text(Some(node)),
    }
}

/// A finite number.
pub(crate) fn number(node: &YamlNode<'_>) -> Option<f64> {
    node.text()?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
