//! The output lines of Claude Code, and of Qwen Code, which uses the same format.

use super::{Event, json};
use crate::event::{AgentEvent, Denied, PermissionRequest, Started};
use crate::facts::{Facts, Final};
use crate::provider::{Reset, Told};
use crate::usage::Usage;
use crate::{Clip, OutputKind, Stream};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::Node;

/// State between two lines.
#[derive(Clone, Debug, Default)]
pub(super) struct ClaudeState {
    /// The next text has already been streamed in pieces.
    streamed: bool,
}

impl ClaudeState {
    /// Reads one line; false for an unknown kind.
    pub(super) fn read(
        &mut self,
        kind: OutputKind,
        event: &Event<'_>,
        facts: &mut Facts,
        out: &mut Vec<AgentEvent>,
    ) -> bool {
        let node = &event.node;
        match node.get("type").text() {
            Some("system") => system(node, facts, out),
            Some("assistant") => self.assistant(event, facts, out),
            Some("user") => results_of_tools(node, facts, out),
            Some("stream_event") => self.piece(node, out),
            Some("result") => finished(kind, event, facts, out),
            Some("rate_limit_event") => allowance(node.get("rate_limit_info"), facts, out),
            Some("control_request") if node.get("request").get("subtype").text() == Some("can_use_tool") => {
                out.push(question(event));
            }
            Some("control_cancel_request") => {
                out.push(AgentEvent::PermissionWithdrawn { id: id(node.get("request_id")) });
            }
            Some("control_response") => out.push(answer(node.get("response"))),
            Some("keep_alive") => {}
            _ => return false,
        }
        true
    }

    fn assistant(&mut self, event: &Event<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
        let node = &event.node;
        let parent = parent(node);
        let is_main = parent.is_none();
        if is_main {
            facts.message_error = json::name(node.get("error"));
            facts.message_stop = json::name(node.get("message").get("stop_reason"));
        }
        for block in node.get("message").get("content").items() {
            let parent = parent.clone();
            if is_main {
                note_main(event, block, facts);
            }
            match block.get("type").text() {
                Some("text") if std::mem::take(&mut self.streamed) => {}
                Some("text") => {
                    let text = json::text_or_json(block.get("text"));
                    out.push(AgentEvent::Text { text, parent, delta: false, stream: Stream::Stdout });
                }
                Some("thinking") => {
                    out.push(AgentEvent::Reasoning {
                        text: json::text_or_json(block.get("thinking")),
                        parent,
                    });
                }
                Some("tool_use" | "server_tool_use") => out.push(AgentEvent::ToolStart {
                    id: id(block.get("id")),
                    name: id(block.get("name")),
                    input: json::text_or_json(block.get("input")),
                    parent,
                }),
                _ => {}
            }
        }
    }

    fn piece(&mut self, node: &Node<'_>, out: &mut Vec<AgentEvent>) {
        let delta = node.get("event").get("delta");
        if delta.get("type").text() == Some("text_delta") {
            self.streamed = true;
            let text = json::text_or_json(delta.get("text"));
            out.push(AgentEvent::Text { text, parent: parent(node), delta: true, stream: Stream::Stdout });
        }
    }
}

/// The tool by which a model answers in the requested shape.
const STRUCTURED_OUTPUT: &str = "StructuredOutput";

/// What a block of the main conversation says for the end: a message, or a tool that is called.
fn note_main(event: &Event<'_>, block: &Node<'_>, facts: &mut Facts) {
    match block.get("type").text() {
        Some("text") => {
            facts.open_tools.clear();
            facts.say(block.get("text").text().unwrap_or_default());
        }
        Some("tool_use") if block.get("name").text() == Some(STRUCTURED_OUTPUT) => {
            facts.structured = json::exact(event.text, block, "input").or(facts.structured.take());
        }
        Some("tool_use") => drop(facts.open_tools.insert(id(block.get("id")))),
        _ => {}
    }
}

fn id(node: &Node<'_>) -> String {
    json::name(node).unwrap_or_default()
}

fn parent(node: &Node<'_>) -> Option<String> {
    json::name(node.get("parent_tool_use_id"))
}

fn system(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    match node.get("subtype").text() {
        Some("init" | "session_start") => started(node, facts, out),
        Some("api_retry") => out.push(AgentEvent::Retry {
            n: json::small(node.get("attempt")),
            of: json::small(node.get("max_retries")),
            wait_ms: node.get("retry_delay_ms").number(),
            status: json::small(node.get("error_status")),
            cause: json::text_or_json(node.get("error")),
        }),
        Some("permission_denied") => {
            let reason = ["decision_reason", "reason", "message"].into_iter().map(|key| node.get(key));
            let denied = Denied {
                tool: id(node.get("tool_name")),
                id: json::name(node.get("tool_use_id")),
                reason: reason.into_iter().find_map(json::optional),
                input: json::optional(node.get("tool_input")),
            };
            deny(denied, facts, out);
        }
        subtype => {
            tasks(subtype, node, facts);
            let texts = ["message", "content", "text"].into_iter().map(|key| node.get(key));
            let text = texts.into_iter().find_map(json::optional).unwrap_or_default();
            out.push(AgentEvent::Warning { code: subtype.map(|code| Clip::cut(code, 200, 0).text), text });
        }
    }
}

/// Background tasks: one that goes on after the final event leads to another turn. They are announced and reported one by
/// one, or listed as a whole.
fn tasks(subtype: Option<&str>, node: &Node<'_>, facts: &mut Facts) {
    let task = |node: &Node<'_>| json::name(node.get("task_id")).or_else(|| json::name(node.get("id")));
    let has_ended = |status: Option<&str>| {
        matches!(status, Some("completed" | "failed" | "stopped" | "killed" | "cancelled" | "canceled"))
    };
    match (subtype, task(node)) {
        (Some("task_started"), Some(id)) => facts.task_begins(id),
        (Some("task_notification"), Some(id)) => facts.task_ends(&id),
        (Some("task_updated"), Some(id)) if has_ended(node.get("patch").get("status").text()) => {
            facts.task_ends(&id);
        }
        (Some("background_tasks_changed"), _) if node.find("tasks").is_some() => {
            let now: Vec<String> = node.get("tasks").items().iter().filter_map(task).collect();
            let gone: Vec<String> = facts.tasks.iter().filter(|id| !now.contains(id)).cloned().collect();
            gone.iter().for_each(|id| facts.task_ends(id));
            now.into_iter().for_each(|id| facts.task_begins(id));
        }
        _ => {}
    }
}

fn started(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let list = |key: &str| json::names(node.get(key), Started::LISTED);
    let either = |one: &str, two: &str| json::name(node.get(one)).or_else(|| json::name(node.get(two)));
    let started = Started {
        session: json::name(node.get("session_id")),
        model: json::name(node.get("model")),
        tools: list("tools"),
        mode: either("permissionMode", "permission_mode"),
        version: either("claude_code_version", "qwen_code_version"),
        commands: list("slash_commands"),
        plugins: list("plugins"),
        plugin_errors: json::failures(node.get("plugin_errors"), Started::LISTED),
    };
    facts.turn_begins();
    // A truncated list cannot show what is missing.
    let listed = !node.get("slash_commands").is_null() && started.commands.len() < Started::LISTED;
    facts.commands = listed.then(|| started.commands.clone());
    facts.plugin_errors.clone_from(&started.plugin_errors);
    facts.session = started.session.clone().or(facts.session.take());
    facts.model = started.model.clone().or(facts.model.take());
    out.push(AgentEvent::Started(Box::new(started)));
}

fn deny(denied: Denied, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    if facts.deny(&denied) {
        out.push(AgentEvent::Denied(denied));
    }
}

fn results_of_tools(node: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    for block in node.get("message").get("content").items() {
        if block.get("type").text() == Some("tool_result") {
            if parent(node).is_none() {
                facts.open_tools.remove(&id(block.get("tool_use_id")));
                facts.message_stop = None;
            }
            out.push(AgentEvent::ToolEnd {
                id: id(block.get("tool_use_id")),
                ok: block.get("is_error").flag() != Some(true),
                output: json::content(block.get("content")),
                exit_code: None,
                parent: parent(node),
            });
        }
    }
}

fn finished(kind: OutputKind, event: &Event<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let node = &event.node;
    for item in node.get("permission_denials").items() {
        let denied = Denied {
            tool: id(item.get("tool_name")),
            id: json::name(item.get("tool_use_id")),
            reason: json::optional(item.get("message")),
            input: json::optional(item.get("tool_input")),
        };
        deny(denied, facts, out);
    }
    if let Some(usage) = usage(kind, node) {
        facts.report(kind, usage);
        out.push(AgentEvent::Usage { usage: usage.into() });
    }
    facts.session = json::name(node.get("session_id")).or(facts.session.take());
    let error = node.get("is_error").flag();
    let message = error.filter(|error| *error).and_then(|_| message(node)).or_else(|| deferred(node));
    if error == Some(false) {
        let structured = json::exact(event.text, node, "structured_output");
        facts.structured = structured.or(facts.structured.take());
        facts.say_at_the_end(node.get("result").text().unwrap_or_default());
    }
    facts.is_woken = false;
    let text = message.clone().or_else(|| json::text(node.get("result"))).unwrap_or_default();
    let refused = message.clone().or_else(|| json::text(node.get("result")).filter(|_| error.is_none()));
    let status = json::status(node.get("api_error_status"));
    let told = Told::from_message(refused.as_deref().unwrap_or_default());
    let told = told
        .with_class(node.get("error").get("type").text(), "result.error.type")
        .with_status(status, "result.api_error_status");
    let told_field = if kind == OutputKind::QwenJsonl { "result.error.message" } else { "result.result" };
    let stop = node.find("stop_reason").filter(|stop| !stop.is_null()).and_then(json::name);
    let last = Final {
        event: "result",
        error,
        class: json::name(node.get("subtype")),
        reason: json::name(node.get("terminal_reason")),
        stop: stop.or_else(|| facts.message_stop.clone()),
        has_open_tool: !facts.open_tools.is_empty(),
        message: told.line.as_deref().filter(|_| message.is_some()).map(|line| Clip::from_text(line).text),
        told,
        told_field,
        turns: json::small(node.get("num_turns")),
    };
    let word = last.reason.clone().or_else(|| last.class.clone());
    facts.last = Some(last);
    out.push(AgentEvent::Finished { error: error != Some(false), word, text: Clip::from_text(&text) });
}

/// The message of an error: `error.message` (Qwen), the list of errors, or the text in place of the answer.
fn message(node: &Node<'_>) -> Option<String> {
    let error = node.get("error");
    let errors: Vec<&str> = node.get("errors").items().iter().filter_map(Node::text).collect();
    let errors = (!errors.is_empty()).then(|| errors.join("\n"));
    json::text(error.get("message"))
        .or_else(|| json::text(error))
        .or_else(|| json::text(node.get("result")))
        .or(errors)
}

/// What waits for the person's answer: the questions, or a tool with its input.
fn deferred(node: &Node<'_>) -> Option<String> {
    let tool = node.get("deferred_tool_use");
    let name = json::name(tool.get("name"))?;
    let input = tool.get("input");
    let questions = input.get("questions").items().iter().filter_map(|asked| asked.get("question").text());
    let questions: Vec<&str> = questions.collect();
    Some(if questions.is_empty() {
        format!("{name} {}", json::text_or_json(input).text)
    } else {
        questions.join("\n")
    })
}

fn usage(kind: OutputKind, node: &Node<'_>) -> Option<Usage> {
    usage_of(kind, node.get("total_cost_usd"), node.get("usage"))
}

fn usage_of(kind: OutputKind, cost: &Node<'_>, usage: &Node<'_>) -> Option<Usage> {
    let cost_usd = cost.number().filter(|cost| *cost >= 0.0);
    if !usage.is_object() && cost_usd.is_none() {
        return None;
    }
    let tokens = |key: &str| json::tokens(usage.get(key));
    let cached = tokens("cache_read_input_tokens");
    // Claude counts tokens written to and read from its cache separately.
    let beside = match kind {
        OutputKind::QwenJsonl => 0,
        _ => tokens("cache_creation_input_tokens").saturating_add(cached),
    };
    Some(Usage {
        input: tokens("input_tokens").saturating_add(beside),
        output: tokens("output_tokens"),
        cached,
        reasoning: 0,
        cost_usd,
    })
}

/// What a final event that was cut off tells of the cost before the cut.
pub(super) fn cut_final(kind: OutputKind, text: &str, facts: &mut Facts) {
    let (mut is_final, mut cost, mut tokens) = (false, Node::null(), Node::null());
    let Ok(mut reader) = Reader::new(text.as_bytes()) else { return };
    // It ends at the cut, which is not an error here.
    let _ = reader.object(|value, key| match &*key.name {
        "type" => Node::read(value).map(|node| is_final = node.text() == Some("result")),
        "total_cost_usd" => Node::read(value).map(|node| cost = node),
        "usage" => Node::read(value).map(|node| tokens = node),
        _ => value.skip().map(drop),
    });
    if let Some(usage) = usage_of(kind, &cost, &tokens).filter(|_| is_final) {
        facts.report(kind, usage);
    }
}

fn allowance(info: &Node<'_>, facts: &mut Facts, out: &mut Vec<AgentEvent>) {
    let status = id(info.get("status"));
    // Seconds since 1970: anything outside 2001 to 5138 is not such a time.
    let seconds = info.get("resetsAt").number().filter(|seconds| (1e9..1e11).contains(seconds));
    let resets_at_ms = seconds.map(|seconds| seconds * 1000.0);
    #[allow(clippy::cast_possible_truncation)] // in range
    let reset = resets_at_ms.map(|ms| Reset::At(ms as i64));
    facts.refused = (status == "rejected").then_some(reset);
    out.push(AgentEvent::Allowance { status, window: json::name(info.get("rateLimitType")), resets_at_ms });
}

fn question(event: &Event<'_>) -> AgentEvent {
    let request = event.node.get("request");
    AgentEvent::PermissionRequest(Box::new(PermissionRequest {
        id: id(event.node.get("request_id")),
        tool: id(request.get("tool_name")),
        tool_use_id: json::name(request.get("tool_use_id")),
        input: json::text_or_json(request.get("input")),
        reason: json::optional(request.get("decision_reason")),
        is_cut: false,
        exact_input: json::exact(event.text, request, "input").unwrap_or_else(|| "{}".to_owned()),
        suggestions: json::exact(event.text, request, "permission_suggestions").filter(|list| list != "[]"),
    }))
}

/// A question in a line that was cut: the text before the cut says which request it belongs to.
pub(super) fn cut_question(text: &str, input: Clip) -> Option<AgentEvent> {
    let (mut kind, mut request_id, mut asks, mut tool) = (None, None, None, None);
    let mut reader = Reader::new(text.as_bytes()).ok()?;
    // It ends at the cut, which is not an error here.
    let _ = reader.object(|value, key| match &*key.name {
        "type" => Node::read(value).map(|node| kind = json::name(&node)),
        "request_id" => Node::read(value).map(|node| request_id = json::name(&node)),
        "request" => value.object(|value, key| match &*key.name {
            "subtype" => Node::read(value).map(|node| asks = json::name(&node)),
            "tool_name" => Node::read(value).map(|node| tool = json::name(&node)),
            _ => value.skip().map(drop),
        }),
        _ => value.skip().map(drop),
    });
    if kind.as_deref() != Some("control_request") || asks.as_deref() != Some("can_use_tool") {
        return None;
    }
    Some(AgentEvent::PermissionRequest(Box::new(PermissionRequest {
        id: request_id?,
        tool: tool.unwrap_or_default(),
        input,
        is_cut: true,
        ..PermissionRequest::default()
    })))
}

fn answer(response: &Node<'_>) -> AgentEvent {
    AgentEvent::ControlAnswer {
        id: id(response.get("request_id")),
        ok: response.get("subtype").text() == Some("success"),
        error: json::optional(response.get("error")),
    }
}
