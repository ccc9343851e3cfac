//! What the checks of a loop's plan said of what its work claims.

use super::Runtime;
use crate::loop_reader::LocatedLoop;
use crate::store::verified::KnownProof;
use crate::views::{Failure, LoopPage};
use loopdeck_core::checklist::{self, Verification};
use loopdeck_core::referee;
use loopdeck_core::status::FileStatus;

impl Runtime {
    /// The results of the checks of a loop, newest first; empty before they ran.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn verifications(&self, key: &str) -> Result<Vec<Verification>, Failure> {
        let mut found = self.ask(key, |owner, key| owner.store.shown_verifications(key, 200))?;
        let located = self.find(key)?;
        if found.is_empty() || is_judged_by_its_file(&located) {
            return Ok(found);
        }
        let known = self.ask(key, |owner, key| owner.store.known_proof(key))?;
        let claims = referee::claims_of(&located.detail().0);
        let made_of = known.map(|known| referee::made_of(&known.checks, &claims));
        for verification in &mut found {
            verification.current = made_of.as_ref() == Some(&verification.made_of);
        }
        Ok(found)
    }

    /// The page with the checks of the loop's plan, and with what is proven of its claims. A loop whose file has its checks says that
    /// itself.
    pub(super) fn with_proof(&self, found: &LocatedLoop, mut page: LoopPage) -> LoopPage {
        if is_judged_by_its_file(found) {
            return page;
        }
        let known = self.ask(&page.row.key, |owner, key| owner.store.known_proof(key));
        // A loop without a plan, or gone meanwhile, has no proof.
        if let Ok(Some(known)) = known {
            add_proof(&mut page, known, found.entry.summary.status == FileStatus::Completed);
        }
        page
    }
}

fn is_judged_by_its_file(found: &LocatedLoop) -> bool {
    found.entry.summary.format.traits().has_completion_check
}

fn add_proof(page: &mut LoopPage, known: KnownProof, is_completed: bool) {
    let detail = &mut page.detail;
    let now = referee::claims_of(detail);
    let made_of = referee::made_of(&known.checks, &now);
    let iteration = page.row.iteration.map_or(0.0, |bar| bar.current);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small count
    referee::add_claims(detail, &known.memory.referee, iteration as u32);
    detail.checklist = known.checks;
    detail.checklist_total = checklist::total(&detail.checklist, is_completed);
    if let Some(found) = known.newest.filter(|found| found.made_of == made_of) {
        checklist::add_results(detail, &found);
    }
}
