//! Heads of messages: what is said of a machine, a share, a file, a command, an answer. Fields are only ever added.

use crate::seat::Seat;
use crate::share::{Scope, Steering};
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::{RequestView, VerbOptions};
use serde::{Deserialize, Serialize};

/// A machine that is there. Renewed every few seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// The user's claims, signed by the account: whose key this is.
    pub(crate) token: String,
    /// Version of Loopdeck.
    pub(crate) version: String,
}

/// A shared folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    /// Name of the folder. Untrusted text.
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) steering: Steering,
}

/// A file; the body is its content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SharedFile {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    /// When it was changed on its own machine, ms since 1970 UTC.
    pub(crate) modified: i64,
}

/// How far a request for a loop is on its own machine: *requested* and *in effect* are two facts there too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedRequest {
    /// When it was published, ms since 1970 UTC.
    pub(crate) at: i64,
    pub(crate) request: RequestView,
}

/// What somebody asks of a loop on another machine.
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
    /// The share that has the loop.
    pub(crate) share: String,
    /// Its state file.
    pub(crate) file: String,
    pub(crate) verb: Verb,
    #[serde(default)]
    pub(crate) options: VerbOptions,
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
