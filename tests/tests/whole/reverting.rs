//! Files of a loop are put back after any sequence of runs, edits, reverts and undone reverts: to exactly a version that was there, or not
//! at all. Real files and real git; runs are written down as a run leaves them.

use loopdeck_core::stable_hash::stable_hash;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::changes::{ChangeKind, ChangedFile, RunChanges};
use loopdeck_execution::run::Run;
use loopdeck_runtime::store::journal::{Journal, LoopRef, Retention};
use loopdeck_runtime::views::{FailureKind, LineRange, RevertWanted, Reverted};
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use loopdeck_tests::random::Random;
use loopdeck_tests::repository;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const ID: &str = "loop-v2-20261120T042410-d8ff7e62";
const STEPS: usize = 60;
/// Names of files: in folders, with blanks, of another script.
const NAMES: [&str; 6] = ["a.txt", "deep/er/b.txt", "run me.sh", "é/ü.txt", "new.txt", "deep/other.txt"];
/// Long enough that a file that moves is still known.
const BODY: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

/// A version of a file: its text, and whether it can be run.
type Version = Option<(String, bool)>;
type Files = BTreeMap<String, Version>;

struct Place {
    live: Live,
    key: String,
    random: Random,
    journal: Journal,
    /// What the folder held when the loop began.
    base: Files,
    /// Runs with what they changed.
    runs: Vec<(String, Files, Files)>,
    /// Reverts that can be undone: the files before and after.
    done: Vec<(Files, Files)>,
    /// Names of versions as they were seen, some of them long ago.
    seen: Vec<(String, String)>,
}

impl Place {
    fn new(seed: u64) -> Self {
        let mut live = Live::with(|folder| {
            fs::write(folder.join(format!("{ROOT}/{ID}.json")), loop_v2(ID, "paused")).unwrap();
            for name in &NAMES[..4] {
                write(folder, name, &Some((format!("{name}\n{BODY}"), name.ends_with(".sh"))));
            }
            repository::commit_all(folder);
        });
        let name = format!("{ID}.json");
        live.wait_for("the loop", |live| live.row(&name).is_some());
        let key = live.row(&name).unwrap().key.clone();
        live.runtime.trust(&live.workspace.to_string_lossy(), true).unwrap();
        let journal = Journal::open(&live.data().journal(), Retention::default());
        let base = files(&live.workspace);
        let (runs, done, seen) = (Vec::new(), Vec::new(), Vec::new());
        Self { live, key, random: Random::new(seed), journal, base, runs, done, seen }
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        let at = self.random.below(u64::try_from(all.len().max(1)).unwrap());
        all.get(usize::try_from(at).unwrap()).cloned()
    }

    /// Somebody changes one of the files.
    fn change_one(&mut self) {
        let name = self.pick(&NAMES).unwrap();
        let now = files(&self.live.workspace).get(name).cloned().flatten();
        let (text, executable) = now.unwrap_or_else(|| (BODY.to_owned(), false));
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = usize::try_from(self.random.below(lines.len() as u64 + 1)).unwrap();
        let next = match self.random.below(7) {
            0 => None,
            1 => Some((text, !executable)),
            2 => Some((text.trim_end().to_owned(), executable)),
            3 if at < lines.len() => {
                lines.remove(at);
                Some((lines.concat(), executable))
            }
            _ => {
                lines.insert(at, format!("new {}\n", self.random.below(1_000)));
                Some((lines.concat(), executable))
            }
        };
        write(&self.live.workspace, name, &next);
    }

    /// A run that changes a few files, as it is kept when it ends.
    fn run(&mut self) {
        let before = files(&self.live.workspace);
        for _ in 0..=self.random.below(2) {
            self.change_one();
        }
        let after = files(&self.live.workspace);
        let id = format!("{:08x}", self.runs.len() + 1);
        let text = |version: &Version| version.as_ref().map_or(String::new(), |(text, _)| text.clone());
        let changed: Vec<ChangedFile> = differing(&before, &after)
            .into_iter()
            .map(|path| {
                let [old, new] = [&before, &after].map(|files| files.get(&path).cloned().flatten());
                let kind = match (&old, &new) {
                    (None, _) => ChangeKind::Added,
                    (_, None) => ChangeKind::Removed,
                    _ => ChangeKind::Changed,
                };
                let [before, after] = [&old, &new].map(text);
                let hashes = Some([&before, &after].map(|text| stable_hash(text.as_bytes())));
                ChangedFile { path, kind, lines: None, before: Some(before), after: Some(after), hashes }
            })
            .collect();
        let folder = self.live.data().runs().join(&id);
        fs::create_dir_all(&folder).unwrap();
        let changes = RunChanges { files: changed };
        fs::write(folder.join("changes.json"), serde_json::to_vec(&changes).unwrap()).unwrap();
        let at = Timestamp::from_millis(i64::try_from(self.runs.len()).unwrap() + 1);
        let totals = Some(changes.totals());
        let row = Run {
            id: id.clone(),
            iteration: 1,
            started: at,
            ended: Some(at),
            changes: totals,
            ..Run::default()
        };
        let (workspace, file) =
            (self.live.workspace.to_string_lossy().into_owned(), format!("{ROOT}/{ID}.json"));
        self.journal.keep_run(LoopRef { workspace: &workspace, file: &file }, &row).unwrap();
        self.runs.push((id, before, after));
    }

    /// The version of a file that the person saw: now, or some time ago.
    fn see(&mut self) -> (String, String) {
        let name = self.pick(&NAMES).unwrap();
        if let Ok(texts) = self.live.runtime.loop_change(&self.key, name) {
            self.seen.push((name.to_owned(), texts.fingerprint));
        }
        let seen = self.seen.clone();
        let newest = seen.iter().rev().find(|(path, _)| path == name).cloned();
        let chosen = if self.random.below(4) == 0 { self.pick(&seen) } else { newest };
        chosen.unwrap_or_else(|| (name.to_owned(), "gone".to_owned()))
    }

    /// Puts something back. What the files must be afterwards, when that is not refused, is worked out without the code under test.
    fn revert(&mut self) {
        let before = files(&self.live.workspace);
        let (wanted, expected) = match self.random.below(3) {
            0 => {
                let (path, fingerprint) = self.see();
                (RevertWanted::File { path, fingerprint }, None)
            }
            1 => {
                let (path, fingerprint) = self.see();
                let mut range = || LineRange {
                    first: u32::try_from(self.random.below(7)).unwrap(),
                    count: u32::try_from(self.random.below(3)).unwrap(),
                };
                let (back, gone) = (range(), range());
                let expected = self.with_lines(&before, &path, back, gone);
                (RevertWanted::Hunk { path, fingerprint, before: back, after: gone }, Some(expected))
            }
            _ => {
                let runs = self.runs.clone();
                let Some((run, old, new)) = self.pick(&runs) else { return };
                let mut expected = before.clone();
                for path in differing(&old, &new) {
                    let mut version = old.get(&path).cloned().flatten();
                    // A run notes texts, not modes: what is there keeps its own, what is gone has that of the beginning.
                    if let Some((_, executable)) = &mut version {
                        let now = before.get(&path).cloned().flatten();
                        let known = now.or_else(|| self.base.get(&path).cloned().flatten());
                        *executable = known.is_some_and(|(_, executable)| executable);
                    }
                    expected.insert(path, version);
                }
                (RevertWanted::Run { run }, Some(expected))
            }
        };
        let done = self.live.runtime.revert(&self.key, &wanted);
        let after = files(&self.live.workspace);
        let named = match done {
            Ok(Reverted { files }) => files,
            Err(failure) => return assert_eq!(after, before, "{wanted:?} was refused: {failure:?}"),
        };
        assert!(differing(&before, &after).iter().all(|path| named.contains(path)), "{wanted:?}: {named:?}");
        match expected {
            Some(expected) => assert_eq!(lines_of(&after), lines_of(&expected), "{wanted:?}"),
            None => named.iter().for_each(|path| {
                let held = |files: &Files| files.get(path).cloned().flatten();
                assert_eq!(held(&after), held(&self.base), "{wanted:?}: {path}");
            }),
        }
        self.done.push((before, after));
    }

    /// The files with these lines of the first version of a file, as it is shown, in the place of those of the last one.
    fn with_lines(&self, now: &Files, path: &str, back: LineRange, gone: LineRange) -> Files {
        let old =
            self.live.runtime.loop_change(&self.key, path).map(|texts| texts.before).unwrap_or_default();
        let place = |range: LineRange| (range.first as usize, (range.first + range.count) as usize);
        let ((from, to), (start, end)) = (place(back), place(gone));
        let mut files = now.clone();
        if let Some(Some((text, _))) = files.get_mut(path) {
            let mut new: Vec<String> = text.lines().map(str::to_owned).collect();
            if let (Some(back), Some(_)) = (old.get(from..to), new.get(start..end)) {
                new.splice(start..end, back.to_vec());
                *text = new.join("\n");
            }
        }
        files
    }

    fn undo(&mut self) {
        let now = files(&self.live.workspace);
        let undone = self.live.runtime.undo_revert(&self.key);
        let after = files(&self.live.workspace);
        let Some((before, reverted)) = self.done.last().cloned() else {
            assert_eq!(undone.unwrap_err().kind, FailureKind::NothingToUndo);
            return;
        };
        let paths = differing(&before, &reverted);
        let held = |files: &Files, path: &String| files.get(path).cloned().flatten();
        let is_free = |path: &String| {
            held(&now, path) == held(&reverted, path) || held(&now, path) == held(&before, path)
        };
        assert_eq!(undone.is_ok(), paths.iter().all(is_free), "{undone:?}");
        if undone.is_err() {
            assert_eq!(after, now, "nothing is undone");
            // Somebody else's change stays; the way back is free once it is gone.
            for path in &paths {
                write(&self.live.workspace, path, &held(&reverted, path));
            }
            self.live.runtime.undo_revert(&self.key).unwrap();
        }
        let after = files(&self.live.workspace);
        for path in paths {
            assert_eq!(held(&after, &path), held(&before, &path), "{path}");
        }
        self.done.pop();
    }
}

/// The lines of a file, and whether it can be run; `None` when it is not there.
type Lines<'f> = Option<(Vec<&'f str>, bool)>;

/// Whether a last line has an end says nothing here: lines are compared.
fn lines_of(files: &Files) -> Vec<(&str, Lines<'_>)> {
    let all = files.iter().map(|(path, version)| {
        let lines = version.as_ref().map(|(text, executable)| (text.lines().collect(), *executable));
        (path.as_str(), lines)
    });
    all.collect()
}

/// All files of the folder that are no state of a loop and not git's.
fn files(folder: &Path) -> Files {
    NAMES
        .iter()
        .map(|name| {
            let path = folder.join(name);
            let text = fs::read(&path).ok().map(|bytes| String::from_utf8(bytes).expect("text"));
            let version = text.map(|text| (text, path.metadata().unwrap().permissions().mode() & 0o100 != 0));
            ((*name).to_owned(), version)
        })
        .collect()
}

fn differing(one: &Files, other: &Files) -> Vec<String> {
    one.iter()
        .filter(|(path, version)| other.get(*path) != Some(*version))
        .map(|(path, _)| path.clone())
        .collect()
}

fn write(folder: &Path, name: &str, version: &Version) {
    let path = folder.join(name);
    let Some((text, executable)) = version else { return drop(fs::remove_file(path)) };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(if *executable { 0o755 } else { 0o644 })).unwrap();
}

#[test]
fn any_sequence_of_runs_edits_and_reverts_restores_a_version_or_refuses() {
    let (mut reverted, mut undone) = (0, 0);
    for seed in 1..=4 {
        let mut place = Place::new(seed);
        for _ in 0..STEPS {
            let before = place.done.len();
            match place.random.below(8) {
                0 | 1 => place.run(),
                2 | 3 => place.change_one(),
                4..=6 => place.revert(),
                _ => place.undo(),
            }
            reverted += usize::from(place.done.len() > before);
            undone += usize::from(place.done.len() < before);
        }
    }
    assert!(reverted > 20 && undone > 5, "too few to say anything: {reverted}, {undone}");
}
