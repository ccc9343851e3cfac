//! Ralph-orchestrator: the tasks of its loops, counted a second time.

use crate::common::{NOW, assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::{
    Beside, Change, FactValue, FindingCode, Item, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request,
    Source,
};
use proptest::prelude::*;

const TASKS: &str = ".ralph/agent/tasks.jsonl";
const PAD: &str = ".ralph/agent/scratchpad.md";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/orchestrator/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8], beside: &[(&str, &[u8])]) -> Plan {
    plan_of(PlanKind::Orchestrator, TASKS, bytes, beside)
}

/// Tasks, closed ones and blockers, by the lines that are JSON.
fn counted(bytes: &[u8]) -> (usize, usize, usize) {
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let tasks: Vec<_> = rows.filter(|row| row.get("title").is_some()).collect();
    let closed = tasks.iter().filter(|task| task["status"] == "closed").count();
    let blockers = tasks.iter().filter_map(|task| task["blocked_by"].as_array()).map(Vec::len).sum();
    (tasks.len(), closed, blockers)
}

fn count(plan: &Plan) -> (usize, usize, usize) {
    let (done, all) = plan.progress();
    (all, done, plan.items.iter().map(|item| item.depends_on.len()).sum())
}

fn next(plan: &Plan) -> Vec<&str> {
    PlanKind::Orchestrator.format().next(plan).into_iter().map(|at| plan.items[at].text.as_str()).collect()
}

#[test]
fn tasks_blockers_and_what_is_ready() {
    let plan = plan(fixture!("chain.jsonl"), &[]);
    assert_eq!(count(&plan), counted(fixture!("chain.jsonl")));
    assert_counts(&plan, 6, 1);
    // A failed blocker is not a closed one.
    assert_eq!(next(&plan), ["Dish 4"]);
    let states: Vec<_> = plan.items.iter().map(|item| item.state).collect();
    use ItemState::{Active, Done, Failed, Open};
    assert_eq!(states, [Done, Active, Open, Open, Failed, Open]);
    let Item { details, group, priority, line, .. } = &plan.items[0];
    assert_eq!((details.as_str(), group.as_deref()), ("Peel", Some("primary-20261129-100000")));
    assert_eq!((priority.as_deref(), *line), (Some("2"), 1));
    assert!(plan.findings.is_empty());
    assert_eq!((plan.status, plan.process), (None, None));
}

#[test]
fn a_blocker_that_is_no_id_never_goes_away() {
    let plan = plan(fixture!("text_blockers.jsonl"), &[]);
    assert_eq!(count(&plan), counted(fixture!("text_blockers.jsonl")));
    assert_eq!(codes(&plan), [FindingCode::NeverReady; 3]);
    assert!(next(&plan).is_empty());
    let found: Vec<_> = plan.findings.iter().map(|finding| finding.args[1].1.as_str()).collect();
    assert_eq!(found, ["menu:1", "Priority: 1", "PLACEHOLDER"]);
}

#[test]
fn torn_lines_are_told_and_cost_one_task() {
    let plan = plan(fixture!("broken.jsonl"), &[]);
    assert_eq!(codes(&plan), [FindingCode::Corrected; 2]);
    assert_eq!(plan.findings[0].line, Some(2));
    // The last one is read, but not changed: the tool leaves it out.
    assert_eq!(plan.items.len(), 3);
    assert!(plan.items[1].mark.is_some() && plan.items[2].mark.is_none());
    assert_eq!(counted(fixture!("broken.jsonl")), (2, 1, 1));
    assert_eq!(plan.items[2].line, 5);
}

#[test]
fn files_of_other_tools_are_left_alone() {
    for bytes in [fixture!("other_tool.jsonl"), b"{}\n", b"[]", b"hello", b"{\"id\":\"a\",\"title\":\"b\"}\n"]
    {
        assert_eq!(read(PlanKind::Orchestrator, TASKS, bytes, &[]), Ok(None));
    }
    assert_eq!(read(PlanKind::Orchestrator, TASKS, b"", &[]), Err(ReadError::Empty));
    assert_eq!(read(PlanKind::Orchestrator, TASKS, b"\xff", &[]), Err(ReadError::NotText { offset: 0 }));
}

#[test]
fn repeated_ids_and_circles() {
    let plan = plan(fixture!("repeated.jsonl"), &[]);
    assert_eq!(codes(&plan), [FindingCode::RepeatedId, FindingCode::NeverReady]);
    assert_eq!(next(&plan), ["Dish 1"]);
}

#[test]
fn odd_types_are_read_as_far_as_they_go() {
    let plan = plan(fixture!("odd_types.jsonl"), &[]);
    assert_eq!(plan.items.len(), 4);
    assert_eq!(plan.items[0].state, ItemState::Unknown);
    assert_eq!(plan.items[0].priority.as_deref(), Some("high"));
    assert_eq!(plan.items[1].depends_on, ["task-1700000001-0001"]);
    assert_eq!(plan.items[2].id, "77");
    assert_eq!((plan.items[3].word.as_str(), &plan.items[3].mark), ("5", &None));
    let unknown = plan.findings.iter().filter(|finding| finding.code == FindingCode::UnknownWord).count();
    assert_eq!(unknown, 2);
}

#[test]
fn a_status_with_escapes_is_read_and_not_changed() {
    let plan = plan(fixture!("escaped.jsonl"), &[]);
    assert_eq!((plan.items[0].state, &plan.items[0].mark), (ItemState::Open, &None));
    assert!(plan.items[1].mark.is_some());
    let quoted = self::plan(br#"{"id":"a","title":"b","status":"a\"","created":"x"}"#, &[]);
    assert_eq!((quoted.items[0].word.as_str(), &quoted.items[0].mark), ("a\"", &None));
}

#[test]
fn the_events_tell_how_the_newest_run_ended() {
    let lock: (&str, &[u8]) =
        ("../loop.lock", br#"{"pid": 4711, "started": "2026-11-29T10:00:00Z", "prompt": "Cook it"}"#);
    let done = plan(
        fixture!("chain.jsonl"),
        &[
            lock,
            ("../current-events", b".ralph/events-20261129-100000.jsonl\n"),
            ("../events-20261129-100000.jsonl", fixture!("events_done.jsonl")),
            ("../events-20261130-100000.jsonl", fixture!("events_limit.jsonl")),
        ],
    );
    assert_eq!((done.status, done.reason.as_deref()), (Some(PlanStatus::Completed), Some("completed")));
    assert_eq!((done.iteration, done.process, done.goal.as_deref()), (Some(4), None, Some("Cook it")));
    assert_eq!(done.events.len(), 4);
    assert_eq!(done.events[1].item.as_deref(), Some("task-1700000001-0001"));
    assert_eq!(done.events[2].text, "check: {\"ok\": true}");
    // Three tasks are open and one is being done.
    assert!(finding(&done, FindingCode::SourcesDisagree).args.contains(&("expected", "1/6".to_owned())));
    let limit = plan(fixture!("chain.jsonl"), &[("../events.jsonl", fixture!("events_limit.jsonl"))]);
    assert_eq!(limit.status, Some(PlanStatus::LimitReached));
    let on = plan(fixture!("chain.jsonl"), &[lock, ("../events.jsonl", fixture!("events_resumed.jsonl"))]);
    assert_eq!((on.status, on.process, on.reason), (Some(PlanStatus::Running), Some(4711), None));
    // A name that isn't there, or that leads elsewhere, is no events file.
    let lost = plan(
        fixture!("chain.jsonl"),
        &[("../current-events", b"../../etc/passwd"), ("../events.jsonl", b"{}")],
    );
    assert_eq!(lost.status, None);
}

#[test]
fn what_another_loop_left_open_is_no_contradiction() {
    let task = |id: &str, status: &str, of: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"T\",\"status\":\"{status}\",\"created\":\"x\",\"loop_id\":\"{of}\"}}\n"
        )
    };
    let text = task("a", "open", "primary-1") + &task("b", "closed", "primary-2");
    let ended = fixture!("events_done.jsonl");
    let with = |current: &[u8]| {
        plan(text.as_bytes(), &[("../current-loop-id", current), ("../events.jsonl", ended)])
    };
    let other = with(b"primary-2\n");
    assert_eq!((other.status, other.findings.len()), (Some(PlanStatus::Completed), 0));
    assert_counts(&other, 2, 1);
    assert_eq!(codes(&with(b"primary-1")), [FindingCode::SourcesDisagree]);
    assert_eq!(codes(&with(b"")), [FindingCode::SourcesDisagree]);
}

#[test]
fn the_history_tells_it_without_events() {
    let with = |line: &str| plan(fixture!("chain.jsonl"), &[("../history.jsonl", line.as_bytes())]).status;
    let started = r#"{"ts":"1","type":{"kind":"loop_started","prompt":"x"}}"#;
    let ended = r#"{"ts":"2","type":{"kind":"loop_completed","reason":"completion_promise"}}"#;
    assert_eq!(with(started), Some(PlanStatus::Running));
    assert_eq!(with(&format!("{started}\n{ended}\n")), Some(PlanStatus::Completed));
    assert_eq!(with(r#"{"type":{"kind":"loop_terminated","signal":"TERM"}}"#), Some(PlanStatus::Stopped));
    assert_eq!(with("no"), None);
}

#[test]
fn what_waits_for_a_person_and_other_loops() {
    let plan = plan(
        fixture!("chain.jsonl"),
        &[
            ("../suspend-state.json", br#"{"loop_id":"a","reason":"The gate hook said no"}"#),
            ("../merge-queue.jsonl", fixture!("queue.jsonl")),
            (
                "../loops.json",
                br#"{"loops":[{"id":"a","pid":1,"prompt":"Soup"},{"id":"b","prompt":"Bread"}]}"#,
            ),
            ("../current-loop-id", b"primary-1\n"),
        ],
    );
    assert_eq!(plan.status, Some(PlanStatus::Paused));
    assert_eq!(plan.needs, ["The gate hook said no", "calm-owl: conflict in menu.md"]);
    let fact = |name: &str| plan.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone());
    let list = |texts: [&str; 2]| Some(FactValue::List(texts.map(str::to_owned).to_vec()));
    assert_eq!(fact("loops"), list(["Soup", "Bread"]));
    assert_eq!(fact("merge_queue"), list(["calm-owl: needs_review", "red-fox: queued"]));
    assert_eq!(fact("loop_id"), Some(FactValue::Code("primary-1".to_owned())));
}

#[test]
fn requests_are_files_that_the_loop_looks_for() {
    let format = PlanKind::Orchestrator.format();
    let stop = [Beside { file: "../stop-requested", bytes: b"" }];
    let source = |beside| Source { file: TASKS, bytes: b"", beside, modified: NOW, now: NOW };
    let mut plan = plan(fixture!("chain.jsonl"), &[]);
    let create = |name| Some(Change { create: Some(name), ..Change::default() });
    assert_eq!(format.request(&source(&[]), &plan, Request::Stop), create("../stop-requested"));
    assert_eq!(format.request(&source(&stop), &plan, Request::Stop), None);
    assert_eq!(format.request(&source(&[]), &plan, Request::Pause), None);
    assert_eq!(format.request(&source(&[]), &plan, Request::Resume), None);
    plan.status = Some(PlanStatus::Paused);
    assert_eq!(format.request(&source(&[]), &plan, Request::Resume), create("../resume-requested"));
    plan.status = Some(PlanStatus::Completed);
    assert_eq!(format.request(&source(&[]), &plan, Request::Stop), None);
}

#[test]
fn the_command_goes_on_where_there_is_a_scratchpad() {
    let format = PlanKind::Orchestrator.format();
    let pad = [Beside { file: "scratchpad.md", bytes: b"x" }];
    let source = |beside| Source { file: TASKS, bytes: b"", beside, modified: NOW, now: NOW };
    let command = |beside| format.command(&source(beside), &Plan::default()).unwrap().join(" ");
    assert_eq!(command(&[]), "ralph run --autonomous");
    assert_eq!(command(&pad), "ralph run --continue --autonomous");
}

#[test]
fn a_scratchpad_is_the_list_where_there_are_no_tasks() {
    let bytes = fixture!("scratchpad.md");
    let plan = plan_of(PlanKind::Orchestrator, PAD, bytes, &[]);
    assert_counts(&plan, 2, 1);
    assert_eq!(ids(&plan.items), ["1", "2", "3"]);
    assert_eq!(plan.items[1].state, ItemState::Dropped);
    assert!(plan.items.iter().all(|item| item.mark.is_none()));
    let beside: &[(&str, &[u8])] = &[("tasks.jsonl", fixture!("chain.jsonl"))];
    assert_eq!(read(PlanKind::Orchestrator, PAD, bytes, beside), Ok(None));
    assert_eq!(read(PlanKind::Orchestrator, PAD, b"Notes only\n", &[]), Ok(None));
    let notes = plan_of(PlanKind::Orchestrator, PAD, b"Notes only\n", &[("../loop.lock", b"{\"pid\":1}")]);
    assert_eq!((codes(&notes), notes.process), (vec![FindingCode::NoItems], Some(1)));
}

#[test]
fn a_change_of_a_state_changes_no_other_byte() {
    for bytes in [
        fixture!("chain.jsonl"),
        fixture!("text_blockers.jsonl"),
        fixture!("broken.jsonl"),
        fixture!("repeated.jsonl"),
        fixture!("odd_types.jsonl"),
        fixture!("escaped.jsonl"),
    ] {
        assert_only_marks_change(PlanKind::Orchestrator, TASKS, bytes);
    }
}

#[test]
fn two_thousand_tasks_are_read() {
    let line = |at: usize| {
        format!(
            "{{\"id\":\"t{at}\",\"title\":\"T\",\"status\":\"open\",\"blocked_by\":[\"t{}\"],\"created\":\"x\"}}\n",
            at / 2
        )
    };
    let text: String = (1..=2_000).map(line).collect();
    let plan = plan(text.as_bytes(), &[]);
    assert_eq!((plan.items.len(), plan.items[1_999].line), (2_000, 2_000));
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{\"id\":\"a\",\"title\":\"é\",\"status\":\"open\",\"blocked_by\":[]}\n"),
        Just("{\"id\":\"b\",\"title\":\"B\",\"status\":\"closed\",\"blocked_by\":[\"a\",\"open\"]}\r\n"),
        Just("{ \"status\" : \"in_progress\" , \"title\":\"open\", \"id\":\"c\",\"created\":1}"),
        Just("{\"id\":\"d\",\"title\":\"D\",\"status\":\"fa"),
        Just("{\"id\":\"e\",\"title\":\"E\",\"status\":\"failed\",\"created\":\"x\",}\n"),
        Just("\n"),
        Just(","),
        Just("[{"),
        Just("\u{feff}"),
        Just("\"status\":\"open\""),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes: Vec<u8>, other: Vec<u8>, text: String, more: String) {
        for (bytes, beside) in [(bytes.as_slice(), other.as_slice()), (text.as_bytes(), more.as_bytes())] {
        for file in [TASKS, PAD] {
            let files = ["../current-events", "../events.jsonl", "../history.jsonl", "../loop.lock", "../loops.json",
                "../merge-queue.jsonl", "../suspend-state.json"];
            let beside = files.map(|file| Beside { file, bytes: beside });
            let source = Source { file, bytes, beside: &beside, modified: 0, now: NOW };
            let _ = PlanKind::Orchestrator.read(&source);
        }
        }
    }

    #[test]
    fn marks_are_where_they_say(text in pieces()) {
        let Ok(Some(plan)) = read(PlanKind::Orchestrator, TASKS, text.as_bytes(), &[]) else { return Ok(()) };
        for item in &plan.items {
            let Some(range) = item.mark.clone() else { continue };
            prop_assert_eq!(&text[range], format!("\"{}\"", item.word));
        }
        if plan.items.iter().any(|item| item.mark.is_some()) {
            assert_only_marks_change(PlanKind::Orchestrator, TASKS, text.as_bytes());
        }
    }
}
