//! The interactive mode: what the menu offers, and what a choice leads to.

use super::tests::{Bench, PLAN, word, worked};
use super::*;
use crate::driver::Reply;

#[test]
fn a_whole_run_in_interactive_mode() {
    let mut bench = Bench::new("interactive");
    assert_eq!(bench.next(), LoopBNext::Menu(vec![MenuChoice::Init, MenuChoice::Exit]));
    bench.memory.choose(MenuChoice::Init);
    bench.agent("init", PLAN);
    assert_eq!(bench.next(), LoopBNext::Menu(vec![MenuChoice::Develop, MenuChoice::Exit]));
    bench.memory.choose(MenuChoice::Complete);
    assert_eq!(
        bench.next(),
        LoopBNext::Menu(vec![MenuChoice::Develop, MenuChoice::Exit]),
        "what cannot be chosen is not done"
    );
    bench.memory.choose(MenuChoice::Develop);
    bench.agent("develop", &worked("success", &["T1", "T2"], None));
    assert_eq!(
        bench.next(),
        LoopBNext::Menu(vec![MenuChoice::Debug, MenuChoice::Validate, MenuChoice::Exit])
    );
    bench.memory.choose(MenuChoice::Validate);
    bench.tests(1, &["x"]);
    bench.memory.choose(MenuChoice::Debug);
    bench.agent("debug", &worked("success", &[], None));
    bench.memory.choose(MenuChoice::Validate);
    bench.tests(2, &[]);
    bench.memory.choose(MenuChoice::Complete);
    bench.complete();
}

#[test]
fn a_person_leaves_by_the_menu() {
    let mut bench = Bench::new("interactive");
    bench.memory.choose(MenuChoice::Exit);
    assert_eq!(bench.next(), LoopBNext::Write(LoopBOperation::Leave), "before anything is planned too");
    bench.memory.choose(MenuChoice::Init);
    bench.agent("init", PLAN);
    bench.memory.choose(MenuChoice::Exit);
    let LoopBNext::Write(leave) = bench.next() else { panic!("{}", word(&bench.next())) };
    let before = bench.text.clone();
    bench.write(&leave);
    let (old, new) = (Node::parse(before.as_bytes()).expect("a file"), bench.text.clone());
    let new = Node::parse(new.as_bytes()).expect("a file");
    assert_eq!(new.get("status").text(), Some("user_exit"));
    assert_eq!(new.get("skill_state").json(None, usize::MAX), old.get("skill_state").json(None, usize::MAX));
    assert_eq!(word(&bench.next()), "end Left");
}

#[test]
fn a_worker_that_asks_is_chosen_still() {
    let mut bench = Bench::new("interactive");
    bench.memory.choose(MenuChoice::Init);
    bench.agent("init", PLAN);
    bench.memory.choose(MenuChoice::Develop);
    let asks = worked("needs_input", &[], None).replace("\"needs\":null", "\"needs\":\"Which?\"");
    bench.agent("develop", &asks);
    let LoopBNext::Ask(question) = bench.next() else { panic!("{}", word(&bench.next())) };
    assert_eq!(question.code, QuestionCode::AgentAsks);
    bench.memory.reply(&Reply::Text { text: "The blue one".into() });
    assert_eq!(word(&bench.next()), "develop");
}
