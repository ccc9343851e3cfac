//! The program `loopdeck-desktop`: reads the arguments, then hands over to the library.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    loopdeck::start(std::env::args_os().skip(1))
}
