//! Loopdeck without a window, to be killed in the middle: `driver_app DATA GUARDIAN FORM` opens what was open before,
//! starts the loop of the form in the file FORM and stays until it is killed or its standard input ends.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop loudly")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::{Options, Runtime};
use std::io::Read as _;
use std::path::PathBuf;

fn main() {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut options = Options::new(args[0].clone());
    options.guardian = Some(GuardianProgram { program: args[1].clone(), args: Vec::new() });
    let runtime = Runtime::start(&options).unwrap();
    runtime.reopen();
    let form: StartForm = serde_json::from_slice(&std::fs::read(&args[2]).unwrap()).unwrap();
    println!("{}", runtime.start_loop(&form).unwrap());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
