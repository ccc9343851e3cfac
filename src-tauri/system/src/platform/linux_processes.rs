//! Linux: `/proc`, and signals through pidfds.

use crate::processes::seen::{CannotTell, Process, ProcessId, Sent, SignalKind};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use std::fs;
use std::io;
use std::time::Duration;

/// Clock ticks of `/proc` in a second: the kernel converts to these for programs.
const TICKS: u64 = 100;

pub(crate) fn all() -> Result<Vec<Process>, CannotTell> {
    let entries = fs::read_dir("/proc").map_err(|error| cannot(&error))?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let found: Vec<Process> = pids.filter_map(|pid| one(pid).ok().flatten()).collect();
    // An empty list does not mean an empty machine: at least we are running.
    if found.iter().any(|process| process.id.pid == std::process::id()) {
        return Ok(found);
    }
    Err(CannotTell("/proc does not show this process".to_owned()))
}

pub(crate) fn one(pid: u32) -> Result<Option<Process>, CannotTell> {
    match fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => parse(pid, &stat).map(Some),
        // ESRCH: it ended between open and read.
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(None),
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && fs::exists("/proc/self/stat").unwrap_or(false) =>
        {
            Ok(None)
        }
        Err(error) => Err(cannot(&error)),
    }
}

/// `pid (name) state ppid pgrp session …`, where the name may contain anything, even brackets.
fn parse(pid: u32, stat: &[u8]) -> Result<Process, CannotTell> {
    let strange = || CannotTell(format!("/proc/{pid}/stat has a strange shape"));
    let open = memchr::memchr(b'(', stat).ok_or_else(strange)?;
    let close = memchr::memrchr(b')', stat).ok_or_else(strange)?;
    let name = String::from_utf8_lossy(stat.get(open + 1..close).ok_or_else(strange)?).into_owned();
    let rest = std::str::from_utf8(&stat[close + 1..]).map_err(|_| strange())?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field).and_then(|text| text.parse().ok()).ok_or_else(strange);
    let small =
        |field: usize| number(field).and_then(|value: i64| u32::try_from(value).map_err(|_| strange()));
    let start: u64 = fields.get(19).and_then(|text| text.parse().ok()).ok_or_else(strange)?;
    let zombie = matches!(fields.first(), Some(&("Z" | "X" | "x")));
    Ok(Process {
        id: ProcessId { pid, start },
        parent: small(1)?,
        group: small(2)?,
        session: small(3)?,
        name,
        zombie,
    })
}

/// How long a process has existed, time asleep included.
pub(crate) fn age(id: ProcessId) -> Result<Duration, CannotTell> {
    let since_boot = super::since_boot();
    if since_boot == Duration::MAX {
        return Err(CannotTell("/proc/uptime cannot be read".to_owned()));
    }
    Ok(since_boot.saturating_sub(Duration::from_millis(id.start.saturating_mul(1_000 / TICKS))))
}

pub(crate) fn has_variable(pid: u32, variable: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry == variable)
}

pub(crate) fn signal(id: ProcessId, kind: SignalKind) -> Result<Sent, CannotTell> {
    let Some(pid) = i32::try_from(id.pid).ok().and_then(Pid::from_raw) else { return Ok(Sent::Gone) };
    // First the handle, then the check: what the handle refers to can no longer change.
    let sent = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if is_still(id)? => pidfd_send_signal(handle, number(kind)),
        Err(Errno::NOSYS | Errno::PERM) if is_still(id)? => kill_process(pid, number(kind)),
        Ok(_) | Err(Errno::SRCH | Errno::NOSYS | Errno::PERM) => return Ok(Sent::Gone),
        Err(error) => return Err(CannotTell(format!("no handle of process {}: {error}", id.pid))),
    };
    match sent {
        Ok(()) => Ok(Sent::Sent),
        Err(Errno::SRCH) => Ok(Sent::Gone),
        Err(_) => Ok(Sent::NotAllowed),
    }
}

fn is_still(id: ProcessId) -> Result<bool, CannotTell> {
    Ok(one(id.pid)?.is_some_and(|process| process.id == id))
}

fn number(kind: SignalKind) -> Signal {
    match kind {
        SignalKind::Interrupt => Signal::INT,
        SignalKind::Terminate => Signal::TERM,
        SignalKind::Kill => Signal::KILL,
    }
}

pub(crate) fn boot_id() -> Result<String, CannotTell> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").map_err(|error| cannot(&error))?;
    Ok(text.trim().to_owned())
}

fn cannot(error: &io::Error) -> CannotTell {
    CannotTell(format!("/proc cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::times::TimeDelta;

    #[test]
    fn names_may_hold_brackets_and_blanks() {
        let tail = "S 7 8 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0";
        let process = parse(5, format!("5 (a) Z (b) {tail}").as_bytes()).unwrap();
        assert_eq!(process.name, "a) Z (b");
        assert_eq!(process.id, ProcessId { pid: 5, start: 4242 });
        assert_eq!((process.parent, process.group, process.session, process.zombie), (7, 8, 9, false));
    }

    #[test]
    fn a_strange_shape_is_not_a_process_that_is_gone() {
        assert!(parse(5, b"5 (name").is_err());
        assert!(parse(5, b"5 (name) S 1 2").is_err());
        assert!(parse(5, b"5 )name( S 1 2").is_err());
    }

    #[test]
    fn this_process_is_there_and_one_that_began_at_another_time_is_not() {
        let me = one(std::process::id()).unwrap().unwrap();
        let other = ProcessId { start: me.id.start + 1, ..me.id };
        assert!(crate::processes::is_alive(me.id).unwrap());
        assert!(!crate::processes::is_alive(other).unwrap());
        assert_eq!(signal(other, SignalKind::Kill).unwrap(), Sent::Gone);
    }

    #[test]
    fn a_process_that_began_after_a_lock_was_written_does_not_hold_it() {
        let (me, now) = (std::process::id(), crate::clock::now());
        let was_there = |at| crate::processes::was_there(me, at).unwrap();
        assert!(was_there(now));
        assert!(!was_there(now - TimeDelta::hours(24 * 365)));
    }
}
