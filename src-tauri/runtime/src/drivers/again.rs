//! After a restart: runs that an earlier Loopdeck started are found again.
//!
//! Those that live are listened to as before, and what they come to is written into the loop's file, so that no work is lost.
//! Of those that ended meanwhile the end is read from their log; what they came to is taken up when the person resumes. In
//! both cases the loop is interrupted then: nothing is started that the person did not ask this Loopdeck for. Only the wait
//! for a provider's limit, which they chose for the loop, goes on.

use super::ended::is_good;
use super::of_format::{self, Concluded, Next, Task};
use super::plan::{Driver, RunPlan};
use super::rows::{NeedKind, RunRow, StopView};
use super::work::{About, Doing, Part, What, Work};
use crate::catalog::Key;
use crate::clock;
use crate::dirs::id_of;
use crate::journal::{LoopRef, RecordedRun, Spent};
use crate::owner::Owner;
use crate::rows::Failure;
use crate::runs::{LeftProcess, RunRecord, StopReport, leftovers};
use loopdeck_core::agent::outcome::Outcome;
use loopdeck_core::agent::{AgentId, OutputKind, table};
use loopdeck_core::format::{Format, Handling};
use loopdeck_core::status::FileStatus;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Owner {
    /// Takes up the runs of loops below `root` whose end nobody saw, and loops that an earlier Loopdeck left between two runs.
    pub(crate) fn find_runs_again(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let left = self.journal.left_leases(&workspace).unwrap_or_default();
        let mut open: BTreeMap<String, Vec<RunRow>> =
            left.into_iter().map(|file| (file, Vec::new())).collect();
        for recorded in self.journal.open_runs().unwrap_or_default() {
            if recorded.workspace == workspace {
                open.entry(recorded.file).or_default().push(recorded.run);
            }
        }
        let id = id_of(root);
        for (file, runs) in open {
            let key = crate::catalog::key(&id, &file);
            let of = LoopRef { workspace: &workspace, file: &file };
            if self.works.get(&key).is_some_and(Work::is_on) {
                continue;
            }
            if self.entry(&key).is_err() {
                self.find_homeless(&key, root, of, runs);
                continue;
            }
            // Another Loopdeck that lives looks after it.
            if (!runs.is_empty() || self.is_ours_to_resume(&key, of))
                && self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(true)
            {
                self.find_again(&key, root, of, runs);
            }
        }
    }

    /// Whether a loop that nobody drives any more was driven by Loopdeck.
    fn is_ours_to_resume(&mut self, key: &Key, of: LoopRef<'_>) -> bool {
        let was_running = |entry: crate::catalog::Entry| {
            entry.summary.format.handling() == Handling::Driven && entry.summary.status == FileStatus::Running
        };
        self.entry(key).is_ok_and(was_running) && self.journal.plan_of(of).ok().flatten().is_some()
    }

    fn find_again(&mut self, key: &Key, root: &Path, of: LoopRef<'_>, runs: Vec<RunRow>) {
        let Ok(entry) = self.entry(key) else { return };
        let plan = self.journal.plan_of(of).ok().flatten().unwrap_or_default();
        let memory = self.journal.memory(of).ok().flatten();
        let spent = self.journal.spent(of).unwrap_or_default();
        let mut work = Work::new(key, root.to_owned(), entry.summary.format, plan, spent);
        work.memory = memory.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        work.agent =
            runs.iter().map(|run| run.agent.clone()).find(|agent| !agent.is_empty()).unwrap_or_default();
        work.action = runs.first().map(|run| run.action.clone());
        let (mut parts, mut jobs) = (Vec::new(), Vec::new());
        for run in runs {
            if RunRecord::read(&self.workshop.dirs.runs().join(&run.id)).is_err() {
                self.never_began(of, run);
                continue;
            }
            let kind = self.kind_of(&run, &work.plan);
            let tests = is_tests(&run).then(|| work.plan.results.clone());
            let Ok(mut job) = self.job(key, &run.id, &work, None, kind, tests) else { continue };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // milliseconds since 1970
            let since = std::time::Duration::from_millis(run.started.max(0.0) as u64);
            job.since = Some(std::time::UNIX_EPOCH + since);
            job.resumed.clone_from(&run.resumed);
            self.workshop.outputs.keep(&run.id, &job.output);
            parts.push(Part::of(What::Found, run, &job));
            jobs.push(job);
        }
        let nothing = parts.is_empty();
        work.doing = Doing::Runs(parts);
        self.works.insert(key.clone(), work);
        if nothing {
            return self.waits_or_is_interrupted(key, of);
        }
        self.show_work(key);
        for job in jobs {
            job.start();
        }
    }

    /// The person chose that a provider's limit is waited for: that goes on, and is shown as before.
    fn waits_or_is_interrupted(&mut self, key: &Key, of: LoopRef<'_>) {
        let last = self.journal.runs(of, 1).unwrap_or_default().pop();
        let Some(work) = self.works.get_mut(key) else { return };
        work.agent = last.map(|run| run.agent).unwrap_or_default();
        work.memory.waiting.take_if(|_| !work.plan.wait_for_limit);
        if !self.is_running(key) || !self.wait_on(key) {
            self.interrupted(key);
        }
    }

    /// Runs of a loop whose file is gone: nobody drives them, and the person can end what is left of them.
    fn find_homeless(&mut self, key: &Key, root: &Path, of: LoopRef<'_>, runs: Vec<RunRow>) {
        let known = self.works.contains_key(key);
        if known
            || runs.is_empty()
            || !self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(true)
        {
            return;
        }
        let mut work = Work::new(key, root.to_owned(), Format::Unknown, RunPlan::default(), Spent::default());
        let (mut left, mut processes) = (Vec::new(), Vec::new());
        for run in runs {
            let folder = self.workshop.dirs.runs().join(&run.id);
            work.agent.clone_from(&run.agent);
            match RunRecord::read(&folder) {
                Ok(record) if record.ended.is_none() => {
                    let pid = record.child.map_or(0, |child| child.pid);
                    let name = record.plan.argv.first().cloned().unwrap_or_default();
                    processes.push(LeftProcess { pid, name });
                    left.push(folder);
                }
                _ => self.never_began(of, run),
            }
        }
        let _ = self.journal.give_lease_back(of, &self.holder);
        if left.is_empty() {
            return;
        }
        work.doing = Doing::Over;
        work.stop = Some(StopReport::Left { ended: 0, processes });
        self.works.insert(key.clone(), work);
        self.need_left(key, left);
    }

    /// What earlier stops left below `root` and is still there: the person is told of it again, so that no new agent is set
    /// beside an old one unseen.
    pub(crate) fn find_left_again(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let mut left: BTreeMap<String, Vec<(PathBuf, RunRow, StopReport)>> = BTreeMap::new();
        for RecordedRun { file, mut run, .. } in self.journal.left_runs(&workspace).unwrap_or_default() {
            let folder = self.workshop.dirs.runs().join(&run.id);
            match what_is_left(&folder) {
                StopReport::AllGone { .. } => {
                    run.stop = Some(StopView::AllGone { ended: 0 });
                    let _ = self.journal.keep_run(LoopRef { workspace: &workspace, file: &file }, &run);
                }
                // Told once, when it ended: without a process to name there is nothing new to tell.
                StopReport::Unknown { .. } => {}
                report @ StopReport::Left { .. } => left.entry(file).or_default().push((folder, run, report)),
            }
        }
        let id = id_of(root);
        for (file, runs) in left {
            let key = crate::catalog::key(&id, &file);
            self.show_left(&key, root, LoopRef { workspace: &workspace, file: &file }, runs);
        }
    }

    fn show_left(
        &mut self,
        key: &Key,
        root: &Path,
        of: LoopRef<'_>,
        runs: Vec<(PathBuf, RunRow, StopReport)>,
    ) {
        let agent = runs.iter().map(|(_, run, _)| run.agent.clone()).find(|agent| !agent.is_empty());
        let report = StopReport::of_all(runs.iter().map(|(_, _, report)| report));
        let folders = runs.into_iter().map(|(folder, ..)| folder).collect();
        if !self.works.contains_key(key) {
            let format = self.entry(key).map_or(Format::Unknown, |entry| entry.summary.format);
            let plan = self.journal.plan_of(of).ok().flatten().unwrap_or_default();
            let spent = self.journal.spent(of).unwrap_or_default();
            let mut work = Work::new(key, root.to_owned(), format, plan, spent);
            (work.doing, work.over_at) = (Doing::Over, clock::now());
            work.agent = agent.unwrap_or_default();
            work.stop = Some(report.clone());
            self.works.insert(Arc::clone(key), work);
        }
        self.need_left_of(key, Some(report), folders);
        self.show_work(key);
    }

    /// Loopdeck ended between writing it down and starting it.
    fn never_began(&mut self, of: LoopRef<'_>, mut run: RunRow) {
        run.ended = Some(run.started);
        run.outcome = Some(Outcome::Crashed);
        let _ = self.journal.keep_run(of, &run);
    }

    fn kind_of(&self, run: &RunRow, plan: &RunPlan) -> OutputKind {
        if is_tests(run) {
            return OutputKind::Text;
        }
        match AgentId::parse(&plan.agent) {
            Some(AgentId::Custom { id }) => self.workshop.choices.read(|choices| {
                let own = choices.agents.iter().find(|agent| agent.id == id);
                own.map_or(OutputKind::Text, |agent| super::custom::record_of(agent).output)
            }),
            Some(id) => table::agent(&id).map_or(OutputKind::Text, |agent| agent.output),
            None => OutputKind::Text,
        }
    }

    /// Runs that were found are over.
    pub(crate) fn found_runs_ended(&mut self, key: &Key, parts: Vec<Part>) {
        let Some(work) = self.works.get_mut(key) else { return };
        let (asked, is_skill) = (work.asked, work.plan.driver != Driver::Loopdeck);
        let all_good = asked.is_none() && parts.iter().all(|part| is_good(part, asked));
        if !is_skill && all_good {
            let seen = parts.iter().all(|part| part.attached.is_some());
            work.unconcluded = parts;
            if seen && let Some(parts) = self.take_unconcluded(key) {
                return self.write_found(key, &parts);
            }
        }
        self.interrupted(key);
    }

    /// What runs came to that ended well, once it is known again what they were for. Only a loop that runs says that: of a
    /// paused one they are kept until it is resumed.
    pub(crate) fn take_unconcluded(&mut self, key: &Key) -> Option<Vec<Part>> {
        if self.works.get(key)?.unconcluded.is_empty() {
            return None;
        }
        let next = self
            .with_file(key, |work, bytes, facts| of_format::next(work.format, bytes, facts, &work.memory));
        let work = self.works.get_mut(key)?;
        let (mut tasks, parallel) = match next.ok()? {
            Next::Agent(task) => (vec![task], false),
            Next::Parallel(tasks) => (tasks, true),
            Next::Tests(_) => (Vec::new(), false),
            Next::End(_) => return None,
            Next::Write(_) | Next::Menu(_) | Next::Ask(_) => {
                work.unconcluded.clear();
                return None;
            }
        };
        let mut parts = std::mem::take(&mut work.unconcluded);
        for part in &mut parts {
            part.what = if is_tests(&part.run) {
                What::Tests
            } else {
                What::Agent(take_task(&mut tasks, &part.run)?)
            };
        }
        let whole = tasks.is_empty() && (parallel || parts.len() == 1);
        work.parallel = parallel;
        whole.then_some(parts)
    }

    /// Writes what found runs came to, and starts nothing.
    fn write_found(&mut self, key: &Key, parts: &[Part]) {
        match self.concluded(key, parts) {
            Ok(Concluded::Write(operations)) => {
                self.keep_memory(key);
                let all: Result<Vec<()>, Failure> =
                    operations.into_iter().map(|operation| self.write_step(key, operation)).collect();
                match all {
                    Ok(_) => self.interrupted(key),
                    Err(failure) => self.step_refused(key, &failure),
                }
            }
            Ok(Concluded::Ask(question)) => self.ask_question(key, &question),
            // To be done again.
            Ok(Concluded::Retry(_) | Concluded::End(_)) => self.interrupted(key),
            Err(failure) => self.fail(key, &failure),
        }
    }

    /// Nothing goes on any more; the person is told when the loop's file does not say so itself.
    fn interrupted(&mut self, key: &Key) {
        let running = self.is_running(key);
        let Some(work) = self.works.get_mut(key) else { return };
        work.memory.interrupted = true;
        let asked = work.asked.is_some();
        let action = work.action.clone().unwrap_or_default();
        if running && !asked {
            let run = self.run_about(key, &action);
            self.need(key, NeedKind::Interrupted, "", About::GoOn, &["resume", "stop", "dismiss"], |need| {
                need.args.insert("action".into(), action);
                need.run = run;
            });
        }
        self.over(key);
    }
}

/// What is there now of a run that ended. One whose folder is gone was found to have left nothing.
fn what_is_left(folder: &Path) -> StopReport {
    match RunRecord::read(folder) {
        Ok(record) => StopReport::of_leftovers(leftovers(folder, &record)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => StopReport::AllGone { ended: 0 },
        Err(error) => StopReport::Unknown { why: error.to_string() },
    }
}

fn is_tests(run: &RunRow) -> bool {
    run.action == "validate" && run.agent.is_empty()
}

/// The task that a run was for, among those that would be done now.
fn take_task(tasks: &mut Vec<Task>, run: &RunRow) -> Option<Task> {
    let at = tasks.iter().position(|task| task.action() == run.action && task.task_id() == run.task)?;
    Some(tasks.remove(at))
}
