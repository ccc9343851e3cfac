//! What a node offers: agents, memory, repositories. Told with its presence, so that a start form can name it.

use crate::seat::Seat;
use crate::team::Context;
use crate::work::rules::NodeRules;
use loopdeck_agents::Level;
use loopdeck_execution::git::bundle;
use loopdeck_runtime::drivers::rows::AgentReadiness;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The largest offer as JSON.
pub(crate) const LARGEST_OFFER: usize = 128 << 10;
/// So many of the newest commits are told for each repository, to save what need not travel.
const TIPS: usize = 16;

/// What a node can run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct Offer {
    /// Memory of the machine, in GiB.
    pub memory_gb: u32,
    /// So many jobs at once.
    pub slots: u32,
    /// So many are running.
    pub busy: u32,
    /// Repositories.
    pub repositories: Vec<OfferedRepository>,
}

/// A repository on a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct OfferedRepository {
    /// Its first commit, which names it in all clones.
    pub origin: String,
    /// Name of its folder. Untrusted text.
    pub name: String,
    /// Who may send, as the owner wrote it; the owner's own machines always may.
    pub from: Vec<String>,
    /// Ids of agents that are there and allowed.
    pub agents: Vec<String>,
    /// The most that they may do.
    pub level: Level,
    /// Shell lines that are allowed. Untrusted text.
    pub commands: Vec<String>,
    /// Some commits that are there.
    pub tips: Vec<String>,
}

impl OfferedRepository {
    /// Whether it takes work from `sender` when its node is of `owner`.
    #[must_use]
    pub fn takes_from(&self, sender: &Seat, owner: &Seat) -> bool {
        sender.member() == owner.member()
            || self.from.iter().any(|one| one == sender.member() || *one == sender.to_string())
    }
}

impl Offer {
    /// What this machine offers by `rules`. Asks agents and git, which takes a while.
    pub(crate) fn of(context: &Context, rules: &NodeRules) -> Self {
        let agents = match context.runtime.agents(false) {
            Ok(agents) => agents,
            Err(failure) => {
                tracing::warn!(?failure, "agents of this node are not known");
                Vec::new()
            }
        };
        let ready: Vec<String> = agents
            .into_iter()
            .filter(|agent| agent.readiness == AgentReadiness::Usable)
            .map(|agent| agent.id)
            .collect();
        context.runtime.take_up_trust();
        // What would be refused is not offered.
        let repositories = rules.folders.iter().filter_map(|folder| {
            let asked = context.runtime.repository(&folder.path);
            let repository = asked
                .inspect_err(|failure| {
                    tracing::warn!(path = %folder.path.display(), ?failure, "no repository to offer");
                })
                .ok()?;
            let origin = bundle::origin(&repository)
                .inspect_err(
                    |error| tracing::warn!(path = %folder.path.display(), %error, "no repository to offer"),
                )
                .ok()?;
            let mut tips = bundle::tips(&repository).unwrap_or_default(); // without them more travels
            tips.dedup();
            tips.truncate(TIPS);
            Some(OfferedRepository {
                origin,
                name: folder
                    .path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default(),
                from: folder.from.clone(),
                agents: folder.agents.iter().filter(|agent| ready.contains(agent)).cloned().collect(),
                level: folder.level,
                commands: folder.commands.clone(),
                tips,
            })
        });
        let repositories = repositories.collect();
        Self { memory_gb: memory_gb(), slots: rules.slots, busy: 0, repositories }
    }
}

/// Memory of this machine in GiB, rounded; 0 when it is not known.
pub(crate) fn memory_gb() -> u32 {
    let bytes = loopdeck_system::platform::memory().unwrap_or(0);
    u32::try_from((bytes + (1 << 29)) >> 30).unwrap_or(u32::MAX)
}
