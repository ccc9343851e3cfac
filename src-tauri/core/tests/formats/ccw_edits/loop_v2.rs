//! Operations of Loop v2.

use crate::ccw_edits::files::{self, drafts};
use crate::ccw_edits::spans::{apply_keeping, items};
use crate::ccw_edits::{TIME, V2, assert_sound, at, column, facts, situation};
use loopdeck_core::formats::ccw::progress_docs::records::{Hypothesis, TestResult, ValidationRun};
use loopdeck_core::formats::ccw_v2::operate::operate;
use loopdeck_core::formats::ccw_v2::operation::{Beginning, Debugged, Developed, LoopV2Operation};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::StatusWord;
use loopdeck_text::json_span::tree::quote;
use proptest::prelude::*;

const TASKS: &[&str] = &["skill_state", "develop", "tasks"];

/// Carries out an operation that may only touch `ours`; lists in `grow` keep their items.
fn carry_out(
    bytes: &[u8],
    operation: &LoopV2Operation,
    ours: &[&str],
    grow: &[&str],
) -> Result<Vec<u8>, Refusal> {
    let outcome = operate(bytes, &facts(V2), operation, &situation(StatusWord::Running))?;
    let after = apply_keeping(bytes, &outcome.edits, ours);
    for list in grow {
        assert!(items(&after, list).starts_with(&items(bytes, list)), "{list} lost something");
    }
    assert_sound(V2, &after);
    assert_eq!(at(&after, &["updated_at"]), quote(TIME));
    Ok(after)
}

/// What each finished action touches besides its section.
const ROUND: [&str; 5] = [
    "updated_at",
    "current_iteration",
    "skill_state.current_action",
    "skill_state.last_action",
    "skill_state.completed_actions",
];

/// What debugging touches besides the hypotheses.
const DEBUG: [&str; 5] = [
    "skill_state.debug.active_bug",
    "skill_state.debug.hypotheses_count",
    "skill_state.debug.confirmed_hypothesis",
    "skill_state.debug.iteration",
    "skill_state.debug.last_analysis_at",
];

fn finished(before: &[u8], after: &[u8], action: &str) {
    assert_eq!(at(before, &["current_iteration"]), "1");
    assert_eq!(at(after, &["current_iteration"]), "2");
    assert_eq!(at(after, &["skill_state", "last_action"]), quote(action));
    assert_eq!(at(after, &["skill_state", "current_action"]), quote(&action.to_lowercase()));
    assert_eq!(items(after, "skill_state.completed_actions"), [quote("INIT"), quote(action)]);
}

/// A failed task is retried.
fn can_begin(word: &str) -> bool {
    matches!(word, "pending" | "in_progress" | "failed")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn a_task_begins_and_ends(draft in drafts(), files in prop::collection::vec(any::<String>(), 0..3), fails in any::<bool>()) {
        for (index, word) in draft.tasks.iter().enumerate() {
            let task_id = format!("t{index}");
            let task = |key: &str| format!("skill_state.develop.tasks[{index}].{key}");
            let before = draft.v2("running", vec![]);
            let begin = LoopV2Operation::Begin { beginning: Beginning::Develop { task_id: task_id.clone() } };
            let ours = ["updated_at", "skill_state.current_action", "skill_state.develop.current_task", &task("status")];
            let begun = carry_out(&before, &begin, &ours, &[]);
            if !can_begin(word) {
                prop_assert_eq!(begun.map_err(|refusal| refusal.code), Err(RefusalCode::NoSuchTask));
                continue;
            }
            let begun = begun.expect("legal");
            let mut words: Vec<String> = draft.tasks.iter().map(|word| (*word).to_owned()).collect();
            words[index] = "in_progress".to_owned();
            prop_assert_eq!(column(&begun, TASKS, "status"), words.clone());
            prop_assert_eq!(at(&begun, &["skill_state", "develop", "current_task"]), quote(&task_id));

            let failure = fails.then(|| "why\n".to_owned());
            let end = LoopV2Operation::Develop(Developed { task_id, files_changed: files.clone(), failure, ..Developed::default() });
            let (status, completed, changed) = (task("status"), task("completed_at"), task("files_changed"));
            let mut ours = ROUND.to_vec();
            ours.extend(["skill_state.develop.completed", "skill_state.develop.current_task"]);
            ours.extend(["skill_state.develop.last_progress_at", "skill_state.errors", &status, &completed, &changed]);
            let ended = carry_out(&begun, &end, &ours, &["skill_state.completed_actions"]).expect("legal");
            finished(&begun, &ended, "DEVELOP");
            words[index] = if fails { "failed" } else { "completed" }.to_owned();
            prop_assert_eq!(column(&ended, TASKS, "status"), words.clone());
            let done = words.iter().filter(|word| *word == "completed").count();
            prop_assert_eq!(at(&ended, &["skill_state", "develop", "completed"]), done.to_string());
            prop_assert_eq!(items(&ended, "skill_state.errors").len(), usize::from(fails));
            let texts: Vec<String> = files.iter().map(|file| quote(file)).collect();
            prop_assert_eq!(items(&ended, &changed), texts);
        }
    }

    #[test]
    fn a_hypothesis_is_judged_and_another_is_new(draft in drafts(), text in any::<String>(), known in any::<bool>()) {
        let before = draft.v2("running", vec![]);
        let id = if known { "H1" } else { "H2" };
        let hypothesis = Hypothesis {
            id: id.to_owned(),
            description: text.clone(),
            status: "confirmed".to_owned(),
            ..Hypothesis::default()
        };
        let debugged = Debugged { hypotheses: vec![hypothesis], confirmed: Some(id.to_owned()), ..Debugged::default() };
        let mut ours = ROUND.to_vec();
        ours.extend(DEBUG);
        let fields = ["description", "testable_condition", "logging_point", "evidence_criteria", "likelihood", "status", "evidence", "verdict_reason"]
            .map(|key| format!("skill_state.debug.hypotheses[0].{key}"));
        if known {
            ours.extend(fields.iter().map(String::as_str));
        } else {
            ours.push("skill_state.debug.hypotheses[1]");
        }
        let after = carry_out(&before, &LoopV2Operation::Debug(debugged), &ours, &["skill_state.completed_actions"]).expect("legal");
        finished(&before, &after, "DEBUG");
        let list = &["skill_state", "debug", "hypotheses"];
        let column = |key: &str| column(&after, list, key);
        prop_assert_eq!(column("status").pop(), Some("confirmed".to_owned()));
        prop_assert_eq!(column("description").pop(), Some(text));
        prop_assert_eq!(column("id").len(), if known { 1 } else { 2 });
        prop_assert_eq!(at(&after, &["skill_state", "debug", "hypotheses_count"]), column("id").len().to_string());
        prop_assert_eq!(at(&after, &["skill_state", "debug", "confirmed_hypothesis"]), quote(id));
    }

    #[test]
    fn tests_run_and_the_loop_completes(draft in drafts(), name in any::<String>(), failed in 0..2_u32) {
        let before = draft.v2("running", vec![]);
        let status = if failed > 0 { "failed" } else { "passed" };
        let test = TestResult { name: name.clone(), status: status.to_owned(), ..TestResult::default() };
        let run = ValidationRun { passed: 1 - failed, failed, tests: vec![test], ..ValidationRun::default() };
        let mut ours = ROUND.to_vec();
        ours.extend(["skill_state.validate.pass_rate", "skill_state.validate.coverage", "skill_state.validate.passed"]);
        ours.extend(["skill_state.validate.failed_tests", "skill_state.validate.last_run_at", "skill_state.validate.test_results"]);
        let validate = LoopV2Operation::Validate { run, files: vec![] };
        let after = carry_out(&before, &validate, &ours, &["skill_state.completed_actions"]).expect("legal");
        finished(&before, &after, "VALIDATE");
        prop_assert_eq!(at(&after, &["skill_state", "validate", "passed"]), (failed == 0).to_string());
        let names: Vec<String> = (0..failed).map(|_| quote(&name)).collect();
        prop_assert_eq!(items(&after, "skill_state.validate.failed_tests"), names);
        prop_assert_eq!(items(&after, "skill_state.validate.test_results").len(), 1);

        let complete = LoopV2Operation::Complete { executive: name, recommendations: vec![], worked_ms: None };
        let mut ours: Vec<&str> = ROUND.into_iter().filter(|path| *path != "current_iteration").collect();
        ours.extend(["status", "completed_at", "skill_state.summary"]);
        let ended = carry_out(&after, &complete, &ours, &["skill_state.completed_actions"]).expect("legal");
        prop_assert_eq!(at(&ended, &["status"]), quote("completed"));
        prop_assert_eq!(at(&ended, &["completed_at"]), quote(TIME));
    }

    #[test]
    fn no_damage_makes_an_operation_panic(draft in drafts(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for operation in all() {
            let whole = draft.v2("running", vec![]);
            let mut bytes = whole.clone();
            bytes[cut.index(whole.len())] = byte;
            for bytes in [&bytes, &whole[..cut.index(whole.len())]] {
                if let Ok(outcome) = operate(bytes, &facts(V2), &operation, &situation(StatusWord::Running)) {
                    let after = loopdeck_text::text_edit::apply(bytes, &outcome.edits).expect("edits do not overlap");
                    assert_sound(V2, &after);
                }
            }
        }
    }
}

fn all() -> Vec<LoopV2Operation> {
    let develop = Developed { task_id: "t0".to_owned(), ..Developed::default() };
    vec![
        LoopV2Operation::Begin { beginning: Beginning::Develop { task_id: "t0".to_owned() } },
        LoopV2Operation::Begin { beginning: Beginning::Debug },
        LoopV2Operation::Develop(develop),
        LoopV2Operation::Debug(Debugged::default()),
        LoopV2Operation::Validate { run: ValidationRun::default(), files: vec![] },
        LoopV2Operation::Complete { executive: String::new(), recommendations: vec![], worked_ms: None },
    ]
}

#[test]
fn a_change_of_a_foreign_value_would_be_seen() {
    let draft = files::sample();
    let bytes = draft.v2("running", vec![]);
    let operation = LoopV2Operation::Begin { beginning: Beginning::Develop { task_id: "t0".to_owned() } };
    let narrow = ["updated_at", "skill_state.current_action"];
    let seen = std::panic::catch_unwind(|| carry_out(&bytes, &operation, &narrow, &[]));
    assert!(seen.is_err(), "the task's status changed outside of what was allowed");
}
