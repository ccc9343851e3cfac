//! Plain files, and nothing else: what is opened here is a regular file and no link, opening it waits for nobody, and no more of it is
//! read than the caller has room for, however much it grows meanwhile. Every read of a file that other programs write ends here.

use crate::files::{Canonical as _, lies_within};
use crate::platform::{self, OpenFault, is_executable, open_no_follow};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
/// `InvalidInput` for a link and for whatever is no regular file, otherwise what the disk says.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let file = match open_no_follow(path) {
        Ok(file) => file,
        // A socket cannot be opened at all.
        Err(OpenFault::Link(_) | OpenFault::Socket(_)) => return Err(not_plain()),
        Err(fault) => return Err(fault.into()),
    };
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_plain()) }
}

fn not_plain() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Reads a regular file of at most `limit` bytes, whatever folder it is in.
///
/// # Errors
/// Those of [`open_plain`] and [`contents`].
pub fn read_plain(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    contents(&open_plain(path)?, limit)
}

/// The same, and whether it can be run.
///
/// # Errors
/// Like [`read_plain`].
pub fn read_version(path: &Path, limit: u64) -> io::Result<(Vec<u8>, bool)> {
    let file = open_plain(path)?;
    Ok((contents(&file, limit)?, is_executable(&file.metadata()?)))
}

/// Lets a regular file in `workspace` (canonical) be run by those who may read it, or by nobody.
///
/// # Errors
/// `PermissionDenied` when its folder is not in the workspace; those of [`open_plain`]; what the disk says.
pub fn set_executable(workspace: &Path, path: &Path, executable: bool) -> io::Result<()> {
    if !path.parent().is_some_and(|folder| lies_within(workspace, folder)) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    platform::set_executable(&open_plain(path)?, executable)
}

/// Reads a file that the person named, or one of our own: a link was put there by somebody who may, and is followed.
///
/// # Errors
/// Like [`read_plain`].
pub fn read_named(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_plain(&path.canonical()?, limit)
}

/// The rest of an open file, at most `limit` bytes.
///
/// # Errors
/// `FileTooLarge`, also when it grows to that while it is read; what the disk says.
pub fn contents(mut file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    let read = (&mut file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if read as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Whether the file at `path` is a plain one that says `expected`. No more than that is read.
///
/// # Errors
/// Those of [`open_plain`].
pub(super) fn says(path: &Path, expected: &[u8]) -> io::Result<bool> {
    match read_plain(path, expected.len() as u64) {
        Ok(there) => Ok(there == expected),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(false),
        Err(error) => Err(error),
    }
}

/// The same before a write: what another program put there instead of the file does not say it.
///
/// # Errors
/// What the disk says.
pub(super) fn still_says(path: &Path, expected: &[u8]) -> io::Result<bool> {
    match says(path, expected) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(false),
        said => said,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn kind(path: &Path) -> io::ErrorKind {
        read_plain(path, 100).unwrap_err().kind()
    }

    #[test]
    fn only_a_regular_file_of_bounded_size_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("file"), [b'x'; 100]).unwrap();
        std::fs::write(at("empty"), "").unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        std::os::unix::net::UnixListener::bind(at("socket")).map(drop).unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        File::create(at("sparse")).unwrap().set_len(10 << 30).unwrap();
        assert_eq!(read_plain(&at("file"), 100).unwrap(), [b'x'; 100]);
        assert_eq!(read_plain(&at("empty"), 0).unwrap(), b"");
        assert_eq!(read_plain(&at("file"), 99).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for other in ["pipe", "socket", "link", "."] {
            assert_eq!(kind(&at(other)), io::ErrorKind::InvalidInput, "{other}");
        }
        assert_eq!(read_named(&at("link"), 100).unwrap(), [b'x'; 100]);
        assert_eq!(kind(Path::new("/dev/zero")), io::ErrorKind::InvalidInput);
        assert_eq!(kind(&at("sparse")), io::ErrorKind::FileTooLarge);
        assert_eq!(kind(&at("none")), io::ErrorKind::NotFound);
        assert!(says(&at("file"), &[b'x'; 100]).unwrap() && !says(&at("file"), b"x").unwrap());
        assert!(!says(&at("sparse"), b"x").unwrap());
        assert!(!still_says(&at("pipe"), b"x").unwrap() && still_says(&at("none"), b"x").is_err());
        let synced = platform::sync_folder(&at("pipe"));
        assert_eq!(synced.unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn a_file_that_grows_while_it_is_read_is_not_read_beyond_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grows");
        let mut file = File::create(&path).unwrap();
        let opened = open_plain(&path).unwrap();
        assert_eq!(contents(&opened, 10).unwrap(), b"");
        file.write_all(&[b'x'; 11]).unwrap();
        assert_eq!(contents(&opened, 10).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    file.set_len(0).unwrap();
                    (0..64).for_each(|_| file.write_all(&[b'y'; 4_096]).unwrap());
                }
            });
            for _ in 0..200 {
                match read_plain(&path, 100_000) {
                    Ok(bytes) => assert!(bytes.len() <= 100_000),
                    Err(error) => assert_eq!(error.kind(), io::ErrorKind::FileTooLarge),
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
