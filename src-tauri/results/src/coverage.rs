//! Coverage reports: lcov, Cobertura, and Istanbul's two formats.

mod cobertura;
mod istanbul;
mod lcov;

use super::MAX_FILES;
use crate::record::CoverageFigures;
use std::collections::{BTreeMap, HashSet};

pub(super) use cobertura::read as cobertura;
pub(super) use istanbul::{read_final as istanbul_final, read_summary as istanbul_summary};
pub(super) use lcov::read as lcov;

/// Covered and total.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Share {
    pub(super) covered: u64,
    pub(super) total: u64,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.covered = self.covered.saturating_add(other.covered);
        self.total = self.total.saturating_add(other.total);
    }

    /// Counts one more.
    fn count(&mut self, covered: bool) {
        self.add(Self { covered: u64::from(covered), total: 1 });
    }

    /// 0 to 100 with two decimals; none when there is nothing to cover.
    #[allow(clippy::cast_precision_loss)] // a percentage
    fn percent(self) -> Option<f64> {
        let share = self.covered.min(self.total) as f64 / self.total as f64;
        (self.total > 0).then(|| (share * 10_000.0).round() / 100.0)
    }
}

/// The coverage of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shares {
    pub(super) statements: Share,
    pub(super) branches: Share,
    pub(super) functions: Share,
    pub(super) lines: Share,
}

impl Shares {
    fn add(&mut self, other: &Self) {
        self.statements.add(other.statements);
        self.branches.add(other.branches);
        self.functions.add(other.functions);
        self.lines.add(other.lines);
    }

    fn figures(&self) -> CoverageFigures {
        CoverageFigures {
            statements: self.statements.percent(),
            branches: self.branches.percent(),
            functions: self.functions.percent(),
            lines: self.lines.percent(),
        }
    }
}

/// Coverage from one or more reports.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    /// By name, as written in the report.
    files: BTreeMap<String, Shares>,
    /// From reports that name no files.
    rest: Shares,
    /// The report ends early.
    pub(super) truncated: bool,
}

impl Coverage {
    /// Adds a file; beyond the limit, files count only towards the total.
    pub(super) fn file(&mut self, name: &str, shares: Shares) {
        let name = super::text::kept(name.trim(), 1000).unwrap_or_default();
        if self.files.len() >= MAX_FILES || name.is_empty() {
            self.rest.add(&shares);
            return;
        }
        self.files.insert(name, shares);
    }

    fn total(&self) -> Shares {
        let mut whole = self.rest;
        self.files.values().for_each(|shares| whole.add(shares));
        whole
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total() == Shares::default()
    }

    /// Adds another report; false when it covers files already known from another format.
    pub(super) fn merge(&mut self, other: Self) -> bool {
        let base = |name: &str| name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let known: HashSet<String> = self.files.keys().map(|name| base(name)).collect();
        if other.files.keys().any(|name| known.contains(&base(name))) {
            return false;
        }
        self.rest.add(&other.rest);
        for (name, shares) in other.files {
            self.file(&name, shares);
        }
        true
    }

    /// The total, none when nothing is known, and every file.
    pub(super) fn finish(self) -> (Option<CoverageFigures>, Vec<(String, CoverageFigures)>) {
        let whole = self.total().figures();
        let known = whole != CoverageFigures::default();
        let files = self.files.into_iter().map(|(name, shares)| (name, shares.figures())).collect();
        (known.then_some(whole), files)
    }
}
