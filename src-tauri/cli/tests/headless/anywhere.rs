//! Whole loops of three formats with an agent that works on every system: to the end, stopped in the middle, taken up after the program
//! was killed, paused by another program, begun by two at once, in files with Windows' line ends, and in folders with odd names.

use crate::place::{Answer, Place, said};
use loopdeck_runtime::processes::{find_process, is_alive};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_tests::atoms::resolves;
use loopdeck_tests::driving::add_agent;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Spawn, Step};
use loopdeck_tests::tiny_project;
use loopdeck_tests::waiting::eventually;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use xtask::child::bound_command;

/// Tests that pass, in words that every shell understands.
const PASSING: &str = "echo TAP version 13&& echo 1..1&& echo ok 1 - all is well";

/// The scripted agent, which lies next to the program. On Windows as npm installs agents: a command file.
fn agent(place: &Place) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_loopdeck"))
        .with_file_name(format!("scripted_agent{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "cargo build -p loopdeck-tests --bin scripted_agent");
    if !cfg!(windows) {
        return program;
    }
    let program = std::path::absolute(program).unwrap(); // with its drive
    let file = place.folder.path().join("agent.cmd");
    fs::write(&file, format!("@\"{}\" %*\r\n", program.display())).unwrap();
    file
}

/// A loop of a format, as the scripted agent works it off.
struct Kind {
    /// The format, as `loopdeck new` takes it, and what else it is given.
    format: &'static str,
    given: &'static [&'static str],
    /// What the agent does, for the state file of the loop.
    rules: fn(&str) -> Vec<Rule>,
    /// The first action.
    first: &'static str,
    /// What the state file says at the end.
    completed: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        format: "loop_v2",
        given: &["--test", PASSING],
        rules: |_| tiny_project::rules(),
        first: "init",
        completed: "\"status\": \"completed\"",
    },
    Kind {
        format: "aot",
        given: &["--check-file", "A2.txt", "--atom", "Do A1", "--atom", "Do A2", "--after", "A1"],
        rules: |_| vec![resolves("A1"), resolves("A2")],
        first: "atom",
        completed: "status: completed",
    },
    Kind {
        format: "ralph",
        given: &["--title", "Two shops", "--task", "Open the first", "--task", "Open the second"],
        rules: |list| vec![ticks(list, "Open the first").times(1), ticks(list, "Open the second")],
        first: "iterate",
        completed: "status=completed iteration=2",
    },
];

/// Ticks a box of a Ralph list.
fn ticks(list: &str, box_of: &str) -> Rule {
    let (old, new) = (format!("- [ ] {box_of}"), format!("- [x] {box_of}"));
    Rule::on("iterate").then(Step::Edit { path: list.into(), old, new })
}

/// A loop in a workspace with the tiny project.
struct Project {
    place: Place,
    id: String,
    file: String,
}

impl Project {
    /// With a loop of this kind. Its agent takes `steps` first when it is started for the first time.
    fn new(kind: &Kind, steps: Vec<Step>) -> Self {
        Self::at(Place::empty(), kind, "Make the tests of the tiny shop pass", steps)
    }

    /// The same in a place, with a goal.
    fn at(place: Place, kind: &Kind, goal: &str, steps: Vec<Step>) -> Self {
        tiny_project::lay_out(&place.workspace());
        let window = Runtime::start(&Options::new(place.data())).unwrap();
        add_agent(&window, "scripted", agent(&place).to_str().unwrap(), "text");
        drop(window);
        let work = ["--goal", goal, "--format", kind.format];
        let how = ["--agent", "custom:scripted", "--level", "full_access"];
        let made = place.json("new", &[&work[..], kind.given, &how].concat());
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        let (id, file) = (text("id"), text("file"));
        let mut rules = (kind.rules)(&file);
        rules[0].steps.splice(..0, steps);
        Scripted { output: Output::Text, rules }.put_into(&place.workspace());
        Self { place, id, file }
    }

    fn wait_for_file(&self, name: &str) {
        let path = self.place.workspace().join(name);
        eventually("the agent works", || path.exists().then_some(()));
    }

    /// Lets the agent go on that waits for this.
    fn open_gate(&self) {
        fs::write(self.place.workspace().join(GATE), "").unwrap();
    }

    /// The actions that the agent was started for.
    fn actions(&self) -> Vec<String> {
        let started = self.place.read(".scripted-agent.json.runs");
        let action = |line: &str| serde_json::from_str::<Value>(line).unwrap()["action"].take();
        started.lines().filter_map(|line| action(line).as_str().map(str::to_owned)).collect()
    }

    /// Runs the loop, which ends completed.
    fn completes(&self, kind: &Kind, run: Child) {
        let (code, last, answer) = end(run);
        assert_eq!((code, &last["outcome"]), (0, &json!("completed")), "{}: {answer:?}", kind.format);
        let text = self.place.read(&self.file);
        assert!(text.contains(kind.completed), "{text}");
    }
}

const GATE: &str = "gate";

/// The agent says that it works, and waits.
fn waits() -> Vec<Step> {
    vec![Step::Write { path: "begun".into(), text: String::new() }, Step::WaitFor(GATE.into())]
}

/// Starts `loopdeck run`.
fn run(Project { place, id, .. }: &Project) -> Child {
    let mut command: Command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg("run").arg(place.workspace());
    command.args([id, "--yes-trust", "--json"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// How it ended: its exit code and its last event.
fn end(run: Child) -> (i32, Value, Answer) {
    let answer = said(&run.wait_with_output().unwrap());
    let last = answer.out.lines().last().map(|line| serde_json::from_str(line).unwrap());
    (answer.code, last.unwrap_or_default(), answer)
}

#[test]
fn a_loop_runs_to_its_end_and_its_tasks_are_done() {
    for kind in &KINDS {
        let project = Project::new(kind, Vec::new());
        project.completes(kind, run(&project));
        let actions = project.actions();
        let firsts = actions.iter().filter(|action| *action == kind.first).count();
        assert_eq!(
            (actions.len(), firsts),
            if kind.first == "init" { (4, 1) } else { (2, 2) },
            "{actions:?}"
        );
        if kind.first == "init" {
            let state: Value = serde_json::from_str(&project.place.read(&project.file)).unwrap();
            let tasks = state["skill_state"]["develop"]["tasks"].as_array().unwrap();
            assert!(tasks.len() == 3 && tasks.iter().all(|task| task["status"] == "completed"), "{tasks:?}");
            assert!(project.place.read("README.md").contains("# Tiny shop, repaired"));
        }
    }
}

#[test]
fn a_stop_in_the_middle_leaves_no_process_and_says_so() {
    // An AoT loop ends its round first.
    for kind in KINDS.iter().filter(|kind| kind.format != "aot") {
        let pid_file = PathBuf::from("left.pid");
        let left = Spawn { seconds: 600, own_session: true, pid_file: Some(pid_file), ..Spawn::default() };
        let project = Project::new(kind, vec![Step::Spawn(left), Step::Hang]);
        let running = run(&project);
        project.wait_for_file("left.pid");
        let pid = project.place.read("left.pid").trim().parse().unwrap();
        let left = find_process(pid).unwrap().unwrap().id;
        let stopped = project.place.run("stop", &[&project.id]);
        assert_eq!(stopped.code, 0, "{stopped:?}");
        let (_, last, answer) = end(running);
        assert_eq!((&last["outcome"], &last["left"]), (&json!("stopped"), &json!([])), "{answer:?}");
        assert!(last["ended_processes"].as_u64() >= Some(2), "the agent and what it left: {last}");
        assert!(!is_alive(left).unwrap(), "{}", kind.format);
    }
}

#[test]
fn an_agent_works_on_when_the_program_is_killed_and_the_next_one_takes_it_up() {
    for kind in &KINDS {
        let project = Project::new(kind, waits());
        let mut killed = run(&project);
        project.wait_for_file("begun");
        killed.kill().unwrap();
        killed.wait().unwrap();
        let again = run(&project);
        project.open_gate();
        project.completes(kind, again);
        let actions = project.actions();
        assert_eq!(
            actions.len(),
            if kind.first == "init" { 4 } else { 2 },
            "none is done again: {actions:?}"
        );
    }
}

#[test]
fn another_program_pauses_a_loop_and_it_is_run_on() {
    for kind in &KINDS {
        let project = Project::new(kind, waits());
        let running = run(&project);
        project.wait_for_file("begun");
        let paused = project.place.run("pause", &[&project.id]);
        assert_eq!(paused.code, 0, "{paused:?}");
        project.open_gate();
        let (code, last, answer) = end(running);
        assert_eq!((code, &last["outcome"]), (5, &json!("paused")), "{}: {answer:?}", kind.format);
        assert_eq!(project.actions().len(), 1, "what was at work counts, and nothing else began");
        project.completes(kind, run(&project));
    }
}

#[test]
fn a_second_program_does_not_start_an_agent_that_works() {
    for kind in &KINDS {
        let project = Project::new(kind, waits());
        let first = run(&project);
        project.wait_for_file("begun");
        let (code, _, answer) = end(run(&project));
        assert!(code == 2 && answer.err.contains("runs_in_terminal"), "{}: {answer:?}", kind.format);
        project.open_gate();
        project.completes(kind, first);
        let actions = project.actions().len();
        assert_eq!(actions, if kind.first == "init" { 4 } else { 2 }, "none was started twice");
    }
}

#[test]
fn line_ends_of_windows_stay_what_they_are() {
    for kind in &KINDS {
        let project = Project::new(kind, Vec::new());
        let path = project.place.workspace().join(&project.file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace('\n', "\r\n")).unwrap();
        project.completes(kind, run(&project));
        let text = project.place.read(&project.file);
        // AoT's plugin can't read such a front matter: that gets plain ones before it is driven.
        let kept = text.split_once("---\n").and_then(|(_, rest)| rest.split_once("---\n"));
        let kept = kept.map_or(&*text, |(_, body)| body);
        let ends = kept.matches('\n').count();
        assert!(ends > 3 && kept.matches("\r\n").count() == ends, "{text:?}");
    }
}

#[test]
fn folders_and_goals_may_have_letters_that_shells_read() {
    for kind in &KINDS {
        let folder = TempDir::with_prefix("Größe & 'Co' (100% ^x86) !a; ").unwrap();
        let goal = "Say \"50 %\" & <Größe>\n— %PATH% $HOME `no` ^";
        let project = Project::at(Place { folder }, kind, goal, Vec::new());
        project.completes(kind, run(&project));
        let is_kept = project.place.read(&project.file).contains("<Größe>");
        assert!(is_kept || kind.format == "ralph", "{}: only a list has no place for it", kind.format);
    }
}
