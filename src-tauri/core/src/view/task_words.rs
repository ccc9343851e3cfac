//! Words of the task list that the format defines (the CCW contract §12).

pub use loopdeck_agents::prompts::TaskMode;
use serde::Serialize;
use specta::Type;

/// What happens when a listed task fails. Words: catalogue `option.<policy>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ErrorPolicy {
    /// The next task follows.
    Continue,
    /// A person is asked.
    Pause,
    /// The loop ends.
    FailFast,
}

impl ErrorPolicy {
    /// The meaning of a word, in any case; none for words that the format does not define.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "continue" => Some(Self::Continue),
            "pause" => Some(Self::Pause),
            "fail_fast" => Some(Self::FailFast),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_task_list_are_known_in_any_case() {
        let modes = ["analysis", "WRITE", "Review", "moon", ""].map(TaskMode::from_word);
        assert_eq!(
            modes,
            [Some(TaskMode::Analysis), Some(TaskMode::Write), Some(TaskMode::Review), None, None]
        );
        let policies = ["continue", "Pause", "FAIL_FAST", "retry"].map(ErrorPolicy::from_word);
        let known = [ErrorPolicy::Continue, ErrorPolicy::Pause, ErrorPolicy::FailFast].map(Some);
        assert_eq!(policies, [known[0], known[1], known[2], None]);
    }
}
