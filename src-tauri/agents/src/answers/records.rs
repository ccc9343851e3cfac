//! The contents of agents' answers, one type for each thing that a loop keeps.

use loopdeck_text::json_span::json::Json;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A develop task as planned by INIT.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct PlannedTask {
    /// `task-001`, `T1`.
    pub id: String,
    /// What to do.
    pub description: String,
    /// `gemini`, `qwen`, `codex`, `claude`, `bash`, or the id of a custom agent.
    pub tool: String,
    /// `analysis`, `write`.
    pub mode: String,
    /// 1 = first.
    pub priority: u32,
    /// Files planned.
    pub files: Vec<String>,
}

/// How sure an agent is of a hypothesis, in the words of Loop-B's `debug.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// `high`.
    High,
    /// `medium`.
    Medium,
    /// `low`.
    Low,
}

impl Confidence {
    /// All of them, surest first.
    const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// Its word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Its rank: 1 for the surest.
    #[must_use]
    pub fn place(self) -> u8 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// The meaning of a word in the file, in any case; none for another word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| word.trim().eq_ignore_ascii_case(known.word()))
    }
}

/// One hypothesis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Hypothesis {
    /// `H1`, `H2`, …
    pub id: String,
    /// The claim.
    pub description: String,
    /// What would show it.
    pub testable_condition: String,
    /// `file:function:line`.
    pub logging_point: String,
    /// Confirm if.
    pub confirm: String,
    /// Reject if.
    pub reject: String,
    /// 1 = most likely.
    pub likelihood: Option<f64>,
    /// `pending`, `confirmed`, `rejected`, `inconclusive`.
    pub status: String,
    /// Null, an object, or entries of the debug log. In change requests as JSON text; absent means unchanged.
    #[serde(default, with = "loopdeck_text::json_span::json::as_text")]
    #[specta(type = String)]
    pub evidence: Json,
    /// Why it was judged so.
    pub verdict_reason: Option<String>,
}

/// A hypothesis of a debug worker. Unlike those of Loop v2, it has no likelihood rank and no logging point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerHypothesis {
    /// `H1`, `H2`, …
    pub id: String,
    /// The claim.
    pub description: String,
    /// How sure the agent is of it.
    pub confidence: Option<Confidence>,
    /// What would show it.
    pub testable: String,
    /// How it would cause the symptoms.
    pub mechanism: String,
    /// `pending`, `confirmed`, `rejected`, `inconclusive`.
    pub status: String,
    /// What the agent saw, in its own words.
    pub evidence: Option<String>,
    /// Why it was judged so.
    pub verdict_reason: Option<String>,
}

impl WorkerHypothesis {
    /// The part that both formats share.
    #[must_use]
    pub fn record(&self) -> Hypothesis {
        Hypothesis {
            id: self.id.clone(),
            description: self.description.clone(),
            testable_condition: self.testable.clone(),
            status: self.status.clone(),
            evidence: Json::optional(self.evidence.as_deref()),
            verdict_reason: self.verdict_reason.clone(),
            ..Hypothesis::default()
        }
    }
}
