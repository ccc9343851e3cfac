//! The task list: an edit and its inverse restore the bytes.

use crate::ccw_edits::files::foreign;
use crate::ccw_edits::{NOW, TIME};
use loopdeck_core::formats::ccw_v2::edit::task_list::{TaskEdit, TaskFields, edit, split_glued};
use loopdeck_text::json_span::tree::quote;
use loopdeck_text::text_edit;
use proptest::prelude::*;

/// A list as the server or a person may have written it.
#[derive(Clone, Debug)]
struct List {
    bytes: Vec<u8>,
    tasks: Vec<TaskFields>,
}

fn words() -> impl Strategy<Value = TaskFields> {
    let tools = prop::sample::select(vec!["gemini", "qwen", "codex", "bash"]);
    let modes = prop::sample::select(vec!["analysis", "write", "review"]);
    let errors = prop::option::of(prop::sample::select(vec!["continue", "pause", "fail_fast"]));
    ("x\\PC{0,9}y", tools, modes, any::<String>(), prop::option::of(any::<String>()), errors).prop_map(
        |(description, tool, mode, prompt_template, command, on_error)| TaskFields {
            description,
            tool: tool.to_owned(),
            mode: mode.to_owned(),
            prompt_template,
            command,
            on_error: on_error.map(str::to_owned),
        },
    )
}

fn line(order: usize, task: &TaskFields, foreign: &[(String, String)], glue: &str) -> String {
    let text = |text: &str| quote(text);
    let mut members = vec![
        ("task_id".to_owned(), quote(&format!("t{order}"))),
        ("description".to_owned(), text(&task.description)),
        ("tool".to_owned(), text(&task.tool)),
        ("mode".to_owned(), text(&task.mode)),
        ("prompt_template".to_owned(), text(&task.prompt_template)),
    ];
    members.extend(foreign.iter().enumerate().map(|(n, (key, raw))| (format!("{key}{n}x"), raw.clone())));
    members.push(("order".to_owned(), order.to_string()));
    members.push(("updated_at".to_owned(), quote(TIME)));
    members.extend(task.command.iter().map(|command| ("command".to_owned(), text(command))));
    members.extend(task.on_error.iter().map(|word| ("on_error".to_owned(), text(word))));
    let members: Vec<String> =
        members.iter().map(|(key, raw)| format!("{}{glue}{raw}", quote(key))).collect();
    format!("{{{}}}", members.join(","))
}

fn lists() -> impl Strategy<Value = List> {
    let glue = prop::sample::select(vec![":", ": ", " : "]);
    let ends = prop::sample::select(vec!["\n", "\r\n", "\n\n", "\nnot json\n", " \n"]);
    let tasks = prop::collection::vec(words(), 1..5);
    (tasks, foreign(), glue, ends, any::<bool>()).prop_map(|(tasks, foreign, glue, end, bom)| {
        let lines = tasks.iter().enumerate().map(|(order, task)| line(order, task, &foreign, glue) + end);
        let text = String::from(if bom { "\u{feff}" } else { "" }) + &lines.collect::<String>();
        List { bytes: text.into_bytes(), tasks }
    })
}

fn carry_out(bytes: &[u8], change: &TaskEdit) -> Vec<u8> {
    let edits = edit(bytes, change, NOW).expect("legal");
    text_edit::apply(bytes, &edits).expect("edits do not overlap")
}

/// The lines that differ, in two versions with the same lines.
fn differing(before: &[u8], after: &[u8]) -> Vec<usize> {
    let lines =
        |bytes: &[u8]| -> Vec<Vec<u8>> { bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() };
    let (before, after) = (lines(before), lines(after));
    assert_eq!(before.len(), after.len());
    (0..before.len()).filter(|index| before[*index] != after[*index]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn a_task_added_and_deleted(list in lists(), task in words()) {
        prop_assert_eq!(split_glued(&list.bytes), vec![]);
        let added = carry_out(&list.bytes, &TaskEdit::Add { id: "new".to_owned(), task });
        prop_assert!(added.starts_with(&list.bytes));
        prop_assert_eq!(carry_out(&added, &TaskEdit::Delete { id: "new".to_owned() }), list.bytes);
    }

    #[test]
    fn a_task_edited_and_edited_back(list in lists(), which in any::<prop::sample::Index>(), other in words()) {
        let index = which.index(list.tasks.len());
        let (old, id) = (&list.tasks[index], format!("t{index}"));
        // A member that is removed and added again may be at another position.
        let task = TaskFields { command: old.command.as_ref().map(|_| "c".to_owned()), on_error: old.on_error.clone(), ..other };
        let edited = carry_out(&list.bytes, &TaskEdit::Edit { id: id.clone(), task: task.clone() });
        prop_assert!(differing(&list.bytes, &edited).len() <= 1, "one line");
        let again = carry_out(&edited, &TaskEdit::Edit { id: id.clone(), task });
        prop_assert_eq!(&again, &edited, "said once is said");
        prop_assert_eq!(carry_out(&edited, &TaskEdit::Edit { id, task: old.clone() }), list.bytes);
    }

    #[test]
    fn a_new_member_comes_and_goes(list in lists(), command in any::<String>()) {
        let old = TaskFields { command: None, ..list.tasks[0].clone() };
        let without = carry_out(&list.bytes, &TaskEdit::Edit { id: "t0".to_owned(), task: old.clone() });
        let task = TaskFields { command: Some(command), ..old.clone() };
        let with = carry_out(&without, &TaskEdit::Edit { id: "t0".to_owned(), task });
        prop_assert_eq!(carry_out(&with, &TaskEdit::Edit { id: "t0".to_owned(), task: old }), without);
    }

    #[test]
    fn another_order_and_the_old_one(list in lists(), shuffled in Just((0..4_usize).collect::<Vec<_>>()).prop_shuffle()) {
        let ids = |order: &[usize]| -> Vec<String> {
            order.iter().filter(|place| **place < list.tasks.len()).map(|place| format!("t{place}")).collect()
        };
        let reordered = carry_out(&list.bytes, &TaskEdit::Reorder { ids: ids(&shuffled) });
        let moved = ids(&shuffled).iter().zip(ids(&[0, 1, 2, 3])).filter(|(new, old)| *new != old).count();
        prop_assert_eq!(differing(&list.bytes, &reordered).len(), moved, "numbers only");
        prop_assert_eq!(carry_out(&reordered, &TaskEdit::Reorder { ids: ids(&[0, 1, 2, 3]) }), list.bytes.clone());
    }

    #[test]
    fn a_task_deleted_takes_nothing_along(list in lists(), which in any::<prop::sample::Index>()) {
        let index = which.index(list.tasks.len());
        let after = carry_out(&list.bytes, &TaskEdit::Delete { id: format!("t{index}") });
        let text = String::from_utf8(list.bytes.clone()).expect("UTF-8");
        let gone: Vec<&str> = text.split_inclusive('\n').filter(|line| !line.contains(&quote(&format!("t{index}")))).collect();
        let bom = if text.starts_with('\u{feff}') && index == 0 { "\u{feff}" } else { "" };
        prop_assert_eq!(String::from_utf8(after).expect("UTF-8"), format!("{bom}{}", gone.concat()));
    }
}
