//! The conversation in which an action was interrupted: the agent continues it when the same action starts
//! again.
//!
//! A new action starts a new conversation, because everything important is in the files. The memory belongs
//! to one loop, so to one folder: some agents find a conversation only where it was started.

use super::{AgentTask, Memory};
use loopdeck_agents::AgentId;
use loopdeck_agents::conversation::can_resume;
use loopdeck_agents::custom::CustomAgent;
use loopdeck_agents::outcome::{Outcome, Verdict};
use loopdeck_agents::prompts::Cut;
use serde::{Deserialize, Serialize};

/// After this many crashes in a row, a conversation is not continued: it may be the cause.
const MOST_CRASHES: u32 = 2;

/// An interrupted conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// `init`, `develop`, `debug`.
    pub action: String,
    /// Id of the task of the loop.
    pub task: Option<String>,
    /// The agent, as [`AgentId`] is written.
    pub agent: String,
    /// Its id, in the agent's words.
    pub id: String,
    /// Why it did not finish.
    pub cut: Cut,
    /// How many of its runs crashed in a row.
    pub crashes: u32,
}

/// Whether a run was interrupted, and why.
fn cut_of(verdict: &Verdict, beside: bool) -> Option<Cut> {
    Some(match verdict.outcome {
        _ if verdict.needs_answer => Cut::Question,
        Outcome::Cancelled => Cut::Person,
        Outcome::Limit | Outcome::Auth => Cut::Service,
        Outcome::Budget => Cut::Limit,
        Outcome::Crashed => Cut::Crash,
        Outcome::Ok if beside => Cut::Beside,
        Outcome::Ok | Outcome::TaskFailed | Outcome::Unknown => return None,
    })
}

/// A finished run.
#[derive(Clone, Copy, Debug)]
pub struct EndedRun<'a> {
    /// As in [`Conversation::action`].
    pub action: &'a str,
    /// As in [`Conversation::task`].
    pub task: Option<&'a str>,
    /// As in [`Conversation::agent`]; none for a test run.
    pub agent: Option<&'a str>,
    /// The conversation that it named, or was to continue.
    pub conversation: Option<&'a str>,
    /// How it ended.
    pub verdict: &'a Verdict,
    /// Others ran at the same time.
    pub beside: bool,
}

/// How a run of an action starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationStart {
    /// With a new conversation and the prompt of the task.
    New,
    /// With the interrupted conversation of the action.
    GoOn {
        /// Its id.
        id: String,
        /// Replaces the prompt of the task.
        prompt: String,
    },
}

impl Memory {
    /// Remembers the conversation of an interrupted run. Earlier ones are dropped: another run came after
    /// them, so the folder no longer matches them.
    pub fn run_ended(&mut self, run: &EndedRun<'_>) {
        let is_it = |known: &Conversation| known.action == run.action && known.task.as_deref() == run.task;
        let before = self.conversations.iter().find(|known| is_it(known)).cloned();
        self.conversations.retain(|known| run.beside && !is_it(known));
        let cut = cut_of(run.verdict, run.beside);
        let (Some(cut), Some(agent), Some(id)) = (cut, run.agent, run.conversation) else { return };
        let crashes = before.filter(|before| before.id == id).map_or(0, |before| before.crashes);
        self.conversations.push(Conversation {
            action: run.action.to_owned(),
            task: run.task.map(str::to_owned),
            agent: agent.to_owned(),
            id: id.to_owned(),
            cut,
            crashes: if cut == Cut::Crash { crashes + 1 } else { 0 },
        });
    }
}

impl AgentTask {
    /// How its run starts: an agent that was interrupted in this action continues where it was, if it can.
    #[must_use]
    pub fn conversation_start(
        &self,
        memory: &Memory,
        agent: &AgentId,
        custom: &[CustomAgent],
    ) -> ConversationStart {
        if self.answer.is_none() {
            return ConversationStart::New; // each iteration begins with nothing but its prompt
        }
        let task = self.context.task.as_ref().map(|task| &task.id);
        let name = agent.to_string();
        let known = memory.conversations.iter().find(|known| {
            known.action == self.action.word() && known.task.as_ref() == task && known.agent == name
        });
        match known {
            Some(known) if known.crashes < MOST_CRASHES && can_resume(agent, &known.id, custom) => {
                let prompt = loopdeck_agents::prompts::resumed(&self.action, &self.context, known.cut);
                ConversationStart::GoOn { id: known.id.clone(), prompt }
            }
            _ => ConversationStart::New,
        }
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
