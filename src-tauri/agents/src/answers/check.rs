//! Reading members of an answer and recording errors.

use super::{AnswerError, AnswerErrorCode, LONGEST_PROSE, MOST_FILES, WorkStatus, paths};
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;

/// Errors of one answer.
#[derive(Default)]
pub(super) struct Check {
    pub(super) errors: Vec<AnswerError>,
    pub(super) dropped: Vec<AnswerError>,
}

/// `tasks[2].id`
pub(super) fn at(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

impl Check {
    pub(super) fn wrong(&mut self, code: AnswerErrorCode, place: impl Into<String>, found: &str) {
        if self.errors.len() < 20 {
            self.errors.push(AnswerError::new(code, place, found));
        }
    }

    /// Prose: a string, or any other value as text. Absent and null are empty.
    pub(super) fn prose(node: &Node<'_>, key: &str) -> String {
        Self::text(node, key, LONGEST_PROSE)
    }

    /// Prose with another limit, in characters.
    pub(super) fn text(node: &Node<'_>, key: &str, limit: usize) -> String {
        match &node.get(key).value {
            Value::List(items) => {
                let lines: Vec<String> = items.iter().filter_map(|item| item.shown(limit)).collect();
                shorten(lines.join("\n").trim(), limit)
            }
            _ => shorten(node.get(key).shown(limit).unwrap_or_default().trim(), limit),
        }
    }

    /// Prose that is required.
    pub(super) fn required(&mut self, node: &Node<'_>, place: &str, key: &str) -> String {
        let text = Self::prose(node, key);
        if text.is_empty() {
            self.wrong(AnswerErrorCode::Missing, at(place, key), "");
        }
        text
    }

    /// Optional prose; words for "nothing" count as nothing.
    pub(super) fn optional(node: &Node<'_>, key: &str) -> Option<String> {
        let nothing =
            |text: &str| ["null", "none", "n/a", "-"].iter().any(|no| text.eq_ignore_ascii_case(no));
        Some(Self::prose(node, key)).filter(|text| !text.is_empty() && !nothing(text))
    }

    /// True or false; absent and null are false.
    pub(super) fn flag(&mut self, node: &Node<'_>, key: &str) -> bool {
        self.optional_flag(node, key).unwrap_or_default()
    }

    /// True, false, or absent.
    pub(super) fn optional_flag(&mut self, node: &Node<'_>, key: &str) -> Option<bool> {
        let value = node.get(key);
        if !value.is_null() && value.flag().is_none() {
            self.wrong(AnswerErrorCode::WrongType, key, &value.json(None, 100));
        }
        value.flag()
    }

    /// The items of a list; absent and null are empty, one object or string is a list of one.
    pub(super) fn list<'n, 't>(
        &mut self,
        node: &'n Node<'t>,
        place: &str,
        key: &str,
        most: usize,
    ) -> &'n [Node<'t>] {
        let value = node.get(key);
        let items = match &value.value {
            Value::List(items) => items.as_slice(),
            Value::Null => &[],
            Value::Object(_) | Value::Text(_) => std::slice::from_ref(value),
            Value::Bool(_) | Value::Number(_) => {
                self.wrong(AnswerErrorCode::WrongType, at(place, key), &value.json(None, 100));
                &[]
            }
        };
        if items.len() > most {
            self.wrong(
                AnswerErrorCode::TooMany,
                at(place, key),
                &format!("{} of at most {most}", items.len()),
            );
            return &items[..most];
        }
        items
    }

    /// Relative paths, each once; others are left out and recorded.
    pub(super) fn files(&mut self, node: &Node<'_>, place: &str, key: &str) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for (index, item) in self.list(node, place, key, MOST_FILES).iter().enumerate() {
            let named = item.text().or_else(|| item.get("path").text()).unwrap_or_default();
            match paths::relative_path(named) {
                Ok(path) if files.contains(&path) => {}
                Ok(path) => files.push(path),
                Err(code) => {
                    let place = format!("{}[{index}]", at(place, key));
                    self.dropped.push(AnswerError::new(code, place, named));
                }
            }
        }
        files
    }

    /// `completed`, `failed`, `needs_input`, and the variants of skills and others.
    pub(super) fn status(&mut self, node: &Node<'_>) -> WorkStatus {
        let written = Self::prose(node, "status");
        let word = written.to_lowercase().replace([' ', '-'], "_");
        match work_status(&word) {
            Some(status) => status,
            None if word.is_empty() => {
                self.wrong(AnswerErrorCode::Missing, "status", "");
                WorkStatus::Failed
            }
            None => {
                self.wrong(AnswerErrorCode::UnknownWord, "status", &written);
                WorkStatus::Failed
            }
        }
    }
}

/// Status words of agents and skills.
pub(super) fn work_status(word: &str) -> Option<WorkStatus> {
    Some(match word {
        "completed" | "complete" | "success" | "succeeded" | "done" | "ok" => WorkStatus::Completed,
        "failed" | "failure" | "error" | "blocked" | "partial" | "inconclusive" | "needs_fix" => {
            WorkStatus::Failed
        }
        "needs_input" | "needs_more_info" | "waiting_input" => WorkStatus::NeedsInput,
        _ => return None,
    })
}
