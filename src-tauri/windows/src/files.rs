//! Locks of files that leave what is in them to its readers.

use crate::call::{done, error};
use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle as _;
use windows_sys::Win32::Foundation::ERROR_LOCK_VIOLATION;
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// Takes the lock of a file as long as it is open, alone or with others who don't want it alone; whether that was possible at once. A lock
/// keeps others from reading what it is for: this one is for a byte that no file has.
///
/// # Errors
/// What the system says.
pub fn try_lock(file: &File, alone: bool) -> io::Result<bool> {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.OffsetHigh = u32::MAX >> 1;
    let flags = LOCKFILE_FAIL_IMMEDIATELY | if alone { LOCKFILE_EXCLUSIVE_LOCK } else { 0 };
    // SAFETY: the file is open; `place` lives longer than the call, which does not wait.
    match done(unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) }) {
        Ok(()) => Ok(true),
        Err(fault) if fault.raw_os_error() == error(ERROR_LOCK_VIOLATION).raw_os_error() => Ok(false),
        Err(fault) => Err(fault),
    }
}
