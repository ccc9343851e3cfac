//! Istanbul's `coverage-summary.json` and `coverage-final.json` (Jest, Vitest, nyc).

use super::{Coverage, Share, Shares};
use crate::json::{count, members, small};
use loopdeck_text::json_span::scan::{Reader, Scan};
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeMap;

/// Reads a summary: shares by file, and `total`, which is the sum of the files.
pub(crate) fn read_summary(reader: &mut Reader<'_>, coverage: &mut Coverage) -> Scan<()> {
    let mut total = None;
    members(reader, |value, key| {
        let node = small(value)?;
        let share = |name: &str| {
            let part = node.get(name);
            Share { covered: count(part.get("covered")), total: count(part.get("total")) }
        };
        let shares = Shares {
            statements: share("statements"),
            branches: share("branches"),
            functions: share("functions"),
            lines: share("lines"),
        };
        if key == "total" {
            total = Some(shares);
        } else {
            coverage.file(key, shares);
        }
        Ok(())
    })?;
    if let Some(total) = total.filter(|_| coverage.is_empty()) {
        coverage.rest = total;
    }
    Ok(())
}

/// Reads the counters of every statement, function and branch.
pub(crate) fn read_final(reader: &mut Reader<'_>, coverage: &mut Coverage) -> Scan<()> {
    members(reader, |value, key| {
        let node = small(value)?;
        if node.is_object() {
            coverage.file(node.get("path").text().unwrap_or(key), shares(&node));
        }
        Ok(())
    })
}

fn shares(node: &Node<'_>) -> Shares {
    let mut shares = Shares::default();
    let starts: BTreeMap<&str, u64> = node
        .get("statementMap")
        .fields()
        .iter()
        .map(|(id, place)| (&**id, count(place.get("start").get("line"))))
        .collect();
    let mut lines: BTreeMap<u64, bool> = BTreeMap::new();
    for (id, hits) in node.get("s").fields() {
        let covered = count(hits) > 0;
        shares.statements.count(covered);
        if let Some(line) = starts.get(&**id) {
            *lines.entry(*line).or_default() |= covered;
        }
    }
    lines.values().for_each(|covered| shares.lines.count(*covered));
    for (_, hits) in node.get("f").fields() {
        shares.functions.count(count(hits) > 0);
    }
    for hits in node.get("b").fields().iter().flat_map(|(_, branches)| branches.items()) {
        shares.branches.count(count(hits) > 0);
    }
    shares
}
