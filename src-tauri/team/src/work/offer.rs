//! What a node offers: agents, memory, repositories. Told with its presence, so that a start form can name it.

use crate::seat::Seat;
use loopdeck_agents::Level;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The largest offer as JSON.
pub(crate) const LARGEST_OFFER: usize = 128 << 10;

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
    pub(crate) fn takes_from(&self, sender: &Seat, owner: &Seat) -> bool {
        may_send(&self.from, sender, owner.member())
    }
}

/// Whether `sender` may send work to a machine of `owner` that takes it from these members and machines.
pub(crate) fn may_send(from: &[String], sender: &Seat, owner: &str) -> bool {
    sender.member() == owner || from.iter().any(|one| one == sender.member() || *one == sender.to_string())
}
