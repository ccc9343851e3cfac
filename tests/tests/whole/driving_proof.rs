//! Loops with checks in their plan that really run: what they claim too early is sent back, and they end only when it is proven, or when a
//! person accepts it.

use loopdeck_core::checklist::wanted::{Check, CheckItem, CheckKind, CheckPart, Criteria, Quality};
use loopdeck_core::checklist::{CheckResult, Verdict};
use loopdeck_core::evidence::{EvidenceCode, EvidenceRecord, read};
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::{ClaimCounts, LoopDetail};
use loopdeck_reports::{Format, Options};
use loopdeck_runtime::drivers::plan::{RunPlan, StartForm};
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedAnswerKind, NeedKind};
use loopdeck_tests::atoms::{FILE_CHECK, loop_with, resolves};
use loopdeck_tests::driving::{Driven, PASSING, develops, planned};
use loopdeck_tests::live::AOT;
use loopdeck_tests::repository::commit_all;
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

fn row_claims(driven: &Driven, name: &str) -> Option<ClaimCounts> {
    let key = driven.live.key(name);
    driven.live.runtime.rows().into_iter().find(|row| row.key == key).unwrap().claims
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
    let said = driven.live.runtime.loop_report(&driven.live.key(&name)).unwrap();
    assert_eq!(said.claims, Some(ClaimCounts { claimed: 2, proven: 2 }));
    assert_eq!(row_claims(&driven, &name), said.claims, "without a look at the page");
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
    let (key, options) = (driven.live.key(&name), Options::default());
    let report = driven.live.runtime.report((Some(&[key]), None), &options, Format::Markdown).unwrap();
    for part in ["2 of 2 claimed, 0 proven", "accepted without proof", "It is made elsewhere"] {
        assert!(report.contains(part), "{part} in {report}");
    }
}

#[test]
fn a_list_ends_when_its_coverage_is_high_enough_and_its_judge_is_pleased() {
    let mut driven = driven();
    let report = "SF:src/a.ts\nDA:1,1\nDA:2,1\nend_of_record\n";
    let judged = |score: u32| {
        let scores = json!([{ "criterion": "overall", "score": score, "evidence": "src/a.ts: one letter" }]);
        Rule::on("judge").times(1).answers(json!({ "scores": scores }))
    };
    let covered = Step::Write { path: "lcov.info".into(), text: report.into() };
    driven.script(&agent(vec![
        judged(2),
        judged(4),
        Rule::on("iterate").times(1).then(tick()).then(write("src/a.ts")).then(covered.clone()),
        Rule::on("iterate").then(write("src/a.ts")).then(covered),
    ]));
    let mut form = list(&driven);
    let coverage = Check { kind: CheckKind::Coverage, value: "80:lcov.info".into() };
    let quality = Quality { criteria: Criteria::Text("Good names".into()), pass_threshold: 350, scope: None };
    form.plan.checks = vec![
        CheckItem { item: "Covered".into(), part: CheckPart::Check(coverage) },
        CheckItem { item: "Named well".into(), part: CheckPart::Quality(quality) },
    ];
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.all_gone();
    let ran: Vec<String> =
        driven.ran(&name).iter().map(|run| run.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(ran, ["iterate", "judge", "iterate", "judge"]);
    let told = prompts(&driven, &name);
    assert!(told[2].contains("Checks that fail") && told[2].contains("one letter"), "{}", told[2]);
    let found = driven.live.runtime.verifications(&driven.live.key(&name)).unwrap();
    let said: Vec<&str> = found[0].results.iter().map(|outcome| outcome.evidence.as_str()).collect();
    assert_eq!(said, ["100 % of the code is covered; 80 % is required.", "overall 4: src/a.ts: one letter"]);
    assert_eq!(row_claims(&driven, &name), Some(ClaimCounts { claimed: 2, proven: 2 }));
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

fn evidence(driven: &Driven, file: &str) -> Vec<EvidenceRecord> {
    let found = read(&fs::read(driven.live.workspace.join(file)).unwrap());
    assert_eq!(found.faults, []);
    found.records.into_iter().map(|(_, record)| record).collect()
}

#[test]
fn an_aot_loop_leaves_evidence_of_its_own_checks() {
    let mut driven = driven();
    driven.script(&agent(vec![resolves("A1")]));
    fs::create_dir_all(driven.live.workspace.join(".claude")).unwrap();
    fs::write(driven.live.workspace.join(AOT), loop_with(FILE_CHECK, &[("A1", "", "")], "")).unwrap();
    commit_all(&driven.live.workspace);
    driven.live.wait_for("it is listed", |live| live.row(AOT).is_some());
    let plan = RunPlan { keep_evidence: true, ..driven.plan("custom:scripted") };
    let key = driven.live.key(AOT);
    driven.live.runtime.launch(&key, Some(plan), None).unwrap();
    driven.wait_for_word(AOT, StatusWord::Completed);
    let kept = evidence(&driven, ".claude/aot-loop-state.evidence.jsonl");
    assert!(kept.iter().all(|record| record.verdict == Verdict::Pass && record.items.len() == 1), "{kept:?}");
    assert!(kept.iter().all(|record| record.commit.is_some()), "{kept:?}");
    assert_eq!(driven.live.runtime.verify(&key, false).unwrap().findings, []);
}

#[test]
fn who_accepts_the_work_is_in_the_evidence_and_without_a_repository_it_says_that_it_is_not_whole() {
    let mut driven = driven();
    driven.script(&agent(vec![Rule::on("iterate").then(tick())]));
    let mut form = list(&driven);
    form.plan.keep_evidence = true;
    let name = driven.start(&form);
    let lost = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!(lost.args["code"], "evidence_not_whole");
    driven.wait(&name, "it asks as well", |row| row.run.as_ref().is_some_and(|run| run.needs == 2));
    let need = driven.wait_for_need(&name, NeedKind::Question);
    driven.answer(&need, NeedAnswer::Accept { why: "It is made elsewhere".into() });
    driven.wait_for_word(&name, StatusWord::Completed);
    let kept = evidence(&driven, &name.replace(".md", ".evidence.jsonl"));
    let (last, checked) = kept.split_last().unwrap();
    let accepted = last.accepted.as_ref().unwrap();
    assert_eq!(accepted.why, "It is made elsewhere");
    assert!(!accepted.by.is_empty() && last.check.is_none() && last.items.len() == 2, "{last:?}");
    assert!(
        checked.len() >= 2 && checked.iter().all(|record| record.verdict == Verdict::Fail),
        "{checked:?}"
    );
    assert!(kept.iter().all(|record| record.content.is_none()), "there is no repository: {kept:?}");
    let found = driven.live.runtime.verify(&driven.live.key(&name), false).unwrap().findings;
    assert!(found.iter().any(|finding| finding.code == EvidenceCode::EV10_content_unknown), "{found:?}");
}

const TESTS: &str = "tests/shop.test.js";
const HONEST: &str = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";

/// A list in a repository with a test that no change may weaken.
fn list_with_tests(driven: &Driven) -> StartForm {
    fs::create_dir_all(driven.live.workspace.join("tests")).unwrap();
    fs::write(driven.live.workspace.join(TESTS), HONEST).unwrap();
    commit_all(&driven.live.workspace);
    let mut form = list(driven);
    let check = Check { kind: CheckKind::TestsKept, value: String::new() };
    form.plan.checks = vec![CheckItem { item: String::new(), part: CheckPart::Check(check) }];
    form
}

fn write_tests(text: &str) -> Step {
    Step::Write { path: TESTS.into(), text: text.into() }
}

#[test]
fn a_weakened_test_is_no_proof_and_the_agent_is_told_where_it_is() {
    let skipped = HONEST.replace("it(", "it.skip(");
    let commit = Step::Shell("git add . && git -c user.name=t -c user.email=t@t commit -qm done".into());
    let mut driven = driven();
    driven.script(&agent(vec![
        Rule::on("iterate").times(1).then(write_tests(&skipped)).then(tick()).then(commit),
        Rule::on("iterate").then(write_tests(HONEST)),
    ]));
    let name = driven.start(&list_with_tests(&driven));
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["iterate ok", "iterate ok"]);
    let told = prompts(&driven, &name);
    assert!(told[1].contains("tests/shop.test.js:1: a test is skipped now: it.skip('adds'"), "{}", told[1]);
    let verifications = driven.live.runtime.verifications(&driven.live.key(&name)).unwrap();
    let verdicts: Vec<_> = verifications.iter().map(|found| found.verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail], "newest first");
}

#[test]
fn a_person_sees_what_was_weakened_and_more_tests_are_no_risk() {
    for (now, weakened) in [
        (format!("{HONEST}\nit('is zero', () => {{\n  expect(add(0, 0)).toBe(0);\n}});\n"), vec![]),
        (HONEST.replace("toBe(3)", "toBeTruthy()"), vec![(TESTS, 2)]),
        (String::new(), vec![(TESTS, 1)]),
    ] {
        let mut driven = driven();
        driven.script(&agent(vec![Rule::on("iterate").then(write_tests(&now)).then(tick())]));
        let name = driven.start(&list_with_tests(&driven));
        if !weakened.is_empty() {
            let need = driven.wait_for_need(&name, NeedKind::Question);
            driven.answer(&need, NeedAnswer::Accept { why: "I want that".into() });
        }
        driven.wait_for_word(&name, StatusWord::Completed);
        let found = driven.live.runtime.weakened_tests(&driven.live.key(&name)).unwrap();
        let places: Vec<_> = found.found.iter().map(|one| (&*one.path, one.line)).collect();
        assert!(found.is_whole && places == weakened, "{now}: {found:?}");
    }
}
