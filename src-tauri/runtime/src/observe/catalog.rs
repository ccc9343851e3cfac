//! The catalog: what is known of every loop, with a rising revision for each change.
//!
//! Only the owner changes it; windows read pages of it. A window that is far behind simply pulls from an old revision:
//! it gets each row once, in its newest form, or a fresh snapshot when too much was forgotten.

use crate::cores::{ROWS, on_all_cores};
use crate::elsewhere::Elsewhere;
use crate::observe::orphans::Orphans;
use crate::observe::roots::Candidate;
use crate::store::journal::RecordedFollowUp;
use crate::store::last_good::LastGood;
use crate::store::runner::Runner;
use crate::views::{
    Changes, ElsewhereView, FollowUpLink, LoopNotes, LoopRow, RequestState, RequestView, Watching,
    WorkspaceView,
};
use loopdeck_core::control::{Situation, Verb};
use loopdeck_core::formats::aot::drive::Verification;
pub use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loop_id::workspace_of;
use loopdeck_core::loops;
use loopdeck_core::past::WriteCause;
use loopdeck_core::problem::{Problem, Severity};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{self, Facts, FileStatus, Lease, Pending, Shown, StatusWord};
use loopdeck_core::summary::{StopFlag, Summary};
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_core::view::FollowUpKind;
use loopdeck_execution::rows::LoopRun;
use loopdeck_execution::shown::WorkFacts;
use loopdeck_system::dirs;
use loopdeck_system::fingerprint::Fingerprint;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

/// The first page of a snapshot stays below this many bytes of JSON: the first rows are on screen soon.
const FIRST_PAGE_BYTES: usize = 60_000;
/// The others stay below this, so that a slow window stays usable. Each has to be asked for, which takes a while.
const PAGE_BYTES: usize = 500_000;
/// So many removed rows are remembered; a window further behind gets a snapshot.
const GONE_LIMIT: usize = 20_000;

/// What is known of one loop.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Id of its workspace.
    pub workspace: Arc<str>,
    /// Its place.
    pub candidate: Candidate,
    /// Which version was read; `None` when it could not be read at all.
    pub stamp: Option<Fingerprint>,
    /// What it says.
    pub summary: Summary,
    /// When another program last changed it or its progress files.
    pub foreign_change: Timestamp,
    /// When its progress files or worker outputs last changed; 0 when that was not checked.
    pub companion_change: Timestamp,
    /// What is shown.
    pub shown: Shown,
    /// A control request under way or just landed.
    pub request: Option<RequestView>,
    /// An earlier version that is ahead of this one: an older state was restored.
    pub ahead: Option<Arc<[u8]>>,
    /// What of our last redirect or hold is undone.
    pub undone: Option<Problem>,
    /// Files that a change of ours which was cut short did not come to.
    pub unfinished: Option<Arc<str>>,
    /// AoT: the last verification of a completed loop that we know of.
    pub verified: Option<Arc<Verification>>,
    /// What we run for it.
    pub run: Option<LoopRun>,
    /// What the status function needs to know of that.
    pub work: WorkFacts,
    /// The other Loopdeck that runs it.
    pub(crate) runner: Option<Runner>,
    revision: u32,
}

impl Entry {
    /// A new entry; its revision is set when it enters the catalog.
    #[must_use]
    pub fn new(
        workspace: Arc<str>,
        candidate: Candidate,
        stamp: Option<Fingerprint>,
        summary: Summary,
        foreign_change: Timestamp,
    ) -> Self {
        let shown = status::show(&Facts::of_file(summary.status, TimeDelta::zero(), false));
        Self {
            workspace,
            candidate,
            stamp,
            summary,
            foreign_change,
            companion_change: Timestamp::from_millis(0),
            shown,
            request: None,
            ahead: None,
            undone: None,
            unfinished: None,
            verified: None,
            run: None,
            work: WorkFacts::default(),
            runner: None,
            revision: 0,
        }
    }

    /// Its key.
    #[must_use]
    pub fn key(&self) -> LoopId {
        LoopId::new(&self.workspace, &self.candidate.file)
    }

    /// When its state file last changed; of one that could not be read, when anything of it did.
    #[must_use]
    pub fn changed(&self) -> Timestamp {
        self.stamp.map_or(self.foreign_change, Fingerprint::modified)
    }

    /// The shown word at `now`.
    #[must_use]
    pub fn shown_at(&self, now: Timestamp, fresh_within: TimeDelta) -> Shown {
        let age = now - self.foreign_change;
        let work = self.work.after(self.foreign_change);
        let requested = self.request.as_ref().filter(|request| request.state == RequestState::Requested);
        let is_beside = self.runner.is_some() && !self.work.alive;
        // Its Loopdeck knows more than the flag in the file.
        let flagged = match self.summary.stop_requested {
            Some(StopFlag::Stop) => Pending::Stop,
            Some(StopFlag::Pause) => Pending::Pause,
            _ => Pending::None,
        };
        let pending = match requested.map(|request| request.verb) {
            _ if self.work.ending => Pending::Stop,
            Some(WriteCause::Stop) => Pending::Stop,
            Some(WriteCause::Pause) => Pending::Pause,
            _ if is_beside => flagged,
            _ => Pending::None,
        };
        status::show(&Facts {
            fresh_within,
            lease: if is_beside { Lease::Other } else { work.lease },
            process: work.process(now),
            pending: if self.work.alive || is_beside { pending } else { Pending::None },
            question: self.work.question,
            usage_limit: self.work.usage_limit,
            stop_report: self.work.stop_report,
            since_final: self.work.since_final(now),
            // An agent starts, whatever it continues.
            ..Facts::of_file(
                if work.handed_over { FileStatus::NotStarted } else { self.summary.status },
                age,
                self.summary.at_limit(),
            )
        })
    }

    /// Takes in that a companion changed at `at`: a sign of life. False when that was known.
    pub fn note_companion(&mut self, at: Timestamp, now: Timestamp) -> bool {
        let at = at.min(now);
        if at <= self.companion_change {
            return false;
        }
        self.companion_change = at;
        self.foreign_change = self.foreign_change.max(at);
        true
    }

    /// What a verb's legality depends on.
    #[must_use]
    pub fn situation(&self, now: Timestamp) -> Situation {
        Situation { shown: self.shown.word, now }
    }

    /// The row a window draws, but for the labels, which the catalog has.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub fn row(&self, now: Timestamp) -> LoopRow {
        let summary = &self.summary;
        let situation = self.situation(now);
        // A used-up limit is no dead end: the verb is offered and asks for a new limit.
        let legal = |verb: &Verb| {
            loops::refuse(summary, *verb, &situation)
                .is_none_or(|refusal| refusal.code == RefusalCode::LimitReached)
        };
        let verbs: Vec<Verb> = Verb::ALL.into_iter().filter(legal).collect();
        let errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
        LoopRow {
            key: self.key().to_string(),
            workspace: self.workspace.to_string(),
            id: self.candidate.stem().to_owned(),
            format: summary.format,
            handling: summary.format.handling(),
            file: self.candidate.file.clone(),
            title: summary.title.clone(),
            word: self.shown.word,
            group: self.shown.group,
            until_opened: self.shown.word.is_until_opened()
                && self.run.as_ref().is_none_or(|run| run.needs == 0),
            agent: self.shown.agent,
            file_word: summary.status_word.clone(),
            reason: summary.reason.clone(),
            limit: summary.limit,
            phase: summary.phase.clone(),
            iteration: summary.iteration,
            mode: summary.mode.clone(),
            priority: summary.priority.clone(),
            tags: summary.tags.clone(),
            labels: Vec::new(),
            changed: self.changed().number(),
            created: summary.created.map(Timestamp::number),
            errors: u32::try_from(errors.clone().count()).unwrap_or(u32::MAX),
            problem: errors.clone().next().cloned(),
            primary: primary(self.shown.word).iter().copied().find(|verb| verbs.contains(verb)),
            verbs,
            request: self.request.clone(),
            run: self.run.clone(),
            runner: self.runner.as_ref().filter(|_| !self.work.alive).map(Runner::view),
        }
    }
}

/// The single primary action of each shown word (the status contract §2), the first legal one of these.
fn primary(word: StatusWord) -> &'static [Verb] {
    use StatusWord as W;
    match word {
        W::Running | W::Starting | W::Silent | W::RunningElsewhere => &[Verb::Pause],
        W::Stopping | W::Pausing | W::EndedStillRunning => &[Verb::Stop],
        W::LimitReached
        | W::Interrupted
        | W::AgentUnknown
        | W::Paused
        | W::Stopped
        | W::Failed
        | W::LeftByUser => &[Verb::Resume, Verb::Reopen],
        W::NotStarted => &[Verb::Start],
        W::UsageLimit => &[Verb::Resume],
        W::CannotRead
        | W::NeedsYou
        | W::NotFullyStopped
        | W::Finishing
        | W::Completed
        | W::CompletedWithWarnings
        | W::Unknown => &[],
    }
}

/// An open workspace.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Short stable id.
    pub id: Arc<str>,
    /// Canonical path.
    pub path: PathBuf,
    /// Whether it can be reached.
    pub reachable: bool,
    /// Whether the first scan is done.
    pub scanned: bool,
    /// Whether it is the bundled sample.
    pub sample: bool,
    /// Whether its folder has not answered for a while.
    pub silent: bool,
    /// How its changes are noticed.
    pub watched: Watched,
    /// Whose copy it is; `None` for a folder of this computer.
    pub elsewhere: Option<Elsewhere>,
}

/// How the changes of a workspace are noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Folders watched by the operating system.
    pub folders: u32,
    /// Seconds between looks when watching is not possible.
    pub polling: Option<u32>,
    /// Why not (words: catalogue `watching.<reason>`).
    pub reason: Option<&'static str>,
}

impl Workspace {
    /// A workspace that was not read yet.
    #[must_use]
    pub fn new(id: &str, path: PathBuf, sample: bool) -> Self {
        Self {
            id: id.into(),
            path,
            reachable: true,
            scanned: false,
            sample,
            silent: false,
            watched: Watched::default(),
            elsewhere: None,
        }
    }

    /// The key that a loop has whose state file is at `file`; nothing outside of the workspace.
    #[must_use]
    pub fn key(&self, file: &Path) -> Option<LoopId> {
        let below = file.strip_prefix(&self.path).ok()?.to_string_lossy().replace(MAIN_SEPARATOR, "/");
        Some(LoopId::new(&self.id, &below))
    }
}

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
    /// Companions in the roots of a workspace whose loop is gone.
    orphans: HashMap<Arc<str>, Orphans>,
}

/// A loop and the one that it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUpPair {
    /// The new loop.
    pub key: LoopId,
    /// The loop that it follows from.
    pub parent: LoopId,
    /// In which direction.
    pub kind: FollowUpKind,
}

impl FollowUpPair {
    /// As the journal keeps it.
    #[must_use]
    pub fn from_recorded(recorded: &RecordedFollowUp) -> Self {
        let of = |(workspace, file): &(String, String)| LoopId::new(&dirs::id_of(Path::new(workspace)), file);
        Self { key: of(&recorded.of), parent: of(&recorded.parent), kind: recorded.kind }
    }
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

    /// The loop that `key` follows from.
    #[must_use]
    pub fn parent_of(&self, key: &str) -> Option<FollowUpLink> {
        let pair = self.follow_ups.iter().find(|pair| &*pair.key == key)?;
        Some(self.follow_up_link(&pair.parent, pair.kind))
    }

    /// Loops that follow from `key`, oldest first.
    #[must_use]
    pub fn follow_ups_of(&self, key: &str) -> Vec<FollowUpLink> {
        let of = self.follow_ups.iter().filter(|pair| &*pair.parent == key);
        of.map(|pair| self.follow_up_link(&pair.key, pair.kind)).collect()
    }

    /// The loops that one of `keys` follows from, and those that follow from one.
    #[must_use]
    pub fn relatives(&self, keys: &[LoopId]) -> Vec<LoopId> {
        let other = |pair: &FollowUpPair| match (keys.contains(&pair.key), keys.contains(&pair.parent)) {
            (true, false) => Some(pair.parent.clone()),
            (false, true) => Some(pair.key.clone()),
            _ => None,
        };
        self.follow_ups.iter().filter_map(other).collect()
    }

    fn follow_up_link(&self, key: &LoopId, kind: FollowUpKind) -> FollowUpLink {
        let entry = self.get(key);
        let file = key.rsplit('/').next().unwrap_or(key);
        let stem = file.strip_suffix(".json").unwrap_or(file).to_owned();
        let title = entry.map(|entry| entry.summary.title.clone()).filter(|title| !title.is_empty());
        FollowUpLink { kind, key: entry.map(|entry| entry.key().to_string()), title: title.unwrap_or(stem) }
    }

    /// All loops, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (&LoopId, &Entry)> {
        self.entries.iter()
    }

    /// The open workspace with this id.
    #[must_use]
    pub fn workspace(&self, id: &str) -> Option<&Workspace> {
        self.workspaces.iter().find(|workspace| &*workspace.id == id)
    }

    /// The open workspace that a file belongs to: of nested ones the inner one.
    #[must_use]
    pub fn workspace_around(&self, path: &Path) -> Option<&Workspace> {
        let around = self.workspaces.iter().filter(|workspace| path.starts_with(&workspace.path));
        around.max_by_key(|workspace| workspace.path.as_os_str().len())
    }

    /// A workspace was opened.
    pub(crate) fn open(&mut self, workspace: Workspace) {
        self.workspaces.push(workspace);
        self.touch();
    }

    /// A workspace was closed: its loops go with it.
    pub(crate) fn close(&mut self, id: &str) {
        let keys: Vec<LoopId> =
            self.entries().filter(|(_, entry)| &*entry.workspace == id).map(|(key, _)| key.clone()).collect();
        for key in &keys {
            self.remove(key);
        }
        self.counts.remove(id);
        self.workspaces.retain(|workspace| &*workspace.id != id);
        self.sum_up_watching();
        self.touch();
    }

    /// Notes how changes of a workspace are noticed, and that it was checked just now.
    pub(crate) fn watched(&mut self, id: &str, watched: Watched, now: Timestamp) {
        if let Some(known) = self.workspaces.iter_mut().find(|known| &*known.id == id)
            && known.watched != watched
        {
            known.watched = watched;
            self.sum_up_watching();
            self.touch();
        }
        #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
        {
            self.watching.checked = now.number();
        }
    }

    /// One workspace that cannot be watched is what a person should hear of.
    fn sum_up_watching(&mut self) {
        let polled =
            self.workspaces.iter().map(|known| &known.watched).find(|watched| watched.polling.is_some());
        self.watching.polling = polled.and_then(|watched| watched.polling);
        self.watching.reason = polled.and_then(|watched| watched.reason.map(str::to_owned));
        self.watching.folders = self.workspaces.iter().map(|known| known.watched.folders).sum();
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

    /// Notes companions in the roots of a workspace whose loop is gone.
    pub fn note_orphans(&mut self, workspace: &Arc<str>, found: Orphans) {
        let open: Vec<&Arc<str>> = self.workspaces.iter().map(|workspace| &workspace.id).collect();
        self.orphans.retain(|id, _| open.contains(&id));
        if self.orphans.get(workspace).map_or(found.total > 0, |known| *known != found) {
            self.orphans.insert(Arc::clone(workspace), found);
            self.touch();
        }
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

    /// Updates whose copy a workspace is.
    pub fn set_elsewhere(&mut self, id: &str, elsewhere: Elsewhere) {
        let known = self.workspaces.iter_mut().find(|known| *known.id == *id);
        if let Some(known) = known.filter(|known| known.elsewhere.as_ref() != Some(&elsewhere)) {
            known.elsewhere = Some(elsewhere);
            self.touch();
        }
    }

    /// The workspaces as a window shows them.
    #[must_use]
    pub fn workspace_views(&self) -> Vec<WorkspaceView> {
        let view = |workspace: &Workspace| WorkspaceView {
            id: workspace.id.to_string(),
            name: workspace.elsewhere.as_ref().map_or_else(
                || workspace.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                |elsewhere| format!("{} · {} · {}", elsewhere.name, elsewhere.member, elsewhere.machine),
            ),
            elsewhere: workspace.elsewhere.as_ref().map(|elsewhere| ElsewhereView {
                member: elsewhere.member.clone(),
                machine: elsewhere.machine.clone(),
                unreachable_since: elsewhere.unreachable_since.map(Timestamp::number),
                steerable: elsewhere.steerable,
                rows_only: elsewhere.rows_only,
                output: elsewhere.output,
            }),
            path: dirs::shown(&workspace.path),
            folder: workspace.path.to_string_lossy().into_owned(),
            loops: self.counts.get(&workspace.id).copied().unwrap_or(0),
            reachable: workspace.reachable,
            scanned: workspace.scanned,
            sample: workspace.sample,
            silent: workspace.silent,
            orphans: self.orphans.get(&workspace.id).map_or_else(Vec::new, |found| found.names.clone()),
            orphans_total: self.orphans.get(&workspace.id).map_or(0, |found| found.total),
        };
        self.workspaces.iter().map(view).collect()
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
