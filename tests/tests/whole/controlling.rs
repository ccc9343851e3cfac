//! Pause, resume and stop on real files: exact bytes, requests that survive other writers, refusals that change nothing.

use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_runtime::clock;
use loopdeck_runtime::store::journal::{Journal, LoopRef, Outcome, Retention, holder};
use loopdeck_runtime::views::{FailureKind, RequestState, VerbOptions};
use loopdeck_tests::live::{Live, aot, loop_v2, loop_v2_at};
use loopdeck_tests::steps;
use std::fs;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const FILE: &str = ".workflow/.loop/loop-v2-20261120T042421-d8ff7e62.json";
const AOT: &str = ".claude/aot-loop-state.md";

/// An unusual file, to see what survives.
fn odd(status: &str) -> String {
    format!(
        "\u{feff}{{\r\n\t\"loop_id\" : \"{ID}\",\r\n\t\"title\":\"A\\u00e9\",  \"x_ours\": [1, 2.50, 1E+3],\r\n\t\"max_iterations\": 10.0,\r\n\r\n\t\
         \"status\":   \"{status}\" ,\r\n\t\"current_iteration\": 3,\r\n\t\"created_at\": \"2026-11-20T04:24:21.870Z\",\r\n\t\
         \"updated_at\": \"2026-11-20T04:24:21.915Z\",\r\n\t\"skill_state\": {{ \"current_action\": \"develop\" , \"unknown\": {{}} }}\r\n}}"
    )
}

/// The file with its `updated_at` value blanked, to compare everything else byte for byte.
fn without_update_time(text: &str) -> String {
    let at = text.find("\"updated_at\"").expect("updated_at");
    let value = at + text[at..].find("20").expect("a time");
    format!("{}{}", &text[..value], &text[value + "2026-11-20T04:24:21.915Z".len()..])
}

fn live_with(text: &str) -> Live {
    let mut live = Live::new();
    live.write(NAME, text);
    live.wait_for("the loop", |live| live.row(NAME).is_some());
    live
}

fn request(live: &Live) -> Option<(Verb, RequestState, u32)> {
    let request = live.row(NAME)?.request.as_ref()?;
    Some((request.verb.verb()?, request.state, request.sent_again))
}

#[test]
fn pause_changes_two_values_and_no_other_byte() {
    let before = odd("running");
    let mut live = live_with(&before);
    live.act(NAME, Verb::Pause).unwrap();
    let after = live.read(NAME);
    assert_ne!(after, before);
    assert_eq!(
        without_update_time(&after),
        without_update_time(&before).replace("\"running\"", "\"paused\"")
    );
    live.wait_for_word(NAME, StatusWord::Paused);
    assert_eq!(fs::read_dir(live.path("")).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_pause_that_a_stale_copy_undoes_comes_back() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
    live.act(NAME, Verb::Pause).unwrap();
    live.wait_for("requested", |live| request(live) == Some((Verb::Pause, RequestState::Requested, 0)));
    // The agent held a copy from before the pause and writes its own progress on top of it.
    live.replace(NAME, loop_v2_at(ID, "running", 2));
    live.wait_for("sent again", |live| request(live) == Some((Verb::Pause, RequestState::Requested, 1)));
    live.write(NAME, loop_v2_at(ID, "running", 3));
    live.wait_for("sent once more", |live| request(live) == Some((Verb::Pause, RequestState::Requested, 2)));
    let text = live.read(NAME);
    assert!(text.contains("\"status\": \"paused\"") && text.contains("\"current_iteration\": 3"), "{text}");
    // A foreign write that keeps the status confirms it.
    live.replace(NAME, text.replace("\"current_iteration\": 3", "\"current_iteration\": 4"));
    live.wait_for("in effect", |live| request(live) == Some((Verb::Pause, RequestState::InEffect, 2)));
}

#[test]
fn the_agents_own_last_word_wins_over_a_pause() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.act(NAME, Verb::Pause).unwrap();
    live.replace(NAME, loop_v2(ID, "completed"));
    live.wait_for("the request is answered", |live| {
        live.row(NAME).is_some_and(|row| row.word == StatusWord::Completed && row.request.is_none())
    });
    assert!(live.read(NAME).contains("\"status\": \"completed\""));
}

#[test]
fn a_newer_request_takes_the_place_of_an_older_one() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.act(NAME, Verb::Pause).unwrap();
    live.act(NAME, Verb::Resume).unwrap();
    live.wait_for("resumed", |live| request(live).is_some_and(|(verb, ..)| verb == Verb::Resume));
    live.replace(NAME, loop_v2(ID, "user_exit"));
    live.wait_for_word(NAME, StatusWord::LeftByUser);
    assert!(live.read(NAME).contains("user_exit"));
}

#[test]
fn a_pause_of_a_loop_nobody_works_on_is_in_effect_after_a_moment() {
    let mut live = live_with(&loop_v2(ID, "running"));
    age(&live);
    live.wait_for_word(NAME, StatusWord::Interrupted);
    live.act(NAME, Verb::Pause).unwrap();
    live.wait_for("in effect", |live| request(live) == Some((Verb::Pause, RequestState::InEffect, 0)));
}

#[test]
fn our_own_write_is_no_sign_of_a_living_agent() {
    // The foreign writes are all fresh, but none of them means that an agent works now.
    let mut live = live_with(&loop_v2(ID, "paused"));
    live.act(NAME, Verb::Resume).unwrap();
    live.wait_for("running by our word alone", |live| {
        live.row(NAME).is_some_and(|row| row.file_word == "running" && row.word == StatusWord::Interrupted)
    });
    live.replace(NAME, loop_v2_at(ID, "running", 2));
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
}

fn age(live: &Live) {
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    fs::File::options().write(true).open(live.path(NAME)).unwrap().set_modified(old).unwrap();
}

#[test]
fn an_open_request_is_guarded_again_after_a_restart() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.act(NAME, Verb::Pause).unwrap();
    live.wait_for_word(NAME, StatusWord::Paused);
    let mut live = live.restarted();
    live.wait_for("it is remembered", |live| {
        request(live) == Some((Verb::Pause, RequestState::Requested, 0))
    });
    live.replace(NAME, loop_v2_at(ID, "running", 7));
    live.wait_for("sent again", |live| request(live) == Some((Verb::Pause, RequestState::Requested, 1)));
    assert!(live.read(NAME).contains("\"status\": \"paused\""));
}

#[test]
fn stop_and_reopen_write_and_remove_the_end() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.act(NAME, Verb::Stop).unwrap();
    live.wait_for_word(NAME, StatusWord::Stopped);
    let stopped = live.read(NAME);
    assert!(
        stopped.contains("\"failure_reason\": \"Manually stopped by user\"")
            && stopped.contains("\"completed_at\"")
    );
    live.act(NAME, Verb::Reopen).unwrap();
    let reopened = live.read(NAME);
    assert!(!reopened.contains("failure_reason") && !reopened.contains("completed_at"), "{reopened}");
}

#[test]
fn what_is_not_legal_is_refused_and_changes_nothing() {
    let live = live_with(&loop_v2(ID, "completed"));
    let before = live.read(NAME);
    for verb in [Verb::Pause, Verb::Resume, Verb::Stop, Verb::Start] {
        let failure = live.act(NAME, verb).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Refused);
        assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::Finished), "{verb:?}");
    }
    assert_eq!(live.read(NAME), before);
}

#[test]
fn a_damaged_file_and_a_foreign_id_are_never_written() {
    let mut live = Live::new();
    live.write("loop-v2-torn.json", "{\"loop_id\": \"loop-v2-torn\", \"status\": \"runn");
    live.write("loop-v2-evil.json", loop_v2("../../x", "running"));
    live.write(
        "loop-v2-twice.json",
        loop_v2("loop-v2-twice", "running").replacen("\"title\"", "\"status\": \"paused\",\n  \"title\"", 1),
    );
    live.wait_for("three rows", |live| live.rows.len() == 3);
    for name in ["loop-v2-torn.json", "loop-v2-evil.json", "loop-v2-twice.json"] {
        let before = live.read(name);
        for verb in [Verb::Pause, Verb::Stop, Verb::Resume] {
            assert!(live.act(name, verb).is_err(), "{name} {verb:?}");
        }
        assert_eq!(live.read(name), before, "{name}");
    }
    assert!(!live.workspace.join("x").exists() && !live.workspace.parent().unwrap().join("x.json").exists());
}

#[test]
fn a_limit_is_raised_in_the_same_write() {
    let mut live = live_with(&loop_v2_at(ID, "paused", 10));
    let refused = live.act(NAME, Verb::Resume).unwrap_err();
    assert_eq!(refused.refusal.map(|refusal| refusal.code), Some(RefusalCode::LimitReached));
    let options = VerbOptions { raise_limit_to: Some(15), reason: None };
    live.runtime.act(&live.key(NAME), Verb::Resume, options).unwrap();
    live.wait_for("both in one version", |live| {
        live.row(NAME).is_some_and(|row| {
            row.file_word == "running" && row.iteration.is_some_and(|bar| bar.limit > 14.0)
        })
    });
}

#[test]
fn aot_pause_is_a_flag_that_is_kept_raised_until_the_loop_stops() {
    let mut live = Live::with(|workspace| {
        fs::create_dir_all(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(AOT), aot("running", 4)).unwrap();
    });
    let key = live.rows[AOT].key.clone();
    live.runtime.act(&key, Verb::Pause, VerbOptions::default()).unwrap();
    let path = live.workspace.join(AOT);
    let expected = aot("running", 4)
        .replace("stop_requested: false", "stop_requested: true")
        .replace("stop_reason: null", "stop_reason: \"Paused by user\"");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    // The coordinator writes its own older copy back.
    fs::write(&path, aot("running", 5)).unwrap();
    live.wait_for("the flag is raised again", |live| {
        live.rows[AOT].request.as_ref().is_some_and(|request| request.sent_again == 1)
    });
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("  stop_requested: true") && text.contains("  iteration: 5"), "{text}");
    // The loop obeys it.
    fs::write(&path, text.replace("  status: running", "  status: stopped")).unwrap();
    live.wait_for("paused, in effect", |live| {
        let row = &live.rows[AOT];
        row.word == StatusWord::Paused
            && row.request.as_ref().is_none_or(|request| request.state == RequestState::InEffect)
    });
}

#[test]
fn metadata_is_edited_in_place_and_refused_while_an_agent_works() {
    let mut live = live_with(&loop_v2(ID, "paused"));
    let patch = loopdeck_core::control::MetadataPatch {
        title: Some("New \"title\"".into()),
        tags: Some(vec!["infra".into()]),
        priority: Some("high".into()),
        ..Default::default()
    };
    live.runtime.edit_metadata(&live.key(NAME), patch.clone()).unwrap();
    live.wait_for("the new title", |live| live.row(NAME).is_some_and(|row| row.title == "New \"title\""));
    assert_eq!(live.row(NAME).unwrap().tags, ["infra"]);
    live.replace(NAME, loop_v2(ID, "running"));
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
    let failure = live.runtime.edit_metadata(&live.key(NAME), patch).unwrap_err();
    assert_eq!(failure.refusal.map(|refusal| refusal.code), Some(RefusalCode::Running));
}

/// Whether another Loopdeck may take care of the loop now.
fn is_free(live: &Live) -> bool {
    let mut journal = Journal::open(&live.data().journal(), Retention::default());
    let of = LoopRef { workspace: live.workspace.to_str().unwrap(), file: FILE };
    let now = clock::now();
    // A living process that is not the one that guards.
    let other = holder(now + TimeDelta::milliseconds(1));
    let free = journal.hold_lease(of, &other, Timestamp::from_millis(now.millis())).unwrap();
    journal.give_lease_back(of, &other).unwrap();
    free
}

#[test]
fn whoever_stops_guarding_leaves_the_loop_to_others() {
    let undone = |live: &Live| live.runtime.undo(&live.key(NAME)).unwrap();
    let closed = |live: &Live| {
        let workspace = live.row(NAME).unwrap().workspace.clone();
        live.runtime.close_workspace(&workspace).unwrap();
    };
    for end in [&undone as &dyn Fn(&Live), &closed] {
        let live = live_with(&loop_v2(ID, "running"));
        assert!(is_free(&live));
        live.act(NAME, Verb::Pause).unwrap();
        assert!(!is_free(&live), "guarded");
        end(&live);
        assert!(is_free(&live));
    }
}

#[test]
fn what_gives_way_to_a_newer_request_is_left_to_others() {
    let mut live = live_with(&loop_v2(ID, "running"));
    live.act(NAME, Verb::Pause).unwrap();
    let mut journal = Journal::open(&live.data().journal(), Retention::default());
    for open in journal.open_requests(live.workspace.to_str().unwrap()).unwrap() {
        journal.settle(&open, Outcome::Superseded, clock::now()).unwrap();
    }
    live.replace(NAME, loop_v2_at(ID, "running", 7));
    live.wait_for("it gave way", |live| live.row(NAME).is_some_and(|row| row.request.is_none()));
    assert!(is_free(&live));
}

fn live_aot(text: &str) -> (Live, std::path::PathBuf, String) {
    let live = Live::with(|workspace| {
        fs::create_dir(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(AOT), text).unwrap();
    });
    let (path, key) = (live.workspace.join(AOT), live.rows[AOT].key.clone());
    (live, path, key)
}

fn says(path: &std::path::Path, part: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.contains(part))
}

#[test]
fn a_redirect_that_a_stale_copy_undoes_comes_back() {
    let old = aot("stopped", 3);
    let (mut live, path, key) = live_aot(&old);
    let atom = NewAtom { description: "One thing more".into(), ..NewAtom::default() };
    let redirect =
        AotOperation::Redirect { change: Correction::AddAtom(atom), description: "why we do".into() };
    live.runtime.change(&key, steps::aot(redirect)).unwrap();
    assert!(says(&path, "why we do"));
    // A writer that read the file before restores its copy, with its own progress.
    fs::write(&path, old.replace("iteration: 3", "iteration: 4")).unwrap();
    live.wait_for("written again", |_| says(&path, "why we do"));
    assert!(says(&path, "One thing more") && says(&path, "iteration: 4"));
    // What we undo ourselves stays undone.
    live.runtime.undo(&key).unwrap();
    live.runtime.rescan().unwrap();
    assert!(!says(&path, "why we do"));
}

#[test]
fn a_hold_that_a_stale_copy_undoes_comes_back() {
    let (mut live, path, key) = live_aot(&aot("running", 1));
    live.runtime.change(&key, steps::aot(AotOperation::HoldForRedirect)).unwrap();
    assert!(says(&path, "  redirect_requested: true\n"));
    fs::write(&path, aot("running", 2)).unwrap();
    live.wait_for("held again", |_| says(&path, "  redirect_requested: true\n"));
    assert!(says(&path, "iteration: 2"));
    // Another tool changed the direction, which answers the hold.
    let answered = aot("running", 2).replace(
        "corrections: []",
        "corrections:\n  - timestamp: \"2026-11-24T10:00:00Z\"\n    type: constraint_change\n    description: \"x\"\n    trail_cleared: false",
    );
    fs::write(&path, &answered).unwrap();
    live.runtime.rescan().unwrap();
    assert!(says(&path, "  redirect_requested: false\n"));
}

/// Scripts write such files every day, and the plugin's hook keeps reading them.
#[test]
fn a_loop_that_nobody_can_read_but_the_plugin_can_be_stopped_and_fixed() {
    let bad = aot("running", 2).replace("\"Do it\"", "\"Do \"it\" now\"");
    let (mut live, path, key) = live_aot(&bad);
    live.wait_for("it is called damaged", |live| live.rows[AOT].word == StatusWord::CannotRead);
    live.runtime
        .act(&key, Verb::Stop, VerbOptions { reason: Some("enough".into()), ..VerbOptions::default() })
        .unwrap();
    let expected = bad
        .replace("stop_requested: false", "stop_requested: true")
        .replace("stop_reason: null", "stop_reason: \"enough\"");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected, "nothing else is touched");
    live.runtime.change(&key, steps::repair(RepairCode::UnescapedQuotes)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), expected.replace("Do \"it\" now", "Do \\\"it\\\" now"));
    live.wait_for("it can be read", |live| live.rows[AOT].word != StatusWord::CannotRead);
}

#[test]
fn a_step_that_changes_nothing_leaves_no_trace() {
    let (live, path, key) = live_aot(&aot("stopped", 3));
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    live.runtime.change(&key, steps::aot(AotOperation::ResetInProgress)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    assert_eq!(live.runtime.undo(&key).unwrap_err().kind, FailureKind::NothingToUndo);
}
