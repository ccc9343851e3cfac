//! Measurements, each printed next to its limit. Run by `cargo xtask bench`; an argument selects parts by
//! name.
#![allow(clippy::print_stdout, reason = "the numbers are the output")]

mod changing;
mod commands;
mod corpus;
mod editing;
mod graph;
mod growth;
mod guarding;
mod hanging;
mod interaction;
mod large;
mod leading;
mod listing;
mod opening;
mod output;
mod plans;
mod processes;
mod report;
mod resting;
mod rounds;
mod screen;
mod searching;
mod speaking;
mod starting;
mod team;
mod views;

use report::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [speak, lines] = wanted.as_slice()
        && speak == speaking::SPEAK
    {
        speaking::speak(lines.parse().expect("a number of lines"));
        return ExitCode::SUCCESS;
    }
    let folder = tempfile::TempDir::with_prefix("loopdeck-bench-").expect("a temporary folder");
    // What a part removes does not slow down the files of the next one.
    loopdeck_runtime::files::spread_folders(folder.path()).expect("a folder");
    let mut report = Report::new(wanted.len() == 1);
    for (name, measure) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|part| part == name) {
            println!("\n{name}");
            let own = folder.path().join(name);
            std::fs::create_dir(&own).expect("a folder");
            measure(&mut report, &own);
        }
    }
    if report.over().is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nover their limits: {}", report.over().join("; "));
    ExitCode::FAILURE
}

type Measure = fn(&mut Report, &std::path::Path);

const PARTS: [(&str, Measure); 26] = [
    ("starting", starting::measure),
    ("commands", commands::measure),
    ("opening", opening::measure),
    ("editing", editing::measure),
    ("large", large::measure),
    ("guarding", guarding::measure),
    ("hanging", hanging::measure),
    ("graph", graph::measure),
    ("rounds", rounds::measure),
    ("growth", growth::measure),
    ("plans", plans::measure),
    ("changing", changing::measure),
    ("listing", listing::measure),
    ("searching", searching::measure),
    ("leading", leading::measure),
    ("watch-to-screen", screen::measure_watch),
    ("scrolling", screen::measure_scrolling),
    ("changed-files", changing::measure_scrolling),
    ("memory", screen::measure_memory),
    ("resting", resting::measure),
    ("tests", views::measure_tests),
    ("graphs", views::measure_graphs),
    ("filter", views::measure_filter),
    ("interaction", interaction::measure),
    ("output", output::measure),
    ("team", team::measure),
];
