//! Where Loopdeck keeps its own data, and which starts count as "the same Loopdeck". Here, because both programs, the command
//! line and the desktop, must agree on it.

use crate::files::Canonical as _;
use loopdeck_core::stable_hash::stable_hash;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Name of the variable that does what `--data-dir` does.
const VARIABLE: &str = "LOOPDECK_DATA_DIR";

/// Folder name below the user's application data folder.
const FOLDER: &str = "loopdeck";

/// The folder with settings, trust, journal and window state. Exists and is absolute.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    is_default: bool,
}

impl DataDir {
    /// Takes `given`, or the user's application data folder, and creates it.
    ///
    /// # Errors
    /// When there is no such folder, or it cannot be created; names it.
    pub fn resolve(given: Option<PathBuf>) -> io::Result<Self> {
        let default = default_folder();
        let wanted = given.or_else(|| default.clone()).ok_or_else(no_data_dir)?;
        fs::create_dir_all(&wanted).map_err(|error| with_path(&error, &wanted))?;
        let path = wanted.canonical().map_err(|error| with_path(&error, &wanted))?;
        let is_default = default.and_then(|default| default.canonical().ok()).as_ref() == Some(&path);
        Ok(Self { path, is_default })
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What to append to the app's identifier so that only starts with the same data find each other;
    /// nothing for the default folder.
    #[must_use]
    pub fn instance_suffix(&self) -> Option<String> {
        if self.is_default {
            return None;
        }
        let hash = stable_hash(self.path.as_os_str().as_encoded_bytes());
        Some(format!(".d{hash:016x}")) // a D-Bus name element must not start with a digit
    }
}

/// The folder that `LOOPDECK_DATA_DIR` names; a blank one names none.
#[must_use]
pub fn from_environment() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// `given`, or the user's application data folder, whether or not it exists: for reading what may be there.
#[must_use]
pub fn without_creating(given: Option<PathBuf>) -> Option<PathBuf> {
    given.or_else(default_folder)
}

fn default_folder() -> Option<PathBuf> {
    ::dirs::data_dir().map(|data| data.join(FOLDER))
}

fn no_data_dir() -> io::Error {
    let home = if cfg!(windows) { "%USERPROFILE%" } else { "$HOME" };
    io::Error::other(format!("no application data folder ({home} is not set); use --data-dir DIR"))
}

fn with_path(error: &io::Error, path: &Path) -> io::Error {
    let shown = env::current_dir().map_or_else(|_| path.to_path_buf(), |cwd| cwd.join(path));
    io::Error::new(error.kind(), format!("cannot use the data folder {}: {error}", shown.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_a_folder_are_one_instance() {
        let temp = tempfile::tempdir().expect("temp dir");
        let plain = DataDir::resolve(Some(temp.path().join("d"))).expect("created");
        let spelled = DataDir::resolve(Some(temp.path().join("d/../d"))).expect("created");
        assert_eq!(plain.instance_suffix(), spelled.instance_suffix());
        assert!(plain.instance_suffix().is_some());
    }

    #[test]
    fn two_folders_are_two_instances() {
        let temp = tempfile::tempdir().expect("temp dir");
        let one = DataDir::resolve(Some(temp.path().join("one"))).expect("created");
        let two = DataDir::resolve(Some(temp.path().join("two"))).expect("created");
        assert_ne!(one.instance_suffix(), two.instance_suffix());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let file = tempfile::NamedTempFile::new().expect("temp file");
        let error = DataDir::resolve(Some(file.path().to_path_buf())).expect_err("refused");
        assert!(error.to_string().contains(&file.path().display().to_string()), "{error}");
    }
}
