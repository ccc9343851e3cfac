//! What surrounds one real agent in one test.

use super::running::Running;
use super::{Installed, RealAgent};
use crate::model_server::{ModelServer, Script};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A home, a workspace (a git repository) and a model server for one agent.
pub struct Stage {
    /// Who acts.
    pub agent: RealAgent,
    /// What answers.
    pub server: ModelServer,
    /// The programs.
    pub installed: Installed,
    /// Path prefix of the server: `""`, `/err`, `/r429`.
    prefix: &'static str,
    folder: TempDir,
}

impl Stage {
    /// A stage whose model follows `script`.
    ///
    /// # Panics
    /// When it cannot be built.
    pub fn new(agent: RealAgent, script: Script) -> Self {
        Self::behind(agent, "", |_| script)
    }

    /// The same, asked below a path prefix of the server; the script may name paths of the workspace.
    ///
    /// # Panics
    /// When it cannot be built.
    pub fn behind(agent: RealAgent, prefix: &'static str, script: impl FnOnce(&Path) -> Script) -> Self {
        let installed = Installed::by_xtask();
        fs::create_dir_all(installed.stages()).expect("a folder for stages");
        let folder = TempDir::with_prefix_in("stage-", installed.stages()).expect("a stage");
        let server = ModelServer::start(script(&folder.path().join("workspace"))).expect("a port");
        let stage = Self { agent, server, installed, prefix, folder };
        for part in ["home", "config/.gemini", "workspace"] {
            fs::create_dir_all(stage.path(part)).expect("made");
        }
        fs::write(stage.path("config/config.toml"), stage.codex_config()).expect("written");
        let settings = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#;
        fs::write(stage.path("config/.gemini/settings.json"), settings).expect("written");
        let git = Command::new("git").args(["init", "--quiet"]).current_dir(stage.workspace()).status();
        assert!(git.expect("git").success());
        stage
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// The folder that the agent works in.
    pub fn workspace(&self) -> PathBuf {
        self.path("workspace")
    }

    /// Everything of this stage lies below it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The whole environment of the agent: nothing of the person's gets in.
    pub fn environment(&self) -> Vec<(String, String)> {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.installed.node().display());
        let home = self.path("home").display().to_string();
        let config = self.path("config").display().to_string();
        let url = format!("{}{}", self.server.url(), self.prefix);
        let openai = format!("{url}/v1");
        let mut all = vec![("HOME", home), ("PATH", path), ("LANG", "C.UTF-8".into())];
        all.extend(match self.agent {
            RealAgent::Claude => vec![
                ("ANTHROPIC_BASE_URL", url),
                ("ANTHROPIC_API_KEY", "any".into()),
                ("CLAUDE_CONFIG_DIR", config),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
                ("CLAUDE_CODE_MAX_RETRIES", "1".into()),
            ],
            RealAgent::Codex => vec![("CODEX_HOME", config), ("LOOPBACK_KEY", "any".into())],
            RealAgent::Gemini => vec![
                ("GEMINI_CLI_HOME", config),
                ("GEMINI_API_KEY", "any".into()),
                ("GOOGLE_GEMINI_BASE_URL", url),
            ],
            RealAgent::Qwen => vec![
                ("QWEN_HOME", config),
                ("OPENAI_API_KEY", "any".into()),
                ("OPENAI_BASE_URL", openai),
                ("OPENAI_MODEL", "loopback".into()),
            ],
        });
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn codex_config(&self) -> String {
        let url = format!("{}{}/v1", self.server.url(), self.prefix);
        format!(
            "model = \"loopback\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\nname = \"loopback\"\n\
             base_url = \"{url}\"\nenv_key = \"LOOPBACK_KEY\"\nwire_api = \"responses\"\n\n[analytics]\nenabled = false\n"
        )
    }

    /// Starts the agent in the workspace, in a session of its own, with pipes at all three ends.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(&self, argv: &[String]) -> Running {
        let mut command = Command::new("setsid"); // becomes the program, which then leads a session
        command.arg(self.installed.program(self.agent)).args(argv);
        command.current_dir(self.workspace()).env_clear().envs(self.environment());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::start(&mut command, argv)
    }
}
