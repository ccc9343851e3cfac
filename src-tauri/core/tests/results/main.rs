//! Real outputs of real tools are read as what they say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::results::{Dialect, Reading, Source, read};
use std::path::Path;

fn fixture(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/results");
    std::fs::read(root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn dump() {
    for name in std::env::var("NAMES").unwrap_or_default().split_whitespace() {
        let bytes = fixture(name);
        let reading = if name.ends_with("xml") || name.ends_with("json") || name.ends_with("info") {
            read(&[Source { name, bytes: &bytes }], b"", b"", Some(1), None)
        } else if name.ends_with(".out") {
            read(&[], &bytes, &fixture(&name.replace(".out", ".err")), Some(1), None)
        } else {
            read(&[], &bytes, b"", Some(1), None)
        };
        println!("=== {name} {:?} {:?}", reading.dialect, reading.verdict());
        if let Some(run) = reading.run.as_ref().or(reading.partial.as_ref()) {
            println!(
                "{} {} {} {:?} {:?}",
                run.passed, run.failed, run.skipped, run.duration_ms, run.coverage
            );
            for row in &run.tests {
                println!(
                    "  {} | {} | {} | {:?} | {:?} | {}",
                    row.status,
                    row.suite,
                    row.name,
                    row.duration_ms,
                    row.error_message,
                    row.stack_trace.as_deref().unwrap_or("").len()
                );
            }
        }
        for file in &reading.files {
            println!("  {file:?}");
        }
        for note in &reading.notes {
            println!("  {note:?}");
        }
    }
    let _: Option<(Dialect, Reading)> = None;
}
