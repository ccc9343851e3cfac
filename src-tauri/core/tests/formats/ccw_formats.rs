//! Properties of every progress text, task list, operation and damaged file of the CCW formats.

use loopdeck_core::control::Situation;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::progress_docs::develop::{self, DevelopEntry};
use loopdeck_core::formats::ccw::progress_docs::records::{Hypothesis, TestResult, ValidationRun};
use loopdeck_core::formats::ccw::progress_docs::summary::{self, CompletedTask, SummaryDoc};
use loopdeck_core::formats::ccw::progress_docs::{
    Flavour, Head, block, debug, ndjson, one_line, side, validate,
};
use loopdeck_core::formats::ccw_v2::edit::repair::repair;
use loopdeck_core::formats::ccw_v2::edit::task_list as task_edit;
use loopdeck_core::formats::ccw_v2::edit::task_list::{TaskEdit, TaskFields};
use loopdeck_core::formats::ccw_v2::operate::operate;
use loopdeck_core::formats::ccw_v2::operation::{Debugged, Developed, LoopV2Operation};
use loopdeck_core::formats::ccw_v2::recover::task_list as task_recover;
use loopdeck_core::formats::{ccw_v2, loop_b};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::Severity;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode as Repair;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const TIME: &str = "2026-11-20T04:24:21.870Z";
const V2: &str = "loop-v2-20261120T042421-d8ff7e62";
const B: &str = "loop-b-20261120T042421-d8ff7e62";
const FACTS: FileFacts<'static> = FileFacts { stem: V2, modified: NOW, now: NOW };

/// Texts with everything that has a meaning in Markdown and JSON.
fn texts() -> impl Strategy<Value = String> {
    let parts = [
        "# a",
        "## Task List",
        "---",
        "**Status**: x",
        "- b",
        "`c`",
        "```",
        "|",
        "\\",
        "\n",
        "\r\n",
        " ",
        "(d)",
        "é漢",
        "}{",
        "\"",
        "### Iteration 1 - x (t)",
    ];
    let part = prop_oneof![
        3 => prop::sample::select(parts.map(str::to_owned).to_vec()),
        1 => "\\PC{0,5}",
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

/// Texts of one line that are never empty.
fn words() -> impl Strategy<Value = String> {
    texts().prop_map(|text| one_line(&format!("w {}", text.replace(['`', '*'], ""))))
}

/// Bytes that sometimes look like the formats.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let parts: [&[u8]; 22] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"skill_state\":",
        b"\"status\":\"running\",",
        b"\"develop\":{\"tasks\":[",
        b"\n",
        b"# Development Progress\n",
        b"### Iteration 1 - x (t)\n",
        b"#### Hypotheses\n**H1**: CONFIRMED\n",
        b"```\n",
        b"| a | b |\n",
        b"\xff\xfe",
        b"\"mode\":\"auto\",",
        b"null",
        b"1e999",
        b"\"title\":\"t\",",
        b"{\"task_id\":\"a\"}",
        b"**Result**: FAIL\n",
        b"\\",
        b",",
    ];
    let part = prop_oneof![
        4 => prop::sample::select(parts.map(<[u8]>::to_vec).to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

fn head(task: &str) -> Head {
    Head { loop_id: Some(V2.to_owned()), task: Some(task.to_owned()), time: Some(TIME.to_owned()) }
}

const KINDS: [CompanionKind; 11] = [
    CompanionKind::TaskList,
    CompanionKind::Hypotheses,
    CompanionKind::TestResults,
    CompanionKind::Coverage,
    CompanionKind::WorkerOutput,
    CompanionKind::DevelopDoc,
    CompanionKind::DebugDoc,
    CompanionKind::ValidateDoc,
    CompanionKind::SummaryDoc,
    CompanionKind::ChangesLog,
    CompanionKind::DebugLog,
];

fn is_sound(text: &str, stem: &str, format: Format) -> bool {
    let facts = FileFacts { stem, ..FACTS };
    loops::summary(Place::CcwFile, text.as_bytes(), &facts).is_some_and(|summary| {
        summary.format == format && summary.problems.iter().all(|problem| problem.severity != Severity::Error)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn develop_reads_what_it_wrote(
        task in texts(),
        listed in prop::collection::vec(words(), 0..4),
        entries in prop::collection::vec((words(), texts(), prop::collection::vec(words(), 0..3)), 0..4),
    ) {
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        let entries: Vec<DevelopEntry> = (1..).zip(entries).map(|(number, (description, summary, files))| DevelopEntry {
            iteration: Some(number),
            task_id: Some(format!("task-{number}")),
            description,
            time: Some(TIME.to_owned()),
            tool: Some("codex".to_owned()),
            mode: Some("write".to_owned()),
            summary: block(&summary),
            files,
            status: Some("completed".to_owned()),
        }).collect();
        let mut text = develop::begin(&head(&task), &listed);
        text.extend(entries.iter().map(|entry| develop::append(entry, Flavour::LoopV2)));
        let doc = develop::read(text.as_bytes());
        prop_assert_eq!(doc.head.task.unwrap_or_default(), block(task.trim_start()), "{}", text);
        prop_assert_eq!(doc.tasks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), listed);
        prop_assert_eq!(doc.entries, entries, "{}", text);
    }

    #[test]
    fn reports_read_what_they_wrote(
        task in texts(),
        name in words(),
        error in words(),
        counts in (0_u32..50, 0_u32..50),
        executive in texts(),
    ) {
        let test = TestResult { name: name.clone(), suite: "s".to_owned(), status: "failed".to_owned(), error_message: Some(error), ..TestResult::default() };
        let run = ValidationRun { iteration: 3, timestamp: TIME.to_owned(), passed: counts.0, failed: counts.1 + 1, tests: vec![test], duration_ms: Some(5.0), ..ValidationRun::default() };
        let text = validate::write(&head(&task), &run, &[], &["again"]);
        let doc = validate::read(text.as_bytes());
        prop_assert_eq!((doc.passed, doc.failed, doc.decision), (Some(run.passed), Some(run.failed), Some(false)));
        prop_assert_eq!(&doc.failed_tests, &run.tests, "{}", text);
        prop_assert_eq!(side::test_results(side::write_test_results(&run).as_bytes()).content, Some(run));
        let completed = vec![CompletedTask { description: name, files: vec!["a".into()], completed: Some(TIME.into()) }];
        let doc = SummaryDoc { head: head(&task), completed, executive: block(&executive), ..SummaryDoc::default() };
        let text = summary::write(&doc, Flavour::LoopV2);
        let read = summary::read(text.as_bytes());
        prop_assert_eq!((read.completed, read.executive), (doc.completed, doc.executive), "{}", text);
    }

    #[test]
    fn debug_reads_what_it_wrote(texts in prop::collection::vec((words(), words(), words()), 1..5), seen in texts()) {
        let hypotheses: Vec<Hypothesis> = (1..).zip(texts).map(|(number, (description, condition, reason))| Hypothesis {
            id: format!("H{number}"),
            description,
            testable_condition: condition,
            logging_point: "a:f:1".to_owned(),
            confirm: "c".to_owned(),
            reject: "r".to_owned(),
            likelihood: Some(f64::from(number)),
            status: "rejected".to_owned(),
            evidence: Json::List(vec![Json::text("\"}{\n")]),
            verdict_reason: Some(reason),
        }).collect();
        let text = debug::begin(&head("bug"))
            + &debug::append_exploration(1, TIME, &hypotheses, &seen)
            + &debug::append_analysis(2, TIME, &hypotheses, &seen, None);
        let doc = debug::read(text.as_bytes());
        prop_assert_eq!((doc.iteration, doc.understanding), (Some(2), block(&seen)), "{}", text);
        prop_assert_eq!(&doc.hypotheses, &hypotheses);
        prop_assert_eq!(side::hypotheses(side::write_hypotheses(&hypotheses, 2).as_bytes()).content.map(|file| file.hypotheses), Some(hypotheses));
    }

    #[test]
    fn no_bytes_make_a_reader_panic_and_every_proposal_is_a_loop(
        master in soup(),
        last_good in prop::option::of(soup()),
        beside in prop::collection::vec((0..KINDS.len(), soup()), 0..5),
    ) {
        for bytes in beside.iter().map(|(_, bytes)| bytes).chain([&master]) {
            let _ = develop::read(bytes);
            let _ = debug::read(bytes);
            let _ = validate::read(bytes);
            let _ = summary::read(bytes);
            let _ = ndjson::changes(bytes);
            let _ = ndjson::debug_entries(bytes);
            let _ = side::hypotheses(bytes);
            let _ = side::test_results(bytes);
            let _ = side::coverage(bytes);
            let split = task_edit::split_glued(bytes);
            let once = text_edit::apply(bytes, &split).expect("disjoint");
            prop_assert_eq!(task_edit::split_glued(&once), vec![]);
            if let Some(list) = task_recover::clean(bytes, Some(&master)) {
                prop_assert!(task_recover::clean(list.text.as_bytes(), None).is_none(), "{}", list.text);
                prop_assert_eq!(task_edit::split_glued(list.text.as_bytes()), vec![]);
            }
        }
        let companions: Vec<Companion> = beside.into_iter().map(|(kind, bytes)| Companion { kind: KINDS[kind], file: "x".to_owned(), bytes, cut: false }).collect();
        let recovery = ccw_v2::recover::recover(&master, last_good.as_deref(), &companions, &FACTS);
        prop_assert!(is_sound(&recovery.text, V2, Format::LoopV2), "{}", recovery.text);
        let facts = FileFacts { stem: B, ..FACTS };
        let recovery = loop_b::recover::recover(&master, last_good.as_deref(), &companions, &facts);
        prop_assert!(is_sound(&recovery.text, B, Format::LoopB), "{}", recovery.text);
        prop_assert_eq!(&recovery, &loop_b::recover::recover(&master, last_good.as_deref(), &companions, &facts));
        let situation = Situation { shown: StatusWord::Interrupted, now: NOW };
        for what in [Repair::Recount, Repair::StripTrailingGarbage, Repair::ResetOrphans, Repair::ClearStaleEnd] {
            if let Ok(edits) = repair(&master, &FACTS, what, &situation) {
                prop_assert!(text_edit::apply(&master, &edits).is_ok());
            }
        }
    }

    #[test]
    fn a_task_added_and_deleted_leaves_the_others(lines in prop::collection::vec(soup(), 0..4), id in "[a-z]{6,8}") {
        let mut bytes = lines.concat();
        bytes.push(b'\n');
        let before = text_edit::apply(&bytes, &task_edit::split_glued(&bytes)).expect("disjoint");
        let task = TaskFields { description: "d".into(), tool: "codex".into(), mode: "write".into(), ..TaskFields::default() };
        let add = task_edit::edit(&before, &TaskEdit::Add { id: id.clone(), task }, NOW).expect("legal");
        let added = text_edit::apply(&before, &add).expect("disjoint");
        prop_assert!(added.starts_with(&before));
        let delete = task_edit::edit(&added, &TaskEdit::Delete { id }, NOW).expect("there");
        prop_assert_eq!(text_edit::apply(&added, &delete).expect("disjoint"), before);
    }
}

/// A running loop with `size` tasks, hypotheses and runs, laid out by two blanks.
fn large(size: usize) -> String {
    let list = |item: &dyn Fn(usize) -> String| (0..size).map(item).collect::<Vec<_>>().join(",");
    let text = format!(
        "{{\"loop_id\":\"{V2}\",\"title\":\"T\",\"max_iterations\":10,\"status\":\"running\",\"current_iteration\":1,\"x\":50.0,\"skill_state\":{{\"develop\":{{\"total\":{size},\"completed\":0,\"tasks\":[{}]}},\"debug\":{{\"hypotheses\":[{}]}},\"validate\":{{\"test_results\":[]}}}}}}",
        list(&|n| format!("{{\"id\":\"t{n}\",\"description\":\"d{n}\",\"status\":\"pending\",\"y\":1e2}}")),
        list(&|n| format!("{{\"id\":\"H{n}\",\"description\":\"d\",\"status\":\"pending\",\"z\":[1]}}")),
    );
    Json::from_node(&Node::parse(text.as_bytes()).expect("valid")).pretty()
}

fn seconds(size: usize) -> f64 {
    let text = large(size);
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let hypotheses = (0..size).map(|n| Hypothesis {
        id: format!("H{n}"),
        description: "d".into(),
        status: "rejected".into(),
        ..Hypothesis::default()
    });
    let debugged =
        LoopV2Operation::Debug(Debugged { hypotheses: hypotheses.collect(), ..Debugged::default() });
    let developed =
        LoopV2Operation::Develop(Developed { task_id: format!("t{}", size - 1), ..Developed::default() });
    let start = std::time::Instant::now();
    for operation in [&debugged, &developed] {
        let outcome = operate(text.as_bytes(), &FACTS, operation, &situation).expect("legal");
        let edited = text_edit::apply(text.as_bytes(), &outcome.edits).expect("disjoint");
        assert_eq!(edited.windows(4).filter(|window| window == b"50.0").count(), 1);
    }
    let doc: String =
        (0..size).map(|n| format!("{n}. [ ] task {n}\n### Iteration {n} - task {n} (t)\n")).collect();
    let doc = Companion {
        kind: CompanionKind::DevelopDoc,
        file: "develop.md".into(),
        bytes: format!("## Task List\n{doc}").into_bytes(),
        cut: false,
    };
    let _ = ccw_v2::recover::recover(&text.as_bytes()[..text.len() / 2], None, &[doc], &FACTS);
    start.elapsed().as_secs_f64()
}

#[test]
fn time_grows_with_the_size_only() {
    let (small, large) = (0..3)
        .map(|_| (seconds(500), seconds(4_000)))
        .fold((f64::MAX, f64::MAX), |best, next| (best.0.min(next.0), best.1.min(next.1)));
    assert!(large < small * 8.0 * 3.0, "8 times the size took {:.1} times as long", large / small);
}
