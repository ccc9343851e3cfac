//! What all calls share: answers as results, texts as the system wants them.

use std::ffi::OsStr;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::{FromRawHandle as _, OwnedHandle};
use windows_sys::Win32::Foundation::{GetLastError, HANDLE, INVALID_HANDLE_VALUE};

/// The text with a zero behind it.
pub(crate) fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// The text before the first zero.
pub(crate) fn narrow(text: &[u16]) -> String {
    let end = text.iter().position(|unit| *unit == 0).unwrap_or(text.len());
    String::from_utf16_lossy(&text[..end])
}

/// The number of the last error of this thread.
pub(crate) fn last_error() -> u32 {
    // SAFETY: it reads a number that belongs to this thread.
    unsafe { GetLastError() }
}

/// The error with this number.
pub(crate) fn error(number: u32) -> io::Error {
    io::Error::from_raw_os_error(number.cast_signed())
}

/// Success is anything but zero.
pub(crate) fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(error(last_error())) } else { Ok(()) }
}

/// A handle that was just made and belongs to nobody else.
pub(crate) fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(error(last_error()));
    }
    // SAFETY: callers pass what a call has just returned to them alone, and it is a handle.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The size of a type, as the system wants to hear it.
pub(crate) fn length_of<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(u32::MAX)
}
