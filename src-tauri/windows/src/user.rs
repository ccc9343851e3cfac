//! What only this user may use.

use crate::call::{done, error, last_error, owned, wide};
use std::ffi::OsStr;
use std::io;
use std::os::windows::io::AsRawHandle as _;
use windows_sys::Win32::Foundation::{ERROR_INSUFFICIENT_BUFFER, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::{
    GetTokenInformation, PSECURITY_DESCRIPTOR, TOKEN_QUERY, TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// A description that lets nobody in but this user and the system.
#[derive(Debug)]
pub(crate) struct OnlyThisUser(PSECURITY_DESCRIPTOR);

// SAFETY: a description is plain memory that nobody changes after it was made.
unsafe impl Send for OnlyThisUser {}

impl OnlyThisUser {
    pub(crate) fn describe() -> io::Result<Self> {
        let text = wide(OsStr::new(&format!("D:P(A;;GA;;;{})(A;;GA;;;SY)", this_user()?)));
        let mut made: PSECURITY_DESCRIPTOR = std::ptr::null_mut();
        // SAFETY: the text ends with a zero; the address of what is made may be written; its length is not asked for.
        done(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut made,
                std::ptr::null_mut(),
            )
        })?;
        Ok(Self(made))
    }

    pub(crate) fn as_ptr(&self) -> PSECURITY_DESCRIPTOR {
        self.0
    }
}

impl Drop for OnlyThisUser {
    fn drop(&mut self) {
        // SAFETY: the system allocated it for us that way, and nobody uses it after this.
        unsafe { LocalFree(self.0) };
    }
}

/// Who runs this process, as `S-1-…`.
fn this_user() -> io::Result<String> {
    // SAFETY: it returns a constant.
    let me = unsafe { GetCurrentProcess() };
    let mut token = std::ptr::null_mut();
    // SAFETY: the handle is a process's; that of the token may be written.
    done(unsafe { OpenProcessToken(me, TOKEN_QUERY, &raw mut token) })?;
    let token = owned(token)?;
    let mut length = 0;
    // SAFETY: nothing but the length that is needed may be written.
    let asked = unsafe {
        GetTokenInformation(token.as_raw_handle(), TokenUser, std::ptr::null_mut(), 0, &raw mut length)
    };
    if asked == 0 && last_error() != ERROR_INSUFFICIENT_BUFFER {
        return Err(error(last_error()));
    }
    // Words, so that it is aligned for what is written to it.
    let mut about = vec![0_u64; (length as usize).div_ceil(8).max(size_of::<TOKEN_USER>())];
    // SAFETY: `about` has at least `length` bytes.
    done(unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            about.as_mut_ptr().cast(),
            length,
            &raw mut length,
        )
    })?;
    // SAFETY: the system wrote a user there, whose parts are in `about` too, which outlives this.
    let user = unsafe { about.as_ptr().cast::<TOKEN_USER>().read() };
    let mut text = std::ptr::null_mut();
    // SAFETY: the identifier is in `about`; the address of the text may be written.
    done(unsafe { ConvertSidToStringSidW(user.User.Sid, &raw mut text) })?;
    let mut said = Vec::new();
    let mut at: *const u16 = text;
    loop {
        // SAFETY: the text ends with a zero, and nothing behind that is read.
        let unit = unsafe { at.read() };
        if unit == 0 {
            break;
        }
        said.push(unit);
        // SAFETY: the zero is not reached: there is at least one more.
        at = unsafe { at.add(1) };
    }
    // SAFETY: the system allocated it for us that way, and nobody uses it after this.
    unsafe { LocalFree(text.cast()) };
    Ok(String::from_utf16_lossy(&said))
}
