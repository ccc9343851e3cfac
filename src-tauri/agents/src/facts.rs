//! What a decoder remembers of a run for its judgement: typed fields of the final event, and nothing that an agent, a
//! tool or a file said in between.

use super::complaint::Complaints;
use super::event::Denied;
use super::usage::{Counts, Usage, counts};
use super::{Clip, OutputKind};

/// Denials that are remembered one by one.
pub const DENIALS_LISTED: usize = 200;
/// Bytes of an answer that are kept.
pub const ANSWER_LIMIT: usize = 1 << 20;

/// Facts of one run so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether the agent said that it is up.
    pub started: bool,
    /// Conversation, for resuming.
    pub session: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// The last final event, unless another turn began after it.
    pub last: Option<Final>,
    /// `error` of the last message of the model (Claude): typed by the agent, not said by the model.
    pub message_error: Option<String>,
    /// What was not allowed; at most [`DENIALS_LISTED`].
    pub denials: Vec<Denied>,
    /// How many denials there were in all.
    pub denied: u32,
    /// The agent's last answer, at most [`ANSWER_LIMIT`] bytes.
    pub answer: Option<String>,
    /// The answer in the shape that was asked for: JSON text, where the agent reports it apart.
    pub structured: Option<String>,
    /// As reported: see [`super::usage::share`].
    pub usage: Option<Usage>,
    /// When a refused allowance starts anew: milliseconds since 1970 UTC.
    pub resets_at_ms: Option<f64>,
    /// What was written besides the events: where a failure without a final event is explained.
    pub complaints: Complaints,
    /// Slash commands on offer, where the agent lists them all when it begins.
    pub commands: Option<Vec<String>>,
    /// Plugins that failed when it began, each with the reason where it is said.
    pub plugin_errors: Vec<String>,
    /// The last event of a kind that we do not know.
    pub last_unknown: Option<Clip>,
}

/// Typed fields of a final event; what an agent does not report is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Final {
    /// Name of the event, e.g. `result` or `turn.failed`.
    pub event: &'static str,
    /// Whether the agent calls it an error.
    pub error: Option<bool>,
    /// The agent's class of end (`subtype`, `status`). Worthless alone.
    pub class: Option<String>,
    /// `terminal_reason`.
    pub reason: Option<String>,
    /// HTTP status of the provider.
    pub status: Option<u32>,
    /// Which field `status` was taken from.
    pub status_field: &'static str,
    /// The agent's own message about an error.
    pub message: Option<String>,
    /// Turns, where told.
    pub turns: Option<u32>,
    /// The allowance of the account is used up, said in the agent's own error, without a status.
    pub allowance_used_up: bool,
}

impl Facts {
    /// Remembers a denial once; whether it was new.
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

    /// Whether the agent said which commands it has, and `command` (without its sign) is none of them. One of a plugin has
    /// the plugin's name before it.
    #[must_use]
    pub fn lacks_command(&self, command: &str) -> bool {
        let is_it = |known: &String| {
            let known = known.trim_start_matches('/');
            known == command || known.rsplit_once(':').is_some_and(|(_, name)| name == command)
        };
        self.commands.as_ref().is_some_and(|commands| !commands.iter().any(is_it))
    }

    /// A new turn begins: what ended before it is not the end.
    pub(crate) fn turn_begins(&mut self) {
        self.started = true;
        self.last = None;
        self.message_error = None;
    }

    /// Takes in what a final event reports: several turns of one process count as one run.
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

    /// Takes `text` for the answer, within its limit.
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
