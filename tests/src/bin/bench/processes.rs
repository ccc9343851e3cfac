//! The resources that the processes of one app use, as Linux counts them.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// A process of the app.
pub(crate) struct Process {
    pid: u32,
    /// `app`, `guardian`, `page` (the web view's process) or `agent`.
    pub(crate) kind: &'static str,
}

/// A process as the list of them has it: its number, its parent's, the words of its command line.
type Listed = (u32, u32, Vec<u8>);

/// The app with this data folder, and the processes it started.
pub(crate) fn below(data_dir: &Path) -> Vec<Process> {
    let wanted = data_dir.as_os_str().as_bytes();
    let all = listed();
    let app = all.iter().find(|(_, _, words)| words.split(|byte| *byte == 0).any(|word| word == wanted));
    let runs = |words: &[u8]| words.windows(wanted.len()).any(|part| part == wanted);
    app.map_or_else(Vec::new, |(app, ..)| started_by(*app, &all, runs))
}

/// The window that runs this program, and the processes it started.
pub(crate) fn of_program(program: &Path) -> Vec<Process> {
    let all = listed();
    let runs = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
    let app = all.iter().find(|(pid, ..)| runs(*pid));
    app.map_or_else(Vec::new, |(app, ..)| started_by(*app, &all, |_| false))
}

fn listed() -> Vec<Listed> {
    let processes = fs::read_dir("/proc").expect("a process list").flatten();
    let process = |entry: fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        Some((pid, parent(pid)?, words))
    };
    processes.filter_map(process).collect()
}

/// `app`, what is below it, and what else `belongs` to it by its command line.
fn started_by(app: u32, all: &[Listed], belongs: impl Fn(&[u8]) -> bool) -> Vec<Process> {
    let is_below = |mut pid: u32| loop {
        match all.iter().find(|(one, ..)| *one == pid) {
            Some((_, above, _)) if *above == app => return true,
            Some((_, above, _)) if *above > 1 => pid = *above,
            _ => return false,
        }
    };
    let others = all.iter().filter(|(pid, _, words)| *pid != app && (is_below(*pid) || belongs(words)));
    let others = others.map(|(pid, _, words)| Process { pid: *pid, kind: kind(words) });
    std::iter::once(Process { pid: app, kind: "app" }).chain(others).collect()
}

fn kind(words: &[u8]) -> &'static str {
    let has = |text: &str| words.windows(text.len()).any(|part| part == text.as_bytes());
    match () {
        () if has("--guardian") => "guardian",
        () if has("WebKitWebProcess") => "page",
        () => "agent",
    }
}

impl Process {
    /// Resets the peak.
    pub(crate) fn forget_peak(&self) {
        let _ = fs::write(format!("/proc/{}/clear_refs", self.pid), "5"); // an ended one has none
    }

    /// Highest resident memory since the peak was reset.
    pub(crate) fn peak_mb(&self) -> f64 {
        self.memory_mb("VmHWM:")
    }

    /// Resident memory now.
    pub(crate) fn resident_mb(&self) -> f64 {
        self.memory_mb("VmRSS:")
    }

    fn memory_mb(&self, which: &str) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(which));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(0.0) / 1_024.0
    }

    /// How often each of its threads has waited for something so far, and was woken up.
    pub(crate) fn wake_ups(&self) -> HashMap<PathBuf, f64> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        let waits = threads.filter_map(|thread| {
            let status = fs::read_to_string(thread.path().join("status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
            Some((thread.path(), line.trim().parse::<f64>().ok()?))
        });
        waits.collect()
    }

    /// Processor time so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let ticks = |at| stat(self.pid, at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
        (ticks(11) + ticks(12)) / 100.0
    }
}

fn parent(pid: u32) -> Option<u32> {
    stat(pid, 1)?.parse().ok()
}

/// A field of `/proc/<pid>/stat` after the name of the program.
fn stat(pid: u32, at: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(at).map(str::to_owned)
}
