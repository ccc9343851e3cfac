//! Every row of the order, every trap, whole runs from the first word to the summary, and runs of any answers.

use super::*;
use crate::answer::AnswerKind;
use crate::ccw::driver::{Conclusion, Ended, FailedTry, FailureClass, Policy, Reply, TestsEnd};
use crate::ccw::progress_docs::records::{TestResult, ValidationRun};
use crate::json_span::json::Json;
use crate::text_edit;
use proptest::prelude::*;

const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
const NOW: i64 = 1_795_148_661_870;
const FACTS: FileFacts<'static> = FileFacts { stem: STEM, modified: NOW, now: NOW };

/// A master with this status, rounds of ten, and skill state.
fn master(status: &str, iteration: u32, skill: &str) -> String {
    format!(
        "{{\n  \"loop_id\": \"{STEM}\",\n  \"title\": \"Add a parser\",\n  \"description\": \"\",\n  \"max_iterations\": 10,\n  \"status\": \"{status}\",\n  \"current_iteration\": {iteration},\n  \"created_at\": \"2026-11-20T04:20:21.870Z\",\n  \"updated_at\": \"2026-11-20T04:20:21.870Z\",\n  \"skill_state\": {skill}\n}}\n"
    )
}

/// A skill state with tasks in these states, the last action, and a last run of `passed` and `failed` tests.
fn skill(tasks: &[&str], last: &str, run: Option<(u32, u32)>) -> String {
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
fn word(next: &Next) -> String {
    match next {
        Next::Agent(task) => match &task.action {
            Action::Develop { task_id } => format!("develop {task_id}"),
            Action::Debug { round } => format!("debug {round}"),
            action => action.word().to_owned(),
        },
        Next::Tests { .. } => "tests".to_owned(),
        Next::Write(Operation::Complete { .. }) => "complete".to_owned(),
        Next::Write(other) => format!("{other:?}"),
        Next::Ask(question) => format!("ask {:?}", question.code),
        Next::End(EndReason::Limit { limit }) => format!("end {limit:?}"),
        Next::End(EndReason::Refused { refusal }) => format!("end {:?}", refusal.code),
        Next::End(EndReason::Stalled { question }) => format!("stalled {:?}", question.code),
        Next::End(end) => format!("end {end:?}"),
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
        // T1: an empty current_action is no new loop; T4: what was begun goes first, a failed task is tried again.
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
        // Work after a run that passed has to be tested again.
        (4, skill(&["completed"], "DEVELOP", Some((2, 0))), "tests"),
        (4, skill(&["completed"], "COMPLETE", Some((2, 0))), "tests"),
        (4, skill(&["completed", "pending"], "VALIDATE", Some((2, 0))), "develop task-1"),
        (4, skill(&["completed"], "DEBUG", Some((1, 1))), "debug 3"),
        (4, skill(&[], "", None), "ask NoTasks"),
        // T3: at its limit a loop that is done is completed, any other one ends.
        (10, skill(&["completed"], "VALIDATE", Some((2, 0))), "complete"),
        (10, skill(&["completed"], "VALIDATE", Some((1, 1))), "end Iterations"),
        (10, skill(&["completed", "failed"], "VALIDATE", Some((2, 0))), "end Iterations"),
        (10, skill(&["completed"], "DEVELOP", Some((2, 0))), "end Iterations"),
        (11, skill(&["pending"], "", None), "end Iterations"),
        // The word alone is no proof: there is no run.
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
    // T5, and what memory adds: a round without a fix is followed by another one.
    let confirmed = skill(&["completed"], "DEBUG", Some((1, 1)))
        .replace(r#""hypotheses":[]"#, r#""hypotheses":[{"id":"H1","description":"x","status":"confirmed"}]"#)
        .replace(r#""confirmed_hypothesis":null"#, r#""confirmed_hypothesis":"H1""#);
    let debugged = master("running", 3, &confirmed);
    let fixed = |fixed| Memory { fixed, ..Memory::default() };
    assert_eq!(step(&debugged, &fixed(None)), "tests");
    assert_eq!(step(&debugged, &fixed(Some(true))), "tests");
    assert_eq!(step(&debugged, &fixed(Some(false))), "debug 3");
    let failed = debugged.replace("DEBUG", "VALIDATE");
    assert_eq!(step(&failed, &fixed(None)), "debug 3");
    let rounds = Memory { debug_rounds: 3, ..fixed(Some(false)) };
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
    let Next::Ask(question) = next(text.as_bytes(), &FACTS, &memory) else { panic!("asks") };
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
    let Next::Agent(task) = next(text.as_bytes(), &FACTS, &told) else { panic!("works") };
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
    let Next::Write(Operation::Complete { executive, recommendations }) =
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
    let Next::Ask(question) = next(text.as_bytes(), &FACTS, &Memory::default()) else { panic!("asks") };
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

/// A loop under way.
struct Bench {
    text: String,
    memory: Memory,
}

impl Bench {
    fn new() -> Self {
        let text = master("running", 0, "null")
            .replace("\n  \"skill_state\": null", "")
            .replace("Z\",\n}", "Z\"\n}");
        Self { text, memory: Memory::default() }
    }

    fn next(&self) -> Next {
        next(self.text.as_bytes(), &FACTS, &self.memory)
    }

    /// Carries an operation out, as the runtime does.
    #[track_caller]
    fn write(&mut self, operation: &Operation) {
        let paused = self.text.contains("\"status\": \"paused\"");
        let shown = if paused { StatusWord::Pausing } else { StatusWord::Running };
        let outcome = operate(self.text.as_bytes(), &FACTS, operation, &Situation { shown, now: NOW });
        let outcome = outcome.unwrap_or_else(|refusal| panic!("{refusal:?} of {operation:?}\n{}", self.text));
        let bytes = text_edit::apply(self.text.as_bytes(), &outcome.edits).expect("disjoint");
        self.text = String::from_utf8(bytes).expect("UTF-8");
        let situation = Situation { shown: StatusWord::Running, now: NOW };
        let detail = super::super::detail(self.text.as_bytes(), &FACTS, &situation, &[]);
        let errors: Vec<_> =
            detail.problems.iter().filter(|p| p.severity == crate::problem::Severity::Error).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }

    fn apply(&mut self, concluded: &Conclusion<Operation>) {
        if let Conclusion::Write(operations) = concluded {
            operations.iter().for_each(|operation| self.write(operation));
        }
    }

    /// The agent that is next gives this answer.
    #[track_caller]
    fn agent(&mut self, expected: &str, answer: &str) -> Conclusion<Operation> {
        self.agent_that(expected, &Ended::Answered { text: answer, structured: None, plain: false }, None)
    }

    #[track_caller]
    fn agent_that(
        &mut self,
        expected: &str,
        ended: &Ended<'_>,
        seen: Option<&[String]>,
    ) -> Conclusion<Operation> {
        let next = self.next();
        assert_eq!(word(&next), expected);
        let Next::Agent(task) = next else { panic!("an agent") };
        if let Some(begin) = &task.begin {
            self.write(begin);
        }
        let concluded = conclude(&task, ended, seen, self.text.as_bytes(), &FACTS, &mut self.memory);
        self.apply(&concluded);
        concluded
    }

    #[track_caller]
    fn tests(&mut self, passed: u32, failed: &[&str]) -> Conclusion<Operation> {
        let next = self.next();
        let Next::Tests { begin } = next else { panic!("{}", word(&next)) };
        self.write(&begin);
        let ended = TestsEnd::Ran { run: run(passed, failed), files: vec![] };
        let concluded = conclude_tests(ended, self.text.as_bytes(), &FACTS, &mut self.memory);
        self.apply(&concluded);
        concluded
    }

    #[track_caller]
    fn complete(&mut self) {
        let Next::Write(operation) = self.next() else { panic!("{}", word(&self.next())) };
        self.write(&operation);
        assert_eq!(word(&self.next()), "end Completed");
    }
}

fn run(passed: u32, failed: &[&str]) -> ValidationRun {
    let row = |name: &&str| TestResult {
        name: (*name).to_owned(),
        status: "failed".into(),
        error_message: Some("expected 2, got 3".into()),
        ..TestResult::default()
    };
    let failed_count = u32::try_from(failed.len()).expect("few");
    ValidationRun {
        passed,
        failed: failed_count,
        tests: failed.iter().map(row).collect(),
        ..ValidationRun::default()
    }
}

fn skill_of<'t>(root: &'t Node<'_>, section: &str, key: &str) -> &'t Node<'t> {
    root.get("skill_state").get(section).get(key)
}

#[test]
fn a_whole_run_with_a_bug() {
    let mut bench = Bench::new();
    bench.agent("init", r#"Plan: ```json
{"tasks":[{"id":"T1","description":"lexer","priority":1,"files":["lex.rs"]},{"id":"T2","description":"parser","priority":2,"files":[]}],"needs":null}
```"#);
    let seen = vec!["src/lex.rs".to_owned(), ".workflow/.loop/x.json".to_owned()];
    let done = |id: &str| {
        format!(
            r#"{{"task_id":"{id}","status":"completed","summary":"did {id}","files_changed":["claimed.rs"],"needs":null}}"#
        )
    };
    let text = done("T1");
    bench.agent_that(
        "develop T1",
        &Ended::Answered { text: "", structured: Some(&text), plain: false },
        Some(&seen),
    );
    assert!(
        bench.text.contains("src/lex.rs")
            && !bench.text.contains("claimed.rs")
            && !bench.text.contains("x.json")
    );
    bench.agent("develop T2", &done("T2"));
    assert!(bench.text.contains("claimed.rs"), "nobody could tell, so the claim counts");
    bench.tests(1, &["parses a list"]);
    let Next::Agent(task) = bench.next() else { panic!("debugs") };
    for part in ["parses a list", "expected 2, got 3", "did T1", "Round 1"] {
        assert!(task.prompt.contains(part), "{part}");
    }
    bench.agent("debug 1", r#"{"hypotheses":[{"id":"H1","description":"off by one","likelihood":1,"status":"pending"},{"id":"H2","description":"cache","likelihood":2,"status":"rejected","verdict_reason":"empty"}],"understanding":"looking","confirmed":null,"fixed":false,"files_changed":[],"needs":null}"#);
    let Next::Agent(task) = bench.next() else { panic!("debugs") };
    assert!(task.prompt.contains("H1 [pending] off by one") && task.prompt.contains("H2 [rejected]"));
    bench.agent("debug 2", r#"{"hypotheses":[{"id":"H1","status":"confirmed","evidence":"i=3","verdict_reason":"seen"}],"understanding":"the loop ends late","confirmed":"H1","fixed":true,"files_changed":["lex.rs"],"needs":null}"#);
    bench.tests(2, &[]);
    bench.complete();
    let text = bench.text.clone();
    let root = Node::parse(text.as_bytes()).expect("JSON");
    let actions = Json::of(root.get("skill_state").get("completed_actions")).compact();
    assert_eq!(actions, r#"["DEVELOP","DEVELOP","VALIDATE","DEBUG","DEBUG","VALIDATE","COMPLETE"]"#);
    assert_eq!(skill_of(&root, "debug", "confirmed_hypothesis").text(), Some("H1"));
    assert_eq!(skill_of(&root, "debug", "active_bug").text(), Some("parses a list"));
    let first = &skill_of(&root, "debug", "hypotheses").items()[0];
    assert_eq!(
        (first.get("description").text(), first.get("status").text()),
        (Some("off by one"), Some("confirmed"))
    );
    assert_eq!(skill_of(&root, "develop", "tasks").items()[0].get("tool").text(), Some("claude"));
    let problems = super::super::detail(
        text.as_bytes(),
        &FACTS,
        &Situation { shown: StatusWord::Completed, now: NOW },
        &[],
    )
    .problems;
    let warnings: Vec<_> =
        problems.iter().filter(|p| p.severity >= crate::problem::Severity::Warning).collect();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_whole_run_of_a_shell_command() {
    let mut bench = Bench::new();
    let plain = |text| Ended::Answered { text, structured: None, plain: true };
    bench.agent_that("init", &plain("ok\n"), None);
    let next = bench.next();
    let Next::Agent(task) = &next else { panic!("develops") };
    let variables = crate::prompt::environment(task);
    assert!(variables.contains(&("LOOPDECK_TASK".to_owned(), "Add a parser".to_owned())));
    bench.agent_that("develop task-001", &plain("built\nall good\n"), None);
    bench.tests(0, &["a", "b"]);
    bench.agent_that("debug 1", &plain("no idea"), Some(&[]));
    let changed = vec!["src/x.rs".to_owned()];
    let Next::Agent(task) = bench.next() else { panic!("debugs") };
    assert!(
        crate::prompt::environment(&task).contains(&("LOOPDECK_FAILED_TESTS".to_owned(), "a\nb".to_owned()))
    );
    bench.agent_that("debug 2", &plain("patched"), Some(&changed));
    bench.tests(2, &[]);
    bench.complete();
    let root = Node::parse(bench.text.as_bytes()).expect("JSON");
    let hypotheses = skill_of(&root, "debug", "hypotheses").items();
    assert_eq!((hypotheses.len(), hypotheses[0].get("status").text()), (1, Some("inconclusive")));
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_again_and_then_a_person() {
    let mut bench = Bench::new();
    for _ in 0..2 {
        let Conclusion::Retry { prompt } = bench.agent("init", "I planned it.") else { panic!("again") };
        assert!(prompt.contains("there is no JSON object in the answer") && prompt.contains("Add a parser"));
    }
    let Conclusion::Ask(question) = bench.agent("init", r#"{"tasks":[{"id":"a b","description":"x"}]}"#)
    else {
        panic!("asks")
    };
    assert_eq!((question.code, question.about.as_str()), (QuestionCode::AnswerUnreadable, "init"));
    assert!(question.text.contains("tasks[0].id"), "{}", question.text);
    assert_eq!(word(&bench.next()), "ask AnswerUnreadable");
    bench.memory.reply(&Reply::TryAgain);
    bench.agent("init", r#"{"tasks":["x"]}"#);
    let wrong = bench.agent("develop task-001", r#"{"task_id":"task-9","status":"completed","summary":"s"}"#);
    assert!(matches!(wrong, Conclusion::Retry { prompt } if prompt.contains("task-9")));
    bench.agent("develop task-001", r#"{"status":"completed","summary":"s"}"#);
    bench.tests(0, &["t"]);
    let unknown = bench.agent("debug 1", r#"{"hypotheses":[],"understanding":"x","confirmed":"H9"}"#);
    assert!(matches!(unknown, Conclusion::Retry { prompt } if prompt.contains("H9")));
    let blank = bench.agent("debug 1", r#"{"hypotheses":[{"id":"H1"}],"understanding":"x"}"#);
    assert!(matches!(blank, Conclusion::Retry { prompt } if prompt.contains("hypotheses[0].description")));
}

#[test]
fn an_agent_can_ask() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    let asked =
        bench.agent("develop task-001", r#"{"status":"needs_input","summary":"","needs":"Which database?"}"#);
    assert!(matches!(asked, Conclusion::Ask(question) if question.text == "Which database?"));
    bench.memory.reply(&Reply::Text { text: "SQLite".into() });
    let Next::Agent(task) = bench.next() else { panic!("goes on") };
    assert!(task.prompt.contains("SQLite") && task.prompt.contains("Which database?"));
    assert!(task.prompt.contains("was cut off"), "the task was begun");
    bench.agent("develop task-001", r#"{"status":"completed","summary":"s"}"#);
}

#[test]
fn failures_of_the_service_are_nobodys_fault() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    for (class, kept) in
        [(FailureClass::Unavailable, true), (FailureClass::Cancelled, true), (FailureClass::Work, false)]
    {
        let before = bench.text.clone();
        let concluded =
            bench.agent_that("develop task-001", &Ended::Failed { class, message: "out of quota" }, None);
        assert_eq!(matches!(concluded, Conclusion::End(_)), kept, "{class:?}");
        assert_eq!(bench.text.contains("\"failed\""), !kept);
        assert_eq!(bench.memory.interrupted, kept);
        assert!(before != bench.text || kept);
    }
    // The second try; then a person.
    let Next::Agent(task) = bench.next() else { panic!("again") };
    assert!(task.prompt.contains("out of quota"));
    bench.agent_that(
        "develop task-001",
        &Ended::Failed { class: FailureClass::Work, message: "crashed" },
        None,
    );
    assert_eq!(word(&bench.next()), "ask TaskFailed");
    let root = Node::parse(bench.text.as_bytes()).expect("JSON");
    assert_eq!(root.get("skill_state").get("errors").items().len(), 2);
    let mut bench = Bench::new();
    let crash = Ended::Failed { class: FailureClass::Work, message: "segfault" };
    for _ in 0..2 {
        let concluded = bench.agent_that("init", &crash, None);
        assert!(matches!(concluded, Conclusion::Retry { prompt } if prompt.contains("segfault")));
    }
    let concluded = bench.agent_that("init", &crash, None);
    assert!(matches!(concluded, Conclusion::Ask(question) if question.code == QuestionCode::AgentFails));
}

#[test]
fn a_pause_during_an_action_keeps_its_result() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    let Next::Agent(task) = bench.next() else { panic!("develops") };
    bench.write(task.begin.as_ref().expect("begins"));
    bench.text = bench.text.replace("\"running\"", "\"paused\"");
    let ended =
        Ended::Answered { text: r#"{"status":"completed","summary":"s"}"#, structured: None, plain: false };
    let concluded = conclude(&task, &ended, None, bench.text.as_bytes(), &FACTS, &mut bench.memory);
    bench.apply(&concluded);
    let root = Node::parse(bench.text.as_bytes()).expect("JSON");
    let done = skill_of(&root, "develop", "tasks").items()[0].get("status").text();
    assert_eq!((root.get("status").text(), done), (Some("paused"), Some("completed")));
    assert_eq!(word(&bench.next()), "end Paused");
    bench.text = bench.text.replace("\"paused\"", "\"completed\"");
    let late = conclude(&task, &ended, None, bench.text.as_bytes(), &FACTS, &mut bench.memory);
    assert_eq!(late, Conclusion::End(EndReason::Completed));
}

#[test]
fn a_loop_without_tests_is_a_persons_decision() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    bench.agent("develop task-001", r#"{"status":"completed","summary":"s"}"#);
    let why = TestsEnd::CouldNotRun { why: "no such command: mak".into() };
    let concluded = conclude_tests(why, bench.text.as_bytes(), &FACTS, &mut bench.memory);
    assert!(matches!(concluded, Conclusion::Ask(question) if question.code == QuestionCode::TestsCannotRun));
    bench.memory.reply(&Reply::TryAgain);
    bench.tests(0, &[]);
    assert_eq!(word(&bench.next()), "ask NoTests");
    let Next::Ask(question) = bench.next() else { panic!("asks") };
    bench.memory.question = Some(question.clone());
    bench.memory.reply(&Reply::TryAgain);
    bench.tests(0, &[]);
    bench.memory.question = Some(question);
    bench.memory.reply(&Reply::GoOn);
    let Next::Write(Operation::Complete { recommendations, .. }) = bench.next() else { panic!("completes") };
    assert!(recommendations[0].starts_with("Test the result"));
}

#[test]
fn rounds_without_a_fix_are_counted_until_a_person_says_more() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    bench.agent("develop task-001", r#"{"status":"completed","summary":"s"}"#);
    bench.tests(0, &["t"]);
    for round in 1..=3 {
        bench.agent(
            &format!("debug {round}"),
            r#"{"hypotheses":[],"understanding":"nothing yet","fixed":false}"#,
        );
    }
    let Next::Ask(question) = bench.next() else { panic!("asks") };
    assert_eq!(
        (question.code, question.text.as_str(), question.count),
        (QuestionCode::DebugInconclusive, "nothing yet", 3)
    );
    bench.memory.question = Some(question);
    // A memory is kept between runs, and one of an older version is read.
    let kept = serde_json::to_string(&bench.memory).expect("JSON");
    bench.memory = serde_json::from_str(&kept).expect("a memory");
    assert_eq!(serde_json::from_str::<Memory>("{}").expect("a memory"), Memory::default());
    bench.memory.reply(&Reply::Text { text: "look at the clock".into() });
    assert_eq!(word(&bench.next()), "debug 4");
    bench.agent("debug 4", r#"{"hypotheses":[],"understanding":"the clock","fixed":true}"#);
    bench.tests(1, &[]);
    bench.complete();
}

#[test]
fn what_was_known_of_the_tests_is_old_after_work_and_after_tests() {
    let mut bench = Bench::new();
    bench.agent("init", r#"{"tasks":["x"]}"#);
    (bench.memory.fixed, bench.memory.debug_rounds) = (Some(true), 2);
    bench.agent("develop task-001", r#"{"status":"failed","summary":"no compiler"}"#);
    assert_eq!((bench.memory.fixed, bench.memory.debug_rounds), (None, 0));
    assert_eq!(bench.memory.failures["task-001"].tries, 1);
    bench.agent("develop task-001", r#"{"status":"completed","summary":"s"}"#);
    assert!(bench.memory.failures.is_empty(), "it is done");
    bench.tests(0, &["t"]);
    bench.agent("debug 1", r#"{"hypotheses":[],"understanding":"nothing yet","fixed":false}"#);
    bench.agent("debug 2", r#"{"hypotheses":[],"understanding":"a clock","fixed":true}"#);
    assert_eq!((bench.memory.fixed, bench.memory.debug_rounds), (Some(true), 2));
    bench.tests(1, &["u"]);
    assert_eq!((bench.memory.fixed, bench.memory.debug_rounds), (None, 0));
}

/// Answers of every kind and some that are none.
fn answer() -> impl Strategy<Value = String> {
    let status = prop_oneof!["completed", "failed", "needs_input", "odd"];
    let id = prop_oneof!["task-001", "T1", "H1", "H2", "H 3"];
    let verdict = prop_oneof!["pending", "confirmed", "rejected", "inconclusive"];
    prop_oneof![
        "\\PC{0,40}",
        Just(r#"{"tasks":["a","b"]}"#.to_owned()),
        (status, id.clone()).prop_map(|(status, id)| format!(r#"{{"task_id":"{id}","status":"{status}","summary":"s","needs":"q?"}}"#)),
        prop_oneof!["completed", "failed"].prop_map(|status| format!(r#"{{"status":"{status}","summary":"s"}}"#)),
        (id.clone(), verdict, id, any::<bool>()).prop_map(|(id, verdict, confirmed, fixed)| format!(
            r#"{{"hypotheses":[{{"id":"{id}","description":"d","status":"{verdict}"}}],"understanding":"u","confirmed":"{confirmed}","fixed":{fixed}}}"#
        )),
        (prop_oneof!["H1", "H2"], any::<bool>()).prop_map(|(id, fixed)| format!(
            r#"{{"hypotheses":[{{"id":"{id}","description":"d","status":"confirmed"}}],"understanding":"u","fixed":{fixed}}}"#
        )),
    ]
}

/// What happens to a step: an answer, how the agent ends, how the tests end, what a person replies.
type Event = (String, u8, (u32, u32), u8);

fn event() -> impl Strategy<Value = Event> {
    (answer(), 0u8..12, (0u32..3, 0u32..3), 0u8..4)
}

fn reply(which: u8) -> Reply {
    match which {
        0 => Reply::TryAgain,
        1 => Reply::Text { text: "x".into() },
        _ => Reply::GoOn,
    }
}

/// One step of a run; whether it goes on.
fn play(bench: &mut Bench, (answer, ending, (passed, failed), replied): &Event) -> bool {
    match bench.next() {
        Next::End(_) => return false,
        Next::Ask(question) => {
            bench.memory.question = Some(question);
            bench.memory.reply(&reply(*replied));
        }
        Next::Write(operation) => bench.write(&operation),
        Next::Tests { begin } => {
            bench.write(&begin);
            let names: Vec<String> = (0..*failed).map(|at| format!("t{at}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let ended = match ending {
                0 => TestsEnd::CouldNotRun { why: "x".into() },
                _ => TestsEnd::Ran { run: run(*passed, &names), files: vec![] },
            };
            let concluded = conclude_tests(ended, bench.text.as_bytes(), &FACTS, &mut bench.memory);
            bench.apply(&concluded);
        }
        Next::Agent(task) => {
            if let Some(begin) = &task.begin {
                bench.write(begin);
            }
            let ended = match ending {
                0 => Ended::Failed { class: FailureClass::Work, message: "x" },
                1 => Ended::Failed { class: FailureClass::Unavailable, message: "x" },
                2 => Ended::Answered { text: answer, structured: None, plain: true },
                _ => Ended::Answered { text: answer, structured: None, plain: false },
            };
            let concluded = conclude(&task, &ended, None, bench.text.as_bytes(), &FACTS, &mut bench.memory);
            assert!(!matches!(concluded, Conclusion::End(EndReason::Refused { .. })), "{concluded:?}");
            bench.apply(&concluded);
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever agents answer: no operation is refused (`write` panics), and a run in which nobody is asked ends after
    /// at most its rounds, each with a few tries.
    #[test]
    fn any_answers_end(events in prop::collection::vec(event(), 120), ask in any::<bool>()) {
        let mut bench = Bench::new();
        bench.memory.policy.ask = ask;
        let mut steps = 0;
        let mut asked = 0;
        for event in events.iter().cycle().take(400) {
            asked += u32::from(matches!(bench.next(), Next::Ask(_)));
            if !play(&mut bench, event) {
                break;
            }
            steps += 1;
        }
        let unavailable = events.iter().filter(|event| event.1 == 1).count();
        if !ask {
            prop_assert!(steps <= 11 * 3 + 3 * unavailable * 4 + 5, "{steps} steps");
        }
        // Each reply allows for a few more tries, each round is written.
        prop_assert!(steps < 400 || asked > 20, "{steps} steps, {asked} questions");
    }

    /// Files of others in any state: what is offered can be written, and what cannot is not offered.
    #[test]
    fn any_state_offers_what_it_takes(
        tasks in prop::collection::vec(prop_oneof!["pending", "in_progress", "completed", "failed", "odd"], 0..4),
        last in prop_oneof!["", "INIT", "DEVELOP", "debug", "action-validate-with-file", "COMPLETE", "x"],
        run in prop::option::of((0u32..3, 0u32..3)),
        iteration in 0u32..12,
        events in prop::collection::vec(event(), 30),
    ) {
        let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
        let mut bench = Bench::new();
        bench.text = master("running", iteration, &skill(&tasks, &last, run));
        for event in &events {
            if !play(&mut bench, event) {
                break;
            }
        }
    }
}

#[test]
fn the_kinds_of_answers_fit_the_actions() {
    for (text, kind) in [
        (master("running", 0, "null"), AnswerKind::Init),
        (master("running", 0, &skill(&["pending"], "", None)), AnswerKind::Develop),
        (master("running", 0, &skill(&["completed"], "VALIDATE", Some((0, 1)))), AnswerKind::Debug),
    ] {
        assert!(
            matches!(next(text.as_bytes(), &FACTS, &Memory::default()), Next::Agent(task) if task.answer == kind)
        );
    }
}
