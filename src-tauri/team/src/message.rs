//! Heads of messages: what is said of a machine, a share, a file, a command, an answer. Fields are only ever added.

use crate::place::{FilePlace, SharePlace};
use crate::seat::Seat;
use crate::share::{Scope, Share, Steering};
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::past::Asker;
use loopdeck_runtime::elsewhere::RemoteChange;
use loopdeck_runtime::views::RequestView;
use serde::{Deserialize, Serialize};

/// A machine that is there. Renewed every few seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// The user's claims, signed by the account: whose key this is.
    pub(crate) token: String,
    /// Version of Loopdeck.
    pub(crate) version: String,
    /// When it says so by its own clock, ms since 1970 UTC; 0 from an older Loopdeck.
    #[serde(default)]
    pub(crate) at: i64,
}

/// That something is gone; no other head has the field.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Gone {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    #[serde(default)]
    pub(crate) gone: bool,
}

/// A shared folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    /// Name of the folder. Untrusted text.
    pub(crate) name: String,
    /// Never [`Scope::Output`], which an older Loopdeck does not know.
    scope: Scope,
    pub(crate) steering: Steering,
    /// The output of runs is shared too.
    #[serde(default)]
    output: bool,
}

impl About {
    /// Of a share, at `at`.
    pub(crate) fn new(share: &Share, at: i64) -> Self {
        let output = share.scope == Scope::Output;
        let scope = if output { Scope::Progress } else { share.scope };
        Self { at, name: share.name(), scope, steering: share.steering, output }
    }

    /// How much is shared.
    pub(crate) fn scope(&self) -> Scope {
        if self.output { Scope::Output } else { self.scope }
    }
}

/// A run, as much of it as leaves its machine: no command line, no folder, no name of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedRun {
    /// Its name on its own machine. Never the name of a file here.
    pub(crate) id: String,
    pub(crate) action: String,
    pub(crate) task: Option<String>,
    pub(crate) iteration: u32,
    pub(crate) agent: String,
    pub(crate) agent_id: String,
    pub(crate) model: Option<String>,
    /// ms since 1970 UTC, like `ended`.
    pub(crate) started: f64,
    /// `None` while it lasts.
    pub(crate) ended: Option<f64>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) message: Option<String>,
    pub(crate) denied: Option<u32>,
    pub(crate) tokens: Option<f64>,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) exit_code: Option<i32>,
}

/// Output of a run; the body has a line of JSON for each row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedOutput {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    pub(crate) run: SharedRun,
    /// The number of the first row, from 0.
    pub(crate) first: u32,
}

/// A file; the body is its content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SharedFile {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    /// When it was changed on its own machine, ms since 1970 UTC.
    pub(crate) modified: i64,
    /// Of a large file, whose content is in other messages.
    #[serde(default)]
    pub(crate) parts: Option<Parts>,
}

/// The content of a large file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// In how many messages.
    pub(crate) count: u32,
    /// How many bytes together.
    pub(crate) size: u64,
    /// Tells one content from another.
    pub(crate) hash: u64,
}

/// One of those messages; the body is a part of the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SharedPart {
    /// Which one, from 0.
    pub(crate) number: u32,
    pub(crate) of: Parts,
}

/// How far a request for a loop is on its own machine: *requested* and *in effect* are two facts there too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedRequest {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    pub(crate) request: RequestView,
}

/// What waits for a person in a loop; the body is a list of needs, without secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedNeeds {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
}

/// A request to another machine: who asks whom about which loop, and for what. It is kept whole; sent, the command is the
/// head of a message, and the change its body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskedChange {
    pub(crate) command: Command,
    pub(crate) change: RemoteChange,
}

/// What somebody asks of a loop on another machine; the body is the [`RemoteChange`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Command {
    /// Names this command, once and for all.
    pub(crate) id: String,
    /// The user's claims of the sender.
    pub(crate) token: String,
    /// From whom.
    pub(crate) from: Seat,
    /// To whom.
    pub(crate) to: Seat,
    /// When it was asked, ms since 1970 UTC.
    pub(crate) at: i64,
    /// When it was sent by the same clock; 0 while it was not, and from an older Loopdeck.
    #[serde(default)]
    pub(crate) sent: i64,
    /// The share that has the loop.
    pub(crate) share: String,
    /// Its state file.
    pub(crate) file: String,
}

impl Command {
    /// The loop that it is about.
    pub(crate) fn place(&self) -> FilePlace {
        let share = SharePlace { seat: self.to.clone(), id: self.share.clone() };
        FilePlace { share, file: self.file.clone() }
    }

    /// Who sent it, as the journal names them.
    pub(crate) fn asker(&self) -> Asker {
        Asker { member: self.from.member().to_owned(), machine: self.from.machine().to_owned() }
    }
}

/// Whether a command can have this id: nothing else becomes the name of a file.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 56 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Which command.
    pub(crate) id: String,
    /// The user's claims of the machine that answers.
    pub(crate) token: String,
    /// Why it was not carried out: the kind of a failure, or of a refusal of the loop.
    pub(crate) refused: Option<String>,
}
