//! Loops of other machines: folders that are copies. They are read like any other, and never written: what a person asks
//! of their loops is handed to a [`Messenger`], which carries it to the machine that owns the file.
//!
//! The runtime does not know how: the package `team` does.

use crate::views::{Failure, LoopRow, VerbOptions};
use loopdeck_core::control::Verb;
use loopdeck_core::past::{Asker, WriteCause};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::step::Operation;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::LoopDetail;
use loopdeck_execution::rows::{NeedAnswer, RunView};
use loopdeck_execution::run_monitor::SharedOutput;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Whose copy a workspace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Who.
    pub member: String,
    /// On which machine.
    pub machine: String,
    /// Name of the folder there. Untrusted text.
    pub name: String,
    /// Since when the machine is not reachable; `None` when it is.
    pub unreachable_since: Option<Timestamp>,
    /// Whether its owner lets this machine steer its loops.
    pub steerable: bool,
    /// Only what a row shows is shared: there is no text to read or to change.
    pub rows_only: bool,
    /// Whether the output of its runs is shared.
    pub output: bool,
}

impl Elsewhere {
    /// Whether a verb can be asked of a loop on another machine.
    #[must_use]
    pub fn takes(&self, verb: Verb) -> bool {
        matches!(verb, Verb::Start | Verb::Pause | Verb::Resume | Verb::Stop | Verb::Reopen)
    }

    /// Leaves what a person can ask of the machine here and now.
    pub(crate) fn limit_row(&self, row: &mut LoopRow) {
        let offers = |verb: &Verb| self.steerable && self.takes(*verb);
        row.verbs.retain(offers);
        row.primary = row.primary.filter(offers);
    }

    /// The same on the page of a loop: only its own machine repairs and records.
    pub(crate) fn limit_page(&self, detail: &mut LoopDetail) {
        detail.repairs.clear();
        detail.steps.retain(|offer| self.steerable && !self.rows_only && offer.step.is_redirect());
        detail.follow_ups.clear();
        for control in &mut detail.controls {
            if !self.steerable || !self.takes(control.verb) {
                control.refusal = Some(Refusal::new(RefusalCode::OtherMachine));
            }
        }
    }
}

/// What can be asked of a loop on another machine. Nothing else is carried out there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RemoteChange {
    /// A control verb.
    Verb {
        /// Which.
        verb: Verb,
        /// How.
        #[serde(default)]
        options: VerbOptions,
    },
    /// A change of direction, a hold for one, or the end of a hold.
    Redirect {
        /// Which.
        operation: Box<Operation>,
    },
    /// An answer to what waits for a person.
    Answer {
        /// Its name on the machine of the loop.
        need: String,
        /// Since when it waits, ms since 1970 UTC: after a restart another one may have that name.
        since: f64,
        /// The answer.
        answer: NeedAnswer,
    },
}

impl RemoteChange {
    /// As it is recorded; `None` for what no machine does for another.
    #[must_use]
    pub fn cause(&self) -> Option<WriteCause> {
        match self {
            Self::Verb { verb, .. } => WriteCause::of_verb(*verb),
            Self::Redirect { operation } => operation.is_redirect().then_some(WriteCause::Redirect),
            Self::Answer { .. } => Some(WriteCause::Answer),
        }
    }
}

/// A loop of another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteLoop {
    /// Folder of the copy.
    pub workspace: PathBuf,
    /// State file below it.
    pub file: String,
}

/// A request for a loop on another machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteRequest {
    /// Which loop.
    pub of: RemoteLoop,
    /// What is asked.
    pub change: RemoteChange,
}

/// A run of a loop on another machine.
pub struct RemoteRun {
    /// What is shown of it. Untrusted texts.
    pub view: RunView,
    /// Its output so far. Untrusted texts.
    pub rows: SharedOutput,
}

impl std::fmt::Debug for RemoteRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RemoteRun").field(&self.view).finish()
    }
}

/// Carries requests to other machines, and the output of runs there to this one.
pub trait Messenger: Send + Sync {
    /// Takes a request on: it is kept, and sent once the machine can be reached. Answers in whose name.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn request(&self, request: RemoteRequest) -> Result<Asker, Failure>;

    /// Runs of a loop, newest first, none where its owner does not share their output. The first question begins to follow
    /// them and waits a moment for what is there; without further questions, they are soon no longer followed.
    ///
    /// # Errors
    /// `TeamUnreachable` when nothing came, `TeamNotSetUp` when the servers have no room for output.
    fn output(&self, of: &RemoteLoop) -> Result<Vec<RemoteRun>, Failure>;
}
