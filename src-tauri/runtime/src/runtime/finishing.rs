//! What a person does with the work of a loop once it is there: commit it, put it on a branch, merge a worktree back, keep it, give it up.

use super::Runtime;
use super::loop_in_git::LoopInGit;
use crate::store::delete::belongings;
use crate::store::journal::Journal;
use crate::views::{
    CommitDraft, CommitView, Discarded, Failure, FailureKind, FinishState, Finished, FinishedHow, LoopPage,
    MergeView, OpenFileRow, WorktreeFacts,
};
use loopdeck_core::view::{AtomState, TaskState};
use loopdeck_execution::git::finish::{self, Committed, MergedBack, OpenFile};
use loopdeck_execution::git::{self, Repository};
use loopdeck_execution::mask::Mask;
use loopdeck_system::files::Canonical as _;
use loopdeck_system::{clock, dirs};
use std::io;
use std::path::{Path, PathBuf};

/// The fact that says what was done last.
const FINISHED: &str = "finished";
/// So much of the work is named in the draft of a message.
const MOST_NAMED: usize = 20;
/// Longest line of a draft, in characters.
const LONGEST_LINE: usize = 72;

impl Runtime {
    /// What can be done with the work of a loop, and what is known for it.
    ///
    /// # Errors
    /// `UnknownLoop`; `Untrusted`; `RepositoryChanged`; `GitRefused`, also without a repository.
    pub fn finish_state(&self, key: &str) -> Result<FinishState, Failure> {
        let of = self.loop_in_git(key)?;
        let refused = |error: io::Error| git::failure(&of.root, &error);
        let mask = self.choices.read(Mask::of_all);
        let row = |file: OpenFile| OpenFileRow {
            path: mask.hide(file.path),
            staged: file.staged,
            is_state: file.is_state,
        };
        let worktree = self.main_of(&of)?;
        let worktree = worktree.map(|main| worktree_facts(&main, &of.repository)).transpose();
        let last = self.in_journal(key, Journal::last_revert)?;
        let remote = of.repository.remote().map_err(refused)?;
        let base = remote.as_ref().map(|remote| of.repository.default_branch(remote)).transpose();
        Ok(FinishState {
            branch: of.repository.current_branch().map_err(refused)?,
            worktree: worktree.map_err(refused)?,
            open: finish::open_files(&of.repository).map_err(refused)?.into_iter().map(row).collect(),
            hooks: of.repository.commit_hooks().map_err(refused)?.into_iter().map(str::to_owned).collect(),
            draft: CommitDraft {
                closes: self.issue_of(key)?.map(|issue| issue.number),
                ..draft(&self.read_loop(key)?)
            },
            base: base.map_err(refused)?.flatten(),
            remote: remote.map(|remote| mask.hide(shown_address(&remote.home))),
            reverted: last.into_iter().flat_map(|last| last.files).map(|file| mask.hide(file.path)).collect(),
            finished: self.in_journal(key, |journal, of| journal.fact(of, FINISHED))?,
        })
    }

    /// Commits files of a loop's folder in the person's name, with the hooks of the repository: these, or all but the state of loops.
    ///
    /// # Errors
    /// As [`Runtime::finish_state`]; `BadForm` without a message; `NotCommittable` for a file that does not differ, or is ignored.
    /// Nothing is committed then.
    pub fn commit_work(&self, key: &str, files: &[String], message: &str) -> Result<CommitView, Failure> {
        if message.trim().is_empty() {
            return Err(Failure::new(FailureKind::BadForm).with("field", "message"));
        }
        let of = self.loop_in_git(key)?;
        let made = finish::commit(&of.repository, files, message);
        match made.map_err(|error| git::failure(&of.root, &error))? {
            Committed::Done { commit, files } => {
                self.keep_finished(key, FinishedHow::Committed, Some(commit.clone()))?;
                Ok(CommitView::Done { commit, files: count(files) })
            }
            Committed::RefusedByHook { said } => {
                Ok(CommitView::RefusedByHook { said: self.choices.read(Mask::of_all).hide(said) })
            }
            Committed::Nothing => Ok(CommitView::Nothing),
            Committed::NotOpen(path) => Err(Failure::new(FailureKind::NotCommittable).with("path", path)),
        }
    }

    /// Makes a branch in the loop's folder and checks it out there; no change is lost.
    ///
    /// # Errors
    /// As [`Runtime::finish_state`]; `Refused` while a loop runs there.
    pub fn branch_work(&self, key: &str, name: &str) -> Result<(), Failure> {
        self.refuse_at_work(key)?;
        let of = self.loop_in_git(key)?;
        let name = name.trim();
        finish::branch_here(&of.repository, name).map_err(|error| git::failure(&of.root, &error))?;
        self.keep_finished(key, FinishedHow::Branched, Some(name.to_owned()))
    }

    /// Merges what is committed in the loop's worktree into the folder that the worktree was made from.
    ///
    /// # Errors
    /// As [`Runtime::finish_state`], for both folders; `NotAWorktree`; `Refused` while a loop runs there.
    pub fn merge_work(&self, key: &str) -> Result<MergeView, Failure> {
        self.refuse_at_work(key)?;
        let of = self.loop_in_git(key)?;
        let (main, branch) = self.main_and_branch(&of)?;
        let refused = |error: io::Error| git::failure(main.folder(), &error);
        let open = finish::open_files(&of.repository).map_err(refused)?;
        let left_out: Vec<String> =
            open.into_iter().filter(|file| !file.is_state).map(|file| file.path).collect();
        if !left_out.is_empty() {
            return Ok(MergeView::NotCommitted { files: left_out });
        }
        Ok(match finish::merge_back(&main, &branch).map_err(refused)? {
            MergedBack::Done { commit, files } => {
                self.keep_finished(key, FinishedHow::Merged, Some(commit.clone()))?;
                MergeView::Done { commit, files: count(files) }
            }
            MergedBack::Nothing => MergeView::Nothing,
            MergedBack::Conflict(files) => MergeView::Conflict { files },
            MergedBack::InTheWay(files) => MergeView::InTheWay { files },
        })
    }

    /// Notes that the person keeps the work as it is; nothing is changed.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when it cannot be kept.
    pub fn keep_work(&self, key: &str) -> Result<(), Failure> {
        self.refuse_elsewhere(key)?;
        self.keep_finished(key, FinishedHow::Kept, None)
    }

    /// Gives the worktree of a loop up. What is not committed goes to the trash, in one folder; the branch stays when it has commits of
    /// its own. The loop is gone with it.
    ///
    /// # Errors
    /// As [`Runtime::finish_state`]; `NotAWorktree`; `Refused` while a loop runs there; `NoTrash`: then everything is where it was.
    pub fn discard_work(&self, key: &str) -> Result<Discarded, Failure> {
        self.refuse_at_work(key)?;
        let of = self.loop_in_git(key)?;
        let (main, branch) = self.main_and_branch(&of)?;
        let files = self.trash_open_files(key, &of, &branch)?;
        self.forget_beginning(key, &of);
        let id = loopdeck_core::loop_id::workspace_of(key).to_owned();
        let _ = self.close_workspace(&id); // one that does not answer is closed all the same
        let left = finish::leave_worktree(&main, &of.repository);
        let left = left.map_err(|error| git::failure(main.folder(), &error))?;
        self.trust(&of.root.to_string_lossy(), false)?;
        Ok(Discarded { branch: left.kept, files })
    }

    /// Moves what is not committed, and the loop itself, to the trash in one folder with the name of the branch. Answers what it was.
    fn trash_open_files(&self, key: &str, of: &LoopInGit, branch: &str) -> Result<Vec<String>, Failure> {
        let open = finish::open_files(&of.repository).map_err(|error| git::failure(&of.root, &error))?;
        let mut names: Vec<String> = open.into_iter().map(|file| file.path).collect();
        names.extend(belongings(&of.root, &self.find(key)?.entry.candidate));
        names.sort();
        names.dedup();
        names.retain(|name| of.root.join(name).symlink_metadata().is_ok());
        if names.is_empty() {
            return Ok(names);
        }
        let disk = |error: io::Error| {
            Failure::new(FailureKind::Disk).with("path", dirs::shown(&of.root)).with("reason", error)
        };
        let beside = of.repository.top().parent().unwrap_or(&of.root);
        let folder = tempfile::Builder::new().prefix("loopdeck-").tempdir_in(beside).map_err(disk)?;
        let bag = folder.path().join(branch.replace('/', "-"));
        let moved = move_all(&of.root, &bag, &names).map_err(disk).and_then(|()| {
            trash::delete(&bag).map_err(|error| Failure::new(FailureKind::NoTrash).with("reason", error))
        });
        if moved.is_err() && bag.is_dir() {
            move_back(&bag, &of.root, &names);
            // What could not go back stays where it can be found.
            if bag.is_dir() && names.iter().any(|name| bag.join(name).symlink_metadata().is_ok()) {
                let kept = folder.keep();
                tracing::warn!(folder = %kept.display(), "files of a worktree are kept here");
            }
        }
        moved.map(|()| names)
    }

    /// The repository of the folder that a loop's worktree was made from; `None` for a loop in no worktree of ours.
    fn main_of(&self, of: &LoopInGit) -> Result<Option<Repository>, Failure> {
        if !of.repository.is_linked_worktree() {
            return Ok(None);
        }
        let root = of.root.canonical().unwrap_or_else(|_| of.root.clone());
        let made_of: Option<PathBuf> = self.choices.read(|choices| choices.worktrees.get(&root).cloned());
        let Some(made_of) = made_of else { return Ok(None) };
        let main = self.repository(&made_of)?;
        Ok(Some(main).filter(|main| main.is_same_repository(&of.repository)))
    }

    fn main_and_branch(&self, of: &LoopInGit) -> Result<(Repository, String), Failure> {
        let none = || Failure::new(FailureKind::NotAWorktree).with("path", dirs::shown(&of.root));
        let main = self.main_of(of)?.ok_or_else(none)?;
        let branch = of.repository.current_branch().map_err(|error| git::failure(&of.root, &error))?;
        Ok((main, branch.ok_or_else(none)?))
    }

    fn keep_finished(&self, key: &str, how: FinishedHow, name: Option<String>) -> Result<(), Failure> {
        let finished = Finished { how, at: clock::now().number(), name };
        self.in_journal(key, move |journal, of| journal.keep_fact(of, FINISHED, &finished))
    }
}

fn worktree_facts(main: &Repository, worktree: &Repository) -> io::Result<WorktreeFacts> {
    let branch = worktree.current_branch()?;
    let own = branch.as_deref().map_or(Ok(0), |branch| finish::own_commits(main, branch))?;
    Ok(WorktreeFacts {
        main: dirs::shown(main.folder()),
        main_branch: main.current_branch()?,
        own_commits: own,
    })
}

/// What a loop says of its work, for the message of a commit.
fn draft(page: &LoopPage) -> CommitDraft {
    let detail = &page.detail;
    let tasks =
        detail.tasks.iter().filter(|task| task.state == TaskState::Completed).map(|task| &task.description);
    let atoms =
        detail.atoms.iter().filter(|atom| atom.state == AtomState::Resolved).map(|atom| &atom.description);
    let done: Vec<String> =
        tasks.chain(atoms).map(|text| one_line(text)).filter(|line| !line.is_empty()).collect();
    let tests = detail.validation.as_ref().and_then(|validation| validation.runs.last());
    CommitDraft {
        title: one_line(&page.row.title),
        more: count(done.len().saturating_sub(MOST_NAMED)),
        done: done.into_iter().take(MOST_NAMED).collect(),
        passed: tests.map(|run| run.passed),
        failed: tests.map(|run| run.failed),
        closes: None,
    }
}

fn one_line(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default();
    loopdeck_text::shorten(first.trim(), LONGEST_LINE)
}

/// An address without the name and the password that may stand in it.
pub(super) fn shown_address(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}/{path}")
}

/// Moves the files with these names from one folder to another; folders that are missing are made.
fn move_all(from: &Path, to: &Path, names: &[String]) -> io::Result<()> {
    for name in names {
        let target = to.join(name);
        std::fs::create_dir_all(target.parent().unwrap_or(to))?;
        // One that is in a folder that was moved already is there.
        if from.join(name).symlink_metadata().is_ok() {
            std::fs::rename(from.join(name), target)?;
        }
    }
    Ok(())
}

/// The same the other way, as far as that is possible.
fn move_back(from: &Path, to: &Path, names: &[String]) {
    for name in names {
        let _ = std::fs::rename(from.join(name), to.join(name));
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_signs_in() {
        for (address, shown) in [
            ("https://ana:secret@a.example/x/y.git", "https://a.example/x/y.git"),
            ("https://a.example/x", "https://a.example/x"),
            ("git@a.example:x/y.git", "git@a.example:x/y.git"),
            ("/srv/x@y.git", "/srv/x@y.git"),
        ] {
            assert_eq!(shown_address(address), shown);
        }
    }
}
