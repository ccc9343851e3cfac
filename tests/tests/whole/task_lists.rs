//! The task list next to a loop: added to, edited, reordered, in either location; what others wrote keeps its
//! bytes.

use loopdeck_core::formats::ccw_v2::edit::task_list::TaskEdit;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::ListedTask;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::{Live, ROOT, aot, loop_v2};
use loopdeck_tests::steps::{edit_tasks, fields};
use std::fs;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

fn line(id: &str, order: u32) -> String {
    format!(
        "{{\"task_id\":\"{id}\",\"description\":\"{id}\", \"tool\":\"bash\",\"mode\":\"write\",\"prompt_template\":\"\",\"order\":{order},\"x\":1E+2}}"
    )
}

/// Possible locations of a list, below the root.
fn places() -> [String; 2] {
    [format!("{ID}.tasks.jsonl"), format!("{ID}/tasks.jsonl")]
}

fn live_with(lists: &[(&str, &str)]) -> Live {
    Live::with(|workspace| {
        let root = workspace.join(ROOT);
        fs::write(root.join(NAME), loop_v2(ID, "paused")).unwrap();
        for (name, text) in lists {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
    })
}

fn edit(live: &Live, edit: TaskEdit) {
    live.change(NAME, edit_tasks(edit)).unwrap();
}

fn shown(live: &Live) -> Vec<ListedTask> {
    live.detail(NAME).task_list
}

fn ids(live: &Live) -> Vec<String> {
    shown(live).into_iter().map(|task| task.id).collect()
}

fn add(id: &str) -> TaskEdit {
    TaskEdit::Add { id: id.into(), task: fields(&format!("do {id}")) }
}

fn delete(id: &str) -> TaskEdit {
    TaskEdit::Delete { id: id.into() }
}

#[test]
fn a_list_is_begun_beside_the_loop_and_its_first_task_undone() {
    let live = live_with(&[]);
    let before = live.files();
    edit(&live, add(""));
    let tasks = shown(&live);
    assert!(tasks.len() == 1 && tasks[0].id.starts_with("task-"), "{tasks:?}");
    assert!(live.path(&places()[0]).is_file(), "where the seeds place it");
    assert!(!live.path(ID).exists(), "no folder is made");
    edit(&live, add(""));
    assert_eq!(shown(&live).len(), 2);
    live.undo(NAME).unwrap();
    assert_eq!(shown(&live), tasks, "one step at a time");
    live.undo(NAME).unwrap();
    assert_eq!(shown(&live).len(), 2, "undone twice");
    let live = live_with(&[]);
    edit(&live, add("a"));
    live.undo(NAME).unwrap();
    assert_eq!(live.files(), before, "no empty list is left");
    assert!(!live.path(ID).exists(), "nor its folder");
}

#[test]
fn in_either_place_whatever_its_line_ends() {
    for place in places() {
        for (newline, last) in [("\n", "\n"), ("\n", ""), ("\r\n", "\r\n"), ("\r\n", "")] {
            let said = format!("{place} {newline:?} {last:?}");
            let list = format!("{}{newline}{}{last}", line("a", 0), line("b", 1));
            let live = live_with(&[(&place, &list)]);
            edit(&live, add("c"));
            assert_eq!(ids(&live), ["a", "b", "c"], "{said}");
            let other = places().into_iter().find(|other| *other != place).unwrap();
            let whole = if last.is_empty() { format!("{list}{newline}") } else { list.clone() };
            let text = live.read(&place);
            assert!(text.starts_with(&whole) && text.ends_with(newline), "{said}: {text}");
            assert_eq!(text.matches(newline).count(), 3, "{said}: {text}");
            edit(&live, TaskEdit::Reorder { ids: vec!["c".into(), "a".into(), "b".into()] });
            assert_eq!(ids(&live), ["c", "a", "b"], "{said}");
            edit(&live, TaskEdit::Edit { id: "a".into(), task: fields("Another") });
            assert_eq!(shown(&live)[1].description, "Another", "{said}");
            edit(&live, delete("c"));
            assert_eq!(ids(&live), ["a", "b"], "{said}");
            assert_eq!(live.read(&place).matches("1E+2").count(), 2, "{said}: fields of others stay");
            live.undo(NAME).unwrap();
            assert_eq!(ids(&live), ["c", "a", "b"], "{said}");
            assert!(!live.path(&other).exists(), "{said}: no second list");
        }
    }
}

#[test]
fn a_list_stays_where_it_is_and_a_new_one_begins_where_the_seeds_place_it() {
    for place in places() {
        let list = format!("{}{}\nnot json", line("a", 0), line("b", 1));
        let live = live_with(&[(&place, &list)]);
        let before = live.files();
        edit(&live, add("c"));
        assert_eq!(ids(&live), ["a", "b", "c"], "{place}");
        let there: Vec<bool> = places().iter().map(|other| live.path(other).exists()).collect();
        assert_eq!(
            there,
            places().map(|other| other == place),
            "nothing is moved, and there is no second list"
        );
        assert!(live.read(&place).contains("not json"), "what cannot be read stays");
        live.undo(NAME).unwrap();
        assert_eq!(live.files(), before);
    }
    // Upstream's server made its folder for this loop.
    let live = live_with(&[]);
    fs::create_dir_all(live.path(ID)).unwrap();
    edit(&live, add("a"));
    assert_eq!((live.path(&places()[0]).exists(), live.path(&places()[1]).is_file()), (false, true));
    live.undo(NAME).unwrap();
}

#[test]
fn of_two_lists_a_new_task_goes_to_the_one_that_changed_last() {
    for (older, newer) in [(0, 1), (1, 0)] {
        let lists = [format!("{}\n", line("near", 0)), format!("{}\n", line("below", 1))];
        let live = live_with(&[(&places()[0], &lists[0]), (&places()[1], &lists[1])]);
        live.age(&places()[older]);
        edit(&live, add("new"));
        assert_eq!(live.read(&places()[older]), lists[older]);
        assert!(live.read(&places()[newer]).contains("do new"));
    }
}

#[test]
fn glued_lines_are_split_by_the_way_and_undo_glues_them_again() {
    let list = format!("{}{}", line("a", 0), line("b", 1));
    let live = live_with(&[(&places()[1], &list)]);
    edit(&live, delete("a"));
    assert_eq!(live.read(&places()[1]), format!("{}\n", line("b", 1)));
    live.undo(NAME).unwrap();
    assert_eq!(live.read(&places()[1]), list);
    edit(&live, add("c"));
    assert!(live.read(&places()[1]).starts_with(&format!("{}\n{}\n{{", line("a", 0), line("b", 1))));
}

#[test]
fn a_task_is_changed_where_it_stands() {
    let lists = [format!("{}\n", line("near", 0)), format!("{}\n", line("below", 1))];
    let live = live_with(&[(&places()[0], &lists[0]), (&places()[1], &lists[1])]);
    for (at, id) in [(0, "near"), (1, "below")] {
        edit(&live, TaskEdit::Edit { id: id.into(), task: fields("Another") });
        assert!(live.read(&places()[at]).contains("Another"));
        assert_eq!(live.read(&places()[1 - at]), lists[1 - at]);
        live.undo(NAME).unwrap();
        assert_eq!(live.read(&places()[at]), lists[at]);
    }
}

#[test]
fn what_changes_nothing_is_not_written_and_cannot_be_undone() {
    let list = format!("{}\n", line("a", 0));
    let live = live_with(&[(&places()[0], &list)]);
    edit(&live, TaskEdit::Edit { id: "a".into(), task: fields("a") });
    assert_eq!(live.read(&places()[0]), list);
    assert_eq!(live.undo(NAME).unwrap_err().kind, FailureKind::NothingToUndo);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let twice = format!("{}\n{}\n", line("a", 0), line("a", 1));
    let live = live_with(&[(&places()[0], &twice)]);
    let before = live.files();
    let blank = TaskEdit::Add { id: "b".into(), task: fields(" ") };
    for (edit, code) in [
        (delete("z"), RefusalCode::NoSuchTask),
        (delete("a"), RefusalCode::NotEditable),
        (add("a"), RefusalCode::BadValue),
        (blank, RefusalCode::BadValue),
        (TaskEdit::Reorder { ids: vec!["z".into()] }, RefusalCode::NotEditable),
    ] {
        let failure = live.change(NAME, edit_tasks(edit.clone())).unwrap_err();
        assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(code), "{edit:?}");
    }
    assert_eq!(live.files(), before);
}

#[test]
fn other_formats_have_no_task_list() {
    let live = Live::with(|workspace| {
        fs::create_dir_all(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(".claude/aot-loop-state.md"), aot("stopped", 1)).unwrap();
    });
    let key = &live.rows[".claude/aot-loop-state.md"].key;
    let failure = live.runtime.change(key, edit_tasks(add("a"))).unwrap_err();
    assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::NotInFormat));
}

#[test]
fn a_list_is_edited_while_an_agent_works_and_the_agents_line_stays() {
    let mut live = live_with(&[(&places()[0], &format!("{}\n", line("a", 0)))]);
    live.replace(NAME, loop_v2(ID, "running"));
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
    let theirs = format!("{}{}\n", live.read(&places()[0]), line("theirs", 1));
    fs::write(live.path(&places()[0]), theirs).unwrap();
    edit(&live, add("ours"));
    assert_eq!(ids(&live), ["a", "theirs", "ours"]);
}
