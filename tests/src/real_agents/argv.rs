//! Argument lists according to the agents' contract §1 and §2, written by hand: the adapters' results are
//! compared with nothing of their own.

use super::RealAgent;

/// How an agent is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// May read.
    LookOnly,
    /// May change files.
    EditFiles,
    /// May run commands.
    FullAccess,
}

impl Launch {
    /// The arguments after the program; `extra` comes before those that have to be last.
    pub fn argv(self, agent: RealAgent, extra: &[&str]) -> Vec<String> {
        let mut argv: Vec<&str> = match agent {
            RealAgent::Claude => vec!["-p", "--output-format", "stream-json", "--verbose"],
            RealAgent::Codex => vec!["exec", "--json", "-C", "."],
            RealAgent::Gemini => vec!["-o", "stream-json", "--skip-trust"],
            RealAgent::Qwen => vec!["-o", "stream-json", "--auth-type", "openai"],
        };
        argv.extend(self.level(agent));
        argv.extend(extra);
        if agent == RealAgent::Codex {
            argv.push("-");
        }
        argv.into_iter().map(str::to_owned).collect()
    }

    /// The same, resuming a session.
    pub fn resuming(self, agent: RealAgent, session: &str) -> Vec<String> {
        let word = if agent == RealAgent::Codex { "resume" } else { "--resume" };
        self.argv(agent, &[word, session])
    }

    fn level(self, agent: RealAgent) -> &'static [&'static str] {
        match (agent, self) {
            (RealAgent::Claude, Self::LookOnly) => {
                &["--tools", "Read,Glob,Grep", "--permission-mode", "dontAsk", "--permission-prompts", "none"]
            }
            (RealAgent::Claude, Self::EditFiles) => &[
                "--tools",
                "Read,Glob,Grep,Edit,Write,NotebookEdit",
                "--permission-mode",
                "acceptEdits",
                "--permission-prompts",
                "none",
            ],
            // Root may not bypass permissions, and these machines often run as root.
            (RealAgent::Claude, Self::FullAccess) => {
                &["--permission-mode", "dontAsk", "--allowedTools", "Bash Edit Write Read"]
            }
            (RealAgent::Codex, Self::LookOnly) => &["-s", "read-only"],
            (RealAgent::Codex, Self::EditFiles) => &["-s", "workspace-write"],
            (RealAgent::Codex, Self::FullAccess) => &["-s", "danger-full-access"],
            (_, Self::LookOnly) => &["--approval-mode", "plan"],
            (RealAgent::Gemini, Self::EditFiles) => &["--approval-mode", "auto_edit"],
            (RealAgent::Qwen, Self::EditFiles) => &["--approval-mode", "auto-edit"],
            (_, Self::FullAccess) => &["--approval-mode", "yolo"],
        }
    }
}
