//! A slow login shell holds up the start that waits for it, and nothing else.
#![allow(
    clippy::disallowed_methods,
    reason = "the environment of a process is read once, so the test is one of its own"
)]

use loopdeck_core::control::Verb;
use loopdeck_tests::driving::Driven;
use loopdeck_tests::live::loop_v2;
use loopdeck_tests::programs::write_program;
use loopdeck_tests::runs::eventually;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, TryRecvError};

/// Where the shell reports that it was asked, and the file it waits for.
const SHELL_FOLDER: &str = "LOOPDECK_TEST_SLOW_SHELL";

/// The loop whose agent is started.
const OURS: &str = "loop-v2-20261120T042421-aaaaaaaa.json";
/// Another loop.
const OTHER: &str = "loop-v2-20261120T042421-d8ff7e62.json";

#[test]
fn a_slow_login_shell_holds_nobody_but_the_start_that_waits_for_it() {
    if let Some(folder) = std::env::var_os(SHELL_FOLDER) {
        return play(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let shell = folder.path().join("shell");
    let script = format!(
        "#!/bin/sh\n: > {0}/asked\nwhile [ ! -e {0}/gate ]; do sleep 0.02; done\nONLY_THE_SHELL_KNOWS=1 exec /bin/sh -c \"$2\"\n",
        folder.path().display()
    );
    write_program(&shell, &script);
    let name = "slow_shell::a_slow_login_shell_holds_nobody_but_the_start_that_waits_for_it";
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("SHELL", &shell)
        .env(SHELL_FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout) + String::from_utf8_lossy(&again.stderr);
    assert!(again.status.success(), "{said}");
}

fn play(folder: &Path) {
    let mut driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    for (name, status) in [(OURS, "created"), (OTHER, "running")] {
        driven.live.write(name, loop_v2(name.trim_end_matches(".json"), status));
        driven.live.wait_for(name, |live| live.row(name).is_some());
    }
    let mut plan = driven.small_form("shell").plan;
    plan.shell_command = "test \"$ONLY_THE_SHELL_KNOWS\" = 1".into();
    let key = driven.live.key(OURS);
    std::thread::scope(|scope| {
        let (started, answer) = mpsc::channel();
        let runtime = &driven.live.runtime;
        scope.spawn(move || started.send(runtime.launch(&key, Some(plan), None)));
        eventually("the shell is asked", || folder.join("asked").exists().then_some(()));
        // Another loop is paused, and everything is checked, while the shell is still busy.
        driven.live.act(OTHER, Verb::Pause).unwrap();
        runtime.rescan().unwrap();
        assert!(matches!(answer.try_recv(), Err(TryRecvError::Empty)), "the start waited for no shell");
        std::fs::write(folder.join("gate"), "").unwrap();
        answer.recv().unwrap().unwrap();
    });
    eventually("a run that knows it", || driven.ran(OURS).first().filter(|ran| *ran == "init ok").map(drop));
}
