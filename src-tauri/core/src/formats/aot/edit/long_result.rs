//! Results that are too long for the state file: a short text for the binding, and a file with the whole text.
//!
//! The plugin's hook reads the front matter through a pipe of 64 KiB and fails on more (AoT contract §4).
//! Thirty results at the limit of the short text still fit, in any script, because the limit counts bytes.

use super::operation::AotOperation;
use crate::formats::aot::check::lint;
use crate::outcome::FileWrite;

/// Bytes of a result in the state file.
const LONGEST_SUMMARY: usize = 2_000;
pub(crate) use loopdeck_agents::answers::LONGEST_RESULT;
/// The folder with the state file.
const ABOVE: &str = ".claude";
/// The folder in it with the whole texts.
const FOLDER: &str = "aot-results";
/// Characters of an id in a file name.
const LONGEST_NAME: usize = 60;

/// A result in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LongResult {
    /// For the binding: the start, and the name of the file.
    pub(crate) short: String,
    /// The file, relative to the root of the workspace; also the first artifact of the binding.
    pub(crate) artifact: String,
    /// The file, relative to the folder with the state file.
    file: String,
    /// The content of the file.
    content: String,
}

/// What `operation` writes next to the state file, in the iteration `round`.
pub(crate) fn files(operation: &AotOperation, round: i64) -> Vec<FileWrite> {
    let AotOperation::Resolve { id, summary, .. } = operation else { return Vec::new() };
    let long = long_result(id, round, summary);
    long.map(|long| FileWrite::replace(long.file, long.content)).into_iter().collect()
}

/// Splits a result that is too long for the state file; `None` when it fits. `round` is its iteration, so
/// that a result of a later round does not replace it.
pub(crate) fn long_result(id: &str, round: i64, summary: &str) -> Option<LongResult> {
    let whole = summary.trim();
    if whole.len() <= LONGEST_SUMMARY {
        return None;
    }
    let file = format!("{FOLDER}/{}-{}.md", file_name(id), round.max(0));
    let artifact = format!("{ABOVE}/{file}");
    let note = format!("…\n\nWhole text: {artifact}");
    let room = LONGEST_SUMMARY - note.len();
    let end = whole.char_indices().map(|(at, _)| at).take_while(|at| *at <= room).last().unwrap_or(0);
    let short = whole[..end].trim_end().to_owned() + &note;
    Some(LongResult { short, artifact, file, content: format!("{whole}\n") })
}

/// An id becomes part of a path only if it cannot leave the folder; any other id is replaced by a number
/// derived from it.
fn file_name(id: &str) -> String {
    if lint::is_plain_id(id) && id.len() <= LONGEST_NAME {
        return id.to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = id.chars().take(LONGEST_NAME).map(plain).collect();
    // FNV-1a: the same name in every version of Loopdeck.
    let number =
        id.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{name}_{number:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_in_the_binding() {
        assert_eq!(long_result("A1", 3, &"x".repeat(LONGEST_SUMMARY)), None);
        assert_eq!(long_result("A1", 3, &format!("  {}\n\n", "x".repeat(LONGEST_SUMMARY))), None);
    }

    #[test]
    fn what_does_not_fit_is_whole_in_its_file() {
        for filler in ["x", "é", "漢"] {
            let text = format!("The start. {}", filler.repeat(LONGEST_SUMMARY));
            let long = long_result("A1", 3, &text).expect("too long");
            assert_eq!(long.artifact, ".claude/aot-results/A1-3.md");
            assert_eq!(long.content, format!("{text}\n"));
            assert!(long.short.starts_with(&format!("The start. {filler}")));
            assert!(long.short.ends_with("…\n\nWhole text: .claude/aot-results/A1-3.md"));
            assert!(long.short.len() <= LONGEST_SUMMARY, "{} bytes", long.short.len());
        }
    }

    #[test]
    fn an_id_never_leaves_the_folder_and_no_two_share_a_file() {
        let text = "x".repeat(LONGEST_SUMMARY + 1);
        let ids = ["../A1", "__/A1", "a/b", "", ".", "a b", "A4.1", "A4_1", "原子", &"A".repeat(300)];
        let mut files: Vec<String> =
            ids.iter().map(|id| long_result(id, 1, &text).expect("too long").file).collect();
        for file in &files {
            let name = file.strip_prefix("aot-results/").expect("in its folder");
            assert!(!name.contains(['/', '\\']) && !name.starts_with('.') && name.len() < 100, "{file}");
        }
        files.sort();
        files.dedup();
        assert_eq!(files.len(), ids.len());
    }
}
