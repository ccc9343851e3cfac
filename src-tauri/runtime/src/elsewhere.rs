//! Loops of other machines: folders that are copies. They are read like any other, and never written: what a person asks
//! of their loops is handed to a [`Messenger`], which carries it to the machine that owns the file.
//!
//! The runtime does not know how: the package `team` does.

use crate::views::{Failure, LoopRow, VerbOptions};
use loopdeck_core::control::Verb;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::LoopDetail;
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
    /// Whether its owner lets this machine pause, resume and stop its loops.
    pub steerable: bool,
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
        detail.steps.clear();
        detail.follow_ups.clear();
        for control in &mut detail.controls {
            if !self.steerable || !self.takes(control.verb) {
                control.refusal = Some(Refusal::new(RefusalCode::OtherMachine));
            }
        }
    }
}

/// A verb for a loop on another machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteRequest {
    /// Folder of the copy.
    pub workspace: PathBuf,
    /// State file below it.
    pub file: String,
    /// What is asked.
    pub verb: Verb,
    /// How.
    pub options: VerbOptions,
}

/// Carries requests to other machines.
pub trait Messenger: Send + Sync {
    /// Takes a request on: it is kept, and sent once the machine can be reached.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn request(&self, request: RemoteRequest) -> Result<(), Failure>;
}
