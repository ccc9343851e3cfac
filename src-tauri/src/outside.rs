//! What leaves the window: addresses for the browser, files that a person saves.

use loopdeck_runtime::views::{Failure, FailureKind};
use tauri::Url;

/// Longer addresses are not opened.
const LONGEST: usize = 4_000;

/// The address for the desktop, if it is a web or mail address: nothing that could start a program. Addresses
/// in a document are untrusted.
///
/// # Errors
/// `BadAddress`.
pub(crate) fn address(text: &str) -> Result<String, Failure> {
    let refused =
        || Failure::new(FailureKind::BadAddress).with("address", text.chars().take(200).collect::<String>());
    let plain =
        text.len() <= LONGEST && !text.chars().any(|letter| letter.is_control() || letter.is_whitespace());
    let url = plain.then(|| Url::parse(text).ok()).flatten().ok_or_else(refused)?;
    let opened = match url.scheme() {
        "http" | "https" => url.has_host(),
        "mailto" => !url.path().is_empty() && !url.path().starts_with('/'),
        _ => false,
    };
    if opened { Ok(url.into()) } else { Err(refused()) }
}

/// A file name proposed by the page, without anything that could form a folder.
pub(crate) fn file_name(proposed: &str) -> String {
    let kept = |letter: char| {
        let apart = letter.is_control() || "/\\:*?\"<>|".contains(letter);
        if apart { '-' } else { letter }
    };
    let name: String = proposed.chars().take(120).map(kept).collect();
    let name = name.trim_matches(['.', ' ', '-']);
    if name.is_empty() { "loopdeck.txt".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_letters_are_opened() {
        for (text, opened) in [
            ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
            ("HTTP://Example.org", "http://example.org/"),
            ("mailto:ana@example.org?subject=a%20b", "mailto:ana@example.org?subject=a%20b"),
            ("https://exämple.org/", "https://xn--exmple-cua.org/"),
        ] {
            assert_eq!(address(text).unwrap(), opened);
        }
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "",
            "example.org",
            "/etc/passwd",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "vscode://file/etc/passwd",
            "ssh://example.org",
            "smb://example.org/share",
            "loopdeck:///a.json",
            "https://",
            "https:///",
            "mailto:",
            "https://example.org/a b",
            " https://example.org",
            "https://example.org/\n--help",
            "--help",
            &format!("https://example.org/{}", "a".repeat(LONGEST)),
        ] {
            let failure = address(text).expect_err(text);
            assert_eq!(failure.kind, FailureKind::BadAddress);
            assert!(failure.args["address"].len() <= 200);
        }
    }

    #[test]
    fn a_proposed_name_is_only_a_name() {
        for (proposed, name) in [
            ("graph-größe.svg", "graph-größe.svg"),
            ("../../etc/passwd", "etc-passwd"),
            ("C:\\a\nb.png", "C--a-b.png"),
            (" ..", "loopdeck.txt"),
        ] {
            assert_eq!(file_name(proposed), name);
        }
    }
}
