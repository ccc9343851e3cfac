//! The start form: what is known of a folder, what Start would do, and doing it.

use crate::runtime::Runtime;
use loopdeck_agents::launch::{LaunchProblemCode, Session};
use loopdeck_agents::{AgentId, Level, table};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::driver::{AgentTask, Memory};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::aot::AotWork;
use loopdeck_core::formats::loop_b::create::WorkMode;
use loopdeck_core::loops;
use loopdeck_core::start::{AOT_FILE, FirstFile, NewFormat, NewWork, Recipe, aot_like};
use loopdeck_core::status::StatusWord;
use loopdeck_execution::agents::doctor::{has_skill, runs_commands};
use loopdeck_execution::git;
use loopdeck_execution::launcher::starting;
use loopdeck_execution::launcher::starting::{SkillLoop, Wanted};
use loopdeck_execution::limits;
use loopdeck_execution::plugin;
use loopdeck_execution::preferences::plan::{Driver, RunPlan, StartForm};
use loopdeck_execution::rows::{FolderFacts, FormProblem, StartReview, TestProposal, problem};
use loopdeck_results::detect;
use loopdeck_system::clock;
use loopdeck_system::dirs::shown;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

mod replacing;

impl Runtime {
    pub(crate) fn facts_of_folder(&self, path: &str) -> FolderFacts {
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
            uncommitted: if trusted { git::uncommitted(&folder) } else { None },
            tests: proposals(&folder),
            has_aot: folder.join(AOT_FILE).exists(),
            aot_is_live: self.has_live_aot(&workspace),
            running,
            as_root: loopdeck_system::platform::is_root(),
        }
    }

    pub(crate) fn review(&self, form: &StartForm) -> StartReview {
        let mut problems = self.problems(form);
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
        let Ok(agent) = starting::usable(&form.plan.agent, &choices) else { return };
        let task = first_task(form, file);
        let stem = stem_of(&file.file);
        let skill = SkillLoop {
            format: form.work.format().format(),
            stem: &stem,
            file: &file.file,
            // As it will be told: a menu needs a terminal.
            mode: form
                .work
                .mode
                .map(|mode| if mode == WorkMode::Interactive { WorkMode::Auto } else { mode }),
        };
        review.prompt = match (&form.plan.driver, &task) {
            (Driver::Skill { .. }, _) => {
                starting::skill_words(&form.plan, &agent.id, &skill).unwrap_or_default()
            }
            (_, Some(task)) => task.prompt.clone(),
            _ => String::new(),
        };
        let mut variables =
            task.as_ref().map(|task| starting::variables(task, &agent.id)).unwrap_or_default();
        if form.plan.driver != Driver::Loopdeck {
            variables.extend(plugin::environment(skill.format));
        }
        let run_dir = self.dirs().runs().join("RUN");
        let wanted = Wanted {
            plan: &form.plan,
            agent: &agent,
            prompt: if review.prompt.is_empty() { "…" } else { &review.prompt },
            schema: task.as_ref().map(AgentTask::schema),
            variables: variables.clone(),
            folder: Path::new(&form.folder),
            run_dir: &run_dir,
            run: "00000000-0000-4000-8000-000000000000",
            session: Session::New("00000000-0000-4000-8000-000000000000".to_owned()),
            money: form.plan.money_usd,
            without_hooks: form.work.format() == NewFormat::Aot && form.plan.driver == Driver::Loopdeck,
        };
        match wanted.line() {
            Ok(line) => {
                review.environment = line.env_add.into_iter().chain(variables).collect();
                review.environment.insert(loopdeck_execution::runs::RUN_ID_VARIABLE.into(), "…".into());
                let passed_on = starting::inherited(&line.env_remove, &review.environment);
                review.inherited = passed_on.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
                review.removed = line.env_remove;
                review.notes = line.notes;
                review.argv = std::iter::once(line.program).chain(line.args).collect();
            }
            Err(mistakes) => {
                let failure = wanted.refused(&mistakes);
                let field = mistakes.first().map_or("agent", |mistake| field_of_launch(mistake.code));
                let code = failure.args.get("code").cloned().unwrap_or_default();
                let mut found = problem(field, &code, true);
                found.args = failure.args;
                review.problems.push(found);
            }
        }
    }

    /// Everything but the work itself, which says its own mistakes.
    fn problems(&self, form: &StartForm) -> Vec<FormProblem> {
        let mut found = Vec::new();
        let plan = &form.plan;
        let choices = self.choices.read(Clone::clone);
        if form.work.goal.trim().is_empty() {
            found.push(problem("goal", "blank", true));
        } else if form.work.is_too_long() {
            found.push(problem("goal", "too_long", true));
        }
        let folder = Path::new(&form.folder);
        let exists = folder.is_absolute() && folder.is_dir();
        if form.folder.trim().is_empty() {
            found.push(problem("folder", "blank", true));
        } else if !exists {
            found.push(problem("folder", "not_found", true));
        }
        found.extend(self.there_is_another(form).filter(|_| exists));
        if !form.worktree.trim().is_empty() && !is_branch(form.worktree.trim()) {
            found.push(problem("worktree", "bad_branch", true));
        } else if !form.worktree.trim().is_empty() && !git::is_there() {
            found.push(problem("worktree", "no_git", true));
        }
        let runs = form.work.format().is_run();
        // Git runs the hooks of the repository.
        if exists && (runs || !form.worktree.trim().is_empty()) && !choices.trusts(folder) {
            found.push(problem("folder", "not_trusted", true));
        }
        if !runs {
            return found;
        }
        found.extend(plan_problems(plan, &choices));
        found.extend(plugin::problems(plan, form.work.format().format()));
        found.extend(tools_not_allowed(form));
        found.extend(skill_advice(plan, form.work.format().format(), folder));
        // An AoT loop is judged by its checks.
        let asks_tests = plan.driver == Driver::Loopdeck && form.work.format() != NewFormat::Aot;
        if asks_tests && plan.test_command.trim().is_empty() {
            found.push(problem("test_command", "blank", false));
        }
        if plan.level == Some(Level::FullAccess) && form.worktree.trim().is_empty() {
            found.push(problem("level", "worktree_suggested", false));
        }
        found
    }

    /// The form that would make a loop like this one.
    pub(crate) fn form_like(&self, key: &str) -> Result<StartForm, Failure> {
        let page = self.read_loop(key)?;
        let metadata = &page.detail.metadata;
        let format = match page.row.format {
            Format::LoopB => NewFormat::LoopB,
            Format::Aot => NewFormat::Aot,
            _ => NewFormat::LoopV2,
        };
        let recipe = if format == NewFormat::Aot { Recipe::Checklist } else { Recipe::BuildFeature };
        let goal = metadata.description.clone().filter(|text| !text.trim().is_empty());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked by the form
        let limit = metadata.max_iterations.map(|limit| limit.max(0.0) as u32);
        // Defaults are left out.
        let mode =
            page.row.mode.as_deref().and_then(WorkMode::from_word).filter(|mode| *mode != WorkMode::Auto);
        let (aot, base_case) =
            if format == NewFormat::Aot { aot_like(&page.detail) } else { (AotWork::default(), None) };
        let work = NewWork {
            recipe,
            format: (recipe.format() != format).then_some(format),
            mode,
            goal: goal.unwrap_or_else(|| page.row.title.clone()),
            title: page.row.title.clone(),
            max_iterations: limit,
            tasks: Vec::new(),
            base_case,
            follow_up: None,
            aot,
        };
        let folder = self.workspace_path(&page.row.workspace)?.to_string_lossy().into_owned();
        let plan = self.ask_plan(key)?.unwrap_or_default();
        // The level must be chosen again: full access is never carried over silently.
        let level = plan.level.filter(|level| *level != Level::FullAccess);
        let mut plan = RunPlan { level, ..plan };
        plan.further.retain(|further| further.level != Some(Level::FullAccess));
        Ok(StartForm { work, folder, worktree: String::new(), plan, page: 0, replace: false })
    }

    pub(crate) fn start_new(&self, form: &StartForm) -> Result<String, Failure> {
        let review = self.review(form);
        if let Some(problem) = review.problems.iter().find(|problem| problem.blocks) {
            let failure = Failure::new(FailureKind::BadForm).with("field", &problem.field);
            return Err(failure.with("code", &problem.code));
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

    /// The file of a new loop, and how it is to be run as far as that was said: its agent may be named later.
    pub(crate) fn create_new(&self, form: &StartForm) -> Result<String, Failure> {
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
        if plan != RunPlan::default() {
            self.ask_keep_plan(&key, &plan).map_err(|failure| failure.with("key", &key))?;
        }
        Ok(key)
    }

    /// What the description of the new loop says in words is kept as a link too.
    fn keep_parent(&self, form: &StartForm, key: &str) -> Result<(), Failure> {
        form.work.follow_up.as_ref().map_or(Ok(()), |follow_up| self.ask_keep_follow_up(key, follow_up))
    }

    fn write_new(&self, form: &StartForm, folder: &Path) -> Result<String, Failure> {
        let id = self.open_workspace(folder)?;
        let file = self.write_first(form, folder, &id)?;
        Ok(format!("{id}:{file}"))
    }

    /// Nothing is left of a worktree in which no loop could be made: no folder, no branch, no trust.
    fn take_back_worktree(&self, form: &StartForm, made: &Place) {
        let Some(top) = &made.worktree else { return };
        if let Ok(folder) = made.folder.canonicalize() {
            let _ = self.close_workspace(&loopdeck_system::dirs::id_of(&folder)); // it may not have come to be open
        }
        self.trust(&made.folder.to_string_lossy(), false).logged("the folder of the sample is not trusted");
        git::remove_worktree(Path::new(&form.folder), form.worktree.trim(), top);
    }

    /// The folder of the form, or the same folder in a worktree of its repository, trusted as it is.
    fn folder_for(&self, form: &StartForm) -> Result<Place, Failure> {
        let folder = PathBuf::from(&form.folder);
        let branch = form.worktree.trim();
        if branch.is_empty() {
            return Ok(Place { folder, worktree: None });
        }
        if !self.choices.read(|choices| choices.trusts(&folder)) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", shown(&folder)));
        }
        let refused = |error: std::io::Error| {
            Failure::new(FailureKind::CannotStart).with("agent", "git").with("reason", error)
        };
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let at = self.dirs().worktrees().join(format!("{name}-{}", branch.replace('/', "-")));
        let inner = git::place_in_repository(&folder).map_err(refused)?;
        let top = git::add_worktree(&folder, branch, &at).map_err(refused)?;
        let made = Place { folder: top.join(inner), worktree: Some(top) };
        if form.work.format() == NewFormat::Aot {
            remove_checked_out(&made.folder);
        }
        // One that is not committed yet is not in the worktree, and then it cannot be trusted.
        let trusted = self.trust_worktree(&made.folder, &folder);
        trusted.inspect_err(|_| self.take_back_worktree(form, &made))?;
        Ok(made)
    }

    /// A name that is taken is tried again with another number.
    fn write_first(&self, form: &StartForm, folder: &Path, workspace: &str) -> Result<String, Failure> {
        let disk = |file: &str, error: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Disk).with("path", file).with("reason", error)
        };
        let folder = files::canonical_folder(folder).map_err(|error| disk(&form.folder, &error))?;
        for _ in 0..8 {
            let random = RandomState::new().hash_one(clock::now());
            #[allow(clippy::cast_possible_truncation)] // any bits do
            let file = form.work.first_file(clock::now(), random as u32)?;
            let path = folder.join(&file.file);
            if path.exists() {
                if file.file == AOT_FILE && form.replace {
                    return self.replace_with(workspace, file);
                }
                if file.file == AOT_FILE {
                    return Err(Failure::new(FailureKind::Exists).with("path", &file.file));
                }
                continue;
            }
            files::make_folder_above(&folder, &path).map_err(|error| disk(&file.file, &error))?;
            return match files::create(&folder, &path, file.text.as_bytes()) {
                Ok(_) => Ok(file.file),
                Err(fault) => Err(disk(&file.file, &format!("{fault:?}"))),
            };
        }
        Err(Failure::new(FailureKind::Exists).with("path", &form.folder))
    }
}

/// How the loop of a form is run: what INIT needs to know of its work belongs to it.
fn plan_of(form: &StartForm) -> RunPlan {
    let (tasks, mode) = (form.work.tasks.clone(), form.work.init_mode());
    RunPlan { tasks, mode, ..form.plan.clone() }
}

/// Where a new loop is made.
struct Place {
    /// Its workspace.
    folder: PathBuf,
    /// The top of the worktree that was made for it.
    worktree: Option<PathBuf>,
}

/// A loop that is in the repository is not the one that starts in its new worktree; the commit keeps it. A link that leads out of the
/// worktree points to a foreign file, which stays.
fn remove_checked_out(worktree: &Path) {
    let Ok(folder) = files::canonical_folder(worktree) else { return };
    let file = folder.join(AOT_FILE);
    if file.parent().is_some_and(|above| files::lies_within(&folder, above)) {
        let _ = std::fs::remove_file(file); // usually there is none
    }
}

fn plan_problems(
    plan: &RunPlan,
    choices: &loopdeck_execution::preferences::choices::Choices,
) -> Vec<FormProblem> {
    let mut found = Vec::new();
    if !plan.names_agent() {
        return vec![problem("agent", "blank", true)];
    }
    if let Err(failure) = starting::usable(&plan.agent, choices) {
        let mut missing = problem("agent", "not_found", true);
        missing.args = failure.args;
        found.push(missing);
    }
    if plan.agent == "shell" {
        if plan.shell_command.trim().is_empty() {
            found.push(problem("shell_command", "blank", true));
        }
    } else if plan.level.is_none() {
        found.push(problem("level", "blank", true));
    }
    found.extend(further_problems(plan, choices));
    found.extend(range_problems(plan));
    found.extend(level_advice(plan));
    found
}

/// Numbers that no run can have, whatever the agent.
fn range_problems(plan: &RunPlan) -> impl Iterator<Item = FormProblem> {
    limits::out_of_range(plan).map(|field| problem(field, "out_of_range", true))
}

/// Further agents that tasks may use: whether they are there, and the command of the shell.
fn further_problems(
    plan: &RunPlan,
    choices: &loopdeck_execution::preferences::choices::Choices,
) -> Vec<FormProblem> {
    let mut found = Vec::new();
    for further in plan.further.iter().filter(|further| further.agent != plan.agent) {
        if further.agent == "shell" && plan.shell_command.trim().is_empty() {
            found.push(problem("shell_command", "blank", true));
        } else if let Err(failure) = starting::usable(&further.agent, choices) {
            let mut missing = problem("further", "further_not_found", false);
            missing.args = failure.args;
            found.push(missing);
        }
    }
    found
}

/// Agents that tasks of the form name and that the person has not allowed: they are asked about when such a task starts.
fn tools_not_allowed(form: &StartForm) -> Option<FormProblem> {
    let chosen = form.work.tasks.iter().filter_map(|task| AgentId::of_tool(&task.tool));
    let is_allowed = |agent: &AgentId| {
        let name = agent.to_string();
        name == form.plan.agent || form.plan.further.iter().any(|further| further.agent == name)
    };
    let names: std::collections::BTreeSet<String> =
        chosen.filter(|agent| !is_allowed(agent)).map(|agent| agent.tool()).collect();
    let mut found = problem("further", "tool_not_allowed", false);
    found.args.insert("tools".into(), names.into_iter().collect::<Vec<_>>().join(", "));
    let is_asked = form.work.format() == NewFormat::LoopV2 && form.plan.driver == Driver::Loopdeck;
    (is_asked && !found.args["tools"].is_empty()).then_some(found)
}

/// The skill that a plan names is not there. Agents without skills of their own get everything in words.
fn skill_advice(plan: &RunPlan, format: Format, workspace: &Path) -> Option<FormProblem> {
    let Driver::Skill { command } = &plan.driver else { return None };
    let skill = format.traits().skill?; // whether a plugin is there, the agent says when it begins
    let id = AgentId::parse(&plan.agent).filter(|id| matches!(id, AgentId::Claude | AgentId::Codex))?;
    let agent = table::agent(&id).filter(|agent| !has_skill(agent, format, Some(workspace)))?;
    let mut missing = problem("skill_command", "skill_missing", false);
    missing.args.insert("agent".into(), agent.name.to_owned());
    missing.args.insert("skill".into(), skill.to_owned());
    command.trim().is_empty().then_some(missing)
}

/// What the work needs and the level does not allow. Unknown for a person's own agents.
fn level_advice(plan: &RunPlan) -> Option<FormProblem> {
    let (id, level) = (AgentId::parse(&plan.agent)?, plan.level?);
    if id == AgentId::Shell {
        return None;
    }
    if level == Level::LookOnly {
        return Some(problem("level", "cannot_change", false));
    }
    let tries_tests = table::agent(&id).is_none_or(|agent| runs_commands(agent, level));
    let code = match plan.driver {
        _ if tries_tests => return None,
        Driver::Loopdeck => "no_tests_at_level",
        Driver::Skill { .. } => "no_tests_for_skill",
    };
    Some(problem("level", code, false))
}

/// The field of the form that contains a refused field of the work: the parts of a check are one.
fn field_of_work(field: &str) -> &'static str {
    match field {
        "goal" => "goal",
        "title" => "title",
        "tasks" | "atoms" => "tasks",
        "max_iterations" => "max_iterations",
        "mode" => "mode",
        "follow_up" => "goal",
        _ => "base_case",
    }
}

/// The field of the form that a mistake of the command line stems from.
fn field_of_launch(code: LaunchProblemCode) -> &'static str {
    use LaunchProblemCode as L;
    match code {
        L::ReservedFlag | L::BundledFlags | L::PositionalArgument | L::EmptyPlaceholder | L::BadCharacter => {
            "extra_args"
        }
        L::BadModel => "model",
        L::LevelNotDefined => "level",
        L::CannotAsk => "ask",
        L::NoCommand => "shell_command",
        L::UnknownAgent
        | L::NoPrompt
        | L::BadSession
        | L::CannotResume
        | L::BadFolder
        | L::BadLimit
        | L::BadSchema
        | L::FileMissing => "agent",
    }
}

/// What git takes as the name of a branch, without its rarer freedoms.
fn is_branch(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let bad = name.starts_with(['-', '/', '.']) || name.ends_with(['/', '.']) || name.ends_with(".lock");
    !bad && !name.contains("..") && !name.contains("//") && name.len() <= 100 && name.chars().all(plain)
}

fn stem_of(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".json").unwrap_or(name).to_owned()
}

/// What the first agent would be asked, from the file as it will be when it runs.
fn first_task(form: &StartForm, file: &FirstFile) -> Option<AgentTask> {
    let stem = stem_of(&file.file);
    let now = clock::now();
    let facts = FileFacts { stem: &stem, modified: now, now };
    let format = form.work.format().format();
    let (intent, shown) = match format {
        Format::LoopB => (Intent::Resume { raise_limit_to: None }, StatusWord::Paused),
        _ => (Intent::Start, StatusWord::NotStarted),
    };
    let situation = Situation { shown, now };
    let bytes = file.text.as_bytes();
    let place = if format == Format::Aot { loops::Place::AotFile } else { loops::Place::CcwFile };
    let summary = loops::summary(place, bytes, &facts)?;
    let carried = loops::carry_out(&summary, bytes, &facts, &intent, &situation).ok()?;
    let next = loops::drive::next(format, (&carried.bytes, &facts), &Memory::default());
    next.into_tasks().into_iter().next()
}

/// Test commands that fit the content of a folder. Only names are read, and the beginning of files that tell more.
fn proposals(folder: &Path) -> Vec<TestProposal> {
    let mut names: Vec<String> = names_in(folder, "");
    for inner in [".config", "tests", "test"] {
        names.extend(names_in(&folder.join(inner), &format!("{inner}/")));
    }
    let read = |name: String| {
        let mut bytes = Vec::new();
        let path = folder.join(&name);
        let small = path.symlink_metadata().is_ok_and(|seen| seen.is_file() && seen.len() <= 1 << 20);
        if detect::wanted(&name) && (!small || files::read(folder, &path, &mut bytes).is_err()) {
            bytes.clear();
        }
        (name, bytes)
    };
    let found: Vec<(String, Vec<u8>)> = names.into_iter().map(read).collect();
    let entries: Vec<detect::Entry<'_>> =
        found.iter().map(|(path, bytes)| detect::Entry { path, bytes }).collect();
    let proposal = |proposed: detect::ProposedTests| TestProposal {
        because: proposed.found_by,
        command: proposed.shown,
        results: proposed.leaves,
    };
    detect::detect(&entries, loopdeck_execution::completion::test_run::RESULTS)
        .into_iter()
        .map(proposal)
        .collect()
}

fn names_in(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(5_000);
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| format!("{prefix}{name}"))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_cannot_run_the_tests_of_a_recipe_says_so_for_every_agent() {
        let said = |agent: &str, level, driver: &Driver| {
            let plan = RunPlan {
                agent: agent.into(),
                level: Some(level),
                driver: driver.clone(),
                ..RunPlan::default()
            };
            level_advice(&plan).map(|advice| {
                assert!(!advice.blocks && advice.field == "level");
                advice.code
            })
        };
        let skill = Driver::Skill { command: String::new() };
        for (driver, code) in [(Driver::Loopdeck, "no_tests_at_level"), (skill, "no_tests_for_skill")] {
            for id in AgentId::BUILT_IN {
                let agent = id.to_string();
                let confined = id == AgentId::Codex; // its commands run, inside of a fence
                let edits = (!confined).then(|| code.to_owned());
                assert_eq!(said(&agent, Level::EditFiles, &driver), edits, "{agent}");
                let looks = Some("cannot_change".to_owned());
                assert_eq!(said(&agent, Level::LookOnly, &driver), looks, "{agent}");
                assert_eq!(said(&agent, Level::FullAccess, &driver), None, "{agent}");
            }
            // The shell has no levels; for an agent of the person's own they are unknown.
            assert_eq!(said("shell", Level::EditFiles, &driver), None);
            assert_eq!(said("custom:mine", Level::EditFiles, &driver), None);
        }
    }

    #[test]
    fn a_mistake_is_said_where_it_was_made() {
        for (refused, field) in [
            ("goal", "goal"),
            ("max_iterations", "max_iterations"),
            ("tasks", "tasks"),
            ("value", "base_case"),
            ("pass_threshold", "base_case"),
            ("rubric", "base_case"),
        ] {
            assert_eq!(field_of_work(refused), field, "{refused}");
        }
        assert_eq!(field_of_launch(LaunchProblemCode::ReservedFlag), "extra_args");
        assert_eq!(field_of_launch(LaunchProblemCode::BadModel), "model");
        assert_eq!(field_of_launch(LaunchProblemCode::BadFolder), "agent");
    }

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

    #[test]
    fn nothing_is_made_where_a_link_leads_out() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = inside.path().canonicalize().unwrap();
        let path = workspace.join(".workflow/.loop/x.json");
        std::os::unix::fs::symlink(outside.path(), workspace.join(".workflow")).unwrap();
        assert!(files::make_folder_above(&workspace, &path).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        std::fs::remove_file(workspace.join(".workflow")).unwrap();
        files::make_folder_above(&workspace, &path).unwrap();
        files::make_folder_above(&workspace, &workspace.join(".claude/x.md")).unwrap();
        assert!(workspace.join(".workflow").is_dir());
    }
}
