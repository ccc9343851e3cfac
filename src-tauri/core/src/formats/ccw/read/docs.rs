//! The progress texts and logs next to a loop, read once for the whole full read.

use crate::formats::ccw::progress_docs::debug;
use crate::formats::ccw::progress_docs::debug::DebugDoc;
use crate::formats::ccw::progress_docs::develop;
use crate::formats::ccw::progress_docs::develop::DevelopDoc;
use crate::formats::ccw::progress_docs::ndjson;
use crate::formats::ccw::progress_docs::ndjson::{ChangeLine, DebugLogLine, Log};
use crate::formats::ccw::progress_docs::summary;
use crate::formats::ccw::progress_docs::summary::SummaryDoc;
use crate::formats::ccw::progress_docs::validate;
use crate::formats::ccw::progress_docs::validate::ValidateDoc;
use crate::problem::Problem;
use crate::view::{Companion, CompanionKind as Kind};

/// A companion and its content.
#[derive(Debug)]
pub(crate) struct Doc<'b, T> {
    /// Relative to the loop's root.
    pub(crate) file: &'b str,
    /// Only its end was read.
    pub(crate) cut: bool,
    pub(crate) says: T,
}

/// All existing texts and logs.
#[derive(Debug, Default)]
pub(crate) struct Docs<'b> {
    pub(crate) develop: Option<Doc<'b, DevelopDoc>>,
    pub(crate) debug: Option<Doc<'b, DebugDoc>>,
    pub(crate) validate: Option<Doc<'b, ValidateDoc>>,
    pub(crate) summary: Option<Doc<'b, SummaryDoc>>,
    pub(crate) changes: Option<Doc<'b, Log<ChangeLine>>>,
    pub(crate) log: Option<Doc<'b, Log<DebugLogLine>>>,
}

impl<'b> Docs<'b> {
    /// Reads them; never fails.
    pub(crate) fn read(companions: &'b [Companion]) -> Self {
        Self {
            develop: doc(companions, Kind::DevelopDoc, develop::read),
            debug: doc(companions, Kind::DebugDoc, debug::read),
            validate: doc(companions, Kind::ValidateDoc, validate::read),
            summary: doc(companions, Kind::SummaryDoc, summary::read),
            changes: doc(companions, Kind::ChangesLog, ndjson::changes),
            log: doc(companions, Kind::DebugLog, ndjson::debug_entries),
        }
    }

    /// All skill-written times. The start of a session is not one: it is copied from the master.
    pub(crate) fn times(&self) -> Vec<&str> {
        let mut times: Vec<Option<&str>> = Vec::new();
        if let Some(doc) = &self.develop {
            times.push(doc.says.head.time.as_deref());
            times.extend(doc.says.entries.iter().map(|entry| entry.time.as_deref()));
        }
        if let Some(doc) = &self.debug {
            times.push(doc.says.head.time.as_deref());
            times.extend(doc.says.rounds.iter().map(|round| round.time.as_deref()));
        }
        times.extend(self.validate.iter().map(|doc| doc.says.head.time.as_deref()));
        times.extend(self.summary.iter().map(|doc| doc.says.generated_at.as_deref()));
        if let Some(doc) = &self.changes {
            times.extend(doc.says.entries.iter().map(|change| Some(change.timestamp.as_str())));
        }
        times.into_iter().flatten().collect()
    }

    /// Lines with two entries or none, and texts that are not text.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut add = |file: &str, found: &[Problem]| {
            let at =
                |problem: &Problem| Problem { path: loopdeck_text::shorten(file, 200), ..problem.clone() };
            problems.extend(found.iter().map(at));
        };
        self.develop.iter().for_each(|doc| add(doc.file, &doc.says.problems));
        self.debug.iter().for_each(|doc| add(doc.file, &doc.says.problems));
        self.validate.iter().for_each(|doc| add(doc.file, &doc.says.problems));
        self.summary.iter().for_each(|doc| add(doc.file, &doc.says.problems));
        self.changes.iter().for_each(|doc| add(doc.file, &lines_of(doc)));
        self.log.iter().for_each(|doc| add(doc.file, &lines_of(doc)));
        problems
    }

    /// Those that stay whatever a writer does next: both logs only grow, so a terminated line does not
    /// change.
    pub(crate) fn lasting_problems(&self) -> Vec<Problem> {
        let changes = self.changes.iter().flat_map(lasting);
        changes.chain(self.log.iter().flat_map(lasting)).collect()
    }

    /// Files of which only the end was read.
    pub(crate) fn cut_files(&self) -> Vec<String> {
        let changes = self.changes.iter().map(|doc| (doc.cut, doc.file));
        let log = self.log.iter().map(|doc| (doc.cut, doc.file));
        changes.chain(log).filter(|(cut, _)| *cut).map(|(_, file)| file.to_owned()).collect()
    }
}

/// The problems of a log; if its start was not read, line numbers are unknown.
fn lines_of<T>(doc: &Doc<'_, Log<T>>) -> Vec<Problem> {
    let known = |problem: &Problem| problem.clone().at_line(problem.line.filter(|_| !doc.cut));
    doc.says.problems.iter().map(known).collect()
}

fn lasting<T>(doc: &Doc<'_, Log<T>>) -> impl Iterator<Item = Problem> {
    let has_end = |line: Option<u32>| doc.says.unfinished.is_none() || line != doc.says.unfinished;
    let ended = doc.says.problems.iter().filter(move |problem| has_end(problem.line));
    ended.map(|problem| Problem {
        path: loopdeck_text::shorten(doc.file, 200),
        ..problem.clone().at_line(problem.line.filter(|_| !doc.cut))
    })
}

fn doc<'b, T>(companions: &'b [Companion], kind: Kind, read: impl Fn(&[u8]) -> T) -> Option<Doc<'b, T>> {
    let companion = companions.iter().find(|companion| companion.kind == kind)?;
    Some(Doc { file: &companion.file, cut: companion.cut, says: read(&companion.bytes) })
}
