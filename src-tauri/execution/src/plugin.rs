//! The AoT plugin drives (AoT contract §2): its own command takes the loop up, its hook decides what is next, and Loopdeck
//! follows the file.

use super::driver_context::DriverContext;
use super::store::LoopNow;
use super::work::{Activity, Execution};
use crate::launcher::starting;
use crate::launcher::starting::SkillLoop;
use crate::launcher::starting::starting_intent;
use crate::preferences::plan::{Driver, RunPlan};
use crate::rows::FormProblem;
use crate::rows::problem;
use loopdeck_agents::AgentId;
use loopdeck_agents::outcome::Asked;
use loopdeck_core::control::Intent;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::{self, plugin};
use loopdeck_core::skill_prompt::PLUGIN_ENVIRONMENT;
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// How long an agent may continue after its file says that the loop has ended.
const GRACE: TimeDelta = TimeDelta::seconds(10);

/// Whether the plugin drives a loop of this format.
pub fn drives(format: Format, plan: &RunPlan) -> bool {
    format.traits().has_plugin && plan.driver != Driver::Loopdeck
}

/// What the plugin needs of the environment of its agent.
pub fn environment(format: Format) -> impl Iterator<Item = (String, String)> {
    let needed = PLUGIN_ENVIRONMENT.into_iter().filter(move |_| format.traits().has_plugin);
    needed.map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// What the form shows about the plugin: that its hook allows tools without asking, and what cannot work.
pub fn problems(plan: &RunPlan, format: Format) -> Vec<FormProblem> {
    let Driver::Skill { command } = &plan.driver else { return Vec::new() };
    if !drives(format, plan) {
        return Vec::new();
    }
    let mut found = vec![problem("driver", "plugin_allows_tools", false)];
    if command.trim().is_empty() && AgentId::parse(&plan.agent) != Some(AgentId::Claude) {
        found.push(problem("driver", "plugin_needs_claude", true));
    }
    if plan.clean {
        found.push(problem("clean", "no_plugin_when_clean", true));
    }
    found
}

impl Execution {
    /// Whether the content of the file comes from the driver: not until the plugin has taken the loop up.
    pub(crate) fn is_taken_up(&mut self, status: Option<FileStatus>) -> bool {
        // Half a file says nothing.
        let said = status.filter(|status| *status != FileStatus::Unreadable);
        self.handed_over_status.take_if(|handed| said.is_some_and(|said| said != *handed));
        self.handed_over_status.is_none()
    }

    /// When an agent that has nothing more to do is ended.
    pub(crate) fn lingers_until(&self) -> Option<Timestamp> {
        let at_work = self.asked.is_none() && self.slots().iter().any(|slot| slot.end.is_none());
        Some(self.final_at.filter(|_| self.is_plugin() && at_work)? + GRACE)
    }
}

impl DriverContext<'_> {
    /// Everything that would make the start of the plugin fail, before anything is written.
    pub(crate) fn check_plugin(
        &mut self,
        entry: &LoopNow,
        root: &Path,
        plan: &RunPlan,
        raise_limit_to: Option<u32>,
    ) -> Result<(), Failure> {
        if !drives(entry.summary.format, plan) {
            return Ok(());
        }
        let file = entry.candidate.file.as_str();
        let agent = AgentId::parse(&plan.agent).ok_or_else(|| Failure::new(FailureKind::NoAgent))?;
        let stem = entry.candidate.stem();
        starting::skill_words(
            plan,
            &agent,
            &SkillLoop { format: entry.summary.format, stem, file, mode: None },
        )?;
        let mut bytes = Vec::new();
        let stamp = files::read(root, &root.join(file), &mut bytes).map_err(|fault| {
            Failure::new(FailureKind::Unreadable).with("path", file).with("reason", fault.code.name())
        })?;
        is_safe(file, &bytes)?;
        let now = clock::now();
        let facts = FileFacts { stem, modified: stamp.modified(), now };
        let situation = entry.situation(now);
        let intent = starting_intent(&entry.summary, &situation, raise_limit_to);
        loops::carry_out(&entry.summary, &bytes, &facts, &intent, &situation)?;
        Ok(())
    }

    /// Hands the loop over and starts the plugin, unless a person is about to redirect it.
    pub(crate) fn run_plugin(&mut self, key: &LoopId) {
        if let Err(failure) = self.may_start(key) {
            return self.fail(key, &failure);
        }
        let Ok(entry) = self.store.read(key) else { return self.conclude_work(key) };
        let (situation, file) = (entry.situation(clock::now()), entry.candidate.file.clone());
        let found = self.with_file(key, |work, bytes, facts| {
            if plugin::is_held(bytes) {
                return Ok(None);
            }
            is_safe(&file, bytes)?;
            Ok(Some(plugin::hand_over(bytes, facts, work.raise, &situation)?))
        });
        let step = match found.and_then(|found: Result<_, Failure>| found) {
            Ok(Some(step)) => step,
            Ok(None) => return self.wait_for_redirect(key),
            Err(failure) => return self.fail(key, &failure),
        };
        if let Some(step) = step
            && let Err(failure) = self.write_step(key, step)
        {
            return self.fail(key, &failure);
        }
        let status = self.store.read(key).ok().map(|entry| entry.summary.status);
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            (work.raise, work.handed_over_status, work.final_at) = (None, status, None);
        }
        self.run_skill(key);
    }

    /// A plugin that took the loop up in the moment in which it was stopped has set it to running after all.
    pub(crate) fn stop_taken_up(&mut self, key: &LoopId) {
        let was_stopped = |work: &Execution| {
            work.is_plugin() && work.asked == Some(Asked::Stop) && matches!(work.doing, Activity::Runs(_))
        };
        if !self.scheduler().works.get(key).is_some_and(was_stopped) {
            return;
        }
        self.store.observe(key);
        let runs = |entry: &LoopNow| {
            entry.summary.status == FileStatus::Running && entry.summary.stop_requested.is_none()
        };
        if self.store.read(key).is_ok_and(|entry| runs(&entry)) {
            // Whoever ended it at this moment has the last word.
            self.store
                .commit(key, &Intent::Stop { reason: None })
                .logged("a step of the driver is not written");
        }
    }

    /// Ends agents that continue although their loop has ended.
    pub fn end_lingering(&mut self) {
        let now = clock::now();
        let due = |work: &&Execution| work.lingers_until().is_some_and(|until| until <= now);
        let due: Vec<LoopId> =
            self.scheduler().works.values().filter(due).map(|work| work.key.clone()).collect();
        for key in due {
            self.end_runs(&key, Asked::Interrupt);
        }
    }
}

/// Whether the file may be given to the plugin: its hook computes with values in a shell, and finds fields by their lines.
fn is_safe(file: &str, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(problem) = plugin::shell_value(bytes) {
        let line = problem.line.unwrap_or_default();
        let found = problem.args.get("found").cloned().unwrap_or_default();
        let failure = Failure::new(FailureKind::ShellValue).with("path", file);
        return Err(failure.with("line", line).with("found", found));
    }
    if plugin::is_read_by_plugin(bytes) {
        Ok(())
    } else {
        Err(Failure::new(FailureKind::NotForPlugin).with("path", file))
    }
}
