//! The output of runs on another machine: only where it is shared, while they run, whole, and gone once it is no longer shared.

use async_nats::jetstream::stream::DiscardPolicy;
use loopdeck_runtime::drivers::rows::OutputSearch;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::driving::{develops, one_task_form};
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::repository::commit_all;
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::team::{Machine, Programs, SCRIPTED, Server};
use serde_json::json;
use std::fs;
use std::path::Path;

const SECRET: &str = "ghp_0123456789abcdefghijklmnop";

fn programs() -> Programs {
    Programs {
        guardian: env!("CARGO_BIN_EXE_guardian").into(),
        agent: env!("CARGO_BIN_EXE_scripted_agent").into(),
    }
}

/// An agent that prints, waits for its gate, and prints again.
fn prints(gate: &Path) -> Scripted {
    let say = |text: &str| Step::Say(text.to_owned());
    let rule = develops("task-001").then(say("before the gate")).then(say(&format!("a secret: {SECRET}")));
    let rule = rule.then(Step::Spam { lines: 3_000, text: "a long story".into() });
    let rule = rule.then(Step::WaitFor(gate.to_owned())).then(say("after the gate"));
    Scripted { output: Output::Text, rules: vec![rule] }
}

/// A machine with such an agent at work; the key of its loop there, and its id.
fn at_work(server: &mut Server, gate: &Path, scope: Scope) -> (Machine, String, String) {
    let script = prints(gate);
    let mut ada = server.runner("ada.laptop", Role::Member, &programs(), |folder| {
        script.put_into(folder);
        commit_all(folder);
    });
    ada.runtime.trust(&ada.workspace.to_string_lossy(), true).unwrap();
    ada.open();
    ada.share(scope, Steering::Leads);
    let key = ada.runtime.start_loop(&one_task_form(&ada.workspace, SCRIPTED)).unwrap();
    let id = ada.rows().into_iter().find(|row| row.key == key).unwrap().id;
    (ada, key, id)
}

/// All rows of the newest run of a loop, as its window has them.
fn said(machine: &Machine, key: &str) -> Vec<String> {
    said_in(machine, key, None)
}

/// The same of a run.
fn said_in(machine: &Machine, key: &str, run: Option<&str>) -> Vec<String> {
    let (mut rows, mut first) = (Vec::new(), 0);
    loop {
        let page = machine.runtime.output(key, run, first, 1_000).unwrap();
        first = page.first + u32::try_from(page.rows.len()).unwrap();
        rows.extend(page.rows.into_iter().map(|row| row.text));
        if first >= page.total {
            return rows;
        }
    }
}

#[test]
fn output_is_followed_elsewhere_where_it_is_shared_and_then_goes() {
    let mut server = Server::start();
    let gate = tempfile::tempdir().unwrap();
    let (gate, bob) = (gate.path().join("gate"), server.machine("bob.tower", Role::Viewer));
    let (ada, own, id) = at_work(&mut server, &gate, Scope::Output);
    let key = bob.wait_for(&id, |row| row.file_word == "running").key;

    let has = |text: &str| said(&bob, &key).iter().any(|row| row.contains(text)).then_some(());
    bob.until("its output", || has("before the gate"));
    bob.until("all of its output", || has("3000 a long story").or_else(|| has("2999 a long story")));
    let runs = bob.runtime.runs(&key).unwrap();
    let develop = &runs[0];
    assert_eq!((develop.action.as_str(), develop.ended, develop.outcome), ("develop", None, None));
    let private = (develop.argv.len(), develop.folder.as_str(), develop.environment.len(), develop.pid);
    assert_eq!(private, (0, "", 0, None), "no command line, folder or variable leaves its machine");
    assert!(!said(&bob, &key).concat().contains(SECRET));
    let search = OutputSearch { text: "a secret".into(), ..OutputSearch::default() };
    let found = bob.runtime.find_output(&key, &develop.id, &search).unwrap().unwrap();
    assert!(bob.runtime.output_text(&key, &develop.id, found).unwrap().contains("a secret"));

    fs::write(&gate, "").unwrap();
    let run = develop.id.clone();
    let ended = bob.until("its end", || {
        let runs = bob.runtime.runs(&key).unwrap();
        runs.into_iter().find(|one| one.id == run && one.ended.is_some())
    });
    let there = ada.runtime.runs(&own).unwrap().into_iter().find(|one| one.id == run).unwrap();
    assert_eq!((ended.outcome, ended.exit_code, ended.rows), (there.outcome, there.exit_code, there.rows));
    let whole = |machine: &Machine, key: &str| {
        let page = machine.runtime.output(key, Some(&run), there.rows - 200, 200).unwrap();
        page.rows.into_iter().map(|row| (row.at, row.text)).collect::<Vec<_>>()
    };
    assert_eq!(whole(&bob, &key), whole(&ada, &own), "each row once, in order");

    // No longer shared: it goes from the server, and nobody sees it.
    assert!(server.size("OUTPUT").1 > 100_000);
    ada.share(Scope::Progress, Steering::Leads);
    bob.until("no output", || bob.runtime.runs(&key).unwrap().is_empty().then_some(()));
    bob.until("an empty stream", || (server.size("OUTPUT").1 < 20_000).then_some(()));
}

#[test]
fn a_server_without_room_for_output_is_called_full_while_output_is_shared() {
    let mut server = Server::start();
    let gate = tempfile::tempdir().unwrap();
    server.machine("bob.tower", Role::Viewer); // the streams are there
    server.limit("OUTPUT", |config| {
        (config.discard, config.max_bytes) = (DiscardPolicy::New, 1_000);
    });
    let gate = gate.path().join("gate");
    let (ada, key, _) = at_work(&mut server, &gate, Scope::Output);
    let full = || ada.team.as_ref()?.view().full;
    ada.until("full", full);
    fs::write(&gate, "").unwrap();
    ada.until("the end of the run", || ada.runtime.runs(&key).unwrap()[0].ended);
    ada.share(Scope::Progress, Steering::Leads);
    ada.until("nothing waits for room", || full().is_none().then_some(()));
}

#[test]
fn no_output_leaves_a_machine_unless_it_was_chosen() {
    let mut server = Server::start();
    let place = tempfile::tempdir().unwrap();
    let gate = place.path().join("gate");
    let bob = server.machine("bob.tower", Role::Lead);
    let (ada, own, id) = at_work(&mut server, &gate, Scope::Progress);
    let key = bob.wait_for(&id, |row| row.file_word == "running").key;
    ada.until("its output", || said(&ada, &own).iter().any(|row| row == "before the gate").then_some(()));
    fs::write(&gate, "").unwrap();
    bob.wait_for(&id, |row| row.file_word == "completed");
    assert_eq!((bob.runtime.runs(&key).unwrap(), server.size("OUTPUT").0), (Vec::new(), 0));
    assert_eq!(bob.runtime.output(&key, None, 0, 10).unwrap().total, 0);
}

#[test]
fn output_in_the_name_of_another_machine_is_not_taken() {
    let mut server = Server::start();
    let place = tempfile::tempdir().unwrap();
    let gate = place.path().join("gate");
    let bob = server.machine("bob.tower", Role::Lead);
    let (ada, _, id) = at_work(&mut server, &gate, Scope::Output);
    let row = bob.wait_for(&id, |row| row.file_word == "running");
    bob.until("its output", || {
        said(&bob, &row.key).iter().any(|row| row.contains("before the gate")).then_some(())
    });

    let tokio = RawMember::tokio();
    let mallory = RawMember::new(&server.invite("mallory.pc", Role::Member, None), &tokio);
    let everywhere = RawMember::new(&server.authority.operator().unwrap(), &tokio);
    let share = ada.team.as_ref().unwrap().shares()[0].id();
    let file = data_encoding::BASE64URL_NOPAD.encode(row.file.as_bytes());
    let subject = format!("output.ada.laptop.{share}.{file}.500");
    let run = bob.runtime.runs(&row.key).unwrap().remove(0);
    let has = |text: &str| said_in(&bob, &row.key, Some(&run.id)).iter().any(|row| row.contains(text));
    let head = json!({ "at": 1, "first": run.rows, "run": {
        "id": run.id, "action": "develop", "iteration": 1, "agent": "x", "agent_id": "x", "started": 1.0,
    }});
    let line = br#"{"at":1,"kind":"text","name":"","text":"forged","cut":null,"ok":null,"depth":0}"#;
    mallory.publish(&subject, mallory.seal(&subject, &head, line));
    bob.until("a refusal", || {
        mallory.events().iter().any(|text| text.contains("Permissions Violation")).then_some(())
    });
    // In a server that lets anybody publish anywhere, the signature alone decides.
    assert!(everywhere.keeps(&subject, mallory.seal(&subject, &head, line)));
    assert!(everywhere.keeps(&subject, b"garbage".to_vec()));
    fs::write(&gate, "").unwrap();
    bob.until("what comes after it", || has("after the gate").then_some(()));
    assert!(!has("forged"));
}
