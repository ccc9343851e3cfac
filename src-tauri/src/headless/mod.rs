//! The headless twin: the same program answers scripts without a window, through the same runtime.
//!
//! Thin on purpose: no rule of a format lives here. Looking leaves nothing behind, in the workspace or in our own data;
//! changing uses the journal that the window uses, so that the window guards what was asked here.

mod act;
pub(crate) mod args;
mod check;
mod complaint;
mod list;
mod output;
mod show;
mod text;
mod workspace;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

use loopdeck_core::control::Verb;
use loopdeck_runtime::rows::VerbOptions;

use complaint::Complaint;
use output::Answer;

/// One command as asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Command {
    task: Task,
    dir: PathBuf,
    /// Which loop: file stem, or path of the state file below the workspace.
    id: Option<String>,
    json: bool,
    data_dir: Option<PathBuf>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
enum Task {
    List,
    Show,
    Check,
    Act(Verb, VerbOptions),
}

/// Commands by the word a person types.
const TASKS: [(&str, Task); 9] = [
    ("list", Task::List),
    ("show", Task::Show),
    ("check", Task::Check),
    ("start", act(Verb::Start)),
    ("pause", act(Verb::Pause)),
    ("resume", act(Verb::Resume)),
    ("stop", act(Verb::Stop)),
    ("reopen", act(Verb::Reopen)),
    ("finalise", act(Verb::Finalise)),
];

const fn act(verb: Verb) -> Task {
    Task::Act(verb, VerbOptions { raise_limit_to: None, reason: None })
}

/// Whether `word` is a command rather than a folder to open.
pub(crate) fn is_command(word: &OsStr) -> bool {
    TASKS.iter().any(|(name, _)| word == *name)
}

/// Carries out `command`: the answer goes to stdout, what went wrong to stderr with exit code 2.
pub(crate) fn run(command: Command) -> ExitCode {
    let json = command.json;
    match answer(command) {
        Ok(answer) => answer.print(json),
        Err(complaint) => complaint.print(),
    }
}

fn answer(command: Command) -> Result<Answer, Complaint> {
    let Command { task, dir, id, data_dir, .. } = command;
    match (task, id) {
        (Task::List, _) => list::answer(&workspace::look(&dir, data_dir)?),
        (Task::Show, Some(id)) => show::answer(&workspace::look(&dir, data_dir)?, &id),
        (Task::Check, id) => check::answer(&workspace::look(&dir, data_dir)?, id.as_deref()),
        (Task::Act(verb, options), Some(id)) => {
            act::answer(&mut workspace::touch(&dir, data_dir)?, &id, verb, options)
        }
        (Task::Show | Task::Act(..), None) => Err(Complaint::new("usage", "ID?")), // refused by `args`
    }
}
