//! The loops that the rows inspect, driven once.

use crate::seed_rows::told::Told;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::NewFormat;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_tests::driving::Driven;
use loopdeck_tests::live::Live;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};
use std::path::Path;

/// Everything that was driven.
pub(crate) struct Stage {
    /// Loop v2, automatic: a failed attempt, two tasks, a round of debugging, the end.
    pub(crate) auto: Told,
    /// Loop v2 by its menu: developed, paused at the menu, exited.
    pub(crate) menu: Told,
    /// The same while it was paused at its menu.
    pub(crate) menu_paused: Told,
    /// Loop v2 that a person stopped during its first task.
    pub(crate) stopped: Told,
    /// Loops v2 whose INIT and DEBUG fail and whose tests cannot be run, at the question that follows.
    pub(crate) broken: Vec<Told>,
    /// Loop v2 with a task added to its `tasks.jsonl` while it ran.
    pub(crate) listed: Told,
    /// Loop-B, automatic, through debugging.
    pub(crate) b_auto: Told,
    /// Loop-B, its workers in parallel.
    pub(crate) b_parallel: Told,
    /// Loop-B by its menu, exited.
    pub(crate) b_menu: Told,
    /// Loop-B whose develop worker fails for good.
    pub(crate) b_failed: Told,
}

/// VALIDATE's command: three tests with names, times and a stack, and coverage; one fails until the file
/// `fixed` exists.
const CHECK: &str = r#"mkdir -p report
if test -f fixed; then bad=""; code=0; else bad='<failure message="wanted 896, found 895">at discounted (src/cart.ts:15:3)</failure>'; code=1; fi
printf '<testsuites><testsuite name="shop"><testcase classname="cart" name="adds" time="0.012"/><testcase classname="cart" name="rounds" time="0.020">%s</testcase><testcase classname="cart" name="later" time="0"><skipped/></testcase></testsuite></testsuites>' "$bad" >report/junit.xml
printf 'SF:src/cart.ts\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,0\nLF:4\nLH:3\nend_of_record\n' >report/lcov.info
exit $code
"#;

impl Stage {
    /// Drives all of them.
    pub(crate) fn set() -> Self {
        let (menu, menu_paused) = menu();
        Self {
            auto: auto(),
            menu,
            menu_paused,
            stopped: stopped(),
            broken: vec![broken("sh check.sh"), broken("no-such-program-anywhere")],
            listed: listed(),
            b_auto: b_auto(),
            b_parallel: b_parallel(),
            b_menu: b_menu(),
            b_failed: b_failed(),
        }
    }
}

fn driven() -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let workspace = &driven.live.workspace;
    std::fs::write(workspace.join("check.sh"), CHECK).unwrap();
    std::fs::write(workspace.join(".gitignore"), ".scripted-agent*\n.workflow/\nreport/\n").unwrap();
    for command in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
        let mut git = xtask::child::bound_command("git");
        git.args(["-c", "user.name=test", "-c", "user.email=test@localhost"]).args(command);
        assert!(git.current_dir(workspace).status().unwrap().success(), "git {command:?}");
    }
    driven
}

fn form(driven: &Driven, format: NewFormat, mode: Option<WorkMode>) -> StartForm {
    let mut form = driven.form("custom:scripted");
    (form.work.format, form.work.mode) = (Some(format), mode);
    form.work.goal = "Round half a cent up\n\nThe total of an order is a cent too low.".into();
    form.plan.test_command = "sh check.sh".into();
    form.plan.results = vec!["report/junit.xml".into(), "report/lcov.info".into()];
    form
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: "done\n".into() }
}

fn planned() -> Rule {
    Rule::on("init").answers(json!({
        "tasks": [
            { "id": "task-001", "description": "Write the rounding", "priority": 1, "files": ["src/cart.txt"] },
            { "id": "task-002", "description": "Describe the rounding", "priority": 2, "files": ["docs.txt"] },
        ],
        "needs": null,
    }))
}

fn developed(task: &str, file: &str) -> Rule {
    Rule::on("develop").task(task).then(write(file)).answers(json!({
        "task_id": task, "status": "completed", "summary": format!("Did {task}"), "files_changed": [file],
        "needs": null,
    }))
}

fn failed_once(task: &str) -> Rule {
    Rule::on("develop").task(task).times(1).answers(json!({
        "task_id": task, "status": "failed", "summary": "The compiler was missing", "files_changed": [],
        "needs": null,
    }))
}

/// Writes a line of the agent's debug log, and one of a program.
fn logs(hypothesis: &str) -> Step {
    let line = format!(
        "{{\"hid\":\"{hypothesis}\",\"ts\":1769040000000,\"func\":\"discounted\",\"data\":{{\"half\":5}}}}"
    );
    Step::Shell(format!(
        "mkdir -p \"$(dirname \"$LOOPDECK_DEBUG_LOG\")\"; printf '%s\\nnoise of the program\\n' '{line}' >>\"$LOOPDECK_DEBUG_LOG\""
    ))
}

fn hypothesis(id: &str, likelihood: u32, status: &str, evidence: &Value) -> Value {
    let reason = (status != "pending").then_some("As the log says");
    json!({
        "id": id, "description": format!("Cause {id}"), "testable_condition": "995 less 10 % is 895",
        "logging_point": "src/cart.ts:discounted:15", "confirm": "half is 5", "reject": "half is 50",
        "likelihood": likelihood, "status": status, "evidence": evidence, "verdict_reason": reason,
    })
}

fn debugged() -> Rule {
    Rule::on("debug").then(logs("H1")).then(write("fixed")).answers(json!({
        "hypotheses": [
            hypothesis("H1", 1, "confirmed", &json!({ "half": 5, "seen": ["a", "b"] })),
            hypothesis("H2", 2, "rejected", &json!("The amount is right")),
            hypothesis("H3", 3, "inconclusive", &json!(null)),
            hypothesis("H4", 4, "pending", &json!(null)),
        ],
        "understanding": "The half that is added is too small.", "confirmed": "H1", "fixed": true,
        "files_changed": ["fixed"], "needs": null,
    }))
}

fn auto() -> Told {
    let mut driven = driven();
    driven.script(&Scripted {
        output: Output::Text,
        rules: vec![
            planned(),
            failed_once("task-001"),
            developed("task-001", "src/cart.txt"),
            developed("task-002", "docs.txt"),
            debugged(),
        ],
    });
    let name = driven.start(&form(&driven, NewFormat::LoopV2, None));
    driven.wait_for_word(&name, StatusWord::Completed);
    Told::of_driven(&driven, &name)
}

/// INIT fails once; tasks are done immediately; DEBUG does not finish.
fn broken(tests: &str) -> Told {
    let mut driven = driven();
    let debug = Rule::on("debug").then(Step::Exit(9));
    let init = Rule::on("init").times(1).then(Step::Exit(9));
    let rules = vec![
        init,
        planned(),
        developed("task-001", "src/cart.txt"),
        developed("task-002", "docs.txt"),
        debug,
    ];
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = form(&driven, NewFormat::LoopV2, None);
    form.plan.test_command = tests.into();
    let name = driven.start(&form);
    driven.wait_for_need(&name, NeedKind::Question);
    Told::of_driven(&driven, &name)
}

/// The first task adds another one to the list of upstream's server.
fn listed() -> Told {
    let mut driven = driven();
    std::fs::write(driven.live.workspace.join("fixed"), "").unwrap();
    let line = json!({
        "task_id": "task-9", "description": "From the list", "tool": "", "mode": "write", "prompt_template": "",
        "order": 0, "created_at": "2026-11-20T04:24:21.870Z", "updated_at": "2026-11-20T04:24:21.870Z",
    });
    let add = Step::Shell(format!(
        "for loop in .workflow/.loop/*.json; do printf '%s\\n' '{line}' >\"${{loop%.json}}.tasks.jsonl\"; done"
    ));
    let first = developed("task-001", "src/cart.txt").then(add);
    let rules = vec![planned(), first, developed("task-002", "docs.txt"), developed("task-9", "list.txt")];
    driven.script(&Scripted { output: Output::Text, rules });
    let name = driven.start(&form(&driven, NewFormat::LoopV2, None));
    driven.wait_for_word(&name, StatusWord::Completed);
    Told::of_driven(&driven, &name)
}

/// Answers the menu with the action of this name.
pub(crate) fn choose(driven: &mut Driven, name: &str, action: &str) {
    let need = driven.wait_for_need(name, NeedKind::Menu);
    let index = need.choices.iter().position(|choice| choice.word() == action);
    let index = index.unwrap_or_else(|| panic!("no {action} among {:?}", need.choices));
    driven.answer(&need, NeedAnswer::Choose { index: u32::try_from(index).unwrap() });
}

fn menu() -> (Told, Told) {
    let mut driven = driven();
    let rules = vec![planned(), developed("task-001", "src/cart.txt"), developed("task-002", "docs.txt")];
    driven.script(&Scripted { output: Output::Text, rules });
    let name = driven.start(&form(&driven, NewFormat::LoopV2, Some(WorkMode::Interactive)));
    choose(&mut driven, &name, "develop");
    driven.wait_for_need(&name, NeedKind::Menu);
    driven.live.act(&name, loopdeck_core::control::Verb::Pause).unwrap();
    driven.wait_for_word(&name, StatusWord::Paused);
    driven.wait(&name, "nothing works on it", |row| row.run.as_ref().is_some_and(|run| !run.alive));
    let paused = Told::of_driven(&driven, &name);
    driven.launch(&name).expect("it continues");
    choose(&mut driven, &name, "exit");
    driven.wait_for_word(&name, StatusWord::LeftByUser);
    (Told::of_driven(&driven, &name), paused)
}

fn stopped() -> Told {
    let mut driven = driven();
    let works = developed("task-001", "src/cart.txt").then(Step::WaitFor("gate".into()));
    driven.script(&Scripted { output: Output::Text, rules: vec![planned(), works] });
    let name = driven.start(&form(&driven, NewFormat::LoopV2, None));
    driven.wait_for_file("src/cart.txt");
    driven.live.act(&name, loopdeck_core::control::Verb::Stop).unwrap();
    driven.open("gate");
    driven.wait(&name, "nothing works on it", |row| row.run.as_ref().is_some_and(|run| !run.alive));
    Told::of_driven(&driven, &name)
}

fn worker(action: &str, more: &Value) -> Value {
    let mut answer = json!({
        "status": "success", "summary": format!("Did {action}"), "files_changed": [], "completed_tasks": [],
        "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        answer[key] = value.clone();
    }
    answer
}

fn b_init() -> Rule {
    Rule::on("init").answers(json!({
        "tasks": [{ "id": "T1", "description": "Write the rounding", "priority": 1, "files": ["src/cart.txt"] }],
        "needs": null,
    }))
}

fn b_develop() -> Rule {
    Rule::on("develop").then(write("src/cart.txt")).answers(worker(
        "develop",
        &json!({
            "files_changed": ["src/cart.txt"], "completed_tasks": ["T1"], "next_suggestion": "validate",
            "findings": ["Rounding is done in two places"], "suggestions": ["Round in one place"],
            "detailed_output": "One function changed",
        }),
    ))
}

fn b_debug() -> Rule {
    Rule::on("debug").then(write("fixed")).answers(worker(
        "debug",
        &json!({
            "files_changed": ["fixed"], "next_suggestion": "validate", "findings": ["The half is too small"],
            "suggestions": ["Test negative amounts"], "issues_found": ["discounted adds 5 instead of 50"],
            "hypotheses": [hypothesis("H1", 1, "confirmed", &json!("half is 5"))],
        }),
    ))
}

fn b_script() -> Scripted {
    Scripted { output: Output::Text, rules: vec![b_init(), b_develop(), b_debug()] }
}

fn b_auto() -> Told {
    let mut driven = driven();
    driven.script(&b_script());
    let name = driven.start(&form(&driven, NewFormat::LoopB, Some(WorkMode::Auto)));
    driven.wait_for_word(&name, StatusWord::Completed);
    Told::of_driven(&driven, &name)
}

fn b_parallel() -> Told {
    let mut driven = driven();
    driven.script(&b_script());
    let name = driven.start(&form(&driven, NewFormat::LoopB, Some(WorkMode::Parallel)));
    driven.wait_for_word(&name, StatusWord::Completed);
    Told::of_driven(&driven, &name)
}

fn b_menu() -> Told {
    let mut driven = driven();
    driven.script(&b_script());
    let name = driven.start(&form(&driven, NewFormat::LoopB, Some(WorkMode::Interactive)));
    choose(&mut driven, &name, "init");
    choose(&mut driven, &name, "exit");
    driven.wait_for_word(&name, StatusWord::LeftByUser);
    Told::of_driven(&driven, &name)
}

/// The person skips the develop worker's work, and the debug worker does nothing either.
fn b_failed() -> Told {
    let mut driven = driven();
    let fails = json!({ "status": "failed", "summary": "The compiler was missing" });
    let develop = Rule::on("develop").answers(worker("develop", &fails));
    let debug = Rule::on("debug").answers(worker("debug", &json!({})));
    driven.script(&Scripted { output: Output::Text, rules: vec![b_init(), develop, debug] });
    let mut form = form(&driven, NewFormat::LoopB, Some(WorkMode::Auto));
    (form.plan.test_command, form.plan.results) = (loopdeck_tests::driving::PASSING.into(), Vec::new());
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Failed);
    Told::of_driven(&driven, &name)
}

/// A workspace with one file of a fixture or of a row.
pub(crate) fn with(name: &str, text: &str) -> Live {
    Live::with(|workspace| put(workspace, name, text))
}

fn put(workspace: &Path, name: &str, text: &str) {
    std::fs::write(workspace.join(loopdeck_tests::live::ROOT).join(name), text).unwrap();
}
