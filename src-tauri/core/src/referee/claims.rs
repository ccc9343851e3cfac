//! What the work of a loop says is done, and what the checks said of it since.

use super::RefereeMemory;
use crate::checklist::Verdict;
use crate::control::Situation;
use crate::format::Format;
use crate::formats::loop_format::KnownFile;
use crate::status::{FileStatus, StatusWord};
use crate::view::{ClaimCounts, ClaimedItem, Claims, Companion, LoopDetail, TaskState};
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};

/// Characters of an item's text that are kept.
const LONGEST_TEXT: usize = 200;

/// An item that the work calls done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Claim {
    /// As the work names it; for boxes without names, their number.
    pub id: String,
    /// Its text. Untrusted.
    pub text: String,
}

/// Adds to `detail` what it claims and what of that is proven, as the referee remembers it.
pub fn add_claims(detail: &mut LoopDetail, memory: &RefereeMemory, iteration: u32) {
    let items = shown_items(&claims_of(detail), &memory.items, iteration);
    detail.claims = Some(totals(&items, memory));
    let done = detail.tasks.iter_mut().filter(|task| task.state == TaskState::Completed);
    for (task, item) in done.zip(items) {
        task.claim = Some(item);
    }
}

fn totals(items: &[ClaimedItem], memory: &RefereeMemory) -> Claims {
    let ClaimCounts { claimed, proven } = ClaimCounts::of(items).unwrap_or_default();
    let (accepted, accepted_by) = (memory.accepted.clone(), memory.accepted_by.clone());
    Claims { claimed, proven, accepted, accepted_by }
}

/// What `detail` calls done.
#[must_use]
pub fn claims_of(detail: &LoopDetail) -> Vec<Claim> {
    let done = detail.tasks.iter().filter(|task| task.state == TaskState::Completed);
    done.map(|task| Claim { id: task.id.clone(), text: shorten(&task.description, LONGEST_TEXT) }).collect()
}

/// The claims in the order of the work, each with what became of it; one that no check has seen yet is claimed only.
fn shown_items(claims: &[Claim], known: &[ClaimedItem], iteration: u32) -> Vec<ClaimedItem> {
    let item = |claim: &Claim| {
        let known = known.iter().find(|item| item.id == claim.id && item.text == claim.text);
        known.cloned().unwrap_or_else(|| ClaimedItem {
            id: claim.id.clone(),
            text: claim.text.clone(),
            claimed: iteration,
            ..ClaimedItem::default()
        })
    };
    claims.iter().map(item).collect()
}

/// The page of a loop that runs.
pub(super) fn detail(format: Format, file: KnownFile<'_>, beside: &[Companion]) -> LoopDetail {
    let situation = Situation { shown: StatusWord::Running, now: file.1.now };
    format.rules().detail(file, &situation, beside)
}

/// What the work claims, whether that is all of it, and its iteration; `None` for a file that cannot be read.
pub(super) fn read(
    format: Format,
    file: KnownFile<'_>,
    beside: &[Companion],
) -> Option<(Vec<Claim>, bool, i64)> {
    let summary = format.rules().summary(file).filter(|summary| summary.status != FileStatus::Unreadable)?;
    let detail = detail(format, file, beside);
    let claims = claims_of(&detail);
    let is_open = |state| !matches!(state, TaskState::Completed | TaskState::Dropped);
    let is_left = detail.tasks.iter().any(|task| !task.optional && is_open(task.state));
    let is_all = !claims.is_empty() && !is_left;
    #[allow(clippy::cast_possible_truncation)] // a small count
    let iteration = summary.iteration.map_or(0, |bar| bar.current as i64);
    Some((claims, is_all, iteration))
}

impl RefereeMemory {
    /// What was claimed and proven when the work was looked at last; none when nothing was claimed.
    #[must_use]
    pub fn counts(&self) -> Option<ClaimCounts> {
        ClaimCounts::of(&shown_items(&self.claims, &self.items, 0))
    }

    /// Whether something is called done that no check has seen.
    pub(super) fn has_new_claims(&self) -> bool {
        self.claims.iter().any(|claim| !self.is_known(claim))
    }

    fn is_known(&self, claim: &Claim) -> bool {
        self.items.iter().any(|item| item.id == claim.id && item.text == claim.text)
    }

    /// What the checks say of the claims. When nothing new is claimed and a check fails, what was proven broke; otherwise the new claims
    /// are not proven, and the others stay what they were.
    pub(super) fn note_verdict(&mut self, verdict: Verdict) {
        let iteration = u32::try_from(self.iteration).unwrap_or_default();
        let is_new = self.has_new_claims();
        self.items = shown_items(&self.claims, &self.items, iteration);
        for item in &mut self.items {
            match verdict {
                Verdict::Pass if !item.is_proven() => (item.proven, item.accepted) = (Some(iteration), false),
                Verdict::Fail if !is_new && item.is_proven() => item.broke = Some(iteration),
                _ => {}
            }
        }
    }

    pub(super) fn accept_items(&mut self) {
        let unproven = self.items.iter_mut().filter(|item| !item.is_proven());
        unproven.for_each(|item| item.accepted = true);
    }
}
