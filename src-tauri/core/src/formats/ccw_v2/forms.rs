//! What the forms of a Loop v2 begin with and may say: its steps (the CCW contract §2, §7) and its task list (§12).

use crate::forms::{Bounds, IdPattern};
use loopdeck_agents::custom;
use serde::{Deserialize, Serialize};
use specta::Type;

/// How INIT lets the loop go on (§7).
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
pub struct StepForms {
    /// Characters of a title (§1.4).
    pub title: Bounds,
    /// Priorities of a loop (§1.4).
    pub priorities: [&'static str; 3],
    /// Modes of INIT, the one that a form begins with first.
    pub modes: [InitMode; 2],
    /// Ids of planned tasks (§2).
    pub task_id: IdPattern,
    /// Ids of hypotheses (§2).
    pub hypothesis_id: IdPattern,
    /// Words of a hypothesis, the one that it begins with first (§2).
    pub verdicts: [&'static str; 4],
    /// A rank is above this: 1 is the most likely (§2).
    pub likelihood_above: u32,
}

/// What the forms of a Loop v2 may say.
pub const STEPS: StepForms = StepForms {
    title: Bounds { least: 1, most: 100 },
    priorities: ["low", "medium", "high"],
    modes: [InitMode::Auto, InitMode::Interactive],
    task_id: IdPattern { before: "task-", digits: 3 },
    hypothesis_id: IdPattern { before: "H", digits: 1 },
    verdicts: ["pending", "confirmed", "rejected", "inconclusive"],
    likelihood_above: 0,
};

/// Whether a title, without the blanks around it, has as many characters as a title takes.
#[must_use]
pub fn takes_title(title: &str) -> bool {
    u32::try_from(title.chars().count()).is_ok_and(|count| STEPS.title.take(count))
}

/// `max_iterations` of every CCW loop (§1.4, §4).
pub const ITERATIONS: Bounds = Bounds { least: 1, most: 100 };
/// `max_iterations` of a loop for which nobody said one (§1.4).
pub const USUAL_ITERATIONS: u32 = 10;

/// Words of a task, planned or listed (§2, §12). A file may have others: they stay what they are.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TaskForms {
    /// Tools of the format, the one that a form begins with first; a person's own agents come beside them.
    pub tools: [&'static str; 5],
    /// What the tool may do.
    pub modes: [&'static str; 3],
    /// The mode that a form begins with.
    pub first_mode: &'static str,
    /// What becomes of the list when a task fails.
    pub on_error: [&'static str; 3],
    /// Priorities of planned tasks: 1 is the first.
    pub priority: Bounds,
}

/// What the forms of a task may say.
pub const TASKS: TaskForms = TaskForms {
    tools: ["gemini", "qwen", "codex", "claude", "bash"],
    modes: ["analysis", "write", "review"],
    first_mode: "write",
    on_error: ["continue", "pause", "fail_fast"],
    priority: Bounds { least: 1, most: u32::MAX },
};

/// Whether a form takes this word as the tool of a task: one of the format's, or `custom:<id>` of a person's own agent,
/// which with its prefix is no slip of the pen.
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
