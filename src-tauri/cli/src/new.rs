//! `loopdeck new DIR`: writes the state file of a new loop, and remembers how to run it.

use std::io;
use std::path::Path;

use loopdeck_core::checklist::wanted::BaseCase;
use loopdeck_core::format::Format;
use loopdeck_core::start::{NewFormat, NewWork, Recipe, WorkMode};
use loopdeck_runtime::drivers::plan::{RunPlan, StartForm};
use loopdeck_runtime::forge::Issue;
use loopdeck_runtime::views::{Failure, FailureKind};
use serde::Serialize;

use super::code::code;
use super::complaint::Complaint;
use super::finish;
use super::new_aot::AotOptions;
use super::output::Answer;
use super::plan_options::PlanOptions;
use super::text;
use super::workspace::Workspace;

/// Longest title that is taken from an issue, in characters.
const LONGEST_TITLE: usize = 100;
/// Means stdin.
const STDIN: &str = "-";

/// What was given.
#[derive(clap::Args, Debug, PartialEq)]
pub(super) struct NewOptions {
    /// What the loop is for; - reads it from stdin. With --from, it says more about the plan
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["from", "from_issue"])]
    goal: Option<String>,
    /// Work off a plan that is in DIR (a task list, a PRD): a Ralph loop, linked to the plan
    #[arg(long, value_name = "FILE")]
    from: Option<String>,
    /// Take title and goal from an issue of the repository, by its number or address, with your own gh, glab or tea. The pull
    /// request of the loop closes it
    #[arg(long, value_name = "ISSUE", conflicts_with = "from")]
    from_issue: Option<String>,
    /// Title (default: the first line of the goal)
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The format (default: loop_v2)
    #[arg(long, value_parser = code::<NewFormat>())]
    format: Option<NewFormat>,
    /// loop_v2: auto (default) or interactive; loop_b: also parallel
    #[arg(long, value_parser = code::<WorkMode>())]
    mode: Option<WorkMode>,
    /// A task; repeat for several, in order. Without tasks, the agent plans them
    #[arg(long = "task", value_name = "TEXT")]
    tasks: Vec<String>,
    /// Iteration limit
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// With --format aot: replace the AoT loop in DIR, unless it is running. Its file is kept: see 'loopdeck history'
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    aot: AotOptions,
}

/// The new loop, for scripts. The names are a promise: `words/help/new.txt` documents them.
#[derive(Debug, Serialize)]
struct Created<'a> {
    id: &'a str,
    format: Format,
    file: &'a str,
    title: &'a str,
    agent: Option<&'a str>,
}

/// An issue that a loop is made from.
pub(super) struct FromIssue {
    named: String,
    trust: bool,
}

impl NewOptions {
    /// The issue that title and goal are taken from.
    pub(super) fn issue_wanted(&self, trust: bool) -> Option<FromIssue> {
        self.from_issue.clone().map(|named| FromIssue { named, trust })
    }

    /// What is wrong with the combination of options, as the name of the missing or superfluous one.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        let format = self.format.unwrap_or_default();
        let has_atoms = format.format().traits().has_atoms;
        let is_ralph = self.format.is_none_or(|format| format == NewFormat::OF_PLANS);
        match () {
            () if self.from.is_some() && (!is_ralph || !self.tasks.is_empty()) => {
                Some("takes --from with --format ralph and without --task only")
            }
            () if !has_atoms && self.aot.needs_aot() => {
                Some("takes the objective and atoms with --format aot only")
            }
            () if format.only_file().is_none() && self.replace => {
                Some("takes --replace with --format aot only")
            }
            () if self.aot.mistake(has_atoms).is_some() => self.aot.mistake(has_atoms),
            () if format.modes().loopdeck.is_empty() && self.mode.is_some() => {
                Some("takes --mode with loop_v2 and loop_b only")
            }
            () => None,
        }
    }

    fn work(self) -> io::Result<NewWork> {
        let goal = match self.goal {
            Some(goal) if goal == STDIN => Some(io::read_to_string(io::stdin())?),
            goal => goal,
        };
        let (base_case, aot) = self.aot.into_parts();
        if let Some(file) = self.from {
            let file = file.strip_prefix("./").unwrap_or(&file);
            let plan = NewWork::of_plan(file, &self.title.unwrap_or_default());
            let goal = goal.map_or_else(|| plan.goal.clone(), |goal| format!("{}\n\n{goal}", plan.goal));
            return Ok(NewWork { goal, max_iterations: self.max_iterations, base_case, ..plan });
        }
        let goal = goal.unwrap_or_default();
        Ok(NewWork {
            recipe: Recipe::BuildFeature,
            format: self.format,
            mode: self.mode,
            goal,
            title: self.title.unwrap_or_default(),
            max_iterations: self.max_iterations,
            tasks: self.tasks.iter().map(|task| task.as_str().into()).collect(),
            base_case,
            follow_up: None,
            plan: None,
            aot,
        })
    }
}

/// The form that the options fill in; the goal may come from stdin.
pub(super) fn form(dir: &Path, new: NewOptions, plan: PlanOptions) -> Result<StartForm, Complaint> {
    let bad = |reason: &dyn std::fmt::Display| Complaint::own("bad_goal", &[("reason", &reason.to_string())]);
    let folder = std::env::current_dir().map_or_else(|_| dir.to_owned(), |here| here.join(dir));
    let mut plan = plan.apply_to(RunPlan::default());
    let replace = new.replace;
    let mut work = new.work().map_err(|error| bad(&error))?;
    if !work.format().format().traits().has_completion_check {
        plan.checks = work.base_case.take().map(BaseCase::into_items).unwrap_or_default();
    }
    let folder = folder.to_string_lossy().into_owned();
    Ok(StartForm { work, folder, worktree: String::new(), plan, page: 0, replace })
}

/// Writes it; the answer names the new loop.
pub(super) fn answer(
    workspace: &mut Workspace,
    mut form: StartForm,
    from: Option<&FromIssue>,
) -> Result<Answer, Complaint> {
    let issue = from.map(|from| take_from_issue(workspace, &mut form, from)).transpose()?;
    let key = workspace.runtime.create_loop(&form).map_err(|failure| complaint(&failure))?;
    if let Some(issue) = issue {
        workspace.runtime.keep_issue(&key, &issue)?;
    }
    workspace.look_again()?;
    let file = loopdeck_core::loop_id::file_of(&key);
    let row = workspace.find(file)?;
    let agent = Some(&*form.plan.agent).filter(|agent| !agent.is_empty());
    let created = Created { id: &row.id, format: row.format, file: &row.file, title: &row.title, agent };
    let next = if agent.is_some() { "created_with_plan" } else { "created_without_plan" };
    let command = workspace.command("run", &row.id);
    let args = [("file", &*row.file), ("command", &*command)];
    let say = |code| text::plain(&text::sentence("headless", code, args));
    Answer::new(&created, vec![say("created"), say(next)])
}

/// Fills title and goal in from an issue; what the person gave stays, before what the issue says.
fn take_from_issue(
    workspace: &Workspace,
    form: &mut StartForm,
    from: &FromIssue,
) -> Result<Issue, Complaint> {
    let folder = Path::new(&form.folder);
    finish::trust(workspace, folder, from.trust)?;
    let found = workspace.runtime.issue(folder, &from.named).map_err(|failure| match failure.kind {
        FailureKind::Untrusted => Complaint::untrusted(&failure),
        FailureKind::RepositoryChanged => Complaint::changed(&failure),
        _ => Complaint::from(failure),
    })?;
    if form.work.title.is_empty() {
        form.work.title = found.title.trim().chars().take(LONGEST_TITLE).collect();
    }
    let said = format!("{}\n\n{}", found.title, found.body);
    let given = form.work.goal.trim();
    form.work.goal =
        if given.is_empty() { said.trim().to_owned() } else { format!("{given}\n\n{}", said.trim()) };
    Ok(found)
}

/// An incomplete form names the option instead of the window's field.
fn complaint(failure: &Failure) -> Complaint {
    let field = failure.args.get("field").or_else(|| failure.refusal.as_ref()?.args.get("field"));
    match (failure.kind, field) {
        (FailureKind::Refused, Some(field)) if code_of(failure).is_some() => {
            let code = format!("missing_{}", code_of(failure).unwrap_or_default());
            let args = failure.refusal.iter().flat_map(|refusal| text::pairs(&refusal.args));
            let reason = text::sentence("headless", &code, args);
            let option = format!("{}{}", option_of(field), place_of(field));
            Complaint::own("bad_value_of", &[("option", &option), ("reason", &reason)])
        }
        (FailureKind::BadForm | FailureKind::Refused, Some(field)) => {
            let option = option_of(field);
            Complaint::own("bad_option", &[("option", &option)])
        }
        _ => Complaint::from_failure(failure, None),
    }
}

/// The AoT gate's code for the field.
fn code_of(failure: &Failure) -> Option<&str> {
    failure.refusal.as_ref()?.args.get("code").map(String::as_str)
}

/// ` 2.1`: the number of the check or atom, counted from 1.
fn place_of(field: &str) -> String {
    let places = field.split('.').skip(1).filter_map(|place| place.parse::<u32>().ok());
    let places: Vec<String> = places.map(|place| (place + 1).to_string()).collect();
    if places.is_empty() { String::new() } else { format!(" {}", places.join(".")) }
}

/// The option that fills in a field of the form.
pub(super) fn option_of(field: &str) -> String {
    match field.split('.').next().unwrap_or(field) {
        "base_case" | "checks" => "--check".to_owned(),
        "atoms" => "--atom".to_owned(),
        "background_intent" => "--background".to_owned(),
        "definition_of_done" => "--done".to_owned(),
        "max_parallel_agents" => "--max-parallel".to_owned(),
        "max_stall_count" => "--max-stalls".to_owned(),
        "tasks" => "--task".to_owned(),
        "plan" => "--from".to_owned(),
        "shell_command" => "--shell".to_owned(),
        "test_command" => "--test".to_owned(),
        "money_usd" => "--money".to_owned(),
        field => format!("--{}", field.replace('_', "-")),
    }
}
