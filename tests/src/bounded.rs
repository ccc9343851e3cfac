//! Hostile files, and programs whose memory is watched: whoever reads such a file without a bound ends at it, not the machine.

use rustix::fs::{CWD, FileType, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xtask::child::bound_command;

/// The memory that a program may have at its peak, in kB. A look at a folder needs a fraction of it.
const MEMORY: u64 = 300_000;
/// All that it may ask for, in kB: one without a bound ends there. More than [`LARGE`], so that reading that whole succeeds, and shows.
const ALL_MEMORY: u64 = 12_000_000;
/// More than anything that is read, and far more than [`MEMORY`].
const LARGE: u64 = 10 << 30;
/// How often the memory of a program is looked at. Its peak stays visible until its end.
const LOOK: Duration = Duration::from_millis(2);
/// A program that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// A file that grows begins again at this size.
const GROWN: u64 = 50 << 20;

/// Runs `program`, and waits for its end.
///
/// # Panics
/// When it hangs, or has more memory than it needs; it is killed then.
#[must_use]
pub fn bounded(program: impl AsRef<OsStr>, change: impl FnOnce(&mut Command)) -> Output {
    let mut command = bound_command("sh");
    command.args(["-c", &format!("ulimit -d {ALL_MEMORY} && exec \"$0\" \"$@\"")]).arg(program);
    change(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("a shell");
    let pid = Pid::from_child(&child);
    let (tell, told) = channel();
    std::thread::spawn(move || tell.send(child.wait_with_output()));
    let end = Instant::now() + PATIENCE;
    loop {
        match told.recv_timeout(LOOK) {
            Ok(output) => return output.expect("its output"),
            Err(_) => {
                let peak = peak(pid).unwrap_or_default(); // nothing is known of one that just ended
                if peak > MEMORY || Instant::now() > end {
                    let _ = kill_process(pid, Signal::KILL); // as above
                    panic!("{command:?} hangs, or needs too much: {peak} kB")
                }
            }
        }
    }
}

/// The most memory that a process had, in kB.
fn peak(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// What may be in the place of a file that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    /// A pipe: who opens it waits for a writer.
    Pipe,
    /// A link to a device that never ends.
    Device,
    /// Ten gigabytes that take no room on the disk.
    Sparse,
    /// A link to a file in another folder.
    Outside,
    /// A folder.
    Folder,
    /// A socket.
    Socket,
    /// A file that somebody writes to all the time.
    Growing,
}

impl Hostile {
    /// Each of them.
    pub const ALL: [Self; 7] =
        [Self::Pipe, Self::Device, Self::Sparse, Self::Outside, Self::Folder, Self::Socket, Self::Growing];

    /// Puts it at `path`. One that grows does so until the answer is dropped.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn put(self, path: &Path, outside: &Path) -> Option<Grower> {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        match self {
            Self::Pipe => mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).expect("a pipe"),
            Self::Device => symlink("/dev/zero", path).expect("a link"),
            Self::Sparse => File::create(path).and_then(|file| file.set_len(LARGE)).expect("a large file"),
            Self::Outside => symlink(outside, path).expect("a link"),
            Self::Folder => fs::create_dir(path).expect("a folder"),
            Self::Socket => {
                // Its path may be too long for one.
                let short = tempfile::tempdir().expect("a folder");
                UnixListener::bind(short.path().join("s")).map(drop).expect("a socket");
                fs::rename(short.path().join("s"), path).expect("moved");
            }
            Self::Growing => return Some(Grower::start(path)),
        }
        None
    }
}

/// What is written at once.
const BLOCK: [u8; 1 << 14] = [b'x'; 1 << 14];

/// Somebody who writes to a file all the time.
#[derive(Debug)]
pub struct Grower {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Grower {
    fn start(path: &Path) -> Self {
        let mut file = File::options().append(true).create(true).open(path).expect("a file");
        let ended = Arc::<AtomicBool>::default();
        let asked = Arc::clone(&ended);
        // It is never empty: that would be harmless.
        file.write_all(&BLOCK).expect("written");
        let work = move || {
            let mut size = BLOCK.len() as u64;
            while !asked.load(Ordering::Relaxed) {
                file.write_all(&BLOCK).expect("written");
                size += BLOCK.len() as u64;
                if size > GROWN {
                    size = BLOCK.len() as u64;
                    file.set_len(size).expect("cut");
                }
            }
        };
        Self { ended, thread: Some(std::thread::spawn(work)) }
    }
}

impl Drop for Grower {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // its panic was printed
        }
    }
}
