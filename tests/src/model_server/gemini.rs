//! Gemini generateContent, streamed and whole.

use super::conversation::Asked;
use super::http::Response;
use super::reply::{Call, Reply};
use super::sse;
use serde_json::{Value, json};

/// The answer: one object, as an event when the path asks for a stream.
pub(super) fn render(path: &str, asked: &Asked, reply: &Reply) -> Response {
    let part = match reply {
        Reply::Failure(status) => return failure(*status),
        // The tool itself asks for JSON, to choose the model for the turn.
        Reply::Text(text) if asked.wants_json && serde_json::from_str::<Value>(text).is_err() => {
            let choice = json!({
                "reasoning": "simple", "model_choice": "flash",
                "complexity_reasoning": "simple", "complexity_score": 1,
            });
            json!({ "text": choice.to_string() })
        }
        Reply::Text(text) => json!({ "text": text }),
        Reply::Call(Call { name, input }) => json!({ "functionCall": { "name": name, "args": input } }),
    };
    let answer = json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": [part] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120 },
        "modelVersion": asked.model,
    });
    if path.contains(":stream") {
        return Response::events(sse::unnamed(&[answer]));
    }
    Response::json(200, &answer)
}

fn failure(status: u16) -> Response {
    let kind = match status {
        401 => "UNAUTHENTICATED",
        429 => "RESOURCE_EXHAUSTED",
        _ => "UNAVAILABLE",
    };
    let error = json!({ "code": status, "message": Reply::failure_message(status), "status": kind });
    Response::json(status, &json!({ "error": error }))
}
