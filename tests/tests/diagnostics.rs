//! The diagnostics that a person copies into a problem report are sufficient, and contain nothing private.

use loopdeck_runtime::{Options, Runtime};
use std::fs;

#[test]
fn it_has_counts_and_the_end_of_the_log_without_secrets_titles_and_the_home_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let workspace = folder.path().join("workspace");
    let loops = workspace.join(".workflow/.loop");
    fs::create_dir_all(&loops).unwrap();
    fs::write(
        loops.join("loop-v2-20260101T000000-abc.json"),
        r#"{"loop_id":"loop-v2-20260101T000000-abc","title":"Private title","status":"paused","current_iteration":1,"max_iterations":5}"#,
    )
    .unwrap();
    let home = std::env::home_dir().unwrap();
    let key = "sk-ant-api03-Ab1Cd2Ef3Gh4Ij5Kl6Mn7";
    let options = Options::new(data);
    fs::create_dir_all(options.dirs.logs()).unwrap();
    let line = format!("WARN something failed in {}/work with {key}\n", home.display());
    fs::write(options.dirs.logs().join("loopdeck.2026-01-01.log"), line).unwrap();

    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&workspace).unwrap();
    let text = runtime.diagnostics("Loopdeck 9.9.9");

    assert!(text.starts_with("Loopdeck 9.9.9\n"), "{text}");
    assert!(text.contains("Workspaces: 1 (1 reachable)"), "{text}");
    assert!(text.contains("Loops: 1 LoopV2"), "{text}");
    assert!(text.contains("Agent claude: "), "{text}");
    assert!(text.contains("WARN something failed in ~/work"), "{text}");
    assert!(!text.contains(key) && !text.contains("Private title"), "{text}");
    assert!(!text.contains(&*workspace.to_string_lossy()), "{text}");
}
