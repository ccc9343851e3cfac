//! What a request asks the model, parsed from each of the four formats into one type.

use serde_json::Value;

/// The four formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFormat {
    /// `POST /v1/messages` (Claude Code).
    Anthropic,
    /// `POST /v1/responses` (Codex).
    Responses,
    /// `POST /v1/chat/completions` (Qwen Code).
    Chat,
    /// `POST /v1beta/models/M:generateContent` and its streaming twin (Gemini CLI).
    Gemini,
}

impl WireFormat {
    /// The format that a path below the prefix belongs to; `None` when it does not go to a model.
    pub(super) fn of(method: &str, path: &str) -> Option<Self> {
        if method != "POST" {
            return None;
        }
        let bare = path.split('?').next().unwrap_or_default();
        match bare {
            "/v1/messages" => Some(Self::Anthropic),
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            _ if bare.ends_with("enerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }
}

/// One piece of a conversation, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// Words of the person (or of the tool in the person's name).
    User(String),
    /// Words of the model.
    Model(String),
    /// A tool that the model called, by name.
    Call(String),
    /// A tool's result, as JSON text.
    Result(String),
}

/// The content of a request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Name of the model.
    pub model: String,
    /// Names of the offered tools.
    pub tools: Vec<String>,
    /// The conversation.
    pub turns: Vec<Turn>,
    /// The last words of the person.
    pub prompt: String,
    /// How many results of tools came after it.
    pub results_since_prompt: usize,
    /// Whether the answer must be JSON by a schema.
    pub wants_json: bool,
    /// Whether events are requested.
    pub stream: bool,
}

impl Asked {
    pub(super) fn read(format: WireFormat, path: &str, body: &Value) -> Self {
        let turns = match format {
            WireFormat::Anthropic => anthropic_turns(body),
            WireFormat::Responses => responses_turns(body),
            WireFormat::Chat => chat_turns(body),
            WireFormat::Gemini => gemini_turns(body),
        };
        let last = turns.iter().rposition(|turn| matches!(turn, Turn::User(_)));
        let prompt = last.and_then(|at| {
            if let Turn::User(text) = &turns[at] { Some(without_reminders(text)) } else { None }
        });
        let after = &turns[last.map_or(0, |at| at + 1)..];
        let in_path = path.split_once("/models/").and_then(|(_, rest)| rest.split(':').next());
        Self {
            model: body["model"].as_str().or(in_path).unwrap_or_default().to_owned(),
            tools: tool_names(body),
            results_since_prompt: after.iter().filter(|turn| matches!(turn, Turn::Result(_))).count(),
            prompt: prompt.unwrap_or_default(),
            wants_json: wants_json(body),
            stream: body["stream"] == true || path.contains(":stream"),
            turns,
        }
    }

    /// Whether this tool is offered.
    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
    }

    /// The tool that was called last in the conversation.
    pub(super) fn last_tool(&self) -> Option<&str> {
        let calls = self.turns.iter().rev();
        calls
            .into_iter()
            .find_map(|turn| if let Turn::Call(name) = turn { Some(name.as_str()) } else { None })
    }
}

/// A prompt without the tool's additions in the person's name.
fn without_reminders(text: &str) -> String {
    let mut text = text.to_owned();
    for tag in ["system-reminder", "session_context"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        while let Some(start) = text.find(&open) {
            let end = text[start..].find(&close).map_or(text.len(), |at| start + at + close.len());
            text.replace_range(start..end, "");
        }
    }
    text.trim().to_owned()
}

/// `tools` of all formats: by `name`, below `function`, or as Gemini's lists of declarations.
fn tool_names(body: &Value) -> Vec<String> {
    let of_one = |tool: &Value| -> Vec<String> {
        let declared = list(&tool["functionDeclarations"]);
        let plain = [tool, &tool["function"]];
        let all = plain.into_iter().chain(declared);
        all.filter_map(|named| Some(named["name"].as_str()?.to_owned())).collect()
    };
    list(&body["tools"]).flat_map(of_one).collect()
}

fn wants_json(body: &Value) -> bool {
    body["text"]["format"]["type"] == "json_schema"
        || body["response_format"]["type"].as_str().is_some_and(|kind| kind.starts_with("json"))
        || body["generationConfig"]["responseMimeType"] == "application/json"
}

fn anthropic_turns(body: &Value) -> Vec<Turn> {
    let mut turns = Vec::new();
    for message in list(&body["messages"]) {
        let user = message["role"] == "user";
        if let Some(text) = message["content"].as_str() {
            turns.push(if user { Turn::User(text.into()) } else { Turn::Model(text.into()) });
            continue;
        }
        let blocks = || list(&message["content"]);
        let results = blocks().filter(|block| block["type"] == "tool_result");
        let results: Vec<Turn> = results.map(|block| Turn::Result(block["content"].to_string())).collect();
        let text = joined(blocks().filter_map(|block| block["text"].as_str()));
        if !results.is_empty() {
            turns.extend(results); // text next to results is a reminder of the tool, not the person's
        } else if user {
            turns.push(Turn::User(text));
        } else {
            turns.push(Turn::Model(text));
            let calls = blocks().filter(|block| block["type"] == "tool_use");
            turns.extend(calls.map(|block| Turn::Call(string(&block["name"]))));
        }
    }
    turns
}

fn responses_turns(body: &Value) -> Vec<Turn> {
    if let Some(text) = body["input"].as_str() {
        return vec![Turn::User(text.into())];
    }
    let turn = |item: &Value| {
        let kind = item["type"].as_str().unwrap_or("message");
        if kind.ends_with("call_output") {
            return Some(Turn::Result(item["output"].to_string()));
        }
        if kind.ends_with("_call") {
            return Some(Turn::Call(string(&item["name"])));
        }
        let text = joined(list(&item["content"]).filter_map(|part| part["text"].as_str()));
        match item["role"].as_str() {
            Some("user") => Some(Turn::User(text)),
            Some("assistant") => Some(Turn::Model(text)),
            _ => None,
        }
    };
    list(&body["input"]).filter_map(turn).collect()
}

fn chat_turns(body: &Value) -> Vec<Turn> {
    let mut turns = Vec::new();
    for message in list(&body["messages"]) {
        let content = &message["content"];
        let text = content
            .as_str()
            .map_or_else(|| joined(list(content).filter_map(|part| part["text"].as_str())), str::to_owned);
        match message["role"].as_str() {
            Some("user") => turns.push(Turn::User(text)),
            Some("tool") => turns.push(Turn::Result(text)),
            Some("assistant") => {
                turns.push(Turn::Model(text));
                let calls = list(&message["tool_calls"]);
                turns.extend(calls.map(|call| Turn::Call(string(&call["function"]["name"]))));
            }
            _ => {}
        }
    }
    turns
}

fn gemini_turns(body: &Value) -> Vec<Turn> {
    let mut turns = Vec::new();
    for content in list(&body["contents"]) {
        let parts = || list(&content["parts"]);
        let text = joined(parts().filter_map(|part| part["text"].as_str()));
        let results = parts().filter(|part| part["functionResponse"].is_object());
        let results: Vec<Turn> =
            results.map(|part| Turn::Result(part["functionResponse"]["response"].to_string())).collect();
        if !results.is_empty() {
            turns.extend(results);
        } else if content["role"] == "user" {
            turns.push(Turn::User(text));
        } else {
            turns.push(Turn::Model(text));
            let names = parts().filter_map(|part| part["functionCall"]["name"].as_str());
            turns.extend(names.map(|name| Turn::Call(name.into())));
        }
    }
    turns
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
