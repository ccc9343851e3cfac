//! Texts that the page cannot show: native dialogs, the tray, notifications. All others are in
//! `ui/src/words`.

use crate::platform;
use serde::Deserialize;

/// One language. A missing word fails the test below.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux can tell of a blank window"))]
pub(crate) struct Words {
    /// There is no display; for standard error.
    pub(crate) no_display: String,
    /// Windows lacks WebView2.
    #[cfg_attr(target_os = "linux", expect(dead_code, reason = "of Windows"))]
    pub(crate) no_web_view: String,
    /// Title of the dialog about a blank window.
    pub(crate) blank_title: String,
    /// What happened and what can be done.
    pub(crate) blank_text: String,
    /// Restart with the variable.
    pub(crate) blank_restart: String,
    /// Do nothing.
    pub(crate) blank_wait: String,
    /// Title of the dialog about a new command of an editor.
    pub(crate) editor_title: String,
    /// `{command}`.
    pub(crate) editor_text: String,
    /// Use the command.
    pub(crate) editor_use: String,
    /// Don’t.
    pub(crate) editor_cancel: String,
    /// Menu of the tray.
    pub(crate) tray_show: String,
    /// Menu of the tray: what is waiting.
    pub(crate) tray_needs_none: String,
    /// The same.
    pub(crate) tray_needs_one: String,
    /// The same; `{count}`.
    pub(crate) tray_needs: String,
    /// Menu of the tray; `{count}`.
    pub(crate) tray_running: String,
    /// Menu of the tray.
    pub(crate) tray_stop: String,
    /// Menu of the tray.
    pub(crate) tray_quit: String,
    /// What a click on a notification does.
    pub(crate) notify_open: String,
    /// `{agent}`, `{tool}`.
    pub(crate) notify_permission: String,
    /// A notification.
    pub(crate) notify_question: String,
    /// A notification.
    pub(crate) notify_menu: String,
    /// `{agent}`.
    pub(crate) notify_sign_in: String,
    /// A notification.
    pub(crate) notify_limit: String,
    /// `{agent}`.
    pub(crate) notify_usage_limit: String,
    /// A notification.
    pub(crate) notify_failed: String,
    /// A notification.
    pub(crate) notify_interrupted: String,
    pub(crate) notify_waits: String,
    /// A notification.
    pub(crate) notify_left_over: String,
    /// A notification.
    pub(crate) notify_finished: String,
    /// A notification.
    pub(crate) notify_finished_warnings: String,
    /// Many at once; `{count}`.
    pub(crate) notify_many_needs_you: String,
    /// Many at once; `{count}`.
    pub(crate) notify_many_failed: String,
    /// Many at once; `{count}`.
    pub(crate) notify_many_limit: String,
    /// Many at once; `{count}`.
    pub(crate) notify_many_finished: String,
    /// Between two names.
    pub(crate) list_separator: String,
    /// `{names}`, `{count}`.
    pub(crate) list_more: String,
}

/// Fills the slots of a sentence: `{name}`. Slots inside a value are not filled.
pub(crate) fn fill(sentence: &str, slots: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        filled.extend(slots.iter().filter(|(slot, _)| *slot == name).map(|(_, value)| *value));
        rest = after;
    }
    filled + rest
}

const LANGUAGES: [(&str, &str); 3] = [
    ("en", include_str!("../words/en.json")),
    ("zh", include_str!("../words/zh-CN.json")),
    ("ja", include_str!("../words/ja.json")),
];

/// Words for the chosen language (`system` follows the system), English if unavailable.
pub(crate) fn words(setting: &str) -> Words {
    let wanted =
        if setting == "system" { platform::locale().unwrap_or_default() } else { setting.to_owned() };
    let written = LANGUAGES.iter().find(|(id, _)| wanted.starts_with(id) && !is_traditional_chinese(&wanted));
    let found = written.unwrap_or(&LANGUAGES[0]);
    serde_json::from_str(found.1).unwrap_or_default()
}

/// Whether a locale is Chinese in traditional characters, which our Chinese words are not: `zh_TW.UTF-8`, `zh-Hant-HK`.
fn is_traditional_chinese(locale: &str) -> bool {
    let tag = locale.split(['.', '@']).next().unwrap_or_default();
    let mut parts = tag.split(['_', '-']);
    parts.next() == Some("zh")
        && !tag.contains("Hans")
        && parts.any(|part| ["Hant", "TW", "HK", "MO"].contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    fn slots(sentence: &str) -> Vec<&str> {
        let mut slots: Vec<&str> = sentence
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}'))
            .map(|(name, _)| name)
            .collect();
        slots.sort_unstable();
        slots
    }

    #[test]
    fn every_language_has_every_word_with_the_same_slots() {
        let english: Map<String, Value> = serde_json::from_str(LANGUAGES[0].1).expect("JSON");
        for (id, text) in LANGUAGES {
            let _: Words = serde_json::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
            let words: Map<String, Value> = serde_json::from_str(text).expect("JSON");
            for (name, sentence) in words {
                let sentence = sentence.as_str().expect("a text");
                assert!(!sentence.is_empty(), "{id} {name}");
                assert_eq!(slots(sentence), slots(english[&name].as_str().expect("a text")), "{id} {name}");
            }
        }
        assert_ne!(words("ja").blank_wait, words("en").blank_wait);
        assert_eq!(words("xx").blank_wait, words("en").blank_wait);
    }

    #[test]
    fn traditional_chinese_gets_english() {
        let [english, chinese] = ["en", "zh-CN"].map(|setting| words(setting).blank_wait);
        for (setting, expected) in [
            ("zh_CN.UTF-8", &chinese),
            ("zh_SG", &chinese),
            ("zh-Hans-HK", &chinese),
            ("zh_TW.UTF-8", &english),
            ("zh_HK", &english),
            ("zh-Hant", &english),
        ] {
            assert_eq!(&words(setting).blank_wait, expected, "{setting}");
        }
    }

    #[test]
    fn a_value_is_not_a_sentence() {
        assert_eq!(fill("{a} uses {b}.", &[("a", "{b}"), ("b", "x")]), "{b} uses x.");
        assert_eq!(fill("{unknown} and {open", &[]), " and ");
    }
}
