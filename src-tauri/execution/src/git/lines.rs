//! How many lines a run added and removed: git counts what was committed before, files that were changed already are
//! compared with what they held.

use super::FolderSnapshot;
use loopdeck_core::driver::ChangedLines;
use loopdeck_system::files;
use std::collections::BTreeMap;
use std::path::Path;

/// A longer file is not text that a person wrote.
const LONGEST: u64 = 1 << 20;
/// The same of a file in memory.
pub(super) const LONGEST_BYTES: usize = 1 << 20;
/// Contents that are kept of files that were changed already.
const MOST: usize = 16 << 20;
/// Two versions that differ in more lines than this share nothing.
const MOST_EDITS: usize = 4_000;
/// A line that is there more often is looked for in the nearest places.
const MOST_PLACES: usize = 20;

/// What the files hold that are changed already, as far as there is room.
pub(crate) fn contents<'n>(
    folder: &Path,
    names: impl Iterator<Item = &'n String>,
) -> BTreeMap<String, Vec<u8>> {
    let mut room = MOST;
    let mut kept = BTreeMap::new();
    for name in names {
        let Some(text) = content(folder, name).filter(|text| text.len() <= room) else { continue };
        room -= text.len();
        kept.insert(name.clone(), text);
    }
    kept
}

/// A file that is not there is empty; nothing of one that is too long, a link, or no file.
pub(super) fn content(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let path = folder.join(name);
    match path.symlink_metadata() {
        Ok(_) => files::read_plain(&path, LONGEST).ok(),
        Err(_) => Some(Vec::new()),
    }
}

/// Lines that changed in `changed` since `before`; nothing without git, or when one of the files cannot be compared.
#[must_use]
pub fn lines_since(folder: &Path, before: &FolderSnapshot, changed: &[String]) -> Option<ChangedLines> {
    if !before.by_git {
        return None;
    }
    let counted = match &before.commit {
        Some(commit) => numstat(before, commit)?,
        None => BTreeMap::new(),
    };
    let mut sum = ChangedLines::default();
    for name in changed {
        let lines = if before.files.contains_key(name) {
            count_lines(before.contents.get(name)?, &content(folder, name)?)
        } else if let Some(lines) = counted.get(name) {
            *lines
        } else {
            count_lines(&[], &content(folder, name)?)
        };
        sum = sum + lines;
    }
    Some(sum)
}

/// What differs from a commit, by file. A binary file has no lines.
fn numstat(before: &FolderSnapshot, commit: &str) -> Option<BTreeMap<String, ChangedLines>> {
    let args = [
        "diff",
        "--numstat",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "--relative",
        commit,
        "--",
        ".",
    ];
    Some(parse_numstat(&before.ask(&args)?.stdout))
}

/// What `git diff --numstat -z` says.
pub(super) fn parse_numstat(numstat: &[u8]) -> BTreeMap<String, ChangedLines> {
    let line = |line: String| {
        let mut cells = line.splitn(3, '\t');
        let (added, removed, name) = (cells.next()?, cells.next()?, cells.next()?);
        let count = |cell: &str| cell.parse().unwrap_or(0);
        let lines = ChangedLines { added: count(added), removed: count(removed) };
        super::is_inside(name).then(|| (name.to_owned(), lines))
    };
    super::records(numstat).filter_map(line).collect()
}

/// The minimum number of lines in which the two versions differ. Bytes that are not text have none.
pub(super) fn count_lines(old: &[u8], new: &[u8]) -> ChangedLines {
    if old.contains(&0) || new.contains(&0) {
        return ChangedLines::default();
    }
    let (old, new) = (split(old), split(new));
    let shorter = old.len().min(new.len());
    let same_start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let ends = old.iter().rev().zip(new.iter().rev()).take(shorter - same_start);
    let same_end = ends.take_while(|(old, new)| old == new).count();
    let old = &old[same_start..old.len() - same_end];
    let new = &new[same_start..new.len() - same_end];
    let edits = edit_distance(old, new).unwrap_or(old.len() + new.len());
    // The two differ by as many lines as were added more than removed.
    let removed = (edits + old.len() - new.len()) / 2;
    let count = |lines: usize| u32::try_from(lines).unwrap_or(u32::MAX);
    ChangedLines { added: count(edits - removed), removed: count(removed) }
}

/// Where a line of `old`, counted from 0, is in `new`; `None` when it was changed or removed, as the fewest changes have it.
#[must_use]
pub fn line_after(old: &[u8], new: &[u8], line: usize) -> Option<usize> {
    let (old, new) = (split(old), split(new));
    let text = old.get(line)?;
    if line < new.len() && old.iter().zip(&new).take(line + 1).all(|(old, new)| old == new) {
        return Some(line);
    }
    let edits = edit_distance(&old, &new)?;
    let mut places: Vec<usize> = (0..new.len()).filter(|at| new[*at] == *text).collect();
    places.sort_by_key(|at| at.abs_diff(line));
    let is_kept = |at: &usize| {
        let around =
            edit_distance(&old[..line], &new[..*at]).zip(edit_distance(&old[line + 1..], &new[at + 1..]));
        around.is_some_and(|(above, below)| above + below == edits)
    };
    places.into_iter().take(MOST_PLACES).find(is_kept)
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The fewest lines to add and remove (Myers' greedy search); nothing when there are too many.
fn edit_distance(old: &[&[u8]], new: &[&[u8]]) -> Option<usize> {
    let most = (old.len() + new.len()).min(MOST_EDITS);
    // The furthest place in `old` on each diagonal, which is `old` place - `new` place; the middle is diagonal 0.
    let mut furthest = vec![0usize; 2 * most + 3];
    let middle = most + 1;
    for edits in 0..=most {
        for at in (middle - edits..=middle + edits).step_by(2) {
            let down = at == middle - edits || (at != middle + edits && furthest[at - 1] < furthest[at + 1]);
            let mut place = if down { furthest[at + 1] } else { furthest[at - 1] + 1 };
            let Some(mut other) = (place + middle).checked_sub(at) else { continue };
            while place < old.len() && other < new.len() && old[place] == new[other] {
                (place, other) = (place + 1, other + 1);
            }
            furthest[at] = place;
            if place >= old.len() && other >= new.len() {
                return Some(edits);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_versions_are_counted() {
        let lines = |added, removed| ChangedLines { added, removed };
        for (old, new, expected) in [
            ("", "", lines(0, 0)),
            ("a\nb\n", "a\nb\n", lines(0, 0)),
            ("", "a\nb", lines(2, 0)),
            ("a\nb\n", "", lines(0, 2)),
            ("a\nb\nc\n", "a\nx\nc\n", lines(1, 1)),
            ("a\nb\nc\nd\n", "b\nx\nd\ne\n", lines(2, 2)),
            ("a\na\na\n", "a\na\n", lines(0, 1)),
            ("a", "a\n", lines(1, 1)),
            ("a\0", "b\n", lines(0, 0)),
        ] {
            assert_eq!(count_lines(old.as_bytes(), new.as_bytes()), expected, "{old:?} {new:?}");
        }
        let numbered = |from: usize| (from..from + 9_000).map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(count_lines(numbered(0).as_bytes(), numbered(5).as_bytes()), lines(5, 5));
        let all = count_lines(numbered(0).as_bytes(), numbered(20_000).as_bytes());
        assert_eq!(all, lines(9_000, 9_000), "nothing in common");
    }

    #[test]
    fn a_line_is_found_again_where_it_moved_to_or_was_changed() {
        for (old, new, line, expected) in [
            ("a\nb\nc\n", "a\nb\nc\nd\n", 1, Some(1)),
            ("a\nb\nc\n", "x\ny\na\nb\nc\n", 1, Some(3)),
            ("a\nb\nc\n", "a\nB\nc\n", 1, None),
            ("a\nb\nc\n", "a\nB\nc\n", 2, Some(2)),
            ("a\nb\nc\n", "a\nc\n", 1, None),
            ("}\na\n}\nb\n}\n", "}\na\n}\nc\nb\n}\n", 4, Some(5)),
            ("a\nb\n", "", 0, None),
            ("a\n", "a\n", 7, None),
        ] {
            assert_eq!(line_after(old.as_bytes(), new.as_bytes(), line), expected, "{old:?} {new:?} {line}");
        }
    }
}
