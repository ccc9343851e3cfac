//! What a run used. Some agents count per run, others since the start of the conversation. For those, a run's
//! share is the difference from the value stored when the previous run ended.

use super::OutputKind;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Tokens and money. Unknown money is `None`, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// The part of `input` that came from a cache.
    pub cached: u64,
    /// Reasoning tokens, if reported. Some agents include them in `output`, so they are never added.
    pub reasoning: u64,
    /// US dollars as the agent reports them.
    pub cost_usd: Option<f64>,
}

/// [`Usage`] for the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct UsageView {
    /// See [`Usage::input`].
    pub input: f64,
    /// See [`Usage::output`].
    pub output: f64,
    /// See [`Usage::cached`].
    pub cached: f64,
    /// See [`Usage::reasoning`].
    pub reasoning: f64,
    /// See [`Usage::cost_usd`].
    pub cost_usd: Option<f64>,
}

impl From<Usage> for UsageView {
    #[allow(clippy::cast_precision_loss)] // exact up to 9e15 tokens
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.input as f64,
            output: usage.output as f64,
            cached: usage.cached as f64,
            reasoning: usage.reasoning as f64,
            cost_usd: usage.cost_usd,
        }
    }
}

impl Usage {
    /// Adds two runs. Money is known if at least one of them reports it.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0.0) + two.unwrap_or(0.0)),
        };
        Usage {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            cost_usd,
        }
    }

    /// The tokens without the money.
    fn tokens(self) -> [u64; 4] {
        [self.input, self.output, self.cached, self.reasoning]
    }
}

/// What a number covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Everything since the previous final event.
    Run,
    /// Everything since the start of the conversation.
    Conversation,
}

/// How an agent counts tokens and money.
#[must_use]
pub fn counts(kind: OutputKind) -> (Counts, Counts) {
    match kind {
        OutputKind::ClaudeJsonl => (Counts::Run, Counts::Conversation),
        OutputKind::QwenJsonl | OutputKind::CodexJsonl => (Counts::Conversation, Counts::Conversation),
        OutputKind::GeminiJsonl | OutputKind::Text => (Counts::Run, Counts::Run),
    }
}

/// A run's share of what an agent reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// What this run used.
    pub run: Usage,
    /// Stored for the next run with this agent and session id.
    pub baseline: Usage,
}

/// The share of a run that ended with `reported`, in a conversation that was at `baseline` before (`None`: it
/// started with this run). A number below the baseline means that the agent restarted its count.
#[must_use]
pub fn share(kind: OutputKind, reported: Usage, baseline: Option<Usage>) -> Share {
    let before = baseline.unwrap_or_default();
    let (tokens, money) = counts(kind);
    let mut run = reported;
    let anew = reported.tokens().iter().zip(before.tokens()).any(|(now, before)| *now < before);
    if tokens == Counts::Conversation && !anew {
        run.input -= before.input;
        run.output -= before.output;
        run.cached -= before.cached;
        run.reasoning -= before.reasoning;
    }
    if money == Counts::Conversation {
        run.cost_usd = reported.cost_usd.map(|now| match before.cost_usd {
            Some(before) if before <= now => now - before,
            _ => now,
        });
    }
    Share { run, baseline: Usage { cost_usd: reported.cost_usd.or(before.cost_usd), ..reported } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, cost_usd: Option<f64>) -> Usage {
        Usage { input, output, cost_usd, ..Usage::default() }
    }

    #[test]
    fn a_resumed_conversation_adds_only_the_difference() {
        let first = share(OutputKind::CodexJsonl, usage(100, 10, None), None);
        assert_eq!(first.run, usage(100, 10, None));
        let second = share(OutputKind::CodexJsonl, usage(250, 30, None), Some(first.baseline));
        assert_eq!(second.run, usage(150, 20, None));
        let anew = share(OutputKind::CodexJsonl, usage(40, 50, None), Some(second.baseline));
        assert_eq!((anew.run, anew.baseline), (usage(40, 50, None), usage(40, 50, None)));
        let qwen = share(OutputKind::QwenJsonl, usage(250, 30, None), Some(first.baseline));
        assert_eq!(qwen.run, second.run);
    }

    #[test]
    fn claude_counts_tokens_per_run_and_money_per_conversation() {
        let before = usage(900, 90, Some(0.5));
        let after = share(OutputKind::ClaudeJsonl, usage(100, 10, Some(0.75)), Some(before));
        assert_eq!(after.run, usage(100, 10, Some(0.25)));
        let anew = share(OutputKind::ClaudeJsonl, usage(100, 10, Some(0.2)), Some(after.baseline));
        assert_eq!(anew.run.cost_usd, Some(0.2));
        let untold = share(OutputKind::ClaudeJsonl, usage(1, 1, None), Some(before));
        assert_eq!((untold.run.cost_usd, untold.baseline.cost_usd), (None, Some(0.5)));
    }

    #[test]
    fn gemini_counts_per_run() {
        let after = share(OutputKind::GeminiJsonl, usage(100, 10, None), Some(usage(50, 5, None)));
        assert_eq!(after.run, usage(100, 10, None));
    }

    #[test]
    fn unknown_money_is_not_zero() {
        assert_eq!(usage(1, 1, None).plus(usage(1, 1, None)).cost_usd, None);
        assert_eq!(usage(1, 1, Some(0.5)).plus(usage(1, 1, None)).cost_usd, Some(0.5));
    }
}
