//! Loopdeck without a window, to be killed in the middle: `driver_app DATA GUARDIAN FILE` opens the
//! previously open workspaces and runs until it is killed or its standard input ends. FILE contains the form
//! of a new loop to start, the plan for launching the only existing loop, or `null`. A fourth argument sets how many
//! milliseconds a minute of a limit lasts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop loudly")]
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use loopdeck_runtime::drivers::plan::{RunPlan, StartForm};
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::{Options, Runtime};
use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

fn main() {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut options = Options::new(args[0].clone());
    options.guardian = Some(GuardianProgram { program: args[1].clone(), args: Vec::new() });
    if let Some(minute) = args.get(3).and_then(|minute| minute.to_str()?.parse().ok()) {
        options.minute = Duration::from_millis(minute);
    }
    let runtime = Runtime::start(&options).unwrap();
    runtime.reopen();
    let text = std::fs::read(&args[2]).unwrap();
    if let Ok(form) = serde_json::from_slice::<StartForm>(&text) {
        println!("{}", runtime.start_loop(&form).unwrap());
    } else if let Some(plan) = serde_json::from_slice::<Option<RunPlan>>(&text).unwrap() {
        let row = runtime.changes(0).rows.remove(0);
        runtime.launch(&row.key, Some(plan), None).unwrap();
    }
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
