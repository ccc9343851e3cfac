//! Tests that count what their process holds, each in a process of its own.

use std::process::Command;

const ALONE: &str = "LOOPDECK_TEST_ALONE";

/// Runs `play` in a process that runs nothing but `test`, named as `--exact` expects it.
///
/// # Panics
/// When it fails there, or when there is no test with this name.
pub fn alone(test: &str, play: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some_and(|alone| alone == test) {
        return play();
    }
    let mut again = Command::new(std::env::current_exe().expect("this program"));
    let output = again.args(["--exact", test, "--nocapture"]).env(ALONE, test).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
