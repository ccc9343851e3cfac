//! Processes by number and start. The system uses numbers again, but not for one that began at the same moment.

use crate::call::{done, error, last_error, length_of, narrow, owned};
use std::io;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_INVALID_PARAMETER, ERROR_NO_MORE_FILES, FILETIME, WAIT_OBJECT_0,
};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::SystemInformation::GetSystemTimeAsFileTime;
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, PROCESS_TERMINATE,
    TerminateProcess, WaitForSingleObject,
};

/// The exit code of a process that was ended from outside.
pub const ENDED: u32 = 0xC000_013A; // STATUS_CONTROL_C_EXIT: what the console's own end gives

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it began, in steps of 100 nanoseconds; 0 for one of another user, which we may not look at.
    pub start: u64,
    /// The number of the process that started it, which may be another's by now.
    pub parent: u32,
    /// The name of its program's file.
    pub name: String,
}

/// What became of an order to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It ends.
    Ends,
    /// It had ended, whoever has its number now.
    Gone,
    /// We may not end it.
    NotAllowed,
}

/// All processes that run now.
///
/// # Errors
/// What the system says.
pub fn all() -> io::Result<Vec<Process>> {
    let mut found = Vec::new();
    each(|entry| {
        // One that ended meanwhile is left out.
        if let Ok(Some(start)) = start_of(entry.th32ProcessID) {
            found.push(process(entry, start));
        }
        true
    })?;
    Ok(found)
}

/// The process with this number; `None` when there is none that runs.
///
/// # Errors
/// What the system says.
pub fn one(pid: u32) -> io::Result<Option<Process>> {
    let Some(start) = start_of(pid)? else { return Ok(None) };
    let mut found = None;
    each(|entry| {
        if entry.th32ProcessID == pid {
            found = Some(process(entry, start));
        }
        found.is_none()
    })?;
    Ok(found)
}

/// Ends the process with this number that began at this moment, at once.
///
/// # Errors
/// What the system says; nothing was ended.
pub fn end(pid: u32, start: u64) -> io::Result<Order> {
    let rights = PROCESS_TERMINATE | PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE;
    let handle = match open(pid, rights) {
        Ok(Some(handle)) => handle,
        Ok(None) => return Ok(Order::Gone),
        Err(error) if is_denied(&error) => return Ok(Order::NotAllowed),
        Err(error) => return Err(error),
    };
    // The handle keeps the number: what was checked is what ends.
    if has_ended(&handle) || began(&handle)? != start {
        return Ok(Order::Gone);
    }
    // SAFETY: the handle is a process's, with the right to end it.
    match done(unsafe { TerminateProcess(handle.as_raw_handle(), ENDED) }) {
        Ok(()) => Ok(Order::Ends),
        Err(_) if has_ended(&handle) => Ok(Order::Gone),
        // It is on its way already.
        Err(error) if is_denied(&error) => Ok(Order::Ends),
        Err(error) => Err(error),
    }
}

/// The time now, on the clock that [`Process::start`] is read from.
#[must_use]
pub fn now() -> u64 {
    let mut time = FILETIME::default();
    // SAFETY: it writes a time to where one fits.
    unsafe { GetSystemTimeAsFileTime(&raw mut time) };
    number(time)
}

/// When the running process with this number began.
fn start_of(pid: u32) -> io::Result<Option<u64>> {
    match open(pid, PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE) {
        Ok(Some(handle)) if has_ended(&handle) => Ok(None),
        Ok(Some(handle)) => began(&handle).map(Some),
        Ok(None) => Ok(None),
        // It runs, and is not one of ours.
        Err(error) if is_denied(&error) => Ok(Some(0)),
        Err(error) => Err(error),
    }
}

fn open(pid: u32, rights: u32) -> io::Result<Option<OwnedHandle>> {
    // SAFETY: it takes numbers and returns a new handle, or none.
    match owned(unsafe { OpenProcess(rights, 0, pid) }) {
        Ok(handle) => Ok(Some(handle)),
        Err(error) if error.raw_os_error() == Some(ERROR_INVALID_PARAMETER.cast_signed()) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_ACCESS_DENIED.cast_signed())
}

/// One that ended has its number until the last handle is closed.
fn has_ended(process: &OwnedHandle) -> bool {
    // SAFETY: the handle is a process's, with the right to wait for it.
    let waited = unsafe { WaitForSingleObject(process.as_raw_handle(), 0) };
    waited == WAIT_OBJECT_0
}

fn began(process: &OwnedHandle) -> io::Result<u64> {
    let [mut created, mut exited, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is a process's; each of the four may be written.
    done(unsafe {
        GetProcessTimes(
            process.as_raw_handle(),
            &raw mut created,
            &raw mut exited,
            &raw mut kernel,
            &raw mut user,
        )
    })?;
    Ok(number(created))
}

fn number(time: FILETIME) -> u64 {
    u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)
}

/// Calls `look` with each process, as long as it wants more.
fn each(mut look: impl FnMut(&PROCESSENTRY32W) -> bool) -> io::Result<()> {
    // SAFETY: it takes numbers and returns a new handle.
    let list = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) })?;
    let mut entry = PROCESSENTRY32W { dwSize: length_of::<PROCESSENTRY32W>(), ..Default::default() };
    // SAFETY: the handle is a list of processes; `entry` says how large it is.
    let mut there = unsafe { Process32FirstW(list.as_raw_handle(), &raw mut entry) };
    while there != 0 {
        if !look(&entry) {
            return Ok(());
        }
        // SAFETY: the same.
        there = unsafe { Process32NextW(list.as_raw_handle(), &raw mut entry) };
    }
    match last_error() {
        ERROR_NO_MORE_FILES => Ok(()),
        number => Err(error(number)),
    }
}

fn process(entry: &PROCESSENTRY32W, start: u64) -> Process {
    Process {
        pid: entry.th32ProcessID,
        start,
        parent: entry.th32ParentProcessID,
        name: narrow(&entry.szExeFile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there_and_one_that_began_at_another_moment_is_not() {
        let me = one(std::process::id()).unwrap().unwrap();
        assert!(all().unwrap().contains(&me));
        assert!(me.start != 0 && me.start <= now());
        assert_eq!(end(me.pid, me.start + 1).unwrap(), Order::Gone);
        assert_eq!(one(0xFFFF_FFF0).unwrap(), None);
    }
}
