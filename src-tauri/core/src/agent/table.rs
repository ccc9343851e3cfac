//! The built-in agents as data: one entry each. Every flag is a default for the versions it was checked with
//! ([`super::versions`]), never a constant of nature.
//!
//! Checked with Claude Code 2.1.328, Codex 0.169.0, Gemini CLI 0.61.0, Qwen Code 0.24.4.

use super::launch::LaunchNote;
use super::versions::{Flag, Version};
use super::{AgentId, Level, OutputKind};

/// Names of a surrounding agent that a child must not see: some versions refuse to start, or believe to be a part of it.
pub const ENV_REMOVED: [&str; 4] = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "GEMINI_CLI", "QWEN_CODE"];

/// One built-in agent.
#[derive(Debug)]
pub struct Agent {
    /// Which.
    pub id: AgentId,
    /// The product's name; the same in every language.
    pub name: &'static str,
    /// The program's name on a PATH.
    pub program: &'static str,
    /// What it writes.
    pub output: OutputKind,
    /// Arguments that every run begins with.
    pub base: &'static [&'static str],
    /// Arguments of the levels, in the order of [`Level::ALL`].
    pub levels: [LevelArgs; 3],
    /// Full access where the agent refuses its own for an administrator.
    pub full_as_root: Option<&'static [&'static str]>,
    /// A channel on which it asks; with the tools of the level as its ceiling.
    pub asking: Option<Asking>,
    /// Flag that names the folder; without one, the working directory says it.
    pub folder: Option<&'static str>,
    /// Flag of a further folder, once per folder.
    pub extra_folder: &'static str,
    /// Flag of the model.
    pub model: &'static str,
    /// Flag that chooses the id of a new conversation.
    pub new_session: Option<&'static str>,
    /// How a conversation is resumed.
    pub resume: Resume,
    /// Arguments for a conversation that is not stored.
    pub no_session: Option<&'static [&'static str]>,
    /// Flag that limits the turns.
    pub max_turns: Option<&'static str>,
    /// Flag that limits the money, in US dollars.
    pub max_money: Option<&'static str>,
    /// How the shape of the answer is asked for.
    pub schema: Schema,
    /// Arguments for a run without the person's plugins, hooks and servers.
    pub clean: Option<&'static [&'static str]>,
    /// Last arguments.
    pub tail: &'static [&'static str],
    /// Environment that every run gets.
    pub env: &'static [(&'static str, &'static str)],
    /// What is true of every run, beside what its level says.
    pub notes: &'static [LaunchNote],
    /// Flags that extra arguments may not repeat: they would change level, session, output or prompt.
    pub reserved: &'static [&'static str],
    /// Which configuration keys `-c KEY=VALUE` may not set, by their beginnings.
    pub reserved_keys: &'static [&'static str],
    /// Flags that runs use, and the versions that have them.
    pub flags: &'static [Flag],
    /// The version everything here was checked with.
    pub checked: Version,
    /// How it is signed in.
    pub sign_in: SignIn,
    /// How it is installed.
    pub install: Install,
}

/// One level.
#[derive(Clone, Copy, Debug)]
pub struct LevelArgs {
    /// Its arguments.
    pub args: &'static [&'static str],
    /// Environment that goes with it.
    pub env: &'static [(&'static str, &'static str)],
    /// What a person should know before choosing it.
    pub notes: &'static [LaunchNote],
}

/// A channel on which an agent asks before it acts.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// Arguments that open it.
    pub args: &'static [&'static str],
    /// Arguments of the levels instead of [`Agent::levels`].
    pub levels: [&'static [&'static str]; 3],
}

/// How a conversation is resumed: always by its id, never "the latest", which may be the person's own.
#[derive(Clone, Copy, Debug)]
pub enum Resume {
    /// A flag followed by the id.
    Flag(&'static str),
    /// A command followed by the id, after all flags: it accepts few of them itself.
    Word(&'static str),
}

/// How the shape of an answer is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Schema {
    /// A flag followed by the JSON schema.
    Text(&'static str),
    /// A flag followed by the path of a file with it.
    File(&'static str),
    /// Only in the words of the prompt.
    Prompt,
}

/// Where the credentials of an agent lie. Data for the doctor, which looks.
#[derive(Clone, Copy, Debug)]
pub struct SignIn {
    /// Files below the agent's own folder; one that exists is a sign of being signed in.
    pub files: &'static [&'static str],
    /// The agent's own folder, relative to the home folder.
    pub folder: &'static str,
    /// Environment that names another folder than `folder`.
    pub folder_env: &'static str,
    /// What the named folder holds: `folder`'s content, or `folder` itself.
    pub folder_env_is_home: bool,
    /// Environment that signs in by itself when set.
    pub env: &'static [&'static str],
    /// Whether macOS keeps the credentials in its keychain instead.
    pub keychain: bool,
    /// What a person types to sign in.
    pub command: &'static [&'static str],
}

/// How an agent is installed.
#[derive(Clone, Copy, Debug)]
pub struct Install {
    /// The package of npm.
    pub npm: &'static str,
    /// Major version of Node.js that the package declares.
    pub node: u32,
    /// The program inside is native: it runs without Node.js.
    pub native: bool,
}

impl Agent {
    /// The arguments and notes of a level.
    #[must_use]
    pub fn level(&self, level: Level) -> &LevelArgs {
        &self.levels[level as usize]
    }
}

/// The entry of a built-in agent; none for the shell and for a person's own.
#[must_use]
pub fn agent(id: &AgentId) -> Option<&'static Agent> {
    [&CLAUDE, &CODEX, &GEMINI, &QWEN].into_iter().find(|agent| agent.id == *id)
}

/// A flag whose first version is not known.
const fn checked(name: &'static str) -> Flag {
    Flag { name, first: None, needed: false }
}

/// A flag that only some runs use.
const fn since(name: &'static str, first: Version) -> Flag {
    Flag { name, first: Some(first), needed: false }
}

static CLAUDE: Agent = Agent {
    id: AgentId::Claude,
    name: "Claude Code",
    program: "claude",
    output: OutputKind::ClaudeJsonl,
    // Without --verbose it refuses this output.
    base: &["-p", "--output-format", "stream-json", "--verbose"],
    levels: [
        LevelArgs {
            // Not its plan mode: that keeps the shell on offer and leans on a check.
            args: &[
                "--tools",
                "Read,Glob,Grep",
                "--permission-mode",
                "dontAsk",
                "--permission-prompts",
                "none",
            ],
            env: &[],
            notes: &[],
        },
        LevelArgs {
            // The list keeps the shell out: this mode would run simple file commands unasked.
            args: &[
                "--tools",
                "Read,Glob,Grep,Edit,Write,NotebookEdit",
                "--permission-mode",
                "acceptEdits",
                "--permission-prompts",
                "none",
            ],
            env: &[],
            notes: &[LaunchNote::NoCommands],
        },
        LevelArgs {
            args: &["--permission-mode", "bypassPermissions"],
            env: &[],
            notes: &[LaunchNote::NotConfined],
        },
    ],
    full_as_root: Some(&[
        "--permission-mode",
        "dontAsk",
        "--permission-prompts",
        "none",
        "--allowedTools",
        "Bash Edit Write NotebookEdit Read Glob Grep WebFetch WebSearch Task TodoWrite",
    ]),
    asking: Some(Asking {
        args: &["--input-format", "stream-json", "--permission-prompt-tool", "stdio"],
        levels: [
            &["--tools", "Read,Glob,Grep", "--permission-mode", "default"],
            &["--tools", "Read,Glob,Grep,Edit,Write,NotebookEdit", "--permission-mode", "default"],
            &["--permission-mode", "default"],
        ],
    }),
    folder: None,
    extra_folder: "--add-dir",
    model: "--model",
    new_session: Some("--session-id"),
    resume: Resume::Flag("--resume"),
    no_session: Some(&["--no-session-persistence"]),
    max_turns: Some("--max-turns"),
    max_money: Some("--max-budget-usd"),
    schema: Schema::Text("--json-schema"),
    // Not --bare: that forgets the sign-in too.
    clean: Some(&["--safe-mode"]),
    tail: &[],
    env: &[],
    notes: &[],
    reserved: &[
        "-p",
        "--print",
        "--output-format",
        "--input-format",
        "--verbose",
        "--tools",
        "--allowedTools",
        "--permission-mode",
        "--permission-prompts",
        "--permission-prompt-tool",
        "--dangerously-skip-permissions",
        "--allow-dangerously-skip-permissions",
        "--add-dir",
        "--model",
        "--session-id",
        "-r",
        "--resume",
        "-c",
        "--continue",
        "--fork-session",
        "--session-persistence",
        "--from-pr",
        "--max-turns",
        "--max-budget-usd",
        "--json-schema",
        "--safe-mode",
        "-w",
        "--worktree",
        "--tmux",
        "--bg",
        "--background",
        "--remote",
        "--teleport",
        "-h",
        "--help",
        "-v",
        "--version",
    ],
    reserved_keys: &[],
    flags: &[
        Flag { name: "--permission-prompts", first: Some(Version(2, 1, 259)), needed: true },
        checked("--tools"),
        checked("--no-session-persistence"),
        since("--max-budget-usd", Version(2, 0, 28)),
        since("--safe-mode", Version(2, 1, 169)),
        checked("--json-schema"),
    ],
    checked: Version(2, 1, 328),
    sign_in: SignIn {
        files: &[".credentials.json"],
        folder: ".claude",
        folder_env: "CLAUDE_CONFIG_DIR",
        folder_env_is_home: false,
        env: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
            "CLAUDE_CODE_USE_FOUNDRY",
        ],
        keychain: true,
        command: &["claude", "auth", "login"],
    },
    install: Install { npm: "@anthropic-ai/claude-code", node: 22, native: true },
};

static CODEX: Agent = Agent {
    id: AgentId::Codex,
    name: "Codex",
    program: "codex",
    output: OutputKind::CodexJsonl,
    // Loops lie outside of repositories too, and trusting a folder for the person is not ours to do.
    base: &["exec", "--json", "--skip-git-repo-check"],
    levels: [
        LevelArgs { args: &["-s", "read-only"], env: &[], notes: &[] },
        LevelArgs { args: &["-s", "workspace-write"], env: &[], notes: &[LaunchNote::CommandsConfined] },
        LevelArgs { args: &["-s", "danger-full-access"], env: &[], notes: &[LaunchNote::NotConfined] },
    ],
    full_as_root: None,
    asking: None,
    folder: Some("-C"),
    extra_folder: "--add-dir",
    model: "-m",
    new_session: None,
    // It takes neither -C nor -s after this word.
    resume: Resume::Word("resume"),
    no_session: Some(&["--ephemeral"]),
    max_turns: None,
    max_money: None,
    schema: Schema::File("--output-schema"),
    clean: Some(&["--ignore-user-config"]),
    tail: &["-"],
    env: &[],
    notes: &[LaunchNote::DenialsNotReported],
    reserved: &[
        "--json",
        "--experimental-json",
        "-s",
        "--sandbox",
        "-C",
        "--cd",
        "--add-dir",
        "--skip-git-repo-check",
        "-m",
        "--model",
        "--oss",
        "--ephemeral",
        "--output-schema",
        "-o",
        "--output-last-message",
        "--full-auto",
        "--yolo",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "-a",
        "--ask-for-approval",
        "--trust",
        "--ignore-user-config",
        "--last",
        "--all",
        "-h",
        "--help",
        "-V",
        "--version",
    ],
    reserved_keys: &["sandbox", "approval", "permission", "default_permission", "projects", "model"],
    flags: &[checked("--ephemeral"), checked("--output-schema"), checked("--ignore-user-config")],
    checked: Version(0, 169, 0),
    sign_in: SignIn {
        files: &["auth.json"],
        folder: ".codex",
        folder_env: "CODEX_HOME",
        folder_env_is_home: false,
        env: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        keychain: false,
        command: &["codex", "login"],
    },
    install: Install { npm: "@openai/codex", node: 16, native: true },
};

static GEMINI: Agent = Agent {
    id: AgentId::Gemini,
    name: "Gemini CLI",
    program: "gemini",
    output: OutputKind::GeminiJsonl,
    // A folder it does not trust turns full access off and ends the run.
    base: &["-o", "stream-json", "--skip-trust"],
    levels: [
        LevelArgs { args: &["--approval-mode", "plan"], env: &[], notes: &[LaunchNote::PlanFiles] },
        LevelArgs { args: &["--approval-mode", "auto_edit"], env: &[], notes: &[LaunchNote::NoCommands] },
        LevelArgs { args: &["--approval-mode", "yolo"], env: &[], notes: &[LaunchNote::NotConfined] },
    ],
    full_as_root: None,
    asking: None,
    folder: None,
    extra_folder: "--include-directories",
    model: "-m",
    new_session: Some("--session-id"),
    resume: Resume::Flag("--resume"),
    no_session: None,
    max_turns: None,
    max_money: None,
    schema: Schema::Prompt,
    clean: None,
    tail: &[],
    // One process fewer to end.
    env: &[("GEMINI_CLI_NO_RELAUNCH", "1")],
    notes: &[LaunchNote::SilentRetries],
    reserved: &[
        "-o",
        "--output-format",
        "--raw-output",
        "-p",
        "--prompt",
        "-i",
        "--prompt-interactive",
        "--skip-trust",
        "--approval-mode",
        "-y",
        "--yolo",
        "--allowed-tools",
        "--policy",
        "--admin-policy",
        "-s",
        "--sandbox",
        "--include-directories",
        "-m",
        "--model",
        "--session-id",
        "-r",
        "--resume",
        "--list-sessions",
        "--delete-session",
        "-w",
        "--worktree",
        "--acp",
        "--experimental-acp",
        "-h",
        "--help",
        "-v",
        "--version",
    ],
    reserved_keys: &[],
    flags: &[checked("--skip-trust"), checked("--session-id")],
    checked: Version(0, 61, 0),
    sign_in: SignIn {
        files: &["oauth_creds.json"],
        folder: ".gemini",
        folder_env: "GEMINI_CLI_HOME",
        folder_env_is_home: true,
        env: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_GENAI_USE_GCA",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ],
        keychain: false,
        command: &["gemini"],
    },
    install: Install { npm: "@google/gemini-cli", node: 20, native: false },
};

static QWEN: Agent = Agent {
    id: AgentId::Qwen,
    name: "Qwen Code",
    program: "qwen",
    output: OutputKind::QwenJsonl,
    base: &["-o", "stream-json"],
    levels: [
        LevelArgs { args: &["--approval-mode", "plan"], env: &[], notes: &[] },
        LevelArgs { args: &["--approval-mode", "auto-edit"], env: &[], notes: &[LaunchNote::NoCommands] },
        LevelArgs {
            args: &["--approval-mode", "yolo"],
            env: &[("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1")],
            notes: &[LaunchNote::NotConfined],
        },
    ],
    full_as_root: None,
    asking: None,
    folder: None,
    extra_folder: "--add-dir",
    model: "-m",
    new_session: Some("--session-id"),
    resume: Resume::Flag("--resume"),
    no_session: Some(&["--chat-recording", "false"]),
    max_turns: Some("--max-session-turns"),
    max_money: None,
    // Its own --json-schema is not checked with its levels yet.
    schema: Schema::Prompt,
    clean: Some(&["--safe-mode"]),
    tail: &[],
    env: &[],
    notes: &[LaunchNote::SilentRetries],
    reserved: &[
        "-o",
        "--output-format",
        "--input-format",
        "-p",
        "--prompt",
        "-i",
        "--prompt-interactive",
        "--approval-mode",
        "-y",
        "--yolo",
        "--allowed-tools",
        "-s",
        "--sandbox",
        "--add-dir",
        "--include-directories",
        "-m",
        "--model",
        "--session-id",
        "-r",
        "--resume",
        "-c",
        "--continue",
        "--fork-session",
        "--chat-recording",
        "--max-session-turns",
        "--json-schema",
        "--json-file",
        "--json-fd",
        "--input-file",
        "--safe-mode",
        "--worktree",
        "--acp",
        "--experimental-acp",
        "-h",
        "--help",
        "-v",
        "--version",
    ],
    reserved_keys: &[],
    flags: &[checked("--session-id"), checked("--chat-recording"), checked("--safe-mode")],
    checked: Version(0, 24, 4),
    sign_in: SignIn {
        files: &["oauth_creds.json"],
        folder: ".qwen",
        folder_env: "QWEN_HOME",
        folder_env_is_home: false,
        env: &["OPENAI_API_KEY", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY"],
        keychain: false,
        command: &["qwen"],
    },
    install: Install { npm: "@qwen-code/qwen-code", node: 22, native: false },
};
