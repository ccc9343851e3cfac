//! `loopdeck run DIR ID`: drives one loop to its end in the foreground, without a window.
//!
//! The same runtime as the window's, on one loop: the same guarded writes, guardians, limits and trust.
//! `--answer` answers what a window would ask a person; otherwise the loop pauses and the command exits with
//! its own code.

pub(super) mod answers;
mod events;
mod outcome;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::formats::ccw_v2::forms::InitMode;
use loopdeck_core::phase::Phase;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::drivers::plan::{Driver, RunPlan};
use loopdeck_runtime::drivers::rows::{LeftProcessView, Need, NeedKind, RunView, StopView};
use loopdeck_runtime::views::{Failure, FailureKind, LoopRow};

use super::code::code;
use super::complaint::Complaint;
use super::new::option_of;
use super::plan_options::PlanOptions;
use super::text;
use super::workspace;
use crate::platform::on_interrupt;
use answers::{Answers, Found, Rule};
use events::{Event, Teller, Told};
use outcome::Ended;

pub(super) use events::says;

/// What was given besides DIR and ID.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct RunOptions {
    /// Trust the folder for this run, so that its tests and its agent's commands may run
    #[arg(long = "yes-trust")]
    trust: bool,
    /// Run a completed, failed or stopped loop again
    #[arg(long)]
    reopen: bool,
    /// For a Loop v2 that isn't initialised yet: auto (default), or interactive, where each action is chosen from a menu
    #[arg(long, value_parser = code::<InitMode>())]
    mode: Option<InitMode>,
    /// Set the iteration limit to N
    #[arg(long = "raise-limit", value_name = "N")]
    raise_limit_to: Option<u32>,
    /// Answer in advance what would wait for you, once; repeat for several
    ///
    /// Answers for the same WHAT are used in order.
    #[arg(long = "answer", value_name = "WHAT=HOW", value_parser = answers::once)]
    answers: Vec<Rule>,
    /// Answer this whenever it comes up and no --answer is left for it, up to 20 times; repeat for several
    #[arg(long = "always", value_name = "WHAT=HOW", value_parser = answers::always)]
    always: Vec<Rule>,
    /// For a plan of another tool: let that tool run it, by the command that 'loopdeck show' names
    #[arg(long, conflicts_with_all = ["reopen", "mode", "raise_limit_to", "answers", "always", "PlanOptions"])]
    own_tool: bool,
    #[command(flatten)]
    plan: PlanOptions,
}

/// How long the state file may be missing or damaged while nothing runs: `git checkout` removes a file before it writes it.
const LOST_FOR: Duration = Duration::from_secs(2);

/// Why the main loop checks again.
enum WakeReason {
    Changed,
    Interrupted,
    /// What is waited for can't come: the state file is lost.
    Lost,
}

/// Runs it; the exit code says how it ended.
pub(super) fn run(
    dir: &Path,
    data_dir: Option<PathBuf>,
    json: bool,
    id: &str,
    options: RunOptions,
) -> ExitCode {
    match started(dir, data_dir, json, id, options) {
        Ok(mut run) => ExitCode::from(run.until_the_end()),
        Err(complaint) => complaint.print(),
    }
}

fn started(
    dir: &Path,
    data_dir: Option<PathBuf>,
    json: bool,
    id: &str,
    options: RunOptions,
) -> Result<Run, Complaint> {
    let workspace = workspace::run(dir, data_dir, id)?;
    let row = workspace.find(id)?.clone();
    let recover = text::command("recover", dir, id);
    let complaint = |failure: Failure| complaint(&failure, &row, &recover);
    let runtime = workspace.runtime;
    let runner = match options.own_tool {
        true => Runner::OwnTool(own_command(&runtime, &row).map_err(complaint)?),
        false => Runner::Loopdeck(plan_of(&runtime.plan_of(&row.key).map_err(complaint)?, &row, &options)?),
    };
    if options.trust {
        runtime.trust(&dir.to_string_lossy(), true).map_err(complaint)?;
    }
    let mut told = Told::default();
    told.skip_earlier(&runtime.runs(&row.key).map_err(complaint)?);
    let (wake, woken) = mpsc::channel();
    listen(&runtime, &wake)?;
    let (agent, level) = runner.named();
    let is_own_tool = options.own_tool;
    let began = match runner {
        Runner::Loopdeck(plan) => runtime.launch(&row.key, Some(*plan), options.raise_limit_to),
        Runner::OwnTool(command) => runtime.run_own_tool(&row.key, command),
    };
    began.map_err(complaint)?;
    let command = |word| text::command(word, dir, id);
    let teller = Teller { json, run: command("run"), show: command("show") };
    teller.print(&Event::Began { id: &row.id, file: &row.file, agent: &agent, level });
    let (key, answers) = (row.key.clone(), Answers::new(options.answers, options.always));
    Ok(Run {
        runtime,
        key,
        row,
        teller,
        told,
        answers,
        is_own_tool,
        woken,
        seen: BTreeSet::new(),
        since: 0,
        is_unlisted: false,
        lost_since: None,
        left_open: false,
        stopping: false,
        interrupts: 0,
    })
}

/// What runs the loop, and how.
enum Runner {
    /// Loopdeck, with an agent.
    Loopdeck(Box<RunPlan>),
    /// The plan's own tool, by this command.
    OwnTool(Vec<String>),
}

impl Runner {
    /// Who works, and with which permissions.
    fn named(&self) -> (String, Option<Level>) {
        match self {
            Runner::Loopdeck(plan) => (plan.agent.clone(), plan.level),
            Runner::OwnTool(command) => (command.first().cloned().unwrap_or_default(), None),
        }
    }
}

/// How Loopdeck runs the loop: as `kept` for it, with what was given now.
fn plan_of(kept: &RunPlan, row: &LoopRow, options: &RunOptions) -> Result<Box<RunPlan>, Complaint> {
    let ended = matches!(
        row.word,
        StatusWord::Completed | StatusWord::CompletedWithWarnings | StatusWord::Failed | StatusWord::Stopped
    );
    if ended && !options.reopen {
        return Err(Complaint::own("run_has_ended", &[("status", &text::status(row))]));
    }
    let mut plan = options.plan.clone().apply_to(kept.clone());
    if let Some(mode) = options.mode {
        takes_mode(row, &plan)?;
        plan.mode = mode;
    }
    if plan.agent.is_empty() {
        return Err(Complaint::own("run_no_agent", &[]));
    }
    Ok(Box::new(plan))
}

/// The command of the plan's own tool, as it is shown now.
///
/// # Errors
/// `not_in_format` where there is none that Loopdeck runs.
fn own_command(runtime: &Runtime, row: &LoopRow) -> Result<Vec<String>, Failure> {
    let detail = runtime.read_loop(&row.key)?.detail;
    let command = Some(detail.own_command).filter(|_| detail.own_command_runs);
    command.ok_or_else(|| Refusal::new(RefusalCode::NotInFormat).into())
}

/// Only INIT writes the mode, so later the option would have no effect.
fn takes_mode(row: &LoopRow, plan: &RunPlan) -> Result<(), Complaint> {
    if let Some(mode) = &row.mode {
        return Err(Complaint::own("run_has_mode", &[("mode", mode)]));
    }
    let begins = row.format.traits().begins_with_mode;
    let is_new = begins && matches!(row.phase, Some(Phase::NotInitialised));
    if is_new && plan.driver == Driver::Loopdeck {
        Ok(())
    } else {
        Err(Complaint::own("run_takes_no_mode", &[]))
    }
}

/// Everything that can wake the run up.
fn listen(runtime: &Runtime, wake: &Sender<WakeReason>) -> Result<(), Complaint> {
    let (changed, needed, interrupted) = (wake.clone(), wake.clone(), wake.clone());
    runtime.subscribe(Box::new(move |_| changed.send(WakeReason::Changed).is_ok()));
    runtime.watch_needs(Box::new(move |_| drop(needed.send(WakeReason::Changed))));
    let no_signals = |error: std::io::Error| Complaint::own("own_data", &[("reason", &error.to_string())]);
    on_interrupt(move || drop(interrupted.send(WakeReason::Interrupted))).map_err(no_signals)
}

/// A plan that cannot be started names the option instead of the window's field.
fn complaint(failure: &Failure, row: &LoopRow, recover: &str) -> Complaint {
    match (failure.kind, failure.args.get("field")) {
        (FailureKind::BadForm, Some(field)) => Complaint::own("bad_option", &[("option", &option_of(field))]),
        (FailureKind::NoPlan, _) => Complaint::own("run_no_agent", &[]),
        (FailureKind::NoAgent, _) if failure.args.get("agent").is_none_or(String::is_empty) => {
            Complaint::own("run_no_agent", &[])
        }
        (FailureKind::Untrusted, _) => Complaint::untrusted(failure),
        (FailureKind::RepositoryChanged, _) => Complaint::changed(failure),
        _ => Complaint::of_change(failure, row, recover),
    }
}

/// A running loop.
struct Run {
    runtime: Runtime,
    key: String,
    row: LoopRow,
    teller: Teller,
    told: Told,
    answers: Answers,
    /// The plan's own tool runs it.
    is_own_tool: bool,
    woken: Receiver<WakeReason>,
    /// Needs that have been printed.
    seen: BTreeSet<String>,
    since: u32,
    /// The row is the last one: there is no such loop any longer.
    is_unlisted: bool,
    lost_since: Option<Instant>,
    /// A question stayed unanswered.
    left_open: bool,
    stopping: bool,
    interrupts: u32,
}

impl Run {
    /// Runs until none of our processes works on the loop; returns the exit code.
    fn until_the_end(&mut self) -> u8 {
        loop {
            self.print_changes();
            let needs = self.needs();
            if !self.is_on() && !self.raised_limit(&needs) {
                return self.end(&needs);
            }
            self.answer(&needs);
            match self.next_wake() {
                Some(WakeReason::Interrupted) => {
                    if self.interrupt() {
                        return self.end_as(Ended::NotAllGone);
                    }
                }
                // It has nothing to end, and ends the waiting.
                Some(WakeReason::Lost) => drop(self.runtime.stop_now(&self.key)),
                Some(WakeReason::Changed) => {}
                None => return self.end(&needs), // nothing is left to wake it
            }
        }
    }

    /// Whether a process of ours works on the loop, or something is waited for.
    fn is_on(&self) -> bool {
        match self.is_unlisted {
            true => self.runtime.needs().running > 0,
            false => self.row.run.as_ref().is_some_and(|run| run.alive),
        }
    }

    fn next_wake(&mut self) -> Option<WakeReason> {
        if !self.is_lost() {
            self.lost_since = None;
            return self.woken.recv().ok();
        }
        let since = *self.lost_since.get_or_insert_with(Instant::now);
        match self.woken.recv_timeout(LOST_FOR.saturating_sub(since.elapsed())) {
            Ok(reason) => Some(reason),
            Err(RecvTimeoutError::Timeout) => {
                self.lost_since = None;
                Some(WakeReason::Lost)
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Nothing runs, and without its file the loop can't continue.
    fn is_lost(&self) -> bool {
        let is_gone = self.row.problem.as_ref().is_some_and(|it| it.code == ProblemCode::F9_file_gone);
        let is_idle = self.row.run.as_ref().is_none_or(|run| run.workers.is_empty());
        is_idle && (self.is_unlisted || is_gone || self.row.word == StatusWord::CannotRead)
    }

    /// Reads what changed, and prints it.
    fn print_changes(&mut self) {
        loop {
            let page = self.runtime.changes(self.since);
            self.since = page.revision;
            self.is_unlisted |= page.reset || page.removed.contains(&self.key);
            if let Some(row) = page.rows.into_iter().find(|row| row.key == self.key) {
                (self.row, self.is_unlisted) = (row, false);
            }
            if !page.more {
                break;
            }
        }
        let runs: Vec<RunView> = self.runtime.runs(&self.key).unwrap_or_default();
        self.told.print_news(&self.teller, &self.row, &runs);
    }

    fn needs(&self) -> Vec<Need> {
        self.runtime.needs().needs.into_iter().filter(|need| need.key == self.key).collect()
    }

    /// Answers new needs. One without an answer pauses the loop: a command cannot wait for an absent person.
    fn answer(&mut self, needs: &[Need]) {
        for need in needs {
            if self.stopping || self.left_open || !self.seen.insert(need.id.clone()) {
                continue;
            }
            self.teller.print(&Event::Needs { need });
            if self.answered(need) || !ends(need) {
                continue;
            }
            self.left_open = true;
            // Workers in parallel cannot be paused.
            if self.runtime.pause_now(&self.key).is_err() {
                let _ = self.runtime.stop_now(&self.key);
            }
        }
    }

    fn answered(&mut self, need: &Need) -> bool {
        let answer = match self.answers.answer(need) {
            Found::Answer(answer) => answer,
            Found::NotPossible(given) => {
                self.teller.print(&Event::AnswerRefused { need: &need.id, given: &given });
                return false;
            }
            Found::Nothing => return false,
        };
        let done = self.runtime.answer(&need.id, answer.clone()).is_ok();
        if done {
            self.teller.print(&Event::Answered { need: &need.id, answer: &answer });
        }
        done
    }

    /// Raises a limit that ended the work, if the rules say so.
    fn raised_limit(&mut self, needs: &[Need]) -> bool {
        let after_end = |need: &&Need| {
            matches!(need.kind, NeedKind::LimitReached | NeedKind::Failed | NeedKind::UsageLimit)
        };
        let new: Vec<Need> = needs
            .iter()
            .filter(after_end)
            .filter(|need| !self.stopping && !self.seen.contains(&need.id))
            .cloned()
            .collect();
        new.iter().any(|need| {
            self.seen.insert(need.id.clone());
            self.teller.print(&Event::Needs { need });
            self.answered(need)
        })
    }

    /// Ctrl-C: the same stop as the window's; the second one asks no agent to finish. The third one, or the second after a stop that
    /// failed, ends this command without waiting: then it returns true.
    fn interrupt(&mut self) -> bool {
        self.interrupts += 1;
        if self.interrupts > 2 {
            return true;
        }
        if !std::mem::replace(&mut self.stopping, true) {
            self.teller.print(&Event::Interrupted);
        }
        // A loop that has just ended has nothing to be stopped.
        if let Err(failure) = self.runtime.stop_now(&self.key)
            && self.is_on()
        {
            self.interrupts += 1;
            Complaint::from_failure(&failure, Some(&self.row)).print();
        }
        false
    }

    fn end(&mut self, needs: &[Need]) -> u8 {
        let is_gone = self.is_unlisted && !self.stopping;
        let ended = Ended::from_row(&self.row, needs, (is_gone, self.left_open, self.stopping));
        let may_be_good = self.is_own_tool && ended == Ended::Failed && !is_gone;
        self.end_as(if may_be_good && self.ended_well() { Ended::OwnTool } else { ended })
    }

    /// Whether the newest run ended without a failure.
    fn ended_well(&self) -> bool {
        let runs = self.runtime.runs(&self.key).unwrap_or_default();
        runs.first().is_some_and(|run| run.outcome == Some(Outcome::Ok))
    }

    fn end_as(&mut self, ended: Ended) -> u8 {
        let stop = self.row.run.as_ref().and_then(|run| run.stop.clone());
        let (count, left): (u32, Vec<LeftProcessView>) = match stop {
            Some(StopView::AllGone { ended }) => (ended, Vec::new()),
            Some(StopView::Left { ended, processes }) => (ended, processes),
            _ => (0, Vec::new()),
        };
        let code = ended.code();
        for given in self.answers.unused() {
            self.teller.print(&Event::AnswerUnused { given });
        }
        let needs = self.needs();
        let limit = needs.iter().find(|need| need.kind == NeedKind::LimitReached);
        let limit = limit.and_then(|need| need.args.get("limit")).filter(|_| ended == Ended::Limit);
        self.teller.print(&Event::Ended {
            outcome: ended,
            limit: limit.map(String::as_str),
            exit_code: code,
            ended_processes: count,
            left: &left,
        });
        code
    }
}

/// Whether an unanswered need ends the run.
fn ends(need: &Need) -> bool {
    matches!(need.kind, NeedKind::Permission | NeedKind::Question | NeedKind::Menu | NeedKind::Interrupted)
}
