//! Events as text.

use serde_json::Value;

/// Named events: `event: NAME`, `data: {…}`; the name is the object's `type`.
pub(super) fn named(events: &[Value]) -> String {
    let one =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(one).collect()
}

/// Unnamed events: `data: {…}`.
pub(super) fn unnamed(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}
