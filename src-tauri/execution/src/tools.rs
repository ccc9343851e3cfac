//! Which agent works on a task: its `tool` and `mode` choose among the agents that the person allowed in the plan. What is
//! not there, or not allowed, the person is asked about once; the plan and the memory of the loop keep the answer.

use super::driver_context::DriverContext;
use crate::launcher::starting;
use crate::launcher::starting::UsableAgent;
use crate::preferences::choices::Choices;
use crate::preferences::plan::{FurtherAgent, RunPlan};
use loopdeck_agents::{AgentId, Level, table};
use loopdeck_core::driver::{
    AgentLack, AgentTask, AgentWithLevel, Allowed, DriverQuestion, Memory, choose_agent, level_by_answer,
};
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::failure::{Failure, FailureKind};

/// How one run is started: its agent, and the plan as it holds for that agent.
pub(crate) struct AgentForRun {
    pub(crate) agent: UsableAgent,
    pub(crate) plan: RunPlan,
}

/// What the person allowed, as the rule wants it; none of a plan that names no agent.
fn allowed_by(plan: &RunPlan) -> Option<Allowed> {
    let further = plan.further.iter();
    let further = further.filter_map(|one| Some((AgentId::parse(&one.agent)?, one.level)));
    Some(Allowed {
        agent: AgentId::parse(&plan.agent)?,
        level: plan.level.filter(|_| !plan.is_by_shell()),
        further: further.collect(),
    })
}

/// Tools that an agent may propose for tasks in addition to the plan's own: allowed, and installed.
pub(crate) fn offered_tools(plan: &RunPlan, choices: &Choices) -> Vec<String> {
    let there = |way: &AgentWithLevel| lack(plan, choices, way).is_none();
    let further = allowed_by(plan).map(|allowed| allowed.further).unwrap_or_default();
    let ways = further.into_iter().map(|(agent, _)| AgentWithLevel { level: None, agent });
    ways.filter(there).map(|way| way.agent.tool()).collect()
}

/// What an agent lacks here and now.
fn lack(plan: &RunPlan, choices: &Choices, way: &AgentWithLevel) -> Option<AgentLack> {
    if way.agent == AgentId::Shell && plan.shell_command.trim().is_empty() {
        return Some(AgentLack::Command);
    }
    let Ok(usable) = starting::usable_agent(&way.agent.to_string(), choices) else {
        return Some(AgentLack::Program);
    };
    let AgentId::Custom { id } = &way.agent else { return None };
    let own = usable.custom.iter().find(|agent| agent.id == *id)?;
    let args = match way.level? {
        Level::LookOnly => &own.look_only,
        Level::EditFiles => &own.edit_files,
        Level::FullAccess => &own.full_access,
    };
    args.is_none().then_some(AgentLack::Level)
}

/// Whether this agent can be started with this level.
pub(crate) fn has_level(agent: &UsableAgent, level: Level) -> bool {
    let AgentId::Custom { id } = &agent.id else { return table::agent(&agent.id).is_some() };
    agent.custom.iter().any(|own| own.id == *id && own.level(level).is_some())
}

/// The way of a run of `task`; only tasks of a Loop v2 choose.
///
/// # Errors
/// What a person has to decide first.
fn way_of(
    task: &AgentTask,
    plan: &RunPlan,
    choices: &Choices,
    memory: &Memory,
) -> Option<Result<AgentWithLevel, DriverQuestion>> {
    let allowed = allowed_by(plan)?;
    Some(choose_agent(task.chooses(), &allowed, memory, |way| lack(plan, choices, way)))
}

/// The agent of `task` and the plan as it holds for it.
///
/// # Errors
/// `NoAgent` when there is none that may do it.
pub(crate) fn agent_for(
    task: &AgentTask,
    plan: &RunPlan,
    choices: &Choices,
    memory: &Memory,
) -> Result<AgentForRun, Failure> {
    let missing = |name: &str| Failure::new(FailureKind::NoAgent).with("agent", name);
    let way = way_of(task, plan, choices, memory).ok_or_else(|| missing(&plan.agent))?;
    let way = way.map_err(|question| missing(&question.text))?;
    let name = way.agent.to_string();
    let agent = starting::usable_agent(&name, choices)?;
    if name == plan.agent {
        let plan = RunPlan { level: way.level.or(plan.level), ..plan.clone() };
        return Ok(AgentForRun { agent, plan });
    }
    // Model and arguments were chosen for another program.
    let (model, extra_args) = Default::default();
    let ask = plan.ask && table::agent(&way.agent).is_some_and(|agent| agent.asking.is_some());
    let plan = RunPlan { agent: name, level: way.level, model, extra_args, ask, ..plan.clone() };
    Ok(AgentForRun { agent, plan })
}

impl DriverContext<'_> {
    /// Asks the person about the tool of one of these tasks, when there is something to decide. Whether it did.
    pub(crate) fn asks_for_tool(&mut self, key: &LoopId, tasks: &[AgentTask]) -> bool {
        let choices = self.scheduler().workshop.choices.read(Clone::clone);
        let Some(work) = self.scheduler().works.get(key) else { return false };
        let asked = tasks.iter().find_map(|task| way_of(task, &work.plan, &choices, &work.memory)?.err());
        match asked {
            Some(question) => {
                self.ask_question(key, &question);
                true
            }
            None => false,
        }
    }

    /// The person allows the tool that they were asked about, for this loop.
    ///
    /// # Errors
    /// `OwnData` when that cannot be kept; then it is not allowed.
    pub(crate) fn allow_tool(&mut self, key: &LoopId) -> Result<(), Failure> {
        let unknown = || Failure::new(FailureKind::UnknownNeed);
        let work = self.scheduler().works.get(key).ok_or_else(unknown)?;
        let question = work.memory.question.as_ref().filter(|question| question.code.is_of_tool());
        let agent = question.and_then(|question| AgentId::of_tool(&question.text)).ok_or_else(unknown)?;
        let mut plan = work.plan.clone();
        let level = level_by_answer(&agent, allowed_by(&plan).and_then(|allowed| allowed.level));
        let agent = agent.to_string();
        plan.further.retain(|known| known.agent != agent);
        plan.further.push(FurtherAgent { agent, level });
        let of = work.loop_key();
        self.journal().keep_plan((&of).into(), &plan, loopdeck_system::clock::now())?;
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            work.plan = plan;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::CustomAgentForm;

    #[test]
    fn what_is_offered_for_a_plan_is_allowed_and_there() {
        let own = |id: &str, program: &str| CustomAgentForm {
            id: id.into(),
            name: id.into(),
            program: program.into(),
            edit_files: Some(Vec::new()),
            ..CustomAgentForm::default()
        };
        let here = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        let choices =
            Choices { agents: vec![own("mine", &here), own("gone", "/nowhere/gone")], ..Choices::default() };
        let further = |agent: &str| FurtherAgent { agent: agent.into(), level: None };
        let all = ["custom:mine", "custom:gone", "custom:unknown", "shell", "odd"].map(further);
        let plan = RunPlan { agent: "claude".into(), further: all.to_vec(), ..RunPlan::default() };
        assert_eq!(offered_tools(&plan, &choices), ["mine"]);
        let plan = RunPlan { shell_command: "true".into(), ..plan };
        assert_eq!(offered_tools(&plan, &choices), ["mine", "bash"]);
        let looks =
            AgentWithLevel { agent: AgentId::Custom { id: "mine".into() }, level: Some(Level::LookOnly) };
        assert_eq!(lack(&plan, &choices, &looks), Some(AgentLack::Level));
    }
}
