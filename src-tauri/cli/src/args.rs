//! The command line: `loopdeck [PATH…]`, or a command such as `loopdeck list DIR`.

mod finishing;
mod marking;
mod tasks;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;
use loopdeck_core::step::RepairCode;
use loopdeck_runtime::data_dir;

use super::Command;
use super::check::CheckFormat;
use super::code::code;
use super::edit::EditOptions;
use super::help;
use super::new::NewOptions;
use super::plan_options::PlanOptions;
use super::recover::RecoverOptions;
use super::redirect::RedirectOptions;
use super::report::ReportArgs;
use super::run::RunOptions;
use super::team::{NodeWord, TeamCommand, TeamWord};
use super::verify::VerifyOptions;

/// What the person asked for.
#[derive(Debug, PartialEq)]
pub(super) enum Request {
    /// Start the desktop program, which reads the same arguments.
    Desktop,
    /// Carry out a command.
    Carry(Box<Command>),
    /// Carry out a command about the team.
    Team(Box<TeamCommand>),
    /// Print what a shell needs to complete commands.
    Completions(Shell),
    /// Print a manual page: of the program, or of one command.
    Manual(Option<String>),
    /// Write every manual page into this folder.
    Manuals(PathBuf),
}

/// Shows and controls agent loops.
#[derive(Debug, Parser)]
#[command(name = "loopdeck", version, max_term_width = 120, args_override_self = true)]
#[command(override_usage = "loopdeck [OPTIONS] [PATH]...\n       loopdeck COMMAND DIR [ID] [OPTIONS]")]
#[command(
    after_help = "Without a command, opens the Loopdeck window. 'loopdeck help COMMAND' documents a command."
)]
struct Line {
    #[command(subcommand)]
    word: Option<Word>,

    /// Folders to open as workspaces (./list for a folder named like a command), or links to a loop
    /// as the window copies them (loopdeck://…)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Keep Loopdeck's own data in DIR [env: LOOPDECK_DATA_DIR]
    #[arg(long, value_name = "DIR", global = true, display_order = 1_000)]
    data_dir: Option<PathBuf>,

    /// Poll the files every 2 seconds instead of watching them
    #[arg(long)]
    poll: bool,
}

/// Every command, in the groups of the help.
#[derive(Debug, Subcommand)]
enum Word {
    #[command(flatten)]
    View(View),
    #[command(flatten)]
    Work(Work),
    #[command(flatten)]
    Control(Control),
    #[command(flatten)]
    Changes(Changes),
    #[command(flatten)]
    Finishing(finishing::Finishing),
    #[command(flatten)]
    Marking(marking::Marking),
    #[command(flatten)]
    Recovery(Recovery),
    #[command(flatten)]
    Team(ForTeam),
    #[command(flatten)]
    Shell(ForShell),
}

/// View, without leaving a trace.
#[derive(Debug, Subcommand)]
enum View {
    /// List every loop with its status
    #[command(after_long_help = help::LIST)]
    List(ListArgs),
    /// Show everything known about one loop
    #[command(after_long_help = help::SHOW)]
    Show(OneLoop),
    /// List the problems in the files; exits with code 1 if there are errors
    #[command(after_long_help = help::CHECK)]
    Check {
        #[command(flatten)]
        at: WorkspaceArgs,
        /// Only this loop: its id, or its file
        id: Option<String>,
        /// For other programs: github (annotations of a workflow) or sarif (code scanning)
        #[arg(long, value_parser = code::<CheckFormat>(), conflicts_with = "json")]
        format: Option<CheckFormat>,
        /// Whether the file ID follows the contract that any viewer can show (docs/spec/loop-contract.md)
        #[arg(long, requires = "id", conflicts_with = "format")]
        contract: bool,
    },
    /// Compare what loops claim with the evidence of their checks and with the folder
    ///
    /// Exits with code 0 only when all that is claimed is proven for what the folder holds now.
    #[command(after_long_help = help::VERIFY)]
    Verify {
        #[command(flatten)]
        at: WorkspaceArgs,
        /// Only this loop: its id, or its file
        id: Option<String>,
        #[command(flatten)]
        options: VerifyOptions,
    },
    /// List the versions of a loop that Loopdeck keeps
    ///
    /// Changes nothing, so the current content of the file is listed only if it was kept before.
    #[command(after_long_help = help::HISTORY)]
    History(OneLoop),
    /// Summarise what happened in loops, counted from their files
    #[command(after_long_help = help::SUMMARY)]
    Summary(SomeLoops),
    /// Write a report about loops as one HTML or Markdown file
    ///
    /// The HTML needs no script and no other file. Failures come first. Paths and commands are left out unless --include
    /// names them; what looks like a secret is masked.
    #[command(after_long_help = help::REPORT)]
    Report {
        #[command(flatten)]
        of: SomeLoops,
        #[command(flatten)]
        report: Box<ReportArgs>,
    },
    /// Save the journal, notes and labels of the workspace as JSON lines
    #[command(after_long_help = help::EXPORT)]
    Export {
        #[command(flatten)]
        at: WorkspaceArgs,
        /// Write to FILE
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

/// Start and run.
#[derive(Debug, Subcommand)]
enum Work {
    /// Create a new loop; starts nothing
    #[command(after_long_help = help::NEW)]
    New {
        #[command(flatten)]
        at: WorkspaceArgs,
        #[command(flatten)]
        new: Box<NewOptions>,
        #[command(flatten)]
        plan: Box<PlanOptions>,
        /// With --from-issue: trust the folder for this command, because git is asked in it
        #[arg(long = "yes-trust", requires = "from_issue")]
        trust: bool,
    },
    /// Run a loop to its end in this terminal
    ///
    /// Progress goes to stderr. Ctrl-C stops the loop, waits until every process has ended, and reports it.
    /// A loop with a saved agent needs only --yes-trust.
    ///
    /// If something waits for you and has no --answer, the loop pauses and the command ends with exit code 3.
    #[command(after_long_help = help::RUN)]
    Run {
        #[command(flatten)]
        of: OneLoop,
        #[command(flatten)]
        options: Box<RunOptions>,
    },
}

/// Control one loop.
#[derive(Debug, Subcommand)]
enum Control {
    /// Set a loop that has never run to running
    #[command(after_long_help = help::ACT)]
    Start(OneLoop),
    /// Pause a loop before its next action (AoT: after this iteration)
    #[command(after_long_help = help::ACT)]
    Pause(OneLoop),
    /// Set a paused, stopped or interrupted loop back to running
    #[command(after_long_help = help::ACT)]
    Resume(RaisableLoop),
    /// Stop a loop before its next action (AoT: after this iteration)
    #[command(after_long_help = help::ACT)]
    Stop {
        #[command(flatten)]
        of: OneLoop,
        /// Why; kept in the file where the format has a place for it
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Set a loop that has ended back to running
    #[command(after_long_help = help::ACT)]
    Reopen(RaisableLoop),
    /// Change the status of an AoT loop from running to stopped when nobody works on it
    #[command(after_long_help = help::ACT)]
    Finalise(OneLoop),
    /// Say something to the agents of a loop that Loopdeck drives
    ///
    /// The next one that starts has it in its prompt. Without an option, lists what was said, and whether it is delivered.
    #[command(after_long_help = help::SAY)]
    Say {
        #[command(flatten)]
        of: OneLoop,
        /// What you say
        #[arg(short = 'm', long, value_name = "TEXT", conflicts_with = "withdraw")]
        text: Option<String>,
        /// Withdraw the message with this number, which is not delivered
        #[arg(long, value_name = "N")]
        withdraw: Option<u32>,
    },
}

/// Change one loop.
#[derive(Debug, Subcommand)]
enum Changes {
    /// Change the title, the limit or the tags of a loop that is not running
    #[command(after_long_help = help::CHANGED)]
    Edit {
        #[command(flatten)]
        of: OneLoop,
        #[command(flatten)]
        options: EditOptions,
    },
    /// Change the direction of an AoT loop
    ///
    /// One change and its correction in one write. A running loop must hold first.
    #[command(after_long_help = help::REDIRECT)]
    #[command(override_usage = "loopdeck redirect DIR ID --why TEXT CHANGE\n       \
                                loopdeck redirect DIR ID --dry-run CHANGE\n       \
                                loopdeck redirect DIR ID --hold | --release")]
    Redirect {
        #[command(flatten)]
        of: OneLoop,
        #[command(flatten)]
        options: Box<RedirectOptions>,
    },
    /// List what can be repaired, or repair it
    ///
    /// Without CODE, lists the available repairs; changes nothing and leaves no trace. With CODE, makes that repair.
    #[command(after_long_help = help::REPAIR)]
    Repair {
        #[command(flatten)]
        of: OneLoop,
        /// The repair
        #[arg(value_parser = code::<RepairCode>())]
        code: Option<RepairCode>,
    },
    /// Make any change as JSON: repairs, steps of the work, the task list
    ///
    /// Makes the change completely or not at all.
    Change {
        #[command(flatten)]
        of: OneLoop,
        /// The change, one object; - reads it from stdin
        #[arg(long, value_name = "JSON")]
        json_change: String,
    },
    /// Move a loop to the system trash, with its tasks, progress files and worker outputs
    ///
    /// Refused while the loop runs.
    #[command(after_long_help = help::DELETE)]
    Delete(OneLoop),
    /// Take in journal, notes and labels that 'loopdeck export' saved
    ///
    /// Notes that are newer than those here replace them. A loop that has a history here keeps it. Nothing is taken in if a
    /// line of FILE is not from an export.
    #[command(after_long_help = help::IMPORT)]
    Import {
        #[command(flatten)]
        at: WorkspaceArgs,
        /// The export
        file: PathBuf,
    },
}

/// Recover and undo.
#[derive(Debug, Subcommand)]
enum Recovery {
    /// Propose a replacement for an unreadable file; --write writes it
    ///
    /// For a state file that cannot be read, or that doesn't contain this loop's state. Changes nothing and leaves no trace
    /// without --write. With --write, keeps the damaged file under another name and writes the first proposal, which
    /// recovers the most.
    #[command(after_long_help = help::RECOVER)]
    Recover {
        #[command(flatten)]
        of: OneLoop,
        #[command(flatten)]
        options: Box<RecoverOptions>,
    },
    /// Undo the last change by Loopdeck
    ///
    /// Refused if another program has written since. Undoing twice redoes it.
    #[command(after_long_help = help::CHANGED)]
    Undo(OneLoop),
    /// Replace the file with a version from 'loopdeck history'
    ///
    /// The current content is kept: 'loopdeck undo' restores it.
    #[command(after_long_help = help::CHANGED)]
    Restore {
        #[command(flatten)]
        of: OneLoop,
        /// Id of a version, as 'loopdeck history' prints it
        version: u32,
    },
}

/// Share loops with a team.
#[derive(Debug, Subcommand)]
enum ForTeam {
    /// Run a team, join one, share folders with it
    #[command(after_long_help = help::TEAM)]
    Team {
        #[command(subcommand)]
        word: TeamWord,
    },
    /// Run loops for others on this machine, until Ctrl-C
    #[command(after_long_help = help::NODE)]
    Node {
        #[command(subcommand)]
        word: Option<NodeWord>,
    },
}

/// For your shell.
#[derive(Debug, Subcommand)]
enum ForShell {
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of loopdeck, or of one command
    Man {
        /// The command
        command: Option<String>,
        /// Write the pages of loopdeck and of every command into this folder
        #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
        to: Option<PathBuf>,
    },
}

/// Which workspace, and how to answer.
#[derive(Args, Debug)]
struct WorkspaceArgs {
    /// The workspace: a folder that contains loops
    dir: PathBuf,
    /// Answer in JSON
    #[arg(long, global = true, display_order = 999)]
    json: bool,
}

/// Which workspace to list, or the team.
#[derive(Args, Debug)]
struct ListArgs {
    /// The workspace: a folder that contains loops
    #[arg(required_unless_present = "team", conflicts_with = "team")]
    dir: Option<PathBuf>,
    /// List the loops that the machines of your team share
    #[arg(long)]
    team: bool,
    /// List the archived loops alone
    #[arg(long, conflicts_with = "team")]
    archived: bool,
    /// List the snoozed loops alone
    #[arg(long, conflicts_with_all = ["team", "archived"])]
    snoozed: bool,
    /// Answer in JSON
    #[arg(long, display_order = 999)]
    json: bool,
}

/// Which loop, and how to answer.
#[derive(Args, Debug)]
struct OneLoop {
    #[command(flatten)]
    at: WorkspaceArgs,
    /// Id of a loop as 'loopdeck list' prints it, or its file when several loops have that id
    id: String,
}

/// Which loops, and how to answer.
#[derive(Args, Debug)]
struct SomeLoops {
    #[command(flatten)]
    at: WorkspaceArgs,
    /// Ids of loops as 'loopdeck list' prints them, or their files; all loops when none is named
    #[arg(value_name = "ID")]
    ids: Vec<String>,
}

/// Loops that are marked, or no longer.
#[derive(Args, Debug)]
struct SomeMarked {
    #[command(flatten)]
    at: WorkspaceArgs,
    /// Ids of loops as 'loopdeck list' prints them, or their files
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Undo it
    #[arg(long)]
    undo: bool,
}

/// A loop whose limit can be raised in the same write.
#[derive(Args, Debug)]
struct RaisableLoop {
    #[command(flatten)]
    of: OneLoop,
    /// Set the iteration limit to N in the same write
    #[arg(long, value_name = "N")]
    raise_limit: Option<u32>,
}

/// The commands, with their complete help.
pub(super) fn program() -> clap::Command {
    let command = commands();
    let group = || clap::Command::new("group");
    let groups = [
        ("View, without leaving a trace", View::augment_subcommands(group())),
        ("Start and run", Work::augment_subcommands(group())),
        ("Control", Control::augment_subcommands(group())),
        ("Change", Changes::augment_subcommands(group())),
        ("Finish", finishing::Finishing::augment_subcommands(group())),
        ("Choose what the list shows", marking::Marking::augment_subcommands(group())),
        ("Recover and undo", Recovery::augment_subcommands(group())),
        ("Team", ForTeam::augment_subcommands(group())),
        ("For your shell", ForShell::augment_subcommands(group())),
    ];
    let template = help::template(&command, &groups);
    command.help_template(template)
}

/// The commands, without the help of the program: enough for a line that is right.
fn commands() -> clap::Command {
    let command = Line::command();
    let names: Vec<String> = command.get_subcommands().map(|word| word.get_name().to_owned()).collect();
    let typed = |command: clap::Command, name| command.mut_subcommand(name, |word| word.defer(as_typed));
    let command = names.iter().fold(command, typed);
    command.mut_subcommand("change", |change| change.defer(|change| help::with_fields(as_typed(change))))
}

/// The value of an option may start with a dash, as a list in a goal does; of a repeated option, the last one
/// counts.
fn as_typed(command: clap::Command) -> clap::Command {
    command.args_override_self(true).mut_args(|arg| {
        let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        if takes_value && !arg.is_positional() { arg.allow_hyphen_values(true) } else { arg }
    })
}

/// Whether the version is all that is asked for. Scripts ask often, and the commands need not be built for it.
pub(super) fn asks_for_version(args: &[OsString]) -> bool {
    matches!(args, [only] if only == "--version" || only == "-V")
}

/// Reads `args` (without the program's name). The error is the help, the version, or a sentence for the
/// person.
pub(super) fn parse(args: impl Iterator<Item = OsString>) -> Result<Request, clap::Error> {
    let line: Vec<OsString> = std::iter::once(OsString::from("loopdeck")).chain(args).collect();
    let matches =
        commands().try_get_matches_from(&line).or_else(|_| program().try_get_matches_from(&line))?;
    let Line { word, paths: _, data_dir, poll } = Line::from_arg_matches(&matches)?;
    let Some(word) = word else { return Ok(Request::Desktop) };
    let name = matches.subcommand_name().unwrap_or_default();
    if poll {
        return Err(mistake(name, "--poll is for the window; a command reads the files once"));
    }
    let data_dir = data_dir.or_else(data_dir::from_environment);
    word.request(data_dir).map_err(|sentence| mistake(name, &sentence))
}

fn mistake(name: &str, sentence: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{sentence}; see 'loopdeck {name} --help'\n"))
}

#[cfg(test)]
mod tests;
