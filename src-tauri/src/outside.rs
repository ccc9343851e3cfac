//! What leaves the window: addresses for the browser, files that a person saves.

use crate::words::{fill, words};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::editor::EditorChoice;
use loopdeck_runtime::views::{Failure, FailureKind};
use std::path::Path;
use tauri::{AppHandle, Url};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons};

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

/// Asks the person about a new command of an editor, in a dialog that the page can't answer: the page alone starts no program.
/// Declined, the command stays unconfirmed.
///
/// # Errors
/// `OwnData` when the answer can't be remembered.
pub(crate) fn confirm_editor(
    app: &AppHandle,
    runtime: &Runtime,
    choice: &EditorChoice,
) -> Result<(), Failure> {
    let Some(command) = runtime.editor_to_confirm(choice) else { return Ok(()) };
    let words = words(&runtime.settings().language);
    let dialog = app.dialog().message(fill(&words.editor_text, &[("command", &command)]));
    let (use_it, cancel) = (words.editor_use, words.editor_cancel);
    let buttons = MessageDialogButtons::OkCancelCustom(use_it, cancel);
    if dialog.title(words.editor_title).buttons(buttons).blocking_show() {
        return runtime.confirm_editor(choice.command.clone());
    }
    Ok(())
}

/// Whether the window may go to this address: only to the page of the app.
pub(crate) fn is_own_page(url: &Url, development: Option<&Url>) -> bool {
    let is_app = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // What the engines of Windows and Android make of it.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    };
    is_app || development.is_some_and(|own| own.origin() == url.origin())
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

/// The failure of opening `path` in another program, or of choosing it.
pub(crate) fn cannot_open(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(FailureKind::CannotOpen).with("path", path.display()).with("reason", error)
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
    fn the_window_stays_on_the_page_of_the_app() {
        let url = |text: &str| Url::parse(text).unwrap();
        let development = url("http://localhost:5173");
        for own in ["tauri://localhost", "tauri://localhost/index.html#x", "http://tauri.localhost/"] {
            assert!(is_own_page(&url(own), None), "{own}");
        }
        for foreign in [
            "https://example.org/",
            "tauri://example.org/",
            "http://localhost:5173/",
            "https://tauri.localhost.example.org/",
            "file:///etc/passwd",
            "data:text/html,x",
            "blob:tauri://localhost/x",
            "about:blank",
        ] {
            assert!(!is_own_page(&url(foreign), None), "{foreign}");
        }
        assert!(is_own_page(&url("http://localhost:5173/x"), Some(&development)));
        assert!(!is_own_page(&url("http://localhost:5174/x"), Some(&development)));
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
