//! Workers of one AoT round that work apart, each in a git worktree of its own. Worktrees are made before the workers start, merged into
//! the folder one after the other when all have ended, and removed. Git runs in threads that report to the owner.

use super::driver_context::DriverContext;
use super::event::{ExecutionEvent as Event, Inbox};
use super::work::{Activity, Execution, NeedSubject, Purpose, RunSlot};
use super::worktrees::{Batch, Settled, Worktree};
use crate::completion::verdicts::{ended_of, verdict_of};
use crate::git::apart::Merged;
use crate::git::{self, Repository, apart};
use crate::preferences::choices::KeptChoices;
use crate::rows::{NeedAnswerKind, NeedReason};
use crate::run::RunAction;
use loopdeck_core::driver::AgentTask;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, LeftApart, Unmerged};
use loopdeck_core::step::Operation;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether some of these worked apart, and what they did is not settled.
pub(crate) fn are_open(slots: &[RunSlot]) -> bool {
    slots.iter().any(|slot| slot.run.worktree.is_some() && slot.settled.is_none())
}

/// What this one did and is not in the folder.
pub(crate) fn left_apart(slot: &RunSlot) -> Option<&LeftApart> {
    match &slot.settled {
        Some(Settled::Left(left)) => Some(left),
        Some(Settled::Merged) | None => None,
    }
}

/// A worktree that is to be settled.
struct Open {
    run: String,
    top: PathBuf,
    /// For the reference of what was done.
    name: String,
    merges: bool,
}

impl DriverContext<'_> {
    /// Whether so many workers of one round work apart.
    pub(crate) fn works_apart(&self, key: &LoopId, workers: usize) -> bool {
        let chosen = |work: &Execution| work.format.works_in_rounds() && work.plan.worktrees;
        workers > 1 && self.scheduler().works.get(key).is_some_and(chosen)
    }

    /// Makes the worktrees of a round, then begins it.
    pub(crate) fn part_workers(&mut self, key: &LoopId, begin: Operation, tasks: Vec<AgentTask>) {
        let place = self.place_of(key);
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        (work.doing, work.action) = (Activity::Runs(Vec::new()), Some(RunAction::Atom));
        work.parting = work.parting.wrapping_add(1);
        work.apart.clear();
        let (root, parting, of) = (work.root.clone(), work.parting, key.clone());
        let (inbox, choices) = self.inbox_and_choices();
        self.show_work(key);
        let make = move || {
            let ids: Vec<String> = tasks.iter().filter_map(AgentTask::task_id).collect();
            let made = make_worktrees(&choices, &root, &place.join(crate::runs::spec::new_run_id()), &ids);
            inbox.send(Event::WorktreesCreated(of, parting, Box::new(Batch { begin, tasks }), made));
        };
        self.start_apart(key, make);
    }

    pub(crate) fn on_worktrees_created(
        &mut self,
        key: &LoopId,
        parting: u32,
        batch: Batch,
        made: Result<BTreeMap<String, Worktree>, Failure>,
    ) {
        let waits = |work: &Execution| {
            let idle = matches!(&work.doing, Activity::Runs(slots) if slots.is_empty());
            idle && work.parting == parting
                && !work.is_held_for_redirect
                && work.asked.is_none()
                && work.settling.is_none()
        };
        let is_waited_for = self.scheduler().works.get(key).is_some_and(waits);
        match (made, self.scheduler_mut().works.get_mut(key).filter(|_| is_waited_for)) {
            (Ok(made), Some(work)) => {
                work.apart = made;
                self.begin_batch(key, batch.begin, batch.tasks);
            }
            (Ok(made), None) => {
                self.remove_all(key, made.into_values().map(|worktree| worktree.top).collect());
            }
            (Err(failure), Some(_)) => self.fail(key, &failure),
            (Err(_), None) => {}
        }
    }

    /// All workers of a round have ended: what those did that resolved their atoms is merged, what others did is kept.
    pub(crate) fn merge_worktrees(&mut self, key: &LoopId, slots: Vec<RunSlot>) {
        let id = id_of(key);
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let open: Vec<Open> = slots
            .iter()
            .filter_map(|slot| {
                let top = PathBuf::from(slot.run.worktree.as_ref()?);
                let atom = plain(slot.run.task.as_deref().unwrap_or_default());
                let merges = !work.is_held_for_redirect && resolves(slot);
                Some(Open { run: slot.run.id.clone(), top, name: format!("{id}/{atom}"), merges })
            })
            .collect();
        (work.settling, work.doing) = (Some(slots), Activity::Runs(Vec::new()));
        work.apart.clear();
        let (root, of) = (work.root.clone(), key.clone());
        let (inbox, choices) = self.inbox_and_choices();
        let settle = move || {
            let repository = or_log(choices.repository(&root));
            let settled = open
                .iter()
                .map(|open| (open.run.clone(), merge_worktree(repository.as_ref(), open)))
                .collect();
            inbox.send(Event::WorktreesMerged(of, settled));
        };
        self.start_apart(key, settle);
    }

    pub(crate) fn on_worktrees_merged(&mut self, key: &LoopId, settled: Vec<(String, Settled)>) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let Some(mut slots) = work.settling.take() else { return };
        for (run, settled) in settled {
            if let Some(slot) = slots.iter_mut().find(|slot| slot.run.id == run) {
                slot.settled = Some(settled);
            }
        }
        let kept: Vec<String> =
            slots.iter().filter_map(left_apart).map(|left| left.reference.clone()).collect();
        let discards = work.is_held_for_redirect;
        let done = slots.iter().filter(|slot| left_apart(slot).is_none_or(|left| !left.commit.is_empty()));
        let done: Vec<PathBuf> = done.filter_map(|slot| slot.run.worktree.clone()).map(Into::into).collect();
        work.removing.clone_from(&done);
        self.on_all_merged(key, slots);
        // Where the loop continues, its next worker or a question says where it is.
        if discards || !self.scheduler().works.get(key).is_some_and(Execution::is_on) {
            self.on_left_worktrees_kept(key, &kept);
        }
        // Not before the file says what was done: a crash in between settles it again.
        self.remove_all(key, done);
    }

    /// The person takes the worker's version.
    pub(crate) fn take_unmerged(&mut self, key: &LoopId, unmerged: Unmerged) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        (work.doing, work.action) = (Activity::Runs(Vec::new()), Some(RunAction::Atom));
        let (root, of) = (work.root.clone(), key.clone());
        let (inbox, choices) = self.inbox_and_choices();
        self.show_work(key);
        let take = move || {
            let LeftApart { base, commit, reference, .. } = unmerged.left;
            let kept = apart::KeptWork { base, commit, reference };
            let merged = |repository| {
                apart::merge(&repository, &kept, true).map(drop).map_err(|error| git::failure(&root, &error))
            };
            let taken = choices.repository(&root).and_then(merged).map_err(|failure| reason_of(&failure));
            inbox.send(Event::UnmergedTaken(of, taken));
        };
        self.start_apart(key, take);
    }

    pub(crate) fn on_unmerged_taken(&mut self, key: &LoopId, taken: &Result<(), String>) {
        if !self.scheduler().works.get(key).is_some_and(Execution::is_on) {
            return;
        }
        let concluded = self.with_file(key, |work, bytes, facts| {
            let taken = taken.as_ref().copied().map_err(String::as_str);
            drive::conclude_taken(taken, (bytes, facts), &mut work.memory)
        });
        self.follow(key, concluded, Vec::new());
    }

    /// Nothing runs: worktrees that a crash left are removed, and what was done in them is kept.
    pub(crate) fn sweep_apart(&mut self, key: &LoopId) {
        let place = self.place_of(key);
        let is_at_rest = |work: &Execution| {
            let all_gone = work.stop.as_ref().is_none_or(crate::runs::StopReport::is_all_gone);
            work.format.works_in_rounds() && work.settling.is_none() && work.slots().is_empty() && all_gone
        };
        if !self.scheduler().works.get(key).is_some_and(is_at_rest) {
            return;
        }
        let mut found: Vec<PathBuf> = folders_in(&place).iter().flat_map(|round| folders_in(round)).collect();
        found.retain(|top| self.scheduler().works.get(key).is_none_or(|work| !work.removing.contains(top)));
        if found.is_empty() {
            return;
        }
        let Some(root) = self.scheduler().works.get(key).map(|work| work.root.clone()) else { return };
        let (of, id) = (key.clone(), id_of(key).to_owned());
        let (inbox, choices) = self.inbox_and_choices();
        let sweep = move || {
            let repository = or_log(choices.repository(&root));
            let kept = repository
                .map(|it| found.iter().filter_map(|top| keep_left_worktree(&it, top, &id)).collect());
            inbox.send(Event::LeftWorktreesKept(of, kept.unwrap_or_default()));
        };
        // Without a thread now, the next time.
        crate::tasks::start(sweep).logged("a thread is not started");
    }

    /// The person learns where work is that is not in the folder.
    pub(crate) fn on_left_worktrees_kept(&mut self, key: &LoopId, references: &[String]) {
        if references.is_empty() {
            return;
        }
        let (reason, answers) = (NeedReason::WorkKept, [NeedAnswerKind::Dismiss]);
        self.need_because(key, reason, &references.join("\n"), NeedSubject::Kept, &answers, |_| {});
        self.show_work(key);
    }

    fn inbox_and_choices(&self) -> (Inbox, Arc<KeptChoices>) {
        let workshop = &self.scheduler().workshop;
        (workshop.inbox.clone(), Arc::clone(&workshop.choices))
    }

    fn remove_all(&self, key: &LoopId, tops: Vec<PathBuf>) {
        let Some(root) = self.scheduler().works.get(key).map(|work| work.root.clone()) else { return };
        if tops.is_empty() {
            return;
        }
        let choices = Arc::clone(&self.scheduler().workshop.choices);
        let remove = move || {
            if let Some(repository) = or_log(choices.repository(&root)) {
                tops.iter().for_each(|top| remove(&repository, top));
            }
        };
        // Without a thread now, the next sweep finds them.
        crate::tasks::start(remove).logged("a thread is not started");
    }

    fn place_of(&self, key: &LoopId) -> PathBuf {
        self.scheduler().workshop.dirs.apart().join(id_of(key))
    }

    fn start_apart(&mut self, key: &LoopId, work: impl FnOnce() + Send + 'static) {
        if let Err(error) = crate::tasks::start(work) {
            self.fail(key, &Failure::own_data(error));
        }
    }
}

/// The workspace of a loop: it has one AoT loop.
fn id_of(key: &str) -> &str {
    loopdeck_core::loop_id::workspace_of(key)
}

/// An id of an atom as a part of a path or reference.
fn plain(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    id.chars().take(60).map(plain).collect()
}

fn make_worktrees(
    choices: &KeptChoices,
    root: &Path,
    place: &Path,
    ids: &[String],
) -> Result<BTreeMap<String, Worktree>, Failure> {
    let no_worktrees = |reason: String| Failure::new(FailureKind::NoWorktrees).with("reason", reason);
    let refused = |error: io::Error| match git::changed_in(&error) {
        Some(_) => git::failure(root, &error),
        None => no_worktrees(error.to_string()),
    };
    let repository = choices.repository(root).map_err(|failure| match failure.kind {
        FailureKind::GitRefused => no_worktrees(reason_of(&failure)),
        _ => failure,
    })?;
    let mut made: BTreeMap<String, Worktree> = BTreeMap::new();
    let base = apart::snapshot(&repository, None).map_err(refused)?;
    for (number, id) in ids.iter().enumerate() {
        let top = place.join(format!("{}-{}", number + 1, plain(id)));
        match apart::add(&repository, &base, &top) {
            Ok(worktree) => {
                let folder = worktree.folder().to_owned();
                made.insert(id.clone(), Worktree { top, folder });
            }
            Err(error) => {
                let tops = made.into_values().map(|worktree| worktree.top).chain([top]);
                tops.for_each(|top| remove(&repository, &top));
                return Err(refused(error));
            }
        }
    }
    Ok(made)
}

/// What it is, or a line in the log: worktrees stay as they are then, with all that was done in them.
fn or_log<T, E: std::fmt::Debug>(asked: Result<T, E>) -> Option<T> {
    asked.inspect_err(|error| tracing::warn!(?error, "worktrees stay as they are")).ok()
}

/// What git said, or what kind of failure it is.
fn reason_of(failure: &Failure) -> String {
    let said = ["reason", "what"].iter().find_map(|name| failure.args.get(*name));
    said.cloned().unwrap_or_else(|| format!("{:?}", failure.kind))
}

/// Whether the worker finished, whatever was asked of the others meanwhile, and reports that it did its atom.
fn resolves(slot: &RunSlot) -> bool {
    let Some(end) = &slot.end else { return false };
    let verdict = verdict_of(slot, end, None);
    let ended = ended_of(slot, end, &verdict);
    match &slot.what {
        Purpose::Agent(task) => drive::resolves(task, ended),
        Purpose::Found => drive::resolves(&AgentTask::of_found_worker(""), ended),
        Purpose::Tests | Purpose::Check(_) | Purpose::Skill(_) | Purpose::OwnTool => false,
    }
}

fn merge_worktree(repository: Option<&Repository>, open: &Open) -> Settled {
    // Nothing of it is removed.
    let stays = || {
        let reference = open.top.to_string_lossy().into_owned();
        Settled::Left(LeftApart { reference, ..LeftApart::default() })
    };
    let Some(repository) = repository else { return stays() };
    let kept = match apart::at(repository, &open.top).and_then(|top| apart::keep(&top, &open.name)) {
        Ok(Some(kept)) => kept,
        Ok(None) => return Settled::Merged,
        Err(error) => {
            tracing::warn!(%error, "what a worker did stays in its worktree");
            return stays();
        }
    };
    let merged =
        if open.merges { apart::merge(repository, &kept, false) } else { Ok(Merged::Conflict(Vec::new())) };
    let files = match merged {
        Ok(Merged::Done) => {
            apart::forget(repository, &kept.reference);
            return Settled::Merged;
        }
        Ok(Merged::Conflict(files)) => files,
        Err(_) => Vec::new(),
    };
    let apart::KeptWork { base, commit, reference } = kept;
    Settled::Left(LeftApart { files, base, commit, reference })
}

/// Commits what was done in a worktree that no worker uses, removes it, and returns the reference.
fn keep_left_worktree(repository: &Repository, top: &Path, id: &str) -> Option<String> {
    let name = top.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let atom = name.split_once('-').map_or(name.as_str(), |(_, atom)| atom);
    let worktree = apart::at(repository, top);
    let kept = worktree.and_then(|worktree| apart::keep(&worktree, &format!("{id}/{atom}")));
    let kept = or_log(kept)?;
    remove(repository, top);
    kept.map(|kept| kept.reference)
}

fn remove(repository: &Repository, top: &Path) {
    apart::remove(std::slice::from_ref(repository), top);
    // The round's folder goes with its last worktree.
    let _ = top.parent().map(std::fs::remove_dir);
}

fn folders_in(place: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}
