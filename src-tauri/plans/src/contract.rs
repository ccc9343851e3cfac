//! Whether a state file follows the contract that any viewer can show (`docs/spec/loop-contract.md`).
//!
//! The fields may be in a JSON object, in front matter, or in a comment `<!-- loop: status=running iteration=3 … -->`.

use crate::front_matter::FrontMatter;
use crate::json::{Json, word};
use crate::moment::moment;
use loopdeck_text::markdown::Document;

/// What of the contract a file doesn't follow. The names are stable: scripts use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContractFault {
    /// It has no fields in any of the three forms.
    NoFields,
    /// Its `status` isn't there, or is no word of the contract (`found`).
    Status,
    /// Its `iteration` isn't there, or no number of 0 or more (`found`).
    Iteration,
    /// Its `limit` (or `max`) isn't there, or no number of 1 or more (`found`).
    Limit,
    /// It is paused, stopped or failed, and has no `reason`.
    Reason,
    /// It runs, and its `owner` isn't there.
    Owner,
    /// It runs, and its `heartbeat` isn't there, or no time in UTC (`found`).
    Heartbeat,
    /// Its `session` is there and empty: any other one takes it over.
    Session,
}

impl ContractFault {
    /// Whether a viewer can't show, pause or stop the loop because of it. The others only lessen what it can conclude.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::NoFields | Self::Status | Self::Iteration | Self::Limit)
    }

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoFields => "C0_no_fields",
            Self::Status => "C1_status",
            Self::Iteration => "C2_iteration",
            Self::Limit => "C3_limit",
            Self::Reason => "C4_reason",
            Self::Owner => "C5_owner",
            Self::Heartbeat => "C6_heartbeat",
            Self::Session => "C7_session",
        }
    }
}

const WORDS: [&str; 6] = ["pending", "running", "paused", "stopped", "failed", "completed"];

/// What of the contract a file doesn't follow, each with what is there instead; `""` for nothing.
#[must_use]
pub fn contract_faults(bytes: &[u8]) -> Vec<(ContractFault, String)> {
    use ContractFault as Fault;
    let fields = fields(bytes);
    if fields.is_empty() {
        return vec![(Fault::NoFields, String::new())];
    }
    let value = |name: &str| {
        let field = fields.iter().rev().find(|(key, _)| key == name);
        field.map(|(_, value)| value.trim().to_owned())
    };
    let text = |name: &str| value(name).unwrap_or_default();
    let number = |text: &str| text.parse::<u64>().ok();
    let (status, iteration, heartbeat) = (text("status"), text("iteration"), text("heartbeat"));
    let limit = value("limit").unwrap_or_else(|| text("max"));
    let runs = status == "running";
    let rests = matches!(status.as_str(), "paused" | "stopped" | "failed");
    let is_utc = moment(&heartbeat).is_some() && heartbeat.ends_with(['Z', 'z']);
    let checks = [
        (Fault::Status, WORDS.contains(&status.as_str()), status.clone()),
        (Fault::Iteration, number(&iteration).is_some(), iteration),
        (Fault::Limit, number(&limit).is_some_and(|limit| limit > 0), limit),
        (Fault::Reason, !rests || !text("reason").is_empty(), String::new()),
        (Fault::Owner, !runs || !text("owner").is_empty(), String::new()),
        (Fault::Heartbeat, !runs || is_utc, heartbeat),
        (Fault::Session, value("session").is_none_or(|session| !session.is_empty()), String::new()),
    ];
    checks.into_iter().filter(|(_, holds, _)| !holds).map(|(fault, _, found)| (fault, found)).collect()
}

/// The fields of a file, in whichever form it has them.
fn fields(bytes: &[u8]) -> Vec<(String, String)> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    if let Some(front) = FrontMatter::read(text) {
        return front.fields().map(|(key, _)| owned((key, front.value(key).unwrap_or_default()))).collect();
    }
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        let Ok(json) = Json::read(bytes) else { return Vec::new() };
        let written = |node: &loopdeck_text::json_span::tree::Node<'_>| {
            // An owner may be an object: that it is there is what counts.
            if node.fields().is_empty() { word(node) } else { "{}".to_owned() }
        };
        return json.root().fields().iter().map(|(key, node)| owned((key, &written(node)))).collect();
    }
    let comments = Document::read(text).comments;
    let inner =
        comments.iter().filter_map(|comment| text[comment.clone()].trim_start().strip_prefix("loop:"));
    inner.flat_map(str::split_whitespace).filter_map(|word| word.split_once('=')).map(owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        contract_faults(text.as_bytes()).into_iter().map(|(fault, _)| fault.name()).collect()
    }

    #[test]
    fn each_form_is_read() {
        let running = "owner: {h}\nheartbeat: 2026-06-01T10:00:00Z\nsession: s";
        for text in [
            format!("---\nstatus: running\niteration: 3\nlimit: 9\n{running}\n---\nWork.\n"),
            r#"{"status": "running", "iteration": 3, "limit": 9, "owner": {"host": "h"}, "heartbeat": "2026-06-01T10:00:00Z"}"#.to_owned(),
            "# List\n<!-- loop: status=pending iteration=0 max=9 -->\n- [ ] a\n".to_owned(),
        ] {
            assert!(names(&text).is_empty(), "{text}: {:?}", names(&text));
        }
        for text in ["", "# Only text", "[1, 2]", "{", "\u{0}"] {
            assert_eq!(names(text), ["C0_no_fields"], "{text:?}");
        }
    }

    #[test]
    fn each_rule_can_be_broken() {
        let with = |field: &str, value: &str| {
            let mut lines = [
                ("status", "running"),
                ("iteration", "3"),
                ("limit", "9"),
                ("owner", "h 1"),
                ("heartbeat", "2026-06-01T10:00:00Z"),
                ("session", "s"),
            ];
            lines.iter_mut().filter(|(key, _)| *key == field).for_each(|line| line.1 = value);
            let text: String = lines.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
            names(&format!("---\n{text}---\n"))
        };
        assert!(with("", "").is_empty());
        for (field, value, expected) in [
            ("status", "busy", vec!["C1_status"]),
            ("status", "paused", vec!["C4_reason"]),
            ("iteration", "-1", vec!["C2_iteration"]),
            ("limit", "0", vec!["C3_limit"]),
            ("limit", "", vec!["C3_limit"]),
            ("owner", "", vec!["C5_owner"]),
            ("heartbeat", "2026-06-01T10:00:00+02:00", vec!["C6_heartbeat"]),
            ("heartbeat", "now", vec!["C6_heartbeat"]),
            ("session", "", vec!["C7_session"]),
        ] {
            assert_eq!(with(field, value), expected, "{field}: {value}");
        }
    }
}
