//! Test commands that fit a folder.

use loopdeck_execution::rows::TestProposal;
use loopdeck_results::detect;
use loopdeck_system::files;
use std::path::Path;

/// A longer file says nothing of tests.
const LONGEST: u64 = 1 << 20;

/// Test commands that fit the content of a folder. Only names are read, and the beginning of files that tell more.
pub(crate) fn test_proposals(folder: &Path) -> Vec<TestProposal> {
    let mut names: Vec<String> = names_in(folder, "");
    for inner in [".config", "tests", "test"] {
        names.extend(names_in(&folder.join(inner), &format!("{inner}/")));
    }
    let read = |name: String| {
        let mut bytes = Vec::new();
        let path = folder.join(&name);
        if detect::needs_content(&name) && files::read_up_to(folder, &path, LONGEST, &mut bytes).is_err() {
            bytes.clear();
        }
        (name, bytes)
    };
    let found: Vec<(String, Vec<u8>)> = names.into_iter().map(read).collect();
    let entries: Vec<detect::Entry<'_>> =
        found.iter().map(|(path, bytes)| detect::Entry { path, bytes }).collect();
    let proposal = |proposed: detect::ProposedTests| TestProposal {
        because: proposed.found_by,
        command: proposed.shown,
        results: proposed.leaves,
    };
    detect::detect(&entries, loopdeck_execution::completion::test_run::RESULTS)
        .into_iter()
        .map(proposal)
        .collect()
}

fn names_in(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(5_000);
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| format!("{prefix}{name}"))
        .collect();
    names.sort();
    names
}
