//! Every cell of the CCW contract §5.2, one line each; a refused verb makes no edit.

use super::*;
use crate::format::FileFacts;
use crate::formats::ccw;
use crate::times::Timestamp;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";

fn file(status: &str, iteration: u32) -> String {
    let (word, reason) = status.split_once('+').unwrap_or((status, ""));
    let reason = match reason {
        "stopped" => r#","failure_reason":"Manually stopped by user""#,
        "damaged" => "}",
        _ => "",
    };
    let status = if word == "none" { String::new() } else { format!(r#""status":"{word}","#) };
    format!(
        r#"{{"loop_id":"{STEM}","title":"T",{status}"max_iterations":10,"current_iteration":{iteration}{reason}}}"#
    )
}

fn intent(verb: Verb) -> Option<Intent> {
    match verb {
        Verb::Start => Some(Intent::Start),
        Verb::Pause => Some(Intent::Pause),
        Verb::Resume => Some(Intent::Resume { raise_limit_to: None }),
        Verb::Stop => Some(Intent::Stop { reason: None }),
        Verb::Reopen => Some(Intent::Reopen { raise_limit_to: None }),
        _ => None,
    }
}

/// `outcomes`: start, pause, resume, stop, reopen, delete; `ok` or a refusal code as sent to the window.
#[track_caller]
fn check(status: &str, shown: StatusWord, iteration: u32, outcomes: [&str; 6]) {
    let verbs = [Verb::Start, Verb::Pause, Verb::Resume, Verb::Stop, Verb::Reopen, Verb::Delete];
    let text = file(status, iteration);
    let facts = FileFacts { stem: STEM, modified: NOW, now: NOW };
    let situation = Situation { shown, now: NOW };
    let summary = ccw::summary(text.as_bytes(), &facts).expect("listed");
    for (verb, outcome) in verbs.into_iter().zip(outcomes) {
        let name = |refusal: &Refusal| serde_json::to_string(&refusal.code).expect("JSON").replace('"', "");
        let refusal = refuse(&summary, verb, &situation);
        let found = refusal.as_ref().map_or("ok".to_owned(), name);
        assert_eq!(found, outcome, "{status} shown {shown:?}: {verb:?}");
        if let Some(intent) = intent(verb) {
            let edits = crate::formats::ccw_v2::edit(text.as_bytes(), &facts, &intent, &situation);
            assert_eq!(
                edits.map_or_else(|refusal| name(&refusal), |_| "ok".to_owned()),
                outcome,
                "edit {verb:?}"
            );
        }
    }
}

#[rustfmt::skip]
#[test]
fn every_cell() {
    use StatusWord as W;
    //                                            start              pause             resume             stop        reopen             delete
    check("created", W::NotStarted, 0,           ["ok",              "not_running",    "not_paused",      "ok",       "not_finished",    "ok"]);
    check("pending", W::NotStarted, 0,           ["ok",              "not_running",    "not_paused",      "ok",       "not_finished",    "ok"]);
    for shown in [W::Running, W::Starting, W::Silent, W::NeedsYou, W::UsageLimit] {
        check("running", shown, 1,               ["already_running", "ok",             "already_running", "ok",       "already_running", "running"]);
    }
    check("created", W::Starting, 0,             ["already_running", "ok",             "already_running", "ok",       "already_running", "running"]);
    check("running", W::RunningElsewhere, 1,     ["foreign_owner",   "ok",             "foreign_owner",   "ok",       "foreign_owner",   "running"]);
    check("RUNNING", W::Interrupted, 1,          ["ok",              "ok",             "ok",              "ok",       "not_finished",    "running"]);
    check("running", W::AgentUnknown, 1,         ["ok",              "ok",             "ok",              "ok",       "not_finished",    "running"]);
    check("running", W::LimitReached, 10,        ["limit_reached",   "ok",             "limit_reached",   "ok",       "not_finished",    "running"]);
    check("paused", W::Paused, 1,                ["ok",              "already_paused", "ok",              "ok",       "not_finished",    "ok"]);
    check("paused", W::Pausing, 1,               ["already_running", "already_paused", "already_running", "ok",       "already_running", "running"]);
    check("paused", W::Paused, 10,               ["limit_reached",   "already_paused", "limit_reached",   "ok",       "not_finished",    "ok"]);
    check("failed", W::Failed, 1,                ["finished",        "finished",       "finished",        "finished", "ok",              "ok"]);
    check("failed+stopped", W::Stopped, 1,       ["finished",        "finished",       "finished",        "finished", "ok",              "ok"]);
    check("failed+stopped", W::Stopping, 1,      ["already_running", "finished",       "already_running", "finished", "already_running", "running"]);
    check("completed", W::Completed, 1,          ["finished",        "finished",       "finished",        "finished", "ok",              "ok"]);
    check("completed", W::CompletedWithWarnings, 10, ["finished",    "finished",       "finished",        "finished", "limit_reached",   "ok"]);
    check("completed", W::EndedStillRunning, 1,  ["already_running", "finished",       "already_running", "finished", "already_running", "running"]);
    check("user_exit", W::LeftByUser, 1,         ["finished",        "finished",       "finished",        "finished", "ok",              "ok"]);
    check("odd", W::Unknown, 1,                  ["unknown_status",  "unknown_status", "unknown_status",  "unknown_status", "unknown_status", "ok"]);
    check("none", W::Unknown, 1,                 ["damaged_file",    "damaged_file",   "damaged_file",    "damaged_file", "damaged_file", "ok"]);
    check("paused+damaged", W::CannotRead, 1,    ["damaged_file",    "damaged_file",   "damaged_file",    "damaged_file", "damaged_file", "ok"]);
    // The file says running although the window still shows something else: it was just started.
    check("running", W::Paused, 1,               ["foreign_owner",   "ok",             "foreign_owner",   "ok",       "foreign_owner",   "running"]);
}

fn summary_and_situation(text: &str, stem: &str, shown: StatusWord) -> (Summary, Situation) {
    let facts = FileFacts { stem, modified: NOW, now: NOW };
    (ccw::summary(text.as_bytes(), &facts).expect("listed"), Situation { shown, now: NOW })
}

#[test]
fn a_foreign_id_refuses_every_write() {
    let text = file("paused", 1);
    let (summary, situation) =
        summary_and_situation(&text, "loop-v2-20261120T042421-ffffffff", StatusWord::Paused);
    for verb in [Verb::Start, Verb::Pause, Verb::Resume, Verb::Stop, Verb::Reopen, Verb::EditMetadata] {
        assert_eq!(refuse(&summary, verb, &situation).map(|r| r.code), Some(RefusalCode::IdMismatch));
    }
}

#[test]
fn a_refusal_says_what_the_file_says_as_a_word_of_the_screen() {
    use StatusWord as W;
    for (written, status) in [
        ("created", Some(W::NotStarted)),
        ("completed", Some(W::Completed)),
        ("failed", Some(W::Failed)),
        ("user_exit", Some(W::LeftByUser)),
        ("halted", None),
    ] {
        let (summary, situation) = summary_and_situation(&file(written, 1), STEM, W::Unknown);
        let refusal = refuse(&summary, Verb::Pause, &situation).expect(written);
        assert_eq!((refusal.status, refusal.args["status"].as_str()), (status, written));
    }
}

#[test]
fn a_refusal_of_an_interrupted_loop_does_not_call_it_running() {
    for (shown, status) in [
        (StatusWord::Interrupted, StatusWord::Interrupted),
        (StatusWord::Running, StatusWord::Running),
        (StatusWord::LimitReached, StatusWord::Running),
    ] {
        let (summary, situation) = summary_and_situation(&file("running", 1), STEM, shown);
        let refusal = refuse(&summary, Verb::Delete, &situation).expect("refused");
        assert_eq!((refusal.status, refusal.args["status"].as_str()), (Some(status), "running"));
    }
}

#[test]
fn metadata_is_edited_only_without_an_agent() {
    for (shown, refused) in [
        (StatusWord::Running, true),
        (StatusWord::Pausing, true),
        (StatusWord::RunningElsewhere, true),
        (StatusWord::Interrupted, false),
    ] {
        let (summary, situation) = summary_and_situation(&file("running", 1), STEM, shown);
        let code = refuse(&summary, Verb::EditMetadata, &situation).map(|refusal| refusal.code);
        assert_eq!(code, refused.then_some(RefusalCode::Running), "{shown:?}");
    }
}

/// Seed 003 lists `paused` for every mode. The contract §8 decides: while its workers run, a parallel loop
/// never checks the file, so a pause would have no effect.
#[test]
fn parallel_loops_offer_stop_but_no_pause_while_an_agent_works() {
    let stem = "loop-b-20260122T110000-k3v9x2ab";
    let text = |mode: &str| {
        format!(
            r#"{{"loop_id":"{stem}","title":"T","mode":"{mode}","status":"running","max_iterations":10,"current_iteration":1}}"#
        )
    };
    for (mode, shown, code) in [
        ("parallel", StatusWord::RunningElsewhere, Some(RefusalCode::ParallelCannotPause)),
        ("Parallel", StatusWord::Running, Some(RefusalCode::ParallelCannotPause)),
        ("parallel", StatusWord::Interrupted, None),
        ("auto", StatusWord::Running, None),
    ] {
        let (summary, situation) = summary_and_situation(&text(mode), stem, shown);
        assert_eq!(refuse(&summary, Verb::Pause, &situation).map(|refusal| refusal.code), code, "{mode}");
        assert_eq!(refuse(&summary, Verb::Stop, &situation), None);
    }
}

#[test]
fn the_limit_can_be_lifted_in_the_same_write() {
    let (summary, situation) = summary_and_situation(&file("paused", 10), STEM, StatusWord::Paused);
    for (raise_limit_to, refused) in [(None, true), (Some(10), true), (Some(11), false)] {
        let refusal = refuse_intent(&summary, &Intent::Resume { raise_limit_to }, &situation);
        assert_eq!(refusal.map(|r| r.code), refused.then_some(RefusalCode::LimitReached));
    }
}

#[rustfmt::skip]
#[test]
fn a_guarded_verb_stands_or_not() {
    use Standing::{Answered, Holds, Undone};
    let words = ["created", "running", "paused", "failed", "failed+stopped", "completed", "user_exit"];
    for (verb, expected) in [
        (Verb::Pause,  [Undone,   Undone,   Holds,    Answered, Answered, Answered, Answered]),
        (Verb::Stop,   [Undone,   Undone,   Undone,   Undone,   Holds,    Answered, Answered]),
        (Verb::Resume, [Undone,   Holds,    Undone,   Answered, Undone,   Answered, Answered]),
        (Verb::Start,  [Undone,   Holds,    Undone,   Answered, Undone,   Answered, Answered]),
        (Verb::Reopen, [Undone,   Holds,    Undone,   Answered, Undone,   Answered, Answered]),
        (Verb::EditMetadata, [Answered; 7]),
    ] {
        for (word, expected) in words.into_iter().zip(expected) {
            let (summary, _) = summary_and_situation(&file(word, 1), STEM, StatusWord::Unknown);
            assert_eq!(request_standing(&summary, verb), expected, "{verb:?} {word}");
        }
    }
}
