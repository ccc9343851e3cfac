//! The menu of an interactive loop, one for Loop v2 and Loop-B: what a person can choose before an action
//! (the CCW contract §7, §8). Which of it is possible now, the driver of the format says.

use crate::phase::CcwPhase;
use serde::{Deserialize, Serialize};
use specta::Type;

/// An entry of the menu. Words: catalogue `needAction.<choice>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum MenuChoice {
    /// Plan the tasks. Loop-B only: a Loop v2 is always initialised before its first menu.
    Init,
    /// Work on the next open task.
    Develop,
    /// Debug a failure.
    Debug,
    /// Run the tests.
    Validate,
    /// Write the summary and end the loop.
    Complete,
    /// Leave the loop as it is (`user_exit`); it can be reopened.
    Exit,
}

impl MenuChoice {
    /// In display order.
    pub const ALL: [Self; 6] =
        [Self::Init, Self::Develop, Self::Debug, Self::Validate, Self::Complete, Self::Exit];

    /// The action as written in files; `exit` is never written.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.phase().map_or("exit", CcwPhase::word)
    }

    /// What it leads to; `Exit` leads to none.
    #[must_use]
    pub fn phase(self) -> Option<CcwPhase> {
        match self {
            Self::Init => Some(CcwPhase::Init),
            Self::Develop => Some(CcwPhase::Develop),
            Self::Debug => Some(CcwPhase::Debug),
            Self::Validate => Some(CcwPhase::Validate),
            Self::Complete => Some(CcwPhase::Complete),
            Self::Exit => None,
        }
    }

    /// The choice of this name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_kept_under_the_word_of_its_action() {
        for choice in MenuChoice::ALL {
            assert_eq!(serde_json::to_value(choice).expect("a word"), choice.word());
            assert_eq!(MenuChoice::from_word(choice.word()), Some(choice));
        }
        assert_eq!(MenuChoice::from_word("Develop"), None);
    }
}
