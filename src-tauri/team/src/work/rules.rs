//! What the owner of a node lets others have run on it: which folders, for whom, with which agents and commands. Kept in a file
//! of the node's own; nothing of it ever comes from another machine.

use crate::seat::Seat;
use crate::work::job::{Job, Target};
use crate::work::lease::Spans;
use crate::work::offer::may_send;
use loopdeck_agents::Level;
use loopdeck_system::failure::Failure;
use loopdeck_system::kept::{self, Kept};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A lease is not shorter: ending a process tree takes its time.
const SHORTEST_LEASE: u32 = 6;
/// Without a word of the owner: long enough for a network that is away for half a minute.
const USUAL_LEASE: u32 = 90;

/// What a node takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeRules {
    /// So many jobs at once.
    pub slots: u32,
    /// A job is another node's when nothing was heard of this one for so many seconds.
    pub lease_seconds: u32,
    /// Folders.
    pub folders: Vec<AllowedFolder>,
}

impl Default for NodeRules {
    fn default() -> Self {
        Self { slots: 2, lease_seconds: USUAL_LEASE, folders: Vec::new() }
    }
}

/// A repository on this machine in whose worktrees others may run loops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedFolder {
    /// The folder, canonical: a repository or a part of one. The person trusts it.
    pub path: PathBuf,
    /// Members (`ada`) and machines (`ada.laptop`) that may; the owner's own machines always may.
    pub from: Vec<String>,
    /// Ids of agents.
    pub agents: Vec<String>,
    /// The most that an agent may do.
    pub level: Level,
    /// Shell lines for tests and checks, word for word.
    pub commands: Vec<String>,
}

/// Why a job is not taken. Words: catalogue `run_refused.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Refused {
    /// Not from this member.
    Sender,
    /// The repository is not here, or not allowed.
    Repository,
    /// Its folder is allowed and not trusted: nothing in it is run.
    Untrusted,
    /// The agent is not here, or not allowed.
    Agent,
    /// The agent may not do so much here.
    Level,
    /// One of its commands is not allowed here.
    Command,
    /// Not enough memory.
    Memory,
    /// It was asked too long ago.
    Old,
}

impl Kept for NodeRules {
    const FORM: u32 = 1;
}

impl NodeRules {
    /// Reads the file; a node takes nothing when there is none.
    ///
    /// # Errors
    /// `DamagedData`, `NewerData`: then it takes nothing either, and what its owner allowed is not written over.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        kept::check::<Self>(path)?;
        kept::read(path)
    }

    /// Saves the file.
    ///
    /// # Errors
    /// `NewerData`; `DamagedData`; `OwnData`.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        kept::save(path, self)
    }

    /// Allows a folder, or allows it otherwise.
    pub fn allow(&mut self, folder: AllowedFolder) {
        self.folders.retain(|known| known.path != folder.path);
        self.folders.push(folder);
    }

    /// Allows a folder no longer. False when it was not allowed.
    pub fn forbid(&mut self, path: &Path) -> bool {
        let before = self.folders.len();
        self.folders.retain(|known| known.path != path);
        self.folders.len() < before
    }

    pub(crate) fn spans(&self) -> Spans {
        Spans { lease: Duration::from_secs(self.lease_seconds.max(SHORTEST_LEASE).into()) }
    }
}

impl AllowedFolder {
    /// Whether it takes `job` from `sender`, whose name the account vouches for. `own`: who owns this node.
    pub(crate) fn check_job(&self, job: &Job, sender: &Seat, own: &str) -> Result<(), Refused> {
        let knows = |agent: &str| self.agents.iter().any(|known| known == agent);
        let allowed = |line: &&str| self.commands.iter().any(|known| known == line);
        let mut further = job.plan.further.iter().filter_map(|further| further.level);
        let is_within = job.plan.level.is_some_and(|level| level <= self.level);
        let checks = [
            (may_send(&self.from, sender, own), Refused::Sender),
            (job.agents().all(knows), Refused::Agent),
            (is_within && further.all(|level| level <= self.level), Refused::Level),
            (job.commands().iter().all(allowed), Refused::Command),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, why)| Err(why))
    }
}

/// Whether a machine with so much memory is large enough.
pub(crate) fn is_large_enough(target: &Target, memory_gb: u32) -> bool {
    match target {
        Target::Machine { .. } => true,
        Target::Any { memory_gb: wanted } => *wanted <= memory_gb,
    }
}
