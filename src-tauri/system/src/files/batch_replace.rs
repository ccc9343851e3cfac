//! Several files replaced at once. Each keeps its own guard; they wait for the disk together.

use super::{Prepared, ReplaceFault, Replaced, sync_folder};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What a file is to say, and what it must still say until then.
#[derive(Clone, Copy, Debug)]
pub struct NewVersion<'a> {
    /// Which file.
    pub path: &'a Path,
    /// Its content.
    pub expected: &'a [u8],
    /// Its new content.
    pub new: &'a [u8],
}

/// New versions of several files, each durable next to its file under a temporary name.
#[derive(Debug)]
pub struct BatchReplace<'a> {
    prepared: Vec<(Result<Prepared, ReplaceFault>, NewVersion<'a>)>,
}

impl<'a> BatchReplace<'a> {
    /// Prepares `versions` while `record` records them elsewhere. `workspace` is canonical. Takes a thread for each file: the
    /// disk writes them out together.
    pub fn while_recording<T>(
        workspace: &Path,
        versions: Vec<NewVersion<'a>>,
        record: impl FnOnce() -> T,
    ) -> (Self, T) {
        std::thread::scope(|scope| {
            let prepare = |version: NewVersion<'a>| {
                let prepared = scope.spawn(move || Prepared::new(workspace, version.path, version.new));
                (prepared, version)
            };
            let threads: Vec<_> = versions.into_iter().map(prepare).collect();
            let recorded = record();
            let ended = || io::Error::other("a thread ended").into();
            let prepared = threads
                .into_iter()
                .map(|(thread, version)| (thread.join().unwrap_or_else(|_| Err(ended())), version));
            (Self { prepared: prepared.collect() }, recorded)
        })
    }

    /// Puts each version in place, like [`super::replace`]; one that fails leaves the others alone. A result for each
    /// version, in their order.
    #[must_use]
    pub fn replace(self) -> Vec<Result<Replaced, ReplaceFault>> {
        let mut folders: BTreeMap<PathBuf, io::Result<()>> = BTreeMap::new();
        let exchange = |(prepared, version): (Result<Prepared, ReplaceFault>, NewVersion<'_>)| {
            let prepared = prepared?;
            let folder = prepared.path.parent().map(Path::to_owned).unwrap_or_default();
            Ok((prepared.exchange(version.expected, version.new)?, folder))
        };
        let exchanged: Vec<Result<(Replaced, PathBuf), ReplaceFault>> =
            self.prepared.into_iter().map(exchange).collect();
        for (_, folder) in exchanged.iter().flatten() {
            folders.entry(folder.clone()).or_insert_with(|| sync_folder(folder));
        }
        let synchronised = |(replaced, folder): (Replaced, PathBuf)| match &folders[&folder] {
            Ok(()) => Ok(replaced),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string()).into()),
        };
        exchanged.into_iter().map(|exchanged| exchanged.and_then(synchronised)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Canonical as _;

    #[test]
    fn one_that_another_program_changed_leaves_the_others_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        let paths: Vec<PathBuf> = ["a", "b/c", "b/d", "gone"].map(|name| root.join(name)).into();
        std::fs::create_dir(root.join("b")).unwrap();
        for path in &paths[..3] {
            std::fs::write(path, "old").unwrap();
        }
        let versions = paths.iter().map(|path| NewVersion { path, expected: b"old", new: b"new" }).collect();
        let (several, recorded) = BatchReplace::while_recording(&root, versions, || {
            std::fs::write(&paths[1], "theirs").unwrap();
            7
        });
        let replaced = several.replace();
        let kinds: Vec<&str> = replaced
            .iter()
            .map(|one| match one {
                Ok(_) => "replaced",
                Err(ReplaceFault::Changed(_)) => "changed",
                Err(ReplaceFault::Io(_)) => "disk",
            })
            .collect();
        assert_eq!((kinds.as_slice(), recorded), (&["replaced", "changed", "replaced", "disk"][..], 7));
        let said = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
        assert_eq!([said(&paths[0]), said(&paths[1]), said(&paths[2])], ["new", "theirs", "new"]);
        drop(replaced); // Windows may keep a name until its file is closed
        assert_eq!(std::fs::read_dir(root.join("b")).unwrap().count(), 2, "no temporary file stays");
    }
}
