//! The version is said in one place, `[workspace.package]` of `Cargo.toml`; wherever else it has to be, it is the same.

use std::fs;

use serde_json::Value;
use xtask::workspace::{metadata, root};

/// The version of the workspace.
fn version() -> String {
    let text = read("Cargo.toml");
    let (_, package) = text.split_once("[workspace.package]").unwrap();
    let line = package.lines().find(|line| line.starts_with("version = ")).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

fn json(file: &str) -> Value {
    serde_json::from_str(&read(file)).unwrap()
}

#[test]
fn every_package_takes_it_from_the_workspace() {
    let metadata = metadata(false).unwrap();
    for package in metadata["packages"].as_array().unwrap() {
        let manifest = fs::read_to_string(package["manifest_path"].as_str().unwrap()).unwrap();
        assert!(manifest.contains("\nversion.workspace = true\n"), "{}", package["name"]);
        assert_eq!(package["version"], version(), "{}", package["name"]);
    }
}

#[test]
fn the_packages_of_the_window_say_the_same() {
    let lock = json("ui/package-lock.json");
    let said = [&json("ui/package.json")["version"], &lock["version"], &lock["packages"][""]["version"]]
        .map(Value::to_string);
    assert_eq!(said, [format!("{:?}", version()), format!("{:?}", version()), format!("{:?}", version())]);
    // Without one, Tauri takes that of the package.
    assert_eq!(json("src-tauri/tauri.conf.json").get("version"), None);
}

#[test]
fn the_newest_version_of_the_changelog_is_this_one() {
    let changelog = read("CHANGELOG.md");
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let newest = headings.find(|heading| *heading != "Unreleased").unwrap();
    assert_eq!(newest.split_whitespace().next(), Some(version().as_str()));
}

#[test]
fn the_workflows_use_the_commands_of_everybody() {
    let [release, check] = ["release", "check"].map(|name| read(&format!(".github/workflows/{name}.yml")));
    for command in
        ["bash .ci/run", "cargo xtask package", "cargo xtask cross package", "cargo xtask release-notes"]
    {
        assert!(release.contains(command), "{command}");
    }
    assert!(check.contains("bash .ci/run"));
}
