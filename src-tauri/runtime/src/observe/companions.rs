//! Finds and reads the companions of a loop's state file (the CCW contract §1.3, §9).
//!
//! Names are ours, never taken from inside a file; only worker outputs are looked for by listing their folder. Links and
//! whatever is no plain file are left out, and so is a document above the limit: it is paged through, not taken in.

use crate::files::Canonical as _;
use crate::observe::roots::Candidate;
use loopdeck_core::layout::{self, Wanted};
use loopdeck_core::recovery;
use loopdeck_core::view::{Companion, CompanionKind as Kind};
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Companions above this size are documents to page through; of logs the end is read.
const COMPANION_LIMIT: u64 = 4 << 20;
/// All companions of one loop together.
const TOTAL_LIMIT: usize = 32 << 20;
/// Loop-B knows five actions; other names are possible.
const MOST_WORKERS: usize = 50;
/// Most files that a plan is read from.
const MOST_OF_PLAN: usize = 2_000;
/// So many bytes of other state files are looked through for a loop that was swapped.
const MOST_SEARCHED: u64 = 64 << 20;

/// Every companion of a loop that the full read uses; also what a damaged loop is rebuilt from.
///
/// `root` is the workspace, canonical. AoT loops have no companions.
pub(crate) fn companions(root: &Path, candidate: &Candidate) -> Vec<Companion> {
    read_all(root, candidate, companion_names(root, candidate))
}

/// What next to a state file its row is read from too, and the folders that it was looked for in, below the workspace; nothing for most
/// formats.
pub(crate) fn of_row(root: &Path, candidate: &Candidate, bytes: &[u8]) -> (Vec<Companion>, BTreeSet<String>) {
    let asked = of_plan(root, candidate, Some(bytes));
    if asked.names.is_empty() {
        return (Vec::new(), BTreeSet::new());
    }
    (read_all(root, candidate, asked.names), asked.folders)
}

/// A plan with what it is read from, as it is found beside a loop that works it off.
pub(crate) fn of_linked_plan(root: &Path, plan: Option<&str>) -> Vec<Companion> {
    let (Some(file), Ok(root)) = (plan, root.canonical()) else { return Vec::new() };
    let mut asked = AskedOfPlan::default();
    asked.add_linked(&root, file);
    // These names are below the workspace, whatever folder they are read beside.
    let beside = |place| Candidate { file: file.to_owned(), place };
    let place = layout::places_of(file).next();
    place.map(|place| read_all(&root, &beside(place), asked.names)).unwrap_or_default()
}

/// Those of some kinds alone.
pub(crate) fn of_kinds(root: &Path, candidate: &Candidate, kinds: &[Kind]) -> Vec<Companion> {
    read_all(root, candidate, wanted_of(root, candidate, kinds))
}

/// The versions of those of some kinds: when they are the same, so is what the files say.
pub(crate) fn fingerprints_of(
    root: &Path,
    candidate: &Candidate,
    kinds: &[Kind],
) -> Vec<(String, Option<Fingerprint>)> {
    let folder = root.join(folder(candidate));
    let named = wanted_of(root, candidate, kinds).into_iter().map(|(_, name)| name);
    named
        .map(|name| (folder.join(&name), name))
        .map(|(path, name)| (name, Fingerprint::at(&path).ok()))
        .collect()
}

fn wanted_of(root: &Path, candidate: &Candidate, kinds: &[Kind]) -> Vec<(Kind, String)> {
    let mut wanted = companion_names(root, candidate);
    wanted.retain(|(kind, _)| kinds.contains(kind));
    wanted
}

fn read_all(root: &Path, candidate: &Candidate, wanted: Vec<(Kind, String)>) -> Vec<Companion> {
    let mut found: Vec<Companion> = Vec::new();
    let mut total = 0;
    for (kind, name) in wanted {
        // Of two names for one document the first counts; task lists and worker outputs are several.
        let alone = !matches!(kind, Kind::TaskList | Kind::WorkerOutput | Kind::Plan | Kind::Linked);
        if alone && found.iter().any(|known| known.kind == kind) {
            continue;
        }
        if let Some(companion) = companion(root, candidate, kind, name) {
            total += companion.bytes.len();
            if total > TOTAL_LIMIT {
                break;
            }
            found.push(companion);
        }
    }
    found
}

/// The bytes of `<id><ending>` next to the state file, such as the `.json.backup` of the v1 engine; `None` when there is no such plain
/// file, it is too large, or `ending` is not just an ending.
pub(crate) fn companion_bytes(root: &Path, candidate: &Candidate, ending: &str) -> Option<Vec<u8>> {
    if ending.is_empty() || ending.contains(['/', '\\', '\0']) {
        return None;
    }
    let base = candidate.file.strip_suffix(".json").or_else(|| candidate.file.strip_suffix(".md"))?;
    read(root, &root.join(format!("{base}{ending}")), files::SIZE_LIMIT)
}

/// The newest state of this loop in another file of its folder: a state file that was swapped with it, or a damaged one
/// that was set aside. The names come from the folder, never from inside a file.
pub(crate) fn elsewhere(root: &Path, candidate: &Candidate) -> Option<Vec<u8>> {
    let (stem, own) = (candidate.stem(), root.join(candidate.on_disk()));
    let entries = std::fs::read_dir(root.join(folder(candidate))).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut files: Vec<(String, PathBuf)> = names
        .filter(|(name, path)| *path != own && (name.ends_with(".json") || name.contains(".json.damaged-")))
        .collect();
    files.sort();
    let mut left = MOST_SEARCHED;
    let mut newest: Option<Vec<u8>> = None;
    for (_, path) in files {
        let Some(bytes) = read(root, &path, COMPANION_LIMIT.min(left)) else { continue };
        left -= bytes.len() as u64;
        let is_newer =
            || newest.as_deref().is_none_or(|known| recovery::written(&bytes) > recovery::written(known));
        if recovery::is_of(&bytes, stem) && is_newer() {
            newest = Some(bytes);
        }
    }
    newest
}

/// Kinds and names below the folder that holds the companions, in the order in which they are read.
fn companion_names(root: &Path, candidate: &Candidate) -> Vec<(Kind, String)> {
    let beside = root.join(folder(candidate));
    let mut wanted = layout::companion_names(candidate.place, &candidate.file);
    // Most loops have none of these folders: then none of their files is looked for.
    let mut there: HashMap<String, bool> = HashMap::new();
    wanted.retain(|(_, name)| match name.rsplit_once('/') {
        Some((folder, _)) => *there.entry(folder.to_owned()).or_insert_with(|| beside.join(folder).is_dir()),
        None => true,
    });
    wanted.extend(worker_outputs(root, candidate).into_iter().map(|name| (Kind::WorkerOutput, name)));
    wanted.extend(of_plan(root, candidate, None).names);
    wanted
}

/// What a plan is read from beside its own file.
#[derive(Default)]
struct AskedOfPlan {
    names: Vec<(Kind, String)>,
    /// Where that is looked for, below the workspace: something may appear there.
    folders: BTreeSet<String>,
}

/// What a plan is read from too, as its format asks for it: some by name, some by listing a folder, some because the plan's file names it.
/// `state` is that file; it is read where it is needed and not given.
fn of_plan(root: &Path, candidate: &Candidate, state: Option<&[u8]>) -> AskedOfPlan {
    let mut names: Vec<String> = Vec::new();
    let mut asked = AskedOfPlan::default();
    for wanted in layout::wanted(candidate.place) {
        match *wanted {
            Wanted::File(name) | Wanted::End(name) => names.push(name.to_owned()),
            Wanted::Files { folder: below, depth, endings } => {
                let fits = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
                let mut listing =
                    PlanListing { root, candidate, fits: &fits, names: &mut names, asked: &mut asked };
                listing.add(below, depth);
            }
        }
    }
    if layout::names_files(candidate.place) {
        let read_now = || read(root, &root.join(candidate.on_disk()), files::SIZE_LIMIT).unwrap_or_default();
        let state = state.map_or_else(|| Cow::Owned(read_now()), Cow::Borrowed);
        names.extend(layout::named(candidate.place, &state).into_iter().filter(|name| is_plain_name(name)));
        if let Some(file) = layout::linked(candidate.place, &state) {
            asked.add_linked(root, &file);
        }
    }
    names.dedup();
    names.truncate(MOST_OF_PLAN);
    asked.folders.extend(names.iter().map(|name| above(&layout::beside_path(&candidate.file, name))));
    asked.names.extend(names.into_iter().map(|name| (Kind::Plan, name)));
    if !asked.names.is_empty() {
        asked.folders.insert(folder(candidate).to_owned()); // a folder that isn't there yet may come there
    }
    asked
}

impl AskedOfPlan {
    /// Adds a linked plan and what it is read from, each by its path below the workspace with a `/` in front.
    fn add_linked(&mut self, root: &Path, file: &str) {
        self.names.push((Kind::Linked, format!("/{file}")));
        self.folders.insert(above(file));
        for place in layout::places_of(file) {
            let of = of_plan(root, &Candidate { file: file.to_owned(), place }, None);
            let beside =
                of.names.into_iter().map(|(_, name)| format!("/{}", layout::beside_path(file, &name)));
            self.names.extend(beside.map(|name| (Kind::Linked, name)));
            self.folders.extend(of.folders);
        }
    }
}

/// The folder of a path below the workspace.
fn above(path: &str) -> String {
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// Whether each part of a name is one of a file or folder below.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 300
        && name.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0', ':']))
}

/// The listing of folders next to a state file. Links are left out, and so is a folder that a link leads out of the workspace.
struct PlanListing<'a> {
    root: &'a Path,
    candidate: &'a Candidate,
    fits: &'a dyn Fn(&str) -> bool,
    names: &'a mut Vec<String>,
    asked: &'a mut AskedOfPlan,
}

impl PlanListing<'_> {
    /// Adds the files of a folder, and of those so many levels below it.
    fn add(&mut self, below: &str, depth: u8) {
        let file = &self.candidate.file;
        let path = if below.is_empty() { above(file) } else { layout::beside_path(file, below) };
        let folder = self.root.join(&path);
        self.asked.folders.insert(path);
        if !files::lies_within(self.root, &folder) {
            return;
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<(String, bool)> = entries
            .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?)))
            .filter(|(_, kind)| kind.is_file() || kind.is_dir())
            .map(|(name, kind)| (name, kind.is_dir()))
            .collect();
        found.sort();
        for (name, is_dir) in found {
            if self.names.len() >= MOST_OF_PLAN {
                return;
            }
            let name = if below.is_empty() { name } else { format!("{below}/{name}") };
            match (is_dir, depth.checked_sub(1)) {
                (true, Some(depth)) => self.add(&name, depth),
                (false, _) if (self.fits)(&name) => self.names.push(name),
                _ => {}
            }
        }
    }
}

fn worker_outputs(root: &Path, candidate: &Candidate) -> Vec<String> {
    let Some(workers) = layout::workers_folder(candidate.place, &candidate.file) else { return Vec::new() };
    let found = text_files(&root.join(folder(candidate)).join(&workers)).into_iter().map(|(name, _)| name);
    let outputs = found.filter(|name| name.ends_with(".output.json")).take(MOST_WORKERS);
    outputs.map(|name| format!("{workers}/{name}")).collect()
}

/// The folder below which a loop's companions are named.
fn folder(candidate: &Candidate) -> &str {
    candidate.file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn companion(root: &Path, candidate: &Candidate, kind: Kind, name: String) -> Option<Companion> {
    let path = root.join(layout::on_disk(&layout::beside_path(&candidate.file, &name)));
    let grows = || {
        let is_it = |wanted: &Wanted| matches!(wanted, Wanted::End(log) if *log == name);
        layout::wanted(candidate.place).iter().any(is_it)
    };
    if matches!(kind, Kind::ChangesLog | Kind::DebugLog) || grows() {
        let place = plain_file(root, &path)?;
        let (bytes, cut) = files::read_end(root, &place, COMPANION_LIMIT).ok()?;
        return Some(Companion { kind, file: name, bytes, cut });
    }
    // An output that was never finished is news: what other files of ours say is elsewhere too.
    let is_unfinished =
        kind == Kind::WorkerOutput && plain_file(root, &path)?.metadata().is_ok_and(|found| found.len() == 0);
    let bytes = if is_unfinished { Vec::new() } else { read(root, &path, COMPANION_LIMIT)? };
    Some(Companion { kind, file: name, bytes, cut: false })
}

/// A plain file in a folder of the workspace.
fn plain_file(root: &Path, path: &Path) -> Option<PathBuf> {
    let is_file = path.symlink_metadata().ok()?.is_file();
    (is_file && files::lies_within(root, path.parent()?)).then(|| path.to_owned())
}

fn read(root: &Path, path: &Path, limit: u64) -> Option<Vec<u8>> {
    let path = plain_file(root, path)?;
    let mut bytes = Vec::new();
    // A writer may be at work: a few tries.
    (0..3).any(|_| files::read_up_to(root, &path, limit, &mut bytes).is_ok()).then_some(bytes)
}

/// Text documents of a folder, sorted by name; links and other things are left out.
pub(crate) fn text_files(folder: &Path) -> Vec<(String, PathBuf)> {
    const ENDINGS: [&str; 6] = [".md", ".log", ".json", ".jsonl", ".txt", ".yaml"];
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(String, PathBuf)> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| ENDINGS.iter().any(|ending| name.ends_with(ending)))
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::loops::Place;
    use std::fs;

    const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";

    /// A workspace with `files` below its `.workflow/.loop`.
    fn workspace(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonical().unwrap();
        for (name, bytes) in files {
            let path = root.join(".workflow/.loop").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        (dir, root)
    }

    fn loop_v2() -> Candidate {
        Candidate { file: format!(".workflow/.loop/{STEM}.json"), place: Place::CcwFile }
    }

    fn found(root: &Path, candidate: &Candidate) -> Vec<(Kind, String)> {
        companions(root, candidate).into_iter().map(|found| (found.kind, found.file)).collect()
    }

    #[test]
    fn every_file_of_the_contract_is_found_in_both_roots() {
        let (_dir, root) = workspace(&[]);
        for below in [".loop", ".workflow/.loop"] {
            let candidate = Candidate { file: format!("{below}/{STEM}.json"), place: Place::CcwFile };
            let names = [
                ".tasks.jsonl",
                "/tasks.jsonl",
                ".progress/develop.md",
                ".progress/debug.md",
                ".progress/validate.md",
                ".progress/summary.md",
                ".progress/changes.log",
                ".progress/debug.log",
                ".progress/hypotheses.json",
                ".progress/test-results.json",
                ".progress/coverage.json",
                ".workers/debug.output.json",
            ];
            for name in names {
                let path = root.join(format!("{below}/{STEM}{name}"));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "x").unwrap();
            }
            let files: Vec<_> = found(&root, &candidate).into_iter().map(|(_, file)| file).collect();
            assert_eq!(files, names.map(|name| format!("{STEM}{name}")));
        }
    }

    #[test]
    fn a_session_folder_has_its_own_names_and_older_names_stand_in() {
        let (_dir, root) = workspace(&[
            ("LOOP-a-2026-01-22/meta.json", b"{}"),
            ("LOOP-a-2026-01-22/develop/progress.md", b"x"),
            ("LOOP-a-2026-01-22/debug/debug.log", b"x"),
            (&format!("{STEM}/debug/understanding.md"), b"x"),
            (&format!("{STEM}/debug/hypotheses.json"), b"x"),
            (&format!("{STEM}.progress/validate.md"), b"x"),
            (&format!("{STEM}.progress/validation.md"), b"older"),
        ]);
        let state = ".workflow/.loop/LOOP-a-2026-01-22/state.json".to_owned();
        let session = found(&root, &Candidate { file: state, place: Place::LegacyState });
        let expected = [
            (Kind::SessionMeta, "meta.json"),
            (Kind::DevelopDoc, "develop/progress.md"),
            (Kind::DebugLog, "debug/debug.log"),
        ];
        assert_eq!(session, expected.map(|(kind, name)| (kind, name.to_owned())));
        let expected = [
            (Kind::ValidateDoc, format!("{STEM}.progress/validate.md")),
            (Kind::DebugDoc, format!("{STEM}/debug/understanding.md")),
            (Kind::Hypotheses, format!("{STEM}/debug/hypotheses.json")),
        ];
        assert_eq!(found(&root, &loop_v2()), expected);
    }

    #[test]
    fn of_a_long_log_the_end_is_read_from_a_line_start_and_a_long_document_is_left_out() {
        let limit = usize::try_from(COMPANION_LIMIT).unwrap();
        let line = "{\"hid\":\"H1\"}\n";
        let log = line.repeat(limit / line.len() + 100);
        let long = vec![b'x'; limit + 1];
        let (_dir, root) = workspace(&[
            (&format!("{STEM}.progress/debug.log"), log.as_bytes()),
            (&format!("{STEM}.progress/changes.log"), b"{}\n"),
            (&format!("{STEM}.progress/develop.md"), &long),
        ]);
        let read = companions(&root, &loop_v2());
        assert_eq!(
            read.iter().map(|found| (found.kind, found.cut)).collect::<Vec<_>>(),
            [(Kind::ChangesLog, false), (Kind::DebugLog, true)]
        );
        let end = &read[1].bytes;
        assert!(end.starts_with(line.as_bytes()) && end.ends_with(line.as_bytes()));
        assert!(end.len() <= limit && end.len() > limit - line.len());
    }

    #[cfg(unix)]
    #[test]
    fn links_folders_and_pipes_are_left_out() {
        use std::os::unix::fs::symlink;
        let (_dir, root) = workspace(&[(&format!("{STEM}.progress/debug.log"), b"{}\n")]);
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("summary.md"), "secret").unwrap();
        let progress = root.join(format!(".workflow/.loop/{STEM}.progress"));
        symlink(outside.path().join("summary.md"), progress.join("summary.md")).unwrap();
        symlink(progress.join("debug.log"), progress.join("changes.log")).unwrap();
        symlink(outside.path(), root.join(format!(".workflow/.loop/{STEM}.workers"))).unwrap();
        fs::write(outside.path().join("debug.output.json"), "{}").unwrap();
        fs::create_dir(progress.join("develop.md")).unwrap();
        let pipe = progress.join("debug.md");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(found(&root, &loop_v2()), [(Kind::DebugLog, format!("{STEM}.progress/debug.log"))]);
    }

    #[test]
    fn an_empty_output_of_a_worker_is_handed_on_and_other_empty_files_are_not() {
        let (_dir, root) = workspace(&[
            (&format!("{STEM}.workers/debug.output.json"), b""),
            (&format!("{STEM}.progress/coverage.json"), b""),
        ]);
        let output = format!("{STEM}.workers/debug.output.json");
        assert_eq!(found(&root, &loop_v2()), [(Kind::WorkerOutput, output)]);
    }

    #[test]
    fn a_backup_beside_the_state_file_is_read_by_its_ending() {
        let (_dir, root) = workspace(&[(&format!("{STEM}.json.backup"), b"{\"a\":1}")]);
        assert_eq!(companion_bytes(&root, &loop_v2(), ".json.backup").as_deref(), Some(&b"{\"a\":1}"[..]));
        for ending in ["", ".json.tmp", "/../x.json", ".progress/../a"] {
            assert_eq!(companion_bytes(&root, &loop_v2(), ending), None, "{ending}");
        }
    }
}
