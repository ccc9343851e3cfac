//! Which agent works on a task, and its permissions: the task's `tool` and `mode` choose among what the
//! person allowed.

use super::{DriverQuestion, Memory, QuestionCode};
use loopdeck_agents::prompts::TaskContext;
use loopdeck_agents::{AgentId, Level};

/// What the person allowed in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The plan's own agent: it does everything that names no other agent.
    pub agent: AgentId,
    /// Its permissions; none for the shell, which has no levels. No other agent may have more.
    pub level: Option<Level>,
    /// Further agents that tasks may use, each with its maximum level; none means the plan's.
    pub further: Vec<(AgentId, Option<Level>)>,
}

/// An agent with its level in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentWithLevel {
    /// Which.
    pub agent: AgentId,
    /// None for the shell.
    pub level: Option<Level>,
}

/// Why an agent cannot be used as requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentLack {
    /// Its program was not found, or there is no such agent.
    Program,
    /// It does not have the level.
    Level,
    /// The shell has no command.
    Command,
}

/// The agent of a run, and its level; without a task, the plan's. `lacks`: what an agent lacks here and now.
///
/// # Errors
/// What a person has to decide first.
pub fn choose_agent(
    task: Option<&TaskContext>,
    allowed: &Allowed,
    memory: &Memory,
    lacks: impl Fn(&AgentWithLevel) -> Option<AgentLack>,
) -> Result<AgentWithLevel, DriverQuestion> {
    let plans = AgentWithLevel { agent: allowed.agent.clone(), level: allowed.level };
    let Some(task) = task else { return Ok(plans) };
    let asks = |code, agent: &AgentId| DriverQuestion::new(code, &task.id, &agent.tool());
    let agent = AgentId::of_tool(&task.tool)
        .filter(|agent| *agent != allowed.agent && !memory.instead.contains(&agent.tool()));
    let Some(agent) = agent else {
        let way = AgentWithLevel { level: bounded(&allowed.agent, allowed.level, task), ..plans.clone() };
        return match lacks(&way) {
            // Other problems of the plan's agent are reported when it is started.
            Some(AgentLack::Level) if way != plans && memory.without_look_only => Ok(plans),
            Some(AgentLack::Level) if way != plans => Err(asks(QuestionCode::ToolHasNoLevel, &way.agent)),
            _ => Ok(way),
        };
    };
    let known = allowed.further.iter().find(|(further, _)| *further == agent);
    let most = known.map_or(allowed.level, |(_, level)| least(*level, allowed.level));
    let way = AgentWithLevel { level: bounded(&agent, most.or(Some(Level::EditFiles)), task), agent };
    match (lacks(&way), known) {
        (Some(AgentLack::Program), None) => Err(asks(QuestionCode::ToolMissing, &way.agent).allowing()),
        (Some(AgentLack::Program), Some(_)) => Err(asks(QuestionCode::ToolMissing, &way.agent)),
        (Some(AgentLack::Level), _) => Err(asks(QuestionCode::ToolHasNoLevel, &way.agent)),
        (Some(AgentLack::Command), _) => Err(asks(QuestionCode::ToolHasNoCommand, &way.agent)),
        (None, None) => Err(asks(QuestionCode::ToolNotAllowed, &way.agent)),
        (None, Some(_)) => Ok(way),
    }
}

/// The level that a person gives by allowing an agent in an answer: no more than the plan's, and never full access.
#[must_use]
pub fn level_by_answer(agent: &AgentId, plans: Option<Level>) -> Option<Level> {
    let most = least(plans, Some(Level::EditFiles));
    most.filter(|_| *agent != AgentId::Shell)
}

/// A read-only task gets the least; the shell has no levels.
fn bounded(agent: &AgentId, most: Option<Level>, task: &TaskContext) -> Option<Level> {
    let level = if task.only_looks() { Some(Level::LookOnly) } else { most };
    level.filter(|_| *agent != AgentId::Shell)
}

/// The smaller one; none is no bound.
fn least(one: Option<Level>, other: Option<Level>) -> Option<Level> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
