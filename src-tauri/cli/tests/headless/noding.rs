//! `loopdeck node`, as the real program: killed in the middle of a run, its agent is gone before another node begins.

use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::views::FailureKind;
use loopdeck_runtime::{Options, Runtime};
use loopdeck_team::seat::{Role, Seat};
use loopdeck_team::{IfGone, JobStage, JobView, Target};
use loopdeck_tests::driving::{PASSING, add_agent, one_task_form};
use loopdeck_tests::programs::write_program;
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::team::{Machine, Server};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use xtask::child::{Owned, bound_command};

const AGENT: &str = "custom:gated";

/// An agent that works until its gate is open. It says when it begins and ends, and which of those before it are alive then.
fn agent(folder: &Path) -> PathBuf {
    let script = format!(
        r#"#!/bin/sh
cat >/dev/null
cd "$PWD" || exit 2
for pid in $(sed -n 's/^begins //p' {folder}/log); do
    if kill -0 "$pid" 2>/dev/null; then echo "overlaps $pid" >>{folder}/log; fi
done
echo "begins $$" >>{folder}/log
echo "works in $PWD" >>{folder}/log
while [ ! -e {folder}/gate ]; do sleep 0.1; done
echo noted >note.txt
echo "ends $$" >>{folder}/log
printf '```json\n{{"task_id": "task-001", "status": "completed", "summary": "Wrote it", "files_changed": [], "needs": null}}\n```\n'
"#,
        folder = folder.display()
    );
    let path = folder.join("agent.sh");
    write_program(&path, &script);
    fs::write(folder.join("log"), "").unwrap();
    path
}

/// A machine that runs loops of others, with a clone and a data folder of its own.
struct Node {
    folder: TempDir,
    program: Option<Owned>,
}

impl Node {
    fn new(server: &mut Server, seat: &str, of: &Path, agent: &Path) -> Self {
        let folder = TempDir::with_prefix("loopdeck-node-").unwrap();
        let shop = folder.path().canonicalize().unwrap().join("shop");
        fs::create_dir_all(&shop).unwrap();
        git(&shop, &["clone", "-q", &of.to_string_lossy(), "."]);
        let data = folder.path().join("data");
        let invitation = folder.path().join("invitation.json");
        server.invite(seat, Role::Node, None).write(&invitation).unwrap();
        let runtime = Runtime::start(&Options::new(data)).unwrap();
        add_agent(&runtime, "gated", &agent.to_string_lossy(), "text");
        drop(runtime);
        let mut node = Self { folder, program: None };
        node.types(&["team", "join", &invitation.to_string_lossy()]);
        let (shop, level) = (shop.to_string_lossy(), ["--level", "edit_files"]);
        let allow = ["node", "allow", &shop, "--agent", AGENT, "--command", PASSING, "--from", "bob"];
        node.types(&[&allow[..], &level].concat());
        node.types(&["node", "rules", "--lease", "6"]);
        node.start();
        node
    }

    /// What its owner types, to its end.
    fn types(&self, words: &[&str]) {
        let done = self.command(words).output().unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
        command.args(words).env("LOOPDECK_DATA_DIR", self.folder.path().join("data"));
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").stdin(Stdio::null());
        command
    }

    fn start(&mut self) {
        let mut command = self.command(&["node"]);
        let log = fs::File::create(self.folder.path().join("err")).unwrap();
        command.stdout(Stdio::null()).stderr(log);
        self.program = Some(Owned::spawn(&mut command).unwrap());
    }

    /// With SIGKILL.
    fn kill(&mut self) {
        let mut program = self.program.take().unwrap();
        program.child().kill().unwrap();
        program.child().wait().unwrap();
    }
}

fn form(of: &Machine) -> StartForm {
    one_task_form(&of.workspace, AGENT)
}

fn job(of: &Machine, id: &str) -> JobView {
    of.team.as_ref().unwrap().jobs().into_iter().find(|job| job.id == id).unwrap()
}

#[test]
fn a_node_that_is_killed_leaves_no_agent_behind_and_another_node_continues() {
    let mut server = Server::start();
    let place = TempDir::with_prefix("loopdeck-gate-").unwrap();
    let (gate, agent) = (place.path().join("gate"), agent(place.path()));
    let lines = |word: &str| -> Vec<String> {
        let text = fs::read_to_string(place.path().join("log")).unwrap();
        text.lines().filter_map(|line| line.strip_prefix(word)).map(|rest| rest.trim().to_owned()).collect()
    };
    let make = |folder: &Path| {
        fs::write(folder.join(".gitignore"), ".workflow/\n").unwrap();
        commit_all(folder);
    };
    let mut bob = Machine::closed(&server.invite("bob.laptop", Role::Member, None), |_| {}, make);
    add_agent(&bob.runtime, "gated", &agent.to_string_lossy(), "text");
    bob.runtime.trust(&bob.workspace.to_string_lossy(), true).unwrap();
    bob.open();
    let mut one = Node::new(&mut server, "ada.one", &bob.workspace, &agent);
    let team = bob.team.as_ref().unwrap();
    let any = Target::Any { memory_gb: 0 };
    let id = bob.until("a node", || match team.send_run(&form(&bob), any.clone(), IfGone::Continue) {
        Err(failure) if failure.kind == FailureKind::NoMachineForRun => None,
        sent => Some(sent.unwrap()),
    });
    bob.until("at work", || (lines("begins").len() == 1).then_some(()));
    bob.until("known here", || (job(&bob, &id).stage == JobStage::Running).then_some(()));
    let _two = Node::new(&mut server, "ada.two", &bob.workspace, &agent);

    one.kill();
    assert!(lines("ends").is_empty());
    bob.until("the other one has it", || (lines("begins").len() == 2).then_some(()));
    assert_eq!(lines("overlaps"), Vec::<String>::new(), "never two agents on one loop");
    let first = PathBuf::from(&lines("works in")[0]);
    let before = files_of(&first);

    one.start(); // it comes back while the other one is at work
    fs::write(&gate, "").unwrap();
    let ended = bob.until("the end", || Some(job(&bob, &id)).filter(|job| job.stage == JobStage::Ended));
    assert_eq!(ended.word.as_deref(), Some("completed"));
    assert_eq!(ended.seat.as_ref().map(Seat::machine), Some("two"));
    assert_eq!((lines("begins").len(), lines("ends").len()), (2, 1), "{}", server.log(0));
    assert_eq!(files_of(&first), before, "what came back has written nothing");
}

/// All files, apart from marks: that of a killed node says nothing, and whoever comes next takes it away.
fn files_of(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true if entry.file_name() == ".loopdeck" => {}
                true => folders.push(entry.path()),
                false => found.push((entry.path(), fs::read(entry.path()).unwrap())),
            }
        }
    }
    found.sort();
    found
}
