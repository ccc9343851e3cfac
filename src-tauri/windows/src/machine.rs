//! The machine: its memory, how long it has been on, and which session of the person this is.

use crate::call::{error, length_of, wide};
use std::ffi::OsStr;
use std::io;
use std::time::Duration;
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, FILETIME};
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, KEY_READ, REG_OPTION_VOLATILE, RegCloseKey, RegCreateKeyExW, RegQueryInfoKeyW,
};
use windows_sys::Win32::System::SystemInformation::{GetTickCount64, GlobalMemoryStatusEx, MEMORYSTATUSEX};

/// Memory of this machine in bytes; `None` when it is not known.
#[must_use]
pub fn memory() -> Option<u64> {
    let mut status = MEMORYSTATUSEX { dwLength: length_of::<MEMORYSTATUSEX>(), ..Default::default() };
    // SAFETY: `status` says how large it is.
    let answer = unsafe { GlobalMemoryStatusEx(&raw mut status) };
    (answer != 0).then_some(status.ullTotalPhys)
}

/// Time since the machine was started, time asleep included.
#[must_use]
pub fn since_boot() -> Duration {
    // SAFETY: it returns a number.
    Duration::from_millis(unsafe { GetTickCount64() })
}

/// A key of the person's registry that is never on disk: it goes when the person signs out or the machine ends, as all processes do.
const MARK: &str = "Software\\LoopdeckSession";

/// Names this session: no process of an earlier one lives. The moment at which the first Loopdeck asked.
///
/// # Errors
/// What the system says.
pub fn session() -> io::Result<u64> {
    let name = wide(OsStr::new(MARK));
    let mut key: HKEY = std::ptr::null_mut();
    // SAFETY: the name ends with a zero; the key's handle may be written; the rest is absent, which is allowed.
    let answer = unsafe {
        RegCreateKeyExW(
            HKEY_CURRENT_USER,
            name.as_ptr(),
            0,
            std::ptr::null(),
            REG_OPTION_VOLATILE,
            KEY_READ,
            std::ptr::null(),
            &raw mut key,
            std::ptr::null_mut(),
        )
    };
    if answer != ERROR_SUCCESS {
        return Err(error(answer));
    }
    let mut written = FILETIME::default();
    let (text, number) = (std::ptr::null_mut::<u16>(), std::ptr::null_mut::<u32>());
    // SAFETY: the key is open; only the time of its last change is asked for, and may be written.
    let answer = unsafe {
        RegQueryInfoKeyW(
            key,
            text,
            number,
            std::ptr::null(),
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            &raw mut written,
        )
    };
    // SAFETY: the key is open, and nobody uses it after this.
    unsafe { RegCloseKey(key) };
    if answer != ERROR_SUCCESS {
        return Err(error(answer));
    }
    Ok(u64::from(written.dwHighDateTime) << 32 | u64::from(written.dwLowDateTime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_name() {
        assert_eq!(session().unwrap(), session().unwrap());
        assert!(session().unwrap() > 0);
    }

    #[test]
    fn the_machine_is_on_and_has_memory() {
        assert!(since_boot() > Duration::ZERO);
        assert!(memory().unwrap() > 1 << 20);
    }
}
