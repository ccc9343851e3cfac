//! Other tools decide about a loop too: a person's request through one of them is kept, however long our own
//! request was guarded; a copy from before our request is not (L3).

use loopdeck_core::control::Verb;
use loopdeck_core::past::{RequestOutcome, WriteCause};
use loopdeck_core::status::StatusWord;
use loopdeck_core::timeline::EntryContent;
use loopdeck_core::times::to_iso_millis;
use loopdeck_runtime::clock;
use loopdeck_runtime::store::journal::{Journal, LoopRef, Retention};
use loopdeck_runtime::views::{RequestState, RequestView, VerbOptions};
use loopdeck_tests::live::{Live, ROOT, aot, loop_v2};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const LOOP_B: &str = "loop-b-20261120T042421-abcdefgh";
const AOT: &str = ".claude/aot-loop-state.md";

/// Like upstream's server: read, change, write the whole file, without a lock and in place.
fn serve(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut state = read(path);
    change(&mut state);
    write(path, &state);
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn write(path: &Path, state: &Value) {
    fs::write(path, serde_json::to_string_pretty(state).unwrap()).unwrap();
}

/// What upstream's server writes for a verb.
fn decide(state: &mut Value, verb: Verb) {
    let now = to_iso_millis(clock::now());
    let fields = state.as_object_mut().unwrap();
    match verb {
        Verb::Pause => fields["status"] = json!("paused"),
        Verb::Stop => {
            fields["status"] = json!("failed");
            fields.insert("failure_reason".into(), json!("Manually stopped by user"));
            fields.insert("completed_at".into(), json!(now));
        }
        _ => {
            fields["status"] = json!("running");
            fields.remove("completed_at");
            fields.remove("failure_reason");
        }
    }
    fields["updated_at"] = json!(now);
}

fn word_of(verb: Verb) -> &'static str {
    match verb {
        Verb::Pause => "paused",
        Verb::Stop => "failed",
        _ => "running",
    }
}

fn request(live: &Live, name: &str) -> Option<RequestView> {
    live.row(name)?.request.clone()
}

/// Our requests, each followed by another tool's decision: each is legal after the previous one, in a cycle.
const ALTERNATELY: [(Verb, Verb); 8] = [
    (Verb::Pause, Verb::Resume),
    (Verb::Stop, Verb::Resume),
    (Verb::Pause, Verb::Stop),
    (Verb::Reopen, Verb::Pause),
    (Verb::Resume, Verb::Pause),
    (Verb::Resume, Verb::Stop),
    (Verb::Reopen, Verb::Pause),
    (Verb::Stop, Verb::Resume),
];

/// After this many changes, a copy from before our request is written over it first.
const STALE_EVERY: usize = 5;

/// The write of a writer that read the file before our request.
fn stale_copy(mut copy: Value, count: usize) -> Value {
    match count / STALE_EVERY % 3 {
        0 => copy, // it changed nothing
        1 => {
            copy["x_work"] = json!(count);
            copy
        }
        _ => {
            (copy["x_work"], copy["updated_at"]) = (json!(count), json!(to_iso_millis(clock::now())));
            copy
        }
    }
}

/// One request of ours, sometimes a stale copy over it, and another tool's decision.
fn alternate(live: &mut Live, name: &str, count: usize) {
    let (ours, theirs) = ALTERNATELY[count % ALTERNATELY.len()];
    let path = live.path(name);
    let copy = read(&path);
    live.act(name, ours).unwrap();
    let mut sent_again = 0;
    if count.is_multiple_of(STALE_EVERY) {
        write(&path, &stale_copy(copy, count));
        live.wait_for("the stale copy is answered", |live| {
            request(live, name).is_some_and(|request| request.verb == ours && request.sent_again > 0)
        });
        assert_eq!(read(&path)["status"], word_of(ours), "{count}");
        sent_again = 1;
    }
    serve(&path, |state| decide(state, theirs));
    live.wait_for("overruled", |live| {
        request(live, name).is_some_and(|request| request.state == RequestState::Overruled)
    });
    let request = request(live, name).unwrap();
    assert_eq!((request.verb.verb(), request.sent_again), (Some(ours), sent_again), "{count}: {request:?}");
    assert!(request.overruled_at.is_some_and(|at| at >= request.at), "{request:?}");
    assert_eq!(live.row(name).unwrap().file_word, word_of(theirs), "{count}");
    assert_eq!(read(&path)["status"], word_of(theirs), "{count}");
}

fn alternately(name: &str, text: &str, rounds: usize) {
    let mut live = Live::with(|workspace| fs::write(workspace.join(ROOT).join(name), text).unwrap());
    for count in 0..rounds {
        alternate(&mut live, name, count);
    }
    // Nothing of ours comes back later: everything guarded is checked once more.
    live.runtime.rescan().unwrap();
    live.pull();
    let last = word_of(ALTERNATELY[(rounds - 1) % ALTERNATELY.len()].1);
    assert_eq!(read(&live.path(name))["status"], last);
    assert_eq!(live.row(name).unwrap().file_word, last);
}

#[test]
fn five_hundred_alternate_changes_end_with_every_last_decision_in_force() {
    alternately(NAME, &loop_v2(ID, "running"), 250);
}

#[test]
fn the_same_holds_of_loop_b() {
    let text = loop_v2(LOOP_B, "running").replacen("\"title\"", "\"mode\": \"auto\",\n  \"title\"", 1);
    alternately(&format!("{LOOP_B}.json"), &text, 24);
}

#[test]
fn a_decision_in_the_very_moment_of_our_request_stands() {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "running")).unwrap();
    });
    for _ in 0..20 {
        live.act(NAME, Verb::Pause).unwrap();
        serve(&live.path(NAME), |state| decide(state, Verb::Resume));
        live.act(NAME, Verb::Stop).unwrap();
        serve(&live.path(NAME), |state| decide(state, Verb::Resume));
        live.wait_for("the stop is overruled", |live| {
            request(live, NAME)
                .is_some_and(|request| request.verb == Verb::Stop && request.state == RequestState::Overruled)
        });
        assert_eq!(read(&live.path(NAME))["status"], "running");
    }
}

#[test]
fn what_is_overruled_is_told_in_the_timeline_and_after_a_restart() {
    let live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "running")).unwrap();
    });
    live.act(NAME, Verb::Pause).unwrap();
    // Decided while Loopdeck is closed.
    let path = live.path(NAME);
    let mut live = live.restarted_after(|_, _| serve(&path, |state| decide(state, Verb::Resume)));
    let is_overruled = |live: &Live| {
        request(live, NAME).is_some_and(|request| {
            (request.verb, request.state, request.sent_again)
                == (WriteCause::Pause, RequestState::Overruled, 0)
        })
    };
    live.wait_for("overruled", is_overruled);
    assert_eq!(live.row(NAME).unwrap().word, StatusWord::RunningElsewhere);
    assert_eq!(read(&live.path(NAME))["status"], "running");
    let mut live = live.restarted();
    live.wait_for("it is remembered", is_overruled);
    let mut page = live.runtime.timeline(&live.key(NAME)).unwrap();
    while page.more {
        page = live.runtime.timeline(&live.key(NAME)).unwrap();
    }
    let asked = page.entries.iter().find_map(|entry| match entry.content {
        EntryContent::Request { cause, outcome } => Some((cause, outcome)),
        _ => None,
    });
    assert_eq!(asked, Some((Some(WriteCause::Pause), Some(RequestOutcome::Overruled))));
    // The next request replaces it.
    live.act(NAME, Verb::Stop).unwrap();
    live.wait_for("stopped", |live| request(live, NAME).is_some_and(|request| request.verb == Verb::Stop));
}

#[test]
fn a_decision_written_into_a_version_that_we_had_replaced_stands() {
    use std::io::Write as _;
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "running")).unwrap();
    });
    live.act(NAME, Verb::Stop).unwrap();
    live.wait_for_word(NAME, StatusWord::Stopped);
    // Like `open(path, "r+")`: it has the file open when we reopen the loop.
    let mut held = fs::File::options().read(true).write(true).open(live.path(NAME)).unwrap();
    live.act(NAME, Verb::Reopen).unwrap();
    let mut state = read(&live.path(NAME));
    decide(&mut state, Verb::Pause);
    let mut text = serde_json::to_string_pretty(&state).unwrap();
    let rest = usize::try_from(held.metadata().unwrap().len()).unwrap().saturating_sub(text.len());
    text.push_str(&" ".repeat(rest));
    held.write_all(text.as_bytes()).unwrap();
    live.wait_for("their pause", |live| {
        request(live, NAME).is_some_and(|request| {
            (request.verb, request.state) == (WriteCause::Reopen, RequestState::Overruled)
        })
    });
    assert_eq!(read(&live.path(NAME))["status"], "paused");
}

#[test]
fn after_many_versions_of_an_agent_the_status_that_it_remembers_does_not_stand() {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "running")).unwrap();
    });
    let path = live.path(NAME);
    let mut remembered = read(&path);
    live.act(NAME, Verb::Pause).unwrap();
    // The agent took over our pause, and continued.
    let mut work = read(&path);
    let workspace = live.workspace.to_string_lossy().into_owned();
    let of = LoopRef { workspace: &workspace, file: &format!("{ROOT}/{NAME}") };
    let mut journal = Journal::open(&live.data().journal(), Retention::default());
    for count in 0..120 {
        work["x_work"] = json!(count);
        let text = serde_json::to_string_pretty(&work).unwrap();
        journal.keep_foreign(of, text.as_bytes(), clock::now(), true).unwrap();
    }
    remembered["x_work"] = json!("by another agent");
    remembered["updated_at"] = json!(to_iso_millis(clock::now()));
    write(&path, &remembered);
    live.wait_for("our pause is written again", |live| {
        request(live, NAME).is_some_and(|request| {
            assert_ne!(request.state, RequestState::Overruled, "{request:?}");
            request.sent_again == 1
        })
    });
    let now = read(&path);
    assert_eq!((&now["status"], &now["x_work"]), (&json!("paused"), &json!("by another agent")));
}

#[test]
fn aot_flags_that_another_tool_raises_stand_and_stale_copies_do_not() {
    let mut live = Live::with(|workspace| {
        fs::create_dir_all(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(AOT), aot("running", 4)).unwrap();
    });
    let path = live.workspace.join(AOT);
    let read = || fs::read_to_string(&path).unwrap();
    let key = live.rows[AOT].key.clone();
    let is = |verb: Verb, state: RequestState, sent_again: u32| {
        move |live: &Live| {
            live.rows[AOT].request.as_ref().is_some_and(|request| {
                (request.verb.verb(), request.state, request.sent_again) == (Some(verb), state, sent_again)
            })
        }
    };
    let before = read();
    live.runtime.act(&key, Verb::Pause, VerbOptions::default()).unwrap();
    fs::write(&path, &before).unwrap();
    live.wait_for("the flag is raised again", is(Verb::Pause, RequestState::Requested, 1));
    // `/exit-recursion`: any tool can stop, and a stop is the stronger request.
    let stopped = read().replace("\"Paused by user\"", "\"Manual stop requested\"");
    fs::write(&path, &stopped).unwrap();
    live.wait_for("the stop stands", is(Verb::Pause, RequestState::Overruled, 1));
    assert_eq!(read(), stopped);
    // The hook ends it, the person resumes it here, and stops it there.
    fs::write(&path, stopped.replace("  status: running", "  status: stopped")).unwrap();
    live.wait_for("stopped", |live| live.rows[AOT].word == StatusWord::Stopped);
    live.runtime.act(&key, Verb::Resume, VerbOptions::default()).unwrap();
    let resumed = read();
    let flag = resumed
        .replace("stop_requested: false", "stop_requested: true")
        .replace("stop_reason: null", "stop_reason: \"Enough\"");
    fs::write(&path, &flag).unwrap();
    live.wait_for("that stop stands too", is(Verb::Resume, RequestState::Overruled, 0));
    assert_eq!(read(), flag);
}
