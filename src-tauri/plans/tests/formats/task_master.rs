//! Task Master: tasks, subtasks and tags, counted a second time.

use crate::common::{assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::{FactValue, FindingCode, Item, ItemState, Plan, PlanKind, ReadError, Source};
use proptest::prelude::*;
use serde_json::Value;

const KIND: PlanKind = PlanKind::TaskMaster;
const FILE: &str = ".taskmaster/tasks/tasks.json";
const OLD: &str = "tasks/tasks.json";
const GARDEN: &str = ".taskmaster/tasks/tasks.json#garden";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/task_master/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8]) -> Plan {
    plan_of(KIND, FILE, bytes, &[])
}

fn fact<'p>(plan: &'p Plan, name: &str) -> Option<&'p FactValue> {
    plan.facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
}

fn item<'p>(plan: &'p Plan, id: &str) -> &'p Item {
    plan.items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("{id} in {:?}", ids(&plan.items)))
}

fn next(plan: &Plan) -> Vec<&str> {
    KIND.format().next(plan).into_iter().map(|at| plan.items[at].id.as_str()).collect()
}

fn command(file: &str, bytes: &[u8], state: &str) -> Option<String> {
    let beside = [loopdeck_plans::Beside { file: "../state.json", bytes: state.as_bytes() }];
    let source = Source { file, bytes, beside: &beside, modified: 0, now: 0 };
    let plan = KIND.read(&source).unwrap().unwrap();
    KIND.format().command(&source, &plan).map(|words| words.join(" "))
}

/// Tasks, done tasks, subtasks and dependencies of a list, by another reader.
fn counted(list: &Value) -> (usize, usize, usize, usize) {
    let objects = |value: &Value| -> Vec<Value> {
        value.as_array().into_iter().flatten().filter(|item| item.is_object()).cloned().collect()
    };
    let edges = |node: &Value| match &node["dependencies"] {
        Value::Array(list) => list.iter().filter(|id| id.is_number() || id.is_string()).count(),
        Value::String(_) | Value::Number(_) => 1,
        _ => 0,
    };
    let tasks = objects(list);
    let parts: Vec<Value> = tasks.iter().flat_map(|task| objects(&task["subtasks"])).collect();
    let is =
        |task: &&Value, words: &[&str]| task["status"].as_str().is_some_and(|word| words.contains(&word));
    let counts = tasks.iter().filter(|task| !is(task, &["deferred", "cancelled", "canceled"])).count();
    let done = tasks.iter().filter(|task| is(task, &["done", "completed", "Done"])).count();
    (counts, done, parts.len(), tasks.iter().chain(&parts).map(edges).sum())
}

fn assert_second_count(bytes: &[u8], path: &str, all: usize, done: usize) {
    let plan = plan(bytes);
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(text).unwrap();
    let (second_all, second_done, parts, edges) = counted(value.pointer(path).unwrap());
    assert_counts(&plan, all, done);
    assert_eq!((second_all, second_done), (all, done));
    assert_eq!(plan.items.iter().filter(|item| item.parent.is_some()).count(), parts);
    assert_eq!(plan.items.iter().map(|item| item.depends_on.len()).sum::<usize>(), edges);
}

#[test]
fn the_tasks_of_a_tag_are_counted_and_its_subtasks_are_parts() {
    assert_second_count(fixture!("tags.json"), "/master/tasks", 5, 1);
    assert_second_count(fixture!("legacy.json"), "/tasks", 3, 1);
    assert_second_count(fixture!("bom_crlf.json"), "/master/tasks", 2, 1);
    assert_second_count(fixture!("dotted_ids.json"), "/master/tasks", 2, 1);
    assert_second_count(fixture!("odd_types.json"), "/master/tasks", 8, 1);
    assert_second_count(fixture!("words.json"), "/master/tasks", 8, 2);
    assert_second_count(fixture!("turns.json"), "/master/tasks", 10, 1);
    let plan = plan(fixture!("tags.json"));
    assert_eq!(plan.items.len(), 12);
    assert_eq!((plan.title.as_deref(), plan.goal.as_deref()), (Some("master"), Some("A dinner")));
    assert_eq!(item(&plan, "2.3").depends_on, ["2.2"]);
    assert_eq!(
        (item(&plan, "2.2").depends_on[0].as_str(), item(&plan, "2.2").parent.as_deref()),
        ("2.1", Some("2"))
    );
    assert_eq!(item(&plan, "3").depends_on, ["1", "2.3"]);
    let cook = item(&plan, "2");
    assert_eq!(
        (cook.files.join(" "), cook.done_when.join(" ")),
        ("src/pot.rs src/lid.rs".into(), "It is hot.".into())
    );
    assert_eq!((cook.group.as_deref(), cook.priority.as_deref()), (Some("kitchen"), Some("medium")));
    assert_eq!(item(&plan, "1").done_when, ["Count the plates."]);
    assert_eq!((item(&plan, "1").line, item(&plan, "2.2").line, item(&plan, "6").line), (6, 16, 23));
    assert_eq!(item(&plan, "6").state, ItemState::Active);
    assert!(plan.findings.is_empty(), "{:?}", plan.findings);
}

#[test]
fn a_tag_is_a_plan_of_its_own_whichever_is_current() {
    let parts = |text: &[u8]| KIND.format().parts(text);
    assert_eq!(parts(fixture!("tags.json")), ["garden"]);
    for state in [r#"{"currentTag": "garden"}"#, "not json", ""] {
        let beside: [(&str, &[u8]); 1] = [("../state.json", state.as_bytes())];
        let master = plan_of(KIND, FILE, fixture!("tags.json"), &beside);
        assert_counts(&master, 5, 1);
        assert_eq!(fact(&master, "tags"), Some(&FactValue::List(vec!["garden 1/2".to_owned()])));
        let garden = plan_of(KIND, GARDEN, fixture!("tags.json"), &beside);
        assert_counts(&garden, 2, 1);
        assert_eq!((garden.title.as_deref(), next(&garden)), (Some("garden"), vec!["2"]));
        assert_eq!(fact(&garden, "tag"), Some(&FactValue::Code("garden".to_owned())));
        assert_eq!(fact(&garden, "tags"), Some(&FactValue::List(vec!["master 1/5".to_owned()])));
    }
    // Without `master` the first one is the file's own. Of two with one name the last counts, as for the tool.
    let text = br#"{"b": {"tasks": []}, "a/../x": {"tasks": [{"id": 1}]}, "": {"tasks": []}, "b": {"tasks": [{"id": 2}]}}"#;
    assert_eq!(parts(text), ["a%2F..%2Fx"]);
    assert_eq!(ids(&plan(text).items), ["2"]);
    assert_eq!(ids(&plan_of(KIND, &format!("{FILE}#a%2F..%2Fx"), text, &[]).items), ["1"]);
    for part in ["b", "gone", "", "a/../x", "A%2F..%2FX"] {
        assert_eq!(read(KIND, &format!("{FILE}#{part}"), text, &[]), Ok(None), "{part}");
    }
    assert_eq!((parts(b"{"), parts(fixture!("legacy.json"))), (Vec::new(), Vec::<String>::new()));
    let project = br#"{"a": {"tasks": [], "metadata": {"projectName": "Shop"}}, "b": {"tasks": []}}"#;
    assert_eq!(plan(project).title.as_deref(), Some("Shop: a"));
    assert_eq!(codes(&plan(project)), [FindingCode::NoItems]);
}

#[test]
fn what_is_not_its_own_is_left_alone() {
    assert_eq!(read(KIND, OLD, fixture!("other_tool.json"), &[]), Ok(None));
    assert_eq!(read(KIND, OLD, b"[1, 2]", &[]), Ok(None));
    assert_eq!(read(KIND, FILE, b"{\"tasks\": {}}", &[]), Ok(None));
    assert_eq!(read(KIND, FILE, b"", &[]), Err(ReadError::Empty));
    assert_eq!(read(KIND, FILE, b"{\"a\": \"\xff\"}", &[]), Err(ReadError::NotText { offset: 7 }));
    assert!(matches!(read(KIND, FILE, b"hello", &[]), Err(ReadError::NotParsed { .. })));
    assert_counts(&plan_of(KIND, OLD, fixture!("legacy.json"), &[]), 3, 1);
    assert_eq!(plan(fixture!("legacy.json")).title.as_deref(), Some("Kite club"));
}

#[test]
fn ids_of_subtasks_may_have_their_task_in_them() {
    let plan = plan(fixture!("dotted_ids.json"));
    assert_eq!(ids(&plan.items), ["1", "1.1", "1.2", "1.3", "1.#4", "2", "2.1", "2.2", "2.3"]);
    assert_eq!(item(&plan, "2.3").depends_on, ["2.9"]);
    assert_eq!(item(&plan, "1.1").files, ["roof/beam.txt"]);
    let open = finding(&plan, FindingCode::DoneWithOpenParts);
    assert_eq!(open.args, [("item", "1".to_owned()), ("found", "2".to_owned())]);
    assert_eq!(codes(&plan), [FindingCode::DoneWithOpenParts, FindingCode::NeverReady]);
    assert_eq!(next(&plan), ["2.2", "2"]);
    assert!(item(&plan, "1.1").mark.is_none());
}

#[test]
fn wrong_types_are_no_reason_to_stop() {
    let plan = plan(fixture!("odd_types.json"));
    assert_eq!(ids(&plan.items), ["1", "2", "#3", "4", "4.1", "4", "5", "6", "7"]);
    assert_eq!(
        (item(&plan, "1").text.as_str(), item(&plan, "1").depends_on.join(",")),
        ("42", "2".to_owned())
    );
    assert_eq!((item(&plan, "2").word.as_str(), item(&plan, "2").state), ("7", ItemState::Unknown));
    assert_eq!(item(&plan, "4").text, "Only described");
    assert_eq!((plan.items[5].word.as_str(), plan.items[5].state), ("pending", ItemState::Open));
    assert!(item(&plan, "5").mark.is_none() && item(&plan, "2").mark.is_none());
    let never = |id: &str| {
        let is_never = |code| code == FindingCode::NeverReady;
        plan.findings.iter().filter(|found| is_never(found.code) && found.args[0].1 == id).count()
    };
    assert_eq!((never("6"), never("7")), (1, 2));
    assert!(codes(&plan).contains(&FindingCode::RepeatedId));
}

#[test]
fn json_with_faults_is_read_and_not_edited() {
    let plan = plan(fixture!("almost.json"));
    assert_counts(&plan, 2, 1);
    assert_eq!(codes(&plan), [FindingCode::Corrected]);
    assert!(plan.items.iter().all(|item| item.mark.is_none()));
    assert_eq!(plan.items[1].line, 6);
}

#[test]
fn words_that_the_tool_does_not_have_are_told_once_each() {
    use ItemState::{Active, Blocked, Done, Dropped, Failed, Open, Unknown};
    let plan = plan(fixture!("words.json"));
    let states: Vec<ItemState> = plan.items.iter().map(|item| item.state).collect();
    assert_eq!(states, [Done, Active, Open, Unknown, Unknown, Blocked, Done, Dropped, Failed]);
    let told: Vec<&str> = plan.findings.iter().map(|finding| finding.args[1].1.as_str()).collect();
    assert_eq!(told, ["Done", "in_progress", "todo", "parked", "canceled", "failed"]);
    assert!(codes(&plan).iter().all(|code| *code == FindingCode::UnknownWord));
    assert_eq!(next(&plan), Vec::<&str>::new());
}

#[test]
fn subtasks_of_tasks_in_progress_come_first() {
    let plan = plan(fixture!("turns.json"));
    assert_eq!(next(&plan), ["8.3", "8.5", "8.11", "4", "6", "5", "9", "10", "7", "8"]);
    assert_eq!(codes(&plan), [FindingCode::UnknownWord, FindingCode::NeverReady, FindingCode::NeverReady]);
    assert_eq!(
        finding(&plan, FindingCode::NeverReady).args,
        [("item", "3".to_owned()), ("found", "2".to_owned())]
    );
}

#[test]
fn the_last_run_of_the_loop_is_told() {
    let beside: [(&str, &[u8]); 1] = [("../progress.txt", fixture!("progress.txt"))];
    let plan = plan_of(KIND, FILE, fixture!("tags.json"), &beside);
    assert_eq!((plan.limit, plan.iteration, plan.status), (Some(10), None, None));
    assert_eq!(fact(&plan, "loop_started"), Some(&FactValue::Time("2026-01-02T00:00:00.000Z".to_owned())));
    assert_eq!(fact(&plan, "loop_preset"), Some(&FactValue::Code("default".to_owned())));
    assert_eq!(fact(&plan, "loop_status"), None);
    let garden: [(&str, &[u8]); 1] = [("../loop-progress.txt", fixture!("progress_garden.txt"))];
    let plan = plan_of(KIND, GARDEN, fixture!("tags.json"), &garden);
    assert_eq!((plan.limit, plan.iteration), (Some(5), Some(2)));
    assert_eq!(fact(&plan, "loop_status"), Some(&FactValue::Code("blocked".to_owned())));
    assert_eq!(fact(&plan, "loop_ended"), Some(&FactValue::Time("2026-01-03T02:00:00.000Z".to_owned())));
    let other = plan_of(KIND, FILE, fixture!("tags.json"), &garden);
    assert_eq!((other.limit, fact(&other, "loop_status")), (None, None));
}

#[test]
fn the_command_names_a_tag_that_is_not_current() {
    let tags = fixture!("tags.json");
    let loops = "task-master loop -n 10";
    let (master, garden) = (format!("{loops} --tag master"), format!("{loops} --tag garden"));
    for (file, state, expected) in [
        (FILE, "", loops),
        (GARDEN, "", &garden),
        (FILE, r#"{"currentTag": "garden"}"#, &master),
        (GARDEN, r#"{"currentTag": "garden"}"#, loops),
        (FILE, r#"{"currentTag": "gone"}"#, &master),
    ] {
        assert_eq!(command(file, tags, state).as_deref(), Some(expected), "{file} {state}");
    }
    assert_eq!(command(FILE, fixture!("legacy.json"), "").as_deref(), Some(loops));
    assert_eq!(command(FILE, fixture!("hostile.json"), ""), None);
}

#[test]
fn hostile_names_stay_texts() {
    let plan = plan(fixture!("hostile.json"));
    assert_eq!(plan.items[0].id, "../../etc/passwd");
    assert_eq!(plan.items[0].files, ["../../secret", "C:\\keys", "3"]);
    assert_eq!(KIND.format().named(fixture!("hostile.json")), Vec::<String>::new());
}

#[test]
fn a_new_word_changes_no_other_byte() {
    assert_only_marks_change(KIND, FILE, fixture!("tags.json"));
    assert_only_marks_change(KIND, GARDEN, fixture!("tags.json"));
    assert_only_marks_change(KIND, OLD, fixture!("legacy.json"));
    assert_only_marks_change(KIND, FILE, fixture!("dotted_ids.json"));
    assert_only_marks_change(KIND, FILE, fixture!("odd_types.json"));
    assert_only_marks_change(KIND, FILE, fixture!("words.json"));
    assert_only_marks_change(KIND, FILE, fixture!("turns.json"));
    assert_only_marks_change(KIND, FILE, fixture!("hostile.json"));
}

#[test]
fn a_large_file_is_read() {
    let task = |at: usize| {
        let text = "lorem ipsum ".repeat(200);
        format!(
            r#"{{"id": {at}, "title": "t", "details": "{text}", "status": "pending", "dependencies": [{}]}}"#,
            at / 2
        )
    };
    let tasks: Vec<String> = (1..=2_000).map(task).collect();
    let text = format!(r#"{{"master": {{"tasks": [{}]}}}}"#, tasks.join(",\n"));
    let plan = plan(text.as_bytes());
    assert_eq!((plan.items.len(), next(&plan).len()), (2_000, 0));
}

/// A file made of the format's pieces.
fn pieces() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        r#""pending""#,
        r#""done""#,
        r#""in-progress""#,
        r#""cancelled""#,
        r#""odd word""#,
        "null",
        "3",
        r#""é""#,
        r#""d\u006fne""#,
    ]);
    let id = prop::sample::select(vec!["1", "2", "3", r#""4""#, r#""1.1""#, "2.5", "null", "{}", r#""#]);
    let depends =
        prop::sample::select(vec!["[]", "[1]", r#"["1.1", 2]"#, r#""3""#, "null", "[[1]]", "[4, 4]"]);
    let gap = prop::sample::select(vec![" ", "\n", "\r\n  ", "\t"]);
    let task = (id, word, depends, gap).prop_map(|(id, word, depends, gap)| {
        let id = if id.is_empty() { String::new() } else { format!("\"id\":{gap}{id},") };
        format!("{{{id}{gap}\"title\": \"t\",\"status\":{gap}{word}{gap},\"dependencies\": {depends}")
    });
    let parts = prop::collection::vec(task.clone(), 0..4);
    let whole = (task, parts).prop_map(|(task, parts)| {
        let parts: Vec<String> = parts.into_iter().map(|part| format!("{part}}}")).collect();
        format!("{task}, \"subtasks\": [{}]}}", parts.join(","))
    });
    let list = prop::collection::vec(whole, 0..6);
    (list.clone(), list).prop_map(|(a, b)| {
        format!(
            "{{\"x\": 1, \"master\": {{\"tasks\": [{}]}}, \"b\": {{\"tasks\": [{}]}}}}",
            a.join(","),
            b.join(",")
        )
    })
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(read(KIND, FILE, &bytes, &[("../state.json", &bytes), ("../progress.txt", &bytes)]));
    }

    #[test]
    fn marks_are_where_they_say(text in pieces()) {
        let plan = plan(text.as_bytes());
        KIND.format().next(&plan);
        for (at, item) in plan.items.iter().enumerate() {
            let Some(range) = item.mark.clone() else { continue };
            prop_assert_eq!(&text[range.clone()], format!("\"{}\"", item.word));
            let mut edited = text.clone();
            edited.replace_range(range.clone(), KIND.format().mark(ItemState::Done).unwrap());
            let after = plan_of(KIND, FILE, edited.as_bytes(), &[]);
            prop_assert_eq!(after.items[at].state, ItemState::Done);
            prop_assert_eq!(ids(&after.items), ids(&plan.items));
            let kept = edited.len() - "\"done\"".len() == text.len() - range.len();
            prop_assert!(kept && edited.starts_with(&text[..range.start]) && edited.ends_with(&text[range.end..]));
        }
    }
}
