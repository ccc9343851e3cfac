//! What is asked for when a run starts.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// Everything the guardian needs. Only [`KeptSpec`] is ever written to disk.
#[derive(Clone, Debug)]
pub struct RunSpec {
    /// What is kept in the run's record.
    pub plan: KeptSpec,
    /// The child's whole environment; nothing else is inherited. The guardian adds [`super::RUN_ID_VARIABLE`].
    pub environment: Vec<(OsString, OsString)>,
    /// What is written to stdin first; kept in the run's folder, readable for its owner only.
    pub stdin_text: String,
}

impl RunSpec {
    /// A run of `argv` in `cwd` with this process's environment, nothing on stdin, no limits.
    #[must_use]
    pub fn new(argv: Vec<String>, cwd: PathBuf) -> Self {
        Self {
            plan: KeptSpec::new(argv, cwd),
            environment: std::env::vars_os().collect(),
            stdin_text: String::new(),
        }
    }

    /// The same with `text` on stdin, which is closed after it.
    #[must_use]
    pub fn with_stdin(mut self, text: impl Into<String>) -> Self {
        self.plan.stdin = StdinKind::Text;
        self.stdin_text = text.into();
        self
    }
}

/// The part of a [`RunSpec`] that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptSpec {
    /// The run's id, also the value of the marker in its processes' environment. Letters, digits, `-`.
    pub id: String,
    /// Program and arguments, never a shell line. The program: an absolute path, or a name on the PATH of `environment`.
    pub argv: Vec<String>,
    /// Where it runs: an absolute folder.
    pub cwd: PathBuf,
    /// Names of variables that were added for this run, to be shown.
    pub env_added: Vec<String>,
    /// What the child finds on stdin.
    pub stdin: StdinKind,
    /// What ends it without being asked.
    pub limits: Limits,
    /// Which loop it works on.
    pub loop_key: LoopKey,
    /// What it is for, as a code of the caller's.
    pub purpose: String,
    /// What else the caller wants to find again; not read here.
    pub about: serde_json::Value,
    /// How it is asked to stop.
    pub stop: StopHow,
    /// What happens to it when Loopdeck ends.
    pub if_app_ends: IfAppEnds,
    /// How long each step may take.
    pub pace: Pace,
    /// Most bytes its log may take on disk.
    pub log_cap: u64,
    /// The file of a fence: the run ends when it closes.
    #[serde(default)]
    pub fence: Option<PathBuf>,
}

impl KeptSpec {
    /// A plan with a new id and defaults for everything else.
    #[must_use]
    pub fn new(argv: Vec<String>, cwd: PathBuf) -> Self {
        Self {
            id: new_run_id(),
            argv,
            cwd,
            env_added: Vec::new(),
            stdin: StdinKind::Null,
            limits: Limits::default(),
            loop_key: LoopKey::default(),
            purpose: String::new(),
            about: serde_json::Value::Null,
            stop: StopHow::default(),
            if_app_ends: IfAppEnds::Keep,
            pace: Pace::default(),
            log_cap: super::log::DEFAULT_CAP,
            fence: None,
        }
    }
}

/// What the child finds on stdin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinKind {
    /// The null device.
    Null,
    /// The text of the spec, then the end.
    Text,
    /// The text of the spec, then what apps send, until one closes it, the final event was seen, or no app is left.
    Stream,
}

/// What ends a run without being asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Milliseconds of wall-clock time; time in which the machine is suspended does not count.
    pub wall_ms: Option<u64>,
}

/// Which loop a run works on. Opaque here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LoopKey {
    /// Path of the workspace.
    pub workspace: String,
    /// The state file in it.
    pub file: String,
}

/// How this agent is asked to stop before it gets a signal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopHow {
    /// Line for stdin that asks it to interrupt itself; only with [`StdinKind::Stream`].
    pub ask: Option<String>,
    /// SIGINT to the agent before SIGTERM to its group, for agents that then still say their result.
    pub interrupt_first: bool,
}

/// What happens to a run when Loopdeck ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IfAppEnds {
    /// It continues; the next start of Loopdeck finds it.
    Keep,
    /// It is ended when no app has been connected for `after_ms`.
    End {
        /// Milliseconds.
        after_ms: u64,
    },
}

/// How long each step may take, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// After the final event, for the process to exit.
    pub final_grace_ms: u64,
    /// After a normal exit, for processes it left to end by themselves.
    pub settle_ms: u64,
    /// After asking on stdin.
    pub ask_ms: u64,
    /// After SIGINT.
    pub interrupt_ms: u64,
    /// After SIGTERM.
    pub terminate_ms: u64,
    /// After SIGTERM when the final event was seen: there is nothing left to wait for.
    pub terminate_after_final_ms: u64,
    /// After SIGKILL, in each of three rounds.
    pub kill_ms: u64,
    /// For the rest of the output when all processes are gone.
    pub drain_ms: u64,
    /// With a stream on stdin and no app connected: until stdin is closed, because no app can answer.
    pub orphaned_stdin_ms: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            final_grace_ms: 10_000,
            settle_ms: 500,
            ask_ms: 5_000,
            interrupt_ms: 5_000,
            terminate_ms: 5_000,
            terminate_after_final_ms: 1_000,
            kill_ms: 2_000,
            drain_ms: 1_000,
            orphaned_stdin_ms: 10_000,
        }
    }
}

/// A new id: a random UUID in its usual spelling.
#[must_use]
pub fn new_run_id() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    // Two independently keyed hashes of the same moment: the keys are the operating system's randomness.
    let now = loopdeck_system::clock::now();
    let [high, low] = [(); 2].map(|()| RandomState::new().hash_one((now, std::process::id())));
    let high = high & 0xffff_ffff_ffff_0fff | 0x4000;
    let low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}
