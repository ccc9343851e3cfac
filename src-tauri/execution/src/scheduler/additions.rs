//! Items that a person wants while an agent works: an agent that writes the whole list again, as it read it before, would take them away.
//! So they wait for its end, in what the driver remembers.

use crate::driver_context::DriverContext;
use crate::preferences::plan::Driver;
use crate::work::Execution;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::additions::take_addition;
use loopdeck_core::loops::drive;

impl DriverContext<'_> {
    /// Remembers an item for the list of a loop until the agent that works on it has ended; false when none does, so that it can be
    /// added at once.
    pub fn holds_item(&mut self, key: &str, text: &str) -> bool {
        let is_at_work = |work: &&mut Execution| {
            let by_us = work.is_on() && work.plan.driver == Driver::Loopdeck;
            by_us && work.slots().iter().any(|slot| slot.end.is_none())
        };
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(is_at_work) else { return false };
        work.memory.additions.push(text.to_owned());
        self.keep_memory(&key.into());
        true
    }

    /// Adds the items that waited. One that the list refuses goes into the prompts of the next agents.
    pub(crate) fn add_held_items(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler().works.get(key).filter(|work| !work.memory.additions.is_empty())
        else {
            return;
        };
        let format = work.format;
        let beside = self.store.beside(key, drive::reads(format));
        // One after the other: an item is named by its place.
        loop {
            let taken = self.with_file(key, |work, bytes, facts| {
                take_addition(format, (bytes, facts), &beside, &mut work.memory)
            });
            // A file that cannot be read now: they wait on.
            let Ok(Some((text, operation))) = taken else { break };
            let added = operation.is_some_and(|operation| self.write_step(key, operation).is_ok());
            if !added && let Some(work) = self.scheduler_mut().works.get_mut(key) {
                tracing::warn!(%key, "the list of a loop doesn't take an item: its agents are told");
                work.memory.add_remark("", &text);
            }
        }
        self.keep_memory(key);
    }
}
