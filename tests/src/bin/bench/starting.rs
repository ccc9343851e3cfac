//! The cost of the command line before it does anything: scripts call it many times.

use crate::report::{Report, ms, percentile};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use xtask::child::bound_command;

const ROUNDS: usize = 200;
/// The capacity of a pipe on Linux.
const PIPE: usize = 65_536;

/// Measures `loopdeck --version` compared with `true`, and its peak memory.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let cli = std::env::var_os("LOOPDECK_CLI").expect("the program");
    // Interleaved, so that a slow moment of the machine affects both sides.
    let (mut nothing, mut version) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        nothing.push(ms(run("true".as_ref(), &[])));
        version.push(ms(run(&cli, &["--version"])));
    }
    let (nothing, version) = (percentile(&mut nothing, 0.5), percentile(&mut version, 0.5));
    Report::note("true, median", nothing, "ms");
    report.limit("loopdeck --version, more than true, median", version - nothing, 5.0, "ms");
    report.limit("loopdeck --version, memory", memory_mb(&cli), 10.0, "MB");
}

fn run(program: &OsStr, args: &[&str]) -> Duration {
    let start = Instant::now();
    let mut command = bound_command(program);
    let status = command.args(args).stdout(Stdio::null()).status().expect("started");
    assert!(status.success(), "{program:?}");
    start.elapsed()
}

/// The peak memory while printing. It waits there, because it prints into a full pipe that nobody reads.
fn memory_mb(cli: &OsStr) -> f64 {
    let (reader, mut full) = io::pipe().expect("a pipe");
    full.write_all(&[b'.'; PIPE]).expect("filled");
    let mut command = bound_command(cli);
    let mut child = command.arg("--version").stdout(full).spawn().expect("started");
    drop(command); // it holds the pipe open
    let peak = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it waits");
        let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let is_cli = value("Name:") == Path::new(cli).file_name().and_then(OsStr::to_str);
        if is_cli && value("State:").is_some_and(|state| state.starts_with('S')) {
            let kilobytes = value("VmHWM:").and_then(|line| line.trim_end_matches(" kB").parse::<f64>().ok());
            break kilobytes.expect("a figure") / 1_024.0;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    drop(reader);
    let _ = child.wait(); // it could not print
    peak
}
