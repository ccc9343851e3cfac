//! What several formats tell alike: fields of a JSON object as facts under their own names, texts as they are shown, words of steps,
//! names in commands.

use crate::json::word;
use crate::plan::{Fact, FactValue, ItemState};
use loopdeck_text::json_span::tree::Node;
use std::collections::HashSet;

/// Most characters of a text that are shown.
const MOST_SHOWN: usize = 2_000;

/// A word, an id, a name.
pub(crate) fn code(node: &Node<'_>, name: &'static str) -> Option<Fact> {
    some(node.get(name)).map(|code| Fact { name, value: FactValue::Code(code) })
}

/// Prose.
pub(crate) fn text(node: &Node<'_>, name: &'static str) -> Option<Fact> {
    some(node.get(name)).map(|text| Fact { name, value: FactValue::Text(text) })
}

/// A point in time.
pub(crate) fn time(node: &Node<'_>, name: &'static str) -> Option<Fact> {
    some(node.get(name)).map(|time| Fact { name, value: FactValue::Time(time) })
}

/// A count, unless it is 0.
pub(crate) fn number(node: &Node<'_>, name: &'static str) -> Option<Fact> {
    let number = node.get(name).lenient_number().filter(|number| *number != 0.0)?;
    Some(Fact { name, value: FactValue::Number(number) })
}

/// Several texts, unless there are none.
pub(crate) fn list(name: &'static str, texts: Vec<String>) -> Option<Fact> {
    (!texts.is_empty()).then_some(Fact { name, value: FactValue::List(texts) })
}

/// The text of a value, unless it is empty.
pub(crate) fn some(node: &Node<'_>) -> Option<String> {
    Some(shown(&word(node))).filter(|text| !text.is_empty())
}

/// A text as a terminal shows it, without other control characters, cut to what is read.
pub(crate) fn shown(text: &str) -> String {
    let is_shown = |letter: &char| !letter.is_control() || matches!(letter, '\n' | '\t');
    let plain: String = loopdeck_text::plain(text).chars().filter(is_shown).collect();
    loopdeck_text::shorten(plain.trim(), MOST_SHOWN)
}

/// What the words mean that runners of workflows have for their steps.
pub(crate) fn step_state(word: &str) -> ItemState {
    match word {
        "pending" | "" => ItemState::Open,
        "running" => ItemState::Active,
        "completed" => ItemState::Done,
        "failed" => ItemState::Failed,
        "skipped" => ItemState::Dropped,
        "paused" => ItemState::Blocked,
        _ => ItemState::Unknown,
    }
}

/// Each text once, where it comes first.
pub(crate) fn unique(mut texts: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

/// Whether a name of a file can be a word of a command or the name of a folder as it is: no option, no way out, nothing of a shell.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    begins && name.len() <= 100 && name.bytes().all(is_plain) && !name.contains("..") && !name.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::is_plain_name;

    #[test]
    fn a_plain_name_is_no_option_no_path_and_nothing_of_a_shell() {
        for name in ["a", "01-one", "2.1", "a_b", &"a".repeat(100)] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in ["", "-a", ".a", "a.", "a..b", "a/b", "a\\b", "a b", "$(a)", "a;b", "é", &"a".repeat(101)]
        {
            assert!(!is_plain_name(name), "{name}");
        }
    }
}
