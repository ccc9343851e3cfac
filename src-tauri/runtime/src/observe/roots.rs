//! Where loops can be below a workspace, and which folders must be watched to notice new ones.
//!
//! A handful of folders, never the whole repository; their names are in [`loopdeck_core::layout`].

use crate::observe::orphans;
use loopdeck_core::layout::{
    self, CCW_ROOTS, LoopFiles, LoopFolders, SESSION_NAME, SESSIONS, files_side_by_side, loop_folders,
    single_files, split_root,
};
pub use loopdeck_core::located::{Candidate, stem};
use loopdeck_core::loops::Place;
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// CCW root folders that exist below `workspace`, relative, with `/`.
#[must_use]
pub fn ccw_roots(workspace: &Path) -> Vec<String> {
    let mut roots: Vec<String> = CCW_ROOTS.iter().map(ToString::to_string).collect();
    for session in sessions(workspace) {
        roots.extend(CCW_ROOTS.iter().map(|root| format!("{SESSIONS}/{session}/{root}")));
    }
    roots.retain(|root| workspace.join(root).is_dir());
    roots
}

/// Folders below `workspace` in which state files are written.
#[must_use]
pub fn state_folders(workspace: &Path) -> Vec<PathBuf> {
    let singles = single_files().map(|(file, _)| folder_of(file).to_owned());
    let own = loop_folders().flat_map(|folders| folders_of_loops(workspace, &folders));
    let side_by_side = files_side_by_side().map(|files| files.root.to_owned());
    let roots: BTreeSet<String> =
        ccw_roots(workspace).into_iter().chain(singles).chain(own).chain(side_by_side).collect();
    roots
        .into_iter()
        .map(|root| workspace.join(root))
        .filter(|folder| files::lies_within(workspace, folder))
        .collect()
}

/// Folders in the roots of CCW loops, which contain their companions; links are left out.
#[must_use]
pub fn companion_roots(workspace: &Path) -> Vec<PathBuf> {
    let roots = ccw_roots(workspace).into_iter().map(|root| workspace.join(root));
    let inside = roots.filter(|folder| files::lies_within(workspace, folder));
    let entries = inside.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders of loops that have one each, relative, with `/`.
fn folders_of_loops(workspace: &Path, folders: &LoopFolders) -> Vec<String> {
    let inside =
        entries(&workspace.join(folders.root)).filter(|(name, is_dir)| *is_dir && !name.starts_with('.'));
    let mut found: Vec<String> = inside.map(|(name, _)| format!("{}/{name}", folders.root)).collect();
    found.sort();
    found
}

/// The state files that lie side by side in a folder, relative, with `/`.
fn files_of_loops(workspace: &Path, files: &LoopFiles) -> Vec<String> {
    let inside = entries(&workspace.join(files.root)).filter(|(_, is_dir)| !is_dir);
    let mut found: Vec<String> = inside.filter_map(|(name, _)| files.state_file(&name)).collect();
    found.sort();
    found
}

/// State files outside of the roots of CCW loops that exist.
fn files_outside_roots(workspace: &Path) -> impl Iterator<Item = Candidate> + '_ {
    let singles = single_files().map(|(file, place)| (file.to_owned(), place));
    let own = loop_folders().flat_map(move |folders| {
        let found = folders_of_loops(workspace, &folders).into_iter();
        found.map(move |folder| (format!("{folder}/{}", folders.state), folders.place))
    });
    let side_by_side = files_side_by_side().flat_map(move |files| {
        let found = files_of_loops(workspace, &files).into_iter();
        found.map(move |file| (file, files.place))
    });
    let there = singles
        .chain(own)
        .chain(side_by_side)
        .filter(move |(file, _)| workspace.join(file).symlink_metadata().is_ok());
    there.flat_map(move |(file, place)| with_parts(workspace, Candidate { file, place }))
}

/// A state file with the other loops in it. Only a file that can hold several is read for it.
pub(crate) fn with_parts(workspace: &Path, candidate: Candidate) -> Vec<Candidate> {
    let (file, place) = (candidate.file.clone(), candidate.place);
    let mut found = vec![candidate];
    let mut bytes = Vec::new();
    if layout::has_parts(place) && files::read(workspace, &workspace.join(&file), &mut bytes).is_ok() {
        let parts = layout::parts(place, &file, &bytes).into_iter();
        found.extend(parts.map(|file| Candidate { file, place }));
    }
    found
}

fn sessions(workspace: &Path) -> Vec<String> {
    let mut names: Vec<String> = entries(&workspace.join(SESSIONS))
        .filter(|(name, is_dir)| *is_dir && name.starts_with(SESSION_NAME))
        .map(|(name, _)| name)
        .collect();
    names.sort();
    names
}

/// Name and "is a folder" of each entry; nothing for a folder that cannot be listed.
fn entries(dir: &Path) -> impl Iterator<Item = (String, bool)> + use<> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().filter_map(|entry| {
        let kind = entry.file_type().ok()?;
        let name = entry.file_name().into_string().ok()?;
        // A link to a folder counts as one; where it leads is checked before anything is read.
        let is_dir = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
        Some((name, is_dir))
    })
}

/// Every file below `workspace` that may be a loop.
#[must_use]
pub fn candidates(workspace: &Path) -> Vec<Candidate> {
    listing(workspace).candidates
}

/// What is in the roots of a workspace, by name.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files that may be loops.
    pub candidates: Vec<Candidate>,
    /// See [`Survey::folders`].
    pub folders: HashSet<String>,
}

/// Lists all roots, without a stat of any file.
#[must_use]
pub fn listing(workspace: &Path) -> Listing {
    let mut listing = Listing::default();
    for root in ccw_roots(workspace) {
        for (name, is_dir) in entries(&workspace.join(&root)) {
            listing.candidates.extend(in_root(&root, &name, is_dir));
            if is_dir || orphans::is_companion(&name) {
                listing.folders.insert(format!("{root}/{name}"));
            }
        }
    }
    listing.candidates.extend(files_outside_roots(workspace));
    listing
}

/// Those among them that `name` names, by their state file or its stem. Looked up, so a folder of any size costs the same.
#[must_use]
pub fn candidates_named(workspace: &Path, name: &str) -> Vec<Candidate> {
    let in_roots = ccw_roots(workspace).into_iter().flat_map(|root| {
        let entries = match name.strip_prefix(&root).and_then(|rest| rest.strip_prefix('/')) {
            Some(below) => vec![below.strip_suffix("/state.json").unwrap_or(below).to_owned()],
            None => vec![format!("{name}.json"), name.to_owned()],
        };
        entries.into_iter().filter_map(move |entry| looked_up(workspace, &root, &entry))
    });
    in_roots
        .chain(files_outside_roots(workspace))
        .filter(|found| found.file == name || found.stem() == name)
        .collect()
}

fn looked_up(workspace: &Path, root: &str, name: &str) -> Option<Candidate> {
    if name.contains(std::path::is_separator) {
        return None; // an entry is a name, not a path
    }
    let path = workspace.join(root).join(name);
    path.symlink_metadata().ok()?;
    in_root(root, name, path.is_dir())
}

/// Everything in the roots of a workspace, from one listing of the folders.
#[derive(Debug, Default)]
pub struct Survey {
    /// Files that may be loops, with the version there is now.
    pub candidates: Vec<(Candidate, Option<Fingerprint>)>,
    /// Folders, task lists and backups in the roots, relative to the workspace: possible companions.
    pub folders: HashSet<String>,
}

/// Surveys all roots: one listing, and one stat of each candidate.
#[must_use]
pub fn survey(workspace: &Path) -> Survey {
    let mut survey = Survey::default();
    for root in ccw_roots(workspace) {
        let folder = workspace.join(&root);
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            survey.add_entry(&root, &folder, &entry);
        }
    }
    let stamped = |candidate: Candidate| {
        let stamp = Fingerprint::at(&workspace.join(candidate.on_disk())).ok();
        (candidate, stamp)
    };
    survey.candidates.extend(files_outside_roots(workspace).map(stamped));
    survey
}

impl Survey {
    fn add_entry(&mut self, root: &str, folder: &Path, entry: &std::fs::DirEntry) {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { return };
        let is_dir = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
        if let Some(candidate) = in_root(root, &name, is_dir) {
            let stamp = match candidate.place {
                // The entry's own stat needs no walk along the path.
                Place::CcwFile if !kind.is_symlink() => Fingerprint::of_entry(entry).ok(),
                Place::LegacyState => Fingerprint::at(&folder.join(&name).join("state.json")).ok(),
                _ => Fingerprint::at(&entry.path()).ok(),
            };
            // A session folder without its state file is no loop.
            if candidate.place != Place::LegacyState || stamp.is_some() {
                self.candidates.push((candidate, stamp));
            }
        }
        if is_dir || orphans::is_companion(&name) {
            self.folders.insert(format!("{root}/{name}"));
        }
    }
}

fn in_root(root: &str, name: &str, is_dir: bool) -> Option<Candidate> {
    // A folder in the place of a state file is listed with its problem, not overlooked.
    if let Some(stem) = name.strip_suffix(".json") {
        let is_loop_name = is_loop_name(stem);
        return (!name.starts_with('.') && (!is_dir || is_loop_name))
            .then(|| Candidate { file: format!("{root}/{name}"), place: Place::CcwFile });
    }
    (is_dir && name.starts_with("LOOP-"))
        .then(|| Candidate { file: format!("{root}/{name}/state.json"), place: Place::LegacyState })
}

fn is_loop_name(stem: &str) -> bool {
    stem.starts_with("loop-")
}

/// The candidate that a changed path is or belongs to, if any; `path` is below `workspace`.
#[must_use]
pub fn candidate_of(workspace: &Path, path: &Path) -> Option<Candidate> {
    let below = path.strip_prefix(workspace).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    if let Some((_, place)) = single_files().find(|(file, _)| *file == layout::on_disk(&below)) {
        return Some(Candidate { file: below, place });
    }
    let own = |folders: LoopFolders| {
        let file = folders.state_file_of(&below)?;
        // All in the folder of a loop of ours belongs to it; a plan's folder has other things too.
        (layout::has_own_folder(folders.place) || file == below).then_some((file, folders.place))
    };
    let side_by_side = |files: LoopFiles| {
        let name = below.strip_prefix(files.root)?.strip_prefix('/')?;
        Some((files.state_file(name)?, files.place))
    };
    let found = loop_folders().find_map(own).or_else(|| files_side_by_side().find_map(side_by_side));
    if let Some((file, place)) = found {
        return Some(Candidate { file, place });
    }
    let (root, rest) = split_root(&below)?;
    match rest.split_once('/') {
        None if rest.ends_with(".json") && !rest.starts_with('.') => {
            Some(Candidate { file: below.clone(), place: Place::CcwFile })
        }
        Some((folder, _)) if folder.starts_with("LOOP-") => {
            Some(Candidate { file: format!("{root}/{folder}/state.json"), place: Place::LegacyState })
        }
        // Progress files and worker outputs belong to the loop whose name they carry.
        Some((folder, _)) => {
            let stem = folder
                .strip_suffix(".progress")
                .or_else(|| folder.strip_suffix(".workers"))
                .unwrap_or(folder);
            Some(Candidate { file: format!("{root}/{stem}.json"), place: Place::CcwFile })
        }
        None => {
            let stem = rest.strip_suffix(".tasks.jsonl")?;
            Some(Candidate { file: format!("{root}/{stem}.json"), place: Place::CcwFile })
        }
    }
}

/// Folders to watch so that every change of every loop, and every new root, is noticed. All exist now.
#[must_use]
pub fn watch_folders(workspace: &Path) -> Vec<PathBuf> {
    let mut folders = vec![workspace.to_path_buf()];
    let mut add = |below: &str| {
        let dir = workspace.join(below);
        // Links that leave the workspace are not followed, not even with eyes.
        if dir.is_dir() && files::lies_within(workspace, &dir) {
            folders.push(dir);
        }
    };
    for below in [".workflow", SESSIONS] {
        add(below);
    }
    for (file, _) in single_files() {
        add(folder_of(file));
    }
    for folders in loop_folders() {
        add(folders.root);
        folders_of_loops(workspace, &folders).iter().for_each(|folder| add(folder));
    }
    for files in files_side_by_side() {
        add(files.root);
    }
    for session in sessions(workspace) {
        add(&format!("{SESSIONS}/{session}"));
        add(&format!("{SESSIONS}/{session}/.workflow"));
    }
    for root in ccw_roots(workspace) {
        add(&root);
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_path_leads_to_its_loop() {
        let workspace = Path::new("/w");
        let of = |below: &str| candidate_of(workspace, &workspace.join(below)).map(|found| found.file);
        assert_eq!(of(".claude/aot-loop-state.md").as_deref(), Some(".claude/aot-loop-state.md"));
        assert_eq!(of(".loop/a.json").as_deref(), Some(".loop/a.json"));
        assert_eq!(of(".ralph/shop/PROMPT.md").as_deref(), Some(".ralph/shop/TODO.md"));
        assert_eq!(of(".workflow/.loop/a.progress/develop.md").as_deref(), Some(".workflow/.loop/a.json"));
        assert_eq!(of(".workflow/.loop/a.workers/x.output.json").as_deref(), Some(".workflow/.loop/a.json"));
        assert_eq!(of(".workflow/.loop/a.tasks.jsonl").as_deref(), Some(".workflow/.loop/a.json"));
        assert_eq!(
            of(".loop/LOOP-x-2026-01-01/develop/tasks.json").as_deref(),
            Some(".loop/LOOP-x-2026-01-01/state.json")
        );
        let session = ".workflow/active/WFS-1/.workflow/.loop/b.json";
        assert_eq!(of(session).as_deref(), Some(session));
        for no_loop in [
            "src/a.json",
            ".loop/.loopdeck-x.tmp",
            ".loop",
            ".workflow/x.json",
            ".claude/settings.json",
            "src/.loop/a.json",
            ".ralph/shop",
        ] {
            assert_eq!(of(no_loop), None, "{no_loop}");
        }
    }

    #[test]
    fn a_loop_is_named_by_its_stem_or_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            ".loop/loop-a.json",
            ".workflow/.loop/loop-a.json",
            ".workflow/active/WFS-1/.loop/loop-b.json",
            ".loop/LOOP-c/state.json",
            ".claude/aot-loop-state.md",
            ".loop/sub/loop-d.json",
            "loop-e.json",
        ];
        for file in files {
            std::fs::create_dir_all(dir.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(dir.path().join(file), "{}").unwrap();
        }
        let of = |name: &str| -> Vec<String> {
            candidates_named(dir.path(), name).into_iter().map(|found| found.file).collect()
        };
        assert_eq!(of("loop-a"), [files[1], files[0]]);
        assert_eq!(of("loop-b"), [files[2]]);
        assert_eq!(of("LOOP-c"), [files[3]]);
        assert_eq!(of("aot-loop-state"), [files[4]]);
        for file in &files[..5] {
            assert_eq!(of(file), [*file]);
        }
        let others = [
            "loop-d",
            "sub/loop-d",
            files[5],
            files[6],
            "loop-a.json",
            ".loop/LOOP-c",
            "",
            "..",
            "../loop-e",
        ];
        for other in others {
            assert!(of(other).is_empty(), "{other}");
        }
        let listed: Vec<String> = candidates(dir.path()).into_iter().map(|found| found.file).collect();
        assert!(files[..5].iter().all(|file| listed.contains(&(*file).to_owned())), "{listed:?}");
    }

    #[test]
    fn the_identity_comes_from_the_name() {
        assert_eq!(stem(Place::CcwFile, ".loop/loop-v2-1.json"), "loop-v2-1");
        assert_eq!(stem(Place::LegacyState, ".loop/LOOP-a/state.json"), "LOOP-a");
        assert_eq!(stem(Place::AotFile, layout::AOT_FILE), "aot-loop-state");
        assert_eq!(stem(Place::RalphList, ".ralph/shop/TODO.md"), "shop");
    }
}
