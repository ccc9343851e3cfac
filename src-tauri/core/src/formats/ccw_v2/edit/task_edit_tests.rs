//! The CCW contract §12, byte for byte.

use super::*;
use loopdeck_text::text_edit;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const TIME: &str = "2026-11-20T04:24:21.870Z";

fn fields() -> TaskFields {
    let text = |text: &str| text.to_owned();
    TaskFields {
        description: text("d"),
        tool: text("codex"),
        mode: text("write"),
        prompt_template: text("p"),
        ..TaskFields::default()
    }
}

fn apply(text: &str, change: &TaskEdit) -> Result<String, RefusalCode> {
    let edits = edit(text.as_bytes(), change, NOW).map_err(|refusal| refusal.code)?;
    let bytes = text_edit::apply(text.as_bytes(), &edits).expect("disjoint");
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

fn add(id: &str) -> TaskEdit {
    TaskEdit::Add { id: id.to_owned(), task: fields() }
}

fn line(id: &str, order: u32) -> String {
    format!(
        "{{\"task_id\":\"{id}\",\"description\":\"d\",\"tool\":\"codex\",\"mode\":\"write\",\"prompt_template\":\"p\",\"order\":{order},\"created_at\":\"{TIME}\",\"updated_at\":\"{TIME}\"}}\n"
    )
}

#[test]
fn adding_splits_glued_lines_and_ends_the_file() {
    assert_eq!(apply("", &add("a")), Ok(line("a", 0)));
    let glued = "{\"task_id\":\"a\", \"order\": 0}{\"task_id\":\"b\",\"order\":4.0} bad";
    let expected = format!(
        "{{\"task_id\":\"a\", \"order\": 0}}\n{{\"task_id\":\"b\",\"order\":4.0}} bad\n{}",
        line("c", 5)
    );
    assert_eq!(apply(glued, &add("c")), Ok(expected));
    assert_eq!(apply(glued, &add("a")), Err(RefusalCode::BadValue));
    let split = text_edit::apply(glued.as_bytes(), &split_glued(glued.as_bytes())).expect("disjoint");
    assert_eq!(split, b"{\"task_id\":\"a\", \"order\": 0}\n{\"task_id\":\"b\",\"order\":4.0} bad\n");
    assert_eq!(split_glued(&split), [], "nothing is left to split");
}

#[test]
fn deleting_takes_the_line_along() {
    let delete = |id: &str| TaskEdit::Delete { id: id.to_owned() };
    let text = "{\"task_id\":\"a\"}\r\nnot json\r\n{\"task_id\":\"b\"}{\"task_id\":\"c\"}\r\n";
    assert_eq!(
        apply(text, &delete("a")).as_deref(),
        Ok("not json\r\n{\"task_id\":\"b\"}\r\n{\"task_id\":\"c\"}\r\n")
    );
    assert_eq!(
        apply(text, &delete("b")).as_deref(),
        Ok("{\"task_id\":\"a\"}\r\nnot json\r\n{\"task_id\":\"c\"}\r\n")
    );
    assert_eq!(
        apply(text, &delete("c")).as_deref(),
        Ok("{\"task_id\":\"a\"}\r\nnot json\r\n{\"task_id\":\"b\"}\r\n")
    );
    assert_eq!(apply(text, &delete("x")), Err(RefusalCode::NoSuchTask));
    assert_eq!(apply("{\"task_id\":\"a\"}", &delete("a")).as_deref(), Ok("\n"));
    assert_eq!(
        apply("{\"task_id\":\"a\"}\n{\"task_id\":\"a\"}\n", &delete("a")),
        Err(RefusalCode::NotEditable)
    );
}

#[test]
fn editing_writes_what_differs() {
    let text =
        format!("{}{}", line("a", 0), line("b", 1).replace("\"order\":1", "\"order\":1.0,\"x\":[ 1 ]"));
    let same = TaskEdit::Edit { id: "b".into(), task: fields() };
    assert_eq!(apply(&text, &same).as_deref(), Ok(text.as_str()));
    let task = TaskFields { mode: "review".into(), on_error: Some("pause".into()), ..fields() };
    let edited = apply(&text.replace(TIME, "old"), &TaskEdit::Edit { id: "b".into(), task }).expect("legal");
    let last = edited.lines().last().expect("two lines");
    assert!(edited.starts_with(&line("a", 0).replace(TIME, "old")));
    let expected =
        line("b", 1).replace("\"order\":1", "\"order\":1.0,\"x\":[ 1 ]").replace("write", "review");
    let expected = expected.replacen(TIME, "old", 1).replace("}\n", ",\"on_error\":\"pause\"}");
    assert_eq!(last, expected);
    for (task, field) in [
        (TaskFields { tool: "vim".into(), ..fields() }, "tool"),
        (TaskFields { mode: "x".into(), ..fields() }, "mode"),
        (TaskFields { description: " ".into(), ..fields() }, "description"),
    ] {
        let refusal = edit(text.as_bytes(), &TaskEdit::Edit { id: "b".into(), task }, NOW).expect_err(field);
        assert_eq!(refusal.args["field"], field);
    }
}

#[test]
fn a_word_of_others_stays_while_something_else_of_a_task_changes() {
    let strange = line("a", 0).replace("codex", "aider").replace("write", "Dream");
    let said = |tool: &str, mode: &str| TaskFields {
        tool: tool.into(),
        mode: mode.into(),
        prompt_template: "other".into(),
        ..fields()
    };
    let edit = |task| apply(&strange, &TaskEdit::Edit { id: "a".into(), task });
    let edited = edit(said("aider", "Dream")).expect("its own words");
    assert!(edited.contains("\"aider\"") && edited.contains("\"Dream\"") && edited.contains("\"other\""));
    assert_eq!(edit(said("aider", "dream")), Err(RefusalCode::BadValue), "only as it stands there");
    let add = TaskEdit::Add { id: "b".into(), task: said("aider", "write") };
    assert_eq!(apply(&strange, &add), Err(RefusalCode::BadValue));
}

#[test]
fn a_task_may_be_left_to_the_loops_agent() {
    let task = || TaskFields { tool: String::new(), ..fields() };
    let without = line("a", 0).replace("\"tool\":\"codex\",", "");
    let add = TaskEdit::Add { id: "a".into(), task: task() };
    assert_eq!(apply("", &add).map(|text| text.contains("\"tool\"")), Ok(false));
    let edit = |text: &str| apply(text, &TaskEdit::Edit { id: "a".into(), task: task() });
    assert_eq!(edit(&line("a", 0)).map(|text| text.contains("\"tool\"")), Ok(false), "its tool goes");
    for same in [without, line("a", 0).replace("codex", "")] {
        assert_eq!(edit(&same).as_deref(), Ok(same.as_str()));
    }
}

#[test]
fn reordering_changes_numbers_only() {
    let text = format!("{}{}{}", line("a", 0), line("b", 1), line("c", 2));
    let ids = |ids: &[&str]| TaskEdit::Reorder { ids: ids.iter().map(|&id| id.to_owned()).collect() };
    let expected = format!("{}{}{}", line("a", 1), line("b", 2), line("c", 0));
    assert_eq!(apply(&text, &ids(&["c"])), Ok(expected));
    assert_eq!(apply(&text, &ids(&["a", "b", "c"])).as_deref(), Ok(text.as_str()));
    assert_eq!(apply(&text, &ids(&["a", "a"])), Err(RefusalCode::NoSuchTask));
}
