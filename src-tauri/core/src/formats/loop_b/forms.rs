//! Initial and allowed values of the forms of a Loop-B (the CCW contract §8).

use crate::forms::IdPattern;
use crate::phase::CcwPhase;
use serde::Serialize;

/// Words and ids of the forms of a Loop-B.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LoopBForms {
    /// Ids of planned tasks.
    pub task_id: IdPattern,
    /// All actions, in their order; phases have the same words.
    pub actions: [CcwPhase; 5],
    /// Those that run at once in parallel mode, in the order of their results.
    pub parallel: [CcwPhase; 3],
    /// The action that plans.
    pub planning: CcwPhase,
    /// The action that a form begins with.
    pub first_action: CcwPhase,
    /// How a worker ends, the one that a form begins with first. A file may have others.
    pub outcomes: [&'static str; 4],
}

/// Allowed values in the forms of a Loop-B.
pub const STEPS: LoopBForms = LoopBForms {
    task_id: IdPattern { before: "T", digits: 1 },
    actions: CcwPhase::ALL,
    parallel: [CcwPhase::Develop, CcwPhase::Debug, CcwPhase::Validate],
    planning: CcwPhase::Init,
    first_action: CcwPhase::Develop,
    outcomes: ["success", "failed", "partial", "needs_input"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::loop_b::operate::merge::PARALLEL_ACTIONS;
    use crate::formats::loop_b::read::state::ACTIONS;

    #[test]
    fn the_actions_are_those_of_the_coordinator() {
        assert_eq!(STEPS.actions.map(CcwPhase::word), ACTIONS);
        assert_eq!(STEPS.parallel.map(CcwPhase::word), PARALLEL_ACTIONS);
        for action in STEPS.actions {
            assert_eq!(serde_json::to_value(action).expect("a word"), action.word());
            assert_eq!(CcwPhase::from_word(action.word()), Some(action));
        }
        assert_eq!(CcwPhase::from_word("menu"), None);
    }
}
