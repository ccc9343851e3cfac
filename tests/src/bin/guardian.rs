//! `loopdeck --guardian` and `loopdeck-desktop --guardian`, without either program.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(run_dir) = std::env::args_os().next_back().map(PathBuf::from) else { return ExitCode::FAILURE };
    loopdeck_runtime::runs::guardian_main(&run_dir)
}
