//! Values of our own, each in a small JSON file that says in which form it is written. What a newer Loopdeck wrote is read as
//! far as this one understands it, and never written over; nor is one that cannot be read.

use crate::clock;
use crate::failure::{Failure, FailureKind};
use crate::files;
use loopdeck_core::times;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// A larger file is none of ours.
const LARGEST: u64 = 64 << 20;

/// A value that is kept in a file.
pub trait Kept: Serialize + DeserializeOwned + Default {
    /// Rises with each change that an earlier Loopdeck would lose or misread when it writes the file: a new field, another
    /// meaning. Files from before there was a number say 0.
    const FORM: u32;
}

/// The part of a file that every version reads.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    form: u32,
}

#[derive(Serialize)]
struct Written<'a, T> {
    form: u32,
    #[serde(flatten)]
    value: &'a T,
}

/// Reads the file; a missing one gives the default. Whatever is there stays as it is.
///
/// # Errors
/// `DamagedData` (`path`, `reason`) when it cannot be read; `NewerData` when a newer Loopdeck wrote it, and this one doesn't understand it.
pub fn read<T: Kept>(path: &Path) -> Result<T, Failure> {
    let damaged = |reason: &dyn Display| damaged(path, reason);
    let bytes = match files::read_named(path, LARGEST) {
        Ok(bytes) => bytes,
        // A link that leads nowhere is there, and says that something is missing. Below a file, nothing was ever kept.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
                && path.symlink_metadata().is_err() =>
        {
            return Ok(T::default());
        }
        Err(error) => return Err(damaged(&error)),
    };
    match serde_json::from_slice(&bytes) {
        Ok(value) => Ok(value),
        Err(_) if form_of(&bytes) > T::FORM => Err(Failure::new(FailureKind::NewerData)),
        Err(error) => Err(damaged(&error)),
    }
}

/// What is told of a file of ours that cannot be read.
#[must_use]
pub fn damaged(path: &Path, reason: &dyn Display) -> Failure {
    Failure::new(FailureKind::DamagedData).with("path", path.display()).with("reason", reason)
}

/// Reads the file for a program that begins without it when it is damaged. It is then set aside under another name, never
/// overwritten, and the failure (`SetAside`, or `DamagedData` when not even that is possible) is to be told to the person.
#[must_use]
pub fn load<T: Kept>(path: &Path) -> (T, Option<Failure>) {
    let failure = match read(path) {
        Ok(value) => return (value, None),
        Err(failure) if failure.kind == FailureKind::DamagedData => failure,
        Err(_) => return (T::default(), None), // newer: see `check`
    };
    let failure = match set_aside(path) {
        Ok(kept) => Failure { kind: FailureKind::SetAside, ..failure }.with("kept", kept.display()),
        Err(error) => {
            tracing::warn!(?error, "a damaged file is not set aside");
            failure
        }
    };
    tracing::error!(path = %path.display(), kept = ?failure.args.get("kept"), "a file of ours is damaged");
    (T::default(), Some(failure))
}

/// Reads the file and leaves whatever is there as it is; the failure is to be told to the person.
#[must_use]
pub fn peek<T: Kept>(path: &Path) -> (T, Option<Failure>) {
    match read(path) {
        Ok(value) => (value, None),
        Err(failure) => (T::default(), Some(failure).filter(|it| it.kind == FailureKind::DamagedData)),
    }
}

/// Gives a damaged file another name, one that is free.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let stamp = times::to_iso_millis(clock::now());
    let stamp: String = stamp.chars().filter(char::is_ascii_alphanumeric).take(15).collect();
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".damaged-{stamp}"));
    let numbered = (2..100).map(|number| {
        let mut name = name.clone();
        name.push(format!("-{number}"));
        name
    });
    let names = std::iter::once(name.clone()).chain(numbered).map(|name| path.with_file_name(name));
    for kept in names {
        if kept.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return std::fs::rename(path, &kept).map(|()| kept);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Saves the file atomically.
///
/// # Errors
/// Those of [`check`], or `OwnData` with what the disk says; the old file stays.
pub fn save<T: Kept>(path: &Path, value: &T) -> Result<(), Failure> {
    check::<T>(path)?;
    let bytes = serde_json::to_vec_pretty(&Written { form: T::FORM, value }).map_err(Failure::own_data)?;
    files::write_own(path, &bytes).map_err(Failure::own_data)
}

/// Whether the file may be written.
///
/// # Errors
/// `NewerData` when a newer Loopdeck wrote it; `DamagedData` when it cannot be read: it may hold what nobody has anywhere else.
pub fn check<T: Kept>(path: &Path) -> Result<(), Failure> {
    match files::read_named(path, LARGEST) {
        Ok(bytes) if form_of(&bytes) > T::FORM => Err(Failure::new(FailureKind::NewerData)),
        _ => read::<T>(path).map(drop),
    }
}

fn form_of(bytes: &[u8]) -> u32 {
    serde_json::from_slice::<Head>(bytes).unwrap_or_default().form
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Shelf {
        books: Vec<String>,
        by: BTreeMap<String, u32>,
    }

    impl Kept for Shelf {
        const FORM: u32 = 3;
    }

    fn shelf() -> Shelf {
        Shelf { books: vec!["one".into()], by: BTreeMap::from([("me".into(), 1)]) }
    }

    #[test]
    fn it_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/shelf.json");
        assert_eq!(load::<Shelf>(&path), (Shelf::default(), None));
        save(&path, &shelf()).unwrap();
        assert_eq!(load::<Shelf>(&path), (shelf(), None));
        assert_eq!((peek::<Shelf>(&path), read::<Shelf>(&path)), ((shelf(), None), Ok(shelf())));
    }

    /// Everything below a folder that is not a folder, as text.
    fn texts(folder: &Path) -> Vec<String> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text = |path: PathBuf| {
            if path.is_dir() { texts(&path) } else { vec![fs::read_to_string(path).unwrap()] }
        };
        paths.flat_map(text).collect()
    }

    #[test]
    fn damage_is_told_and_set_aside_and_never_written_over() {
        for damage in ["", "{oops", r#"{"form":3,"books":["o"#, r#"{"books":7}"#, "a folder"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("shelf.json");
            let put = || match damage {
                "a folder" => {
                    fs::create_dir(&path).unwrap();
                    fs::write(path.join("inside"), damage).unwrap();
                }
                text => fs::write(&path, text).unwrap(),
            };
            put();
            let told = |failure: Option<Failure>, kind| {
                let failure = failure.unwrap_or_else(|| panic!("{damage:?} is not told"));
                assert_eq!(failure.kind, kind, "{damage:?}");
                assert_eq!(failure.args["path"], path.display().to_string());
                assert!(!failure.args["reason"].is_empty());
                failure
            };
            told(read::<Shelf>(&path).err(), FailureKind::DamagedData);
            told(peek::<Shelf>(&path).1, FailureKind::DamagedData);
            told(save(&path, &shelf()).err(), FailureKind::DamagedData);
            assert_eq!(texts(dir.path()), [damage], "a look or a refused write changes nothing");
            // It happens again at once, and neither is lost.
            for times in 1..=3 {
                let (value, failure) = load::<Shelf>(&path);
                assert_eq!(value, Shelf::default());
                let failure = told(failure, FailureKind::SetAside);
                let kept = Path::new(&failure.args["kept"]);
                let name = kept.file_name().unwrap().to_string_lossy();
                assert!(name.starts_with("shelf.json.damaged-2") && kept.exists(), "{name}");
                assert!(!path.exists());
                assert_eq!(texts(dir.path()), vec![damage; times]);
                put();
            }
            load::<Shelf>(&path).1.unwrap();
            save(&path, &shelf()).unwrap();
            assert_eq!(load::<Shelf>(&path), (shelf(), None));
            assert_eq!(texts(dir.path()).iter().filter(|text| *text == damage).count(), 4);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_one_that_leads_nowhere_is_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let (path, real) = (dir.path().join("shelf.json"), dir.path().join("real.json"));
        std::os::unix::fs::symlink(&real, &path).unwrap();
        assert_eq!(save(&path, &shelf()).unwrap_err().kind, FailureKind::DamagedData);
        save(&real, &shelf()).unwrap();
        assert_eq!(load::<Shelf>(&path), (shelf(), None));
    }

    #[test]
    fn what_had_no_form_yet_is_read_and_gets_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shelf.json");
        fs::write(&path, r#"{"books":["one"],"by":{"me":1}}"#).unwrap();
        assert_eq!(load::<Shelf>(&path), (shelf(), None));
        save(&path, &shelf()).unwrap();
        assert!(fs::read_to_string(&path).unwrap().starts_with("{\n  \"form\": 3,"));
    }

    #[test]
    fn a_newer_file_is_never_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shelf.json");
        let understood = r#"{"form":4,"books":["one"],"by":{"me":1},"lent":true}"#;
        for (newer, expected) in [(understood, shelf()), (r#"{"form":4,"books":7}"#, Shelf::default())] {
            fs::write(&path, newer).unwrap();
            assert_eq!(load::<Shelf>(&path), (expected, None), "{newer}");
            assert_eq!(check::<Shelf>(&path).unwrap_err().kind, FailureKind::NewerData);
            assert_eq!(save(&path, &shelf()).unwrap_err().kind, FailureKind::NewerData);
            assert_eq!(fs::read_to_string(&path).unwrap(), newer);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is set aside");
        }
    }
}
