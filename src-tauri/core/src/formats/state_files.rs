//! Where the state files of a format are, and what belongs to them. Names only; nothing here looks at a disk.

use super::loop_format::KnownFile;
use crate::format::Format;
use crate::summary::Summary;
use crate::view::{Companion, CompanionKind};
pub(crate) use loopdeck_plans::{Found, Wanted};

/// A kind of state file. Paths of a `file` are below the workspace, all others below the folder of the state file.
pub(crate) trait StateFiles: Sync {
    /// Where they are; nowhere by itself for what is in the roots of CCW (the CCW contract §1.2).
    fn found(&self) -> &'static [Found] {
        &[]
    }

    /// What a list shows; `None` when the file is not a loop and must not be listed. `beside` is empty unless
    /// [`StateFiles::wanted`] names something.
    fn summary(&self, file: KnownFile<'_>, _beside: &[Companion]) -> Option<Summary> {
        self.format_by_name(file.1.stem).rules().summary(file)
    }

    /// What a list shows of a loop whose file is gone, as `file` was last; `None` where that doesn't mean that it has ended.
    fn ended(&self, _file: KnownFile<'_>) -> Option<Summary> {
        None
    }

    /// Whether the loop has ended when its file is gone.
    fn ends_without_file(&self) -> bool {
        false
    }

    /// What next to the file its row is read from too.
    fn wanted(&self) -> &'static [Wanted] {
        &[]
    }

    /// The plan that the loop works off, below the workspace, at a place where plans are.
    fn linked(&self, _bytes: &[u8]) -> Option<String> {
        None
    }

    /// Whether one file can hold several loops: [`StateFiles::parts`] has all but the first.
    fn has_parts(&self) -> bool {
        false
    }

    /// The other loops in the file, each by the name that stands behind a `#` in its path.
    fn parts(&self, _bytes: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// Whether [`StateFiles::named`] or [`StateFiles::linked`] ever has any.
    fn names_files(&self) -> bool {
        false
    }

    /// Files next to it whose names follow from its content; plain names below its folder.
    fn named(&self, _bytes: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// The same file without its texts, for a team; `None` when it cannot be read.
    fn outline(&self, _bytes: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Whether such loops are shared with a team and go along with a job; plans of other tools stay where they are.
    fn is_shared(&self) -> bool {
        true
    }

    /// The format of a file that cannot be read at all.
    fn format_by_name(&self, stem: &str) -> Format;

    /// The identity of a state file, from its path: the name of its folder.
    fn stem<'f>(&self, file: &'f str) -> &'f str {
        file.rsplit('/').nth(1).unwrap_or(file)
    }

    /// Kinds and names of the files next to a loop, in the order in which they are read. Of two names for one document the first
    /// counts. Worker outputs are listed, see [`StateFiles::workers_folder`].
    fn companion_names(&self, _file: &str) -> Vec<(CompanionKind, String)> {
        Vec::new()
    }

    /// The folder of worker outputs.
    fn workers_folder(&self, _file: &str) -> Option<String> {
        None
    }

    /// Folders with the files next to a loop; "" is that of the state file itself.
    fn companion_folders(&self, _file: &str) -> Vec<String> {
        Vec::from_iter(self.has_own_folder().then(String::new))
    }

    /// Whether the folder of the state file is the loop's own.
    fn has_own_folder(&self) -> bool {
        false
    }

    /// What belongs to a loop and goes with it, relative to the workspace. It need not exist.
    fn belongings(&self, file: &str) -> Vec<String> {
        vec![if self.has_own_folder() { folder(file) } else { file }.to_owned()]
    }
}

/// The folder of a path; "" for the workspace.
pub(crate) fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path without `ending`.
pub(crate) fn name_without<'f>(file: &'f str, ending: &str) -> &'f str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(ending).unwrap_or(name)
}
