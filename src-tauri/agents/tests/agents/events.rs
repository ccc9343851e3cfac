//! Agents' output lines as events.

use super::{output, read};
use loopdeck_agents::decode::Decoder;
use loopdeck_agents::event::AgentEvent as E;
use loopdeck_agents::lines::{EVENT_LIMIT, LINE_LIMIT, Line};
use loopdeck_agents::usage::{Usage, UsageView};
use loopdeck_agents::{OutputKind, Stream, control};

use OutputKind::{
    ClaudeJsonl as Claude, CodexJsonl as Codex, GeminiJsonl as Gemini, QwenJsonl as Qwen, Text,
};

fn events(kind: OutputKind, name: &str) -> Vec<E> {
    read(kind, &output(kind, name), b"").0
}

/// Events in short form: one word and the essentials.
fn short(events: &[E]) -> Vec<String> {
    let of = |event: &E| match event {
        E::Started(started) => format!("started {}", started.model.as_deref().unwrap_or("-")),
        E::Text { text, parent, delta, stream } => {
            let under = parent.as_deref().map(|parent| format!(" under {parent}")).unwrap_or_default();
            let more = if *delta { " +" } else { "" };
            let err = if *stream == Stream::Stderr { " err" } else { "" };
            format!("text{under}{more}{err} {}", text.text)
        }
        E::Reasoning { text, .. } => format!("reasoning {}", text.text),
        E::ToolStart { id, name, input, .. } => format!("start {id} {name} {}", input.text),
        E::ToolEnd { id, ok, output, exit_code, .. } => {
            format!("end {id} {ok} {} {exit_code:?}", output.text.trim_end())
        }
        E::Retry { n, of, wait_ms, status, .. } => format!("retry {n:?} {of:?} {wait_ms:?} {status:?}"),
        E::Warning { code, text } => format!("warning {} {}", code.as_deref().unwrap_or("-"), text.text),
        E::Allowance { status, .. } => format!("allowance {status}"),
        E::PermissionRequest(request) => {
            format!("asks {} {} {}", request.id, request.tool, request.input.text)
        }
        E::PermissionWithdrawn { id } => format!("withdrawn {id}"),
        E::ControlAnswer { id, ok, error } => {
            format!("answer {id} {ok} {}", error.as_ref().map(|error| error.text.as_str()).unwrap_or("-"))
        }
        E::Denied(denied) => format!("denied {}", denied.tool),
        E::Usage { .. } => "usage".to_owned(),
        E::Finished { error, word, text } => {
            format!("finished {error} {} {}", word.as_deref().unwrap_or("-"), text.text)
        }
        E::Other { raw } => format!("other {}", raw.text),
    };
    events.iter().map(of).collect()
}

#[test]
fn claude_tools_and_subagents() {
    let expected = [
        "started claude-sonnet-5",
        r#"start t1 Bash {"command": "npm test"}"#,
        "end t1 true 3 passed None",
        r#"start t2 Task {"prompt": "look"}"#,
        "text under t2 Looking.",
        "end t2 true found\nit None",
        "text Done.",
        "usage",
        "finished false completed Done.",
    ];
    assert_eq!(short(&events(Claude, "tool_call")), expected);
}

#[test]
fn claude_says_what_it_is() {
    let all = events(Claude, "success");
    let E::Started(started) = &all[0] else { panic!("{all:?}") };
    assert_eq!(started.mode.as_deref(), Some("dontAsk"));
    assert_eq!(started.version.as_deref(), Some("2.1.328"));
    assert_eq!(started.tools, ["Read", "Glob", "Grep"]);
    assert_eq!(started.commands, ["compact", "review"]);
    let qwen = events(Qwen, "tool_call");
    let E::Started(started) = &qwen[0] else { panic!("{qwen:?}") };
    assert_eq!((started.mode.as_deref(), started.version.as_deref()), (Some("plan"), Some("0.24.4")));
    assert_eq!(short(&qwen)[1], "reasoning Which file?");
}

#[test]
fn claude_retries_denials_and_unknown_lines() {
    let retry = "retry Some(1) Some(1) Some(512.5) Some(401)".to_owned();
    assert_eq!(short(&events(Claude, "auth_401"))[1], retry);
    let denied: Vec<_> =
        short(&events(Claude, "denial")).into_iter().filter(|e| e.starts_with("denied")).collect();
    assert_eq!(denied, ["denied Bash", "denied Write"], "each once");
    let unknown = short(&events(Claude, "unknown"));
    assert_eq!(unknown[1], r#"other {"type":"hologram","data":[1,2]}"#);
    assert_eq!(unknown[2], "other this is no JSON");
}

#[test]
fn text_that_came_in_pieces_is_not_said_twice() {
    let texts: Vec<_> =
        short(&events(Claude, "partial")).into_iter().filter(|e| e.starts_with("text")).collect();
    assert_eq!(texts, ["text + Do", "text + ne.", "text And more."]);
}

#[test]
fn a_question_keeps_the_exact_bytes_for_its_answer() {
    let all = events(Claude, "asks");
    let expected = ["withdrawn q2", "answer r1 true -", "answer r2 false no turn"];
    let rest: Vec<_> =
        short(&all).into_iter().filter(|e| e.starts_with("with") || e.starts_with("answer")).collect();
    assert_eq!(rest, expected);
    let asked = all.iter().find_map(|event| match event {
        E::PermissionRequest(request) => Some(request),
        _ => None,
    });
    let request = asked.unwrap();
    assert_eq!((request.id.as_str(), request.tool_use_id.as_deref()), ("q1", Some("t1")));
    assert_eq!(request.exact_input, r#"{"command":"npm i","timeout":1.0,"note":"caf\u00e9 \ud83d"}"#);
    assert!(request.suggestions.as_deref().unwrap().starts_with("[{"));
    let line = control::allow_line(&request.id, &request.exact_input, None).unwrap();
    assert!(line.contains(&request.exact_input));
    let json = serde_json::to_string(&all).unwrap();
    assert!(!json.contains("addRules"), "what the page does not need does not leave");
}

#[test]
fn codex_items() {
    let expected = [
        "started -",
        "start item_1 command_execution /bin/sh -lc 'npm test'",
        "end item_1 false 1 failed Some(1)",
        r#"start item_2 file_change [{"path": "/code/shop/a.ts", "kind": "update"}]"#,
        "end item_2 true  None",
        r#"start item_3 docs.find {"q": "x"}"#,
        r#"end item_3 true {"content": []} None"#,
        "text Done.",
        "usage",
        "finished false - Done.",
    ];
    assert_eq!(short(&events(Codex, "tool_call")), expected);
    let success = short(&events(Codex, "success"));
    assert_eq!(success[1], "reasoning **Looking**");
    assert_eq!(success[2], "warning - Model metadata for `m` not found.", "a warning, not an error");
    let retries = short(&events(Codex, "reconnecting"));
    assert_eq!(retries[5], "retry Some(5) Some(5) None None");
}

#[test]
fn gemini_pieces_and_tools() {
    let expected =
        ["started gemini-3-pro", "text + Do", "text + ne.", "usage", "finished false success Done."];
    assert_eq!(short(&events(Gemini, "success")), expected);
    let tools = short(&events(Gemini, "tool_call"));
    assert_eq!(tools[3], "end t1 true 3 passed None");
    assert_eq!(tools[5], "end t2 false File not found None");
    assert_eq!(
        tools.last().unwrap(),
        "finished false success Done.",
        "the answer is what came after the tools"
    );
}

#[test]
fn lines_of_text_are_events_and_standard_error_is_marked() {
    let (events, facts) = read(Text, b"one\r\n\ntwo", b"oops\n");
    assert_eq!(short(&events), ["text one", "text ", "text err oops", "text two"]);
    assert_eq!(facts.complaints.last().unwrap().text, "oops");
    let (events, _) = read(Claude, b"\n", b"{\"type\":\"result\",\"is_error\":false}\n");
    assert!(
        matches!(&events[..], [E::Text { stream: Stream::Stderr, .. }]),
        "standard error is never parsed"
    );
}

#[test]
fn usage_is_taken_from_the_final_event_only() {
    let usage = |kind, name: &str| read(kind, &output(kind, name), b"").1.usage;
    let claude = Usage { input: 1312, output: 45, cached: 1000, reasoning: 0, cost_usd: Some(0.0421) };
    assert_eq!(usage(Claude, "success"), Some(claude));
    let two = Usage { input: 2624, output: 90, cached: 2000, reasoning: 0, cost_usd: Some(0.1) };
    assert_eq!(usage(Claude, "two_turns"), Some(two), "tokens add up, money is the last total");
    let qwen = Usage { input: 1500, output: 40, cached: 600, reasoning: 0, cost_usd: None };
    assert_eq!(usage(Qwen, "success"), Some(qwen));
    assert_eq!(usage(Gemini, "success"), Some(qwen));
    let codex = Usage { input: 2400, output: 90, cached: 1200, reasoning: 30, cost_usd: None };
    assert_eq!(usage(Codex, "success"), Some(codex));
    assert_eq!(usage(Codex, "interrupted"), None);
    let told = events(Codex, "success");
    assert!(told.contains(&E::Usage { usage: UsageView::from(codex) }));
}

#[test]
fn answers_and_sessions_are_remembered_whole() {
    let facts = |kind, name: &str| read(kind, &output(kind, name), b"").1;
    let structured = facts(Claude, "structured");
    assert_eq!(structured.structured.as_deref(), Some(r#"{"next":"debug","confidence":0.5}"#));
    assert_eq!(facts(Claude, "success").structured, None);
    for (kind, name) in [(Claude, "success"), (Qwen, "success"), (Codex, "success"), (Gemini, "success")] {
        let facts = facts(kind, name);
        assert_eq!(facts.answer(), Some("Done."), "{kind:?}");
        assert_eq!(facts.session.map(|session| session.len()), Some(36), "{kind:?}");
    }
    let long = "x".repeat(100_000);
    let line = format!(r#"{{"type":"item.completed","item":{{"type":"agent_message","text":"{long}"}}}}"#);
    let (events, facts) = read(Codex, line.as_bytes(), b"");
    assert_eq!(facts.answer().unwrap().len(), 100_000);
    let [E::Text { text, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!((text.text.len(), text.cut_from), (4096, Some(100_000)));
}

#[test]
fn a_line_without_end_costs_no_memory_and_no_later_line() {
    let mut stream = vec![b'{'; EVENT_LIMIT + 5];
    stream.push(b'\n');
    stream.extend(output(Codex, "success"));
    let (events, facts) = read(Codex, &stream, b"");
    let E::Other { raw } = &events[0] else { panic!("{:?}", events[0]) };
    assert_eq!(raw.cut_from, Some(u32::try_from(EVENT_LIMIT + 5).unwrap()));
    assert_eq!(facts.answer(), Some("Done."));
}

fn can_use_tool(content: &str) -> String {
    format!(
        r#"{{"type":"control_request","request_id":"q-1","request":{{"subtype":"can_use_tool","tool_name":"Write","input":{{"content":"{content}"}},"tool_use_id":"t"}}}}"#
    )
}

#[test]
fn a_large_file_in_one_line_is_an_event_like_any_other() {
    let line = can_use_tool(&"x".repeat(LINE_LIMIT + LINE_LIMIT / 5));
    let (events, _) = read(Claude, line.as_bytes(), b"");
    let [E::PermissionRequest(request)] = &events[..] else { panic!("{:?}", events.len()) };
    assert!(!request.is_cut && request.exact_input.ends_with("x\"}"));
    let answer = "y".repeat(2 * LINE_LIMIT);
    let line = format!(r#"{{"type":"result","subtype":"success","is_error":false,"result":"{answer}"}}"#);
    let (_, facts) = read(Claude, line.as_bytes(), b"");
    assert_eq!(facts.last.and_then(|last| last.error), Some(false));
}

#[test]
fn a_question_that_is_longer_than_any_line_can_still_be_denied() {
    let line = can_use_tool(&"x".repeat(EVENT_LIMIT));
    let (events, _) = read(Claude, format!("{line}\n").as_bytes(), b"");
    let [E::PermissionRequest(request)] = &events[..] else { panic!("{:?}", events.len()) };
    assert_eq!((request.id.as_str(), request.tool.as_str(), request.is_cut), ("q-1", "Write", true));
    assert_eq!(request.input.cut_from, Some(u32::try_from(line.len()).unwrap()));
    // Other lines that are cut are not permission requests.
    let other = line.replace("can_use_tool", "initialize");
    let (events, _) = read(Claude, format!("{other}\n").as_bytes(), b"");
    assert!(matches!(&events[..], [E::Other { .. }]));
}

#[test]
fn half_a_character_at_a_cut_is_left_out() {
    let mut decoder = Decoder::new(Text);
    let events = decoder.push_line(Stream::Stdout, Line { bytes: b"caf\xc3", full: 9 });
    let [E::Text { text, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!((text.text.as_str(), text.cut_from), ("caf", Some(9)));
    let events = decoder.push(Stream::Stdout, b"caf\xc3");
    let [E::Text { text, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!((text.text.as_str(), text.cut_from), ("caf\u{fffd}", None));
}

#[test]
fn events_can_be_stored_and_read_again() {
    for (kind, name) in
        [(Claude, "tool_call"), (Codex, "tool_call"), (Gemini, "denial"), (Claude, "limit_429")]
    {
        let events = events(kind, name);
        let json = serde_json::to_string(&events).unwrap();
        assert_eq!(serde_json::from_str::<Vec<E>>(&json).unwrap(), events);
    }
}
