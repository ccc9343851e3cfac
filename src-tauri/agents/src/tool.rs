//! The word by which a task names its agent: `gemini`, `qwen`, `codex`, `claude`, `bash`, or the id of a
//! custom agent (seed 001, `DevelopTask.tool`). The word selects; only the person decides what may run.

use super::AgentId;

impl AgentId {
    /// The agent that a task's `tool` names; none when it is blank. Any word that is not a built-in agent is
    /// the id of a custom one, whether or not that exists.
    #[must_use]
    pub fn of_tool(word: &str) -> Option<Self> {
        let word = word.trim();
        let known = word.to_ascii_lowercase();
        match known.as_str() {
            "" => None,
            "bash" => Some(AgentId::Shell),
            _ => AgentId::parse(&known)
                .filter(|agent| !matches!(agent, AgentId::Custom { .. }))
                .or_else(|| AgentId::parse(word))
                .or_else(|| Some(AgentId::Custom { id: word.to_owned() })),
        }
    }

    /// The word for this agent. A custom agent with the name of a built-in one is distinguished by its
    /// prefix.
    #[must_use]
    pub fn tool(&self) -> String {
        match self {
            AgentId::Shell => "bash".to_owned(),
            AgentId::Custom { id } if AgentId::of_tool(id).as_ref() == Some(self) => id.clone(),
            _ => self.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_tasks_name_agents() {
        let custom = |id: &str| Some(AgentId::Custom { id: id.to_owned() });
        for (word, agent) in [
            ("gemini", Some(AgentId::Gemini)),
            (" Codex ", Some(AgentId::Codex)),
            ("QWEN", Some(AgentId::Qwen)),
            ("claude", Some(AgentId::Claude)),
            ("bash", Some(AgentId::Shell)),
            ("shell", Some(AgentId::Shell)),
            ("My-agent", custom("My-agent")),
            ("custom:My-agent", custom("My-agent")),
            ("custom:codex", custom("codex")),
            ("rm -rf /", custom("rm -rf /")),
            ("", None),
            ("  ", None),
        ] {
            assert_eq!(AgentId::of_tool(word), agent, "{word}");
        }
    }

    #[test]
    fn every_agent_has_a_word_that_names_it_again() {
        let own = ["mine", "codex", "bash", "custom:x"].map(|id| AgentId::Custom { id: id.to_owned() });
        for agent in AgentId::BUILT_IN.into_iter().chain([AgentId::Shell]).chain(own) {
            assert_eq!(AgentId::of_tool(&agent.tool()), Some(agent));
        }
        assert_eq!(AgentId::Custom { id: "mine".to_owned() }.tool(), "mine");
    }
}
