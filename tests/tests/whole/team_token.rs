//! A team on a server that asks only for a token. The server limits nobody: what a machine may do is checked by the others.

use loopdeck_core::control::Verb;
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::clock;
use loopdeck_runtime::views::{Failure, FailureKind, WriteCause};
use loopdeck_team::authority::Authority;
use loopdeck_team::invitation::Invitation;
use loopdeck_team::seat::{Role, Seat};
use loopdeck_team::server_token::ServerToken;
use loopdeck_team::share::{Scope, Share, Steering};
use loopdeck_team::{ConnectionView, TriedTeam, set_up, try_out};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::team::{Machine, Server};
use serde_json::json;
use std::time::Instant;
use tempfile::TempDir;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const OTHER: &str = "loop-v2-20261120T042421-00000001";
/// With every sign that configurations of servers give a meaning.
const TOKEN: &str = r#"$a"b\c#d{e}[f]'g',h;//i=j:k%l*(m)"#;

fn other_token() -> ServerToken {
    ServerToken::parse("another-token-of-the-server").unwrap()
}

/// Tries an invitation, which takes less than a second.
fn try_fast(invitation: &Invitation) -> Result<TriedTeam, FailureKind> {
    let start = Instant::now();
    let tried = try_out(invitation).map_err(|failure: Failure| failure.kind);
    assert!(start.elapsed().as_millis() < 1_000, "{:?}", start.elapsed());
    tried
}

/// An invitation to the server with the right token, signed by the account of another team.
fn forged(server: &mut Server, seat: &str, role: Role) -> Invitation {
    let genuine = server.invite("someone.else", Role::Viewer, None);
    let folder = TempDir::with_prefix("loopdeck-forger-").unwrap();
    let token = genuine.server_token.clone();
    let mut other = Authority::init(folder.path(), &genuine.servers, token, clock::now()).unwrap();
    other.invite(&Seat::parse(seat).unwrap(), role, clock::now(), None).unwrap()
}

fn share_of(machine: &Machine) -> String {
    Share { path: machine.workspace.clone(), scope: Scope::State, steering: Steering::Leads }.id()
}

fn file(id: &str) -> String {
    format!("{ROOT}/{id}.json")
}

/// Asks for a pause of a loop of Ada's in the name of Bob's machine.
fn ask_for_pause(bob: &RawMember, ada: &Machine, id: &str) {
    let subject = "cmd.ada.laptop.bob.tower";
    let head = json!({
        "id": "U".repeat(55) + &id[id.len() - 1..].to_uppercase(), "token": bob.token,
        "from": { "member": "bob", "machine": "tower" }, "to": { "member": "ada", "machine": "laptop" },
        "at": clock::now().millis(), "share": share_of(ada), "file": file(id),
    });
    let change = json!({ "kind": "verb", "verb": "pause" });
    assert!(bob.keeps(subject, bob.seal(subject, &head, change.to_string().as_bytes())), "kept");
}

#[test]
fn machines_share_and_steer_on_a_server_that_asks_for_a_token() {
    let mut server = Server::with_token(TOKEN);
    let invitation = server.invite("bob.tower", Role::Lead, None);
    let tried = try_fast(&invitation).unwrap();
    assert!(tried.token_only && !tried.encrypted, "{tried:?}");
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), Machine::new(&invitation));
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |row| row.file_word == "running");
    bob.ask(LOOP, Verb::Pause);
    bob.wait_for(LOOP, |row| row.file_word == "paused");
    assert_eq!(ada.status(LOOP), "paused");
}

#[test]
fn a_wrong_token_is_refused_at_once_and_so_is_an_invitation_without_one() {
    let mut server = Server::with_token(TOKEN);
    let invitation = server.invite("ada.laptop", Role::Member, None);
    let wrong = Invitation { server_token: Some(other_token()), ..invitation.clone() };
    assert_eq!(try_fast(&wrong), Err(FailureKind::TeamRefused));
    let without = Invitation { server_token: None, ..invitation.clone() };
    assert_eq!(try_fast(&without), Err(FailureKind::TeamRefused));
    try_fast(&invitation).unwrap();
    let past = Some(Timestamp::from_millis(1_700_000_000_000));
    let expired = server.invite("old.pc", Role::Member, past);
    assert_eq!(try_fast(&expired), Err(FailureKind::TeamRefused), "the server does not notice");
}

#[test]
fn what_another_account_signed_is_not_taken() {
    let mut server = Server::with_token(TOKEN);
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    for id in [LOOP, OTHER] {
        ada.write(id, "running");
    }
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |_| true);
    bob.wait_for(OTHER, |_| true);

    // In the name of somebody new, of Ada and of Bob.
    let tokio = RawMember::tokio();
    let eve = RawMember::new(&forged(&mut server, "eve.pc", Role::Lead), &tokio);
    let completed = |id: &str| loop_v2(id, "completed").into_bytes();
    let strange = LOOP.replace("d8ff7e62", "00000009");
    eve.announce();
    eve.share("share");
    eve.put("share", &file(&strange), 1, &completed(&strange));
    let false_ada = RawMember::new(&forged(&mut server, "ada.laptop", Role::Member), &tokio);
    false_ada.announce();
    false_ada.put(&share_of(&ada), &file(LOOP), clock::now().millis() + 1_000, &completed(LOOP));
    let false_bob = RawMember::new(&forged(&mut server, "bob.tower", Role::Lead), &tokio);
    ask_for_pause(&false_bob, &ada, LOOP);

    // What follows on the same streams is genuine, and arrives after what is not.
    bob.ask(OTHER, Verb::Pause);
    bob.wait_for(OTHER, |row| row.file_word == "paused");
    assert_eq!(bob.foreign(LOOP).unwrap().file_word, "running");
    assert_eq!((ada.status(LOOP).as_str(), ada.writes(LOOP, WriteCause::Pause)), ("running", 0));
    assert!(bob.foreign(&strange).is_none(), "{:?}", bob.rows());
    let seats: Vec<String> = machines(&bob);
    assert!(!seats.contains(&"eve.pc".to_owned()), "{seats:?}");
}

/// Machines that a machine knows of.
fn machines(machine: &Machine) -> Vec<String> {
    machine.team.as_ref().unwrap().view().machines.iter().map(|one| one.seat.to_string()).collect()
}

#[test]
fn the_same_command_with_the_right_keys_is_carried_out() {
    let mut server = Server::with_token(TOKEN);
    let ada = server.machine("ada.laptop", Role::Member);
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    let invitation = server.invite("bob.tower", Role::Lead, None);
    ask_for_pause(&RawMember::new(&invitation, &RawMember::tokio()), &ada, LOOP);
    ada.until("paused", || (ada.status(LOOP) == "paused").then_some(()));
}

#[test]
fn a_viewer_shares_nothing_even_where_the_server_lets_it() {
    let mut server = Server::with_token(TOKEN);
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    let viewer = RawMember::new(&server.invite("eve.pc", Role::Viewer, None), &RawMember::tokio());
    viewer.announce();
    viewer.share("share");
    viewer.put("share", &file(OTHER), 1, loop_v2(OTHER, "running").as_bytes());
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |_| true);
    bob.until("the viewer is known", || machines(&bob).contains(&"eve.pc".to_owned()).then_some(()));
    assert!(bob.foreign(OTHER).is_none());
}

#[test]
fn an_invitation_that_ends_while_it_is_used_is_noticed_by_all_machines() {
    let mut server = Server::with_token(TOKEN);
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    let end = Timestamp::from_millis(clock::now().millis() + 10_000);
    let ends = server.invite("eve.pc", Role::Member, Some(end));
    let own = server.invite("ann.pc", Role::Member, Some(end));
    let eve = RawMember::new(&ends, &RawMember::tokio());
    eve.announce();
    eve.share("share");
    eve.put("share", &file(LOOP), 1, loop_v2(LOOP, "running").as_bytes());
    bob.wait_for(LOOP, |row| row.file_word == "running");
    let ann = Machine::new(&own);
    bob.until("the end", || (clock::now() > end).then_some(()));
    eve.put("share", &file(LOOP), 2, loop_v2(LOOP, "completed").as_bytes());
    ada.write(OTHER, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(OTHER, |_| true);
    assert_eq!(bob.foreign(LOOP).unwrap().file_word, "running", "what it says after that is not taken");
    ann.until("its own machine says why", || match ann.team.as_ref()?.view().connection {
        ConnectionView::Lost { failure: Some(failure), .. } => {
            (failure.kind == FailureKind::TeamRefused).then_some(())
        }
        _ => None,
    });
}

#[test]
fn a_new_token_shuts_out_who_has_only_the_old_one_and_the_others_see_each_other_again() {
    let mut server = Server::with_token(TOKEN);
    let mut ada = server.machine("ada.laptop", Role::Member);
    let old = server.invite("eve.pc", Role::Member, None);
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    server.machine("bob.tower", Role::Lead).wait_for(LOOP, |_| true);

    server.authority.revoke(&old.seat, clock::now()).unwrap();
    try_fast(&old).expect("a token alone tells no machine from another");
    server.authority.change_token(other_token(), clock::now()).unwrap();
    server.reload();
    ada.until("refused", || (try_fast(&old) == Err(FailureKind::TeamRefused)).then_some(()));

    ada.rejoin(&server.invite("ada.laptop", Role::Member, None));
    let bob = server.machine("bob.tower", Role::Lead);
    bob.wait_for(LOOP, |row| row.file_word == "running"); // signed again, with the keys of the new invitation
    bob.ask(LOOP, Verb::Pause);
    bob.wait_for(LOOP, |row| row.file_word == "paused");
}

#[test]
fn the_streams_of_another_team_on_the_same_server_are_left_alone() {
    let server = Server::with_token(TOKEN);
    let operator = server.authority.operator().unwrap();
    set_up(&operator, 1).expect("done again, it brings limits up to date");
    let folder = TempDir::with_prefix("loopdeck-other-").unwrap();
    let token = operator.server_token.clone();
    let other = Authority::init(folder.path(), &operator.servers, token, clock::now()).unwrap();
    let refused = set_up(&other.operator().unwrap(), 1).unwrap_err();
    assert_eq!(refused.kind, FailureKind::Exists);
}
