//! A whole loop driven by operations: every step leaves a valid master and texts that can be read back.

use super::*;
use crate::formats::ccw::progress_docs::records::{ActionError, CcwRecord, TestResult};
use crate::formats::ccw::progress_docs::{
    debug as debug_doc, develop as develop_doc, summary as summary_doc, validate as validate_doc,
};
use crate::formats::ccw_v2::operation::CountedTests;
use crate::outcome::WriteHow;
use crate::problem::Severity;
use crate::status::StatusWord;
use crate::times::Timestamp;
use crate::view::CompanionKind;
use loopdeck_text::text_edit;
use std::collections::BTreeMap;

pub(super) const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);

/// A master and the files next to it.
pub(super) struct Bench {
    pub(super) master: String,
    pub(super) files: BTreeMap<String, String>,
}

impl Bench {
    pub(super) fn new() -> Self {
        let master = format!(
            "{{\n  \"loop_id\": \"{STEM}\",\n  \"title\": \"T\",\n  \"description\": \"D\",\n  \"max_iterations\": 4,\n  \"status\": \"running\",\n  \"current_iteration\": 0,\n  \"created_at\": \"2026-11-20T04:20:21.870Z\",\n  \"updated_at\": \"2026-11-20T04:20:21.870Z\",\n  \"x\": 50.0\n}}\n"
        );
        Self { master, files: BTreeMap::new() }
    }

    pub(super) fn facts() -> FileFacts<'static> {
        FileFacts { stem: STEM, modified: NOW, now: NOW }
    }

    pub(super) fn try_to(&mut self, operation: &LoopV2Operation) -> Result<(), Refusal> {
        let situation = Situation { shown: StatusWord::Running, now: NOW };
        let outcome = operate(self.master.as_bytes(), &Self::facts(), operation, &situation)?;
        let bytes = text_edit::apply(self.master.as_bytes(), &outcome.edits).expect("disjoint");
        self.master = String::from_utf8(bytes).expect("UTF-8");
        for write in outcome.files {
            let name =
                write.file.strip_prefix(&format!("{STEM}.progress/")).expect("below progress").to_owned();
            let old = self.files.entry(name);
            match write.how {
                WriteHow::Replace | WriteHow::ReplaceOnly { .. } => *old.or_default() = write.text,
                WriteHow::Append { begin } => old.or_insert(begin).push_str(&write.text),
            }
        }
        Ok(())
    }

    #[track_caller]
    pub(super) fn run(&mut self, operation: &LoopV2Operation) {
        self.try_to(operation).expect("legal");
        let situation = Situation { shown: StatusWord::Running, now: NOW };
        let detail = super::super::detail(self.master.as_bytes(), &Self::facts(), &situation, &[]);
        let wrong: Vec<_> = detail.problems.iter().filter(|p| p.severity >= Severity::Warning).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{}", self.master);
        assert!(self.master.contains("\"x\": 50.0") && self.master.ends_with("}\n"));
        let json = Json::from_node(&Node::parse(self.master.as_bytes()).expect("valid"));
        assert_eq!(json.pretty() + "\n", self.master, "laid out as before");
    }

    #[track_caller]
    pub(super) fn refused(&mut self, operation: &LoopV2Operation, code: RefusalCode) {
        assert_eq!(self.try_to(operation).map_err(|refusal| refusal.code), Err(code));
    }
}

pub(super) fn task(id: &str) -> PlannedTask {
    PlannedTask {
        id: id.into(),
        description: format!("do {id}"),
        tool: "codex".into(),
        mode: "write".into(),
        priority: 1,
        files: vec![],
    }
}

pub(super) fn hypothesis(id: &str, status: &str) -> Hypothesis {
    Hypothesis {
        id: id.into(),
        description: format!("{id} leaks"),
        status: status.into(),
        likelihood: Some(1.0),
        ..Hypothesis::default()
    }
}

pub(super) fn init() -> LoopV2Operation {
    LoopV2Operation::Init { mode: InitMode::Auto, tasks: vec![task("task-001"), task("task-002")] }
}

pub(super) fn develop_of(id: &str) -> LoopV2Operation {
    let files_changed = vec!["a.rs".to_owned()];
    LoopV2Operation::Develop(Developed {
        task_id: id.into(),
        summary: "done".into(),
        files_changed,
        failure: None,
    })
}

fn run_of(passed: u32, failed: u32) -> LoopV2Operation {
    let row = |status: &str, index: u32| TestResult {
        name: format!("{status} {index}"),
        status: status.into(),
        ..TestResult::default()
    };
    let tests = (0..passed).map(|i| row("passed", i)).chain((0..failed).map(|i| row("failed", i))).collect();
    let coverage = Some(CoverageFigures { statements: Some(71.4), ..CoverageFigures::default() });
    LoopV2Operation::Validate {
        run: ValidationRun { passed, failed, tests, coverage, ..ValidationRun::default() },
        files: vec![],
    }
}

#[test]
fn a_whole_loop() {
    let mut bench = Bench::new();
    bench.run(&init());
    bench.run(&develop_of("task-001"));
    bench.run(&develop_of("task-002"));
    bench.run(&run_of(1, 1));
    let open = Debugged {
        hypotheses: vec![hypothesis("H1", "pending"), hypothesis("H2", "pending")],
        ..Debugged::default()
    };
    bench.run(&LoopV2Operation::Debug(open));
    let judged = Hypothesis { verdict_reason: Some("seen".into()), ..hypothesis("H1", "confirmed") };
    let judged = Debugged { hypotheses: vec![judged], confirmed: Some("H1".into()), ..Debugged::default() };
    bench.refused(&run_of(2, 0), RefusalCode::LimitReached);
    bench.master = bench.master.replace("\"max_iterations\": 4", "\"max_iterations\": 9");
    bench.run(&LoopV2Operation::Debug(judged));
    bench.run(&run_of(2, 0));
    bench.run(&LoopV2Operation::Complete {
        executive: "Good".into(),
        recommendations: vec!["ship".into()],
        worked_ms: None,
    });
    let root = Node::parse(bench.master.as_bytes()).expect("valid");
    let skill = root.get("skill_state");
    assert_eq!(
        (root.get("status").text(), root.get("current_iteration").number()),
        (Some("completed"), Some(6.0))
    );
    let actions: Vec<_> = skill.get("completed_actions").items().iter().filter_map(Node::text).collect();
    assert_eq!(actions, ["DEVELOP", "DEVELOP", "VALIDATE", "DEBUG", "DEBUG", "VALIDATE", "COMPLETE"]);
    assert_eq!(skill.get("debug").get("active_bug").text(), Some("failed 0"));
    assert_eq!(skill.get("summary").get("duration").number(), Some(240_000.0));
    let doc = |name: &str| bench.files[name].as_bytes();
    assert_eq!(develop_doc::read(doc("develop.md")).entries.len(), 2);
    let debug = debug_doc::read(doc("debug.md"));
    assert_eq!(
        (debug.confirmed.as_deref(), debug.hypotheses.len(), debug.iteration),
        (Some("H1"), 2, Some(2))
    );
    assert_eq!(validate_doc::read(doc("validate.md")).decision, Some(true));
    assert_eq!(summary_doc::read(doc("summary.md")).passed, Some(true));
    assert_eq!(bench.files["changes.log"].lines().count(), 2);
    bench.refused(&LoopV2Operation::Leave, RefusalCode::Finished);
}

#[test]
fn a_run_that_measured_nothing_leaves_no_coverage_of_an_earlier_one() {
    let mut bench = Bench::new();
    bench.run(&init());
    bench.run(&run_of(1, 0));
    let old = bench.files["coverage.json"].clone();
    assert!(old.contains("71.4"), "{old}");
    let run = ValidationRun { passed: 1, ..ValidationRun::default() };
    let operation = LoopV2Operation::Validate { run, files: vec![] };
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let master = bench.master.as_bytes();
    let written = |companions: &[Companion]| {
        let outcome = operate_with_companions(master, &Bench::facts(), &operation, &situation, companions)
            .expect("legal");
        outcome.files.into_iter().find(|file| file.file.ends_with("/coverage.json")).map(|file| file.text)
    };
    let text = written(&[beside(CompanionKind::Coverage, &old)]).expect("replaced");
    let replaced = crate::formats::ccw::progress_docs::side::coverage(text.as_bytes());
    assert_eq!(
        replaced.content.map(|says| (says.files.len(), says.overall.overall())),
        Some((0, None)),
        "{text}"
    );
    assert_eq!(written(&[]), None, "none is made of nothing");
}

/// A companion with this text.
pub(super) fn beside(kind: CompanionKind, text: &str) -> Companion {
    Companion { kind, file: String::new(), bytes: text.as_bytes().to_vec(), cut: false }
}

#[test]
fn the_task_of_the_last_develop_stays_and_its_files_are_a_list_from_the_beginning() {
    let mut bench = Bench::new();
    bench.run(&init());
    assert_eq!(bench.master.matches("\"files_changed\": []").count(), 2);
    bench.run(&develop_of("task-001"));
    assert!(bench.master.contains("\"current_task\": \"task-001\""));
    assert_eq!(bench.master.matches("\"files_changed\": []").count(), 1);
}

#[test]
fn a_summary_has_the_time_at_work_and_no_coverage_that_nobody_measured() {
    for (worked_ms, duration, text) in [
        (Some(61_400.0), 61_400.0, "1m 1s\n"),
        (None, 240_000.0, "4m 0s (since created)\n"),
        (Some(f64::NAN), 240_000.0, "4m 0s (since created)\n"),
        (Some(-1.0), 240_000.0, "4m 0s (since created)\n"),
    ] {
        let mut bench = Bench::new();
        bench.run(&LoopV2Operation::Init { mode: InitMode::Auto, tasks: vec![task("task-001")] });
        bench.run(&develop_of("task-001"));
        let run = ValidationRun { passed: 1, ..ValidationRun::default() };
        bench.run(&LoopV2Operation::Validate { run, files: vec![] });
        bench.run(&LoopV2Operation::Complete {
            executive: "Good".into(),
            recommendations: vec![],
            worked_ms,
        });
        let root = Node::parse(bench.master.as_bytes()).expect("valid");
        let summary = root.get("skill_state").get("summary");
        assert_eq!(summary.get("duration").number(), Some(duration));
        assert_eq!(
            summary.get("validate").get("coverage").number(),
            Some(0.0),
            "a number, as upstream writes it"
        );
        let written = &bench.files["summary.md"];
        assert!(written.contains(&format!("**Duration**: {text}")), "{written}");
        assert!(written.contains("| Coverage | not measured |"), "{written}");
        let situation = Situation { shown: StatusWord::Completed, now: NOW };
        let detail = super::super::detail(bench.master.as_bytes(), &Bench::facts(), &situation, &[]);
        let names: Vec<_> = detail.summary.iter().map(|fact| fact.name.as_str()).collect();
        assert_eq!(names.contains(&"summary.duration"), duration < 100_000.0, "{names:?}");
        assert_eq!(detail.validation.expect("a section").coverage, None);
    }
}

#[test]
fn errors_are_bounded_in_length_and_number() {
    let mut bench = Bench::new();
    let failed = |at: usize| {
        let error = |at| ActionError {
            action: "INIT".into(),
            message: format!("{at} {}", "x".repeat(9_000)),
            at: NOW,
        };
        LoopV2Operation::Failed { errors: vec![error(at), error(at + 1)] }
    };
    bench.refused(&failed(0), RefusalCode::NotInitialised);
    bench.run(&init());
    let before = bench.master.clone();
    for at in 0..60 {
        bench.run(&failed(at * 2));
    }
    let root = Node::parse(bench.master.as_bytes()).expect("valid");
    let errors = root.get("skill_state").get("errors").items();
    let numbers = |at: usize| errors[at].get("message").text().unwrap_or_default().split(' ').next();
    assert_eq!((errors.len(), numbers(0), numbers(99)), (100, Some("20"), Some("119")));
    assert!(
        errors
            .iter()
            .all(|error| error.get("message").text().is_some_and(|text| text.chars().count() <= 2_001))
    );
    assert_eq!(root.get("current_iteration").number(), Some(0.0), "no round");
    let of = |text: &str| {
        Json::from_node(Node::parse(text.as_bytes()).expect("valid").get("skill_state").get("develop"))
    };
    assert_eq!(of(&bench.master), of(&before));
    bench.master = bench.master.replace("\"max_iterations\": 4", "\"max_iterations\": 1");
    bench.run(&develop_of("task-001"));
    bench.run(&failed(0));
}

#[test]
fn what_does_not_follow_is_refused() {
    let mut bench = Bench::new();
    bench.refused(&develop_of("task-001"), RefusalCode::NotInitialised);
    bench.refused(&LoopV2Operation::Init { mode: InitMode::Auto, tasks: vec![] }, RefusalCode::BadValue);
    bench.refused(
        &LoopV2Operation::Init { mode: InitMode::Auto, tasks: vec![task("a"), task("a")] },
        RefusalCode::BadValue,
    );
    bench.run(&init());
    bench.refused(&init(), RefusalCode::AlreadyInitialised);
    bench.refused(&develop_of("task-009"), RefusalCode::NoSuchTask);
    let unknown = Debugged { confirmed: Some("H7".into()), ..Debugged::default() };
    bench.refused(&LoopV2Operation::Debug(unknown), RefusalCode::BadValue);
    let odd = Debugged { hypotheses: vec![hypothesis("H1", "maybe")], ..Debugged::default() };
    bench.refused(&LoopV2Operation::Debug(odd), RefusalCode::BadValue);
    for (word, shown, code) in [
        ("paused", StatusWord::Paused, RefusalCode::NotRunning),
        ("created", StatusWord::NotStarted, RefusalCode::NotRunning),
        ("failed", StatusWord::Failed, RefusalCode::Finished),
        ("completed", StatusWord::Completed, RefusalCode::Finished),
        ("odd", StatusWord::Unknown, RefusalCode::UnknownStatus),
    ] {
        let text = bench.master.replace("\"running\"", &format!("\"{word}\""));
        let situation = Situation { shown, now: NOW };
        let refusal = operate(text.as_bytes(), &Bench::facts(), &develop_of("task-001"), &situation);
        assert_eq!(refusal.map_err(|refusal| refusal.code), Err(code), "nobody works on it: {word}");
    }
    let situation = Situation { shown: StatusWord::RunningElsewhere, now: NOW };
    let refusal = operate(bench.master.as_bytes(), &Bench::facts(), &develop_of("task-001"), &situation);
    assert_eq!(refusal.map_err(|refusal| refusal.code), Err(RefusalCode::ForeignOwner));
}

#[test]
fn a_failed_task_is_an_error_of_the_loop() {
    let mut bench = Bench::new();
    bench.run(&init());
    let begin = LoopV2Operation::Begin { beginning: Beginning::Develop { task_id: "task-001".into() } };
    bench.run(&begin);
    assert!(
        bench.master.contains("\"current_task\": \"task-001\"") && bench.master.contains("\"in_progress\"")
    );
    let failure = Some("does not build".to_owned());
    bench.run(&LoopV2Operation::Develop(Developed {
        task_id: "task-001".into(),
        failure,
        ..Developed::default()
    }));
    let root = Node::parse(bench.master.as_bytes()).expect("valid");
    assert_eq!(root.get("skill_state").get("errors").items().len(), 1);
    assert!(!bench.files.contains_key("changes.log"), "nothing changed");
    bench.refused(&develop_of("task-001"), RefusalCode::NoSuchTask);
    bench.run(&begin);
    let failure = Some("still not".to_owned());
    let files_changed = vec!["a.rs".to_owned()];
    bench.run(&LoopV2Operation::Develop(Developed {
        task_id: "task-001".into(),
        failure,
        files_changed,
        ..Developed::default()
    }));
    assert!(bench.files["changes.log"].ends_with("\"files_changed\":[\"a.rs\"],\"result\":\"failed\"}\n"));
    bench.run(&begin);
    bench.run(&develop_of("task-001"));
    bench.refused(&begin, RefusalCode::NoSuchTask);
}

#[test]
fn what_was_finished_while_a_pause_was_on_its_way_is_written() {
    let mut bench = Bench::new();
    bench.run(&init());
    bench.master = bench.master.replace("\"running\"", "\"paused\"");
    let begin = LoopV2Operation::Begin { beginning: Beginning::Debug };
    for (operation, is_end) in [(develop_of("task-001"), true), (run_of(1, 0), true), (begin, false)] {
        for (shown, legal) in [(StatusWord::Pausing, is_end), (StatusWord::Paused, false)] {
            let situation = Situation { shown, now: NOW };
            let outcome = operate(bench.master.as_bytes(), &Bench::facts(), &operation, &situation);
            assert_eq!(outcome.is_ok(), legal, "{operation:?} {shown:?}");
            let kept =
                outcome.map(|done| text_edit::apply(bench.master.as_bytes(), &done.edits).expect("disjoint"));
            assert!(kept.is_err() || String::from_utf8_lossy(&kept.expect("legal")).contains("\"paused\""));
        }
    }
}

#[test]
fn tests_that_a_person_counted_are_a_run() {
    let mut bench = Bench::new();
    bench.run(&init());
    let counted = CountedTests {
        passed: 41,
        failed: 2,
        skipped: 1,
        failed_names: vec!["a › b".into(), "c".into()],
        seconds: Some(1.5),
        coverage: Some(85.0),
    };
    bench.run(&LoopV2Operation::Tested(counted.clone()));
    let root = Node::parse(bench.master.as_bytes()).expect("valid");
    let run = &root.get("skill_state").get("validate").get("test_results").items()[0];
    let said = ValidationRun::from_node(run);
    assert_eq!((said.iteration, said.passed, said.failed, said.skipped), (1, 41, 2, 1));
    assert_eq!((said.failed_tests(), said.duration_ms), (vec!["a › b", "c"], Some(1_500.0)));
    assert_eq!(said.coverage.and_then(|figures| figures.statements), Some(85.0));
    assert_eq!(times::parse(&said.timestamp), Some(NOW), "the time is filled in");
    for odd in [
        CountedTests { coverage: Some(101.0), ..counted.clone() },
        CountedTests { coverage: Some(f64::NAN), ..counted.clone() },
        CountedTests { seconds: Some(-1.0), ..counted },
    ] {
        bench.refused(&LoopV2Operation::Tested(odd), RefusalCode::BadValue);
    }
}

#[test]
fn missing_sections_are_made() {
    let mut bench = Bench::new();
    bench.master = bench.master.replace(
        "\"x\": 50.0",
        "\"x\": 50.0,\n  \"skill_state\": {\n    \"mode\": \"auto\",\n    \"validate\": null\n  }",
    );
    bench.try_to(&run_of(1, 0)).expect("legal");
    bench
        .try_to(&LoopV2Operation::Debug(Debugged {
            hypotheses: vec![hypothesis("H1", "pending")],
            ..Debugged::default()
        }))
        .expect("legal");
    let root = Node::parse(bench.master.as_bytes()).expect("valid");
    let skill = root.get("skill_state");
    assert_eq!(skill.get("validate").get("passed").flag(), Some(true));
    assert_eq!(skill.get("debug").get("hypotheses_count").number(), Some(1.0));
    let json = Json::from_node(&root);
    assert_eq!(json.pretty() + "\n", bench.master);
}

#[test]
fn what_stands_in_the_place_of_a_section_is_not_replaced() {
    for odd in [
        "\"debug\": \"x\"",
        "\"debug\": {}, \"completed_actions\": \"DEVELOP\"",
        "\"debug\": {\"hypotheses\": {}}",
    ] {
        let mut bench = Bench::new();
        bench.master =
            bench.master.replace("\"x\": 50.0", &format!("\"x\": 50.0,\n  \"skill_state\": {{{odd}}}"));
        let open = Debugged { hypotheses: vec![hypothesis("H1", "pending")], ..Debugged::default() };
        bench.refused(&LoopV2Operation::Debug(open), RefusalCode::NotEditable);
    }
}
