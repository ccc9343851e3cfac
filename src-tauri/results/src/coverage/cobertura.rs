//! Cobertura's XML, as coverage.py, Istanbul, cargo-llvm-cov and many others write it.

use super::{Coverage, Share, Shares};
use crate::text::number;
use crate::xml::{Document, Element, Part};
use std::collections::BTreeMap;

/// One file; it can contain several classes.
#[derive(Default)]
struct CoberturaFile {
    lines: BTreeMap<u64, bool>,
    branches: BTreeMap<u64, Share>,
    functions: Share,
}

#[derive(Default)]
struct CoberturaReader {
    files: BTreeMap<String, CoberturaFile>,
    current: Option<String>,
    /// Inside a method: whether it ran.
    method: Option<bool>,
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
    let mut coverage = Coverage { truncated: document.broken, ..Coverage::default() };
    for (name, file) in reading.files {
        coverage.file(&name, file.shares());
    }
    coverage
}

impl CoberturaReader {
    fn open(&mut self, element: &Element<'_>) {
        match element.name().as_str() {
            "class" => {
                let name = element.attribute("filename").or(element.attribute("name")).unwrap_or_default();
                self.files.entry(name.clone()).or_default();
                self.current = Some(name);
            }
            "method" => {
                let ran = |name: &str| element.attribute(name).and_then(|value| value.parse::<f64>().ok());
                let ran = ran("hits").or(ran("line-rate"));
                self.method = Some(ran.is_some_and(|ran| ran > 0.0));
            }
            "line" => self.line(element),
            _ => {}
        }
    }

    fn line(&mut self, element: &Element<'_>) {
        let value = |name: &str| element.attribute(name).and_then(|value| Some(number(value.trim())?.0));
        let (Some(line), hits) = (value("number"), value("hits").unwrap_or_default()) else { return };
        if let Some(ran) = &mut self.method {
            *ran |= hits > 0;
        }
        let Some(file) = self.current.as_ref().and_then(|name| self.files.get_mut(name)) else { return };
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
                let file = self.current.as_ref().and_then(|name| self.files.get_mut(name));
                if let (Some(ran), Some(file)) = (self.method.take(), file) {
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
