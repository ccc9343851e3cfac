//! Where the repository and its build products are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;

/// The folder of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// `cargo` of the toolchain in use, in the repository.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // Those of this program: ring's build looks at one of them, and is built again whenever it differs.
    for (name, _) in env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_"))
        {
            command.env_remove(name);
        }
    }
    if env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0"); // never built twice there, and a third of the disk
    }
    command
}

/// The output of `cargo metadata`, without dependencies unless asked for.
pub fn metadata(with_dependencies: bool) -> Result<serde_json::Value, Failure> {
    let mut command = cargo();
    command.args(["metadata", "--format-version=1", "--all-features"]).stderr(Stdio::inherit());
    if !with_dependencies {
        command.arg("--no-deps");
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err("cargo metadata failed".into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The folder cargo builds into.
pub fn target_dir() -> Result<PathBuf, Failure> {
    let metadata = metadata(false)?;
    let folder = metadata["target_directory"].as_str().ok_or("cargo metadata names no target folder")?;
    Ok(folder.into())
}

/// The desktop's program file, where `cargo build` puts it.
pub fn app_program(target_dir: &Path, release: bool) -> PathBuf {
    program(target_dir, release, "loopdeck-desktop")
}

/// The command line's program file; it finds the desktop's next to itself.
pub fn cli_program(target_dir: &Path, release: bool) -> PathBuf {
    program(target_dir, release, "loopdeck")
}

fn program(target_dir: &Path, release: bool, name: &str) -> PathBuf {
    let profile = if release { "release" } else { "debug" };
    target_dir.join(profile).join(format!("{name}{}", env::consts::EXE_SUFFIX))
}
