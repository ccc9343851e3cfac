//! What is known before a loop is launched again: whether its agent continues the conversation in which it was interrupted.

use crate::driver_context::DriverContext;
use crate::launcher::starting::starting_intent;
use crate::preferences::plan::{Driver, RunPlan};
use crate::records::LoopRef;
use crate::tools;
use loopdeck_core::driver::{AgentTask, ConversationStart};
use loopdeck_core::format::{FileFacts, Handling};
use loopdeck_core::loops;
use loopdeck_core::phase::IterationBar;
use loopdeck_system::clock;
use loopdeck_system::failure::Failure;
use loopdeck_system::files;

impl DriverContext<'_> {
    /// Whether what would be done first by `plan` is an action that was cut off, in its conversation.
    pub fn goes_on(&mut self, key: &str, plan: &RunPlan) -> Result<bool, Failure> {
        let entry = self.store.read(key)?;
        if plan.driver != Driver::Loopdeck || entry.summary.format.handling() != Handling::Driven {
            return Ok(false);
        }
        let root = self.store.root_of(key)?;
        let workspace = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        let memory = self.recall_memory(of, plan);
        let mut bytes = Vec::new();
        let read = files::read(&root, &root.join(entry.candidate.on_disk()), &mut bytes);
        let (Ok(stamp), false) = (read, memory.conversations.is_empty()) else { return Ok(false) };
        let now = clock::now();
        let facts = FileFacts { stem: entry.candidate.stem(), modified: stamp.modified(), now };
        let situation = entry.situation(now);
        // As the person would raise it, who is asked for that separately.
        let raised = entry.summary.iteration.map(IterationBar::next);
        let intent = starting_intent(&entry.summary, &situation, raised.filter(|_| entry.summary.at_limit()));
        let Ok(carried) = loops::carry_out(&entry.summary, &bytes, &facts, &intent, &situation) else {
            return Ok(false);
        };
        let next = loops::drive::next(entry.summary.format, (&carried.bytes, &facts), &memory);
        let choices = self.scheduler().workshop.choices.read(Clone::clone);
        let talks = |task: &AgentTask| {
            // An agent that has to be asked about first continues nothing yet.
            let Ok(staffed) = tools::agent_for(task, plan, &choices, &memory) else { return false };
            let agent = staffed.agent;
            matches!(
                task.conversation_start(&memory, &agent.id, &agent.custom),
                ConversationStart::GoOn { .. }
            )
        };
        Ok(next.into_tasks().iter().any(talks))
    }
}
