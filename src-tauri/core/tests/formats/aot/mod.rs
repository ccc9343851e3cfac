//! The AoT format from outside: fixtures, tolerance, verbs, edits, the plugin's own reading, properties.
#![allow(clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod corrections;
mod dangers;
mod decide;
mod driving;
mod driving_batch;
mod driving_branches;
mod driving_checks;
mod driving_invariants;
mod driving_judges;
mod driving_loops;
mod driving_model;
mod driving_options;
mod driving_rounds;
mod edits;
mod effects;
mod fixtures;
mod generated;
mod handing_over;
mod hook;
mod layouts;
mod meaning_properties;
mod offers;
mod operation_properties;
mod operations;
mod problems;
mod properties;
mod recover;
mod repairs;
mod seed_002;
mod tolerance;
mod verbs;

use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::FileFacts;
use loopdeck_core::formats::aot;
use loopdeck_core::refusal::Refusal;
use loopdeck_core::status::StatusWord;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::LoopDetail;
use loopdeck_text::text_edit;
use std::path::{Path, PathBuf};

const FACTS: FileFacts<'static> =
    FileFacts { stem: "aot-loop-state", modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) };
/// 2026-11-20T04:24:21Z
const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_000);

/// Nobody is working on the loop.
const NOBODY: Situation = Situation { shown: StatusWord::Interrupted, now: NOW };

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/aot")
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name).join(".claude/aot-loop-state.md")).expect(name)
}

fn text(name: &str) -> String {
    String::from_utf8(fixture(name)).expect(name)
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("fixtures")
        .map(|entry| entry.expect("entry").file_name().into_string().expect("name"))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), fixture(&name))).collect()
}

fn summary(bytes: &[u8]) -> Summary {
    aot::summary(bytes, &FACTS)
}

fn detail(bytes: &[u8], shown: StatusWord) -> LoopDetail {
    aot::detail(bytes, &FACTS, &Situation { shown, now: NOW })
}

fn carry_out(bytes: &[u8], intent: &Intent, shown: StatusWord) -> Result<Vec<u8>, Refusal> {
    let edits = aot::edit(bytes, &FACTS, intent, &Situation { shown, now: NOW })?;
    Ok(text_edit::apply(bytes, &edits).expect("edits do not overlap"))
}

fn resume() -> Intent {
    Intent::Resume { raise_limit_to: None }
}

fn stop(reason: &str) -> Intent {
    Intent::Stop { reason: Some(reason.to_owned()) }
}
