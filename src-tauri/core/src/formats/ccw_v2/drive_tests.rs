//! Every row of the order and every trap.

use super::*;
use crate::driver::{FailedTry, LoopV2Memory, Policy, Reply};
use crate::times::Timestamp;
use loopdeck_agents::answers::AnswerKind;

const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
pub(super) const FACTS: FileFacts<'static> = FileFacts { stem: STEM, modified: NOW, now: NOW };

/// A master with this status, a limit of ten rounds, and this skill state.
pub(super) fn master(status: &str, iteration: u32, skill: &str) -> String {
    format!(
        "{{\n  \"loop_id\": \"{STEM}\",\n  \"title\": \"Add a parser\",\n  \"description\": \"\",\n  \"max_iterations\": 10,\n  \"status\": \"{status}\",\n  \"current_iteration\": {iteration},\n  \"created_at\": \"2026-11-20T04:20:21.870Z\",\n  \"updated_at\": \"2026-11-20T04:20:21.870Z\",\n  \"skill_state\": {skill}\n}}\n"
    )
}

/// A skill state with tasks in these states, the last action, and a last run with `passed` and `failed`
/// tests.
pub(super) fn skill(tasks: &[&str], last: &str, run: Option<(u32, u32)>) -> String {
    let tasks: Vec<String> = tasks
        .iter()
        .enumerate()
        .map(|(at, status)| {
            format!(r#"{{"id":"task-{at}","description":"Do {at}","status":"{status}","files":["f{at}"]}}"#)
        })
        .collect();
    let runs = run.map_or(String::new(), |(passed, failed)| {
        let rows: Vec<String> = (0..failed)
            .map(|at| format!(r#"{{"test_name":"t{at}","suite":"s","status":"failed","error_message":"boom {at}"}}"#))
            .collect();
        format!(
            r#"{{"iteration":1,"summary":{{"total":{},"passed":{passed},"failed":{failed},"skipped":0}},"tests":[{}]}}"#,
            passed + failed,
            rows.join(",")
        )
    });
    let is_pass = run.is_some_and(|(passed, failed)| passed > 0 && failed == 0);
    format!(
        r#"{{"current_action":null,"last_action":"{last}","completed_actions":[],"mode":"auto","develop":{{"total":{0},"completed":0,"current_task":null,"tasks":[{1}],"last_progress_at":null}},"debug":{{"active_bug":null,"hypotheses_count":0,"hypotheses":[],"confirmed_hypothesis":null,"iteration":2,"last_analysis_at":null}},"validate":{{"pass_rate":0,"coverage":0,"test_results":[{runs}],"passed":{is_pass},"failed_tests":[],"last_run_at":null}},"errors":[]}}"#,
        tasks.len(),
        tasks.join(",")
    )
}

/// A step in one word: `init`, `develop task-0`, `debug 3`, `tests`, `complete`, `ask NoTests`, `end Paused`.
pub(super) fn word(next: &LoopV2Next) -> String {
    match next {
        LoopV2Next::Agent { task, .. } => match &task.action {
            Action::Develop { task_id } => format!("develop {task_id}"),
            Action::Debug { round } => format!("debug {round}"),
            action => action.word().to_owned(),
        },
        LoopV2Next::Tests { .. } => "tests".to_owned(),
        LoopV2Next::Write(LoopV2Operation::Complete { .. }) => "complete".to_owned(),
        LoopV2Next::Write(other) => format!("{other:?}"),
        LoopV2Next::Menu(choices) => choices.iter().map(|choice| choice.word()).collect::<Vec<_>>().join("|"),
        LoopV2Next::Ask(question) => format!("ask {:?}", question.code),
        LoopV2Next::End(EndReason::Limit { limit }) => format!("end {limit:?}"),
        LoopV2Next::End(EndReason::Refused { refusal }) => format!("end {:?}", refusal.code),
        LoopV2Next::End(EndReason::Stalled { question }) => format!("stalled {:?}", question.code),
        LoopV2Next::End(end) => format!("end {end:?}"),
        other => panic!("not of a Loop v2: {other:?}"),
    }
}

#[track_caller]
fn step(text: &str, memory: &Memory) -> String {
    word(&next(text.as_bytes(), &FACTS, memory))
}

#[test]
fn the_order() {
    let fresh = Memory::default();
    for (iteration, skill, expected) in [
        (0, "null".to_owned(), "init"),
        (10, "null".to_owned(), "end Iterations"),
        (0, skill(&["pending", "pending"], "", None), "develop task-0"),
        (1, skill(&["completed", "pending"], "DEVELOP", None), "develop task-1"),
        // T1: an empty current_action does not mean a new loop; T4: started work goes first, a failed task is
        // retried.
        (1, skill(&["pending", "in_progress"], "DEVELOP", None), "develop task-1"),
        (1, skill(&["pending", "failed"], "DEVELOP", None), "develop task-1"),
        // T2: nothing pending leads to the tests.
        (2, skill(&["completed", "completed"], "DEVELOP", None), "tests"),
        (2, skill(&["completed"], "action-develop-with-file", None), "tests"),
        (2, skill(&["completed"], "", None), "tests"),
        (3, skill(&["completed"], "VALIDATE", Some((2, 0))), "complete"),
        (3, skill(&["completed"], "action-validate-with-file", Some((2, 0))), "complete"),
        (3, skill(&["completed"], "VALIDATE", Some((1, 1))), "debug 3"),
        (3, skill(&["completed"], "VALIDATE", Some((0, 0))), "ask NoTests"),
        (3, skill(&["completed"], "VALIDATE", None), "ask NoTests"),
        // Work after a passed run has to be tested again.
        (4, skill(&["completed"], "DEVELOP", Some((2, 0))), "tests"),
        (4, skill(&["completed"], "COMPLETE", Some((2, 0))), "tests"),
        (4, skill(&["completed", "pending"], "VALIDATE", Some((2, 0))), "develop task-1"),
        (4, skill(&["completed"], "DEBUG", Some((1, 1))), "debug 3"),
        (4, skill(&[], "", None), "ask NoTasks"),
        // T3: a finished loop at its limit is completed, any other one ends.
        (10, skill(&["completed"], "VALIDATE", Some((2, 0))), "complete"),
        (10, skill(&["completed"], "VALIDATE", Some((1, 1))), "end Iterations"),
        (10, skill(&["completed", "failed"], "VALIDATE", Some((2, 0))), "end Iterations"),
        (10, skill(&["completed"], "DEVELOP", Some((2, 0))), "end Iterations"),
        (11, skill(&["pending"], "", None), "end Iterations"),
        // The word alone proves nothing: there is no run.
        (
            3,
            skill(&["completed"], "VALIDATE", None).replace("\"passed\":false", "\"passed\":true"),
            "ask NoTests",
        ),
    ] {
        assert_eq!(step(&master("running", iteration, &skill), &fresh), expected, "{iteration} {skill}");
    }
}

#[test]
fn control_signals_come_first() {
    let memory = Memory::default();
    for (status, expected) in [
        ("paused", "end Paused"),
        ("failed", "end Failed"),
        ("completed", "end Completed"),
        ("user_exit", "end Left"),
        ("created", "end NotStarted"),
        ("odd", "end Damaged"),
    ] {
        assert_eq!(step(&master(status, 0, "null"), &memory), expected);
    }
    let stopped = master("failed", 0, "null")
        .replace("\"title\"", "\"failure_reason\": \"Manually stopped by user\",\n  \"title\"");
    assert_eq!(step(&stopped, &memory), "end Stopped");
    assert_eq!(step("{", &memory), "end Damaged");
    assert_eq!(step("{\"mode\":\"auto\",\"skill_state\":{\"phase\":\"init\"}}", &memory), "end Damaged");
    let other = FileFacts { stem: "prep-package", ..FACTS };
    assert_eq!(word(&next(b"{}", &other, &memory)), "end NotOurs");
    let used_up = Memory { used_up: Some(UsedUp::Money), ..Memory::default() };
    assert_eq!(step(&master("running", 0, "null"), &used_up), "end Money");
    let odd =
        skill(&["pending"], "", None).replace(r#""develop":{"total""#, r#""develop":{"tasks":"x","total""#);
    assert_eq!(
        step(&master("running", 0, &odd), &memory),
        "end NotEditable",
        "a key twice: nothing is offered that cannot be written"
    );
}

#[test]
fn a_confirmed_cause_does_not_validate_for_ever() {
    // T5, and what the memory adds: a round without a fix is followed by another one.
    let confirmed = skill(&["completed"], "DEBUG", Some((1, 1)))
        .replace(r#""hypotheses":[]"#, r#""hypotheses":[{"id":"H1","description":"x","status":"confirmed"}]"#)
        .replace(r#""confirmed_hypothesis":null"#, r#""confirmed_hypothesis":"H1""#);
    let debugged = master("running", 3, &confirmed);
    let fixed = |fixed| Memory { v2: LoopV2Memory { fixed, ..LoopV2Memory::default() }, ..Memory::default() };
    assert_eq!(step(&debugged, &fixed(None)), "tests");
    assert_eq!(step(&debugged, &fixed(Some(true))), "tests");
    assert_eq!(step(&debugged, &fixed(Some(false))), "debug 3");
    let failed = debugged.replace("DEBUG", "VALIDATE");
    assert_eq!(step(&failed, &fixed(None)), "debug 3");
    let v2 = LoopV2Memory { fixed: Some(false), debug_rounds: 3, ..LoopV2Memory::default() };
    let rounds = Memory { v2, ..Memory::default() };
    assert_eq!(step(&debugged, &rounds), "ask DebugInconclusive");
    let alone = Memory { policy: Policy { ask: false, ..Policy::default() }, ..rounds };
    assert_eq!(step(&debugged, &alone), "stalled DebugInconclusive");
}

#[test]
fn tasks_that_wait_for_others_come_later() {
    let tasks = skill(&["pending", "pending", "completed"], "", None)
        .replace(r#"{"id":"task-0","#, r#"{"_depends_on":["task-1"],"id":"task-0","#)
        .replace(r#"{"id":"task-1","#, r#"{"_depends_on":["task-2","gone"],"id":"task-1","#);
    assert_eq!(step(&master("running", 1, &tasks), &Memory::default()), "develop task-1");
    let circle = tasks.replace("task-2\",\"gone", "task-0");
    assert_eq!(
        step(&master("running", 1, &circle), &Memory::default()),
        "develop task-0",
        "a circle does not stop it"
    );
}

#[test]
fn a_failed_task_is_reported_and_left_only_by_a_person() {
    let text = master("running", 2, &skill(&["failed", "pending"], "DEVELOP", None));
    let mut memory = Memory::default();
    memory.failures.insert("task-0".into(), FailedTry { tries: 2, why: "no compiler".into() });
    let LoopV2Next::Ask(question) = next(text.as_bytes(), &FACTS, &memory) else { panic!("asks") };
    assert_eq!(
        (question.about.as_str(), question.text.as_str(), question.count),
        ("task-0", "no compiler", 2)
    );
    let replied = |reply: &Reply| {
        let mut memory = Memory { question: Some(question.clone()), ..memory.clone() };
        memory.reply(reply);
        memory
    };
    assert_eq!(step(&text, &replied(&Reply::TryAgain)), "develop task-0");
    let told = replied(&Reply::Text { text: "use clang".into() });
    let LoopV2Next::Agent { task, .. } = next(text.as_bytes(), &FACTS, &told) else { panic!("works") };
    assert!(
        task.prompt.contains("use clang")
            && task.prompt.contains("no compiler")
            && task.prompt.contains("Do 0")
    );
    let left = replied(&Reply::GoOn);
    assert_eq!(step(&text, &left), "develop task-1");
    let at_limit = master("running", 10, &skill(&["failed", "completed"], "VALIDATE", Some((1, 0))));
    assert_eq!(step(&at_limit, &memory), "end Iterations", "nobody left it as it is");
    assert_eq!(step(&at_limit, &left), "complete");
    let done = master("running", 4, &skill(&["failed", "completed"], "VALIDATE", Some((1, 0))));
    let LoopV2Next::Write(LoopV2Operation::Complete { executive, recommendations, .. }) =
        next(done.as_bytes(), &FACTS, &left)
    else {
        panic!("completes")
    };
    assert_eq!(executive, "1 of 2 tasks completed. 1 of 1 test passed in the last run.");
    assert_eq!(recommendations, ["Finish the task task-0: Do 0"]);
}

#[test]
fn the_same_failures_again_and_again_are_asked_about() {
    let one = skill(&["completed"], "VALIDATE", Some((1, 2)));
    let run = &one[one.find(r#"{"iteration""#).expect("run")..one.find(r#"],"passed":false"#).expect("end")];
    let three = one.replace(run, &[run, run, run].join(","));
    let text = master("running", 5, &three);
    let LoopV2Next::Ask(question) = next(text.as_bytes(), &FACTS, &Memory::default()) else { panic!("asks") };
    assert_eq!(
        (question.code, question.text.as_str(), question.count),
        (QuestionCode::TestsKeepFailing, "t0\nt1", 3)
    );
    let mut memory = Memory { question: Some(question), ..Memory::default() };
    memory.reply(&Reply::Text { text: "look at the clock".into() });
    assert_eq!(step(&text, &memory), "debug 3");
    let changed = three.replacen("\"t1\"", "\"other\"", 1);
    assert_eq!(step(&master("running", 5, &changed), &Memory::default()), "debug 3");
}

#[test]
fn the_kinds_of_answers_fit_the_actions() {
    for (text, kind) in [
        (master("running", 0, "null"), AnswerKind::Init),
        (master("running", 0, &skill(&["pending"], "", None)), AnswerKind::Develop),
        (master("running", 0, &skill(&["completed"], "VALIDATE", Some((0, 1)))), AnswerKind::Debug),
    ] {
        assert!(
            matches!(next(text.as_bytes(), &FACTS, &Memory::default()), LoopV2Next::Agent { task, .. } if task.answer == Some(kind))
        );
    }
}
