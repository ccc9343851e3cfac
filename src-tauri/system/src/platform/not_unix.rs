//! Windows: names that end in no case, links, files that others use.

use super::{IN_PLACE_OF, OpenFault};
use loopdeck_windows::files::{ReplaceFault, number, replace, try_lock};
use std::ffi::OsString;
use std::fs::{DirBuilder, DirEntry, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

/// The shell that is always there.
pub const SHELL: &str = "cmd";

/// Program and arguments that run `command` in [`SHELL`].
#[must_use]
pub fn shell_command(command: &str) -> Vec<String> {
    vec!["cmd.exe".to_owned(), "/d".into(), "/s".into(), "/c".into(), command.to_owned()]
}

/// Files get the permissions of their folder.
pub(crate) fn share(_file: &File) -> io::Result<()> {
    Ok(())
}

/// What can be run is known by its name.
#[must_use]
pub fn is_executable(_metadata: &Metadata) -> bool {
    false
}

/// The same.
pub(crate) fn set_executable(_file: &File, _executable: bool) -> io::Result<()> {
    Ok(())
}

/// Files belong to the user who creates them.
pub(crate) fn keep_owner(_file: &File, _old: &Metadata) {}

/// Last change, in nanoseconds since 1970.
#[must_use]
pub fn modified_ns(metadata: &Metadata) -> i128 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(0))
}

/// What is known of an open file, and its number, which is unique among the files of one disk.
pub(crate) fn seen_open(file: &File) -> io::Result<(Metadata, u64)> {
    Ok((file.metadata()?, number(file)?))
}

/// The same of what is at a path, with links followed.
///
/// # Errors
/// The disk's error.
pub fn seen_at(path: &Path) -> io::Result<(Metadata, u64)> {
    seen_open(&File::options().access_mode(READ_ATTRIBUTES).custom_flags(BACKUP_SEMANTICS).open(path)?)
}

/// The same of an entry of a folder; a link is not followed. The folder itself knows no numbers.
pub(crate) fn seen_in_folder(entry: &DirEntry) -> io::Result<(Metadata, u64)> {
    let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
    seen_open(&File::options().access_mode(READ_ATTRIBUTES).custom_flags(flags).open(entry.path())?)
}

/// Options that create a file for writing.
#[must_use]
pub fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.create(true).write(true);
    options
}

/// Creates a folder and its parents.
///
/// # Errors
/// The disk's error.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Files get the permissions of their folder, which is the user's own.
///
/// # Errors
/// None.
pub fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether we are the administrator: not checked.
#[must_use]
pub fn is_root() -> bool {
    false
}

/// Does nothing: signals that end us do not end our children.
pub fn own_group(_command: &mut Command) {}

/// The name of a variable, as our code says it: case doesn't count, and the system itself says `Path`.
#[must_use]
pub fn variable_name(mut name: OsString) -> OsString {
    name.make_ascii_uppercase();
    name
}

/// None: nothing prints them here.
#[must_use]
pub fn variables(_printed: &[u8]) -> Vec<(OsString, OsString)> {
    Vec::new()
}

/// The path without links and dots, as people write it where that says the same.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// No more than what a listing shows, so that nobody who has the file open for himself stands in the way.
const READ_ATTRIBUTES: u32 = 0x80;
/// Opens the link and not what it leads to.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// Opens folders too, so that they are seen to be some.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// Opens without following a link at the end.
pub(crate) fn open_no_follow(path: &Path) -> Result<File, OpenFault> {
    let flags = OPEN_REPARSE_POINT | BACKUP_SEMANTICS;
    let file =
        File::options().read(true).custom_flags(flags).open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenFault::Gone(error),
            _ => OpenFault::Other(error),
        })?;
    match file.metadata() {
        Ok(metadata) if metadata.is_symlink() => Err(OpenFault::Link(io::ErrorKind::InvalidInput.into())),
        Ok(_) => Ok(file),
        Err(error) => Err(OpenFault::Other(error)),
    }
}

/// The same for reading, and for writing at its end.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).append(true).custom_flags(OPEN_REPARSE_POINT).open(path)?;
    if file.metadata()?.is_symlink() { Err(io::ErrorKind::InvalidInput.into()) } else { Ok(file) }
}

/// Reads a file of `size` bytes, and at most one more: what grew meanwhile shows in its fingerprint.
pub(crate) fn read_whole(file: &File, size: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.reserve(size + 1);
    file.take(size as u64 + 1).read_to_end(buffer).map(drop)
}

/// Nothing: NTFS keeps a log of names.
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Gives `new` the name of the file at `path`, and returns that file, opened with `open`; its name goes when it is closed at the latest.
///
/// Not every file system replaces what is open, so the old version gets a second name first, and is opened by that afterwards.
pub(crate) fn put_over(
    new: &Path,
    path: &Path,
    open: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<File> {
    let aside = new.with_extension("old.tmp");
    // FAT has no second names: for a moment there is no file.
    std::fs::hard_link(path, &aside).or_else(|_| std::fs::rename(path, &aside))?;
    let replaced = open(&aside).map(drop).and_then(|()| std::fs::rename(new, path));
    if let Err(error) = replaced {
        std::fs::rename(&aside, path)?;
        let _ = std::fs::remove_file(&aside); // where both were names of one file, it may have kept both
        return Err(error);
    }
    let former = open(&aside);
    let _ = std::fs::remove_file(&aside); // every scan ignores one that stays
    former
}

/// Exchanges two files; nobody may have `one` open. For a moment nothing has the name `other`. What had it then has a name that says
/// so: when this program ends in that moment, the next clean-up gives it back.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let aside = aside_of(one, other);
    unless_in_use(|| match replace(other, one, &aside) {
        Ok(()) => Ok(()),
        // Some network drives; ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED.
        Err(ReplaceFault::Nothing(error)) if matches!(error.raw_os_error(), Some(1 | 50)) => {
            Err(io::ErrorKind::Unsupported.into())
        }
        Err(ReplaceFault::Nothing(error)) => Err(error),
        Err(ReplaceFault::Half(error)) => {
            give_back(&aside, other)?;
            Err(error)
        }
    })?;
    // Somebody may have it open in a way that it cannot be renamed. A second name is possible.
    unless_in_use(|| std::fs::rename(&aside, one)).or_else(|_| std::fs::hard_link(&aside, one))
}

/// The name of what has the name `other`, while it gets the name `one`.
fn aside_of(one: &Path, other: &Path) -> PathBuf {
    let mut name = one.file_stem().unwrap_or_default().to_owned();
    name.push(IN_PLACE_OF);
    name.push(other.file_name().unwrap_or_default());
    name.push(".tmp");
    one.with_file_name(name)
}

/// Gives the file `aside` the name `path`, unless somebody made a newer file of that name meanwhile.
fn give_back(aside: &Path, path: &Path) -> io::Result<()> {
    match std::fs::hard_link(aside, path) {
        Ok(()) => std::fs::remove_file(aside),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // FAT has no second names.
        Err(_) => std::fs::rename(aside, path),
    }
}

/// Holds a file as long as it is open, unless somebody else does. Whoever wants to may read it.
pub(crate) fn hold(file: &File) -> io::Result<bool> {
    try_lock(file, true)
}

/// Whether somebody else holds a file.
pub(crate) fn is_held(file: &File) -> bool {
    matches!(try_lock(file, false), Ok(false))
}

/// So often a name is tried that another program uses, and how long it is waited in between: readers and virus scanners are quick.
const TRIES: usize = 40;
const PAUSE: Duration = Duration::from_millis(10);

/// Gives `new` the name `path`, whoever reads what had it. Not every file system replaces what is open: it is tried again.
///
/// # Errors
/// The disk's error; both names are as they were.
pub fn rename_over(new: &Path, path: &Path) -> io::Result<()> {
    unless_in_use(|| std::fs::rename(new, path))
}

/// Does something with a file, again and again while another program is in the way.
fn unless_in_use(work: impl Fn() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..TRIES {
        match work() {
            Err(error) if is_in_use(&error) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    work()
}

/// `ERROR_ACCESS_DENIED`, `ERROR_SHARING_VIOLATION`, `ERROR_UNABLE_TO_REMOVE_REPLACED` and what follows it.
fn is_in_use(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(5 | 32 | 1175..=1177))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_one_name_however_it_is_written() {
        assert_eq!(variable_name("Path".into()), "PATH");
        assert_eq!(variable_name("ProgramFiles(x86)".into()), "PROGRAMFILES(X86)");
    }

    #[test]
    fn a_replaced_version_can_be_read_until_it_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.json"), "old").unwrap();
        std::fs::write(at("new.tmp"), "new").unwrap();
        let mut former = put_over(&at("new.tmp"), &at("a.json"), |path| File::open(path)).unwrap();
        assert_eq!(std::fs::read_to_string(at("a.json")).unwrap(), "new");
        let mut old = String::new();
        former.read_to_string(&mut old).unwrap();
        assert_eq!(old, "old");
        drop(former);
        let names: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a.json"]);
    }

    #[test]
    fn a_file_that_is_held_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.running");
        std::fs::write(&path, "who").unwrap();
        let open = || File::options().read(true).write(true).open(&path).unwrap();
        let holder = open();
        assert!(hold(&holder).unwrap());
        assert!(is_held(&open()) && !hold(&open()).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "who");
        drop(holder);
        assert!(!is_held(&open()));
    }

    #[test]
    fn a_file_that_is_read_is_replaced_when_its_reader_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.json"), "old").unwrap();
        std::fs::write(at("new.tmp"), "new").unwrap();
        let reader = File::open(at("a.json")).unwrap();
        let (begun, told) = std::sync::mpsc::channel();
        let reads = std::thread::spawn(move || {
            told.recv().unwrap();
            drop(reader);
        });
        begun.send(()).unwrap();
        rename_over(&at("new.tmp"), &at("a.json")).unwrap();
        reads.join().unwrap();
        assert_eq!(std::fs::read_to_string(at("a.json")).unwrap(), "new");
    }

    #[test]
    fn a_version_that_cannot_be_opened_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.json"), "old").unwrap();
        std::fs::write(at("new.tmp"), "new").unwrap();
        put_over(&at("new.tmp"), &at("a.json"), |_| Err(io::ErrorKind::Other.into())).unwrap_err();
        assert_eq!(std::fs::read_to_string(at("a.json")).unwrap(), "old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "the old one and the new one");
    }
}
