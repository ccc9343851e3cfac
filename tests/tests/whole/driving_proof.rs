//! Loops with checks in their plan that really run: what they claim too early is sent back, and they end only when it is proven, or when a
//! person accepts it.

use loopdeck_core::checklist::wanted::{Check, CheckItem, CheckKind, CheckPart};
use loopdeck_core::checklist::{CheckResult, Verdict};
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::LoopDetail;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedAnswerKind, NeedKind};
use loopdeck_tests::driving::{Driven, PASSING, develops, planned};
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::json;
use std::fs;

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

/// Passes once the agent has made the file.
fn checks() -> Vec<CheckItem> {
    let check = |kind, value: &str| CheckItem {
        item: format!("{value} is there"),
        part: CheckPart::Check(Check { kind, value: value.into() }),
    };
    vec![
        check(CheckKind::Command, "test -e made || { echo not made; exit 1; }"),
        check(CheckKind::File, "made"),
    ]
}

/// A list with two boxes.
fn list(driven: &Driven) -> StartForm {
    let mut form = driven.form("custom:scripted");
    form.work.format = Some(NewFormat::Ralph);
    form.work.tasks = vec!["Open the first".into(), "Open the second".into()];
    (form.plan.test_command, form.plan.checks) = (String::new(), checks());
    form
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

/// Ticks every box of the list.
fn tick() -> Step {
    Step::Shell("sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md".into())
}

fn agent(rules: Vec<Rule>) -> Scripted {
    Scripted { output: Output::Text, rules }
}

fn detail(driven: &Driven, name: &str) -> LoopDetail {
    driven.live.runtime.open_loop(&driven.live.key(name)).unwrap().detail
}

fn prompts(driven: &Driven, name: &str) -> Vec<String> {
    let runs = driven.live.runtime.runs(&driven.live.key(name)).unwrap();
    let folder = driven.live.data().runs();
    let agents = runs.iter().rev().filter(|run| run.action != "check" && run.action != "validate");
    agents.map(|run| fs::read_to_string(folder.join(&run.id).join("stdin.txt")).unwrap()).collect()
}

#[test]
fn a_list_that_is_ticked_too_early_is_sent_back_and_ends_when_it_is_proven() {
    let mut driven = driven();
    driven.script(&agent(vec![
        Rule::on("iterate").times(1).then(tick()),
        Rule::on("iterate").then(write("made")),
    ]));
    let name = driven.start(&list(&driven));
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.all_gone();
    let ran = driven.ran(&name);
    assert_eq!(ran[0], "iterate ok");
    assert_eq!(ran.len(), 5, "a failing check is run once more: {ran:?}");
    assert!(ran[1] == ran[2] && ran[1].starts_with("check ") && ran[3] == "iterate ok", "{ran:?}");
    let told = prompts(&driven, &name);
    assert!(!told[0].contains("Checks that fail"), "{}", told[0]);
    assert!(told[1].contains("Checks that fail") && told[1].contains("not made"), "{}", told[1]);
    let detail = detail(&driven, &name);
    let claims = detail.claims.unwrap();
    assert_eq!((claims.claimed, claims.proven, claims.accepted), (2, 2, None));
    let items = detail.tasks.iter().map(|task| task.claim.clone().unwrap());
    assert_eq!(
        items.map(|item| (item.claimed, item.proven)).collect::<Vec<_>>(),
        [(1, Some(2)), (1, Some(2))]
    );
    assert!(detail.checklist.iter().all(|row| row.result == CheckResult::Pass), "{:?}", detail.checklist);
    let verifications = driven.live.runtime.verifications(&driven.live.key(&name)).unwrap();
    let verdicts: Vec<_> = verifications.iter().map(|found| (found.verdict, found.current)).collect();
    assert_eq!(verdicts, [(Verdict::Pass, true), (Verdict::Fail, true)], "newest first, on the same claims");
}

#[test]
fn a_person_accepts_what_no_agent_can_prove_and_the_reason_is_kept() {
    let mut driven = driven();
    driven.script(&agent(vec![Rule::on("iterate").then(tick())]));
    let name = driven.start(&list(&driven));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!(need.args["question"], "not_proven");
    let answers =
        [NeedAnswerKind::Say, NeedAnswerKind::TryAgain, NeedAnswerKind::Accept, NeedAnswerKind::Stop];
    assert_eq!(need.answers, answers);
    assert_eq!(detail(&driven, &name).claims.unwrap().proven, 0);
    driven.answer(&need, NeedAnswer::Accept { why: "It is made elsewhere".into() });
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.all_gone();
    let detail = detail(&driven, &name);
    let claims = detail.claims.unwrap();
    assert_eq!((claims.claimed, claims.proven), (2, 0));
    assert_eq!(claims.accepted.as_deref(), Some("It is made elsewhere"));
    assert!(detail.tasks.iter().all(|task| task.claim.as_ref().unwrap().accepted));
}

#[test]
fn a_ccw_loop_whose_tests_pass_debugs_until_its_checks_do_too() {
    let mut driven = driven();
    let fixed = |name: &str| {
        Rule::on(name).then(write("made")).answers(json!({
            "hypotheses": [], "understanding": "a file was missing", "confirmed": null, "fixed": true,
            "files_changed": ["made"], "needs": null,
        }))
    };
    driven.script(&agent(vec![planned(1), develops("task-001"), fixed("debug")]));
    let mut form = driven.small_form("custom:scripted");
    form.work.recipe = Recipe::BuildFeature;
    (form.plan.test_command, form.plan.checks) = (PASSING.into(), checks());
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.all_gone();
    let ran: Vec<String> =
        driven.ran(&name).iter().map(|run| run.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(ran, ["init", "develop", "validate", "check", "check", "debug", "validate", "check"]);
    let claims = detail(&driven, &name).claims.unwrap();
    assert_eq!((claims.claimed, claims.proven), (1, 1));
}
