//! A scheduling round of an AoT loop: read, decide, edit, guard, write. Compared with what the same file
//! costs any careful program: one parser pass and one guarded write. Also a graph in which every atom depends
//! on all before it.

use crate::report::{Report, ms, percentile};
use loopdeck_core::driver::Memory;
use loopdeck_core::format::FileFacts;
use loopdeck_core::formats::aot::AotOperation as Aot;
use loopdeck_core::formats::aot::drive::{self, AotNext};
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::files;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use xtask::child::bound_command;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const ROUNDS: usize = 21;
const ATOMS: usize = 5_000;
const FACTS: FileFacts<'static> = FileFacts { stem: "aot-loop-state", modified: NOW, now: NOW };

/// Measures rounds on 5,000 atoms, and reading 720,000 dependencies.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    round(report, folder);
    dense(report, folder);
}

fn round(report: &mut Report, folder: &Path) {
    let root = folder.canonicalize().expect("a folder");
    let path = root.join("round.md");
    let text = wide(ATOMS);
    let front = &text[4..text.rfind("\n---\n").expect("an end")];
    let (mut once, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fs::write(&path, &text).expect("written");
        let start = Instant::now();
        let events = granit_parser::Parser::new_from_str(front);
        assert!(events.filter(Result::is_ok).count() > ATOMS);
        files::replace(
            &root,
            &path,
            text.as_bytes(),
            text.replacen("iteration: 4", "iteration: 5", 1).as_bytes(),
        )
        .expect("nobody else writes");
        once.push(ms(start.elapsed()));
        fs::write(&path, &text).expect("written");
        let start = Instant::now();
        schedule(&root, &path);
        whole.push(ms(start.elapsed()));
    }
    let (once, whole) = (percentile(&mut once, 0.5), percentile(&mut whole, 0.5));
    Report::note("5,000 atoms: one parser pass and one guarded write", once, "ms");
    Report::note("5,000 atoms: scheduling round", whole, "ms");
    report.limit("5,000 atoms: scheduling round / one pass and one write", whole / once, 3.0, "x");
}

/// Chooses the next batch and sets it in progress, in the steps of the runtime: it reads, decides, reads
/// again for the write, and writes the decision, because nothing has changed.
fn schedule(root: &Path, path: &Path) {
    let mut before = Vec::new();
    files::read(root, path, &mut before).expect("there");
    let step = drive::step(&before, &FACTS, &Memory::default());
    assert!(matches!(step.next, AotNext::Batch { begin: Aot::StartAtoms { .. }, .. }));
    let after = step.after.expect("atoms are set in progress");
    let mut now = Vec::new();
    files::read(root, path, &mut now).expect("there");
    assert_eq!(before, now);
    files::replace(root, path, &now, &after).expect("nobody else writes");
}

/// This many atoms, a third of them resolved, each depending on an earlier one.
fn wide(atoms: usize) -> String {
    let mut text = loopdeck_tests::live::aot("running", 4);
    let mut more = String::new();
    for n in 2..=atoms {
        let status = if n * 3 < atoms { "resolved" } else { "pending" };
        let need = if n > 100 { format!("A{}", n - 100) } else { String::new() };
        let _ = write!(
            more,
            "  - id: A{n}\n    description: \"Move the validation of field {n} to the shared module\"\n    status: {status}\n    depends_on: [{need}]\n"
        );
    }
    let at = text.find("\ndecompositions:").expect("a section");
    text.insert_str(at, &more);
    text
}

/// 1,200 atoms that depend on all before them: 720,000 dependencies, checked by the program itself.
fn dense(report: &mut Report, folder: &Path) {
    let workspace = folder.join("dense");
    let mut text = loopdeck_tests::live::aot("running", 4);
    let mut more = String::new();
    for n in 2..=1_200 {
        let needs: Vec<String> = (1..n).map(|need| format!("A{need}")).collect();
        let needs = needs.join(", ");
        let _ = write!(
            more,
            "  - id: A{n}\n    description: \"Step {n}\"\n    status: pending\n    depends_on: [{needs}]\n"
        );
    }
    let at = text.find("\ndecompositions:").expect("a section");
    text.insert_str(at, &more);
    fs::create_dir_all(workspace.join(".claude")).expect("a folder");
    fs::write(workspace.join(".claude/aot-loop-state.md"), &text).expect("written");
    for (verb, words) in [("check", &["check"][..]), ("show", &["show", "--json"])] {
        let (mut took, mut peaks) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let (time, peak) = run(&workspace, words);
            took.push(ms(time));
            peaks.push(peak);
        }
        report.limit(&format!("720,000 dependencies: {verb}"), percentile(&mut took, 0.5), 2_000.0, "ms");
        report.limit(
            &format!("720,000 dependencies: {verb}, memory"),
            percentile(&mut peaks, 1.0),
            500.0,
            "MB",
        );
    }
    let facts = FACTS;
    let start = Instant::now();
    let next = drive::next(text.as_bytes(), &facts, &Memory::default());
    assert!(matches!(next, AotNext::Batch { .. }), "{next:?}");
    report.limit("720,000 dependencies: what is next", ms(start.elapsed()), 2_000.0, "ms");
}

/// The duration of one command, and the program's peak memory.
fn run(workspace: &Path, words: &[&str]) -> (Duration, f64) {
    let cli = std::env::var_os("LOOPDECK_CLI").expect("the program");
    let start = Instant::now();
    let mut command = bound_command(cli);
    command.arg(words[0]).arg(workspace);
    if words[0] == "show" {
        command.arg("aot-loop-state");
    }
    let mut child =
        command.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    let mut peak: f64 = 0.0;
    while child.try_wait().expect("ours").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0.0) / 1_024.0);
        std::thread::sleep(Duration::from_millis(1));
    }
    (start.elapsed(), peak)
}
