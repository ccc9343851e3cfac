//! What our edits change, and that they change nothing else (AoT contract §4, §6).

use crate::aot::{carry_out, detail, fixture, fixtures, resume, stop, summary, text};
use loopdeck_core::control::Intent;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::{FileStatus, StatusWord};

/// The lines that differ, as `-old` and `+new`.
fn changes(before: &[u8], after: &[u8]) -> Vec<String> {
    let lines = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>()
    };
    let (old, new) = (lines(before), lines(after));
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && !new[j..].contains(&old[i]) {
            found.push(format!("-{}", old[i].trim_end_matches('\n')));
            i += 1;
        } else {
            found.push(format!("+{}", new[j].trim_end_matches('\n')));
            j += 1;
        }
    }
    found
}

fn changed(file: &str, intent: &Intent, shown: StatusWord) -> Vec<String> {
    let after = carry_out(file.as_bytes(), intent, shown).expect("legal");
    changes(file.as_bytes(), &after)
}

#[test]
fn start_writes_the_fields_of_a_first_iteration() {
    let file = text("seed-002-s8-2");
    assert_eq!(
        changed(&file, &Intent::Start, StatusWord::NotStarted),
        ["-  status: pending", "-  iteration: 0", "+  status: running", "+  iteration: 1"]
    );
}

#[test]
fn pause_and_stop_raise_the_flag_and_keep_running() {
    let file = text("sample-02-running-checklist-decomposed");
    let flag = ["-  stop_requested: false", "-  stop_reason: null", "+  stop_requested: true"];
    let expect = |reason: &str| {
        flag.iter().map(|l| (*l).to_owned()).chain([format!("+  stop_reason: {reason}")]).collect::<Vec<_>>()
    };
    assert_eq!(changed(&file, &Intent::Pause, StatusWord::Running), expect("\"Paused by user\""));
    assert_eq!(
        changed(&file, &Intent::Stop { reason: None }, StatusWord::RunningElsewhere),
        expect("\"Manual stop requested\"")
    );
    assert_eq!(
        changed(&file, &stop("say \"hi\"\r\n\tC:\\x --- y "), StatusWord::Running),
        expect("\"say \\\"hi\\\"   C:\\\\x — y\"")
    );
}

#[test]
fn a_stop_without_words_has_the_usual_reason() {
    let file = fixture("sample-02-running-checklist-decomposed");
    for empty in ["", "  ", "\u{7f}\n", "\u{feff}"] {
        let after = carry_out(&file, &stop(empty), StatusWord::Running).expect("legal");
        assert_eq!(summary(&after).reason.as_deref(), Some("Manual stop requested"), "{empty:?}");
    }
}

#[test]
fn resume_follows_the_recipe() {
    let file = text("sample-04-running-or-backtracked")
        .replacen("status: running", "status: stopped", 1)
        .replacen("stop_requested: false", "stop_requested: true", 1)
        .replacen("stop_reason: null", "stop_reason: \"Paused by user\"", 1);
    assert_eq!(
        changed(&file, &resume(), StatusWord::Paused),
        [
            "-  status: stopped",
            "+  status: running",
            "-  stall_count: 1",
            "-  prev_pending_count: 6",
            "-  stop_requested: true",
            "-  stop_reason: \"Paused by user\"",
            "+  stall_count: 0",
            "+  prev_pending_count: -1",
            "+  stop_requested: false",
            "+  stop_reason: null",
            "-    status: in_progress",
            "+    status: pending",
        ]
    );
}

#[test]
fn raising_the_limit_is_recorded_in_the_same_write() {
    let file = text("sample-04-running-or-backtracked")
        .replacen("status: running", "status: stopped", 1)
        .replacen("iteration: 9", "iteration: 25", 1)
        .replacen("stop_reason: null", "stop_reason: \"Max iterations reached\"", 1);
    let raise = |limit| Intent::Resume { raise_limit_to: Some(limit) };
    let refused = |intent: &Intent| {
        carry_out(file.as_bytes(), intent, StatusWord::LimitReached).expect_err("refused").code
    };
    assert_eq!(refused(&resume()), RefusalCode::LimitReached);
    assert_eq!(refused(&raise(25)), RefusalCode::LimitReached);
    let changes = changed(&file, &raise(40), StatusWord::LimitReached);
    assert!(
        changes.contains(&"-    max_iterations: 25".to_owned())
            && changes.contains(&"+    max_iterations: 40".to_owned())
    );
    assert_eq!(
        changes[changes.len() - 6..],
        [
            "-corrections: []",
            "+corrections:",
            "+  - timestamp: \"2026-11-20T04:24:21Z\"",
            "+    type: constraint_change",
            "+    description: \"max_iterations raised from 25 to 40\"",
            "+    trail_cleared: false",
        ]
    );
    let again = carry_out(file.as_bytes(), &raise(40), StatusWord::LimitReached).expect("legal");
    let again = String::from_utf8(again)
        .expect("utf-8")
        .replacen("status: running", "status: stopped", 1)
        .replacen("iteration: 25", "iteration: 40", 1);
    let twice = carry_out(again.as_bytes(), &raise(50), StatusWord::Stopped).expect("legal");
    let corrections = detail(&twice, StatusWord::Interrupted).corrections;
    assert_eq!(
        corrections.iter().map(|c| c.description.as_str()).collect::<Vec<_>>(),
        ["max_iterations raised from 25 to 40", "max_iterations raised from 40 to 50"]
    );
    let low = file.replacen("iteration: 25", "iteration: 3", 1);
    assert_eq!(
        carry_out(low.as_bytes(), &raise(10), StatusWord::Stopped).expect_err("lower").code,
        RefusalCode::BadValue
    );
}

#[test]
fn corrections_are_appended_to_whatever_stands_there() {
    let base =
        text("sample-01-pending-legacy-form-created").replacen("status: pending", "status: stopped", 1);
    let item = "  - timestamp: \"2026-11-20T04:24:21Z\"\n    type: constraint_change\n    description: \"max_iterations raised from 20 to 30\"\n    trail_cleared: false\n";
    let raise = Intent::Resume { raise_limit_to: Some(30) };
    for (before, after) in [
        ("corrections: []\n", format!("corrections:\n{item}")),
        ("corrections: []   # none yet\n", format!("corrections:   # none yet\n{item}")),
        ("corrections:\n", format!("corrections:\n{item}")),
        ("corrections: ~\n", format!("corrections:\n{item}")),
        ("", format!("corrections:\n{item}")),
        (
            "corrections:\n- type: x\n  description: |\n    y\n\n",
            format!(
                "corrections:\n- type: x\n  description: |\n    y\n{}\n",
                item.replace("\n  ", "\n").replacen("  -", "-", 1)
            ),
        ),
    ] {
        let file = base.replace("corrections: []\n", before);
        let result = carry_out(file.as_bytes(), &raise, StatusWord::Stopped)
            .unwrap_or_else(|r| panic!("{before:?} {r:?}"));
        let result = String::from_utf8(result).expect("utf-8");
        assert!(result.contains(&after), "{before:?}\n{result}");
    }
    let flow = base.replace("corrections: []\n", "corrections: [{type: x}]\n");
    let result = carry_out(flow.as_bytes(), &raise, StatusWord::Stopped).expect("repaired");
    let result = String::from_utf8(result).expect("utf-8");
    assert!(result.contains(&format!("corrections:\n  - type: x\n{item}")), "{result}");
}

#[test]
fn finalise_names_the_interruption_or_keeps_the_request() {
    let file = text("sample-04-running-or-backtracked");
    assert_eq!(
        changed(&file, &Intent::Finalise, StatusWord::Interrupted),
        [
            "-  status: running",
            "+  status: stopped",
            "-  stop_reason: null",
            "+  stop_reason: \"Interrupted\""
        ]
    );
    let requested = file.replace(
        "stop_requested: false\n  stop_reason: null",
        "stop_requested: true\n  stop_reason: \"Paused by user\"",
    );
    assert_eq!(
        changed(&requested, &Intent::Finalise, StatusWord::Interrupted),
        ["-  status: running", "+  status: stopped"]
    );
    let after = carry_out(requested.as_bytes(), &Intent::Finalise, StatusWord::Interrupted).expect("legal");
    assert_eq!(summary(&after).status, FileStatus::Paused);
}

#[test]
fn reopen_begins_at_one() {
    let file = text("sample-04-running-or-backtracked").replacen("status: running", "status: completed", 1);
    let changes = changed(&file, &Intent::Reopen { raise_limit_to: None }, StatusWord::Completed);
    assert!(changes.contains(&"+  iteration: 1".to_owned()), "{changes:?}");
}

#[test]
fn missing_fields_are_inserted_in_canonical_order() {
    let file = text("sample-08-tolerant-reader-v1.2-mixed");
    let after = carry_out(file.as_bytes(), &resume(), StatusWord::Interrupted).expect("legal");
    let after = String::from_utf8(after).expect("utf-8");
    let control = "control:\n  status: running\n  iteration: 4\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n\natoms:\n";
    assert!(after.contains(control), "{after}");
    assert!(after.contains("  - id: \"A1\"                 # quoted id\n"), "comments elsewhere stay");
    assert!(after.ends_with("  status: this line is prose, not state\n"), "the body stays");
    let bare = text("seed-002-s8-1").replace("  iteration: 0\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n", "");
    let started = carry_out(bare.as_bytes(), &Intent::Start, StatusWord::NotStarted).expect("legal");
    let full = carry_out(&fixture("seed-002-s8-1"), &Intent::Start, StatusWord::NotStarted).expect("legal");
    assert_eq!(String::from_utf8(started), String::from_utf8(full));
    let headless = text("seed-002-s6-2-after")
        .replacen("  stop_requested: false\n  stop_reason: null\n", "", 1)
        .replacen(
            "control:\n  status: running\n",
            "control:\n  redirect_requested: false\n  status: running\n",
            1,
        )
        .replacen("null\n  redirect_requested: false\n", "null\n", 1);
    let stopped = carry_out(headless.as_bytes(), &Intent::Pause, StatusWord::Running);
    assert!(stopped.is_err() || summary(&stopped.expect("legal")).stop_requested.is_some());
}

#[test]
fn windows_line_ends_go_with_the_write_that_the_hook_is_to_read() {
    let unix = text("sample-04-running-or-backtracked");
    let (front, body) = unix.split_once("---\n\n").expect("a body");
    let windows = format!("\u{feff}{}", unix.replace('\n', "\r\n"));
    let expected = carry_out(unix.as_bytes(), &resume(), StatusWord::Interrupted).expect("legal");
    let found = carry_out(windows.as_bytes(), &resume(), StatusWord::Interrupted).expect("legal");
    let expected = String::from_utf8(expected).expect("utf-8");
    let front_after = &expected[..expected.len() - body.len() - "\n".len()];
    assert_ne!(front_after, front);
    // The person's text is not touched.
    let expected = format!("{front_after}\r\n{}", body.replace('\n', "\r\n"));
    assert_eq!(String::from_utf8(found).expect("utf-8"), expected);
}

#[test]
fn layouts_the_plugin_cannot_read_are_repaired_in_the_same_write() {
    let block = "control:\n  status: running\n  iteration: 5\n  stall_count: 0\n  prev_pending_count: 3\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n";
    let with = |control: &str| text("seed-002-s6-2-before").replacen(block, control, 1);
    let pause = |file: &str| {
        carry_out(file.as_bytes(), &Intent::Pause, StatusWord::Running)
            .map(|bytes| String::from_utf8(bytes).expect("utf-8"))
    };
    let flow = with("control: {status: running, stop_requested: false, stop_reason: null, x: [1]} # c\n");
    let paused = "  stop_requested: true\n  stop_reason: \"Paused by user\"\n  redirect_requested: false\n";
    assert!(pause(&flow).expect("repaired").contains(&format!("{paused}  x:\n    - 1\n")));
    let short_flow = with("control: {status: running, stop_requested: false}\n");
    assert!(pause(&short_flow).expect("repaired").contains(paused));
    let quoted = with(
        "control:\n      \"status\": running\n      'stop_requested' : no # c\n      \"stop_reason\":\n          waiting\n",
    );
    assert!(pause(&quoted).expect("repaired").contains(paused));
    let anchored = with(
        "control:\n  status: running\n  stop_requested: &no false\n  stop_reason: null\n  redirect_requested: *no\n",
    );
    assert!(pause(&anchored).expect("repaired").contains(paused));
    let block_reason = with(
        "control:\n  status: running\n  stop_requested: false\n  stop_reason: |\n    two\n    lines\n\n  redirect_requested: false\n",
    );
    let edited = pause(&block_reason).expect("by span");
    assert!(
        edited.contains("  stop_reason: \"Paused by user\"\n\n  redirect_requested: false\n"),
        "{edited}"
    );
    let twice = with(
        "control:\n  status: running\n  stop_requested: false\n  stop_requested: false\n  stop_reason: null\n",
    );
    assert!(
        pause(&twice)
            .expect("both lines")
            .contains("  stop_requested: true\n  stop_requested: true\n  stop_reason: \"Paused by user\"\n")
    );
}

#[test]
fn a_line_elsewhere_that_the_plugin_takes_for_the_field_is_not_left_saying_something_else() {
    let file = text("sample-04-running-or-backtracked");
    let with = |twin: &str| file.replace("\ntrail:", &format!("\nlast_round:\n  {twin}\ntrail:"));
    let pause = |file: &str| {
        let after = carry_out(file.as_bytes(), &Intent::Pause, StatusWord::RunningElsewhere)?;
        Ok(summary(&after).problems)
    };
    for twin in ["stop_requested: false", "stop_requested: \"false\"  # then"] {
        assert_eq!(summary(with(twin).as_bytes()).problems, [], "nothing is wrong before");
        // One column further, it is not mistaken for the flag.
        let edits: Result<_, Refusal> = pause(&with(twin));
        assert_eq!(edits, Ok(vec![]));
        let after = carry_out(with(twin).as_bytes(), &Intent::Pause, StatusWord::RunningElsewhere);
        let after = String::from_utf8(after.expect("legal")).expect("utf-8");
        assert!(after.contains("\nlast_round:\n   stop_requested: "), "{after}");
    }
    assert_eq!(pause(&with("stop_request: false")), Ok(vec![]));
    assert_eq!(pause(&with("status: running")), Ok(vec![]), "a field that is not written");
}

#[test]
fn no_fixture_is_changed_outside_its_control_fields() {
    let intents = [
        Intent::Start,
        Intent::Pause,
        stop("enough"),
        resume(),
        Intent::Reopen { raise_limit_to: Some(99) },
        Intent::Finalise,
    ];
    let words = [StatusWord::NotStarted, StatusWord::Running, StatusWord::Interrupted, StatusWord::Stopped];
    let mut edited = 0;
    for (name, bytes) in fixtures() {
        for (intent, shown) in intents.iter().flat_map(|intent| words.map(|shown| (intent, shown))) {
            let Ok(after) = carry_out(&bytes, intent, shown) else { continue };
            edited += 1;
            for change in changes(&bytes, &after) {
                let line = change[1..].trim_start();
                let ours = [
                    "status:",
                    "iteration:",
                    "stall_count:",
                    "prev_pending_count:",
                    "stop_requested:",
                    "stop_reason:",
                    "redirect_requested:",
                ];
                assert!(ours.iter().any(|key| line.starts_with(key)), "{name} {intent:?}: {change}");
            }
        }
    }
    assert!(edited >= 60, "only {edited} edits were possible");
}
