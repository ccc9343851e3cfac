//! Trying a file check: looks for what it names. Nothing is run, so the folder need not be trusted; nothing outside of it is read.

use crate::rows::{Tried, TriedEnd, TriedLine};
use loopdeck_core::checklist::path_pattern::{PathPattern, fits};
use loopdeck_core::loops::drive::FileFound;
use loopdeck_system::files::Canonical as _;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// So many lines are shown of what a try found or printed.
pub(crate) const LINES: usize = 40;
/// A tree with more entries than this is not looked through for a try.
const ENTRIES: usize = 200_000;

/// What comes of a check that wants a file, or wants none.
pub(crate) fn check_path(folder: &Path, value: &str, wants_none: bool) -> Tried {
    let began = Instant::now();
    let found = PathPattern::read(value).map(|pattern| find(folder, &pattern));
    let (end, passes) = match &found {
        None => (TriedEnd::Outside, None),
        Some(found) if found.outside && found.names.is_empty() => (TriedEnd::Outside, None),
        Some(found) if !found.whole && found.names.is_empty() => (TriedEnd::TooMany, None),
        Some(found) => (TriedEnd::Looked, Some(found.names.is_empty() == wants_none)),
    };
    let names = found.map(|found| found.names).unwrap_or_default();
    Tried {
        passes,
        end,
        #[allow(clippy::cast_precision_loss)] // a short time
        took_ms: began.elapsed().as_millis() as f64,
        cut: names.len() > LINES,
        found: matches!(end, TriedEnd::Looked).then(|| u32::try_from(names.len()).unwrap_or(u32::MAX)),
        lines: names.into_iter().take(LINES).map(|text| TriedLine { text, error: false }).collect(),
        ..Tried::stopped()
    }
}

/// What was found, by its path below the folder.
#[derive(Debug, Default)]
struct FoundPath {
    names: Vec<String>,
    /// Everything was checked.
    whole: bool,
    /// Something is there that leads out of the folder; nothing is known of it.
    outside: bool,
}

/// The result of a file check of a running loop.
pub(crate) fn file_found(folder: &Path, value: &str) -> FileFound {
    let Some(pattern) = PathPattern::read(value) else { return FileFound::Outside };
    let FoundPath { mut names, whole, outside } = find(folder, &pattern);
    names.truncate(LINES);
    match names.is_empty() {
        false => FileFound::Found(names),
        true if outside => FileFound::Outside,
        true if !whole => FileFound::TooMany,
        true => FileFound::Nothing,
    }
}

fn find(folder: &Path, pattern: &PathPattern) -> FoundPath {
    match pattern {
        PathPattern::Plain(parts) => {
            let path: PathBuf = parts.iter().fold(folder.to_owned(), |path, part| path.join(part));
            let is_there = is_inside(folder, &path);
            let outside = !is_there && path.exists();
            FoundPath { names: is_there.then(|| parts.join("/")).into_iter().collect(), whole: true, outside }
        }
        PathPattern::Glob(parts) => {
            let mut walk =
                Walk { folder, seen: HashSet::new(), left: ENTRIES, names: Vec::new(), outside: false };
            walk.enter("", parts);
            walk.names.sort();
            walk.names.dedup();
            FoundPath { names: walk.names, whole: walk.left > 0, outside: walk.outside }
        }
    }
}

/// A link that leads out of the folder, or nowhere, is nothing.
fn is_inside(folder: &Path, path: &Path) -> bool {
    path.canonical().is_ok_and(|real| real.starts_with(folder))
}

struct Walk<'w> {
    folder: &'w Path,
    /// Folders with what was still to be matched in them: links must not lead round in circles.
    seen: HashSet<(PathBuf, usize)>,
    left: usize,
    names: Vec<String>,
    outside: bool,
}

impl Walk<'_> {
    // Recursion is bounded by the depth of the tree, which has each folder once.
    fn enter(&mut self, below: &str, parts: &[String]) {
        let Some((part, rest)) = parts.split_first() else { return };
        let Ok(real) = self.folder.join(below).canonical() else { return };
        if !real.starts_with(self.folder) {
            self.outside = true;
            return;
        }
        if !self.seen.insert((real.clone(), parts.len())) {
            return;
        }
        if part == "**" {
            self.enter(below, rest);
        }
        for entry in std::fs::read_dir(&real).into_iter().flatten().flatten() {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let is_last = rest.is_empty();
            let deeper = part == "**" && fits("*", &name);
            if !deeper && !fits(part, &name) {
                continue;
            }
            if is_last && (part != "**" || deeper) && is_inside(self.folder, &self.folder.join(&path)) {
                self.names.push(path.clone());
            }
            // Links to folders are followed by their names, not by `**`.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if deeper && !is_link {
                self.enter(&path, parts);
            } else if !is_last && part != "**" {
                self.enter(&path, rest);
            }
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_looked_for_inside_of_the_folder_only() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = inside.path().canonical().unwrap();
        for folder in ["src/deep/er", ".git", "dist"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["src/a.ts", "src/deep/b.ts", "src/deep/er/c.ts", ".git/x.ts", "[ab]", ".env"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(outside.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("dangling")).unwrap();
        std::os::unix::fs::symlink(root.join("src"), root.join("src/round")).unwrap();
        let table: [(&str, Option<&[&str]>); 15] = [
            ("src/a.ts", Some(&["src/a.ts"])),
            ("src/*.ts", Some(&["src/a.ts"])),
            ("src/**/*.ts", Some(&["src/a.ts", "src/deep/b.ts", "src/deep/er/c.ts"])),
            ("**/c.?s", Some(&["src/deep/er/c.ts"])),
            ("dist", Some(&["dist"])),
            ("dist/*", Some(&[])),
            ("d*", Some(&["dist"])),
            ("[ab]", Some(&["[ab]"])),
            (".*", Some(&[".env", ".git"])),
            (".git/*.ts", Some(&[".git/x.ts"])),
            ("**/x.ts", Some(&[])),
            ("dangling", Some(&[])),
            ("out/secret", None),
            ("out/*", None),
            ("../*", None),
        ];
        for (value, expected) in table {
            let tried = check_path(&root, value, false);
            let names: Vec<&str> = tried.lines.iter().map(|line| line.text.as_str()).collect();
            assert_eq!(names, expected.unwrap_or_default(), "{value}");
            assert_eq!(tried.passes, expected.map(|names| !names.is_empty()), "{value}");
            let none = check_path(&root, value, true).passes;
            assert_eq!(none, expected.map(<[_]>::is_empty), "{value}");
        }
        assert_eq!(check_path(&root, "../x", false).end, TriedEnd::Outside);
    }
}
