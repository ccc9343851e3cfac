//! A member who publishes garbage, forges and floods, with valid credentials and a client of its own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use data_encoding::BASE64URL_NOPAD;
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::{VerbOptions, WriteCause};
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::team::Server;
use nkeys::KeyPair;
use serde_json::json;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const STOP: &[u8] = br#"{"kind":"verb","verb":"stop"}"#;

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
    let share = ada.team.as_ref().unwrap().shares()[0].id();

    keep_garbage_below_own_name(&mallory);
    // Below another's name: the server says no.
    let theirs = format!("$KV.LOOPS.ada.laptop.{share}.about");
    mallory.publish(&theirs, mallory.seal(&theirs, &about(), b""));
    mallory.publish("$KV.MACHINES.ada.laptop", b"x".to_vec());
    mallory.publish("$JS.API.STREAM.DELETE.KV_LOOPS", Vec::new());
    mallory.publish("$JS.API.STREAM.PURGE.COMMANDS", Vec::new());
    bob.until("four refusals", || {
        let refused = mallory.events();
        (refused.iter().filter(|text| text.contains("Permissions Violation")).count() >= 4).then_some(())
    });
    send_forged_commands(&mut server, &mallory, &share);
    // And a flood, as much as the stream keeps of one sender.
    for _ in 0..2_000 {
        mallory.publish(OF_MALLORY, b"flood".to_vec());
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

/// Where commands of mallory to ada go.
const OF_MALLORY: &str = "cmd.ada.laptop.mallory.pc";

/// What is said of a shared folder, with a name that would be a path.
fn about() -> serde_json::Value {
    json!({ "at": 1, "name": "../x", "scope": "state", "steering": "members" })
}

/// Everything but a loop: not signed, signed for elsewhere, paths, nonsense.
fn keep_garbage_below_own_name(mallory: &RawMember) {
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
    let key = "$KV.LOOPS.mallory.pc.0abc.about";
    assert!(mallory.keeps(key, mallory.seal(key, &about(), b"")));
}

/// Garbage, one in the name of a lead, one of its own that the folder's rule does not allow.
fn send_forged_commands(server: &mut Server, mallory: &RawMember, share: &str) {
    let command = |token: &str, from: (&str, &str), id: &str| {
        json!({
            "id": id, "token": token, "from": { "member": from.0, "machine": from.1 },
            "to": { "member": "ada", "machine": "laptop" }, "at": loopdeck_runtime::clock::now().millis(),
            "share": share, "file": format!("{ROOT}/{LOOP}.json"),
        })
    };
    let [one, two, three] = [(); 3].map(|()| KeyPair::new_user().public_key());
    let tokio = RawMember::tokio();
    let stolen = RawMember::new(&server.invite("lead.pc", Role::Lead, None), &tokio).token;
    for head in [
        json!("nonsense"),
        command(&stolen, ("lead", "pc"), &one),
        command(&mallory.token, ("lead", "pc"), &two),
        command(&mallory.token, ("mallory", "pc"), "../../escaped"),
        command(&mallory.token, ("mallory", "pc"), &three),
    ] {
        assert!(mallory.keeps(OF_MALLORY, mallory.seal(OF_MALLORY, &head, STOP)));
    }
    // In a server that lets anybody publish anywhere, the signature alone decides.
    let everywhere = RawMember::new(&server.authority.operator().unwrap(), &tokio);
    let foreign = "cmd.ada.laptop.lead.pc";
    let forged = command(&stolen, ("lead", "pc"), &KeyPair::new_user().public_key());
    assert!(everywhere.keeps(foreign, mallory.seal(foreign, &forged, STOP)));
    let loops = format!("$KV.LOOPS.ada.laptop.{share}.f_{}", BASE64URL_NOPAD.encode(b".loop/forged.json"));
    assert!(everywhere.keeps(&loops, mallory.seal(&loops, &json!({ "at": 1, "modified": 1 }), b"{}")));
}

#[test]
fn a_command_that_is_delivered_again_is_carried_out_once() {
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    let invitation = server.invite("bob.tower", Role::Lead, None);
    let bob = RawMember::new(&invitation, &RawMember::tokio());
    bob.announce();
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    let key = ada.until("a loop", || ada.own(LOOP)).key;
    let share = ada.team.as_ref().unwrap().shares()[0].id();
    let subject = "cmd.ada.laptop.bob.tower";
    let send = |id: &str, body: &[u8]| {
        let head = json!({
            "id": id, "token": bob.token, "from": { "member": "bob", "machine": "tower" },
            "to": { "member": "ada", "machine": "laptop" }, "at": loopdeck_runtime::clock::now().millis(),
            "share": share, "file": format!("{ROOT}/{LOOP}.json"),
        });
        assert!(bob.keeps(subject, bob.seal(subject, &head, body)));
    };
    let [first, second, third] = [(); 3].map(|()| KeyPair::new_user().public_key());
    send(&first, br#"{"kind":"verb","verb":"pause"}"#);
    ada.until("paused", || (ada.status(LOOP) == "paused").then_some(()));
    ada.until("written down", || (ada.writes(LOOP, WriteCause::Pause) == 1).then_some(()));
    // Taken back by the owner; then the same message comes again, as after a lost acknowledgement.
    ada.runtime.act(&key, Verb::Resume, VerbOptions::default()).unwrap();
    send(&first, br#"{"kind":"verb","verb":"pause"}"#);
    // A newer Loopdeck may ask for what this one does not know: answered, and nothing is guessed.
    send(&second, br#"{"kind":"rename","verb":"stop"}"#);
    send(&third, STOP);
    ada.until("stopped", || (ada.status(LOOP) != "running").then_some(()));
    // Commands are carried out in order: had the pause been carried out again, the journal would have it twice.
    assert_eq!((ada.writes(LOOP, WriteCause::Pause), ada.writes(LOOP, WriteCause::Stop)), (1, 1));
    let begun = |id: &str| {
        let path = ada.home().shares().with_file_name("begun").join(id);
        std::fs::read_to_string(path).unwrap_or_default()
    };
    ada.until("answered", || (begun(&third) == "null").then_some(()));
    assert_eq!((begun(&first), begun(&second)), ("null".to_owned(), "\"unknown_command\"".to_owned()));
}

#[test]
fn clocks_that_differ_lose_no_command_freeze_no_loop_and_are_told() {
    const MINUTE: i64 = 60_000;
    const HOUR: i64 = 60 * MINUTE;
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    let bob = RawMember::new(&server.invite("bob.tower", Role::Lead, None), &RawMember::tokio());
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    ada.until("a loop", || ada.own(LOOP));
    let share = ada.team.as_ref().unwrap().shares()[0].id();
    let now = loopdeck_runtime::clock::now().millis();
    let begun = |id: &str| {
        let path = ada.home().shares().with_file_name("begun").join(id);
        std::fs::read_to_string(path).ok().filter(|text| !text.is_empty())
    };
    // What was asked and sent at these times of bob's clock, and what becomes of it.
    let subject = "cmd.ada.laptop.bob.tower";
    let cases = [
        (-10 * MINUTE, -10 * MINUTE, "null"),
        (-HOUR, -HOUR, "\"already_paused\""),
        (25 * HOUR, 25 * HOUR, "\"already_paused\""),
        (-25 * HOUR, 0, "\"too_old\""),
        (0, 25 * HOUR, "\"too_old\""),
        (-8 * 24 * HOUR, -8 * 24 * HOUR, "\"clocks_differ\""),
    ];
    for (asked, sent, becomes) in cases {
        let id = KeyPair::new_user().public_key();
        let head = json!({
            "id": id, "token": bob.token, "from": { "member": "bob", "machine": "tower" },
            "to": { "member": "ada", "machine": "laptop" }, "at": now + asked, "sent": now + sent,
            "share": share, "file": format!("{ROOT}/{LOOP}.json"),
        });
        assert!(bob.keeps(subject, bob.seal(subject, &head, br#"{"kind":"verb","verb":"pause"}"#)));
        assert_eq!(ada.until("an answer", || begun(&id)), becomes, "{asked} {sent}");
    }
    assert_eq!(ada.writes(LOOP, WriteCause::Pause), 1);

    // Bob's clock is set back between two versions of a file.
    let (other, file) =
        ("loop-v2-20261120T042422-d8ff7e62", format!("{ROOT}/loop-v2-20261120T042422-d8ff7e62.json"));
    bob.announce_at(now - HOUR);
    bob.share("0abc");
    let put = |at: i64, status: &str| {
        bob.put("0abc", &file, at, loopdeck_tests::live::loop_v2(other, status).as_bytes());
    };
    put(now, "running");
    ada.wait_for(other, |row| row.file_word == "running");
    put(now - HOUR, "paused");
    ada.wait_for(other, |row| row.file_word == "paused");
    let ahead = |seat: &str| {
        let machines = ada.team.as_ref().unwrap().view().machines;
        machines.into_iter().find(|machine| machine.seat.to_string() == seat)?.clock_ahead
    };
    assert_eq!(ada.until("told", || ahead("bob.tower")), -60);
    assert_eq!(ahead("ada.laptop"), None, "whose clock is right");
}

#[test]
fn what_is_said_to_wait_on_another_machine_is_taken_apart_within_bounds() {
    let mut server = Server::start();
    let bob = server.machine("bob.tower", Role::Lead);
    let mallory = RawMember::new(&server.invite("mallory.pc", Role::Member, None), &RawMember::tokio());
    mallory.announce();
    mallory.share("0abc");
    let file = format!("{ROOT}/{LOOP}.json");
    mallory.put("0abc", &file, 1, loopdeck_tests::live::loop_v2(LOOP, "running").as_bytes());
    bob.wait_for(LOOP, |_| true);
    let subject = format!("$KV.LOOPS.mallory.pc.0abc.n_{}", BASE64URL_NOPAD.encode(file.as_bytes()));
    let put = |body: &[u8]| {
        assert!(mallory.keeps(&subject, mallory.seal(&subject, &json!({ "at": 1 }), body)));
    };
    let need = |id: &str| {
        json!({
            "id": id, "key": "x:../../y", "run": null, "title": "T", "kind": "question", "since": 1.0, "agent": "a",
            "tool": null, "input": null, "cut_from": null, "folder": "", "text": "?", "args": {}, "choices": [],
            "extension": null, "until": null, "answers": ["say"], "processes": [], "wrong": [], "lines": [],
        })
    };
    put(b"[[[[[[");
    put(&[vec![b'['; 100_000], vec![b']'; 100_000]].concat());
    put(json!([need("../../x"), need(&"n".repeat(200))]).to_string().as_bytes());
    let many: Vec<_> = (0..500).map(|number| need(&format!("need-{number}"))).collect();
    put(serde_json::to_string(&many).unwrap().as_bytes());
    let needs = bob.until("needs", || {
        let needs = bob.runtime.needs().needs;
        (!needs.is_empty()).then_some(needs)
    });
    assert_eq!(needs.len(), 20, "no more of one loop");
    let row = bob.foreign(LOOP).unwrap();
    assert!(needs.iter().all(|need| need.key == row.key && need.id.starts_with("need-")));
}
