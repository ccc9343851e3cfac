//! Which version of a file was seen: enough to detect a change without reading.

use crate::platform::{modified_ns, seen_at, seen_in_folder, seen_open};
use loopdeck_core::times::Timestamp;
use std::fs::{DirEntry, File, Metadata};
use std::io;
use std::path::Path;

/// Size, times and identity of one version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Bytes.
    pub size: u64,
    /// Modification time, nanoseconds since 1970 UTC.
    pub modified_ns: i128,
    /// Which file: a rename over it changes this even when size and time are equal.
    inode: u64,
    kind: FileKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    File,
    Folder,
    Other,
}

impl Fingerprint {
    /// There is no such file.
    pub const GONE: Self = Self { size: 0, modified_ns: 0, inode: 0, kind: FileKind::Other };

    /// The version that `file` has open.
    ///
    /// # Errors
    /// The operating system's error.
    pub fn read(file: &File) -> io::Result<Self> {
        seen_open(file).map(Self::of)
    }

    /// The current version at `path`, with links followed.
    ///
    /// # Errors
    /// The operating system's error.
    pub fn at(path: &Path) -> io::Result<Self> {
        seen_at(path).map(Self::of)
    }

    /// The current version of an entry of a folder; a link is not followed.
    ///
    /// # Errors
    /// The operating system's error.
    pub fn of_entry(entry: &DirEntry) -> io::Result<Self> {
        seen_in_folder(entry).map(Self::of)
    }

    fn of((metadata, number): (Metadata, u64)) -> Self {
        let kind = if metadata.is_file() {
            FileKind::File
        } else if metadata.is_dir() {
            FileKind::Folder
        } else {
            FileKind::Other
        };
        Self { size: metadata.len(), modified_ns: modified_ns(&metadata), inode: number, kind }
    }

    /// Modification time.
    #[must_use]
    pub fn modified(self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.modified_ns / 1_000_000).unwrap_or(0))
    }

    /// Whether it is a regular file.
    #[must_use]
    pub fn is_file(self) -> bool {
        self.kind == FileKind::File
    }

    /// `folder` or `special file`, for the sentence of a problem.
    #[must_use]
    pub fn kind_word(self) -> &'static str {
        match self.kind {
            FileKind::File => "file",
            FileKind::Folder => "folder",
            FileKind::Other => "special file",
        }
    }

    /// Whether `other` is a version of the same file, not of one that replaced it.
    #[must_use]
    pub fn is_same_file(self, other: Self) -> bool {
        self.inode == other.inode
    }

    /// For the journal: size, modification time, identity.
    #[must_use]
    pub fn columns(self) -> (i64, i64, i64) {
        let size = i64::try_from(self.size).unwrap_or(i64::MAX);
        (size, i64::try_from(self.modified_ns).unwrap_or(i64::MAX), self.inode.cast_signed())
    }

    /// A regular file's stamp from the journal.
    #[must_use]
    pub fn from_columns((size, modified_ns, inode): (i64, i64, i64)) -> Self {
        let (size, modified_ns) = (u64::try_from(size).unwrap_or(0), i128::from(modified_ns));
        Self { size, modified_ns, inode: inode.cast_unsigned(), kind: FileKind::File }
    }

    /// The stamp after a rename to `path`: from the disk, or the old one if it cannot be read.
    #[must_use]
    pub fn renamed(self, path: &Path) -> Self {
        Self::at(path).unwrap_or(self)
    }
}
