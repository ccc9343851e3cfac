//! The dependency line core <- runtime <- command line, desktop: only the desktop knows a window library.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use xtask::workspace::metadata;

/// Parts of names that only desktop crates have.
const DESKTOP: &[&str] = &["tauri", "gtk", "webkit", "webview", "wry", "tao", "gdk", "muda"];

#[test]
fn core_knows_no_desktop() {
    assert_no_desktop("loopdeck-core");
}

#[test]
fn what_runs_agents_knows_no_journal_and_no_catalog() {
    let names = dependencies_of("loopdeck-execution");
    assert!(!names.contains("loopdeck-runtime") && !names.contains("rusqlite"), "{names:?}");
    assert!(dependencies_of("loopdeck-runtime").contains("loopdeck-execution"));
}

#[test]
fn runtime_knows_no_desktop() {
    assert_no_desktop("loopdeck-runtime");
}

#[test]
fn only_the_team_and_the_programs_know_nats() {
    for package in ["loopdeck-core", "loopdeck-execution", "loopdeck-runtime"] {
        assert!(!dependencies_of(package).contains("async-nats"), "{package}");
    }
    assert!(dependencies_of("loopdeck-team").contains("async-nats"));
}

#[test]
fn the_command_line_knows_no_desktop() {
    assert_no_desktop("loopdeck-cli");
}

#[test]
fn the_check_finds_the_desktop_where_it_is() {
    let names = dependencies_of("loopdeck");
    assert!(names.iter().any(|name| is_desktop(name)), "{names:?}");
}

fn assert_no_desktop(package: &str) {
    let found: Vec<String> = dependencies_of(package).into_iter().filter(|name| is_desktop(name)).collect();
    assert!(found.is_empty(), "{package} depends on {found:?}");
}

fn is_desktop(name: &str) -> bool {
    name.split('-').any(|word| DESKTOP.iter().any(|desktop| word.starts_with(desktop)))
}

/// Names of all packages that `package` is built from, on any platform and with any feature.
fn dependencies_of(package: &str) -> HashSet<String> {
    let metadata = metadata(true).expect("cargo metadata");
    let names: HashMap<&str, &str> =
        list(&metadata["packages"]).map(|found| (text(&found["id"]), text(&found["name"]))).collect();
    let edges: HashMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), &node["deps"])).collect();
    let start = *names.iter().find(|(_, name)| **name == package).expect("a package of this workspace").0;
    let mut seen = HashSet::new();
    let mut open = vec![start];
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(list(edges[id]).filter(|edge| is_built_in(edge)).map(|edge| text(&edge["pkg"])));
        }
    }
    seen.remove(start);
    seen.into_iter().map(|id| names[id].to_owned()).collect()
}

/// Anything except a test-only dependency.
fn is_built_in(edge: &Value) -> bool {
    list(&edge["dep_kinds"]).any(|kind| kind["kind"] != "dev")
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
