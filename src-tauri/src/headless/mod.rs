//! The headless twin: the same program answers scripts without a window, through the same runtime.
//!
//! Thin on purpose: no rule of a format lives here. Looking leaves nothing behind, in the workspace or in our own data;
//! changing uses the journal that the window uses, so that the window guards what was asked here.

mod act;
pub(crate) mod args;
mod change;
mod check;
mod complaint;
mod done;
mod help;
mod history;
mod list;
mod output;
mod recover;
mod redirect;
mod repair;
mod show;
mod text;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use loopdeck_core::control::Verb;
use loopdeck_core::recovery::Way;
use loopdeck_runtime::rows::{LoopChange, VerbOptions};

use complaint::Complaint;
use output::Answer;

/// One command as asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Command {
    task: Task,
    dir: PathBuf,
    json: bool,
    data_dir: Option<PathBuf>,
}

/// What to do. Ids are file stems, or paths of state files below the workspace.
#[derive(Debug, PartialEq)]
enum Task {
    List,
    Show { id: String },
    Check { id: Option<String> },
    Repairs { id: String },
    Proposals { id: String, way: Option<Way> },
    History { id: String },
    Act { id: String, verb: Verb, options: VerbOptions },
    Recover { id: String, way: Option<Way> },
    Change { id: String, asked: Asked },
}

/// A change beyond the control verbs.
#[derive(Debug, PartialEq)]
enum Asked {
    This(Box<LoopChange>),
    /// A [`LoopChange`] as JSON text; `-` stands for what comes in on stdin.
    Json(String),
    Undo,
    /// A version of the history.
    Restore(u32),
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
    let Command { task, dir, data_dir, .. } = command;
    let look = || workspace::look(&dir, data_dir.clone());
    let touch = || workspace::touch(&dir, data_dir.clone());
    match task {
        Task::List => list::answer(&look()?),
        Task::Show { id } => show::answer(&look()?, &id),
        Task::Check { id } => check::answer(&look()?, id.as_deref()),
        Task::Repairs { id } => repair::offers(&look()?, &id),
        Task::Proposals { id, way } => recover::proposals(&look()?, &id, way),
        Task::History { id } => history::answer(&look()?, &id),
        Task::Act { id, verb, options } => act::answer(&mut touch()?, &id, verb, options),
        Task::Recover { id, way } => recover::write(&mut touch()?, &id, way),
        Task::Change { id, asked } => {
            let wanted = change::wanted(asked)?; // may wait for stdin: before anything is opened
            change::answer(&mut touch()?, &id, wanted)
        }
    }
}
