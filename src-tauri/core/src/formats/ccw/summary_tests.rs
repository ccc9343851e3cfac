//! The list's view of every kind of file.

use super::*;
use crate::control::{Situation, Verb};
use crate::status::StatusWord;
use crate::times::Timestamp;

const V2: &str = "loop-v2-20261120T042421-d8ff7e62";
const B: &str = "loop-b-20260122T110000-k3v9x2ab";

fn read(stem: &str, text: &str) -> Option<Summary> {
    summary(
        text.as_bytes(),
        &FileFacts { stem, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) },
    )
}

#[track_caller]
fn listed(stem: &str, text: &str) -> Summary {
    read(stem, text).expect("listed")
}

fn codes(summary: &Summary) -> Vec<&'static str> {
    summary.problems.iter().map(|problem| problem.code.name()).collect()
}

/// A valid master of `stem` with `more` members at its end; `{stem}` in a member is not needed.
fn master(stem: &str, more: &str) -> String {
    format!(
        "{{\"loop_id\":\"{stem}\",\"title\":\"T\",\"status\":\"paused\",\n\"current_iteration\":1,\"max_iterations\":10{more}}}"
    )
}

#[test]
fn kinds_are_told_by_content_then_by_name() {
    let format = |stem: &str, text: &str| read(stem, text).map(|summary| summary.format);
    let cases = [
        (V2, r#"{"title":"T","status":"created"}"#, Some(Format::LoopV2)),
        ("anything", r#"{"description":"","status":"created"}"#, Some(Format::LoopV2)),
        (
            "anything",
            r#"{"title":"T","status":"x","mode":"auto","skill_state":{"phase":"init"}}"#,
            Some(Format::LoopB),
        ),
        (B, r#"{"title":"T","status":"running","mode":"auto"}"#, Some(Format::LoopB)),
        (B, r#"{"title":"T","status":"running"}"#, Some(Format::LoopB)),
        (V2, r#"{"title":"T","status":"x","mode":"auto"}"#, Some(Format::LoopV2)),
        (
            "loop-T1-20260122",
            r#"{"task_id":"T1","cli_sequence":[],"title":"T","status":"x"}"#,
            Some(Format::V1),
        ),
        ("anything", r#"{"task_id":"T1","cli_sequence":[]}"#, Some(Format::V1)),
        ("loop-x", "{}", Some(Format::Unknown)),
        (V2, "{}", Some(Format::LoopV2)),
        (V2, "", Some(Format::LoopV2)),
        (B, "[", Some(Format::LoopB)),
        ("loop-x", "null", Some(Format::Unknown)),
        ("anything", "", None),
        ("anything", "{\"title\":", None),
        ("anything", r#"{"title":"T"}"#, None),
        ("anything", "[]", None),
        ("prep-package", r#"{"title":"T","status":"x"}"#, None),
        ("undefined", r#"{"title":"T","status":"x"}"#, None),
        ("loop-x", r#"{"title":"T","status":"x","target_skill":"ccw-loop"}"#, None),
        ("develop.output", r#"{"title":"T","status":"x"}"#, None),
    ];
    for (stem, text, expected) in cases {
        assert_eq!(format(stem, text), expected, "{stem}: {text}");
    }
}

#[test]
fn unreadable_files_keep_their_name_the_reason_and_the_line() {
    let cases: [(&[u8], &str, Option<u32>); 9] = [
        (b"", "F5_being_written", None),
        (b"\n \n", "F5_being_written", None),
        (b"{\n\"a\": ", "E1_not_json", Some(2)),
        (b"{\n\"a\": nope}", "E1_not_json", Some(2)),
        (b"[1]", "E1_not_json", Some(1)),
        (b"\0\0", "E1_not_json", Some(1)),
        (b"{\n\n\"a\": \"\xff\"}", "F6_not_utf8", Some(3)),
        (b"{\"title\":\"Old\"}\n}", "E1_trailing_garbage", Some(2)),
        (b"{\"a\":1}{\"a\":2}", "E1_trailing_garbage", Some(1)),
    ];
    for (bytes, code, line) in cases {
        let found = summary(
            bytes,
            &FileFacts { stem: V2, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) },
        )
        .expect("listed");
        assert_eq!((found.status, codes(&found)), (FileStatus::Unreadable, vec![code]), "{bytes:?}");
        assert_eq!(found.problems[0].line, line, "{bytes:?}");
    }
    assert_eq!(listed(V2, "{\"title\":\"Old\"}\n}").title, "Old", "the complete part still says its title");
    assert_eq!(listed(V2, "{").title, V2);
    let now = Timestamp::from_millis(0);
    let (facts, situation) =
        (FileFacts { stem: "loop-x", modified: now, now }, Situation { shown: StatusWord::CannotRead, now });
    let detail = Format::Unknown.rules().detail((b"{", &facts), &situation, &[]);
    assert_eq!(detail.problems[0].code, ProblemCode::E1_not_json);
}

#[test]
fn every_error_is_found_by_the_fast_read() {
    assert_eq!(codes(&listed(V2, &master(V2, ""))), Vec::<&str>::new());
    let sound = master(V2, "");
    let id = format!("\"loop_id\":\"{V2}\",");
    let cases = [
        (sound.replace(&id, ""), vec!["E2_no_id"]),
        (sound.replace(&id, "\"loop_id\":7,"), vec!["E2_no_id"]),
        (sound.replace(&id, &format!("\"session_id\":\"{V2}\",")), vec![]),
        (sound.replace(V2, "other"), vec!["E5_id_mismatch"]),
        (sound.replace(V2, "../../x"), vec!["E5_id_is_path"]),
        (sound.replace(V2, "a..b"), vec!["E5_id_is_path"]),
        (sound.replace(V2, "a\\\\b"), vec!["E5_id_is_path"]),
        (sound.replace(V2, "a\\u0000"), vec!["E5_id_is_path"]),
        (sound.replace("\"title\":\"T\",", ""), vec!["E3_no_title"]),
        (sound.replace("\"title\":\"T\"", "\"description\":\"\""), vec![]),
        (sound.replace("\"title\":\"T\"", "\"title\":[]"), vec!["E3_no_title"]),
        (sound.replace("\"status\":\"paused\",", ""), vec!["E4_no_status"]),
        (sound.replace("\"paused\"", "null"), vec!["E4_no_status"]),
        (sound.replace("\"paused\"", "\"\""), vec!["E4_no_status"]),
        (sound.replace("paused", "sleeping"), vec!["E4_unknown_status"]),
        (sound.replace("paused", "PAUSED"), vec![]),
        (sound.replace(":10", ":0"), vec!["E6_bad_iteration"]),
        (sound.replace(":10", ":\"10\""), vec!["E6_bad_iteration"]),
        (sound.replace(":10", ":1e999"), vec!["E6_bad_iteration"]),
        (sound.replace("\"current_iteration\":1,", ""), vec!["E6_bad_iteration"]),
        (sound.replace("_iteration\":1,", "_iteration\":-1,"), vec!["E6_bad_iteration"]),
        (sound.replace(":10", ":1.5"), vec![]),
        (master(V2, ",\"skill_state\":null"), vec![]),
        (master(V2, ",\"skill_state\":[]"), vec!["E7_bad_skill_state"]),
        (master(V2, ",\"skill_state\":\"x\""), vec!["E7_bad_skill_state"]),
        (master(V2, ",\"status\":\"failed\""), vec!["E8_duplicate_key"]),
        (master(V2, ",\"x\":1,\"x\":2"), vec![]),
        (master(V2, ",\"t\\u0069tle\":\"again\""), vec!["E8_duplicate_key"]),
    ];
    for (text, expected) in cases {
        assert_eq!(codes(&listed(V2, &text)), expected, "{text}");
    }
    for (mode, expected) in [
        ("\"auto\"", vec![]),
        ("\"Parallel\"", vec![]),
        ("\"x\"", vec!["E7_bad_skill_state"]),
        ("1", vec!["E7_bad_skill_state"]),
    ] {
        assert_eq!(codes(&listed(B, &master(B, &format!(",\"mode\":{mode}")))), expected, "{mode}");
    }
    let problems = listed(V2, &sound.replace(":10", ":0")).problems;
    assert_eq!((problems[0].line, problems[0].path.as_str()), (Some(2), "max_iterations"));
}

#[test]
fn status_words_mean_what_the_contract_says() {
    use FileStatus as F;
    let status = |word: &str, more: &str| listed(V2, &master(V2, more).replace("paused", word)).status;
    for (word, expected) in [
        ("created", F::NotStarted),
        ("Pending", F::NotStarted),
        ("RUNNING", F::Running),
        ("paused", F::Paused),
        ("failed", F::Failed),
        ("completed", F::Completed),
        ("user_exit", F::UserExit),
        ("done", F::Unknown),
    ] {
        assert_eq!(status(word, ""), expected, "{word}");
    }
    assert_eq!(status("failed", ",\"failure_reason\":\"Manually stopped by user\""), F::StoppedByUser);
    assert_eq!(status("failed", ",\"failure_reason\":\"manually stopped by user\""), F::Failed, "exactly");
    let twice = master(V2, ",\"status\":\"completed\"");
    assert_eq!(listed(V2, &twice).status, F::Completed, "the last key counts");
}

#[test]
fn phases_carry_their_counts() {
    let skill = |inside: &str| listed(V2, &master(V2, &format!(",\"skill_state\":{{{inside}}}"))).phase;
    assert_eq!(listed(V2, &master(V2, "")).phase, Some(Phase::NotInitialised));
    assert_eq!(skill("\"current_action\":\"init\""), Some(Phase::Init));
    let develop = "\"develop\":{\"total\":3,\"completed\":9,\"tasks\":[{\"status\":\"COMPLETED\"},{\"status\":\"in_progress\"},7]}";
    assert_eq!(
        skill(&format!("\"last_action\":\"action-develop-with-file\",{develop}")),
        Some(Phase::Develop { done: 1, total: 3 })
    );
    assert_eq!(
        skill("\"last_action\":\"DEVELOP\",\"develop\":{\"total_count\":4,\"completed_count\":2}"),
        Some(Phase::Develop { done: 2, total: 4 })
    );
    let debug = "\"debug\":{\"hypotheses\":[{\"status\":\"rejected\"},{\"status\":\"confirmed\"},{\"status\":\"pending\"}],\"confirmed_hypothesis\":\"H2\"}";
    assert_eq!(
        skill(&format!("\"current_action\":\"init\",\"last_action\":\"DEBUG\",{debug}")),
        Some(Phase::Debug { judged: 2, total: 3, confirmed: Some("H2".to_owned()) })
    );
    let validate = |results: &str| {
        skill(&format!("\"current_action\":\"validate\",\"validate\":{{\"test_results\":{results}}}"))
    };
    let runs = "[{\"iteration\":2,\"summary\":{\"total\":5,\"passed\":4},\"tests\":[{\"status\":\"passed\"}]},{\"iteration\":1,\"tests\":[]}]";
    assert_eq!(validate(runs), Some(Phase::Validate { passed: 4, total: 5 }));
    let flat = "[{\"test_name\":\"a\",\"status\":\"passed\"},{\"test_name\":\"b\"}]";
    assert_eq!(validate(flat), Some(Phase::Validate { passed: 1, total: 2 }));
    assert_eq!(validate("null"), Some(Phase::Validate { passed: 0, total: 0 }));
    let b = ",\"mode\":\"auto\",\"skill_state\":{\"phase\":\"debug\",\"pending_tasks\":[{},{}],\"completed_tasks\":[{}]}";
    for (word, known) in [("debug", Some(CcwPhase::Debug)), ("Debug", Some(CcwPhase::Debug)), ("odd", None)] {
        let said = b.replace("\"debug\"", &format!("\"{word}\""));
        assert_eq!(
            listed(B, &master(B, &said)).phase,
            Some(Phase::Workers { phase: word.to_owned(), known, done: 1, total: 3 })
        );
    }
    let v1 = ",\"task_id\":\"T\",\"cli_sequence\":[{},{},{}],\"current_cli_step\":1";
    assert_eq!(
        listed("loop-T-1", &master("loop-T-1", v1)).phase,
        Some(Phase::Steps { current: 2, total: 3 })
    );
}

#[test]
fn the_row_is_complete() {
    let more = ",\"tags\":[\"a\",7,\"b\"],\"priority\":\"high\",\"created_at\":\"2026-11-20T04:24:21.870Z\",\"failure_reason\":\"boom\",\"skill_state\":{\"mode\":\"auto\",\"develop\":{\"tasks\":[{\"status\":\"in_progress\"}]}}";
    let row = listed(V2, &master(V2, more).replace("paused", "failed"));
    assert_eq!(row.title, "T");
    assert_eq!(row.tags, ["a", "b"]);
    assert_eq!(row.priority.as_deref(), Some("high"));
    assert_eq!(row.mode.as_deref(), Some("auto"));
    assert_eq!(row.reason.as_deref(), Some("boom"));
    assert_eq!(row.created, crate::times::parse("2026-11-20T04:24:21.870Z"));
    assert_eq!(row.in_progress, 1);
    assert_eq!(row.iteration, Some(IterationBar { current: 1.0, limit: 10.0 }));
    let running = listed(V2, &master(V2, "").replace("paused", "running").replace(":10", ":1"));
    assert_eq!(running.limit, Some(LimitKind::Iterations));
}

#[test]
fn creation_times_of_the_skill_are_corrected() {
    let stem = "loop-v2-20260122T180000-k3";
    let text = master(stem, ",\"created_at\":\"2026-01-22T18:00:00Z\"");
    let modified = crate::times::parse("2026-01-22T10:00:00Z").expect("time");
    let created = |stem: &str, text: &str| {
        summary(text.as_bytes(), &FileFacts { stem, modified, now: modified }).expect("listed").created
    };
    assert_eq!(created(stem, &text), Some(modified));
    assert_eq!(created(V2, &text), Some(modified + crate::times::SKILL_SHIFT), "ours are true");
}

#[test]
fn a_reopened_loop_says_when_nothing_is_left_to_do() {
    let skill = |pending: &str, passed: &str| {
        format!(
            ",\"skill_state\":{{\"develop\":{{\"tasks\":[{pending}]}},\"validate\":{{\"passed\":{passed}}}}}"
        )
    };
    let effect = |more: &str, status: &str| {
        let row = listed(V2, &master(V2, more).replace("\"paused\"", status));
        let facts =
            FileFacts { stem: V2, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) };
        let situation = Situation { shown: StatusWord::Completed, now: Timestamp::from_millis(0) };
        let controls = check::controls::controls(&row, &facts, &situation);
        controls.into_iter().find(|control| control.verb == Verb::Reopen).expect("offered")
    };
    use crate::control::EffectCode as E;
    assert_eq!(effect(&skill("", "true"), "\"completed\"").effect, E::ReopenNothingToDo);
    assert_eq!(effect(&skill("{\"status\":\"pending\"}", "true"), "\"completed\"").effect, E::ReopenByHand);
    assert_eq!(effect(&skill("", "false"), "\"completed\"").effect, E::ReopenByHand);
    let exited = effect(&skill("", "true"), "\"user_exit\"");
    assert_eq!((exited.effect, exited.confirm), (E::ReopenByHand, false));
    let done = effect("", "\"completed\"");
    assert!(done.confirm);
    assert_eq!(done.args["command"], format!("/ccw-loop --loop-id {V2} --auto"));
    assert_eq!((&*done.args["iteration"], &*done.args["limit"]), ("2", "10"));
}

#[test]
fn legacy_sessions_are_read_by_their_older_names() {
    let stem = "LOOP-add-login-2026-01-22";
    let text = format!(
        "{{\"session_id\":\"{stem}\",\"task_description\":\"Add login\",\"status\":\"running\",\"initialized\":true,\"iteration_count\":3,\"last_action\":\"action-develop-with-file\",\"develop\":{{\"tasks\":[{{\"status\":\"completed\"}}],\"completed_count\":1,\"total_count\":2}}}}"
    );
    let row = legacy_summary(
        text.as_bytes(),
        &FileFacts { stem, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) },
    );
    assert_eq!(
        (row.format, row.status, row.title.as_str()),
        (Format::Legacy, FileStatus::Running, "Add login")
    );
    assert_eq!(row.phase, Some(Phase::Develop { done: 1, total: 2 }));
    assert_eq!(codes(&row), Vec::<&str>::new());
    for (field, code) in [("task_description", "E3_no_title"), ("session_id", "E2_no_id")] {
        let without = text.replace(&format!("\"{field}\""), "\"other\"");
        let row = legacy_summary(
            without.as_bytes(),
            &FileFacts { stem, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) },
        );
        assert_eq!(codes(&row), [code]);
    }
    let damaged = legacy_summary(
        b"{",
        &FileFacts { stem, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) },
    );
    assert_eq!(damaged.status, FileStatus::Unreadable);
}
