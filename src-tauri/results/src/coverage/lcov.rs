//! lcov's `.info`.
//!
//! Our own reader: the crate lcov 0.8 stops at coverage.py's named branches, and a partly readable report is
//! worth showing.

use super::{Coverage, Share, Shares, is_absolute};
use crate::text::{lines, number};
use crate::unread::UnreadReason;
use std::collections::{BTreeMap, HashMap};

/// Names of tests that are kept for a file.
const TESTS: usize = 1000;

/// One file; it can have several records, one per test program.
#[derive(Default)]
struct LcovFile {
    lines: BTreeMap<u64, bool>,
    functions: BTreeMap<String, bool>,
    branches: BTreeMap<String, bool>,
    /// `LF`/`LH`, `FNF`/`FNH`, `BRF`/`BRH`, for records without details.
    told: Shares,
}

/// The files of a report, in order, each with its path and the names of the tests (`TN`) that it has records of.
#[derive(Default)]
struct LcovReader {
    files: Vec<(String, Vec<String>, LcovFile)>,
    /// Files by path.
    places: HashMap<String, Vec<usize>>,
    test: String,
    current: Option<usize>,
}

/// Reads a report. Its last record counts without its end when it has as many lines as it says.
pub(crate) fn read(text: &str) -> Coverage {
    let mut reading = LcovReader::default();
    for line in lines(text.as_bytes()) {
        let line = line.trim();
        if line == "end_of_record" {
            reading.current = None;
        } else if let Some((key, value)) = line.split_once(':') {
            match key {
                "TN" => value.clone_into(&mut reading.test),
                "SF" => reading.begin(value),
                _ => {
                    if let Some((.., file)) = reading.current.and_then(|place| reading.files.get_mut(place)) {
                        file.record(key, value);
                    }
                }
            }
        }
    }
    let open = reading.current.filter(|place| !reading.files[*place].2.is_whole());
    let fault = open.map(|_| UnreadReason::CutOff);
    let mut coverage = Coverage { fault, ..Coverage::default() };
    for (place, (path, _, file)) in reading.files.iter().enumerate() {
        if open != Some(place) {
            coverage.file(path, file.shares());
        }
    }
    coverage
}

impl LcovReader {
    /// A record begins. One path has a record for each test program; a second record of the same one is of another
    /// file, unless the path says that it can't be.
    fn begin(&mut self, path: &str) {
        let places = self.places.entry(path.to_owned()).or_default();
        let of_other_test = |place: &&usize| !self.files[**place].1.contains(&self.test);
        let known = if is_absolute(path) { places.first() } else { places.iter().find(of_other_test) };
        let place = known.copied().unwrap_or_else(|| {
            places.push(self.files.len());
            self.files.push((path.to_owned(), Vec::new(), LcovFile::default()));
            self.files.len() - 1
        });
        if self.files[place].1.len() < TESTS {
            self.files[place].1.push(self.test.clone());
        }
        self.current = Some(place);
    }
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
            // lcov 2.2 numbers the functions of a file: index, hits, name.
            "FNA" => {
                if let Some((hits, name)) = value.split_once(',').and_then(|(_, rest)| rest.split_once(',')) {
                    *self.functions.entry(name.to_owned()).or_default() |= hit(Some(hits));
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

    fn is_whole(&self) -> bool {
        self.told.lines.total > 0 && self.lines.len() as u64 == self.told.lines.total
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
