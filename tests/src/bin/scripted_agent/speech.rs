//! Its output, as lines for people or as the stream of Claude Code.

use crate::prompt::Prompt;
use loopdeck_tests::scripted::{NO_PLUGIN, Output, Rule};
use serde_json::{Value, json};
use std::io::{self, BufRead as _, Write as _};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// Slash commands of the loops' skills and of the AoT plugin.
const SKILLS: [&str; 3] = ["ccw-loop", "ccw-loop-b", "ralph-wiggum-aot:enter-recursion"];

/// Its output, and its input if more lines will come.
pub(crate) struct Speech {
    output: Output,
    session: String,
    tools: u32,
    answers: Option<Receiver<Value>>,
}

impl Speech {
    /// Reports its start.
    pub(crate) fn begin(output: Output, rule: &Rule, prompt: &Prompt, arguments: &[String]) -> Self {
        let resumed =
            arguments.windows(2).find(|pair| ["--resume", "--session-id"].contains(&pair[0].as_str()));
        let session = resumed.map_or_else(own_session, |pair| pair[1].clone());
        let answers = (prompt.open && output == Output::ClaudeJsonl).then(|| listen(session.clone()));
        let skills: &[&str] = if rule.lacks_skills { &[] } else { &SKILLS };
        let speech = Self { output, session, tools: 0, answers };
        let mut init = json!({
            "type": "system", "subtype": "init", "cwd": std::env::current_dir().ok(), "tools": ["Bash", "Edit"],
            "model": "scripted", "permissionMode": "default", "slash_commands": skills, "claude_code_version": "2.1.328",
        });
        if rule.lacks_skills {
            init["plugin_errors"] =
                json!([{ "plugin": "ralph-wiggum-aot", "type": "plugin-not-found", "message": NO_PLUGIN }]);
        }
        speech.event(init);
        speech
    }

    fn event(&self, mut event: Value) {
        if self.output == Output::ClaudeJsonl {
            event["session_id"] = self.session.clone().into();
            line(&event.to_string());
        }
    }

    /// A sentence.
    pub(crate) fn say(&mut self, text: &str) {
        match self.output {
            Output::Text => line(text),
            Output::ClaudeJsonl => self.content(&json!({ "type": "text", "text": text })),
        }
    }

    fn content(&self, content: &Value) {
        let message = json!({ "id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": [content] });
        self.event(json!({ "type": "assistant", "message": message, "parent_tool_use_id": null }));
    }

    /// A tool call and its result.
    pub(crate) fn tool(&mut self, name: &str, input: &Value, work: impl FnOnce() -> String) {
        self.tools += 1;
        let id = format!("toolu_{}", self.tools);
        self.content(&json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
        let result = work();
        if self.output == Output::Text {
            line(&format!("{name}: {result}"));
        }
        let block = json!({ "type": "tool_result", "tool_use_id": id, "content": result, "is_error": false });
        self.event(json!({ "type": "user", "message": { "role": "user", "content": [block] }, "parent_tool_use_id": null }));
    }

    /// Asks for permission and waits for the answer; returns whether it is given. The end of standard input
    /// is a denial.
    pub(crate) fn ask(&mut self, tool: &str, input: &Value) -> bool {
        self.tools += 1;
        let id = format!("ask-{}", self.tools);
        // In Claude's order: the tool comes before the input, however long that is.
        let (tool, number) = (json!(tool), self.tools);
        let request = format!(
            r#"{{"subtype":"can_use_tool","tool_name":{tool},"input":{input},"tool_use_id":"toolu_{number}","decision_reason":"This command requires approval","permission_suggestions":[]}}"#
        );
        line(&format!(r#"{{"type":"control_request","request_id":"{id}","request":{request}}}"#));
        let answers = self.answers.iter().flatten();
        let mut fitting = answers.filter(|answer| answer["response"]["request_id"] == id.as_str());
        fitting.next().is_some_and(|answer| answer["response"]["response"]["behavior"] == "allow")
    }

    /// The last words.
    pub(crate) fn end(&mut self, rule: &Rule) {
        let mut text = rule.says.clone();
        if !rule.answer.is_null() {
            let block = serde_json::to_string_pretty(&rule.answer).expect("JSON");
            text += &format!("\n```json\n{block}\n```");
        }
        if !text.is_empty() {
            self.say(&text);
        }
        let mut result = json!({
            "type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": text,
            "num_turns": 1, "duration_ms": 1, "total_cost_usd": 0.01, "permission_denials": [],
            "usage": { "input_tokens": 100, "output_tokens": 20 },
        });
        for (name, value) in rule.result.as_object().into_iter().flatten() {
            result[name] = value.clone();
        }
        self.event(result);
        if let Some(answers) = self.answers.take() {
            for _ in answers {} // it stays until its standard input is closed, like Claude Code
        }
    }
}

/// The conversation to continue.
pub(crate) fn resumed(arguments: &[String]) -> Option<&str> {
    arguments.windows(2).find(|pair| pair[0] == "--resume").map(|pair| pair[1].as_str())
}

/// Reports that it does not know this conversation.
pub(crate) fn does_not_know(id: &str) {
    let said = format!("No conversation found with session ID: {id}");
    let result = json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
        "total_cost_usd": 0, "permission_denials": [], "session_id": id, "errors": [said],
    });
    line(&result.to_string());
    eprintln!("{said}");
}

fn own_session() -> String {
    format!("00000000-0000-4000-8000-{:012}", std::process::id())
}

/// Passes answers on; an interrupt ends the program, like Claude Code.
fn listen(session: String) -> Receiver<Value> {
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || {
        for value in io::stdin().lock().lines().map_while(Result::ok) {
            let value: Value = serde_json::from_str(&value).unwrap_or_default();
            if value["request"]["subtype"] == "interrupt" {
                interrupted(&value["request_id"], &session);
            }
            let _ = sender.send(value); // the main thread may have ended
        }
    });
    answers
}

fn interrupted(request: &Value, session: &str) {
    let response = json!({ "subtype": "success", "request_id": request });
    line(&json!({ "type": "control_response", "response": response }).to_string());
    let result = json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_tools",
        "num_turns": 1, "total_cost_usd": 0.01, "permission_denials": [], "session_id": session,
    });
    line(&result.to_string());
    std::process::exit(1);
}

/// Prints a line immediately, because an agent's output is read while it works.
fn line(text: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush()); // nobody may be reading
}
