//! What waits for the person in all workspaces: each one's drivers report their part, windows get the whole.

use crate::rows::{Need, Needs};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

/// More are never shown at once, of our own and of other machines each.
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
    /// The same of copies of other machines' folders, which hide nothing of our own however much they have.
    of_copies: BTreeMap<String, Needs>,
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
        self.put(|told| &mut told.by_workspace, (workspace, needs), changed);
    }

    /// Takes in what waits in the copy of another machine's folder now, see [`NeedsBoard::update`].
    pub fn update_copy(&self, workspace: &str, needs: Vec<Need>, changed: impl FnOnce()) {
        self.put(|told| &mut told.of_copies, (workspace, Needs { needs, running: 0 }), changed);
    }

    fn put(
        &self,
        part: impl FnOnce(&mut BoardState) -> &mut BTreeMap<String, Needs>,
        (workspace, needs): (&str, Needs),
        changed: impl FnOnce(),
    ) {
        let mut told = self.lock();
        let known = part(&mut told);
        let before = known.get(workspace);
        if before == Some(&needs) || (before.is_none() && needs == Needs::default()) {
            return;
        }
        known.insert(workspace.to_owned(), needs);
        changed();
        let all = needs_of_all(&told);
        // Under the lock, so that no watcher hears of an older state after a newer one.
        for watcher in &told.watchers {
            watcher(&all);
        }
    }

    /// Everything that waits, the oldest first.
    pub fn all(&self) -> Needs {
        needs_of_all(&self.lock())
    }

    /// The loop that waits under this name.
    pub fn loop_of(&self, id: &str) -> Option<String> {
        let told = self.lock();
        let mut needs =
            told.by_workspace.values().chain(told.of_copies.values()).flat_map(|needs| &needs.needs);
        needs.find(|need| need.id == id).map(|need| need.key.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.told.lock()
    }
}

fn needs_of_all(told: &BoardState) -> Needs {
    let mut needs = oldest(&told.by_workspace);
    needs.extend(oldest(&told.of_copies));
    sort(&mut needs);
    Needs { needs, running: told.by_workspace.values().map(|part| part.running).sum() }
}

fn oldest(parts: &BTreeMap<String, Needs>) -> Vec<Need> {
    let mut needs: Vec<Need> = parts.values().flat_map(|part| part.needs.iter().cloned()).collect();
    sort(&mut needs);
    needs.truncate(MOST);
    needs
}

fn sort(needs: &mut [Need]) {
    needs.sort_by(|one, other| one.since.total_cmp(&other.since).then_with(|| one.id.cmp(&other.id)));
}
