//! Agents' questions during work, menus, parallel workers, and skills that drive by themselves.

use loopdeck_core::control::Verb;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::start::{NewFormat, Recipe};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::{Driver, StartForm};
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedAnswerKind, NeedKind, OutputKind};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, develops, planned, small};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use serde_json::{Value, json};

fn driven() -> Driven {
    let driven = Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"));
    let program = env!("CARGO_BIN_EXE_scripted_agent");
    driven.live.runtime.set_program("claude", Some(program.into())).unwrap();
    driven
}

/// The scripted agent as Claude Code, which asks in the window.
fn asking(driven: &Driven) -> StartForm {
    let mut form = driven.small_form("claude");
    (form.plan.ask, form.plan.level) = (true, Some(loopdeck_agents::Level::EditFiles));
    form
}

fn ask(tool: &str, what: &str) -> Step {
    Step::Ask { tool: tool.into(), input: json!({ "command": what }) }
}

fn write(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

/// The open permission request besides the answered ones.
fn permission(driven: &mut Driven, name: &str, what: &str) -> Need {
    driven.wait(name, what, |row| row.word == StatusWord::NeedsYou);
    eventually(what, || {
        let needs = driven.live.runtime.needs().needs;
        needs.into_iter().find(|need| {
            need.kind == NeedKind::Permission && need.input.as_ref().is_some_and(|input| input.contains(what))
        })
    })
}

#[test]
fn permissions_reach_the_person_and_their_answers_the_agent() {
    let mut driven = driven();
    let rule = develops("task-001")
        .then(ask("Bash", "make once"))
        .then(write("once"))
        .then(ask("Bash", "make all"))
        .then(write("all"))
        .then(ask("Bash", "make more"))
        .then(ask("Write", "secret"))
        .then(write("never"));
    driven.script(&small(Output::ClaudeJsonl, vec![rule]));
    let name = driven.start(&asking(&driven));
    let once = permission(&mut driven, &name, "make once");
    assert_eq!((once.tool.as_deref(), once.answers.len()), (Some("Bash"), 3));
    assert!(!driven.live.workspace.join("once").exists(), "nothing happens before the answer");
    driven.answer(&once, NeedAnswer::AllowOnce);
    let all = permission(&mut driven, &name, "make all");
    assert!(driven.live.workspace.join("once").exists());
    assert_eq!(
        driven.live.runtime.answer(&once.id, NeedAnswer::AllowOnce).unwrap_err().kind,
        FailureKind::UnknownNeed
    );
    driven.answer(&all, NeedAnswer::AllowForRun);
    // "make more" is the same tool, so it is not asked again.
    let secret = permission(&mut driven, &name, "secret");
    assert_eq!(driven.live.runtime.needs().needs.len(), 1);
    driven.answer(&secret, NeedAnswer::Deny { note: "not that one".into() });
    driven.wait_for_word(&name, StatusWord::Completed);
    let there = ["once", "all", "never"].map(|file| driven.live.workspace.join(file).exists());
    assert_eq!(there, [true, true, false]);
    assert_eq!(driven.live.runtime.needs().needs, []);
}

#[test]
fn an_input_whose_end_was_not_offered_cannot_be_allowed() {
    let mut driven = driven();
    // In bytes it is three times as long as in characters: neither may hide the end.
    let (short, long) = ("日".repeat(5_000), "本".repeat(20_000));
    let rule = develops("task-001")
        .then(ask("Bash", &format!("first {short} rm -rf a")))
        .then(write("first"))
        .then(ask("Bash", &format!("second {long} rm -rf b")))
        .then(write("second"));
    driven.script(&small(Output::ClaudeJsonl, vec![rule]));
    let name = driven.start(&asking(&driven));
    let need = permission(&mut driven, &name, "first");
    assert_eq!((need.cut_from, need.input.as_ref().unwrap().ends_with("rm -rf a\"}")), (None, true));
    driven.answer(&need, NeedAnswer::AllowOnce);

    let need = permission(&mut driven, &name, "second");
    let whole = format!("{{\"command\": \"second {long} rm -rf b\"}}");
    assert_eq!(need.cut_from, Some(u32::try_from(whole.chars().count()).unwrap()));
    assert_eq!(need.answers, [NeedAnswerKind::Deny]);
    let runtime = &driven.live.runtime;
    for allow in [NeedAnswer::AllowOnce, NeedAnswer::AllowForRun] {
        assert_eq!(runtime.answer(&need.id, allow).unwrap_err().kind, FailureKind::UnknownNeed);
    }
    assert_eq!(runtime.need_input(&need.id), Ok(whole));
    let all = [NeedAnswerKind::AllowOnce, NeedAnswerKind::AllowForRun, NeedAnswerKind::Deny];
    assert_eq!(runtime.needs().needs[0].answers, all);
    assert_eq!(runtime.need_input("need-none").unwrap_err().kind, FailureKind::UnknownNeed);
    driven.answer(&need, NeedAnswer::AllowOnce);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert!(["first", "second"].iter().all(|file| driven.live.workspace.join(file).exists()));
}

#[test]
fn a_large_file_is_asked_about_and_one_that_nobody_can_look_at_is_denied() {
    let mut driven = driven();
    let write_of = |name: &str, mb: usize| Step::Ask {
        tool: "Write".into(),
        input: json!({ "a_file": name, "content": "x".repeat(mb << 20) }),
    };
    // If denied, the remaining steps are skipped.
    let rule =
        develops("task-001").then(write_of("large", 2)).then(write("large")).then(write_of("huge", 17));
    driven.script(&small(Output::ClaudeJsonl, vec![rule.then(write("huge"))]));
    let name = driven.start(&asking(&driven));
    let need = permission(&mut driven, &name, "large");
    assert!(need.cut_from > Some(2 << 20), "{:?}", need.cut_from);
    let whole = driven.live.runtime.need_input(&need.id).unwrap();
    assert_eq!(Some(whole.chars().count()), need.cut_from.map(|count| count as usize));
    driven.answer(&need, NeedAnswer::AllowOnce);
    driven.wait_for_word(&name, StatusWord::Completed);
    let there = ["large", "huge"].map(|file| driven.live.workspace.join(file).exists());
    assert_eq!(there, [true, false]);
    let key = driven.live.key(&name);
    let runs = driven.live.runtime.runs(&key).unwrap();
    let run = runs.iter().find(|run| run.action == "develop").unwrap();
    let rows = driven.live.runtime.output(&key, Some(&run.id), 0, 100).unwrap().rows;
    assert!(rows.iter().any(|row| row.kind == OutputKind::Note && row.name == "too_long"), "{rows:?}");
}

#[test]
fn what_was_asked_is_withdrawn_or_goes_with_a_stop() {
    let mut driven = driven();
    let request = json!({
        "type": "control_request", "request_id": "odd-1",
        "request": { "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "rm" }, "tool_use_id": "t" },
    });
    let cancel = json!({ "type": "control_cancel_request", "request_id": "odd-1" });
    let rule = Rule::on("develop")
        .then(Step::Raw(format!("{request}\n")))
        .then(Step::WaitFor("gate".into()))
        .then(Step::Raw(format!("{cancel}\n")))
        .then(ask("Bash", "make"));
    driven.script(&small(Output::ClaudeJsonl, vec![rule]));
    let name = driven.start(&asking(&driven));
    permission(&mut driven, &name, "rm");
    driven.open("gate");
    permission(&mut driven, &name, "make");
    assert_eq!(driven.live.runtime.needs().needs.len(), 1, "the other one was withdrawn");
    driven.live.act(&name, Verb::Stop).unwrap();
    assert_eq!(driven.live.runtime.needs().needs, []);
    driven.wait_for_word(&name, StatusWord::Stopped);
    driven.all_gone();
}

/// A request for a tool whose answer the agent does not wait for.
fn request(number: u32, tool: &str, what: &str) -> Step {
    let input = json!({ "command": what });
    let request =
        json!({ "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": what });
    let id = format!("odd-{number}");
    let line = json!({ "type": "control_request", "request_id": id, "request": request });
    Step::Raw(format!("{line}\n"))
}

#[test]
fn a_tool_that_is_allowed_for_the_run_is_answered_wherever_it_waits_and_no_other() {
    let mut driven = driven();
    // Assembled here, because tools that scan sources for keys would report it.
    let key = format!("sk-ant-{}", "a1b2".repeat(6));
    let rule = Rule::on("develop")
        .times(1)
        .then(request(1, "Bash", "make one"))
        .then(request(2, "Bash", "make two"))
        .then(request(3, "Write", &key))
        .then(Step::WaitFor("gate".into()))
        .then(Step::Exit(3));
    let crashes = Rule::on("develop").times(1).then(request(4, "Bash", "make four")).then(Step::Exit(3));
    driven.script(&small(Output::ClaudeJsonl, vec![rule, crashes]));
    let name = driven.start(&asking(&driven));
    permission(&mut driven, &name, "••••");
    let first = permission(&mut driven, &name, "make one");
    let wrong = driven.live.runtime.answer(&first.id, NeedAnswer::GoOn).unwrap_err();
    assert_eq!(wrong.kind, FailureKind::UnknownNeed, "that was not asked");
    driven.answer(&first, NeedAnswer::AllowForRun);
    let left = driven.live.runtime.needs().needs;
    assert_eq!(left.iter().map(|need| need.tool.as_deref()).collect::<Vec<_>>(), [Some("Write")]);
    assert!(!format!("{left:?}").contains(&key));
    // After the end of a run, nothing can be allowed any more.
    driven.open("gate");
    driven.wait(&name, "the task failed", |row| {
        row.run.as_ref().is_some_and(|run| run.needs == 1 && run.action.as_deref() == Some("develop"))
    });
    eventually("asked", || {
        let kinds: Vec<NeedKind> = driven.live.runtime.needs().needs.iter().map(|need| need.kind).collect();
        (kinds == [NeedKind::Question]).then_some(())
    });
    driven.all_gone();
}

#[test]
fn a_skill_is_told_its_command_first_and_its_file_is_followed() {
    let mut driven = driven();
    let set = |from: &str, to: &str| Step::Shell(format!("sed -i 's/\"{from}\"/\"{to}\"/' {ROOT}/*.json"));
    let rule = Rule::default()
        .then(write("begun"))
        .then(Step::WaitFor("gate".into()))
        .then(set("running", "completed"));
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules: vec![rule] });
    let mut form = driven.small_form("claude");
    form.plan.driver = Driver::Skill { command: String::new() };
    let name = driven.start(&form);
    driven.wait_for_file("begun");
    driven.wait_for_word(&name, StatusWord::Running);
    let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
    assert_eq!(runs[0].action, "skill");
    let told =
        std::fs::read_to_string(driven.live.data().runs().join(&runs[0].id).join("stdin.txt")).unwrap();
    let told: Value = serde_json::from_str(told.lines().next().unwrap()).unwrap_or(Value::String(told));
    let told = told["message"]["content"][0]["text"].as_str().or(told.as_str()).unwrap_or_default();
    assert!(told.starts_with("/ccw-loop --loop-id"), "{told}");
    driven.open("gate");
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.all_gone();
}

#[test]
fn a_skill_that_ends_while_its_file_says_running_is_interrupted() {
    for (exit, code) in [(0, "skill_unfinished"), (3, "task_failed")] {
        let mut driven = driven();
        let rule = Rule { exit, says: "I could not".into(), ..Rule::default() };
        driven.script(&Scripted { output: Output::Text, rules: vec![rule] });
        let mut form = driven.small_form("custom:scripted");
        form.plan.driver = Driver::Skill { command: "/own {id}".into() };
        let name = driven.start(&form);
        driven.wait_for_word(&name, StatusWord::Interrupted);
        driven.all_gone();
        let need = driven.wait_for_need(&name, NeedKind::Failed);
        assert_eq!(need.args["code"], code);
        assert!(need.run.is_some() && (exit != 0 || need.text.contains("I could not")), "{need:?}");
    }
}

#[test]
fn a_skill_that_the_agent_does_not_have_is_said_to_be_missing() {
    let mut driven = driven();
    let rule = Rule { says: "I know no such command".into(), lacks_skills: true, ..Rule::default() };
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules: vec![rule] });
    let mut form = driven.small_form("claude");
    form.plan.driver = Driver::Skill { command: String::new() };
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!((need.args["code"].as_str(), need.args["command"].as_str()), ("skill_missing", "/ccw-loop"));
    driven.wait_for_word(&name, StatusWord::Interrupted);
}

#[test]
fn a_skill_that_is_missing_is_said_when_the_agent_begins_and_the_run_is_ended() {
    let mut driven = driven();
    let works_at_something_else = Rule { lacks_skills: true, ..Rule::default().then(Step::Hang) };
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules: vec![works_at_something_else] });
    let mut form = driven.small_form("claude");
    form.plan.driver = Driver::Skill { command: String::new() };
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Failed);
    assert_eq!((need.args["code"].as_str(), need.args["command"].as_str()), ("skill_missing", "/ccw-loop"));
    driven.wait_for_word(&name, StatusWord::Interrupted);
    driven.all_gone();
    assert_eq!(driven.ran(&name), ["skill cancelled"]);
    assert_eq!(driven.live.runtime.needs().needs, std::slice::from_ref(&need), "said once");
    // It exists now.
    let done = Step::Shell(format!("sed -i 's/\"running\"/\"completed\"/' {ROOT}/*.json"));
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules: vec![Rule::default().then(done)] });
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn a_providers_limit_is_waited_for_by_a_skill_too() {
    let mut driven = driven();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let info = json!({ "status": "rejected", "resetsAt": now + 3, "rateLimitType": "five_hour" });
    let event = json!({ "type": "rate_limit_event", "rate_limit_info": info, "session_id": "s" });
    let result = json!({
        "subtype": "success", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error",
        "result": "You've hit your limit",
    });
    let limited = Rule { result, ..Rule::default().times(1).then(Step::Raw(format!("{event}\n"))) };
    let done = format!("sed -i 's/\"running\"/\"completed\"/' {ROOT}/*.json");
    let works = Rule::default().then(Step::Shell(done));
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules: vec![limited, works] });
    let mut form = driven.small_form("claude");
    form.plan.driver = Driver::Skill { command: String::new() };
    form.plan.wait_for_limit = true;
    let name = driven.start(&form);
    driven.wait_for_need(&name, NeedKind::UsageLimit);
    driven.wait_for_word(&name, StatusWord::Completed);
    assert_eq!(driven.ran(&name), ["skill limit", "skill ok"]);
}

fn worker(worker: &str, files: &[&str], completed: &[&str]) -> Rule {
    Rule::on(worker).answers(json!({
        "status": "success", "summary": format!("{worker} did its part"), "files_changed": files,
        "completed_tasks": completed, "next_suggestion": null, "loop_back_to": null, "detailed_output": null, "needs": null,
    }))
}

fn loop_b(driven: &Driven, mode: WorkMode, rules: Vec<Rule>) -> StartForm {
    driven.script(&Scripted { output: Output::Text, rules });
    let mut form = driven.small_form("custom:scripted");
    form.work.recipe = Recipe::BuildFeature;
    (form.work.format, form.work.mode) = (Some(NewFormat::LoopB), Some(mode));
    form
}

#[test]
fn a_loop_b_goes_from_worker_to_worker_by_itself() {
    let mut driven = driven();
    let rules = vec![planned(1), worker("develop", &["a"], &["task-001"]), worker("debug", &[], &[])];
    let form = loop_b(&driven, WorkMode::Auto, rules);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let ran = driven.ran(&name);
    assert_eq!(ran, ["init ok", "develop task-001 ok", "debug ok", "validate ok"]);
}

#[test]
fn workers_run_side_by_side_and_conflicts_are_asked_about() {
    let mut driven = driven();
    // Each waits for the other, so running them one after the other would wait forever.
    let meet = |rule: Rule, me: &str, other: &str| rule.then(write(me)).then(Step::WaitFor(other.into()));
    let rules = vec![
        planned(1),
        meet(worker("develop", &["same"], &["task-001"]), "d", "b"),
        meet(worker("debug", &["same"], &[]), "b", "d"),
    ];
    let form = loop_b(&driven, WorkMode::Parallel, rules);
    let name = driven.start(&form);
    let need = driven.wait_for_need(&name, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.text.as_str()), ("conflicts", "same"));
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(&name, StatusWord::Completed);
}

#[test]
fn workers_side_by_side_share_what_money_is_left() {
    let mut driven = driven();
    let rules = vec![planned(1), worker("develop", &["a"], &["task-001"]), worker("debug", &[], &[])];
    let mut form = loop_b(&driven, WorkMode::Parallel, rules.clone());
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
    form.plan.agent = "claude".into();
    form.plan.money_usd = Some(1.0);
    let name = driven.start(&form);
    driven.wait_for_word(&name, StatusWord::Completed);
    let runs = driven.live.runtime.runs(&driven.live.key(&name)).unwrap();
    let budget = |action: &str| -> f64 {
        let run = runs.iter().find(|run| run.action == action).unwrap();
        let flag = run.argv.iter().position(|arg| arg == "--max-budget-usd").unwrap();
        run.argv[flag + 1].parse().unwrap()
    };
    assert!(budget("init") > 0.9, "alone it may spend all");
    assert!(budget("develop") < 0.5 && budget("debug") < 0.5, "{} {}", budget("develop"), budget("debug"));
}

#[test]
fn a_menu_asks_before_every_worker() {
    let mut driven = driven();
    let rules = vec![planned(1), worker("develop", &["a"], &["task-001"]), worker("debug", &[], &[])];
    let form = loop_b(&driven, WorkMode::Interactive, rules);
    let name = driven.start(&form);
    let mut last = String::new();
    for choice in ["init", "develop", "validate", "complete"] {
        driven.wait(&name, choice, |row| row.word == StatusWord::NeedsYou);
        let need = eventually(choice, || {
            let needs = driven.live.runtime.needs().needs;
            needs.into_iter().find(|need| need.kind == NeedKind::Menu && need.id != last)
        });
        let index = need.choices.iter().position(|offered| offered.word() == choice);
        let index = u32::try_from(index.unwrap_or_else(|| panic!("{choice}: {:?}", need.choices))).unwrap();
        driven.answer(&need, NeedAnswer::Choose { index });
        last = need.id;
    }
    driven.wait_for_word(&name, StatusWord::Completed);
    driven.all_gone();
}

/// Gives a custom agent a secret in its environment.
fn give_secret(driven: &Driven, id: &str) -> String {
    let runtime = &driven.live.runtime;
    let agents = runtime.agents(false).unwrap();
    let mut agent = agents.into_iter().find_map(|row| row.custom.filter(|own| own.id == id)).unwrap();
    let secret = format!("hush-{}", "0123456789".repeat(2));
    agent.environment.insert("MY_API_TOKEN".into(), secret.clone());
    runtime.save_agent(agent).unwrap();
    secret
}

#[test]
fn secrets_that_agents_and_tests_say_come_into_no_file_of_the_loop() {
    // Assembled here, because tools that scan sources for keys would report it.
    let key = format!("sk-ant-{}", "a1b2".repeat(6));
    for (id, output) in [("scripted", Output::Text), ("claude-like", Output::ClaudeJsonl)] {
        let mut driven = driven();
        let secret = give_secret(&driven, id);
        let secrets = [secret.as_str(), key.as_str()];
        let says = |what: &str| format!("{what} {secret} {key}");
        let task = json!({ "id": "task-001", "description": says("use"), "priority": 1, "files": [] });
        let planned = Rule::on("init").answers(json!({ "tasks": [task], "needs": null }));
        let fails = Rule::on("develop").times(1).answers(json!({
            "task_id": "task-001", "status": "failed", "summary": says("no entry with"), "files_changed": [], "needs": null,
        }));
        let crashes = Rule::on("develop").times(1).then(Step::Complain(says("refused"))).then(Step::Exit(3));
        let done = Rule::on("develop").answers(json!({
            "task_id": "task-001", "status": "completed", "summary": says("went in with"), "files_changed": [], "needs": null,
        }));
        let hypothesis = json!({
            "id": "H1", "description": says("not"), "testable_condition": says("try"), "logging_point": "x",
            "evidence_criteria": { "confirm": says("a"), "reject": "b" }, "likelihood": 1, "status": "confirmed",
            "verdict_reason": says("seen"),
        });
        let debugged = Rule::on("debug").then(write("mended")).answers(json!({
            "hypotheses": [hypothesis], "understanding": says("it was"), "confirmed": "H1", "fixed": true,
            "files_changed": [], "needs": null,
        }));
        driven.script(&Scripted { output, rules: vec![planned, fails, crashes, done, debugged] });
        let mut form = driven.small_form(&format!("custom:{id}"));
        let broken = format!("printf 'TAP version 13\\n1..1\\nnot ok 1 - {key}\\n'; exit 1");
        form.plan.test_command =
            format!("if test -e mended; then {}; else {broken}; fi", form.plan.test_command);
        let name = driven.start(&form);
        let need = driven.wait_for_need(&name, NeedKind::Question);
        assert!(secrets.iter().all(|secret| !need.text.contains(secret)), "{}", need.text);
        driven.answer(&need, NeedAnswer::TryAgain);
        driven.wait_for_word(&name, StatusWord::Completed);
        assert_eq!(driven.ran(&name).iter().filter(|run| run.starts_with("debug")).count(), 1);
        let mut masked = 0;
        for (path, bytes) in driven.live.files() {
            let text = String::from_utf8_lossy(&bytes);
            if path.starts_with(".workflow") {
                assert!(secrets.iter().all(|secret| !text.contains(secret)), "{}: {text}", path.display());
                masked += text.matches("••••").count();
            }
        }
        assert!(masked > 10, "they were said: {masked}");
        for run in driven.live.runtime.runs(&driven.live.key(&name)).unwrap() {
            let told = format!("{:?} {:?}", run.message, run.action);
            assert!(secrets.iter().all(|secret| !told.contains(secret)), "{told}");
        }
    }
}

#[test]
fn secrets_are_not_shown_and_values_of_variables_are_not_on_disk() {
    let mut driven = driven();
    let secret = give_secret(&driven, "scripted");
    let long = "x".repeat(9_000);
    let rule = develops("task-001")
        .then(Step::Shell("echo \"it is $MY_API_TOKEN\"".into()))
        .then(Step::Shell(format!("echo \"{long} $MY_API_TOKEN\"")));
    driven.script(&small(Output::Text, vec![rule]));
    let name = driven.start(&driven.small_form("custom:scripted"));
    driven.wait_for_word(&name, StatusWord::Completed);
    let key = driven.live.key(&name);
    let run =
        driven.live.runtime.runs(&key).unwrap().into_iter().find(|run| run.action == "develop").unwrap();
    assert!(run.environment.contains(&"MY_API_TOKEN".to_owned()));
    let page = driven.live.runtime.output(&key, Some(&run.id), 0, 100).unwrap();
    let text: Vec<&str> = page.rows.iter().map(|row| row.text.as_str()).collect();
    assert!(text.iter().any(|text| text.contains("it is ••••")), "{text:?}");
    let cut = page.rows.iter().position(|row| row.cut.is_some() && row.kind == OutputKind::Text).unwrap();
    let whole = driven.live.runtime.output_text(&key, &run.id, u32::try_from(cut).unwrap()).unwrap();
    assert!(whole.len() > 9_000 && !whole.contains(&secret));
    let folder = driven.live.data().runs().join(&run.id);
    for entry in std::fs::read_dir(&folder).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{:?}", entry.path());
    }
    for run in driven.live.runtime.runs(&key).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(driven.live.data().runs().join(&run.id)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", run.action);
    }
}
