//! A copy of a fresh Debian in which a test installs, uses and removes a package.

use crate::programs::write_program;
use loopdeck_core::stable_hash::stable_hash;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use xtask::child::bound_command;
use xtask::fresh::{inside, script};

/// The driver of the window, which is beside the system and not installed in it.
const DRIVER: &str = "/opt/equipment/usr/bin/WebKitWebDriver";

/// Folders in which nothing is kept.
const NOT_KEPT: [&str; 4] = ["proc", "sys", "dev", "tmp"];

/// The system; its folder is removed after the test.
#[derive(Debug)]
pub struct FreshSystem {
    root: PathBuf,
    folder: TempDir,
}

/// What is on its disk: the path and what is there, a checksum or the target of a link.
pub type Disk = BTreeMap<PathBuf, String>;

impl FreshSystem {
    /// Copies the system at `from`, next to it.
    pub fn copy_of(from: &Path) -> Self {
        let place = from.parent().expect("a folder for the system");
        let folder = TempDir::with_prefix_in("used-", place).expect("a temporary folder");
        let root = folder.path().join("root");
        let mut copy = bound_command("cp");
        let copied = copy.args(["--archive", "--reflink=auto"]).arg(from).arg(&root).status();
        assert!(copied.expect("cp starts").success(), "{} is copied", from.display());
        Self { root, folder }
    }

    /// Where `path`, which is absolute, is outside of the system.
    pub fn outside(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// A command for a program of the system.
    pub fn command(&self, program: &str) -> Command {
        inside(&self.root, program)
    }

    /// Runs a program of the system to its end; it must succeed. Returns what it prints.
    pub fn run(&self, program: &str, args: &[&str]) -> String {
        let Output { status, stdout, stderr } =
            self.command(program).args(args).output().expect("the program starts");
        let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "{program} {args:?}: {status}\n{out}\n{err}");
        out.into_owned()
    }

    /// A program outside that drives the window of a program in the system.
    pub(super) fn driver(&self) -> PathBuf {
        let file = self.folder.path().join("driver");
        write_program(&file, &script(&self.root, DRIVER));
        file
    }

    /// Everything on its disk.
    pub fn disk(&self) -> Disk {
        let mut disk = Disk::new();
        for entry in fs::read_dir(&self.root).expect("the root").flatten() {
            if NOT_KEPT.iter().all(|name| entry.file_name() != *name) {
                self.read(&entry.path(), &mut disk);
            }
        }
        disk
    }

    fn read(&self, path: &Path, disk: &mut Disk) {
        let data = path.symlink_metadata().expect("what is there");
        let found = if data.is_symlink() {
            path.read_link().expect("a link").display().to_string()
        } else if data.is_file() {
            let hash = stable_hash(&fs::read(path).expect("a file"));
            format!("{:o} {hash:x}", data.permissions().mode())
        } else {
            format!("{:o}", data.permissions().mode())
        };
        disk.insert(path.strip_prefix(&self.root).expect("a path below").to_owned(), found);
        if data.is_dir() {
            for entry in fs::read_dir(path).expect("a folder").flatten() {
                self.read(&entry.path(), disk);
            }
        }
    }

    /// Processes that run in the system, by their names.
    pub fn processes(&self) -> Vec<String> {
        let entries = fs::read_dir("/proc").expect("processes").flatten();
        let inside = entries
            .filter(|entry| fs::read_link(entry.path().join("root")).is_ok_and(|root| root == self.root));
        inside.filter_map(|entry| fs::read_to_string(entry.path().join("comm")).ok()).collect()
    }
}

/// What is new or different in `after`, and what is gone.
#[must_use]
pub fn changed(before: &Disk, after: &Disk) -> Vec<PathBuf> {
    let differs = after.iter().filter(|(path, found)| before.get(*path) != Some(found));
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    differs.map(|(path, _)| path).chain(gone).cloned().collect()
}
