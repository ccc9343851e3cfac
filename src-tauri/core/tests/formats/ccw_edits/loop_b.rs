//! Steps of the Loop-B coordinator.

use crate::ccw_edits::files::{Draft, drafts};
use crate::ccw_edits::spans::{apply_keeping, items};
use crate::ccw_edits::{B, TIME, assert_sound, at, column, facts, situation};
use loopdeck_core::formats::loop_b::operate::{WorkerOutput, operate};
use loopdeck_core::formats::loop_b::operation::LoopBOperation;
use loopdeck_core::status::StatusWord;
use loopdeck_text::json_span::tree::quote;
use loopdeck_text::text_edit;
use proptest::prelude::*;

fn carry_out(bytes: &[u8], operation: &LoopBOperation, ours: &[&str]) -> Vec<u8> {
    let outcome = operate(bytes, &facts(B), operation, &situation(StatusWord::Running)).expect("legal");
    let after = apply_keeping(bytes, &outcome.edits, ours);
    assert_sound(B, &after);
    assert_eq!(at(&after, &["updated_at"]), quote(TIME));
    after
}

fn output(action: &str, completed_tasks: &[String]) -> WorkerOutput {
    WorkerOutput {
        action: action.to_owned(),
        status: "success".to_owned(),
        completed_tasks: completed_tasks.to_vec(),
        ..WorkerOutput::default()
    }
}

const DONE: [&str; 5] = [
    "updated_at",
    "current_iteration",
    "skill_state.workers_completed",
    "skill_state.pending_tasks",
    "skill_state.completed_tasks",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn finished_tasks_move_and_no_others(draft in drafts(), chosen in prop::collection::vec(any::<bool>(), 5)) {
        let before = draft.b("auto");
        let is_done = |index: &usize| chosen[*index];
        let ids: Vec<String> = (0..draft.tasks.len()).filter(is_done).map(|index| format!("t{index}")).collect();
        let after = carry_out(&before, &LoopBOperation::WorkerDone { output: output("develop", &ids) }, &DONE);
        let (old, left) = (items(&before, "skill_state.pending_tasks"), items(&after, "skill_state.pending_tasks"));
        let stay: Vec<_> = old.iter().enumerate().filter(|(index, _)| !chosen[*index]).map(|(_, raw)| raw.clone()).collect();
        prop_assert_eq!(left, stay, "those left keep their bytes");
        let done = items(&after, "skill_state.completed_tasks");
        prop_assert!(done.starts_with(&items(&before, "skill_state.completed_tasks")));
        let completed = &["skill_state", "completed_tasks"];
        let all: Vec<String> = ["old".to_owned()].into_iter().chain(ids.clone()).collect();
        prop_assert_eq!(column(&after, completed, "id"), all);
        prop_assert!(column(&after, completed, "status").iter().all(|word| word == "completed"));
        prop_assert_eq!(items(&after, "skill_state.workers_completed"), [quote("init"), quote("develop")]);
        prop_assert_eq!(at(&after, &["current_iteration"]), "2");
    }

    #[test]
    fn phases_follow_and_the_loop_completes(draft in drafts(), parallel in any::<bool>()) {
        let mut bytes = draft.b(if parallel { "parallel" } else { "auto" });
        let enter = ["updated_at", "skill_state.phase", "skill_state.action_index"];
        for (phase, index) in [("debug", "2"), ("validate", "3"), ("complete", "4")] {
            bytes = carry_out(&bytes, &LoopBOperation::Enter { phase: phase.to_owned() }, &enter);
            prop_assert_eq!(at(&bytes, &["skill_state", "phase"]), quote(phase));
            prop_assert_eq!(at(&bytes, &["skill_state", "action_index"]), index);
        }
        let end = LoopBOperation::Complete { executive: String::new(), recommendations: vec![], worked_ms: None };
        let ours = ["updated_at", "status", "completed_at", "skill_state.phase", "skill_state.workers_completed"];
        bytes = carry_out(&bytes, &end, &ours);
        prop_assert_eq!(at(&bytes, &["status"]), quote("completed"));
    }

    #[test]
    fn parallel_results_are_merged(draft in drafts(), text in any::<String>()) {
        let before = draft.b("parallel");
        let outputs = ["validate", "develop"].map(|action| WorkerOutput { summary: text.clone(), ..output(action, &[]) });
        let ours = [
            "updated_at",
            "current_iteration",
            "skill_state.parallel_results",
            "skill_state.workers_completed",
            "skill_state.pending_tasks",
            "skill_state.completed_tasks",
        ];
        let after = carry_out(&before, &LoopBOperation::Merge { outputs: outputs.to_vec() }, &ours);
        let result = |keys: &[&str]| at(&after, &[&["skill_state", "parallel_results"], keys].concat());
        prop_assert_eq!(result(&["develop", "summary"]), quote(&text));
        prop_assert_eq!(result(&["validate", "action"]), quote("validate"));
        prop_assert_eq!((result(&["debug"]), result(&["merged_at"])), ("null".to_owned(), quote(TIME)));
    }

    #[test]
    fn no_damage_makes_a_step_panic(draft in drafts(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let whole = draft.b("parallel");
        let mut flipped = whole.clone();
        flipped[cut.index(whole.len())] = byte;
        for operation in [
            LoopBOperation::Enter { phase: "debug".to_owned() },
            LoopBOperation::WorkerDone { output: output("develop", &["t0".to_owned()]) },
            LoopBOperation::Merge { outputs: vec![output("debug", &[])] },
            LoopBOperation::Complete { executive: String::new(), recommendations: vec![], worked_ms: None },
        ] {
            for bytes in [&flipped[..], &whole[..cut.index(whole.len())]] {
                if let Ok(outcome) = operate(bytes, &facts(B), &operation, &situation(StatusWord::Running)) {
                    assert_sound(B, &text_edit::apply(bytes, &outcome.edits).expect("edits do not overlap"));
                }
            }
        }
    }
}

#[test]
fn a_moved_task_keeps_what_nobody_knows() {
    let draft =
        Draft { foreign: vec![("y".to_owned(), "1E+3".to_owned())], ..crate::ccw_edits::files::sample() };
    let after = carry_out(
        &draft.b("auto"),
        &LoopBOperation::WorkerDone { output: output("develop", &["t0".to_owned()]) },
        &DONE,
    );
    assert!(items(&after, "skill_state.completed_tasks")[1].contains("1E+3"));
}
