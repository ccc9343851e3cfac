//! Spec Kit's workflow runs: steps of a workflow with their results, counted a second time.

use crate::common::{NOW, assert_counts, codes, finding, ids, plan_of, read};
use loopdeck_plans::{
    FactValue, FindingCode, Item, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source, ready,
};
use proptest::prelude::*;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/spec_kit_run/", $name))
    };
}

const GATE: &str = fixture!("gate_state.json");
const GATE_STEPS: &str = fixture!("gate_workflow.yml");
const LOOP: &str = fixture!("loop_state.json");
const LOOP_STEPS: &str = fixture!("loop_workflow.yml");
const BRANCHES: &str = fixture!("branches_state.json");
const BRANCHES_STEPS: &str = fixture!("branches_workflow.yml");
const FAN: &str = fixture!("fan_state.json");
const FAN_STEPS: &str = fixture!("fan_workflow.yml");
const OLD: &str = fixture!("old_state.json");
const STALE: &str = fixture!("stale_state.json");
const HOSTILE: &str = fixture!("hostile_state.json");
const HOSTILE_STEPS: &str = fixture!("hostile_workflow.yml");

/// A run in a folder of its name.
fn plan(state: &str, beside: &[(&str, &str)]) -> Plan {
    let run: serde_json::Value = serde_json::from_str(state.trim_start_matches('\u{feff}')).unwrap();
    let file = format!(".specify/workflows/runs/{}/state.json", run["run_id"].as_str().unwrap());
    let beside: Vec<(&str, &[u8])> = beside.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    plan_of(PlanKind::SpecKitRun, &file, state.as_bytes(), &beside)
}

fn states(plan: &Plan) -> Vec<(&str, ItemState)> {
    plan.items.iter().map(|item| (item.id.as_str(), item.state)).collect()
}

fn item<'p>(plan: &'p Plan, id: &str) -> &'p Item {
    plan.items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("{id} in {:?}", ids(&plan.items)))
}

fn fact<'p>(plan: &'p Plan, name: &str) -> Option<&'p FactValue> {
    plan.facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
}

fn list(texts: &[&str]) -> FactValue {
    FactValue::List(texts.iter().map(ToString::to_string).collect())
}

/// The command for a run in this folder.
fn command(folder: &str, state: &str) -> Option<Vec<String>> {
    let file = format!(".specify/workflows/runs/{folder}/state.json");
    let plan = plan_of(PlanKind::SpecKitRun, &file, state.as_bytes(), &[]);
    let source = Source { file: &file, bytes: state.as_bytes(), beside: &[], modified: NOW, now: NOW };
    let format = PlanKind::SpecKitRun.format();
    assert_eq!(format.request(&source, &plan, Request::Pause), None, "nothing in the files stops it");
    assert_eq!(format.named(state.as_bytes()), [""; 0]);
    format.command(&source, &plan)
}

/// Steps of a workflow by its lines: whatever has an id or begins with a command.
fn steps(workflow: &str) -> usize {
    let steps = workflow.split_once("steps:").unwrap().1;
    let is_step = |line: &&str| {
        let line = line.trim_start_matches([' ', '-', '{']);
        line.starts_with("id:") || line.starts_with("command: speckit.plan")
    };
    steps.lines().filter(is_step).count()
}

/// Results with this status, without those of iterations and instances.
fn results(state: &str, status: &str) -> usize {
    let state: serde_json::Value = serde_json::from_str(state).unwrap();
    let results = state["step_results"].as_object().unwrap();
    results.iter().filter(|(id, result)| !id.contains(':') && result["status"] == status).count()
}

#[test]
fn a_gate_waits_for_a_person() {
    let beside = [
        ("workflow.yml", GATE_STEPS),
        ("inputs.json", fixture!("gate_inputs.json")),
        ("log.jsonl", fixture!("gate_log.jsonl")),
    ];
    let plan = plan(GATE, &beside);
    use ItemState::{Blocked, Done, Open};
    assert_eq!(
        states(&plan),
        [("specify", Done), ("review-spec", Blocked), ("lint", Open), ("step-3", Open)]
    );
    assert_eq!((plan.items.len(), plan.progress()), (steps(GATE_STEPS), (results(GATE, "completed"), 4)));
    assert_eq!((plan.word.as_str(), plan.status), ("paused", Some(PlanStatus::Paused)));
    assert_eq!(plan.title.as_deref(), Some("Parcels with reviews"));
    assert_eq!(plan.goal.as_deref(), Some("From the wish to the code"));
    assert_eq!(plan.needs, ["Read specs/001/spec.md first."], "as the person was asked");
    let gate = item(&plan, "review-spec");
    assert_eq!(
        (gate.details.as_str(), &*gate.files),
        ("gate\napprove, reject", &["specs/001/spec.md".to_owned()][..])
    );
    assert_eq!((gate.depends_on.as_slice(), gate.word.as_str()), (&["specify".to_owned()][..], "paused"));
    assert_eq!((gate.file.as_deref(), gate.line, gate.mark.clone()), (Some("workflow.yml"), 16, None));
    assert_eq!(ready(&plan), [0; 0]);
    assert_eq!(
        fact(&plan, "inputs"),
        Some(&list(&["spec: Show where a parcel is", "scope: full", "tries: 3"]))
    );
    assert_eq!(fact(&plan, "version"), Some(&FactValue::Code("1.2.0".to_owned())));
    assert_eq!(fact(&plan, "created_at"), Some(&FactValue::Time("2026-08-01T10:00:00+00:00".to_owned())));
    assert_eq!(plan.events.len(), 5, "a line that is cut is none");
    assert_eq!(plan.events[1].text, "step_completed: completed");
    assert_eq!(plan.events[1].item.as_deref(), Some("specify"));
    assert_eq!(plan.events[4].time, "2026-08-01T10:05:00+00:00");
    assert_eq!(codes(&plan), []);
}

#[test]
fn a_loop_has_its_steps_and_its_count() {
    let log = r#"{"event": "step_started", "step_id": "again:improve:2"}"#;
    let plan = plan(LOOP, &[("workflow.yml", LOOP_STEPS), ("log.jsonl", log)]);
    use ItemState::{Active, Done, Open};
    let expected =
        [("draft", Done), ("again", Active), ("improve", Active), ("check", Done), ("finish", Open)];
    assert_eq!(states(&plan), expected);
    assert_eq!((plan.items.len(), plan.progress()), (steps(LOOP_STEPS), (2, 5)));
    assert_eq!((plan.iteration, plan.limit), (Some(2), Some(4)));
    assert_eq!(fact(&plan, "iterations"), Some(&list(&["again: 2 / 4"])));
    assert_eq!(item(&plan, "check").parent.as_deref(), Some("again"));
    assert_eq!(item(&plan, "check").depends_on, ["improve"]);
    assert_eq!(item(&plan, "improve").depends_on, ["draft"]);
    assert_eq!(item(&plan, "finish").depends_on, ["again"]);
    assert_eq!(item(&plan, "draft").text, "Write a draft of the text");
    assert_eq!(plan.events[0].item.as_deref(), Some("improve"));
    assert_eq!((plan.status, codes(&plan)), (Some(PlanStatus::Running), vec![]));
    // A gate of a later time counts, although the result of its first time has its plain name.
    let paused = LOOP.replace("\"running\"", "\"paused\"").replace(
        r#""again:check:1": {"type": "shell", "output": {"exit_code": 1}, "status": "completed"}"#,
        r#""again:check:1": {"type": "shell", "output": {"exit_code": 1}, "status": "paused"}"#,
    );
    let plan = self::plan(&paused, &[("workflow.yml", LOOP_STEPS)]);
    assert_eq!(item(&plan, "check").state, ItemState::Blocked);
}

#[test]
fn branches_that_were_not_taken_are_left_out() {
    let plan = plan(BRANCHES, &[("workflow.yml", BRANCHES_STEPS)]);
    use ItemState::{Done, Dropped, Failed};
    let expected = [
        ("size", Done),
        ("big", Done),
        ("split", Done),
        ("inner", Done),
        ("web", Dropped),
        ("app", Done),
        ("other", Dropped),
        ("whole", Dropped),
        ("nested", Dropped),
        ("deep", Dropped),
        ("never", Done),
        ("body", Dropped),
        ("try", Failed),
        ("end", Done),
    ];
    assert_eq!(states(&plan), expected);
    assert_eq!(plan.items.len(), steps(BRANCHES_STEPS));
    // The run went on without what failed, so it is no part of what counts.
    assert_counts(&plan, 7, results(BRANCHES, "completed"));
    assert!(item(&plan, "try").optional && item(&plan, "try").details.ends_with("exited with code 2."));
    assert_eq!(item(&plan, "app").group.as_deref(), Some("app"));
    assert_eq!(item(&plan, "deep").parent.as_deref(), Some("nested"));
    assert_eq!((plan.iteration, plan.limit), (Some(0), Some(10)));
    assert_eq!(codes(&plan), []);
    // That is known while the rest runs, and of older runs, whose results don't have it, at the end.
    let early = BRANCHES
        .replace("\"completed\", \"current", "\"running\", \"current")
        .replace("\"current_step_id\": \"end\"", "\"current_step_id\": \"try\"");
    let plan = self::plan(&early, &[("workflow.yml", BRANCHES_STEPS)]);
    assert_eq!((item(&plan, "whole").state, item(&plan, "deep").state), (Dropped, Dropped));
    let old = BRANCHES.replace("condition_result", "result").replace("matched_case", "result");
    let plan = self::plan(&old, &[("workflow.yml", BRANCHES_STEPS)]);
    assert_eq!(states(&plan), expected);
    // Before the condition is known nothing is left out.
    let fresh =
        r#"{"run_id": "b2", "workflow_id": "branches", "status": "running", "current_step_id": "size"}"#;
    let plan = self::plan(fresh, &[("workflow.yml", BRANCHES_STEPS)]);
    assert_counts(&plan, 14, 0);
    assert_eq!(plan.items[0].state, ItemState::Active);
}

#[test]
fn what_is_done_for_each_is_an_item_each() {
    let plan = plan(FAN, &[("workflow.yml", FAN_STEPS)]);
    use ItemState::{Active, Done, Failed, Open};
    let expected = [
        ("list", Done),
        ("each", Active),
        ("each:build:0", Done),
        ("each:build:1", Failed),
        ("each:build:2", Failed),
        ("all", Open),
    ];
    assert_eq!(states(&plan), expected);
    assert_eq!(item(&plan, "each:build:1").text, r#"make {"name": "b"}"#);
    assert!(item(&plan, "each:build:1").parallel && item(&plan, "each:build:1").depends_on == ["list"]);
    let one_by_one = self::plan(
        &FAN.replace("\"max_concurrency\": 2", "\"max_concurrency\": 1"),
        &[("workflow.yml", FAN_STEPS)],
    );
    let second = item(&one_by_one, "each:build:1");
    assert!(!second.parallel && second.depends_on == ["each:build:0"]);
    assert_eq!(item(&plan, "all").depends_on, ["each", "list"]);
    assert_eq!(plan.reason.as_deref(), Some("Shell command exited with code 2."));
    assert_eq!(plan.status, Some(PlanStatus::Failed));
    let fresh = r#"{"run_id": "f2", "workflow_id": "fan", "status": "running", "current_step_id": "list"}"#;
    let plan = self::plan(fresh, &[("workflow.yml", FAN_STEPS)]);
    assert_eq!((plan.items.len(), plan.items[2].id.as_str()), (steps(FAN_STEPS), "build"));
}

#[test]
fn an_old_run_has_its_results_only() {
    let plan = plan(OLD, &[]);
    use ItemState::{Done, Open};
    let expected = [("specify", Done), ("fan", Done), ("fan:item:0", Done), ("review", Done), ("plan", Open)];
    assert_eq!(states(&plan), expected);
    assert_eq!(plan.title.as_deref(), Some("speckit"));
    assert_eq!(plan.items[2].parent.as_deref(), Some("fan"));
    assert_eq!(plan.items[3].depends_on, ["fan"]);
    assert_eq!(ready(&plan), [4]);
    assert_eq!(plan.items[3].text, "Read it");
    // What isn't YAML, or has no steps, is as if it weren't there.
    for workflow in ["steps: [", "steps: 7\n", "\u{0}"] {
        assert_eq!(self::plan(OLD, &[("workflow.yml", workflow)]).items.len(), 5, "{workflow:?}");
    }
}

#[test]
fn a_run_that_only_says_that_it_runs_is_told() {
    let steps = ("workflow.yml", GATE_STEPS);
    let plan = plan(STALE, &[steps]);
    assert_eq!(plan.status, Some(PlanStatus::Running));
    assert_eq!(finding(&plan, FindingCode::StaleRunning).args, [("found", "running".to_owned())]);
    assert_eq!(item(&plan, "review-spec").state, ItemState::Failed);
    // It is being tried again: its result is an old one.
    let plan = self::plan(STALE, &[steps, ("log.jsonl", fixture!("retried_log.jsonl"))]);
    assert_eq!(codes(&plan), []);
    assert_eq!(item(&plan, "review-spec").state, ItemState::Active);
    assert_eq!(plan.events[0].text, "step_failed: no");
    let ended = r#"{"event": "workflow_interrupted", "timestamp": "2026-08-01T10:05:00+00:00"}"#;
    let plan = self::plan(LOOP, &[("log.jsonl", ended)]);
    assert_eq!(codes(&plan), [FindingCode::StaleRunning]);
    let lost = LOOP.replace("\"again:improve:2\"", "null");
    assert_eq!(codes(&self::plan(&lost, &[])), [FindingCode::StaleRunning]);
}

#[test]
fn a_run_that_rests_can_be_gone_on_with() {
    let resume = |run: &str| Some(["specify", "workflow", "resume", run].map(str::to_owned).to_vec());
    assert_eq!(command("0f3c9a1b", GATE), resume("0f3c9a1b"));
    assert_eq!(command("f1", FAN), resume("f1"));
    for (folder, state) in [("loop-1", LOOP), ("b1", BRANCHES), ("stale", STALE)] {
        assert_eq!(command(folder, state), None, "its tool refuses it");
    }
    assert_eq!(command("copied", GATE), None, "the folder has another name");
    for name in ["-x", "a b", "a;b", "$(x)", "..", "", "é", &"a".repeat(101)] {
        let state = GATE.replace("0f3c9a1b", name);
        assert_eq!(command(name, &state), None, "{name}");
    }
}

#[test]
fn files_of_other_tools_are_none() {
    let file = ".specify/workflows/runs/x/state.json";
    for text in [
        fixture!("other_state.json"),
        "[]",
        "{}",
        r#"{"run_id": 1, "workflow_id": "a", "status": "running"}"#,
    ] {
        assert_eq!(read(PlanKind::SpecKitRun, file, text.as_bytes(), &[]), Ok(None), "{text}");
    }
    assert_eq!(read(PlanKind::SpecKitRun, file, b"", &[]), Err(ReadError::Empty));
    assert!(matches!(read(PlanKind::SpecKitRun, file, b"not at all", &[]), Err(ReadError::NotParsed { .. })));
    assert_eq!(read(PlanKind::SpecKitRun, file, b"{\xff", &[]), Err(ReadError::NotText { offset: 1 }));
}

#[test]
fn other_spellings_of_the_file_are_read() {
    let plan = plan(GATE, &[("workflow.yml", GATE_STEPS)]);
    let crlf = GATE_STEPS.replace('\n', "\r\n");
    let other = self::plan(&GATE.replace('\n', "\r\n"), &[("workflow.yml", &crlf)]);
    assert_eq!(other.items, plan.items);
    let file = ".specify/workflows/runs/0f3c9a1b/state.json";
    let bom = ["\u{feff}", GATE].concat();
    let other =
        plan_of(PlanKind::SpecKitRun, file, bom.as_bytes(), &[("workflow.yml", GATE_STEPS.as_bytes())]);
    assert_eq!(states(&other), states(&plan));
    let cut = &GATE[..GATE.find("\"workflow_dir\"").unwrap()];
    let other = plan_of(PlanKind::SpecKitRun, file, cut.as_bytes(), &[]);
    assert_eq!((other.items.len(), codes(&other)), (2, vec![FindingCode::Corrected]));
}

#[test]
fn hostile_texts_stay_texts() {
    let file = ".specify/workflows/runs/h/state.json";
    let beside = [("workflow.yml", HOSTILE_STEPS.as_bytes()), ("inputs.json", &b"{\"inputs\": [1]}"[..])];
    let plan = plan_of(PlanKind::SpecKitRun, file, HOSTILE.as_bytes(), &beside);
    assert_eq!((plan.word.as_str(), plan.status), ("exploded", Some(PlanStatus::Unknown)));
    assert_eq!(plan.title.as_deref(), Some("../x"));
    assert_eq!(finding(&plan, FindingCode::SourcesDisagree).args[0].1, "../../etc");
    assert_eq!(ids(&plan.items), ["step-1", "a", "b", "b", "fan", "fan", "item", "item", "step-4"]);
    assert_eq!((plan.iteration, plan.limit), (Some(u32::MAX), Some(10)));
    let plan = plan_of(PlanKind::SpecKitRun, file, HOSTILE.as_bytes(), &[]);
    assert_eq!(plan.items.len(), 7);
    assert_eq!(plan.items[1].state, ItemState::Unknown);
    assert_eq!(command("h", HOSTILE), None);
}

#[test]
fn a_large_run_is_read() {
    let steps: String = (0..2000).map(|at| format!("- {{id: s{at}, command: do.it}}\n")).collect();
    let results: Vec<String> = (0..2000).map(|at| format!(r#""s{at}": {{"status": "completed"}}"#)).collect();
    let state = format!(
        r#"{{"run_id": "l", "workflow_id": "l", "status": "completed", "current_step_id": "s1", "step_results": {{{}}}}}"#,
        results.join(",")
    );
    let log = r#"{"event": "step_started", "step_id": "s7"}"#.to_owned() + "\n";
    let plan =
        plan(&state, &[("workflow.yml", &format!("steps:\n{steps}")), ("log.jsonl", &log.repeat(20_000))]);
    assert_counts(&plan, 2000, 2000);
    assert_eq!(plan.events.len(), 1000);
}

/// Parts of states and workflows.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("  - id: a\n    type: while\n    steps:\n".to_owned()),
        Just("      - {id: b, type: if, condition: true, then: [{id: c}], else: [{id: d}]}\n".to_owned()),
        Just("  - {id: f, type: fan-out, step: {id: g}, items: x}\n".to_owned()),
        Just("  - {id: s, type: switch, cases: {x: [{id: t}]}, default: [{id: u}]}\n".to_owned()),
        Just("  - *a\n".to_owned()),
        "[a-z:{}\\[\\], -]{0,20}\n",
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let file = ".specify/workflows/runs/x/state.json";
        let _ = read(PlanKind::SpecKitRun, file, &bytes, &[]);
        let beside = [("workflow.yml", &bytes[..]), ("inputs.json", &bytes), ("log.jsonl", &bytes)];
        let _ = read(PlanKind::SpecKitRun, file, GATE.as_bytes(), &beside);
    }

    #[test]
    fn any_workflow_with_any_results_is_read(
        pieces in proptest::collection::vec(piece(), 0..8),
        results in proptest::collection::vec(("[a-gstu](:[a-g]:[0-3]){0,2}", "completed|failed|paused|skipped|odd"), 0..10),
        status in "created|running|paused|completed|failed|aborted|odd",
        current in "[a-gstu](:[a-g]:[0-3]){0,2}",
    ) {
        let results: serde_json::Map<_, _> =
            results.into_iter().map(|(id, status)| (id, serde_json::json!({"status": status, "output": {"items": [1, 2]}}))).collect();
        let known = results.len();
        let state = serde_json::json!({"run_id": "x", "workflow_id": "w", "status": status, "current_step_id": current, "step_results": results});
        let bytes = state.to_string();
        let file = ".specify/workflows/runs/x/state.json";
        let workflow = format!("steps:\n{}", pieces.concat());
        let plan = read(PlanKind::SpecKitRun, file, bytes.as_bytes(), &[("workflow.yml", workflow.as_bytes())]);
        let plan = plan.unwrap().unwrap();
        prop_assert_eq!(&plan.word, &status);
        prop_assert!(plan.items.iter().all(|item| item.mark.is_none()));
        let bare = read(PlanKind::SpecKitRun, file, bytes.as_bytes(), &[]).unwrap().unwrap();
        prop_assert!((known..=known + 1).contains(&bare.items.len()));
    }
}
