//! Agents: how each is launched, what its output means, how a run ended. Pure: text in, text out.
//!
//! Agents are data: [`table`] has one entry per built-in agent, and everything else reads it. Custom agents
//! are part of the settings ([`custom`]), never of a repository.
//!
//! A run in order: [`launch`] builds the command line, [`decode`] turns output into [`event::AgentEvent`]s
//! and collects [`facts::Facts`], [`outcome`] judges them, [`usage`] computes what the run cost. [`control`]
//! talks back to a running Claude.
//!
//! ```
//! use loopdeck_agents::AgentId;
//! use loopdeck_agents::launch::{Launch, Stdin, command_line};
//!
//! let launch = Launch::new(AgentId::Claude, "Fix the failing test.", "/home/me/shop");
//! let line = command_line(&launch, &[]).expect("a run that only looks");
//! assert_eq!(line.program, "claude");
//! // The prompt goes through standard input, where no other user of the machine can read it.
//! assert!(!line.args.iter().any(|argument| argument.contains("failing test")));
//! assert_ne!(line.stdin, Stdin::Null);
//! ```

pub mod answers;
pub mod complaint;
pub mod control;
pub mod conversation;
pub mod custom;
pub mod decode;
pub mod event;
pub mod extra_args;
pub mod facts;
pub mod launch;
pub mod lines;
pub mod outcome;
pub mod prompts;
pub mod provider;
pub mod table;
mod tool;
pub mod usage;
pub mod versions;

use serde::{Deserialize, Serialize};
use specta::Type;
use std::fmt;

/// Which agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AgentId {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// A plain shell command.
    Shell,
    /// A custom agent from the settings.
    Custom {
        /// [`custom::CustomAgent::id`].
        id: String,
    },
}

impl AgentId {
    /// The built-in agents, in list order, without the shell.
    pub const BUILT_IN: [AgentId; 4] = [AgentId::Claude, AgentId::Codex, AgentId::Gemini, AgentId::Qwen];

    /// Reads what [`fmt::Display`] writes: `claude`, `shell`, `custom:my-agent`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "claude" => AgentId::Claude,
            "codex" => AgentId::Codex,
            "gemini" => AgentId::Gemini,
            "qwen" => AgentId::Qwen,
            "shell" => AgentId::Shell,
            _ => AgentId::Custom { id: text.strip_prefix("custom:").filter(|id| !id.is_empty())?.to_owned() },
        })
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AgentId::Claude => "claude",
            AgentId::Codex => "codex",
            AgentId::Gemini => "gemini",
            AgentId::Qwen => "qwen",
            AgentId::Shell => "shell",
            AgentId::Custom { id } => return write!(f, "custom:{id}"),
        })
    }
}

/// What an agent may do without asking. Words: catalogue `level.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Reads, changes nothing.
    LookOnly,
    /// Changes files; whether commands run differs ([`table::LaunchNote`]).
    EditFiles,
    /// Runs any command as the person; starts in the folder but is not confined to it.
    FullAccess,
}

impl Level {
    /// All levels, least first.
    pub const ALL: [Level; 3] = [Level::LookOnly, Level::EditFiles, Level::FullAccess];
}

/// What an agent writes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKind {
    /// Lines of text without further meaning.
    Text,
    /// `claude --output-format stream-json`.
    ClaudeJsonl,
    /// Claude's format with other names, counts and exit codes: `qwen -o stream-json`.
    QwenJsonl,
    /// `codex exec --json`.
    CodexJsonl,
    /// `gemini -o stream-json`.
    GeminiJsonl,
}

impl OutputKind {
    /// All kinds.
    pub const ALL: [OutputKind; 5] = [
        OutputKind::Text,
        OutputKind::ClaudeJsonl,
        OutputKind::QwenJsonl,
        OutputKind::CodexJsonl,
        OutputKind::GeminiJsonl,
    ];
}

/// Which pipe a byte came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output, in the format of [`OutputKind`].
    Stdout,
    /// Standard error: chat and diagnostics. Never part of an outcome.
    Stderr,
}

/// A shortened text with its full length. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Clip {
    /// The start, at most [`Clip::LIMIT`] bytes unless made with another limit.
    pub text: String,
    /// Length of the whole text in bytes, if it was cut.
    pub cut_from: Option<u32>,
}

impl Clip {
    /// Bytes of a text that an event carries.
    pub const LIMIT: usize = 4096;

    /// `text` cut to [`Clip::LIMIT`].
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self::cut(text, Self::LIMIT, text.len())
    }

    /// `text` cut to `limit` bytes, from a text of `full` bytes.
    #[must_use]
    pub fn cut(text: &str, limit: usize, full: usize) -> Self {
        let mut end = limit.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let kept = &text[..end];
        let full = full.max(text.len());
        let cut = kept.len() < full;
        Self { text: kept.to_owned(), cut_from: cut.then(|| u32::try_from(full).unwrap_or(u32::MAX)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_named_and_read_alike() {
        let custom = AgentId::Custom { id: "mine".to_owned() };
        for agent in AgentId::BUILT_IN.into_iter().chain([AgentId::Shell, custom]) {
            assert_eq!(AgentId::parse(&agent.to_string()), Some(agent));
        }
        assert_eq!(AgentId::parse("custom:"), None);
        assert_eq!(AgentId::parse("aider"), None);
    }

    #[test]
    fn a_clip_never_splits_a_character_and_says_how_long_it_was() {
        let clip = Clip::cut("añb", 2, 4);
        assert_eq!((clip.text.as_str(), clip.cut_from), ("a", Some(4)));
        assert_eq!(Clip::from_text("short").cut_from, None);
        let long = Clip::from_text(&"x".repeat(5000));
        assert_eq!((long.text.len(), long.cut_from), (4096, Some(5000)));
    }
}
