//! The system packages Loopdeck needs: on Debian and Ubuntu they are installed, elsewhere they are named.

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};

use xtask::Failure;

use crate::packages::{self, Distribution, Need, Purpose};
use crate::steps;

/// Makes sure that everything for `purposes` is installed, or says what the person has to install.
pub(crate) fn ensure(purposes: &[Purpose]) -> Result<(), Failure> {
    let needs = packages::needs(purposes);
    match packages::distribution(std::env::consts::OS, &os_release()) {
        Distribution::Debian => install_with_apt(&missing_debian(&needs)?),
        other => {
            packages::print_names(&other, &needs);
            Ok(()) // we cannot know what is there; the build names what is not
        }
    }
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

/// Names from lines like `ii  xvfb`; anything but "installed, as wanted" does not count.
fn installed_packages(listing: &str) -> HashSet<&str> {
    let names = listing.lines().filter_map(|line| line.strip_prefix("ii"));
    names.filter_map(|rest| rest.split_whitespace().last()).collect()
}

fn install_with_apt(missing: &[&Need]) -> Result<(), Failure> {
    if missing.is_empty() {
        return Ok(());
    }
    steps::heading("System packages");
    println!("These Debian packages are missing and will be installed:");
    for need in missing {
        println!("  {:24} {}", need.debian, need.why);
    }
    steps::run("apt-get update", apt()?.arg("update"))?;
    let mut install = apt()?;
    install
        .args(["install", "--yes", "--no-install-recommends"])
        .args(missing.iter().map(|need| need.debian));
    steps::run("apt-get install", &mut install)
}

/// `apt-get` that asks nothing, through sudo when we are not root.
fn apt() -> Result<Command, Failure> {
    let mut command = if is_root()? { Command::new("env") } else { Command::new("sudo") };
    if command.get_program() == "sudo" {
        command.arg("env"); // sudo drops variables that it does not know
    }
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]);
    Ok(command)
}

fn is_root() -> Result<bool, Failure> {
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
