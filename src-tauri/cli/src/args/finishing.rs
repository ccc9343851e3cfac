//! The commands for what became of a loop's files, and what a person does with them.

use super::{OneLoop, WorkspaceArgs};
use crate::finish::{ChangesWanted, FinishWord};
use crate::pull_request::PullRequestWord;
use crate::{Task, help};
use clap::{Args, Subcommand};
use loopdeck_runtime::views::{LineRange, NewComment, PullRequestWanted, RevertWanted};

/// Finish: take the work of a loop on.
#[derive(Debug, Subcommand)]
pub(super) enum Finishing {
    /// List the files that changed since a loop began, or show one of them
    ///
    /// Leaves no trace, unless --viewed marks a file.
    #[command(after_long_help = help::CHANGES)]
    Changes {
        #[command(flatten)]
        of: OneLoop,
        /// Show this file, as it was then and as it is now
        path: Option<String>,
        /// List only files that were not viewed as they are now
        #[arg(long)]
        unviewed: bool,
        /// List only files that a run of iteration N changed
        #[arg(long, value_name = "N", conflicts_with = "path")]
        iteration: Option<u32>,
        /// Mark PATH as viewed, as it is now
        #[arg(long, requires = "path")]
        viewed: bool,
        #[command(flatten)]
        trust: TrustArgs,
    },
    /// Comment on the changes of a loop, and make comments its work
    ///
    /// Without an option, lists the comments.
    #[command(after_long_help = help::COMMENT)]
    Comment {
        #[command(flatten)]
        of: OneLoop,
        /// What you say
        #[arg(short = 'm', long, value_name = "TEXT", conflicts_with_all = ["remove", "take_up"])]
        text: Option<String>,
        /// The file that it is about
        #[arg(long, value_name = "PATH", requires = "text")]
        file: Option<String>,
        /// The line of that file, from 1
        #[arg(long, value_name = "N", requires = "file")]
        line: Option<u32>,
        /// Remove the comment with this number
        #[arg(long, value_name = "N", conflicts_with = "take_up")]
        remove: Option<u32>,
        /// Make comments work of the loop: those with the numbers N, or all
        #[arg(long)]
        take_up: bool,
        /// With --take-up: which comments
        #[arg(value_name = "N", requires = "take_up")]
        numbers: Vec<u32>,
    },
    /// Commit, branch, merge, keep, discard or put back the work of a loop
    ///
    /// Without a word, says what can be done.
    #[command(after_long_help = help::FINISH)]
    #[command(override_usage = "loopdeck finish DIR ID [--yes-trust]\n       \
                                loopdeck finish DIR ID commit -m TEXT [--file PATH]...\n       \
                                loopdeck finish DIR ID branch NAME\n       \
                                loopdeck finish DIR ID merge | keep | discard --yes\n       \
                                loopdeck finish DIR ID revert --file PATH | --run RUN | --undo")]
    Finish {
        #[command(flatten)]
        of: OneLoop,
        #[command(flatten)]
        trust: TrustArgs,
        #[command(subcommand)]
        word: Option<FinishCommand>,
    },
    /// Make a pull request of the work by your own gh, glab or tea, or look at it
    ///
    /// Without a word, says how it is now: state, reviews, checks.
    #[command(after_long_help = help::PR)]
    #[command(override_usage = "loopdeck pr DIR ID [--yes-trust]\n       \
                                loopdeck pr DIR ID push | create [OPTIONS] | take-in")]
    Pr {
        #[command(flatten)]
        of: OneLoop,
        #[command(flatten)]
        trust: TrustArgs,
        #[command(subcommand)]
        word: Option<PullWord>,
    },
}

/// What is done about a pull request.
#[derive(Debug, Subcommand)]
pub(super) enum PullWord {
    /// Send the branch to the remote of the repository, as you are signed in there
    Push,
    /// Make a pull request of the branch
    Create {
        /// Send the branch first
        #[arg(long)]
        push: bool,
        /// Title (default: the title of the loop)
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        title: Option<String>,
        /// What it says, as Markdown (default: what is done)
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        body: Option<String>,
        /// The branch that it is for
        #[arg(long, value_name = "BRANCH")]
        base: Option<String>,
        /// It is not ready yet
        #[arg(long)]
        draft: bool,
        /// Ask NAME to review it; repeat for several
        #[arg(long = "reviewer", value_name = "NAME")]
        reviewers: Vec<String>,
    },
    /// Take failed checks and what reviewers said in as comments, each once
    TakeIn,
}

/// Whether the folder is trusted for this command.
#[derive(Args, Debug)]
pub(super) struct TrustArgs {
    /// Trust the folder for this command: git is asked in it
    #[arg(long = "yes-trust", global = true)]
    trust: bool,
}

/// What is done with the work.
#[derive(Debug, Subcommand)]
pub(super) enum FinishCommand {
    /// Commit files in your name, with the hooks of the repository
    Commit {
        /// The message
        #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
        message: String,
        /// Commit only this file; repeat for several. Without it: all but the state of loops
        #[arg(long = "file", value_name = "PATH")]
        files: Vec<String>,
    },
    /// Make a branch here and check it out, with every change
    Branch {
        /// Its name
        name: String,
    },
    /// Merge what is committed in the loop's worktree into the folder that it was made from
    Merge,
    /// Note that the work stays as it is
    Keep,
    /// Give the loop's worktree up; what is not committed goes to the trash
    Discard {
        /// Without it, nothing is done
        #[arg(long, required = true)]
        yes: bool,
    },
    /// Put files back to how they were when the loop began, or before a run
    Revert {
        /// This file
        #[arg(long, value_name = "PATH", required_unless_present_any = ["run", "undo"])]
        file: Option<String>,
        /// Only some of its lines: the lines that come back, and those that go, each as FIRST+COUNT, counted from 1
        #[arg(long, value_names = ["BACK", "GONE"], num_args = 2, requires = "file", value_parser = range)]
        lines: Option<Vec<LineRange>>,
        /// Every file that this run changed
        #[arg(long, value_name = "RUN", conflicts_with = "file")]
        run: Option<String>,
        /// Take the last revert back
        #[arg(long, conflicts_with_all = ["file", "run"])]
        undo: bool,
    },
}

/// `3+2`: two lines, the first of which is the third; `3+0`: none, before the third.
fn range(text: &str) -> Result<LineRange, String> {
    let numbers =
        text.split_once('+').and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
    let (first, count): (u32, u32) = numbers.ok_or("write FIRST+COUNT, such as 3+2")?;
    let first = first.checked_sub(1).ok_or("lines are counted from 1")?;
    Ok(LineRange { first, count })
}

impl Finishing {
    pub(super) fn task(self) -> Result<(WorkspaceArgs, Task), String> {
        Ok(match self {
            Self::Changes {
                of: OneLoop { at, id },
                path,
                unviewed,
                iteration,
                viewed,
                trust: TrustArgs { trust },
            } => (
                at,
                Task::LoopChanges { id, wanted: ChangesWanted { path, unviewed, iteration, viewed }, trust },
            ),
            Self::Comment { of: OneLoop { at, id }, text, file, line, remove, take_up, numbers } => {
                let task = match (text, remove) {
                    (Some(text), _) => Task::Comment { id, comment: NewComment { path: file, line, text } },
                    (_, Some(number)) => Task::RemoveComment { id, number },
                    _ if take_up => Task::TakeUp { id, numbers },
                    _ => Task::Comments { id },
                };
                (at, task)
            }
            Self::Finish { of: OneLoop { at, id }, trust: TrustArgs { trust }, word } => {
                (at, Task::Finish { id, trust, word: word.map(FinishCommand::wanted) })
            }
            Self::Pr { of: OneLoop { at, id }, trust: TrustArgs { trust }, word } => {
                (at, Task::PullRequest { id, trust, word: word.map(PullWord::wanted) })
            }
        })
    }
}

impl PullWord {
    fn wanted(self) -> PullRequestWord {
        match self {
            Self::Push => PullRequestWord::Push,
            Self::TakeIn => PullRequestWord::TakeIn,
            Self::Create { push, title, body, base, draft, reviewers } => {
                let (title, body) = (title.unwrap_or_default(), body.unwrap_or_default());
                let wanted = PullRequestWanted { title, body, base, draft, reviewers };
                PullRequestWord::Create { push, wanted }
            }
        }
    }
}

impl FinishCommand {
    fn wanted(self) -> FinishWord {
        match self {
            Self::Commit { message, files } => FinishWord::Commit { message, files },
            Self::Branch { name } => FinishWord::Branch { name },
            Self::Merge => FinishWord::Merge,
            Self::Keep => FinishWord::Keep,
            Self::Discard { .. } => FinishWord::Discard,
            Self::Revert { undo: true, .. } => FinishWord::UndoRevert,
            Self::Revert { run: Some(run), .. } => FinishWord::Revert(RevertWanted::Run { run }),
            // The version that is meant is that of this moment.
            Self::Revert { file, lines: Some(lines), .. } => FinishWord::Revert(RevertWanted::Hunk {
                path: file.unwrap_or_default(),
                fingerprint: String::new(),
                before: lines.first().copied().unwrap_or_default(),
                after: lines.get(1).copied().unwrap_or_default(),
            }),
            Self::Revert { file, .. } => FinishWord::Revert(RevertWanted::File {
                path: file.unwrap_or_default(),
                fingerprint: String::new(),
            }),
        }
    }
}
