//! Linux: two names are exchanged in one step, and room is reserved before a line is appended.

use rustix::fs::{CWD, FallocateFlags, RenameFlags, fallocate, renameat_with};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::Path;

/// Exchanges two names.
///
/// # Errors
/// `Unsupported` on file systems without it, otherwise the disk's error. Nothing has changed then.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|errno| match errno {
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::ErrorKind::Unsupported.into(),
        errno => errno.into(),
    })
}

/// Reserves room for `more` bytes, so that a full disk is reported before half a line is written.
pub(crate) fn reserve(file: &File, there: usize, more: usize) -> io::Result<()> {
    match fallocate(file, FallocateFlags::KEEP_SIZE, there as u64, more as u64) {
        Err(errno @ (Errno::NOSPC | Errno::DQUOT)) => Err(errno.into()),
        _ => Ok(()), // file systems without it report a full disk on the write
    }
}
