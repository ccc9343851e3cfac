//! What a decoder remembers of a run for judging it: typed fields of the final event, and nothing that an
//! agent, a tool or a file said before that.

use super::complaint::Complaints;
use super::event::Denied;
use super::usage::{Counts, Usage, counts};
use super::{Clip, OutputKind};

/// How many denials are kept individually.
pub const DENIALS_LISTED: usize = 200;
/// Bytes kept of an answer.
pub const ANSWER_LIMIT: usize = 1 << 20;

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
    /// What was not allowed; at most [`DENIALS_LISTED`].
    pub denials: Vec<Denied>,
    /// The total number of denials.
    pub denied: u32,
    /// The agent's last answer, at most [`ANSWER_LIMIT`] bytes.
    pub answer: Option<String>,
    /// The answer in the requested shape: JSON text, where the agent reports it separately.
    pub structured: Option<String>,
    /// As reported; see [`super::usage::share`].
    pub usage: Option<Usage>,
    /// When a refused allowance resets: milliseconds since 1970 UTC.
    pub resets_at_ms: Option<f64>,
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
    /// HTTP status of the provider.
    pub status: Option<u32>,
    /// The field that `status` was taken from.
    pub status_field: &'static str,
    /// The agent's own message about an error.
    pub message: Option<String>,
    /// Turns, if reported.
    pub turns: Option<u32>,
    /// The account's allowance is used up, according to the agent's own error, without a status.
    pub allowance_used_up: bool,
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

    /// Sets the answer to `text`, within its limit.
    pub(crate) fn set_answer(&mut self, text: &str) {
        self.answer = None;
        self.add_to_answer(text);
    }

    /// Adds to the answer, within its limit.
    pub(crate) fn add_to_answer(&mut self, piece: &str) {
        let answer = self.answer.get_or_insert_default();
        let room = ANSWER_LIMIT.saturating_sub(answer.len());
        answer.push_str(&Clip::cut(piece, room, piece.len()).text);
    }
}
