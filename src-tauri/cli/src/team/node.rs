//! `loopdeck node`: run loops for others on this machine, and say what may be run.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use loopdeck_agents::Level;
use loopdeck_runtime::drivers::rows::{AgentReadiness, AgentRow};
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_runtime::{Options, Traces, trust_repository};
use loopdeck_team::seat::Role;
use loopdeck_team::{AllowedFolder, NodeRules};

use super::sharing::folder;
use super::{home, said};
use crate::code::code;
use crate::complaint::Complaint;
use crate::output::Answer;
use crate::text;
use crate::workspace;

/// What to do.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum NodeWord {
    /// Allow loops to be run in worktrees of a repository
    ///
    /// This also trusts the folder: agents and the commands below are started in its worktrees.
    Allow {
        /// The repository, or a folder in one
        dir: PathBuf,
        /// Who may send work, besides your own machines: a member (ada) or a machine (ada.laptop); repeat for several
        #[arg(long = "from", value_name = "WHO")]
        from: Vec<String>,
        /// An agent that may be used; repeat for several
        #[arg(long = "agent", value_name = "ID", required = true)]
        agents: Vec<String>,
        /// The most that an agent may do
        #[arg(long, value_parser = code::<Level>())]
        level: Level,
        /// A shell command that may be run for tests and checks, word for word; repeat for several
        #[arg(long = "command", value_name = "COMMAND")]
        commands: Vec<String>,
    },
    /// Allow a folder no longer; work in progress ends as it would
    Forbid {
        /// The folder
        dir: PathBuf,
    },
    /// Show what may be run on this machine, or change how much at once
    Rules {
        /// So many loops at once
        #[arg(long, value_name = "N")]
        slots: Option<u32>,
        /// Another node takes over when nothing was heard of this one for so long (default: 90)
        #[arg(long, value_name = "SECONDS")]
        lease: Option<u32>,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn answer(word: NodeWord, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    match word {
        NodeWord::Allow { dir, from, agents, level, commands } => {
            let allowed = AllowedFolder { path: folder(&dir)?, from, agents, level, commands };
            allow(allowed, data_dir)
        }
        NodeWord::Forbid { dir } => forbid(&dir, data_dir),
        NodeWord::Rules { slots, lease, .. } => rules(slots, lease, data_dir),
    }
}

fn allow(allowed: AllowedFolder, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let path = allowed.path.clone();
    let (home, data) = home(data_dir)?;
    let role = match home.read_invitation() {
        Ok(joined) => joined.role,
        Err(failure) if failure.kind == FailureKind::NotInTeam => {
            return Err(Complaint::own("node_no_team", &[]));
        }
        Err(failure) => return Err(failure.into()),
    };
    let missing = not_ready(&allowed.agents, &data)?;
    let mut rules = NodeRules::read(&home.node())?; // nothing is trusted for rules that cannot be kept
    trust_repository(&data, &path).map_err(|failure| match failure.args.get("reason") {
        Some(reason) if failure.kind == FailureKind::GitRefused => {
            Complaint::own("not_a_repository", &[("path", &path.display().to_string()), ("reason", reason)])
        }
        _ => failure.into(),
    })?;
    rules.allow(allowed);
    rules.save(&home.node())?;
    let code = if role == Role::Node { "node_allows" } else { "node_allows_not_yet" };
    let shown = path.display().to_string();
    let mut lines = vec![text::sentence("headless", code, [("path", &*shown), ("role", role.word())])];
    if !missing.is_empty() {
        lines.push(text::sentence("headless", "node_agents_missing", [("agents", &*missing.join(", "))]));
    }
    Answer::new(&serde_json::json!({}), lines.iter().map(|line| text::plain(line)).collect())
}

/// An agent whose commands are the sender's own: nobody could allow it word for word.
const SHELL: &str = "shell";

/// Refuses an agent that no job can have here, and names those that can. Answers which of `agents` can't be used yet.
fn not_ready(agents: &[String], data: &Path) -> Result<Vec<String>, Complaint> {
    let runtime = workspace::start(&Options::once(data.to_owned(), Traces::Nothing))?;
    let known: Vec<AgentRow> = runtime.agents(false)?.into_iter().filter(|agent| agent.id != SHELL).collect();
    let ids = known.iter().map(|agent| &*agent.id).collect::<Vec<_>>().join(", ");
    let mut missing = Vec::new();
    for wanted in agents {
        match known.iter().find(|agent| agent.id == *wanted) {
            Some(agent) if agent.readiness == AgentReadiness::Usable => {}
            Some(agent) => missing.push(agent.name.clone()),
            None if wanted == SHELL => return Err(Complaint::own("node_no_shell", &[("agents", &ids)])),
            None => return Err(Complaint::own("node_no_agent", &[("agent", wanted), ("agents", &ids)])),
        }
    }
    Ok(missing)
}

fn forbid(dir: &Path, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let (home, _) = home(data_dir)?;
    let path = folder(dir)?;
    let mut rules = NodeRules::read(&home.node())?;
    if !rules.forbid(&path) {
        return Err(Failure::new(FailureKind::UnknownWorkspace).into());
    }
    rules.save(&home.node())?;
    said("node_forbids", &[("path", &path.display().to_string())])
}

fn rules(slots: Option<u32>, lease: Option<u32>, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let (home, _) = home(data_dir)?;
    let mut rules = NodeRules::read(&home.node())?;
    if slots.is_some() || lease.is_some() {
        rules.slots = slots.unwrap_or(rules.slots);
        rules.lease_seconds = lease.unwrap_or(rules.lease_seconds);
        rules.save(&home.node())?;
    }
    let (many, seconds) = (rules.slots.to_string(), rules.lease_seconds.to_string());
    let first = text::sentence("headless", "node_rules", [("slots", &*many), ("seconds", &*seconds)]);
    let lines = std::iter::once(text::plain(&first)).chain(rules.folders.iter().flat_map(lines)).collect();
    Answer::new(&rules, lines)
}

/// The folder, and each of its commands in a line of its own.
fn lines(folder: &AllowedFolder) -> Vec<String> {
    let from = if folder.from.is_empty() { "-".to_owned() } else { folder.from.join(", ") };
    let first = format!(
        "{}  {from}  {}  {}",
        folder.path.display(),
        folder.agents.join(", "),
        text::name(folder.level)
    );
    let commands = folder.commands.iter().map(|command| format!("    {command}"));
    std::iter::once(first).chain(commands).map(|line| text::plain(&line)).collect()
}
