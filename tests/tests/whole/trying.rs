//! *Try it now*: a command of the form really runs once, only in a trusted folder, and can be
//! stopped.

use loopdeck_core::checklist::TestsRan;
use loopdeck_core::control::Verb;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{FormTry, StopView, Tried, TriedEnd, TryKind};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, PASSING, develops, done, planned, small};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Spawn, Step};
use std::sync::mpsc;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

fn wanted(driven: &Driven, kind: TryKind, command: &str) -> FormTry {
    FormTry {
        id: "try-1".into(),
        folder: driven.folder(),
        command: command.into(),
        kind,
        results: Vec::new(),
    }
}

fn tried(driven: &Driven, kind: TryKind, command: &str) -> Tried {
    let tried = driven.live.runtime.try_command(&wanted(driven, kind, command)).unwrap();
    assert_eq!(tried.left, None);
    driven.all_gone();
    let runs = std::fs::read_dir(driven.live.data().runs()).unwrap();
    assert_eq!(runs.count(), 0, "nothing of a try is kept");
    tried
}

fn texts(tried: &Tried) -> Vec<(&str, bool)> {
    tried.lines.iter().map(|line| (line.text.as_str(), line.error)).collect()
}

#[test]
fn a_check_says_whether_it_passes_now_and_what_it_printed() {
    let driven = driven();
    let good = tried(&driven, TryKind::Command, "pwd; echo \"$CI\"");
    assert_eq!((good.passes, good.end, good.code), (Some(true), TriedEnd::Exited, Some(0)));
    assert_eq!(texts(&good), [(driven.folder().as_str(), false), ("1", false)]);
    let bad = tried(&driven, TryKind::Command, "echo no >&2; exit 3");
    assert_eq!((bad.passes, bad.code, texts(&bad)), (Some(false), Some(3), vec![("no", true)]));
    let inverted = tried(&driven, TryKind::NotCommand, "exit 3");
    assert_eq!((inverted.passes, inverted.could_not_run), (Some(true), false));
    let nothing = tried(&driven, TryKind::NotCommand, "no-such-program-here");
    assert_eq!((nothing.passes, nothing.could_not_run), (Some(true), true), "it passes, and proves nothing");
    let much = tried(&driven, TryKind::Command, "seq 1 100000");
    assert_eq!((much.lines.len(), much.cut), (40, true));
}

#[test]
fn a_test_command_tells_how_many_tests_there_are() {
    let driven = driven();
    let passing = tried(&driven, TryKind::Tests, PASSING);
    let counts = TestsRan { passed: 1, failed: 0, skipped: 0 };
    assert_eq!((passing.passes, passing.tests), (Some(true), Some(counts)));
    let silent = tried(&driven, TryKind::Tests, "echo all fine");
    assert_eq!((silent.passes, silent.tests), (Some(true), None), "it names no test");
}

#[test]
fn nothing_runs_in_a_folder_that_is_not_trusted() {
    let driven = driven();
    driven.live.runtime.trust(&driven.folder(), false).unwrap();
    let refused = driven.live.runtime.try_command(&wanted(&driven, TryKind::Command, ": > ran"));
    assert_eq!(refused.unwrap_err().kind, FailureKind::Untrusted);
    assert!(!driven.live.workspace.join("ran").exists());
    let blank = driven.live.runtime.try_command(&wanted(&driven, TryKind::Command, "  "));
    assert_eq!(blank.unwrap_err().kind, FailureKind::BadForm);
}

#[test]
fn a_try_is_stopped_with_everything_it_started() {
    let driven = driven();
    let wanted = wanted(&driven, TryKind::Tests, ": > begun; setsid sleep 1000 & sleep 1000");
    let stopped = std::thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        let runtime = &driven.live.runtime;
        scope.spawn(move || tell.send(runtime.try_command(&wanted)).is_ok());
        driven.wait_for_file("begun");
        runtime.stop_try("another");
        runtime.stop_try("try-1");
        told.recv().unwrap().unwrap()
    });
    assert_eq!((stopped.passes, stopped.end, stopped.left), (None, TriedEnd::Stopped, None));
    driven.all_gone();
}

#[test]
fn what_a_stop_would_end_is_counted() {
    let mut driven = driven();
    let spawn = Step::Spawn(Spawn { seconds: 1_000, own_session: true, ..Spawn::default() });
    let begun = Step::Write { path: "begun".into(), text: String::new() };
    let rule = Rule::on("develop").task("task-001").then(spawn).then(begun).then(Step::Hang);
    driven.script(&small(Output::Text, vec![planned(1), done(rule, "task-001"), develops("task-002")]));
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_file("begun");
    let key = driven.live.key(&name);
    let facts = eventually("agent and sleep are seen", || {
        let facts = driven.live.runtime.stop_facts(&key).unwrap();
        facts.processes.is_some_and(|count| count >= 2).then_some(facts)
    });
    assert_eq!(facts.runs, 1);
    driven.live.act(&name, Verb::Stop).unwrap();
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
    let stop = driven.live.row(&name).unwrap().run.clone().unwrap().stop;
    assert!(matches!(stop, Some(StopView::AllGone { ended: 2.. })), "{stop:?}");
    let after = driven.live.runtime.stop_facts(&key).unwrap();
    assert_eq!((after.runs, after.processes), (0, Some(0)));
}
