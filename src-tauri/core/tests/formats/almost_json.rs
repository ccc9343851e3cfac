//! Files that are almost JSON, as they were seen in the field: each value that its fault doesn't touch is there, in the
//! list, in the detail and in the first proposal (the CCW contract §8, §12, §16).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue must stop loudly")]

use loopdeck_core::control::Situation;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::progress_docs::ndjson;
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::formats::ccw_v2::edit::task_list::{self, TaskEdit, TaskFields};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::{Problem, ProblemCode};
use loopdeck_core::recovery::{self, ProposalSource, Remains, proposals};
use loopdeck_core::status::StatusWord;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind as Kind};
use loopdeck_text::text_edit;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const V2: &str = "loop-v2-20260301T101500-0a1b2c3d";
const B: &str = "loop-b-20260301T101500-ab12cd34";

const SITUATION: Situation = Situation { shown: StatusWord::Paused, now: NOW };

fn facts(stem: &str) -> FileFacts<'_> {
    FileFacts { stem, modified: NOW, now: NOW }
}

fn file(case: &str, name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/field");
    let path: PathBuf = root.join(case).join("ws/.workflow/.loop").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn master(case: &str) -> Vec<u8> {
    file(case, &format!("{V2}.json"))
}

fn summary(bytes: &[u8]) -> Summary {
    loops::summary(Place::CcwFile, bytes, &facts(V2)).unwrap()
}

fn offers(bytes: &[u8], companions: &[Companion]) -> Vec<(ProposalSource, Recovery)> {
    proposals(Format::LoopV2, &Remains { damaged: bytes, companions, ..Remains::default() }, &facts(V2))
}

fn beside(kind: Kind, file: &str, bytes: Vec<u8>) -> Companion {
    Companion { kind, file: file.to_owned(), bytes, cut: false }
}

/// The file of all these cases without its fault.
fn sound() -> String {
    let fenced = String::from_utf8(master("14-ccw-code-fence")).unwrap();
    fenced[fenced.find('{').unwrap()..=fenced.rfind('}').unwrap()].to_owned() + "\n"
}

fn errors(problems: &[Problem]) -> Vec<(ProblemCode, Option<u32>)> {
    problems.iter().map(|problem| (problem.code, problem.line)).collect()
}

#[test]
fn the_corrected_file_is_offered_with_nothing_but_its_faults_corrected() {
    let sound = sound();
    let expected = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let broken = sound.replace("keep its total", "keep its total right");
    for (case, line, wanted) in [
        ("13-ccw-trailing-commas", 41, &sound),
        ("14-ccw-code-fence", 1, &sound),
        ("17-ccw-smart-quotes", 6, &sound),
        ("28-ccw-python-literals", 21, &sound),
        ("26-ccw-raw-line-break-in-text", 4, &broken),
    ] {
        let bytes = master(case);
        let found = summary(&bytes);
        assert_eq!(errors(&found.problems), [(ProblemCode::E1_not_json, Some(line))], "{case}");
        let offered = offers(&bytes, &[]);
        let (way, first) = &offered[0];
        assert_eq!(*way, ProposalSource::Prefix, "{case}");
        if case.starts_with("26") {
            let text = first.text.replace("form\\nkeep its total\\tright", "form keep its total right");
            assert_eq!(text, **wanted, "{case}");
        } else {
            assert_eq!(first.text, **wanted, "{case}");
        }
        assert_eq!(first.lost, [""; 0], "{case}");
        assert_eq!((first.recovered, first.known), (34, 34), "{case}");
        assert_eq!(expected(&first.text)["status"], "paused");
        assert_eq!(recovery::asked(Format::LoopV2, first), [], "{case}: nothing is made up");
    }
}

#[test]
fn a_recovery_counts_what_it_does_not_recover() {
    let bytes = master("18-ccw-cut-in-a-string");
    assert_eq!(errors(&summary(&bytes).problems), [(ProblemCode::E1_not_json, Some(37))]);
    let offered = offers(&bytes, &[]);
    let (way, first) = &offered[0];
    assert_eq!(*way, ProposalSource::Prefix);
    let state: Value = serde_json::from_str(&first.text).unwrap();
    let tasks = &state["skill_state"]["develop"]["tasks"];
    assert_eq!((&tasks[0]["id"], &tasks[0]["status"]), (&json!("task-001"), &json!("completed")));
    assert_eq!((&tasks[1]["id"], &tasks[1]["description"]), (&json!("task-002"), &Value::Null));
    assert_eq!((&state["status"], &state["current_iteration"]), (&json!("paused"), &json!(3)));
    // Each field of a section behind the cut, and the text in which the file ends.
    assert_eq!((first.recovered, first.known as usize), (23, 23 + first.lost.len()));
    assert!(
        first.lost.contains(&"skill_state.develop.tasks[task-002].description".to_owned()),
        "{:?}",
        first.lost
    );
    assert!(first.lost.contains(&"skill_state.errors".to_owned()), "{:?}", first.lost);
    // One unreadable value in the middle is one value, and the fields behind it are kept.
    let text = sound().replace("\"Round to cents\"", "@@");
    let offered = offers(text.as_bytes(), &[]);
    let first = &offered[0].1;
    assert_eq!((first.recovered, first.known), (33, 34));
    assert_eq!(first.lost, ["skill_state.develop.tasks[task-002].description"]);
    let state: Value = serde_json::from_str(&first.text).unwrap();
    let mut wanted: Value = serde_json::from_str(&sound()).unwrap();
    wanted["skill_state"]["develop"]["tasks"][1].as_object_mut().unwrap().remove("description");
    assert_eq!(state, wanted);
    // What the value was, the text next to the loop says.
    let doc = "# Development Progress\n\n## Task List\n\n1. [x] Add up the lines\n2. [ ] Round to cents\n";
    let offered = offers(text.as_bytes(), &[beside(Kind::DevelopDoc, "develop.md", doc.into())]);
    let state: Value = serde_json::from_str(&offered[0].1.text).unwrap();
    let tasks = state["skill_state"]["develop"]["tasks"].as_array().unwrap();
    assert_eq!(
        (tasks.len(), &tasks[1]["id"], &tasks[1]["description"]),
        (2, &json!("task-002"), &json!("Round to cents"))
    );
    assert_eq!(
        (offered[0].1.recovered, offered[0].1.known, &offered[0].1.lost[..]),
        (34, 34, &[][..] as &[String])
    );
}

#[test]
fn half_an_emoji_is_json() {
    let bytes = master("20-ccw-half-emoji");
    let found = summary(&bytes);
    assert_eq!((errors(&found.problems), found.title.as_str()), (vec![], "Fix the tea \u{fffd}"));
}

#[test]
fn the_side_of_a_merge_conflict_is_named() {
    let bytes = master("21-ccw-merge-conflict");
    assert_eq!(errors(&summary(&bytes).problems), [(ProblemCode::E1_not_json, Some(6))]);
    for (bytes, status, side) in [
        (bytes.clone(), "paused", "ours"),
        (
            // The later side counts.
            String::from_utf8(bytes)
                .unwrap()
                .replace("\"running\",", "\"running\",\n  \"updated_at\": \"2026-03-01T12:00:00.000Z\",")
                .replacen("  \"updated_at\": \"2026-03-01T11:00:00.000Z\",\n", "", 1)
                .replace("\"paused\",", "\"paused\",\n  \"updated_at\": \"2026-03-01T11:00:00.000Z\",")
                .into_bytes(),
            "running",
            "theirs",
        ),
    ] {
        let offered = offers(&bytes, &[]);
        let first = &offered[0].1;
        let state: Value = serde_json::from_str(&first.text).unwrap();
        assert_eq!(state["status"], status);
        let source = |path: &str| first.provenance.iter().find(|field| field.path == path).unwrap().source;
        assert_eq!((source("status"), source("title")), (side, "prefix"));
        assert_eq!(first.lost, [""; 0]);
    }
}

#[test]
fn a_task_list_is_read_over_its_faults_and_kept_byte_for_byte() {
    let bytes = file("24-ccw-tasks-jsonl-pretty", &format!("{V2}/tasks.jsonl"));
    let list = beside(Kind::TaskList, "tasks.jsonl", bytes.clone());
    let master = master("24-ccw-tasks-jsonl-pretty");
    let detail = loops::detail(Format::LoopV2, &master, &facts(V2), &SITUATION, std::slice::from_ref(&list));
    let ids: Vec<&str> = detail.task_list.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["task-1-aaaaaaaa", "task-2-bbbbbbbb", "task-3-cccccccc"]);
    let found: Vec<_> =
        detail.problems.iter().filter(|problem| problem.code == ProblemCode::W10_bad_line).collect();
    assert_eq!(found.iter().map(|problem| problem.line).collect::<Vec<_>>(), [Some(1), Some(10)]);
    let add = TaskEdit::Add {
        id: "task-4-dddddddd".to_owned(),
        task: TaskFields { description: "Four".into(), mode: "write".into(), ..TaskFields::default() },
    };
    let edits = task_list::edit(&bytes, &add, NOW).unwrap();
    assert!(text_edit::apply(&bytes, &edits).unwrap().starts_with(&bytes), "nothing that is there changes");
    let clean = loopdeck_core::formats::ccw_v2::recover::task_list::clean(&bytes, None).unwrap();
    assert_eq!((clean.kept, clean.lost.len(), clean.text.lines().count()), (3, 0, 3));
    let again = task_list::edit(clean.text.as_bytes(), &add, NOW).unwrap();
    assert!(!again.is_empty());
}

#[test]
fn logs_are_read_over_their_noise() {
    let log = file("25-ccw-progress-noise", &format!("{V2}.progress/debug.log"));
    let read = ndjson::debug_entries(&log);
    assert_eq!((read.entries.len(), read.foreign, read.unfinished), (2, 3, Some(5)));
    let python = b"{'hid': 'H1', 'ts': 1, 'func': 'f', 'data': {'x': None, 'y': nan}}\n{\"hid\":\"H2\",\"ts\":2,\"data\":NaN}\n";
    let read = ndjson::debug_entries(python);
    assert_eq!((read.entries.len(), read.foreign), (2, 0));
    assert_eq!(read.entries[0].data.compact(), "{\"x\":null,\"y\":null}");
}

#[test]
fn outputs_of_workers_are_listed_and_their_faults_reported() {
    let case = "41b-loopb-worker-outputs";
    let companions: Vec<Companion> = ["init", "develop", "debug", "validate"]
        .map(|action| {
            let name = format!("{action}.output.json");
            beside(Kind::WorkerOutput, &name, file(case, &format!("{B}.workers/{name}")))
        })
        .into();
    let master = file(case, &format!("{B}.json"));
    let detail = loops::detail(Format::LoopB, &master, &facts(B), &SITUATION, &companions);
    let workers: Vec<(&str, &str, &str)> = detail
        .workers
        .iter()
        .map(|worker| (worker.action.as_str(), worker.status.as_str(), worker.summary.as_str()))
        .collect();
    assert_eq!(
        workers,
        [
            ("init", "success", "Planned"),
            ("develop", "success", ""),
            ("debug", "", ""),
            ("validate", "success", "ok")
        ]
    );
    assert_eq!(detail.workers[3].files_changed, ["cart.js"]);
    let reported: Vec<(&str, ProblemCode)> = detail
        .problems
        .iter()
        .filter(|problem| problem.code.name().starts_with("W10"))
        .map(|problem| (problem.path.as_str(), problem.code))
        .collect();
    for (file, code) in [
        ("init.output.json", ProblemCode::W10_bad_line),
        ("develop.output.json", ProblemCode::W10_bad_line),
        ("debug.output.json", ProblemCode::W10_empty_output),
    ] {
        assert!(reported.contains(&(file, code)), "{file}: {reported:?}");
    }
}

/// A master that says nothing, next to whole files of its loop.
#[test]
fn a_master_without_a_state_is_rebuilt_from_all_that_is_there() {
    const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/ccw/codex-ccw-loop-synth/2-debugging")
        .join(format!("{STEM}.progress"));
    let companions: Vec<Companion> = [
        (Kind::DevelopDoc, "develop.md"),
        (Kind::DebugDoc, "debug.md"),
        (Kind::ValidateDoc, "validate.md"),
        (Kind::ChangesLog, "changes.log"),
        (Kind::Hypotheses, "hypotheses.json"),
        (Kind::TestResults, "test-results.json"),
    ]
    .map(|(kind, name)| beside(kind, name, std::fs::read(root.join(name)).unwrap()))
    .into();
    for text in ["[1,2,3]", "null", "\"a text\"", "7", "{}", "true", "[]", "[{\"a\":1}]"] {
        let facts = facts(STEM);
        let found = loops::summary(Place::CcwFile, text.as_bytes(), &facts).unwrap();
        assert!(recovery::is_recoverable(&found), "{text}: {:?}", found.problems);
        let remains = Remains { damaged: text.as_bytes(), companions: &companions, ..Remains::default() };
        let offered = proposals(Format::LoopV2, &remains, &facts);
        let first = &offered[0].1;
        let state: Value = serde_json::from_str(&first.text).unwrap();
        let skill = &state["skill_state"];
        assert_eq!(skill["develop"]["tasks"].as_array().map(Vec::len), Some(4), "{text}");
        assert!(
            skill["develop"]["tasks"].as_array().unwrap().iter().all(|task| task["files_changed"].is_array())
        );
        assert_eq!(skill["debug"]["hypotheses"].as_array().map(Vec::len), Some(3), "{text}");
        assert_eq!(skill["validate"]["test_results"].as_array().map(Vec::len), Some(1), "{text}");
        for lost in ["status", "max_iterations", "current_iteration"] {
            assert!(first.lost.iter().any(|path| path == lost), "{text}: {:?}", first.lost);
        }
        assert_eq!(first.known as usize, first.recovered as usize + first.lost.len(), "{text}");
    }
}

/// The texts count the same iterations: their numbers aren't added up.
#[test]
fn the_iteration_is_proposed_from_one_source() {
    let entry = |number: u32| {
        format!(
            "### Iteration {number} - Task {number} (2026-01-22T02:0{number}:00Z)\n\n#### Status: COMPLETED\n\n"
        )
    };
    let develop: String = (1..=8).map(entry).collect();
    let develop = format!("# Development Progress\n\n## Progress Timeline\n\n{develop}");
    let validate = |number: u32| {
        format!(
            "# Validation Report\n\n## Iteration {number} - Validation Run\n\n### Test Execution Summary\n"
        )
    };
    for (texts, iteration) in [
        (vec![(Kind::DevelopDoc, develop.clone()), (Kind::ValidateDoc, validate(8))], 8),
        (vec![(Kind::DevelopDoc, develop.clone()), (Kind::ValidateDoc, validate(9))], 9),
        (vec![(Kind::DevelopDoc, develop)], 8),
        (vec![(Kind::ValidateDoc, validate(3))], 3),
    ] {
        let companions: Vec<Companion> =
            texts.into_iter().map(|(kind, text)| beside(kind, "x.md", text.into_bytes())).collect();
        let state: Value = serde_json::from_str(&offers(b"", &companions)[0].1.text).unwrap();
        assert_eq!(state["current_iteration"], iteration);
    }
}

/// A version that we put together gets the time of the write; one that existed stays as it is.
#[test]
fn a_proposal_of_ours_gets_the_time_at_which_it_is_written() {
    let text = sound();
    let fresh = recovery::stamped(Format::LoopV2, ProposalSource::Prefix, text.clone(), NOW);
    let time = loopdeck_core::times::to_iso_millis(NOW);
    assert_eq!(fresh, text.replace("2026-03-01T11:00:00.000Z", &time));
    assert_eq!(recovery::stamped(Format::LoopV2, ProposalSource::LastGood, text.clone(), NOW), text);
}

/// The values of a state that are not empty, one by one.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Null => 0,
        Value::String(text) => usize::from(!text.trim().is_empty()),
        _ => 1,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Any fault at any place of a master costs at most the value that it is in.
    #[test]
    fn a_fault_in_a_master_costs_at_most_one_value(line in 1..60_usize, kind in 0..9_usize) {
        let sound = sound();
        let mut lines: Vec<String> = sound.lines().map(str::to_owned).collect();
        let line = line % lines.len();
        let text = lines[line].clone();
        let (key, value) = text.split_once(": ").map_or((None, text.as_str()), |(key, value)| (Some(key), value));
        let is_scalar = key.is_some() && !value.starts_with(['{', '[']);
        lines[line] = match kind {
            0 => format!("{text} // remark, \"quoted\""),
            1 => format!("/* {{ */ {text}"),
            2 if text.ends_with(',') => format!("{text},"),
            3 if text.ends_with(',') => text.trim_end_matches(',').to_owned(),
            4 => text.replace('"', "'").replace("tea shop's", "tea shops"),
            5 if is_scalar => format!("{}: ???,", key.unwrap()),
            6 if is_scalar => format!("{}: NaN,", key.unwrap()),
            7 if is_scalar && value.len() > 3 => format!("{}: {}", key.unwrap(), value.replacen(' ', "\n", 1)),
            8 => format!("{text}\0"),
            _ => return Ok(()),
        };
        let faulty = lines.join("\n");
        let whole: Value = serde_json::from_str(&sound).unwrap();
        let offered = offers(faulty.as_bytes(), &[]);
        prop_assert!(!offered.is_empty(), "{}", faulty);
        let first = &offered[0].1;
        let state: Value = serde_json::from_str(&first.text).unwrap();
        // An id, a status and the like may be made up where it is lost.
        prop_assert!(leaves(&state) + 1 >= leaves(&whole), "{} of {}: {}", leaves(&state), leaves(&whole), faulty);
        let gone = first.known - first.recovered;
        prop_assert!(gone as usize <= 1 + usize::from(kind == 5 || kind == 6), "{}: {:?}: {}", gone, first.lost, faulty);
    }
}
