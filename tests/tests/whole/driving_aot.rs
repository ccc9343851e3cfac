//! Driven AoT loops: rounds of parallel workers, backtracking, decomposition, verification, and a person's
//! actions meanwhile.

use loopdeck_agents::Level;
use loopdeck_core::checklist::{CheckResult, Verdict};
use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom};
use loopdeck_core::phase::LimitKind;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::Options;
use loopdeck_runtime::drivers::plan::RunPlan;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_tests::atoms::{FILE_CHECK, answer, fails, gated, loop_with, resolves, status, text};
use loopdeck_tests::driving::{Driven, more};
use loopdeck_tests::live::AOT;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use loopdeck_tests::steps::aot;
use serde_json::json;
use std::fs;
use std::time::Duration;

/// A workspace with this loop and an agent with these rules.
fn driven(text: &str, rules: Vec<Rule>) -> Driven {
    driven_with(text, rules, |_| {})
}

/// The same, with `change` applied to its options.
fn driven_with(text: &str, rules: Vec<Rule>, change: impl FnOnce(&mut Options)) -> Driven {
    let mut driven =
        Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), change);
    driven.script(&Scripted { output: Output::Text, rules });
    fs::create_dir_all(driven.live.workspace.join(".claude")).unwrap();
    fs::write(driven.live.workspace.join(AOT), text).unwrap();
    driven.live.wait_for("it is listed", |live| live.row(AOT).is_some());
    driven
}

fn launch(driven: &Driven) {
    let plan = driven.plan("custom:scripted");
    driven.live.runtime.launch(&driven.live.key(AOT), Some(plan), None).unwrap();
}

#[track_caller]
fn has(driven: &Driven, line: &str) {
    let text = text(driven);
    assert!(text.lines().any(|found| found.trim() == line.trim()), "no {line:?} in\n{text}");
}

fn has_no_problem(driven: &Driven) {
    let detail = driven.live.detail(AOT);
    assert_eq!(detail.problems, [], "{}", text(driven));
}

#[test]
fn a_loop_runs_to_its_end_through_backtracking_decomposition_and_every_kind_of_check() {
    let checks = "    checklist:\n      - item: \"Built\"\n        group:\n          - item: \"A1 is there\"\n            check:\n              \
                  type: file\n              value: \"A1.t?t\"\n          - item: \"No trash\"\n            check:\n              type: not_file\n              \
                  value: \"**/*.tmp\"\n          - item: \"It says so\"\n            check:\n              type: command\n              value: \"grep -q done A1.txt\"\n          \
                  - item: \"Nothing failed\"\n            check:\n              type: not_command\n              value: \"grep -q failed A1.txt\"\n      \
                  - item: \"Readable\"\n        check:\n          type: quality\n          criteria: \"Code is readable\"\n          pass_threshold: 3\n      \
                  - item: \"Somebody likes it\"\n        check:\n          type: assertion\n          value: \"It looks good\"\n";
    let atoms = [("A1", "", ""), ("A2", "", ""), ("B1", "A1", "way"), ("B2", "A1", "way"), ("C1", "B1", "")];
    let groups = "\n  way:\n    choices: [B1, B2]\n    selected: B1\n    failed: []";
    let children = json!([
        { "id": "C2", "description": "First half", "depends_on": [] },
        { "id": "C3", "description": "Second half", "depends_on": ["C2"] },
    ]);
    let splits = answer(&json!({ "status": "decomposed", "children": children, "reason": "Two halves" }));
    let rules = vec![
        resolves("A1"),
        resolves("A2"),
        fails("B1", "The library is gone"),
        resolves("B2"),
        Rule::on("atom").task("C1").answers(splits),
        resolves("C2"),
        resolves("C3"),
        Rule::on("judge").answers(json!({ "scores": [{ "criterion": "Code is readable", "score": 4, "evidence": "src/a.ts: short functions" }] })),
    ];
    let mut driven = driven(&loop_with(checks, &atoms, groups), rules);
    launch(&driven);
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!(need.args["question"], "confirm_assertion", "{need:#?}");
    assert!(need.text.contains("It looks good"), "{need:#?}");
    driven.answer(&need, NeedAnswer::Confirm);
    driven.wait_for_word(AOT, StatusWord::Completed);
    has(&driven, "status: completed");
    has(&driven, "failed: [B1]");
    has(&driven, "selected: B2");
    has(&driven, "reason: \"Auto-backtrack: B1 failed (The library is gone)\"");
    has(&driven, "children: [C2, C3]");
    has(&driven, "summary: \"Completed via C2, C3 resolution\"");
    for atom in ["A1", "A2", "B2", "C1", "C2", "C3"] {
        assert_eq!(status(&driven, atom), "resolved", "{atom}");
    }
    assert_eq!(status(&driven, "B1"), "pending");
    assert!(!text(&driven).contains("  B1:\n    summary"), "no result of what failed");
    has_no_problem(&driven);
    let key = driven.live.key(AOT);
    let verifications = driven.live.runtime.verifications(&key).unwrap();
    assert_eq!(verifications.len(), 1);
    assert_eq!(verifications[0].verdict, Verdict::Pass);
    assert_eq!(verifications[0].results.len(), 6);
    // Also where the results are not asked for: in `show`, summaries and reports.
    let detail = driven.live.detail(AOT);
    let counts = detail.checklist_total.map(|total| total.counts).unwrap();
    assert_eq!((counts.pass, counts.all), (6, 6));
    assert!(detail.checklist.iter().all(|row| row.result == CheckResult::Pass), "{:#?}", detail.checklist);
    let runs = driven.live.runtime.runs(&key).unwrap();
    let levels: Vec<_> = runs.iter().map(|run| (run.action.as_str(), run.level)).collect();
    assert!(levels.contains(&("judge", Some(Level::LookOnly))), "a judge changes nothing: {levels:?}");
    assert!(levels.contains(&("atom", Some(Level::FullAccess))), "{levels:?}");
    driven.all_gone();
}

#[test]
fn a_long_result_is_whole_in_a_file_of_its_own() {
    let long = format!("It begins. {} It ends.", "word ".repeat(2_000));
    let atom = Rule::on("atom").task("A1").then(Step::Write { path: "A1.txt".into(), text: "done".into() });
    let rules = vec![atom.answers(answer(&json!({ "summary": long })))];
    let mut driven = driven(&loop_with(FILE_CHECK, &[("A1", "", "")], " {}"), rules);
    launch(&driven);
    driven.wait_for_word(AOT, StatusWord::Completed);
    let whole = fs::read_to_string(driven.live.workspace.join(".claude/aot-results/A1-1.md")).unwrap();
    assert_eq!(whole.trim_end(), long);
    let atom = driven.live.detail(AOT).atoms.swap_remove(0);
    assert!(atom.summary.unwrap().starts_with("It begins."));
    assert_eq!(atom.artifacts, [".claude/aot-results/A1-1.md"]);
    assert!(!text(&driven).contains("It ends."), "only the beginning is in the state file");
    has_no_problem(&driven);
}

#[test]
fn never_more_than_the_limit_at_once_and_never_before_what_it_waits_for() {
    let atoms = [("A1", "", ""), ("A2", "", ""), ("A3", "", ""), ("A4", "A1, A2, A3", "")];
    let rules =
        vec![gated(resolves("A1"), "A1"), gated(resolves("A2"), "A2"), resolves("A3"), resolves("A4")];
    let mut driven = driven(&loop_with(FILE_CHECK, &atoms, " {}"), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    driven.wait_for_file("A2.begun");
    let of = |atom: &str| status(&driven, atom);
    assert_eq!(["A1", "A2", "A3", "A4"].map(of), ["in_progress", "in_progress", "pending", "pending"]);
    driven.open("gate");
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT).last().unwrap(), "atom A4 ok");
    has(&driven, "iteration: 3");
}

#[test]
fn a_stop_takes_effect_at_the_end_of_the_round() {
    let rules = vec![gated(resolves("A1"), "A1"), resolves("A2")];
    let mut driven = driven(&loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "A1", "")], " {}"), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    driven.live.act(AOT, Verb::Stop).unwrap();
    has(&driven, "stop_requested: true");
    has(&driven, "status: running");
    driven.wait_for_word(AOT, StatusWord::Stopping);
    driven.open("gate");
    driven.wait_for_word(AOT, StatusWord::Stopped);
    assert_eq!(
        [status(&driven, "A1"), status(&driven, "A2")],
        ["resolved", "pending"],
        "the round was finished"
    );
    has(&driven, "stop_reason: \"Manual stop requested\"");
    driven.all_gone();
}

#[test]
fn a_stop_now_ends_the_workers_and_keeps_what_others_finished() {
    let rules = vec![gated(resolves("A1"), "A1"), resolves("A2")];
    let mut driven = driven(&loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "", "")], " {}"), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    driven.wait(AOT, "A2 has ended", |row| row.run.as_ref().is_some_and(|run| run.alive));
    eventually("A2 has ended", || driven.ran(AOT).contains(&"atom A2 ok".to_owned()).then_some(()));
    driven.live.runtime.stop_now(&driven.live.key(AOT)).unwrap();
    driven.wait_for_word(AOT, StatusWord::Stopped);
    assert_eq!([status(&driven, "A1"), status(&driven, "A2")], ["in_progress", "resolved"]);
    driven.all_gone();
    // Resume releases interrupted work and redoes only that.
    driven.open("gate");
    driven.launch(AOT).unwrap();
    driven.wait_for_word(AOT, StatusWord::Completed);
    let mut ran = driven.ran(AOT);
    ran[..2].sort(); // both started at the same time
    assert_eq!(ran, ["atom A1 cancelled", "atom A2 ok", "atom A1 ok"]);
}

#[test]
fn a_limit_ends_one_worker_and_keeps_what_others_finished() {
    let hangs = Rule::on("atom").task("A1").times(1).then(Step::Hang);
    let rules = vec![hangs, resolves("A1"), resolves("A2")];
    let text_of = loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "", "")], " {}");
    let mut driven = driven_with(&text_of, rules, |options| options.minute = Duration::from_secs(6));
    let plan = RunPlan { minutes: Some(1), ..driven.plan("custom:scripted") };
    driven.live.runtime.launch(&driven.live.key(AOT), Some(plan), None).unwrap();
    let need = driven.wait_for_need(AOT, NeedKind::LimitReached);
    assert_eq!(need.args["limit"], "time");
    assert_eq!([status(&driven, "A1"), status(&driven, "A2")], ["in_progress", "resolved"]);
    assert!(text(&driven).contains("  A2:\n    summary: \"Did A2\"\n"), "{}", text(&driven));
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    assert!(runs.iter().all(|run| !run.unconcluded), "none is taken up again: {runs:#?}");
    driven.all_gone();
    driven.answer(&need, more("time", 100));
    driven.wait_for_word(AOT, StatusWord::Completed);
    let mut ran = driven.ran(AOT);
    ran[..2].sort(); // both started at the same time
    assert_eq!(ran, ["atom A1 budget", "atom A2 ok", "atom A1 ok"]);
    has_no_problem(&driven);
}

#[test]
fn a_pause_keeps_the_round_and_resumes() {
    let rules = vec![gated(resolves("A1"), "A1"), resolves("A2")];
    let mut driven = driven(&loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "A1", "")], " {}"), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    driven.live.act(AOT, Verb::Pause).unwrap();
    driven.wait_for_word(AOT, StatusWord::Pausing);
    driven.open("gate");
    driven.wait_for_word(AOT, StatusWord::Paused);
    has(&driven, "stop_reason: \"Paused by user\"");
    driven.launch(AOT).unwrap();
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT), ["atom A1 ok", "atom A2 ok"]);
}

#[test]
fn rounds_without_progress_end_the_loop() {
    let mut driven = driven(&loop_with(FILE_CHECK, &[("A1", "", "")], " {}"), vec![fails("A1", "No idea")]);
    launch(&driven);
    driven.wait(AOT, "a limit", |row| row.limit == Some(LimitKind::Stalls));
    has(&driven, "stop_reason: \"Max stall count reached\"");
    has(&driven, "stall_count: 2");
    has(&driven, "iteration: 3");
    assert_eq!(driven.ran(AOT).len(), 3, "the first evaluation is free");
    assert_eq!(status(&driven, "A1"), "pending");
    has_no_problem(&driven);
}

#[test]
fn the_last_choice_that_fails_ends_the_loop() {
    let groups = "\n  way:\n    choices: [A1, A2]\n    selected: A1\n    failed: []";
    let atoms = [("A1", "", "way"), ("A2", "", "way")];
    let mut driven =
        driven(&loop_with(FILE_CHECK, &atoms, groups), vec![fails("A1", "no"), fails("A2", "no")]);
    launch(&driven);
    driven.wait(AOT, "a limit", |row| row.limit == Some(LimitKind::Alternatives));
    has(&driven, "stop_reason: \"OR group exhausted: way - all alternatives failed\"");
    has(&driven, "failed: [A1, A2]");
    driven.all_gone();
}

#[test]
fn many_groups_without_a_choice_are_no_circle() {
    use std::fmt::Write as _;
    let names: Vec<(String, String)> = (2..=61).map(|at| (format!("A{at}"), format!("way{at}"))).collect();
    let mut groups = String::new();
    for (atom, group) in &names {
        write!(groups, "\n  {group}:\n    choices: [{atom}]\n    selected: null\n    failed: []").unwrap();
    }
    // They wait for A1, whose worker shows that the driver reached it.
    let mut atoms = vec![("A1", "", "")];
    atoms.extend(names.iter().map(|(atom, group)| (atom.as_str(), "A1", group.as_str())));
    let rules = vec![gated(resolves("A1"), "A1")];
    let mut driven = driven(&loop_with(FILE_CHECK, &atoms, &groups), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    for (atom, _) in &names {
        has(&driven, &format!("selected: {atom}"));
    }
    driven.live.act(AOT, Verb::Stop).unwrap();
    driven.open("gate");
    driven.wait_for_word(AOT, StatusWord::Stopped);
}

#[test]
fn a_failed_check_becomes_an_atom() {
    let checks = "    type: command\n    value: \"test -e fixed\"\n";
    let fixes = Rule::on("atom")
        .task("A2")
        .then(Step::Write { path: "fixed".into(), text: String::new() })
        .answers(answer(&json!({})));
    let mut driven = driven(&loop_with(checks, &[("A1", "", "")], " {}"), vec![resolves("A1"), fixes]);
    launch(&driven);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(status(&driven, "A2"), "resolved");
    assert!(text(&driven).contains("test -e fixed"), "the atom names what failed");
    let verdicts: Vec<Verdict> = driven
        .live
        .runtime
        .verifications(&driven.live.key(AOT))
        .unwrap()
        .iter()
        .map(|verification| verification.verdict)
        .collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail], "newest first");
    assert_eq!(
        driven.ran(AOT),
        ["atom A1 ok", "check test -e fixed task_failed", "atom A2 ok", "check test -e fixed ok"]
    );
    has_no_problem(&driven);
}

#[test]
fn a_redirect_interrupts_the_workers_and_their_results_are_discarded() {
    let rules = vec![gated(resolves("A1"), "A1").times(1), resolves("A1"), resolves("A2")];
    let mut driven = driven(&loop_with(FILE_CHECK, &[("A1", "", "")], " {}"), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    driven.live.change(AOT, aot(AotOperation::HoldForRedirect)).unwrap();
    eventually("the worker is gone", || driven.processes().is_empty().then_some(()));
    driven.wait(AOT, "it waits for the new direction", |row| row.run.as_ref().is_some_and(|run| run.alive));
    let atom = NewAtom { description: "Also this".into(), ..NewAtom::default() };
    let change = AotOperation::Redirect { change: Correction::AddAtom(atom), description: "One more".into() };
    driven.live.change(AOT, aot(change)).unwrap();
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT)[0], "atom A1 cancelled");
    assert_eq!([status(&driven, "A1"), status(&driven, "A2")], ["resolved", "resolved"]);
    has(&driven, "type: dag_adjustment");
    has(&driven, "redirect_requested: false");
    has_no_problem(&driven);
}

#[test]
fn a_command_that_another_program_writes_into_the_check_does_not_run_before_the_person_agrees() {
    let check = "    type: command\n    value: \"test -e A1.txt\"\n";
    let rules = vec![gated(resolves("A1"), "A1")];
    let mut driven = driven(&loop_with(check, &[("A1", "", "")], " {}"), rules);
    launch(&driven);
    driven.wait_for_file("A1.begun");
    let path = driven.live.workspace.join(AOT);
    fs::write(&path, text(&driven).replace("test -e A1.txt", "touch pwned")).unwrap();
    driven.open("gate");
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.text.as_str()), ("checks_changed", "touch pwned"));
    assert!(!driven.live.workspace.join("pwned").exists());
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(driven.live.workspace.join("pwned").exists());
}

#[test]
fn a_stop_that_another_program_asks_for_ends_the_wait_for_an_answer() {
    let check = "    type: assertion\n    value: \"It looks good\"\n";
    for (reason, word) in
        [("Manual stop requested", StatusWord::Stopped), ("Paused by user", StatusWord::Paused)]
    {
        let mut driven = driven(&loop_with(check, &[("A1", "", "")], " {}"), vec![resolves("A1")]);
        launch(&driven);
        let need = driven.wait_for_need(AOT, NeedKind::Question);
        assert_eq!(need.args["question"], "confirm_assertion");
        // As the plugin's `/exit-recursion` does it.
        let flag = text(&driven)
            .replace("stop_requested: false", "stop_requested: true")
            .replace("stop_reason: null", &format!("stop_reason: \"{reason}\""));
        fs::write(driven.live.workspace.join(AOT), flag).unwrap();
        driven.wait_for_word(AOT, word);
        has(&driven, "status: stopped");
        assert_eq!(driven.live.runtime.needs().needs, [], "nothing waits for the person");
        driven.all_gone();
    }
}

#[test]
fn a_deadlock_is_said_plainly() {
    let text = loop_with(FILE_CHECK, &[("A1", "", ""), ("A2", "A9", "")], " {}");
    let mut driven = driven(&text, vec![resolves("A1")]);
    launch(&driven);
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!(need.args["question"], "blocked");
    assert!(need.text.contains("A2") && need.text.contains("A9"), "{}", need.text);
}
