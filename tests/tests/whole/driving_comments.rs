//! Comments that become work of a list while an agent writes the whole list again, as it read it before.

use loopdeck_core::start::NewFormat;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::{CommentView, NewComment, TakenAs, TakenUp};
use loopdeck_tests::driving::Driven;
use loopdeck_tests::repository::commit_all;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use std::fs;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

fn shell(command: &str) -> Step {
    Step::Shell(command.into())
}

/// A list with one box.
fn start(driven: &mut Driven, rules: Vec<Rule>) -> String {
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = driven.form("custom:scripted");
    (form.work.format, form.work.tasks) = (Some(NewFormat::Ralph), vec!["Open the first".into()]);
    form.plan.test_command = String::new();
    driven.start(&form)
}

/// The first agent reads the list, waits, and writes all of it from what it read, ticked; a second one ticks what is there then.
#[test]
fn an_item_given_to_a_working_agent_outlives_its_list_and_is_worked_on() {
    let mut driven = driven();
    let rules = vec![
        Rule::on("iterate")
            .times(1)
            .then(shell("cp .ralph/*/TODO.md read; touch begun"))
            .then(Step::WaitFor("gate".into()))
            .then(shell("sed 's/^- \\[ \\]/- [x]/' read >new; cp new .ralph/*/TODO.md")),
        Rule::on("iterate").then(shell("sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md")),
    ];
    let name = start(&mut driven, rules);
    driven.wait_for_file("begun");
    let key = driven.live.key(&name);
    let said = NewComment { text: "Say why".into(), ..NewComment::default() };
    driven.live.runtime.add_comment(&key, &said).unwrap();
    let taken = driven.live.runtime.take_up(&key, &[]).unwrap();
    assert_eq!(taken, TakenUp { count: 1, taken_as: Some(TakenAs::Item), waits: true });
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Completed);
    let list = fs::read_to_string(driven.live.workspace.join(&name)).unwrap();
    assert!(list.contains("- [x] Open the first") && list.contains("- [x] Say why"), "{list}");
    assert_eq!(driven.ran(&name), ["iterate ok", "iterate ok"], "the loop did not end before");
    let again = driven.live.runtime.take_up(&key, &[]).unwrap();
    assert_eq!(again, TakenUp::default(), "nothing waits any longer");
}

/// Of the agents after the comment, the first changes another line, the second the line itself, and the third the file once more.
#[test]
fn an_answered_comment_names_the_first_run_that_changed_its_line_and_its_file() {
    let mut driven = driven();
    fs::write(driven.live.workspace.join("code.txt"), "one\ntwo\nthree\n").unwrap();
    commit_all(&driven.live.workspace);
    let edit =
        |command: &str| Rule::on("iterate").times(1).then(shell(&format!("sed -i '{command}' code.txt")));
    let wait = Rule::on("iterate").times(1).then(shell("touch begun")).then(Step::WaitFor("gate".into()));
    let last = Rule::on("iterate")
        .then(shell("sed -i 's/three/3/' code.txt; sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md"));
    let name = start(&mut driven, vec![wait, edit("s/one/1\\n1/"), edit("s/two/2/"), last]);
    driven.wait_for_file("begun");
    let key = driven.live.key(&name);
    let said = |line| NewComment { path: Some("code.txt".into()), line, text: "Why?".into() };
    driven.live.runtime.add_comment(&key, &said(Some(2))).unwrap();
    driven.live.runtime.add_comment(&key, &said(None)).unwrap();
    driven.live.runtime.take_up(&key, &[]).unwrap();
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Completed);
    let answered = |view: CommentView| (view.line_changed_in, view.answered_in);
    let answers: Vec<_> = driven.live.runtime.comments(&key).unwrap().into_iter().map(answered).collect();
    assert_eq!(answers, [(Some(3), Some(2)), (None, Some(2))]);
}
