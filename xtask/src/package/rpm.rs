//! The package for Fedora, openSUSE and others with RPM.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::Failure;

use super::tree::{self, Layout};
use super::{Release, files_below, filled, workshop};
use crate::app::Programs;
use crate::steps;
use crate::system::find_program;

/// Makes the package in `folder`; `None`, with a line that says why, on a system without `rpmbuild`. What it requires
/// are names of libraries, which `rpmbuild` reads from the programs: they are the same on every distribution.
pub(super) fn build(
    programs: &Programs,
    release: &Release,
    folder: &Path,
) -> Result<Option<PathBuf>, Failure> {
    if find_program("rpmbuild").is_none() {
        println!(".rpm: not made here. It needs rpmbuild.");
        return Ok(None);
    }
    let root = workshop(folder).join("rpm");
    tree::lay_out(&root, Layout::Rpm, programs, release)?;
    let spec = workshop(folder).join("loopdeck.spec");
    let values =
        [("VERSION", &*release.version), ("TREE", &*root.to_string_lossy()), ("FILES", &*listed(&root)?)];
    fs::write(&spec, filled("rpm/loopdeck.spec", &values)?)?;
    let name = steps::output(Command::new("rpm").args(["--eval", "%{_target_cpu}"]))?;
    let name = format!("loopdeck-{}-1.{name}.rpm", release.version);
    let mut pack = Command::new("rpmbuild");
    pack.env("SOURCE_DATE_EPOCH", &release.epoch).args(["-bb", "--quiet"]);
    for define in [
        format!("_topdir {}", workshop(folder).join("rpmbuild").display()),
        format!("_rpmdir {}", folder.display()),
        format!("_rpmfilename {name}"),
        "clamp_mtime_to_source_date_epoch 1".to_owned(),
    ] {
        pack.arg("--define").arg(define);
    }
    steps::run("rpmbuild", pack.arg(&spec))?;
    Ok(Some(folder.join(name)))
}

/// The list `%files`: every file, and the folders that are ours alone.
fn listed(root: &Path) -> Result<String, Failure> {
    let files = files_below(root)?;
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.retain(|folder| folder.ends_with("loopdeck"));
    folders.dedup();
    let folders = folders.iter().map(|folder| format!("%dir /{}", folder.display()));
    let files = files.iter().map(|file| match file.starts_with("usr/share/licenses") {
        true => format!("%license /{}", file.display()),
        false => format!("/{}", file.display()),
    });
    Ok(folders.chain(files).collect::<Vec<_>>().join("\n"))
}
