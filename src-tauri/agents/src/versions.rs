//! An agent's version, and whether the table of agents was checked with it.

use super::table::{self, Agent};
use super::table::{Flag, Version};
use super::{AgentId, Clip};
use serde::{Deserialize, Serialize};
use specta::Type;

/// The verdict on an installed version. Words: catalogue `agent_version.<kind>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum VersionVerdict {
    /// Not newer than the checked version, and has every flag.
    Known,
    /// Newer than the checked version: allowed, but worth a note.
    Newer {
        /// The checked version.
        checked: Version,
    },
    /// A flag that ordinary runs use is missing.
    TooOld {
        /// Which flag.
        missing: String,
        /// The version that has it.
        needed: Version,
    },
    /// The answer contains no version.
    Unreadable {
        /// Its first line.
        answer: Clip,
    },
}

/// The arguments that ask an agent for its version.
pub const VERSION_ARGS: [&str; 1] = ["--version"];

/// Reads `2.1.328 (Claude Code)`, `codex-cli 0.169.0`, `0.61.0`, `v1.2.3-beta.4` and the like: the first
/// three numbers with dots between them.
#[must_use]
pub fn parse(answer: &str) -> Option<Version> {
    let mut words = answer.split(|next: char| !(next.is_ascii_alphanumeric() || next == '.' || next == '-'));
    words.find_map(|word| {
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let mut parts = word.splitn(3, '.');
        let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let patch = parts.next()?;
        let digits = patch.find(|next: char| !next.is_ascii_digit()).unwrap_or(patch.len());
        Some(Version(major, minor, patch[..digits].parse().ok()?))
    })
}

/// The verdict on `answer`, an agent's reply to [`VERSION_ARGS`]. `None` for agents without an entry in the
/// table.
#[must_use]
pub fn judge(agent: &AgentId, answer: &str) -> Option<VersionVerdict> {
    let agent = table::agent(agent)?;
    let Some(version) = parse(answer) else {
        let first = answer.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Some(VersionVerdict::Unreadable { answer: Clip::cut(first.trim(), 200, 0) });
    };
    if let Some((flag, needed)) = missing(agent, version).find(|(flag, _)| flag.needed) {
        return Some(VersionVerdict::TooOld { missing: flag.name.to_owned(), needed });
    }
    Some(match version > agent.checked {
        true => VersionVerdict::Newer { checked: agent.checked },
        false => VersionVerdict::Known,
    })
}

/// Flags that `version` lacks, and the versions that have them: their options cannot be offered.
pub fn missing(agent: &Agent, version: Version) -> impl Iterator<Item = (&'static Flag, Version)> {
    let flags = agent.flags.iter();
    flags.filter_map(move |flag| Some((flag, flag.first.filter(|first| version < *first)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_all_four_are_read() {
        let answers = [
            (AgentId::Claude, "2.1.328 (Claude Code)\n"),
            (AgentId::Codex, "codex-cli 0.169.0\n"),
            (AgentId::Gemini, "0.61.0\n"),
            (AgentId::Qwen, "0.24.4\r\n"),
        ];
        for (agent, answer) in answers {
            let checked = table::agent(&agent).expect("built in").checked;
            assert_eq!(parse(answer), Some(checked), "{answer}");
            assert_eq!(judge(&agent, answer), Some(VersionVerdict::Known));
        }
        assert_eq!(judge(&AgentId::Shell, "1.2.3"), None);
    }

    #[test]
    fn newer_older_and_unreadable_answers_are_told_apart() {
        let newer = judge(&AgentId::Codex, "codex-cli 0.169.1-alpha.2");
        assert_eq!(newer, Some(VersionVerdict::Newer { checked: Version(0, 169, 0) }));
        let older = judge(&AgentId::Claude, "2.1.258 (Claude Code)");
        let needed = Version(2, 1, 259);
        assert_eq!(
            older,
            Some(VersionVerdict::TooOld { missing: "--permission-prompts".to_owned(), needed })
        );
        assert_eq!(judge(&AgentId::Claude, "2.1.259 (Claude Code)"), Some(VersionVerdict::Known));
        let answer = Clip::from_text("command not found: x");
        let unreadable = judge(&AgentId::Qwen, "\n command not found: x\n1");
        assert_eq!(unreadable, Some(VersionVerdict::Unreadable { answer }));
    }

    #[test]
    fn an_option_that_is_missing_makes_no_agent_too_old() {
        let claude = table::agent(&AgentId::Claude).expect("built in");
        let names = |version| missing(claude, version).map(|(flag, _)| flag.name).collect::<Vec<_>>();
        assert_eq!(names(Version(2, 1, 100)), ["--permission-prompts", "--safe-mode"]);
        assert_eq!(names(Version(2, 1, 328)), [""; 0]);
    }

    #[test]
    fn what_is_no_version_is_not_read_as_one() {
        for answer in ["", "1.2", "a.b.c", "1.2.x", "99999999999.0.0", "node:v"] {
            assert_eq!(parse(answer), None, "{answer:?}");
        }
        assert_eq!(parse("version v1.2.3-nightly (Dec 4)"), Some(Version(1, 2, 3)));
        assert_eq!(parse("(node:12) warning\n0.61.0"), Some(Version(0, 61, 0)));
    }
}
