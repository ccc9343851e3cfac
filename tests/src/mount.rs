//! A folder behind a FUSE server that can be stopped: a disk or a network that hangs.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// How long mounting may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A mounted folder. It is unmounted with the value, whether its server is stopped or not.
#[derive(Debug)]
pub struct Mount {
    /// The workspace: what is mounted, or the folder around it.
    pub folder: PathBuf,
    mounted: PathBuf,
    server: Child,
    _dirs: tempfile::TempDir,
}

impl Mount {
    /// Mounts a folder that `fill` has filled. `None`, with a line that says so, where the machine has no FUSE.
    pub fn new(fill: impl FnOnce(&Path)) -> Option<Self> {
        Self::below("", fill)
    }

    /// The same, at `below` in a folder that is on a disk as usual.
    pub fn below(below: &str, fill: impl FnOnce(&Path)) -> Option<Self> {
        if !Path::new("/dev/fuse").exists() {
            eprintln!("skipped: this machine has no FUSE");
            return None;
        }
        let dirs = tempfile::tempdir().unwrap();
        let (behind, folder) = (dirs.path().join("behind"), dirs.path().join("mounted"));
        fs::create_dir_all(&behind).unwrap();
        let mounted = folder.join(below);
        fs::create_dir_all(&mounted).unwrap();
        fill(&behind);
        fs::write(behind.join("mounted"), "").unwrap();
        let server = Command::new("bindfs").arg("-f").args([&behind, &mounted]).spawn().expect("bindfs");
        let mount = Self { folder, mounted, server, _dirs: dirs };
        let deadline = Instant::now() + PATIENCE;
        while !mount.mounted.join("mounted").is_file() {
            assert!(Instant::now() < deadline, "{} is not mounted", mount.folder.display());
            thread::sleep(Duration::from_millis(20)); // nothing announces a mount
        }
        Some(mount)
    }

    /// Nothing that touches the folder is answered from now on.
    pub fn hang(&self) {
        self.signal(Signal::STOP);
    }

    /// Everything is answered again.
    pub fn answer(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.server), signal).unwrap();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        self.answer();
        let _ = Command::new("fusermount").arg("-uz").arg(&self.mounted).status();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
