//! The menu of an interactive Loop v2: the offered choices, their effects, and whole runs by choices.

use super::runs_tests::Bench;
use super::tests::{FACTS, NOW, master, skill, word};
use super::*;
use crate::driver::{Conclusion, Ended, FailedTry, FailureClass, LoopV2Memory, Reply, TestsEnd};
use crate::refusal::RefusalCode;
use MenuChoice as C;
use loopdeck_text::text_edit;

/// The same skill state, driven by choices.
fn interactive(tasks: &[&str], last: &str, run: Option<(u32, u32)>) -> String {
    skill(tasks, last, run).replace("\"mode\":\"auto\"", "\"mode\":\"Interactive\"")
}

#[track_caller]
fn chosen(text: &str, choice: MenuChoice) -> String {
    let mut memory = Memory::default();
    memory.choose(choice);
    word(&next(text.as_bytes(), &FACTS, &memory))
}

#[test]
fn what_is_offered_is_what_is_possible() {
    let whole = "develop|debug|validate|complete|exit";
    let without_develop = "debug|validate|complete|exit";
    for (iteration, skill, expected) in [
        (0, "null".to_owned(), "init"),
        (1, interactive(&["pending"], "", None), whole),
        (1, interactive(&["in_progress"], "DEVELOP", None), whole),
        (1, interactive(&["completed", "failed"], "DEVELOP", None), whole),
        (1, interactive(&["completed"], "VALIDATE", Some((0, 2))), without_develop),
        (1, interactive(&["completed"], "VALIDATE", Some((2, 0))), without_develop),
        (1, interactive(&[], "", None), without_develop),
        (10, interactive(&["completed"], "VALIDATE", Some((2, 0))), "complete|exit"),
        (10, interactive(&["completed"], "VALIDATE", Some((1, 1))), "end Iterations"),
        (10, interactive(&["pending"], "DEVELOP", None), "end Iterations"),
    ] {
        let text = master("running", iteration, &skill);
        assert_eq!(word(&next(text.as_bytes(), &FACTS, &Memory::default())), expected, "{iteration} {skill}");
    }
    let paused = master("paused", 1, &interactive(&["pending"], "", None));
    assert_eq!(word(&next(paused.as_bytes(), &FACTS, &Memory::default())), "end Paused");
}

#[test]
fn each_choice_leads_to_its_action() {
    let open = master("running", 1, &interactive(&["completed", "pending"], "VALIDATE", Some((1, 1))));
    for (choice, expected) in [
        (C::Develop, "develop task-1"),
        (C::Debug, "debug 3"),
        (C::Validate, "tests"),
        (C::Complete, "complete"),
        (C::Exit, "Leave"),
    ] {
        assert_eq!(chosen(&open, choice), expected);
    }
    let done = master("running", 1, &interactive(&["completed"], "", None));
    assert_eq!(chosen(&done, C::Develop), "debug|validate|complete|exit", "it is not there to be chosen");
    assert_eq!(chosen(&open, C::Init), "develop|debug|validate|complete|exit");
}

#[test]
fn a_mode_that_is_changed_by_hand_counts_from_the_next_action_on() {
    let text = master("running", 1, &interactive(&["pending"], "", None));
    let auto = text.replace("\"Interactive\"", "\"auto\"");
    let mut memory = Memory::default();
    memory.choose(C::Debug);
    assert_eq!(word(&next(text.as_bytes(), &FACTS, &memory)), "debug 3");
    assert_eq!(word(&next(auto.as_bytes(), &FACTS, &memory)), "develop task-0");
}

#[test]
fn a_task_that_failed_too_often_is_asked_about_before_it_is_tried_again() {
    let text = master("running", 3, &interactive(&["failed"], "DEVELOP", None));
    let mut memory = Memory::default();
    memory.failures.insert("task-0".into(), FailedTry { tries: 2, why: "no compiler".into() });
    assert!(
        word(&next(text.as_bytes(), &FACTS, &memory)).starts_with("develop|"),
        "nobody is asked by itself"
    );
    memory.choose(C::Develop);
    let LoopV2Next::Ask(question) = next(text.as_bytes(), &FACTS, &memory) else { panic!("asks") };
    assert_eq!((question.code, question.about.as_str()), (QuestionCode::TaskFailed, "task-0"));
    memory.question = Some(question.clone());
    memory.reply(&Reply::TryAgain);
    assert_eq!(word(&next(text.as_bytes(), &FACTS, &memory)), "develop task-0");
    memory.failures.insert("task-0".into(), FailedTry { tries: 2, why: String::new() });
    memory.question = Some(question);
    memory.reply(&Reply::GoOn);
    assert_eq!(
        word(&next(text.as_bytes(), &FACTS, &memory)),
        "debug|validate|complete|exit",
        "left as it is"
    );
}

#[test]
fn debugging_is_chosen_as_often_as_a_person_likes() {
    let text = master("running", 3, &interactive(&["completed"], "DEBUG", Some((1, 1))));
    let mut memory =
        Memory { v2: LoopV2Memory { debug_rounds: 9, ..LoopV2Memory::default() }, ..Memory::default() };
    memory.choose(C::Debug);
    assert_eq!(word(&next(text.as_bytes(), &FACTS, &memory)), "debug 3");
}

/// A loop that further choices initialise.
fn begun() -> Bench {
    let mut bench = Bench::new();
    bench.memory.policy.mode = InitMode::Interactive;
    bench.agent(
        "init",
        r#"{"tasks":[{"id":"T1","description":"lexer","priority":1,"files":[]}],"needs":null}"#,
    );
    bench
}

#[test]
fn a_whole_run_by_choices() {
    let mut bench = begun();
    assert!(bench.text.contains("\"mode\": \"interactive\""), "{}", bench.text);
    assert_eq!(word(&bench.next()), "develop|debug|validate|complete|exit");
    bench.memory.choose(C::Develop);
    let done = r#"{"task_id":"T1","status":"completed","summary":"did","files_changed":[],"needs":null}"#;
    bench.agent("develop T1", done);
    assert_eq!(word(&bench.next()), "debug|validate|complete|exit", "the menu comes back");
    bench.memory.choose(C::Validate);
    bench.tests(1, &["lexes"]);
    assert_eq!(
        word(&bench.next()),
        "debug|validate|complete|exit",
        "failed tests decide nothing by themselves"
    );
    bench.memory.choose(C::Debug);
    bench.agent(
        "debug 1",
        r#"{"hypotheses":[],"understanding":"u","confirmed":null,"fixed":true,"files_changed":[],"needs":null}"#,
    );
    bench.memory.choose(C::Validate);
    bench.tests(2, &[]);
    bench.memory.choose(C::Complete);
    bench.complete();
}

#[test]
fn what_is_chosen_stands_until_it_is_done() {
    let mut bench = begun();
    bench.memory.choose(C::Develop);
    bench.agent("develop T1", "no JSON");
    assert_eq!(word(&bench.next()), "develop T1");
    let cut = Ended::Failed { class: FailureClass::Cancelled, message: "x" };
    bench.agent_that("develop T1", &cut, None);
    assert_eq!(word(&bench.next()), "develop T1", "after a pause at once it is done again");
    let asks = r#"{"task_id":"T1","status":"needs_input","summary":"?","files_changed":[],"needs":"Which?"}"#;
    let asked = bench.agent("develop T1", asks);
    assert!(matches!(asked, Conclusion::Ask(_)), "{asked:?}");
    bench.memory.reply(&Reply::Text { text: "The blue one".into() });
    assert_eq!(word(&bench.next()), "develop T1", "the answer is for the same action");
}

#[test]
fn how_a_loop_ends_is_chosen_again_after_a_new_start() {
    let kept = |choice| {
        let mut memory = Memory::default();
        memory.choose(choice);
        memory.start_again();
        memory.chosen
    };
    assert_eq!(MenuChoice::ALL.map(|choice| kept(choice).is_some()), [true, true, true, true, false, false]);
}

#[test]
fn without_a_test_command_validate_asks_and_the_answer_is_a_choice() {
    for (reply, expected) in [(Reply::TryAgain, "tests"), (Reply::GoOn, "complete")] {
        let mut bench = begun();
        bench.memory.choose(C::Validate);
        let LoopV2Next::Tests { begin } = bench.next() else { panic!("{}", word(&bench.next())) };
        bench.write(&begin);
        let ended = TestsEnd::CouldNotRun { why: "no command".into() };
        let asked = conclude_tests(ended, bench.text.as_bytes(), &FACTS, &mut bench.memory);
        assert!(
            matches!(&asked, Conclusion::Ask(it) if it.code == QuestionCode::TestsCannotRun),
            "{asked:?}"
        );
        bench.memory.reply(&reply);
        assert_eq!(word(&bench.next()), expected, "{reply:?}");
    }
}

fn carried_out(text: &str, operation: &LoopV2Operation, shown: StatusWord) -> Result<String, RefusalCode> {
    let situation = Situation { shown, now: NOW };
    let outcome = operate(text.as_bytes(), &FACTS, operation, &situation).map_err(|refusal| refusal.code)?;
    assert_eq!(outcome.files, [], "no file beside it");
    let bytes = text_edit::apply(text.as_bytes(), &outcome.edits).expect("disjoint");
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

#[test]
fn leaving_writes_the_status_and_its_time_and_nothing_else() {
    for iteration in [1, 10] {
        let text = master("running", iteration, &interactive(&["pending"], "", None));
        let left = carried_out(&text, &LoopV2Operation::Leave, StatusWord::Running).expect("legal");
        let expected = text.replace("\"running\"", "\"user_exit\"").replace(
            "\"updated_at\": \"2026-11-20T04:20:21.870Z\"",
            "\"updated_at\": \"2026-11-20T04:24:21.870Z\"",
        );
        assert_eq!(left, expected, "also at its limit");
        assert_eq!(word(&next(left.as_bytes(), &FACTS, &Memory::default())), "end Left");
    }
    for (status, shown, refused) in [
        ("running", StatusWord::RunningElsewhere, RefusalCode::ForeignOwner),
        ("paused", StatusWord::Paused, RefusalCode::NotRunning),
        ("completed", StatusWord::Completed, RefusalCode::Finished),
    ] {
        let text = master(status, 1, &interactive(&["pending"], "", None));
        assert_eq!(carried_out(&text, &LoopV2Operation::Leave, shown), Err(refused), "{status}");
    }
}

#[test]
fn a_pause_says_so_in_the_action_and_the_next_one_in_turn() {
    let skill = interactive(&["pending"], "", None)
        .replace("\"current_action\":null", "\"current_action\":\"debug\"");
    for (iteration, shown) in [(1, StatusWord::Paused), (10, StatusWord::Pausing)] {
        let text = master("paused", iteration, &skill);
        let left = carried_out(&text, &LoopV2Operation::PauseExit, shown).expect("legal");
        let expected = text.replace("\"current_action\":\"debug\"", "\"current_action\":\"paused\"").replace(
            "\"updated_at\": \"2026-11-20T04:20:21.870Z\"",
            "\"updated_at\": \"2026-11-20T04:24:21.870Z\"",
        );
        assert_eq!(left, expected);
        let resumed = left.replace("\"status\": \"paused\"", "\"status\": \"running\"");
        if iteration == 1 {
            let begins = LoopV2Operation::Begin { beginning: Beginning::Validate };
            let begun = carried_out(&resumed, &begins, StatusWord::Running).expect("legal");
            assert!(begun.contains("\"current_action\":\"validate\""), "{begun}");
        }
    }
    for (status, skill, shown, refused) in [
        ("running", skill.as_str(), StatusWord::Running, RefusalCode::NotPaused),
        ("paused", &skill, StatusWord::Running, RefusalCode::NotPaused),
        ("failed", &skill, StatusWord::Paused, RefusalCode::NotPaused),
        ("paused", "null", StatusWord::Paused, RefusalCode::NotInitialised),
    ] {
        let text = master(status, 1, skill);
        assert_eq!(carried_out(&text, &LoopV2Operation::PauseExit, shown), Err(refused), "{status}");
    }
}
