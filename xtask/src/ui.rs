//! Node, the UI's packages and its build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{fs, io};

use xtask::Failure;
use xtask::workspace::root;

use crate::steps;

/// The oldest Node that the UI's build tools support.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// npm is a script on Windows, and `Command` finds scripts only by their full name.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Installs exactly the packages of the lock file, unless they are already installed.
pub(crate) fn install(state: &Path) -> Result<(), Failure> {
    let stamp = state.join("ui-packages.lock");
    let wanted = fs::read(folder().join("package-lock.json"))?;
    let is_there =
        folder().join("node_modules").is_dir() && fs::read(&stamp).is_ok_and(|done| done == wanted);
    if is_there {
        return Ok(());
    }
    steps::heading("UI packages");
    steps::run("npm ci", npm().args(["ci", "--no-audit", "--no-fund"]))?;
    fs::create_dir_all(state)?;
    Ok(fs::write(stamp, wanted)?)
}

/// Builds `ui/dist`, unless nothing in `ui/` has changed since.
pub(crate) fn build(state: &Path) -> Result<(), Failure> {
    let stamp = state.join("ui-built");
    let built = fs::metadata(&stamp).and_then(|stamp| stamp.modified()).ok();
    if built.is_some_and(|built| newest(&folder()).is_ok_and(|change| change < built)) && has_page() {
        return Ok(());
    }
    let started = SystemTime::now();
    steps::run("npm run build", npm().args(["run", "build"]))?;
    fs::create_dir_all(state)?;
    fs::File::create(stamp)?.set_modified(started)?; // changes during the build must be newer than the stamp
    Ok(())
}

/// `npm` in the UI's folder.
pub(crate) fn npm() -> Command {
    let mut command = Command::new(NPM);
    command.current_dir(folder());
    command
}

fn folder() -> PathBuf {
    root().join("ui")
}

fn has_page() -> bool {
    folder().join("dist/assets").is_dir() // a page without it is the placeholder of `src-tauri/build.rs`
}

/// Newest change below `folder`, ignoring build products and packages. Folders count: a deleted file changes
/// only its folder.
fn newest(folder: &Path) -> io::Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if ["node_modules", "dist"].iter().any(|skipped| entry.file_name() == *skipped) {
            continue;
        }
        newest = newest.max(entry.metadata()?.modified()?);
        if entry.file_type()?.is_dir() {
            newest = newest.max(self::newest(&entry.path())?);
        }
    }
    Ok(newest)
}

/// Fails with a sentence for the person when Node or its npm is missing or too old.
pub(crate) fn check_node() -> Result<(), Failure> {
    let (major, minor) = OLDEST_NODE;
    let wish = format!("Node {major}.{minor} or newer with npm is needed (https://nodejs.org)");
    let node = version_of("node").ok_or_else(|| format!("{wish}; no node was found"))?;
    if parse_version(&node).is_none_or(|found| found < OLDEST_NODE) {
        return Err(format!("{wish}; found node {node}").into());
    }
    version_of(NPM).ok_or_else(|| format!("{wish}; found node {node}, but no npm"))?; // separate in Debian
    Ok(())
}

/// The version that `program` reports.
fn version_of(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches('v').split('.').map_while(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions() {
        assert!(parse_version("v20.20.2\n") >= Some(OLDEST_NODE));
        assert!(parse_version("v18.20.0") < Some(OLDEST_NODE));
        assert_eq!(parse_version("nonsense"), None);
    }
}
