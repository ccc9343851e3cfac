//! Where the files of loops are below a workspace, by the places of their state files: the one table for whoever looks for loops,
//! watches them, reads what is next to them, shares them or removes them. Names only; nothing here looks at a disk.
//!
//! Implements the CCW contract §1.2, §1.3, the AoT contract §1 and the Ralph contract §1.

use crate::format::Place;
use crate::view::CompanionKind as Kind;
pub use loopdeck_plans::{Found, Wanted};

/// The location of a workspace's only AoT loop (the AoT contract §1).
pub const AOT_FILE: &str = ".claude/aot-loop-state.md";

/// Where state files are that are not in the roots of CCW, and what they are.
pub fn found() -> impl Iterator<Item = (Found, Place)> {
    Place::all().flat_map(|place| place.files().found().iter().map(move |found| (*found, place)))
}

/// Files of which a workspace has one.
pub fn single_files() -> impl Iterator<Item = (&'static str, Place)> {
    found()
        .filter_map(|(found, place)| if let Found::File(file) = found { Some((file, place)) } else { None })
}

/// A folder in which each loop has a folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopFolders {
    /// Below the workspace.
    pub root: &'static str,
    /// The state file in each loop's folder.
    pub state: &'static str,
    /// What that is.
    pub place: Place,
}

/// The folders of formats whose loops have a folder each.
pub fn loop_folders() -> impl Iterator<Item = LoopFolders> {
    found().filter_map(|(found, place)| match found {
        Found::EachFolder { root, file } => Some(LoopFolders { root, state: file, place }),
        Found::File(_) | Found::EachFile { .. } => None,
    })
}

/// A folder in which each file with an ending is a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopFiles {
    /// Below the workspace.
    pub root: &'static str,
    /// The end of their names.
    pub ending: &'static str,
    /// What they are.
    pub place: Place,
}

/// The folders of formats whose loops are files side by side.
pub fn files_side_by_side() -> impl Iterator<Item = LoopFiles> {
    found().filter_map(|(found, place)| match found {
        Found::EachFile { root, ending } => Some(LoopFiles { root, ending, place }),
        Found::File(_) | Found::EachFolder { .. } => None,
    })
}

impl LoopFiles {
    /// The state file with this name; `None` for a hidden one and for another ending.
    #[must_use]
    pub fn state_file(&self, name: &str) -> Option<String> {
        let is_one = name.ends_with(self.ending) && !name.starts_with('.') && !name.contains('/');
        is_one.then(|| format!("{}/{name}", self.root))
    }
}

/// What next to a state file its row is read from too, by names below its folder; one `../` may be in front.
#[must_use]
pub fn wanted(place: Place) -> &'static [Wanted] {
    place.files().wanted()
}

/// Files next to a state file whose names follow from its content, below its folder.
#[must_use]
pub fn named(place: Place, bytes: &[u8]) -> Vec<String> {
    place.files().named(bytes)
}

/// Whether the content of a state file names others that are read with it.
#[must_use]
pub fn names_files(place: Place) -> bool {
    place.files().names_files()
}

/// The plan that a loop of ours works off, below the workspace; its place is one where plans are.
#[must_use]
pub fn linked(place: Place, bytes: &[u8]) -> Option<String> {
    place.files().linked(bytes)
}

/// The paths of the other loops in a state file, below the workspace: the file's own, a `#` and a name that is no path. Most files hold one
/// loop.
#[must_use]
pub fn parts(place: Place, file: &str, bytes: &[u8]) -> Vec<String> {
    place.files().parts(bytes).into_iter().map(|part| format!("{file}#{part}")).collect()
}

/// Whether a state file there can hold several loops.
#[must_use]
pub fn has_parts(place: Place) -> bool {
    place.files().has_parts()
}

/// The file on the disk for the path of a loop, which ends with a `#` and a name where the file holds several.
#[must_use]
pub fn on_disk(file: &str) -> &str {
    let Some((path, _)) = file.split_once('#') else { return file };
    let holds_several = |(known, place): (&str, Place)| known == path && has_parts(place);
    if single_files().any(holds_several) { path } else { file }
}

/// The places whose state files are at the path of a loop.
pub fn places_of(file: &str) -> impl Iterator<Item = Place> {
    let file = on_disk(file);
    let is_there = move |found: Found| match found {
        Found::File(known) => known == file,
        Found::EachFolder { root, file: state } => {
            let name = file.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')?.strip_suffix(state));
            let name = name.and_then(|name| name.strip_suffix('/'));
            name.is_some_and(|name| !name.is_empty() && !name.contains('/') && !name.starts_with('.'))
        }
        Found::EachFile { root, ending } => {
            let name = file.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
            name.is_some_and(|name| name.ends_with(ending) && !name.contains('/') && !name.starts_with('.'))
        }
    };
    found().filter(move |(found, _)| is_there(*found)).map(|(_, place)| place)
}

/// The path below the workspace of a name next to a state file, where one `../` may be in front; below the workspace itself for one that
/// begins with `/`.
#[must_use]
pub fn beside_path(file: &str, name: &str) -> String {
    let above = |path: &str| path.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
    if let Some(name) = name.strip_prefix('/') {
        return name.to_owned();
    }
    let own = above(file);
    let (own, name) = match name.strip_prefix("../") {
        _ if name == ".." => return above(&own),
        Some(name) => (above(&own), name),
        None => (own, name),
    };
    if own.is_empty() { name.to_owned() } else { format!("{own}/{name}") }
}

impl LoopFolders {
    /// The state file of the loop in the folder `name`; `None` for a hidden one.
    #[must_use]
    pub fn state_file(&self, name: &str) -> Option<String> {
        let is_name = !name.is_empty() && !name.starts_with('.');
        is_name.then(|| format!("{}/{name}/{}", self.root, self.state))
    }

    /// The state file of the loop that something below the workspace belongs to: all in a loop's folder does.
    #[must_use]
    pub fn state_file_of(&self, below: &str) -> Option<String> {
        let (name, _) = below.strip_prefix(self.root)?.strip_prefix('/')?.split_once('/')?;
        self.state_file(name)
    }
}

/// Where new CCW loops go (the CCW contract §1.2).
pub const CCW_ROOT: &str = ".workflow/.loop";
/// Where CCW loops are, below the workspace or one of its sessions.
pub const CCW_ROOTS: [&str; 2] = [CCW_ROOT, ".loop"];

/// Where the sessions of a workspace are, each in a folder whose name begins with [`SESSION_NAME`].
pub const SESSIONS: &str = ".workflow/active";
/// The beginning of the name of a session's folder.
pub const SESSION_NAME: &str = "WFS-";

/// The CCW root that a path below a workspace is in, and the rest of the path; `None` outside the roots that the contract names.
#[must_use]
pub fn split_root(below: &str) -> Option<(&str, &str)> {
    let session =
        below.strip_prefix(SESSIONS).and_then(|rest| rest.strip_prefix('/')?.strip_prefix(SESSION_NAME));
    let inner = session.and_then(|rest| rest.split_once('/')).map_or(below, |(_, inner)| inner);
    CCW_ROOTS.iter().find_map(|root| {
        let rest = inner.strip_prefix(root)?.strip_prefix('/')?;
        Some((&below[..below.len() - rest.len() - 1], rest))
    })
}

/// Whether something below a workspace can hold loops, by the folder at its top; the workspace itself can.
#[must_use]
pub fn may_hold_loops(top: &str) -> bool {
    top.is_empty() || is_top(top, |_| true)
}

/// The same for loops that are shared with a team.
#[must_use]
pub fn may_hold_shared_loops(top: &str) -> bool {
    is_top(top, is_shared)
}

fn is_top(top: &str, counts: impl Fn(Place) -> bool) -> bool {
    let path = |found: Found| match found {
        Found::File(path) => path,
        Found::EachFolder { root, .. } | Found::EachFile { root, .. } => root,
    };
    let roots = found().filter(|(_, place)| counts(*place)).map(|(found, _)| path(found));
    CCW_ROOTS.into_iter().chain(roots).any(|root| root.split('/').next() == Some(top))
}

/// Whether loops of this kind are shared with a team and go along with a job.
#[must_use]
pub fn is_shared(place: Place) -> bool {
    place.files().is_shared()
}

/// Kinds and names of the files next to a loop, below the folder of its state file, in the order in which they are read. Of two names
/// for one document the first counts. Worker outputs are listed, see [`workers_folder`].
#[must_use]
pub fn companion_names(place: Place, file: &str) -> Vec<(Kind, String)> {
    place.files().companion_names(file)
}

/// The folder of worker outputs, below the folder of the state file.
#[must_use]
pub fn workers_folder(place: Place, file: &str) -> Option<String> {
    place.files().workers_folder(file)
}

/// Folders with the files next to a loop, below the folder of its state file; "" is that folder itself.
#[must_use]
pub fn companion_folders(place: Place, file: &str) -> Vec<String> {
    place.files().companion_folders(file)
}

/// Whether a loop there has ended when its file is gone: its tool removes it.
#[must_use]
pub fn ends_without_file(place: Place) -> bool {
    place.files().ends_without_file()
}

/// Whether the folder of the state file is the loop's own.
#[must_use]
pub fn has_own_folder(place: Place) -> bool {
    place.files().has_own_folder()
}

/// What belongs to a loop and goes with it, relative to the workspace. It need not exist.
#[must_use]
pub fn belongings(place: Place, file: &str) -> Vec<String> {
    place.files().belongings(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_in_the_folder_of_a_loop_belongs_to_it() {
        let folders = loop_folders().find(|folders| folders.root == ".ralph").expect("Ralph loops");
        let of = |below: &str| folders.state_file_of(below);
        assert_eq!(of(".ralph/shop/TODO.md").as_deref(), Some(".ralph/shop/TODO.md"));
        assert_eq!(of(".ralph/shop/notes/a.md").as_deref(), Some(".ralph/shop/TODO.md"));
        for other in
            [".ralph/shop", ".ralph", ".ralphs/shop/TODO.md", ".ralph/.git/x", "src/.ralph/a/TODO.md"]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn only_a_file_that_holds_several_loops_has_parts() {
        let file = ".taskmaster/tasks/tasks.json";
        let text = br#"{"master": {"tasks": []}, "a/../b": {"tasks": []}}"#;
        let parts = parts(Place::Plan(loopdeck_plans::PlanKind::TaskMaster), file, text);
        assert_eq!(parts, [".taskmaster/tasks/tasks.json#a%2F..%2Fb"]);
        assert_eq!(on_disk(&parts[0]), file);
        assert!(places_of(&parts[0]).eq(places_of(file)) && places_of(file).count() == 1);
        for other in [".ralph/x#y/TODO.md", "src/tasks.json#ui", ".omo/boulder.json#a", file, ""] {
            assert_eq!(on_disk(other), other);
        }
    }

    #[test]
    fn only_the_folders_of_loops_hold_any() {
        for top in ["", ".workflow", ".loop", ".claude", ".ralph"] {
            assert!(may_hold_loops(top), "{top}");
        }
        assert!(!may_hold_loops("src") && !may_hold_loops(".work") && !may_hold_loops("node_modules"));
    }

    #[test]
    fn everything_with_the_name_of_a_loop_belongs_to_it() {
        let names = belongings(Place::CcwFile, ".loop/a.json");
        assert!(names.contains(&".loop/a.progress".to_owned()) && names.len() == 6);
        assert_eq!(belongings(Place::RalphList, ".ralph/shop/TODO.md"), [".ralph/shop"]);
    }
}
