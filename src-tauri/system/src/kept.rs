//! Values of our own, each in a small JSON file that says in which form it is written. What a newer Loopdeck wrote is read as
//! far as this one understands it, and never written over.

use crate::failure::{Failure, FailureKind};
use crate::files;
use crate::logged::Logged as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

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

/// Reads the file. A missing one gives the default; one that cannot be read is set aside, never overwritten.
#[must_use]
pub fn load<T: Kept>(path: &Path) -> T {
    let Ok(bytes) = std::fs::read(path) else { return T::default() };
    serde_json::from_slice(&bytes).unwrap_or_else(|_| {
        if form_of(&bytes) <= T::FORM {
            std::fs::rename(path, path.with_extension("unreadable.json"))
                .logged("an unreadable file is not set aside");
        }
        T::default()
    })
}

/// Reads the file and leaves whatever is there as it is.
#[must_use]
pub fn peek<T: Kept>(path: &Path) -> T {
    std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Saves the file atomically.
///
/// # Errors
/// `NewerData`, or `OwnData` with what the disk says; the old file stays.
pub fn save<T: Kept>(path: &Path, value: &T) -> Result<(), Failure> {
    check::<T>(path)?;
    let bytes = serde_json::to_vec_pretty(&Written { form: T::FORM, value }).map_err(Failure::own_data)?;
    files::write_own(path, &bytes).map_err(Failure::own_data)
}

/// Whether the file may be written.
///
/// # Errors
/// `NewerData` when a newer Loopdeck wrote it.
pub fn check<T: Kept>(path: &Path) -> Result<(), Failure> {
    match std::fs::read(path) {
        Ok(bytes) if form_of(&bytes) > T::FORM => Err(Failure::new(FailureKind::NewerData)),
        _ => Ok(()),
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
    fn it_is_read_back_and_damage_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/shelf.json");
        assert_eq!(load::<Shelf>(&path), Shelf::default());
        save(&path, &shelf()).unwrap();
        assert_eq!((load::<Shelf>(&path), peek::<Shelf>(&path)), (shelf(), shelf()));
        fs::write(&path, "{oops").unwrap();
        assert_eq!(peek::<Shelf>(&path), Shelf::default());
        assert!(path.exists(), "a look changes nothing");
        assert_eq!(load::<Shelf>(&path), Shelf::default());
        assert_eq!(fs::read(path.with_extension("unreadable.json")).unwrap(), b"{oops");
    }

    #[test]
    fn what_had_no_form_yet_is_read_and_gets_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shelf.json");
        fs::write(&path, r#"{"books":["one"],"by":{"me":1}}"#).unwrap();
        assert_eq!(load::<Shelf>(&path), shelf());
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
            assert_eq!(load::<Shelf>(&path), expected, "{newer}");
            assert_eq!(check::<Shelf>(&path).unwrap_err().kind, FailureKind::NewerData);
            assert_eq!(save(&path, &shelf()).unwrap_err().kind, FailureKind::NewerData);
            assert_eq!(fs::read_to_string(&path).unwrap(), newer);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is set aside");
        }
    }
}
