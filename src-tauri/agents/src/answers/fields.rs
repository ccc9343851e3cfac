//! Members that several kinds of answers have.

use super::AnswerErrorCode as E;
use super::check::Check;
use super::{WorkStatus, is_id};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;
use std::collections::BTreeSet;

pub(crate) const STATUSES: [&str; 4] = ["pending", "confirmed", "rejected", "inconclusive"];

const ACTIONS: [&str; 5] = ["init", "develop", "debug", "validate", "complete"];

pub(crate) fn id_ok(check: &mut Check, place: &str, id: &str, ids: &mut BTreeSet<String>) {
    if !is_id(id) {
        check.wrong(E::BadId, place, id);
    } else if !ids.insert(id.to_owned()) {
        check.wrong(E::RepeatedId, place, id);
    }
}

/// What was done; optional when the agent is waiting for a person.
pub(crate) fn summary(check: &mut Check, node: &Node<'_>, needs: Option<&str>) -> String {
    match needs {
        Some(asked) => {
            Some(Check::prose(node, "summary")).filter(|text| !text.is_empty()).unwrap_or(asked.to_owned())
        }
        None => check.required(node, "", "summary"),
    }
}

/// The question; an agent that needs something has to say what.
pub(crate) fn needs(check: &mut Check, node: &Node<'_>, status: WorkStatus) -> Option<String> {
    let asked = Check::optional(node, "needs");
    match status {
        WorkStatus::NeedsInput => {
            let asked = asked.or_else(|| Check::optional(node, "summary"));
            if asked.is_none() {
                check.wrong(E::Missing, "needs", "");
            }
            asked
        }
        // A finished agent needs nothing, whatever this says.
        WorkStatus::Completed | WorkStatus::Failed => None,
    }
}

/// The value unchanged, or its start as text.
pub(crate) fn bounded(node: &Node<'_>, most: usize) -> Json {
    match &node.value {
        Value::Text(text) if text.trim().is_empty() => Json::Null,
        Value::Text(text) => Json::text(shorten(text, most)),
        _ => {
            let json = Json::from_node(node);
            let text = json.compact();
            if text.chars().count() > most { Json::text(shorten(&text, most)) } else { json }
        }
    }
}

/// An action by its first word: `develop (if tests fail)` (the CCW contract §8).
pub(crate) fn action(node: &Node<'_>, key: &str) -> Option<String> {
    action_of(&Check::prose(node, key))
}

pub(crate) fn action_of(text: &str) -> Option<String> {
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty())?.to_lowercase();
    ACTIONS.contains(&word.as_str()).then_some(word)
}
