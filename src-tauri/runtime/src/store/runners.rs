//! Other living Loopdecks that run loops of this workspace: by their leases in the journal that is shared, and by their
//! marks in the workspace when they have another data folder. Implements the status contract §3.

use crate::observe::catalog::{Entry, LoopId};
use crate::store::journal::LoopRef;
use crate::store::runner::Runner;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::Failure;
use loopdeck_core::loop_id::{file_of, workspace_of};
use loopdeck_core::refusal::Refusal;
use loopdeck_core::status::Program;
use loopdeck_core::times::Timestamp;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::marks::{self, Mark};
use loopdeck_system::{clock, dirs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

/// What a mark says.
#[derive(Serialize, Deserialize)]
struct MarkText {
    file: String,
    program: Program,
    since: i64,
}

impl WorkspaceStore {
    /// The living Loopdeck besides this process that runs the loop in `file`, as it is right now.
    pub(crate) fn runner_beside(&mut self, root: &Path, file: &str) -> Option<Runner> {
        if self.scheduler.is_on(&LoopId::new(&dirs::id_of(root), file)) {
            return None;
        }
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file };
        let by_lease = self.journal.runner_of(of, clock::now()).ok().flatten();
        let by_lease = by_lease.filter(|runner| runner.holder != self.holder);
        by_lease
            .map(|known| Runner { program: known.program, since: known.since, holder: Some(known.holder) })
            .or_else(|| self.read_marks(root).remove(file))
    }

    /// Refuses what cannot be done while another Loopdeck runs the loop.
    ///
    /// # Errors
    /// A refusal with its program.
    pub(crate) fn refuse_beside(&mut self, key: &str) -> Result<(), Failure> {
        let Some((_, root, _)) = self.locate(key) else { return Ok(()) };
        let Some(runner) = self.runner_beside(&root, file_of(key)) else { return Ok(()) };
        self.reload_runners(&root);
        Err(Refusal::run_by(runner.program).into())
    }

    fn read_marks(&self, root: &Path) -> BTreeMap<String, Runner> {
        let ours: Vec<&OsStr> = self.runners.marks.values().flatten().map(Mark::name).collect();
        let texts = marks::living(root, &ours).into_iter();
        let read = texts.filter_map(|text| serde_json::from_slice::<MarkText>(&text).ok());
        let runner = |mark: MarkText| {
            let since = Timestamp::from_millis(mark.since).min(clock::now());
            (mark.file, Runner { program: mark.program, since, holder: None })
        };
        read.map(runner).collect()
    }

    /// Looks who runs loops of the workspace, and shows it.
    pub(crate) fn reload_runners(&mut self, root: &Path) {
        let mut others = self.read_marks(root);
        if !self.journal.is_blank() {
            self.runners.seen = self.journal.data_version().ok();
            let known = self.journal.runners(&root.to_string_lossy(), clock::now()).unwrap_or_default();
            let known = known.into_iter().filter(|(_, runner)| runner.holder != self.holder);
            others.extend(known.map(|(file, runner)| {
                let holder = Some(runner.holder);
                (file, Runner { program: runner.program, since: runner.since, holder })
            }));
        }
        if others == self.runners.others {
            return;
        }
        let before = std::mem::replace(&mut self.runners.others, others);
        let id = dirs::id_of(root);
        let files: Vec<String> = before
            .keys()
            .chain(self.runners.others.keys())
            .filter(|file| before.get(*file) != self.runners.others.get(*file))
            .cloned()
            .collect();
        for file in files {
            self.show_runner(&LoopId::new(&id, &file));
        }
    }

    /// Looks again, when another program wrote to the journal since.
    pub(crate) fn reload_runners_if_changed(&mut self, root: &Path) {
        if self.journal.data_version().ok() != self.runners.seen || self.has_runners_beside() {
            self.reload_runners(root);
        }
    }

    fn show_runner(&mut self, key: &LoopId) {
        let Some(mut entry) = self.read_catalog(|catalog| catalog.get(key).cloned()) else { return };
        self.note_runner(&mut entry);
        entry.shown = entry.shown_at(clock::now(), self.fresh_within);
        self.write_catalog(|catalog| catalog.put(entry));
    }

    /// Puts into a row who runs its loop.
    pub(crate) fn note_runner(&self, entry: &mut Entry) {
        entry.runner = self.runners.others.get(&entry.candidate.file).cloned();
    }

    /// Whether somebody else is known to run a loop here.
    pub(crate) fn has_runners_beside(&self) -> bool {
        !self.runners.others.is_empty()
    }

    /// Marks a loop of ours as run by this process, unless one with another data folder was faster.
    pub(crate) fn mark_running(&mut self, root: &Path, file: &str) -> Result<(), Program> {
        if matches!(self.runners.marks.get(file), Some(Some(mark)) if mark.is_there()) {
            return Ok(());
        }
        self.runners.marks.remove(file);
        let program = self.scheduler.runner().1;
        let text = MarkText { file: file.to_owned(), program, since: clock::now().millis() };
        let made = serde_json::to_vec(&text).map_err(std::io::Error::from);
        let made = made.and_then(|text| Mark::make(root, &text)).inspect_err(|error| {
            tracing::warn!(%error, "those with another data folder do not see who runs a loop");
        });
        self.runners.marks.insert(file.to_owned(), made.ok());
        match self.read_marks(root).get(file).map(|other| other.program) {
            Some(program) => {
                self.runners.marks.remove(file);
                Err(program)
            }
            None => Ok(()),
        }
    }

    /// Nothing of ours runs the loop any longer.
    pub(crate) fn unmark_running(&mut self, file: &str) {
        self.runners.marks.remove(file);
    }

    /// Keeps the mark of a loop while work of ours is on.
    pub(crate) fn keep_mark(&mut self, key: &str, is_on: bool) {
        let file = file_of(key);
        if !is_on {
            return self.unmark_running(file);
        }
        let root = self.read_catalog(|catalog| Some(catalog.workspace(workspace_of(key))?.path.clone()));
        if let Some(root) = root.filter(|_| !self.runners.marks.contains_key(file)) {
            self.mark_running(&root, file)
                .map_err(|program| format!("{program:?} runs it too"))
                .logged("a loop is run twice");
        }
    }

    /// Marks that somebody took away are made again.
    pub(crate) fn renew_marks(&mut self, root: &Path) {
        let gone =
            self.runners.marks.iter().filter(|(_, mark)| mark.as_ref().is_some_and(|mark| !mark.is_there()));
        let gone: Vec<String> = gone.map(|(file, _)| file.clone()).collect();
        for file in gone {
            // Whoever took the loop over meanwhile is told of by its own mark.
            let _ = self.mark_running(root, &file);
        }
    }
}
