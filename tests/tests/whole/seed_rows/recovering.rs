//! Rows 119 to 126: rebuilding after damage to the master (the CCW contract §16).

use crate::seed_rows::Row;
use crate::seed_rows::stage::Stage;
use crate::seed_rows::told::Told;
use loopdeck_core::control::MetadataPatch;
use loopdeck_core::recovery::{ApiField, ProposalSource, StatusChoice, Supplied};
use loopdeck_runtime::views::LoopChange;
use loopdeck_tests::live::{Live, ROOT};
use serde_json::{Value, json};
use std::fs;

const BOTH: &str = "000/001/004";

/// The driven loop with its files, its master replaced by `master`.
fn damaged(told: &Told, master: &str) -> (Live, String) {
    let live = Live::with(|workspace| {
        let root = workspace.join(ROOT);
        for (name, text) in &told.files {
            let (folder, file) = name.split_once('/').unwrap_or(("", name));
            let path = match folder {
                "" => root.join(format!("{}.{file}", told.id)),
                folder => root.join(format!("{}.{folder}", told.id)).join(file),
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::write(root.join(format!("{}.json", told.id)), master).unwrap();
    });
    let name = format!("{}.json", told.id);
    live.age(&name);
    live.runtime.rescan().unwrap();
    (live, name)
}

/// The first proposal, written.
fn recovered(told: &Told, master: &str) -> Value {
    let (live, name) = damaged(told, master);
    let page = live.runtime.recovery(&live.key(&name)).unwrap();
    let first = page.options.first().expect("a proposal");
    let (way, fingerprint) = (first.way, first.fingerprint.clone());
    live.change(&name, LoopChange::Recover { way, fingerprint, supplied: Default::default() }).unwrap();
    serde_json::from_str(&live.read(&name)).unwrap()
}

fn broken(told: &Told) -> String {
    let text = serde_json::to_string_pretty(told.last()).unwrap();
    text[..text.find("\"skill_state\"").unwrap() + 20].to_owned()
}

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row(119, BOTH, "recovery: develop from develop.md", |s| {
            let tasks = recovered(&s.auto, &broken(&s.auto))["skill_state"]["develop"]["tasks"].clone();
            let named: Vec<(&Value, &Value)> =
                tasks.as_array().unwrap().iter().map(|task| (&task["id"], &task["status"])).collect();
            assert_eq!(
                named,
                [(&json!("task-001"), &json!("completed")), (&json!("task-002"), &json!("completed"))]
            );
        }),
        Row(120, BOTH, "recovery: debug from debug.md", |s| {
            let debug = recovered(&s.auto, &broken(&s.auto))["skill_state"]["debug"].clone();
            assert_eq!(
                (&debug["confirmed_hypothesis"], debug["hypotheses"].as_array().map(Vec::len)),
                (&json!("H1"), Some(4))
            );
        }),
        Row(121, BOTH, "recovery: validate from validate.md", |s| {
            let validate = recovered(&s.auto, &broken(&s.auto))["skill_state"]["validate"].clone();
            assert_eq!(validate["passed"], true);
            assert_eq!(validate["test_results"].as_array().map(Vec::len), Some(1), "the latest run");
        }),
        Row(122, BOTH, "recovery: a corrupt master is seen", |s| {
            let (live, name) = damaged(&s.auto, &broken(&s.auto));
            let problem = &live.detail(&name).problems[0];
            assert!(problem.code.name().starts_with("E1"), "{problem:?}");
        }),
        Row(123, BOTH, "recovery: the fullest proposal comes first", |s| {
            let (live, name) = damaged(&s.auto, &broken(&s.auto));
            let page = live.runtime.recovery(&live.key(&name)).unwrap();
            let facts = |text: &str| serde_json::from_str::<Value>(text).map_or(0, |state| leaves(&state));
            let counts: Vec<usize> = page.options.iter().map(|option| facts(&option.text)).collect();
            assert!(counts.iter().all(|count| *count <= counts[0]), "{counts:?}");
            assert_ne!(page.options[0].way, ProposalSource::Prefix, "the beginning alone has no task");
        }),
        Row(124, "001", "recovery: fields of the API are typed in", fields_of_the_api_are_typed_in),
        Row(125, "001", "recovery: the task list from tasks.jsonl", |s| {
            let mut told = Told { files: s.listed.files.clone(), ..copy(&s.listed) };
            told.files.remove("progress/develop.md");
            let tasks = recovered(&told, "{ not json")["skill_state"]["develop"]["tasks"].clone();
            assert!(
                tasks.as_array().is_some_and(|tasks| tasks.iter().any(|task| task["id"] == "task-9")),
                "{tasks}"
            );
        }),
        Row(126, "001", "recovery: a file that was swapped with another loop's", |s| {
            let mut other = s.listed.last().clone();
            other["loop_id"] = json!("loop-v2-20260101T000000-00000000");
            let state = recovered(&s.auto, &other.to_string());
            assert_eq!(state["loop_id"], json!(s.auto.id));
            assert_eq!(state["skill_state"]["debug"]["confirmed_hypothesis"], "H1");
        }),
    ]
}

fn fields_of_the_api_are_typed_in(s: &Stage) {
    // Title, description and the time of creation are in the progress files; no file has the other
    // API fields.
    let (live, name) = damaged(&s.auto, "");
    let page = live.runtime.recovery(&live.key(&name)).unwrap();
    let first = page.options.first().expect("a proposal");
    let asked: Vec<ApiField> = first.asked.iter().map(|asked| asked.field).collect();
    let made_up = [ApiField::Status, ApiField::CurrentIteration, ApiField::MaxIterations];
    let labels = [ApiField::Tags, ApiField::Priority, ApiField::Notes];
    assert_eq!(asked, [made_up, labels].concat());
    let supplied = Supplied {
        metadata: MetadataPatch { max_iterations: Some(7), ..MetadataPatch::default() },
        status: Some(StatusChoice::Failed),
        current_iteration: Some(4),
        created_at: Some("2026-01-21T10:00:00Z".into()),
    };
    let (way, fingerprint) = (first.way, first.fingerprint.clone());
    live.change(&name, LoopChange::Recover { way, fingerprint, supplied }).unwrap();
    let state: Value = serde_json::from_str(&live.read(&name)).unwrap();
    let typed = ["status", "current_iteration", "max_iterations", "created_at"].map(|field| &state[field]);
    assert_eq!(typed, [&json!("failed"), &json!(4), &json!(7), &json!("2026-01-21T10:00:00Z")]);
    let title = s.auto.at("/title").as_str().unwrap();
    assert!(state["title"].as_str().unwrap().starts_with(title), "{}", state["title"]);
}

fn copy(told: &Told) -> Told {
    Told {
        states: told.states.clone(),
        files: told.files.clone(),
        page: told.page.clone(),
        tests: told.tests.clone(),
        id: told.id.clone(),
    }
}

/// How many values a state holds.
fn leaves(state: &Value) -> usize {
    match state {
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Object(fields) => fields.values().map(leaves).sum(),
        Value::Null => 0,
        _ => 1,
    }
}
