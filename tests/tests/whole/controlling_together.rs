//! Requests on many loops at the same moment: they share one wait for the disk, and nothing else.

use loopdeck_core::control::Verb;
use loopdeck_core::past::WriteCause;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_runtime::views::{Failure, FailureKind, VerbOptions, VersionWriter};
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;
use std::sync::Barrier;
use std::thread;

const LOOPS: usize = 40;

fn name(number: usize) -> String {
    format!("loop-v2-20261120T042421-{number:08x}.json")
}

fn status(live: &Live, name: &str) -> String {
    let state: serde_json::Value = serde_json::from_str(&live.read(name)).unwrap();
    state["status"].as_str().unwrap().to_owned()
}

fn live() -> Live {
    Live::polling(|workspace| {
        for number in 0..LOOPS {
            let name = name(number);
            let text = loop_v2(name.trim_end_matches(".json"), "running");
            fs::write(workspace.join(".workflow/.loop").join(name), text).unwrap();
        }
    })
}

/// Asks `verbs` of each of `names` at the same moment; the answers in their order.
fn ask(live: &Live, asked: &[(String, Verb)]) -> Vec<Result<(), Failure>> {
    let keys: Vec<String> = asked.iter().map(|(name, _)| live.key(name)).collect();
    let (runtime, begin) = (&live.runtime, &Barrier::new(asked.len()));
    thread::scope(|scope| {
        let threads = keys.iter().zip(asked).map(|(key, (_, verb))| {
            scope.spawn(move || {
                begin.wait();
                runtime.act(key, *verb, VerbOptions::default())
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn each_is_written_recorded_and_undone_by_itself() {
    let live = live();
    let before = live.files();
    let all: Vec<(String, Verb)> = (0..LOOPS).map(|number| (name(number), Verb::Pause)).collect();
    for answer in ask(&live, &all) {
        answer.unwrap();
    }
    for number in 0..LOOPS {
        assert_eq!(status(&live, &name(number)), "paused");
        let history = live.runtime.history(&live.key(&name(number)), 10).unwrap();
        let writers: Vec<VersionWriter> = history.iter().map(|version| version.who).collect();
        assert_eq!(writers, [VersionWriter::Ours, VersionWriter::Foreign], "both versions are kept");
    }
    live.undo(&name(7)).unwrap();
    let after = live.files();
    let undone: Vec<_> = before.iter().filter(|(path, bytes)| after[*path] == **bytes).collect();
    assert_eq!((undone.len(), after.len()), (1, LOOPS), "and no temporary file stays");
    assert!(undone[0].0.ends_with(name(7)));
}

#[test]
fn one_that_is_refused_or_gone_stops_no_other() {
    let live = live();
    live.write(&name(3), loop_v2(name(3).trim_end_matches(".json"), "completed"));
    live.runtime.rescan().unwrap();
    fs::remove_file(live.path(&name(5))).unwrap();
    let all: Vec<(String, Verb)> = (0..LOOPS).map(|number| (name(number), Verb::Pause)).collect();
    for (number, answer) in ask(&live, &all).into_iter().enumerate() {
        match number {
            3 => {
                assert_eq!(answer.unwrap_err().refusal.unwrap().code, RefusalCode::Finished);
            }
            5 => assert_eq!(answer.unwrap_err().kind, FailureKind::Unreadable),
            _ => assert_eq!((answer, &*status(&live, &name(number))), (Ok(()), "paused")),
        }
    }
}

#[test]
fn two_requests_on_one_loop_are_carried_out_one_after_the_other() {
    let live = live();
    let mut all: Vec<(String, Verb)> = (0..LOOPS).map(|number| (name(number), Verb::Pause)).collect();
    all.extend((0..4).map(|_| (name(0), Verb::Stop)));
    let answers = ask(&live, &all);
    assert!(answers[1..LOOPS].iter().all(Result::is_ok), "{answers:?}");
    // Whatever came first: the last that was carried out is in the file, and none is lost.
    let open = live.runtime.rows().into_iter().find(|row| row.key == live.key(&name(0))).unwrap().request;
    let said = status(&live, &name(0));
    let verb = open.unwrap().verb;
    assert!(
        [(WriteCause::Pause, "paused"), (WriteCause::Stop, "failed")].contains(&(verb, &*said)),
        "{verb:?}: {said}"
    );
}
