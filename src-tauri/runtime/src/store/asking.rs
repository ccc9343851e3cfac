//! Requests across machines: whoever asked from another one is recorded, and what was asked of another one too.

use crate::store::journal::{CommandProgress, LoopRef};
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind};
use loopdeck_core::past::{Asker, WriteCause};
use loopdeck_system::clock;
use serde::{Deserialize, Serialize};

/// For whom something is carried out, and what that is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Behalf {
    /// Who asked, and from where.
    pub(crate) asker: Asker,
    /// For what.
    pub(crate) cause: WriteCause,
    /// By which command.
    pub(crate) command: String,
}

impl Behalf {
    /// Whether a write begins what is asked, and is recorded as one. An agent may begin without any, and so do answers.
    fn is_written(&self) -> bool {
        matches!(self.cause, WriteCause::Pause | WriteCause::Stop | WriteCause::Redirect)
    }
}

impl WorkspaceStore {
    /// Does `work` for somebody on another machine: requests and writes are recorded with the name, and where there are
    /// none, that it was asked for. Each is recorded before anything happens.
    pub(crate) fn on_behalf<T>(
        &mut self,
        key: &str,
        behalf: &Behalf,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if !behalf.is_written() {
            self.note_asked(key, behalf.cause, (&behalf.asker, Some(&behalf.command)))?;
        }
        self.journal.name_asker(Some((&behalf.asker, &behalf.command)));
        let done = work(self);
        self.journal.name_asker(None);
        done
    }

    /// How far a command of another machine had come in this workspace when Loopdeck ended.
    pub(crate) fn progress_of(&mut self, key: &str, command: &str) -> Result<CommandProgress, Failure> {
        let root = self.root_of(key)?;
        self.resolve_writes(&root);
        self.journal.progress_of(command).map_err(Failure::own_data)
    }

    /// Records that `asker` asked for something across machines.
    pub(crate) fn note_asked(
        &mut self,
        key: &str,
        cause: WriteCause,
        asker: (&Asker, Option<&str>),
    ) -> Result<(), Failure> {
        self.with_loop(key, |store, of| {
            store.journal.note_asked(of, cause, asker, clock::now()).map_err(Failure::own_data)
        })
    }

    /// Records what the other machine answered.
    pub(crate) fn note_answered(
        &mut self,
        key: &str,
        answer: (WriteCause, Option<&str>),
        asker: (&Asker, &str),
    ) -> Result<(), Failure> {
        self.with_loop(key, |store, of| {
            store.journal.note_answered(of, answer, asker, clock::now()).map_err(Failure::own_data)
        })
    }

    fn with_loop<T>(
        &mut self,
        key: &str,
        work: impl FnOnce(&mut Self, LoopRef<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let unknown = || Failure::new(FailureKind::UnknownLoop);
        let (_, root, candidate) = self.locate(key).ok_or_else(unknown)?;
        let workspace = root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &candidate.file };
        let done = work(self, of)?;
        // The timeline has one entry more.
        self.write_catalog(|catalog| catalog.put_again(key));
        Ok(done)
    }
}
