//! The table of outcomes: a run of each agent for each of its rows.

use super::{FOLDERS, names, output, read};
use loopdeck_agents::facts::Facts;
use loopdeck_agents::outcome::{Asked, BudgetKind, ExitHow, Outcome, Verdict, judge};
use loopdeck_agents::{OutputKind, Stream, decode::Decoder};
use std::collections::BTreeSet;

use ExitHow::{Code, Signal, StillRunning, Unseen};
use OutputKind::{
    ClaudeJsonl as Claude, CodexJsonl as Codex, GeminiJsonl as Gemini, QwenJsonl as Qwen, Text,
};

/// Kind, fixture, exit, outcome, and the field that decides.
const ROWS: [(OutputKind, &str, ExitHow, Outcome, &str); 81] = [
    (Claude, "success", Code(0), Outcome::Ok, "result.is_error=false"),
    (Claude, "tool_call", Code(0), Outcome::Ok, "result.is_error=false"),
    (Claude, "denial", Code(0), Outcome::Ok, "result.terminal_reason=completed"),
    (Claude, "two_turns", Code(0), Outcome::Ok, "exit=0"),
    (Claude, "structured", Code(0), Outcome::Ok, "exit=0"),
    (Claude, "partial", Code(0), Outcome::Ok, "exit=0"),
    (Claude, "asks", Code(0), Outcome::Ok, "exit=0"),
    (Claude, "success", StillRunning, Outcome::Ok, "result.is_error=false"),
    (Claude, "success", Unseen, Outcome::Ok, "result.is_error=false"),
    (Claude, "success", Code(1), Outcome::Unknown, "exit=1"),
    (Claude, "success", Signal(11), Outcome::Unknown, "signal=11"),
    (Claude, "task_failed", Code(1), Outcome::TaskFailed, "result.is_error=true"),
    (Claude, "task_failed", Code(0), Outcome::TaskFailed, "result.is_error=true"),
    (Claude, "limit_429", Code(1), Outcome::Limit, "result.api_error_status=429"),
    (Claude, "overloaded_529", Code(1), Outcome::Limit, "result.api_error_status=529"),
    (Claude, "auth_401", Code(1), Outcome::Auth, "result.api_error_status=401"),
    (Claude, "auth_message", Code(1), Outcome::Auth, "assistant.error=authentication_failed"),
    (Claude, "budget_turns", Code(1), Outcome::Budget, "result.terminal_reason=max_turns"),
    (Claude, "budget_money", Code(1), Outcome::Budget, "result.terminal_reason=budget_exhausted"),
    (Claude, "interrupted", Code(0), Outcome::Cancelled, "result.terminal_reason=aborted_tools"),
    (Claude, "interrupted", Code(1), Outcome::Cancelled, "result.terminal_reason=aborted_tools"),
    (Claude, "cut_off", Signal(9), Outcome::Crashed, "signal=9"),
    (Claude, "cut_off", Code(143), Outcome::Crashed, "exit=143"),
    (Claude, "cut_off", Unseen, Outcome::Crashed, "exit=unseen"),
    (Claude, "cut_off", Code(0), Outcome::Unknown, "exit=0"),
    (Claude, "cut_off", StillRunning, Outcome::Unknown, "exit=none"),
    (Claude, "unknown_command", Code(0), Outcome::Unknown, "result.num_turns=0"),
    (Claude, "bad_resume", Code(1), Outcome::Unknown, "result.num_turns=0"),
    (Claude, "deferred", Code(0), Outcome::Unknown, "result.terminal_reason=tool_deferred"),
    (Claude, "unknown", Code(0), Outcome::Unknown, "result.terminal_reason=quantum_pause"),
    (Claude, "words", Code(0), Outcome::Ok, "result.is_error=false"),
    (Qwen, "success", Code(0), Outcome::Ok, "result.is_error=false"),
    (Qwen, "tool_call", Code(0), Outcome::Ok, "result.is_error=false"),
    (Qwen, "denial", Code(0), Outcome::Ok, "result.is_error=false"),
    (Qwen, "task_failed", Code(1), Outcome::TaskFailed, "result.is_error=true"),
    (Qwen, "limit_429", Code(1), Outcome::Limit, "result.error.message=429"),
    (Qwen, "auth_401", Code(1), Outcome::Auth, "result.error.message=401"),
    (Qwen, "budget_turns", Code(53), Outcome::Budget, "exit=53"),
    (Qwen, "budget_tools", Code(55), Outcome::Budget, "exit=55"),
    (Qwen, "interrupted", Code(1), Outcome::Crashed, "exit=1"),
    (Qwen, "interrupted", Signal(15), Outcome::Crashed, "signal=15"),
    (Qwen, "interrupted", Code(0), Outcome::Unknown, "exit=0"),
    (Qwen, "usage_error", Code(1), Outcome::Unknown, "exit=1"),
    (Qwen, "unknown", Code(0), Outcome::Unknown, "result"),
    (Qwen, "words", Code(0), Outcome::Ok, "result.is_error=false"),
    (Codex, "success", Code(0), Outcome::Ok, "turn.completed"),
    (Codex, "tool_call", Code(0), Outcome::Ok, "turn.completed"),
    (Codex, "denial", Code(0), Outcome::Ok, "turn.completed"),
    (Codex, "task_failed", Code(1), Outcome::TaskFailed, "turn.failed"),
    (Codex, "limit_429", Code(1), Outcome::Limit, "turn.failed.error.message=429"),
    (Codex, "limit_account", Code(1), Outcome::Limit, "turn.failed.error.message"),
    (Codex, "auth_401", Code(1), Outcome::Auth, "turn.failed.error.message=401"),
    (Codex, "interrupted", Code(1), Outcome::Crashed, "exit=1"),
    (Codex, "interrupted", Signal(9), Outcome::Crashed, "signal=9"),
    (Codex, "reconnecting", Signal(9), Outcome::Crashed, "signal=9"),
    (Codex, "reconnecting", Code(0), Outcome::Unknown, "exit=0"),
    (Codex, "usage_error", Code(2), Outcome::Unknown, "exit=2"),
    (Codex, "bad_session", Code(1), Outcome::Unknown, "exit=1"),
    (Codex, "unknown", Code(0), Outcome::Unknown, "no final event"),
    (Codex, "words", Code(0), Outcome::Ok, "turn.completed"),
    (Gemini, "success", Code(0), Outcome::Ok, "result.status=success"),
    (Gemini, "tool_call", Code(0), Outcome::Ok, "result.status=success"),
    (Gemini, "denial", Code(0), Outcome::Ok, "result.status=success"),
    (Gemini, "task_failed", Code(1), Outcome::TaskFailed, "result.status=error"),
    (Gemini, "limit_429", Code(1), Outcome::Limit, "result.error.code=429"),
    (Gemini, "auth_401", Code(145), Outcome::Auth, "result.error.code=401"),
    (Gemini, "auth_method", Code(41), Outcome::Auth, "exit=41"),
    (Gemini, "budget", Code(53), Outcome::Budget, "exit=53"),
    (Gemini, "interrupted", Signal(9), Outcome::Crashed, "signal=9"),
    (Gemini, "interrupted", Code(0), Outcome::Unknown, "no final event"),
    (Gemini, "bad_session", Code(42), Outcome::Unknown, "exit=42"),
    (Gemini, "untrusted", Code(55), Outcome::Unknown, "exit=55"),
    (Gemini, "unknown", Code(0), Outcome::Unknown, "result"),
    (Gemini, "words", Code(0), Outcome::Ok, "result.status=success"),
    (Text, "success", Code(0), Outcome::Ok, "exit=0"),
    (Text, "success", Code(1), Outcome::TaskFailed, "exit=1"),
    (Text, "words", Code(0), Outcome::Ok, "exit=0"),
    (Text, "words", Code(125), Outcome::TaskFailed, "exit=125"),
    (Text, "no_program", Code(127), Outcome::Unknown, "exit=127"),
    (Text, "success", Signal(9), Outcome::Crashed, "signal=9"),
    (Text, "success", Code(137), Outcome::Crashed, "exit=137"),
];

fn verdict(kind: OutputKind, name: &str, exit: ExitHow, asked: Option<Asked>) -> Verdict {
    let (_, facts) = read(kind, &output(kind, name), b"");
    judge(kind, &facts, exit, asked)
}

#[test]
fn every_row_of_the_table_has_its_outcome_and_its_reason() {
    for (kind, name, exit, outcome, from) in ROWS {
        let verdict = verdict(kind, name, exit, None);
        assert_eq!(verdict.outcome, outcome, "{kind:?} {name} {exit:?}: {:?}", verdict.from);
        assert!(verdict.from.iter().any(|field| field == from), "{kind:?} {name}: {:?}", verdict.from);
    }
}

#[test]
fn every_fixture_has_a_row() {
    let rows: BTreeSet<_> =
        ROWS.iter().map(|(kind, name, ..)| (format!("{kind:?}"), (*name).to_owned())).collect();
    for (kind, _) in FOLDERS {
        for name in names(kind) {
            assert!(rows.contains(&(format!("{kind:?}"), name.clone())), "{kind:?} {name}");
        }
    }
}

#[test]
fn what_we_asked_for_wins_over_every_other_reading() {
    let reasons = [
        (Asked::Stop, Outcome::Cancelled, "asked=stop"),
        (Asked::Interrupt, Outcome::Cancelled, "asked=interrupt"),
        (Asked::Timeout, Outcome::Budget, "asked=timeout"),
        (Asked::Budget, Outcome::Budget, "asked=budget"),
    ];
    for (kind, name, exit, ..) in ROWS {
        for (asked, outcome, from) in reasons {
            let verdict = verdict(kind, name, exit, Some(asked));
            assert_eq!((verdict.outcome, verdict.from), (outcome, vec![from.to_owned()]), "{kind:?} {name}");
        }
    }
}

#[test]
fn the_cap_that_was_reached_is_typed() {
    for (kind, name, exit, outcome, _) in ROWS {
        let verdict = verdict(kind, name, exit, None);
        let is_from = |word: &str| verdict.from.iter().any(|from| from.contains(word));
        let expected = match outcome {
            Outcome::Budget if is_from("budget") => Some(BudgetKind::Money),
            Outcome::Budget if is_from("max_turns") || is_from("exit=53") => Some(BudgetKind::Turns),
            Outcome::Budget => Some(BudgetKind::Other),
            _ => None,
        };
        assert_eq!(verdict.budget, expected, "{kind:?} {name}: {:?}", verdict.from);
    }
    let asked = |asked| verdict(Text, "success", Code(0), Some(asked)).budget;
    assert_eq!(asked(Asked::Timeout), Some(BudgetKind::Time));
    assert_eq!((asked(Asked::Budget), asked(Asked::Stop)), (Some(BudgetKind::Money), None));
}

/// Texts that stood in files which stopped loops.
const WORDS: [&str; 8] = [
    "API Error: 429 rate limit reached, 5-hour limit resets 3pm",
    "[API Error: 401 Unauthorized",
    "unexpected status 401 Unauthorized",
    "exceeded retry limit, last status: 429",
    "You've hit your usage limit",
    r#"{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed"}"#,
    r#"{"type":"turn.failed","error":{"message":"last status: 429"}}"#,
    "authentication_failed max_turns budget_exhausted aborted_tools error success",
];

#[test]
fn no_word_of_a_transcript_changes_an_outcome() {
    for (kind, name, exit, outcome, _) in ROWS.into_iter().filter(|(kind, ..)| *kind != Text) {
        let mut decoder = Decoder::new(kind);
        for line in output(kind, name).split(|byte| *byte == b'\n') {
            decoder.push(Stream::Stdout, line);
            for words in WORDS {
                decoder.push(Stream::Stderr, words.as_bytes());
                for said in said(kind, words) {
                    decoder.push(Stream::Stdout, said.as_bytes());
                }
            }
        }
        // Text of the model after the agent's typed word replaces that word, but never becomes one.
        if name != "auth_message" {
            // Transcripts exist only for runs that started.
            let began =
                !matches!(name, "usage_error" | "bad_session" | "bad_resume" | "auth_method" | "untrusted");
            let verdict = judge(kind, decoder.facts(), exit, None);
            if began {
                assert_eq!(verdict.outcome, outcome, "{kind:?} {name} {exit:?}: {:?}", verdict.from);
            }
        }
    }
}

/// `words` from the model and from a tool.
fn said(kind: OutputKind, words: &str) -> Vec<String> {
    let words = serde_json::Value::from(words);
    match kind {
        Claude | Qwen => vec![
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":{words}}}]}}}}"#),
            format!(
                r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":{words},"is_error":true}}]}}}}"#
            ),
            format!(r#"{{"type":"system","subtype":"notice","message":{words}}}"#),
        ],
        Codex => vec![
            format!(r#"{{"type":"item.completed","item":{{"type":"agent_message","text":{words}}}}}"#),
            format!(
                r#"{{"type":"item.completed","item":{{"id":"w","type":"command_execution","aggregated_output":{words}}}}}"#
            ),
            format!(r#"{{"type":"error","message":{words}}}"#),
        ],
        Gemini => vec![
            format!(r#"{{"type":"message","role":"assistant","content":{words}}}"#),
            format!(r#"{{"type":"tool_result","tool_id":"w","status":"error","output":{words}}}"#),
            format!(r#"{{"type":"error","severity":"error","message":{words}}}"#),
        ],
        Text => Vec::new(),
    }
}

#[test]
fn denials_leave_a_run_ok_and_are_counted_once() {
    let claude = verdict(Claude, "denial", Code(0), None);
    let tools: Vec<_> = claude.denials.iter().map(|denied| denied.tool.as_str()).collect();
    assert_eq!((claude.denied, tools), (2, vec!["Bash", "Write"]));
    assert_eq!(claude.denials[0].reason.as_ref().unwrap().text, "not in the list of tools");
    assert_eq!(verdict(Qwen, "denial", Code(0), None).denied, 1);
    assert_eq!(verdict(Gemini, "denial", Code(0), None).denied, 1);
    assert_eq!(verdict(Gemini, "tool_call", Code(0), None).denied, 0, "a failed tool is not a refused one");
    assert_eq!(verdict(Codex, "denial", Code(0), None).denied, 0, "it tells nobody");
}

#[test]
fn a_limit_says_when_it_ends_only_where_that_is_typed() {
    assert_eq!(verdict(Claude, "limit_429", Code(1), None).resets_at_ms, Some(1_795_150_800_000.0));
    assert_eq!(verdict(Claude, "overloaded_529", Code(1), None).resets_at_ms, None);
    assert_eq!(verdict(Codex, "limit_account", Code(1), None).resets_at_ms, None);
    assert_eq!(verdict(Claude, "success", Code(0), None).resets_at_ms, None, "allowed is no limit");
}

#[test]
fn words_of_the_agent_are_passed_on() {
    let word = |kind, name, exit| verdict(kind, name, exit, None).word;
    assert_eq!(word(Claude, "task_failed", Code(1)).as_deref(), Some("prompt_too_long"));
    let deferred = verdict(Claude, "deferred", Code(0), None);
    assert!(deferred.needs_answer);
    assert_eq!(deferred.word.as_deref(), Some("tool_deferred"));
    let message = |kind, name, exit| verdict(kind, name, exit, None).message;
    assert_eq!(message(Claude, "task_failed", Code(1)).as_deref(), Some("The conversation is too long."));
    assert_eq!(
        message(Gemini, "untrusted", Code(55)).unwrap(),
        "Gemini CLI is not running in a trusted directory."
    );
    assert_eq!(
        message(Codex, "usage_error", Code(2)).unwrap(),
        "error: unexpected argument '--full-auto' found"
    );
    assert_eq!(message(Claude, "success", Code(0)), None);
}

#[test]
fn a_usage_error_is_told_wherever_it_is_in_standard_error() {
    let stderr = b"Warning: old\n\n  error: unknown option '--hologram'\nUsage: claude\n";
    for said in [&stderr[13..], stderr] {
        let (_, facts) = read(Claude, b"", said);
        let verdict = judge(Claude, &facts, Code(1), None);
        assert_eq!(verdict.outcome, Outcome::Unknown);
        assert!(verdict.unknown_argument);
        assert_eq!(verdict.message.as_deref(), Some("error: unknown option '--hologram'"));
        let began = Facts { started: true, ..facts };
        assert!(!judge(Claude, &began, Code(1), None).unknown_argument, "words of a run");
    }
}

#[test]
fn an_unknown_shape_shows_its_line_and_a_lingering_process_its_event() {
    let unknown = verdict(Claude, "unknown", Code(0), None);
    assert_eq!(unknown.raw.unwrap().text, r#"{"type":"hologram","data":[1,2]}"#);
    assert!(verdict(Claude, "success", StillRunning, None).lingered);
    assert!(!verdict(Claude, "success", Code(0), None).lingered);
    assert!(!verdict(Claude, "cut_off", StillRunning, None).lingered);
}

#[test]
fn a_turn_that_began_after_the_final_event_is_not_over() {
    let mut lines = output(Claude, "success");
    lines.extend(output(Claude, "cut_off"));
    let (_, facts) = read(Claude, &lines, b"");
    assert_eq!(judge(Claude, &facts, Signal(9), None).outcome, Outcome::Crashed);
}

#[test]
fn what_an_agent_complains_of_beside_its_work_is_no_message_of_one_that_did_well() {
    use loopdeck_agents::Clip;
    use loopdeck_agents::complaint::Complaints;
    use loopdeck_agents::facts::Final;
    let mut complaints = Complaints::default();
    complaints.read(Claude, Stream::Stderr, &Clip::from_text("a newer version is out"));
    let ended = |error, turns, started| Facts {
        started,
        last: Some(Final { event: "result", error: Some(error), turns, ..Final::default() }),
        complaints: complaints.clone(),
        ..Facts::default()
    };
    let well = judge(Claude, &ended(false, Some(1), true), Code(0), None);
    assert_eq!((well.outcome, well.message, well.resets_at_ms), (Outcome::Ok, None, None));
    let failed = judge(Claude, &ended(true, Some(1), true), Code(1), None);
    assert_eq!(failed.message.as_deref(), Some("a newer version is out"));
    assert_eq!((failed.outcome, failed.resets_at_ms), (Outcome::TaskFailed, None));
    // Either sign is enough: it never started.
    for (turns, started) in [(Some(0), true), (Some(1), false)] {
        let verdict = judge(Claude, &ended(true, turns, started), Code(1), None);
        assert_eq!(verdict.outcome, Outcome::Unknown, "{turns:?} {started}");
    }
}

#[test]
fn the_output_of_a_command_is_no_message_and_its_last_complaint_is() {
    let said = |stdout: &[u8], stderr: &[u8], exit| {
        let (_, facts) = read(Text, stdout, stderr);
        judge(Text, &facts, exit, None).message
    };
    assert_eq!(said(b"TAP version 13\nnot ok 1\n", b"", Code(1)), None);
    // A shell reports that on stderr.
    let missing = output(Text, "no_program");
    assert_eq!(said(b"", &missing, Code(127)).as_deref(), Some("sh: 1: hologram: not found"));
    let told = said(b"TAP version 13\n", b"warning: old\nerror: no such file\n \n", Code(1));
    assert_eq!(told.as_deref(), Some("error: no such file"));
    assert_eq!(said(b"", b"warning: old\n", Code(0)), None);
}
