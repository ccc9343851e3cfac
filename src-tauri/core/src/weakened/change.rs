//! The two versions of a file, and which of their lines only one of them has.

use super::language::{Language, is_test_path};
use super::source::{Source, SourceLine};
use super::{FileVersions, LONGEST_TEXT, Weakening, WeakeningKind};
use std::collections::HashMap;

/// A file that was read in both versions.
pub(super) struct ChangedFile<'t> {
    pub(super) path: &'t str,
    pub(super) language: Option<Language>,
    /// The two versions.
    pub(super) texts: (&'t str, &'t str),
    pub(super) before: Source<'t>,
    pub(super) after: Source<'t>,
    /// Indices of lines that only the old one has.
    gone: Vec<usize>,
    /// Indices of lines that only the new one has.
    new: Vec<usize>,
}

impl<'t> ChangedFile<'t> {
    /// `None` when one of the versions is not known.
    pub(super) fn read(file: &FileVersions<'t>) -> Option<Self> {
        let (old, new) = (file.before?, file.after?);
        let language = Language::from_path(file.path);
        let (before, after) = (Source::read(old, language), Source::read(new, language));
        let (gone, new_lines) = (only_in(&before, &after), only_in(&after, &before));
        Some(Self { path: file.path, language, texts: (old, new), before, after, gone, new: new_lines })
    }

    /// Whether it is code with tests in it.
    pub(super) fn has_tests(&self) -> bool {
        let tests = !self.before.tests.is_empty() || !self.after.tests.is_empty();
        self.language.is_some() && (tests || is_test_path(self.path))
    }

    pub(super) fn gone_lines(&self) -> impl Iterator<Item = &SourceLine<'t>> {
        self.gone.iter().map(|index| &self.before.lines[*index])
    }

    pub(super) fn new_lines(&self) -> impl Iterator<Item = &SourceLine<'t>> {
        self.new.iter().map(|index| &self.after.lines[*index])
    }

    pub(super) fn risk_now(&self, kind: WeakeningKind, line: &SourceLine<'_>) -> Weakening {
        self.risk(kind, line.number, line.text, false)
    }

    pub(super) fn risk_before(&self, kind: WeakeningKind, line: &SourceLine<'_>) -> Weakening {
        self.risk(kind, line.number, line.text, true)
    }

    pub(super) fn risk(&self, kind: WeakeningKind, line: u32, text: &str, in_before: bool) -> Weakening {
        let text = loopdeck_text::shorten(text, LONGEST_TEXT);
        Weakening { kind, path: self.path.to_owned(), line, in_before, text }
    }
}

/// Indices of the lines of `one` that `other` does not have, or not as often. Blanks around a line do not count; a line that became a
/// comment is another one.
fn only_in(one: &Source<'_>, other: &Source<'_>) -> Vec<usize> {
    let mut there: HashMap<(&str, bool), u32> = HashMap::new();
    for line in &other.lines {
        *there.entry((line.text, line.code.is_empty())).or_default() += 1;
    }
    let mut only = Vec::new();
    for (index, line) in one.lines.iter().enumerate().filter(|(_, line)| !line.text.is_empty()) {
        match there.get_mut(&(line.text, line.code.is_empty())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => only.push(index),
        }
    }
    only
}
