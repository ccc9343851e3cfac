//! Changes that a person asks for.

use super::Runtime;
use crate::owner::Event;
use crate::rows::{Deletion, Failure, LoopChange, VerbOptions};
use loopdeck_core::control::{Intent, MetadataPatch, Verb};

impl Runtime {
    /// Carries out a control verb. The new state arrives as a change.
    ///
    /// # Errors
    /// `Refused`, `Contended`, `Disk`, `Unreadable`; `OwnData` when it cannot be recorded and `NoUndo` when the old
    /// version cannot be kept: then nothing was touched. Nothing is half done.
    pub fn act(&self, key: &str, verb: Verb, options: VerbOptions) -> Result<(), Failure> {
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
        self.ask(|reply| Event::Act(key.to_owned(), intent, reply))
    }

    /// Changes title, limits or labels.
    ///
    /// # Errors
    /// As [`Runtime::act`].
    pub fn edit_metadata(&self, key: &str, patch: MetadataPatch) -> Result<(), Failure> {
        self.ask(|reply| Event::Act(key.to_owned(), Intent::EditMetadata(patch), reply))
    }

    /// Carries out a change beyond the control verbs; all of it or nothing.
    ///
    /// # Errors
    /// As [`Runtime::act`].
    pub fn change(&self, key: &str, change: LoopChange) -> Result<(), Failure> {
        let key = key.to_owned();
        match change {
            LoopChange::Repair { repair } => self.ask(|reply| Event::Act(key, Intent::Repair(repair), reply)),
            LoopChange::Operate { operation } => {
                self.ask(|reply| Event::Act(key, Intent::Operate(Box::new(operation)), reply))
            }
            LoopChange::Recover { way, fingerprint } => {
                self.ask(|reply| Event::Recover(key, way, fingerprint, reply))
            }
            LoopChange::EditTasks { edit } => self.ask(|reply| Event::EditTasks(key, edit, reply)),
        }
    }

    /// Moves a loop with its companions to the system trash.
    ///
    /// # Errors
    /// `Refused`, `NoTrash`.
    pub fn delete_loop(&self, key: &str) -> Result<Deletion, Failure> {
        let files = self.ask(|reply| Event::Delete(key.to_owned(), reply))?;
        Ok(Deletion { files })
    }
}
