//! What is left of a state file that cannot be read: the sections before the first line that is no YAML, and the prompt.

use super::collection::SECTIONS;
use super::front_matter::is_delimiter;
use super::{canonical, state};
use crate::yaml_span::{self, Entry};

/// Headline of the Markdown body (AoT contract §1).
pub(super) const HEADLINE: &str = "# Original Prompt";

/// Everything complete.
#[derive(Debug, Default)]
pub(super) struct Salvage {
    /// Names and canonical lines of the top-level entries in file order, each name once.
    pub(super) sections: Vec<(String, String)>,
    /// Nothing of the front matter is missing behind the last section.
    pub(super) complete: bool,
    /// Everything behind the closing line, as it stands.
    pub(super) body: Option<String>,
}

impl Salvage {
    /// Reads as far as the bytes are a state file.
    pub(super) fn of(bytes: &[u8]) -> Self {
        match state::read(bytes) {
            Ok(document) => {
                let body = String::from_utf8_lossy(&bytes[document.front.body.clone()]).into_owned();
                let mut salvage = Self { complete: true, body: Some(body), ..Self::default() };
                salvage.complete = document.root().entries().iter().all(|entry| salvage.keep(entry));
                salvage
            }
            Err(_) => Self::of_lines(&String::from_utf8_lossy(bytes)),
        }
    }

    fn of_lines(text: &str) -> Self {
        let Some((front, body)) = cut(text) else { return Self::default() };
        let mut salvage = Self { body: body.map(|at| text[at..].to_owned()), ..Self::default() };
        // Behind the last key there may have been more lines, unless the front matter's end was found.
        let parts = parts(front);
        let whole = parts.len() - usize::from(body.is_none() && !parts.is_empty());
        let all = parts[..whole].iter().all(|part| salvage.read(part));
        salvage.complete = all && body.is_some();
        salvage
    }

    /// Whether a part is one readable section.
    fn read(&mut self, part: &str) -> bool {
        // What could not be decoded is no text anybody wrote.
        if part.contains('\u{fffd}') {
            return false;
        }
        let part = part.replace('\r', "");
        match yaml_span::parse(&part, 0, 1) {
            Ok(tree) if tree.duplicates.is_empty() => match tree.root.entries() {
                [only] => self.keep(only),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a section could be kept.
    fn keep(&mut self, entry: &Entry<'_>) -> bool {
        let Some((name, lines)) = entry.key.text().zip(canonical::section(entry)) else { return false };
        let known = self.section(name).is_some();
        if !known {
            self.sections.push((name.clone().into_owned(), lines));
        }
        !known
    }

    /// The lines of a section.
    pub(super) fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(found, _)| found == name).map(|(_, lines)| lines.as_str())
    }

    /// Sections that no schema lists.
    pub(super) fn others(&self) -> impl Iterator<Item = &(String, String)> {
        self.sections.iter().filter(|(name, _)| !SECTIONS.contains(&name.as_str()))
    }
}

/// The front matter, and where the body begins if that can be told; `None` when it does not begin like a state file.
fn cut(text: &str) -> Option<(&str, Option<usize>)> {
    let text_start = text.len() - text.trim_start_matches(['\u{feff}', '\n', '\r', ' ', '\t']).len();
    let mut at = text_start;
    let mut start = None;
    for line in text[text_start..].split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let next = at + line.len();
        match start {
            None if is_delimiter(bare.as_bytes()) => start = Some(next),
            // The opening line may be what is missing.
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
fn parts(front: &str) -> Vec<&str> {
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

/// Whether a line begins with a key at the first column.
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
        Salvage::of(file.as_bytes()).sections.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn sections_before_the_first_bad_line_are_kept() {
        assert_eq!(names("---\nobjective:\n  goal: x\ncontrol:\n  status: \"run"), ["objective"]);
        assert_eq!(names("---\nobjective:\n  goal: x\nx: \"y\ntrail: []\n---\n"), ["objective"]);
        assert_eq!(names("objective:\n  goal: x\ntrail: []\n---\n"), ["objective", "trail"]);
        assert_eq!(names("\u{feff}---\r\nobjective:\r\n  goal: x\r\ntrail: [\r\n"), ["objective"]);
        assert_eq!(names("# Notes\nobjective:\n  goal: x\n---\n"), [""; 0]);
        assert_eq!(names(""), [""; 0]);
    }

    #[test]
    fn the_last_section_counts_only_when_its_end_is_seen() {
        let open = "---\nobjective:\n  goal: x\ntrail: []\n";
        assert_eq!(names(open), ["objective"]);
        let headed = Salvage::of(format!("{open}# Original Prompt\n\ndo it\n").as_bytes());
        assert_eq!((headed.sections.len(), headed.complete), (2, true));
        assert_eq!(headed.body.as_deref(), Some("# Original Prompt\n\ndo it\n"));
        assert!(!Salvage::of(open.as_bytes()).complete);
    }
}
