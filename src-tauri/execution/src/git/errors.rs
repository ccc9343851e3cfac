//! Why git was not asked or refused, for a person and for whoever tries again.

use super::repository::changed_in;
use crate::brief::Answer;
use loopdeck_system::dirs::shown;
use loopdeck_system::failure::{Failure, FailureKind};
use std::io;
use std::path::Path;

/// So many characters are kept of what git says.
const LONGEST: usize = 1_000;

/// What a person reads when git was not asked about `folder`, or refused.
#[must_use]
pub fn failure(folder: &Path, error: &io::Error) -> Failure {
    match changed_in(error) {
        Some(what) => {
            Failure::new(FailureKind::RepositoryChanged).with("path", shown(folder)).with("what", what)
        }
        None => Failure::new(FailureKind::GitRefused).with("reason", error),
    }
}

/// Why git refused. Its kind says whether that passes.
pub(super) fn git_error(answer: &Answer) -> io::Error {
    let said = String::from_utf8_lossy(&answer.stderr);
    let first = said.lines().find(|line| line.starts_with("fatal")).or_else(|| said.lines().last());
    let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
    let kind = if says(&["No space left on device", "Disk quota exceeded"]) {
        io::ErrorKind::StorageFull
    } else if says(&[".lock': File exists", "Resource temporarily unavailable", "Cannot allocate memory"]) {
        io::ErrorKind::ResourceBusy
    } else if answer.code.is_none() {
        io::ErrorKind::Interrupted
    } else {
        io::ErrorKind::Other
    };
    let first: String = first.unwrap_or("git did not say why").chars().take(LONGEST).collect();
    io::Error::new(kind, first)
}

/// Whether what failed may work in a while without anybody's help, so that it is worth another try.
#[must_use]
pub fn passes(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(
        error.kind(),
        K::StorageFull
            | K::QuotaExceeded
            | K::ResourceBusy
            | K::WouldBlock
            | K::OutOfMemory
            | K::Interrupted
            | K::TimedOut
            | K::BrokenPipe
            | K::NotConnected
            | K::ConnectionAborted
            | K::ConnectionRefused
            | K::ConnectionReset
            | K::HostUnreachable
            | K::NetworkUnreachable
            | K::NetworkDown
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_differs_from_what_stays() {
        let said = |stderr: &str, code: Option<i32>| {
            git_error(&Answer { code, stdout: Vec::new(), stderr: stderr.as_bytes().to_vec() })
        };
        let full =
            "error: unable to write file x: No space left on device\nfatal: unable to write new index file";
        let locked = "fatal: Unable to create '/x/.git/index.lock': File exists.\n\nAnother git process";
        for (stderr, code) in [(full, Some(128)), (locked, Some(128)), ("", None)] {
            assert!(passes(&said(stderr, code)), "{stderr}");
        }
        assert_eq!(said(full, Some(128)).to_string(), "fatal: unable to write new index file");
        for stderr in ["fatal: not a git repository", "fatal: bad object 1234", ""] {
            assert!(!passes(&said(stderr, Some(128))), "{stderr}");
        }
        assert!(passes(&io::ErrorKind::TimedOut.into()) && !passes(&io::ErrorKind::NotFound.into()));
    }
}
