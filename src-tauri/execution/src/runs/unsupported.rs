//! Where there is no guardian yet: a start returns that error, instead of starting what could not be ended.

use std::path::Path;
use std::process::ExitCode;

/// Fails: this platform has no guardian.
#[must_use]
pub fn guardian_main(_run_dir: &Path) -> ExitCode {
    ExitCode::FAILURE
}
