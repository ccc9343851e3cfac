//! The past of a loop: its versions, what they changed, what can take the place of a damaged one, and the way back.

use super::Runtime;
use crate::loop_reader;
use crate::store::handing::Wanted;
use crate::store::history::RememberedLoop;
use crate::timeline::{TimelineJournal, VERSIONS};
use crate::views::{Failure, PastChange, RecoveryPage, SourcePage, TimelinePage, VersionPage, VersionView};

/// Asks the owner for the timeline of one loop.
struct Asking<'a> {
    runtime: &'a Runtime,
    key: &'a str,
}

impl TimelineJournal for Asking<'_> {
    fn remembered(&self) -> Result<RememberedLoop, Failure> {
        self.runtime.ask(self.key, |owner, key| owner.store.remembered(key, VERSIONS))
    }

    fn with_bytes(&self, limit: usize) -> Result<Vec<(VersionView, Vec<u8>)>, Failure> {
        let limit = u32::try_from(limit).unwrap_or(VERSIONS);
        self.runtime.ask(self.key, move |owner, key| owner.store.versions_with_bytes(key, limit))
    }
}

impl Runtime {
    /// Kept versions of a loop, newest first, at most 1,000.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn history(&self, key: &str, limit: u32) -> Result<Vec<VersionView>, Failure> {
        self.ask(key, move |owner, key| owner.store.history(key, limit))
    }

    /// Everything that happened to a loop, oldest first: what its files tell, what kept versions changed, and what was
    /// asked of it and written through Loopdeck. The first answer does not wait until all versions are compared.
    ///
    /// # Errors
    /// `UnknownLoop`. When the journal cannot be read, the page says so.
    pub fn timeline(&self, key: &str) -> Result<TimelinePage, Failure> {
        Ok(self.last_timeline.page(&self.find(key)?, &Asking { runtime: self, key }))
    }

    /// The loop as version `id` of its history has it, read-only.
    ///
    /// # Errors
    /// `UnknownLoop`, `UnknownVersion`, `OwnData`.
    pub fn version(&self, key: &str, id: u32) -> Result<VersionPage, Failure> {
        let (version, bytes) = self.ask(key, move |owner, key| owner.store.version(key, id))?;
        Ok(self.find(key)?.as_then(&version, &bytes))
    }

    /// Lines of the state file as version `id` has it.
    ///
    /// # Errors
    /// As [`Runtime::version`].
    pub fn version_source(&self, key: &str, id: u32, first: u32, count: u32) -> Result<SourcePage, Failure> {
        let (_, bytes) = self.ask(key, move |owner, key| owner.store.version(key, id))?;
        Ok(loop_reader::lines(&self.find(key)?.candidate().file, &bytes, first, count))
    }

    /// What the newest kept versions changed, newest first; at most `limit` versions are compared.
    ///
    /// # Errors
    /// As [`Runtime::history`].
    pub fn past_changes(&self, key: &str, limit: u32) -> Result<Vec<PastChange>, Failure> {
        let versions = self.ask(key, move |owner, key| owner.store.versions_with_bytes(key, limit))?;
        Ok(self.find(key)?.past_changes(&versions))
    }

    /// What kept versions of the progress text changed about hypotheses, newest first, where only that text has them.
    /// Each is named by the version of that text.
    ///
    /// # Errors
    /// As [`Runtime::history`].
    pub fn hypothesis_changes(&self, key: &str, limit: u32) -> Result<Vec<PastChange>, Failure> {
        let found = self.find(key)?;
        let Some(file) = found.debug_file() else { return Ok(Vec::new()) };
        let versions = self.ask(key, move |owner, key| {
            let history = owner.store.companion_history(key, &file, limit)?;
            let mut versions = Vec::new();
            for version in history {
                // One that was pruned meanwhile is simply not there.
                let bytes = owner.store.companion_version(key, &file, version.id).ok();
                versions.extend(bytes.map(|bytes| (version, bytes)));
            }
            Ok(versions)
        })?;
        Ok(found.hypothesis_changes(&versions))
    }

    /// What can take the place of a state file that cannot be read;
    /// [`LoopChange::Recover`](crate::views::LoopChange::Recover) writes it.
    ///
    /// # Errors
    /// `UnknownLoop`; `Refused` when the file can be read; `Unreadable` when there is nothing to read.
    pub fn recovery(&self, key: &str) -> Result<RecoveryPage, Failure> {
        self.ask(key, |owner, key| owner.store.recovery(key))
    }

    /// Restores the content from before our last write, and ends the request that caused it. Doing it twice restores our write.
    ///
    /// # Errors
    /// `NothingToUndo`; `ChangedSince` when another program wrote after us; those of [`Runtime::act`].
    pub fn undo(&self, key: &str) -> Result<(), Failure> {
        self.change_loop(key, Wanted::Undo)
    }

    /// Writes version `id` of the history, after the person agreed; damaged files too. The current content is kept first: [`Runtime::undo`]
    /// restores it.
    ///
    /// # Errors
    /// `UnknownVersion`; those of [`Runtime::act`].
    pub fn restore(&self, key: &str, id: u32) -> Result<(), Failure> {
        self.change_loop(key, Wanted::Restore { version: id })
    }

    /// Puts the first text of a new loop in the place of the loop named `key`, whose bytes are kept.
    pub(crate) fn ask_replace(&self, key: &str, text: String) -> Result<(), Failure> {
        self.ask_change(key, move |owner, key| owner.store.replace_loop(key, text))
    }
}
