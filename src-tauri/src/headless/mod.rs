//! The headless twin: the same program answers scripts without a window, through the same runtime.
//!
//! Thin on purpose: no rule of a format lives here. Looking leaves nothing behind, in the workspace or in our own data;
//! changing uses the journal that the window uses, so that the window guards what was asked here.

mod act;
pub(crate) mod args;
mod aside;
mod change;
mod check;
mod code;
mod complaint;
mod done;
mod edit;
mod effects;
mod help;
mod history;
mod kind;
mod list;
mod new;
mod new_aot;
mod output;
mod plan_options;
mod recover;
mod redirect;
mod repair;
mod run;
mod show;
mod show_work;
mod text;
mod watch;
mod workspace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loopdeck_core::control::{MetadataPatch, Verb};
use loopdeck_core::formats::aot;
use loopdeck_core::recovery::{Supplied, Way};
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
    Recover { id: String, way: Option<Way>, supplied: Supplied },
    Change { id: String, asked: Asked },
    Effects { id: String, change: aot::Change },
    New { new: Box<new::NewOptions>, plan: Box<plan_options::PlanOptions> },
    Run { id: String, options: run::RunOptions },
    Edit { id: String, patch: MetadataPatch },
    Delete { id: String },
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
    let Command { task, dir, json, data_dir } = command;
    if let Task::Run { id, options } = task {
        return run::run(&dir, data_dir, json, &id, options);
    }
    match answer(task, &dir, data_dir.as_ref()) {
        Ok(answer) => answer.print(json),
        Err(complaint) => complaint.print(),
    }
}

fn answer(task: Task, dir: &Path, data_dir: Option<&PathBuf>) -> Result<Answer, Complaint> {
    let look = || workspace::look(dir, data_dir.cloned());
    let touch = || workspace::touch(dir, data_dir.cloned());
    match task {
        Task::List => list::answer(&look()?),
        Task::Show { id } => show::answer(&look()?, &id),
        Task::Check { id } => check::answer(&look()?, id.as_deref()),
        Task::Repairs { id } => repair::offers(&look()?, &id),
        Task::Proposals { id, way } => recover::proposals(&look()?, &id, way),
        Task::History { id } => history::answer(&look()?, &id),
        Task::Act { id, verb, options } => act::answer(&mut touch()?, &id, verb, options),
        Task::Recover { id, way, supplied } => recover::write(&mut touch()?, &id, way, supplied),
        Task::Change { id, asked } => {
            let wanted = change::wanted(asked)?; // may wait for stdin: before anything is opened
            change::answer(&mut touch()?, &id, wanted)
        }
        Task::Effects { id, change } => effects::answer(&look()?, &id, &change),
        Task::New { new, plan } => {
            let form = new::form(dir, *new, *plan)?; // as above
            new::answer(&mut touch()?, &form)
        }
        Task::Edit { id, patch } => edit::answer(&mut touch()?, &id, patch),
        Task::Delete { id } => edit::delete(&mut touch()?, &id),
        Task::Run { .. } => Err(Complaint::own("own_data", &[])), // answered above, while it goes
    }
}
