//! A workspace, the real program on it, and the files it leaves.

use loopdeck_runtime::files::Canonical as _;
use loopdeck_runtime::{Options, Runtime, sample};
use loopdeck_tests::live::ROOT;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;
use xtask::child::bound_command;

/// A workspace and a data folder that does not exist yet.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

/// The answer of a command.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Place {
    pub(crate) fn empty() -> Self {
        let place = Self { folder: TempDir::with_prefix("loopdeck-headless-").unwrap() };
        fs::create_dir_all(place.workspace().join(ROOT)).unwrap();
        place
    }

    pub(crate) fn with(id: &str, text: &str) -> Self {
        let place = Self::empty();
        place.write(&format!("{ROOT}/{id}.json"), text);
        place
    }

    pub(crate) fn with_sample() -> Self {
        let place = Self { folder: TempDir::with_prefix("loopdeck-headless-").unwrap() };
        sample::lay_out(&place.workspace()).unwrap();
        place
    }

    /// One of the format fixtures, in the folder `at` of the workspace.
    pub(crate) fn with_fixture(name: &str, at: &str) -> Self {
        let place = Self::empty();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
        copy(&fixtures.join(name), &place.workspace().join(at));
        place
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().canonical().unwrap().join("workspace")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.workspace().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.workspace().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Makes `file` look idle for an hour.
    pub(crate) fn age(&self, file: &str) {
        let old = SystemTime::now() - Duration::from_secs(3_600);
        let file = fs::File::options().write(true).open(self.workspace().join(file)).unwrap();
        file.set_modified(old).unwrap();
    }

    /// The help of `verb` names every key of `answer`, which has exactly `expected`.
    pub(crate) fn promises(&self, verb: &str, answer: &Value, expected: &[&str]) {
        assert_eq!(keys(answer), expected.iter().copied().collect(), "{verb}");
        self.documents(verb, answer);
    }

    /// The help of `verb` names every key of `answer`.
    pub(crate) fn documents(&self, verb: &str, answer: &Value) {
        let help = self.run(verb, &["--help"]).out;
        let words: BTreeSet<&str> = help.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let missing: Vec<&str> = keys(answer).difference(&words).copied().collect();
        assert!(missing.is_empty(), "the help of {verb} lacks {missing:?}");
    }

    /// The command is refused with `code`, and nothing has changed.
    pub(crate) fn refused(&self, verb: &str, rest: &[&str], code: &str) -> Answer {
        let before = everything(&self.workspace());
        let refused = self.run(verb, rest);
        assert!(
            refused.code == 2
                && refused.out.is_empty()
                && refused.err.starts_with(&format!("loopdeck: {code}: ")),
            "{verb} {rest:?}: {refused:?}"
        );
        assert!(!refused.err.contains('?'), "a sentence lacks a value: {refused:?}");
        assert_eq!(everything(&self.workspace()), before, "{verb} {rest:?}");
        refused
    }

    /// Runs `loopdeck <verb> WORKSPACE <rest>` without a display.
    pub(crate) fn run(&self, verb: &str, rest: &[&str]) -> Answer {
        self.run_with("data", verb, rest)
    }

    /// The same with the data folder of this name.
    pub(crate) fn run_with(&self, data: &str, verb: &str, rest: &[&str]) -> Answer {
        let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
        command
            .arg("--data-dir")
            .arg(self.folder.path().join(data))
            .arg(verb)
            .arg(self.workspace())
            .args(rest);
        answer(command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("GDK_BACKEND", "none"))
    }

    pub(crate) fn json(&self, verb: &str, rest: &[&str]) -> Value {
        let answer = self.run(verb, &[rest, &["--json"]].concat());
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{verb} {rest:?}");
        answer.json()
    }

    /// A runtime like the window's, on the same data.
    pub(crate) fn window(&self) -> Runtime {
        let floor = Duration::from_millis(200);
        let window = Runtime::start(&Options { floor, ..Options::new(self.data()) }).unwrap();
        window.open_workspace(&self.workspace()).unwrap();
        window
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            // As new: a copy keeps its time on some systems.
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

/// Lines that are in only one of two texts, with times made equal.
pub(crate) fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let lines = |text: &str| -> Vec<String> { text.lines().map(without_time).collect() };
    let (mut gone, mut new) = (lines(before), Vec::new());
    for line in lines(after) {
        match gone.iter().position(|old| *old == line) {
            Some(at) => drop(gone.remove(at)),
            None => new.push(line),
        }
    }
    (gone, new)
}

fn without_time(line: &str) -> String {
    let is_time = |part: &str| part.len() >= 20 && part.starts_with("20") && part.ends_with('Z');
    line.split('"').map(|part| if is_time(part) { "TIME" } else { part }).collect::<Vec<_>>().join("\"")
}

pub(crate) fn answer(command: &mut Command) -> Answer {
    said(&command.output().unwrap())
}

pub(crate) fn said(output: &Output) -> Answer {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    Answer {
        code: output.status.code().unwrap_or_else(|| panic!("{output:?}")),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

pub(crate) fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect()
}

/// Every file below `folder` with its bytes and its time.
pub(crate) fn everything(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().unwrap().modified().unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.insert(entry.path(), (Vec::new(), modified));
            found.extend(everything(&entry.path()));
        } else {
            found.insert(entry.path(), (fs::read(entry.path()).unwrap(), modified));
        }
    }
    found
}

pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
