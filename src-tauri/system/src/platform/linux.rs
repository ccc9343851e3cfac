//! Linux: two names are exchanged in one step, and room is reserved before a line is appended.

use rustix::fs::{
    CWD, FallocateFlags, IFlags, RenameFlags, fallocate, ioctl_getflags, ioctl_setflags, renameat_with,
};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Memory of this machine in bytes; `None` when it is not known.
#[must_use]
pub fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    kilobytes.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// Time since the machine was started, time asleep included. Should it not be known, it is later than any fence.
pub(crate) fn since_boot() -> Duration {
    let text = std::fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = text.split(' ').next().and_then(|seconds| seconds.parse().ok());
    seconds.map_or(Duration::MAX, Duration::from_secs_f64)
}

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

/// Marks `folder` as the top of a hierarchy: each folder made below it gets a place of its own. A file system that knows no such
/// mark needs none.
pub(crate) fn spread_folders(folder: &Path) -> io::Result<()> {
    let folder = File::open(folder)?;
    match ioctl_getflags(&folder).and_then(|flags| ioctl_setflags(&folder, flags | IFlags::TOPDIR)) {
        Err(Errno::NOTTY | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(()),
        done => Ok(done?),
    }
}

/// Reserves room for `more` bytes, so that a full disk is reported before half a line is written.
pub(crate) fn reserve(file: &File, there: usize, more: usize) -> io::Result<()> {
    match fallocate(file, FallocateFlags::KEEP_SIZE, there as u64, more as u64) {
        Err(errno @ (Errno::NOSPC | Errno::DQUOT)) => Err(errno.into()),
        _ => Ok(()), // file systems without it report a full disk on the write
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_spread_where_the_file_system_can_do_it() {
        let folder = tempfile::tempdir().unwrap();
        spread_folders(folder.path()).unwrap();
        let is_ext4 = rustix::fs::statfs(folder.path()).unwrap().f_type == 0xef53;
        if is_ext4 {
            let flags = ioctl_getflags(File::open(folder.path()).unwrap()).unwrap();
            assert!(flags.contains(IFlags::TOPDIR));
        }
        assert!(spread_folders(&folder.path().join("gone")).is_err());
    }
}
