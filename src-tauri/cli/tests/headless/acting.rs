//! The control verbs.

use crate::place::{Place, answer, everything, wait_for};
use crate::{AOT, ID};
use loopdeck_core::control::Verb;
use loopdeck_core::times::to_iso_millis;
use loopdeck_runtime::clock;
use loopdeck_runtime::store::journal::{Journal, Retention};
use loopdeck_runtime::views::{RequestState, VerbOptions};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::live::{ROOT, aot, loop_v2, loop_v2_at};
use serde_json::json;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
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
        "effect": "pause_before_next_action", "command": null, "notice": null, "change": null, "aside": null, "moved_to": null, "request": "requested",
        "overwritten": false, "written_again": 0, "stop": null, "runner": null,
        "status_as_written": "paused", "shown_status": "paused", "iteration": 3, "limit": 10,
    });
    assert_eq!(done, expected);
}

/// Another program that keeps a copy of `copy` and writes it back whenever the file says `word`, at most `times` times,
/// while `command` runs.
fn against<T>(place: &Place, word: &str, copy: &str, times: usize, command: impl FnOnce() -> T) -> T {
    let file = place.workspace().join(ROOT).join(format!("{ID}.json"));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut left = times;
            while !over.load(Ordering::Acquire) && left > 0 {
                if fs::read_to_string(&file).is_ok_and(|text| text.contains(&format!("\"{word}\""))) {
                    fs::write(&file, copy).unwrap();
                    left -= 1;
                }
                std::thread::yield_now();
            }
        });
        let _over = SetAtEnd(&over);
        command()
    })
}

/// Ends the other program when the command is over, even on a panic: the scope would wait for it forever.
struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn what_another_program_overwrites_at_once_is_written_again_before_the_answer() {
    let paused = loop_v2(ID, "paused");
    let place = Place::with(ID, &paused);
    let done = against(&place, "running", &paused, 1, || place.json("resume", &[ID]));
    assert_eq!(
        (&done["overwritten"], &done["status_as_written"]),
        (&json!(false), &json!("running")),
        "{done}"
    );
    assert!(done["written_again"].as_u64().unwrap() >= 1, "{done}");
    assert!(place.read(&format!("{ROOT}/{ID}.json")).contains("\"running\""));
}

#[test]
fn what_another_program_keeps_overwriting_ends_with_three_and_says_so() {
    let paused = loop_v2(ID, "paused");
    let place = Place::with(ID, &paused);
    let answer = against(&place, "running", &paused, usize::MAX, || place.run("resume", &[ID, "--json"]));
    assert_eq!((answer.code, answer.err.as_str()), (3, ""), "{answer:?}");
    assert_eq!(answer.json()["overwritten"], json!(true), "{answer:?}");
    let said = against(&place, "running", &paused, usize::MAX, || place.run("resume", &[ID]));
    assert!(said.code == 3 && said.out.contains("overwritten"), "{said:?}");
    let help = place.run("resume", &["--help"]).out;
    assert!(help.contains("\n  3 ") && help.contains("overwritten"), "{help}");
}

#[test]
fn a_file_that_is_removed_and_written_again_meanwhile_is_no_lost_loop() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let file = place.workspace().join(ROOT).join(format!("{ID}.json"));
    for (verb, word) in [("pause", "paused"), ("resume", "running"), ("stop", "failed")] {
        let answer = std::thread::scope(|scope| {
            let command = scope.spawn(|| place.run(verb, &[ID, "--json"]));
            let said = format!("\"status\": \"{word}\"");
            wait_for("it is written", || fs::read_to_string(&file).is_ok_and(|text| text.contains(&said)));
            // Like `git checkout` of a version with the same words.
            let ours = fs::read(&file).unwrap();
            fs::remove_file(&file).unwrap();
            std::thread::sleep(Duration::from_millis(150));
            fs::write(&file, ours).unwrap();
            command.join().unwrap()
        });
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{answer:?}");
        let done = answer.json();
        assert_eq!(
            (&done["overwritten"], &done["status_as_written"]),
            (&json!(false), &json!(word)),
            "{done}"
        );
    }
}

#[test]
fn a_request_that_was_overwritten_leaves_nothing_for_later_commands_to_look_after() {
    let paused = loop_v2(ID, "paused");
    let place = Place::with(ID, &paused);
    let answer = against(&place, "running", &paused, usize::MAX, || place.run("resume", &[ID, "--json"]));
    assert_eq!((answer.code, &answer.json()["request"]), (3, &json!("overruled")), "{answer:?}");
    let mut journal = Journal::open(&place.data().join("journal.sqlite"), Retention::default());
    assert_eq!(journal.open_requests(&place.workspace().to_string_lossy()).unwrap(), []);
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
    // Our own start is not a sign of life; the agent's first round is.
    let idle = place.run("stop", &["aot-loop-state"]);
    assert!(idle.code == 2 && idle.err.starts_with("loopdeck: not_running: "), "{idle:?}");
    place.write(AOT, &aot("running", 1));
    place.json("stop", &["aot-loop-state", "--reason", "Enough: for today"]);
    let text = fs::read_to_string(file).unwrap();
    let expected = aot("running", 1)
        .replace("stop_requested: false", "stop_requested: true")
        .replace("stop_reason: null", "stop_reason: \"Enough: for today\"");
    assert_eq!(text, expected);
    // It has been idle for an hour.
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
    // An unusable data folder: the request could not be kept, so it is not made.
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
fn what_another_tool_decided_since_stands_and_is_said() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let file = place.workspace().join(ROOT).join(format!("{ID}.json"));
    // Like upstream's server: the status and the time of writing.
    let resume = || {
        let paused = fs::read_to_string(&file).unwrap();
        let mut state: serde_json::Value = serde_json::from_str(&paused).unwrap();
        state["status"] = json!("running");
        state["updated_at"] = json!(to_iso_millis(clock::now()));
        fs::write(&file, serde_json::to_string_pretty(&state).unwrap()).unwrap();
    };
    place.json("pause", &[ID]);
    resume();
    let told = |place: &Place| {
        let listed = place.json("list", &[])[0].clone();
        assert!(listed["request"]["overruled_at"].is_number(), "{listed}");
        (
            listed["request"]["verb"].clone(),
            listed["request"]["state"].clone(),
            listed["status_as_written"].clone(),
        )
    };
    let expected = (json!("pause"), json!("overruled"), json!("running"));
    assert_eq!(told(&place), expected, "without a window");
    let window = place.window();
    wait_for("the window ends the request", || {
        let request = window.changes(0).rows[0].request.clone();
        request.is_some_and(|request| request.state == RequestState::Overruled)
    });
    assert_eq!(told(&place), expected, "after the window ended it");
    let shown = place.run("show", &[ID]).out;
    assert!(shown.contains("pause: overruled by another tool at 20"), "{shown}");
    assert!(fs::read_to_string(&file).unwrap().contains("\"running\""));
    // A request by another command while the window is open.
    place.json("pause", &[ID]);
    resume();
    wait_for("that one too", || {
        let request = window.changes(0).rows[0].request.clone();
        request.is_some_and(|request| request.state == RequestState::Overruled && request.sent_again == 0)
    });
    assert!(fs::read_to_string(&file).unwrap().contains("\"running\""));
}

#[test]
fn the_window_guards_what_was_asked_here_without_looking_at_everything() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    // Only what the operating system reports.
    let window =
        Runtime::start(&Options { floor: Duration::from_secs(86_400), ..Options::new(place.data()) });
    let window = window.unwrap();
    window.open_workspace(&place.workspace()).unwrap();
    let request = || window.changes(0).rows[0].request.clone();
    for (asked, verb) in [("pause", Verb::Pause), ("resume", Verb::Resume), ("stop", Verb::Stop)] {
        place.json(asked, &[ID]);
        wait_for("the request is shown", || request().is_some_and(|request| request.verb == verb));
    }
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

#[test]
fn two_commands_on_one_loop_never_find_the_journal_locked() {
    const ROUNDS: usize = 12;
    let place = Place::with(ID, &loop_v2(ID, "running"));
    // Both start at the same time, repeatedly: only one of the two verbs is legal at a time.
    let answers: Vec<_> = std::thread::scope(|scope| {
        let commands = ["pause", "resume"].map(|verb| {
            let place = &place;
            scope.spawn(move || (0..ROUNDS).map(|_| place.run(verb, &[ID])).collect::<Vec<_>>())
        });
        commands.into_iter().flat_map(|command| command.join().unwrap()).collect()
    });
    for answer in &answers {
        let said = format!("{}{}", answer.out, answer.err);
        for word in ["locked", "busy", "own_data", "no_undo"] {
            assert!(!said.contains(word), "{answer:?}");
        }
        // Refused if the other was first; overwritten if it was second.
        assert!(matches!(answer.code, 0 | 2 | 3), "{answer:?}");
    }
    assert!(answers.iter().any(|answer| answer.code == 0), "{answers:?}");
    let word = place.json("show", &[ID])["status_as_written"].clone();
    assert!(word == "paused" || word == "running", "{word}");
}

/// The state file of another project, behind a folder that is a link.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_folder_that_leads_out_and_check_says_so() {
    let place = Place::with(ID, &loop_v2(ID, "completed"));
    let outside = place.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let far = outside.join("aot-loop-state.md");
    fs::write(&far, aot("running", 1)).unwrap();
    std::os::unix::fs::symlink(&outside, place.workspace().join(".claude")).unwrap();
    let refused = place.run("redirect", &[AOT, "--hold"]);
    assert!(refused.code == 2 && refused.err.starts_with("loopdeck: unreadable: "), "{refused:?}");
    let check = place.run("check", &[AOT]);
    assert!(check.code == 1 && check.out.contains("F3_outside_workspace"), "{check:?}");
    assert_eq!(fs::read_to_string(&far).unwrap(), aot("running", 1));
}

#[test]
fn the_answer_says_what_the_layout_added() {
    let place = Place::empty();
    let windows = aot("running", 1).replace('\n', "\r\n");
    let file = place.write(AOT, &windows);
    let done = place.json("stop", &[AOT]);
    assert_eq!(done["notice"], "repairs_layout", "{done}");
    assert!(fs::read_to_string(file).unwrap().contains("\n  stop_requested: true\n"));
    place.write(AOT, &aot("running", 1).replace("\"Do it\"", "\"Do \"it\" now\""));
    let said = place.run("stop", &[AOT]);
    assert!(said.code == 0 && said.out.contains("only the stop lines"), "{said:?}");
}

#[test]
fn a_redirect_that_was_undone_is_reported() {
    let place = Place::empty();
    let old = aot("stopped", 3);
    place.write(AOT, &old);
    let said = place.run("redirect", &[AOT, "--max-iterations", "30", "--why", "more room"]);
    assert!(said.code == 0 && said.out.contains("loopdeck check"), "{said:?}");
    assert!(!place.run("check", &[AOT]).out.contains("V22_redirect_undone"));
    place.write(AOT, &old);
    let check = place.run("check", &[AOT]);
    assert!(check.out.contains("V22_redirect_undone") && check.out.contains("more room"), "{check:?}");
    let unknown = place.run(
        "change",
        &[AOT, "--json-change", r#"{"kind":"operate","operation":{"format":"aot","step":{"op":"redirect","why":"x",
            "description":"d","change":{"what":"constraints","max_iterations":9,"max_parallel_agents":null,"max_stall_count":null}}}}"#],
    );
    assert!(unknown.code == 2 && unknown.err.contains("operation.step.why"), "{unknown:?}");
}
