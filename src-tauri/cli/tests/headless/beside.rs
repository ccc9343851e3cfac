//! A loop that one Loopdeck runs, seen and steered from another: every verb × who runs it × who asks × every format.
//!
//! Each row of the table is one verb, with what must come of it for each format. The one that runs the loop is a real
//! `loopdeck run`, or the runtime as the window or a node has it; whoever asks is the real program or the window's runtime,
//! with the same data folder.

use crate::place::{Place, everything, wait_for};
use loopdeck_core::control::{MetadataPatch, Verb};
use loopdeck_core::formats::aot::{AotOperation, Correction, NewAtom};
use loopdeck_core::status::Program;
use loopdeck_core::step::{Operation, RepairCode};
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::views::{Failure, LoopChange, LoopRow, VerbOptions};
use loopdeck_runtime::{Options, Runtime, Traces};

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use xtask::child::{Owned, bound_command};

const FORMATS: [&str; 4] = ["loop_v2", "loop_b", "aot", "ralph"];

/// What is asked.
#[derive(Clone, Copy, Debug)]
enum Ask {
    Run,
    Verb(Verb),
    Delete,
    Edit,
    Repair,
    Undo,
    Redirect,
}

/// What must come of it.
#[derive(Clone, Copy, Debug)]
enum Must {
    /// Refused, with the program that runs the loop; nothing is written, and the agents work on.
    SayWho,
    /// Refused for a reason of the format's own.
    Refuse(&'static str),
    /// Done by the program that runs the loop, whose agents work on; then the loop is shown so.
    Take(&'static str),
    /// The program that runs the loop ends every process, and ends itself.
    End,
    /// Done; whoever runs the loop interrupts its workers, and then starts them again.
    Interrupt,
}
use Must::{End, Interrupt, Refuse, SayWho, Take};

const NOT_HERE: Must = Refuse("not_in_format");

/// A verb, and what must come of it while an action is at work: Loop v2, Loop-B, AoT, Ralph.
#[rustfmt::skip]
const TABLE: [(Ask, [Must; 4]); 12] = [
    (Ask::Run, [SayWho; 4]),
    (Ask::Verb(Verb::Start), [SayWho; 4]),
    (Ask::Verb(Verb::Resume), [SayWho; 4]),
    (Ask::Verb(Verb::Reopen), [SayWho; 4]),
    (Ask::Verb(Verb::Finalise), [NOT_HERE, NOT_HERE, SayWho, NOT_HERE]),
    (Ask::Delete, [SayWho; 4]),
    (Ask::Repair, [SayWho, SayWho, SayWho, Refuse("nothing_to_repair")]),
    (Ask::Edit, [SayWho, SayWho, NOT_HERE, SayWho]),
    (Ask::Redirect, [NOT_HERE, NOT_HERE, Interrupt, NOT_HERE]),
    (Ask::Verb(Verb::Pause), [Take("pausing"); 4]),
    (Ask::Undo, [Take("running"); 4]),
    (Ask::Verb(Verb::Stop), [End, End, Take("stopping"), End]),
];

/// Who runs the loop.
enum Running {
    Terminal(Box<Owned>),
    Here(#[allow(dead_code, reason = "it runs the loop as long as it lives")] Box<Runtime>),
}

/// A loop at work: its agents write their process ids and wait.
struct Scene {
    place: Place,
    id: String,
    file: String,
    running: Running,
}

impl Scene {
    fn new(format: &str, program: Program) -> Self {
        let place = Place::empty();
        let agents = place.folder.path().join("agents");
        fs::create_dir(&agents).unwrap();
        let shell = format!("touch '{}'/$$; exec sleep 300", agents.display());
        let work: &[&str] = match format {
            "aot" => &["--check", "true", "--atom", "One", "--atom", "Two"],
            _ => &["--task", "One", "--task", "Two"],
        };
        let how = ["--goal", "A goal", "--format", format, "--shell", &shell, "--test", "true"];
        let made = place.json("new", &[&how[..], work].concat());
        let word = |name: &str| made[name].as_str().unwrap().to_owned();
        let (id, file) = (word("id"), word("file"));
        let running = match program {
            Program::Terminal => {
                let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
                command.arg("--data-dir").arg(place.data()).arg("run").arg(place.workspace());
                command.args([&id, "--yes-trust", "--json"]).stdin(Stdio::null());
                command.stdout(Stdio::null()).stderr(Stdio::null());
                Running::Terminal(Box::new(Owned::spawn(&mut command).unwrap()))
            }
            Program::Window | Program::Node => {
                let traces = if program == Program::Node { Traces::Runs } else { Traces::All };
                let runtime =
                    runtime(&place, |options| (options.program, options.traces) = (program, traces));
                runtime.trust(&place.workspace().to_string_lossy(), true).unwrap();
                runtime.launch(&row_of(&runtime, &file).key, None, None).unwrap();
                Running::Here(Box::new(runtime))
            }
        };
        let scene = Self { place, id, file, running };
        wait_for("the agents are at work", || scene.at_work(format).is_some());
        scene
    }

    /// Process ids of living agents.
    fn agents(&self) -> BTreeSet<String> {
        let names = fs::read_dir(self.place.folder.path().join("agents")).unwrap().flatten();
        let names = names.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|pid| Path::new(&format!("/proc/{pid}")).exists()).collect()
    }

    /// The agents of the first round, once all of them are there.
    fn at_work(&self, format: &str) -> Option<BTreeSet<String>> {
        let agents = self.agents();
        (agents.len() >= if format == "aot" { 2 } else { 1 }).then_some(agents)
    }
}

impl Scene {
    /// Nothing is left of the loop's processes, and nobody runs it.
    fn ended(&self, asker: &Asker<'_>) {
        wait_for("it is stopped", || asker.shown() == ("stopped".to_owned(), Value::Null));
        assert_eq!(self.agents(), BTreeSet::new());
        wait_for("its mark is gone", || !self.place.workspace().join(".loopdeck").exists());
    }
}

fn runtime(place: &Place, change: impl FnOnce(&mut Options)) -> Runtime {
    let mut options = Options { floor: Duration::from_millis(200), ..Options::new(place.data()) };
    let program = env!("CARGO_BIN_EXE_loopdeck").into();
    options.guardian = Some(GuardianProgram { program, args: vec!["--guardian".into()] });
    change(&mut options);
    let runtime = Runtime::start(&options).unwrap();
    runtime.open_workspace(&place.workspace()).unwrap();
    runtime
}

fn row_of(runtime: &Runtime, file: &str) -> LoopRow {
    runtime.rows().into_iter().find(|row| row.file == file).unwrap()
}

impl Drop for Scene {
    /// Whoever runs the loop may leave its agents at work.
    fn drop(&mut self) {
        let pids = self.agents().into_iter().filter_map(|pid| pid.parse().ok());
        for pid in pids.filter_map(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Who asks.
enum Asker<'s> {
    /// With the data folder of this name.
    Terminal(&'s Place, &'static str, &'s str),
    Window(&'s Runtime, &'s str),
}

/// Where whoever asks is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum AskedFrom {
    Terminal,
    Window,
    /// A terminal with another data folder, which sees the mark in the workspace.
    OtherData,
}

impl Asker<'_> {
    /// The code of the reason against it.
    fn ask(&self, ask: Ask) -> Result<(), String> {
        match self {
            Self::Terminal(place, data, id) => in_a_terminal(place, data, id, ask),
            Self::Window(runtime, file) => in_a_window(runtime, &row_of(runtime, file), ask).map_err(code),
        }
    }

    /// Status and program, as shown.
    fn shown(&self) -> (String, Value) {
        match self {
            Self::Terminal(place, data, id) => {
                let shown = place.run_with(data, "show", &[id, "--json"]).json();
                let listed = place.run_with(data, "list", &["--json"]).json();
                assert_eq!(
                    (&listed[0]["shown_status"], &listed[0]["runner"]),
                    (&shown["shown_status"], &shown["runner"])
                );
                (shown["shown_status"].as_str().unwrap().to_owned(), shown["runner"]["program"].clone())
            }
            Self::Window(runtime, file) => {
                let row = serde_json::to_value(row_of(runtime, file)).unwrap();
                (row["word"].as_str().unwrap().to_owned(), row["runner"]["program"].clone())
            }
        }
    }
}

fn in_a_terminal(place: &Place, data: &str, id: &str, ask: Ask) -> Result<(), String> {
    let verb = match ask {
        Ask::Verb(verb) => serde_json::to_value(verb).unwrap().as_str().unwrap().to_owned(),
        Ask::Run => "run".to_owned(),
        Ask::Delete => "delete".to_owned(),
        Ask::Edit => "edit".to_owned(),
        Ask::Repair => "repair".to_owned(),
        Ask::Undo => "undo".to_owned(),
        Ask::Redirect => "redirect".to_owned(),
    };
    let more: &[&str] = match ask {
        Ask::Run => &["--yes-trust", "--shell", "true"],
        Ask::Edit => &["--max-iterations", "17"],
        Ask::Repair => &["reset_orphans"],
        Ask::Redirect => &["--why", "More is needed", "--add-atom", "Three"],
        _ => &[],
    };
    let answer = place.run_with(data, &verb, &[&[id][..], more].concat());
    if answer.code == 0 {
        return Ok(());
    }
    assert_eq!((answer.code, &*answer.out), (2, ""), "{ask:?}: {answer:?}");
    Err(answer.err.split(": ").nth(1).unwrap().to_owned())
}

fn in_a_window(runtime: &Runtime, row: &LoopRow, ask: Ask) -> Result<(), Failure> {
    let key = &row.key;
    let operate = |step| runtime.change(key, LoopChange::Operate { operation: Operation::Aot { step } });
    match ask {
        Ask::Run => runtime.launch(key, None, None),
        Ask::Verb(verb) => runtime.act(key, verb, VerbOptions::default()),
        Ask::Delete => runtime.delete_loop(key).map(drop),
        Ask::Edit => {
            let patch = MetadataPatch { max_iterations: Some(17), ..MetadataPatch::default() };
            runtime.edit_metadata(key, patch)
        }
        Ask::Repair => runtime.change(key, LoopChange::Repair { repair: RepairCode::ResetOrphans }),
        Ask::Undo => runtime.undo(key),
        // As the dialog does it: hold first.
        Ask::Redirect => {
            operate(AotOperation::HoldForRedirect)?;
            let change = Correction::AddAtom(NewAtom { description: "Three".into(), ..NewAtom::default() });
            operate(AotOperation::Redirect { change, description: "More is needed".into() })
        }
    }
}

fn code(failure: Failure) -> String {
    let code = match failure.refusal {
        Some(refusal) => serde_json::to_value(refusal.code),
        None => serde_json::to_value(failure.kind),
    };
    code.unwrap().as_str().unwrap().to_owned()
}

fn whole_table(program: Program, from: AskedFrom) {
    for (column, format) in FORMATS.into_iter().enumerate() {
        let scene = Scene::new(format, program);
        let window = (from == AskedFrom::Window).then(|| runtime(&scene.place, |_| {}));
        let asker = match &window {
            Some(window) => Asker::Window(window, &scene.file),
            None => {
                let data = if from == AskedFrom::OtherData { "other-data" } else { "data" };
                Asker::Terminal(&scene.place, data, &scene.id)
            }
        };
        let who = serde_json::to_value(program).unwrap();
        let beside = match program {
            Program::Window => "runs_in_window",
            Program::Terminal => "runs_in_terminal",
            Program::Node => "runs_on_node",
        };
        let shows = |word: &str| asker.shown() == (word.to_owned(), who.clone());
        wait_for("it is shown as running", || shows("running"));
        for (ask, must) in TABLE {
            let what = format!("{format}, run by {program:?}, asked from {from:?}: {ask:?}");
            let agents = scene.at_work(format).unwrap_or_else(|| panic!("before {what}"));
            let before = everything(&scene.place.workspace());
            let came = asker.ask(ask);
            let refused = match must[column] {
                SayWho => Some(beside),
                Refuse(code) => Some(code),
                Take(_) | Interrupt | End => None,
            };
            assert_eq!(came.err().as_deref(), refused, "{what}");
            if refused.is_some() {
                assert_eq!(everything(&scene.place.workspace()), before, "{what}");
            }
            match must[column] {
                Take(word) => wait_for(word, || shows(word)),
                Interrupt => wait_for("other workers", || {
                    let now = scene.agents();
                    now.len() == 3 && now.is_disjoint(&agents)
                }),
                End => scene.ended(&asker),
                SayWho | Refuse(_) => {}
            }
            if !matches!(must[column], Interrupt | End) {
                assert_eq!(scene.agents(), agents, "{what}");
            }
        }
    }
}

#[test]
fn a_loop_of_a_terminal_in_another_terminal() {
    whole_table(Program::Terminal, AskedFrom::Terminal);
}

#[test]
fn a_loop_of_a_terminal_in_a_window() {
    whole_table(Program::Terminal, AskedFrom::Window);
}

#[test]
fn a_loop_of_the_window_in_a_terminal() {
    whole_table(Program::Window, AskedFrom::Terminal);
}

#[test]
fn a_loop_of_the_window_in_another_window() {
    whole_table(Program::Window, AskedFrom::Window);
}

#[test]
fn a_loop_of_a_node_in_a_terminal() {
    whole_table(Program::Node, AskedFrom::Terminal);
}

#[test]
fn a_loop_of_a_node_in_a_window() {
    whole_table(Program::Node, AskedFrom::Window);
}

#[test]
fn a_loop_of_a_terminal_with_another_data_folder() {
    whole_table(Program::Terminal, AskedFrom::OtherData);
}

#[test]
fn a_loop_of_the_window_with_another_data_folder() {
    whole_table(Program::Window, AskedFrom::OtherData);
}

#[cfg(target_os = "linux")]
#[test]
fn who_is_killed_runs_nothing_at_once() {
    let mut scene = Scene::new("loop_v2", Program::Terminal);
    let looks = |scene: &Scene| {
        ["data", "other-data"].map(|data| {
            let listed = scene.place.run_with(data, "list", &["--json"]).json();
            listed[0]["runner"]["program"].clone()
        })
    };
    wait_for("it is shown as running", || looks(&scene) == ["terminal", "terminal"]);
    let Running::Terminal(run) = &mut scene.running else { unreachable!("it was started so") };
    run.child().kill().unwrap();
    run.child().wait().unwrap();
    assert_eq!(looks(&scene), [Value::Null, Value::Null]);
    assert_eq!(scene.place.run("stop", &[&scene.id]).code, 0, "nobody has to be asked");
}
