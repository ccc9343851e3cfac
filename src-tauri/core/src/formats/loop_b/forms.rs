//! Initial and allowed values of the forms of a Loop-B (the CCW contract §8).

use crate::forms::IdPattern;
use crate::phase::LoopBPhase;
use serde::Serialize;

/// Words and ids of the forms of a Loop-B.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StepForms {
    /// Ids of planned tasks.
    pub task_id: IdPattern,
    /// All actions, in order; phases have the same words.
    pub actions: [LoopBPhase; 5],
    /// Those that run in parallel mode, in the order of their results.
    pub parallel: [LoopBPhase; 3],
    /// The action that plans.
    pub planning: LoopBPhase,
    /// The form's default action.
    pub first_action: LoopBPhase,
    /// Results of a worker, the default first. A file may have others.
    pub outcomes: [&'static str; 4],
}

/// Allowed values in the forms of a Loop-B.
pub const STEPS: StepForms = StepForms {
    task_id: IdPattern { before: "T", digits: 1 },
    actions: LoopBPhase::ALL,
    parallel: [LoopBPhase::Develop, LoopBPhase::Debug, LoopBPhase::Validate],
    planning: LoopBPhase::Init,
    first_action: LoopBPhase::Develop,
    outcomes: ["success", "failed", "partial", "needs_input"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::loop_b::operate::merge::PARALLEL_ACTIONS;
    use crate::formats::loop_b::read::state::ACTIONS;

    #[test]
    fn the_actions_are_those_of_the_coordinator() {
        assert_eq!(STEPS.actions.map(LoopBPhase::word), ACTIONS);
        assert_eq!(STEPS.parallel.map(LoopBPhase::word), PARALLEL_ACTIONS);
        for action in STEPS.actions {
            assert_eq!(serde_json::to_value(action).expect("a word"), action.word());
            assert_eq!(LoopBPhase::of(action.word()), Some(action));
        }
        assert_eq!(LoopBPhase::of("menu"), None);
    }
}
