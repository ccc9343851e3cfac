//! Results that are too long for the state file: a short text for the binding, and a file with the whole text.
//!
//! The plugin's hook reads the front matter through a pipe of 64 KiB and fails on more (§4). Thirty results at the limit
//! of the short text, in ASCII, still fit.

use super::lint;
use crate::problem::shorten;

/// Characters of a result in the state file.
pub(super) const LONGEST_SUMMARY: usize = 2_000;
/// Where whole texts are, relative to the root of the workspace.
const FOLDER: &str = ".claude/aot-results";

/// A result in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongResult {
    /// For the binding: the beginning, and the name of the file.
    pub short: String,
    /// The file, relative to the root of the workspace; also the first artifact of the binding.
    pub artifact: String,
    /// What the file contains.
    pub content: String,
}

/// Splits a result that is too long for the state file; `None` when it fits. `round`: the iteration in which it was made,
/// so that a result of a later round does not replace it.
#[must_use]
pub fn long_result(id: &str, round: i64, summary: &str) -> Option<LongResult> {
    let whole = summary.trim();
    // An id becomes part of a path only if it cannot leave the folder.
    if whole.chars().count() <= LONGEST_SUMMARY || !lint::is_plain_id(id) {
        return None;
    }
    let artifact = format!("{FOLDER}/{id}-{}.md", round.max(0));
    let note = format!("\n\nWhole text: {artifact}");
    let room = LONGEST_SUMMARY.saturating_sub(note.chars().count() + 1);
    Some(LongResult { short: shorten(whole, room) + &note, artifact, content: format!("{whole}\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_in_the_binding() {
        assert_eq!(long_result("A1", 3, &"é".repeat(LONGEST_SUMMARY)), None);
        assert_eq!(long_result("A1", 3, &format!("  {}\n\n", "x".repeat(LONGEST_SUMMARY))), None);
    }

    #[test]
    fn what_does_not_fit_is_whole_in_its_file() {
        let text = format!("The start. {}", "é".repeat(LONGEST_SUMMARY));
        let long = long_result("A1", 3, &text).expect("too long");
        assert_eq!(long.artifact, ".claude/aot-results/A1-3.md");
        assert_eq!(long.content, format!("{text}\n"));
        assert!(long.short.starts_with("The start. é"));
        assert!(long.short.ends_with("\n\nWhole text: .claude/aot-results/A1-3.md"));
        assert!(long.short.chars().count() <= LONGEST_SUMMARY);
    }

    #[test]
    fn an_id_never_leaves_the_folder() {
        let text = "x".repeat(LONGEST_SUMMARY + 1);
        for id in ["../A1", "a/b", "", ".", "a b"] {
            assert_eq!(long_result(id, 1, &text), None, "{id}");
        }
    }
}
