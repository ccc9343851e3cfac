//! Whole runs from start to summary, and every way an agent in them can end.

use super::tests::{FACTS, NOW, master, word};
use super::*;
use crate::driver::{Conclusion, Ended, FailureClass, ObservedRun, Reply, TestsEnd};
use crate::formats::ccw::progress_docs::records::{TestResult, ValidationRun};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::text_edit;

/// A loop in progress.
pub(super) struct Bench {
    pub(super) text: String,
    pub(super) memory: Memory,
}

impl Bench {
    pub(super) fn new() -> Self {
        let text = master("running", 0, "null")
            .replace("\n  \"skill_state\": null", "")
            .replace("Z\",\n}", "Z\"\n}");
        Self { text, memory: Memory::default() }
    }

    pub(super) fn next(&self) -> LoopV2Next {
        next(self.text.as_bytes(), &FACTS, &self.memory)
    }

    /// Carries out an operation, like the runtime.
    #[track_caller]
    pub(super) fn write(&mut self, operation: &LoopV2Operation) {
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

    pub(super) fn apply(&mut self, concluded: &Conclusion<LoopV2Operation>) {
        if let Conclusion::Write(operations) = concluded {
            operations.iter().for_each(|operation| self.write(operation));
        }
        if let Some(operation) = unwritten(self.text.as_bytes(), &FACTS, &self.memory) {
            self.write(&operation);
            self.memory.v2.errors.clear();
        }
    }

    /// The next agent gives this answer.
    #[track_caller]
    pub(super) fn agent(&mut self, expected: &str, answer: &str) -> Conclusion<LoopV2Operation> {
        self.agent_that(expected, &Ended::Answered { text: answer, structured: None, plain: false }, None)
    }

    #[track_caller]
    pub(super) fn agent_that(
        &mut self,
        expected: &str,
        ended: &Ended<'_>,
        changed: Option<&[String]>,
    ) -> Conclusion<LoopV2Operation> {
        self.agent_seen(expected, ended, ObservedRun { changed, log: None })
    }

    #[track_caller]
    pub(super) fn agent_seen(
        &mut self,
        expected: &str,
        ended: &Ended<'_>,
        seen: ObservedRun<'_>,
    ) -> Conclusion<LoopV2Operation> {
        let next = self.next();
        assert_eq!(word(&next), expected);
        let LoopV2Next::Agent { begin, task } = next else { panic!("an agent") };
        if let Some(begin) = &begin {
            self.write(begin);
        }
        let concluded = conclude(&task, ended, seen, self.text.as_bytes(), &FACTS, &mut self.memory);
        self.apply(&concluded);
        concluded
    }

    #[track_caller]
    pub(super) fn tests(&mut self, passed: u32, failed: &[&str]) -> Conclusion<LoopV2Operation> {
        let next = self.next();
        let LoopV2Next::Tests { begin } = next else { panic!("{}", word(&next)) };
        self.write(&begin);
        let ended = TestsEnd::Ran { run: run(passed, failed), files: vec![] };
        let concluded = conclude_tests(ended, self.text.as_bytes(), &FACTS, &mut self.memory);
        self.apply(&concluded);
        concluded
    }

    #[track_caller]
    pub(super) fn complete(&mut self) {
        let LoopV2Next::Write(operation) = self.next() else { panic!("{}", word(&self.next())) };
        self.write(&operation);
        assert_eq!(word(&self.next()), "end Completed");
    }
}

pub(super) fn run(passed: u32, failed: &[&str]) -> ValidationRun {
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

pub(super) fn skill_of<'t>(root: &'t Node<'_>, section: &str, key: &str) -> &'t Node<'t> {
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
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("debugs") };
    for part in ["parses a list", "expected 2, got 3", "did T1", "Round 1"] {
        assert!(task.prompt.contains(part), "{part}");
    }
    bench.agent("debug 1", r#"{"hypotheses":[{"id":"H1","description":"off by one","likelihood":1,"status":"pending"},{"id":"H2","description":"cache","likelihood":2,"status":"rejected","verdict_reason":"empty"}],"understanding":"looking","confirmed":null,"fixed":false,"files_changed":[],"needs":null}"#);
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("debugs") };
    assert!(task.prompt.contains("H1 [pending] off by one") && task.prompt.contains("H2 [rejected]"));
    bench.agent("debug 2", r#"{"hypotheses":[{"id":"H1","status":"confirmed","evidence":"i=3","verdict_reason":"seen"}],"understanding":"the loop ends late","confirmed":"H1","fixed":true,"files_changed":["lex.rs"],"needs":null}"#);
    bench.tests(2, &[]);
    bench.complete();
    let text = bench.text.clone();
    let root = Node::parse(text.as_bytes()).expect("JSON");
    let actions = Json::from_node(root.get("skill_state").get("completed_actions")).compact();
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
    let LoopV2Next::Agent { task, .. } = &next else { panic!("develops") };
    let variables = loopdeck_agents::prompts::environment(&task.action, &task.context);
    assert!(variables.contains(&("LOOPDECK_TASK".to_owned(), "Add a parser".to_owned())));
    bench.agent_that("develop task-001", &plain("built\nall good\n"), None);
    bench.tests(0, &["a", "b"]);
    bench.agent_that("debug 1", &plain("no idea"), Some(&[]));
    let changed = vec!["src/x.rs".to_owned()];
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("debugs") };
    assert!(
        loopdeck_agents::prompts::environment(&task.action, &task.context)
            .contains(&("LOOPDECK_FAILED_TESTS".to_owned(), "a\nb".to_owned()))
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
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("it continues") };
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
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("again") };
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
fn a_pause_or_an_end_during_an_action_keeps_its_result() {
    for (status, end) in [
        ("paused", "end Paused"),
        ("completed", "end Completed"),
        ("failed", "end Failed"),
        ("user_exit", "end Left"),
    ] {
        let mut bench = Bench::new();
        bench.agent("init", r#"{"tasks":["x"]}"#);
        let LoopV2Next::Agent { begin, task } = bench.next() else { panic!("develops") };
        bench.write(begin.as_ref().expect("begins"));
        bench.text = bench.text.replace("\"running\"", &format!("\"{status}\""));
        let ended = Ended::Answered {
            text: r#"{"status":"completed","summary":"s"}"#,
            structured: None,
            plain: false,
        };
        let concluded =
            conclude(&task, &ended, ObservedRun::default(), bench.text.as_bytes(), &FACTS, &mut bench.memory);
        bench.apply(&concluded);
        let root = Node::parse(bench.text.as_bytes()).expect("JSON");
        let done = skill_of(&root, "develop", "tasks").items()[0].get("status").text();
        assert_eq!((root.get("status").text(), done), (Some(status), Some("completed")));
        assert_eq!(word(&bench.next()), end);
    }
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
    let LoopV2Next::Ask(question) = bench.next() else { panic!("asks") };
    bench.memory.question = Some(question.clone());
    bench.memory.reply(&Reply::TryAgain);
    bench.tests(0, &[]);
    bench.memory.question = Some(question);
    bench.memory.reply(&Reply::GoOn);
    let LoopV2Next::Write(LoopV2Operation::Complete { recommendations, .. }) = bench.next() else {
        panic!("completes")
    };
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
    let LoopV2Next::Ask(question) = bench.next() else { panic!("asks") };
    assert_eq!(
        (question.code, question.text.as_str(), question.count),
        (QuestionCode::DebugInconclusive, "nothing yet", 3)
    );
    bench.memory.question = Some(question);
    // The memory is kept between runs, and an older version's can be read.
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
    (bench.memory.v2.fixed, bench.memory.v2.debug_rounds) = (Some(true), 2);
    bench.agent("develop task-001", r#"{"status":"failed","summary":"no compiler"}"#);
    assert_eq!((bench.memory.v2.fixed, bench.memory.v2.debug_rounds), (None, 0));
    assert_eq!(bench.memory.failures["task-001"].tries, 1);
    bench.agent("develop task-001", r#"{"status":"completed","summary":"s"}"#);
    assert!(bench.memory.failures.is_empty(), "it is done");
    bench.tests(0, &["t"]);
    bench.agent("debug 1", r#"{"hypotheses":[],"understanding":"nothing yet","fixed":false}"#);
    bench.agent("debug 2", r#"{"hypotheses":[],"understanding":"a clock","fixed":true}"#);
    assert_eq!((bench.memory.v2.fixed, bench.memory.v2.debug_rounds), (Some(true), 2));
    bench.tests(1, &["u"]);
    assert_eq!((bench.memory.v2.fixed, bench.memory.v2.debug_rounds), (None, 0));
}

#[test]
fn init_may_propose_tool_and_mode_and_gets_what_the_person_allowed() {
    let mut bench = Bench::new();
    bench.memory.policy.tools = vec!["codex".into(), "mine".into()];
    let LoopV2Next::Agent { task, .. } = bench.next() else { panic!("plans") };
    assert!(task.prompt.contains("claude, codex, mine. Without one claude does it."), "{}", task.prompt);
    bench.agent(
        "init",
        r#"{"tasks":[
        {"id":"a","description":"a","tool":"Codex","mode":"analysis"},
        {"id":"b","description":"b","tool":"gemini","mode":"write"},
        {"id":"c","description":"c","tool":"custom:mine","mode":"rm -rf"},
        {"id":"d","description":"d","tool":null},
        {"id":"e","description":"e","tool":{"program":"/bin/sh"},"mode":7}],"needs":null}"#,
    );
    let root = Node::parse(bench.text.as_bytes()).expect("JSON");
    let ways: Vec<_> = skill_of(&root, "develop", "tasks")
        .items()
        .iter()
        .map(|task| {
            [task.get("tool").text().unwrap_or("-"), task.get("mode").text().unwrap_or("-")].join(" ")
        })
        .collect();
    assert_eq!(ways, ["codex analysis", "claude write", "mine write", "claude write", "claude write"]);
}

#[test]
fn a_plan_with_another_agent_takes_over_what_the_former_one_was_to_do() {
    let mut memory = Memory::default();
    memory.policy.tool = "codex".into();
    memory.instead = ["qwen".to_owned(), "codex".to_owned()].into();
    memory.staff_changed(Some("claude"));
    assert_eq!(memory.instead, ["claude".to_owned(), "qwen".to_owned()].into());
    memory.staff_changed(Some("codex"));
    memory.staff_changed(None);
    assert_eq!(memory.instead.len(), 2, "the same agent replaces nobody");
    memory.policy.tools = vec!["claude".into()];
    memory.staff_changed(Some("codex"));
    assert_eq!(memory.instead, ["qwen".to_owned()].into(), "who is allowed works itself");
}
