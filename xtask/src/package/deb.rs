//! The package for Debian, Ubuntu and derivatives.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::Failure;

use super::tree::{self, Layout};
use super::{Release, files_below, filled, packaging, workshop};
use crate::app::Programs;
use crate::steps;
use crate::system::find_program;

/// The tools, all of Debian's own.
const TOOLS: [&str; 2] = ["dpkg-deb", "dpkg-shlibdeps"];

/// Makes the package in `folder`; `None`, with a line that says why, on a system without Debian's tools.
pub(super) fn build(
    programs: &Programs,
    release: &Release,
    folder: &Path,
) -> Result<Option<PathBuf>, Failure> {
    if let Some(tool) = TOOLS.iter().find(|tool| find_program(tool).is_none()) {
        println!(".deb: not made here. It needs {tool}, and Debian's or Ubuntu's names of libraries.");
        return Ok(None);
    }
    let root = workshop(folder).join("deb");
    tree::lay_out(&root, Layout::Debian, programs, release)?;
    let architecture = steps::output(Command::new("dpkg").arg("--print-architecture"))?;
    let depends = depends(programs, &workshop(folder).join("shlibdeps"))?;
    write_control(&root, release, &architecture, &depends)?;
    let package = folder.join(format!("loopdeck_{}_{architecture}.deb", release.version));
    let mut pack = Command::new("dpkg-deb");
    // The most that xz can: both programs share half of their code, and it looks far enough back to see that.
    pack.env("SOURCE_DATE_EPOCH", &release.epoch).args([
        "--root-owner-group",
        "-Zxz",
        "-z9",
        "-Sextreme",
        "--build",
    ]);
    steps::run("dpkg-deb", pack.arg(&root).arg(&package))?;
    Ok(Some(package))
}

/// The packages that have the libraries which the programs are linked to, in the versions whose symbols they use.
fn depends(programs: &Programs, folder: &Path) -> Result<String, Failure> {
    fs::create_dir_all(folder.join("debian"))?;
    // The tool reads it even when nothing in it matters.
    fs::write(folder.join("debian/control"), "Source: loopdeck\n\nPackage: loopdeck\nArchitecture: any\n")?;
    let mut command = Command::new("dpkg-shlibdeps");
    command.current_dir(folder).arg("-O").arg(&programs.cli).arg(&programs.desktop);
    let answer = steps::output(&mut command)?;
    let depends = answer.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    Ok(depends.ok_or("dpkg-shlibdeps found no dependencies")?.to_owned())
}

fn write_control(root: &Path, release: &Release, architecture: &str, depends: &str) -> Result<(), Failure> {
    let files = files_below(root)?;
    let size: u64 = files.iter().map(|file| fs::metadata(root.join(file)).map_or(0, |data| data.len())).sum();
    let mut sums = Command::new("md5sum");
    let sums = steps::output(sums.current_dir(root).arg("--").args(&files))?;
    let control = root.join("DEBIAN");
    fs::create_dir_all(&control)?;
    let values = [
        ("VERSION", &*release.version),
        ("ARCH", architecture),
        ("SIZE", &*size.div_ceil(1024).to_string()),
        ("DEPENDS", depends),
    ];
    fs::write(control.join("control"), filled("deb/control", &values)?)?;
    fs::write(control.join("md5sums"), format!("{sums}\n"))?;
    fs::copy(packaging().join("deb/postrm"), control.join("postrm"))?;
    tree::set_mode(&control.join("postrm"), 0o755)
}
