//! What must hold for any bytes, one module per target. A panic is a finding.
//!
//! Plain functions, so that an input that once crashed can run without libFuzzer: the test below runs every
//! seed.
#![allow(clippy::panic, reason = "a panic is how a finding is reported")]

pub mod agents;
pub mod answer;
pub mod aot;
pub mod ccw;
pub mod companions;
pub mod decide;
mod door;
pub mod git;
pub mod json;
pub mod messages;
pub mod operate;
pub mod plans;
pub mod recover;
pub mod repair;
pub mod results;
#[path = "../../../src-tauri/core/tests/formats/ccw_edits/spans.rs"]
mod spans;
pub mod tasks;
pub mod yaml;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// A target's check.
    type Check = fn(&[u8]);

    /// Runs `check` on every file below `folder` and returns how many there were.
    fn run(check: Check, folder: &Path) -> usize {
        let entries = fs::read_dir(folder).expect("a folder of seeds");
        let count = |path: &Path| {
            if path.is_dir() {
                return run(check, path);
            }
            check(&fs::read(path).expect("readable"));
            1
        };
        entries.map(|entry| count(&entry.expect("an entry").path())).sum()
    }

    #[test]
    fn every_seed_and_fixture_passes() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let targets: [(&str, Check, &str); 16] = [
            ("agents", super::agents::check, "agents"),
            ("yaml", super::yaml::check, "aot"),
            ("aot", super::aot::check, "aot"),
            ("json", super::json::check, "ccw"),
            ("ccw", super::ccw::check, "ccw"),
            ("companions", super::companions::check, "ccw"),
            ("operate", super::operate::check, ""),
            ("plans", super::plans::check, "../../src-tauri/plans/tests/fixtures"),
            ("decide", super::decide::check, "aot"),
            ("repair", super::repair::check, ""),
            ("recover", super::recover::check, "ccw"),
            ("tasks", super::tasks::check, "ccw"),
            ("results", super::results::check, "results"),
            ("answer", super::answer::check, "ccw"),
            ("messages", super::messages::check, ""),
            ("git", super::git::check, ""),
        ];
        for (target, check, fixtures) in targets {
            assert!(run(check, &fuzz.join("seeds").join(target)) > 0, "{target} has no seeds");
            run(check, &fuzz.join("../tests/fixtures").join(fixtures));
        }
    }
}
