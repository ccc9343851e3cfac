//! Checks that change their mind while the files stay the same.

use super::{EvidenceCheck, EvidenceRecord};
use crate::checklist::Verdict;

/// A check that passed and failed on the same content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlakyCheck {
    /// Which.
    pub check: EvidenceCheck,
    /// The hash of the content on which it did.
    pub content: String,
    /// How often it passed on it.
    pub passed: u32,
    /// How often it failed on it.
    pub failed: u32,
}

/// Flaky checks in a history of results, in the order in which they showed; each once for each content. A result without a content, or
/// without a verdict, tells nothing.
#[must_use]
pub fn flaky<'r>(history: impl IntoIterator<Item = &'r EvidenceRecord>) -> Vec<FlakyCheck> {
    let mut seen: Vec<FlakyCheck> = Vec::new();
    for record in history {
        let (Some(check), Some(content)) = (&record.check, &record.content) else { continue };
        let known = seen.iter().position(|known| known.check == *check && known.content == *content);
        let at = known.unwrap_or_else(|| {
            seen.push(FlakyCheck { check: check.clone(), content: content.clone(), passed: 0, failed: 0 });
            seen.len() - 1
        });
        match record.verdict {
            Verdict::Pass => seen[at].passed += 1,
            Verdict::Fail => seen[at].failed += 1,
            Verdict::Unknown => {}
        }
    }
    seen.retain(|check| check.passed > 0 && check.failed > 0);
    seen
}
