//! The resources that the processes of one app use, as Linux counts them.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A process of the app.
pub(crate) struct Process {
    pid: u32,
    /// `app`, `guardian`, `page` (the web view's process) or `agent`.
    pub(crate) kind: &'static str,
}

/// The app with this data folder, and the processes it started.
pub(crate) fn below(data_dir: &Path) -> Vec<Process> {
    let wanted = data_dir.as_os_str().as_bytes();
    let all: Vec<(u32, u32, Vec<u8>)> = fs::read_dir("/proc")
        .expect("a process list")
        .flatten()
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let words = fs::read(entry.path().join("cmdline")).ok()?;
            Some((pid, parent(pid)?, words))
        })
        .collect();
    let app = all.iter().find(|(_, _, words)| words.split(|byte| *byte == 0).any(|word| word == wanted));
    let Some((app, ..)) = app else { return Vec::new() };
    let is_below = |mut pid: u32| loop {
        match all.iter().find(|(one, ..)| *one == pid) {
            Some((_, above, _)) if above == app => return true,
            Some((_, above, _)) if *above > 1 => pid = *above,
            _ => return false,
        }
    };
    let kind = |words: &[u8]| {
        let has = |text: &str| words.windows(text.len()).any(|part| part == text.as_bytes());
        match () {
            () if has("--guardian") => "guardian",
            () if has("WebKitWebProcess") => "page",
            () => "agent",
        }
    };
    let runs = |words: &[u8]| words.windows(wanted.len()).any(|part| part == wanted);
    let mut found = vec![Process { pid: *app, kind: "app" }];
    for (pid, _, words) in &all {
        if pid != app && (is_below(*pid) || runs(words)) {
            found.push(Process { pid: *pid, kind: kind(words) });
        }
    }
    found
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
