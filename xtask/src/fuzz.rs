//! `cargo xtask fuzz`: arbitrary bytes against every reader and editor, for as long as requested.
//!
//! Runs on the stable toolchain, without sanitizers: the code under test has no `unsafe`, so only panics can
//! be found. New inputs and crashes stay in the target folder; copy those worth keeping to `fuzz/seeds` by
//! hand.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use xtask::Failure;
use xtask::workspace::{cargo, root, target_dir};

use crate::steps;
use crate::system::find_program;
use crate::tally::Tally;

/// The targets, each with the fixtures it starts from besides its own seeds.
const TARGETS: [(&str, &str); 16] = [
    ("agents", "agents"),
    ("yaml", "aot"),
    ("aot", "aot"),
    ("json", "ccw"),
    ("ccw", "ccw"),
    ("companions", "ccw"),
    ("operate", ""),
    ("plans", "../../src-tauri/plans/tests/fixtures"),
    ("decide", "aot"),
    ("repair", ""),
    ("recover", "ccw"),
    ("tasks", "ccw"),
    ("results", "results"),
    ("answer", "ccw"),
    ("messages", ""),
    ("git", ""),
];
/// The cargo-fuzz version the targets were written for.
const VERSION: &str = "0.13.2";
/// An input that takes longer counts as a hang.
const LONGEST_SECONDS: u32 = 20;

/// Runs one target, or all, for `minutes` each.
pub(crate) fn run(minutes: u32, only: Option<&str>) -> Result<Tally, Failure> {
    let chosen: Vec<_> = TARGETS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no target {}; there are {}", only.unwrap_or_default(), names.join(", ")).into());
    }
    install()?;
    let folder = target_dir()?.join("fuzz");
    steps::heading("Fuzz targets");
    steps::run("cargo fuzz build", &mut build(&folder))?;
    let (mut total, mut executions) = (Tally::default(), 0);
    for (name, fixtures) in chosen {
        steps::heading(&format!("Fuzzing {name} for {minutes} min"));
        let (passed, count) = fuzz(name, fixtures, minutes, &folder)?;
        println!("{name}: {count} executions, {}", if passed { "no crash" } else { "CRASHED" });
        total += if passed { Tally::passed() } else { Tally::failed(name, "Its input is named above.") };
        executions += count;
    }
    println!("\n{executions} executions in all");
    Ok(total)
}

fn install() -> Result<(), Failure> {
    if find_program("cargo-fuzz").is_some() {
        return Ok(());
    }
    steps::heading("cargo-fuzz");
    steps::run("cargo install", cargo().args(["install", "--locked", "cargo-fuzz", "--version", VERSION]))
}

fn build(folder: &Path) -> Command {
    let mut command = cargo();
    command.args(["fuzz", "build", "--sanitizer", "none", "--target-dir"]).arg(folder);
    command.current_dir(root().join("fuzz"));
    command
}

/// Runs one target: whether nothing crashed, and how many inputs were tried.
fn fuzz(name: &str, fixtures: &str, minutes: u32, folder: &Path) -> Result<(bool, u64), Failure> {
    let (corpus, crashes) = (folder.join("corpus").join(name), folder.join("crashes").join(name));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&crashes)?;
    let mut command = Command::new(program(folder, name)?);
    command.arg(format!("-max_total_time={}", u64::from(minutes) * 60));
    command.arg(format!("-timeout={LONGEST_SECONDS}"));
    command.arg(format!("-artifact_prefix={}/", crashes.display()));
    command.args(["-print_final_stats=1", "-verbosity=0"]);
    // New inputs go to the first folder; the others are only read.
    command.arg(corpus).arg(root().join("fuzz/seeds").join(name));
    command.arg(root().join("tests/fixtures").join(fixtures));
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut executions = 0;
    let stderr = child.stderr.take();
    let status = steps::with_heartbeat(name, || {
        for line in stderr.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n')) {
            let line = String::from_utf8_lossy(&line?).into_owned();
            executions = executions_in(&line).unwrap_or(executions);
            eprintln!("{line}");
        }
        child.wait()
    })?;
    Ok((status.success(), executions))
}

/// Where cargo-fuzz puts a target: in a folder named after the host platform.
fn program(folder: &Path, name: &str) -> Result<std::path::PathBuf, Failure> {
    let below = |entry: fs::DirEntry| entry.path().join("release").join(name);
    let mut programs = fs::read_dir(folder)?.flatten().map(below);
    programs.find(|program| program.is_file()).ok_or_else(|| format!("cargo fuzz built no {name}").into())
}

fn executions_in(line: &str) -> Option<u64> {
    line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_final_statistics_are_read() {
        assert_eq!(executions_in("stat::number_of_executed_units: 4663129"), Some(4_663_129));
        assert_eq!(executions_in("stat::peak_rss_mb:              35"), None);
    }

    #[test]
    fn every_target_has_seeds_and_a_program() {
        let programs = fs::read_dir(root().join("fuzz/fuzz_targets")).expect("a folder");
        assert_eq!(programs.count(), TARGETS.len(), "a program that is never run");
        for (name, fixtures) in TARGETS {
            assert!(root().join("fuzz/seeds").join(name).is_dir(), "{name}");
            assert!(root().join("fuzz/fuzz_targets").join(format!("{name}.rs")).is_file(), "{name}");
            assert!(root().join("tests/fixtures").join(fixtures).is_dir(), "{fixtures}");
        }
    }
}
