//! Changes that a person asks for.

use super::Runtime;
use super::beginnings;
use super::handing::is_run_beside;
use crate::elsewhere::RemoteChange;
use crate::platform;
use crate::store::handing::Wanted;
use crate::views::{Deletion, Failure, FailureKind, LoopChange, VerbOptions};
use loopdeck_core::control::{Intent, MetadataPatch, Standing, Verb};
use loopdeck_core::loops;

impl Runtime {
    /// Carries out a control verb. The new state arrives as a change.
    ///
    /// # Errors
    /// `Refused`, `Contended`, `Disk`, `Unreadable`; `OwnData` when it cannot be recorded and `NoUndo` when the old
    /// version cannot be kept: then nothing was touched. Nothing is half done.
    pub fn act(&self, key: &str, verb: Verb, options: VerbOptions) -> Result<(), Failure> {
        if self.hand_on(key, || Some(RemoteChange::Verb { verb, options: options.clone() }))? {
            return Ok(());
        }
        let VerbOptions { raise_limit_to, reason } = options;
        let intent = match verb {
            Verb::Start => Intent::Start,
            Verb::Pause => Intent::Pause,
            Verb::Resume => Intent::Resume { raise_limit_to },
            Verb::Stop => Intent::Stop { reason },
            Verb::Reopen => Intent::Reopen { raise_limit_to },
            Verb::Finalise => Intent::Finalise,
            Verb::EditMetadata => Intent::EditMetadata(MetadataPatch::default()),
            Verb::Delete => return self.delete_loop(key).map(drop),
        };
        self.refuse_elsewhere(key)?;
        let done = self.coordinator.request(key, intent.clone()).wait();
        match done {
            Err(failure) if is_run_beside(&failure) => self.change_loop(key, Wanted::from_intent(intent)),
            done => done,
        }
    }

    /// Reads the state file of a loop again; a request of ours that another program undid is sent again by that, as in a
    /// window. What the file says to `verb` after it, and how often the request was sent again.
    ///
    /// # Errors
    /// `UnknownLoop` when it is gone.
    pub fn look_at_request(&self, key: &str, verb: Verb) -> Result<(Standing, u32), Failure> {
        self.ask(key, |owner, key| {
            owner.store.look_now(key);
            Ok(())
        })?;
        self.read(|catalog| {
            let entry = catalog.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?;
            let again = entry.request.as_ref().map_or(0, |request| request.sent_again);
            Ok((loops::request_standing(&entry.summary, verb), again))
        })
    }

    /// The same after a redirect or hold: how often it was written again because another program undid it, and whether it
    /// is undone all the same.
    ///
    /// # Errors
    /// None that a person could do anything about.
    pub fn look_at_redirect(&self, key: &str) -> Result<(u32, bool), Failure> {
        self.ask(key, |owner, key| {
            owner.store.look_now(key);
            Ok(owner.store.redirect_state(key))
        })
    }

    /// Ends a request that another program keeps writing over, unless another Loopdeck is open that keeps sending it.
    ///
    /// # Errors
    /// None that a person could do anything about.
    pub fn end_overwritten(&self, key: &str) -> Result<(), Failure> {
        self.ask(key, |owner, key| {
            owner.store.end_overwritten(&key.into());
            Ok(())
        })
    }

    /// Changes title, limits or labels.
    ///
    /// # Errors
    /// As [`Runtime::act`].
    pub fn edit_metadata(&self, key: &str, patch: MetadataPatch) -> Result<(), Failure> {
        self.change_loop(key, Wanted::Edit { patch })
    }

    /// Carries out a change beyond the control verbs; all of it or nothing.
    ///
    /// # Errors
    /// As [`Runtime::act`].
    pub fn change(&self, key: &str, change: LoopChange) -> Result<(), Failure> {
        let asked = || match &change {
            LoopChange::Operate { operation } => {
                Some(RemoteChange::Redirect { operation: Box::new(operation.clone()) })
            }
            _ => None,
        };
        if self.hand_on(key, asked)? {
            return Ok(());
        }
        self.change_loop(key, Wanted::Change { change: Box::new(change) })
    }

    /// Moves a loop with its companions to the system trash.
    ///
    /// # Errors
    /// `Refused`, `NoTrash`.
    pub fn delete_loop(&self, key: &str) -> Result<Deletion, Failure> {
        let of = self.loop_in_git(key).ok();
        let files = self.ask_change(key, |owner, key| owner.store.delete(key))?;
        if let Some(of) = of {
            beginnings::forget_gone(&of.repository, &of.root, &of.file);
        }
        Ok(Deletion { files, restorable: platform::CAN_RESTORE })
    }

    /// Restores a loop that this process deleted, from the trash: all of its files, or none.
    ///
    /// # Errors
    /// `NotInTrash`, `Exists`; `UnknownLoop` when this process deleted no such loop.
    pub fn restore_deleted(&self, key: &str) -> Result<(), Failure> {
        self.ask_change(key, |owner, key| owner.store.restore_deleted(key))
    }
}
