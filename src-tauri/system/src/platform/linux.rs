//! Linux: two names change places in one step, and room is reserved before a line is appended.

use rustix::fs::{CWD, FallocateFlags, RenameFlags, fallocate, renameat_with};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::Path;

/// Exchanges two names.
///
/// # Errors
/// `Unsupported` on file systems that cannot; else what the disk says. Nothing has changed then.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|errno| match errno {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
        errno => errno.into(),
    })
}

/// Room for `more` bytes: a full disk says so before half a line is in the file.
pub(crate) fn reserve(file: &File, there: usize, more: usize) -> io::Result<()> {
    match fallocate(file, FallocateFlags::KEEP_SIZE, there as u64, more as u64) {
        Err(errno @ (Errno::NOSPC | Errno::DQUOT)) => Err(errno.into()),
        _ => Ok(()), // file systems without it say so when the line is written
    }
}
