//! The words of a report: the window's own catalogues, so that both say the same.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;
use std::sync::LazyLock;

/// A language that a report can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename = "ReportLanguage")]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
    /// Japanese.
    #[serde(rename = "ja")]
    Japanese,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::English, Self::Chinese, Self::Japanese];

    /// Its tag.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
            Self::Japanese => "ja",
        }
    }

    /// The language with this tag.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }
}

macro_rules! catalogue {
    ($tag:literal) => {
        [
            include_str!(concat!("../../../ui/src/words/", $tag, "/overview.json")),
            include_str!(concat!("../../../ui/src/words/", $tag, "/reports.json")),
            include_str!(concat!("../../../ui/src/words/", $tag, "/status.json")),
            include_str!(concat!("../../../ui/src/words/", $tag, "/tasks.json")),
            include_str!(concat!("../../../ui/src/words/", $tag, "/units.json")),
        ]
    };
}

/// Tested below: a catalogue that cannot be read has no words.
fn read(texts: [&str; 5]) -> Vec<Value> {
    texts.iter().map(|text| serde_json::from_str(text).unwrap_or_default()).collect()
}

static ENGLISH: LazyLock<Vec<Value>> = LazyLock::new(|| read(catalogue!("en")));
static CHINESE: LazyLock<Vec<Value>> = LazyLock::new(|| read(catalogue!("zh-CN")));
static JAPANESE: LazyLock<Vec<Value>> = LazyLock::new(|| read(catalogue!("ja")));

/// A value for a slot of a message.
pub(crate) enum Slot<'a> {
    Text(&'a str),
    Number(f64),
}

/// The words of one language.
#[derive(Clone, Copy)]
pub(crate) struct Words(Language);

impl Words {
    pub(crate) fn new(language: Language) -> Self {
        Self(language)
    }

    /// The message at `path`, such as `report.files`, with its slots filled. The slot `count` chooses the form.
    pub(crate) fn say(self, path: &str, slots: &[(&str, Slot<'_>)]) -> String {
        let Some(message) = self.find(path) else { return path.to_owned() };
        let count = slots.iter().find_map(|(name, slot)| match slot {
            Slot::Number(number) if *name == "count" => Some(*number),
            _ => None,
        });
        let pattern = message.as_str().or_else(|| self.form(message, count)).unwrap_or(path);
        fill(pattern, slots)
    }

    /// A message without slots.
    pub(crate) fn word(self, path: &str) -> String {
        self.say(path, &[])
    }

    fn find(self, path: &str) -> Option<&'static Value> {
        let files: &'static [Value] = match self.0 {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
            Language::Japanese => &JAPANESE,
        };
        files.iter().find_map(|file| path.split('.').try_fold(file, |at, name| at.get(name)))
    }

    /// Of these languages, only English counts with two forms (CLDR).
    fn form(self, message: &'static Value, count: Option<f64>) -> Option<&'static str> {
        let one = self.0 == Language::English && count == Some(1.0);
        one.then(|| message.get("one")).flatten().or_else(|| message.get("other"))?.as_str()
    }

    /// Clauses of a sentence, one after the other.
    pub(crate) fn list(self, clauses: &[String]) -> String {
        clauses.join(&self.word("report.between"))
    }
}

fn fill(pattern: &str, slots: &[(&str, Slot<'_>)]) -> String {
    let mut filled = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, left) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(before);
        match slots.iter().find(|(known, _)| *known == name) {
            Some((_, Slot::Text(text))) => filled.push_str(text),
            Some((_, Slot::Number(value))) => filled.push_str(&number(*value)),
            None => filled.push('…'),
        }
        rest = left;
    }
    filled + rest
}

/// A number in groups of three, with at most two decimals: all three languages write it so.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{:.2}", value.abs());
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    match decimals.trim_end_matches('0') {
        "" => format!("{sign}{grouped}"),
        decimals => format!("{sign}{grouped}.{decimals}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_catalogue_is_read() {
        for language in Language::ALL {
            let words = Words::new(language);
            for path in ["report.tasks", "risk.tests_contradict", "status.completed", "proof.counts"] {
                assert_ne!(words.say(path, &[]), path, "{language:?}");
            }
            assert_eq!(Language::from_tag(language.tag()), Some(language));
        }
    }

    #[test]
    fn the_number_chooses_the_form() {
        let files =
            |language, count| Words::new(language).say("report.files", &[("count", Slot::Number(count))]);
        assert_eq!(files(Language::English, 1.0), "1 file changed");
        assert_eq!(files(Language::English, 1234.0), "1,234 files changed");
        assert_eq!(files(Language::Japanese, 1.0), "1 個のファイルを変更");
    }

    #[test]
    fn a_brace_in_a_value_stays_a_brace() {
        let said = fill("{a} and {b}", &[("a", Slot::Text("{b}")), ("b", Slot::Number(-1234.5))]);
        assert_eq!(said, "{b} and -1,234.5");
    }
}
