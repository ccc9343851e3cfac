//! The prd.json family: each dialect counted a second time with serde_json, marks, the order of work, and what lies beside.

use crate::common::{assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::FindingCode::{
    Corrected, NeverReady, NoItems, NoLimit, RepeatedId, SourcesDisagree, StaleRunning, UnknownWord,
};
use loopdeck_plans::ItemState::{Active, Blocked, Done, Dropped, Open, Unknown};
use loopdeck_plans::{Beside, FactValue, ItemState, Plan, PlanKind, PlanStatus, ReadError, Source, ready};
use proptest::prelude::*;

const FILE: &str = "scripts/ralph/prd.json";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/prd/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8]) -> Plan {
    plan_of(PlanKind::Prd, FILE, bytes, &[])
}

fn states(plan: &Plan) -> Vec<ItemState> {
    plan.items.iter().map(|item| item.state).collect()
}

fn next(plan: &Plan) -> Vec<&str> {
    PlanKind::Prd.format().next(plan).into_iter().map(|at| plan.items[at].id.as_str()).collect()
}

fn command(file: &str, bytes: &[u8], beside: &[(&str, &[u8])]) -> Option<Vec<String>> {
    let plan = plan_of(PlanKind::Prd, file, bytes, beside);
    let beside: Vec<Beside<'_>> = beside.iter().map(|(file, bytes)| Beside { file, bytes }).collect();
    let source = Source { file, bytes, beside: &beside, modified: 0, now: 0 };
    PlanKind::Prd.format().command(&source, &plan)
}

/// All items, those that count, and those of them that are done: by hand. The second counter takes a list and a flag or word.
#[test]
fn every_dialect_has_the_stories_that_a_second_counter_finds() {
    let is_done = |story: &serde_json::Value| {
        let flag = ["passes", "complete"].iter().find_map(|key| story[key].as_bool());
        flag.unwrap_or_else(|| ["done", "completed"].contains(&story["status"].as_str().unwrap_or_default()))
    };
    for (bytes, lists, all, counted, done) in [
        (fixture!("classic.json"), &["/userStories"][..], 4, 4, 2),
        (fixture!("tui.json"), &["/userStories"], 5, 5, 1),
        (fixture!("list.json"), &[""], 3, 3, 1),
        (fixture!("words.json"), &["/tasks"], 8, 7, 1),
        (fixture!("groups.json"), &["/phases/0/tasks", "/phases/1/stories"], 3, 3, 1),
        (fixture!("later_phases.json"), &["/phases/0/stories", "/phases/1/stories"], 4, 4, 1),
        (fixture!("omc.json"), &["/userStories"], 6, 6, 2),
        (fixture!("crlf.json"), &["/userStories"], 2, 2, 1),
        (fixture!("empty.json"), &["/userStories"], 0, 0, 0),
    ] {
        let plan = plan(bytes);
        assert_eq!(plan.items.len(), all, "{:?}", plan.title);
        assert_counts(&plan, counted, done);
        let json: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        let stories: Vec<&serde_json::Value> =
            lists.iter().flat_map(|list| json.pointer(list).unwrap().as_array().unwrap()).collect();
        assert_eq!(plan.items.len(), stories.iter().filter(|story| story.is_object()).count());
        assert_eq!(done, stories.iter().filter(|story| is_done(story)).count());
    }
    assert_counts(&plan(fixture!("bom.json")), 2, 1);
    assert_counts(&plan(fixture!("broken.json")), 2, 1);
    assert_counts(&plan(fixture!("nested.json")), 4, 2);
}

#[test]
fn a_classic_story_has_all_its_fields() {
    let plan = plan(fixture!("classic.json"));
    assert_eq!(plan.title.as_deref(), Some("Tide Tables"));
    assert_eq!(plan.goal.as_deref(), Some("Show the tides of a harbour for a week"));
    assert_eq!((plan.status, plan.shown_status()), (None, PlanStatus::Running));
    assert_eq!(plan.facts[0].name, "branch");
    assert_eq!(plan.facts[0].value, FactValue::Code("ralph/tide-tables".to_owned()));
    let story = &plan.items[0];
    assert_eq!(
        (story.id.as_str(), story.text.as_str(), story.word.as_str()),
        ("US-001", "Read the tide file", "true")
    );
    assert_eq!(story.details, "As a sailor I want the file of the harbour to be read.\n\nTimes are UTC.");
    assert_eq!(story.done_when, ["Every line becomes a tide", "Typecheck passes"]);
    assert_eq!((story.line, story.priority.as_deref()), (6, Some("1")));
    // Not in file order: the lowest number comes first.
    assert_eq!(next(&plan), ["US-003", "US-002"]);
    assert!(codes(&plan).is_empty(), "{:?}", plan.findings);
}

#[test]
fn dependencies_and_the_order_of_work() {
    let tui = plan(fixture!("tui.json"));
    assert_eq!(tui.items.iter().map(|item| item.depends_on.len()).sum::<usize>(), 3);
    assert_eq!(next(&tui), ["US-002", "US-004", "US-005"]);
    assert!(codes(&tui).is_empty(), "{:?}", tui.findings);
    let groups = plan(fixture!("groups.json"));
    assert_eq!(ids(&groups.items), ["1", "2", "3"]);
    assert_eq!(groups.items[2].depends_on, ["2"]);
    assert_eq!(groups.items[2].group.as_deref(), Some("Signals"));
    assert_eq!(next(&groups), ["2"]);
    let words = plan(fixture!("words.json"));
    assert_eq!(words.items[2].depends_on, ["T1", "T2"]);
    assert!(words.items[3].depends_on.is_empty());
    // A story that isn't going to be done holds nothing up.
    assert_eq!(next(&words), ["T4", "T8", "T2"]);
}

#[test]
fn a_later_phase_may_have_no_more_than_titles() {
    let plan = plan(fixture!("later_phases.json"));
    assert_eq!(plan.title.as_deref(), Some("Night Ferry"));
    assert_eq!(ids(&plan.items), ["NF-1", "NF-2", "NF-11", "NF-12"]);
    assert_eq!(plan.items[3].group.as_deref(), Some("Every night"));
    assert_eq!(plan.items[0].files, ["src/pier.rs", "src/main.rs"]);
    assert_eq!(plan.items[3].done_when, ["Draw it", "Punch it"]);
    assert_eq!(plan.items.iter().map(|item| item.depends_on.len()).sum::<usize>(), 1);
    assert!(codes(&plan).is_empty(), "{:?}", plan.findings);
}

#[test]
fn words_flags_and_reasons() {
    let words = plan(fixture!("words.json"));
    assert_eq!(words.title.as_deref(), Some("Compost"));
    assert_eq!(states(&words), [Done, Open, Active, Open, Blocked, Dropped, Unknown, Open]);
    assert_eq!(codes(&words), [UnknownWord]);
    assert_eq!(finding(&words, UnknownWord).args[1], ("found", "half-baked".to_owned()));
    assert_eq!(words.needs, ["T5: The shop is closed until May"]);
    assert_eq!(words.items[1].details, "Only dry ones");
    assert_eq!(words.items[0].done_when, ["The pit is deep"]);
    assert!(words.items.iter().all(|item| item.mark.is_none()), "words aren't changed in place");

    let omc = plan(fixture!("omc.json"));
    assert_eq!(states(&omc), [Done, Done, Open, Active, Open, Blocked]);
    assert_eq!(ids(&omc.items), ["US-001", "US-002", "US-002", "#4", "7", "US-008"]);
    assert_eq!((omc.iteration, omc.limit), (Some(15), Some(25)));
    assert_eq!(omc.needs, ["Which stone?", "US-008: She is away"]);
    assert_eq!(codes(&omc), [SourcesDisagree, SourcesDisagree, RepeatedId]);
    assert_eq!(omc.findings[0].args[2], ("expected", "architectVerified: false".to_owned()));
    assert_eq!(omc.findings[1].args[2], ("expected", "status: completed".to_owned()));
    assert_eq!(omc.items[0].done_when, ["Within a degree"]);
    assert_eq!(omc.items[3].files, ["dial/polish.md", "dial/a.md"]);
    assert_eq!(omc.items[4].files, ["garden.md"]);
    // The flag of the fifth is a text, the other two say more than it.
    let marked: Vec<bool> = omc.items.iter().map(|item| item.mark.is_some()).collect();
    assert_eq!(marked, [true, true, true, false, false, false]);
}

#[test]
fn a_word_alone_is_the_state() {
    for (word, state) in [
        ("Completed", Done),
        ("in-progress", Active),
        ("active", Active),
        ("not started", Open),
        ("blocked", Blocked),
        ("failed", ItemState::Failed),
        ("Deferred", Dropped),
        ("someday", Unknown),
    ] {
        let story = format!(
            r#"[{{"id": "a", "status": "{word}"}}, {{"id": "b", "passes": false, "status": "{word}"}}]"#
        );
        let plan = plan(story.as_bytes());
        assert_eq!(plan.items[0].state, state, "{word}");
        // A flag that says no leaves what is to be done open, and "active" only says that it wasn't put away.
        let beside = if matches!(word, "Completed" | "active" | "someday") { Open } else { state };
        assert_eq!(plan.items[1].state, beside, "{word}");
        assert_eq!(codes(&plan).contains(&SourcesDisagree), word == "Completed");
    }
}

#[test]
fn a_list_at_the_top_has_ids_by_place() {
    let plan = plan(fixture!("list.json"));
    assert_eq!(ids(&plan.items), ["#1", "#2", "#3"]);
    assert_eq!(plan.items[0].text, "A reader borrows a book");
    assert_eq!(plan.items[0].details, "");
    assert_eq!(plan.items[0].done_when, ["Open the shelf", "Press borrow"]);
    assert_eq!(plan.items[2].group.as_deref(), Some("error"));
    assert_eq!(next(&plan), ["#2", "#3"]);
}

#[test]
fn parts_count_where_their_story_has_no_state() {
    let plan = plan(fixture!("nested.json"));
    assert_eq!(ids(&plan.items), ["s1", "s1a", "s1.2", "s2", "s2a", "s3", "s3a", "s3b"]);
    let counted: Vec<&str> = plan.counted().map(|item| item.id.as_str()).collect();
    assert_eq!(counted, ["s1", "s2", "s3a", "s3b"]);
    assert_eq!(plan.items[7].parent.as_deref(), Some("s3"));
    assert_eq!(next(&plan), ["s2", "s3b"]);
    assert_eq!(ready(&plan).len(), 2);
    assert_eq!((plan.word.as_str(), plan.status), ("in_progress", None));
}

#[test]
fn a_tick_changes_its_flag_and_no_other_byte() {
    for bytes in [
        fixture!("classic.json"),
        fixture!("tui.json"),
        fixture!("list.json"),
        fixture!("groups.json"),
        fixture!("omc.json"),
        fixture!("crlf.json"),
    ] {
        assert_only_marks_change(PlanKind::Prd, FILE, bytes);
    }
    for bytes in [fixture!("bom.json"), fixture!("broken.json")] {
        let plan = plan(bytes);
        assert_eq!(codes(&plan), [Corrected]);
        assert!(plan.items.iter().all(|item| item.mark.is_none()), "a file that isn't JSON isn't changed");
    }
}

#[test]
fn what_is_no_prd() {
    for other in [fixture!("other.json"), b"[]", b"{}", b"[1, \"a\"]", b"{\"tasks\": [{\"id\": 1}]}"] {
        assert_eq!(read(PlanKind::Prd, FILE, other, &[]), Ok(None));
    }
    assert_eq!(codes(&plan(fixture!("empty.json"))), [NoItems]);
    assert_eq!(read(PlanKind::Prd, FILE, b"", &[]), Err(ReadError::Empty));
    assert!(matches!(read(PlanKind::Prd, FILE, b"hello", &[]), Err(ReadError::NotParsed { .. })));
    assert!(matches!(
        read(PlanKind::Prd, FILE, b"{\"a\": \"\xff\"}", &[]),
        Err(ReadError::NotText { offset: 7 })
    ));
}

#[test]
fn the_log_becomes_events_and_patterns() {
    let beside = [
        ("progress.txt", fixture!("progress.txt")),
        ("CLAUDE.md", b"Be kind."),
        ("prompt.md", b" Read prd.json first.\n"),
    ];
    let plan = plan_of(PlanKind::Prd, FILE, fixture!("classic.json"), &beside);
    let events: Vec<(&str, &str, Option<&str>)> = plan
        .events
        .iter()
        .map(|event| (event.time.as_str(), event.text.as_str(), event.item.as_deref()))
        .collect();
    assert_eq!(
        events,
        [
            ("2026-03-02", "What was done: the reader", Some("US-001")),
            ("2026-03-02 10:15", "US-004: Choose the harbour", Some("US-004")),
            ("2026-03-03 20:52:57", "US-999", None),
            ("", "[PASS] US-002 — Draw the curve", Some("US-002")),
            ("2026-03-04 09:27:39 JST", "Drew the buoys", Some("US-003")),
            ("2026-03-05 10:00", "US-998: Moved the pier", None),
            ("2026-03-06 10:00", "US-001", Some("US-001")),
            ("2026-03-07 11:30", "EST-1 was drunk", None),
        ]
    );
    let patterns = plan.facts.iter().find(|fact| fact.name == "codebase_patterns").unwrap();
    let expected = ["Times are kept in UTC", "Curves are SVG"].map(str::to_owned).to_vec();
    assert_eq!(patterns.value, FactValue::List(expected));
    assert_eq!(plan.prompt.as_deref(), Some("Read prd.json first."));
}

fn with_session(file: &str, change: impl Fn(String) -> String, lock: Option<&[u8]>) -> Plan {
    let session = change(String::from_utf8(fixture!("tui_session.json").to_vec()).unwrap());
    let folder = if file.contains('/') { "../" } else { "" };
    let names = [format!("{folder}.ralph-tui/session.json"), format!("{folder}.ralph-tui/ralph.lock")];
    let mut beside = vec![(names[0].as_str(), session.as_bytes())];
    beside.extend(lock.map(|lock| (names[1].as_str(), lock)));
    plan_of(PlanKind::Prd, file, fixture!("tui.json"), &beside)
}

/// The turns that ralph-tui 0.11.0 took in a file of this shape.
#[test]
fn stories_are_taken_in_the_order_of_ralph_tui() {
    let plan = plan(fixture!("tui_turns.json"));
    assert_eq!(next(&plan), ["US-003", "US-002", "US-004", "US-001"]);
    // Only its own key: what others write there may be a sentence for a person.
    assert_eq!(plan.items[5].depends_on, ["the mayor"]);
    assert_eq!(codes(&plan), [NeverReady, NeverReady]);
}

#[test]
fn a_session_of_ralph_tui_that_works_on_this_file() {
    let file = "tasks/prd.json";
    let lock = br#"{"pid": 4711, "sessionId": "5e55-10n", "hostname": "h"}"#;
    let plan = with_session(file, |session| session, Some(lock));
    assert_eq!((plan.status, plan.word.as_str()), (Some(PlanStatus::Running), "running"));
    assert_eq!((plan.iteration, plan.limit, plan.process), (Some(2), Some(10), Some(4711)));
    assert_eq!(codes(&plan), [SourcesDisagree]);
    assert_eq!(finding(&plan, SourcesDisagree).args[0], ("item", "US-002".to_owned()));
    assert_eq!(plan.items[4].state, Active);
    let events: Vec<&str> = plan.events.iter().map(|event| event.text.as_str()).collect();
    assert_eq!(events, ["completed", "failed: no scale connected"]);
    let names: Vec<&str> = plan.facts.iter().map(|fact| fact.name).collect();
    assert_eq!(
        names,
        ["branch", "source_prd", "created_at", "updated_at", "agent", "session_id", "started_at"]
    );
    let crashed = with_session(file, |session| session, None);
    assert_eq!(codes(&crashed), [StaleRunning, SourcesDisagree]);
    // It took its last iteration, ended, and keeps saying that it runs.
    let at_limit = |session: String| session.replace("\"maxIterations\": 10", "\"maxIterations\": 2");
    let ended = with_session(file, at_limit, None);
    assert_eq!(ended.status, Some(PlanStatus::LimitReached));
    assert_eq!(codes(&ended), [SourcesDisagree]);
    assert_eq!(with_session(file, at_limit, Some(lock)).status, Some(PlanStatus::Running));
    let endless = with_session(
        file,
        |session| session.replace("\"maxIterations\": 10", "\"maxIterations\": 0"),
        Some(lock),
    );
    assert!(codes(&endless).contains(&NoLimit));
    for (word, status) in [
        ("paused", PlanStatus::Paused),
        ("interrupted", PlanStatus::Paused),
        ("completed", PlanStatus::Completed),
        ("failed", PlanStatus::Failed),
        ("odd", PlanStatus::Unknown),
    ] {
        let plan = with_session(file, |session| session.replace("\"running\"", &format!("\"{word}\"")), None);
        assert_eq!(plan.status, Some(status), "{word}");
    }
    let windows = with_session(
        "prd.json",
        |session| session.replace("/home/sam/hives/tasks/prd.json", ".\\\\prd.json"),
        Some(lock),
    );
    assert_eq!(windows.status, Some(PlanStatus::Running));
}

#[test]
fn a_session_of_another_file_says_nothing() {
    for path in [
        "/home/sam/hives/prd.json",
        "/home/sam/other/tasks/prd.json",
        "../tasks/prd.json",
        "tasks/../tasks/prd.json",
        "",
    ] {
        let change = |session: String| session.replace("/home/sam/hives/tasks/prd.json", path);
        let plan = with_session("tasks/prd.json", change, None);
        assert_eq!((plan.status, plan.events.len()), (None, 0), "{path}");
    }
}

#[test]
fn commands_are_those_that_the_tools_document() {
    let bytes = fixture!("tui.json");
    assert_eq!(command(FILE, bytes, &[]), None);
    let script: (&str, &[u8]) = ("ralph.sh", b"#!/bin/bash\n# --tool amp|claude\n");
    let line = |words: Option<Vec<String>>| words.map(|words| words.join(" "));
    assert_eq!(
        line(command(FILE, bytes, &[script])).as_deref(),
        Some("./scripts/ralph/ralph.sh --tool claude 10")
    );
    assert_eq!(line(command("prd.json", bytes, &[("ralph.sh", b"old")])).as_deref(), Some("./ralph.sh 10"));
    let session = ("../.ralph-tui/session.json", fixture!("tui_session.json"));
    assert_eq!(
        line(command("tasks/prd.json", bytes, &[session])).as_deref(),
        Some("ralph-tui resume --headless")
    );
}

#[test]
fn large_files_are_read_in_linear_time() {
    let story = |at: usize| {
        format!(
            r#"{{"id": "US-{at}", "title": "Story {at}", "passes": {}, "dependsOn": ["US-{}"], "notes": "{}"}}"#,
            at.is_multiple_of(2),
            at.saturating_sub(1),
            "x".repeat(200)
        )
    };
    let stories: Vec<String> = (0..20_000).map(story).collect();
    let text = format!("{{\"userStories\": [\n{}\n]}}", stories.join(",\n"));
    let log = "## 2026-03-02 - US-77\n".repeat(50_000);
    let plan = plan_of(PlanKind::Prd, FILE, text.as_bytes(), &[("progress.txt", log.as_bytes())]);
    assert_counts(&plan, 20_000, 10_000);
    assert_eq!(plan.events.len(), 500);
    assert!(!next(&plan).is_empty());
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..120), log in "[ -~ä–\n]{0,80}") {
        let beside = [("progress.txt", log.as_bytes()), (".ralph-tui/session.json", bytes.as_slice())];
        let _ = read(PlanKind::Prd, "prd.json", &bytes, &beside);
        let _ = read(PlanKind::Prd, "prd.json", fixture!("classic.json"), &beside);
    }

    #[test]
    fn marks_are_flags_and_other_bytes_stay(
        stories in proptest::collection::vec(
            proptest::collection::vec(
                prop_oneof![
                    Just(r#""passes": true"#), Just(r#""passes" :false"#), Just(r#""done": false"#), Just(r#""passes": null"#),
                    Just(r#""passes": "true""#), Just(r#""status": "done""#), Just(r#""status": "in_progress""#),
                    Just(r#""status": "open""#), Just(r#""blocked": true"#), Just(r#""started": true"#), Just(r#""id": "ä""#),
                    Just(r#""id": 3"#), Just(r#""title": "\u00e4 \"x\"""#), Just(r#""tasks": [{"id": "p", "passes": false}]"#),
                    Just(r#""dependsOn": ["3"]"#), Just(r#""priority": {}"#), Just(r#""acceptanceCriteria": [1, {"text": "t"}, []]"#),
                ],
                0..6,
            ),
            0..5,
        ),
        space in prop_oneof![Just(" "), Just("\r\n"), Just("\n\t")],
    ) {
        let stories: Vec<String> = stories.iter().map(|fields| format!("{{{}}}", fields.join(&format!(",{space}")))).collect();
        let text = format!("{{\"userStories\":{space}[{}]}}", stories.join(","));
        let plan = plan(text.as_bytes());
        for (at, item) in plan.items.iter().enumerate() {
            let Some(mark) = item.mark.clone() else { continue };
            prop_assert!(matches!(&text[mark.clone()], "true" | "false"));
            for to in [Open, Done] {
                let mut changed = text.clone();
                changed.replace_range(mark.clone(), PlanKind::Prd.format().mark(to).unwrap());
                let after = plan_of(PlanKind::Prd, FILE, changed.as_bytes(), &[]);
                prop_assert_eq!(after.items[at].state, to);
                prop_assert_eq!(ids(&after.items), ids(&plan.items));
            }
        }
    }
}

#[test]
fn what_can_be_written_for_a_state() {
    let format = PlanKind::Prd.format();
    assert_eq!([format.mark(Open), format.mark(Done)], [Some("false"), Some("true")]);
    assert_eq!([Active, Blocked, Dropped, Unknown].map(|state| format.mark(state)), [None; 4]);
}

/// A file that isn't quite JSON becomes JSON, and says the same; what holds a comment is left to a person.
#[test]
fn broken_json_is_repaired_only_without_loss() {
    let broken = br#"{"userStories": [{"id": "A", "title": "Sow", "passes": true,},]}"#;
    let before = plan_of(PlanKind::Prd, "prd.json", broken, &[]);
    let repair = &finding(&before, Corrected).repair;
    let after = loopdeck_text::text_edit::apply(broken, repair).unwrap();
    let plan = plan_of(PlanKind::Prd, "prd.json", &after, &[]);
    assert_eq!((codes(&plan), ids(&plan.items)), (vec![], ids(&before.items)));
    let noted = br#"{"userStories": [{"id": "A", "title": "Sow", "passes": true}]} // by hand"#;
    let plan = plan_of(PlanKind::Prd, "prd.json", noted, &[]);
    assert_eq!(finding(&plan, Corrected).repair, []);
}

/// The one at the top is held against the others: stories of the same name that say something else are told with the copy.
#[test]
fn copies_that_disagree_are_told() {
    let here = br#"{"userStories": [{"id": "A", "title": "Sow", "passes": true}, {"id": "B", "title": "Reap", "passes": false}]}"#;
    let there = br#"{"userStories": [{"id": "A", "title": "Sow", "passes": false}, {"id": "B", "title": "Reap", "passes": false}]}"#;
    let other = br#"{"userStories": [{"id": "A", "title": "Another", "passes": false}]}"#;
    let plan = |copy: &[u8]| plan_of(PlanKind::Prd, "prd.json", here, &[("scripts/ralph/prd.json", copy)]);
    let told = plan(there);
    assert_eq!(codes(&told), [SourcesDisagree]);
    let args = &finding(&told, SourcesDisagree).args;
    let expected =
        [("item", "A"), ("file", "scripts/ralph/prd.json"), ("found", "open"), ("expected", "done")];
    assert_eq!(args.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>(), expected);
    for copy in [here.as_slice(), other, b"{", b"[]"] {
        assert_eq!(codes(&plan(copy)), [], "{}", String::from_utf8_lossy(copy));
    }
}
