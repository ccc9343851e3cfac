//! One guarded write of a state file compared with the bare cost of durability, and the same with its record
//! in the journal.

use crate::corpus;
use crate::report::{Report, ms, percentile};
use loopdeck_core::control::{Intent, Verb};
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::files::{self, Prepared};
use loopdeck_runtime::store::journal::{Journal, LoopRef, Plan, RequestLink, Retention, UndoGroup};
use loopdeck_runtime::views::VerbOptions;
use loopdeck_runtime::{Options, Runtime};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

const ROUNDS: usize = 150;
/// So many writes come between two quiet moments, in which the journal is tended.
const BURST: usize = 25;
/// Loops that are paused at the same moment, and how often.
const TOGETHER: usize = 20;
const TOGETHER_ROUNDS: usize = 5;

/// Measures writes of a file of typical size.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    // Each write removes a file: those of the first part must not slow down the second.
    files::spread_folders(folder).expect("a folder");
    let [alone, together] = ["alone", "together"].map(|name| folder.join(name));
    [&alone, &together].into_iter().for_each(|folder| fs::create_dir(folder).expect("a folder"));
    measure_one(report, &alone);
    measure_together(report, &together);
}

/// One write, without and with its record.
fn measure_one(report: &mut Report, folder: &Path) {
    let versions =
        ["Loop number 1.", "Loop number 2."].map(|title| corpus::state(&corpus::id(1), title, 20, 80));
    let (bare_path, guarded_path) = (folder.join("bare.json"), folder.join("guarded.json"));
    for path in [&bare_path, &guarded_path] {
        fs::write(path, &versions[0]).expect("written");
    }
    let root = folder.canonicalize().expect("a folder");
    // Interleaved, so that a slow moment of the disk affects both sides.
    let mut recorded = Recorded::new(folder);
    let (mut bare, mut guarded) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if round.is_multiple_of(BURST) {
            recorded.journal.checkpoint_and_prune().expect("tended");
        }
        let (old, new) = (versions[round % 2].as_bytes(), versions[(round + 1) % 2].as_bytes());
        let start = Instant::now();
        write_bare(&bare_path, new);
        bare.push(ms(start.elapsed()));
        let start = Instant::now();
        files::replace(&root, &guarded_path, old, new).expect("nobody else writes");
        guarded.push(ms(start.elapsed()));
        recorded.write(round);
    }
    let (bare, guarded) = (percentile(&mut bare, 0.5), percentile(&mut guarded, 0.5));
    let size = versions[0].len() >> 10;
    Report::note(&format!("{size} KB: temporary file, fsync, rename, fsync of the folder"), bare, "ms");
    Report::note(&format!("{size} KB: guarded write"), guarded, "ms");
    report.limit("guarded write / bare durable write", guarded / bare, 1.3, "x");
    let (plan, whole) = (percentile(&mut recorded.plans, 0.5), percentile(&mut recorded.wholes, 0.5));
    Report::note(
        &format!("{size} KB: both versions and the request into the journal, one fsync"),
        plan,
        "ms",
    );
    Report::note(&format!("{size} KB: guarded write with its record"), whole, "ms");
    report.limit("guarded write with its record / bare durable write", whole / bare, 1.5, "x");
}

/// Pauses loops one by one and all at once, compared with as many bare durable writes in the same folder by as many threads.
fn measure_together(report: &mut Report, folder: &Path) {
    let workspace = folder.join("together");
    let root = workspace.join(".workflow/.loop");
    fs::create_dir_all(&root).expect("a folder");
    for n in 0..TOGETHER {
        // Fourteen letters: running.
        fs::write(
            root.join(format!("{}.json", corpus::id(n))),
            corpus::state(&corpus::id(n), "Loop number 1.", 20, 80),
        )
        .expect("written");
    }
    let options = Options { polling: true, ..Options::new(folder.join("data-together")) };
    let runtime = Runtime::start(&options).expect("starts");
    let workspace = runtime.open_workspace(&workspace).expect("opens");
    let keys: Vec<String> = (0..TOGETHER).map(|n| format!("{workspace}:{}", corpus::file(n))).collect();
    let act = |key: &String, verb: Verb| runtime.act(key, verb, VerbOptions::default()).expect("written");
    let all = |verb: Verb| {
        thread::scope(|scope| keys.iter().for_each(|key| drop(scope.spawn(move || act(key, verb)))));
    };
    let bare_paths: Vec<PathBuf> = (0..TOGETHER).map(|n| folder.join(format!("bare-{n}.json"))).collect();
    let text = corpus::state(&corpus::id(1), "Loop number 1.", 20, 80);
    let write_all = || {
        thread::scope(|scope| {
            bare_paths.iter().for_each(|path| drop(scope.spawn(|| write_bare(path, text.as_bytes()))));
        });
    };
    let (mut alone, mut together, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    let mut recorded = Recorded::new(folder);
    for round in 0..TOGETHER_ROUNDS {
        recorded.journal.checkpoint_and_prune().expect("tended");
        recorded.write(round);
        let start = Instant::now();
        write_all();
        bare.push(ms(start.elapsed()));
        let start = Instant::now();
        act(&keys[0], Verb::Pause);
        alone.push(ms(start.elapsed()));
        act(&keys[0], Verb::Resume);
        let start = Instant::now();
        all(Verb::Pause);
        together.push(ms(start.elapsed()));
        all(Verb::Resume);
    }
    let [alone, together, bare] = [&mut alone, &mut together, &mut bare].map(|times| percentile(times, 0.5));
    Report::note("one guarded write with its record there", percentile(&mut recorded.wholes, 0.5), "ms");
    Report::note("one loop paused, guarded from then on", alone, "ms");
    Report::note(&format!("{TOGETHER} bare durable writes by {TOGETHER} threads"), bare, "ms");
    Report::note(&format!("{TOGETHER} loops paused at once"), together, "ms");
    report.limit(
        &format!("{TOGETHER} loops paused at once / {TOGETHER} bare durable writes"),
        together / bare,
        5.0,
        "x",
    );
}

/// Writes like the app's: recorded, made, marked as landed. Each has new bytes.
struct Recorded {
    journal: Journal,
    root: PathBuf,
    path: PathBuf,
    there: String,
    plans: Vec<f64>,
    wholes: Vec<f64>,
}

impl Recorded {
    fn new(folder: &Path) -> Self {
        let (path, there) = (folder.join("recorded.json"), corpus::state(&corpus::id(1), "Loop", 20, 80));
        fs::write(&path, &there).expect("written");
        let journal = Journal::open(&folder.join("data/journal.sqlite"), Retention::default());
        let root = folder.canonicalize().expect("a folder");
        Self { journal, root, path, there, plans: Vec::new(), wholes: Vec::new() }
    }

    fn write(&mut self, round: usize) {
        let new = corpus::state(&corpus::id(1), &format!("Loop number {round:09}"), 20, 80);
        let at = i64::try_from(round).expect("few rounds");
        let plan = Plan {
            of: LoopRef { workspace: "/workspace", file: ".workflow/.loop/recorded.json" },
            word: "pause",
            ask: RequestLink::New(&Intent::Pause),
            before: (self.there.as_bytes(), Timestamp::from_millis(at), true),
            after: (new.as_bytes(), true),
            life: Timestamp::from_millis(at),
            at: Timestamp::from_millis(at),
            group: UndoGroup::begin(),
        };
        let start = Instant::now();
        let (prepared, planned) = Prepared::while_recording(&self.root, &self.path, new.as_bytes(), || {
            let planned = self.journal.plan(&plan).expect("recorded");
            self.plans.push(ms(start.elapsed()));
            planned
        });
        let prepared = prepared.expect("a disk with room");
        let done = prepared.replace(self.there.as_bytes(), new.as_bytes()).expect("nobody else writes");
        self.journal.mark_landed(&planned, done.stamp).expect("noted");
        self.wholes.push(ms(start.elapsed()));
        self.there = new;
    }
}

/// What every careful writer does, and no more.
fn write_bare(path: &Path, bytes: &[u8]) {
    let temp = path.with_extension("tmp");
    let mut file = File::create(&temp).expect("created");
    file.write_all(bytes).expect("written");
    file.sync_all().expect("synced");
    fs::rename(temp, path).expect("renamed");
    let folder = path.parent().expect("a folder");
    File::open(folder).and_then(|folder| folder.sync_all()).expect("synced");
}
