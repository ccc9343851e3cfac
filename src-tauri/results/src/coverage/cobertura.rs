//! Cobertura's XML, as coverage.py, Istanbul, cargo-llvm-cov and many others write it.

use super::{Coverage, Share, Shares, is_absolute};
use crate::text::{grouped, number};
use crate::xml::{Document, Element, Part};
use std::collections::{BTreeMap, HashMap};

/// One file; it can contain several classes.
#[derive(Default)]
struct CoberturaFile {
    lines: BTreeMap<u64, bool>,
    branches: BTreeMap<u64, Share>,
    functions: Share,
}

/// What makes a file one: its package, where its path is relative, the path, and how often its class was there before.
type FileKey = (String, String, u32);

#[derive(Default)]
struct CoberturaReader {
    /// In order, each with its path and package.
    files: Vec<(String, String, CoberturaFile)>,
    places: HashMap<FileKey, usize>,
    /// How often a class was there, by package, path and name.
    classes: HashMap<(String, String, String), u32>,
    package: String,
    current: Option<usize>,
    /// Inside a method: whether it ran.
    method: Option<bool>,
    /// `lines-valid` and `lines-covered` of all reports in the text.
    declared: Share,
}

/// Reads a report.
pub(crate) fn read(text: &str) -> Coverage {
    let mut document = Document::new(text);
    let mut reading = CoberturaReader::default();
    while let Some(part) = document.next() {
        match part {
            Part::Open(element) => reading.open(&element),
            Part::Close(name) => reading.close(&name),
            Part::Text(_) => {}
        }
    }
    let mut coverage = Coverage { fault: document.fault(), ..Coverage::default() };
    let (open, declared) = (reading.current, reading.declared);
    let mut counted = Share::default();
    for (index, (path, package, file)) in reading.files.into_iter().enumerate() {
        let shares = file.shares();
        counted.add(shares.lines);
        // Of a class that is cut off, nothing is known.
        if open != Some(index) {
            coverage.named_file(&path, &package, shares);
        }
    }
    // What the report counts and doesn't list: files of which another one took the place.
    if coverage.fault.is_none() && declared.total > counted.total {
        let lines = Share {
            covered: declared.covered.saturating_sub(counted.covered),
            total: declared.total - counted.total,
        };
        coverage.add_rest(&Shares { lines, ..Shares::default() });
    }
    coverage
}

impl CoberturaReader {
    fn open(&mut self, element: &Element<'_>) {
        match element.name().as_str() {
            "coverage" => {
                let count = |name: &str| {
                    element.attribute(name).and_then(|value| grouped(&value)).unwrap_or_default()
                };
                self.declared.add(Share { covered: count("lines-covered"), total: count("lines-valid") });
            }
            "package" => self.package = element.attribute("name").unwrap_or_default(),
            "class" => self.class(element),
            "method" => {
                let ran = |name: &str| element.attribute(name).and_then(|value| value.parse::<f64>().ok());
                let ran = ran("hits").or(ran("line-rate"));
                self.method = Some(ran.is_some_and(|ran| ran > 0.0));
            }
            "line" => self.line(element),
            _ => {}
        }
    }

    /// Files of one path in two packages are two files, and so is a class that is there twice.
    fn class(&mut self, element: &Element<'_>) {
        let name = element.attribute("name").unwrap_or_default();
        let path = element.attribute("filename").unwrap_or_else(|| name.clone());
        let is_absolute = is_absolute(&path);
        let package = if is_absolute { String::new() } else { self.package.clone() };
        let times = self.classes.entry((package.clone(), path.clone(), name)).or_default();
        let key = (package, path.clone(), if is_absolute { 0 } else { *times });
        *times += 1;
        let next = self.files.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.files.push((path, self.package.clone(), CoberturaFile::default()));
        }
        self.current = Some(place);
    }

    fn line(&mut self, element: &Element<'_>) {
        let value = |name: &str| element.attribute(name).and_then(|value| Some(number(value.trim())?.0));
        let (Some(line), hits) = (value("number"), value("hits").unwrap_or_default()) else { return };
        if let Some(ran) = &mut self.method {
            *ran |= hits > 0;
        }
        let Some(file) = self.current.and_then(|place| self.files.get_mut(place)) else { return };
        let file = &mut file.2;
        *file.lines.entry(line).or_default() |= hits > 0;
        let branches = element.attribute("condition-coverage").as_deref().and_then(conditions);
        if let Some(branches) = branches {
            file.branches.insert(line, branches);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "class" => self.current = None,
            "method" => {
                let file = self.current.and_then(|place| self.files.get_mut(place));
                if let (Some(ran), Some((.., file))) = (self.method.take(), file) {
                    file.functions.count(ran);
                }
            }
            _ => {}
        }
    }
}

/// `50% (1/2)`
fn conditions(text: &str) -> Option<Share> {
    let (covered, rest) = number(text.split_once('(')?.1)?;
    let (total, _) = number(rest.strip_prefix('/')?)?;
    Some(Share { covered, total })
}

impl CoberturaFile {
    fn shares(&self) -> Shares {
        let mut shares = Shares { functions: self.functions, ..Shares::default() };
        self.lines.values().for_each(|covered| shares.lines.count(*covered));
        self.branches.values().for_each(|branches| shares.branches.add(*branches));
        shares
    }
}
