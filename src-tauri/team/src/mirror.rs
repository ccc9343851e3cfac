//! Copies of other machines' shared files, one folder for each share. The rest of Loopdeck reads them as it reads any
//! workspace, and treats them as no less hostile.

use crate::seat::{Seat, is_token};
use crate::share::is_shareable;
use crate::state::SharedFolder;
use data_encoding::BASE64URL_NOPAD;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, files};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// So many files of one machine are kept.
const MOST_FILES: usize = 50_000;
/// So many bytes of them.
const MOST_BYTES: u64 = 1 << 30;

/// A file as a key of the bucket names it.
pub(crate) fn file_token(file: &str) -> String {
    format!("f_{}", BASE64URL_NOPAD.encode(file.as_bytes()))
}

/// The request for a loop, by its state file.
pub(crate) fn request_token(file: &str) -> String {
    format!("q_{}", BASE64URL_NOPAD.encode(file.as_bytes()))
}

/// What waits for a person in a loop, by its state file.
pub(crate) fn needs_token(file: &str) -> String {
    format!("n_{}", BASE64URL_NOPAD.encode(file.as_bytes()))
}

/// A key of the bucket, taken apart and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The share itself.
    About { seat: Seat, share: String },
    /// One of its files.
    File { seat: Seat, share: String, file: String },
    /// The request for one of its loops.
    Request { seat: Seat, share: String, file: String },
    /// What waits for a person in one of its loops.
    Needs { seat: Seat, share: String, file: String },
}

impl Key {
    /// Takes `<member>.<machine>.<share>.<about | file>` apart; `None` for anything that is not exactly that.
    pub(crate) fn parse(key: &str) -> Option<Self> {
        let mut parts = key.split('.');
        let seat = Seat::new(parts.next()?, parts.next()?)?;
        let share = parts.next().filter(|share| is_token(share))?.to_owned();
        let last = parts.next()?;
        if parts.next().is_some() {
            return None;
        }
        if last == "about" {
            return Some(Key::About { seat, share });
        }
        let (kind, name) = last.split_once('_')?;
        let bytes = BASE64URL_NOPAD.decode(name.as_bytes()).ok()?;
        let file = String::from_utf8(bytes).ok().filter(|file| is_shareable(file))?;
        match kind {
            "f" => Some(Key::File { seat, share, file }),
            "q" => Some(Key::Request { seat, share, file }),
            "n" => Some(Key::Needs { seat, share, file }),
            _ => None,
        }
    }

    /// Whose it is.
    pub(crate) fn seat(&self) -> &Seat {
        match self {
            Key::About { seat, .. }
            | Key::File { seat, .. }
            | Key::Request { seat, .. }
            | Key::Needs { seat, .. } => seat,
        }
    }
}

/// The files of one machine.
#[derive(Debug, Default)]
struct Kept {
    sizes: HashMap<PathBuf, u64>,
    /// Their sum.
    bytes: u64,
}

impl Kept {
    /// Whether a file of this size still fits.
    fn takes(&self, path: &Path, size: u64) -> bool {
        let before = self.sizes.get(path).copied();
        self.bytes - before.unwrap_or(0) + size <= MOST_BYTES
            && (before.is_some() || self.sizes.len() < MOST_FILES)
    }

    fn put(&mut self, path: &Path, size: u64) {
        self.remove(path);
        self.sizes.insert(path.to_owned(), size);
        self.bytes += size;
    }

    fn remove(&mut self, path: &Path) {
        self.bytes -= self.sizes.remove(path).unwrap_or(0);
    }
}

/// All mirrors below one folder of our own.
#[derive(Debug)]
pub(crate) struct Mirrors {
    folder: PathBuf,
    /// What each machine takes.
    kept: HashMap<Seat, Kept>,
    /// What the server has; the rest of a mirror is old.
    seen: HashSet<PathBuf>,
}

impl Mirrors {
    /// Mirrors below `folder`, which is made. Machines are kept apart on the disk, so that thousands of first copies are made quickly.
    pub(crate) fn open(folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder)
            .and_then(|()| files::spread_folders(&folder))
            .logged("copies of other machines are not kept apart");
        Self::new(folder)
    }

    /// The same for reading.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, kept: HashMap::new(), seen: HashSet::new() }
    }

    /// The folder of a share.
    pub(crate) fn folder(&self, seat: &Seat, share: &str) -> PathBuf {
        self.machine(seat).join(share)
    }

    /// The folder of a machine. Its next draft is made there too: a file stays on the place of the disk where it was made.
    fn machine(&self, seat: &Seat) -> PathBuf {
        self.folder.join(seat.to_string())
    }

    /// Makes the folder of a share.
    pub(crate) fn make(&mut self, seat: &Seat, share: &str) -> io::Result<PathBuf> {
        let folder = self.folder(seat, share);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Writes a file, with the time of its change on its own machine.
    ///
    /// # Errors
    /// What the disk says; `FileTooLarge` when the machine has too many or too large files.
    pub(crate) fn write(
        &mut self,
        (seat, share, file): (&Seat, &str, &str),
        modified: i64,
        bytes: &[u8],
    ) -> io::Result<()> {
        let (machine, path) = (self.machine(seat), self.folder(seat, share).join(file));
        let kept = self.kept.entry(seat.clone()).or_default();
        let size = bytes.len() as u64;
        if !kept.takes(&path, size) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let draft = write_draft(&machine, bytes, modified)?;
        // Only a file that was put there before: a folder at the path would become the draft.
        match kept.sizes.contains_key(&path) {
            true => exchange(&draft, &path)?,
            false => put_in_place(&draft, &path)?,
        }
        kept.put(&path, size);
        self.seen.insert(path);
        Ok(())
    }

    /// Removes a file that is gone on its own machine.
    pub(crate) fn remove(&mut self, seat: &Seat, share: &str, file: &str) -> io::Result<()> {
        let path = self.folder(seat, share).join(file);
        self.kept.entry(seat.clone()).or_default().remove(&path);
        self.seen.remove(&path);
        gone(std::fs::remove_file(path))
    }

    /// Remembers what is known of a share, so that its loops are shown without a server too.
    pub(crate) fn keep_about(&mut self, seat: &Seat, share: &str, folder: &SharedFolder) -> io::Result<()> {
        self.make(seat, share)?;
        let text = serde_json::to_vec(folder).map_err(io::Error::other)?;
        let draft = write_draft(&self.machine(seat), &text, clock::now().millis())?;
        put_in_place(&draft, &self.about(seat, share))
    }

    /// Shares that were there when this machine last had a server.
    pub(crate) fn kept(&self) -> Vec<(Seat, String, SharedFolder)> {
        let mut found = Vec::new();
        for machine in folders(&self.folder) {
            let Some(seat) = machine.file_name().and_then(|name| Seat::parse(name.to_str()?)) else {
                continue;
            };
            for share in folders(&machine) {
                let name =
                    share.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                // One that cannot be read is written again from what the server has.
                let about = std::fs::read(self.about(&seat, &name)).ok();
                let folder = about.and_then(|bytes| serde_json::from_slice(&bytes).ok());
                found.extend(folder.map(|folder| (seat.clone(), name, folder)));
            }
        }
        found
    }

    fn about(&self, seat: &Seat, share: &str) -> PathBuf {
        self.machine(seat).join(format!("{share}.json"))
    }

    /// Removes a share that is no longer one.
    pub(crate) fn remove_share(&mut self, seat: &Seat, share: &str) -> io::Result<PathBuf> {
        let folder = self.folder(seat, share);
        let kept = self.kept.entry(seat.clone()).or_default();
        kept.sizes.retain(|path, _| !path.starts_with(&folder));
        kept.bytes = kept.sizes.values().sum();
        gone(std::fs::remove_file(self.about(seat, share)))?;
        gone(std::fs::remove_dir_all(&folder))?;
        Ok(folder)
    }

    /// Removes files of these shares that were not seen since the start: they went while this machine was away. A whole share
    /// goes only when its owner says so.
    pub(crate) fn sweep(&mut self, shares: &HashSet<(Seat, String)>) -> io::Result<()> {
        for seat in folders(&self.folder) {
            let Some(known) = seat.file_name().and_then(|name| Seat::parse(name.to_str()?)) else { continue };
            for share in folders(&seat) {
                let name =
                    share.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                if shares.contains(&(known.clone(), name)) {
                    self.sweep_files(&share)?;
                }
            }
        }
        Ok(())
    }

    fn sweep_files(&self, folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)?.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.sweep_files(&path)?;
            } else if !self.seen.contains(&path) {
                gone(std::fs::remove_file(path))?;
            }
        }
        Ok(())
    }
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// The next version of a file. Not synced: the server has it too.
fn write_draft(folder: &Path, bytes: &[u8], modified: i64) -> io::Result<PathBuf> {
    let draft = folder.join("incoming.tmp");
    let mut file = in_folder(folder, || open_draft(&draft))?;
    shorten(&file, bytes.len() as u64)?;
    file.write_all(bytes)?;
    let millis = u64::try_from(modified).unwrap_or(0);
    // It says any number: not every system has such a time.
    if let Some(modified) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(millis)) {
        file.set_modified(modified)?;
    }
    Ok(draft)
}

/// One step, so that no reader sees half of it.
fn put_in_place(draft: &Path, path: &Path) -> io::Result<()> {
    in_folder(path.parent().ok_or(io::ErrorKind::NotFound)?, || std::fs::rename(draft, path))
}

/// The same. The version before becomes the next draft, so the file system neither makes nor frees a file for each change.
fn exchange(draft: &Path, path: &Path) -> io::Result<()> {
    match files::exchange(draft, path) {
        Ok(()) => shorten(&open_draft(draft)?, LEFT), // nothing that is no longer shared stays
        Err(_) => put_in_place(draft, path),
    }
}

/// So many bytes of a version stay in the draft. ext4 writes what follows in an emptied file to the disk at once.
const LEFT: u64 = 1;

fn open_draft(draft: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(draft)
}

fn shorten(file: &File, most: u64) -> io::Result<()> {
    if file.metadata()?.len() > most { file.set_len(most) } else { Ok(()) }
}

/// Does something in a folder, which is nearly always there.
fn in_folder<T>(folder: &Path, work: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match work() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder)?;
            work()
        }
        done => done,
    }
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat() -> Seat {
        Seat::new("ada", "laptop").unwrap()
    }

    #[test]
    fn a_key_is_never_a_path() {
        let key = |file: &str| format!("ada.laptop.0a1b.{}", file_token(file));
        let parsed = Key::parse(&key(".loop/a.json"));
        let file = ".loop/a.json".to_owned();
        assert_eq!(parsed, Some(Key::File { seat: seat(), share: "0a1b".to_owned(), file }));
        assert_eq!(
            Key::parse("ada.laptop.0a1b.about"),
            Some(Key::About { seat: seat(), share: "0a1b".to_owned() })
        );
        for file in ["../../x.json", "/etc/passwd", ".loop/../../../x.json", ".claude/settings.json", "a.sh"]
        {
            assert_eq!(Key::parse(&key(file)), None, "{file}");
        }
        for wrong in [
            "",
            "ada",
            "ada.laptop",
            "ada.laptop.x",
            "ada.laptop.x.about.y",
            "ada.laptop.x/y.about",
            "A.b.c.about",
        ] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_machine_takes_no_more_than_its_share() {
        let (mut kept, path) = (Kept::default(), Path::new("a"));
        kept.put(path, MOST_BYTES);
        assert!(kept.takes(path, MOST_BYTES) && !kept.takes(path, MOST_BYTES + 1));
        assert!(!kept.takes(Path::new("b"), 1));
        kept.put(path, 1);
        assert!(kept.takes(Path::new("b"), MOST_BYTES - 1));
        kept.remove(path);
        assert_eq!(kept.bytes, 0);
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mut mirrors = Mirrors::new(dir.path().to_owned());
        let seat = seat();
        std::fs::create_dir_all(mirrors.folder(&seat, "0a").join(".loop/a.json")).unwrap();
        assert!(mirrors.write((&seat, "0a", ".loop/a.json"), 1, b"a").is_err());
        mirrors.write((&seat, "0a", ".loop/b.json"), 1, b"b").unwrap();
    }

    #[test]
    fn what_went_meanwhile_is_swept_and_whole_shares_stay() {
        let dir = tempfile::tempdir().unwrap();
        let mut mirrors = Mirrors::new(dir.path().to_owned());
        let seat = seat();
        let at = (&seat, "0a", ".loop/a.json");
        mirrors.write(at, 5_000, b"new").unwrap();
        let path = mirrors.folder(&seat, "0a").join(".loop/a.json");
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        mirrors.write(at, 5_000, b"a longer version").unwrap();
        mirrors.write(at, 5_000, b"short").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
        let draft = std::fs::metadata(mirrors.machine(&seat).join("incoming.tmp")).unwrap();
        assert!(draft.len() <= LEFT, "a version that is no longer shared stays");
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(modified, SystemTime::UNIX_EPOCH + Duration::from_secs(5));

        let mut again = Mirrors::new(dir.path().to_owned());
        again.write((&seat, "0a", ".loop/b.json"), 1, b"b").unwrap();
        std::fs::create_dir_all(dir.path().join("bob.tower/0b")).unwrap();
        again.sweep(&HashSet::from([(seat.clone(), "0a".to_owned())])).unwrap();
        assert!(!path.exists() && again.folder(&seat, "0a").join(".loop/b.json").exists());
        assert!(dir.path().join("bob.tower/0b").exists(), "its owner did not say that it is gone");
        again.remove(&seat, "0a", ".loop/b.json").unwrap();
        again.remove(&seat, "0a", ".loop/b.json").unwrap();
    }
}
