//! OpenAI responses.

use super::conversation::Asked;
use super::http::Response;
use super::reply::{Call, Reply};
use super::sse;
use serde_json::json;

/// The answer as named events; this format is always streamed here.
pub(super) fn render(asked: &Asked, reply: &Reply) -> Response {
    let number = asked.turns.len();
    let item = match reply {
        Reply::Failure(status) => return failure(*status),
        Reply::Text(text) => json!({
            "type": "message", "role": "assistant", "id": format!("msg_{number}"),
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Reply::Call(Call { name, input }) => json!({
            "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
            "name": name, "arguments": input.to_string(),
        }),
    };
    let reasoning = json!({
        "type": "reasoning", "id": format!("rs_{number}"),
        "summary": [{ "type": "summary_text", "text": "Deciding by the script." }],
    });
    let id = format!("resp_{number}");
    let usage = json!({
        "input_tokens": 100, "input_tokens_details": { "cached_tokens": 10 },
        "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 5 }, "total_tokens": 120,
    });
    Response::events(sse::named(&[
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
        json!({ "type": "response.output_item.done", "output_index": 1, "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "output": [], "usage": usage } }),
    ]))
}

/// The error body that both OpenAI formats share.
pub(super) fn failure(status: u16) -> Response {
    let code = match status {
        401 => "invalid_api_key",
        429 => "rate_limit_exceeded",
        _ => "server_error",
    };
    let error =
        json!({ "message": Reply::failure_message(status), "type": "error", "param": null, "code": code });
    Response::json(status, &json!({ "error": error }))
}
