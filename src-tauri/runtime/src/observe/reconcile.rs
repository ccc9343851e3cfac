//! The floor below the watcher: what differs between the disk and the catalog, found with one stat per file.

use crate::observe::catalog::{Catalog, LoopId, Workspace};
use crate::observe::roots::{self, Candidate, Survey};
use loopdeck_core::layout;
use loopdeck_core::times::Timestamp;
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What a sweep found.
#[derive(Debug, Default)]
pub struct Differences {
    /// New or changed state files.
    pub changed: Vec<Candidate>,
    /// Loops whose file is gone.
    pub gone: Vec<LoopId>,
    /// Folders, task lists and backups in the roots: possible companions.
    pub folders: HashSet<String>,
}

/// Surveys the folder of a workspace; nothing when it cannot be reached, so that it loses nothing.
#[must_use]
pub fn survey(workspace: &Workspace) -> Option<Survey> {
    workspace.path.is_dir().then(|| roots::survey(&workspace.path))
}

/// Compares what was seen with what the catalog knows of `workspace`.
#[must_use]
pub fn differences(catalog: &Catalog, workspace: &Workspace, survey: Survey) -> Differences {
    let mut key = String::new();
    let (mut known, mut changed) = (0, Vec::new());
    for (candidate, stamp) in &survey.candidates {
        key.clear();
        key.extend([&*workspace.id, ":", &candidate.file]);
        let unchanged = match catalog.get(&key) {
            // What could not be read has no stamp: it is tried again each time and so recovers.
            Some(entry) => entry.stamp.is_some() && entry.stamp == *stamp,
            None => catalog.is_no_loop(&key, *stamp),
        };
        known += usize::from(catalog.get(&key).is_some());
        if !unchanged {
            changed.push(candidate.clone());
        }
    }
    let mut gone = gone_loops(catalog, workspace, &survey, known);
    // A loop that its file doesn't hold now is read once more: the file may be damaged.
    gone.retain(|key| {
        let lost = catalog.get(key).map(|entry| &entry.candidate).filter(|lost| is_part(lost));
        let is_there = |lost: &&Candidate| survey.candidates.iter().any(|(at, _)| at.file == lost.on_disk());
        let lost = lost.filter(is_there);
        changed.extend(lost.cloned());
        lost.is_none()
    });
    Differences { changed, gone, folders: survey.folders }
}

fn is_part(candidate: &Candidate) -> bool {
    candidate.on_disk() != candidate.file
}

/// Loops of the catalog that the survey did not see; looked for only when the numbers say that there are any.
fn gone_loops(catalog: &Catalog, workspace: &Workspace, survey: &Survey, known: usize) -> Vec<LoopId> {
    let mine = || catalog.entries().filter(|(_, entry)| entry.workspace == workspace.id);
    if mine().count() == known {
        return Vec::new();
    }
    let seen: HashSet<&str> =
        survey.candidates.iter().map(|(candidate, _)| candidate.file.as_str()).collect();
    mine().filter(|(_, entry)| !seen.contains(&*entry.candidate.file)).map(|(key, _)| key.clone()).collect()
}

/// Whether a folder that came or went at `path` can hold loops.
#[must_use]
pub fn may_hold_loops(workspace: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(workspace) else { return false };
    let Some(below) = below.to_str() else { return false };
    let first = below.split(['/', '\\']).next().unwrap_or("");
    layout::may_hold_loops(first)
}

/// Folders with the companions of one loop; watched while it is shown.
#[must_use]
pub fn companion_folders(workspace: &Path, candidate: &Candidate) -> Vec<PathBuf> {
    let state = workspace.join(&candidate.file);
    let Some(folder) = state.parent() else { return Vec::new() };
    let below = layout::companion_folders(candidate.place, &candidate.file);
    // Joined to nothing, a path would end in a separator.
    let found = below.into_iter().map(|name| match name.strip_prefix("../") {
        _ if name.is_empty() => folder.to_owned(),
        _ if name == ".." => folder.parent().unwrap_or(folder).to_owned(),
        Some(above) => folder.parent().unwrap_or(folder).join(above),
        None => folder.join(name),
    });
    found.filter(|folder| folder.is_dir() && files::lies_within(workspace, folder)).collect()
}

/// Whether a loop may have companions, as the folders of its root say.
#[must_use]
pub fn may_have_companions(candidate: &Candidate, folders: &HashSet<String>) -> bool {
    let base = candidate.file.strip_suffix(".json").unwrap_or(&candidate.file);
    let is_there = |ending| !folders.is_empty() && folders.contains(&format!("{base}{ending}"));
    layout::has_own_folder(candidate.place)
        || !layout::wanted(candidate.place).is_empty()
        || ["", ".progress", ".workers"].into_iter().any(is_there)
}

/// When a file in one of the loop's companion folders last changed, those that are `ours` (by path below the workspace)
/// left out; 0 without any.
#[must_use]
pub fn latest_companion_change(
    workspace: &Path,
    candidate: &Candidate,
    ours: impl Fn(&str, Fingerprint) -> bool,
) -> Timestamp {
    let entries = companion_folders(workspace, candidate)
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let foreign = entries.filter_map(|entry| {
        let stamp = Fingerprint::of_entry(&entry).ok()?;
        let path = entry.path();
        let file = path.strip_prefix(workspace).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        let is_companion = stamp.is_file() && file != candidate.on_disk() && !is_temporary(&file);
        (is_companion && !ours(&file, stamp)).then(|| stamp.modified())
    });
    foreign.max().unwrap_or(Timestamp::from_millis(0))
}

fn is_temporary(file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| name.starts_with(files::TEMP_PREFIX))
}
