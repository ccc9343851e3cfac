//! Loops of other machines, over real servers: shared, seen, steered.

use loopdeck_core::control::Verb;
use loopdeck_runtime::views::{FailureKind, LoopRow, RequestState, VerbOptions};
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_team::{Ability, ConnectionView, Team, try_out};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::team::{Machine, Server};
use std::fs;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const OTHER: &str = "loop-v2-20261120T042421-00000001";

fn connected(machine: &Machine) {
    machine.until("connected", || {
        let view = machine.team.as_ref().map(Team::view)?;
        matches!(view.connection, ConnectionView::Connected { .. }).then_some(())
    });
}

#[test]
fn what_one_machine_shares_another_sees_and_steers() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    ada.write(LOOP, "running");
    assert!(bob.foreign(LOOP).is_none(), "nothing leaves a machine before it is shared");
    ada.share(Scope::State, Steering::Leads);
    let row = bob.wait_for(LOOP, |row| row.file_word == "running");
    let whose = bob.runtime.elsewhere(&row.key).unwrap();
    assert_eq!(
        (whose.member.as_str(), whose.machine.as_str(), whose.name.as_str()),
        ("ada", "laptop", "shop")
    );
    assert_eq!(row.verbs, [Verb::Pause, Verb::Stop], "only what can be asked of the machine is offered");

    bob.ask(LOOP, Verb::Pause);
    let row = bob.wait_for(LOOP, |row| row.file_word == "paused");
    assert_eq!(ada.status(LOOP), "paused");
    bob.until("an answer", || (bob.team.as_ref()?.view().answers.first()?.refused.is_none()).then_some(()));
    // How far it is there is what its owner sees: whether the agent has taken notice is not known yet.
    let own = |machine: &Machine| {
        let row = machine.rows().into_iter().find(|row| machine.runtime.elsewhere(&row.key).is_none())?;
        row.request.map(|request| request.state)
    };
    assert_eq!(own(&ada), Some(RequestState::Requested));
    let far = |state| move |row: &LoopRow| row.request.as_ref().is_some_and(|is| is.state == state);
    bob.wait_for(LOOP, far(RequestState::Requested));

    // A change by hand arrives, a second loop too, and one that goes, goes.
    ada.write(LOOP, "completed");
    ada.write(OTHER, "created");
    bob.wait_for(LOOP, |row| row.file_word == "completed");
    bob.until("the same as the owner sees", || {
        (bob.foreign(LOOP)?.request.map(|request| request.state) == own(&ada)).then_some(())
    });
    bob.wait_for(OTHER, |_| true);
    fs::remove_file(ada.workspace.join(ROOT).join(format!("{OTHER}.json"))).unwrap();
    bob.until("gone", || bob.foreign(OTHER).is_none().then_some(()));

    // What is not the machine's to do here is refused, and nothing is written.
    let refused = bob.runtime.act(&row.key, Verb::Delete, VerbOptions::default()).unwrap_err();
    assert_eq!(refused.kind, FailureKind::OnAnotherMachine);
    assert_eq!(bob.runtime.undo(&row.key).unwrap_err().kind, FailureKind::OnAnotherMachine);
    ada.team.as_ref().unwrap().unshare(&ada.workspace).unwrap();
    bob.until("unshared", || bob.foreign(LOOP).is_none().then_some(()));
    bob.until("no copy is left", || bob.copies().is_empty().then_some(()));
}

#[test]
fn progress_leaves_a_machine_only_when_chosen_and_secrets_never() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Viewer));
    ada.write(LOOP, "running");
    let progress = ada.workspace.join(ROOT).join(format!("{LOOP}.progress"));
    fs::create_dir_all(&progress).unwrap();
    // In the form of a real key, put together here so that nobody takes this file for a leak.
    let key = ["sk", "ant", "abcdefghijklmnop0123456789"].join("-");
    fs::write(progress.join("develop.md"), format!("key {key} here")).unwrap();
    fs::write(progress.join("debug.log"), [b"\xff ", key.as_bytes(), b" here"].concat()).unwrap();
    fs::write(ada.workspace.join("secret.json"), "{}").unwrap();
    ada.share(Scope::State, Steering::Members);
    bob.wait_for(LOOP, |_| true);
    let names = |machine: &Machine| {
        let copies = machine.copies();
        let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        copies.iter().map(name).filter(|name| name != "about.json").collect::<Vec<_>>()
    };
    assert!(!names(&bob).contains(&"develop.md".to_owned()), "{:?}", names(&bob));
    ada.share(Scope::Progress, Steering::Members);
    let copy = bob.until("progress", || bob.copies().into_iter().find(|path| path.ends_with("develop.md")));
    let text = fs::read_to_string(copy).unwrap();
    assert!(text.contains("key ") && !text.contains("abcdefghijklmnop"), "{text}");
    // Bytes that are no text hide no secret.
    let log = bob.until("a log", || bob.copies().into_iter().find(|path| path.ends_with("debug.log")));
    let log = fs::read(log).unwrap();
    assert!(!String::from_utf8_lossy(&log).contains("abcdefghijklmnop"), "{log:?}");
    assert!(!names(&bob).contains(&"secret.json".to_owned()));
    // A viewer sees, and steers nothing.
    let row = bob.foreign(LOOP).unwrap();
    assert!(row.verbs.is_empty(), "{:?}", row.verbs);
    let refused = bob.runtime.act(&row.key, Verb::Stop, VerbOptions::default()).unwrap_err();
    assert_eq!(refused.kind, FailureKind::OnAnotherMachine);
}

#[test]
fn an_owner_who_lets_nobody_steer_is_asked_in_vain() {
    let mut server = Server::start();
    let (mut ada, bob) =
        (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Member));
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Members);
    bob.wait_for(LOOP, |row| !row.verbs.is_empty());
    // Changed at the owner's, and asked before that is known here.
    ada.team.take();
    bob.ask(LOOP, Verb::Stop);
    let shares = loopdeck_team::share::Shares {
        shares: vec![loopdeck_team::share::Share {
            path: ada.workspace.clone(),
            scope: Scope::State,
            steering: Steering::Leads,
        }],
    };
    shares.save(&ada.home().shares()).unwrap();
    ada.open();
    let refused = bob.until("an answer", || bob.team.as_ref()?.view().answers.first()?.refused.clone());
    assert_eq!(refused, "not_allowed");
    assert_eq!(ada.status(LOOP), "running");
    bob.wait_for(LOOP, |row| row.request.as_ref().is_some_and(|is| is.state == RequestState::Failed));
}

#[test]
fn without_the_server_everything_stays_and_what_was_asked_is_sent_later_once() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |_| true);
    server.kill(0);
    bob.until("lost", || {
        matches!(bob.team.as_ref()?.view().connection, ConnectionView::Lost { .. }).then_some(())
    });
    assert!(bob.foreign(LOOP).is_some(), "the loop stays");
    bob.ask(LOOP, Verb::Pause);
    ada.write(OTHER, "created");
    bob.wait_for(LOOP, |row| row.request.as_ref().is_some_and(|is| is.state == RequestState::Requested));
    assert_eq!(ada.status(LOOP), "running");
    server.run(0);
    bob.wait_for(LOOP, |row| row.file_word == "paused");
    bob.wait_for(OTHER, |_| true);
    connected(&bob);
    bob.until("an answer", || (!bob.team.as_ref()?.view().answers.is_empty()).then_some(()));
    let view = bob.team.as_ref().unwrap().view();
    assert_eq!((view.answers.len(), view.waiting, view.answers[0].refused.clone()), (1, 0, None));
}

#[test]
fn a_wrong_an_expired_and_a_revoked_credential_are_refused_at_once() {
    let mut server = Server::start();
    let mut other = Server::start();
    let mut wrong = other.invite("ada.laptop", Role::Member, None);
    let good = server.invite("eve.pc", Role::Member, None);
    wrong.servers.clone_from(&good.servers);
    assert_eq!(try_out(&wrong).unwrap_err().kind, FailureKind::TeamRefused);
    let past = loopdeck_core::times::Timestamp::from_millis(1_700_000_000_000);
    let expired = server.invite("old.pc", Role::Member, Some(past));
    assert_eq!(try_out(&expired).unwrap_err().kind, FailureKind::TeamRefused);
    let tried = try_out(&good).unwrap();
    assert_eq!(tried.can, [Ability::See, Ability::Share, Ability::SteerAsMember, Ability::SendRuns]);
    assert_eq!((tried.seat, tried.encrypted, tried.until), (good.seat.clone(), false, None));

    let eve = Machine::new(&good);
    connected(&eve);
    server.authority.revoke(&good.seat, loopdeck_runtime::clock::now()).unwrap();
    server.reload();
    eve.until("no new connection", || {
        try_out(&good).is_err_and(|failure| failure.kind == FailureKind::TeamRefused).then_some(())
    });
    eve.until("shut out", || {
        matches!(eve.team.as_ref()?.view().connection, ConnectionView::Lost { .. }).then_some(())
    });
}

#[test]
fn a_server_without_streams_says_so() {
    let mut server = Server::start_bare();
    let invitation = server.invite("ada.laptop", Role::Member, None);
    assert_eq!(try_out(&invitation).unwrap_err().kind, FailureKind::TeamNotSetUp);
}

#[test]
fn the_leader_of_three_servers_is_killed_while_twenty_loops_are_paused() {
    let mut server = Server::cluster();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    let ids: Vec<String> = (0..20).map(|number| format!("loop-v2-20261120T042421-{number:08}")).collect();
    ids.iter().for_each(|id| ada.write(id, "running"));
    ada.share(Scope::State, Steering::Leads);
    ids.iter().for_each(|id| drop(bob.wait_for(id, |_| true)));
    let leader = server.leader();
    for (number, id) in ids.iter().enumerate() {
        if number == 7 {
            server.kill(leader);
        }
        bob.ask(id, Verb::Pause);
    }
    for id in &ids {
        bob.wait_for(id, |row| row.file_word == "paused");
        assert_eq!(ada.status(id), "paused");
    }
    bob.until("all answers", || (bob.team.as_ref()?.view().answers.len() == ids.len()).then_some(()));
    // Nothing twice: the journal of the owner has one pause for each.
    for row in ada.rows().iter().filter(|row| ada.runtime.elsewhere(&row.key).is_none()) {
        let history = ada.runtime.history(&row.key, 50).unwrap();
        let causes = history.iter().filter_map(|version| serde_json::to_string(version.cause.as_ref()?).ok());
        assert_eq!(causes.filter(|cause| cause.contains("pause")).count(), 1, "{}", row.id);
    }
    server.run(leader);
    ada.write(&ids[0], "completed");
    bob.wait_for(&ids[0], |row| row.file_word == "completed");
}
