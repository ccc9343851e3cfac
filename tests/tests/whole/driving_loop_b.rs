//! Driven Loop-Bs, auto, parallel and interactive: their files are those of seed 003, field by field,
//! everything in them is read back and shown, and nothing in them is a problem.

use loopdeck_core::driver::MenuChoice as C;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::{HypothesisVerdict, LoopDetail, WorkerView};
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind, RunView};
use loopdeck_tests::driving::{Driven, planned};
use loopdeck_tests::examples::{as_in, example};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};

const MASTER: &str = "seed-003-master/loop-b-20260122-abc123.json";
const PARALLEL: &str = "seed-003-parallel/loop-b-20260122-abc123.json";
const OUTPUT: &str = "seed-003-parallel/loop-b-20260122-abc123.workers/develop.output.json";

fn driven() -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    // Its script and the list of its starts belong to the stage, not to its work.
    std::fs::write(driven.live.workspace.join(".gitignore"), ".scripted-agent*\n").unwrap();
    for args in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"],
    ] {
        assert!(
            xtask::child::bound_command("git")
                .args(args)
                .current_dir(&driven.live.workspace)
                .status()
                .unwrap()
                .success()
        );
    }
    driven
}

/// Half of the lines are covered; one of two tests fails until the file `fixed` exists.
const TESTS: &str = "printf 'SF:a\\nDA:1,1\\nDA:2,0\\nLF:2\\nLH:1\\nend_of_record\\n' > lcov.info; \
    if test -e fixed; then printf 'TAP version 13\\n1..2\\nok 1 - pays\\nok 2 - refunds\\n'; \
    else printf 'TAP version 13\\n1..2\\nok 1 - pays\\nnot ok 2 - refunds\\n'; exit 1; fi";

fn form(driven: &Driven, mode: WorkMode, rules: Vec<Rule>) -> StartForm {
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = driven.small_form("custom:scripted");
    form.plan.test_command = TESTS.into();
    form.work.recipe = Recipe::BuildFeature;
    (form.work.format, form.work.mode) = (Some(NewFormat::LoopB), Some(mode));
    form
}

fn write(path: &str, text: &str) -> Step {
    Step::Write { path: path.into(), text: text.into() }
}

/// An answer of a worker; `more` replaces members.
fn answer(more: &Value) -> Value {
    let mut answer = json!({
        "status": "success", "summary": "worked", "files_changed": [], "completed_tasks": [], "suggestions": [],
        "issues_found": [], "findings": [], "hypotheses": [], "confirmed": null, "fixed": null, "lines_added": null,
        "lines_removed": null, "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
    });
    answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    answer
}

/// Does both tasks, and suggests the tests next.
fn develops() -> Rule {
    Rule::on("develop").then(write("auth.ts", "a\nb\nc\n")).answers(answer(&json!({
        "summary": "Implemented 3 functions", "files_changed": ["auth.ts"], "completed_tasks": ["task-001", "task-002"],
        "suggestions": ["Limit the number of tries"], "findings": ["Sessions are kept in Redis"],
        "lines_added": 99, "lines_removed": 9, "next_suggestion": "validate", "detailed_output": "All of it.",
    })))
}

/// Finds the cause, and leaves the fix to the develop worker.
fn finds() -> Rule {
    Rule::on("debug").answers(found(false))
}

/// What it found, and whether it fixed that.
fn found(fixed: bool) -> Value {
    answer(&json!({
        "summary": "The refund is sent twice", "issues_found": ["No idempotency key"], "suggestions": ["Log the key"],
        "findings": ["Sessions are kept in Redis", "The gateway answers 409"],
        "hypotheses": [{
            "id": "H1", "description": "No idempotency key", "confidence": "high", "testable": "replay the request",
            "mechanism": "the client retries", "status": "confirmed", "evidence": "409 twice", "verdict_reason": "seen",
        }],
        "confirmed": "H1", "fixed": fixed,
    }))
}

fn fixes() -> Rule {
    Rule::on("develop").then(write("fixed", "")).answers(answer(&json!({ "summary": "Added the key" })))
}

fn file(driven: &Driven, name: &str, rest: &str) -> String {
    driven.live.read(&name.replace(".json", rest))
}

fn output(driven: &Driven, name: &str, action: &str) -> Value {
    let text = file(driven, name, &format!(".workers/{action}.output.json"));
    serde_json::from_str(&text).unwrap()
}

fn worker<'d>(detail: &'d LoopDetail, action: &str) -> &'d WorkerView {
    detail.workers.iter().find(|worker| worker.action == action).unwrap()
}

fn actions(driven: &Driven, name: &str) -> Vec<String> {
    driven.ran(name).iter().filter_map(|run| run.split(' ').next()).map(str::to_owned).collect()
}

/// The progress files of such a loop.
#[track_caller]
fn texts_are_as_in_the_seed(driven: &Driven, name: &str) {
    let develop = file(driven, name, ".progress/develop.md");
    let session = format!("## Session: {}", name.replace(".json", ""));
    for part in [
        "# Develop Progress\n",
        &session,
        "\n### Iteration ",
        "**Task**: ",
        "**Changes**:\n- ",
        "**Status**: Success\n\n---\n",
    ] {
        assert!(develop.contains(part), "{part}\n{develop}");
    }
    let debug = file(driven, name, ".progress/debug.md");
    for part in
        ["## Hypotheses\n\n### H1: No idempotency key\n- Confidence: high\n", "## Root Cause\n\n**H1**: "]
    {
        assert!(debug.contains(part), "{part}\n{debug}");
    }
    assert!(file(driven, name, ".progress/validate.md").contains("| Passed | 2 |"));
    let summary = file(driven, name, ".progress/summary.md");
    for part in [
        "| Tests | 2/2 |\n| Coverage | 50% |",
        "### debug\n\n- Status: success\n- Summary: The refund is sent twice",
    ] {
        assert!(summary.contains(part), "{part}\n{summary}");
    }
    assert!(!summary.contains("since created"), "the time at work: {summary}");
}

/// What holds for every completed loop of these tests.
#[track_caller]
fn as_in_the_seed(driven: &Driven, name: &str) -> LoopDetail {
    let state = driven.state(name);
    as_in(&example(MASTER), &state, "master");
    let findings = json!(["Sessions are kept in Redis", "The gateway answers 409"]);
    assert_eq!(state["skill_state"]["findings"], findings, "each once");
    let mut seed = example(OUTPUT);
    seed["next_suggestion"] = Value::Null;
    seed["detailed_output"]["metrics"] = Value::Null;
    for action in ["init", "develop", "debug", "validate", "complete"] {
        let mut found = output(driven, name, action);
        assert_eq!(found["action"], action);
        found["detailed_output"].as_object_mut().unwrap().entry("metrics").or_insert(Value::Null);
        as_in(&seed, &found, action);
    }
    let validate = output(driven, name, "validate");
    assert_eq!(validate["test_results"], json!({ "total": 2, "passed": 2, "failed": 0, "skipped": 0 }));
    assert_eq!((&validate["failed_tests"], &validate["coverage"]["lines"]), (&json!([]), &json!(50)));
    let complete = output(driven, name, "complete");
    assert_eq!(complete["detailed_output"]["tasks_completed"].as_array().unwrap().len(), 2);
    texts_are_as_in_the_seed(driven, name);
    let detail = driven.live.detail(name);
    assert_eq!(detail.problems, [], "what `loopdeck check` says");
    assert_eq!(detail.extra, [], "every field is known");
    let validation = detail.validation.as_ref().unwrap();
    assert_eq!(
        (validation.coverage, validation.failed_tests.len(), validation.runs[0].rows),
        (Some(50.0), 0, 2)
    );
    let board = detail.debug.as_ref().unwrap();
    let hypothesis = &board.hypotheses[0];
    assert_eq!((hypothesis.verdict, board.confirmed.as_deref()), (HypothesisVerdict::Confirmed, Some("H1")));
    assert_eq!(hypothesis.mechanism.as_deref(), Some("the client retries"));
    assert!(worker(&detail, "debug").report.issues_found == ["No idempotency key"]);
    let texts: Vec<&str> = detail.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(texts, ["Sessions are kept in Redis", "The gateway answers 409"]);
    detail
}

#[test]
fn an_auto_loop_follows_its_workers_and_leaves_the_files_of_the_seed() {
    let mut driven = driven();
    let form = form(&driven, WorkMode::Auto, vec![planned(2), develops().times(1), finds(), fixes()]);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    // develop suggests validate; debug found something to fix and left it to develop; then the tests decide.
    assert_eq!(actions(&driven, &name), ["init", "develop", "validate", "debug", "develop", "validate"]);
    let detail = as_in_the_seed(&driven, &name);
    assert_eq!(driven.state(&name)["skill_state"]["parallel_results"], Value::Null);
    assert_eq!(worker(&detail, "develop").summary, "Added the key");
    let develop = file(&driven, &name, ".progress/develop.md");
    assert_eq!(develop.matches("**Summary**: Implemented 3 functions").count(), 2);
}

/// The runs of an action, oldest first.
fn runs_of(driven: &Driven, name: &str, action: &str) -> Vec<RunView> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    runs.into_iter().rev().filter(|run| run.action == action).collect()
}

#[test]
fn a_fix_without_a_change_is_tried_again_and_shown() {
    let mut driven = driven();
    std::fs::write(driven.live.workspace.join(".gitignore"), ".scripted-agent*\ndist/\n").unwrap();
    let builds = Rule::on("develop").then(write("dist/app.js", "a\n")).answers(answer(&json!({
        "files_changed": ["dist/app.js", "dist/none.js"], "completed_tasks": ["task-001", "task-002"],
    })));
    let fix = || Rule::on("debug").times(1);
    let says = answer(&json!({ "files_changed": ["auth.ts"], "fixed": true }));
    let rules =
        vec![planned(2), builds, fix().answers(says.clone()), fix().then(write("fixed", "")).answers(says)];
    let form = form(&driven, WorkMode::Auto, rules);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(actions(&driven, &name), ["init", "develop", "debug", "debug", "validate"]);
    let checked = |action: &str, at: usize| {
        let found = runs_of(&driven, &name, action)[at].checked.clone().unwrap_or_default();
        (found.unchanged.join(" "), found.nothing_changed)
    };
    assert_eq!(checked("debug", 0), ("auth.ts".to_owned(), true));
    assert_eq!(checked("debug", 1), ("auth.ts".to_owned(), false));
    assert_eq!(checked("develop", 0), ("dist/none.js".to_owned(), false));
    // Files that git ignores count if they are named and new.
    assert_eq!(output(&driven, &name, "develop")["files_changed"], json!(["dist/app.js"]));
    assert_eq!(output(&driven, &name, "debug")["files_changed"], json!(["fixed"]));
    assert_eq!(driven.live.detail(&name).problems, []);
    driven.all_gone();
}

#[test]
fn in_parallel_only_a_file_that_no_worker_changed_is_told() {
    let mut driven = driven();
    let develops =
        Rule::on("develop").then(write("auth.ts", "a\n")).then(write("fixed", "")).answers(answer(
            &json!({ "files_changed": ["auth.ts", "ghost.ts"], "completed_tasks": ["task-001", "task-002"] }),
        ));
    let debugs = Rule::on("debug").answers(answer(&json!({ "fixed": true })));
    let form = form(&driven, WorkMode::Parallel, vec![planned(2), develops, debugs]);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let checked = |action: &str| {
        let found = runs_of(&driven, &name, action)[0].checked.clone().unwrap_or_default();
        (found.unchanged.join(" "), found.nothing_changed)
    };
    assert_eq!(checked("develop"), ("ghost.ts".to_owned(), false));
    assert_eq!(checked("debug"), (String::new(), false), "the others may have done it");
    driven.all_gone();
}

#[test]
fn a_worker_that_fails_for_good_fails_the_loop_when_nothing_was_done() {
    let mut driven = driven();
    let fails = Rule::on("develop").answers(answer(&json!({ "status": "failed", "summary": "no compiler" })));
    let mut form =
        form(&driven, WorkMode::Auto, vec![planned(2), fails, Rule::on("debug").answers(answer(&json!({})))]);
    form.plan.test_command = loopdeck_tests::driving::PASSING.into();
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(need.args["question"], "worker_failed");
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Failed);
    let state = driven.state(&name);
    assert_eq!(state["status"], "failed");
    assert_eq!(state["failure_reason"], "The develop worker failed and no task was completed: no compiler");
    assert_eq!(driven.live.detail(&name).problems, []);
    driven.all_gone();
}

#[test]
fn a_parallel_loop_leaves_its_results_in_the_shape_of_the_seed() {
    let mut driven = driven();
    // The file exists before the tests run once more; which of the three is first does not matter.
    let develops = develops().then(write("fixed", ""));
    // Issues that debugging finds and leaves lead to another round, in which it fixes them.
    let fixes = Rule::on("debug").then(write("fixed", "once")).answers(found(true));
    let rules = vec![planned(2), develops, finds().times(1), fixes];
    let form = form(&driven, WorkMode::Parallel, rules);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let debugged = runs_of(&driven, &name, "debug").len();
    assert_eq!(debugged, 2, "issues that nobody fixed lead to another round although the tests passed");
    as_in_the_seed(&driven, &name);
    let results = driven.state(&name)["skill_state"]["parallel_results"].clone();
    as_in(&example(PARALLEL)["skill_state"]["parallel_results"], &results, "parallel_results");
    assert_eq!(results["develop"]["suggestions"], json!(["Limit the number of tries"]));
    assert_eq!(results["debug"]["issues_found"], json!(["No idempotency key"]));
    assert_eq!(results["debug"]["suggestions"], json!(["Log the key"]));
    assert_eq!(results["validate"]["test_results"]["total"], 2);
    assert_eq!(results["conflicts"], json!([]), "of the coordinator");
    // It is unknown which of several workers changed which line, so the claim counts.
    let claimed = json!({ "lines_added": 99, "lines_removed": 9 });
    assert_eq!(output(&driven, &name, "develop")["detailed_output"]["metrics"], claimed);
}

#[test]
fn an_interactive_loop_shows_what_its_workers_left_before_the_next_is_chosen() {
    let mut driven = driven();
    let form = form(&driven, WorkMode::Interactive, vec![planned(2), develops().times(1), finds(), fixes()]);
    let name = driven.start(&form);
    let mut last = String::new();
    let mut choose = |driven: &mut Driven, choice: C| {
        driven.wait(&name, "a menu", |row| row.word == StatusWord::NeedsYou);
        let need = eventually("another menu", || {
            let needs = driven.live.runtime.needs().needs;
            needs.into_iter().find(|need| need.kind == NeedKind::Menu && need.id != last)
        });
        let at = need.choices.iter().position(|offered| *offered == choice);
        let at = at.unwrap_or_else(|| panic!("{choice:?} of {:?}", need.choices));
        let detail = driven.live.detail(&name);
        driven.answer(&need, NeedAnswer::Choose { index: u32::try_from(at).unwrap() });
        last = need.id;
        detail
    };
    choose(&mut driven, C::Init);
    choose(&mut driven, C::Develop);
    let developed = choose(&mut driven, C::Validate);
    let report = &worker(&developed, "develop").report;
    let task = &report.tasks_completed[1];
    assert_eq!((task.id.as_str(), task.description.as_str()), ("task-002", "Part 2"));
    // Counted by the runtime; the agent claimed 99 and 9.
    assert_eq!((report.lines_added, report.lines_removed), (Some(3), Some(0)));
    assert_eq!(report.suggestions, ["Limit the number of tries"]);
    assert_eq!(worker(&developed, "develop").detail.as_deref(), Some("All of it."));
    as_in(&example(OUTPUT), &output(&driven, &name, "develop"), "develop");
    let failed = choose(&mut driven, C::Debug);
    let validation = failed.validation.as_ref().unwrap();
    assert_eq!(
        (validation.failed_tests.as_slice(), validation.coverage),
        (&["refunds".to_owned()][..], Some(50.0))
    );
    assert_eq!((validation.runs[0].failed, validation.runs[0].rows), (1, 2));
    assert_eq!(worker(&failed, "validate").report.failed_tests, ["refunds"]);
    // No task is pending, and there is something to fix.
    choose(&mut driven, C::Develop);
    choose(&mut driven, C::Validate);
    choose(&mut driven, C::Complete);
    driven.wait_for_word(&name, StatusWord::Completed);
    as_in_the_seed(&driven, &name);
    assert_eq!(actions(&driven, &name), ["init", "develop", "validate", "debug", "develop", "validate"]);
    driven.all_gone();
}
