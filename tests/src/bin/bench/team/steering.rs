//! A pause of a loop that an agent runs on another machine.

use super::Report;
use crate::report::{ms, percentile};
use loopdeck_core::control::Verb;
use loopdeck_core::start::NewTask;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::views::{LoopRow, VerbOptions};
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::driving::{develops, one_task_form};
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::team::{Machine, Programs, SCRIPTED, Server};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A loop has at most twenty tasks.
const PAUSES: usize = 19;
const BEGUN: &str = "begun";

/// Times from the request to its effect there, as it is seen here.
pub(super) fn measure(report: &mut Report, server: &mut Server, bob: &Machine) {
    let ada = at_work(server);
    let mut form = one_task_form(&ada.workspace, SCRIPTED);
    form.work.tasks = (0..=PAUSES).map(|number| NewTask::from(&*format!("Part {number}"))).collect();
    form.work.max_iterations = Some(100);
    let key = ada.runtime.start_loop(&form).expect("started");
    let id = key.rsplit('/').next().and_then(|name| name.strip_suffix(".json")).expect("a loop").to_owned();
    let pause = |number: usize| {
        ada.until("the agent", || (begun(&ada.workspace) > number).then_some(()));
        bob.wait_for(&id, |row| row.file_word == "running");
        let start = Instant::now();
        bob.ask(&id, Verb::Pause);
        bob.wait_for(&id, |row| row.word == StatusWord::Paused);
        ada.until("no agent", || ada.own(&id).filter(is_at_rest));
        let time = ms(start.elapsed());
        ada.runtime.act(&key, Verb::Resume, VerbOptions::default()).expect("resumed");
        ada.runtime.launch(&key, None, None).expect("launched");
        time
    };
    let mut times: Vec<f64> = (0..PAUSES).map(pause).collect();
    Report::note("pause asked to in effect, p50", percentile(&mut times, 0.5), "ms");
    report.limit(
        "pause of a scripted loop on another machine, asked to in effect, p99",
        percentile(&mut times, 0.99),
        2_000.0,
        "ms",
    );
}

fn is_at_rest(row: &LoopRow) -> bool {
    row.word == StatusWord::Paused && row.run.as_ref().is_none_or(|run| !run.alive)
}

/// A machine whose agent ends each action once its loop is paused.
fn at_work(server: &mut Server) -> Machine {
    let next_to_this = |name: &str| std::env::current_exe().expect("this program").with_file_name(name);
    let programs = Programs { guardian: next_to_this("guardian"), agent: next_to_this("scripted_agent") };
    let until_paused = format!(
        "echo x >> {BEGUN}; until grep -q '\"status\": \"paused\"' .workflow/.loop/*.json; do sleep 0.02; done"
    );
    let rule = |number| develops(&format!("task-{number:03}")).then(Step::Shell(until_paused.clone()));
    let script = Scripted { output: Output::Text, rules: (1..=PAUSES + 1).map(rule).collect() };
    let lay_out = |folder: &Path| script.put_into(folder);
    let mut ada = server.runner("ada.laptop", Role::Member, &programs, lay_out);
    ada.runtime.trust(&ada.workspace.to_string_lossy(), true).expect("trusted");
    ada.open();
    ada.share(Scope::State, Steering::Leads);
    ada
}

/// How often the agent began.
fn begun(workspace: &Path) -> usize {
    fs::read_to_string(workspace.join(BEGUN)).unwrap_or_default().lines().count()
}
