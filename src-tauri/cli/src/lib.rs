//! The command line: view, run, control and repair loops without a window, through the same runtime as the
//! desktop.
//!
//! Deliberately thin: no format rules live here. Viewing leaves no trace, neither in the workspace nor in our
//! own data. A change uses the journal of the desktop, so an open window guards it. Links no window library:
//! without a command, [`start`] replaces itself with the desktop program.

mod act;
mod args;
mod aside;
mod change;
mod check;
mod code;
mod comment;
mod complaint;
mod contract;
mod desktop;
mod done;
mod edit;
mod effects;
mod ending;
mod exchange;
mod finish;
mod help;
mod history;
mod list;
mod mark;
mod new;
mod new_aot;
mod output;
mod plan_options;
mod platform;
mod pull_request;
mod recover;
mod redirect;
mod repair;
mod report;
mod run;
mod say;
mod shell;
mod show;
mod show_work;
mod team;
mod text;
mod verify;
mod watch;
mod workspace;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loopdeck_core::control::{MetadataPatch, Verb};
use loopdeck_core::formats::aot;
use loopdeck_core::recovery::{ProposalSource, Supplied};
use loopdeck_runtime::views::{LoopChange, NewComment, VerbOptions};

use args::Request;
use complaint::Complaint;
use output::Answer;

/// One command with its options.
#[derive(Debug, PartialEq)]
struct Command {
    task: Task,
    dir: PathBuf,
    json: bool,
    data_dir: Option<PathBuf>,
}

/// What to do. Ids are file stems, or paths of state files below the workspace.
#[derive(Debug, PartialEq)]
enum Task {
    List { part: list::ListPart },
    TeamList,
    Show { id: String },
    Check { id: Option<String>, format: Option<check::CheckFormat> },
    Contract { file: String },
    Verify { id: Option<String>, options: verify::VerifyOptions },
    Repairs { id: String },
    Proposals { id: String, way: Option<ProposalSource> },
    History { id: String },
    Summary { ids: Vec<String> },
    Report { ids: Vec<String>, report: Box<report::ReportArgs> },
    Export { output: PathBuf },
    Import { file: PathBuf },
    Act { id: String, verb: Verb, options: VerbOptions },
    Recover { id: String, way: Option<ProposalSource>, supplied: Supplied },
    Change { id: String, asked: Asked },
    Effects { id: String, change: aot::Correction },
    New { new: Box<new::NewOptions>, plan: Box<plan_options::PlanOptions>, trust: bool },
    Run { id: String, options: run::RunOptions },
    Messages { id: String },
    AddMessage { id: String, text: String },
    WithdrawMessage { id: String, number: u32 },
    Edit { id: String, patch: MetadataPatch },
    Delete { id: String },
    Mark { ids: Vec<String>, mark: mark::Mark, undo: bool },
    LoopChanges { id: String, wanted: finish::ChangesWanted, trust: bool },
    Comments { id: String },
    Comment { id: String, comment: NewComment },
    RemoveComment { id: String, number: u32 },
    TakeUp { id: String, numbers: Vec<u32> },
    Finish { id: String, trust: bool, word: Option<finish::FinishWord> },
    PullRequest { id: String, trust: bool, word: Option<pull_request::PullRequestWord> },
}

/// A change beyond the control verbs.
#[derive(Debug, PartialEq)]
enum Asked {
    This(Box<LoopChange>),
    /// A [`LoopChange`] as JSON text; `-` means stdin.
    Json(String),
    Undo,
    /// A version of the history.
    Restore(u32),
}

/// Runs the program with `args` (without its own name).
///
/// Must be the first call in `main`: a run's guardian is this program again.
pub fn start(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    // Internal, so the help does not list it.
    if let [first, run_dir] = args.as_slice()
        && first == "--guardian"
    {
        return loopdeck_runtime::runs::guardian_main(Path::new(run_dir));
    }
    if args::asks_for_version(&args) {
        return output::print_version();
    }
    match args::parse(args.iter().cloned()) {
        Ok(Request::Desktop) => desktop::start(&args),
        Ok(Request::Carry(command)) => run(*command),
        Ok(Request::Team(command)) => team::run(*command),
        Ok(Request::Completions(shell)) => shell::completions(shell),
        Ok(Request::Manual(command)) => shell::manual(command.as_deref()),
        Ok(Request::Manuals(folder)) => shell::manuals(&folder),
        Err(error) => complaint::usage(&error),
    }
}

/// The words that are commands rather than folders to open, in alphabetical order.
#[must_use]
pub fn commands() -> Vec<String> {
    let mut program = args::program();
    program.build();
    let mut words: Vec<String> =
        program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    words.sort_unstable();
    words
}

/// Carries out `command`: the answer goes to stdout, errors go to stderr with exit code 2.
fn run(command: Command) -> ExitCode {
    let Command { task, dir, json, data_dir } = command;
    if let Task::Run { id, options } = task {
        return run::run(&dir, data_dir, json, &id, options);
    }
    match answer(task, &dir, json, data_dir.as_ref()) {
        Ok(answer) => answer.print(json),
        Err(complaint) => complaint.print(),
    }
}

fn answer(task: Task, dir: &Path, json: bool, data_dir: Option<&PathBuf>) -> Result<Answer, Complaint> {
    let look = || workspace::open_for_viewing(dir, data_dir.cloned());
    let look_at = |id: &str| workspace::look_at(dir, data_dir.cloned(), id);
    let touch = || workspace::touch(dir, data_dir.cloned());
    let touch_one = |id: &str| workspace::touch_one(dir, data_dir.cloned(), id);
    match task {
        Task::List { part } => list::answer(look()?, part, json),
        Task::TeamList => team::list(data_dir.cloned()),
        Task::Show { id } => show::answer(look_at(&id)?, &id),
        Task::Contract { file } => contract::answer(dir, &file),
        Task::Check { id: None, format } => check::answer(look()?, None, format),
        Task::Check { id: Some(id), format } => check::answer(look_at(&id)?, Some(&id), format),
        Task::Verify { id, options } if options.rerun() => match id {
            Some(id) => verify::answer(&touch_one(&id)?, dir, Some(&id), options),
            None => verify::answer(&touch()?, dir, None, options),
        },
        Task::Verify { id: Some(id), options } => verify::answer(look_at(&id)?, dir, Some(&id), options),
        Task::Verify { id: None, options } => verify::answer(look()?, dir, None, options),
        Task::Repairs { id } => repair::offers(look_at(&id)?, &id),
        Task::Proposals { id, way } => recover::proposals(look_at(&id)?, &id, way),
        Task::History { id } => history::answer(look_at(&id)?, &id),
        Task::Summary { ids } => report::summary(look()?, &ids),
        Task::Report { ids, report } => report::answer(look()?, &ids, &report),
        Task::Export { output } => exchange::export(look()?, &output),
        Task::Import { file } => exchange::import(&touch()?, &file),
        Task::Act { id, verb, options } => act::answer(&mut touch_one(&id)?, &id, verb, options),
        Task::Recover { id, way, supplied } => recover::write(&mut touch_one(&id)?, &id, way, supplied),
        Task::Change { id, asked } => {
            let wanted = change::parse_change(asked)?; // may wait for stdin, so before anything is opened
            change::answer(&mut touch_one(&id)?, &id, wanted)
        }
        Task::Effects { id, change } => effects::answer(look_at(&id)?, &id, &change),
        Task::New { new, plan, trust } => {
            let issue = new.issue_wanted(trust);
            let form = new::form(dir, *new, *plan)?; // as above
            new::answer(&mut touch()?, form, issue.as_ref())
        }
        Task::Messages { id } => say::list(look_at(&id)?, &id),
        Task::AddMessage { id, text } => say::add(&touch_one(&id)?, &id, &text),
        Task::WithdrawMessage { id, number } => say::withdraw(&touch_one(&id)?, &id, number),
        Task::Edit { id, patch } => edit::answer(&mut touch_one(&id)?, &id, patch),
        Task::Delete { id } => edit::delete(&mut touch()?, &id),
        Task::Mark { ids, mark, undo } => mark::answer(&touch()?, &ids, mark, undo),
        Task::LoopChanges { .. }
        | Task::Comments { .. }
        | Task::Comment { .. }
        | Task::RemoveComment { .. }
        | Task::TakeUp { .. }
        | Task::Finish { .. }
        | Task::PullRequest { .. } => way_out(task, dir, data_dir),
        Task::Run { .. } => Err(Complaint::own("own_data", &[])), // answered above, while it runs
    }
}

/// The commands for what became of a loop's files.
fn way_out(task: Task, dir: &Path, data_dir: Option<&PathBuf>) -> Result<Answer, Complaint> {
    let look_at = |id: &str| workspace::look_at(dir, data_dir.cloned(), id);
    let touch_one = |id: &str| workspace::touch_one(dir, data_dir.cloned(), id);
    match task {
        Task::LoopChanges { id, wanted, trust } => {
            if wanted.viewed {
                let workspace = touch_one(&id)?;
                finish::trust(&workspace, dir, trust)?;
                return finish::changes(&workspace, &id, &wanted);
            }
            let workspace = look_at(&id)?;
            finish::trust(workspace, dir, trust)?;
            finish::changes(workspace, &id, &wanted)
        }
        Task::Comments { id } => comment::list(look_at(&id)?, &id),
        Task::Comment { id, comment } => comment::add(&touch_one(&id)?, &id, &comment),
        Task::RemoveComment { id, number } => comment::remove(&touch_one(&id)?, &id, number),
        Task::TakeUp { id, numbers } => comment::take_up(&touch_one(&id)?, &id, &numbers),
        Task::Finish { id, trust, word: None } => {
            let workspace = look_at(&id)?;
            finish::trust(workspace, dir, trust)?;
            finish::state(workspace, &id)
        }
        Task::Finish { id, trust, word: Some(word) } => {
            let mut workspace = touch_one(&id)?;
            finish::trust(&workspace, dir, trust)?;
            finish::answer(&mut workspace, &id, word)
        }
        Task::PullRequest { id, trust, word: None } => {
            let workspace = touch_one(&id)?;
            finish::trust(&workspace, dir, trust)?;
            pull_request::look(&workspace, &id)
        }
        Task::PullRequest { id, trust, word: Some(word) } => {
            let workspace = touch_one(&id)?;
            finish::trust(&workspace, dir, trust)?;
            pull_request::answer(&workspace, &id, word)
        }
        _ => Err(Complaint::own("own_data", &[])), // answered by its caller
    }
}
