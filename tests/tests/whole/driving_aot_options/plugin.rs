//! The plugin drives, in the agent that lists its command.

use super::*;

/// The plugin drives, in the agent that lists its command.
fn by_plugin(driven: &Driven) -> RunPlan {
    RunPlan { driver: Driver::Skill { command: String::new() }, ..driven.plan("claude") }
}

/// Starts it, or returns the reason why not.
fn start(driven: &Driven) -> Result<(), loopdeck_runtime::views::Failure> {
    driven.live.runtime.launch(&driven.live.key(AOT), Some(by_plugin(driven)), None)
}

/// A step of the shell that changes control fields, as the plugin's scripts do.
fn set(field: &str, value: &str) -> Step {
    Step::Shell(format!("sed -i 's/^  {field}: .*/  {field}: {value}/' {AOT}"))
}

fn writes(path: &str) -> Step {
    Step::Write { path: path.into(), text: String::new() }
}

/// The plugin takes over the loop, works until the gate opens, and does what its hook does at the end of a
/// round.
fn plugin() -> Rule {
    let hook = format!(
        "if grep -q '^  stop_requested: true' {AOT}; then sed -i 's/^  status: .*/  status: stopped/' {AOT}; fi"
    );
    Rule::default()
        .then(Step::Shell("env | grep ^CLAUDE_CODE_ | sort > env.txt".into()))
        .then(Step::WaitFor("start".into()))
        .then(set("status", "running"))
        .then(writes("begun"))
        .then(Step::WaitFor("gate".into()))
        .then(Step::Shell(hook))
}

/// The prompt of the newest run, without its JSON line.
fn told(driven: &Driven) -> String {
    let run = &driven.live.runtime.runs(&driven.live.key(AOT)).unwrap()[0];
    fs::read_to_string(driven.live.data().runs().join(&run.id).join("stdin.txt")).unwrap()
}

#[test]
fn the_plugin_takes_up_a_stopped_loop_and_its_file_is_followed() {
    let mut driven = lay_out(&text_of("stopped", "\"Paused by user\""));
    let ends = plugin().then(set("status", "completed"));
    script(&driven, vec![ends]);
    start(&driven).unwrap();
    driven.wait_for_file("env.txt");
    driven.wait_for_word(AOT, StatusWord::Running);
    // Its command continues only a stopped loop: the plugin itself sets it to running.
    for line in [
        "  status: stopped",
        "  stop_reason: null",
        "  stall_count: 0",
        "  prev_pending_count: -1",
        "  iteration: 3",
    ] {
        has(&driven, line);
    }
    driven.open("start");
    driven.wait_for_file("begun");
    assert_eq!(told(&driven), "/ralph-wiggum-aot:enter-recursion");
    let run = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap().remove(0);
    assert!(!run.argv.iter().any(|argument| argument.contains("disableAllHooks")), "{:?}", run.argv);
    assert_eq!(
        fs::read_to_string(driven.live.workspace.join("env.txt")).unwrap(),
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1\nCLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH=2\nCLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0\n"
    );
    driven.open("gate");
    driven.wait_for_word(AOT, StatusWord::Completed);
    driven.all_gone();
    assert_eq!(driven.ran(AOT), ["skill ok"]);
}

#[test]
fn hooks_are_off_in_every_agent_run_that_loopdeck_drives() {
    let quality = "base_case:\n    type: quality\n    criteria: \"It reads well\"\n    pass_threshold: 3\n";
    let file = "base_case:\n    type: file\n    value: \"A1.txt\"\n";
    let mut driven = lay_out(&text_of("pending", "null").replace(file, quality));
    let scores = json!({ "scores": [{ "criterion": "It reads well", "score": 4, "evidence": "A1.txt" }] });
    let judges = Rule::on("judge").answers(scores);
    let probes = Rule::on("probe").answers(json!({ "feasible": true, "reason": "" }));
    let works = Rule::on("atom").answers(answer("resolved"));
    script(&driven, vec![probes, works, judges]);
    let plan = RunPlan { driver: Driver::Loopdeck, probes: Probes::All, ..driven.plan("claude") };
    launch(&driven, plan);
    driven.wait_for_word(AOT, StatusWord::Completed);
    // The plugin's hook would also decide what comes next, and it approves tools by itself.
    let off = ["--settings", r#"{"disableAllHooks":true}"#];
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let mut actions: Vec<&str> = runs.iter().map(|run| run.action.as_str()).collect();
    actions.sort_unstable();
    actions.dedup();
    assert_eq!(actions, ["atom", "judge", "probe"]);
    for run in &runs {
        assert!(run.argv.windows(2).any(|pair| pair == off), "{}: {:?}", run.action, run.argv);
    }
}

#[test]
fn stop_and_pause_raise_the_flags_of_a_loop_that_the_plugin_drives() {
    for (verb, word, reason) in [
        (Verb::Stop, StatusWord::Stopped, "\"Manual stop requested\""),
        (Verb::Pause, StatusWord::Paused, "\"Paused by user\""),
    ] {
        let mut driven = lay_out(&text_of("pending", "null"));
        script(&driven, vec![plugin()]);
        driven.open("start");
        start(&driven).unwrap();
        driven.wait_for_file("begun");
        eventually("it is taken up", || driven.live.act(AOT, verb).is_ok().then_some(()));
        has(&driven, "  stop_requested: true");
        has(&driven, "  status: running");
        assert_eq!(driven.processes().len(), 1, "the round ends by itself");
        driven.open("gate");
        driven.wait_for_word(AOT, word);
        has(&driven, &format!("  stop_reason: {reason}"));
        driven.all_gone();
        assert_eq!(driven.ran(AOT), ["skill ok"]);
    }
}

#[test]
fn an_agent_that_goes_on_after_its_loop_has_stopped_is_ended() {
    let mut driven = lay_out(&text_of("pending", "null"));
    script(&driven, vec![plugin().then(Step::Hang)]);
    driven.open("start");
    start(&driven).unwrap();
    driven.wait_for_file("begun");
    eventually("it is taken up", || driven.live.act(AOT, Verb::Stop).is_ok().then_some(()));
    driven.open("gate");
    driven.wait_for_word(AOT, StatusWord::Stopped);
    driven.all_gone();
    assert_eq!(driven.ran(AOT), ["skill cancelled"]);
}

#[test]
fn a_stop_now_ends_the_plugin_and_the_file_says_stopped() {
    let mut driven = lay_out(&text_of("pending", "null"));
    script(&driven, vec![plugin()]);
    driven.open("start");
    start(&driven).unwrap();
    driven.wait_for_file("begun");
    driven.wait(AOT, "it is taken up", |row| row.word == StatusWord::Running);
    eventually("it says running", || text(&driven).contains("\n  status: running\n").then_some(()));
    driven.live.runtime.stop_now(&driven.live.key(AOT)).unwrap();
    driven.wait_for_word(AOT, StatusWord::Stopped);
    has(&driven, "  status: stopped");
    has(&driven, "  stop_requested: true");
    driven.all_gone();
}

#[test]
fn a_redirect_ends_the_plugin_and_starts_it_again_in_the_new_direction() {
    let mut driven = lay_out(&text_of("pending", "null"));
    script(&driven, vec![plugin().times(1), plugin().then(set("status", "completed"))]);
    driven.open("start");
    start(&driven).unwrap();
    driven.wait_for_file("begun");
    eventually("it holds", || {
        driven.live.change(AOT, aot(AotOperation::HoldForRedirect)).is_ok().then_some(())
    });
    eventually("the plugin is gone", || driven.processes().is_empty().then_some(()));
    driven.open("gate");
    let atom = NewAtom { description: "Also this".into(), ..NewAtom::default() };
    let change = AotOperation::Redirect { change: Correction::AddAtom(atom), description: "One more".into() };
    driven.live.change(AOT, aot(change)).unwrap();
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT), ["skill cancelled", "skill ok"]);
    has(&driven, "    type: dag_adjustment");
}

#[test]
fn a_missing_plugin_is_said_and_its_run_is_ended() {
    let mut driven = lay_out(&text_of("pending", "null"));
    script(&driven, vec![Rule { lacks_skills: true, ..Rule::default().then(Step::Hang) }]);
    start(&driven).unwrap();
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    let said = (need.args["code"].as_str(), need.args["command"].as_str());
    assert_eq!(said, ("skill_missing", "/ralph-wiggum-aot:enter-recursion"));
    assert_eq!(need.text, format!("ralph-wiggum-aot: {NO_PLUGIN}"), "why is said as well");
    driven.wait_for_word(AOT, StatusWord::NotStarted);
    driven.all_gone();
    has(&driven, "  status: pending");
    // It is installed now.
    script(&driven, vec![plugin().then(set("status", "completed"))]);
    for gate in ["start", "gate"] {
        driven.open(gate);
    }
    driven.answer(&need, NeedAnswer::Resume);
    driven.wait_for_word(AOT, StatusWord::Completed);
}

#[test]
fn an_agent_that_ends_without_taking_the_loop_up_has_not_done_it() {
    let mut driven = lay_out(&text_of("stopped", "null"));
    script(&driven, vec![Rule { says: "I do not know what you mean".into(), ..Rule::default() }]);
    start(&driven).unwrap();
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "skill_unfinished");
    driven.all_gone();
}

#[test]
fn a_value_that_the_hook_would_run_is_never_given_to_the_plugin() {
    let bad = text_of("pending", "null").replace("  iteration: 3", "  iteration: X[$(touch ran)]");
    let driven = lay_out(&bad);
    script(&driven, vec![plugin()]);
    let failure = start(&driven).unwrap_err();
    assert_eq!(failure.kind, FailureKind::ShellValue);
    let line = bad.lines().position(|line| line.contains("touch ran")).unwrap() + 1;
    assert_eq!((failure.args["line"].as_str(), failure.args["path"].as_str()), (&*line.to_string(), AOT));
    let odd = text_of("pending", "null").replace("  status: pending", "  status: pending  # not yet");
    let driven = lay_out(&odd);
    assert_eq!(start(&driven).unwrap_err().kind, FailureKind::NotForPlugin);
    assert_eq!(text(&driven), odd);
    assert!(driven.live.runtime.runs(&driven.live.key(AOT)).unwrap().is_empty());
}

#[test]
fn the_form_warns_of_the_plugin_and_names_who_has_none() {
    let driven = lay_out(&text_of("pending", "null"));
    let form = |plan: RunPlan| {
        let mut form = driven.form("claude");
        (form.plan, form.work.recipe, form.replace) = (plan, loopdeck_core::start::Recipe::Checklist, true);
        let review = driven.live.runtime.review_start(&form);
        let mut found: Vec<(String, bool)> = Vec::new();
        for problem in review.problems.iter().filter(|problem| problem.code.contains("plugin")) {
            found.push((problem.code.clone(), problem.blocks));
        }
        found
    };
    let warns = ("plugin_allows_tools".to_owned(), false);
    assert_eq!(form(by_plugin(&driven)), std::slice::from_ref(&warns));
    assert_eq!(form(RunPlan { driver: Driver::Loopdeck, ..by_plugin(&driven) }), []);
    assert_eq!(
        form(RunPlan { agent: "codex".into(), clean: true, ..by_plugin(&driven) }),
        [warns, ("plugin_needs_claude".to_owned(), true), ("no_plugin_when_clean".to_owned(), true)]
    );
}
