//! Files that a loop names: whether they are there, and inside of its workspace. What a loop names is untrusted.

use crate::files::Canonical as _;
use crate::views::{Failure, FailureKind};
use loopdeck_core::place::file_and_line;
use serde::Serialize;
use specta::Type;
use std::path::{Component, Path, PathBuf};

/// Whether a file can be opened. Words: catalogue `sight.<state>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PathState {
    /// A file inside of the workspace.
    There,
    /// No such file.
    Missing,
    /// It is outside of the workspace, directly or through a link.
    Outside,
    /// A folder, a pipe, a device.
    NotAFile,
}

impl PathState {
    /// Why the file named `name` is not opened.
    pub(crate) fn failure(self, name: &str) -> Failure {
        let kind = match self {
            Self::There | Self::Missing => FailureKind::FileMissing,
            Self::Outside => FailureKind::FileOutside,
            Self::NotAFile => FailureKind::NotARegularFile,
        };
        Failure::new(kind).with("path", name)
    }
}

/// A name that was looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct LookedUpPath {
    /// The file, without the line after it.
    pub file: String,
    /// 1-based line that followed it.
    pub line: Option<u32>,
    /// 1-based column that followed it.
    pub column: Option<u32>,
    /// Whether it can be opened.
    pub state: PathState,
}

/// Where the names of a loop are looked up.
pub(crate) struct LookupFolders<'a> {
    /// The workspace, canonical.
    pub(crate) workspace: &'a Path,
    /// The state file below it, with `/`.
    pub(crate) file: &'a str,
}

impl LookupFolders<'_> {
    /// Looks `name` up. A file whose name ends like a line (`notes:3`) is that file.
    pub(crate) fn sight(&self, name: &str) -> LookedUpPath {
        let name = name.trim();
        let whole = self.path(name);
        let place = file_and_line(name);
        let of = |state| LookedUpPath { file: name.to_owned(), line: None, column: None, state };
        match whole {
            Ok(_) => of(PathState::There),
            Err(state) if place.line.is_none() => of(state),
            Err(_) => {
                let state = self.path(&place.file).map_or_else(|state| state, |_| PathState::There);
                LookedUpPath { file: place.file, line: place.line, column: place.column, state }
            }
        }
    }

    /// The real path of the file named `name`.
    ///
    /// # Errors
    /// Why it is not to be opened; never `There`.
    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, PathState> {
        if name.is_empty() || name.contains('\0') {
            return Err(PathState::Missing);
        }
        let mut worst = PathState::Missing;
        for path in self.candidates(name) {
            match self.resolve_inside(&path) {
                Ok(real) => return Ok(real),
                Err(PathState::Missing | PathState::There) => {}
                Err(state) => worst = state,
            }
        }
        Err(worst)
    }

    fn resolve_inside(&self, path: &Path) -> Result<PathBuf, PathState> {
        let real = path.canonical().map_err(|_| PathState::Missing)?;
        if !real.starts_with(self.workspace) {
            return Err(PathState::Outside);
        }
        let metadata = real.metadata().map_err(|_| PathState::Missing)?;
        if metadata.is_file() { Ok(real) } else { Err(PathState::NotAFile) }
    }

    /// Where a named file may be: relative to the folder the loop works in, then to each folder above it up to the workspace.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let mut spellings = vec![name.to_owned()];
        if name.contains('\\') {
            spellings.push(name.replace('\\', "/"));
        }
        let bases = self.bases();
        let join = |base: &PathBuf| spellings.iter().map(|name| base.join(name)).collect::<Vec<_>>();
        bases.iter().flat_map(join).collect()
    }

    /// The state file is in dot folders of the folder that the loop works in.
    fn bases(&self) -> Vec<PathBuf> {
        let project: PathBuf = Path::new(self.file)
            .parent()
            .into_iter()
            .flat_map(Path::components)
            .take_while(
                |part| !matches!(part, Component::Normal(name) if name.as_encoded_bytes().starts_with(b".")),
            )
            .collect();
        project.ancestors().map(|folder| self.workspace.join(folder)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap().join("shop");
        fs::create_dir_all(root.join("packages/cart/src")).unwrap();
        fs::write(root.join("packages/cart/src/a.ts"), "").unwrap();
        fs::write(root.join("packages/cart").join(if cfg!(windows) { "notes" } else { "notes:3" }), "")
            .unwrap();
        fs::write(root.join("top ä.ts"), "").unwrap();
        fs::write(dir.path().join("secret.ts"), "").unwrap();
        (dir, root)
    }

    fn state(root: &Path, name: &str) -> (PathState, Option<u32>) {
        let around = LookupFolders { workspace: root, file: "packages/cart/.workflow/.loop/x.json" };
        let sight = around.sight(name);
        assert_eq!(sight.state == PathState::There, around.path(&sight.file).is_ok(), "{name}");
        (sight.state, sight.line)
    }

    #[test]
    fn names_are_looked_up_from_the_folder_of_the_loop_upwards() {
        let (_dir, root) = workspace();
        let absolute = root.join("top ä.ts:4:2");
        for (name, line) in [
            ("src/a.ts", None),
            (" src/a.ts:12:5 ", Some(12)),
            ("./src\\a.ts", None),
            ("packages/cart/src/a.ts:3", Some(3)),
            ("../../top ä.ts", None),
            ("top ä.ts", None),
            // Windows' names have no colon.
            ("notes:3", if cfg!(windows) { Some(3) } else { None }),
            (absolute.to_str().unwrap(), Some(4)),
        ] {
            assert_eq!(state(&root, name), (PathState::There, line), "{name}");
        }
    }

    #[test]
    fn what_is_not_a_file_of_the_workspace_is_told_apart() {
        let (dir, root) = workspace();
        for name in ["src/b.ts", "", "  ", "src/a.ts/deeper", "a\0b", &"x/".repeat(5_000)] {
            assert_eq!(state(&root, name).0, PathState::Missing, "{name}");
        }
        let secret = dir.path().join("secret.ts");
        let of_system = if cfg!(windows) { r"C:\windows\system.ini" } else { "/etc/passwd" };
        for name in ["../secret.ts", "../../../secret.ts:1", secret.to_str().unwrap(), of_system] {
            assert_eq!(state(&root, name).0, PathState::Outside, "{name}");
        }
        for name in ["src", ".", "/", "packages:3"] {
            assert!(matches!(state(&root, name).0, PathState::NotAFile | PathState::Outside), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_inside_and_pipes_are_no_files() {
        let (dir, root) = workspace();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, root.join(name)).unwrap();
        link(&dir.path().join("secret.ts"), "out.ts");
        link(dir.path(), "up");
        link(Path::new("packages/cart/src/a.ts"), "in.ts");
        link(Path::new("nowhere"), "broken.ts");
        link(Path::new("turn.ts"), "turn.ts");
        let pipe = root.join("pipe.ts");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(state(&root, "out.ts:2").0, PathState::Outside);
        assert_eq!(state(&root, "up/secret.ts").0, PathState::Outside);
        assert_eq!(state(&root, "in.ts").0, PathState::There);
        assert_eq!(state(&root, "broken.ts").0, PathState::Missing);
        assert_eq!(state(&root, "turn.ts").0, PathState::Missing);
        assert_eq!(state(&root, "pipe.ts:7").0, PathState::NotAFile);
        let around = LookupFolders { workspace: &root, file: "x.json" };
        assert_eq!(around.path("in.ts").unwrap(), root.join("packages/cart/src/a.ts"));
    }
}
