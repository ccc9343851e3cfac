//! The loops of one workspace: what is known of them, and the one way to change them.
//!
//! Each file of this room adds what it is about: `ingest` takes in what was read, `requests` records and writes, `guarding` watches
//! over requests, `undo` and `history` go back. The parts own their state ([`RequestGuards`], [`Redirects`], [`OwnWrites`], …); this
//! type holds them together. Lives in the thread of its workspace's owner.

use crate::observe::catalog::{Catalog, LoopId};
use crate::observe::glimpses::Glimpses;
use crate::observe::readers::Readers;
use crate::observe::roots::{self, Candidate};
use crate::store::guard::RequestGuards;
use crate::store::journal::{self, Journal, UndoGroup};
use crate::store::keeping::Keeping;
use crate::store::own_writes::OwnWrites;
use crate::store::redirect_guards::Redirects;
use crate::store::replaced_versions::{LateWrite, ReplacedVersions};
use crate::store::runner::Runners;
use crate::store::second_looks::SecondLooks;
use crate::views::PullRequestFacts;
use loopdeck_core::status::Program;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_core::view::ClaimCounts;
use loopdeck_execution::launcher::workshop::Workshop;
use loopdeck_execution::scheduler::Scheduler;
use loopdeck_system::clock;
use parking_lot::RwLock;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// When a change of ours is made, and the group of its writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Its time.
    pub(crate) at: Timestamp,
    /// What is undone together with it.
    pub(crate) group: UndoGroup,
}

/// No sign of life of anybody else is known: before any clock.
pub(crate) const NEVER: Timestamp = Timestamp::from_millis(0);
/// A late write that could not be taken up yet is tried again after this time.
const LATE_AGAIN: Duration = Duration::from_millis(15);

/// What a store begins with.
pub(crate) struct Parts {
    pub(crate) catalog: Arc<RwLock<Catalog>>,
    /// The workspace is closed, although its folder may not answer.
    pub(crate) forgotten: CancellationToken,
    pub(crate) journal: Journal,
    /// What the watcher saw of guarded files.
    pub(crate) glimpses: Glimpses,
    pub(crate) workshop: Workshop,
    /// How long a foreign change counts as a sign of life.
    pub(crate) fresh_within: TimeDelta,
    /// Cleans up after earlier starts and guards their requests.
    pub(crate) housekeeping: bool,
    /// Whether anything may be left behind, see [`crate::Traces`].
    pub(crate) leaves_traces: bool,
    /// See [`crate::Options::only`].
    pub(crate) only: Option<String>,
    /// Which program this is.
    pub(crate) program: Program,
}

/// The loops of one workspace.
pub struct WorkspaceStore {
    catalog: Arc<RwLock<Catalog>>,
    pub(crate) forgotten: CancellationToken,
    pub(crate) journal: Journal,
    /// Open requests.
    pub(crate) guards: RequestGuards,
    /// The last redirect or hold of each loop.
    pub(crate) redirects: Redirects,
    /// State files that we replaced while another writer had them open.
    pub(crate) replaced: ReplacedVersions,
    /// The same of companions.
    pub(crate) replaced_companions: ReplacedVersions,
    /// Late writes to companions that could not be taken up yet.
    pub(crate) late_companions: Vec<LateWrite>,
    /// What our last writes made.
    pub(crate) own_writes: OwnWrites,
    pub(crate) keeping: Keeping,
    /// Versions that the current content of a file falls behind.
    pub(crate) ahead: HashMap<LoopId, Arc<[u8]>>,
    /// What loops with checks claim, and what of it is proven; for their rows.
    pub(crate) claims: HashMap<LoopId, ClaimCounts>,
    /// Pull requests as they were last seen; for rows.
    pub(crate) pull_requests: HashMap<LoopId, PullRequestFacts>,
    /// Files that an interrupted change did not reach, by loop; for a reader that must not complete it.
    pub(crate) unfinished: HashMap<LoopId, Arc<str>>,
    pub(crate) second_looks: SecondLooks,
    /// Rows that are read from more than their own file.
    pub(crate) readers: Readers,
    /// The loop on screen.
    pub(crate) shown: Option<LoopId>,
    /// State of the drivers.
    pub(crate) scheduler: Scheduler,
    /// Names this process in leases.
    pub(crate) holder: String,
    /// Other Loopdecks that run loops here.
    pub(crate) runners: Runners,
    /// What this process deleted of loops, below the workspace: it can be restored from the trash.
    pub(crate) deleted: HashMap<LoopId, Vec<String>>,
    /// The version of the journal whose marks of the list are shown.
    pub(crate) list_marks_seen: Option<i64>,
    /// When the journal was last looked at for what others wrote.
    pub(crate) looked_at_journal: Option<Instant>,
    pub(crate) fresh_within: TimeDelta,
    pub(crate) housekeeping: bool,
    pub(crate) leaves_traces: bool,
    pub(crate) only: Option<String>,
    last_moment: Timestamp,
    /// The whole workspace is to be checked before the next event.
    pub(crate) wants_sweep: bool,
    pub(crate) buffer: Vec<u8>,
}

impl WorkspaceStore {
    /// A store that has not read its workspace yet.
    #[must_use]
    pub(crate) fn new(parts: Parts) -> Self {
        let holder = journal::holder(clock::now());
        Self {
            catalog: parts.catalog,
            forgotten: parts.forgotten,
            journal: parts.journal,
            guards: RequestGuards::new(parts.glimpses),
            redirects: Redirects::default(),
            replaced: ReplacedVersions::default(),
            replaced_companions: ReplacedVersions::default(),
            late_companions: Vec::new(),
            own_writes: OwnWrites::default(),
            keeping: Keeping::default(),
            ahead: HashMap::new(),
            claims: HashMap::new(),
            pull_requests: HashMap::new(),
            unfinished: HashMap::new(),
            second_looks: SecondLooks::default(),
            readers: Readers::default(),
            shown: None,
            scheduler: Scheduler::new(parts.workshop, (holder.clone(), parts.program), parts.housekeeping),
            holder,
            runners: Runners::default(),
            deleted: HashMap::new(),
            list_marks_seen: None,
            looked_at_journal: None,
            fresh_within: parts.fresh_within,
            housekeeping: parts.housekeeping,
            leaves_traces: parts.leaves_traces,
            only: parts.only,
            last_moment: NEVER,
            wants_sweep: false,
            buffer: Vec::new(),
        }
    }

    /// Does whatever is due by now, apart from reading changed paths.
    pub(crate) fn do_due(&mut self) {
        self.look_again();
        self.take_up_late_writes();
        self.take_up_late_companions();
        self.watch_guards();
        self.driver_context().resume_due();
        self.driver_context().end_lingering();
        self.driver_context().tell_needs();
        self.keep_overdue();
    }

    /// When something is due next; nothing while nothing waits.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let now = Instant::now();
        let until = |at: Timestamp| now + (at - clock::now()).to_std().unwrap_or_default();
        let by_clock =
            [self.guards.next_look(), self.scheduler.next_resume(), self.scheduler.next_lingering()];
        let deadlines = [
            self.second_looks.next(),
            self.keeping.next(),
            self.journal.housekeeping_at(),
            self.replaced.next_look(),
            self.replaced_companions.next_look(),
            (!self.late_companions.is_empty()).then(|| now + LATE_AGAIN),
            self.next_look_at_journal(),
        ];
        deadlines.into_iter().flatten().chain(by_clock.into_iter().flatten().map(until)).min()
    }

    /// Leaves everything in order for the next start.
    pub(crate) fn leave(&mut self) {
        self.driver_context().leave_works();
        for key in self.guards.keys() {
            self.unguard(&key);
        }
    }

    /// The moment of a change: no two have the same time, and each is undone separately.
    pub(crate) fn moment(&mut self) -> Moment {
        Moment { at: self.next_time(), group: UndoGroup::begin() }
    }

    fn next_time(&mut self) -> Timestamp {
        let now = clock::now();
        let set_back = self.last_moment - now > TimeDelta::seconds(1); // the clock was
        self.last_moment =
            if set_back { now } else { now.max(self.last_moment + TimeDelta::milliseconds(1)) };
        self.last_moment
    }

    /// Whether work and requests on the loop with this state file are ours to look after.
    pub(crate) fn is_in_scope(&self, file: &str) -> bool {
        let found = || roots::candidate_of(Path::new(""), Path::new(file));
        let is_it = |only: &str| only == file || found().is_some_and(|found| found.stem() == only);
        self.only.as_deref().is_none_or(is_it)
    }

    pub(crate) fn read_catalog<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read())
    }

    pub(crate) fn write_catalog<T>(&self, write: impl FnOnce(&mut Catalog) -> T) -> T {
        if self.forgotten.is_cancelled() {
            return write(&mut Catalog::default()); // its rows are gone, and must not come back
        }
        write(&mut self.catalog.write())
    }

    /// Keys of all loops of a workspace.
    pub(crate) fn keys_of(&self, workspace: &str) -> HashSet<LoopId> {
        self.read_catalog(|catalog| {
            let mine = catalog.entries().filter(|(_, entry)| &*entry.workspace == workspace);
            mine.map(|(key, _)| key.clone()).collect()
        })
    }

    /// Workspace id, workspace path and state file that `key` names.
    pub(crate) fn locate(&self, key: &str) -> Option<(Arc<str>, PathBuf, Candidate)> {
        let (id, file) = loopdeck_core::loop_id::split(key)?;
        self.read_catalog(|catalog| {
            let workspace = catalog.workspace(id)?;
            let known = catalog.get(key).map(|entry| entry.candidate.clone());
            let candidate =
                known.or_else(|| roots::candidate_of(&workspace.path, &workspace.path.join(file)))?;
            Some((Arc::clone(&workspace.id), workspace.path.clone(), candidate))
        })
    }
}
