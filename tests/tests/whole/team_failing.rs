//! What goes wrong between machines: networks that are cut, a slow reader, a server without room, programs that are killed.
//! Nothing is lost, and nothing is carried out twice: counted from the journals.

use loopdeck_core::control::Verb;
use loopdeck_runtime::views::{FailureKind, VerbOptions, WriteCause};
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_team::invitation::Invitation;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Share, Shares, Steering};
use loopdeck_team::{ConnectionView, Home, Participation, Team, set_up, try_out};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::proxy::Proxy;
use loopdeck_tests::team::{Machine, Server};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xtask::child::{Owned, bound_command};

fn id(number: u32) -> String {
    format!("loop-v2-20261120T042421-{number:08}")
}

fn is_connected(machine: &Machine) -> bool {
    let view = machine.team.as_ref().map(Team::view);
    view.is_some_and(|view| matches!(view.connection, ConnectionView::Connected { .. }))
}

/// A machine whose way to the server goes through `proxy`.
fn behind(server: &mut Server, seat: &str, role: Role) -> (Proxy, Machine) {
    let invitation = server.invite(seat, role, None);
    let address = invitation.servers[0].rsplit('/').next().unwrap();
    let proxy = Proxy::new(address.parse().unwrap());
    let servers = vec![format!("nats://{}", proxy.address())];
    let machine = Machine::new(&Invitation { servers, ..invitation });
    (proxy, machine)
}

/// How long the network is cut, in seconds of real time.
const CUT: u32 = 30;

/// Until this second of the cut.
fn next_second(since: Instant, second: u32) {
    let due = since + Duration::from_secs(second.into());
    std::thread::sleep(due.saturating_duration_since(Instant::now())); // how long the cut lasts is what is tested
}

#[test]
fn a_network_that_is_cut_for_half_a_minute_loses_nothing_repeats_nothing_and_keeps_the_order() {
    // Loops of Ada's that Bob pauses, loops of Ada's that end there, loops of Bob's own.
    let (asked, theirs, own) = (0..CUT, 100..100 + CUT, 200..200 + CUT);
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    let (network, bob) = behind(&mut server, "bob.tower", Role::Lead);
    asked.clone().chain(theirs.clone()).for_each(|number| ada.write(&id(number), "running"));
    own.clone().for_each(|number| bob.write(&id(number), "running"));
    ada.share(Scope::State, Steering::Leads);
    bob.share(Scope::State, Steering::Leads);
    asked.clone().chain(theirs.clone()).for_each(|number| drop(bob.wait_for(&id(number), |_| true)));
    own.clone().for_each(|number| drop(ada.wait_for(&id(number), |_| true)));

    bob.ask(&id(0), Verb::Pause);
    network.cut(); // perhaps that is on its way, perhaps not: nobody here can know
    let since = Instant::now();
    for second in 1..CUT {
        next_second(since, second);
        bob.ask(&id(second), Verb::Pause);
        bob.runtime.act(&bob.key(&id(200 + second)), Verb::Pause, VerbOptions::default()).unwrap();
        ada.write(&id(100 + second), "completed");
    }
    next_second(since, CUT);
    bob.until("the cut is noticed", || (!is_connected(&bob)).then_some(()));
    // What is asked here while there is no way out changes nothing there; and here and there work goes on.
    for second in 1..CUT {
        assert_eq!(ada.status(&id(second)), "running", "{second}");
        assert_eq!(bob.foreign(&id(second)).unwrap().file_word, "running", "{second}: the loops stay");
        assert_eq!(bob.foreign(&id(100 + second)).unwrap().file_word, "running", "{second}");
        assert_eq!(bob.status(&id(200 + second)), "paused", "{second}: its own loops need no network");
        assert_eq!(ada.foreign(&id(200 + second)).unwrap().file_word, "running", "{second}");
    }
    network.heal();
    for second in 1..CUT {
        bob.wait_for(&id(100 + second), |row| row.file_word == "completed");
        ada.wait_for(&id(200 + second), |row| row.file_word == "paused");
    }
    asked.clone().for_each(|number| drop(bob.wait_for(&id(number), |row| row.file_word == "paused")));
    bob.until("all answers", || (bob.answers().len() >= CUT as usize).then_some(()));
    let answers: Vec<_> = bob.answers().into_iter().rev().map(|it| (it.file, it.refused)).collect();
    let expected: Vec<_> =
        asked.clone().map(|number| (format!("{ROOT}/{}.json", id(number)), None)).collect();
    assert_eq!(answers, expected, "each once, and in the order in which they were asked");
    let paused: Vec<_> = asked.map(|number| moments(&ada, &id(number), WriteCause::Pause)).collect();
    assert!(paused.iter().all(|moments| moments.len() == 1), "carried out once: {paused:?}");
    assert!(paused.is_sorted(), "and in that order: {paused:?}");
    own.skip(1).for_each(|number| assert_eq!(bob.writes(&id(number), WriteCause::Pause), 1, "{number}"));
    bob.until("nothing waits", || (bob.team.as_ref()?.view().waiting == 0).then_some(()));
}

/// When the journal of a machine has writes for `cause` to a loop of its own, each with its number.
fn moments(machine: &Machine, id: &str, cause: WriteCause) -> Vec<(u64, u32)> {
    let history = machine.runtime.history(&machine.key(id), 1_000).unwrap();
    let of_cause = history.iter().filter(|version| version.cause == Some(cause));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in whole ms")]
    of_cause.map(|version| (version.at as u64, version.id)).collect()
}

#[test]
fn a_reader_that_falls_behind_has_the_newest_of_everything_in_the_end() {
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    let (network, bob) = behind(&mut server, "bob.tower", Role::Viewer);
    ada.write(&id(0), "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(&id(0), |_| true);
    network.hold_back();
    // Far more than the buffers between the two take: several megabytes.
    let large = |round: u32, number: u32| {
        let status = if round == 4 { "completed" } else { "running" };
        let text = loop_v2(&id(number), status);
        text.replace(
            "\"description\": \"\"",
            &format!("\"description\": \"{}\"", "x".repeat(20_000 + round as usize)),
        )
    };
    for round in 0..5 {
        for number in 0..60 {
            fs::write(ada.workspace.join(ROOT).join(format!("{}.json", id(number))), large(round, number))
                .unwrap();
        }
        ada.runtime.rescan().unwrap();
    }
    let sent = |count: u64| server.size("KV_LOOPS").0 >= count;
    ada.until("published", || (sent(60) && ada.team.as_ref()?.view().full.is_none()).then_some(()));
    assert!(bob.foreign(&id(59)).is_none(), "it is behind");
    network.heal();
    for number in 0..60 {
        bob.wait_for(&id(number), |row| row.file_word == "completed");
    }
    assert_eq!(bob.rows().iter().filter(|row| row.id.starts_with("loop-v2")).count(), 60);
}

#[test]
fn commands_that_the_server_has_no_room_for_wait_and_are_sent_once() {
    let mut server = Server::start();
    let mut ada = server.machine("ada.laptop", Role::Member);
    let (bob, eve) = (server.machine("bob.tower", Role::Lead), server.machine("eve.pc", Role::Member));
    (0..5).for_each(|number| ada.write(&id(number), "running"));
    eve.write(&id(9), "running");
    ada.share(Scope::State, Steering::Leads);
    eve.share(Scope::State, Steering::Leads);
    (0..5).chain([9]).for_each(|number| drop(bob.wait_for(&id(number), |_| true)));
    server.limit("COMMANDS", |config| config.max_messages_per_subject = 3);
    ada.team.take();
    (0..5).for_each(|number| bob.ask(&id(number), Verb::Pause));
    let view = bob.until("full", || {
        let view = bob.team.as_ref()?.view();
        view.full.is_some().then_some(view)
    });
    assert_eq!((view.waiting, is_connected(&bob)), (2, true));
    // One machine's commands keep nobody else's waiting.
    bob.ask(&id(9), Verb::Stop);
    eve.until("stopped", || (eve.status(&id(9)) != "running").then_some(()));
    ada.open();
    bob.until("all answers", || (bob.answers().len() == 6).then_some(()));
    for number in 0..5 {
        assert_eq!(
            (ada.status(&id(number)).as_str(), ada.writes(&id(number), WriteCause::Pause)),
            ("paused", 1)
        );
    }
    bob.until("room again", || {
        let view = bob.team.as_ref()?.view();
        (view.full.is_none() && view.waiting == 0).then_some(())
    });
}

#[test]
fn answers_that_the_server_has_no_room_for_are_kept_and_sent_when_it_has() {
    let mut server = Server::start();
    let (mut ada, bob) =
        (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    (0..3).for_each(|number| ada.write(&id(number), "running"));
    ada.share(Scope::State, Steering::Leads);
    (0..3).for_each(|number| drop(bob.wait_for(&id(number), |_| true)));
    let before = server.room("ANSWERS", None).unwrap();
    (0..3).for_each(|number| bob.ask(&id(number), Verb::Pause));
    // The commands of others are not held up.
    let owed = ada.home().shares().with_file_name("owed");
    ada.until("all are carried out and owed", || {
        (fs::read_dir(&owed).ok()?.count() == 3 && server.size("COMMANDS").0 == 0).then_some(())
    });
    assert_eq!((server.size("ANSWERS").0, bob.answers().len()), (0, 0));
    ada.team.take();
    assert!(server.room("ANSWERS", Some(before)).is_some());
    ada.open();
    bob.until("all answers", || (bob.answers().len() == 3).then_some(()));
    let answers: Vec<_> = bob.answers().into_iter().rev().map(|it| (it.file, it.refused)).collect();
    let expected: Vec<_> = (0..3).map(|number| (format!("{ROOT}/{}.json", id(number)), None)).collect();
    assert_eq!(answers, expected);
    (0..3).for_each(|number| assert_eq!(ada.writes(&id(number), WriteCause::Pause), 1));
    ada.until("nothing is owed", || (fs::read_dir(&owed).ok()?.count() == 0).then_some(()));
}

#[test]
fn files_that_the_server_has_no_room_for_are_shared_when_it_has() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Viewer));
    ada.write(&id(0), "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(&id(0), |_| true);
    let (_, bytes) = server.size("KV_LOOPS");
    let mut limit = i64::try_from(bytes).unwrap() + 2_000;
    server.limit("KV_LOOPS", |config| std::mem::swap(&mut config.max_bytes, &mut limit));
    (1..20).for_each(|number| ada.write(&id(number), "running"));
    ada.until("full", || ada.team.as_ref()?.view().full);
    assert!(is_connected(&ada), "the connection stays");
    assert!(bob.foreign(&id(19)).is_none());
    server.limit("KV_LOOPS", |config| config.max_bytes = limit);
    (1..20).for_each(|number| drop(bob.wait_for(&id(number), |_| true)));
    ada.until("room again", || ada.team.as_ref()?.view().full.is_none().then_some(()));
}

#[test]
fn a_credential_that_is_not_taken_is_said_within_a_second() {
    let mut server = Server::start();
    let mut other = Server::start();
    let good = server.invite("eve.pc", Role::Member, None);
    let wrong =
        Invitation { servers: good.servers.clone(), ..other.invite("ada.laptop", Role::Member, None) };
    let past = loopdeck_core::times::Timestamp::from_millis(1_700_000_000_000);
    let expired = server.invite("old.pc", Role::Member, Some(past));
    server.authority.revoke(&good.seat, loopdeck_runtime::clock::now()).unwrap();
    server.reload();
    for (what, invitation) in [("wrong", &wrong), ("expired", &expired), ("revoked", &good)] {
        let start = Instant::now();
        let mut refused = try_out(invitation);
        // The server reads its new configuration in its own time.
        while what == "revoked" && refused.is_ok() && start.elapsed().as_secs() < 20 {
            refused = try_out(invitation);
        }
        let start = Instant::now();
        let refused = refused.and_then(|_| try_out(invitation));
        assert_eq!(refused.unwrap_err().kind, FailureKind::TeamRefused, "{what}");
        assert_eq!(try_out(invitation).unwrap_err().kind, FailureKind::TeamRefused, "{what}");
        assert!(start.elapsed().as_millis() < 1_000, "{what}: {:?}", start.elapsed());
    }
}

const FOLDER: &str = "LOOPDECK_TEST_SERVES";

/// Another process: a machine that shares its folder and carries out commands until it is killed.
#[test]
fn child_that_serves() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let options = Options { traces: Traces::Runs, ..Options::new(folder.join("data")) };
    let runtime = Arc::new(Runtime::start(&options).unwrap());
    runtime.open_workspace(&folder.join("shop")).unwrap();
    let _team =
        Team::start(&runtime, Home::new(&folder.join("data")), Participation::Full, Box::new(|| {})).unwrap();
    println!("serves");
    loop {
        std::thread::park();
    }
}

/// Starts it, and waits until it says so.
fn served(folder: &Path) -> Owned {
    let mut command: Command = bound_command(std::env::current_exe().unwrap());
    command.args(["--exact", "team_failing::child_that_serves", "--nocapture"]).env(FOLDER, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = Owned::spawn(&mut command).unwrap();
    let out = child.child().stdout.take().unwrap();
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("serves")));
    child
}

/// How often the journal below `folder` has a pause of this loop that somebody asked for, after the file says `paused`.
fn pauses(folder: &Path, runtime: &Runtime, number: u32) -> usize {
    let state =
        fs::read_to_string(folder.join("shop").join(ROOT).join(format!("{}.json", id(number)))).unwrap();
    assert!(state.contains("paused"), "{number}: {state}");
    let rows = runtime.changes(0).rows;
    let row = rows.iter().find(|row| row.id == id(number)).unwrap();
    let history = runtime.history(&row.key, 1_000).unwrap();
    let by_bob = history.iter().filter(|version| version.cause == Some(WriteCause::Pause));
    by_bob.filter(|version| version.asker.as_ref().is_some_and(|asker| asker.member == "bob")).count()
}

#[test]
fn a_machine_and_the_leading_server_are_killed_in_the_middle_of_thirty_commands() {
    const COMMANDS: u32 = 30;
    let mut server = Server::cluster();
    let bob = server.machine("bob.tower", Role::Lead);
    let temp = tempfile::TempDir::with_prefix("loopdeck-served-").unwrap();
    let folder = temp.path().canonicalize().unwrap();
    let shop = folder.join("shop");
    fs::create_dir_all(shop.join(ROOT)).unwrap();
    for number in 0..COMMANDS {
        fs::write(shop.join(ROOT).join(format!("{}.json", id(number))), loop_v2(&id(number), "running"))
            .unwrap();
    }
    let home = Home::new(&folder.join("data"));
    let invitation = folder.join("ada.json");
    server.invite("ada.laptop", Role::Member, None).write(&invitation).unwrap();
    home.join(&invitation).unwrap();
    let share = Share { path: shop.clone(), scope: Scope::State, steering: Steering::Leads };
    Shares { shares: vec![share] }.save(&home.shares()).unwrap();
    let mut ada = served(&folder);
    (0..COMMANDS).for_each(|number| drop(bob.wait_for(&id(number), |_| true)));
    for number in 0..COMMANDS {
        bob.ask(&id(number), Verb::Pause);
        match number {
            5 | 17 | 25 => {
                // As soon as one of the last ones is in its file: others are on their way, or half done.
                bob.until("some are done", || {
                    let file = shop.join(ROOT).join(format!("{}.json", id(number - 3)));
                    fs::read_to_string(file).ok()?.contains("paused").then_some(())
                });
                ada.child().kill().unwrap();
                ada.child().wait().unwrap();
                ada = served(&folder);
            }
            11 => server.kill(server.leader()),
            _ => {}
        }
    }
    bob.until("all answers", || (bob.answers().len() == COMMANDS as usize).then_some(()));
    (0..COMMANDS).for_each(|number| drop(bob.wait_for(&id(number), |row| row.file_word == "paused")));
    ada.child().kill().unwrap();
    ada.child().wait().unwrap();
    // What a killed process was in the middle of is answered from the file: done, or once more asked of its journal.
    let options = Options::once(folder.join("data"), Traces::Nothing);
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&shop).unwrap();
    let counts: Vec<usize> = (0..COMMANDS).map(|number| pauses(&folder, &runtime, number)).collect();
    assert_eq!(counts, vec![1; COMMANDS as usize], "{:?}", bob.answers());
}

const INVITATION: &str = "LOOPDECK_TEST_INVITATION";

/// Another process, which trusts the authority that its environment names.
#[test]
fn child_that_tries() {
    let Some(folder) = std::env::var_os(INVITATION).map(PathBuf::from) else { return };
    let read = |name: &str| Invitation::read(&folder.join(name)).unwrap();
    match set_up(&read("operator.json"), 1).and_then(|()| try_out(&read("ada.json"))) {
        Ok(tried) => println!("tried encrypted={}", tried.encrypted),
        Err(failure) => println!("tried {failure:?}"),
    }
}

#[test]
fn a_server_with_a_certificate_of_our_own_authority_is_trusted_by_those_who_know_it() {
    let mut server = Server::encrypted();
    let invitation = server.invite("ada.laptop", Role::Member, None);
    assert!(invitation.servers[0].starts_with("tls://"), "{:?}", invitation.servers);
    let temp = tempfile::tempdir().unwrap();
    invitation.write(&temp.path().join("ada.json")).unwrap();
    server.authority.operator().unwrap().write(&temp.path().join("operator.json")).unwrap();
    let tried = |trusted: Option<&Path>| {
        let mut command: Command = bound_command(std::env::current_exe().unwrap());
        command
            .args(["--exact", "team_failing::child_that_tries", "--nocapture"])
            .env(INVITATION, temp.path());
        command.env_remove("SSL_CERT_DIR");
        match trusted {
            Some(trusted) => command.env("SSL_CERT_FILE", trusted),
            None => command.env_remove("SSL_CERT_FILE"),
        };
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let out = tried(Some(&server.trusted()));
    assert!(out.contains("tried encrypted=true"), "{out}");
    let out = tried(None);
    assert!(out.contains("TeamUnreachable"), "somebody else's certificate is not taken: {out}");
}
