//! A machine whose clock is wrong, as the program sees it: the real program with the library of `faketime`, on a real server.

use loopdeck_core::control::Verb;
use loopdeck_runtime::views::WriteCause;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::team::{Machine, Server};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use xtask::child::{Owned, bound_command};

/// The program on a machine whose clock differs by so much. How fast time passes there is right.
fn at(clock: &str, data: &Path) -> Command {
    // `faketime` itself stays between us and the program, and would not end it.
    let library = bound_command("faketime").args(["-f", clock, "printenv", "LD_PRELOAD"]).output();
    let library = library.expect("faketime: `cargo xtask test` installs it").stdout;
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.env("LD_PRELOAD", String::from_utf8(library).unwrap().trim()).env("FAKETIME", clock);
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
    command.env("LOOPDECK_DATA_DIR", data).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

#[test]
fn a_machine_whose_clock_is_an_hour_off_carries_out_what_is_asked_and_all_are_told() {
    let mut server = Server::start();
    let bob = server.machine("bob.tower", Role::Lead);
    for (seat, clock, minutes) in [("ada.ahead", "+1h", 60), ("ada.behind", "-1h", -60)] {
        let ada = Machine::new(&server.invite(seat, Role::Member, None));
        let id = crate::ID.replace("d8ff7e62", if minutes > 0 { "d8ff7e63" } else { "d8ff7e64" });
        ada.write(&id, "running");
        ada.share(Scope::State, Steering::Leads);
        let folder = ada.into_folder();
        let mut serve = at(clock, &folder.path().join("data"));
        let said = folder.path().join("said");
        serve.args(["team", "serve"]).stderr(fs::File::create(&said).unwrap());
        let _serving = Owned::spawn(&mut serve).unwrap();
        let told = || {
            let view = bob.team.as_ref()?.view();
            let machine = view.machines.into_iter().find(|machine| machine.seat.to_string() == seat)?;
            machine.clock_ahead.filter(|ahead| (ahead - minutes).abs() <= 1)
        };
        bob.until("the difference of the clocks", told);
        bob.wait_for(&id, |_| true);
        let before = bob.answers().len();
        bob.ask(&id, Verb::Pause);
        bob.wait_for(&id, |row| row.file_word == "paused");
        bob.until("an answer", || (bob.answers().len() > before).then_some(()));
        let answer = bob.answers().remove(0);
        assert_eq!((answer.verb, answer.refused), (WriteCause::Pause, None), "{seat}");
        bob.until("its owner is told", || {
            let said = fs::read_to_string(&said).ok()?;
            let way = if minutes > 0 { "ahead" } else { "behind" };
            let sentence = |line: &str| line.contains(&format!("clock of {seat} is")) && line.contains(way);
            said.lines().any(sentence).then_some(())
        });
    }
}
