//! Files: locks that leave what is in them to its readers, which file it is, and one in the place of another.

use crate::call::{done, error, wide};
use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use windows_sys::Win32::Foundation::{ERROR_LOCK_VIOLATION, ERROR_UNABLE_TO_MOVE_REPLACEMENT_2};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, GetFileInformationByHandle, LOCKFILE_EXCLUSIVE_LOCK,
    LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, REPLACEFILE_IGNORE_ACL_ERRORS, REPLACEFILE_IGNORE_MERGE_ERRORS,
    ReplaceFileW,
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

/// The number of an open file on its volume: the same for all its names, another for a file that took its name.
///
/// # Errors
/// What the system says.
pub fn number(file: &File) -> io::Result<u64> {
    let mut about = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the file is open, and `about` may be written.
    done(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut about) })?;
    Ok(u64::from(about.nFileIndexHigh) << 32 | u64::from(about.nFileIndexLow))
}

/// How far a replacement came that failed.
#[derive(Debug)]
pub enum ReplaceFault {
    /// All names are as they were.
    Nothing(io::Error),
    /// The old file has the name `aside` and nothing has the name `path`.
    Half(io::Error),
}

/// Gives `new`, which nobody has open, the name `path`, and the file that had it the name `aside`, which nothing has. Attributes and
/// permissions of the old file are the new one's then.
///
/// # Errors
/// How far it came, with what the system says.
pub fn replace(path: &Path, new: &Path, aside: &Path) -> Result<(), ReplaceFault> {
    let [path, new, aside] = [path, new, aside].map(|path| wide(path.as_os_str()));
    let flags = REPLACEFILE_IGNORE_MERGE_ERRORS | REPLACEFILE_IGNORE_ACL_ERRORS;
    let none = std::ptr::null();
    // SAFETY: the names end with zeros and live longer than the call; what must be null is.
    let answer =
        done(unsafe { ReplaceFileW(path.as_ptr(), new.as_ptr(), aside.as_ptr(), flags, none, none) });
    answer.map_err(|fault| {
        let half = fault.raw_os_error() == error(ERROR_UNABLE_TO_MOVE_REPLACEMENT_2).raw_os_error();
        if half { ReplaceFault::Half(fault) } else { ReplaceFault::Nothing(fault) }
    })
}
