//! The surroundings of one real agent in one test.

use super::running::Running;
use super::{Installed, RealAgent};
use crate::model_server::{ModelServer, Script};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The temporary folder of everything on the stage. Codex cannot use its sandbox when its home is below the temporary folder,
/// and the clone may be below the system's.
const TEMPORARY: &str = "tmp";
/// Where the agent keeps its configuration, and where the second agent does.
const CONFIG: &str = "config";
const CONFIG_OF_OTHER: &str = "config-of-other";

/// A home, a workspace (a git repository) and a model server for one agent, or for two.
pub struct Stage {
    /// The agent.
    pub agent: RealAgent,
    /// A second agent with its own configuration.
    pub(crate) also: Option<RealAgent>,
    /// The model server.
    pub server: ModelServer,
    /// The programs.
    pub installed: Installed,
    /// Path prefix of the server: `""`, `/err`, `/r429`.
    prefix: &'static str,
    /// The home is below the temporary folder, so Codex prints a warning first.
    pub(crate) home_is_temporary: bool,
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

    /// The same, using a path prefix of the server; the script may name paths of the workspace.
    ///
    /// # Panics
    /// When it cannot be built.
    pub fn behind(agent: RealAgent, prefix: &'static str, script: impl FnOnce(&Path) -> Script) -> Self {
        let installed = Installed::by_xtask();
        fs::create_dir_all(installed.stages()).expect("a folder for stages");
        let folder = TempDir::with_prefix_in("stage-", installed.stages()).expect("a stage");
        let server = ModelServer::start(script(&folder.path().join("workspace"))).expect("a port");
        let stage = Self { agent, also: None, server, installed, prefix, home_is_temporary: false, folder };
        for part in ["home", "workspace", TEMPORARY] {
            fs::create_dir_all(stage.path(part)).expect("made");
        }
        let settings = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#;
        for config in [CONFIG, CONFIG_OF_OTHER].map(|config| stage.path(config)) {
            fs::create_dir_all(config.join(".gemini")).expect("made");
            fs::write(config.join("config.toml"), stage.codex_config()).expect("written");
            fs::write(config.join(".gemini/settings.json"), settings).expect("written");
        }
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

    /// The folder that contains all of this stage.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The complete environment of the agent: nothing of the person's gets in.
    pub fn environment(&self) -> Vec<(String, String)> {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.installed.node().display());
        let home = self.path("home").display().to_string();
        let temporary = self.path(if self.home_is_temporary { "" } else { TEMPORARY }).display().to_string();
        let mut all = vec![("HOME", home), ("PATH", path), ("LANG", "C.UTF-8".into()), ("TMPDIR", temporary)];
        all.extend(self.variables(self.agent, CONFIG));
        all.extend(self.also.into_iter().flat_map(|other| self.variables(other, CONFIG_OF_OTHER)));
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The environment of one agent.
    fn variables(&self, agent: RealAgent, config: &str) -> Vec<(&'static str, String)> {
        let config = self.path(config).display().to_string();
        let url = format!("{}{}", self.server.url(), self.prefix);
        let openai = format!("{url}/v1");
        match agent {
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
        }
    }

    fn codex_config(&self) -> String {
        let url = format!("{}{}/v1", self.server.url(), self.prefix);
        format!(
            "model = \"loopback\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\nname = \"loopback\"\n\
             base_url = \"{url}\"\nenv_key = \"LOOPBACK_KEY\"\nwire_api = \"responses\"\n\n[analytics]\nenabled = false\n\n\
             [sandbox_workspace_write]\nexclude_slash_tmp = true\n" // the whole stage may be below /tmp
        )
    }

    /// Starts the agent in the workspace, in its own session, with pipes for all three streams.
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
