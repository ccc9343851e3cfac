//! The prompt, with its action and task.

use crate::hardened::KEPT_PROMPT;
use serde_json::Value;
use std::env;
use std::io::{self, Read as _};

/// A prompt.
pub(crate) struct Prompt {
    #[cfg_attr(not(unix), expect(dead_code, reason = "for a second start, which ignores signals"))]
    pub(crate) text: String,
    /// `init`, `develop`, `debug`.
    pub(crate) action: Option<String>,
    /// Id of the task.
    pub(crate) task: Option<String>,
    /// Whether more lines will come on standard input.
    pub(crate) open: bool,
}

impl Prompt {
    /// Reads the prompt from standard input: all of it, or the first line if the input is JSON lines.
    pub(crate) fn take(arguments: &[String]) -> Self {
        let open = arguments.windows(2).any(|pair| pair == ["--input-format", "stream-json"]);
        let text = match env::var(KEPT_PROMPT) {
            Ok(kept) => kept,
            Err(_) if open => first_line(),
            Err(_) => whole(),
        };
        let action = word_after(&text, "You do one action of a loop: ").map(|word| word.to_lowercase());
        let task = word_after(&text, "\nTask ");
        let or = |found: Option<String>, name: &str| {
            found.or_else(|| env::var(name).ok().filter(|value| !value.is_empty()))
        };
        Self { action: or(action, "LOOPDECK_ACTION"), task: or(task, "LOOPDECK_TASK_ID"), text, open }
    }
}

fn whole() -> String {
    let mut bytes = Vec::new();
    let _ = io::stdin().read_to_end(&mut bytes); // a shell agent gets none
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text of a line `{"type":"user","message":{"content":[{"type":"text","text":…}]}}`.
fn first_line() -> String {
    let mut line = String::new();
    let _ = io::stdin().read_line(&mut line); // an end without a line is an empty prompt
    let value: Value = serde_json::from_str(&line).unwrap_or_default();
    let content = &value["message"]["content"];
    content[0]["text"].as_str().or(content.as_str()).unwrap_or_default().to_owned()
}

/// The word after `mark`, up to a blank or a full stop.
fn word_after(text: &str, mark: &str) -> Option<String> {
    let (_, rest) = text.split_once(mark)?;
    let word = rest.split([' ', '.', ':', '\n']).next()?;
    Some(word.to_owned()).filter(|word| !word.is_empty())
}
