//! lcov's `.info`.
//!
//! Our own reader: the crate lcov 0.8 stops at coverage.py's named branches, and a partly readable report is
//! worth showing.

use super::{Coverage, Share, Shares};
use crate::text::{lines, number};
use std::collections::BTreeMap;

/// One file; it can have several records, one per test program.
#[derive(Default)]
struct LcovFile {
    lines: BTreeMap<u64, bool>,
    functions: BTreeMap<String, bool>,
    branches: BTreeMap<String, bool>,
    /// `LF`/`LH`, `FNF`/`FNH`, `BRF`/`BRH`, for records without details.
    told: Shares,
}

/// Reads a report.
pub(crate) fn read(bytes: &[u8]) -> Coverage {
    let mut files: BTreeMap<String, LcovFile> = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in lines(bytes) {
        let line = line.trim();
        if line == "end_of_record" {
            current = None;
        } else if let Some((key, value)) = line.split_once(':') {
            if key == "SF" {
                current = Some(value.to_owned());
                files.entry(value.to_owned()).or_default();
            } else if let Some(file) = current.as_ref().and_then(|name| files.get_mut(name)) {
                file.record(key, value);
            }
        }
    }
    let mut coverage = Coverage { truncated: current.is_some(), ..Coverage::default() };
    for (name, file) in files {
        coverage.file(&name, file.shares());
    }
    coverage
}

impl LcovFile {
    fn record(&mut self, key: &str, value: &str) {
        let count = || number(value).map_or(0, |(count, _)| count);
        match key {
            "DA" => {
                if let Some((line, rest)) = number(value) {
                    *self.lines.entry(line).or_default() |=
                        hit(rest.trim_start_matches(',').split(',').next());
                }
            }
            "FNDA" => {
                if let Some((hits, name)) = value.split_once(',') {
                    *self.functions.entry(name.to_owned()).or_default() |= hit(Some(hits));
                }
            }
            "BRDA" => {
                if let Some((branch, taken)) = value.rsplit_once(',') {
                    *self.branches.entry(branch.to_owned()).or_default() |= hit(Some(taken));
                }
            }
            "LF" => self.told.lines.total = count(),
            "LH" => self.told.lines.covered = count(),
            "FNF" => self.told.functions.total = count(),
            "FNH" => self.told.functions.covered = count(),
            "BRF" => self.told.branches.total = count(),
            "BRH" => self.told.branches.covered = count(),
            _ => {}
        }
    }

    fn shares(&self) -> Shares {
        Shares {
            statements: Share::default(),
            branches: share(self.branches.values(), self.told.branches),
            functions: share(self.functions.values(), self.told.functions),
            lines: share(self.lines.values(), self.told.lines),
        }
    }
}

/// `-` means that the line never ran.
fn hit(hits: Option<&str>) -> bool {
    hits.and_then(number).is_some_and(|(hits, _)| hits > 0)
}

fn share<'a>(parts: impl Iterator<Item = &'a bool>, told: Share) -> Share {
    let mut share = Share::default();
    parts.for_each(|covered| share.count(*covered));
    if share.total == 0 { told } else { share }
}
