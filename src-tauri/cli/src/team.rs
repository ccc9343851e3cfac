//! `loopdeck team …`: run a team, join one, share folders with it; `loopdeck list --team`.

mod node;
mod running;
mod sending;
mod serving;
mod sharing;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use loopdeck_runtime::data_dir::DataDir;
use loopdeck_team::Home;

use super::complaint::Complaint;
use super::new::NewOptions;
use super::output::Answer;
use super::plan_options::PlanOptions;

pub(super) use node::NodeWord;
use sending::Destination;
pub(super) use serving::list;

/// A command about the team.
#[derive(Debug, PartialEq)]
pub(super) struct TeamCommand {
    pub(super) word: TeamWord,
    pub(super) data_dir: Option<PathBuf>,
}

/// What to do.
#[derive(Debug, PartialEq, Subcommand)]
pub(super) enum TeamWord {
    /// Make a new team: keys, and the configuration of its server
    Init {
        /// A new folder for the keys. Keep it safe: whoever has it is the team
        folder: PathBuf,
        /// Address of a server, such as nats://host:4222 or tls://host:4222; repeat it for a cluster
        #[arg(long, value_name = "ADDRESS", required = true)]
        server: Vec<String>,
        /// The server asks for one token that all machines share: the first line of FILE
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
    },
    /// Make the streams on the server, or bring their limits up to date
    Setup {
        /// The team's folder
        folder: PathBuf,
        /// How many servers keep each message; 3 in a cluster of three
        #[arg(long, value_name = "N", default_value_t = 1)]
        replicas: usize,
    },
    /// Invite a machine
    Invite {
        /// The team's folder
        folder: PathBuf,
        /// Which machine of whom, such as ada.laptop
        seat: String,
        /// What it may do: member (shares and steers), lead (steers also where only leads may), viewer (sees), node (runs
        /// loops for others)
        #[arg(long, value_name = "ROLE", default_value = "member")]
        role: String,
        /// The invitation ends at the end of this day here, such as 2027-01-31, or at a time such as 2027-01-31T12:00:00Z
        #[arg(long, value_name = "DATE")]
        until: Option<String>,
        /// Write the invitation to FILE. It is a secret between you and that machine
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Shut a machine out; reload the server afterwards
    Revoke {
        /// The team's folder
        folder: PathBuf,
        /// Which machine of whom
        seat: String,
    },
    /// Record the new token of a server that asks for one; invite all machines again afterwards
    Token {
        /// The team's folder
        folder: PathBuf,
        /// The new token: the first line of FILE
        #[arg(long, value_name = "FILE")]
        token_file: PathBuf,
    },
    /// List the machines that were invited
    Members {
        /// The team's folder
        folder: PathBuf,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Try an invitation without joining; without FILE, the one with which this machine joined
    Try {
        /// The invitation
        file: Option<PathBuf>,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Join a team with an invitation
    Join {
        /// The invitation
        file: PathBuf,
    },
    /// Leave the team: copies of other machines' loops are removed from this one
    Leave,
    /// Share the loops of a folder
    ///
    /// Says first what leaves the machine; nothing is shared without --yes.
    Share {
        /// The folder
        dir: PathBuf,
        /// How much: rows (title, status and progress, no other text), state (state files), progress (progress files,
        /// worker outputs and task lists too), output (what agents and test commands print too)
        #[arg(long, value_name = "SCOPE", default_value = "state")]
        scope: String,
        /// The same as --scope rows
        #[arg(long, conflicts_with = "scope")]
        rows_only: bool,
        /// Who may pause, resume, stop and redirect its loops, and answer their questions: nobody, leads, members
        #[arg(long, value_name = "WHO", default_value = "leads")]
        steering: String,
        /// Share it
        #[arg(long)]
        yes: bool,
    },
    /// Share a folder no longer
    Unshare {
        /// The folder
        dir: PathBuf,
    },
    /// Share this machine's folders and carry out commands without a window, until Ctrl-C
    Serve,
    /// Run a new loop on another machine
    ///
    /// The commit that is checked out and the description of the work go to the team's server, where members and nodes of the
    /// team can read them. What is done comes back as a branch: see 'loopdeck team runs'.
    Send {
        /// A folder of a repository
        dir: PathBuf,
        #[command(flatten)]
        destination: Destination,
        #[command(flatten)]
        new: Box<NewOptions>,
        #[command(flatten)]
        plan: Box<PlanOptions>,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// List the loops that this machine sent elsewhere
    Runs {
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Take what came of a run into its repository, as a branch; nothing is checked out
    TakeIn {
        /// As 'loopdeck team runs' prints it
        id: String,
        /// Trust the folder for this command, so that git may be asked about it
        #[arg(long = "yes-trust")]
        trust: bool,
    },
    /// Take back a run that no machine has begun
    Withdraw {
        /// As 'loopdeck team runs' prints it
        id: String,
    },
    /// `loopdeck node`
    #[command(skip)]
    Node(Option<NodeWord>),
}

/// Carries out `command`.
pub(super) fn run(command: TeamCommand) -> ExitCode {
    let TeamCommand { word, data_dir } = command;
    let json = match &word {
        TeamWord::Members { json, .. }
        | TeamWord::Try { json, .. }
        | TeamWord::Send { json, .. }
        | TeamWord::Runs { json }
        | TeamWord::Node(Some(NodeWord::Rules { json, .. })) => *json,
        _ => false,
    };
    match answer(word, data_dir) {
        Ok(answer) => answer.print(json),
        Err(complaint) => complaint.print(),
    }
}

fn answer(word: TeamWord, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    match word {
        TeamWord::Init { folder, server, token_file } => {
            running::init(&folder, &server, token_file.as_deref())
        }
        TeamWord::Setup { folder, replicas } => running::setup(&folder, replicas),
        TeamWord::Invite { folder, seat, role, until, output } => {
            running::invite(&folder, (&seat, &role), until.as_deref(), &output)
        }
        TeamWord::Revoke { folder, seat } => running::revoke(&folder, &seat),
        TeamWord::Token { folder, token_file } => running::change_token(&folder, &token_file),
        TeamWord::Members { folder, .. } => running::members(&folder),
        TeamWord::Try { file, .. } => sharing::try_out(file.as_deref(), data_dir),
        TeamWord::Join { file } => sharing::join(&file, data_dir),
        TeamWord::Leave => sharing::leave(data_dir),
        TeamWord::Share { dir, scope, rows_only, steering, yes } => {
            let scope = if rows_only { "rows" } else { &scope };
            sharing::share(&dir, (scope, &steering), yes, data_dir)
        }
        TeamWord::Unshare { dir } => sharing::unshare(&dir, data_dir),
        TeamWord::Serve => serving::serve(data_dir, false),
        TeamWord::Node(None) => serving::serve(data_dir, true),
        TeamWord::Node(Some(word)) => node::answer(word, data_dir),
        TeamWord::Send { dir, destination, new, plan, .. } => {
            sending::send(&dir, &destination, (*new, *plan), data_dir)
        }
        TeamWord::Runs { .. } => sending::runs(data_dir),
        TeamWord::TakeIn { id, trust } => sending::take_in(&id, trust, data_dir),
        TeamWord::Withdraw { id } => sending::withdraw(&id, data_dir),
    }
}

/// The team's part of our own data.
fn home(data_dir: Option<PathBuf>) -> Result<(Home, PathBuf), Complaint> {
    let data = DataDir::resolve(data_dir)
        .map_err(|error| Complaint::own("own_data", &[("reason", &error.to_string())]))?;
    Ok((Home::new(data.path()), data.path().to_owned()))
}

/// An option whose value is none of those allowed.
fn bad_option(option: &str) -> Complaint {
    Complaint::own("bad_option", &[("option", option)])
}

/// The answer of a command that only says what it did.
fn said(code: &str, args: &[(&str, &str)]) -> Result<Answer, Complaint> {
    let sentence = super::text::sentence("headless", code, args.iter().copied());
    Answer::new(&serde_json::json!({}), vec![super::text::plain(&sentence)])
}
