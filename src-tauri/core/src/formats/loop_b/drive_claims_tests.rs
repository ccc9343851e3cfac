//! Workers' claims against the disk, over all runs of a worker.

use super::tests::{Bench, PLAN, STEM, answered, master, skill, word, worked};
use super::*;
use crate::driver::{Checked, Conclusion, Ended, FailureClass};

fn files(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// In the debug phase, with nothing to do and passed tests: a worker that changes nothing completes the loop.
fn tested() -> Bench {
    let mut bench = Bench::new("auto");
    bench.text = master("auto", 3, &skill("debug", 0, 2));
    bench.memory.b.passed = true;
    bench
}

/// `files_changed` of the output of a worker.
fn written(bench: &Bench, worker: &str) -> String {
    let output = &bench.outputs[&format!("{STEM}.workers/{worker}.output.json")];
    let root = Node::parse(output.as_bytes()).expect("JSON");
    root.get("files_changed").items().iter().filter_map(Node::text).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_an_earlier_run_of_a_worker_changed_counts_with_the_run_after_it() {
    let done = worked("success", &[], None);
    let mut bench = tested();
    bench.agent_seen("debug", &answered(&done), Some(&[]));
    assert_eq!(word(&bench.next()), "enter complete", "nothing has changed since the tests passed");
    // The first run changed a file, but its answer was unreadable.
    let mut bench = tested();
    let unread = bench.agent_seen("debug", &answered("I looked."), Some(&files(&["src/a.rs"])));
    assert!(matches!(unread, Conclusion::Retry { .. }));
    bench.agent_seen("debug", &answered(&done), Some(&[]));
    assert_eq!((written(&bench, "debug").as_str(), word(&bench.next()).as_str()), ("src/a.rs", "tests"));
    // The first run was interrupted, and its changes were not observed.
    let mut bench = tested();
    let stopped = Ended::Failed { class: FailureClass::Cancelled, message: "" };
    bench.agent_seen("debug", &stopped, None);
    bench.agent_seen("debug", &answered(&done), Some(&[]));
    assert_eq!((written(&bench, "debug").as_str(), word(&bench.next()).as_str()), ("a.ts", "tests"));
    // The first run failed or asked: its output is written, and the second output has the changes of both.
    let crash = Ended::Failed { class: FailureClass::Work, message: "segfault" };
    let asks = worked("needs_input", &[], None).replace("\"needs\":null", "\"needs\":\"Which?\"");
    for first in [crash, answered(&asks)] {
        let mut bench = tested();
        bench.agent_seen("debug", &first, Some(&files(&["src/a.rs"])));
        assert_eq!(written(&bench, "debug"), "src/a.rs");
        bench.memory.question = None;
        bench.agent_seen("debug", &answered(&done), Some(&files(&["src/b.rs"])));
        assert_eq!(written(&bench, "debug"), "src/a.rs src/b.rs");
    }
}

#[test]
fn a_worker_that_is_done_says_nothing_of_the_next_one() {
    let mut bench = Bench::new("auto");
    bench.agent("init", PLAN);
    for (task, file) in [("T1", "src/a.rs"), ("T2", "src/b.rs")] {
        let changed = files(&[file]);
        bench.agent_seen("develop", &answered(&worked("success", &[task], None)), Some(&changed));
        assert_eq!(written(&bench, "develop"), file);
    }
}

/// A debug worker that says that it removed the cause.
fn fixed() -> String {
    worked("success", &[], None).replace("\"needs\"", "\"fixed\":true,\"needs\"")
}

#[test]
fn a_fix_without_a_change_is_a_failed_try() {
    let mut bench = tested();
    bench.memory.b.passed = false;
    bench.agent_seen("debug", &answered(&fixed()), Some(&[]));
    let output = &bench.outputs[&format!("{STEM}.workers/debug.output.json")];
    assert!(output.contains("\"status\": \"failed\""), "{output}");
    assert!(!bench.skill("workers_completed").contains("debug"));
    let LoopBNext::Agent { task, .. } = bench.next() else { panic!("{}", word(&bench.next())) };
    assert!(task.prompt.contains("but no file changed"), "it is told");
    bench.agent_seen("debug", &answered(&fixed()), Some(&[]));
    let LoopBNext::Ask(question) = bench.next() else { panic!("{}", word(&bench.next())) };
    assert_eq!((question.code, question.count), (QuestionCode::WorkerFailed, 2));
    assert_eq!(question.text, "The answer says that the cause was removed, but no file changed.");
    // The tests decide about possible changes, and about those of an earlier run.
    for changed in [None, Some(files(&["src/a.rs"]))] {
        let mut bench = tested();
        bench.agent_seen("debug", &answered(&fixed()), changed.as_deref());
        assert_eq!(word(&bench.next()), "tests", "{changed:?}");
    }
    let mut bench = tested();
    let crash = Ended::Failed { class: FailureClass::Work, message: "segfault" };
    bench.agent_seen("debug", &crash, Some(&files(&["src/a.rs"])));
    bench.agent_seen("debug", &answered(&fixed()), Some(&[]));
    assert_eq!(word(&bench.next()), "tests");
}

#[test]
fn what_the_disk_does_not_bear_out_is_told() {
    let bench = tested();
    let LoopBNext::Agent { task, .. } = bench.next() else { panic!("{}", word(&bench.next())) };
    let told =
        |changed: Option<&[String]>, answer: &str| check(&task, &answered(answer), changed, &bench.memory);
    let (fixed, done) = (fixed(), worked("success", &[], None));
    let found = told(Some(&[]), &fixed);
    assert_eq!((found.unchanged, found.nothing_changed), (files(&["a.ts"]), true));
    let found = told(Some(&files(&["b.ts"])), &fixed);
    assert_eq!((found.unchanged, found.nothing_changed), (files(&["a.ts"]), false));
    assert!(!told(Some(&[]), &done).nothing_changed, "it does not say that it fixed something");
    assert_eq!(told(None, &fixed), Checked::default(), "unknown");
    assert_eq!(told(Some(&files(&["a.ts"])), &fixed), Checked::default());
}
