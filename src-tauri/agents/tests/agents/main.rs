//! Agents: command lines, recorded-like output, verdicts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod custom;
mod events;
mod faults;
mod field;
mod launch;
mod outcomes;
mod properties;
mod recorded;

use loopdeck_agents::decode::Feed;
use loopdeck_agents::event::AgentEvent;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::{OutputKind, Stream};
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of output and the folders of their fixtures.
const FOLDERS: [(OutputKind, &str); 5] = [
    (OutputKind::ClaudeJsonl, "claude"),
    (OutputKind::QwenJsonl, "qwen"),
    (OutputKind::CodexJsonl, "codex"),
    (OutputKind::GeminiJsonl, "gemini"),
    (OutputKind::Text, "shell"),
];

/// Streams of public bug reports.
const FIELD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/field");

fn folder(kind: OutputKind) -> PathBuf {
    let (_, name) = FOLDERS.into_iter().find(|(known, _)| *known == kind).unwrap();
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/agents").join(name)
}

/// The output of a fixture.
fn output(kind: OutputKind, name: &str) -> Vec<u8> {
    let path = folder(kind).join(name).with_extension("jsonl");
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of all fixtures of a kind.
fn names(kind: OutputKind) -> Vec<String> {
    let entries = fs::read_dir(folder(kind)).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> =
        // The folder `recorded` has its own rules.
        entries
            .filter(|path| path.is_file())
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
    names.sort();
    names
}

/// Events and facts of output and standard error.
fn read(kind: OutputKind, stdout: &[u8], stderr: &[u8]) -> (Vec<AgentEvent>, Facts) {
    let mut feed = Feed::new(kind);
    let mut events = feed.push(Stream::Stdout, stdout);
    events.extend(feed.push(Stream::Stderr, stderr));
    events.extend(feed.end());
    (events, feed.facts().clone())
}
