//! The changes of a run as they are kept in its folder: files with both versions, so that they can be shown when the
//! repository has moved on. They go with the folder.

use loopdeck_core::driver::ChangedLines;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_system::logged::Logged as _;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::ops::Add;
use std::path::Path;

/// Name of the file in the run's folder.
const FILE: &str = "changes.json";

/// Every file that a run changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunChanges {
    /// By path.
    pub files: Vec<ChangedFile>,
}

/// What became of a file. Words: catalogue `changes.kind.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It was there before.
    Changed,
    /// It is gone.
    Removed,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Relative to the folder of the run. Untrusted text.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// `None` when it is no text, too long, or ignored by git.
    pub lines: Option<ChangedLines>,
    /// Its text before, empty when it was not there; `None` when it is not kept.
    pub before: Option<String>,
    /// Its text after the run, empty when it is gone; `None` when it is not kept.
    pub after: Option<String>,
    /// Hashes of the bytes that the file held before and after; `None` when they are not known.
    #[serde(default)]
    pub hashes: Option<[u64; 2]>,
}

/// What a file held, each time; `None` where it was not there.
pub type Versions<'f> = [Option<&'f [u8]>; 2];

impl ChangedFile {
    /// A file that is only listed.
    pub(crate) fn without_text(path: &str, kind: ChangeKind) -> Self {
        Self { path: path.to_owned(), kind, lines: None, before: None, after: None, hashes: None }
    }

    /// What it held before and after, byte for byte; `None` when that is not kept: a secret is hidden in the text, or it was none.
    #[must_use]
    pub fn versions(&self) -> Option<Versions<'_>> {
        let texts = [self.before.as_deref()?.as_bytes(), self.after.as_deref()?.as_bytes()];
        if self.hashes? != texts.map(stable_hash) {
            return None;
        }
        let [before, after] = texts;
        Some([
            (self.kind != ChangeKind::Added).then_some(before),
            (self.kind != ChangeKind::Removed).then_some(after),
        ])
    }
}

/// The files that the run in this folder changed, without their texts.
///
/// # Errors
/// As [`RunChanges::read`].
pub fn paths_in(run_dir: &Path) -> io::Result<Vec<String>> {
    /// As much of [`RunChanges`] as is needed.
    #[derive(Deserialize)]
    struct Paths {
        files: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        path: String,
    }
    let file = BufReader::new(File::open(run_dir.join(FILE))?);
    let paths: Paths = serde_json::from_reader(file).map_err(io::Error::from)?;
    Ok(paths.files.into_iter().map(|file| file.path).collect())
}

/// What is kept of the changes of a run beyond its folder: without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeList {
    /// What they add up to.
    pub totals: ChangeTotals,
    /// The files, relative to the folder of the run. Untrusted text.
    pub paths: Vec<String>,
}

/// What the changes of a run add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ChangeTotals {
    /// Files.
    pub files: u32,
    /// Lines of those that were counted.
    pub lines: ChangedLines,
}

impl RunChanges {
    /// What they add up to.
    #[must_use]
    pub fn totals(&self) -> ChangeTotals {
        ChangeTotals {
            files: u32::try_from(self.files.len()).unwrap_or(u32::MAX),
            lines: self.files.iter().filter_map(|file| file.lines).fold(ChangedLines::default(), Add::add),
        }
    }

    /// The same with every text, and every name, changed by `hide`.
    pub(crate) fn hidden(mut self, hide: impl Fn(String) -> String) -> Self {
        for file in &mut self.files {
            file.path = hide(std::mem::take(&mut file.path));
            file.before = file.before.take().map(&hide);
            file.after = file.after.take().map(&hide);
        }
        self
    }

    /// Keeps them in the folder of their run. That they cannot be kept is logged: the run is not less of a run.
    pub(crate) fn keep(&self, run_dir: &Path) {
        let write = || {
            let mut file = BufWriter::new(File::create(run_dir.join(FILE))?);
            serde_json::to_writer(&mut file, self)?;
            file.flush()
        };
        if let Err(error) = write() {
            // Half of them would be read as a broken file.
            let _ = fs::remove_file(run_dir.join(FILE));
            Err::<(), _>(error).logged("the changes of a run are not kept");
        }
    }

    /// Those of the run in this folder.
    ///
    /// # Errors
    /// What the disk says; `NotFound` when none were kept, or its folder is gone.
    pub fn read(run_dir: &Path) -> io::Result<Self> {
        let file = BufReader::new(File::open(run_dir.join(FILE))?);
        serde_json::from_reader(file).map_err(io::Error::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: Option<(u32, u32)>, after: Option<&str>) -> ChangedFile {
        let lines = lines.map(|(added, removed)| ChangedLines { added, removed });
        let after = after.map(str::to_owned);
        ChangedFile {
            lines,
            before: after.clone(),
            after,
            ..ChangedFile::without_text(path, ChangeKind::Changed)
        }
    }

    #[test]
    fn they_are_kept_without_secrets_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(RunChanges::read(dir.path()).unwrap_err().kind(), io::ErrorKind::NotFound);
        let changes = RunChanges {
            files: vec![file("a.rs", Some((2, 1)), Some("key = swordfish\n")), file("b.bin", None, None)],
        };
        let hidden = changes.hidden(|text| text.replace("swordfish", "****"));
        hidden.keep(dir.path());
        let read = RunChanges::read(dir.path()).unwrap();
        assert_eq!(read, hidden);
        assert_eq!(read.files[0].after.as_deref(), Some("key = ****\n"));
        let lines = ChangedLines { added: 2, removed: 1 };
        assert_eq!(read.totals(), ChangeTotals { files: 2, lines });
    }

    #[test]
    fn what_a_file_held_is_known_only_when_nothing_of_it_is_hidden() {
        let file = |kind, before: &str, after: &str| ChangedFile {
            before: Some(before.to_owned()),
            after: Some(after.to_owned()),
            hashes: Some([stable_hash(b"old"), stable_hash(b"new")]),
            ..ChangedFile::without_text("a", kind)
        };
        let known = [Some(&b"old"[..]), Some(&b"new"[..])];
        assert_eq!(file(ChangeKind::Changed, "old", "new").versions(), Some(known));
        assert_eq!(file(ChangeKind::Added, "old", "new").versions(), Some([None, known[1]]));
        assert_eq!(file(ChangeKind::Removed, "old", "new").versions(), Some([known[0], None]));
        for (before, after) in [("****", "new"), ("old", "****")] {
            assert_eq!(file(ChangeKind::Changed, before, after).versions(), None);
        }
        let dir = tempfile::tempdir().unwrap();
        let changes = RunChanges { files: vec![file(ChangeKind::Changed, "old", "new")] };
        changes.keep(dir.path());
        assert_eq!(paths_in(dir.path()).unwrap(), ["a"]);
        assert_eq!(RunChanges::read(dir.path()).unwrap(), changes, "a hash keeps all its bits");
    }

    #[test]
    fn a_broken_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), "{\"files\":[").unwrap();
        assert!(RunChanges::read(dir.path()).is_err());
    }
}
