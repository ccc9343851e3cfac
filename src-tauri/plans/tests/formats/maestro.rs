//! Maestro: sessions of all versions, counted a second time.

use crate::common::{NOW, assert_counts, codes, finding, ids, plan_of, read};
use loopdeck_plans::{
    Beside, FactValue, FindingCode, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source,
};
use proptest::prelude::*;

const FILE: &str = ".workflow/sessions/20261129-dinner/session.json";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/maestro/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8], beside: &[(&str, &[u8])]) -> Plan {
    plan_of(PlanKind::Maestro, FILE, bytes, beside)
}

/// Steps that count and those that are done, in a chain wherever it is.
fn counted(bytes: &[u8]) -> (usize, usize) {
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    let chain = json.get("chain").or_else(|| json.pointer("/orchestration/chain")).unwrap();
    let words: Vec<_> =
        chain.as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect();
    let done = words.iter().filter(|word| matches!(**word, "completed" | "sealed")).count();
    (done, words.iter().filter(|word| **word != "skipped").count())
}

fn next(plan: &Plan) -> Vec<&str> {
    PlanKind::Maestro.format().next(plan).into_iter().map(|at| plan.items[at].id.as_str()).collect()
}

#[test]
fn the_chain_is_the_work() {
    let plan = plan(fixture!("v30.json"), &[]);
    assert_eq!(plan.progress(), counted(fixture!("v30.json")));
    assert_counts(&plan, 3, 1);
    assert_eq!(ids(&plan.items), ["S1", "S2", "S3"]);
    assert_eq!(plan.items[0].text, "cook-1 --dish soup");
    assert_eq!((plan.items[1].group.as_deref(), plan.items[2].group.as_deref()), (Some("main"), None));
    assert_eq!(plan.items[0].line, 10);
    assert_eq!(
        (plan.title.as_deref(), plan.goal.as_deref()),
        (Some("20261129-dinner"), Some("Cook dinner for six"))
    );
    assert_eq!((plan.word.as_str(), plan.status), ("open", Some(PlanStatus::Running)));
    // A decision that was made needs nobody.
    assert_eq!(plan.needs, ["guests"]);
    assert_eq!(next(&plan), ["S2"]);
    let done = plan.facts.iter().find(|fact| fact.name == "definition_of_done").unwrap();
    assert_eq!(done.value, FactValue::Text("Six plates are empty".to_owned()));
    assert!(plan.findings.is_empty() && plan.items.iter().all(|item| item.mark.is_none()));
}

#[test]
fn an_open_decision_stops_the_chain() {
    let plan = plan(fixture!("v30_gate.json"), &[]);
    assert_eq!(plan.needs, ["salt"]);
    assert!(next(&plan).is_empty());
    assert_eq!(plan.status, Some(PlanStatus::Paused));
}

#[test]
fn only_an_open_session_goes_on() {
    let text = std::str::from_utf8(fixture!("v30.json")).unwrap();
    let free = plan(text.replacen("\"salt\"", "null", 1).as_bytes(), &[]);
    assert_eq!(next(&free), ["S2"]);
    for word in ["completed", "archived", "failed"] {
        let ended = plan(text.replacen("\"open\"", &format!("\"{word}\""), 1).as_bytes(), &[]);
        assert_eq!(ended.word, word);
        assert!(next(&ended).is_empty());
    }
}

#[test]
fn an_archived_session_with_marks_of_windows() {
    let plan = plan(fixture!("v30_archived.json"), &[]);
    assert_eq!(plan.progress(), counted(fixture!("v30_archived.json")));
    assert_counts(&plan, 2, 1);
    let states: Vec<_> = plan.items.iter().map(|item| item.state).collect();
    assert_eq!(states, [ItemState::Done, ItemState::Dropped, ItemState::Failed]);
    assert_eq!(plan.status, Some(PlanStatus::Completed));
    assert!(next(&plan).is_empty());
}

#[test]
fn the_first_version_has_its_chain_in_the_orchestration() {
    let plan = plan(fixture!("v10.json"), &[]);
    assert_eq!(plan.progress(), counted(fixture!("v10.json")));
    assert_counts(&plan, 3, 1);
    assert_eq!(plan.items[1].text, "build --fast");
    assert_eq!(plan.items[1].state, ItemState::Active);
    // The tool makes its own decisions; the one that it gave up is for a person.
    assert_eq!(plan.needs, ["post-build"]);
    assert!(next(&plan).is_empty());
    assert_eq!((plan.status, plan.goal.as_deref()), (Some(PlanStatus::Running), Some("Build a shed")));
    let names: Vec<_> = plan.facts.iter().map(|fact| fact.name).collect();
    assert_eq!(names, ["schema_version", "definition_of_done", "engine", "quality_mode"]);
}

#[test]
fn a_sealed_session_is_done_with_its_summary() {
    let plan = plan(fixture!("v13_sealed.json"), &[]);
    assert_eq!(
        (plan.status, plan.reason.as_deref()),
        (Some(PlanStatus::Completed), Some("The shed stands."))
    );
}

#[test]
fn the_second_version_has_its_chain_in_an_execution() {
    let format = PlanKind::Maestro.format();
    assert_eq!(format.named(fixture!("v20.json")), ["executions/exec-001/execution.json"]);
    let plan =
        plan(fixture!("v20.json"), &[("executions/exec-001/execution.json", fixture!("execution.json"))]);
    assert_eq!(plan.progress(), counted(fixture!("execution.json")));
    assert_counts(&plan, 3, 1);
    assert!(plan.items.iter().all(|item| item.file.as_deref() == Some("executions/exec-001/execution.json")));
    assert_eq!((plan.word.as_str(), plan.status), ("active", Some(PlanStatus::Running)));
    let text = std::str::from_utf8(fixture!("execution.json")).unwrap();
    let text = text.replacen("active", "sealed", 1).replacen(
        "\"seal_summary\": null",
        "\"seal_summary\": \"It swims\"",
        1,
    );
    let sealed = self::plan(fixture!("v20.json"), &[("executions/exec-001/execution.json", text.as_bytes())]);
    assert_eq!((sealed.status, sealed.reason.as_deref()), (Some(PlanStatus::Completed), Some("It swims")));
    let alone = self::plan(fixture!("v20.json"), &[]);
    assert_eq!((codes(&alone), alone.status), (vec![FindingCode::NoItems], None));
}

#[test]
fn before_sessions_a_chain_had_steps() {
    let file = ".workflow/.maestro/maestro-20260601-101500/status.json";
    let bytes = fixture!("status.json");
    let plan = plan_of(PlanKind::Maestro, file, bytes, &[]);
    assert_counts(&plan, 3, 2);
    assert_eq!(ids(&plan.items), ["1", "2", "3", "4"]);
    assert_eq!(
        (plan.items[0].text.as_str(), plan.items[0].details.as_str()),
        ("maestro-plan 2 loaves", "Little flour is left")
    );
    assert_eq!(plan.items[0].group.as_deref(), Some("plan"));
    assert_eq!((next(&plan), plan.status), (vec!["3"], Some(PlanStatus::Running)));
    assert_eq!(
        (plan.title.as_deref(), plan.goal.as_deref()),
        (Some("maestro-20260601-101500"), Some("Bake bread for the fair"))
    );
    assert_eq!(codes(&plan), []);
    let text = String::from_utf8(bytes.to_vec())
        .unwrap()
        .replace("\"running\"", "\"cancelled\"")
        .replace("\"session_id\"", "\"was\"");
    let ended = plan_of(PlanKind::Maestro, file, text.as_bytes(), &[]);
    assert_eq!((ended.status, next(&ended)), (Some(PlanStatus::Stopped), vec![]));
    assert_eq!(ended.title, plan.title);
    // A status file of another tool, and a chain in the place of sessions.
    assert_eq!(read(PlanKind::Maestro, file, br#"{"session_id": "a", "steps": []}"#, &[]), Ok(None));
    assert_eq!(read(PlanKind::Maestro, FILE, bytes, &[]), Ok(None));
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let format = PlanKind::Maestro.format();
    assert!(format.named(fixture!("hostile.json")).is_empty());
    for id in ["", ".", "..", "a/b", "a\\b", "C:", "a\0", ".x", "x.", "é", &"a".repeat(121)] {
        let text = serde_json::json!({"current_execution_id": id}).to_string();
        assert!(format.named(text.as_bytes()).is_empty(), "{id}");
    }
    assert!(format.named(b"{").is_empty() && format.named(b"\xff").is_empty());
    assert!(format.named(br#"{"current_execution_id": 5}"#).is_empty());
    assert_eq!(codes(&plan(fixture!("hostile.json"), &[])), [FindingCode::NoItems]);
}

#[test]
fn a_version_to_come_is_read_as_far_as_it_goes() {
    let plan = plan(fixture!("future.json"), &[]);
    assert_eq!(plan.status, Some(PlanStatus::Unknown));
    assert_eq!(codes(&plan), [FindingCode::UnknownWord; 2]);
    assert_eq!(finding(&plan, FindingCode::UnknownWord).args[1].1, "boiling");
    assert_eq!(plan.items[1].text, "Serve x");
    let odd = self::plan(fixture!("odd.json"), &[]);
    assert_eq!((odd.title.as_deref(), odd.status), (Some("5"), None));
    assert!(odd.items.is_empty() && odd.needs.is_empty());
}

#[test]
fn runs_and_receipts_tell_what_happened() {
    let plan = plan(
        fixture!("v30.json"),
        &[
            ("runs/20261129-001-cook/run.json", fixture!("run1.json")),
            ("runs/20261129-002-cook/run.json", fixture!("run2.json")),
            ("runs/20261129-003-cook/run.json", b"{\"torn"),
            ("receipts/transitions/000000000004-t1.json", fixture!("receipt.json")),
            ("receipts/transitions/000000000005-t2.json", b"[]"),
        ],
    );
    assert_eq!(plan.iteration, Some(2));
    assert_eq!(plan.items[0].details, "The soup is warm");
    assert_eq!(plan.needs, ["guests", "Bake bread"]);
    let events: Vec<_> =
        plan.events.iter().map(|event| (event.text.as_str(), event.item.as_deref())).collect();
    assert_eq!(events, [("The first pot is done", Some("S1"))]);
}

#[test]
fn other_files_are_left_alone() {
    for bytes in [
        fixture!("other.json"),
        b"{}",
        b"[]",
        br#"{"schema_version":"session/3.0"}"#,
        br#"{"schema_version":"run/3.0","session_id":"a"}"#,
    ] {
        assert_eq!(read(PlanKind::Maestro, FILE, bytes, &[]), Ok(None));
    }
    assert_eq!(read(PlanKind::Maestro, FILE, b"", &[]), Err(ReadError::Empty));
    assert!(matches!(read(PlanKind::Maestro, FILE, b"none", &[]), Err(ReadError::NotParsed { .. })));
    assert_eq!(read(PlanKind::Maestro, FILE, b"\xff", &[]), Err(ReadError::NotText { offset: 0 }));
}

#[test]
fn only_its_command_goes_on_with_it() {
    let format = PlanKind::Maestro.format();
    let plan = plan(fixture!("v30.json"), &[]);
    let source = Source { file: FILE, bytes: b"", beside: &[], modified: NOW, now: NOW };
    assert_eq!(format.command(&source, &plan).unwrap(), ["claude", "-p", "/maestro-ralph -c -y"]);
    assert_eq!(format.mark(ItemState::Done), None);
    for request in [Request::Pause, Request::Resume, Request::Stop] {
        assert_eq!(format.request(&source, &plan, request), None);
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!("pending")),
        Just(json!("completed")),
        Just(json!("open")),
        Just(json!("../x")),
        Just(json!(5)),
    ];
    let key = prop_oneof![
        Just("schema_version"),
        Just("chain"),
        Just("orchestration"),
        Just("decisions"),
        Just("status"),
        Just("step_id"),
        Just("args"),
        Just("current_execution_id"),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key.clone().prop_map(str::to_owned), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes: Vec<u8>, other: Vec<u8>, text: String, more: String) {
        for (bytes, beside) in [(bytes.as_slice(), other.as_slice()), (text.as_bytes(), more.as_bytes())] {
        let files = ["runs/a/run.json", "receipts/transitions/1.json"];
        let beside = files.map(|file| Beside { file, bytes: beside });
        let source = Source { file: FILE, bytes, beside: &beside, modified: 0, now: NOW };
        let _ = PlanKind::Maestro.read(&source);
        PlanKind::Maestro.format().named(bytes);
        }
    }

    #[test]
    fn no_shape_breaks_it(mut value in json()) {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("schema_version".to_owned(), "session/3.0".into());
            fields.insert("session_id".to_owned(), "x".into());
        }
        let text = value.to_string();
        let beside: &[(&str, &[u8])] = &[("runs/a/run.json", text.as_bytes()), ("executions/open/execution.json", text.as_bytes())];
        if let Ok(Some(plan)) = read(PlanKind::Maestro, FILE, text.as_bytes(), beside) {
            prop_assert!(PlanKind::Maestro.format().next(&plan).len() <= 1);
        }
    }
}
