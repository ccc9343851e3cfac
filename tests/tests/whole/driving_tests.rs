//! VALIDATE runs the person's own command and reads its real results.

use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedKind};
use loopdeck_tests::driving::{Driven, PASSING, small};
use loopdeck_tests::scripted::{Output, Rule};
use loopdeck_tests::waiting::eventually;
use serde_json::{Value, json};

const RESULTS: &str = ".workflow/test-results";

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

/// A loop that is validated with `command`, which writes its results to `results`.
fn validated(driven: &mut Driven, command: &str, results: &[&str]) -> String {
    let found = json!({
        "hypotheses": [], "understanding": "Nobody knows.", "confirmed": null, "fixed": true, "files_changed": [],
        "needs": null,
    });
    driven.script(&small(Output::Text, vec![Rule::on("debug").answers(found)]));
    let mut form = driven.small_form("custom:scripted");
    form.plan.test_command = command.into();
    form.plan.results = results.iter().map(|result| (*result).to_owned()).collect();
    driven.start(&form)
}

fn question(driven: &mut Driven, name: &str) -> (Need, String) {
    let need = driven.wait_for_need(name, NeedKind::Question);
    let code = need.args["question"].clone();
    (need, code)
}

fn validate(driven: &Driven, name: &str) -> Value {
    driven.state(name)["skill_state"]["validate"].clone()
}

#[test]
fn a_command_that_is_missing_or_says_nothing_of_tests_is_asked_about() {
    for (command, said) in [("no-such-program --all", "not found"), ("echo built", "")] {
        let mut driven = driven();
        let name = validated(&mut driven, command, &[]);
        let (need, code) = question(&mut driven, &name);
        assert_eq!(code, "tests_cannot_run");
        assert!(need.text.contains(said), "{}", need.text);
        assert_ne!(validate(&driven, &name)["passed"], json!(true));
        driven.answer(&need, NeedAnswer::GoOn);
        driven.wait_for_word(&name, StatusWord::Completed);
    }
}

#[test]
fn without_a_command_the_person_decides() {
    let mut driven = driven();
    let name = validated(&mut driven, " ", &[]);
    let (need, code) = question(&mut driven, &name);
    assert_eq!(code, "tests_cannot_run");
    assert!(driven.ran(&name).iter().all(|run| !run.starts_with("validate")));
    driven.answer(&need, NeedAnswer::Stop);
    driven.wait_for_word(&name, StatusWord::Stopped);
}

#[test]
fn a_build_that_fails_is_a_failure_to_debug() {
    let mut driven = driven();
    let name = validated(&mut driven, "echo 'error: expected one of `;`' >&2; exit 101", &[]);
    let (need, code) = question(&mut driven, &name);
    assert_eq!(code, "tests_keep_failing");
    assert!(driven.ran(&name).contains(&"debug ok".to_owned()));
    assert_eq!(validate(&driven, &name)["passed"], json!(false));
    driven.answer(&need, NeedAnswer::Stop);
    driven.wait_for_word(&name, StatusWord::Stopped);
}

fn junit(tests: usize, failed: usize) -> String {
    let test = |number: usize| {
        let failure = if number < failed { "<failure message=\"wanted 1\">at a.rs:7</failure>" } else { "" };
        format!("<testcase classname=\"suite\" name=\"test {number}\" time=\"0.001\">{failure}</testcase>")
    };
    let all: String = (0..tests).map(test).collect();
    format!("<testsuite name=\"suite\" tests=\"{tests}\" failures=\"{failed}\">{all}</testsuite>")
}

#[test]
fn results_files_are_read_and_those_of_an_earlier_run_are_not() {
    let mut driven = driven();
    let workspace = driven.live.workspace.clone();
    std::fs::create_dir_all(workspace.join(RESULTS).join("junit")).unwrap();
    std::fs::write(workspace.join(RESULTS).join("junit/old.xml"), junit(9, 9)).unwrap();
    std::fs::create_dir(workspace.join("reports")).unwrap();
    std::fs::write(workspace.join("reports/stale.xml"), junit(9, 9)).unwrap();
    std::fs::write(workspace.join("fresh"), junit(3, 0)).unwrap();
    let command = format!("cp fresh {RESULTS}/junit/a.xml && cp fresh reports/b.xml");
    let name = validated(&mut driven, &command, &[&format!("{RESULTS}/junit/"), "reports/"]);
    driven.wait_for_word(&name, StatusWord::Completed);
    let validate = validate(&driven, &name);
    assert_eq!((&validate["passed"], &validate["failed_tests"]), (&json!(true), &json!([])));
    assert!(!workspace.join(RESULTS).join("junit/old.xml").exists());
    assert!(workspace.join("reports/stale.xml").exists(), "what is not ours is left alone");
}

#[test]
fn coverage_of_lines_alone_is_taken() {
    let mut driven = driven();
    let lcov = "SF:src/a.rs\\nDA:1,1\\nDA:2,0\\nLF:2\\nLH:1\\nend_of_record\\n";
    let command = format!("printf '{lcov}' > lcov.info; {PASSING}");
    let name = validated(&mut driven, &command, &[]);
    driven.wait_for_word(&name, StatusWord::Completed);
    let text = driven.live.read(&name);
    assert!(text.contains("50"), "half of the lines: {text}");
    assert_eq!(driven.live.detail(&name).problems, []);
}

#[test]
fn a_hundred_thousand_tests_are_read() {
    let mut driven = driven();
    std::fs::write(driven.live.workspace.join("many"), junit(100_000, 0)).unwrap();
    let name =
        validated(&mut driven, &format!("cp many {RESULTS}/many.xml"), &[&format!("{RESULTS}/many.xml")]);
    driven.wait_for_word(&name, StatusWord::Completed);
    // Who reads a file of this size on a busy machine may answer later than a window waits.
    let key = driven.live.key(&name);
    let page = eventually("its page", || driven.live.runtime.open_loop(&key).ok());
    assert_eq!(page.detail.problems, []);
    assert_eq!(validate(&driven, &name)["passed"], json!(true));
    let size = driven.live.read(&name).len();
    assert!(size < 40 << 20, "{size}");
}
