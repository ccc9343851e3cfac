//! The program `loopdeck`: hands its arguments to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopdeck_cli::start(std::env::args_os().skip(1))
}
