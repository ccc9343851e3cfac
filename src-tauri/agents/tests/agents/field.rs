//! Streams of public bug reports (`tests/fixtures/field`), with what is right for each.

use super::{FIELD, read};
use loopdeck_agents::OutputKind;
use loopdeck_agents::answers::{self, Answer, AnswerKind, WorkStatus};
use loopdeck_agents::facts::Facts;
use loopdeck_agents::outcome::{ExitHow, Outcome, Verdict, judge};
use std::fs;
use std::path::Path;

use OutputKind::{ClaudeJsonl as Claude, CodexJsonl as Codex, GeminiJsonl as Gemini, QwenJsonl as Qwen};

fn field(case: &str, file: &str) -> Vec<u8> {
    fs::read(Path::new(FIELD).join(case).join(file)).unwrap_or_default()
}

fn judged(kind: OutputKind, case: &str) -> (Verdict, Facts) {
    let (_, facts) = read(kind, &field(case, "stream.ndjson"), &field(case, "stderr.txt"));
    let exit = String::from_utf8(field(case, "exit")).unwrap().trim().parse().unwrap();
    (judge(kind, &facts, ExitHow::Code(exit), None), facts)
}

/// Each case with its outcome and the reason that is shown.
const ROWS: [(OutputKind, &str, Outcome, Option<&str>); 23] = [
    (Claude, "69-claude-two-events-on-a-line", Outcome::Ok, None),
    (Claude, "70-claude-log-lines-between", Outcome::Ok, None),
    (Claude, "71-claude-empty-result-with-text", Outcome::Ok, None),
    (Claude, "72-claude-stopped-mid-tool", Outcome::Unknown, Some("stop_reason: tool_use")),
    (Claude, "73-claude-interim-result", Outcome::Ok, None),
    (
        Claude,
        "75-claude-ok-then-exit-1",
        Outcome::Unknown,
        Some("MCP server \"planner\" needs authentication"),
    ),
    (
        Claude,
        "76-claude-session-limit-no-event",
        Outcome::Limit,
        Some("You've hit your session limit · resets 10:10pm (Europe/Madrid)"),
    ),
    (
        Claude,
        "77-claude-limit-rejected-event",
        Outcome::Limit,
        Some("You've hit your limit · resets 2pm (Asia/Shanghai)"),
    ),
    (
        Claude,
        "78-claude-limit-plain-text",
        Outcome::Limit,
        Some("You've hit your limit · resets 8pm (America/Indianapolis)"),
    ),
    (Claude, "79-claude-no-credit", Outcome::Limit, Some("Credit balance is too low")),
    (
        Codex,
        "82-codex-turn-failed-exit-0",
        Outcome::TaskFailed,
        Some("Selected model is at capacity. Please try a different model."),
    ),
    (
        Codex,
        "83a-codex-limit-texts",
        Outcome::Limit,
        Some(
            "You've hit your usage limit for GPT-5-Codex. Switch to another model now, or try again at 3:41 PM.",
        ),
    ),
    (Codex, "83b-codex-limit-texts", Outcome::Limit, Some("The usage limit has been reached")),
    (
        Codex,
        "83d-codex-limit-texts",
        Outcome::Limit,
        Some(
            "stream disconnected before completion: Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000. Please try again in 2.4s.",
        ),
    ),
    (Codex, "83e-codex-limit-texts", Outcome::Budget, Some("shared rollout token budget exhausted")),
    (
        Gemini,
        "84-gemini-quota-exhausted",
        Outcome::Limit,
        Some("You have exhausted your daily quota on this model."),
    ),
    (
        Gemini,
        "85-gemini-capacity-reset",
        Outcome::Limit,
        Some("You have exhausted your capacity on this model. Your quota will reset after 3h24m2s."),
    ),
    (Gemini, "86-gemini-nested-429", Outcome::Limit, Some("You exceeded your current quota")),
    (
        Gemini,
        "88-gemini-no-sign-in",
        Outcome::Auth,
        Some(
            "Please set an Auth method in your settings.json or specify one of the following environment variables before running: GEMINI_API_KEY",
        ),
    ),
    (
        Qwen,
        "89-qwen-quota",
        Outcome::Limit,
        Some("Qwen OAuth quota exceeded: Your free daily quota has been reached."),
    ),
    (Claude, "91-v2-empty-result", Outcome::Ok, None),
    (Codex, "98-codex-answer-then-remark", Outcome::Ok, None),
    (
        Claude,
        "101-claude-result-without-is-error",
        Outcome::Unknown,
        Some("result, result.is_error is missing"),
    ),
];

#[test]
fn every_case_ends_as_it_should_and_says_why() {
    for (kind, case, outcome, message) in ROWS {
        let (verdict, _) = judged(kind, case);
        assert_eq!(
            (verdict.outcome, verdict.message.as_deref()),
            (outcome, message),
            "{case}: {:?}",
            verdict.from
        );
    }
}

#[test]
fn a_final_event_that_breaks_off_is_unknown_and_shows_its_beginning() {
    let (verdict, _) = judged(Claude, "81-claude-result-cut-off");
    assert_eq!(verdict.outcome, Outcome::Unknown);
    let message = verdict.message.unwrap();
    assert!(message.starts_with(r#"{"type": "result""#) && message.len() <= 200, "{message}");
}

#[test]
fn costs_and_texts_are_those_of_the_end() {
    let cost = |case: &str| judged(Claude, case).1.usage.and_then(|usage| usage.cost_usd);
    assert_eq!(cost("69-claude-two-events-on-a-line"), Some(0.02));
    assert_eq!(cost("70-claude-log-lines-between"), Some(0.02));
    assert_eq!(cost("73-claude-interim-result"), Some(0.07));
    let answer = |case: &str| judged(Claude, case).1.answer().map(str::to_owned);
    assert_eq!(
        answer("71-claude-empty-result-with-text").unwrap(),
        "The price list is done and the box is ticked."
    );
    assert_eq!(answer("73-claude-interim-result").unwrap(), "Both helpers are done; the box is ticked.");
}

#[test]
fn a_run_whose_background_task_goes_on_is_not_over() {
    let first = field("74-claude-interim-result-then-silence", "stream.ndjson");
    let (_, facts) = read(Claude, &first, b"");
    assert!(facts.last.is_some() && !facts.is_over());
    let after = String::from_utf8(field("74-claude-interim-result-then-silence", "after.sh")).unwrap();
    let lines: Vec<&str> = after.lines().filter(|line| line.starts_with('{')).collect();
    let with = |count: usize| {
        let more: Vec<u8> = lines[..count].iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
        read(Claude, &[&first[..], &more[..]].concat(), b"").1
    };
    assert!(!with(1).is_over(), "the agent takes up what its helper found");
    assert!(!with(2).is_over(), "it does");
    let end = with(3);
    assert!(end.is_over());
    assert_eq!(end.usage.and_then(|usage| usage.cost_usd), Some(0.09));
    assert_eq!(judge(Claude, &end, ExitHow::Code(0), None).outcome, Outcome::Ok);
    // Without tasks, the first final event is the end.
    let plain = read(Claude, &field("71-claude-empty-result-with-text", "stream.ndjson"), b"").1;
    assert!(plain.is_over());
}

#[test]
fn a_background_task_ends_in_any_of_the_agents_words() {
    let started = r#"{"type":"system","subtype":"init","session_id":"s"}
{"type":"system","subtype":"task_started","task_id":"b1"}
"#;
    let result = r#"{"type":"result","is_error":false,"num_turns":1,"result":"x","stop_reason":"end_turn"}"#;
    for end in [
        r#"{"type":"system","subtype":"task_notification","task_id":"b1","status":"failed"}"#,
        r#"{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"killed"}}"#,
        r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#,
    ] {
        let over = |lines: &str| read(Claude, lines.as_bytes(), b"").1.is_over();
        assert!(over(&format!("{started}{end}\n{result}\n")), "{end}");
        assert!(!over(&format!("{started}{result}\n")));
    }
    let running = r#"{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"running"}}"#;
    assert!(!read(Claude, format!("{started}{running}\n{result}\n").as_bytes(), b"").1.is_over());
}

#[test]
fn the_answer_is_the_last_message_that_is_one() {
    for (kind, case) in [
        (Claude, "91-v2-empty-result"),
        (Claude, "92-v2-trailing-comma"),
        (Claude, "93-v2-smart-quotes-and-comments"),
        (Claude, "94-v2-two-objects"),
        (Codex, "98-codex-answer-then-remark"),
    ] {
        let (_, facts) = judged(kind, case);
        let answer = answers::among(Some(AnswerKind::Develop), &facts.messages);
        let read = answers::read_structured(AnswerKind::Develop, facts.structured.as_deref(), answer);
        let Answer::Develop(answer) = read.unwrap().answer else { panic!("{case}") };
        assert_eq!(answer.status, WorkStatus::Completed, "{case}");
    }
    let said = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        answers::among(Some(AnswerKind::Develop), &texts).to_owned()
    };
    let done = r#"{"status":"completed","summary":"x"}"#;
    assert_eq!(said(&["{\"status\":\"failed\",\"summary\":\"y\"}", done, "All set {really}!"]), done);
    assert_eq!(said(&[done, r#"{"other":1}"#]), done, "an object of another shape is no answer");
    assert_eq!(said(&[r#"{"other":1}"#, "bye"]), r#"{"other":1}"#, "what is wrong with it can be said");
    assert_eq!(said(&["one", "two", " "]), "two");
    assert_eq!(said(&[]), "");
}

#[test]
fn a_tool_between_the_answer_and_the_end_does_not_hide_it() {
    let done = r#"{\"status\":\"completed\",\"summary\":\"x\"}"#;
    let gemini = format!(
        r#"{{"type":"init","session_id":"s","model":"m"}}
{{"type":"message","role":"assistant","content":"{done}","delta":true}}
{{"type":"tool_use","tool_name":"t","tool_id":"1","parameters":{{}}}}
{{"type":"tool_result","tool_id":"1","status":"success","output":"x"}}
{{"type":"message","role":"assistant","content":"All ","delta":true}}
{{"type":"message","role":"assistant","content":"set","delta":true}}
{{"type":"result","status":"success","stats":{{}}}}
"#
    );
    let claude = format!(
        r#"{{"type":"system","subtype":"init","session_id":"s"}}
{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{done}"}}]}}}}
{{"type":"assistant","message":{{"content":[{{"type":"text","text":"no answer of mine"}}]}},"parent_tool_use_id":"t0"}}
{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t1","name":"Bash","input":{{}}}}]}}}}
{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":"ok"}}]}}}}
{{"type":"result","is_error":false,"num_turns":2,"result":"","stop_reason":"end_turn"}}
"#
    );
    for (kind, stream) in [(Gemini, gemini), (Claude, claude.clone()), (Qwen, claude)] {
        let (_, facts) = read(kind, stream.as_bytes(), b"");
        assert_eq!(judge(kind, &facts, ExitHow::Code(0), None).outcome, Outcome::Ok, "{kind:?}");
        let answer = answers::among(Some(AnswerKind::Develop), &facts.messages);
        assert!(answer.contains("completed"), "{kind:?}: {answer}");
    }
}

#[test]
fn the_model_must_have_come_to_its_end() {
    let ended = |stop: &str| {
        let stream = format!(
            r#"{{"type":"system","subtype":"init","session_id":"s"}}
{{"type":"assistant","message":{{"content":[{{"type":"text","text":"I did"}}]}}}}
{{"type":"result","is_error":false,"num_turns":2,"result":"I did","stop_reason":{stop},"terminal_reason":"completed"}}
"#
        );
        let (_, facts) = read(Claude, stream.as_bytes(), b"");
        let verdict = judge(Claude, &facts, ExitHow::Code(0), None);
        (verdict.outcome, verdict.message)
    };
    for stop in ["null", "\"end_turn\"", "\"stop_sequence\""] {
        assert_eq!(ended(stop), (Outcome::Ok, None), "{stop}");
    }
    for (stop, outcome) in [
        ("max_tokens", Outcome::TaskFailed),
        ("refusal", Outcome::TaskFailed),
        ("model_context_window_exceeded", Outcome::TaskFailed),
        ("tool_use", Outcome::Unknown),
        ("pause_turn", Outcome::Unknown),
        ("something_new", Outcome::Unknown),
    ] {
        assert_eq!(ended(&format!("\"{stop}\"")), (outcome, Some(format!("stop_reason: {stop}"))), "{stop}");
    }
}

#[test]
fn an_event_of_20_mb_is_shortened_and_the_end_behind_it_is_read() {
    let long = "A".repeat(20_000_000);
    let stream = format!(
        r#"{{"type":"system","subtype":"init","session_id":"s"}}
{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"{long}"}}]}}}}
{{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"done","terminal_reason":"completed"}}
"#
    );
    let (_, facts) = read(Claude, stream.as_bytes(), b"");
    let verdict = judge(Claude, &facts, ExitHow::Code(0), None);
    assert_eq!((verdict.outcome, facts.answer()), (Outcome::Ok, Some("done")));
}

#[test]
fn a_limit_is_one_also_when_its_final_event_is_lost() {
    for case in ["76-claude-session-limit-no-event", "77-claude-limit-rejected-event", "79-claude-no-credit"]
    {
        let text = String::from_utf8(field(case, "stream.ndjson")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let cut = lines[..lines.len() - 1].join("\n");
        let (_, facts) = read(Claude, cut.as_bytes(), b"");
        let verdict = judge(Claude, &facts, ExitHow::Code(1), None);
        assert_eq!(verdict.outcome, Outcome::Limit, "{case}: {:?}", verdict.from);
        assert!(verdict.message.is_some_and(|message| !message.is_empty()), "{case}");
    }
}

#[test]
fn a_failed_run_is_never_without_a_reason() {
    for (stdout, stderr, exit, reason) in [
        ("", "", 1, "no final event, exit=1"),
        (
            "[log_1] sending request {\n  \"url\": \"x\"\n}\n[log_2] the request failed\n",
            "",
            1,
            "[log_2] the request failed",
        ),
        (
            "[log_1] sending request {\n  \"url\": \"x\"\n}\nThe account could not be used\n",
            "",
            1,
            "The account could not be used",
        ),
        (
            "",
            "Loading the settings\nConnecting\nThe server refused the connection\n",
            1,
            "The server refused the connection",
        ),
    ] {
        let (_, facts) = read(Claude, stdout.as_bytes(), stderr.as_bytes());
        let verdict = judge(Claude, &facts, ExitHow::Code(exit), None);
        assert_eq!(verdict.message.as_deref(), Some(reason), "{stdout}{stderr}");
    }
}
