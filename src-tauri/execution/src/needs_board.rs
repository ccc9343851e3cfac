//! What waits for the person in all workspaces: each one's drivers report their part, windows get the whole.

use crate::rows::{Need, Needs};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

/// More are never shown at once.
const MOST: usize = 200;

/// Called when a need is added or answered, and when a loop starts or stops running.
pub type NeedsWatcher = Box<dyn Fn(&Needs) + Send>;

/// Everything that waits. Shared by the drivers of all workspaces and the door.
#[derive(Default)]
pub struct NeedsBoard {
    told: Mutex<BoardState>,
    last: AtomicU32,
}

#[derive(Default)]
struct BoardState {
    by_workspace: BTreeMap<String, Needs>,
    watchers: Vec<NeedsWatcher>,
}

impl fmt::Debug for NeedsBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NeedsBoard")
    }
}

impl NeedsBoard {
    /// A name for something that waits; no two have the same.
    pub fn next_id(&self) -> String {
        format!("need-{}", self.last.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// Tells `watcher` of every change from now on.
    pub fn watch(&self, watcher: NeedsWatcher) {
        self.lock().watchers.push(watcher);
    }

    /// Takes in what waits in one workspace now. `changed` is called before the watchers are, when anything is new.
    pub fn update(&self, workspace: &str, needs: Needs, changed: impl FnOnce()) {
        let mut told = self.lock();
        let before = told.by_workspace.get(workspace);
        if before == Some(&needs) || (before.is_none() && needs == Needs::default()) {
            return;
        }
        told.by_workspace.insert(workspace.to_owned(), needs);
        changed();
        let all = merged(&told);
        // Under the lock, so that no watcher hears of an older state after a newer one.
        for watcher in &told.watchers {
            watcher(&all);
        }
    }

    /// Everything that waits, the oldest first.
    pub fn all(&self) -> Needs {
        merged(&self.lock())
    }

    /// The loop that waits under this name.
    pub fn loop_of(&self, id: &str) -> Option<String> {
        let told = self.lock();
        let mut needs = told.by_workspace.values().flat_map(|needs| &needs.needs);
        needs.find(|need| need.id == id).map(|need| need.key.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.told.lock()
    }
}

fn merged(told: &BoardState) -> Needs {
    let parts = told.by_workspace.values();
    let mut needs: Vec<Need> = parts.clone().flat_map(|part| part.needs.iter().cloned()).collect();
    needs.sort_by(|one, other| one.since.total_cmp(&other.since).then_with(|| one.id.cmp(&other.id)));
    needs.truncate(MOST);
    Needs { needs, running: parts.map(|part| part.running).sum() }
}
