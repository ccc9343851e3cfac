//! Which of the sources count, so that no test is counted twice.

use super::coverage::{self, Coverage};
use super::recognise::{Kind, kind};
use super::tally::Found;
use super::{
    Dialect, OUTPUT, ReadingNote, Source, go, jest, junit, libtest, nextest, pytest, pytest_json, tap,
};
use loopdeck_text::json_span::scan::Reader;
use std::collections::HashSet;

/// The results taken so far.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) found: Found,
    pub(super) dialect: Option<Dialect>,
    pub(super) coverage: Coverage,
    pub(super) notes: Vec<ReadingNote>,
}

/// Limit of notes about single sources: a thousand unreadable files do not need a thousand notes.
const MOST_NOTES: usize = 200;

impl Taken {
    /// Whether nothing is known about tests, not even that there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty() && !self.found.truncated
    }

    /// Takes result files: those of the hinted dialect first, then in order.
    pub(super) fn files(&mut self, sources: &[Source<'_>], hint: Option<Dialect>) {
        let texts = sources.iter().map(|source| (source, String::from_utf8_lossy(source.bytes)));
        let mut known: Vec<_> =
            texts.map(|(source, text)| (kind(source.bytes, &text), source, text)).collect();
        // Richer formats come first: what they cover is not read again from others.
        known.sort_by_key(|(kind, ..)| match kind {
            Some(Kind::Tests(dialect)) => (hint != Some(*dialect), 0),
            Some(Kind::IstanbulFinal) => (true, 1),
            Some(Kind::IstanbulSummary) => (true, 2),
            Some(Kind::Cobertura) => (true, 3),
            Some(Kind::Lcov) => (true, 4),
            None => (true, 5),
        });
        for (kind, source, text) in known {
            match kind {
                Some(Kind::Tests(dialect)) => {
                    let (found, coverage) = tests(dialect, source.bytes, &text, b"");
                    self.tests(source.name, dialect, found);
                    self.cover(source.name, coverage);
                }
                Some(kind) => self.cover(source.name, read_coverage(kind, source.bytes, &text)),
                None => self.add_note(ReadingNote::Unrecognised {
                    source: source.name.to_owned(),
                    tail: String::new(),
                }),
            }
        }
    }

    /// Takes what the command printed.
    pub(super) fn output(&mut self, stdout: &[u8], stderr: &[u8], hint: Option<Dialect>) {
        for (output, beside) in [(stdout, stderr), (stderr, stdout)] {
            let text = String::from_utf8_lossy(output);
            let hinted = hint.map(Kind::Tests).filter(|_| !output.trim_ascii().is_empty());
            for kind in [hinted, kind(output, &text)].into_iter().flatten() {
                let Kind::Tests(dialect) = kind else { continue };
                let (found, coverage) = tests(dialect, output, &text, beside);
                let nothing = found.is_empty();
                // A hint is followed only when it yields something.
                if nothing && hinted == Some(kind) && super::recognise::kind(output, &text) != hinted {
                    continue;
                }
                self.tests(OUTPUT, dialect, found);
                self.cover(OUTPUT, coverage);
                break;
            }
            if !self.is_empty() {
                return;
            }
        }
    }

    fn add_note(&mut self, note: ReadingNote) {
        if self.notes.len() < MOST_NOTES || note.is_doubt() {
            self.notes.push(note);
        }
    }

    fn tests(&mut self, source: &str, dialect: Dialect, mut found: Found) {
        let source = source.to_owned();
        if self.dialect.is_some_and(|taken| taken != dialect) && self.holds(&found) {
            return self.add_note(ReadingNote::SameRun { source });
        }
        self.dialect = self.dialect.or(Some(dialect));
        for note in std::mem::take(&mut found.notes) {
            self.add_note(note);
        }
        if found.truncated {
            self.add_note(ReadingNote::Truncated { source: source.clone() });
        }
        if found.rows.is_empty() && !found.is_empty() {
            self.add_note(ReadingNote::TotalsOnly { source });
        }
        self.found.merge(found);
    }

    /// Whether every test of another report has the name of a known test.
    fn holds(&self, other: &Found) -> bool {
        let known: HashSet<&str> = self.found.rows.iter().map(|row| row.name.as_str()).collect();
        other.counts().total() <= self.found.counts().total()
            && other.rows.iter().all(|row| known.contains(row.name.as_str()))
    }

    fn cover(&mut self, source: &str, coverage: Coverage) {
        if coverage.truncated {
            // Coverage that is cut off says nothing about the tests.
            return self
                .add_note(ReadingNote::Unrecognised { source: source.to_owned(), tail: String::new() });
        }
        if !coverage.is_empty() && !self.coverage.merge(coverage) {
            self.add_note(ReadingNote::SameRun { source: source.to_owned() });
        }
    }
}

fn tests(dialect: Dialect, bytes: &[u8], text: &str, beside: &[u8]) -> (Found, Coverage) {
    let json = || super::json::start(text).map_or("", |at| &text[at..]);
    let found = match dialect {
        Dialect::Jest | Dialect::Vitest => return jest::read(json()),
        Dialect::Junit => junit::read(text.trim_start_matches('\u{feff}')),
        Dialect::Libtest => libtest::read(bytes, beside),
        Dialect::Nextest => nextest::read(bytes),
        Dialect::Pytest => pytest::read(bytes),
        Dialect::PytestJson => pytest_json::read(json()),
        Dialect::GoJson => go::read_json(bytes),
        Dialect::GoText => go::read_text(bytes),
        Dialect::Tap => tap::read(bytes),
    };
    (found, Coverage::default())
}

fn read_coverage(kind: Kind, bytes: &[u8], text: &str) -> Coverage {
    let mut coverage = Coverage::default();
    let mut reader = Reader::at(text, super::json::start(text).unwrap_or(text.len()));
    let read = match kind {
        Kind::Lcov => return coverage::lcov(bytes),
        Kind::Cobertura => return coverage::cobertura(text.trim_start_matches('\u{feff}')),
        Kind::IstanbulSummary => coverage::istanbul_summary(&mut reader, &mut coverage),
        Kind::IstanbulFinal => coverage::istanbul_final(&mut reader, &mut coverage),
        Kind::Tests(_) => Ok(()),
    };
    coverage.truncated = read.is_err();
    coverage
}
