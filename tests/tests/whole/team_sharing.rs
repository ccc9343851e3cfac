//! How much of a folder is shared: rows alone, and files of any size.

use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::AotOperation;
use loopdeck_runtime::Options;
use loopdeck_runtime::fingerprint::Fingerprint;
use loopdeck_runtime::views::FailureKind;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::live::{AOT, ROOT, aot, loop_v2_at};
use loopdeck_tests::steps;
use loopdeck_tests::team::{Machine, Server};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const OTHER: &str = "loop-v2-20261120T042421-00000002";

/// A loop with texts of everybody who works on it.
fn told(status: &str, iteration: u32) -> String {
    let mut state: Value = serde_json::from_str(&loop_v2_at(LOOP, status, iteration)).unwrap();
    state["description"] = json!("the secret plan of the body");
    state["skill_state"] = json!({
        "current_action": "develop", "last_action": "init", "completed_actions": ["init"], "mode": "auto",
        "develop": { "total": 2, "completed": 1, "tasks": [
            { "id": "task-001", "description": "a secret plan of a task", "status": "completed" },
            { "id": "task-002", "description": "another secret plan", "status": "pending" },
        ] },
        "errors": [{ "action": "develop", "message": "the secret plan failed", "timestamp": "2026-11-20T04:24:21.915Z" }],
    });
    state.to_string()
}

fn put(machine: &Machine, file: &str, text: &str) {
    let path = machine.workspace.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let draft = path.with_extension("draft");
    fs::write(&draft, text).unwrap();
    fs::rename(draft, path).unwrap();
}

/// Everything that a machine has of others.
fn copied(machine: &Machine) -> String {
    let texts = machine.copies().into_iter().map(|path| fs::read(path).unwrap_or_default());
    texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[test]
fn rows_alone_tell_status_and_progress_and_no_text() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    let file = format!("{ROOT}/{LOOP}.json");
    put(&ada, &file, &told("running", 3));
    put(&ada, AOT, &aot("running", 4));
    put(&ada, &format!("{ROOT}/{LOOP}.progress/develop.md"), "the secret plan of progress");
    ada.share(Scope::Rows, Steering::Leads);
    let row = bob.wait_for(LOOP, |row| row.iteration.is_some_and(|bar| bar.current == 3.0));
    let own = ada.own(LOOP).unwrap();
    assert_eq!(
        (&row.title, row.word, &row.phase, row.iteration, &row.file_word, row.errors),
        (&own.title, own.word, &own.phase, own.iteration, &own.file_word, own.errors)
    );
    let (there, here) = (bob.wait_for("aot-loop-state", |_| true), ada.own("aot-loop-state").unwrap());
    assert_eq!((&there.title, &there.phase, there.iteration), (&here.title, &here.phase, here.iteration));
    assert!(bob.runtime.elsewhere(&row.key).unwrap().rows_only);
    let text = copied(&bob);
    for secret in ["secret plan", "npm test", "Because", "It works", "Do it"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
    // What changes is an event in the timeline, without its text.
    bob.runtime.open_loop(&row.key).unwrap();
    put(&ada, &file, &told("completed", 4));
    bob.wait_for(LOOP, |row| row.file_word == "completed");
    bob.until("a change in the timeline", || {
        let entries = serde_json::to_string(&bob.timeline(&row.key)).unwrap();
        (entries.contains("completed") && !entries.contains("secret")).then_some(())
    });
    // Verbs are handed on; there is no text whose direction could be changed.
    bob.ask("aot-loop-state", Verb::Stop);
    ada.until("a stop", || {
        let text = fs::read_to_string(ada.workspace.join(AOT)).ok()?;
        text.contains("stop_requested: true").then_some(())
    });
    assert!(bob.runtime.open_loop(&there.key).unwrap().detail.steps.is_empty());
    // Chosen otherwise, the texts come, and go again.
    ada.share(Scope::State, Steering::Leads);
    bob.until("texts", || copied(&bob).contains("the secret plan of the body").then_some(()));
    assert!(!copied(&bob).contains("the secret plan of progress"));
    ada.share(Scope::Rows, Steering::Leads);
    bob.until("no texts", || (!copied(&bob).contains("secret plan")).then_some(()));
    let step = steps::aot(AotOperation::ReleaseHold);
    let asked = bob.runtime.change(&there.key, step).err().map(|failure| failure.kind);
    assert_eq!(asked, Some(FailureKind::OnAnotherMachine));
}

#[test]
fn a_file_larger_than_a_message_arrives_whole_and_one_that_is_too_large_is_named() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Viewer));
    ada.write(LOOP, "running");
    let large = format!("{ROOT}/{LOOP}.progress/debug.log");
    let text = |word: &str, lines: usize| -> String {
        (0..lines)
            .map(|line| format!("{word} {line} of a long debug log that nobody wants to lose\n"))
            .collect()
    };
    put(&ada, &large, &text("first", 60_000)); // more than 3 MB
    let huge = format!("{ROOT}/{LOOP}.progress/huge.log");
    put(&ada, &huge, &"x".repeat(17 << 20));
    ada.share(Scope::Progress, Steering::Leads);
    let copy = |wanted: &str| {
        bob.until("the copy", || {
            let path = bob.copies().into_iter().find(|path| path.ends_with("debug.log"))?;
            (fs::read_to_string(path).ok()? == wanted).then_some(())
        });
    };
    copy(&text("first", 60_000));
    ada.until("named", || (ada.team.as_ref()?.view().too_large == [huge.clone()]).then_some(()));
    let parts = || server.size("KV_PARTS").0;
    assert_eq!(parts(), 4, "in parts of less than a megabyte");
    // It changes, becomes small, and goes: no part is left.
    put(&ada, &large, &text("second", 60_000));
    copy(&text("second", 60_000));
    put(&ada, &large, &text("third", 10));
    copy(&text("third", 10));
    put(&ada, &large, &text("fourth", 40_000));
    copy(&text("fourth", 40_000));
    fs::remove_file(ada.workspace.join(&huge)).unwrap();
    fs::remove_file(ada.workspace.join(&large)).unwrap();
    bob.until("gone", || (!bob.copies().iter().any(|path| path.ends_with("debug.log"))).then_some(()));
    ada.until("named no longer", || ada.team.as_ref()?.view().too_large.is_empty().then_some(()));
    let markers = |bytes: u64| bytes < 10_000;
    bob.until("no part is left", || markers(server.size("KV_PARTS").1).then_some(()));
}

#[test]
fn a_copy_shows_what_arrives_although_nobody_watches_it() {
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    // It never looks by itself.
    let never = |options: &mut Options| options.floor = Duration::from_secs(86_400);
    let mut bob = Machine::closed(&server.invite("bob.tower", Role::Viewer, None), never, |_| {});
    let before = bob.runtime.changes(0).watching.folders;
    bob.open();
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |row| row.file_word == "running");
    ada.write(LOOP, "completed");
    bob.wait_for(LOOP, |row| row.file_word == "completed");
    ada.write(OTHER, "running");
    bob.wait_for(OTHER, |row| row.file_word == "running");
    fs::remove_file(ada.workspace.join(format!("{ROOT}/{LOOP}.json"))).unwrap();
    bob.until("gone", || bob.foreign(LOOP).is_none().then_some(()));
    assert_eq!(bob.runtime.changes(0).watching.folders, before, "no watch for the copy");
}

/// Only a person withdraws what others see. A file of shares that cannot be read doesn't say that nothing is shared.
#[test]
fn with_damaged_shares_nothing_is_withdrawn_until_a_person_corrects_the_file() {
    let mut server = Server::start();
    let (mut ada, bob) =
        (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    put(&ada, &format!("{ROOT}/{LOOP}.json"), &told("running", 3));
    put(&ada, &format!("{ROOT}/{OTHER}.json"), &loop_v2_at(OTHER, "running", 1));
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |row| row.iteration.is_some_and(|bar| bar.current == 3.0));
    bob.wait_for(OTHER, |_| true);
    let copy = |machine: &Machine| {
        let copies = machine.copies();
        let path = copies.iter().find(|path| path.to_string_lossy().contains(OTHER)).unwrap().clone();
        (Fingerprint::at(&path).unwrap(), path)
    };
    let before = copy(&bob);

    let file = ada.home().shares();
    let good = fs::read(&file).unwrap();
    for damage in ["", "{oops", r#"{"form": 3, "shares": [{"pa"#, r#"{"form": 99, "shares": []}"#] {
        ada.team.take();
        fs::write(&file, damage).unwrap();
        ada.open();
        let team = ada.team.as_ref().unwrap();
        let kind = if damage.contains("99") { FailureKind::NewerData } else { FailureKind::DamagedData };
        assert_eq!(team.damaged_data().iter().map(|it| it.kind).collect::<Vec<_>>(), [kind], "{damage:?}");
        assert_eq!(team.unshare(&ada.workspace).unwrap_err().kind, kind, "{damage:?}");
        ada.until("a connection", || team.is_current().then_some(()));
        assert_eq!(fs::read_to_string(&file).unwrap(), damage);
    }
    put(&ada, &format!("{ROOT}/{LOOP}.json"), &told("running", 4));
    fs::write(&file, good).unwrap();
    bob.wait_for(LOOP, |row| row.iteration.is_some_and(|bar| bar.current == 4.0));
    assert_eq!(copy(&bob), before, "the copy was never taken away and made again");
    ada.team.as_ref().unwrap().unshare(&ada.workspace).unwrap();
    bob.until("withdrawn by a person", || {
        bob.rows().iter().all(|row| bob.runtime.elsewhere(&row.key).is_none()).then_some(())
    });
}
