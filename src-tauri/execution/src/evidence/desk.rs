//! What a work knows of the evidence that it keeps.

use loopdeck_core::evidence::EvidenceRecord;

/// Results of a work that are in its evidence, or on their way there.
#[derive(Debug, Default)]
pub(crate) struct EvidenceDesk {
    /// What was found of the work as it is.
    added: Vec<EvidenceRecord>,
    /// Who accepts the work as it is.
    pub(crate) accepted_by: String,
    /// Results were found while no Loopdeck was there: which files they are about is not known.
    pub(crate) is_found_again: bool,
    /// Names what is being added now.
    pub(crate) adding: Option<String>,
}

impl EvidenceDesk {
    /// What is not added yet of `found`.
    pub(crate) fn take_new(&mut self, found: Vec<EvidenceRecord>) -> Vec<EvidenceRecord> {
        // It stays the same result when the work calls more done since.
        let bare = |record: &EvidenceRecord| EvidenceRecord { items: Vec::new(), ..record.clone() };
        let known: Vec<EvidenceRecord> = self.added.iter().map(bare).collect();
        self.added.clone_from(&found);
        found.into_iter().filter(|record| !known.contains(&bare(record))).collect()
    }
}
