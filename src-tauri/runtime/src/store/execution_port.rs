//! The owner as the drivers see it: they read, commit and observe loops through it.

use crate::observe::catalog::{Catalog, Entry, LoopId};
use crate::observe::{companions, holders};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::Failure;
use loopdeck_core::control::{Intent, Verb};
use loopdeck_core::loop_id::file_of;
use loopdeck_core::status::Program;
use loopdeck_core::view::{ClaimCounts, Companion, CompanionKind};
use loopdeck_execution::driver_context::{Coordinator, DriverContext};
use loopdeck_execution::rows::LoopRun;
use loopdeck_execution::scheduler::Scheduler;
use loopdeck_execution::shown::WorkFacts;
use loopdeck_execution::store::{LoopNow, LoopStore, RunJournal};
use loopdeck_system::clock;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl WorkspaceStore {
    /// A turn of the drivers.
    pub(crate) fn driver_context(&mut self) -> DriverContext<'_> {
        DriverContext::new(self)
    }
}

fn loop_now(entry: &Entry) -> LoopNow {
    LoopNow {
        key: entry.key(),
        candidate: entry.candidate.clone(),
        summary: entry.summary.clone(),
        word: entry.shown.word,
        request: entry.request.as_ref().and_then(|request| request.verb.verb()),
        is_ours: false,
    }
}

impl LoopStore for WorkspaceStore {
    fn read(&self, key: &str) -> Result<LoopNow, Failure> {
        let entry = self.entry(key)?;
        Ok(LoopNow { is_ours: self.own_writes.made_version(key, entry.stamp), ..loop_now(&entry) })
    }

    fn root_of(&self, key: &str) -> Result<PathBuf, Failure> {
        Self::root_of(self, key)
    }

    fn beside(&self, key: &str, kinds: &[CompanionKind]) -> Vec<Companion> {
        let (Ok(entry), Ok(root)) = (self.entry(key), Self::root_of(self, key)) else { return Vec::new() };
        companions::of_kinds(&root, &entry.candidate, kinds)
    }

    fn last_words(&mut self, key: &str) -> Option<Arc<[u8]>> {
        let known = self.read_catalog(|catalog| catalog.last_good.get(key).map(|(bytes, _)| bytes));
        known.or_else(|| self.recall_good(key).ok().flatten())
    }

    fn commit(&mut self, key: &str, intent: &Intent) -> Result<(), Failure> {
        self.act(key, intent)
    }

    fn observe(&mut self, key: &str) {
        self.look_now(key);
    }

    fn guarded_verb(&self, key: &str) -> Option<Option<Verb>> {
        self.guards.get(key).map(|guard| guard.entry.intent.verb())
    }

    fn leave_to_guard(&mut self, key: &str) -> bool {
        let guard = self.guards.get_mut(key);
        guard.map(|guard| guard.left_alone(clock::now())).is_some()
    }

    fn forget_request(&mut self, key: &LoopId) {
        self.show_request(key, None);
    }

    fn show(&mut self, key: &str, run: LoopRun, work: WorkFacts) {
        self.keep_mark(key, work.alive);
        let Some(mut entry) = self.read_catalog(|catalog| catalog.get(key).cloned()) else { return };
        if entry.run.as_ref() == Some(&run) && entry.work == work {
            return;
        }
        entry.run = Some(run);
        entry.work = work;
        entry.shown = entry.shown_at(clock::now(), self.fresh_within);
        self.write_catalog(|catalog| catalog.put(entry));
    }

    fn show_claims(&mut self, key: &LoopId, claims: Option<ClaimCounts>) {
        self.keep_claims(key, claims);
    }

    fn needs_changed(&mut self) {
        self.write_catalog(|catalog: &mut Catalog| {
            catalog.needs += 1;
            catalog.touch();
        });
    }

    fn runs_elsewhere(&mut self, key: &str) -> Option<Program> {
        let root = Self::root_of(self, key).ok()?;
        let runner = self.runner_beside(&root, file_of(key))?;
        self.reload_runners(&root);
        Some(runner.program)
    }

    fn mark_running(&mut self, key: &str) -> Result<(), Program> {
        let Ok(root) = Self::root_of(self, key) else { return Ok(()) };
        Self::mark_running(self, &root, file_of(key))
    }

    fn unmark_running(&mut self, key: &str) {
        Self::unmark_running(self, file_of(key));
    }

    fn run_by_others(&mut self, key: &str) -> Vec<String> {
        let Ok(root) = Self::root_of(self, key) else { return Vec::new() };
        self.reload_runners(&root);
        self.runners.others.keys().cloned().collect()
    }

    fn is_tool_alive(&self, root: &Path, plan: &str) -> bool {
        holders::is_tool_alive(root, plan)
    }

    fn asked_by(&self) -> Option<String> {
        self.journal.asker().map(str::to_owned)
    }

    fn is_in_scope(&self, file: &str) -> bool {
        Self::is_in_scope(self, file)
    }

    fn is_for_one_loop(&self) -> bool {
        self.only.is_some()
    }
}

impl Coordinator for WorkspaceStore {
    fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    fn scheduler_and_journal(&mut self) -> (&mut Scheduler, &mut dyn RunJournal) {
        (&mut self.scheduler, &mut self.journal)
    }
}
