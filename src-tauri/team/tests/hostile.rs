//! A member who publishes garbage, forges and floods, with valid credentials and a client of its own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use data_encoding::BASE64URL_NOPAD;
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::VerbOptions;
use loopdeck_team::Team;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::team::{Machine, Server};
use nkeys::KeyPair;
use serde_json::json;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";

fn file_key(file: &str) -> String {
    format!("$KV.LOOPS.mallory.pc.0abc.f_{}", BASE64URL_NOPAD.encode(file.as_bytes()))
}

#[test]
fn garbage_and_forgeries_change_nothing_and_a_flood_holds_nobody_up() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    let tokio = RawMember::tokio();
    let mallory = RawMember::new(&server.invite("mallory.pc", Role::Member, None), &tokio);
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |_| true);
    let shares = ada.team.as_ref().unwrap().shares();
    let share = shares[0].id();

    // Below its own name, everything but a loop: not signed, signed for elsewhere, paths, nonsense.
    let head = json!({ "at": 1, "modified": 1 });
    let name = file_key(&format!("{ROOT}/{LOOP}.json"));
    assert!(mallory.keeps(&name, b"garbage".to_vec()));
    assert!(mallory.keeps(&name, mallory.seal("$KV.LOOPS.other", &head, b"{}")));
    assert!(mallory.keeps(&name, mallory.seal(&name, &json!({ "at": "x" }), b"{}")));
    assert!(
        mallory.keeps(&name, mallory.seal(&name, &head, b"{}")),
        "its machine is not known: it never said who it is"
    );
    for path in ["../../../../escaped.json", ".loop/../../../escaped.json", "/tmp/escaped.json"] {
        let key = file_key(path);
        assert!(mallory.keeps(&key, mallory.seal(&key, &head, b"{}")));
    }
    let about = "$KV.LOOPS.mallory.pc.0abc.about";
    let claim = json!({ "at": 1, "name": "../x", "scope": "state", "steering": "members" });
    assert!(mallory.keeps(about, mallory.seal(about, &claim, b"")));

    // Below another's name: the server says no.
    let theirs = format!("$KV.LOOPS.ada.laptop.{share}.about");
    mallory.publish(&theirs, mallory.seal(&theirs, &claim, b""));
    mallory.publish("$KV.MACHINES.ada.laptop", b"x".to_vec());
    mallory.publish("$JS.API.STREAM.DELETE.KV_LOOPS", Vec::new());
    mallory.publish("$JS.API.STREAM.PURGE.COMMANDS", Vec::new());
    bob.until("four refusals", || {
        let refused = mallory.events();
        (refused.iter().filter(|text| text.contains("Permissions Violation")).count() >= 4).then_some(())
    });

    // Commands: garbage, one in the name of a lead, one of its own that the folder's rule does not allow.
    let subject = "cmd.ada.laptop.mallory.pc";
    let command = |token: &str, from: (&str, &str), id: &str| {
        json!({
            "id": id, "token": token, "from": { "member": from.0, "machine": from.1 },
            "to": { "member": "ada", "machine": "laptop" }, "at": loopdeck_runtime::clock::now().millis(),
            "share": share, "file": format!("{ROOT}/{LOOP}.json"), "verb": "stop",
        })
    };
    let [one, two, three] = [(); 3].map(|()| KeyPair::new_user().public_key());
    let leads = server.invite("lead.pc", Role::Lead, None);
    let stolen = RawMember::new(&leads, &tokio).token;
    for head in [
        json!("nonsense"),
        command(&stolen, ("lead", "pc"), &one),
        command(&mallory.token, ("lead", "pc"), &two),
        command(&mallory.token, ("mallory", "pc"), "../../escaped"),
        command(&mallory.token, ("mallory", "pc"), &three),
    ] {
        assert!(mallory.keeps(subject, mallory.seal(subject, &head, b"")));
    }
    // In a server that lets anybody publish anywhere, the signature alone decides.
    let everywhere = RawMember::new(&server.authority.operator().unwrap(), &tokio);
    let foreign = "cmd.ada.laptop.lead.pc";
    let forged = command(&stolen, ("lead", "pc"), &KeyPair::new_user().public_key());
    assert!(everywhere.keeps(foreign, mallory.seal(foreign, &forged, b"")));
    let loops = format!("$KV.LOOPS.ada.laptop.{share}.f_{}", BASE64URL_NOPAD.encode(b".loop/forged.json"));
    assert!(everywhere.keeps(&loops, mallory.seal(&loops, &json!({ "at": 1, "modified": 1 }), b"{}")));
    // And a flood, as much as the stream keeps of one sender.
    for _ in 0..2_000 {
        mallory.publish(subject, b"flood".to_vec());
    }
    bob.ask(LOOP, Verb::Pause);
    bob.wait_for(LOOP, |row| row.file_word == "paused");
    bob.until("an answer", || (!bob.team.as_ref()?.view().answers.is_empty()).then_some(()));
    assert_eq!(ada.status(LOOP), "paused", "the lead's request, and nothing of the rest");
    let foreign: Vec<String> = bob.copies().iter().map(|path| path.display().to_string()).collect();
    assert!(
        foreign.iter().all(|path| path.contains("ada.laptop") && !path.contains("forged")),
        "{foreign:?}"
    );
    let begun = std::fs::read_dir(ada.home().shares().with_file_name("begun")).unwrap().count();
    assert_eq!(begun, 2, "the lead's command and the one that the rule refused");
}

#[test]
fn a_command_that_is_delivered_again_is_carried_out_once() {
    let mut server = Server::start();
    let (mut ada, bob) =
        (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |_| true);
    bob.ask(LOOP, Verb::Pause);
    bob.until("an answer", || (bob.team.as_ref()?.view().answers.len() == 1).then_some(()));
    let paused = pauses(&ada);
    assert!(paused > 0, "the journal says why");
    // Taken back by the owner; then the same message comes again, as after a lost acknowledgement.
    ada.runtime.act(&own_key(&ada), Verb::Resume, VerbOptions::default()).unwrap();
    bob.wait_for(LOOP, |row| row.file_word == "running");
    ada.team.take();
    server.forget_consumers();
    ada.open();
    ada.until("connected", || ada.team.as_ref().is_some_and(Team::is_current).then_some(()));
    bob.ask(LOOP, Verb::Stop);
    bob.wait_for(LOOP, |row| row.file_word != "running");
    bob.until("another answer", || (bob.team.as_ref()?.view().answers.len() == 2).then_some(()));
    // Commands are carried out in order: had the pause been carried out again, the journal would have it twice.
    assert_eq!(pauses(&ada), paused);
}

/// How often the journal has a pause.
fn pauses(machine: &Machine) -> usize {
    let history = machine.runtime.history(&own_key(machine), 50).unwrap();
    let causes = history.iter().filter_map(|version| serde_json::to_string(version.cause.as_ref()?).ok());
    causes.filter(|cause| cause.contains("pause")).count()
}

fn own_key(machine: &Machine) -> String {
    let row = machine
        .rows()
        .into_iter()
        .find(|row| row.id == LOOP && machine.runtime.elsewhere(&row.key).is_none());
    row.unwrap().key
}
