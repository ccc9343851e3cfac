//! Coverage reports: lcov, Cobertura, and Istanbul's two formats.

mod cobertura;
mod istanbul;
mod lcov;

use super::MAX_FILES;
use super::recognise::Kind;
use super::unread::UnreadReason;
use crate::record::CoverageFigures;
use std::collections::{BTreeMap, HashMap};

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
        let most = if self.covered < self.total { 99.99 } else { 100.0 };
        (self.total > 0).then(|| ((share * 10_000.0).round() / 100.0).min(most))
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

/// One file in one report.
#[derive(Debug)]
struct CoveredFile {
    /// As its report names it.
    path: String,
    shares: Shares,
    /// What its report is; `None` while it is read.
    kind: Option<Kind>,
}

/// Coverage from one or more reports.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    /// By name: the path, with what tells it apart from another file of that path.
    files: BTreeMap<String, CoveredFile>,
    /// Lines that belong to no file in `files`.
    rest: Shares,
    /// Why the report is not read to its end.
    pub(super) fault: Option<UnreadReason>,
    /// Files are missing, so that nothing is known of the whole.
    pub(super) is_partial: bool,
}

impl Coverage {
    /// Adds a file; beyond the limit, files count only towards the total.
    pub(super) fn file(&mut self, path: &str, shares: Shares) {
        self.named_file(path, "", shares);
    }

    /// The same; `apart` tells it from another file of the same path.
    pub(super) fn named_file(&mut self, path: &str, apart: &str, shares: Shares) {
        let file = CoveredFile { path: path.trim().to_owned(), shares, kind: None };
        match super::text::kept(&file.path, 1000) {
            Some(name) => self.insert(&name, file, apart),
            None => self.rest.add(&file.shares),
        }
    }

    fn insert(&mut self, path: &str, file: CoveredFile, apart: &str) {
        if self.files.len() >= MAX_FILES {
            return self.rest.add(&file.shares);
        }
        let mut name = path.to_owned();
        if self.files.contains_key(&name) && !apart.is_empty() {
            name = format!("{path} ({apart})");
        }
        let numbers = (2..20).chain(self.files.len()..);
        for number in numbers {
            if !self.files.contains_key(&name) {
                break;
            }
            name = format!("{path} ({number})");
        }
        self.files.insert(name, file);
    }

    /// Adds lines that belong to no file.
    pub(super) fn add_rest(&mut self, shares: &Shares) {
        self.rest.add(shares);
    }

    fn total(&self) -> Shares {
        let mut whole = self.rest;
        self.files.values().for_each(|file| whole.add(&file.shares));
        whole
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total() == Shares::default()
    }

    /// Adds another report; false when it has nothing but files of reports in other formats: those are of the same run.
    /// Files of the same name in two reports of one format are two files.
    pub(super) fn merge(&mut self, other: Self, kind: Kind, source: &str) -> bool {
        let mut known: HashMap<String, Vec<String>> = HashMap::new();
        for (name, file) in &self.files {
            known.entry(base(&file.path)).or_default().push(name.clone());
        }
        let mut is_new = self.is_empty() || other.files.is_empty() && self.files.is_empty();
        for (name, file) in other.files {
            let file = CoveredFile { kind: Some(kind), ..file };
            let names = known.get(&base(&file.path)).into_iter().flatten();
            let same =
                names.into_iter().find(|name| self.files.get(*name).is_some_and(|other| other.is(&file)));
            if let Some(known) = same.and_then(|name| self.files.get_mut(name)) {
                if known.kind == file.kind && file.shares.lines.covered > known.shares.lines.covered {
                    known.shares = file.shares; // both are at most what was covered
                }
                continue;
            }
            is_new = true;
            self.insert(&name, file, source);
        }
        if is_new {
            self.rest.add(&other.rest);
        }
        self.is_partial |= other.is_partial;
        is_new
    }

    /// The total, none when it is not known, and every file.
    pub(super) fn finish(self) -> (Option<CoverageFigures>, Vec<(String, CoverageFigures)>) {
        let whole = self.total().figures();
        let known = whole != CoverageFigures::default() && !self.is_partial;
        let files = self.files.into_iter().map(|(name, file)| (name, file.shares.figures())).collect();
        (known.then_some(whole), files)
    }
}

impl CoveredFile {
    /// Whether both are the same file. In reports of one format only an absolute path says so; in those of two formats,
    /// which tools write of one run, the end of the path and the number of lines.
    fn is(&self, other: &Self) -> bool {
        if self.kind == other.kind {
            return self.path == other.path && is_absolute(&self.path);
        }
        let (one, two) = (self.shares.lines.total, other.shares.lines.total);
        (one == two || one == 0 || two == 0) && ends_alike(&self.path, &other.path)
    }
}

/// Whether a path says which file it is, whatever folder it is written in.
pub(super) fn is_absolute(path: &str) -> bool {
    let drive =
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|char: char| char.is_ascii_alphabetic());
    path.starts_with(['/', '\\']) || drive
}

/// The name of a file without its folders.
fn base(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Whether one path is the end of the other.
fn ends_alike(one: &str, two: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
        parts.map(str::to_owned).collect()
    };
    let (one, two) = (parts(one), parts(two));
    let short = one.len().min(two.len());
    short > 0 && one[one.len() - short..] == two[two.len() - short..]
}
