//! Where in a loop the terms of a query are.

use crate::loop_reader::LocatedLoop;
use crate::search::MOST_BYTES;
use crate::views::{DocumentView, FoundLoop, FoundMark, SearchHit};
use loopdeck_core::searched::{TextKind, searched_texts};
use loopdeck_search::{Excerpt, Query};
use loopdeck_system::files;
use std::path::Path;

/// Places shown of one loop.
const MOST_SHOWN: usize = 6;
/// Places counted in one loop.
const MOST_COUNTED: u32 = 1_000;

/// The loop with the places that `query` finds; `None` when its words are in none together.
pub(crate) fn found_loop(found: &LocatedLoop, query: &Query) -> Option<FoundLoop> {
    let mut hits = Hits { query, shown: Vec::new(), total: 0 };
    hits.add_texts(found);
    hits.add_notes(found);
    hits.add_documents(found);
    if hits.total == 0 {
        hits.add_source(found);
    }
    (hits.total > 0).then(|| FoundLoop {
        key: found.entry.key().to_string(),
        workspace: found.entry.workspace.to_string(),
        title: found.entry.summary.title.clone(),
        word: found.entry.shown.word,
        file_word: found.entry.summary.status_word.clone(),
        changed: found.entry.changed().number(),
        hits: hits.shown,
        total: hits.total,
    })
}

struct Hits<'a> {
    query: &'a Query,
    shown: Vec<SearchHit>,
    total: u32,
}

impl Hits<'_> {
    fn add_texts(&mut self, found: &LocatedLoop) {
        let (detail, _) = found.detail();
        let tests = found.test_runs().ok().and_then(|mut runs| runs.pop()).unwrap_or_default();
        for text in searched_texts(&found.entry.summary, &detail, &tests) {
            self.add(text.kind, (text.item.as_deref(), None), &text.text);
        }
    }

    fn add_notes(&mut self, found: &LocatedLoop) {
        for text in std::iter::once(&found.notes.note).chain(&found.notes.labels) {
            self.add(TextKind::Note, (None, None), text);
        }
    }

    /// JSON next to the loop is in the texts already.
    fn add_documents(&mut self, found: &LocatedLoop) {
        let is_prose = |document: &DocumentView| !document.name.ends_with(".json");
        for document in found.documents().iter().filter(|document| is_prose(document)) {
            let path = found.root.join(&document.file);
            let mut bytes = Vec::new();
            if is_searched(&path) && files::read(&found.root, &path, &mut bytes).is_ok() {
                self.add_lines(TextKind::Document, Some(&document.name), &bytes);
            }
        }
    }

    /// What no view shows is at least in the file.
    fn add_source(&mut self, found: &LocatedLoop) {
        if let Ok((bytes, _)) = found.read() {
            self.add_lines(TextKind::Source, None, &bytes);
        }
    }

    fn add_lines(&mut self, kind: TextKind, item: Option<&str>, bytes: &[u8]) {
        for (line, text) in (1..).zip(String::from_utf8_lossy(bytes).lines()) {
            if self.total >= MOST_COUNTED {
                return;
            }
            self.add(kind, (item, Some(line)), text);
        }
    }

    fn add(&mut self, kind: TextKind, (item, line): (Option<&str>, Option<u32>), text: &str) {
        let Some(places) = self.query.places_in(text) else { return };
        self.total += 1;
        if self.shown.len() >= MOST_SHOWN {
            return;
        }
        let Excerpt { text, marks } = Excerpt::new(text, &places);
        let marks = marks.into_iter().map(|mark| FoundMark { start: mark.start, end: mark.end }).collect();
        self.shown.push(SearchHit { kind, item: item.map(str::to_owned), line, text, marks });
    }
}

/// Whether a file is short enough.
fn is_searched(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES as u64)
}
