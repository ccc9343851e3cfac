//! Pi-ralph: the state, the boxes of its task file, names that are asked for, and the words that pause it.

use crate::common::{assert_counts, codes, finding, ids, plan_of, read};
use loopdeck_plans::FindingCode::{Corrected, DoneWithOpenParts, FileMissing, NoItems, NoLimit, UnknownWord};
use loopdeck_plans::ItemState::{Done, Open, Unknown};
use loopdeck_plans::{Change, FactValue, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source};
use loopdeck_text::text_edit::apply;
use proptest::prelude::*;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/pi_ralph/", $name)).as_slice()
    };
}

const FILE: &str = ".ralph/a.state.json";
const ORCHARD: (&str, &[u8]) = ("orchard-map.md", fixture!("orchard-map.md"));

fn plan(bytes: &[u8], beside: &[(&str, &[u8])]) -> Plan {
    plan_of(PlanKind::PiRalph, FILE, bytes, beside)
}

fn request(bytes: &[u8], request: Request) -> Option<Change> {
    let source = Source { file: FILE, bytes, beside: &[], modified: 0, now: 0 };
    let format = PlanKind::PiRalph.format();
    let plan = format.read(&source).ok().flatten()?;
    format.request(&source, &plan, request)
}

fn named(task_file: &str) -> Vec<String> {
    let state = serde_json::json!({ "taskFile": task_file, "iteration": 1, "status": "active" });
    PlanKind::PiRalph.format().named(state.to_string().as_bytes())
}

#[test]
fn the_state_and_the_boxes_of_its_task() {
    let plan = plan(fixture!("active.state.json"), &[ORCHARD]);
    assert_eq!(plan.title.as_deref(), Some("orchard-map"));
    assert_eq!(plan.goal.as_deref(), Some("Map of the orchard"));
    assert_eq!((plan.status, plan.word.as_str()), (Some(PlanStatus::Running), "active"));
    assert_eq!((plan.iteration, plan.limit), (Some(7), Some(50)));
    assert!(plan.prompt.as_deref().unwrap().starts_with("# Map of the orchard\n\n## Goals"));
    // Eight boxes outside of the code, two of them ticked, one with a mark of its own.
    assert_counts(&plan, 8, 2);
    assert_eq!(ids(&plan.items), ["#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8"]);
    let parents: Vec<Option<&str>> = plan.items.iter().map(|item| item.parent.as_deref()).collect();
    assert_eq!(parents, [None, Some("#1"), Some("#1"), None, Some("#4"), Some("#4"), None, None]);
    let states: Vec<ItemState> = plan.items.iter().map(|item| item.state).collect();
    assert_eq!(states, [Done, Done, Open, Open, Open, Unknown, Open, Open]);
    assert_eq!(plan.items[7].group.as_deref(), Some("Verification"));
    assert_eq!(codes(&plan), [UnknownWord, DoneWithOpenParts]);
    assert_eq!(finding(&plan, UnknownWord).args, [("item", "#6".to_owned()), ("found", "~".to_owned())]);
    let next = PlanKind::PiRalph.format().next(&plan);
    assert_eq!(next, [2, 4, 6, 7]);
    let facts: Vec<&str> = plan.facts.iter().map(|fact| fact.name).collect();
    let expected = [
        "task_file",
        "started_at",
        "items_per_iteration",
        "reflect_every",
        "last_reflection_at",
        "session_id",
    ];
    assert_eq!(facts, expected);
    assert_eq!(plan.facts[2].value, FactValue::Number(2.0));
}

/// Boxes by a scan of lines, code fences left out.
#[test]
fn a_second_counter_finds_the_same_boxes() {
    for (state, name, task) in [
        (fixture!("active.state.json"), "orchard-map.md", fixture!("orchard-map.md")),
        (fixture!("paused_windows.state.json"), "bread.md", fixture!("bread.md")),
    ] {
        let mut in_code = false;
        let text = std::str::from_utf8(task).unwrap();
        let boxes: Vec<char> = text
            .lines()
            .filter_map(|line| {
                in_code ^= line.starts_with("```");
                line.trim_start().strip_prefix("- [")?.chars().next().filter(|_| !in_code)
            })
            .collect();
        let plan = plan(state, &[(name, task)]);
        assert_eq!(plan.items.len(), boxes.len());
        let done = boxes.iter().filter(|mark| matches!(mark, 'x' | 'X')).count();
        assert_eq!(plan.progress(), (done, boxes.len()));
    }
}

#[test]
fn a_tick_changes_its_box_in_the_task_and_no_other_byte() {
    for (state, name, task) in [
        (fixture!("active.state.json"), "orchard-map.md", fixture!("orchard-map.md")),
        (fixture!("paused_windows.state.json"), "bread.md", fixture!("bread.md")),
    ] {
        let before = plan(state, &[(name, task)]);
        for (at, item) in before.items.iter().enumerate() {
            assert_eq!(item.file.as_deref(), Some(name));
            let range = item.mark.clone().unwrap();
            for to in [Open, Done] {
                let mark = PlanKind::PiRalph.format().mark(to).unwrap();
                let mut changed = task.to_vec();
                changed.splice(range.clone(), mark.bytes());
                assert_eq!((changed.len(), &changed[..range.start]), (task.len(), &task[..range.start]));
                assert_eq!(changed[range.end..], task[range.end..]);
                assert_eq!(plan(state, &[(name, &changed)]).items[at].state, to);
            }
        }
    }
}

#[test]
fn every_word_and_older_states() {
    let status = |bytes: &[u8]| (plan(bytes, &[]).status.unwrap(), plan(bytes, &[]).word);
    assert_eq!(status(fixture!("over.state.json")), (PlanStatus::LimitReached, "completed".to_owned()));
    assert_eq!(status(fixture!("completed.state.json")), (PlanStatus::Completed, "completed".to_owned()));
    assert_eq!(status(fixture!("old.state.json")), (PlanStatus::Running, "active".to_owned()));
    let ready = plan(fixture!("ready.state.json"), &[]);
    assert_eq!(ready.status, Some(PlanStatus::Unknown));
    assert_eq!(codes(&ready), [UnknownWord, FileMissing]);
    let old = plan(fixture!("old.state.json"), &[("old.md", b"# Old\n\n1. no boxes here\n")]);
    assert_eq!(codes(&old), [NoItems]);
    assert!(old.facts.iter().any(|fact| fact.name == "reflect_every"));
    let paused = plan(fixture!("paused_windows.state.json"), &[("bread.md", fixture!("bread.md"))]);
    assert_eq!((paused.status, paused.limit), (Some(PlanStatus::Paused), None));
    assert_eq!(codes(&paused), [NoLimit]);
    let bom = plan(fixture!("bom.state.json"), &[]);
    assert_eq!((bom.iteration, bom.limit, bom.title.as_deref()), (Some(2), Some(9), Some("a")));
    assert_eq!(codes(&bom), [Corrected, FileMissing]);
    assert_eq!(finding(&bom, FileMissing).args, [("file", "bom.md".to_owned())]);
    // A task file elsewhere is shown, not read.
    let elsewhere = plan(fixture!("elsewhere.state.json"), &[]);
    assert_eq!(codes(&elsewhere), []);
    assert_eq!(elsewhere.facts[0].value, FactValue::Code("docs/tasks/long.md".to_owned()));
}

#[test]
fn only_plain_names_beside_the_state_are_asked_for() {
    assert_eq!(named(".ralph/a b.md"), ["a b.md"]);
    assert_eq!(named("./.ralph/ä.json"), ["ä.json"]);
    assert_eq!(named(".ralph\\w.md"), ["w.md"]);
    let long = format!(".ralph/{}.md", "x".repeat(200));
    for hostile in [
        "../../etc/passwd",
        "/etc/passwd",
        ".ralph/../../x.md",
        ".ralph/..",
        ".ralph/sub/x.md",
        ".ralph/.env",
        ".ralph/",
        ".ralph/C:x.md",
        ".ralph/a\u{0}b.md",
        ".ralph\\..\\x.md",
        "x.md",
        "",
        long.as_str(),
    ] {
        assert!(named(hostile).is_empty(), "{hostile}");
    }
    assert!(PlanKind::PiRalph.format().named(fixture!("other_tool.state.json")).is_empty());
    assert!(PlanKind::PiRalph.format().named(b"\xff").is_empty());
}

#[test]
fn what_is_no_state_of_it() {
    assert_eq!(read(PlanKind::PiRalph, FILE, fixture!("other_tool.state.json"), &[]), Ok(None));
    for other in [b"[]".as_slice(), b"{}", b"{\"taskFile\": 3, \"iteration\": 1, \"status\": \"active\"}"] {
        assert_eq!(read(PlanKind::PiRalph, FILE, other, &[]), Ok(None));
    }
    assert_eq!(read(PlanKind::PiRalph, FILE, b"\n", &[]), Err(ReadError::Empty));
    assert!(matches!(read(PlanKind::PiRalph, FILE, b"paused", &[]), Err(ReadError::NotParsed { .. })));
}

#[test]
fn requests_are_words_in_place() {
    for (bytes, ask, before, after) in [
        (
            fixture!("active.state.json"),
            Request::Pause,
            "true,\n  \"status\": \"active\"",
            "false,\n  \"status\": \"paused\"",
        ),
        (
            fixture!("active.state.json"),
            Request::Stop,
            "true,\n  \"status\": \"active\"",
            "false,\n  \"status\": \"completed\"",
        ),
        (
            fixture!("paused_windows.state.json"),
            Request::Resume,
            "false,\r\n  \"status\" : \"paused\"",
            "true,\r\n  \"status\" : \"active\"",
        ),
        (fixture!("old.state.json"), Request::Pause, "\"active\": true", "\"active\": false"),
    ] {
        let change = request(bytes, ask).unwrap();
        assert!(change.create.is_none());
        let changed = String::from_utf8(apply(bytes, &change.edits).unwrap()).unwrap();
        assert_eq!(changed, std::str::from_utf8(bytes).unwrap().replacen(before, after, 1));
        let status = plan(changed.as_bytes(), &[]).status.unwrap();
        let expected = match ask {
            Request::Pause => PlanStatus::Paused,
            Request::Resume => PlanStatus::Running,
            Request::Stop => PlanStatus::Completed,
        };
        assert_eq!(status, expected);
    }
    assert_eq!(request(fixture!("active.state.json"), Request::Resume), None);
    assert_eq!(request(fixture!("completed.state.json"), Request::Pause), None);
    assert_eq!(request(fixture!("completed.state.json"), Request::Stop), None);
    assert_eq!(request(fixture!("old.state.json"), Request::Stop), None);
    assert_eq!(request(fixture!("bom.state.json"), Request::Pause), None);
    let source =
        Source { file: FILE, bytes: fixture!("active.state.json"), beside: &[], modified: 0, now: 0 };
    let format = PlanKind::PiRalph.format();
    assert_eq!(format.command(&source, &plan(source.bytes, &[])), None);
}

#[test]
fn a_task_of_five_megabytes_is_read() {
    let task =
        format!("## Part\n- [ ] one\n  - [x] of it\n\n{}\n\n", "Some prose. ".repeat(40)).repeat(10_000);
    let plan = plan(fixture!("active.state.json"), &[("orchard-map.md", task.as_bytes())]);
    assert_eq!(plan.items.len(), 20_000);
}

proptest! {
    #[test]
    fn no_bytes_break_it(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just(b"{".to_vec()), Just(br#""taskFile": ".ralph/"#.to_vec()), Just(br#""iteration": 1,"#.to_vec()),
                Just(br#""status": "active","#.to_vec()), Just(br#""active": true,"#.to_vec()), Just(b"}".to_vec()),
                Just("é.md\",".as_bytes().to_vec()), proptest::collection::vec(any::<u8>(), 0..4),
            ],
            0..12,
        ),
        task in "[-# \\[\\]x~\n\tä*+1.]{0,80}",
    ) {
        let bytes = pieces.concat();
        let _ = request(&bytes, Request::Pause);
        let beside = [("orchard-map.md", task.as_bytes())];
        let _ = read(PlanKind::PiRalph, FILE, &bytes, &beside);
        let plan = plan(fixture!("active.state.json"), &beside);
        for item in &plan.items {
            let mark = item.mark.clone().unwrap();
            prop_assert_eq!(&task[mark], item.word.as_str());
        }
        for name in PlanKind::PiRalph.format().named(&bytes) {
            prop_assert!(!name.contains('/'));
        }
    }

    #[test]
    fn a_pause_keeps_every_other_byte(
        fields in proptest::sample::subsequence(
            vec![
                r#""name": "\u00e4""#, r#""taskFile": ".ralph/x.md""#, r#""iteration": 3"#, r#""status" : "active""#,
                r#""active":true"#, r#""maxIterations": -1"#, r#""reflectEvery": {}"#, r#""note": "active""#,
            ],
            0..=8,
        ),
        space in prop_oneof![Just(" "), Just("\r\n"), Just("\n  ")],
    ) {
        let text = format!("{{{space}{}{space}}}", fields.join(&format!(",{space}")));
        if let Some(change) = request(text.as_bytes(), Request::Pause) {
            let after = apply(text.as_bytes(), &change.edits).unwrap();
            let plan = plan(&after, &[]);
            prop_assert_eq!(plan.status, Some(PlanStatus::Paused));
            let back = apply(&after, &request(&after, Request::Resume).unwrap().edits).unwrap();
            prop_assert_eq!(back, text.as_bytes());
        }
    }
}
