//! The system packages Loopdeck needs: installed on Debian and Ubuntu, only named elsewhere.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use xtask::Failure;
use xtask::workspace::cargo;

use crate::packages::{self, Distribution, Need, Purpose};
use crate::steps;

/// Ensures that everything for `purposes` is installed, or says what the person has to install.
pub(crate) fn ensure(purposes: &[Purpose]) -> Result<(), Failure> {
    let needs = packages::needs(purposes);
    match packages::distribution(env::consts::OS, &os_release()) {
        Distribution::Debian => install_with_apt(&missing_debian(&needs)?),
        other => {
            packages::print_names(&other, &needs);
            Ok(()) // unknown here; the build names what is missing
        }
    }
}

/// The file that a shell would run for `name`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
}

fn os_release() -> String {
    fs::read_to_string("/etc/os-release").unwrap_or_default() // absent outside Linux
}

fn missing_debian<'a>(needs: &[&'a Need]) -> Result<Vec<&'a Need>, Failure> {
    let output = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Abbrev} ${Package}\\n"])
        .stderr(Stdio::null())
        .output()?;
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    let installed = installed_packages(&listing);
    Ok(needs.iter().filter(|need| !installed.contains(need.debian)).copied().collect())
}

/// Names from lines like `ii  xvfb`; only "installed, as wanted" counts.
fn installed_packages(listing: &str) -> HashSet<&str> {
    let names = listing.lines().filter_map(|line| line.strip_prefix("ii"));
    names.filter_map(|rest| rest.split_whitespace().last()).collect()
}

/// Installs the window's WebDriver server if it is missing: the window tests, the bench and the screenshots
/// need it.
pub(crate) fn ensure_window_driver() -> Result<(), Failure> {
    if find_program("tauri-driver").is_some() {
        return Ok(());
    }
    steps::heading("tauri-driver: speaks WebDriver to the window");
    let install = ["install", "--locked", "tauri-driver", "--version", "^2"];
    steps::run("cargo install", cargo().args(install))
}

fn install_with_apt(missing: &[&Need]) -> Result<(), Failure> {
    if missing.is_empty() {
        return Ok(());
    }
    steps::heading("System packages");
    println!("These Debian packages are missing:");
    for need in missing {
        println!("  {:24} {}", need.debian, need.why);
    }
    let names: Vec<&str> = missing.iter().map(|need| need.debian).collect();
    let by_hand = format!("as root: apt-get install --no-install-recommends {}", names.join(" "));
    let is_root = is_root()?;
    if !is_root && find_program("sudo").is_none() {
        return Err(format!("only root may install packages, and there is no sudo here; {by_hand}").into());
    }
    if let Err(error) = steps::run("apt-get update", apt(is_root).arg("update")) {
        eprintln!("{error}"); // one broken source of many may not matter: the known ones may be enough
    }
    let mut install = apt(is_root);
    install.args(["install", "--yes", "--no-install-recommends"]).args(names);
    steps::run("apt-get install", &mut install).map_err(|error| format!("{error}; {by_hand}").into())
}

/// `apt-get` without questions, through sudo when we are not root.
fn apt(is_root: bool) -> Command {
    let mut command = Command::new(if is_root { "env" } else { "sudo" });
    if !is_root {
        command.arg("env"); // sudo drops variables that it does not know
    }
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]);
    command
}

/// Whether we may do everything on this machine.
pub(crate) fn is_root() -> Result<bool, Failure> {
    let output = Command::new("id").arg("-u").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_packages_are_missing() {
        let installed = installed_packages("ii  xvfb\nrc  dbus\nun  import\nii  pkg-config\n");
        assert_eq!(installed, HashSet::from(["xvfb", "pkg-config"]));
    }
}
