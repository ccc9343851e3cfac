//! What the model does in one answer, independent of wire formats.

use super::conversation::Asked;
use serde_json::Value;

/// The schema tool of Claude Code, as every model of this server knows it.
const SCHEMA_TOOL: &str = "StructuredOutput";

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    /// Words, and the turn is over.
    Text(String),
    /// A tool call that waits for its result.
    Call(Call),
    /// An error with this HTTP status.
    Failure(u16),
}

/// One call of a tool in its own format.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Value,
}

impl Reply {
    /// The last word, in the shape that the request requires.
    pub(super) fn last_word(answer: &str, asked: &Asked) -> Self {
        let block = json_block(answer);
        if let Some(input) =
            block.clone().filter(|_| asked.offers(SCHEMA_TOOL) && asked.last_tool() != Some(SCHEMA_TOOL))
        {
            return Self::Call(Call { name: SCHEMA_TOOL.into(), input });
        }
        if let Some(block) = block.filter(|_| asked.wants_json) {
            return Self::Text(block.to_string());
        }
        Self::Text(answer.to_owned())
    }

    /// For the recording.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Text(_) => "text".into(),
            Self::Call(call) => format!("tool {}", call.name),
            Self::Failure(_) => "error".into(),
        }
    }

    /// The message of a failure.
    pub(super) fn failure_message(status: u16) -> &'static str {
        match status {
            401 => "invalid credentials (loopback)",
            429 => "rate limit reached (loopback)",
            529 => "overloaded (loopback)",
            _ => "the loopback server was asked to fail",
        }
    }
}

/// The last block between ```` ```json ```` and ```` ``` ````.
fn json_block(answer: &str) -> Option<Value> {
    let (_, rest) = answer.rsplit_once("```json")?;
    let (block, _) = rest.split_once("```")?;
    serde_json::from_str(block).ok()
}
