//! Resuming an agent's conversation: whether that is possible, and whether the agent said that it does not
//! know the conversation.

use super::complaint::Cause;
use super::custom::CustomAgent;
use super::facts::Facts;
use super::outcome::ExitHow;
use super::{AgentId, OutputKind, launch, table};

/// Whether `agent` can resume the conversation `id`. Every built-in agent accepts its level and its other
/// flags together with that; a custom agent needs arguments for it.
#[must_use]
pub fn can_resume(agent: &AgentId, id: &str, custom: &[CustomAgent]) -> bool {
    match agent {
        AgentId::Shell => false,
        AgentId::Custom { id: name } => {
            let known = custom.iter().find(|agent| agent.id == *name);
            known.is_some_and(|agent| agent.resume.is_some()) && launch::is_session(id)
        }
        built_in => table::agent(built_in).is_some() && launch::is_uuid(id),
    }
}

/// Whether a run that was to resume a conversation ended because the agent does not know it. Never judged by
/// words in a transcript, only when the agent refused to start and said so itself.
#[must_use]
pub fn is_unknown(kind: OutputKind, facts: &Facts, exit: ExitHow) -> bool {
    let ExitHow::Code(code) = exit else { return false };
    if facts.started || code == 0 {
        return false;
    }
    let says_so = facts.complaints.cause() == Some(Cause::UnknownConversation);
    match kind {
        OutputKind::ClaudeJsonl => match &facts.last {
            Some(last) => {
                let said = last.message.as_deref().unwrap_or_default();
                last.turns == Some(0) && said.contains("No conversation found with session ID")
            }
            None => says_so,
        },
        // The code says that its input is unusable, the line says which.
        OutputKind::GeminiJsonl => code == 42 && says_so,
        OutputKind::CodexJsonl | OutputKind::QwenJsonl => says_so,
        OutputKind::Text => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use crate::decode::Decoder;

    const ID: &str = "6f1c2d3e-4a5b-4c6d-8e7f-901234567890";

    fn facts(kind: OutputKind, stdout: &str, stderr: &str) -> Facts {
        let mut decoder = Decoder::new(kind);
        drop(decoder.push(Stream::Stdout, stdout.as_bytes()));
        drop(decoder.push(Stream::Stderr, stderr.as_bytes()));
        decoder.facts().clone()
    }

    #[test]
    fn built_in_agents_resume_by_uuid_and_own_ones_by_their_arguments() {
        let own = |resume: Option<Vec<String>>| {
            let text = r#"{"id":"own","name":"Own","program":"own","output":"claude-jsonl"}"#;
            CustomAgent { resume, ..serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}")) }
        };
        let able = [own(Some(vec!["--resume".into(), "{session}".into()]))];
        let mine = AgentId::Custom { id: "own".into() };
        for agent in AgentId::BUILT_IN {
            assert!(can_resume(&agent, ID, &[]), "{agent}");
            assert!(!can_resume(&agent, "latest", &[]), "{agent}");
        }
        assert!(!can_resume(&AgentId::Shell, ID, &[]));
        assert!(can_resume(&mine, "conversation-7", &able));
        assert!(!can_resume(&mine, "--last", &able));
        assert!(!can_resume(&mine, ID, &[own(None)]));
        assert!(!can_resume(&mine, ID, &[]));
    }

    #[test]
    fn an_agent_says_itself_that_it_does_not_know_a_conversation() {
        let claude = format!(
            r#"{{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found with session ID: {ID}"]}}"#
        );
        let said = [
            (OutputKind::ClaudeJsonl, claude.as_str(), "", 1),
            (
                OutputKind::CodexJsonl,
                "",
                "Error: thread/resume: thread/resume failed: no rollout found for thread id 6f",
                1,
            ),
            (OutputKind::ClaudeJsonl, "", "Warning: old\nNo conversation found with session ID: 6f", 1),
            (
                OutputKind::CodexJsonl,
                "",
                "WARNING: proceeding, even though we could not create PATH aliases\n\
                 Error: thread/resume: thread/resume failed: no rollout found for thread id 6f",
                1,
            ),
            (OutputKind::GeminiJsonl, "", "Error resuming session: No previous sessions found.", 42),
            (OutputKind::QwenJsonl, "", "No saved session found with ID 6f.", 1),
        ];
        for (kind, stdout, stderr, code) in said {
            let facts = facts(kind, &format!("{stdout}\n"), &format!("{stderr}\n"));
            assert!(is_unknown(kind, &facts, ExitHow::Code(code)), "{kind:?}");
            assert!(!is_unknown(kind, &facts, ExitHow::Code(0)), "{kind:?}: it ended well");
            assert!(!is_unknown(kind, &facts, ExitHow::Signal(9)), "{kind:?}: it was killed");
            let begun = Facts { started: true, ..facts };
            assert!(!is_unknown(kind, &begun, ExitHow::Code(code)), "{kind:?}: these are words of a run");
        }
        for kind in [OutputKind::CodexJsonl, OutputKind::GeminiJsonl, OutputKind::QwenJsonl] {
            let other = facts(kind, "", "unknown option '--resume'\n");
            assert!(!is_unknown(kind, &other, ExitHow::Code(42)), "{kind:?}: another reason");
        }
    }
}
