//! A fresh Debian in a folder, with what our package depends on and nothing more, for the test of the package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::Failure;
use xtask::fresh::inside;

use crate::{steps, system};

/// Drives the window. It is no part of the installed system: unpacked in a folder of its own, so that its dependencies can't
/// hide one that our package lacks.
const DRIVER: &str = "webkit2gtk-driver";
/// The folder for it, below the root.
const EQUIPMENT: &str = "opt/equipment";

/// Fails with a sentence unless root asks: only root may enter another root.
pub(crate) fn only_root() -> Result<(), Failure> {
    if system::is_root()? { Ok(()) } else { Err("the package is tested as root; use sudo".into()) }
}

/// Lays out the system below `state`, once for each list of dependencies, and returns its root folder.
pub(crate) fn lay_out(state: &Path, package: &Path) -> Result<PathBuf, Failure> {
    let archives = archives()?;
    let depends = steps::output(Command::new("dpkg-deb").arg("--field").arg(package).arg("Depends"))?;
    let folder = state.join("fresh-debian");
    let (root, stamp) = (folder.join("root"), folder.join("complete"));
    let wanted = format!("{}\n{depends}", lines(&archives));
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(root);
    }
    steps::heading("A fresh Debian");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let main = archives.first().ok_or("apt on this machine has no archive of this release")?;
    let mut bootstrap = Command::new("debootstrap");
    bootstrap.args(["--variant=minbase", "--include=ca-certificates", &main.release]);
    steps::run("debootstrap", bootstrap.arg(&root).arg(&main.address))?;
    fs::write(root.join("etc/apt/sources.list"), lines(&archives))?;
    fs::copy("/etc/resolv.conf", root.join("etc/resolv.conf"))?;
    steps::run("apt-get update", apt(&root).arg("update"))?;
    steps::run("apt-get satisfy", apt(&root).args(["satisfy", "--no-install-recommends", &depends]))?;
    equip(&root)?;
    steps::run("apt-get clean", apt(&root).arg("clean"))?;
    fs::write(stamp, wanted)?;
    Ok(root)
}

fn equip(root: &Path) -> Result<(), Failure> {
    let folder = root.join(EQUIPMENT);
    fs::create_dir_all(&folder)?;
    let mut download = inside(root, "sh");
    download.args(["-euc", &format!("cd /{EQUIPMENT} && apt-get --quiet download {DRIVER}")]);
    steps::run("apt-get download", &mut download)?;
    for entry in fs::read_dir(&folder)? {
        let file = entry?.path();
        steps::run("dpkg-deb", Command::new("dpkg-deb").arg("--extract").arg(&file).arg(&folder))?;
        fs::remove_file(file)?;
    }
    Ok(())
}

fn apt(root: &Path) -> Command {
    let mut command = inside(root, "apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").args(["--quiet", "--yes"]);
    command
}

/// One archive that apt uses on this machine.
struct Archive {
    address: String,
    release: String,
    component: String,
}

/// The archives of this machine's own release: `bookworm`, `bookworm-updates`, `bookworm-security`; the main one first.
fn archives() -> Result<Vec<Archive>, Failure> {
    let format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", format, "Created-By: Packages"]);
    let listed = steps::output(&mut command)?;
    let codename =
        steps::output(Command::new("sh").args(["-c", ". /etc/os-release && echo $VERSION_CODENAME"]))?;
    let mut archives: Vec<Archive> = listed.lines().filter_map(Archive::read).collect();
    archives.retain(|one| one.release == codename || one.release.starts_with(&format!("{codename}-")));
    archives.sort_by_key(|one| one.release != codename);
    Ok(archives)
}

impl Archive {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ').map(str::to_owned);
        Some(Self { address: words.next()?, release: words.next()?, component: words.next()? })
    }
}

/// As in `sources.list`.
fn lines(archives: &[Archive]) -> String {
    let line = |one: &Archive| format!("deb {} {} {}\n", one.address, one.release, one.component);
    archives.iter().map(line).collect()
}
