//! Tests that need a process of their own, because they count what it holds, or change what it reads once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const ALONE: &str = "LOOPDECK_TEST_ALONE";

/// Runs `play` in a process that runs nothing but `test`, named as `--exact` expects it.
///
/// # Panics
/// When it fails there, or when there is no test with this name.
pub fn alone(test: &str, play: impl FnOnce()) {
    if is_alone(test) {
        return play();
    }
    run_alone(test, &mut again());
}

/// The same with a folder of programs of the test, which is first on PATH.
///
/// # Panics
/// Like [`alone`].
pub fn alone_with_programs(test: &str, play: impl FnOnce(&Path)) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if is_alone(test) {
        return play(&folders[0]);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    folders.insert(0, folder.path().to_owned());
    let path: OsString = std::env::join_paths(folders).expect("a path");
    run_alone(test, again().env("PATH", path).env("SHELL", "/bin/true"));
}

fn is_alone(test: &str) -> bool {
    std::env::var_os(ALONE).is_some_and(|alone| alone == test)
}

fn again() -> Command {
    Command::new(std::env::current_exe().expect("this program"))
}

fn run_alone(test: &str, again: &mut Command) {
    let output = again.args(["--exact", test, "--nocapture"]).env(ALONE, test).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
