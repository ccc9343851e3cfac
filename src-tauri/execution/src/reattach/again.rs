//! After a restart: runs that an earlier Loopdeck started are found again.
//!
//! Runs that are alive are listened to as before. For those that ended meanwhile, the end is read from their log. The results of both count
//! (see `found`). Nothing is started that the person did not ask for: only loops continue that were to keep going, and the wait for a
//! provider's limit, where it was chosen.

use super::found::LeftState;
use crate::agents::environment::environment;
use crate::completion::test_run::usual_reports;
use crate::driver_context::DriverContext;
use crate::event::ExecutionEvent as Event;
use crate::preferences::plan::{Driver, RunPlan};
use crate::records::{LoopRef, RecordedRun, Spent};
use crate::rows::StopView;
use crate::run::{Run, RunAction};
use crate::runs::{LeftProcess, RunRecord, StopReport, leftovers};
use crate::work::{Activity, Execution, Origin, Purpose, RunSlot};
use loopdeck_agents::outcome::Outcome;
use loopdeck_agents::{AgentId, OutputKind, table};
use loopdeck_core::format::{Format, Handling};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::status::FileStatus;
use loopdeck_system::clock;
use loopdeck_system::dirs::id_of;
use loopdeck_system::logged::Logged as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

impl DriverContext<'_> {
    /// Takes up the runs of loops below `root` whose end was not observed, and loops that an earlier Loopdeck left between two runs.
    pub fn find_runs_again(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let left = self.journal().left_leases(&workspace).unwrap_or_default();
        let mut open: BTreeMap<String, Vec<Run>> = left.into_iter().map(|file| (file, Vec::new())).collect();
        for recorded in self.journal().open_runs().unwrap_or_default() {
            if recorded.workspace == workspace {
                open.entry(recorded.file).or_default().push(recorded.run);
            }
        }
        let id = id_of(root);
        open.retain(|file, _| self.store.is_in_scope(file));
        for (file, runs) in open {
            let key = LoopId::new(&id, &file);
            let of = LoopRef { workspace: &workspace, file: &file };
            // Of one that is known already the result waits for the person.
            if self
                .scheduler()
                .works
                .get(&key)
                .is_some_and(|work| work.is_on() || !work.unconcluded.is_empty())
            {
                continue;
            }
            if self.store.read(&key).is_err() {
                self.find_homeless(&key, root, of, runs);
                continue;
            }
            // Another Loopdeck that lives looks after it, or runs it with another data folder.
            if self.store.runs_elsewhere(&key).is_some() {
                continue;
            }
            if (!runs.is_empty() || self.is_ours_to_resume(&key, of)) && self.hold_lease(of) {
                self.find_again(&key, root, of, runs);
            }
        }
    }

    /// Whether a loop without a driver was driven by Loopdeck before.
    fn is_ours_to_resume(&mut self, key: &LoopId, of: LoopRef<'_>) -> bool {
        let was_running = |entry: crate::store::LoopNow| {
            entry.summary.format.handling() == Handling::Driven && entry.summary.status == FileStatus::Running
        };
        self.store.read(key).is_ok_and(was_running)
            && self.journal().plan_of(of).ok().flatten().is_some_and(|plan| plan.names_agent())
    }

    fn find_again(&mut self, key: &LoopId, root: &Path, of: LoopRef<'_>, runs: Vec<Run>) {
        let Ok(entry) = self.store.read(key) else { return };
        let plan = self.journal().plan_of(of).ok().flatten().unwrap_or_default();
        let memory = self.journal().memory(of).ok().flatten();
        let spent = self.journal().spent(of).unwrap_or_default();
        let mut work = Execution::new(key, root.to_owned(), entry.summary.format, plan, spent);
        work.memory = memory.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        (work.origin, work.evidence.is_found_again) = (Origin::Found, true);
        work.agent =
            runs.iter().map(|run| run.agent.clone()).find(|agent| !agent.is_empty()).unwrap_or_default();
        work.action = runs.first().map(|run| run.action.clone());
        if work.agent.is_empty() {
            let earlier = self.journal().runs(of, 20).unwrap_or_default().into_iter().map(|run| run.agent);
            work.agent = earlier.into_iter().find(|agent| !agent.is_empty()).unwrap_or_default();
        }
        let (mut slots, mut jobs) = (Vec::new(), Vec::new());
        for run in runs {
            if RunRecord::read(&self.scheduler().workshop.dirs.runs().join(&run.id)).is_err() {
                self.never_began(of, run);
                continue;
            }
            let kind = self.kind_of(&run, &work.plan);
            let tests = match run.action {
                RunAction::Check => Some(usual_reports()),
                _ => run.is_tests().then(|| work.plan.results.clone()),
            };
            let Ok(mut job) = self.job(key, &run.id, &work, None, kind, tests) else { continue };
            let since = u64::try_from(run.started.millis()).unwrap_or_default();
            let since = std::time::Duration::from_millis(since);
            job.since = Some(std::time::UNIX_EPOCH + since);
            job.resumed.clone_from(&run.resumed);
            self.scheduler().workshop.outputs.keep(&run.id, &job.output);
            slots.push(RunSlot::new(Purpose::Found, run, &job));
            jobs.push(job);
        }
        let nothing = slots.is_empty();
        work.doing = Activity::Runs(slots);
        self.scheduler_mut().works.insert(key.clone(), work);
        if nothing && self.scheduler().runs_own_tool(key) {
            return self.conclude_work(key);
        }
        if nothing {
            self.sweep_apart(key);
            return self.continues_or_waits(key);
        }
        self.show_work(key);
        for job in jobs {
            job.start();
        }
    }

    /// Nothing ran. The person may have chosen to wait for a provider's limit: that wait continues, and is shown as before. Or the loop
    /// itself continues.
    fn continues_or_waits(&mut self, key: &LoopId) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.memory.waiting.take_if(|_| !work.plan.wait_for_limit);
        let goes_on = work.keeps_going() && work.plan.driver == Driver::Loopdeck;
        if !self.is_running(key) {
            return self.show_interrupted(key, &LeftState::BETWEEN);
        }
        if self.wait_on(key) {
            return;
        }
        if !goes_on {
            return self.show_interrupted(key, &LeftState::BETWEEN);
        }
        if let Err(failure) = self.refuse_twice(key) {
            return self.fail(key, &failure);
        }
        self.show_work(key);
        self.go_on_when_possible(key);
    }

    /// Continues as soon as the environment for agents is known; asking the login shell for it may take seconds.
    fn go_on_when_possible(&mut self, key: &LoopId) {
        let (inbox, of) = (self.scheduler().workshop.inbox.clone(), key.clone());
        let wait = move || {
            let _ = environment();
            inbox.send(Event::GoOn(of));
        };
        if crate::tasks::start(wait).is_err() {
            self.show_interrupted(key, &LeftState::BETWEEN);
        }
    }

    /// Runs of a loop whose file is gone: they have no driver, and the person can end their processes.
    fn find_homeless(&mut self, key: &LoopId, root: &Path, of: LoopRef<'_>, runs: Vec<Run>) {
        let known = self.scheduler().works.contains_key(key);
        if known || runs.is_empty() || !self.hold_lease(of) {
            return;
        }
        let mut work =
            Execution::new(key, root.to_owned(), Format::Unknown, RunPlan::default(), Spent::default());
        let (mut left, mut processes) = (Vec::new(), Vec::new());
        for run in runs {
            let folder = self.scheduler().workshop.dirs.runs().join(&run.id);
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
        self.give_lease_back(of);
        if left.is_empty() {
            return;
        }
        work.doing = Activity::Over;
        work.stop = Some(StopReport::Left { ended: 0, processes });
        self.scheduler_mut().works.insert(key.clone(), work);
        self.need_left(key, left);
    }

    /// What earlier stops left below `root` and is still there: shown to the person again, so that no new agent starts next to an old one
    /// unseen.
    pub fn find_left_again(&mut self, root: &Path) {
        let workspace = root.to_string_lossy().into_owned();
        let mut left: BTreeMap<String, Vec<(PathBuf, Run, StopReport)>> = BTreeMap::new();
        for RecordedRun { file, mut run, .. } in self.journal().left_runs(&workspace).unwrap_or_default() {
            let folder = self.scheduler().workshop.dirs.runs().join(&run.id);
            match what_is_left(&folder) {
                StopReport::AllGone { .. } => {
                    run.stop = Some(StopView::AllGone { ended: 0 });
                    self.journal()
                        .keep_run(LoopRef { workspace: &workspace, file: &file }, &run)
                        .logged("a run is not recorded");
                }
                // Told once, when it ended: without a process to name there is nothing new to tell.
                StopReport::Unknown { .. } => {}
                report @ StopReport::Left { .. } => left.entry(file).or_default().push((folder, run, report)),
            }
        }
        let id = id_of(root);
        left.retain(|file, _| self.store.is_in_scope(file));
        for (file, runs) in left {
            let key = LoopId::new(&id, &file);
            self.show_left(&key, root, LoopRef { workspace: &workspace, file: &file }, runs);
        }
    }

    fn show_left(
        &mut self,
        key: &LoopId,
        root: &Path,
        of: LoopRef<'_>,
        runs: Vec<(PathBuf, Run, StopReport)>,
    ) {
        let agent = runs.iter().map(|(_, run, _)| run.agent.clone()).find(|agent| !agent.is_empty());
        let report = StopReport::of_all(runs.iter().map(|(_, _, report)| report));
        let folders = runs.into_iter().map(|(folder, ..)| folder).collect();
        if !self.scheduler().works.contains_key(key) {
            let format = self.store.read(key).map_or(Format::Unknown, |entry| entry.summary.format);
            let plan = self.journal().plan_of(of).ok().flatten().unwrap_or_default();
            let spent = self.journal().spent(of).unwrap_or_default();
            let mut work = Execution::new(key, root.to_owned(), format, plan, spent);
            (work.doing, work.over_at) = (Activity::Over, Some(clock::now()));
            work.agent = agent.unwrap_or_default();
            work.stop = Some(report.clone());
            self.scheduler_mut().works.insert(key.clone(), work);
        }
        self.need_left_of(key, Some(report), folders);
        self.show_work(key);
    }

    /// Loopdeck ended between recording it and starting it; or its result was cleaned up before it was needed.
    fn never_began(&mut self, of: LoopRef<'_>, mut run: Run) {
        if !run.unconcluded {
            (run.ended, run.outcome) = (Some(run.started), Some(Outcome::Crashed));
        }
        run.unconcluded = false;
        self.journal().keep_run(of, &run).logged("a run is not recorded");
    }

    fn kind_of(&self, run: &Run, plan: &RunPlan) -> OutputKind {
        if run.is_tests() {
            return OutputKind::Text;
        }
        match AgentId::parse(run.agent_of(plan)) {
            Some(AgentId::Custom { id }) => self.scheduler().workshop.choices.read(|choices| {
                let own = choices.agents.iter().find(|agent| agent.id == id);
                own.map_or(OutputKind::Text, |agent| crate::preferences::custom::record_of(agent).output)
            }),
            Some(id) => table::agent(&id).map_or(OutputKind::Text, |agent| agent.output),
            None => OutputKind::Text,
        }
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
