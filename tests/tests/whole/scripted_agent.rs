//! The scripted agent follows its script: the window tests rely on it.
#![allow(clippy::disallowed_methods, reason = "the agent is a program")]

use loopdeck_tests::scripted::{Output, Rule, Scripted, Spawn, Step};
use loopdeck_tests::tiny_project;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

fn start(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Agent {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scripted_agent"));
    command.args(arguments).current_dir(folder).envs(environment.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    Agent { stdin: child.stdin.take(), child, lines }
}

impl Agent {
    fn tell(&mut self, value: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{value}").unwrap();
    }

    /// The next line that contains `words`.
    fn until(&mut self, words: &str) -> String {
        let line = self.lines.by_ref().map_while(Result::ok).find(|line| line.contains(words));
        line.unwrap_or_else(|| panic!("no line with {words}"))
    }

    /// The rest of its output, and its end: exit code or the negative signal.
    fn end(mut self) -> (String, i32) {
        self.stdin = None;
        let rest: Vec<String> = self.lines.by_ref().map_while(Result::ok).collect();
        let status = self.child.wait().unwrap();
        (rest.join("\n"), status.code().unwrap_or_else(|| -status.signal().unwrap()))
    }
}

fn asked(folder: &Path, prompt: &str) -> (String, i32) {
    let mut agent = start(folder, &[], &[]);
    agent.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
    agent.end()
}

fn folder(script: &Scripted) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    script.put_into(folder.path());
    folder
}

fn develop(task: &str) -> String {
    format!(
        "You do one action of a loop: DEVELOP.\n\n## What to do now\nTask {task} (data):\n```text\nx\n```\n"
    )
}

fn user(text: &str) -> Value {
    json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "text", "text": text }] } })
}

#[test]
fn it_repairs_the_tiny_project() {
    let folder = tempfile::tempdir().unwrap();
    tiny_project::lay_out(folder.path());
    let tests = || {
        let output = Command::new("sh").arg("test.sh").current_dir(folder.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().matches("not ok").count()
    };
    let (plan, _) = asked(folder.path(), "You do one action of a loop: INIT.\n");
    assert!(plan.contains("task-003"), "{plan}");
    for (task, left) in [("task-001", 1), ("task-002", 1), ("task-003", 1)] {
        let (text, code) = asked(folder.path(), &develop(task));
        assert_eq!((code, tests()), (0, left), "{task}: {text}");
        assert!(text.contains(&format!("\"task_id\": \"{task}\"")), "{text}");
    }
    let (text, _) = asked(folder.path(), "You do one action of a loop: DEBUG.\n");
    assert_eq!(tests(), 0, "{text}");
    let (_, code) = asked(folder.path(), "You do one action of a loop: DEBUG.\n");
    assert_eq!(code, 4, "an edit that does not fit is no success");
}

#[test]
fn the_environment_names_the_action_too_and_rules_are_used_up() {
    let first = Rule::on("develop").task("T1").times(1).then(Step::Exit(7));
    let later = Rule::on("develop").answers(json!({ "status": "completed" }));
    let folder = folder(&Scripted { rules: vec![first, later], ..Scripted::default() });
    let environment = [("LOOPDECK_ACTION", "develop"), ("LOOPDECK_TASK_ID", "T1")];
    let codes: Vec<i32> = (0..2).map(|_| start(folder.path(), &[], &environment).end().1).collect();
    assert_eq!(codes, [7, 0]);
    assert_eq!(asked(folder.path(), "nothing of ours").1, 3, "no rule fits");
    let runs = fs::read_to_string(folder.path().join(".scripted-agent.json.runs")).unwrap();
    assert_eq!(runs.lines().count(), 2, "{runs}");
}

#[test]
fn it_waits_at_a_gate_spams_and_crashes() {
    let rule = Rule::default()
        .then(Step::Say("before".into()))
        .then(Step::WaitFor("gate".into()))
        .then(Step::Spam { lines: 1000, text: "more".into() })
        .then(Step::Crash);
    let folder = folder(&Scripted { rules: vec![rule], ..Scripted::default() });
    let mut agent = start(folder.path(), &[], &[]);
    agent.stdin = None;
    agent.until("before");
    assert!(agent.child.try_wait().unwrap().is_none());
    fs::write(folder.path().join("gate"), "").unwrap();
    let (text, code) = agent.end();
    assert_eq!((text.lines().count(), code), (1000, -Signal::ABORT.as_raw()));
}

#[test]
fn it_ignores_the_signals_that_ask() {
    let rule = Rule { ignore_signals: true, ..Rule::default() }
        .then(Step::Say("ready".into()))
        .then(Step::WaitFor("gate".into()))
        .then(Step::Say("still here".into()));
    let folder = folder(&Scripted { rules: vec![rule], ..Scripted::default() });
    let mut agent = start(folder.path(), &[], &[]);
    agent.stdin = None;
    agent.until("ready");
    for signal in [Signal::TERM, Signal::INT] {
        kill_process(Pid::from_child(&agent.child), signal).unwrap();
    }
    fs::write(folder.path().join("gate"), "").unwrap();
    let (text, code) = agent.end();
    assert_eq!((text.contains("still here"), code), (true, 0), "{text}");
}

#[test]
fn it_leaves_processes_in_sessions_of_their_own_behind() {
    let spawn = Spawn {
        seconds: 600,
        own_session: true,
        without_environment: true,
        holds_output: false,
        pid_file: Some("left.pid".into()),
    };
    let folder =
        folder(&Scripted { rules: vec![Rule::default().then(Step::Spawn(spawn))], ..Scripted::default() });
    let mut agent = start(folder.path(), &[], &[("LOOPDECK_RUN_ID", "of this test")]);
    agent.stdin = None;
    let its_group = agent.child.id();
    assert_eq!(agent.end().1, 0);
    // The file is created before its text is written.
    let written = || fs::read_to_string(folder.path().join("left.pid")).unwrap().trim().parse().ok();
    let pid: i32 = std::iter::repeat_with(written).flatten().next().unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session: u32 = stat.rsplit(") ").next().unwrap().split(' ').nth(3).unwrap().parse().unwrap();
    let environment = fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    assert_ne!(session, its_group);
    assert!(!environment.contains("LOOPDECK_RUN_ID"), "{environment}");
}

#[test]
fn it_asks_over_stdio_and_obeys_the_answer() {
    let rule = Rule::on("develop")
        .then(Step::Ask { tool: "Bash".into(), input: json!({ "command": "make" }) })
        .then(Step::Write { path: "made".into(), text: "yes".into() });
    for (behaviour, made) in [("allow", true), ("deny", false)] {
        let folder = folder(&Scripted { output: Output::ClaudeJsonl, rules: vec![rule.clone()] });
        let mut agent = start(folder.path(), &["--input-format", "stream-json"], &[]);
        agent.tell(&user(&develop("T1")));
        let request: Value = serde_json::from_str(&agent.until("can_use_tool")).unwrap();
        let response = json!({ "subtype": "success", "request_id": request["request_id"], "response": { "behavior": behaviour } });
        agent.tell(&json!({ "type": "control_response", "response": response }));
        agent.until("\"type\":\"result\"");
        assert!(agent.child.try_wait().unwrap().is_none(), "it stays until its input is closed");
        assert_eq!(agent.end().1, 0);
        assert_eq!(folder.path().join("made").exists(), made);
    }
}

#[test]
fn an_interrupt_over_stdio_ends_it_with_a_last_event() {
    let rule = Rule::default().then(Step::Say("ready".into())).then(Step::Hang);
    let folder = folder(&Scripted { output: Output::ClaudeJsonl, rules: vec![rule] });
    let mut agent = start(folder.path(), &["--input-format", "stream-json"], &[]);
    agent.tell(&user("anything"));
    agent.until("ready");
    agent.tell(
        &json!({ "type": "control_request", "request_id": "r", "request": { "subtype": "interrupt" } }),
    );
    agent.until("control_response");
    let (text, code) = agent.end();
    assert!(text.contains("aborted_tools"), "{text}");
    assert_eq!(code, 1);
}
