//! What is asked across machines: who asked is known on both, directions change, questions are answered, once each.

use loopdeck_agents::Level;
use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::{AotOperation, Correction, ObjectivePatch};
use loopdeck_core::past::Asker;
use loopdeck_core::timeline::{EntryContent, TimelineEntry};
use loopdeck_runtime::drivers::plan::{RunPlan, StartForm};
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedAnswerKind, NeedKind};
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::views::{FailureKind, RequestState, VerbOptions, WriteCause};
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::driving::{PASSING, develops, form_for, small};
use loopdeck_tests::live::{AOT, ROOT, aot};
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::steps;
use loopdeck_tests::team::{Machine, Server};
use loopdeck_tests::tiny_project;
use serde_json::json;
use std::fs;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const AOT_ID: &str = "aot-loop-state";

fn bobs() -> Option<Asker> {
    Asker::parse("bob.tower")
}

/// Contents of entries that name somebody.
fn asked(timeline: &[TimelineEntry]) -> Vec<&EntryContent> {
    timeline.iter().filter(|entry| entry.asker == bobs()).map(|entry| &entry.content).collect()
}

#[test]
fn who_asked_is_in_the_journal_and_the_timeline_of_both_machines() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    let there = bob.wait_for(LOOP, |_| true).key;
    bob.ask(LOOP, Verb::Pause);
    bob.wait_for(LOOP, |row| row.file_word == "paused");
    bob.until("an answer", || (bob.answers().len() == 1).then_some(()));

    let key = ada.key(LOOP);
    let history = ada.runtime.history(&key, 10).unwrap();
    assert_eq!((history[0].cause, &history[0].asker), (Some(WriteCause::Pause), &bobs()));
    assert_eq!(ada.own(LOOP).unwrap().request.unwrap().asker, bobs());
    let timeline = ada.timeline(&key);
    let told = asked(&timeline);
    let is_request =
        |one: &&EntryContent| matches!(one, EntryContent::Request { cause: Some(WriteCause::Pause), .. });
    let is_version = |one: &&EntryContent| matches!(one, EntryContent::Version { .. });
    let counted =
        (told.iter().copied().filter(is_request).count(), told.iter().copied().filter(is_version).count());
    assert_eq!((told.len(), counted), (2, (1, 1)), "{timeline:#?}");
    let cause = Some(WriteCause::Pause);
    let here = bob.until("both records", || {
        let timeline = bob.timeline(&there);
        (asked(&timeline).len() == 2).then_some(timeline)
    });
    let expected =
        [EntryContent::AskedAcross { cause }, EntryContent::AnsweredAcross { cause, refused: None }];
    assert_eq!(asked(&here), expected.iter().collect::<Vec<_>>());

    // What the owner asks has nobody's name, also after a request of somebody else.
    ada.runtime.act(&key, Verb::Resume, VerbOptions::default()).unwrap();
    let history = ada.runtime.history(&key, 10).unwrap();
    assert_eq!((history[0].cause, &history[0].asker), (Some(WriteCause::Resume), &None));
}

#[test]
fn a_lead_changes_the_direction_of_a_loop_on_another_machine() {
    let mut server = Server::start();
    let (ada, bob) = (server.machine("ada.laptop", Role::Member), server.machine("bob.tower", Role::Lead));
    let eve = server.machine("eve.pc", Role::Member);
    fs::create_dir_all(ada.workspace.join(".claude")).unwrap();
    fs::write(ada.workspace.join(AOT), aot("running", 4)).unwrap();
    ada.share(Scope::State, Steering::Leads);
    let text = || fs::read_to_string(ada.workspace.join(AOT)).unwrap();
    let key = bob.wait_for(AOT_ID, |_| true).key;
    let page = bob.runtime.open_loop(&key).unwrap();
    assert!(!page.detail.steps.is_empty() && page.detail.steps.iter().all(|offer| offer.step.is_redirect()));

    // A member sees it, and may not.
    let seen = eve.wait_for(AOT_ID, |_| true).key;
    assert!(eve.runtime.open_loop(&seen).unwrap().detail.steps.is_empty());
    let hold = || steps::aot(AotOperation::HoldForRedirect);
    assert_eq!(eve.runtime.change(&seen, hold()).unwrap_err().kind, FailureKind::OnAnotherMachine);
    // Steps of the work are its own machine's.
    let step = steps::aot(AotOperation::ResetInProgress);
    assert_eq!(bob.runtime.change(&key, step).unwrap_err().kind, FailureKind::OnAnotherMachine);

    bob.runtime.change(&key, hold()).unwrap();
    ada.until("held", || text().contains("redirect_requested: true").then_some(()));
    bob.until("an answer", || (bob.answers().len() == 1).then_some(()));
    let patch = ObjectivePatch { goal: Some("Ship the other thing".to_owned()), ..ObjectivePatch::default() };
    let change = Correction::Objective(patch);
    let redirect = AotOperation::Redirect { change, description: "The customer has changed".to_owned() };
    bob.runtime.change(&key, steps::aot(redirect)).unwrap();
    let requested = bob.foreign(AOT_ID).unwrap().request.unwrap();
    assert_eq!((requested.verb, requested.asker), (WriteCause::Redirect, bobs()));
    ada.until("redirected", || text().contains("Ship the other thing").then_some(()));
    bob.wait_for(AOT_ID, |row| {
        row.request.as_ref().is_some_and(|request| {
            (request.verb, request.state) == (WriteCause::Redirect, RequestState::InEffect)
        })
    });
    bob.until("the new text", || {
        let page = bob.runtime.open_loop(&key).ok()?;
        serde_json::to_string(&page.detail).ok()?.contains("Ship the other thing").then_some(())
    });
    let own = ada.key(AOT_ID);
    let history = ada.runtime.history(&own, 10).unwrap();
    assert_eq!((history[0].cause, &history[0].asker), (Some(WriteCause::Redirect), &bobs()));
    assert_eq!(ada.writes(AOT_ID, WriteCause::Redirect), 2, "the hold and the redirect, once each");
    // One that is not possible is refused there, and says why here.
    ada.until("nothing to release", || (!text().contains("redirect_requested: true")).then_some(()));
    bob.runtime.change(&key, steps::aot(AotOperation::ReleaseHold)).unwrap();
    let refused = bob.until("a refusal", || bob.answers().first()?.refused.clone());
    assert!(!refused.is_empty());
    bob.until("recorded", || {
        let timeline = bob.timeline(&key);
        let is_it = |entry: &TimelineEntry| {
            matches!(&entry.content, EntryContent::AnsweredAcross { refused: Some(why), .. } if *why == refused)
        };
        timeline.iter().any(is_it).then_some(())
    });
}

/// A machine on which the scripted agent works as Claude Code, and asks.
fn working(server: &mut Server) -> Machine {
    let guardian = GuardianProgram { program: env!("CARGO_BIN_EXE_guardian").into(), args: Vec::new() };
    let invitation = server.invite("ada.laptop", Role::Member, None);
    let mut machine =
        Machine::closed(&invitation, |options| options.guardian = Some(guardian), tiny_project::lay_out);
    machine.open();
    machine.runtime.trust(&machine.workspace.to_string_lossy(), true).unwrap();
    machine.runtime.set_program("claude", Some(env!("CARGO_BIN_EXE_scripted_agent").into())).unwrap();
    machine
}

fn form(machine: &Machine) -> StartForm {
    let plan = RunPlan {
        agent: "claude".into(),
        level: Some(Level::EditFiles),
        ask: true,
        test_command: PASSING.into(),
        ..RunPlan::default()
    };
    form_for("Make the tests of the tiny shop pass", &machine.workspace, plan)
}

fn ask(what: &str) -> Step {
    Step::Ask { tool: "Bash".into(), input: json!({ "command": what }) }
}

/// What waits on `machine` and has `what` in its input.
fn waiting(machine: &Machine, what: &str) -> Need {
    machine.until(what, || {
        let mut needs = machine.runtime.needs().needs.into_iter();
        needs.find(|need| need.input.as_ref().is_some_and(|input| input.contains(what)))
    })
}

/// An agent that asks before each of four files. The first question has a secret in it.
fn asks_four_times() -> Scripted {
    let write = |path: &str| Step::Write { path: path.into(), text: String::new() };
    let secret = ["sk", "ant", "abcdefghijklmnop0123456789"].join("-");
    let rule = develops("task-001").then(ask(&format!("make first {secret}"))).then(write("first"));
    let others = ["second", "third", "fourth"];
    let rule =
        others.iter().fold(rule, |rule, name| rule.then(ask(&format!("make {name}"))).then(write(name)));
    small(Output::ClaudeJsonl, vec![rule])
}

/// While there is no connection, the owner answers too: the later answer finds nothing to answer, and is told so.
fn the_later_of_two_answers_is_refused((server, ada, bob): (&mut Server, &Machine, &Machine), third: &Need) {
    server.kill(0);
    bob.runtime.answer(&third.id, NeedAnswer::Deny { note: String::new() }).unwrap();
    let shown = waiting(bob, "make third");
    assert!(shown.requested.is_some() && shown.answers.is_empty(), "requested, and not yet in effect");
    let own = waiting(ada, "make third");
    assert!(own.answers.contains(&NeedAnswerKind::Deny));
    ada.runtime.answer(&own.id, NeedAnswer::AllowOnce).unwrap();
    server.run(0);
    let refused = bob.until("a refusal", || bob.answers().first()?.refused.clone());
    assert_eq!(refused, "unknown_need");
}

#[test]
fn a_permission_that_waits_on_another_machine_is_answered_from_here_once() {
    let mut server = Server::start();
    let ada = working(&mut server);
    let (bob, eve) = (server.machine("bob.tower", Role::Member), server.machine("eve.pc", Role::Viewer));
    asks_four_times().put_into(&ada.workspace);
    ada.share(Scope::State, Steering::Members);
    let key = ada.runtime.start_loop(&form(&ada)).unwrap();
    let file = |name: &str| ada.workspace.join(name).exists();

    let first = waiting(&bob, "make first");
    assert_eq!(
        (first.kind, first.tool.as_deref(), first.requested),
        (NeedKind::Permission, Some("Bash"), None)
    );
    assert!(!first.input.as_ref().unwrap().contains("abcdefghijklmnop"), "{:?}", first.input);
    assert!(bob.runtime.elsewhere(&first.key).is_some());
    // A viewer sees it, and nothing that could be answered.
    let seen = waiting(&eve, "make first");
    assert!(seen.answers.is_empty());
    let refused = eve.runtime.answer(&seen.id, NeedAnswer::AllowOnce).unwrap_err();
    assert_eq!(refused.kind, FailureKind::UnknownNeed);
    assert!(!file("first"), "nothing happens before the answer");

    bob.runtime.answer(&first.id, NeedAnswer::AllowOnce).unwrap();
    let second = waiting(&bob, "make second");
    assert!(file("first"));
    bob.until("answered", || (bob.answers().first()?.refused.is_none()).then_some(()));
    bob.runtime.answer(&second.id, NeedAnswer::AllowOnce).unwrap();
    let third = waiting(&bob, "make third");
    assert!(file("second"));
    bob.until("two answers", || (bob.answers().len() == 2).then_some(()));
    let cause = Some(WriteCause::Answer);
    let timeline = ada.timeline(&key);
    let answers = asked(&timeline).into_iter().filter(|one| **one == EntryContent::AskedAcross { cause });
    assert_eq!(answers.count(), 2, "{timeline:#?}");

    the_later_of_two_answers_is_refused((&mut server, &ada, &bob), &third);
    // What is denied from here does not happen there.
    let fourth = waiting(&bob, "make fourth");
    assert!(file("third"));
    bob.runtime.answer(&fourth.id, NeedAnswer::Deny { note: "not that one".into() }).unwrap();
    bob.until("nothing waits", || bob.runtime.needs().needs.is_empty().then_some(()));
    ada.until("completed", || {
        (ada.own(key.rsplit('/').next()?.strip_suffix(".json")?)?.file_word == "completed").then_some(())
    });
    assert!(!file("fourth"));
}

#[test]
fn an_answer_finds_only_what_it_was_given_to() {
    let mut server = Server::start();
    let ada = working(&mut server);
    let rule = develops("task-001").then(ask("make first"));
    small(Output::ClaudeJsonl, vec![rule]).put_into(&ada.workspace);
    let key = ada.runtime.start_loop(&form(&ada)).unwrap();
    let need = waiting(&ada, "make first");
    let bob = bobs().unwrap();
    let answer = |id: &str, since: f64, key: &str| {
        let (need, answer) = (id.to_owned(), NeedAnswer::AllowOnce);
        let change = loopdeck_runtime::elsewhere::RemoteChange::Answer { need, since, answer };
        ada.runtime.carry_out(key, change, (&bob, "C"))
    };
    // After a restart something else may have the same name; and names of other loops are none of its business.
    let other = format!("{}:{ROOT}/{LOOP}.json", key.split_once(':').unwrap().0);
    for wrong in [
        answer(&need.id, need.since + 1.0, &key),
        answer("need-99", need.since, &key),
        answer(&need.id, need.since, &other),
    ] {
        assert_eq!(wrong.unwrap_err().kind, FailureKind::UnknownNeed);
    }
    answer(&need.id, need.since, &key).unwrap();
    assert_eq!(answer(&need.id, need.since, &key).unwrap_err().kind, FailureKind::UnknownNeed);
}
