//! Texts that look like secrets: keys of services and of a team, and the passwords of addresses.

use super::MASK;
use std::borrow::Cow;

/// Beginnings of keys that services give out, of the signed claims in which they are sent, and of the seeds of NATS.
const KEYS: [&str; 13] = [
    "sk-ant-",
    "sk-proj-",
    "sk-",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "AKIA",
    "AIza",
    "eyJ",
    "SUA",
    "SAA",
    "SOA",
];
/// So many characters follow the beginning of a real key.
const KEY_LENGTH: usize = 16;

/// `text` without them.
pub(super) fn hide_shapes(text: String) -> String {
    let text = kept_or_new(hide_logins(&text)).unwrap_or(text);
    kept_or_new(hide_keys(&text)).unwrap_or(text)
}

fn kept_or_new(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(hidden) => Some(hidden),
        Cow::Borrowed(_) => None,
    }
}

/// Replaces the name and password of an address: `https://ana:secret@host`.
fn hide_logins(text: &str) -> Cow<'_, str> {
    const SCHEME: &str = "://";
    let mut hidden = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(SCHEME) {
        let (before, after) = rest.split_at(at + SCHEME.len());
        let ends = |character: char| character.is_whitespace() || "/?#\"'<>".contains(character);
        let authority = &after[..after.find(ends).unwrap_or(after.len())];
        hidden.push_str(before);
        rest = after;
        // Everybody's name for a repository is no secret.
        if let Some(login) = authority.rfind('@').filter(|login| authority[..*login] != *"git") {
            hidden.push_str(MASK);
            rest = &after[login..];
        }
    }
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    hidden.push_str(rest);
    Cow::Owned(hidden)
}

/// Replaces what looks like a key of a service.
fn hide_keys(text: &str) -> Cow<'_, str> {
    if !KEYS.iter().any(|begin| text.contains(begin)) {
        return Cow::Borrowed(text);
    }
    let mut hidden = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some(next) = rest.chars().next() {
        let key = KEYS.iter().find(|begin| !after_word && rest.starts_with(**begin));
        let length = key.map_or(0, |begin| begin.len() + word_length(&rest[begin.len()..]));
        match key {
            Some(begin) if length >= begin.len() + KEY_LENGTH && has_digit(&rest[begin.len()..length]) => {
                hidden.push_str(begin);
                hidden.push_str(MASK);
                rest = &rest[length..];
                after_word = true;
            }
            _ => {
                hidden.push(next);
                rest = &rest[next.len_utf8()..];
                after_word = next.is_ascii_alphanumeric();
            }
        }
    }
    Cow::Owned(hidden)
}

/// Real keys have digits; `sk-` alone also begins names that people give.
fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn word_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_in_addresses_are_hidden() {
        let cases = [
            ("to https://ana:pa55@host/x?y=a@b failed", "to https://••••@host/x?y=a@b failed"),
            ("nats://s3cret@127.0.0.1:4222", "nats://••••@127.0.0.1:4222"),
            ("ssh://git@host/shop", "ssh://git@host/shop"),
            ("https://host/@scope/x ana@host", "https://host/@scope/x ana@host"),
            ("no address", "no address"),
        ];
        for (text, expected) in cases {
            assert_eq!(hide_shapes(text.to_owned()), expected, "{text}");
        }
    }

    #[test]
    fn claims_and_seeds_of_a_team_are_hidden() {
        // Put together here: tools that look for keys in sources would take them for some.
        let (seed, claims) = (format!("SUA{}", "M2Q7".repeat(13)), format!("eyJ{}", "0eXAi".repeat(9)));
        assert_eq!(hide_shapes(format!("{seed} {claims}.{claims}.x")), "SUA•••• eyJ••••.eyJ••••.x");
        assert_eq!(hide_shapes("SUAVE eyJust SOAP".into()), "SUAVE eyJust SOAP");
    }
}
