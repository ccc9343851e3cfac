//! Anthropic messages.

use super::conversation::Asked;
use super::http::Response;
use super::reply::{Call, Reply};
use super::sse;
use serde_json::{Value, json};

/// The answer, as named events or as one object.
pub(super) fn render(asked: &Asked, reply: &Reply) -> Response {
    let (block, stop) = match reply {
        Reply::Failure(status) => return failure(*status),
        Reply::Text(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Reply::Call(Call { name, input }) => {
            let id = format!("toolu_loopdeck_{}", asked.turns.len());
            (json!({ "type": "tool_use", "id": id, "name": name, "input": input }), "tool_use")
        }
    };
    let mut message = json!({
        "id": format!("msg_loopdeck_{}", asked.turns.len()), "type": "message", "role": "assistant",
        "model": asked.model, "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": { "input_tokens": 100, "output_tokens": 1 },
    });
    if asked.stream {
        return Response::events(sse::named(&events(&message, &block, stop)));
    }
    message["content"] = json!([block]);
    message["stop_reason"] = stop.into();
    message["usage"]["output_tokens"] = 20.into();
    Response::json(200, &message)
}

fn events(message: &Value, block: &Value, stop: &str) -> Vec<Value> {
    let (start, delta) = if block["type"] == "text" {
        (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": block["text"] }))
    } else {
        let mut start = block.clone();
        start["input"] = json!({});
        (start, json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }))
    };
    vec![
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": start }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null },
            "usage": { "output_tokens": 20 },
        }),
        json!({ "type": "message_stop" }),
    ]
}

fn failure(status: u16) -> Response {
    let kind = match status {
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let error = json!({ "type": kind, "message": Reply::failure_message(status) });
    Response::json(status, &json!({ "type": "error", "error": error }))
}
