//! What this machine shares: which folders, how much of them, and who may steer their loops.

use crate::layout::LARGEST_FILE;
use crate::seat::{Role, is_token};
use loopdeck_core::layout;
use loopdeck_core::loops::{Place, outline};
use loopdeck_runtime::observe::roots;
use loopdeck_system::failure::Failure;
use loopdeck_system::kept::{self, Kept};
use loopdeck_system::{dirs, files};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How much of a folder's loops leaves the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Rows: title, status, progress and times of each loop, and no other text.
    Rows,
    /// State files: status, tasks, hypotheses, atoms. What waits for a person can be answered.
    State,
    /// Those, and progress files, worker outputs and task lists.
    Progress,
    /// Those, and the output of agents and commands while they run.
    Output,
}

impl Scope {
    /// From little to much.
    pub const ALL: [Self; 4] = [Self::Rows, Self::State, Self::Progress, Self::Output];

    /// As it is written in commands.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Scope::Rows => "rows",
            Scope::State => "state",
            Scope::Progress => "progress",
            Scope::Output => "output",
        }
    }

    /// Whether texts of the loops are shared.
    pub(crate) fn has_texts(self) -> bool {
        self != Scope::Rows
    }

    /// Whether the files next to state files are shared.
    fn has_progress(self) -> bool {
        matches!(self, Scope::Progress | Scope::Output)
    }
}

/// How much of a file leaves the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedContent {
    /// All of it.
    Whole,
    /// What a row shows.
    Outline(Place),
}

impl SharedContent {
    /// What leaves of these bytes; `None` when they cannot be read.
    pub(crate) fn of(self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        match self {
            SharedContent::Whole => Some(bytes),
            SharedContent::Outline(place) => outline(place, &bytes),
        }
    }
}

/// Who may pause, resume and stop the loops of a folder from another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// Nobody.
    Nobody,
    /// Leads.
    Leads,
    /// Leads and members.
    Members,
}

impl Steering {
    /// Whether somebody with this role may.
    #[must_use]
    pub fn allows(self, role: Role) -> bool {
        match self {
            Steering::Nobody => false,
            Steering::Leads => role == Role::Lead,
            Steering::Members => matches!(role, Role::Lead | Role::Member),
        }
    }
}

/// A shared folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The workspace, canonical.
    pub path: PathBuf,
    /// How much.
    pub scope: Scope,
    /// Who may steer.
    pub steering: Steering,
}

impl Share {
    /// Names it on the server: the id of the workspace, which says nothing about its path.
    #[must_use]
    pub fn id(&self) -> String {
        let id = dirs::id_of(&self.path).to_lowercase();
        debug_assert!(is_token(&id), "{id}");
        id
    }

    /// The name that others see: that of the folder.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Files that leave the machine now, relative to the folder, sorted. Links are never followed.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.contents().into_iter().map(|(file, _)| file).collect()
    }

    /// The same with how much of each leaves.
    pub(crate) fn contents(&self) -> Vec<(String, SharedContent)> {
        let mut found = Vec::new();
        let mut state_files = HashMap::new();
        for candidate in roots::candidates(&self.path) {
            if layout::is_shared(candidate.place) && is_regular(&self.path.join(&candidate.file)) {
                found.push(candidate.file.clone());
                state_files.insert(candidate.file.clone(), candidate.place);
            }
        }
        if self.scope.has_progress() {
            for root in roots::ccw_roots(&self.path) {
                self.add_files_below(&root, 0, &mut found);
            }
            self.add_files_below(".claude/aot-results", 0, &mut found);
            for folders in layout::loop_folders().filter(|folders| layout::is_shared(folders.place)) {
                self.add_files_below(folders.root, 0, &mut found);
            }
        }
        found.retain(|file| self.may_leave(file));
        found.sort_unstable();
        found.dedup();
        let content = |file: &String| match state_files.get(file) {
            Some(place) if !self.scope.has_texts() => SharedContent::Outline(*place),
            _ => SharedContent::Whole,
        };
        let with_content = |file: String| {
            let content = content(&file);
            (file, content)
        };
        found.into_iter().map(with_content).collect()
    }

    fn may_leave(&self, file: &str) -> bool {
        is_shareable(file)
            && files::lies_within(&self.path, self.path.join(file).parent().unwrap_or(&self.path))
    }

    fn add_files_below(&self, folder: &str, depth: u32, found: &mut Vec<String>) {
        /// `{root}/{id}.progress/{file}`, with room for folders below.
        const DEEPEST: u32 = 4;
        for entry in std::fs::read_dir(self.path.join(folder)).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            let below = format!("{folder}/{name}");
            if kind.is_dir() && depth < DEEPEST {
                self.add_files_below(&below, depth + 1, found);
            } else if kind.is_file() {
                found.push(below);
            }
        }
    }
}

/// All files of the loops in a folder, whatever of them is shared.
pub(crate) fn files_of_loops(folder: &Path) -> Vec<String> {
    Share { path: folder.to_owned(), scope: Scope::Progress, steering: Steering::Nobody }.files()
}

/// Whether a file is small enough to leave the machine.
fn is_sent(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.len() <= LARGEST_FILE)
}

fn is_regular(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

/// Whether a file below a workspace belongs to its loops and has a harmless name. Decides what leaves a machine, and what is
/// taken from another one: nothing else is ever written.
pub(crate) fn is_shareable(file: &str) -> bool {
    /// More than any loop's own files have.
    const LONGEST: usize = 400;
    if layout::single_files().any(|(single, place)| single == file && layout::is_shared(place)) {
        return true;
    }
    let mut folders = layout::loop_folders().filter(|folders| layout::is_shared(folders.place));
    let in_folder = folders.any(|folders| folders.state_file_of(file).is_some());
    let in_root = in_folder || layout::split_root(file).is_some() || file.starts_with(".claude/aot-results/");
    let harmless = |part: &str| {
        let known = |letter: char| letter.is_alphanumeric() || "._- ".contains(letter);
        !part.is_empty() && part.len() <= 200 && part != "." && part != ".." && part.chars().all(known)
    };
    let hidden = |part: &str| part.starts_with('.') && !layout::may_hold_shared_loops(part);
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    in_root
        && file.len() <= LONGEST
        && ["json", "jsonl", "md", "log", "ndjson", "txt"].contains(&ending)
        && file.split('/').all(|part| harmless(part) && !hidden(part))
}

/// A folder of this machine, for the page on which it is shared.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct FolderView {
    /// The workspace; names it in commands.
    pub folder: String,
    /// The same for display.
    pub path: String,
    /// Name of the folder.
    pub name: String,
    /// How much is shared; `None`: nothing.
    pub scope: Option<Scope>,
    /// Who may steer.
    pub steering: Steering,
    /// What leaves the machine with each scope.
    pub rows: Leaving,
    /// See `rows`.
    pub state: Leaving,
    /// See `rows`. With output, the files are the same.
    pub progress: Leaving,
}

/// What would leave a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Leaving {
    /// How many files.
    pub files: u32,
    /// Their bytes.
    #[specta(type = u32)] // a finite number in TypeScript
    pub bytes: f64,
    /// The first of them, by name.
    pub names: Vec<String>,
}

impl Leaving {
    /// What leaves the machine with `share`.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "sizes of files are exact in f64")]
    pub fn of(share: &Share) -> Self {
        /// Enough to see which kind of files they are.
        const NAMES: usize = 50;
        let files: Vec<_> =
            share.contents().into_iter().filter(|(file, _)| is_sent(&share.path.join(file))).collect();
        let mut buffer = Vec::new();
        let mut size = |(file, content): &(String, SharedContent)| {
            let path = share.path.join(file);
            match content {
                SharedContent::Whole => path.metadata().map_or(0, |metadata| metadata.len()),
                // It is read for it, one file at a time. What is too large to be sent is not.
                SharedContent::Outline(_) => {
                    let read = files::read_up_to(&share.path, &path, LARGEST_FILE, &mut buffer);
                    let outline = read.ok().and_then(|_| content.of(std::mem::take(&mut buffer)));
                    outline.map_or(0, |outline| outline.len() as u64)
                }
            }
        };
        Self {
            files: u32::try_from(files.len()).unwrap_or(u32::MAX),
            bytes: files.iter().map(&mut size).sum::<u64>() as f64,
            names: files.into_iter().map(|(file, _)| file).take(NAMES).collect(),
        }
    }
}

/// The open folders of this machine, and what is shared of them.
#[must_use]
pub fn folder_views(folders: &[PathBuf], shares: &Shares) -> Vec<FolderView> {
    let view = |path: &PathBuf| {
        let shared = shares.shares.iter().find(|share| share.path == *path);
        let with = |scope| Share { path: path.clone(), scope, steering: Steering::Leads };
        FolderView {
            folder: path.to_string_lossy().into_owned(),
            path: dirs::shown(path),
            name: with(Scope::State).name(),
            scope: shared.map(|share| share.scope),
            steering: shared.map_or(Steering::Leads, |share| share.steering),
            rows: Leaving::of(&with(Scope::Rows)),
            state: Leaving::of(&with(Scope::State)),
            progress: Leaving::of(&with(Scope::Progress)),
        }
    };
    folders.iter().map(view).collect()
}

/// The folders that this machine shares, kept in one file of its own. While that cannot be read, nothing is
/// shared anew, and nothing is withdrawn: only a person does that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shares {
    /// Each folder once.
    pub shares: Vec<Share>,
}

impl Kept for Shares {
    /// 2: rows alone. 3: output.
    const FORM: u32 = 3;
}

impl Shares {
    /// Reads the file.
    ///
    /// # Errors
    /// `DamagedData`, `NewerData`: then it is not known what is shared, which is not the same as nothing.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        kept::check::<Self>(path)?;
        kept::read(path)
    }

    /// Saves the file.
    ///
    /// # Errors
    /// `NewerData`; `DamagedData`; `OwnData`.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        kept::save(path, self)
    }

    /// Shares a folder, or shares it otherwise.
    pub fn put(&mut self, share: Share) {
        self.shares.retain(|known| known.path != share.path);
        self.shares.push(share);
    }

    /// Shares a folder no longer. False when it was not shared.
    pub fn remove(&mut self, path: &Path) -> bool {
        let before = self.shares.len();
        self.shares.retain(|known| known.path != path);
        self.shares.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_system::files::Canonical as _;

    #[test]
    fn only_files_of_loops_leave_a_machine_or_enter_another() {
        for file in [
            ".claude/aot-loop-state.md",
            ".workflow/.loop/loop-v2-1.json",
            ".loop/a.progress/debug.log",
            ".loop/a.workers/init.output.json",
            ".loop/a.tasks.jsonl",
            ".loop/LOOP-x-2026/develop/tasks.json",
            ".workflow/active/WFS-a/.workflow/.loop/b.json",
            ".claude/aot-results/A1.md",
        ] {
            assert!(is_shareable(file), "{file}");
        }
        for file in [
            "",
            "src/main.rs",
            ".claude/settings.json",
            ".loop/../../.bashrc",
            ".loop/./a.json",
            ".loop//a.json",
            ".loop/.git/config.json",
            ".loop/a.sh",
            ".loop/a",
            "/etc/a.json",
            ".loop/a\0.json",
            ".loop/a\\..\\b.json",
            ".loop/a:b.json",
            ".workflow/settings.json",
            ".workflow/.loop-notes/a.md",
            ".workflow/active/WFS-a/plan.md",
            ".workflow/active/WFS-a/.loop-notes/a.json",
            ".workflow/active/WFS-a.json",
            // Plans of other tools, and what is next to them.
            "prd.json",
            "specs/001-cart/tasks.md",
            "specs/001-cart/contracts/secret.md",
            ".specify/workflows/runs/1a2b3c4d/inputs.json",
            ".planning/STATE.md",
            ".claude/ralph-loop.local.md",
            ".workflow/sessions/20260101-a/session.json",
            ".loop/a.progress/.omo/notes.md",
        ] {
            assert!(!is_shareable(file), "{file}");
        }
        assert!(!is_shareable(&format!(".loop/{}.json", "a".repeat(500))));
    }

    #[test]
    fn a_link_is_not_shared_and_progress_only_when_chosen() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        std::fs::create_dir_all(root.join(".loop/a.progress")).unwrap();
        std::fs::write(root.join(".loop/a.json"), "{}").unwrap();
        std::fs::write(root.join(".loop/a.progress/debug.log"), "x").unwrap();
        std::fs::write(root.join("secret.json"), "{}").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("secret.json"), root.join(".loop/b.json")).unwrap();
        let mut share = Share { path: root, scope: Scope::State, steering: Steering::Leads };
        assert_eq!(share.files(), [".loop/a.json"]);
        share.scope = Scope::Rows;
        let place = roots::candidates(&share.path)[0].place;
        assert_eq!(share.contents(), [(".loop/a.json".to_owned(), SharedContent::Outline(place))]);
        share.scope = Scope::Progress;
        assert_eq!(share.files(), [".loop/a.json", ".loop/a.progress/debug.log"]);
        // Plans of other tools stay, whatever is shared.
        let run = share.path.join(".specify/workflows/runs/1a2b3c4d");
        std::fs::create_dir_all(&run).unwrap();
        std::fs::write(run.join("state.json"), "{}").unwrap();
        std::fs::write(run.join("inputs.json"), "{}").unwrap();
        std::fs::write(share.path.join("prd.json"), "{}").unwrap();
        assert_eq!(share.files(), [".loop/a.json", ".loop/a.progress/debug.log"]);
    }
}
