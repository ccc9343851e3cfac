//! Processes of a run, by the marker in their environment.

use rustix::process::{Pid, Signal};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Pid and name of every process with this `LOOPDECK_RUN_ID`.
pub fn marked(marker: &str) -> Vec<(i32, String)> {
    with(&format!("LOOPDECK_RUN_ID={marker}"))
}

/// Pid and name of every process with this entry in its environment.
pub(super) fn with(wanted: &str) -> Vec<(i32, String)> {
    let has = |pid: i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    };
    let named = |pid: i32| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        (pid, name.trim().to_owned())
    };
    let all = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| has(*pid)).map(named).collect()
}

/// Those with this `LOOPDECK_RUN_ID`, once there are none or after `patience`.
pub(super) fn still_there(marker: &str, patience: Duration) -> Vec<(i32, String)> {
    still_with(&format!("LOOPDECK_RUN_ID={marker}"), patience)
}

/// Those with this entry in their environment, once there are none or after `patience`.
pub(super) fn still_with(entry: &str, patience: Duration) -> Vec<(i32, String)> {
    let deadline = Instant::now() + patience;
    loop {
        let left = with(entry);
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

pub(super) fn kill(processes: &[(i32, String)]) {
    for (pid, _) in processes {
        if let Some(pid) = Pid::from_raw(*pid) {
            let _ = rustix::process::kill_process(pid, Signal::KILL); // may already be gone
        }
    }
}
