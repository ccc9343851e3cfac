//! Heads of messages: what is said of a machine, a share, a file, a command, an answer. Fields are only ever added.

use crate::seat::Seat;
use crate::share::{Scope, Steering};
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
pub(crate) struct Asked {
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
    /// The share that has the loop.
    pub(crate) share: String,
    /// Its state file.
    pub(crate) file: String,
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
