//! A turn of the drivers: one thing that happens to them, with all they may use meanwhile.

use super::event::ExecutionEvent;
use super::records::LoopRef;
use super::scheduler::Scheduler;
use super::store::{LoopStore, RunJournal};
use loopdeck_system::logged::Logged as _;

/// The owner of the drivers: it holds the store, the journal and the scheduler. A commit can lead back into the scheduler.
pub trait Coordinator: LoopStore {
    /// State of the drivers.
    fn scheduler(&self) -> &Scheduler;

    /// State of the drivers and the journal, to be changed.
    fn scheduler_and_journal(&mut self) -> (&mut Scheduler, &mut dyn RunJournal);
}

/// One thing that happens to the drivers, with all they may use meanwhile.
pub struct DriverContext<'a> {
    pub(crate) store: &'a mut dyn Coordinator,
}

impl<'a> DriverContext<'a> {
    /// What happens to the drivers next may use `store`.
    pub fn new(store: &'a mut dyn Coordinator) -> Self {
        Self { store }
    }

    pub(crate) fn scheduler(&self) -> &Scheduler {
        self.store.scheduler()
    }

    pub(crate) fn scheduler_mut(&mut self) -> &mut Scheduler {
        self.store.scheduler_and_journal().0
    }

    pub(crate) fn journal(&mut self) -> &mut dyn RunJournal {
        self.store.scheduler_and_journal().1
    }

    /// Takes the lease on a loop, or renews it. A journal that cannot be written stops no work.
    pub(crate) fn hold_lease(&mut self, of: LoopRef<'_>) -> bool {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        journal.hold_to_run(of, scheduler.runner(), loopdeck_system::clock::now()).unwrap_or(true)
    }

    /// Nothing of ours runs the loop any longer; a request on it is still looked after.
    pub(crate) fn end_running(&mut self, of: LoopRef<'_>) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        journal.end_running(of, &scheduler.holder).logged("the end of a run is not noted in its lease"); // it expires
    }

    pub(crate) fn give_lease_back(&mut self, of: LoopRef<'_>) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        journal.give_lease_back(of, &scheduler.holder).logged("a lease is not given back"); // it expires
    }

    /// Takes in what happened to runs and threads of ours.
    pub fn handle(&mut self, event: ExecutionEvent) {
        match event {
            ExecutionEvent::Run(key, run, said) => self.on_run_event(&key, &run, said),
            ExecutionEvent::LeftEnded(key, runs, reports) => self.on_left_ended(&key, runs, &reports),
            ExecutionEvent::GoOn(key) => self.go_on(&key),
            ExecutionEvent::FilesFound(key, found) => self.files_found(&key, &found),
            ExecutionEvent::EvidenceAdded(key, id, failure) => {
                self.evidence_added(&key, &id, failure.as_ref());
            }
            ExecutionEvent::WorktreesCreated(key, parting, batch, parted) => {
                self.on_worktrees_created(&key, parting, *batch, parted);
            }
            ExecutionEvent::WorktreesMerged(key, settled) => self.on_worktrees_merged(&key, settled),
            ExecutionEvent::UnmergedTaken(key, taken) => self.on_unmerged_taken(&key, &taken),
            ExecutionEvent::LeftWorktreesKept(key, references) => {
                self.on_left_worktrees_kept(&key, &references);
            }
        }
    }
}
