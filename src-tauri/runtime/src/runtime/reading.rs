//! What a window reads: rows and their changes, one loop with its texts, tests and drawing.

use super::Runtime;
use crate::atom_results::keep_beginnings;
use crate::coordinator::owner::Subscriber;
use crate::loop_reader::{self, LocatedLoop};
use crate::views::{Changes, Failure, LoopPage, LoopRow, SourcePage, VersionView, WorkPart};
use loopdeck_core::control::Control;
use loopdeck_core::formats::aot::{Correction, Effects};
use loopdeck_core::test_table::{TestQuery, TestTablePage};
use loopdeck_core::view::{TestRow, TestView, WorkChange};
use loopdeck_graph::layout::{Direction, Drawing, Style};
use loopdeck_system::clock;
use std::path::PathBuf;

impl Runtime {
    /// Tells `subscriber` of every change, at most ten times a second while changes are many, until it answers false.
    pub fn subscribe(&self, subscriber: Subscriber) {
        self.coordinator.subscribe(subscriber);
    }

    /// What changed since `since`, in pages.
    #[must_use]
    pub fn changes(&self, since: u32) -> Changes {
        self.read(|catalog| catalog.changes(since, clock::now()))
    }

    /// The rows of all loops, by state file.
    #[must_use]
    pub fn rows(&self) -> Vec<LoopRow> {
        self.read(|catalog| catalog.rows(clock::now()))
    }

    /// Checks everything now, and returns when everything that changed is in the catalog.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn rescan(&self) -> Result<(), Failure> {
        self.ask_all(|owner| {
            owner.sweep();
            Ok(())
        })
    }

    /// The whole loop named `key`, with long results of atoms as their beginnings; its companions are watched from now on.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn open_loop(&self, key: &str) -> Result<LoopPage, Failure> {
        let found = self.find_shown(key)?;
        // First, so that no change is lost between the page and the ticks that follow it.
        let work_revision = self.last_work.revision(&found);
        let mut page = self.with_proof(&found, LoopPage { work_revision, ..found.page() });
        keep_beginnings(&mut page.detail.atoms);
        Ok(page)
    }

    /// The same without the graph of a large loop (`work_later`), which [`Runtime::work_part`] has: handing it over takes almost
    /// as long as reading the file.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn open_outline(&self, key: &str) -> Result<LoopPage, Failure> {
        let found = self.find_shown(key)?;
        let (page, stamp) = found.page_as_of();
        let mut page = self.with_proof(&found, self.last_work.outline(&found, page, stamp));
        keep_beginnings(&mut page.detail.atoms);
        Ok(page)
    }

    /// The graph that the outline with `revision` leaves out; nothing when another was read since: then the whole page is to be read.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn work_part(&self, key: &str, revision: u32) -> Result<Option<WorkPart>, Failure> {
        let mut part = self.last_work.part(&self.find(key)?, revision);
        if let Some(part) = &mut part {
            keep_beginnings(&mut part.atoms);
        }
        Ok(part)
    }

    /// The loop named `key`, which a window shows now.
    fn find_shown(&self, key: &str) -> Result<LocatedLoop, Failure> {
        let mut found = self.find(key)?;
        if found.misses_good() {
            self.ask(key, |owner, key| owner.store.recall_good(key).map(drop))?;
            found = self.find(key)?;
        }
        self.note_shown(key);
        Ok(found)
    }

    /// The whole result of the atom `id`, of which a page may have only the beginning; nothing when it has none.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn atom_summary(&self, key: &str, id: &str) -> Result<Option<String>, Failure> {
        let (detail, _) = self.find(key)?.detail();
        Ok(detail.atoms.into_iter().find(|atom| atom.id == id).and_then(|atom| atom.summary))
    }

    /// The worker of the loop watches its companions too; every other one watches none. The caller does not wait for it.
    fn note_shown(&self, key: &str) {
        let home = loopdeck_core::loop_id::workspace_of(key);
        for id in self.open_ids() {
            let shown = (&*id == home).then(|| key.to_owned());
            drop(self.coordinator.ask(&id, move |owner| {
                match shown {
                    Some(key) => owner.note_shown(&key),
                    None => owner.note_hidden(),
                }
                Ok(())
            }));
        }
    }

    /// The same for a script: it is not watched afterwards.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn read_loop(&self, key: &str) -> Result<LoopPage, Failure> {
        self.find(key).map(|found| self.with_proof(&found, found.page()))
    }

    /// Lines of its state file.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn source(&self, key: &str, first: u32, count: u32) -> Result<SourcePage, Failure> {
        self.find(key)?.source(first, count)
    }

    /// Lines of a document next to it.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn document(&self, key: &str, name: &str, first: u32, count: u32) -> Result<SourcePage, Failure> {
        self.find(key)?.document(name, first, count)
    }

    /// Kept versions of a document, newest first: what we wrote and what that replaced; others keep none.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`; `OwnData` when the journal cannot be read.
    pub fn document_history(&self, key: &str, name: &str, limit: u32) -> Result<Vec<VersionView>, Failure> {
        let file = self.find(key)?.document_file(name)?;
        self.ask(key, move |owner, key| owner.store.companion_history(key, &file, limit))
    }

    /// Lines of a document as version `id` of its history has it.
    ///
    /// # Errors
    /// As [`Runtime::document_history`]; `UnknownVersion`.
    pub fn document_version(
        &self,
        key: &str,
        name: &str,
        id: u32,
        first: u32,
        count: u32,
    ) -> Result<SourcePage, Failure> {
        let file = self.find(key)?.document_file(name)?;
        let name = file.clone();
        let bytes = self.ask(key, move |owner, key| owner.store.companion_version(key, &name, id))?;
        Ok(loop_reader::lines(&file, &bytes, first, count))
    }

    /// Single tests of every run in the file, oldest run first.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn test_runs(&self, key: &str) -> Result<Vec<Vec<TestRow>>, Failure> {
        self.find(key)?.test_runs()
    }

    /// Lines of the table of one test run, compared with the runs before it.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn tests(&self, key: &str, query: &TestQuery) -> Result<TestTablePage, Failure> {
        self.last_table.page(&self.find(key)?, query)
    }

    /// One test of a run with message and stack and the places they name, by its place in the run.
    ///
    /// # Errors
    /// As [`Runtime::tests`].
    pub fn test(&self, key: &str, run: u32, index: u32) -> Result<Option<TestView>, Failure> {
        let row = self.last_table.row(&self.find(key)?, run, index)?;
        Ok(row.as_ref().map(TestView::from_row))
    }

    /// Where the work of a loop is drawn; `collapsed` containers without what is in them.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn drawing(
        &self,
        key: &str,
        direction: Direction,
        collapsed: Vec<String>,
    ) -> Result<Drawing, Failure> {
        let style = Style { direction, collapsed: collapsed.into_iter().collect(), ..Style::default() };
        Ok(self.find(key)?.drawing(&style))
    }

    /// What changed in a large graph after the revision `since`; nothing when the whole page is to be read.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn work_changes(&self, key: &str, since: u32) -> Result<Option<WorkChange>, Failure> {
        Ok(self.last_work.changes(&self.find(key)?, since))
    }

    /// What a change of direction would do to an AoT loop. Nothing is written.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`; `Refused` with the refusal that the change itself would get.
    pub fn redirect_effects(&self, key: &str, change: &Correction) -> Result<Effects, Failure> {
        self.find(key)?.effects(change)
    }

    /// Verbs with their sentences and reasons.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn controls(&self, key: &str) -> Result<Vec<Control>, Failure> {
        self.find(key).map(|found| found.controls_now())
    }

    /// Path of its state file, for the desktop's editor or file manager.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn state_file(&self, key: &str) -> Result<PathBuf, Failure> {
        self.find(key).map(|found| found.path())
    }
}
