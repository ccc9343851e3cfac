//! The start form: what is known of a folder, what Start would do, and doing it.

use crate::observe::companions;
use crate::runtime::Runtime;
use loopdeck_agents::Level;
use loopdeck_agents::launch::Session;
use loopdeck_core::driver::AgentTask;
use loopdeck_core::start::{FirstFile, NewFormat, NewWork, WorkMode};
use loopdeck_execution::git;
use loopdeck_execution::launcher::starting::{self, SkillLoop, Wanted};
use loopdeck_execution::plugin;
use loopdeck_execution::preferences::plan::{Driver, RunPlan, StartForm};
use loopdeck_execution::rows::{FolderFacts, FormProblem, StartReview, problem};
use loopdeck_system::clock;
use loopdeck_system::dirs::shown;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use problems::{field_of_launch, field_of_work, plan_problems, range_problems};
use std::collections::BTreeMap;
use std::path::Path;
use test_proposals::test_proposals;

mod plans;
mod problems;
mod replacing;
mod test_proposals;
mod writing;

pub(super) use writing::{create_files, remove_checked_out};

impl Runtime {
    /// What is known of a folder that a loop is to be started in. Nothing in it is run before it is trusted.
    #[must_use]
    pub fn folder_facts(&self, path: &str) -> FolderFacts {
        let folder = loopdeck_system::dirs::written(path);
        let Ok(folder) = files::canonical_folder(&folder) else {
            return FolderFacts { path: path.to_owned(), shown: path.to_owned(), ..FolderFacts::default() };
        };
        let trusted = self.choices.read(|choices| choices.trusts(&folder));
        let workspace = loopdeck_system::dirs::id_of(&folder);
        let running = self.count_running(&workspace);
        FolderFacts {
            path: folder.to_string_lossy().into_owned(),
            shown: shown(&folder),
            exists: true,
            trusted,
            branch: git::branch(&folder),
            uncommitted: self.repository(&folder).ok().as_ref().and_then(git::uncommitted),
            tests: test_proposals(&folder),
            taken: only_files()
                .filter(|(_, file)| folder.join(file).exists())
                .map(|(format, _)| format)
                .collect(),
            live: only_files()
                .filter(|(_, file)| self.is_live(&format!("{workspace}:{file}")))
                .map(|(format, _)| format)
                .collect(),
            plans: plans::plans(&folder),
            unread: plans::unread(&folder),
            running,
            as_root: loopdeck_system::platform::is_root(),
        }
    }

    /// What Start would do, exactly. Nothing is written or run.
    #[must_use]
    pub fn review_start(&self, form: &StartForm) -> StartReview {
        let mut problems = self.form_problems(form);
        problems.extend(replacing::gate_problems(form));
        let now = clock::now();
        let file = match form.work.first_file(now, 0) {
            Ok(file) => Some(file),
            Err(refusal) => {
                let field = field_of_work(refusal.args.get("field").map_or("goal", String::as_str));
                let code = if field == "goal" { "blank" } else { "out_of_range" };
                // The gate has named the very check or atom.
                let is_said = |problem: &FormProblem| problem.field.split('.').next() == Some(field);
                if !problems.iter().any(is_said) {
                    problems.push(problem(field, code, true));
                }
                None
            }
        };
        let mut review = StartReview {
            problems,
            folder: form.folder.clone(),
            argv: Vec::new(),
            prompt: String::new(),
            environment: BTreeMap::new(),
            removed: Vec::new(),
            inherited: Vec::new(),
            notes: Vec::new(),
            runs: form.work.format().is_run(),
            file,
        };
        if let (true, Some(file)) = (review.runs, review.file.clone()) {
            self.review_command(form, &file, &mut review);
        }
        review
    }

    /// The first command line, with the prompt that the agent would really get.
    fn review_command(&self, form: &StartForm, file: &FirstFile, review: &mut StartReview) {
        let choices = self.choices.read(Clone::clone);
        let Ok(agent) = starting::usable_agent(&form.plan.agent, &choices) else { return };
        let format = form.work.format();
        let linked = companions::of_linked_plan(Path::new(&form.folder), form.work.plan.as_deref());
        let task = file.first_task(format, clock::now(), linked);
        let skill = SkillLoop {
            format: format.format(),
            stem: file.stem(format),
            file: &file.file,
            // As it will be told: a menu needs a terminal.
            mode: form
                .work
                .mode
                .map(|mode| if mode == WorkMode::Interactive { WorkMode::Auto } else { mode }),
        };
        let prompt = match (&form.plan.driver, &task) {
            (Driver::Skill { .. }, _) => {
                starting::skill_words(&form.plan, &agent.id, &skill).unwrap_or_default()
            }
            (_, Some(task)) => task.prompt.clone(),
            _ => String::new(),
        };
        review.prompt.clone_from(&prompt);
        let mut variables =
            task.as_ref().map(|task| starting::variables(task, &agent.id)).unwrap_or_default();
        if form.plan.driver != Driver::Loopdeck {
            variables.extend(plugin::environment(skill.format));
        }
        let run_dir = self.dirs().runs().join("RUN");
        let wanted = Wanted {
            plan: &form.plan,
            agent: &agent,
            prompt: if prompt.is_empty() { "…" } else { &prompt },
            schema: task.as_ref().and_then(AgentTask::schema),
            variables: variables.clone(),
            folder: Path::new(&form.folder),
            run_dir: &run_dir,
            run: "00000000-0000-4000-8000-000000000000",
            session: Session::New("00000000-0000-4000-8000-000000000000".to_owned()),
            money: form.plan.money_usd,
            // The plugin's hooks would act on the loop that Loopdeck runs.
            without_hooks: format.format().traits().has_plugin && form.plan.driver == Driver::Loopdeck,
        };
        show_launch(&wanted, variables, review);
    }

    /// The form that would make a loop like this one, as a new one.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn form_of(&self, key: &str) -> Result<StartForm, Failure> {
        let page = self.read_loop(key)?;
        let (format, title) = (page.row.format, &page.row.title);
        let prompt = page.detail.prompt.as_deref().filter(|_| format.plan().is_some());
        let work = match prompt {
            _ if format.traits().is_worked_off => NewWork::of_plan(&page.row.file, title),
            Some(prompt) => NewWork::of_prompt(prompt, title, &page.detail),
            None => NewWork::like(format, page.row.mode.as_deref(), title, &page.detail),
        };
        let folder = self.workspace_path(&page.row.workspace)?.to_string_lossy().into_owned();
        let plan = self.ask_plan(key)?.unwrap_or_default();
        // The level must be chosen again: full access is never carried over silently.
        let level = plan.level.filter(|level| *level != Level::FullAccess);
        let mut plan = RunPlan { level, ..plan };
        plan.further.retain(|further| further.level != Some(Level::FullAccess));
        Ok(StartForm { work, folder, worktree: String::new(), plan, page: 0, replace: false })
    }

    /// Writes the state file of a new loop and starts its agent; answers its key.
    ///
    /// # Errors
    /// `BadForm` with the field; `CannotStart` when git makes no worktree; `Disk`: then nothing was written, and no worktree
    /// is left. Those of [`Runtime::launch`] with `key`: the loop is there and was not started.
    pub fn start_loop(&self, form: &StartForm) -> Result<String, Failure> {
        let review = self.review_start(form);
        if let Some(problem) = review.problems.iter().find(|problem| problem.blocks) {
            let failure = Failure::new(FailureKind::BadForm).with("field", &problem.field);
            return Err(failure.with("code", &problem.code));
        }
        if review.runs {
            self.refuse_changed(Path::new(&form.folder))?;
        }
        let made = self.folder_for(form)?;
        let key = self.write_new(form, &made.folder).inspect_err(|_| self.take_back_worktree(form, &made))?;
        // Its loop exists, whatever happens to the start: a failure leads there.
        self.begin_new(form, &key, review.runs).map_err(|failure| failure.with("key", &key))?;
        Ok(key)
    }

    fn begin_new(&self, form: &StartForm, key: &str, runs: bool) -> Result<(), Failure> {
        self.rescan()?;
        self.keep_parent(form, key)?;
        // The form is done with. One that cannot be forgotten now is offered again, and does no harm.
        self.save_draft(None).logged("the draft of the form is not removed");
        if runs {
            let plan = plan_of(form);
            self.launch(key, Some(plan), None)?;
        }
        Ok(())
    }

    /// Writes the state file of a new loop and remembers how it is to be run, when the form says so; starts nothing, so the
    /// folder need not be trusted. Answers its key.
    ///
    /// # Errors
    /// `BadForm`, `Refused` with the field, `Exists`, `NotAFolder`, `Disk`; `OwnData` when the plan cannot be remembered.
    pub fn create_loop(&self, form: &StartForm) -> Result<String, Failure> {
        let choices = self.choices.read(Clone::clone);
        let plan = plan_of(form);
        let wrong =
            if plan.names_agent() { plan_problems(&plan, &choices) } else { range_problems(&plan).collect() };
        if let Some(problem) = wrong.iter().find(|problem| problem.blocks) {
            let failure = Failure::new(FailureKind::BadForm).with("field", &problem.field);
            return Err(failure.with("code", &problem.code));
        }
        let key = self.write_new(form, Path::new(&form.folder))?;
        self.rescan()?;
        self.keep_parent(form, &key).map_err(|failure| failure.with("key", &key))?;
        self.ask_keep_plan(&key, &plan).map_err(|failure| failure.with("key", &key))?;
        Ok(key)
    }

    /// What the description of the new loop says in words is kept as a link too.
    fn keep_parent(&self, form: &StartForm, key: &str) -> Result<(), Failure> {
        form.work.follow_up.as_ref().map_or(Ok(()), |follow_up| self.ask_keep_follow_up(key, follow_up))
    }

    /// The form of a plan that is a prompt and no list: its prompt is the goal, with what the person says about it. A title and a limit
    /// of the person's stay.
    fn of_its_prompt(&self, mut form: StartForm, workspace: &str) -> StartForm {
        let Some(file) = form.work.plan.clone() else { return form };
        let found = self.form_of(&format!("{workspace}:{file}")).ok().map(|found| found.work);
        let Some(found) = found.filter(|found| found.plan.is_none()) else { return form };
        let given = form.work;
        let more = given.goal.strip_prefix(&NewWork::of_plan(&file, "").goal).unwrap_or(&given.goal).trim();
        let goal = if more.is_empty() { found.goal } else { format!("{}\n\n{more}", found.goal) };
        let title = if given.title.trim().is_empty() { found.title } else { given.title };
        let max_iterations = given.max_iterations.or(found.max_iterations);
        form.work = NewWork { goal, title, max_iterations, ..found };
        form
    }

    fn write_new(&self, form: &StartForm, folder: &Path) -> Result<String, Failure> {
        let id = self.open_workspace(folder)?;
        if plans::missing(form, folder).is_some() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "plan").with("code", "not_found"));
        }
        let form = plans::titled(&self.of_its_prompt(form.clone(), &id), folder);
        let file = self.write_first(&form, folder, &id)?;
        let key = format!("{id}:{file}");
        self.forget_way(&key);
        Ok(key)
    }
}

/// The command line that would be started, or why it cannot be.
fn show_launch(wanted: &Wanted<'_>, variables: Vec<(String, String)>, review: &mut StartReview) {
    match wanted.line() {
        Ok(line) => {
            review.environment = line.env_add.into_iter().chain(variables).collect();
            review.environment.insert(loopdeck_execution::runs::RUN_ID_VARIABLE.into(), "…".into());
            let passed_on = starting::inherited_variables(&line.env_remove, &review.environment);
            review.inherited = passed_on.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
            review.removed = line.env_remove;
            review.notes = line.notes;
            review.argv = std::iter::once(line.program).chain(line.args).collect();
        }
        Err(mistakes) => {
            let failure = wanted.failure_of(&mistakes);
            let field = mistakes.first().map_or("agent", |mistake| field_of_launch(mistake.code));
            let code = failure.args.get("code").cloned().unwrap_or_default();
            let mut found = problem(field, &code, true);
            found.args = failure.args;
            review.problems.push(found);
        }
    }
}

/// Formats of which a folder can have one loop, with its file.
fn only_files() -> impl Iterator<Item = (NewFormat, &'static str)> {
    NewFormat::ALL.into_iter().filter_map(|format| Some((format, format.only_file()?)))
}

/// How the loop of a form is run: what INIT needs to know of its work belongs to it, and what trends group it by.
fn plan_of(form: &StartForm) -> RunPlan {
    let (tasks, mode) = (form.work.tasks.clone(), form.work.init_mode());
    RunPlan { tasks, mode, recipe: Some(form.work.recipe), ..form.plan.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_was_kept_before_still_reads() {
        let kept = r#"{"draft":{"work":{"recipe":"checklist","format":null,"mode":null,"goal":"g","title":"",
            "max_iterations":10,"tasks":[],"base_case":{"shape":"checklist","of":[{"item":"Tests","part":
            {"part":"group","of":[{"item":"","part":{"part":"check","of":{"kind":"not_command","value":""}}}]}}]}},
            "folder":"/x","worktree":"","plan":{"agent":"claude","minutes":120},"page":2},
            "templates":[{"name":"t","form":{"work":{"recipe":"fix_bug","format":null,"mode":null,"goal":"","title":"",
            "max_iterations":null,"tasks":[],"base_case":{"shape":"single","of":{"kind":"file","value":"a"}}},
            "folder":"","worktree":"","plan":{},"page":0}}]}"#;
        let choices: loopdeck_execution::preferences::choices::Choices = serde_json::from_str(kept).unwrap();
        assert!(choices.draft.is_some_and(|form| form.work.base_case.is_some()));
        assert_eq!(choices.templates[0].form.plan, RunPlan::default());
    }
}
