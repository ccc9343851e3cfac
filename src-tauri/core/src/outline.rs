//! The outline of a loop: what a row shows of it, and no other text.
//!
//! Ids, status words, numbers and times of a state file stay, its title too; every other text becomes [`LEFT_OUT`]. So an
//! outline has the same row, progress and graph as its file, and tells nothing of what is worked on.

use loopdeck_text::shorten;
use std::borrow::Cow;

/// In the place of a text.
pub(crate) const LEFT_OUT: &str = "…";
/// The longest word that stays.
const LONGEST_WORD: usize = 64;
/// The longest title or reason: no row shows more.
const LONGEST_LINE: usize = 200;

/// Fields of any format whose words stay; so do those of lists under these names.
const WORDS: [&str; 41] = [
    "action",
    "atom",
    "children",
    "choices",
    "completed_actions",
    "completed_at",
    "confirmed_hypothesis",
    "created_at",
    "current_action",
    "decomposed_from",
    "depends_on",
    "ended_at",
    "hid",
    "id",
    "kind",
    "last_action",
    "last_updated",
    "likelihood",
    "loop_id",
    "merged_at",
    "mode",
    "on_error",
    "on_failure",
    "or_group",
    "order",
    "outcome",
    "parent",
    "phase",
    "priority",
    "role",
    "selected",
    "started_at",
    "status",
    "task_id",
    "timestamp",
    "tool",
    "ts",
    "type",
    "updated_at",
    "verdict",
    "workers_completed",
];
/// Fields that a row shows as they are.
const LINES: [&str; 4] = ["title", "failure_reason", "stop_reason", "tags"];

/// What stays of the text of the field `name`.
pub(crate) fn kept<'a>(name: &str, text: &'a str) -> Cow<'a, str> {
    if LINES.contains(&name) {
        return Cow::Owned(line(text));
    }
    let is_word = text.len() <= LONGEST_WORD
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:+-".contains(&byte));
    if text.trim().is_empty() || (is_word && WORDS.contains(&name)) {
        return Cow::Borrowed(text);
    }
    Cow::Borrowed(LEFT_OUT)
}

/// The first line of a text, as long as a row shows it.
pub(crate) fn line(text: &str) -> String {
    shorten(text.trim().lines().next().unwrap_or_default(), LONGEST_LINE)
}
