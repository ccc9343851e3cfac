//! Where a loop of a folder can run, for the start form.

use crate::context::Context;
use crate::seat::Seat;
use crate::team::Team;
use loopdeck_agents::Level;
use loopdeck_execution::git::{self, bundle};
use loopdeck_system::{clock, dirs, files};
use serde::Serialize;
use specta::Type;
use std::path::Path;

/// The machines on which a loop of a folder can run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RunPlaces {
    /// The folder is in a repository with a commit; without one nothing can be sent.
    pub is_repository: bool,
    /// Files that differ from the last commit, and stay here.
    pub uncommitted: u32,
    /// Machines that offer the repository to this one, by name.
    pub machines: Vec<RunPlace>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct RunPlace {
    /// Which.
    pub seat: Seat,
    /// Whether it is there now.
    pub reachable: bool,
    /// Ids of agents.
    pub agents: Vec<String>,
    /// The most that they may do.
    pub level: Level,
    /// Shell lines that may be run for tests and checks, word for word. Untrusted text.
    pub commands: Vec<String>,
    /// Memory, in GiB.
    pub memory_gb: u32,
    /// So many loops at once.
    pub slots: u32,
    /// So many are running.
    pub busy: u32,
}

impl Team {
    /// The machines on which a loop of `folder` can run. Asks git once the person trusts the folder: before, it is in no repository.
    #[must_use]
    pub fn run_places(&self, folder: &Path) -> RunPlaces {
        let written = dirs::written(&folder.to_string_lossy());
        let Ok(folder) = files::canonical_folder(&written) else { return RunPlaces::default() };
        let context = &self.context;
        let Ok(repository) = context.runtime.repository(&folder) else { return RunPlaces::default() };
        let Ok(origin) = bundle::origin(&repository) else { return RunPlaces::default() };
        RunPlaces {
            is_repository: true,
            uncommitted: git::uncommitted(&repository).unwrap_or(0),
            machines: places_of(context, &origin),
        }
    }
}

fn places_of(context: &Context, origin: &str) -> Vec<RunPlace> {
    let now = clock::now();
    let state = context.state.lock();
    let mut places = Vec::new();
    for (seat, machine) in &state.machines {
        let Some(offer) = &machine.offer else { continue };
        let offered = offer.repositories.iter().filter(|one| one.origin == origin);
        places.extend(offered.filter(|one| one.takes_from(context.seat(), seat)).map(|one| RunPlace {
            seat: seat.clone(),
            reachable: machine.unreachable_since(now).is_none(),
            agents: one.agents.clone(),
            level: one.level,
            commands: one.commands.clone(),
            memory_gb: offer.memory_gb,
            slots: offer.slots,
            busy: offer.busy,
        }));
    }
    places
}
