//! The command line on folders of different sizes: a list is compared with reading the same bytes, one loop with `true`.

use crate::corpus;
use crate::listing::read_all;
use crate::report::{Report, ms, percentile};
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;
use xtask::child::bound_command;

const ROUNDS: usize = 15;
const FEW: usize = 1_000;
const MANY: usize = 10_000;

/// Measures `loopdeck list` and `loopdeck show`.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let (few, many, alone) = (folder.join("few"), folder.join("many"), folder.join("alone"));
    corpus::fill_large(&few, FEW).expect("a corpus");
    corpus::fill(&many, MANY).expect("a corpus");
    corpus::fill_large(&alone, 2).expect("a corpus");
    fs::remove_file(alone.join(corpus::file(0))).expect("one is left");
    // Starting and ending is most of the smaller list.
    list(report, folder, ("1,000 loops of 26 KB", 3.2), (&few, FEW));
    list(report, folder, ("10,000 loops of 2 to 26 KB", 2.5), (&many, MANY));
    show(report, folder, [("alone", &alone), ("among 10,000", &many)]);
}

fn list(report: &mut Report, folder: &Path, (what, limit): (&str, f64), (workspace, count): (&Path, usize)) {
    let files: Vec<PathBuf> = (0..count).map(|n| workspace.join(corpus::file(n))).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let dir = workspace.as_os_str();
    // Interleaved, so that a slow moment of the machine affects both sides.
    let (mut reads, mut lists, mut json, mut peaks) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        reads.push(ms(read_all(&files, threads)));
        let (took, peak) = loopdeck(folder, &["list".as_ref(), dir]);
        lists.push(took);
        peaks.push(peak);
        json.push(loopdeck(folder, &["list".as_ref(), dir, "--json".as_ref()]).0);
    }
    let median = |values: &mut Vec<f64>| percentile(values, 0.5);
    let (read, listed, json) = (median(&mut reads), median(&mut lists), median(&mut json));
    Report::note(&format!("{what}: reading the same bytes, {threads} threads"), read, "ms");
    Report::note(&format!("{what}: loopdeck list"), listed, "ms");
    report.limit(&format!("{what}: loopdeck list / reading the same bytes"), listed / read, limit, "x");
    report.limit(&format!("{what}: loopdeck list, memory"), percentile(&mut peaks, 1.0), 60.0, "MB");
    // No limit: scripts also get the warnings, which only the full read of every loop finds.
    Report::note(&format!("{what}: loopdeck list --json"), json, "ms");
}

fn show(report: &mut Report, folder: &Path, workspaces: [(&str, &PathBuf); 2]) {
    let id = corpus::id(1);
    let mut took = [vec![], vec![]];
    let mut nothing = vec![];
    for _ in 0..ROUNDS * 3 {
        nothing.push(ms(time(|| {
            let mut command = bound_command("true");
            assert!(command.status().expect("started").success());
        })));
        for ((_, workspace), took) in workspaces.iter().zip(&mut took) {
            took.push(loopdeck(folder, &["show".as_ref(), workspace.as_os_str(), id.as_ref()]).0);
        }
    }
    Report::note("true", percentile(&mut nothing, 0.5), "ms");
    for ((place, _), took) in workspaces.iter().zip(&mut took) {
        report.limit(
            &format!("loopdeck show of one loop of 26 KB, {place}"),
            percentile(took, 0.5),
            15.0,
            "ms",
        );
    }
}

/// How long a command takes in milliseconds, and the program's peak memory in MB once it begins to print.
fn loopdeck(folder: &Path, args: &[&OsStr]) -> (f64, f64) {
    let cli = std::env::var_os("LOOPDECK_CLI").expect("the program");
    let mut command = bound_command(cli);
    command.args(args).env("LOOPDECK_DATA_DIR", folder.join("no-data")).stdout(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().expect("started");
    let mut out = child.stdout.take().expect("a pipe");
    let mut text = vec![0; 1];
    out.read_exact(&mut text).expect("it prints");
    let peak = peak_mb(child.id());
    out.read_to_end(&mut text).expect("it prints");
    assert!(child.wait().expect("ours").success(), "{}", String::from_utf8_lossy(&text));
    (ms(start.elapsed()), peak)
}

/// 0 when it has ended already.
fn peak_mb(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a figure") / 1_024.0
}

fn time(work: impl FnOnce()) -> std::time::Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
