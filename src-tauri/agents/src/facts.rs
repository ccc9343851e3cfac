//! What a decoder remembers of a run for judging it: typed fields of the final event, and nothing that an
//! agent, a tool or a file said before that.

use super::complaint::Complaints;
use super::event::Denied;
use super::provider::{Reset, Told};
use super::usage::{Counts, Usage, counts};
use super::{Clip, OutputKind};
use std::collections::BTreeSet;

/// How many denials are kept individually.
pub const DENIALS_LISTED: usize = 200;
/// Bytes kept of all messages: the last ones.
pub const MESSAGES_LIMIT: usize = 1 << 20;
/// How many running background tasks are remembered.
const TASKS_LIMIT: usize = 1000;

/// Facts of one run so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether the agent reported its start.
    pub started: bool,
    /// Conversation, for resuming.
    pub session: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// The last final event, unless another turn started after it.
    pub last: Option<Final>,
    /// `error` of the model's last message (Claude): set by the agent, not said by the model.
    pub message_error: Option<String>,
    /// `stop_reason` of the model's last message (Claude, Qwen), unless a tool's result followed it.
    pub message_stop: Option<String>,
    /// Tools that the model called last and that gave no result.
    pub open_tools: BTreeSet<String>,
    /// An error that the agent reported and that is no final event; it explains an end without one.
    pub error_told: Option<Told>,
    /// What was not allowed; at most [`DENIALS_LISTED`].
    pub denials: Vec<Denied>,
    /// The total number of denials.
    pub denied: u32,
    /// What the model said in its main conversation, one message each, and last what the final event repeats of it; at
    /// most [`MESSAGES_LIMIT`] bytes, the last ones. One of them is the answer: see [`super::answers::among`].
    pub messages: Vec<String>,
    /// The answer in the requested shape: JSON text, where the agent reports it separately.
    pub structured: Option<String>,
    /// As reported; see [`super::usage::share`].
    pub usage: Option<Usage>,
    /// The provider refused the account's allowance, and when that resets.
    pub refused: Option<Option<Reset>>,
    /// Background tasks that the agent announced and that have not ended.
    pub tasks: BTreeSet<String>,
    /// A background task ended after the last final event: the agent takes its result up in another turn.
    pub is_woken: bool,
    /// Output besides the events, which explains a failure without a final event.
    pub complaints: Complaints,
    /// Available slash commands, where the agent lists all of them at the start.
    pub commands: Option<Vec<String>>,
    /// Plugins that failed at the start, each with the reason if given.
    pub plugin_errors: Vec<String>,
    /// The last event of an unknown kind.
    pub last_unknown: Option<Clip>,
}

/// Typed fields of a final event; those an agent does not report are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Final {
    /// Name of the event, e.g. `result` or `turn.failed`.
    pub event: &'static str,
    /// Whether the agent calls it an error.
    pub error: Option<bool>,
    /// The agent's class of result (`subtype`, `status`). Worthless alone.
    pub class: Option<String>,
    /// `terminal_reason`.
    pub reason: Option<String>,
    /// `stop_reason`: why the model stopped.
    pub stop: Option<String>,
    /// The model called a tool last, and it gave no result.
    pub has_open_tool: bool,
    /// What the agent's own error tells of its provider.
    pub told: Told,
    /// The field that `told` was taken from.
    pub told_field: &'static str,
    /// The agent's own message about an error.
    pub message: Option<String>,
    /// Turns, if reported.
    pub turns: Option<u32>,
}

impl Facts {
    /// Records a denial once; returns whether it was new.
    pub(crate) fn deny(&mut self, denied: &Denied) -> bool {
        let known = |other: &Denied| denied.id.is_some() && other.id == denied.id;
        if self.denials.iter().any(known) {
            return false;
        }
        self.denied = self.denied.saturating_add(1);
        if self.denials.len() < DENIALS_LISTED {
            self.denials.push(denied.clone());
        }
        true
    }

    /// Whether the agent listed its commands and `command` (without its sign) is not one of them. A plugin's
    /// command is prefixed with the plugin's name.
    #[must_use]
    pub fn lacks_command(&self, command: &str) -> bool {
        let is_it = |known: &String| {
            let known = known.trim_start_matches('/');
            known == command || known.rsplit_once(':').is_some_and(|(_, name)| name == command)
        };
        self.commands.as_ref().is_some_and(|commands| !commands.iter().any(is_it))
    }

    /// A new turn starts, so the previous final event is not the end.
    pub(crate) fn turn_begins(&mut self) {
        self.started = true;
        self.last = None;
        self.message_error = None;
        self.message_stop = None;
        self.open_tools.clear();
        self.is_woken = false;
    }

    /// Whether the run is over although its process may still live: it reported its end, and nothing that it announced
    /// goes on.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.last.is_some() && self.tasks.is_empty() && !self.is_woken
    }

    /// A background task starts.
    pub(crate) fn task_begins(&mut self, id: String) {
        if self.tasks.len() < TASKS_LIMIT {
            self.tasks.insert(id);
        }
    }

    /// A background task ended.
    pub(crate) fn task_ends(&mut self, id: &str) {
        self.is_woken |= self.tasks.remove(id) && self.last.is_some();
    }

    /// Adds the report of a final event: several turns of one process count as one run.
    pub(crate) fn report(&mut self, kind: OutputKind, usage: Usage) {
        let (tokens, money) = counts(kind);
        let before = self.usage.unwrap_or_default();
        let sum = before.plus(usage);
        let mut all = if tokens == Counts::Run { sum } else { usage };
        all.cost_usd = match money {
            Counts::Run => sum.cost_usd,
            Counts::Conversation => usage.cost_usd.or(before.cost_usd),
        };
        self.usage = Some(all);
    }

    /// The last message that says something.
    #[must_use]
    pub fn answer(&self) -> Option<&str> {
        self.messages.iter().rev().map(String::as_str).find(|message| !message.trim().is_empty())
    }

    /// Adds a message, within the limit of all.
    pub(crate) fn say(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.begin_message(text);
        }
    }

    /// Adds a message whose other pieces follow.
    pub(crate) fn begin_message(&mut self, piece: &str) {
        self.messages.push(String::new());
        self.continue_message(piece);
    }

    /// Adds a message that may repeat the last one.
    pub(crate) fn say_at_the_end(&mut self, text: &str) {
        if self.answer() != Some(text) {
            self.say(text);
        }
    }

    /// Adds to the last message, within the limit of all.
    pub(crate) fn continue_message(&mut self, piece: &str) {
        if self.messages.is_empty() {
            self.messages.push(String::new());
        }
        if let Some(last) = self.messages.last_mut() {
            last.push_str(piece);
            // The end of a message is where an answer is.
            let mut cut = last.len().saturating_sub(MESSAGES_LIMIT);
            while !last.is_char_boundary(cut) {
                cut += 1;
            }
            last.drain(..cut);
        }
        let all: usize = self.messages.iter().map(String::len).sum();
        let mut over = all.saturating_sub(MESSAGES_LIMIT);
        let mut gone = 0;
        while over > 0 {
            over = over.saturating_sub(self.messages.get(gone).map_or(over, String::len));
            gone += 1;
        }
        self.messages.drain(..gone.min(self.messages.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_messages_are_kept_within_their_limit() {
        let mut facts = Facts::default();
        facts.say(" \n");
        assert_eq!(facts.answer(), None, "that says nothing");
        facts.say("first");
        facts.say(&"é".repeat(MESSAGES_LIMIT / 2 - 5));
        assert_eq!(facts.messages.len(), 2);
        facts.say("second");
        assert_eq!(facts.messages.len(), 2, "the first had to go");
        facts.say_at_the_end("second");
        assert_eq!(facts.messages.len(), 2, "said already");
        facts.continue_message(&"x".repeat(MESSAGES_LIMIT));
        assert_eq!((facts.messages.len(), facts.messages[0].len()), (1, MESSAGES_LIMIT));
        facts.continue_message("end");
        assert!(
            facts.answer().is_some_and(|answer| answer.ends_with("xend") && answer.len() == MESSAGES_LIMIT)
        );
    }
}
