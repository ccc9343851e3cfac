//! Where there is no guardian yet: starting says so, instead of starting what nobody could end.

use std::path::Path;
use std::process::ExitCode;

/// Fails: this platform has no guardian.
#[must_use]
pub fn guardian_main(_run_dir: &Path) -> ExitCode {
    ExitCode::FAILURE
}
