//! Starting processes: agents, the test command, a skill; each becomes a part of the work and a job of its own thread.

use super::listen::Job;
use super::mask::Mask;
use super::of_format::{self, Task};
use super::output::OutputLog;
use super::rows::RunRow;
use super::starting::{self, SkillLoop, Wanted};
use super::work::{Doing, Part, What, Work};
use crate::catalog::Key;
use crate::clock;
use crate::dirs;
use crate::journal::LoopRef;
use crate::owner::Owner;
use crate::rows::{Failure, FailureKind};
use crate::runs::LoopKey;
use loopdeck_core::agent::OutputKind;
use loopdeck_core::loop_b::create::WorkMode;
use loopdeck_core::step::Operation;
use loopdeck_core::times::Millis;
use std::sync::{Arc, Mutex};
use std::time::Duration;

impl Owner {
    pub(crate) fn run_agents(&mut self, key: &Key, tasks: Vec<Task>, with_tests: bool) {
        for task in &tasks {
            if let Some(begin) = task.begin()
                && let Err(failure) = self.write_step(key, begin)
            {
                return self.step_refused(key, &failure);
            }
        }
        self.start_agents(key, tasks, with_tests);
    }

    /// Starts agents; with the tests beside them in a parallel round.
    pub(crate) fn start_agents(&mut self, key: &Key, tasks: Vec<Task>, with_tests: bool) {
        let mut parts = Vec::new();
        let mut jobs = Vec::new();
        for task in tasks {
            match self.agent_job(key, &task) {
                Ok((job, run)) => {
                    parts.push(Part::of(What::Agent(task), run, &job));
                    jobs.push(job);
                }
                Err(failure) => return self.fail(key, &failure),
            }
        }
        if with_tests
            && self.has_tests(key)
            && let Ok((job, run)) = self.tests_job(key)
        {
            parts.push(Part::of(What::Tests, run, &job));
            jobs.push(job);
        }
        self.begin(key, parts, jobs, with_tests);
    }

    fn has_tests(&self, key: &Key) -> bool {
        self.works.get(key).is_some_and(|work| !work.plan.test_command.trim().is_empty())
    }

    pub(crate) fn run_tests(&mut self, key: &Key, begin: Operation) {
        if let Err(failure) = self.write_step(key, begin) {
            return self.step_refused(key, &failure);
        }
        if !self.has_tests(key) {
            let end = loopdeck_core::ccw::driver::TestsEnd::CouldNotRun { why: String::new() };
            let concluded = self.with_file(key, |work, bytes, facts| {
                of_format::conclude_tests(work.format, end, (bytes, facts), &mut work.memory)
            });
            return self.follow(key, concluded, Vec::new());
        }
        match self.tests_job(key) {
            Ok((job, run)) => {
                let part = Part::of(What::Tests, run, &job);
                self.begin(key, vec![part], vec![job], false);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    pub(crate) fn run_skill(&mut self, key: &Key) {
        match self.skill_job(key) {
            Ok((job, run)) => {
                let part = Part::of(What::Skill, run, &job);
                self.begin(key, vec![part], vec![job], false);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    fn begin(&mut self, key: &Key, parts: Vec<Part>, jobs: Vec<Job>, parallel: bool) {
        let Some(work) = self.works.get_mut(key) else { return };
        work.action = parts.first().map(|part| part.run.action.clone());
        (work.started, work.parallel) = (false, parallel);
        work.last_output = clock::now();
        work.allowed.clear();
        for part in &parts {
            let workspace = work.root.to_string_lossy().into_owned();
            let file = file_of(key);
            let _ = self.journal.keep_run(LoopRef { workspace: &workspace, file }, &part.run);
        }
        work.doing = Doing::Runs(parts);
        self.keep_memory(key);
        self.show_work(key);
        for job in jobs {
            self.workshop.outputs.keep(&job.run, &job.output);
            job.start();
        }
    }

    fn agent_job(&mut self, key: &Key, task: &Task) -> Result<(Job, RunRow), Failure> {
        let choices = self.workshop.choices.read(Clone::clone);
        let work = self.works.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let agent = starting::usable(&work.plan, &choices)?;
        let run = crate::runs::spec::new_run_id();
        let run_dir = self.workshop.dirs.runs().join(&run);
        let wanted = Wanted {
            plan: &work.plan,
            agent: &agent,
            prompt: task.prompt(),
            schema: Some(task.schema()),
            variables: starting::variables(task, &agent.id),
            folder: &work.root,
            run_dir: &run_dir,
            run: &run,
            money: money_left(work),
        };
        let (spec, kind) = wanted.spec(loop_key(work), self.time_left(work))?;
        let row = RunRow {
            action: task.action().to_owned(),
            task: task.task_id(),
            iteration: task.iteration(),
            agent: agent.name,
            ..row_of(&spec)
        };
        let job = self.job(key, &run, work, Some(spec), kind, None)?;
        Ok((job, row))
    }

    fn tests_job(&mut self, key: &Key) -> Result<(Job, RunRow), Failure> {
        let iteration = self.iteration(key);
        let work = self.works.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let run = crate::runs::spec::new_run_id();
        let command = work.plan.test_command.trim();
        let spec = starting::tests_spec(command, &work.root, &run, loop_key(work), self.time_left(work));
        let row = RunRow { action: "validate".into(), iteration, ..row_of(&spec) };
        let results = Some(work.plan.results.clone());
        let job = self.job(key, &run, work, Some(spec), OutputKind::Text, results)?;
        Ok((job, row))
    }

    fn skill_job(&mut self, key: &Key) -> Result<(Job, RunRow), Failure> {
        let choices = self.workshop.choices.read(Clone::clone);
        let entry = self.entry(key)?;
        let work = self.works.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        let agent = starting::usable(&work.plan, &choices)?;
        let mode = match entry.summary.mode.as_deref() {
            Some("parallel") => Some(WorkMode::Parallel),
            Some(_) => Some(WorkMode::Auto), // a menu needs a terminal
            None => None,
        };
        let (stem, file) = (entry.candidate.stem(), entry.candidate.file.as_str());
        let prompt = starting::skill_words(
            &work.plan,
            &agent.id,
            &SkillLoop { format: work.format, stem, file, mode },
        )?;
        let run = crate::runs::spec::new_run_id();
        let run_dir = self.workshop.dirs.runs().join(&run);
        let wanted = Wanted {
            plan: &work.plan,
            agent: &agent,
            prompt: &prompt,
            schema: None,
            variables: vec![("LOOPDECK_STATE_FILE".into(), file.to_owned())],
            folder: &work.root,
            run_dir: &run_dir,
            run: &run,
            money: money_left(work),
        };
        let (spec, kind) = wanted.spec(loop_key(work), self.time_left(work))?;
        let row = RunRow { action: "skill".into(), agent: agent.name, ..row_of(&spec) };
        let job = self.job(key, &run, work, Some(spec), kind, None)?;
        Ok((job, row))
    }

    pub(crate) fn job(
        &self,
        key: &Key,
        run: &str,
        work: &Work,
        spec: Option<crate::runs::RunSpec>,
        kind: OutputKind,
        tests: Option<Vec<String>>,
    ) -> Result<Job, Failure> {
        let run_dir = self.workshop.dirs.runs().join(run);
        let own = |error: std::io::Error| Failure::new(FailureKind::OwnData).with("reason", error);
        // Of one that is found again nobody knows its environment any more.
        let of_any = || self.workshop.choices.read(Mask::of_all);
        Ok(Job {
            key: Arc::clone(key),
            run: run.to_owned(),
            folder: work.root.clone(),
            mask: spec.as_ref().map_or_else(of_any, |spec| Mask::of(&spec.environment)),
            output: Arc::new(Mutex::new(OutputLog::begin_again(&run_dir).map_err(own)?)),
            run_dir,
            spec,
            kind,
            tests,
            since: None,
            cancel: Arc::default(),
            guardian: self.workshop.guardian.clone(),
            inbox: self.workshop.inbox.clone(),
        })
    }

    /// What is left of the limit of time; never so little that a process could not even begin.
    fn time_left(&self, work: &Work) -> Option<Duration> {
        let left = Millis::from(work.plan.minutes?) * self.workshop.minute - work.took();
        Some(Duration::from_millis(u64::try_from(left.max(1_000)).unwrap_or(1_000)))
    }

    fn iteration(&self, key: &Key) -> u32 {
        let bar = self.read_catalog(|catalog| catalog.get(key).and_then(|entry| entry.summary.iteration));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small count
        bar.map_or(1, |bar| bar.current as u32 + 1)
    }
}

/// State file of a key.
pub(crate) fn file_of(key: &str) -> &str {
    key.split_once(':').map_or(key, |(_, file)| file)
}

/// What may still be spent; never so little that an agent takes it for no limit.
fn money_left(work: &Work) -> Option<f64> {
    work.plan.money_usd.map(|limit| (limit - work.spent_now()).max(0.01))
}

fn loop_key(work: &Work) -> LoopKey {
    LoopKey { workspace: work.root.to_string_lossy().into_owned(), file: file_of(&work.key).to_owned() }
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn row_of(spec: &crate::runs::RunSpec) -> RunRow {
    RunRow {
        id: spec.plan.id.clone(),
        started: clock::now() as f64,
        iteration: 1,
        argv: spec.plan.argv.clone(),
        folder: dirs::shown(&spec.plan.cwd),
        environment: spec.plan.env_added.clone(),
        ..RunRow::default()
    }
}
