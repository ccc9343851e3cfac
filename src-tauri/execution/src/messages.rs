//! What people tell a loop while it works. The journal keeps it, whoever drives: each step of the driver has all of it, and the first run
//! that begins then has heard it.

use crate::driver_context::DriverContext;
use crate::work::{Purpose, RunSlot};
use loopdeck_agents::prompts::Note;
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;

impl DriverContext<'_> {
    /// Reads what the loop was told, for its next step. Without the journal it knows what it knew before.
    pub(crate) fn read_messages(&mut self, key: &LoopId) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        let found = journal.messages((&work.loop_key()).into());
        let Ok(found) = found else { return found.map(drop).logged("what a loop was told is not read") };
        work.newest_message = found.last().map_or(0, |message| message.id);
        let note = |message| {
            let crate::records::LoopMessage { about, text, .. } = message;
            Note { about, text }
        };
        work.memory.messages = found.into_iter().map(note).collect();
    }

    /// Agents begin, and are told what the step before them read.
    pub(crate) fn note_heard(&mut self, key: &LoopId, slots: &[RunSlot]) {
        let is_agent = |slot: &&RunSlot| matches!(slot.what, Purpose::Agent(_)) && slot.end.is_none();
        let Some(first) = slots.iter().find(is_agent) else { return };
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get(key).filter(|work| work.newest_message > 0) else { return };
        journal
            .note_heard((&work.loop_key()).into(), work.newest_message, &first.run.id, clock::now())
            .logged("it is not recorded that a run heard what its loop was told");
    }
}
