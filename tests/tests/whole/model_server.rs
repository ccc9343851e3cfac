//! The model server itself: its answers in each format, and the bodies that it understands.

use loopdeck_tests::model_server::{ModelServer, Rule, Script};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

fn server() -> ModelServer {
    let once = Rule::when(&["once"]).times(1).says("the first time");
    let again = Rule::when(&["once"]).says("the second time");
    let limited = Rule::when(&["limit"]).fails(429);
    let block = Rule::when(&["block"]).says("Done.\n```json\n{\"a\": 1}\n```");
    ModelServer::start(Script::with(vec![once, again, limited, block])).unwrap()
}

/// Status and body of one exchange.
fn exchange(server: &ModelServer, head: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).unwrap();
    stream.write_all(format!("{head}\r\nhost: loopback\r\n").as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, body.to_owned())
}

fn post(server: &ModelServer, path: &str, body: &Value) -> (u16, String) {
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\ncontent-length: {}", body.len());
    exchange(server, &head, format!("\r\n{body}").as_bytes())
}

/// One request in each format: path, name of its shell tool, and the body for a prompt with or without a tool's result.
fn formats(prompt: &str, result: bool) -> Vec<(&'static str, &'static str, Value)> {
    let mut anthropic = vec![json!({ "role": "user", "content": prompt })];
    let mut responses = vec![
        json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": prompt }] }),
    ];
    let mut chat = vec![json!({ "role": "user", "content": prompt })];
    let mut gemini = vec![json!({ "role": "user", "parts": [{ "text": prompt }] })];
    if result {
        anthropic.push(json!({ "role": "user", "content": [{ "type": "tool_result", "content": "x" }] }));
        responses.push(json!({ "type": "function_call_output", "call_id": "c", "output": "x" }));
        chat.push(json!({ "role": "tool", "content": "x" }));
        let response = json!({ "functionResponse": { "name": "t", "response": {} } });
        gemini.push(json!({ "role": "user", "parts": [response] }));
    }
    let named = |name: &str| json!([{ "name": name }]);
    vec![
        (
            "/v1/messages?beta=true",
            "Bash",
            json!({ "model": "m", "stream": true, "messages": anthropic, "tools": named("Bash") }),
        ),
        (
            "/v1/responses",
            "exec_command",
            json!({ "stream": true, "input": responses, "tools": named("exec_command") }),
        ),
        (
            "/v1/chat/completions",
            "run_shell_command",
            json!({ "stream": true, "messages": chat, "tools": [{ "function": { "name": "run_shell_command" } }] }),
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            "run_shell_command",
            json!({ "contents": gemini, "tools": [{ "functionDeclarations": named("run_shell_command") }] }),
        ),
    ]
}

#[test]
fn a_tool_is_called_first_and_the_last_word_follows_its_result() {
    let server = server();
    for (path, tool, body) in formats("hello", false) {
        let (status, text) = post(&server, path, &body);
        assert_eq!(status, 200, "{path}");
        assert!(text.contains(tool) && text.contains("echo loopback tool ran"), "{path}: {text}");
    }
    for (path, _, body) in formats("hello", true) {
        let (_, text) = post(&server, path, &body);
        assert!(text.contains("The loopback model is done."), "{path}: {text}");
    }
    let answers: Vec<String> = server.requests().into_iter().map(|request| request.answer).collect();
    let call = |tool: &str| format!("tool {tool}");
    let calls = [call("Bash"), call("exec_command"), call("run_shell_command"), call("run_shell_command")];
    assert_eq!(answers[..4], calls);
    assert_eq!(answers[4..], ["text", "text", "text", "text"]);
}

#[test]
fn prefixes_and_rules_fail_as_the_providers_do() {
    let server = server();
    for (path, _, body) in formats("hello", false) {
        assert_eq!(post(&server, &format!("/err{path}"), &body).0, 401, "{path}");
        let (status, text) = post(&server, &format!("/r429{path}"), &body);
        assert_eq!(status, 429, "{path}");
        assert!(text.contains("rate limit reached"), "{text}");
    }
    for (path, _, body) in formats("limit", false) {
        assert_eq!(post(&server, path, &body).0, 429, "{path}");
    }
}

#[test]
fn rules_are_used_up_by_their_last_word_only() {
    let server = server();
    let (path, _, body) = formats("once", false).swap_remove(0);
    assert!(post(&server, path, &body).1.contains("the first time"));
    assert!(post(&server, path, &body).1.contains("the second time"));
}

#[test]
fn bodies_come_in_chunks_and_compressed() {
    let server = server();
    let (path, _, body) = formats("chunks", false).swap_remove(2);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(body.to_string().as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let (first, second) = gzip.split_at(10);
    let mut wire = b"content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for chunk in [first, second] {
        wire.extend(format!("{:x}\r\n", chunk.len()).bytes());
        wire.extend(chunk);
        wire.extend(b"\r\n");
    }
    wire.extend(b"0\r\n\r\n");
    assert_eq!(exchange(&server, &format!("POST {path} HTTP/1.1"), &wire).0, 200);
    let recorded = server.wait_for(Duration::from_secs(5), |request| request.asked.is_some()).unwrap();
    assert_eq!(recorded.asked.unwrap().prompt, "chunks");
}

#[test]
fn looks_are_answered_and_counted_as_nothing() {
    let server = server();
    assert_eq!(exchange(&server, "GET /v1/models HTTP/1.1", b"\r\n").0, 200);
    assert_eq!(exchange(&server, "HEAD / HTTP/1.1", b"\r\n"), (200, String::new()));
    let (status, count) = post(&server, "/v1/messages/count_tokens", &json!({}));
    assert_eq!((status, count.contains("input_tokens")), (200, true));
    assert!(server.requests().iter().all(|request| request.asked.is_none()));
}

#[test]
fn a_schema_gets_the_bare_object() {
    let server = server();
    let (path, _, mut body) = formats("block", false).swap_remove(1);
    body["text"] = json!({ "format": { "type": "json_schema" } });
    let (_, text) = post(&server, path, &body);
    assert!(text.contains(r#""text":"{\"a\":1}""#), "{text}");
    let (path, _, mut body) = formats("block", false).swap_remove(0);
    body["tools"] = json!([{ "name": "StructuredOutput" }]);
    let (_, text) = post(&server, path, &body);
    assert!(text.contains(r#""name":"StructuredOutput""#), "{text}");
}

#[test]
fn reminders_are_no_prompt() {
    let server = server();
    let text = "<system-reminder>\nthe word limit\n</system-reminder>\nhello";
    let (path, _, body) = formats(text, false).swap_remove(0);
    assert_eq!(post(&server, path, &body).0, 200, "the rule for `limit` looks at the person's words");
}
