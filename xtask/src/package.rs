//! `cargo xtask package`: both programs as packages of this system, with what each one weighs.

mod deb;
mod others;
mod rpm;
mod tree;
mod weight;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;
use xtask::Failure;
use xtask::workspace::{metadata, root, target_dir};

use crate::packages::Purpose;
use crate::{app, steps, system, ui};

/// What is packed: version and time of the commit.
pub(crate) struct Release {
    version: String,
    /// Seconds since 1970 UTC. Files in packages carry it, so that the same commit gives the same package.
    epoch: String,
    /// The same as `2026-11-27`.
    date: String,
}

/// Builds both programs, packs them, and fails when one of them is too large. Returns the `.deb`, where one is made.
pub(crate) fn run() -> Result<Option<PathBuf>, Failure> {
    ui::check_node()?;
    system::ensure(&[Purpose::Build, Purpose::Packaging])?;
    let programs = app::build(true)?;
    let release = Release::current()?;
    let folder = target_dir()?.join("package");
    if folder.exists() {
        fs::remove_dir_all(&folder)?; // packages of other versions
    }
    let mut made = Vec::new();
    let mut debian = None;
    if cfg!(target_os = "linux") {
        steps::heading("Packages");
        debian = deb::build(&programs, &release, &folder)?;
        made.extend(debian.clone());
        made.extend(rpm::build(&programs, &release, &folder)?);
    }
    others::build()?;
    weight::check(&made)?;
    Ok(debian)
}

impl Release {
    fn current() -> Result<Self, Failure> {
        let metadata = metadata(false)?;
        let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
        let desktop = packages.iter().find(|package| package["name"] == "loopdeck");
        let version = desktop.and_then(|package| package["version"].as_str()).ok_or("no version")?;
        let epoch = match env::var("SOURCE_DATE_EPOCH") {
            Ok(given) => given,
            Err(_) => {
                steps::output(Command::new("git").current_dir(root()).args(["log", "-1", "--format=%ct"]))?
            }
        };
        let date =
            steps::output(Command::new("date").args(["--utc", "+%F", "--date"]).arg(format!("@{epoch}")))?;
        Ok(Self { version: version.to_owned(), epoch, date })
    }
}

/// The template `name` below `packaging`, with each `@NAME@` replaced.
fn filled(name: &str, values: &[(&str, &str)]) -> Result<String, Failure> {
    let file = packaging().join(name);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let text = values.iter().fold(text, |text, (name, value)| text.replace(&format!("@{name}@"), value));
    Ok(text)
}

/// Where packages are put together: what is left in `folder` itself is for people.
fn workshop(folder: &Path) -> PathBuf {
    folder.join("workshop")
}

/// The folder of templates.
fn packaging() -> PathBuf {
    root().join("packaging")
}

/// `bytes` compressed by gzip, without a name and a time.
fn compressed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Every file below `folder`, sorted, relative to it.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                collect(&entry.path(), files)?;
            } else {
                files.push(entry.path());
            }
        }
        Ok(())
    }
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    Ok(files.into_iter().filter_map(|file| Some(file.strip_prefix(folder).ok()?.to_owned())).collect())
}
