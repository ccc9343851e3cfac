//! What the choice of an OR group means for the parts of its alternatives.
//!
//! An alternative can be decomposed. Its parts are worked on only while it is the selected choice and has not failed.

use super::WorkGraph;

/// The position of a unit among the branches of the OR groups above it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Branch {
    /// The nearest alternative above that cannot be worked on now: failed, not selected, or nothing is selected yet.
    held_by: Option<usize>,
    /// Every container above belongs to an alternative that is not selected.
    abandoned: bool,
}

impl WorkGraph<'_> {
    /// Whether unit `at` is part of an alternative that is not, or no longer, selected.
    #[must_use]
    pub fn is_abandoned(&self, at: usize) -> bool {
        self.units[at].branch.abandoned
    }

    /// Whether unit `at` has nothing to do: another choice is selected instead of it, or instead of something
    /// above it.
    #[must_use]
    pub fn is_idle(&self, at: usize) -> bool {
        self.is_inactive(at) || self.is_abandoned(at)
    }

    /// The alternative above unit `at` that blocks it.
    pub(super) fn held_by(&self, at: usize) -> Option<usize> {
        self.units[at].branch.held_by
    }

    /// The alternative that fails when unit `at` fails: `at` itself, or the nearest alternative it is part
    /// of.
    #[must_use]
    pub fn alternative(&self, at: usize) -> Option<usize> {
        let mut unit = at;
        // A cycle of containers has no alternative; no chain is longer than the list.
        for _ in 0..self.len() {
            if self.units[unit].group.is_some() {
                return Some(unit);
            }
            let parents = &self.units[unit].parents;
            unit =
                parents.iter().copied().find(|parent| !self.is_idle(*parent)).or(parents.first().copied())?;
        }
        None
    }

    /// The alternative that contains the alternative `at`.
    #[must_use]
    pub fn alternative_above(&self, at: usize) -> Option<usize> {
        self.units[at].parents.first().and_then(|parent| self.alternative(*parent))
    }

    /// The containers that unit `at` is part of, nearest first; at most `limit`.
    #[must_use]
    pub fn containers_of(&self, at: usize, limit: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut child = at;
        while let Some(parent) = self.units[child].parents.first().copied() {
            if found.len() >= limit || found.contains(&parent) {
                break;
            }
            found.push(parent);
            child = parent;
        }
        found
    }

    /// Passes a block on an alternative down to its parts, parents before children. A part that another
    /// parent still needs stays active. Units on a cycle of containers stay unchanged; they can never start
    /// (V7).
    pub(super) fn spread_branches(&mut self) {
        let mut waiting: Vec<usize> = self.units.iter().map(|unit| unit.parents.len()).collect();
        let mut open: Vec<usize> = (0..self.len()).filter(|at| waiting[*at] == 0).collect();
        while let Some(at) = open.pop() {
            self.units[at].branch = self.branch_below(&self.units[at].parents);
            for step in 0..self.units[at].children.len() {
                let Some(child) = self.units[at].children[step] else { continue };
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    open.push(child);
                }
            }
        }
    }

    fn branch_below(&self, parents: &[usize]) -> Branch {
        let holds = |at: usize| {
            let holds = self.has_failed(at) || self.needs_choice(at) || self.is_inactive(at);
            if holds { Some(at) } else { self.held_by(at) }
        };
        let held_by = match parents.iter().all(|parent| holds(*parent).is_some()) {
            true => parents.first().and_then(|parent| holds(*parent)),
            false => None,
        };
        let abandoned = !parents.is_empty() && parents.iter().all(|parent| self.is_idle(*parent));
        Branch { held_by, abandoned }
    }
}
