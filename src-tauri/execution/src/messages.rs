//! Messages to the agents of a loop. The journal keeps them, whoever drives: each step of the driver has all of them, and the first agent
//! that begins after that has them in its prompt.

use crate::driver_context::DriverContext;
use crate::records::LoopMessage;
use crate::work::{Purpose, RunSlot};
use loopdeck_agents::prompts::Note;
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::clock;
use loopdeck_system::logged::Logged as _;

impl DriverContext<'_> {
    /// Reads the messages for the next step. Without the journal it has those that it had before.
    pub(crate) fn read_messages(&mut self, key: &LoopId) {
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get_mut(key) else { return };
        let found = journal.messages((&work.loop_key()).into());
        let Ok(found) = found else { return found.map(drop).logged("messages to a loop are not read") };
        work.newest_message = found.last().map_or(0, |message| message.id);
        let note = |message: LoopMessage| Note { about: message.about, text: message.text };
        work.memory.messages = found.into_iter().map(note).collect();
    }

    /// Agents begin with what the last step read. A judge has it too, but does no work: a message waits for the next agent that does.
    pub(crate) fn note_delivered(&mut self, key: &LoopId, slots: &[RunSlot]) {
        let works = |slot: &&RunSlot| match &slot.what {
            Purpose::Agent(task) => !task.only_looks() && slot.end.is_none(),
            _ => false,
        };
        let Some(first) = slots.iter().find(works) else { return };
        let (scheduler, journal) = self.store.scheduler_and_journal();
        let Some(work) = scheduler.works.get(key).filter(|work| work.newest_message > 0) else { return };
        journal
            .note_delivered((&work.loop_key()).into(), work.newest_message, &first.run.id, clock::now())
            .logged("the delivery of a message is not recorded");
    }
}
