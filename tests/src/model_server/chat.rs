//! OpenAI chat completions.

use super::conversation::Asked;
use super::http::Response;
use super::reply::{Call, Reply};
use super::{responses, sse};
use serde_json::{Value, json};

/// The answer, as unnamed chunks or as one object.
pub(super) fn render(asked: &Asked, reply: &Reply) -> Response {
    let (message, finish) = match reply {
        Reply::Failure(status) => return responses::failure(*status),
        Reply::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Reply::Call(Call { name, input }) => {
            let call = json!({
                "index": 0, "id": format!("call_{}", asked.turns.len()), "type": "function",
                "function": { "name": name, "arguments": input.to_string() },
            });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
    };
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 });
    if !asked.stream {
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        return Response::json(200, &object(asked, "chat.completion", &json!([choice]), &usage));
    }
    let chunk = |choices: Value, usage: &Value| object(asked, "chat.completion.chunk", &choices, usage);
    let mut text = sse::unnamed(&[
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }]), &Value::Null),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish }]), &Value::Null),
        chunk(json!([]), &usage),
    ]);
    text.push_str("data: [DONE]\n\n");
    Response::events(text)
}

fn object(asked: &Asked, kind: &str, choices: &Value, usage: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", asked.turns.len()), "object": kind, "created": 1_700_000_000,
        "model": asked.model, "choices": choices, "usage": usage,
    })
}
