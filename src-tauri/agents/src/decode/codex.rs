//! The lines of `codex exec --json`.

use super::json;
use crate::event::{AgentEvent, Denied, Started};
use crate::facts::{Facts, Final};
use crate::provider::Told;
use crate::usage::Usage;
use crate::{Clip, OutputKind, Stream};
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeSet;

/// How many open items are remembered.
const OPEN_LIMIT: usize = 1000;

/// State between two lines.
#[derive(Clone, Debug, Default)]
pub(super) struct CodexState {
    open: BTreeSet<String>,
}

impl CodexState {
    /// Reads one line; false for an unknown kind.
    pub(super) fn read(&mut self, node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) -> bool {
        match node.get("type").text() {
            Some("thread.started") => started(node, facts, out),
            Some("turn.started") => facts.turn_begins(),
            Some("turn.completed") => completed(node, facts, out),
            Some("turn.failed") => failed(node.get("error"), facts, out),
            Some("error") => error(node.get("message"), facts, out),
            Some("item.started" | "item.updated") => return self.item(node.get("item"), false, facts, out),
            Some("item.completed") => return self.item(node.get("item"), true, facts, out),
            _ => return false,
        }
        true
    }

    fn item(&mut self, item: &Node<'_>, ended: bool, facts: &mut Facts, out: &mut Vec<AgentEvent>) -> bool {
        match item.get("type").text().or_else(|| item.get("item_type").text()) {
            Some("agent_message") if ended => {
                facts.say(item.get("text").text().unwrap_or_default());
                let text = json::text_or_json(item.get("text"));
                out.push(AgentEvent::Text { text, parent: None, delta: false, stream: Stream::Stdout });
            }
            Some("reasoning") if ended => {
                out.push(AgentEvent::Reasoning { text: json::text_or_json(item.get("text")), parent: None });
            }
            Some("error") if ended => {
                out.push(AgentEvent::Warning { code: None, text: json::text_or_json(item.get("message")) });
            }
            Some("agent_message" | "reasoning" | "error" | "todo_list" | "plan") => {}
            Some(
                kind @ ("command_execution" | "file_change" | "mcp_tool_call" | "web_search"
                | "collab_tool_call"),
            ) => self.tool(kind, item, ended, facts, out),
            _ => return false,
        }
        true
    }

    fn tool(
        &mut self,
        kind: &str,
        item: &Node<'_>,
        ended: bool,
        facts: &mut Facts,
        out: &mut Vec<AgentEvent>,
    ) {
        let id = json::name(item.get("id")).unwrap_or_default();
        let name = match (item.get("server").text(), item.get("tool").text()) {
            (Some(server), Some(tool)) => Clip::cut(&format!("{server}.{tool}"), 200, 0).text,
            _ => kind.to_owned(),
        };
        let input = ["command", "changes", "arguments", "query"].into_iter().map(|key| item.get(key));
        let input = input.into_iter().find_map(json::optional).unwrap_or_default();
        // Some items are never announced, only reported.
        let announced = self.open.contains(&id);
        if !announced {
            out.push(AgentEvent::ToolStart {
                id: id.clone(),
                name: name.clone(),
                input: input.clone(),
                parent: None,
            });
            if !ended && self.open.len() < OPEN_LIMIT {
                self.open.insert(id.clone());
            }
        }
        if ended {
            self.open.remove(&id);
            ended_tool(id, name, input, item, facts, out);
        }
    }
}

fn ended_tool(
    id: String,
    tool: String,
    input: Clip,
    item: &Node<'_>,
    facts: &mut Facts,
    out: &mut Vec<AgentEvent>,
) {
    let exit_code = json::exit_code(item.get("exit_code"));
    let status = item.get("status").text();
    if status == Some("declined") {
        let denied = Denied { tool, id: Some(id.clone()), reason: None, input: Some(input) };
        if facts.deny(&denied) {
            out.push(AgentEvent::Denied(denied));
        }
    }
    let output = ["aggregated_output", "error", "result"].into_iter().map(|key| item.get(key));
    out.push(AgentEvent::ToolEnd {
        id,
        ok: exit_code.is_none_or(|code| code == 0) && status.is_none_or(|status| status == "completed"),
        output: output.into_iter().find_map(json::optional).unwrap_or_default(),
        exit_code,
        parent: None,
    });
}

fn started(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let session = json::name(node.get("thread_id"));
    facts.started = true;
    facts.session = session.clone().or(facts.session.take());
    out.push(AgentEvent::Started(Box::new(Started { session, ..Started::default() })));
}

fn completed(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let usage = node.get("usage");
    if usage.is_object() {
        let tokens = |key: &str| json::tokens(usage.get(key));
        let usage = Usage {
            input: tokens("input_tokens"),
            output: tokens("output_tokens"),
            cached: tokens("cached_input_tokens"),
            reasoning: tokens("reasoning_output_tokens"),
            cost_usd: None,
        };
        facts.report(OutputKind::CodexJsonl, usage);
        out.push(AgentEvent::Usage { usage: usage.into() });
    }
    facts.last = Some(Final { event: "turn.completed", error: Some(false), ..Final::default() });
    let text = Clip::from_text(facts.answer().unwrap_or_default());
    out.push(AgentEvent::Finished { error: false, word: None, text });
}

fn failed(error: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let message = error.get("message").text().or_else(|| error.text());
    // The reason may have been told in an event of its own, and not again.
    let told = message.map_or_else(|| facts.error_told.clone().unwrap_or_default(), Told::from_message);
    let class = error.get("code").text().or_else(|| error.get("type").text());
    let told = told.with_class(class, "turn.failed.error.code");
    let line = told.line.as_deref().map(|line| Clip::from_text(line).text);
    facts.last = Some(Final {
        event: "turn.failed",
        error: Some(true),
        told_field: "turn.failed.error.message",
        message: line.clone(),
        told,
        ..Final::default()
    });
    let text = Clip::from_text(&line.unwrap_or_default());
    out.push(AgentEvent::Finished { error: true, word: None, text });
}

/// `Reconnecting... 2/5 (cause)`: a retry. Anything else: `turn.failed` gives the result.
fn error(message: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let text = json::text_or_json(message);
    let Some(rest) = text.text.strip_prefix("Reconnecting") else {
        facts.error_told = message.text().map(Told::from_message);
        out.push(AgentEvent::Warning { code: Some("error".to_owned()), text });
        return;
    };
    let rest = rest.trim_start_matches(['.', '…', ' ']);
    let mut numbers = rest.split(|next: char| !next.is_ascii_digit()).map(|digits| digits.parse().ok());
    let n = numbers.next().flatten();
    let of = n.and(numbers.next().flatten());
    out.push(AgentEvent::Retry { n, of, wait_ms: None, status: None, cause: text.clone() });
}
