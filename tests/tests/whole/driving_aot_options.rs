//! Options of AoT loops with real processes: the plugin drives, workers work in worktrees, atoms are probed.

use loopdeck_agents::Level;
use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom, Probes};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::Options;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan};
use loopdeck_runtime::drivers::rows::{NeedAnswer, NeedKind};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, more};
use loopdeck_tests::live::AOT;
use loopdeck_tests::repository::git;
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{NO_PLUGIN, Output, Rule, Scripted, Step};
use loopdeck_tests::steps::aot;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A loop in the canonical layout with atoms A1 and A2; `status` and the other fields of `control`.
fn text_of(status: &str, stop_reason: &str) -> String {
    let atom = |id: &str| {
        format!("  - id: {id}\n    description: \"Do {id}\"\n    status: pending\n    depends_on: []\n")
    };
    format!(
        "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n    type: file\n    value: \"A1.txt\"\n  background_intent: \"Because\"\n  \
         deliverables: \"A thing\"\n  definition_of_done: \"It works\"\n  constraints:\n    max_iterations: 10\n    max_parallel_agents: 2\n    \
         max_stall_count: 2\n\ncontrol:\n  status: {status}\n  iteration: 3\n  stall_count: 1\n  prev_pending_count: 2\n  \
         stop_requested: false\n  stop_reason: {stop_reason}\n  redirect_requested: false\n\natoms:\n{}{}\ndecompositions: []\n\nor_groups: {{}}\n\n\
         bindings: {{}}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n",
        atom("A1"),
        atom("A2")
    )
}

fn lay_out(text: &str) -> Driven {
    lay_out_with(text, |_| {})
}

/// The same, with `change` applied to its options.
fn lay_out_with(text: &str, change: impl FnOnce(&mut Options)) -> Driven {
    let mut driven =
        Driven::with(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"), change);
    let program = env!("CARGO_BIN_EXE_scripted_agent");
    driven.live.runtime.set_program("claude", Some(program.into())).unwrap();
    fs::create_dir_all(driven.live.workspace.join(".claude")).unwrap();
    fs::write(driven.live.workspace.join(AOT), text).unwrap();
    driven.live.wait_for("it is listed", |live| live.row(AOT).is_some());
    driven
}

fn text(driven: &Driven) -> String {
    fs::read_to_string(driven.live.workspace.join(AOT)).unwrap()
}

#[track_caller]
fn has(driven: &Driven, line: &str) {
    let text = text(driven);
    assert!(text.lines().any(|found| found == line), "no {line:?} in\n{text}");
}

// --- the plugin drives ----------------------------------------------------------------------------------------------

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

fn script(driven: &Driven, rules: Vec<Rule>) {
    driven.script(&Scripted { output: Output::ClaudeJsonl, rules });
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

// --- worktrees ------------------------------------------------------------------------------------------------------

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// The loop in a repository with one commit; `lines.txt` is not committed.
fn in_repository(rules: Vec<Rule>) -> Driven {
    under_version_control(lay_out(&text_of("pending", "null")), rules)
}

fn under_version_control(driven: Driven, rules: Vec<Rule>) -> Driven {
    let folder = &driven.live.workspace;
    git(folder, &["init", "-q", "-b", "main"]);
    fs::write(folder.join(".gitignore"), "*.runs\n*.gate\n").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "x"]);
    fs::write(folder.join("lines.txt"), LINES).unwrap();
    driven.script(&Scripted { output: Output::Text, rules });
    driven
}

fn worktrees(driven: &Driven) -> RunPlan {
    RunPlan { worktrees: true, ..driven.plan("custom:scripted") }
}

fn answer(status: &str) -> serde_json::Value {
    json!({ "status": status, "summary": "worked", "artifacts": [], "children": [], "reason": "so", "needs": null })
}

/// A worker that changes a line, records that in its own file, waits for a gate in the workspace, and
/// resolves its atom.
fn changes(atom: &str, line: &str, to: &str) -> Rule {
    Rule::on("atom")
        .task(atom)
        .then(Step::Edit { path: "lines.txt".into(), old: line.into(), new: to.into() })
        .then(Step::Write { path: format!("{atom}.txt").into(), text: "done".into() })
        .answers(answer("resolved"))
}

fn lines(driven: &Driven) -> String {
    fs::read_to_string(driven.live.workspace.join("lines.txt")).unwrap()
}

fn references(driven: &Driven) -> Vec<String> {
    let listed = git(&driven.live.workspace, &["for-each-ref", "--format=%(refname)", "refs/loopdeck"]);
    listed.lines().map(str::to_owned).collect()
}

/// Checks that the workers' worktrees are removed.
fn are_removed(driven: &Driven) {
    eventually("the worktrees are removed", || {
        let listed = git(&driven.live.workspace, &["worktree", "list"]);
        (listed.lines().count() == 1).then_some(())
    });
}

fn launch(driven: &Driven, plan: RunPlan) {
    driven.live.runtime.launch(&driven.live.key(AOT), Some(plan), None).unwrap();
}

#[test]
fn workers_work_in_worktrees_and_what_they_did_is_merged() {
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "9\n", "nine\n")]);
    let before = git(&driven.live.workspace, &["status", "--porcelain", "lines.txt"]);
    launch(&driven, worktrees(&driven));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(lines(&driven), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    assert!(["A1.txt", "A2.txt"].iter().all(|file| driven.live.workspace.join(file).exists()));
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let places: Vec<&String> = runs.iter().filter_map(|run| run.worktree.as_ref()).collect();
    let apart = driven.live.data().apart();
    assert!(places.len() == 2 && places[0] != places[1], "{places:?}");
    assert!(places.iter().all(|place| Path::new(place).starts_with(&apart)), "{places:?}");
    are_removed(&driven);
    assert_eq!(references(&driven), Vec::<String>::new());
    assert_eq!(
        git(&driven.live.workspace, &["status", "--porcelain", "lines.txt"]),
        before,
        "nothing is staged"
    );
    driven.all_gone();
}

#[test]
fn a_conflict_is_the_persons_who_takes_the_workers_version() {
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "1\n", "uno\n")]);
    launch(&driven, worktrees(&driven));
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["about"].as_str()), ("merge_conflict", "A2"));
    assert!(need.text.starts_with("lines.txt\n"), "{}", need.text);
    let [kept] = references(&driven).try_into().unwrap();
    assert!(need.text.ends_with(&kept), "{} {kept}", need.text);
    assert!(lines(&driven).starts_with("one\n"));
    assert!(!driven.live.workspace.join("A2.txt").exists(), "all of it or nothing");
    assert_eq!(text(&driven).matches("    status: pending").count(), 1);
    are_removed(&driven);
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(lines(&driven).starts_with("uno\n") && driven.live.workspace.join("A2.txt").exists());
    assert_eq!(driven.ran(AOT).iter().filter(|ran| ran.starts_with("atom")).count(), 2);
}

#[test]
fn of_two_conflicts_in_one_round_the_person_is_asked_about_each() {
    let text_of = text_of("pending", "null").replace("max_parallel_agents: 2", "max_parallel_agents: 3");
    let third =
        "  - id: A3\n    description: \"Do A3\"\n    status: pending\n    depends_on: []\n\ndecompositions";
    let driven = lay_out(&text_of.replace("\ndecompositions", third));
    let rules =
        vec![changes("A1", "1\n", "one\n"), changes("A2", "1\n", "uno\n"), changes("A3", "1\n", "eins\n")];
    let mut driven = under_version_control(driven, rules);
    launch(&driven, worktrees(&driven));
    for atom in ["A2", "A3"] {
        driven.wait(AOT, "it asks", |row| row.word == StatusWord::NeedsYou);
        let need = eventually("the question about it", || {
            let mut needs = driven.live.runtime.needs().needs.into_iter();
            needs.find(|need| need.args.get("about").is_some_and(|about| about == atom))
        });
        assert_eq!(need.args["question"], "merge_conflict");
        driven.answer(&need, NeedAnswer::GoOn);
    }
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(lines(&driven).starts_with("eins\n"), "{}", lines(&driven));
    assert!(["A2.txt", "A3.txt"].iter().all(|file| driven.live.workspace.join(file).exists()));
    let mut ran = driven.ran(AOT);
    ran.sort();
    assert_eq!(ran, ["atom A1 ok", "atom A2 ok", "atom A3 ok"], "nothing is done twice");
}

#[test]
fn a_conflict_can_be_answered_by_doing_the_atom_again() {
    let again = Rule::on("atom").task("A2").answers(answer("resolved"));
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "1\n", "uno\n")]);
    launch(&driven, worktrees(&driven));
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    driven.script(&Scripted { output: Output::Text, rules: vec![again] });
    driven.answer(&need, NeedAnswer::TryAgain);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(lines(&driven).starts_with("one\n"));
    assert_eq!(references(&driven).len(), 1, "it is kept all the same");
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let last = runs.iter().find(|run| run.action == "atom").unwrap();
    assert_eq!(last.worktree, None, "one alone works in the folder");
    let told = fs::read_to_string(driven.live.data().runs().join(&last.id).join("stdin.txt")).unwrap();
    assert!(told.contains("others changed lines.txt too"), "{told}");
}

#[test]
fn what_a_stopped_worker_did_is_kept_and_the_person_is_told_where() {
    let mut hangs = changes("A2", "9\n", "nine\n");
    hangs.steps.push(Step::Hang);
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), hangs]);
    launch(&driven, worktrees(&driven));
    eventually("A1 has ended", || driven.ran(AOT).contains(&"atom A1 ok".to_owned()).then_some(()));
    let at = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let at =
        at.iter().find(|run| run.task.as_deref() == Some("A2")).and_then(|run| run.worktree.clone()).unwrap();
    eventually("A2 has begun", || Path::new(&at).join("A2.txt").exists().then_some(()));
    driven.live.runtime.stop_now(&driven.live.key(AOT)).unwrap();
    driven.wait_for_word(AOT, StatusWord::Stopped);
    assert_eq!(lines(&driven), "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "work_kept");
    let [kept] = references(&driven).try_into().unwrap();
    assert_eq!(need.text, kept);
    assert!(git(&driven.live.workspace, &["show", &format!("{kept}:lines.txt")]).ends_with("nine"));
    are_removed(&driven);
}

#[test]
fn a_limit_in_a_worktree_keeps_what_others_merged_in_the_file() {
    let hangs = Rule { steps: vec![Step::Hang], ..changes("A1", "1\n", "one\n") };
    let driven = lay_out_with(&text_of("pending", "null"), |options| options.minute = Duration::from_secs(6));
    let mut driven = under_version_control(driven, vec![hangs, changes("A2", "9\n", "nine\n")]);
    launch(&driven, RunPlan { minutes: Some(1), ..worktrees(&driven) });
    let need = driven.wait_for_need(AOT, NeedKind::LimitReached);
    assert!(lines(&driven).ends_with("nine\n"), "it is merged");
    has(&driven, "    status: resolved");
    has(&driven, "    status: in_progress");
    are_removed(&driven);
    driven.script(&Scripted { output: Output::Text, rules: vec![changes("A1", "1\n", "one\n")] });
    driven.answer(&need, more("time", 100));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(lines(&driven), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let mut ran = driven.ran(AOT);
    ran[..2].sort();
    assert_eq!(ran, ["atom A1 budget", "atom A2 ok", "atom A1 ok"]);
}

#[test]
fn what_a_crash_left_in_a_worktree_is_kept() {
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "9\n", "nine\n")]);
    let id = driven.live.key(AOT).split(':').next().unwrap().to_owned();
    let left = driven.live.data().apart().join(id).join("round/1-A1");
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    git(&driven.live.workspace, &["worktree", "add", "-q", "--detach", left.to_str().unwrap()]);
    fs::write(left.join("left.txt"), "left").unwrap();
    launch(&driven, worktrees(&driven));
    driven.wait_for_word(AOT, StatusWord::Completed);
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "work_kept");
    assert_eq!(git(&driven.live.workspace, &["show", &format!("{}:left.txt", need.text)]), "left");
    are_removed(&driven);
}

#[test]
fn without_a_repository_there_are_no_worktrees_and_nothing_starts() {
    let mut driven = lay_out(&text_of("pending", "null"));
    driven.script(&Scripted { output: Output::Text, rules: vec![changes("A1", "1", "one")] });
    launch(&driven, worktrees(&driven));
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "no_worktrees");
    assert!(driven.ran(AOT).is_empty());
}

// --- probes ---------------------------------------------------------------------------------------------------------

fn probed(atom: &str, feasible: bool, reason: &str) -> Rule {
    Rule::on("probe").task(atom).answers(json!({ "feasible": feasible, "reason": reason }))
}

fn does(atom: &str) -> Rule {
    let step = Step::Write { path: format!("{atom}.txt").into(), text: "done".into() };
    Rule::on("atom").task(atom).then(step).answers(answer("resolved"))
}

fn probes(driven: &Driven, probes: Probes) -> RunPlan {
    RunPlan { probes, ..driven.plan("custom:scripted") }
}

#[test]
fn an_alternative_that_is_not_feasible_gives_way_before_a_worker_starts() {
    let group = "\n  way:\n    choices: [A2, A1]\n    selected: A2\n    failed: []\n";
    let alternatives = text_of("pending", "null")
        .replace("or_groups: {}\n", &format!("or_groups:{group}"))
        .replace("    depends_on: []\n", "    depends_on: []\n    or_group: way\n");
    let mut driven = lay_out(&alternatives);
    let rules = vec![probed("A2", false, "The library is gone"), probed("A1", true, ""), does("A1")];
    driven.script(&Scripted { output: Output::Text, rules });
    launch(&driven, probes(&driven, Probes::Alternatives));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT), ["probe A2 ok", "probe A1 ok", "atom A1 ok"]);
    for line in ["    selected: A1", "    failed: [A2]", "  iteration: 1"] {
        has(&driven, line);
    }
    assert!(text(&driven).contains("A2 failed (Not feasible: The library is gone)"), "{}", text(&driven));
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let levels: Vec<_> = runs.iter().map(|run| (run.action.as_str(), run.level)).collect();
    assert!(levels.contains(&("probe", Some(Level::LookOnly))), "{levels:?}");
    assert!(levels.contains(&("atom", Some(Level::FullAccess))), "{levels:?}");
    driven.all_gone();
}

#[test]
fn of_an_atom_without_an_alternative_the_person_is_asked() {
    let mut driven = lay_out(&text_of("pending", "null"));
    let rules =
        vec![probed("A1", false, "There is no database"), probed("A2", true, "fine"), does("A1"), does("A2")];
    driven.script(&Scripted { output: Output::Text, rules });
    launch(&driven, probes(&driven, Probes::All));
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["about"].as_str()), ("not_feasible", "A1"));
    assert_eq!(need.text, "There is no database");
    assert_eq!(driven.ran(AOT), ["probe A1 ok"], "nothing was begun");
    assert_eq!(text(&driven).matches("    status: pending").count(), 2);
    driven.answer(&need, NeedAnswer::Say { text: "Make one".into() });
    driven.wait_for_word(AOT, StatusWord::Completed);
    let mut ran = driven.ran(AOT);
    ran.sort();
    assert_eq!(ran, ["atom A1 ok", "atom A2 ok", "probe A1 ok", "probe A2 ok"]);
}

#[test]
fn a_probe_that_comes_to_nothing_holds_nothing_up() {
    let mut driven = lay_out(&text_of("pending", "null"));
    let fails = Rule { exit: 3, ..Rule::on("probe").task("A1") };
    let says = Rule { says: "Looks fine".into(), ..Rule::on("probe") };
    driven.script(&Scripted { output: Output::Text, rules: vec![fails, says, does("A1"), does("A2")] });
    launch(&driven, probes(&driven, Probes::All));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT)[..2], ["probe A1 task_failed", "probe A2 ok"]);
}
