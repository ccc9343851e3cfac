//! Tasks of the list become tasks of the loop: all of them, in order, once.

use super::*;
use crate::control::Situation;
use crate::driver::{Action, EndReason, Memory, UsedUp};
use crate::format::FileFacts;
use crate::formats::ccw_v2::drive::{LoopV2Next, next_with_tasks};
use crate::formats::ccw_v2::operate::operate;
use crate::formats::ccw_v2::operation::{Beginning, LoopV2Operation};
use crate::status::StatusWord;
use crate::times::Timestamp;
use crate::view::CompanionKind;
use loopdeck_text::text_edit;

const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";
const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const FACTS: FileFacts<'static> = FileFacts { stem: STEM, modified: NOW, now: NOW };

fn master(iteration: u32, skill: &str) -> String {
    format!(
        "{{\n  \"loop_id\": \"{STEM}\",\n  \"title\": \"T\",\n  \"max_iterations\": 10,\n  \"status\": \"running\",\n  \"current_iteration\": {iteration},\n  \"created_at\": \"2026-11-20T04:20:21.870Z\",\n  \"updated_at\": \"2026-11-20T04:20:21.870Z\",\n  \"skill_state\": {skill}\n}}\n"
    )
}

fn skill(tasks: &str) -> String {
    format!(
        r#"{{"last_action":"DEVELOP","completed_actions":[],"mode":"auto","develop":{{"total":1,"completed":0,"current_task":null,"tasks":[{tasks}],"mine":1}}}}"#
    )
}

fn task(id: &str, status: &str) -> String {
    format!(r#"{{"id":"{id}","description":"Do {id}","status":"{status}"}}"#)
}

fn files(texts: &[&str]) -> Vec<ListedWork> {
    let names = [format!("{STEM}.tasks.jsonl"), format!("{STEM}/tasks.jsonl")];
    let file = |(file, text): (&String, &&str)| Companion {
        kind: CompanionKind::TaskList,
        file: file.clone(),
        bytes: text.as_bytes().to_vec(),
        cut: false,
    };
    listed(&names.iter().zip(texts).map(file).collect::<Vec<_>>())
}

fn line(id: &str, order: u32) -> String {
    format!(
        "{{\"task_id\":\"{id}\",\"description\":\"Do {id}\",\"tool\":\"codex\",\"mode\":\"write\",\"prompt_template\":\"\",\"order\":{order}}}\n"
    )
}

fn next(text: &str, listed: &[ListedWork]) -> LoopV2Next {
    next_with_tasks(text.as_bytes(), &FACTS, &Memory::default(), listed)
}

/// The file after everything that the driver writes before it starts an action.
#[track_caller]
fn written(text: &str, listed: &[ListedWork]) -> String {
    let mut text = text.to_owned();
    for _ in 0..10 {
        let LoopV2Next::Write(operation) = next(&text, listed) else { return text };
        text = apply(&text, &operation);
    }
    panic!("no end: {text}")
}

#[track_caller]
fn apply(text: &str, operation: &LoopV2Operation) -> String {
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let outcome = operate(text.as_bytes(), &FACTS, operation, &situation).unwrap();
    String::from_utf8(text_edit::apply(text.as_bytes(), &outcome.edits).unwrap()).unwrap()
}

fn ids(text: &str) -> Vec<String> {
    let root = Node::parse(text.as_bytes()).unwrap();
    let tasks = root.get("skill_state").get("develop").get("tasks");
    tasks.items().iter().map(|task| text_of(task, "id")).collect()
}

fn text_of(node: &Node<'_>, key: &str) -> String {
    node.get(key).shown(1_000).unwrap_or_default()
}

#[test]
fn they_are_taken_in_their_order_once_and_nothing_else_changes() {
    let before = master(1, &skill(&task("task-001", "pending")));
    let list = line("b", 1) + &line("a", 0) + &line("c", 2);
    let after = written(&before, &files(&[&list]));
    assert_eq!(ids(&after), ["task-001", "a", "b", "c"]);
    let root = Node::parse(after.as_bytes()).unwrap();
    let develop = root.get("skill_state").get("develop");
    assert_eq!((develop.get("total").number(), develop.get("mine").number()), (Some(4.0), Some(1.0)));
    let taken = &develop.get("tasks").items()[1];
    let said = ["description", "tool", "mode", "status", "_source"].map(|key| text_of(taken, key));
    assert_eq!(said, ["Do a", "codex", "write", "pending", "tasks.jsonl"]);
    assert!(after.starts_with(&before[..before.find("\"updated_at\"").unwrap()]));
    assert!(after.contains(&task("task-001", "pending")), "tasks that are there stay as they are");
    // Again, even after a crash that lost everything but the file: nothing is new.
    assert_eq!(written(&after, &files(&[&list])), after);
    // Later additions go to the end, wherever they are in the list.
    let more = written(&after, &files(&[&(list + &line("first", 0))]));
    assert_eq!(ids(&more), ["task-001", "a", "b", "c", "first"]);
}

#[test]
fn both_places_are_read_and_what_cannot_be_read_hides_nothing() {
    let one = line("a", 0) + "{\"task_id\":\"torn\",\"descri";
    let other = "not json\n".to_owned() + line("b", 1).trim_end() + &line("c", 2);
    let after = written(&master(1, &skill("")), &files(&[&one, &other]));
    assert_eq!(ids(&after), ["a", "b", "c"], "the torn line waits until it is whole");
    let whole = line("a", 0) + &line("torn", 3);
    assert_eq!(ids(&written(&after, &files(&[&whole, &other]))), ["a", "b", "c", "torn"]);
}

#[test]
fn ids_stay_unique_and_no_task_is_lost() {
    let list = [
        r#"{"task_id":"task-001","description":"Another one","order":0}"#,
        r#"{"task_id":"same","description":"One","order":1}"#,
        r#"{"task_id":"same","description":"Two","order":2}"#,
        r#"{"task_id":"same","description":"Two","order":2}"#,
        r#"{"description":"Without an id","order":3}"#,
        r#"{"task_id":"no / word","description":"Odd","order":4}"#,
        r#"{"task_id":"blank","description":" ","order":5}"#,
        r#"{"task_id":"prompt","description":"","prompt_template":"From the prompt","order":6}"#,
    ]
    .join("\n");
    let before = master(1, &skill(&task("task-001", "completed")));
    let after = written(&before, &files(&[&list]));
    let all = ids(&after);
    assert_eq!(all[..4], ["task-001", "task-001-listed", "same", "same-2"].map(str::to_owned));
    assert_eq!(all.len(), 7);
    assert!(all[4].starts_with("task-list-") && all[5].starts_with("task-list-") && all[6] == "prompt");
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 7);
    assert_eq!(written(&after, &files(&[&list])), after, "and each of them once");
    // A task that was already copied by someone else is the same task.
    let copied = master(1, &skill(r#"{"id":"a","description":"Do a","status":"completed"}"#));
    assert_eq!(written(&copied, &files(&[&line("a", 0)])), copied);
    // So is one whose text was changed in the list after it was added.
    let edited = list.replace("One", "One, but better");
    assert_eq!(written(&after, &files(&[&edited])), after);
}

#[test]
fn they_come_before_the_next_develop_and_keep_the_loop_from_its_end() {
    let list = files(&[&line("a", 0)]);
    let passed = r#""validate":{"passed":true,"test_results":[{"summary":{"total":1,"passed":1,"failed":0}}],"failed_tests":[]}"#;
    let done = skill(&task("task-001", "completed"))
        .replace("DEVELOP", "VALIDATE")
        .replace("\"mode\"", &format!("{passed},\"mode\""));
    assert!(matches!(next(&master(3, &done), &[]), LoopV2Next::Write(LoopV2Operation::Complete { .. })));
    let LoopV2Next::Write(LoopV2Operation::TakeUp { tasks }) = next(&master(3, &done), &list) else {
        panic!("{done}")
    };
    assert_eq!(tasks, list);
    let LoopV2Next::Agent { task: work, .. } = next(&written(&master(3, &done), &list), &list) else {
        panic!("{done}")
    };
    assert_eq!(work.action, Action::Develop { task_id: "a".into() });
    let told = work.context.task.unwrap();
    assert_eq!((told.tool.as_str(), told.mode.as_str()), ("codex", "write"));
    // At its limit a loop adds none, and is not done either.
    assert!(matches!(next(&master(10, &done), &[]), LoopV2Next::Write(LoopV2Operation::Complete { .. })));
    assert_eq!(
        next(&master(10, &done), &list),
        LoopV2Next::End(EndReason::Limit { limit: UsedUp::Iterations })
    );
    // A menu offers them.
    let asked = master(3, &done).replace("\"auto\"", "\"interactive\"");
    assert!(matches!(next(&asked, &list), LoopV2Next::Write(LoopV2Operation::TakeUp { .. })));
    assert!(matches!(next(&written(&asked, &list), &list), LoopV2Next::Menu(_)));
    // Started work stays: the new tasks are only appended.
    let begun = master(2, &skill(&task("task-001", "in_progress")));
    assert_eq!(ids(&written(&begun, &list)), ["task-001", "a"]);
    let LoopV2Next::Agent { begin, .. } = next(&written(&begun, &list), &list) else { panic!("{begun}") };
    assert_eq!(begin, {
        let beginning = Beginning::Develop { task_id: "task-001".into() };
        Some(LoopV2Operation::Begin { beginning })
    });
}

#[test]
fn init_is_told_of_them_and_they_follow_its_plan() {
    let list = files(&[&line("a", 0)]);
    let LoopV2Next::Agent { task: plan, .. } = next(&master(0, "null"), &list) else { panic!("no INIT") };
    assert_eq!(plan.action, Action::Init);
    assert!(plan.prompt.contains("Do a") && plan.prompt.contains("plan none of them again"));
    let planned = PlannedTask { id: "task-001".into(), description: "x".into(), ..PlannedTask::default() };
    let init =
        LoopV2Operation::Init { mode: crate::formats::ccw_v2::forms::InitMode::Auto, tasks: vec![planned] };
    let after = written(&apply(&master(0, "null"), &init), &list);
    assert_eq!(ids(&after), ["task-001", "a"]);
}

#[test]
fn prompt_command_and_mode_are_carried_over_and_told_as_data() {
    let text = r#"{"task_id":"a","description":"Look","mode":"review","prompt_template":"Read the diff","command":"rm -rf x"}"#;
    let after = written(&master(1, &skill("")), &files(&[text]));
    let LoopV2Next::Agent { task: work, .. } = next(&after, &[]) else { panic!("{after}") };
    let task = work.context.task.as_ref().unwrap();
    assert!(task.only_looks());
    assert_eq!((task.tool.as_str(), task.listed.as_str()), ("claude", "Read the diff\nCommand: rm -rf x"));
    for told in ["Read the diff", "Command: rm -rf x", "change no file"] {
        assert!(work.prompt.contains(told), "{told}");
    }
}

#[test]
fn a_section_that_is_missing_is_made_and_one_of_others_is_kept() {
    let list = files(&[&line("a", 0)]);
    let bare = master(1, r#"{"last_action":null}"#);
    assert_eq!(ids(&written(&bare, &list)), ["a"]);
    let odd = master(1, r#"{"last_action":null,"develop":"theirs"}"#);
    assert!(matches!(next(&odd, &list), LoopV2Next::End(EndReason::Refused { .. })));
}

#[test]
fn the_list_says_of_each_task_whether_the_loop_has_it_and_the_task_where_it_is_from() {
    use crate::view::{LoopDetail, TaskView};
    let list = line("a", 0) + &line("b", 1);
    let detail_of = |text: &str| -> LoopDetail {
        let situation = Situation { shown: StatusWord::Running, now: NOW };
        let bytes = list.as_bytes().to_vec();
        let file = Companion { kind: CompanionKind::TaskList, file: "l".into(), bytes, cut: false };
        crate::formats::ccw_v2::detail(text.as_bytes(), &FACTS, &situation, &[file])
    };
    let before = master(1, &skill(&task("task-001", "pending")));
    let after = written(&before, &files(&[&line("a", 0)]));
    let (before, after) = (detail_of(&before), detail_of(&after));
    let taken = |detail: &LoopDetail| detail.task_list.iter().map(|task| task.taken).collect::<Vec<_>>();
    assert_eq!((taken(&before), taken(&after)), (vec![false, false], vec![true, false]));
    let said = |task: &TaskView| (task.id.clone(), task.listed, task.extra.len());
    let tasks: Vec<_> = after.tasks.iter().map(said).collect();
    assert_eq!(tasks, [("task-001".to_owned(), false, 0), ("a".to_owned(), true, 0)]);
    let changes = crate::compare::compare(&before, &after);
    let told = changes.iter().find(|change| change.id == "a").unwrap();
    assert_eq!(told.what, crate::compare::ChangedWhat::ListedTask);
    assert!(told.to_status.is_some() && told.from.is_none());
}
