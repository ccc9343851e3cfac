//! Lines for a Claude that takes requests on stdin (`--input-format stream-json`). Its replies arrive as
//! [`super::event::AgentEvent`]s: `PermissionRequest`, `PermissionWithdrawn`, `ControlAnswer`.
//!
//! Only the id pairs a request with its answer. An unanswered request dies with the process: a denial, never
//! consent.

use loopdeck_text::json_span::tree::{Node, quote};

/// A person's message as one line, including its end. Another one after the final event starts another turn.
#[must_use]
pub fn user_line(text: &str) -> String {
    let content = format!(r#"[{{"type":"text","text":{}}}]"#, quote(text));
    format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":{content}}}}}\n")
}

/// Asks for the current turn to be interrupted; `id` comes back in the answer.
#[must_use]
pub fn interrupt_line(id: &str) -> String {
    let id = quote(id);
    format!(
        "{{\"type\":\"control_request\",\"request_id\":{id},\"request\":{{\"subtype\":\"interrupt\"}}}}\n"
    )
}

/// Allows a tool. `input` is the JSON text it runs with: [`super::event::PermissionRequest::exact_input`], or
/// a person's version of it. `always` are the request's own suggestions, sent back only when a person ticked
/// "always": they can become permanent rules. `None` when one of them is not JSON on one line.
#[must_use]
pub fn allow_line(id: &str, input: &str, always: Option<&str>) -> Option<String> {
    let one_line = |json: &str| !json.contains(['\n', '\r']);
    let object = input.starts_with('{') && Node::parse(input.as_bytes()).is_ok();
    if !object || !one_line(input) {
        return None;
    }
    let rules = match always {
        None => String::new(),
        Some(rules) if rules.starts_with('[') && one_line(rules) && Node::parse(rules.as_bytes()).is_ok() => {
            format!(",\"updatedPermissions\":{rules}")
        }
        Some(_) => return None,
    };
    Some(answer(id, &format!("{{\"behavior\":\"allow\",\"updatedInput\":{input}{rules}}}")))
}

/// Denies a tool; the model reads `message` and continues.
#[must_use]
pub fn deny_line(id: &str, message: &str) -> String {
    answer(id, &format!("{{\"behavior\":\"deny\",\"message\":{}}}", quote(message)))
}

fn answer(id: &str, response: &str) -> String {
    let response =
        format!("{{\"subtype\":\"success\",\"request_id\":{},\"response\":{response}}}", quote(id));
    format!("{{\"type\":\"control_response\",\"response\":{response}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line, valid JSON.
    fn value(line: &str) -> serde_json::Value {
        assert_eq!(line.find('\n'), Some(line.len() - 1), "{line}");
        serde_json::from_str(line).expect("JSON")
    }

    #[test]
    fn every_line_is_one_line_of_json() {
        let said = "line 1\nline \"2\" \u{2028}";
        assert_eq!(value(&user_line(said))["message"]["content"][0]["text"], said);
        assert_eq!(value(&interrupt_line("r\"1"))["request_id"], "r\"1");
        let deny = value(&deny_line("q", said));
        assert_eq!(deny["response"]["response"]["message"], said);
        assert_eq!(deny["response"]["response"]["behavior"], "deny");
        assert_eq!(deny["response"]["request_id"], "q");
    }

    #[test]
    fn what_is_allowed_is_what_was_asked_byte_by_byte() {
        let input = r#"{"b":1.0,"a":"\ud83d","b":12345678901234567890123}"#;
        let line = allow_line("q", input, None).expect("allowed");
        assert!(line.contains(&format!(r#""updatedInput":{input}}}"#)), "{line}");
        assert!(!line.contains("updatedPermissions"));
        let always = allow_line("q", "{}", Some("[1]")).expect("allowed");
        assert_eq!(value(&always)["response"]["response"]["updatedPermissions"], serde_json::json!([1]));
    }

    #[test]
    fn nothing_but_one_object_on_one_line_is_an_input() {
        for bad in ["", "[]", "{\n}", "{}{}", "{}, \"behavior\": \"allow\""] {
            assert_eq!(allow_line("q", bad, None), None, "{bad:?}");
        }
        assert_eq!(allow_line("q", "{}", Some("[")), None);
    }
}
