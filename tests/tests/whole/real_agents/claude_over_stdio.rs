//! Over stdio a person's answer decides, and an interrupt ends the turn.

use super::*;

const OPEN: &[&str] = &[
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
    "--permission-prompt-tool",
    "stdio",
];

fn argv() -> Vec<String> {
    OPEN.iter().map(|arg| (*arg).to_owned()).collect()
}

fn user(text: &str) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "text", "text": text }] } })
}

fn answered(name: &str, behaviour: impl Fn(&Value) -> Value) -> (Stage, Ended) {
    let writes =
        Rule::when(&["asked.txt"]).shell("python3 -c \"open('asked.txt', 'w')\"").says("Done with it.");
    let stage = Stage::new(RealAgent::Claude, Script::with(vec![writes]));
    let mut running = stage.start(&argv());
    running.tell(&user("Write asked.txt."));
    let line = running.until("\"can_use_tool\"", PATIENCE);
    let request: Value = serde_json::from_str(&line).unwrap();
    let response = json!({
        "subtype": "success", "request_id": request["request_id"], "response": behaviour(&request["request"]["input"]),
    });
    running.tell(&json!({ "type": "control_response", "response": response }));
    running.until("\"type\":\"result\"", PATIENCE);
    running.close();
    let ended = running.end(PATIENCE);
    keep(&stage, name, &ended);
    (stage, ended)
}

#[test]
#[ignore = "cargo xtask test --real-agents"]
fn allowed() {
    let (stage, ended) =
        answered("stdio_allowed", |input| json!({ "behavior": "allow", "updatedInput": input }));
    assert!(stage.workspace().join("asked.txt").exists(), "{ended:#?}");
    assert_eq!(ended.exit, Some(0), "{ended:#?}");
}

#[test]
#[ignore = "cargo xtask test --real-agents"]
fn denied() {
    let (stage, ended) =
        answered("stdio_denied", |_| json!({ "behavior": "deny", "message": "Not this file." }));
    assert!(!stage.workspace().join("asked.txt").exists(), "{ended:#?}");
    assert!(ended.text().contains("Not this file."), "{ended:#?}");
    assert_eq!(ended.of_type("result")[0]["is_error"], false, "{ended:#?}");
}

#[test]
#[ignore = "cargo xtask test --real-agents"]
fn interrupted() {
    let stage = Stage::new(RealAgent::Claude, Script::with(vec![slow()]));
    let mut argv = argv();
    argv.extend(["--allowedTools".into(), "Bash".into()]);
    let mut running = stage.start(&argv);
    running.tell(&user("Take your time."));
    until_began(&stage);
    running.tell(
        &json!({ "type": "control_request", "request_id": "r1", "request": { "subtype": "interrupt" } }),
    );
    let result = running.until("\"type\":\"result\"", PATIENCE);
    assert!(result.contains("aborted_tools"), "{result}");
    running.close();
    let ended = running.end(PATIENCE);
    keep(&stage, "stdio_interrupted", &ended);
    assert!(ended.left.is_empty(), "{ended:#?}");
}
