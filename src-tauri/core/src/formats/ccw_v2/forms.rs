//! Initial and allowed values of the forms of a Loop v2: its steps (the CCW contract §2, §7) and its task
//! list (§12).

use crate::forms::{Bounds, IdPattern};
use loopdeck_agents::custom;
use serde::{Deserialize, Serialize};
use specta::Type;

/// How the loop continues after INIT (§7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum InitMode {
    /// One action after the other.
    #[default]
    Auto,
    /// A person is asked before each.
    Interactive,
}

impl InitMode {
    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            InitMode::Auto => "auto",
            InitMode::Interactive => "interactive",
        }
    }
}

/// Words, ids and bounds of the forms of a Loop v2.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LoopV2Forms {
    /// Characters of a title (§1.4).
    pub title: Bounds,
    /// Priorities of a loop (§1.4).
    pub priorities: [&'static str; 3],
    /// Modes of INIT, the default first.
    pub modes: [InitMode; 2],
    /// Ids of planned tasks (§2).
    pub task_id: IdPattern,
    /// Ids of hypotheses (§2).
    pub hypothesis_id: IdPattern,
    /// Verdicts of a hypothesis, the initial one first (§2).
    pub verdicts: [&'static str; 4],
    /// A rank is greater than this: 1 is the most likely (§2).
    pub likelihood_above: u32,
}

/// Allowed values in the forms of a Loop v2.
pub const STEPS: LoopV2Forms = LoopV2Forms {
    title: Bounds { least: 1, most: 100 },
    priorities: ["low", "medium", "high"],
    modes: [InitMode::Auto, InitMode::Interactive],
    task_id: IdPattern { before: "task-", digits: 3 },
    hypothesis_id: IdPattern { before: "H", digits: 1 },
    verdicts: ["pending", "confirmed", "rejected", "inconclusive"],
    likelihood_above: 0,
};

/// Whether a title, without surrounding blanks, has an allowed length.
#[must_use]
pub fn takes_title(title: &str) -> bool {
    u32::try_from(title.chars().count()).is_ok_and(|count| STEPS.title.accepts(count))
}

/// `max_iterations` of every CCW loop (§1.4, §4).
pub const ITERATIONS: Bounds = Bounds { least: 1, most: 100 };
/// Default of `max_iterations` (§1.4).
pub const USUAL_ITERATIONS: u32 = 10;

/// Words of a task, planned or listed (§2, §12). Other words in a file are kept.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TaskForms {
    /// Tools of the format, the default first; custom agents are added to them.
    pub tools: [&'static str; 5],
    /// What the tool may do.
    pub modes: [&'static str; 3],
    /// The default mode.
    pub first_mode: &'static str,
    /// What happens to the list when a task fails.
    pub on_error: [&'static str; 3],
    /// Priorities of planned tasks: 1 is the highest.
    pub priority: Bounds,
}

/// Allowed values in the forms of a task.
pub const TASKS: TaskForms = TaskForms {
    tools: ["gemini", "qwen", "codex", "claude", "bash"],
    modes: ["analysis", "write", "review"],
    first_mode: "write",
    on_error: ["continue", "pause", "fail_fast"],
    priority: Bounds { least: 1, most: u32::MAX },
};

/// Whether a form accepts this word as the tool of a task: one of the format's, or `custom:<id>` for a custom
/// agent, whose prefix rules out a typing error.
#[must_use]
pub fn takes_tool(word: &str) -> bool {
    TASKS.tools.contains(&word) || word.strip_prefix("custom:").is_some_and(custom::is_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::ccw::progress_docs::debug::is_verdict;

    #[test]
    fn a_form_begins_with_a_word_that_it_has() {
        assert!(TASKS.modes.contains(&TASKS.first_mode));
        assert_eq!(
            STEPS.verdicts.iter().filter(|word| !is_verdict(word)).count(),
            1,
            "only the first is open"
        );
        for mode in STEPS.modes {
            assert_eq!(serde_json::to_value(mode).expect("a word"), mode.word());
        }
    }
}
