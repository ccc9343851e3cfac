//! The control verbs.

use crate::place::{Place, answer, everything, wait_for};
use crate::{AOT, ID};
use loopdeck_core::control::Verb;
use loopdeck_runtime::rows::{RequestState, VerbOptions};
use loopdeck_tests::live::{ROOT, aot, loop_v2, loop_v2_at};
use serde_json::json;
use std::fs;
use std::time::{Duration, SystemTime};
use xtask::child::bound_command;

#[test]
fn pause_changes_two_values_and_no_other_byte() {
    let before = format!(
        "\u{feff}{{\r\n\t\"loop_id\" : \"{ID}\",\r\n\t\"title\":\"A\\u00e9\",  \"x\": [1, 2.50, 1E+3],\r\n\t\"status\":   \"running\" ,\
         \r\n\t\"max_iterations\": 10.0,\r\n\r\n\t\"current_iteration\": 3,\r\n\t\"created_at\": \"2026-11-20T04:24:21.870Z\",\
         \r\n\t\"updated_at\": \"2026-11-20T04:24:21.915Z\"\r\n}}"
    );
    let place = Place::with(ID, &before);
    let done = place.json("pause", &[ID]);
    let after = fs::read_to_string(place.workspace().join(ROOT).join(format!("{ID}.json"))).unwrap();
    let (start, end) =
        before.split_at(before.find("\"updated_at\": \"").unwrap() + "\"updated_at\": \"".len());
    assert!(after.starts_with(&start.replace("running", "paused")), "{after}");
    assert!(
        after.ends_with(&end["2026-11-20T04:24:21.915Z".len()..]) && after.len() == before.len() - 1,
        "{after}"
    );
    assert_eq!(fs::read_dir(place.workspace().join(ROOT)).unwrap().count(), 1, "no temporary file is left");
    let expected = json!({
        "id": ID, "format": "loop_v2", "file": format!("{ROOT}/{ID}.json"), "verb": "pause",
        "effect": "pause_before_next_action", "command": null, "change": null, "aside": null, "request": "requested",
        "status_as_written": "paused", "shown_status": "paused", "iteration": 3, "limit": 10,
    });
    assert_eq!(done, expected);
}

#[test]
fn every_verb_does_what_it_says() {
    let place = Place::with(ID, &loop_v2_at(ID, "running", 10));
    let done = |rest: &[&str]| {
        let done = place.json(rest[0], &rest[1..]);
        (done["status_as_written"].as_str().unwrap().to_owned(), done["limit"].clone())
    };
    assert_eq!(done(&["pause", ID]), ("paused".into(), json!(10)));
    let full = place.run("resume", &[ID]);
    assert!(full.code == 2 && full.err.starts_with("loopdeck: limit_reached: "), "{full:?}");
    assert_eq!(done(&["resume", ID, "--raise-limit", "12"]), ("running".into(), json!(12)));
    assert_eq!(done(&["stop", ID]), ("failed".into(), json!(12)));
    assert_eq!(done(&["reopen", ID, "--raise-limit", "20"]), ("running".into(), json!(20)));

    let file = place.write(AOT, &aot("pending", 0));
    assert!(place.json("start", &["aot-loop-state"])["command"].is_string());
    // Our own start is no sign of life; the agent's first round is.
    let idle = place.run("stop", &["aot-loop-state"]);
    assert!(idle.code == 2 && idle.err.starts_with("loopdeck: not_running: "), "{idle:?}");
    place.write(AOT, &aot("running", 1));
    place.json("stop", &["aot-loop-state", "--reason", "Enough: for today"]);
    let text = fs::read_to_string(file).unwrap();
    let expected = aot("running", 1)
        .replace("stop_requested: false", "stop_requested: true")
        .replace("stop_reason: null", "stop_reason: \"Enough: for today\"");
    assert_eq!(text, expected);
    // Nobody has worked on it for an hour.
    let file = place.write(AOT, &aot("running", 4));
    let old = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    assert_eq!(place.json("list", &[])[0]["shown_status"], "interrupted");
    assert_eq!(place.json("finalise", &[AOT])["status_as_written"], "stopped");
}

#[test]
fn a_refusal_has_a_code_a_sentence_and_no_effect() {
    let place = Place::with(ID, &loop_v2(ID, "completed"));
    place.write(
        &format!("{ROOT}/loop-v2-twice.json"),
        &loop_v2("loop-v2-twice", "running").replacen('{', "{\"status\": 1,", 1),
    );
    let before = everything(&place.workspace());
    let refused = place.run("pause", &[ID, "--json"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    let sentence = "Refused: the loop has ended (Completed). Reopen it first. Nothing was written.\n";
    assert_eq!(refused.err, format!("loopdeck: finished: {sentence}"));
    let damaged = place.run("stop", &["loop-v2-twice"]);
    assert!(
        damaged.code == 2 && damaged.err.starts_with("loopdeck: not_editable: Refused: a field "),
        "{damaged:?}"
    );
    assert_eq!(everything(&place.workspace()), before);
}

#[test]
fn an_ambiguous_id_asks_for_the_file() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    place.write(&format!(".loop/{ID}.json"), &loop_v2(ID, "running"));
    let asked = place.run("pause", &[ID]);
    assert_eq!(asked.code, 2);
    assert!(
        asked.err.starts_with("loopdeck: ambiguous_id: ") && asked.err.contains(&format!(".loop/{ID}.json"))
    );
    assert_eq!(place.json("pause", &[&format!(".loop/{ID}.json")])["file"], format!(".loop/{ID}.json"));
    let unknown = place.run("show", &["../../etc/passwd"]);
    assert!(unknown.code == 2 && unknown.err.starts_with("loopdeck: unknown_id: "), "{unknown:?}");
}

#[test]
fn what_cannot_be_done_ends_with_two() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let run = |args: &[&str]| answer(bound_command(env!("CARGO_BIN_EXE_loopdeck")).args(args));
    let missing = place.workspace().join("missing");
    let gone = run(&["list", missing.to_str().unwrap(), "--json"]);
    assert!(
        gone.code == 2 && gone.err.starts_with("loopdeck: not_a_folder: ") && gone.out.is_empty(),
        "{gone:?}"
    );
    for args in
        [&["show"][..], &["pause", "."], &["list", ".", "--nonsense"], &["stop", ".", "x", "--raise-limit=3"]]
    {
        let refused = run(args);
        assert!(
            refused.code == 2 && refused.err.starts_with("loopdeck: ") && refused.out.is_empty(),
            "{refused:?}"
        );
    }
    for (args, says) in [
        (&["redirect", ".", "x", "--redo", "A1"][..], "needs --why"),
        (&["redirect", ".", "x", "--hold", "--redo", "A1"], "exactly one kind"),
        (&["recover", ".", "x", "--way", "magic"], "last_good"),
        (&["repair", ".", "x", "magic"], "strip_trailing_garbage"),
    ] {
        let refused = run(args);
        assert!(refused.code == 2 && refused.err.contains(says) && refused.out.is_empty(), "{refused:?}");
    }
    let help = run(&["resume", "--help"]);
    assert!(help.code == 0 && help.out.contains("--raise-limit") && help.err.is_empty(), "{help:?}");
    // A data folder that cannot be used: the request could not be kept, so it is not made.
    fs::write(place.data(), "in the way").unwrap();
    let refused = place.run("pause", &[ID]);
    assert!(refused.code == 2 && refused.err.starts_with("loopdeck: own_data: "), "{refused:?}");
    assert_eq!(place.json("list", &[])[0]["status_as_written"], "running");
}

#[test]
fn the_window_sees_and_guards_what_was_asked_here() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let file = place.workspace().join(ROOT).join(format!("{ID}.json"));
    let window = place.window();
    place.json("pause", &[ID]);
    let request = || window.changes(0).rows[0].request.clone();
    wait_for("the request is shown", || request().is_some_and(|request| request.verb == Verb::Pause));
    fs::write(&file, loop_v2(ID, "running")).unwrap();
    wait_for("sent again", || request().is_some_and(|request| request.sent_again == 1));
    assert!(fs::read_to_string(&file).unwrap().contains("\"paused\""));
}

#[test]
fn the_window_does_not_fight_a_newer_word_from_here() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let window = place.window();
    let key = window.changes(0).rows[0].key.clone();
    window.act(&key, Verb::Pause, VerbOptions::default()).unwrap();
    assert_eq!(place.json("resume", &[ID])["status_as_written"], "running");
    wait_for("the newer request is the one that is shown", || {
        let request = window.changes(0).rows[0].request.clone();
        request
            .is_some_and(|request| request.verb == Verb::Resume && request.state == RequestState::Requested)
    });
    assert_eq!(place.json("list", &[])[0]["status_as_written"], "running");
}
