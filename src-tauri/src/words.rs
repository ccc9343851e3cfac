//! Words of native dialogs, which the page cannot show. Everything else has its words in `ui/src/words`.

use serde::Deserialize;

/// One language. A missing word fails the test below.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    /// Title of the dialog about a blank window.
    pub(crate) blank_title: String,
    /// What happened and what can be done.
    pub(crate) blank_text: String,
    /// Restart with the variable.
    pub(crate) blank_restart: String,
    /// Do nothing.
    pub(crate) blank_wait: String,
}

const LANGUAGES: [(&str, &str); 3] = [
    ("en", include_str!("../words/en.json")),
    ("zh", include_str!("../words/zh-CN.json")),
    ("ja", include_str!("../words/ja.json")),
];

/// Words for the chosen language (`system` follows the environment), English when there is none.
pub(crate) fn words(setting: &str) -> Words {
    let system = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| std::env::var(name).ok());
    let wanted = if setting == "system" { system.unwrap_or_default() } else { setting.to_owned() };
    let found = LANGUAGES.iter().find(|(id, _)| wanted.starts_with(id)).unwrap_or(&LANGUAGES[0]);
    serde_json::from_str(found.1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_word() {
        for (id, text) in LANGUAGES {
            let words: Words = serde_json::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
            for word in [words.blank_title, words.blank_text, words.blank_restart, words.blank_wait] {
                assert!(!word.is_empty(), "{id}");
            }
        }
        assert_ne!(words("ja").blank_wait, words("en").blank_wait);
        assert_eq!(words("xx").blank_wait, words("en").blank_wait);
    }
}
