//! What became of the files of a loop, and what a person does with them.

use loopdeck_core::driver::ChangedLines;
use loopdeck_execution::changes::{ChangeKind, ChangeTotals};
use serde::{Deserialize, Serialize};
use specta::Type;

/// Everything that changed in the folder of a loop since the loop began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct LoopChanges {
    /// When it began, ms since 1970 UTC. `None` when that is not known: then files are compared with the last commit.
    pub since: Option<f64>,
    /// By path.
    pub files: Vec<LoopFileRow>,
    /// The runs that changed one of them, oldest first.
    pub runs: Vec<ChangingRun>,
    /// What they add up to.
    pub totals: ChangeTotals,
}

impl LoopChanges {
    /// Leaves other files out. The totals are those of what is left.
    pub fn keep_only(&mut self, is_wanted: impl Fn(&[ChangingRun], &LoopFileRow) -> bool) {
        self.files.retain(|file| is_wanted(&self.runs, file));
        let lines = self.files.iter().filter_map(|file| file.lines);
        let lines = lines.fold(ChangedLines::default(), std::ops::Add::add);
        self.totals = ChangeTotals { files: u32::try_from(self.files.len()).unwrap_or(u32::MAX), lines };
    }
}

/// A run that changed files of its loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct ChangingRun {
    /// Names it in every command.
    pub id: String,
    /// The iteration of the loop.
    pub iteration: u32,
}

/// One file that is not as it was when the loop began.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopFileRow {
    /// Relative to the workspace. Untrusted text.
    pub path: String,
    /// Where it was before, when it was moved. Untrusted text.
    pub from: Option<String>,
    /// What became of it.
    pub kind: ChangeKind,
    /// `None` when it is no text.
    pub lines: Option<ChangedLines>,
    /// It is another repository in this one.
    pub is_submodule: bool,
    /// The run that changed it last, as far as that is known.
    pub run: Option<String>,
    /// The iteration of that run.
    pub iteration: Option<u32>,
    /// All runs that changed it, as far as that is known: places in [`LoopChanges::runs`].
    pub changed_by: Vec<u32>,
    /// The person has viewed it as it is now.
    pub viewed: bool,
    /// Comments on it.
    pub comments: u32,
}

/// The lines of a file when its loop began, and now. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct LoopFileTexts {
    /// Then; none when it was not there.
    pub before: Vec<String>,
    /// Now; none when it is gone.
    pub after: Vec<String>,
    /// Names the version that is shown as `after`: for a mark, a comment or a revert.
    pub fingerprint: String,
    /// Both are texts, and not too long. Otherwise there are no lines.
    pub has_text: bool,
    /// Parts of it can be put back: no line is hidden.
    pub has_hunks: bool,
}

/// What is put back to how it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RevertWanted {
    /// A file, to how it was when the loop began.
    File {
        /// Relative to the workspace.
        path: String,
        /// The version that the person saw.
        fingerprint: String,
    },
    /// Some lines of it.
    Hunk {
        /// Relative to the workspace.
        path: String,
        /// The version that the person saw.
        fingerprint: String,
        /// The lines that come back.
        before: LineRange,
        /// The lines that go.
        after: LineRange,
    },
    /// Every file that a run changed, to how it was before that run.
    Run {
        /// The run.
        run: String,
    },
}

/// Some lines of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct LineRange {
    /// Lines before them.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Files that were put back, or whose revert was undone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct Reverted {
    /// Relative to the workspace. Untrusted text.
    pub files: Vec<String>,
}

/// What can be done with the work of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct FinishState {
    /// The branch that is checked out; `None` when it is a commit.
    pub branch: Option<String>,
    /// Of a loop in a worktree: where it came from.
    pub worktree: Option<WorktreeFacts>,
    /// Files that are not committed.
    pub open: Vec<OpenFileRow>,
    /// Hooks that a commit would run.
    pub hooks: Vec<String>,
    /// What a message of a commit can be made of.
    pub draft: CommitDraft,
    /// Where commits are sent. Without what signs in.
    pub remote: Option<String>,
    /// The branch that a pull request is for unless the person says so; `None` when only the server knows its default.
    pub base: Option<String>,
    /// Files of the last revert, which can be undone. Untrusted text.
    pub reverted: Vec<String>,
    /// What was done last.
    pub finished: Option<Finished>,
}

/// The worktree of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct WorktreeFacts {
    /// The folder from which it was made, for display.
    pub main: String,
    /// The branch that is checked out there.
    pub main_branch: Option<String>,
    /// Commits that no other branch has.
    pub own_commits: u32,
}

/// A file that is not as in the last commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct OpenFileRow {
    /// Relative to the workspace. Untrusted text.
    pub path: String,
    /// Something of it is staged.
    pub staged: bool,
    /// It belongs to the state of a loop, and is in no commit of all files.
    pub is_state: bool,
}

/// What is known for the message of a commit. Untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct CommitDraft {
    /// The title of the loop in one line.
    pub title: String,
    /// What is done of its work, each in one line; at most 20.
    pub done: Vec<String>,
    /// What else is done of it.
    pub more: u32,
    /// Tests that passed in the last run of tests.
    pub passed: Option<u32>,
    /// Tests that failed then.
    pub failed: Option<u32>,
    /// The issue that it is about.
    pub closes: Option<u32>,
}

/// How the work of a loop was finished. Words: catalogue `finish.how.<how>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FinishedHow {
    /// Its files are in a commit.
    Committed,
    /// It is on a branch of its own.
    Branched,
    /// Its branch is merged.
    Merged,
    /// The person keeps it as it is.
    Kept,
    /// Its worktree is given up.
    Discarded,
}

/// What a person did with the work of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Finished {
    /// What.
    pub how: FinishedHow,
    /// When, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// The commit or the branch. Untrusted text.
    pub name: Option<String>,
}

/// What came of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CommitView {
    /// It is made.
    Done {
        /// Its full name.
        commit: String,
        /// How many files.
        files: u32,
    },
    /// A hook of the repository refused it.
    RefusedByHook {
        /// What it said last. Untrusted text.
        said: String,
    },
    /// Nothing differs from the last commit.
    Nothing,
}

/// What came of merging a worktree back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum MergeView {
    /// It is in the folder that the worktree was made from.
    Done {
        /// The commit there.
        commit: String,
        /// How many files that changed.
        files: u32,
    },
    /// Everything of it was there already.
    Nothing,
    /// Files of the worktree are not committed: they would be left out.
    NotCommitted {
        /// Untrusted text.
        files: Vec<String>,
    },
    /// Both sides changed these files. Nothing was done.
    Conflict {
        /// Relative to the repository. Untrusted text.
        files: Vec<String>,
    },
    /// These files of the folder would be changed, and are not committed there. Nothing was done.
    InTheWay {
        /// Relative to the repository. Untrusted text.
        files: Vec<String>,
    },
}

/// What became of a worktree that was given up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct Discarded {
    /// The branch that stays, because it has commits of its own.
    pub branch: Option<String>,
    /// Files that went to the trash. Untrusted text.
    pub files: Vec<String>,
}

/// What a person wants of a new pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct PullRequestWanted {
    /// One line.
    pub title: String,
    /// Markdown. That it closes the issue of the loop is added.
    pub body: String,
    /// The branch that it is for; `None` for the default branch.
    pub base: Option<String>,
    /// Not ready yet.
    pub draft: bool,
    /// Who is asked to review it.
    pub reviewers: Vec<String>,
}

/// A branch that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct SentView {
    /// The branch.
    pub branch: String,
    /// Where. Without what signs in.
    pub remote: String,
}

/// What was taken in from a pull request, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct TakenIn {
    /// Checks that failed.
    pub checks: u32,
    /// What reviewers said.
    pub reviews: u32,
}
