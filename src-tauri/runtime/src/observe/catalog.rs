//! The catalog: what is known of every loop, with a rising revision for each change.
//!
//! Only the owner changes it; windows read pages of it. A window that is far behind simply pulls from an old revision:
//! it gets each row once, in its newest form, or a fresh snapshot when too much was forgotten.

mod entry;
mod follow_ups;
mod marked_loops;
mod workspaces;

use crate::cores::{ROWS, on_all_cores};
use crate::observe::orphans::Orphans;
use crate::store::last_good::LastGood;
use crate::views::{Changes, LoopNotes, LoopRow, Watching};
pub use entry::Entry;
pub use follow_ups::FollowUpPair;
pub use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loop_id::workspace_of;
use loopdeck_core::status::Group;
use loopdeck_core::times::Timestamp;
use loopdeck_system::fingerprint::Fingerprint;
pub use marked_loops::MarkedLoops;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
pub use workspaces::{Watched, Workspace};

/// The first page of a snapshot stays below this many bytes of JSON: the first rows are on screen soon.
const FIRST_PAGE_BYTES: usize = 60_000;
/// The others stay below this, so that a slow window stays usable. Each has to be asked for, which takes a while.
const PAGE_BYTES: usize = 500_000;
/// So many removed rows are remembered; a window further behind gets a snapshot.
const GONE_LIMIT: usize = 20_000;

/// All loops of all open workspaces.
#[derive(Debug)]
pub struct Catalog {
    entries: HashMap<LoopId, Entry>,
    /// Number of entries in each workspace, because every page for a window contains it.
    counts: HashMap<Arc<str>, u32>,
    by_revision: BTreeMap<u32, LoopId>,
    gone: VecDeque<(u32, LoopId)>,
    forgotten: u32,
    /// Files in the place of loops that are none, by the version that was read.
    not_loops: HashMap<LoopId, Option<Fingerprint>>,
    revision: u32,
    /// Open workspaces in the order they were opened.
    pub workspaces: Vec<Workspace>,
    /// Workspaces from last time are still to be opened.
    pub reopening: bool,
    /// How changes are noticed.
    pub watching: Watching,
    /// Rises whenever something begins or ends to wait for the person.
    pub needs: u32,
    /// Last readable versions of loops that changed or were read.
    pub last_good: LastGood,
    /// Which loop follows from which, oldest first.
    pub follow_ups: Vec<FollowUpPair>,
    /// Notes and labels of loops, also of those that are not open.
    pub notes: HashMap<LoopId, LoopNotes>,
    /// Loops that the person pinned or put aside.
    pub marked: MarkedLoops,
    /// Loops that fired an attention rule of the person when somebody looked last.
    fired: HashSet<LoopId>,
    /// Companions in the roots of a workspace whose loop is gone.
    orphans: HashMap<Arc<str>, Orphans>,
}

impl Default for Catalog {
    fn default() -> Self {
        let watching = Watching { folders: 0, polling: None, reason: None, checked: 0.0 };
        Self {
            entries: HashMap::new(),
            counts: HashMap::new(),
            by_revision: BTreeMap::new(),
            gone: VecDeque::new(),
            forgotten: 0,
            not_loops: HashMap::new(),
            revision: 0,
            workspaces: Vec::new(),
            reopening: false,
            watching,
            needs: 0,
            last_good: LastGood::default(),
            follow_ups: Vec::new(),
            notes: HashMap::new(),
            marked: MarkedLoops::default(),
            fired: HashSet::new(),
            orphans: HashMap::new(),
        }
    }
}

impl Catalog {
    /// The newest revision.
    #[must_use]
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// The loop named `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// All loops, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (&LoopId, &Entry)> {
        self.entries.iter()
    }

    /// Notes a change that is in no row (workspaces, watching).
    pub fn touch(&mut self) {
        self.revision += 1;
    }

    /// Workspaces with loops that changed or went after `since`.
    #[must_use]
    pub fn changed_workspaces(&self, since: u32) -> HashSet<Arc<str>> {
        let changed = self.by_revision.range(since.saturating_add(1)..).map(|(_, key)| key);
        let gone = self.gone.iter().rev().take_while(|(at, _)| *at > since).map(|(_, key)| key);
        changed.chain(gone).map(|key| workspace_of(key).into()).collect()
    }

    /// Puts `entry` in, or replaces it, under a new revision.
    pub fn put(&mut self, entry: Entry) {
        self.put_as(entry.key(), entry);
    }

    /// So many entries more will be put in.
    pub fn make_room(&mut self, more: usize) {
        self.entries.reserve(more);
    }

    /// Puts several entries in, each with its key.
    pub fn put_all(&mut self, entries: Vec<(LoopId, Entry)>) {
        for (key, entry) in entries {
            self.put_as(key, entry);
        }
    }

    fn put_as(&mut self, key: LoopId, mut entry: Entry) {
        self.revision += 1;
        entry.revision = self.revision;
        self.not_loops.remove(&key);
        self.marked.look_at(&key, || marked_loops::sight_of(&entry, self.fired.contains(&key)));
        self.by_revision.insert(self.revision, key.clone());
        let workspace = Arc::clone(&entry.workspace);
        match self.entries.insert(key, entry) {
            Some(old) => drop(self.by_revision.remove(&old.revision)),
            None => *self.counts.entry(workspace).or_default() += 1,
        }
    }

    /// Something about a loop is new that is not in the catalog, such as a line of its timeline.
    pub(crate) fn put_again(&mut self, key: &str) {
        if let Some(entry) = self.get(key).cloned() {
            self.put(entry);
        }
    }

    /// Notes and labels of a loop are new.
    pub(crate) fn note(&mut self, key: LoopId, notes: LoopNotes) {
        let entry = self.entries.get(&key).cloned();
        self.notes.insert(key, notes);
        entry.into_iter().for_each(|entry| self.put(entry));
    }

    /// Loops that fire an attention rule of the person.
    pub(crate) fn fired(&self) -> &HashSet<LoopId> {
        &self.fired
    }

    /// These loops fire a rule, and no others: the rows of those that begin or end to are new.
    pub(crate) fn mark_fired(&mut self, fired: HashSet<LoopId>) {
        let changed: Vec<LoopId> = self.fired.symmetric_difference(&fired).cloned().collect();
        self.fired = fired;
        for key in changed {
            self.put_again(&key);
        }
    }

    /// Takes the loop named `key` out.
    pub fn remove(&mut self, key: &str) {
        let Some((key, old)) = self.entries.remove_entry(key) else { return };
        self.revision += 1;
        self.by_revision.remove(&old.revision);
        if let Some(count) = self.counts.get_mut(&old.workspace) {
            *count -= 1;
        }
        self.gone.push_back((self.revision, key));
        if self.gone.len() > GONE_LIMIT {
            self.forget_removals();
        }
    }

    /// Forgets the older half of the removals. Every row is newer than what is forgotten, so a snapshot that is read in pages is never
    /// behind it from its first page on.
    fn forget_removals(&mut self) {
        let mut older = self.gone.drain(..GONE_LIMIT / 2);
        self.forgotten = older.next_back().map_or(self.forgotten, |(revision, _)| revision);
        drop(older);
        let newer = self.by_revision.split_off(&(self.forgotten + 1));
        for (_, key) in std::mem::replace(&mut self.by_revision, newer) {
            self.revision += 1;
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.revision = self.revision;
                self.by_revision.insert(self.revision, key);
            }
        }
    }

    /// Remembers that this version of a file is no loop, so that sweeps do not read it again.
    pub fn note_no_loop(&mut self, key: LoopId, stamp: Option<Fingerprint>) {
        self.remove(&key);
        self.not_loops.insert(key, stamp);
    }

    /// Whether this version of a file was read and is no loop.
    #[must_use]
    pub fn is_no_loop(&self, key: &str, stamp: Option<Fingerprint>) -> bool {
        self.not_loops.get(key) == Some(&stamp)
    }

    /// What a window at `since` does not know yet, in a page of bounded size.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub fn changes(&self, since: u32, now: Timestamp) -> Changes {
        // Ahead of us: the window outlived a restart of the backend. Too far behind: removals were forgotten.
        let reset = since == 0 || since > self.revision || since < self.forgotten;
        let since = if reset { 0 } else { since };
        let (rows, upto) = self.page(since, now);
        let gone = self
            .gone
            .iter()
            .filter(|(at, key)| !reset && *at > since && *at <= upto && !self.entries.contains_key(key));
        Changes {
            revision: upto,
            more: upto < self.revision,
            reset,
            rows,
            removed: gone.map(|(_, key)| key.to_string()).collect(),
            workspaces: self.workspace_views(),
            reopening: self.reopening,
            watching: self.watching.clone(),
            needs: self.needs,
            now: now.number(),
        }
    }

    /// Rows changed after `since`, oldest change first, and the revision the page reaches.
    fn page(&self, since: u32, now: Timestamp) -> (Vec<LoopRow>, u32) {
        let mut rows = Vec::new();
        let mut bytes = 0;
        let most = if since == 0 { FIRST_PAGE_BYTES } else { PAGE_BYTES };
        for (revision, key) in self.by_revision.range(since + 1..) {
            let Some(entry) = self.entries.get(key) else { continue };
            let row = self.labelled_row(key, entry, now);
            bytes += serde_json::to_vec(&row).map_or(0, |json| json.len());
            if bytes > most && !rows.is_empty() {
                return (rows, revision - 1);
            }
            rows.push(row);
        }
        (rows, self.revision)
    }

    /// The rows of all loops by state file, made on all cores.
    #[must_use]
    pub fn rows(&self, now: Timestamp) -> Vec<LoopRow> {
        let mut entries: Vec<(&LoopId, &Entry)> = self.entries().collect();
        entries.sort_unstable_by(|(_, one), (_, other)| one.candidate.file.cmp(&other.candidate.file));
        on_all_cores(&entries, ROWS, |(key, entry)| self.labelled_row(key, entry, now))
    }

    fn labelled_row(&self, key: &LoopId, entry: &Entry, now: Timestamp) -> LoopRow {
        let mut row = self.row(entry, now);
        if let Some(notes) = self.notes.get(key) {
            row.labels.clone_from(&notes.labels);
        }
        row.marks = self.marked.of(key);
        if self.fired.contains(key) {
            row.group = Group::Attention;
            row.until_opened = false;
        }
        row
    }

    /// The row of a loop. Of one on another machine only what can be asked of that machine is offered.
    #[must_use]
    pub fn row(&self, entry: &Entry, now: Timestamp) -> LoopRow {
        let mut row = entry.row(now);
        if let Some(elsewhere) = self.workspace(&entry.workspace).and_then(|known| known.elsewhere.as_ref()) {
            elsewhere.limit_row(&mut row);
        }
        row
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
