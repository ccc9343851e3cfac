//! The lines of `gemini -o stream-json`.

use super::json;
use crate::event::{AgentEvent, Denied, Started};
use crate::facts::{Facts, Final};
use crate::provider::Told;
use crate::usage::Usage;
use crate::{Clip, OutputKind, Stream};
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeMap;

/// How many running tools have their names remembered.
const OPEN_LIMIT: usize = 1000;
/// Classes of a tool's error that mean "not allowed". Other errors are failures of the tool.
const NOT_ALLOWED: [&str; 3] = ["policy_violation", "path_not_in_workspace", "tool_not_registered"];

/// State between two lines.
#[derive(Clone, Debug, Default)]
pub(super) struct GeminiState {
    names: BTreeMap<String, String>,
    /// The answer is still growing.
    speaking: bool,
}

impl GeminiState {
    /// Reads one line; false for an unknown kind.
    pub(super) fn read(&mut self, node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) -> bool {
        match node.get("type").text() {
            Some("init") => started(node, facts, out),
            Some("message") => self.message(node, facts, out),
            Some("tool_use") => self.tool_use(node, out),
            Some("tool_result") => self.tool_result(node, facts, out),
            Some("error") => {
                if node.get("severity").text() != Some("warning") {
                    facts.error_told = node.get("message").text().map(Told::from_message);
                }
                out.push(AgentEvent::Warning {
                    code: json::name(node.get("severity")),
                    text: json::text_or_json(node.get("message")),
                });
            }
            Some("result") => finished(node, facts, out),
            _ => return false,
        }
        true
    }

    fn message(&mut self, node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
        if node.get("role").text() != Some("assistant") {
            return;
        }
        let delta = node.get("delta").flag() == Some(true);
        let content = node.get("content");
        let piece = content.text().unwrap_or_default();
        if delta && std::mem::replace(&mut self.speaking, true) {
            facts.continue_message(piece);
        } else {
            facts.begin_message(piece);
        }
        let text = json::text_or_json(content);
        out.push(AgentEvent::Text { text, parent: None, delta, stream: Stream::Stdout });
    }

    fn tool_use(&mut self, node: &Node<'_>, out: &mut Vec<AgentEvent>) {
        self.speaking = false;
        let id = json::name(node.get("tool_id")).unwrap_or_default();
        let name = json::name(node.get("tool_name")).unwrap_or_default();
        if self.names.len() < OPEN_LIMIT {
            self.names.insert(id.clone(), name.clone());
        }
        out.push(AgentEvent::ToolStart {
            id,
            name,
            input: json::text_or_json(node.get("parameters")),
            parent: None,
        });
    }

    fn tool_result(&mut self, node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
        let id = json::name(node.get("tool_id")).unwrap_or_default();
        let tool = self.names.remove(&id).unwrap_or_default();
        let error = node.get("error");
        let message = json::optional(error.get("message"));
        if error.get("type").text().is_some_and(|class| NOT_ALLOWED.contains(&class)) {
            let denied = Denied { tool, id: Some(id.clone()), reason: message.clone(), input: None };
            if facts.deny(&denied) {
                out.push(AgentEvent::Denied(denied));
            }
        }
        let output = json::optional(node.get("output")).or(message).unwrap_or_default();
        let ok = node.get("status").text() == Some("success");
        out.push(AgentEvent::ToolEnd { id, ok, output, exit_code: None, parent: None });
    }
}

fn started(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let (session, model) = (json::name(node.get("session_id")), json::name(node.get("model")));
    facts.turn_begins();
    facts.session = session.clone().or(facts.session.take());
    facts.model = model.clone().or(facts.model.take());
    out.push(AgentEvent::Started(Box::new(Started { session, model, ..Started::default() })));
}

fn finished(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let stats = node.get("stats");
    if stats.is_object() {
        let tokens = |key: &str| json::tokens(stats.get(key));
        let usage = Usage {
            input: tokens("input_tokens"),
            output: tokens("output_tokens"),
            cached: tokens("cached"),
            reasoning: 0,
            cost_usd: None,
        };
        facts.report(OutputKind::GeminiJsonl, usage);
        out.push(AgentEvent::Usage { usage: usage.into() });
    }
    let error = match node.get("status").text() {
        Some("success") => Some(false),
        Some("error") => Some(true),
        _ => None,
    };
    let details = node.get("error");
    let message = details.get("message").text().or_else(|| details.text());
    let class = json::name(node.get("status"));
    let reason = json::name(details.get("type"));
    let word = reason.clone().or_else(|| class.clone());
    let told = match message {
        Some(message) => Told::from_message(message),
        None if error == Some(true) => facts.error_told.clone().unwrap_or_default(),
        None => Told::default(),
    };
    let code = details.get("code");
    let told = told
        .with_class(reason.as_deref(), "result.error.type")
        .with_class(code.text(), "result.error.code")
        .with_status(json::status(code), "result.error.code");
    let message = told.line.as_deref().map(|line| Clip::from_text(line).text);
    let text = Clip::from_text(message.as_deref().or(facts.answer()).unwrap_or_default());
    facts.last = Some(Final {
        event: "result",
        error,
        class,
        reason,
        stop: None,
        has_open_tool: false,
        told,
        told_field: "result.error.message",
        message,
        turns: None,
    });
    out.push(AgentEvent::Finished { error: error != Some(false), word, text });
}
