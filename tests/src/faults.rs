//! Disks in trouble: small, separate file systems, mounted for one test. Needs root; fails loudly without.
#![allow(clippy::disallowed_methods, reason = "mounting is a program of the system, and only tests mount")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A separate disk, unmounted at the end.
pub struct SmallDisk {
    path: PathBuf,
    /// Its own folder, if none was given; removed with it.
    own: Option<TempDir>,
}

impl SmallDisk {
    /// A disk of this many kilobytes.
    ///
    /// # Panics
    /// When it cannot be mounted: an untested fault must not count as tested.
    pub fn mount(kilobytes: u32) -> Self {
        let folder = TempDir::with_prefix("loopdeck-disk-").expect("a temporary folder");
        let mut disk = Self::mount_at(folder.path(), kilobytes);
        disk.own = Some(folder);
        disk
    }

    /// The same, mounted on an existing folder.
    ///
    /// # Panics
    /// Like [`SmallDisk::mount`].
    pub fn mount_at(folder: &Path, kilobytes: u32) -> Self {
        let size = format!("size={kilobytes}k,mode=755");
        run("mount", &["-t", "tmpfs", "-o", &size, "loopdeck-test"], folder);
        Self { path: folder.to_owned(), own: None }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it read-only, or writable again.
    ///
    /// # Panics
    /// When that is not possible.
    pub fn read_only(&self, on: bool) {
        let option = if on { "remount,ro" } else { "remount,rw" };
        run("mount", &["-o", option], self.path());
    }

    /// Fills it to the last byte; returns the file to remove to make room again.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let mut filler = std::fs::File::create(&path).expect("created");
        for size in [4096, 1] {
            while filler.write_all(&vec![b'x'; size]).is_ok() {}
        }
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

fn run(program: &str, args: &[&str], folder: &Path) {
    let done = Command::new(program).args(args).arg(folder).status();
    let done = done.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(done.success(), "{program} {args:?} {} failed: this test needs root", folder.display());
}
