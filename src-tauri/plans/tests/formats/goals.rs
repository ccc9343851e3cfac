//! Goals of a session and lists of goals, counted a second time.

use crate::common::{assert_counts, codes, finding, ids, plan_of, read};
use loopdeck_plans::{
    Fact, FactValue, FindingCode, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source,
};
use proptest::prelude::*;

const KIND: PlanKind = PlanKind::Goals;
const LIST: &str = ".omc/ultragoal/goals.json";
const SESSION: &str = ".omo/goal/ses_42.json";

const ACTIVE: &[u8] = include_bytes!("../fixtures/goals/session_active.json");
const BUDGET: &[u8] = include_bytes!("../fixtures/goals/session_budget.json");
const NONE: &[u8] = include_bytes!("../fixtures/goals/session_none.json");
const ULTRAGOAL: &[u8] = include_bytes!("../fixtures/goals/ultragoal.json");
const ULW: &[u8] = include_bytes!("../fixtures/goals/ulw.json");
const COMPLETE: &[u8] = include_bytes!("../fixtures/goals/complete.json");
const DIALECT: &[u8] = include_bytes!("../fixtures/goals/dialect.json");
const MIRROR: &[u8] = include_bytes!("../fixtures/goals/mirror.json");
const OTHER_TOOL: &[u8] = include_bytes!("../fixtures/goals/other_tool.json");
const EMPTY: &[u8] = include_bytes!("../fixtures/goals/empty.json");
const BRIEF: &[u8] = include_bytes!("../fixtures/goals/brief.md");
const LEDGER: &[u8] = include_bytes!("../fixtures/goals/ledger.jsonl");

fn list(bytes: &[u8]) -> Plan {
    plan_of(KIND, LIST, bytes, &[])
}

fn session(bytes: &[u8]) -> Plan {
    plan_of(KIND, SESSION, bytes, &[])
}

fn fact<'p>(plan: &'p Plan, name: &str) -> Option<&'p FactValue> {
    plan.facts.iter().find(|fact: &&Fact| fact.name == name).map(|fact| &fact.value)
}

fn states(plan: &Plan) -> Vec<ItemState> {
    plan.items.iter().map(|item| item.state).collect()
}

/// Goals that count and those that are complete, by another parser: what another goal took the place of doesn't count.
fn count(bytes: &[u8]) -> (usize, usize) {
    let value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    let goals =
        value["goals"].as_array().unwrap().iter().filter(|goal| goal["steeringStatus"] != "superseded");
    let done = goals.clone().filter(|goal| goal["status"] == "complete").count();
    (goals.count(), done)
}

#[test]
fn both_counts_agree() {
    for (bytes, all, done) in
        [(ULTRAGOAL, 6, 1), (ULW, 5, 0), (COMPLETE, 2, 1), (MIRROR, 1, 0), (EMPTY, 0, 0)]
    {
        assert_counts(&list(bytes), all, done);
        assert_eq!(count(bytes), (all, done));
    }
    assert_counts(&list(DIALECT), 4, 1);
}

#[test]
fn the_goal_of_a_session_is_its_only_item() {
    let plan = session(ACTIVE);
    assert_eq!((plan.word.as_str(), plan.status), ("active", Some(PlanStatus::Running)));
    assert_eq!(plan.title.as_deref(), Some("Paint the shed red, and the door green"));
    assert_eq!(plan.goal.as_deref(), Some("Paint the shed\nred, and the door green"));
    assert_eq!((ids(&plan.items), states(&plan)), (vec!["3f0c"], vec![ItemState::Active]));
    assert_eq!(plan.items[0].line, 3);
    assert_eq!(fact(&plan, "session_id"), Some(&FactValue::Code("ses_42".into())));
    assert_eq!(fact(&plan, "tokens_used"), Some(&FactValue::Number(1200.0)));
    assert_eq!(fact(&plan, "created_at"), Some(&FactValue::Time("1784494488".into())));
    assert!(plan.findings.is_empty());
}

#[test]
fn each_word_of_a_session_has_a_status() {
    use PlanStatus::{Completed, LimitReached, Paused, Running, Unknown};
    for (word, status, state) in [
        ("active", Running, ItemState::Active),
        ("paused", Paused, ItemState::Open),
        ("blocked", Paused, ItemState::Blocked),
        ("budgetLimited", LimitReached, ItemState::Open),
        ("complete", Completed, ItemState::Done),
        ("finished", Unknown, ItemState::Unknown),
    ] {
        let bytes = format!(r#"{{"version":1,"goal":{{"id":"1","objective":"o","status":"{word}"}}}}"#);
        let plan = session(bytes.as_bytes());
        assert_eq!((plan.status, states(&plan)), (Some(status), vec![state]), "{word}");
        assert_eq!(codes(&plan).len(), usize::from(status == Unknown), "{word}");
    }
    let budget = session(BUDGET);
    assert_eq!(fact(&budget, "token_budget"), Some(&FactValue::Number(5000.0)));
    assert_eq!(fact(&budget, "time_used_seconds"), None);
    let none = session(NONE);
    assert_eq!((none.items.len(), codes(&none)), (0, vec![FindingCode::NoItems]));
}

#[test]
fn a_list_has_its_words() {
    use ItemState::{Active, Blocked, Done, Dropped, Failed, Open};
    let plan = list(ULTRAGOAL);
    assert_eq!(states(&plan), [Done, Active, Open, Failed, Blocked, Open]);
    assert_eq!(
        (plan.items[3].text.as_str(), plan.items[3].details.as_str()),
        ("Fence", "Fence it\n\nNo posts")
    );
    assert_eq!((plan.items[4].details.as_str(), plan.items[5].line), ("", 13));
    assert_eq!(plan.goal.as_deref(), Some("All goals of the orchard"));
    assert_eq!(plan.title.as_deref(), Some("1780-orchard"));
    assert_eq!(fact(&plan, "active_goal_id"), Some(&FactValue::Code("G002-trees".into())));
    assert_eq!(fact(&plan, "goal_mode"), Some(&FactValue::Code("aggregate".into())));
    assert_eq!((plan.status, plan.shown_status()), (None, PlanStatus::Running));
    assert_eq!(KIND.format().next(&plan), [2, 5]);
    let plan = list(ULW);
    assert_eq!(states(&plan), [Dropped, Active, Blocked, Blocked, Blocked, Open]);
    assert_eq!(plan.needs, ["Which currency?", "Name"]);
    assert_eq!(plan.items[1].done_when, ["It opens", "It closes"]);
    assert_eq!(fact(&plan, "criteria_passed"), Some(&FactValue::Code("1/3".into())));
    assert_eq!(KIND.format().next(&plan), [5]);
    assert!(plan.findings.is_empty());
}

#[test]
fn the_brief_and_the_ledger_are_read() {
    let plan = plan_of(KIND, LIST, ULTRAGOAL, &[("brief.md", BRIEF), ("ledger.jsonl", LEDGER)]);
    assert_eq!(plan.title.as_deref(), Some("The orchard"));
    assert_eq!(plan.goal.as_deref(), Some("# The orchard\n\nSix trees by autumn."));
    let events: Vec<_> = plan.events.iter().map(|event| (event.time.as_str(), event.text.as_str())).collect();
    assert_eq!(
        events,
        [
            ("2026-05-25T01:30:00.234Z", "plan_created: 6 goal(s) created"),
            ("2026-05-25T02:00:00.000Z", "goal_started"),
            ("", "complete: Both are dug"),
        ]
    );
    assert_eq!(plan.events[2].item.as_deref(), Some("G001-soil"));
}

#[test]
fn only_the_newest_events_are_kept() {
    let lines: String = (0..1200).map(|at| format!("{{\"ts\":\"{at}\",\"event\":\"e\"}}\n")).collect();
    let plan = plan_of(KIND, LIST, ULTRAGOAL, &[("ledger.jsonl", lines.as_bytes())]);
    assert_eq!((plan.events.len(), plan.events[0].time.as_str()), (1000, "200"));
}

#[test]
fn a_list_that_is_said_to_be_complete_may_have_open_goals() {
    let plan = list(COMPLETE);
    assert_eq!((plan.word.as_str(), plan.status), ("complete", Some(PlanStatus::Completed)));
    let told = finding(&plan, FindingCode::DoneWithOpenParts);
    assert_eq!((told.line, told.args[1].1.as_str()), (Some(7), "1"));
    assert_eq!(fact(&plan, "evidence"), Some(&FactValue::Text("Everybody agrees".into())));
}

#[test]
fn other_shapes_are_read_and_told() {
    let plan = list(DIALECT);
    assert_eq!(ids(&plan.items), ["#1", "7", "x", "x"]);
    assert_eq!((plan.items[1].text.as_str(), plan.items[1].line), ("Hum softly", 5));
    use ItemState::{Done, Open, Unknown};
    assert_eq!(states(&plan), [Unknown, Open, Done, Open]);
    assert_eq!(plan.goal.as_deref(), Some("A choir"));
    assert_eq!(codes(&plan), [FindingCode::UnknownWord, FindingCode::Corrected, FindingCode::RepeatedId]);
}

#[test]
fn a_file_of_another_tool_is_none_and_a_broken_one_is_refused() {
    assert_eq!(read(KIND, LIST, OTHER_TOOL, &[]), Ok(None));
    for other in ["{}", "[]", r#"{"goal": "be kind"}"#, r#"{"goals": {"a": 1}}"#] {
        assert_eq!(read(KIND, LIST, other.as_bytes(), &[]), Ok(None), "{other}");
    }
    assert_eq!(codes(&list(EMPTY)), [FindingCode::NoItems]);
    assert_eq!(read(KIND, LIST, b"", &[]), Err(ReadError::Empty));
    assert!(matches!(read(KIND, LIST, b"goals", &[]), Err(ReadError::NotParsed { .. })));
}

#[test]
fn a_session_can_be_paused_resumed_and_ended_and_a_list_can_not() {
    let asked = |bytes: &[u8], request| {
        let source = Source { file: SESSION, bytes, beside: &[], modified: 0, now: 0 };
        let plan = KIND.read(&source).unwrap().unwrap();
        assert_eq!(KIND.format().command(&source, &plan), None);
        KIND.format().request(&source, &plan, request)
    };
    let applied = |bytes: &[u8], request| {
        let change = asked(bytes, request)?;
        assert_eq!(change.edits.len(), 1);
        Some(loopdeck_text::text_edit::apply(bytes, &change.edits).unwrap())
    };
    let paused = applied(ACTIVE, Request::Pause).unwrap();
    let expected = std::str::from_utf8(ACTIVE).unwrap().replace("\"active\"", "\"paused\"");
    assert_eq!(paused, expected.as_bytes());
    assert_eq!(applied(&paused, Request::Resume).unwrap(), ACTIVE);
    assert_eq!((applied(ACTIVE, Request::Resume), applied(BUDGET, Request::Pause)), (None, None));
    assert_eq!(asked(ACTIVE, Request::Stop), None);
    for bytes in [ULTRAGOAL, ULW, NONE, EMPTY] {
        for request in [Request::Pause, Request::Resume, Request::Stop] {
            assert_eq!(asked(bytes, request), None);
        }
    }
    // Its own command changes a list, with evidence.
    let marks = [ItemState::Open, ItemState::Done, ItemState::Active].map(|to| KIND.format().mark(to));
    assert_eq!(marks, [None; 3]);
    assert!(list(ULTRAGOAL).items.iter().all(|item| item.mark.is_none()));
}

#[test]
fn many_goals_are_read() {
    let goal = r#"{"id": "g", "title": "t", "status": "pending", "successCriteria": [{"scenario": "s"}]}"#;
    let text = format!("{{\"goals\": [{}]}}", vec![goal; 20_000].join(",\n"));
    assert_eq!(list(text.as_bytes()).items.len(), 20_000);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(KIND, LIST, &bytes, &[("brief.md", &bytes), ("ledger.jsonl", &bytes)]);
        let _ = read(KIND, LIST, ULTRAGOAL, &[("brief.md", &bytes), ("ledger.jsonl", &bytes)]);
    }

    #[test]
    fn any_pieces_are_read_and_only_the_word_is_changed(
        pieces in proptest::collection::vec(prop_oneof![
            Just("{\"goal\":"), Just("{\"goals\":["), Just("{\"id\":\"a\","), Just("\"status\":\"active\""), Just("\"objective\":\"o\""),
            Just("\"status\":\"pend\\u0069ng\""), Just(","), Just("}"), Just("]"), Just("null"), Just("\n"), Just("\u{feff}"),
            Just("\"successCriteria\":[{\"scenario\":\"s\"}]"), Just("'"), Just("// note\n"),
        ], 0..40)
    ) {
        let text = pieces.concat();
        let source = Source { file: SESSION, bytes: text.as_bytes(), beside: &[], modified: 0, now: 0 };
        if let Ok(Some(plan)) = KIND.read(&source)
            && let Some(change) = KIND.format().request(&source, &plan, Request::Pause)
        {
            for edit in change.edits {
                prop_assert_eq!(&text[edit.range], "\"active\"");
            }
        }
    }
}
