//! A new loop in the place of an old one: the format has one loop in a folder (AoT contract §13).

use crate::store::draft::PutBack;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::Failure;
use loopdeck_core::control::Verb;
use loopdeck_core::loops;

/// In the journal: the first text of a new loop, over the last one of an old loop.
pub(crate) const NEW_LOOP: &str = "new_loop";

impl WorkspaceStore {
    /// Writes `text` over the loop named `key`. The old bytes are kept as a version first, so it can be undone, and
    /// restored later.
    ///
    /// # Errors
    /// A refusal while anybody works on the old loop; those of a write.
    pub(crate) fn replace_loop(&mut self, key: &str, text: String) -> Result<(), Failure> {
        let entry = self.entry(key)?;
        self.driver_context().refuse_at_work([entry.key()])?;
        let moment = self.moment();
        // What may not be deleted may not be replaced either.
        self.refuse_beside(key)?;
        if let Some(refusal) = loops::refuse(&entry.summary, Verb::Delete, &entry.situation(moment.at)) {
            return Err(refusal.into());
        }
        let put =
            PutBack { word: NEW_LOOP, bytes: text.into_bytes(), readable: true, over: None, ends: true };
        self.put_back(&entry, &put, moment)?;
        self.driver_context().forget_works(|known| **known == *key);
        Ok(())
    }
}
