//! What this machine offers as a node, found out from its owner's rules, its agents and git.

use crate::context::Context;
use crate::work::offer::{Offer, OfferedRepository};
use crate::work::rules::{AllowedFolder, NodeRules};
use loopdeck_execution::git::bundle;
use loopdeck_runtime::drivers::rows::AgentReadiness;

/// So many of the newest commits are told for each repository, to save what need not travel.
const TIPS: usize = 16;

/// What this machine offers by `rules`. Asks agents and git, which takes a while.
pub(crate) fn offer_by(context: &Context, rules: &NodeRules) -> Offer {
    let agents = context.runtime.agents(false).unwrap_or_else(|failure| {
        tracing::warn!(?failure, "agents of this node are not known");
        Vec::new()
    });
    let usable = agents.into_iter().filter(|agent| agent.readiness == AgentReadiness::Usable);
    let ready: Vec<String> = usable.map(|agent| agent.id).collect();
    context.runtime.take_up_trust();
    // What would be refused is not offered.
    let repositories = rules.folders.iter().filter_map(|folder| offered_repository(context, folder, &ready));
    Offer { memory_gb: memory_gb(), slots: rules.slots, busy: 0, repositories: repositories.collect() }
}

fn offered_repository(
    context: &Context,
    folder: &AllowedFolder,
    ready: &[String],
) -> Option<OfferedRepository> {
    let none = |why: &dyn std::fmt::Debug| {
        tracing::warn!(path = %folder.path.display(), ?why, "no repository to offer");
    };
    let repository = context.runtime.repository(&folder.path).inspect_err(|failure| none(failure)).ok()?;
    let origin = bundle::origin(&repository).inspect_err(|error| none(error)).ok()?;
    let mut tips = bundle::tips(&repository).unwrap_or_default(); // without them more travels
    tips.dedup();
    tips.truncate(TIPS);
    Some(OfferedRepository {
        origin,
        name: folder.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        from: folder.from.clone(),
        agents: folder.agents.iter().filter(|agent| ready.contains(agent)).cloned().collect(),
        level: folder.level,
        commands: folder.commands.clone(),
        tips,
    })
}

/// Memory of this machine in GiB, rounded; 0 when it is not known.
fn memory_gb() -> u32 {
    let bytes = loopdeck_system::platform::memory().unwrap_or(0);
    u32::try_from((bytes + (1 << 29)) >> 30).unwrap_or(u32::MAX)
}
