//! Copies of other machines' shared files, one folder for each share. The rest of Loopdeck reads them as it reads any
//! workspace, and treats them as no less hostile.

use crate::our_files::read_json;
use crate::place::{FilePlace, SharePlace};
use crate::seat::Seat;
use crate::state::SharedFolder;
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

/// The files of one machine.
#[derive(Debug, Default)]
struct MachineFiles {
    sizes: HashMap<PathBuf, u64>,
    /// Their sum.
    bytes: u64,
}

impl MachineFiles {
    /// Whether a file of this size still fits.
    fn has_room_for(&self, path: &Path, size: u64) -> bool {
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
    kept: HashMap<Seat, MachineFiles>,
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
    pub(crate) fn folder(&self, share: &SharePlace) -> PathBuf {
        self.machine_folder(&share.seat).join(&share.id)
    }

    /// The folder of a machine. Its next draft is made there too: a file stays on the place of the disk where it was made.
    fn machine_folder(&self, seat: &Seat) -> PathBuf {
        self.folder.join(seat.to_string())
    }

    /// Writes a file, with the time of its change on its own machine.
    ///
    /// # Errors
    /// What the disk says; `FileTooLarge` when the machine has too many or too large files.
    pub(crate) fn write(
        &mut self,
        FilePlace { share, file }: &FilePlace,
        modified: i64,
        bytes: &[u8],
    ) -> io::Result<()> {
        let (machine, path) = (self.machine_folder(&share.seat), self.folder(share).join(file));
        let kept = self.kept.entry(share.seat.clone()).or_default();
        let size = bytes.len() as u64;
        if !kept.has_room_for(&path, size) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let draft = write_draft(&machine, bytes, modified)?;
        // Only a file that was put there before: a folder at the path would become the draft.
        match kept.sizes.contains_key(&path) {
            true => exchange_with(&draft, &path)?,
            false => put_in_place(&draft, &path)?,
        }
        kept.put(&path, size);
        self.seen.insert(path);
        Ok(())
    }

    /// Removes a file that is gone on its own machine.
    pub(crate) fn remove(&mut self, FilePlace { share, file }: &FilePlace) -> io::Result<()> {
        let path = self.folder(share).join(file);
        self.kept.entry(share.seat.clone()).or_default().remove(&path);
        self.seen.remove(&path);
        unless_missing(std::fs::remove_file(path))
    }

    /// Remembers what is known of a share, so that its loops are shown without a server too.
    pub(crate) fn keep_about(&mut self, share: &SharePlace, folder: &SharedFolder) -> io::Result<()> {
        std::fs::create_dir_all(self.folder(share))?;
        let text = serde_json::to_vec(folder).map_err(io::Error::other)?;
        let draft = write_draft(&self.machine_folder(&share.seat), &text, clock::now().millis())?;
        put_in_place(&draft, &self.about_path(share))
    }

    /// Shares that were there when this machine last had a server.
    pub(crate) fn kept_shares(&self) -> Vec<(SharePlace, SharedFolder)> {
        let about = |share: SharePlace| {
            // One that cannot be read is written again from what the server has.
            let folder = read_json(&self.about_path(&share)).ok().flatten();
            folder.map(|folder| (share, folder))
        };
        self.places().into_iter().filter_map(about).collect()
    }

    /// Shares of which there is a folder.
    fn places(&self) -> Vec<SharePlace> {
        let seats = subfolders(&self.folder).into_iter().filter_map(|name| Seat::parse(&name));
        let of_seat = |seat: Seat| {
            let shares = subfolders(&self.machine_folder(&seat));
            shares.into_iter().map(move |id| SharePlace { seat: seat.clone(), id })
        };
        seats.flat_map(of_seat).collect()
    }

    fn about_path(&self, share: &SharePlace) -> PathBuf {
        self.machine_folder(&share.seat).join(format!("{}.json", share.id))
    }

    /// Removes a share that is no longer one.
    pub(crate) fn remove_share(&mut self, share: &SharePlace) -> io::Result<()> {
        let folder = self.folder(share);
        let kept = self.kept.entry(share.seat.clone()).or_default();
        kept.sizes.retain(|path, _| !path.starts_with(&folder));
        kept.bytes = kept.sizes.values().sum();
        unless_missing(std::fs::remove_file(self.about_path(share)))?;
        unless_missing(std::fs::remove_dir_all(&folder))
    }

    /// Removes files of these shares that were not seen since the start: they went while this machine was away. A whole share
    /// goes only when its owner says so.
    pub(crate) fn sweep(&mut self, shares: &HashSet<SharePlace>) -> io::Result<()> {
        let places = self.places();
        places
            .iter()
            .filter(|share| shares.contains(*share))
            .try_for_each(|share| self.sweep_files(&self.folder(share)))
    }

    fn sweep_files(&self, folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)?.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.sweep_files(&path)?;
            } else if !self.seen.contains(&path) {
                unless_missing(std::fs::remove_file(path))?;
            }
        }
        Ok(())
    }
}

/// Names of the folders in a folder.
fn subfolders(of: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The next version of a file. Not synced: the server has it too.
fn write_draft(folder: &Path, bytes: &[u8], modified: i64) -> io::Result<PathBuf> {
    let draft = folder.join("incoming.tmp");
    let mut file = in_folder(folder, || open_draft(&draft))?;
    shorten_to(&file, bytes.len() as u64)?;
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
fn exchange_with(draft: &Path, path: &Path) -> io::Result<()> {
    match files::exchange(draft, path) {
        Ok(()) => shorten_to(&open_draft(draft)?, LEFT), // nothing that is no longer shared stays
        Err(_) => put_in_place(draft, path),
    }
}

/// So many bytes of a version stay in the draft. ext4 writes what follows in an emptied file to the disk at once.
const LEFT: u64 = 1;

fn open_draft(draft: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(draft)
}

fn shorten_to(file: &File, most: u64) -> io::Result<()> {
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

/// Removing what is not there is done.
fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share() -> SharePlace {
        SharePlace { seat: Seat::new("ada", "laptop").unwrap(), id: "0a".to_owned() }
    }

    fn place(file: &str) -> FilePlace {
        FilePlace { share: share(), file: file.to_owned() }
    }

    #[test]
    fn a_machine_takes_no_more_than_its_share() {
        let (mut kept, path) = (MachineFiles::default(), Path::new("a"));
        kept.put(path, MOST_BYTES);
        assert!(kept.has_room_for(path, MOST_BYTES) && !kept.has_room_for(path, MOST_BYTES + 1));
        assert!(!kept.has_room_for(Path::new("b"), 1));
        kept.put(path, 1);
        assert!(kept.has_room_for(Path::new("b"), MOST_BYTES - 1));
        kept.remove(path);
        assert_eq!(kept.bytes, 0);
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mut mirrors = Mirrors::new(dir.path().to_owned());
        std::fs::create_dir_all(mirrors.folder(&share()).join(".loop/a.json")).unwrap();
        assert!(mirrors.write(&place(".loop/a.json"), 1, b"a").is_err());
        mirrors.write(&place(".loop/b.json"), 1, b"b").unwrap();
    }

    #[test]
    fn what_went_meanwhile_is_swept_and_whole_shares_stay() {
        let dir = tempfile::tempdir().unwrap();
        let mut mirrors = Mirrors::new(dir.path().to_owned());
        let at = place(".loop/a.json");
        mirrors.write(&at, 5_000, b"new").unwrap();
        let path = mirrors.folder(&share()).join(".loop/a.json");
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        mirrors.write(&at, 5_000, b"a longer version").unwrap();
        mirrors.write(&at, 5_000, b"short").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
        let draft = std::fs::metadata(mirrors.machine_folder(&share().seat).join("incoming.tmp")).unwrap();
        assert!(draft.len() <= LEFT, "a version that is no longer shared stays");
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(modified, SystemTime::UNIX_EPOCH + Duration::from_secs(5));

        let mut again = Mirrors::new(dir.path().to_owned());
        let other = place(".loop/b.json");
        again.write(&other, 1, b"b").unwrap();
        std::fs::create_dir_all(dir.path().join("bob.tower/0b")).unwrap();
        again.sweep(&HashSet::from([share()])).unwrap();
        assert!(!path.exists() && again.folder(&share()).join(".loop/b.json").exists());
        assert!(dir.path().join("bob.tower/0b").exists(), "its owner did not say that it is gone");
        again.remove(&other).unwrap();
        again.remove(&other).unwrap();
    }
}
