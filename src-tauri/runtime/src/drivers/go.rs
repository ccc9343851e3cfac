//! Driving: what the pure driver decides is carried out, one step after the other, until the loop ends or waits.

use super::listen::{Job, RunEnd, Said};
use super::mask::Mask;
use super::of_format::{self, Concluded, Next, Task};
use super::output::OutputLog;
use super::plan::{Driver, RunPlan};
use super::rows::{NeedKind, RunRow};
use super::starting::{self, SkillLoop, Usable, Wanted};
use super::test_run;
use super::work::{About, Doing, Part, What, Work, is_driven, stop_view};
use crate::catalog::{Entry, Key};
use crate::clock;
use crate::dirs;
use crate::files;
use crate::journal::LoopRef;
use crate::owner::Owner;
use crate::rows::{Failure, FailureKind};
use crate::runs::{Exit, LoopKey, StopReason, StopReport};
use loopdeck_core::agent::OutputKind;
use loopdeck_core::agent::facts::Facts;
use loopdeck_core::agent::outcome::{Asked, ExitHow, Outcome, Verdict, judge};
use loopdeck_core::agent::usage::{self, Usage};
use loopdeck_core::ccw::driver::{EndReason, Ended, FailureClass, Memory, Policy, UsedUp};
use loopdeck_core::control::{Intent, Refusal, RefusalCode, Verb};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loop_b::create::WorkMode;
use loopdeck_core::loops;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::step::Operation;
use loopdeck_core::times::Millis;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Steps that need no process follow each other; a driver that never comes to one is wrong.
const MOST_WRITES: u32 = 50;

impl Owner {
    // --- starting -------------------------------------------------------------------------------------------------

    /// Starts the agent of the loop named `key`: first start, resume or reopen, whichever is legal now.
    pub(crate) fn launch(
        &mut self,
        key: &str,
        plan: Option<RunPlan>,
        raise_limit_to: Option<u32>,
    ) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        let refuse = |code| Err(Refusal::new(code).with("status", &entry.summary.status_word).into());
        if self.works.get(key).is_some_and(Work::is_on) {
            return refuse(RefusalCode::AlreadyRunning);
        }
        if !is_driven(&entry) {
            return refuse(RefusalCode::NotInFormat);
        }
        let root = self.root_of(key)?;
        let workspace = root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: &entry.candidate.file };
        let remembered = self.journal.plan_of(of).unwrap_or_default();
        let plan = plan.or(remembered).ok_or_else(|| Failure::new(FailureKind::NoPlan))?;
        let agent = self.check_plan(&plan, &root)?;
        if !self.journal.hold_lease(of, &self.holder, clock::now()).unwrap_or(true) {
            return refuse(RefusalCode::ForeignOwner);
        }
        let memory = self.recall_memory(of, &plan);
        self.set_running(&entry, raise_limit_to)?;
        let own = |error: crate::journal::Error| Failure::new(FailureKind::OwnData).with("reason", error);
        self.journal.keep_plan(of, &plan, clock::now()).map_err(own)?;
        let _ = self.workshop.choices.change(|choices| choices.started(&plan));
        let spent = self.journal.spent(of).unwrap_or_default();
        let key = entry.key();
        let work = Work {
            key: Arc::clone(&key),
            format: entry.summary.format,
            root,
            plan,
            agent: agent.name,
            memory,
            doing: Doing::Runs(Vec::new()),
            since: clock::now(),
            spent_before: spent,
            spent,
            needs: Vec::new(),
            allowed: BTreeSet::new(),
            asked: None,
            waits: 0,
            last_output: clock::now(),
            started: false,
            final_at: None,
            stop: None,
            action: None,
        };
        self.works.insert(Arc::clone(&key), work);
        self.take_in_tasks(&key);
        self.go_on(&key);
        Ok(())
    }

    /// Everything that would make the start fail, before anything is written.
    pub(crate) fn check_plan(&self, plan: &RunPlan, root: &Path) -> Result<Usable, Failure> {
        let choices = self.workshop.choices.read(Clone::clone);
        if !choices.trusts(root) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", dirs::shown(root)));
        }
        if plan.level.is_none() && plan.agent != "shell" {
            return Err(Failure::new(FailureKind::BadForm).with("field", "level"));
        }
        let agent = starting::usable(plan, &choices)?;
        let run_dir = self.workshop.dirs.runs();
        let run = crate::runs::spec::new_run_id();
        let wanted = Wanted {
            plan,
            agent: &agent,
            prompt: "x",
            schema: Some("{}"),
            variables: Vec::new(),
            folder: root,
            run_dir: &run_dir,
            run: &run,
            money: plan.money_usd,
        };
        wanted.command()?;
        Ok(agent)
    }

    fn recall_memory(&mut self, of: LoopRef<'_>, plan: &RunPlan) -> Memory {
        let kept = self.journal.memory(of).ok().flatten();
        let mut memory: Memory = kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let tool = match plan.agent.as_str() {
            "shell" => "bash",
            agent => agent.strip_prefix("custom:").unwrap_or(agent),
        };
        memory.policy = Policy { ask: true, tool: tool.to_owned(), ..Policy::default() };
        // A new start is a new try: what was asked then is asked again if it still stands in the way.
        (memory.used_up, memory.question) = (None, None);
        memory
    }

    /// Status first, agent second: skills and drivers do nothing unless the file says running.
    fn set_running(&mut self, entry: &Entry, raise_limit_to: Option<u32>) -> Result<(), Failure> {
        let situation = entry.situation(clock::now());
        let legal = |verb| loops::refuse(&entry.summary, verb, &situation);
        let raises = raise_limit_to.is_some();
        let intent = match entry.summary.status {
            FileStatus::NotStarted => Intent::Start,
            FileStatus::Completed | FileStatus::Failed | FileStatus::StoppedByUser | FileStatus::UserExit
                if legal(Verb::Resume).is_some() =>
            {
                Intent::Reopen { raise_limit_to }
            }
            _ => Intent::Resume { raise_limit_to },
        };
        if !raises && entry.summary.status == FileStatus::Running && entry.shown.word == StatusWord::Running {
            return Ok(());
        }
        self.act(&entry.key(), &intent)
    }

    /// Tasks of the form are what INIT would plan.
    fn take_in_tasks(&mut self, key: &Key) {
        let Some(work) = self.works.get(key) else { return };
        if work.plan.tasks.is_empty() || work.format != Format::LoopV2 || work.plan.driver != Driver::Loopdeck
        {
            return;
        }
        let tool = work.memory.policy.tool.clone();
        let planned =
            |(index, text): (usize, &String)| loopdeck_core::ccw::progress_docs::records::PlannedTask {
                id: format!("task-{:03}", index + 1),
                description: text.trim().to_owned(),
                tool: tool.clone(),
                mode: "write".into(),
                priority: 2,
                files: Vec::new(),
            };
        let tasks = work.plan.tasks.iter().enumerate().map(planned).collect();
        let step = loopdeck_core::ccw_v2::operate::Operation::Init { mode: "auto".into(), tasks };
        // Of a loop that is initialised already they were taken in before.
        let _ = self.write_step(key, Operation::LoopV2 { step });
    }

    // --- one step after the other ----------------------------------------------------------------------------------

    /// Does what is next, until something runs, waits or is over.
    pub(crate) fn go_on(&mut self, key: &Key) {
        for _ in 0..MOST_WRITES {
            let Some(work) = self.works.get(key).filter(|work| work.is_on()) else { return };
            if let Driver::Skill { .. } = work.plan.driver {
                return self.run_skill(key);
            }
            self.note_limits(key);
            let next = self.with_file(key, |work, bytes, facts| {
                of_format::next(work.format, bytes, facts, &work.memory)
            });
            let next = match next {
                Ok(next) => next,
                Err(failure) => return self.fail(key, &failure),
            };
            match next {
                Next::Agent(task) => return self.run_agents(key, vec![task], false),
                Next::Parallel(tasks) => return self.run_agents(key, tasks, true),
                Next::Tests(begin) => return self.run_tests(key, begin),
                Next::Write(operation) => {
                    if let Err(failure) = self.write_step(key, operation) {
                        return self.fail(key, &failure);
                    }
                }
                Next::Menu(choices) => return self.ask_menu(key, &choices),
                Next::Ask(question) => return self.ask_question(key, &question),
                Next::End(reason) => return self.end_work(key, &reason),
            }
        }
        self.fail(key, &Failure::new(FailureKind::OwnData).with("reason", "the driver goes in a circle"));
    }

    /// Time and money of the whole work; iterations are the file's.
    fn note_limits(&mut self, key: &Key) {
        let Some(work) = self.works.get_mut(key) else { return };
        let minutes = (clock::now() - work.since) / 60_000;
        if work.plan.minutes.is_some_and(|limit| minutes >= Millis::from(limit)) {
            work.memory.used_up = Some(UsedUp::Time);
        }
        let spent = work.spent.cost_usd.unwrap_or(0.0) - work.spent_before.cost_usd.unwrap_or(0.0);
        if work.plan.money_usd.is_some_and(|limit| spent >= limit) {
            work.memory.used_up = Some(UsedUp::Money);
        }
    }

    /// Looks at the state file as it is now.
    fn with_file<T>(
        &mut self,
        key: &Key,
        look: impl FnOnce(&mut Work, &[u8], &FileFacts<'_>) -> T,
    ) -> Result<T, Failure> {
        let entry = self.entry(key)?;
        let root = self.root_of(key)?;
        let path = root.join(&entry.candidate.file);
        let mut bytes = Vec::new();
        let stamp = files::read(&root, &path, &mut bytes)
            .or_else(|_| {
                // Somebody writes it in this moment.
                std::thread::sleep(Duration::from_millis(20));
                files::read(&root, &path, &mut bytes)
            })
            .map_err(|fault| {
                Failure::new(FailureKind::Unreadable)
                    .with("path", &entry.candidate.file)
                    .with("reason", fault.code.name())
            })?;
        let facts =
            FileFacts { stem: entry.candidate.stem(), modified: stamp.modified_ms(), now: clock::now() };
        let work = self.works.get_mut(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
        Ok(look(work, &bytes, &facts))
    }

    /// Writes a step of the work, as the owner of a running loop.
    fn write_step(&mut self, key: &Key, operation: Operation) -> Result<(), Failure> {
        self.show_work(key);
        self.act(key, &Intent::Operate(Box::new(operation)))
    }

    // --- runs -----------------------------------------------------------------------------------------------------

    fn run_agents(&mut self, key: &Key, tasks: Vec<Task>, with_tests: bool) {
        for task in &tasks {
            if let Some(begin) = task.begin()
                && let Err(failure) = self.write_step(key, begin)
            {
                return self.fail(key, &failure);
            }
        }
        self.start_agents(key, tasks, with_tests);
    }

    fn start_agents(&mut self, key: &Key, tasks: Vec<Task>, with_tests: bool) {
        let mut parts = Vec::new();
        let mut jobs = Vec::new();
        for task in tasks {
            match self.agent_job(key, &task) {
                Ok((job, run)) => {
                    let (run_dir, kind) = (job.run_dir.clone(), job.kind);
                    parts.push(Part {
                        what: What::Agent(task),
                        run,
                        run_dir,
                        kind,
                        attached: None,
                        end: None,
                    });
                    jobs.push(job);
                }
                Err(failure) => return self.fail(key, &failure),
            }
        }
        if with_tests && let Ok((job, run)) = self.tests_job(key) {
            let run_dir = job.run_dir.clone();
            let kind = OutputKind::Text;
            parts.push(Part { what: What::Tests, run, run_dir, kind, attached: None, end: None });
            jobs.push(job);
        }
        self.begin(key, parts, jobs);
    }

    fn run_tests(&mut self, key: &Key, begin: Operation) {
        if let Err(failure) = self.write_step(key, begin) {
            return self.fail(key, &failure);
        }
        let has_command = self.works.get(key).is_some_and(|work| !work.plan.test_command.trim().is_empty());
        if !has_command {
            let end = loopdeck_core::ccw::driver::TestsEnd::CouldNotRun { why: String::new() };
            let concluded = self.with_file(key, |work, bytes, facts| {
                of_format::conclude_tests(work.format, end, (bytes, facts), &mut work.memory)
            });
            return self.follow(key, concluded, Vec::new());
        }
        match self.tests_job(key) {
            Ok((job, run)) => {
                let (run_dir, kind) = (job.run_dir.clone(), OutputKind::Text);
                let part = Part { what: What::Tests, run, run_dir, kind, attached: None, end: None };
                self.begin(key, vec![part], vec![job]);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    fn run_skill(&mut self, key: &Key) {
        match self.skill_job(key) {
            Ok((job, run)) => {
                let (run_dir, kind) = (job.run_dir.clone(), job.kind);
                let part = Part { what: What::Skill, run, run_dir, kind, attached: None, end: None };
                self.begin(key, vec![part], vec![job]);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    fn begin(&mut self, key: &Key, parts: Vec<Part>, jobs: Vec<Job>) {
        let Some(work) = self.works.get_mut(key) else { return };
        work.action = parts.first().map(|part| part.run.action.clone());
        work.started = false;
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
            money: self.money_left(work),
        };
        let (spec, kind) = wanted.spec(loop_key(work), time_left(work))?;
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
        let spec = starting::tests_spec(command, &work.root, &run, loop_key(work), time_left(work));
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
            money: self.money_left(work),
        };
        let (spec, kind) = wanted.spec(loop_key(work), time_left(work))?;
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
        let environment =
            spec.as_ref().map_or(crate::agents::environment::environment(), |spec| &spec.environment);
        Ok(Job {
            key: Arc::clone(key),
            run: run.to_owned(),
            folder: work.root.clone(),
            mask: Mask::of(environment),
            output: Arc::new(Mutex::new(OutputLog::begin_again(&run_dir).map_err(own)?)),
            run_dir,
            spec,
            kind,
            tests,
            guardian: self.workshop.guardian.clone(),
            inbox: self.workshop.inbox.clone(),
        })
    }

    fn money_left(&self, work: &Work) -> Option<f64> {
        let spent = work.spent.cost_usd.unwrap_or(0.0) - work.spent_before.cost_usd.unwrap_or(0.0);
        work.plan.money_usd.map(|limit| (limit - spent).max(0.01))
    }

    fn iteration(&self, key: &Key) -> u32 {
        let bar = self.read_catalog(|catalog| catalog.get(key).and_then(|entry| entry.summary.iteration));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small count
        bar.map_or(1, |bar| bar.current as u32 + 1)
    }

    // --- what runs say ---------------------------------------------------------------------------------------------

    /// A run said something.
    pub(crate) fn run_said(&mut self, key: &Key, run: &str, said: Said) {
        match said {
            Said::Began(attached) => self.run_began(key, run, attached),
            Said::Rows(heard) => {
                let Some(work) = self.works.get_mut(key) else { return };
                work.take_in(&heard);
                if let Some(part) = work.part_mut(run) {
                    part.run.rows = heard.rows;
                    part.run.session = heard.session;
                    part.run.model = heard.model;
                }
                self.show_work(key);
            }
            Said::Asks(request) => self.ask_permission(key, run, &request),
            Said::Withdrawn(request) => self.withdraw(key, &request),
            Said::Ended(end) => self.run_ended(key, run, end),
        }
    }

    fn run_began(&mut self, key: &Key, run: &str, attached: crate::runs::Attached) {
        let Some(work) = self.works.get_mut(key) else { return };
        let asked = work.asked;
        let workspace = work.root.to_string_lossy().into_owned();
        let Some(part) = work.part_mut(run) else { return };
        part.run.pid = attached.record().ok().and_then(|record| record.child).map(|child| child.pid);
        let row = part.run.clone();
        if asked.is_some() {
            let _ = attached.stop(StopReason::Person { name: person() }, true);
        }
        part.attached = Some(attached);
        let _ = self.journal.keep_run(LoopRef { workspace: &workspace, file: file_of(key) }, &row);
        self.show_work(key);
    }

    fn run_ended(&mut self, key: &Key, run: &str, end: Box<RunEnd>) {
        let Some(work) = self.works.get_mut(key) else { return };
        work.needs
            .retain(|waiting| !matches!(&waiting.about, About::Permission { run: of, .. } if of == run));
        work.last_output = work.last_output.max(end.at);
        let (asked, workspace) = (work.asked, work.root.to_string_lossy().into_owned());
        let Some(part) = work.part_mut(run) else { return };
        let verdict = verdict_of(part, &end, asked);
        note_end(&mut part.run, part.kind, &end, &verdict);
        self.workshop.outputs.ended(run);
        let usage = (end.facts.usage, part.run.session.clone(), part.kind, part.run.agent.clone());
        part.end = Some(end);
        let mut row = part.run.clone();
        self.count_usage(&mut row, usage);
        let of = LoopRef { workspace: &workspace, file: file_of(key) };
        let _ = self.journal.keep_run(of, &row);
        let spent = self.journal.spent(of).unwrap_or_default();
        let Some(work) = self.works.get_mut(key) else { return };
        work.spent = spent;
        let all_over = work.parts().iter().all(|part| part.end.is_some());
        if all_over {
            self.all_ended(key);
        } else {
            self.show_work(key);
        }
    }

    /// A run's share of what the agent reports since its conversation began.
    fn count_usage(
        &mut self,
        row: &mut RunRow,
        (reported, session, kind, agent): (Option<Usage>, Option<String>, OutputKind, String),
    ) {
        let Some(reported) = reported else { return };
        let session = session.unwrap_or_else(|| row.id.clone());
        let before = self.journal.used(&agent, &session).ok().flatten();
        let before: Option<Usage> = before.and_then(|text| serde_json::from_str(&text).ok());
        let share = usage::share(kind, reported, before);
        if let Ok(text) = serde_json::to_string(&share.baseline) {
            let _ = self.journal.keep_used(&agent, &session, &text);
        }
        #[allow(clippy::cast_precision_loss)] // exact up to 9e15 tokens
        let tokens = share.run.input.saturating_add(share.run.output) as f64;
        row.tokens = Some(tokens);
        row.cost_usd = share.run.cost_usd;
    }

    /// All processes of this step are over.
    fn all_ended(&mut self, key: &Key) {
        let Some(work) = self.works.get_mut(key) else { return };
        let Doing::Runs(parts) = std::mem::replace(&mut work.doing, Doing::Runs(Vec::new())) else { return };
        let worst = parts
            .iter()
            .filter_map(|part| part.end.as_ref())
            .map(|end| &end.report)
            .find(|report| !matches!(report, StopReport::AllGone { .. }));
        let ended = parts.iter().filter_map(|part| part.end.as_ref()).map(|end| match end.report {
            StopReport::AllGone { ended } => ended,
            _ => 0,
        });
        let ended: u32 = ended.sum();
        let asked = work.asked;
        if let Some(found) = parts.iter().find(|part| matches!(part.what, What::Found)) {
            let report = found.end.as_ref().map_or(StopReport::AllGone { ended }, |end| end.report.clone());
            let left = vec![found.run_dir.clone()];
            work.doing = Doing::Runs(parts);
            if !matches!(report, StopReport::AllGone { .. }) {
                work.stop = Some(report.clone());
                self.need_left(key, left);
            }
            return self.found_run_ended(key, &report);
        }
        if asked.is_some() || worst.is_some() {
            work.stop = Some(worst.cloned().unwrap_or(StopReport::AllGone { ended }));
        }
        if worst.is_some() {
            let left = parts.iter().map(|part| part.run_dir.clone()).collect();
            self.need_left(key, left);
        }
        let Some(work) = self.works.get_mut(key) else { return };
        if asked.is_some() || work.plan.driver != Driver::Loopdeck {
            work.memory.interrupted |= asked.is_some();
            return self.skill_or_asked_ended(key, &parts);
        }
        self.conclude(key, parts);
    }

    /// The person ended it, or the skill did what it does.
    fn skill_or_asked_ended(&mut self, key: &Key, parts: &[Part]) {
        let failed = parts.iter().find_map(|part| {
            let end = part.end.as_ref()?;
            let asked = self.works.get(key).and_then(|work| work.asked);
            let verdict = verdict_of(part, end, asked);
            (!matches!(verdict.outcome, Outcome::Ok | Outcome::Cancelled)).then_some(verdict)
        });
        if let Some(verdict) = failed {
            self.need_verdict(key, &verdict);
        }
        self.over(key);
    }

    fn conclude(&mut self, key: &Key, parts: Vec<Part>) {
        if let Some(limit) = self.cut_off(key, &parts) {
            return self.end_work(key, &EndReason::Limit { limit });
        }
        if let Some(verdict) = self.unavailable(key, &parts)
            && self.wait_for_limit(key, &verdict)
        {
            return;
        }
        let parallel = parts.len() > 1;
        let concluded = self.with_file(key, |work, bytes, facts| {
            let asked = work.asked;
            let command = work.plan.test_command.clone();
            let tests = |part: &Part| {
                let end = part.end.as_ref();
                let reading = end.and_then(|end| end.tests.clone());
                test_run::tests_end(reading, exit_code(end.and_then(|end| end.exit.as_ref())), &command)
            };
            let verdicts: Vec<Option<Verdict>> =
                parts.iter().map(|part| part.end.as_ref().map(|end| verdict_of(part, end, asked))).collect();
            if parallel {
                let ends: Vec<(Task, Ended<'_>, Option<&[String]>)> = parts
                    .iter()
                    .zip(&verdicts)
                    .filter_map(|(part, verdict)| {
                        let (What::Agent(task), Some(end), Some(verdict)) = (&part.what, &part.end, verdict)
                        else {
                            return None;
                        };
                        // Who changed what cannot be told when several work in one folder.
                        Some((task.clone(), ended_of(part, end, verdict), None))
                    })
                    .collect();
                let tests = parts.iter().find(|part| matches!(part.what, What::Tests)).map(tests);
                let none = loopdeck_core::ccw::driver::TestsEnd::CouldNotRun { why: String::new() };
                return of_format::conclude_parallel(
                    &ends,
                    &tests.unwrap_or(none),
                    (bytes, facts),
                    &mut work.memory,
                );
            }
            match (parts.first(), verdicts.first().and_then(Option::as_ref)) {
                (Some(part), Some(verdict)) => match (&part.what, &part.end) {
                    (What::Agent(task), Some(end)) => of_format::conclude(
                        task,
                        &ended_of(part, end, verdict),
                        end.changed.as_deref(),
                        (bytes, facts),
                        &mut work.memory,
                    ),
                    _ => {
                        of_format::conclude_tests(work.format, tests(part), (bytes, facts), &mut work.memory)
                    }
                },
                _ => Concluded::End(EndReason::Cancelled),
            }
        });
        self.follow(key, concluded, parts);
    }

    fn follow(&mut self, key: &Key, concluded: Result<Concluded, Failure>, parts: Vec<Part>) {
        self.keep_memory(key);
        match concluded {
            Ok(Concluded::Write(operations)) => {
                for operation in operations {
                    if let Err(failure) = self.write_step(key, operation) {
                        return self.fail(key, &failure);
                    }
                }
                self.go_on(key);
            }
            Ok(Concluded::Retry(prompt)) => {
                let task = parts.into_iter().find_map(|part| match part.what {
                    What::Agent(task) => Some(task.said_again(prompt.clone())),
                    _ => None,
                });
                match task {
                    // A pause or stop in the meantime is seen before the agent is started again.
                    Some(task) if self.is_running(key) => self.start_agents(key, vec![task], false),
                    _ => self.go_on(key),
                }
            }
            Ok(Concluded::Ask(question)) => self.ask_question(key, &question),
            Ok(Concluded::End(reason)) => {
                let verdict =
                    parts.iter().find_map(|part| part.end.as_ref().map(|end| verdict_of(part, end, None)));
                if let (EndReason::AgentUnavailable { .. }, Some(verdict)) = (&reason, verdict) {
                    self.need_verdict(key, &verdict);
                    return self.over(key);
                }
                self.end_work(key, &reason);
            }
            Err(failure) => self.fail(key, &failure),
        }
    }

    /// The limit of ours that ended a run: what the agent was cut off in is done again when the person extends it.
    fn cut_off(&mut self, key: &Key, parts: &[Part]) -> Option<UsedUp> {
        let work = self.works.get_mut(key)?;
        let limit = parts.iter().find_map(|part| {
            let end = part.end.as_ref()?;
            let budget = verdict_of(part, end, None).outcome == Outcome::Budget;
            match end.stopped_by {
                Some(StopReason::WallLimit) => Some(UsedUp::Time),
                // A cap that the person gave it with an argument of their own is no limit of ours.
                _ => (budget && work.plan.money_usd.is_some()).then_some(UsedUp::Money),
            }
        })?;
        work.memory.interrupted = true;
        work.memory.used_up = Some(limit);
        Some(limit)
    }

    fn is_running(&self, key: &Key) -> bool {
        self.read_catalog(|catalog| {
            catalog.get(key).is_some_and(|entry| entry.summary.status == FileStatus::Running)
        })
    }

    // --- the end --------------------------------------------------------------------------------------------------

    /// The driver is done, for a reason.
    pub(crate) fn end_work(&mut self, key: &Key, reason: &EndReason) {
        match reason {
            EndReason::Limit { limit } => self.need_limit(key, *limit),
            EndReason::Stalled { question } => return self.ask_question(key, question),
            EndReason::Refused { refusal } => {
                return self.fail(key, &refusal.clone().into());
            }
            EndReason::Damaged | EndReason::NotOurs => {
                self.need_failed(key, "damaged", "");
            }
            EndReason::Completed => self.forget_memory(key),
            _ => {}
        }
        self.over(key);
    }

    /// Something is in the way that the person has to see.
    pub(crate) fn fail(&mut self, key: &Key, failure: &Failure) {
        let kind = serde_json::to_value(failure.kind).ok();
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("own_data").to_owned();
        let said = failure.args.get("reason").or(failure.args.get("path")).cloned().unwrap_or_default();
        let refusal = failure.refusal.as_ref().and_then(|refusal| serde_json::to_value(refusal.code).ok());
        let said = refusal.and_then(|code| code.as_str().map(str::to_owned)).unwrap_or(said);
        self.need_failed(key, &kind, &said);
        self.over(key);
    }

    /// Nothing of ours goes on any more.
    pub(crate) fn over(&mut self, key: &Key) {
        self.keep_memory(key);
        let Some(work) = self.works.get_mut(key) else { return };
        work.doing = Doing::Over;
        work.action = None;
        work.final_at = None;
        let workspace = work.root.to_string_lossy().into_owned();
        let of = LoopRef { workspace: &workspace, file: file_of(key) };
        if !self.guards.contains_key(key) {
            let _ = self.journal.give_lease_back(of, &self.holder);
        }
        self.show_work(key);
        self.look_now(key);
    }

    // --- control --------------------------------------------------------------------------------------------------

    /// What a landed request means for the processes: a stop ends them; a pause lets the action end.
    pub(crate) fn control_work(&mut self, key: &str, intent: &Intent) {
        let Some(work) = self.works.get_mut(key) else { return };
        let key = Arc::clone(&work.key);
        match intent {
            Intent::Stop { .. } => self.end_runs(&key, Asked::Stop),
            Intent::Pause if !matches!(work.doing, Doing::Runs(_) | Doing::Over) => self.over(&key),
            _ => {}
        }
    }

    /// Ends the processes of ours; what they did so far stays.
    pub(crate) fn end_runs(&mut self, key: &Key, asked: Asked) {
        let Some(work) = self.works.get_mut(key) else { return };
        let again = work.asked.replace(asked).is_some();
        work.needs.clear();
        match &work.doing {
            Doing::Runs(parts) if !parts.is_empty() => {
                let by = StopReason::Person { name: person() };
                for attached in
                    parts.iter().filter(|part| part.end.is_none()).filter_map(|part| part.attached.as_ref())
                {
                    // A second request does not ask any more.
                    let _ = attached.stop(by.clone(), !again);
                }
                self.show_work(key);
            }
            Doing::Over => {}
            _ => self.over(key),
        }
    }

    /// Pauses at once: the file says paused, and what runs is interrupted.
    pub(crate) fn pause_now(&mut self, key: &str) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        if entry.summary.status != FileStatus::Paused {
            self.act(key, &Intent::Pause)?;
        }
        self.end_runs(&entry.key(), Asked::Interrupt);
        Ok(())
    }

    /// Stops at once.
    pub(crate) fn stop_now(&mut self, key: &str) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        if entry.summary.status != FileStatus::StoppedByUser {
            // A loop that has just ended has nothing to be told; its processes end all the same.
            let told = self.act(key, &Intent::Stop { reason: None });
            if let Err(failure) = told
                && !self.works.get(key).is_some_and(Work::is_on)
            {
                return Err(failure);
            }
        }
        self.end_runs(&entry.key(), Asked::Stop);
        Ok(())
    }

    /// The app ends and takes its runs along.
    pub(crate) fn stop_all(&mut self) -> Result<(), Failure> {
        let on: Vec<Key> =
            self.works.values().filter(|work| work.is_on()).map(|work| Arc::clone(&work.key)).collect();
        for key in on {
            // What cannot be written any more is ended all the same.
            let _ = self.stop_now(&key);
        }
        Ok(())
    }

    /// Runs of a loop, newest first, those at work as they are now.
    pub(crate) fn runs_of(&mut self, key: &str, limit: u32) -> Result<Vec<RunRow>, Failure> {
        let entry = self.entry(key)?;
        let root = self.root_of(key)?.to_string_lossy().into_owned();
        let own = |error: crate::journal::Error| Failure::new(FailureKind::OwnData).with("reason", error);
        let of = LoopRef { workspace: &root, file: &entry.candidate.file };
        let mut runs = self.journal.runs(of, limit).map_err(own)?;
        for part in self.works.get(key).map(Work::parts).unwrap_or_default() {
            if let Some(run) = runs.iter_mut().find(|run| run.id == part.run.id) {
                *run = part.run.clone();
            }
        }
        for run in &mut runs {
            run.log = dirs::shown(&self.workshop.dirs.runs().join(&run.id).join("log"));
        }
        Ok(runs)
    }

    /// How a loop was run last.
    pub(crate) fn plan_of(&mut self, key: &str) -> Result<Option<RunPlan>, Failure> {
        let entry = self.entry(key)?;
        let root = self.root_of(key)?.to_string_lossy().into_owned();
        let own = |error: crate::journal::Error| Failure::new(FailureKind::OwnData).with("reason", error);
        self.journal.plan_of(LoopRef { workspace: &root, file: &entry.candidate.file }).map_err(own)
    }

    // --- what is kept and shown ------------------------------------------------------------------------------------

    pub(crate) fn keep_memory(&mut self, key: &Key) {
        let Some(work) = self.works.get(key) else { return };
        let workspace = work.root.to_string_lossy().into_owned();
        let text = serde_json::to_string(&work.memory).ok();
        let _ =
            self.journal.keep_memory(LoopRef { workspace: &workspace, file: file_of(key) }, text.as_deref());
    }

    fn forget_memory(&mut self, key: &Key) {
        if let Some(work) = self.works.get_mut(key) {
            work.memory = Memory::default();
        }
    }

    /// Puts what is known of the work into the loop's row.
    pub(crate) fn show_work(&mut self, key: &Key) {
        let Some(work) = self.works.get(key) else { return };
        let (run, facts) = (work.shown(), super::shown::facts(work));
        let Some(mut entry) = self.read_catalog(|catalog| catalog.get(key).cloned()) else { return };
        let now = clock::now();
        if entry.run.as_ref() == Some(&run) && entry.work == facts {
            return;
        }
        entry.run = Some(run);
        entry.work = facts;
        entry.shown = entry.shown_at(now, self.fresh_within);
        self.write_catalog(|catalog| catalog.put(entry));
    }

    /// The loop was read again: somebody else may have ended it while the person was asked.
    pub(crate) fn check_work(&mut self, key: &Key) {
        let Some(work) = self.works.get_mut(key).filter(|work| work.is_on()) else { return };
        let status =
            self.catalog.read().ok().and_then(|catalog| catalog.get(key).map(|entry| entry.summary.status));
        let is_final = matches!(
            status,
            Some(
                FileStatus::Completed | FileStatus::Failed | FileStatus::UserExit | FileStatus::StoppedByUser
            )
        );
        work.final_at = if is_final { work.final_at.or_else(|| Some(clock::now())) } else { None };
        let waits = matches!(work.doing, Doing::Asks | Doing::Waits { .. });
        if waits && status.is_some_and(|status| status != FileStatus::Running) {
            work.needs.clear();
            self.over(key);
        }
    }

    /// Provider limits that are over now.
    pub(crate) fn resume_due(&mut self) {
        let now = clock::now();
        let due: Vec<Key> = self
            .works
            .values()
            .filter(|work| matches!(work.doing, Doing::Waits { until } if until <= now))
            .map(|work| Arc::clone(&work.key))
            .collect();
        for key in due {
            if let Some(work) = self.works.get_mut(&key) {
                work.needs.clear();
                work.doing = Doing::Runs(Vec::new());
            }
            self.go_on(&key);
        }
    }

    /// When the next of them is over.
    pub(crate) fn next_resume(&self) -> Option<Millis> {
        let until = |work: &Work| match work.doing {
            Doing::Waits { until } => Some(until),
            _ => None,
        };
        self.works.values().filter_map(until).min()
    }

    fn unavailable(&self, key: &Key, parts: &[Part]) -> Option<Verdict> {
        let asked = self.works.get(key).and_then(|work| work.asked);
        let verdicts =
            parts.iter().filter_map(|part| part.end.as_ref().map(|end| verdict_of(part, end, asked)));
        verdicts.into_iter().find(|verdict| verdict.outcome == Outcome::Limit)
    }

    /// Waits until the provider serves again, when the person wants that and it is known; at most twice.
    #[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
    fn wait_for_limit(&mut self, key: &Key, verdict: &Verdict) -> bool {
        let Some(work) = self.works.get_mut(key) else { return false };
        let Some(until) = verdict.resets_at_ms.filter(|_| work.plan.wait_for_limit && work.waits < 2) else {
            return false;
        };
        work.waits += 1;
        work.memory.interrupted = true;
        // Clocks differ a little.
        work.doing = Doing::Waits { until: until as Millis + 5_000 };
        let said = verdict.message.clone().unwrap_or_default();
        self.need(key, NeedKind::UsageLimit, &said, About::GoOn, &["resume", "stop"], |need| {
            need.until = Some(until);
        });
        self.show_work(key);
        true
    }
}

/// State file of a key.
pub(crate) fn file_of(key: &str) -> &str {
    key.split_once(':').map_or(key, |(_, file)| file)
}

fn loop_key(work: &Work) -> LoopKey {
    LoopKey { workspace: work.root.to_string_lossy().into_owned(), file: file_of(&work.key).to_owned() }
}

fn time_left(work: &Work) -> Option<Duration> {
    let minutes = work.plan.minutes?;
    let left = Millis::from(minutes) * 60_000 - (clock::now() - work.since);
    Some(Duration::from_millis(u64::try_from(left.max(1_000)).unwrap_or(1_000)))
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

/// How a run ended, judged from typed fields only.
pub(crate) fn verdict_of(part: &Part, end: &RunEnd, asked: Option<Asked>) -> Verdict {
    let by_rule = match &end.stopped_by {
        Some(StopReason::WallLimit) => Some(Asked::Timeout),
        Some(StopReason::Person { .. }) => Some(Asked::Stop),
        _ => None,
    };
    let lingered = matches!(end.stopped_by, Some(StopReason::Lingered));
    let exit = match &end.exit {
        _ if lingered => ExitHow::StillRunning,
        Some(Exit::Code { code }) => ExitHow::Code(*code),
        Some(Exit::Signal { signal }) => ExitHow::Signal(*signal),
        Some(Exit::NotStarted { missing: true, .. }) => ExitHow::Code(127),
        Some(Exit::NotStarted { .. }) => ExitHow::Code(126),
        None => ExitHow::Unseen,
    };
    let mut verdict = judge(part.kind, &end.facts, exit, asked.or(by_rule));
    if let Some(why) = &end.not_started {
        verdict.message = Some(why.clone());
    }
    verdict
}

/// The same in the words of the pure driver.
fn ended_of<'e>(part: &Part, end: &'e RunEnd, verdict: &'e Verdict) -> Ended<'e> {
    let message = verdict.message.as_deref().unwrap_or_default();
    match verdict.outcome {
        Outcome::Ok => {
            let plain = part.kind == OutputKind::Text;
            let text = if plain { &end.tail } else { answer(&end.facts) };
            Ended::Answered { text, structured: end.facts.structured.as_deref(), plain }
        }
        Outcome::Limit | Outcome::Auth => Ended::Failed { class: FailureClass::Unavailable, message },
        Outcome::Cancelled => Ended::Failed { class: FailureClass::Cancelled, message },
        // A flag that it does not have, a program that is gone: the same command line fails again.
        Outcome::Unknown if never_began(part, end) => {
            Ended::Failed { class: FailureClass::Unavailable, message }
        }
        _ if part.kind == OutputKind::Text && message.is_empty() => {
            Ended::Failed { class: FailureClass::Work, message: last_lines(&end.tail) }
        }
        _ => Ended::Failed { class: FailureClass::Work, message },
    }
}

/// An agent that reports its start did not.
fn never_began(part: &Part, end: &RunEnd) -> bool {
    part.kind != OutputKind::Text && !end.facts.started && end.exit.is_some()
}

fn answer(facts: &Facts) -> &str {
    facts.answer.as_deref().unwrap_or_default()
}

fn last_lines(text: &str) -> &str {
    let start = text.len().saturating_sub(2_000);
    let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[start..].trim()
}

fn exit_code(exit: Option<&Exit>) -> Option<i32> {
    match exit {
        Some(Exit::Code { code }) => Some(*code),
        Some(Exit::NotStarted { .. }) => Some(127),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn note_end(row: &mut RunRow, kind: OutputKind, end: &RunEnd, verdict: &Verdict) {
    row.ended = Some(end.at as f64);
    let word = serde_json::to_value(verdict.outcome).ok();
    row.outcome = word.and_then(|word| word.as_str().map(str::to_owned));
    row.message = verdict.message.clone().map(|message| message.chars().take(2_000).collect());
    let tells = !matches!(kind, OutputKind::Text | OutputKind::CodexJsonl);
    row.denied = (tells || verdict.denied > 0).then_some(verdict.denied);
    row.exit_code = exit_code(end.exit.as_ref());
    row.session = end.facts.session.clone().or(row.session.take());
    row.model = end.facts.model.clone().or(row.model.take());
    row.stop = end.stopped_by.is_some().then(|| stop_view(&end.report)).or(match end.report {
        StopReport::AllGone { .. } => None,
        _ => Some(stop_view(&end.report)),
    });
}

/// Who is in front of the screen, for the record of a stop.
pub(crate) fn person() -> String {
    std::env::var("USER").or_else(|_| std::env::var("USERNAME")).unwrap_or_else(|_| "?".to_owned())
}
