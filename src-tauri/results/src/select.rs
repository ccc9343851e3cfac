//! Which of the sources count, so that no test is counted twice.

use super::coverage::{self, Coverage};
use super::recognise::{Kind, json_reports, kind, why_unknown};
use super::tally::Found;
use super::unread::unread_json;
use super::unread::{UnreadReason, UnreadReport};
use super::{
    Dialect, OUTPUT, ReadingNote, Source, encoding, go, go_text, jest, junit, libtest, nextest, pytest,
    pytest_json, tap,
};
use loopdeck_text::json_span::scan::Reader;
use std::collections::HashMap;

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
        let mut known = Vec::new();
        for source in sources {
            match encoding::text(source.bytes) {
                Ok(text) => known.push((kind(&text), source.name, text)),
                Err(name) => self.unread(UnreadReport::new(source.name, UnreadReason::Encoding { name })),
            }
        }
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
                    let (found, coverage) = tests(dialect, &text, "");
                    self.tests(source, dialect, found);
                    self.cover(source, Kind::IstanbulFinal, coverage);
                }
                Some(kind) => self.cover(source, kind, read_coverage(kind, &text)),
                None => self.unread(UnreadReport::new(source, why_unknown(&text))),
            }
        }
    }

    /// Takes what the command printed.
    pub(super) fn output(&mut self, stdout: &[u8], stderr: &[u8], hint: Option<Dialect>) {
        for (output, beside) in [(stdout, stderr), (stderr, stdout)] {
            let [text, beside] = [output, beside]
                .map(|bytes| encoding::text(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes)));
            let hinted = hint.map(Kind::Tests).filter(|_| !output.trim_ascii().is_empty());
            let recognised = kind(&text);
            for kind in [hinted, recognised].into_iter().flatten() {
                let Kind::Tests(dialect) = kind else { continue };
                let (found, coverage) = tests(dialect, &text, &beside);
                // A hint is followed only when it yields something.
                if found.is_empty() && hinted == Some(kind) && recognised != hinted {
                    continue;
                }
                self.tests(OUTPUT, dialect, found);
                self.cover(OUTPUT, Kind::IstanbulFinal, coverage);
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

    /// A report that was found and not read.
    pub(super) fn unread(&mut self, report: UnreadReport) {
        let is_doubt = report.may_hide_failures() && !is_of_coverage(&report.source);
        self.add_note(ReadingNote::Unread { report, is_doubt });
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
        match found.fault() {
            Some(UnreadReason::CutOff) => self.add_note(ReadingNote::Truncated { source: source.clone() }),
            Some(why) => {
                let report = UnreadReport::new(&source, why);
                self.add_note(ReadingNote::Unread { report, is_doubt: true });
                found.truncated = true;
            }
            None => {}
        }
        if found.rows.is_empty() && !found.is_empty() {
            self.add_note(ReadingNote::TotalsOnly { source });
        }
        self.found.merge(found);
    }

    /// Whether every test of another report has the name and the result of a known test of its own.
    fn holds(&self, other: &Found) -> bool {
        let mut known: HashMap<(&str, &str), u32> = HashMap::new();
        for row in &self.found.rows {
            *known.entry((&row.name, &row.status)).or_default() += 1;
        }
        let mut holds = other.counts().total() <= self.found.counts().total();
        for row in &other.rows {
            match known.get_mut(&(row.name.as_str(), row.status.as_str())) {
                Some(left) if *left > 0 => *left -= 1,
                _ => holds = false,
            }
        }
        holds
    }

    fn cover(&mut self, source: &str, kind: Kind, mut coverage: Coverage) {
        if let Some(why) = coverage.fault.take() {
            // Coverage that is cut off says nothing about the tests.
            let report = UnreadReport::new(source, why);
            self.add_note(ReadingNote::Unread { report, is_doubt: false });
            self.coverage.is_partial = true;
        }
        if !coverage.is_empty() && !self.coverage.merge(coverage, kind, source) {
            self.add_note(ReadingNote::SameRun { source: source.to_owned() });
        }
    }
}

/// Whether a file has coverage, by its name, where its content doesn't say so.
fn is_of_coverage(source: &str) -> bool {
    let name = source.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    ["cov", "cobertura", "clover", "jacoco"].iter().any(|word| name.contains(word))
}

fn tests(dialect: Dialect, text: &str, beside: &str) -> (Found, Coverage) {
    let lines = text.as_bytes();
    let found = match dialect {
        Dialect::Jest | Dialect::Vitest => {
            return json_tests(text, &[Dialect::Jest, Dialect::Vitest], jest::read);
        }
        Dialect::Junit => junit::read(text.trim_start_matches('\u{feff}')),
        Dialect::Libtest => libtest::read(lines, beside.as_bytes()),
        Dialect::Nextest => nextest::read(lines),
        Dialect::Pytest => pytest::read(lines, beside.as_bytes()),
        Dialect::PytestJson => {
            return json_tests(text, &[dialect], |text, at| {
                (pytest_json::read(text, at), Coverage::default())
            });
        }
        Dialect::GoJson => go::read_json(lines),
        Dialect::GoText => go_text::read(lines, beside.as_bytes()),
        Dialect::Tap => tap::read(lines),
    };
    (found, Coverage::default())
}

/// Every report of these dialects in a text that may have other lines around them.
fn json_tests(
    text: &str,
    dialects: &[Dialect],
    read: impl Fn(&str, usize) -> (Found, Coverage),
) -> (Found, Coverage) {
    let (mut all, mut covered) = (Found::default(), Coverage::default());
    for (kind, at) in json_reports(text) {
        if matches!(kind, Kind::Tests(dialect) if dialects.contains(&dialect)) {
            let (mut found, coverage) = read(text, at);
            all.notes.append(&mut found.notes);
            all.merge(found);
            covered.merge(coverage, kind, OUTPUT);
        }
    }
    (all, covered)
}

fn read_coverage(kind: Kind, text: &str) -> Coverage {
    let mut coverage = Coverage::default();
    let at =
        json_reports(text).into_iter().find(|(found, _)| *found == kind).map_or(text.len(), |(_, at)| at);
    let mut reader = Reader::at(text, at);
    let read = match kind {
        Kind::Lcov => return coverage::lcov(text),
        Kind::Cobertura => return coverage::cobertura(text.trim_start_matches('\u{feff}')),
        Kind::IstanbulSummary => coverage::istanbul_summary(&mut reader, &mut coverage),
        Kind::IstanbulFinal => coverage::istanbul_final(&mut reader, &mut coverage),
        Kind::Tests(_) => Ok(()),
    };
    coverage.fault = read.err().map(|error| unread_json(text, &error));
    coverage
}
