//! Changes since a loop began that weaken what tests prove: both versions of the files are read, and compared by core.

use crate::changes::ChangeKind;
use crate::git::since::{FileSince, files_since};
use crate::git::texts::texts_in;
use crate::git::{self, Repository};
use loopdeck_core::weakened::{FileVersions, Weakening, is_judged, is_read_alike, weakenings};
use loopdeck_system::files;
use serde::Serialize;
use specta::Type;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// More files than this are not compared.
const MOST_FILES: usize = 2_000;
/// Bytes of one version of a file; a longer one is no test that somebody wrote.
const LONGEST: usize = 1 << 20;
/// Bytes of all versions that are compared.
const MOST_BYTES: usize = 4 << 20;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct WeakenedTests {
    /// By file and line, at most 200.
    pub found: Vec<Weakening>,
    /// Everything that can be judged was compared.
    pub is_whole: bool,
}

/// What weakens tests in the files below `root` since `base`, a commit; since the last commit when there is none.
///
/// # Errors
/// As [`files_since`].
pub fn weakened_since(root: &Path, repository: &Repository, base: Option<&str>) -> io::Result<WeakenedTests> {
    let mut changed = files_since(repository, base)?;
    changed.retain(|file| {
        !file.is_submodule && (is_judged(&file.path) || file.from.as_deref().is_some_and(is_judged))
    });
    let mut is_whole = changed.len() <= MOST_FILES;
    changed.truncate(MOST_FILES);
    let old: Vec<&str> = changed.iter().map(|file| file.from.as_deref().unwrap_or(&file.path)).collect();
    let base = base.map_or_else(|| git::bundle::head(repository).ok(), |base| Some(base.to_owned()));
    let mut before = match base {
        Some(base) => texts_in(repository, &base, &old, LONGEST)?,
        None => BTreeMap::new(),
    };
    let mut left = MOST_BYTES;
    let mut versions: Vec<(&str, Option<String>, Option<String>)> = Vec::new();
    for file in &changed {
        let (then, now) = both(root, file, &mut before);
        // What is no longer text, or is too long now, can't be compared.
        is_whole &= then.is_some() == now.is_some() || file.kind == ChangeKind::Added;
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let Some(rest) = left.checked_sub(length(&then) + length(&now)) else {
            is_whole = false;
            continue;
        };
        left = rest;
        match file.from.as_deref().filter(|from| !is_read_alike(from, &file.path)) {
            // Moved to where nobody looks for it: it is gone from where it was.
            Some(from) => {
                versions.extend([(from, then, Some(String::new())), (&*file.path, Some(String::new()), now)]);
            }
            None => versions.push((&*file.path, then, now)),
        }
    }
    let compared: Vec<FileVersions<'_>> = versions
        .iter()
        .map(|(path, before, after)| FileVersions {
            path,
            before: before.as_deref(),
            after: after.as_deref(),
        })
        .collect();
    Ok(WeakenedTests { found: weakenings(&compared), is_whole })
}

/// Both versions of a file: empty when it is not there, `None` when it is no text.
fn both(
    root: &Path,
    file: &FileSince,
    before: &mut BTreeMap<String, Vec<u8>>,
) -> (Option<String>, Option<String>) {
    let old = file.from.as_deref().unwrap_or(&file.path);
    let then = match file.kind {
        ChangeKind::Added if file.from.is_none() => Some(String::new()),
        _ => before.remove(old).and_then(text),
    };
    (then, text_now(root, &file.path))
}

fn text_now(root: &Path, path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    match files::read(root, &root.join(path), &mut bytes) {
        Ok(_) => text(bytes),
        Err(fault) if fault.is_gone() || fault.is_empty() => Some(String::new()),
        Err(_) => None,
    }
}

fn text(bytes: Vec<u8>) -> Option<String> {
    let is_short = bytes.len() <= LONGEST && !bytes.contains(&0);
    String::from_utf8(bytes).ok().filter(|_| is_short)
}
