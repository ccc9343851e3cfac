//! The remains of an unreadable state file: the sections that are YAML, the items of the others, and the
//! prompt.

use super::quotes;
use super::salvage_parts::{self, Slot};
use super::values;
use crate::formats::aot::edit::canonical;
use crate::formats::aot::read::front_matter::is_delimiter;
use crate::formats::aot::read::state::{self, SECTIONS};
use loopdeck_text::yaml_span::{self, Entry};
use std::collections::HashMap;

/// Headline of the Markdown body (AoT contract §1).
pub(crate) const HEADLINE: &str = "# Original Prompt";

/// Everything that is complete.
#[derive(Debug, Default)]
pub(crate) struct AotSalvage {
    /// Names and canonical lines of the top-level entries in file order, each name once.
    pub(crate) sections: Vec<(String, String)>,
    /// Nothing of the front matter is missing after the last section.
    pub(crate) complete: bool,
    /// Everything after the closing line, unchanged.
    pub(crate) body: Option<String>,
    /// The items of partly readable sections.
    pub(crate) parts: HashMap<String, Vec<Slot>>,
    /// The section in which the file breaks off: there may have been more items.
    pub(crate) cut: Option<String>,
    /// Paths of values that its sections do not keep.
    pub(crate) lost: Vec<String>,
    /// Atom ids that were replaced, see [`values::rename`].
    pub(crate) renamed: Vec<(String, String)>,
}

impl AotSalvage {
    /// Reads as far as the bytes look like a state file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        match state::read(bytes) {
            Ok(document) => {
                let body = String::from_utf8_lossy(&bytes[document.front.body.clone()]).into_owned();
                let mut salvage = Self { complete: true, body: Some(body), ..Self::default() };
                salvage.complete = document.root().entries().iter().all(|entry| salvage.keep(entry));
                salvage
            }
            Err(_) => Self::of_lines(&decoded(bytes)),
        }
    }

    fn of_lines(text: &str) -> Self {
        let Some((front, body)) = cut(text) else { return Self::default() };
        let mut salvage = Self { body: body.map(|at| text[at..].to_owned()), ..Self::default() };
        let front = quotes::fix_text(&values::untabbed(front));
        let parts = front_matter_parts(&front);
        // There may have been more lines after the last key, unless the end of the front matter was found.
        let open = parts.len().checked_sub(1).filter(|_| body.is_none());
        salvage.complete = body.is_some();
        for (index, part) in parts.iter().enumerate() {
            let is_open = Some(index) == open;
            if is_open || !salvage.read(part) {
                salvage.read_items(part, is_open);
                salvage.complete = false;
            }
        }
        salvage
    }

    /// Keeps the readable items of a section; the last one of a truncated file may be incomplete.
    fn read_items(&mut self, part: &str, is_open: bool) {
        let part = part.replace('\r', "");
        let name = part.split(':').next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned();
        let mut slots = salvage_parts::slots(&name, &part);
        if let Some(last) = slots.last_mut().filter(|_| is_open) {
            last.lines = None;
        }
        if self.section(&name).is_some() {
            return;
        }
        let whole = salvage_parts::section(&name, &slots);
        if slots.iter().any(|slot| slot.lines.is_some()) && self.read(&whole) {
            if is_open {
                self.cut = Some(name.clone());
            }
            self.parts.insert(name, slots);
        }
    }

    /// Whether a part is one readable section.
    fn read(&mut self, part: &str) -> bool {
        // Undecodable text was not written by anyone.
        if part.contains('\u{fffd}') {
            return false;
        }
        let part = part.replace('\r', "");
        match yaml_span::parse(&part, 0, 1) {
            Ok(tree) => match tree.root.entries() {
                [only] => self.keep(only),
                _ => false,
            },
            _ => false,
        }
    }

    /// The canonical lines of one section; `None` when it is unreadable.
    pub(crate) fn of_section(text: &str) -> Option<String> {
        let mut salvage = Self::default();
        salvage.read(text).then(|| salvage.sections.pop()).flatten().map(|(_, lines)| lines)
    }

    /// Whether a section could be kept.
    fn keep(&mut self, entry: &Entry<'_>) -> bool {
        let readable = values::readable(entry);
        let lines = canonical::section(&readable.entry);
        let Some((name, lines)) = entry.key.text().zip(lines) else { return false };
        let known = self.section(name).is_some();
        if known {
            self.lost.push(name.clone().into_owned());
        } else {
            self.sections.push((name.clone().into_owned(), lines));
            self.lost.extend(readable.lost);
            self.renamed.extend(readable.renamed);
        }
        !known
    }

    /// The lines of a section.
    pub(crate) fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(found, _)| found == name).map(|(_, lines)| lines.as_str())
    }

    /// Sections that no schema lists.
    pub(crate) fn others(&self) -> impl Iterator<Item = &(String, String)> {
        self.sections.iter().filter(|(name, _)| !SECTIONS.contains(&name.as_str()))
    }
}

/// The text of the bytes; a line that is not UTF-8 is read as Latin-1, which older editors use.
fn decoded(bytes: &[u8]) -> String {
    let line = |line: &[u8]| match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) if line.iter().any(|byte| (0x80..0xa0).contains(byte)) => {
            String::from_utf8_lossy(line).into_owned()
        }
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    };
    bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect()
}

/// The front matter, and where the body starts if known; `None` when it does not start like a state file.
fn cut(text: &str) -> Option<(&str, Option<usize>)> {
    let text_start = text.len() - text.trim_start_matches(['\u{feff}', '\n', '\r', ' ', '\t']).len();
    let mut at = text_start;
    let mut start = None;
    for line in text[text_start..].split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let next = at + line.len();
        match start {
            None if is_delimiter(bare.as_bytes()) => start = Some(next),
            // The opening line itself may be missing.
            None if is_key(bare) => start = Some(at),
            None => return None,
            Some(start) if is_delimiter(bare.as_bytes()) => return Some((&text[start..at], Some(next))),
            Some(start) if bare.trim_end() == HEADLINE => return Some((&text[start..at], Some(at))),
            Some(_) => {}
        }
        at = next;
    }
    start.map(|start| (&text[start..], None))
}

/// The front matter from one key at the first column to the next.
fn front_matter_parts(front: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in front.split_inclusive('\n') {
        if is_key(line) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([front.len()]);
    starts.iter().zip(ends).map(|(start, end)| &front[*start..end]).collect()
}

/// Whether a line starts with a key at the first column.
fn is_key(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else { return false };
    let key = key.trim_end().trim_matches(['"', '\'']);
    let named = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    named && !line.starts_with(' ') && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(file: &str) -> Vec<String> {
        AotSalvage::from_bytes(file.as_bytes()).sections.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn sections_without_a_bad_line_are_kept() {
        assert_eq!(names("---\nobjective:\n  goal: x\ncontrol:\n  status: \"run"), ["objective"]);
        assert_eq!(names("---\nobjective:\n  goal: x\nx: \"y\ntrail: []\n---\n"), ["objective", "trail"]);
        assert_eq!(names("objective:\n  goal: x\ntrail: []\n---\n"), ["objective", "trail"]);
        assert_eq!(names("\u{feff}---\r\nobjective:\r\n  goal: x\r\ntrail: [\r\n"), ["objective"]);
        assert_eq!(names("# Notes\nobjective:\n  goal: x\n---\n"), [""; 0]);
        assert_eq!(names(""), [""; 0]);
    }

    #[test]
    fn the_last_section_counts_only_when_its_end_is_seen() {
        let open = "---\nobjective:\n  goal: x\ntrail: []\n";
        assert_eq!(names(open), ["objective"]);
        let headed = AotSalvage::from_bytes(format!("{open}# Original Prompt\n\ndo it\n").as_bytes());
        assert_eq!((headed.sections.len(), headed.complete), (2, true));
        assert_eq!(headed.body.as_deref(), Some("# Original Prompt\n\ndo it\n"));
        assert!(!AotSalvage::from_bytes(open.as_bytes()).complete);
    }
}
