//! Secrets in what runs say: values of variables whose names speak of secrets, and texts that look like keys, are not shown
//! and not copied.

use std::borrow::Cow;
use std::ffi::OsString;

const SPEAKING: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];
/// Beginnings of keys that services give out.
const KEYS: [&str; 9] =
    ["sk-ant-", "sk-proj-", "sk-", "ghp_", "gho_", "github_pat_", "xoxb-", "AKIA", "AIza"];
/// A shorter value is a word, not a secret.
const SHORTEST: usize = 8;
/// So many characters follow the beginning of a real key.
const KEY_LENGTH: usize = 16;
const MASK: &str = "••••";

/// Hides what must not be shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask {
    secrets: Vec<String>,
}

impl Mask {
    /// A mask of the secrets in an environment.
    pub(crate) fn of(environment: &[(OsString, OsString)]) -> Self {
        let speaks = |name: &OsString| {
            let name = name.to_string_lossy().to_uppercase();
            SPEAKING.iter().any(|word| name.contains(word))
        };
        let mut secrets: Vec<String> = environment
            .iter()
            .filter(|(name, _)| speaks(name))
            .filter_map(|(_, value)| value.to_str().map(str::to_owned))
            .filter(|value| value.len() >= SHORTEST && !value.starts_with('/'))
            .collect();
        // A longer secret may hold a shorter one.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets }
    }

    /// `text` without secrets.
    pub(crate) fn hide(&self, text: String) -> String {
        let mut text = text;
        for secret in self
            .secrets
            .iter()
            .filter(|secret| memchr::memmem::find(text.as_bytes(), secret.as_bytes()).is_some())
            .cloned()
            .collect::<Vec<_>>()
        {
            text = text.replace(&secret, MASK);
        }
        match hide_keys(&text) {
            Cow::Owned(hidden) => hidden,
            Cow::Borrowed(_) => text,
        }
    }
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
            Some(begin) if length >= begin.len() + KEY_LENGTH => {
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

fn word_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_speaking_variables_and_keys_are_hidden() {
        let environment = [
            ("MY_API_KEY".into(), "hunter2hunter2".into()),
            ("OTHER_TOKEN".into(), "short".into()),
            ("SSH_KEY_PATH".into(), "/home/ana/.ssh/id_rsa".into()),
            ("PATH".into(), "/usr/bin:/bin:/sbin".into()),
        ];
        let mask = Mask::of(&environment);
        let hide = |text: &str| mask.hide(text.to_owned());
        assert_eq!(hide("key=hunter2hunter2!"), "key=••••!");
        assert_eq!(
            hide("short /home/ana/.ssh/id_rsa /usr/bin:/bin:/sbin"),
            "short /home/ana/.ssh/id_rsa /usr/bin:/bin:/sbin"
        );
        // Put together here: tools that look for keys in sources would take it for one.
        let key = format!("sk-ant-{}", "a1b2".repeat(6));
        assert_eq!(hide(&format!("é {key}.")), "é sk-ant-••••.");
        assert_eq!(
            hide("task-1 sk-short desk-0123456789012345678"),
            "task-1 sk-short desk-0123456789012345678"
        );
    }
}
