//! What a release says: its version, which is that of the workspace, and its changes, which are in the changelog.

use std::fs;

use xtask::Failure;
use xtask::workspace::{metadata, root};

/// The changes of the version that `tag` names.
///
/// # Errors
/// When the workspace has another version, or the changelog doesn't have this one.
pub(crate) fn notes(tag: &str) -> Result<String, Failure> {
    let version = version()?;
    if tag.strip_prefix('v') != Some(version.as_str()) {
        return Err(format!("the tag of version {version} is v{version}, not {tag}").into());
    }
    let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
    changes_of(&changelog, &version).ok_or_else(|| format!("CHANGELOG.md does not have {version}").into())
}

fn version() -> Result<String, Failure> {
    let metadata = metadata(false)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let desktop = packages.iter().find(|package| package["name"] == "loopdeck");
    let version = desktop.and_then(|package| package["version"].as_str());
    Ok(version.ok_or("cargo metadata names no version")?.to_owned())
}

/// What is below the heading of `version`: `## 0.2.0`, with or without a date behind it.
fn changes_of(changelog: &str, version: &str) -> Option<String> {
    let is_heading = |line: &str| line.strip_prefix("## ").is_some();
    let is_its = |line: &str| {
        line.strip_prefix("## ").and_then(|rest| rest.split_whitespace().next()) == Some(version)
    };
    let mut lines = changelog.lines().skip_while(|line| !is_its(line));
    lines.next()?;
    let changes: Vec<&str> = lines.take_while(|line| !is_heading(line)).collect();
    Some(changes.join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changes_of_one_version_are_found() {
        let text = "# Changes\n\n## Unreleased\n\n- new\n\n## 0.2.0 - 2026-12-01\n\n### Added\n\n- two\n\n## 0.1.0\n\n- one\n";
        assert_eq!(changes_of(text, "0.2.0").as_deref(), Some("### Added\n\n- two"));
        assert_eq!(changes_of(text, "0.1.0").as_deref(), Some("- one"));
        assert_eq!(changes_of(text, "0.1"), None);
    }

    #[test]
    fn a_tag_of_another_version_is_refused() {
        let version = version().expect("a version");
        assert!(notes(&version).is_err() && notes("v9.9.9").is_err());
        assert!(!notes(&format!("v{version}")).expect("changes").is_empty());
    }
}
