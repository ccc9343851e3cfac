//! What is wrong with a start form, field by field, beyond the work itself.

use super::StartForm;
use super::plans;
use crate::Runtime;
use loopdeck_agents::launch::LaunchProblemCode;
use loopdeck_agents::{AgentId, Level, table};
use loopdeck_core::format::Format;
use loopdeck_core::referee;
use loopdeck_execution::agents::doctor::{has_skill, runs_commands};
use loopdeck_execution::git;
use loopdeck_execution::launcher::starting;
use loopdeck_execution::limits;
use loopdeck_execution::plugin;
use loopdeck_execution::preferences::choices::Choices;
use loopdeck_execution::preferences::plan::{Driver, RunPlan};
use loopdeck_execution::rows::{FormProblem, problem};
use std::path::Path;

impl Runtime {
    /// Everything but the work itself, which says its own mistakes.
    pub(crate) fn form_problems(&self, form: &StartForm) -> Vec<FormProblem> {
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
        if exists && plans::missing(form, folder).is_some() {
            found.push(problem("plan", "not_found", true));
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
        if plan.driver != Driver::Loopdeck && !plan.checks.is_empty() {
            found.push(problem("checks", "needs_loopdeck", true));
        }
        if plan.driver != Driver::Loopdeck && !form.work.format().format().has_own_runner() {
            found.push(problem("driver", "no_runner", true));
        }
        found.extend(tools_not_allowed(form));
        found.extend(skill_advice(plan, form.work.format().format(), folder));
        let traits = form.work.format().format().traits();
        let asks_tests = plan.driver == Driver::Loopdeck && traits.runs_tests;
        if asks_tests && plan.test_command.trim().is_empty() {
            found.push(problem("test_command", "blank", false));
        }
        if plan.level == Some(Level::FullAccess) && form.worktree.trim().is_empty() {
            found.push(problem("level", "worktree_suggested", false));
        }
        found
    }
}

pub(crate) fn plan_problems(plan: &RunPlan, choices: &Choices) -> Vec<FormProblem> {
    let mut found = Vec::new();
    if !plan.names_agent() {
        return vec![problem("agent", "blank", true)];
    }
    if let Err(failure) = starting::usable_agent(&plan.agent, choices) {
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
    found.extend(referee::flaw(&plan.checks).map(|code| problem("checks", code, true)));
    found.extend(level_advice(plan));
    found
}

/// Numbers that no run can have, whatever the agent.
pub(crate) fn range_problems(plan: &RunPlan) -> impl Iterator<Item = FormProblem> {
    limits::out_of_range(plan).map(|field| problem(field, "out_of_range", true))
}

/// Further agents that tasks may use: whether they are there, and the command of the shell.
fn further_problems(plan: &RunPlan, choices: &Choices) -> Vec<FormProblem> {
    let mut found = Vec::new();
    for further in plan.further.iter().filter(|further| further.agent != plan.agent) {
        if further.agent == "shell" && plan.shell_command.trim().is_empty() {
            found.push(problem("shell_command", "blank", true));
        } else if let Err(failure) = starting::usable_agent(&further.agent, choices) {
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
    let takes_up = form.work.format().format().traits().takes_up_tasks;
    let is_asked = takes_up && form.plan.driver == Driver::Loopdeck;
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
        Driver::OwnTool { .. } => return None,
    };
    Some(problem("level", code, false))
}

/// The field of the form that contains a refused field of the work: the parts of a check are one.
pub(crate) fn field_of_work(field: &str) -> &'static str {
    match field {
        "goal" => "goal",
        "title" => "title",
        "tasks" | "atoms" => "tasks",
        "max_iterations" => "max_iterations",
        "mode" => "mode",
        "follow_up" => "goal",
        "plan" => "plan",
        _ => "base_case",
    }
}

/// The field of the form that a mistake of the command line stems from.
pub(crate) fn field_of_launch(code: LaunchProblemCode) -> &'static str {
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

#[cfg(test)]
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
}
