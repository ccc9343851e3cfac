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
    json: bool,
    data_dir: Option<PathBuf>,
}

/// What to do. Ids are file stems, or paths of state files below the workspace.
#[derive(Debug, PartialEq)]
enum Task {
    List,
    Show { id: String },
    Check { id: Option<String> },
    Act { id: String, verb: Verb, options: VerbOptions },
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
    match task {
        Task::List => list::answer(&workspace::look(&dir, data_dir)?),
        Task::Show { id } => show::answer(&workspace::look(&dir, data_dir)?, &id),
        Task::Check { id } => check::answer(&workspace::look(&dir, data_dir)?, id.as_deref()),
        Task::Act { id, verb, options } => {
            act::answer(&mut workspace::touch(&dir, data_dir)?, &id, verb, options)
        }
    }
}
