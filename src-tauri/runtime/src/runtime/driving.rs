//! The runtime as the shell sees it, for running loops.

use crate::Runtime;
use crate::store::handing::Wanted;
use crate::views::RecentFolder;
use loopdeck_agents::table::LaunchNote;
use loopdeck_core::formats::aot::create::draft_by_agent::DraftedLoop;
use loopdeck_execution::preferences::plan::{RunPlan, StartForm, Template};
use loopdeck_execution::rows::{
    AgentRow, CustomAgentForm, FormDraft, FormProblem, FormTry, RunView, StartReview, StopFacts, Tried,
};
use loopdeck_execution::runs::{FoundRun, attach};
use loopdeck_system::dirs;
use loopdeck_system::failure::{Failure, FailureKind};
use std::path::Path;
use std::time::Duration;

impl Runtime {
    // --- the form -------------------------------------------------------------------------------------------------

    /// The form that was left unfinished.
    #[must_use]
    pub fn draft(&self) -> Option<StartForm> {
        self.choices.read(|choices| choices.draft.clone())
    }

    /// Keeps the form as it is now, or forgets it.
    ///
    /// # Errors
    /// `OwnData` when it cannot be saved.
    pub fn save_draft(&self, form: Option<StartForm>) -> Result<(), Failure> {
        self.choose(|choices| choices.draft = form)
    }

    /// Forms saved under a name, oldest first.
    #[must_use]
    pub fn templates(&self) -> Vec<Template> {
        self.choices.read(|choices| choices.templates.clone())
    }

    /// Saves a form under a name; one of the same name is replaced.
    ///
    /// # Errors
    /// `BadForm` without a name; `OwnData` when it cannot be saved.
    pub fn save_template(&self, template: Template) -> Result<(), Failure> {
        if template.name.trim().is_empty() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "name"));
        }
        self.choose(|choices| choices.save_template(template))
    }

    /// Forgets a saved form.
    ///
    /// # Errors
    /// `OwnData` when that cannot be saved.
    pub fn delete_template(&self, name: &str) -> Result<(), Failure> {
        self.choose(|choices| choices.templates.retain(|known| known.name != name))
    }

    /// What a launch of the loop named `key` by `plan` would do, and what to know of it. Nothing is written or run.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn review_launch(&self, key: &str, plan: &RunPlan) -> Result<StartReview, Failure> {
        let mut form = self.form_of(key)?;
        form.plan = plan.clone();
        let mut review = self.review_start(&form);
        // Without an answer nothing is promised.
        let by = plan.clone();
        let goes_on = self.ask(key, move |owner, key| owner.store.driver_context().goes_on(key, &by));
        if goes_on.unwrap_or(false) {
            review.notes.insert(0, LaunchNote::GoesOn);
        }
        Ok(review)
    }

    // --- tries ----------------------------------------------------------------------------------------------------

    /// Runs one command of the form once and waits for its end; [`Runtime::stop_try`] ends it before.
    ///
    /// # Errors
    /// `BadForm` without a command; `NotAFolder`; `Untrusted`: then nothing was run. `CannotStart` when there is no guardian.
    pub fn try_command(&self, wanted: &FormTry) -> Result<Tried, Failure> {
        self.tries.try_command(wanted)
    }

    /// Ends a try; nothing happens when it is over.
    pub fn stop_try(&self, id: &str) {
        self.tries.stop_try(id);
    }

    /// Lets an agent draft an AoT loop from a paragraph, and waits for it; [`Runtime::stop_try`] ends it before. It may only
    /// look, whatever the plan allows.
    ///
    /// # Errors
    /// `BadForm` without a paragraph or an agent that can only look; `NotAFolder`; `Untrusted`; `NoAgent`; `CannotStart`;
    /// `NoDraft` when nothing came of it.
    pub fn draft_loop(&self, wanted: &FormDraft) -> Result<DraftedLoop, Failure> {
        self.tries.draft_loop(wanted)
    }

    // --- trust ----------------------------------------------------------------------------------------------------

    /// Lets programs of a folder be run, or no longer, nor those of worktrees that Loopdeck made from it. It does not end current runs.
    ///
    /// # Errors
    /// `NotAFolder`; `OwnData` when it cannot be saved.
    pub fn trust(&self, path: &str, trusted: bool) -> Result<(), Failure> {
        let path = &dirs::written(path);
        if trusted && !path.is_dir() {
            return Err(Failure::new(FailureKind::NotAFolder).with("path", dirs::shown(path)));
        }
        self.choose(|choices| choices.trust(path, trusted))
    }

    /// Trusts a folder in a worktree that was made of `of` just now.
    pub(crate) fn trust_worktree(&self, folder: &Path, of: &Path) -> Result<(), Failure> {
        if !folder.is_dir() {
            return Err(Failure::new(FailureKind::NotAFolder).with("path", dirs::shown(folder)));
        }
        self.choose(|choices| choices.trust_worktree(folder, of))
    }

    /// Folders that the person trusts.
    #[must_use]
    pub fn trusted(&self) -> Vec<RecentFolder> {
        let trusted = self.choices.read(|choices| choices.trusted.clone());
        trusted.into_iter().map(RecentFolder::from).collect()
    }

    // --- runs -----------------------------------------------------------------------------------------------------

    /// How a loop was run last, or would be; without a key: how a new one would be.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn plan_of(&self, key: &str) -> Result<RunPlan, Failure> {
        let known = if key.is_empty() { None } else { self.ask_plan(key)? };
        // A plan's own tool is confirmed each time, and runs no other loop.
        let known = known.filter(|plan| plan.own_tool().is_none());
        if known.is_none() && self.is_sample(key) {
            return Ok(sample_plan());
        }
        let last = self.choices.read(|choices| choices.last.clone()).unwrap_or_default();
        if let Some(plan) = known {
            return Ok(if plan.names_agent() { plan } else { with_agent_of(last, plan) });
        }
        // What is run belongs to the folder it was typed for; no workspace brings programs of its own.
        let (shell_command, test_command, results) = Default::default();
        Ok(RunPlan { shell_command, test_command, results, ..last })
    }

    /// Pauses without waiting for the action to end: it is interrupted.
    ///
    /// # Errors
    /// Those of [`Runtime::act`].
    pub fn pause_now(&self, key: &str) -> Result<(), Failure> {
        self.change_loop(key, Wanted::PauseNow)
    }

    /// Ends the processes of ours on a loop at once.
    ///
    /// # Errors
    /// Those of [`Runtime::act`].
    pub fn stop_now(&self, key: &str) -> Result<(), Failure> {
        self.change_loop(key, Wanted::StopNow)
    }

    /// What a stop of a loop would end. Its guardians are asked, each for at most a second.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn stop_facts(&self, key: &str) -> Result<StopFacts, Failure> {
        let runs = self.newest_runs(key, 500)?;
        let alive: Vec<&RunView> = runs.iter().filter(|run| run.ended.is_none()).collect();
        let processes = alive.iter().map(|run| living_processes(&self.dirs().runs().join(&run.id)));
        Ok(StopFacts {
            person: loopdeck_execution::person::known_person().unwrap_or_default(),
            runs: u32::try_from(alive.len()).unwrap_or(u32::MAX),
            processes: processes.sum(),
        })
    }

    // --- what it needs --------------------------------------------------------------------------------------------

    // --- agents ---------------------------------------------------------------------------------------------------

    /// Agents that were found, and what is wrong with them; looked for `again` or as found before.
    ///
    /// # Errors
    /// None so far.
    pub fn agents(&self, again: bool) -> Result<Vec<AgentRow>, Failure> {
        Ok(self.doctor.agents(&self.choices.read(Clone::clone), again))
    }

    /// Saves a custom agent, or says what is wrong with it; then nothing is saved.
    ///
    /// # Errors
    /// `OwnData` when it cannot be saved.
    pub fn save_agent(&self, agent: CustomAgentForm) -> Result<Vec<FormProblem>, Failure> {
        let problems = loopdeck_execution::preferences::custom::problems(&agent);
        if problems.is_empty() {
            self.choose(|choices| {
                choices.agents.retain(|known| known.id != agent.id);
                choices.agents.push(agent);
            })?;
        }
        Ok(problems)
    }

    /// Forgets a custom agent.
    ///
    /// # Errors
    /// `OwnData` when that cannot be saved.
    pub fn remove_agent(&self, id: &str) -> Result<(), Failure> {
        self.choose(|choices| choices.agents.retain(|known| known.id != id))
    }

    /// Uses this program for an agent; whatever is found when none is named.
    ///
    /// # Errors
    /// `OwnData` when that cannot be saved.
    pub fn set_program(&self, id: &str, program: Option<String>) -> Result<(), Failure> {
        self.choose(|choices| {
            choices.programs.remove(id);
            if let Some(program) = program {
                choices.programs.insert(id.to_owned(), program.into());
            }
        })
    }

    fn choose(
        &self,
        change: impl FnOnce(&mut loopdeck_execution::preferences::choices::Choices),
    ) -> Result<(), Failure> {
        self.choices.change(change)
    }
}

/// `plan` with the agent of the loop that was started last, as it is proposed for any other new loop.
fn with_agent_of(last: RunPlan, plan: RunPlan) -> RunPlan {
    let model = if plan.model.is_empty() { last.model } else { plan.model };
    let (agent, level) = (last.agent, plan.level.or(last.level));
    RunPlan { agent, model, level, ask: last.ask, clean: plan.clean || last.clean, ..plan }
}

/// How a loop of the sample is run: without an account, by the programs that Loopdeck itself laid out there.
fn sample_plan() -> RunPlan {
    RunPlan {
        agent: "shell".into(),
        shell_command: "sh agent.sh".into(),
        test_command: "sh test.sh".into(),
        ..RunPlan::default()
    }
}

/// Processes of a run, by its guardian's word.
fn living_processes(run_dir: &Path) -> Option<u32> {
    match attach(run_dir).ok()? {
        FoundRun::Alive(attached) => attached.processes(Duration::from_secs(1)),
        FoundRun::Ended(_) => Some(0),
        FoundRun::Lost(..) => None,
    }
}
