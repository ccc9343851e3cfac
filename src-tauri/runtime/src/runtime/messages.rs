//! The door of messages to the agents of a loop.

use super::Runtime;
use crate::store::journal::Journal;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, MessageView};
use loopdeck_core::format::Handling;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_execution::person::person_or_unknown;
use loopdeck_execution::preferences::plan::Driver;
use loopdeck_system::clock;

/// Longest message, in characters: a prompt has room for so many.
const LONGEST: usize = 2_000;

impl Runtime {
    /// The messages to a loop, oldest first; the newest 30.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn messages(&self, key: &str) -> Result<Vec<MessageView>, Failure> {
        let messages = self.in_journal(key, Journal::messages)?;
        Ok(messages.into_iter().map(Into::into).collect())
    }

    /// Keeps a message for the next agent of the loop, whoever drives it; answers its number.
    ///
    /// # Errors
    /// `UnknownLoop`; `OnAnotherMachine`; `BadForm` without a text and with one that is too long; a refusal for a loop whose prompts
    /// Loopdeck does not write; `OwnData`.
    pub fn add_message(&self, key: &str, text: &str) -> Result<u32, Failure> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > LONGEST {
            return Err(Failure::new(FailureKind::BadForm).with("field", "text"));
        }
        self.add_message_about(key, "", text)
    }

    /// The same about a place in a file, as long as it may be.
    pub(super) fn add_message_about(&self, key: &str, about: &str, text: &str) -> Result<u32, Failure> {
        self.refuse_elsewhere(key)?;
        let (about, text) = (about.to_owned(), text.to_owned());
        self.ask(key, move |owner, key| owner.store.add_message(key, &about, &text))
    }

    /// Forgets a message that is not delivered.
    ///
    /// # Errors
    /// `UnknownMessage` when it is, or there is none; `UnknownLoop`; `OwnData`.
    pub fn withdraw_message(&self, key: &str, id: u32) -> Result<(), Failure> {
        let removed = self.ask(key, move |owner, key| {
            let removed = owner.store.in_journal(key, |journal, of| journal.remove_message(of, id.into()));
            owner.store.write_catalog(|catalog| catalog.put_again(key));
            removed
        })?;
        if removed { Ok(()) } else { Err(Failure::new(FailureKind::UnknownMessage)) }
    }
}

impl WorkspaceStore {
    fn add_message(&mut self, key: &str, about: &str, text: &str) -> Result<u32, Failure> {
        let entry = self.entry(key)?;
        let plan = self.driver_context().plan_of(key)?;
        let is_ours = plan.is_none_or(|plan| plan.driver == Driver::Loopdeck);
        if entry.summary.format.handling() != Handling::Driven || !is_ours {
            return Err(Refusal::because(RefusalCode::NotInFormat, &entry.summary).into());
        }
        let by = person_or_unknown();
        let id =
            self.in_journal(key, |journal, of| journal.add_message(of, (&by, about, text), clock::now()))?;
        self.write_catalog(|catalog| catalog.put_again(key)); // for its timeline
        Ok(u32::try_from(id).unwrap_or(u32::MAX))
    }
}
