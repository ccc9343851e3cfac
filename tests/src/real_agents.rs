//! The real command lines of the agents, pinned by `cargo xtask test --real-agents`, in their own setting: a
//! home, a workspace and a [`ModelServer`](crate::model_server::ModelServer), and nothing of the person's.

mod alone;
mod argv;
mod played;
mod processes;
mod record;
mod running;
mod stage;

pub use alone::Scene;
pub use argv::Launch;
pub use played::Played;
pub use processes::marked;
pub use record::keep;
pub use running::{Ended, Running};
pub use stage::Stage;

use std::path::{Path, PathBuf};

/// One of the four agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealAgent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
}

impl RealAgent {
    /// All, in the reference's order.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Qwen];

    /// Name of its folder in the cache and in the fixtures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }
}

/// Where the pinned agents are.
#[derive(Clone, Debug)]
pub struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// The folder that xtask names.
    ///
    /// # Panics
    /// When it names none: a requested suite must not pass without its agents.
    pub fn by_xtask() -> Self {
        let folder = std::env::var_os("LOOPDECK_REAL_AGENTS");
        Self { folder: folder.expect("only `cargo xtask test --real-agents` runs these").into() }
    }

    /// The program to start: the native one if there is one.
    ///
    /// # Panics
    /// When it does not exist.
    pub fn program(&self, agent: RealAgent) -> PathBuf {
        let modules = self.folder.join(agent.name()).join("node_modules");
        let found = match agent {
            RealAgent::Claude => inside(&modules.join("@anthropic-ai"), "claude-code-", &["claude"]),
            RealAgent::Codex => inside(&modules.join("@openai"), "codex-", &["vendor"])
                .and_then(|vendor| inside(&vendor, "", &["bin", "codex"])),
            RealAgent::Gemini | RealAgent::Qwen => Some(modules.join(".bin").join(agent.name())),
        };
        found
            .filter(|found| found.exists())
            .unwrap_or_else(|| panic!("{} is not in {}", agent.name(), modules.display()))
    }

    /// The folder of the Node that the scripts among them need.
    pub fn node(&self) -> PathBuf {
        self.folder.join("node/bin")
    }

    /// Where stages are created; each has its own temporary folder.
    pub(crate) fn stages(&self) -> PathBuf {
        self.folder.join("stages")
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// `rest` in the first folder of `parent` whose name starts with `prefix`.
fn inside(parent: &Path, prefix: &str, rest: &[&str]) -> Option<PathBuf> {
    let folders = std::fs::read_dir(parent).ok()?.filter_map(Result::ok);
    let mut fitting = folders.filter(|folder| folder.file_name().to_string_lossy().starts_with(prefix));
    let end = |folder: std::fs::DirEntry| rest.iter().fold(folder.path(), |path, part| path.join(part));
    fitting.next().map(end)
}
