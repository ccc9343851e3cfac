//! Appends to a file that others append to as well. Writes to the file itself, so that no lines get lost,
//! however long others keep it open and however often they write.

use super::{ReplaceFault, SIZE_LIMIT, contents, open_plain, real_within};
use crate::fingerprint::Fingerprint;
use crate::platform::{open_to_append, reserve};
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;

/// An addition that happened.
#[derive(Debug)]
pub struct Addition {
    /// The content without it.
    pub before: Vec<u8>,
    /// The content with it.
    pub after: Vec<u8>,
    /// The new version.
    pub stamp: Fingerprint,
}

/// Appends the text that `more` returns for the current bytes of a file in `workspace`; its [`None`] means
/// that they cannot be appended to.
///
/// Others may append in between: the operating system puts ours after theirs. If the disk lacks room for all
/// of it, nothing is written.
///
/// # Errors
/// [`ReplaceFault::Changed`] when `more` returns none, or when the whole file was replaced by one without
/// ours; [`ReplaceFault::Io`] when the disk refuses.
pub fn append(
    workspace: &Path,
    path: &Path,
    more: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
) -> Result<Addition, ReplaceFault> {
    let path = real_within(workspace, path)?;
    let mut file = open_to_append(&path)?;
    if !file.metadata()?.is_file() {
        return Err(ReplaceFault::Changed(None));
    }
    let there = read_all(&mut file, 0)?;
    let more = more(&there).filter(|more| !more.is_empty()).ok_or(ReplaceFault::Changed(None))?;
    reserve(&file, there.len(), more.len())?;
    file.write_all(&more)?;
    let end = usize::try_from(file.stream_position()?).map_err(io::Error::other)?;
    file.sync_all()?;
    let stamp = Fingerprint::read(&file)?;
    let after = read_all(&mut file, more.len())?;
    let named = open_plain(&path).and_then(|file| Ok((Fingerprint::read(&file)?, file)));
    match named {
        Ok((now, _)) if now.is_same_file(stamp) => {
            without(after, end.saturating_sub(more.len()), &more, stamp)
        }
        // Replaced as a whole, by a writer that had read ours or by one that had not.
        Ok((_, mut newer)) => {
            let newest = read_all(&mut newer, more.len())?;
            let at = memchr::memmem::rfind(&newest, &more).ok_or(ReplaceFault::Changed(None))?;
            without(newest, at, &more, stamp)
        }
        Err(_) => Err(ReplaceFault::Changed(None)),
    }
}

/// `after` without `more` at `start`; the file may have been truncated meanwhile.
fn without(after: Vec<u8>, start: usize, more: &[u8], stamp: Fingerprint) -> Result<Addition, ReplaceFault> {
    if !after.get(start..).is_some_and(|rest| rest.starts_with(more)) {
        return Err(ReplaceFault::Changed(None));
    }
    let before = [&after[..start], &after[start + more.len()..]].concat();
    Ok(Addition { before, after, stamp })
}

/// All of it, as far as that is not more than a state file may have, with room for `more`.
fn read_all(file: &mut File, more: usize) -> io::Result<Vec<u8>> {
    file.rewind()?;
    contents(file, SIZE_LIMIT + more as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Canonical as _;

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonical().unwrap().join("a.jsonl");
        std::fs::write(&path, "one\n").unwrap();
        (folder, path)
    }

    #[test]
    fn what_others_add_in_between_stays_and_is_not_ours() {
        let (folder, path) = file();
        let appended = append(folder.path(), &path, |there| {
            assert_eq!(there, b"one\n");
            File::options().append(true).open(&path).unwrap().write_all(b"theirs\n").unwrap();
            Some(b"ours\n".to_vec())
        });
        let Addition { before, after, stamp } = appended.unwrap();
        assert_eq!(
            (before.as_slice(), after.as_slice()),
            (&b"one\ntheirs\n"[..], &b"one\ntheirs\nours\n"[..])
        );
        assert_eq!(std::fs::read(&path).unwrap(), after);
        assert_eq!(stamp, Fingerprint::at(&path).unwrap());
        assert!(matches!(append(folder.path(), &path, |_| None), Err(ReplaceFault::Changed(None))));
    }

    // Wine replaces no file that is open.
    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_in_between_is_looked_at_again() {
        for (newer, goes) in [("theirs\n", false), ("theirs\nours\nmore\n", true)] {
            let (folder, path) = file();
            let appended = append(folder.path(), &path, |_| {
                let temp = folder.path().join("temp");
                std::fs::write(&temp, newer).unwrap();
                std::fs::rename(temp, &path).unwrap();
                Some(b"ours\n".to_vec())
            });
            assert_eq!(appended.is_ok_and(|appended| appended.before == b"theirs\nmore\n"), goes, "{newer}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), newer);
        }
    }
}
