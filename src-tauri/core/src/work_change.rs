//! Differences between two versions of a file in the units of its graph. The page of a large graph uses these
//! between full reads.

use crate::format::Format;
use crate::view::{
    AtomView, ChangedUnit, DecompositionView, LoopDetail, OrGroupView, UnitKind, WorkTotals, WorkUnit,
    WorkView,
};
use crate::work_view::work_view;

/// The units of a graph in one version of the file.
#[derive(Clone, Debug)]
pub struct WorkVersion(LoopDetail);

impl WorkVersion {
    /// Reads it; none when there are no atoms, or the file is unreadable.
    #[must_use]
    pub fn read(format: Format, bytes: &[u8]) -> Option<Self> {
        let mut part = format.rules().graph_part(bytes)?;
        part.work = work_view(&part);
        part.work.is_some().then_some(Self(part))
    }

    /// Takes the graph out of a full view, whose units are what [`WorkVersion::read`] reads; none when there is no graph of atoms.
    pub fn take(detail: &mut LoopDetail) -> Option<Self> {
        let work = detail.work.as_mut().filter(|work| work.of == UnitKind::Atom)?;
        let taken = WorkView { units: std::mem::take(&mut work.units), ..work.clone() };
        Some(Self(LoopDetail {
            work: Some(taken),
            atoms: std::mem::take(&mut detail.atoms),
            batch: detail.batch.clone(),
            or_groups: detail.or_groups.clone(),
            decompositions: detail.decompositions.clone(),
            trail: detail.trail.clone(),
            ..LoopDetail::default()
        }))
    }

    /// Its atoms, in file order.
    #[must_use]
    pub fn atoms(&self) -> &[AtomView] {
        &self.0.atoms
    }

    /// Its units, in file order.
    #[must_use]
    pub fn units(&self) -> &[WorkUnit] {
        self.0.work.as_ref().map_or(&[], |work| &work.units)
    }

    /// How many units it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.units().len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Indices of the units that differ from `before`; none when the graph itself has changed.
    #[must_use]
    pub fn changed_since(&self, before: &Self) -> Option<Vec<usize>> {
        if !same_graph(&self.0, &before.0) {
            return None;
        }
        let differs = |place: &usize| self.unit_and_atom(*place) != before.unit_and_atom(*place);
        Some((0..self.len()).filter(differs).collect())
    }

    fn unit_and_atom(&self, place: usize) -> Option<(&WorkUnit, &AtomView)> {
        let unit = self.units().get(place)?;
        Some((unit, self.0.atoms.get(unit.at as usize)?))
    }

    /// The unit at an index, for the page.
    #[must_use]
    pub fn unit(&self, place: usize) -> Option<ChangedUnit> {
        let (unit, atom) = self.unit_and_atom(place)?;
        Some(ChangedUnit { place: u32::try_from(place).ok()?, unit: unit.clone(), atom: atom.clone() })
    }

    /// The overall progress.
    #[must_use]
    pub fn totals(&self) -> WorkTotals {
        self.0.work.as_ref().map(|work| work.totals).unwrap_or_default()
    }

    /// What the next round starts.
    #[must_use]
    pub fn batch(&self) -> &[String] {
        &self.0.batch
    }
}

/// Whether the same units are connected in the same way, regardless of their states.
fn same_graph(one: &LoopDetail, other: &LoopDetail) -> bool {
    alike(&one.atoms, &other.atoms, same_place)
        && alike(&one.or_groups, &other.or_groups, same_choices)
        && alike(&one.decompositions, &other.decompositions, same_split)
        && one.trail == other.trail
}

fn alike<T>(one: &[T], other: &[T], same: fn(&T, &T) -> bool) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

fn same_place(one: &AtomView, other: &AtomView) -> bool {
    one.id == other.id
        && one.or_group == other.or_group
        && one.parent == other.parent
        && one.children == other.children
        && alike(&one.depends_on, &other.depends_on, |one, other| one.id == other.id)
}

fn same_choices(one: &OrGroupView, other: &OrGroupView) -> bool {
    *one == OrGroupView { satisfied: one.satisfied, ..other.clone() }
}

fn same_split(one: &DecompositionView, other: &DecompositionView) -> bool {
    *one == DecompositionView { done: one.done, ..other.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::AtomState;

    const PLAN: &str = "---\nobjective:\n  goal: \"G\"\n  base_case:\n    type: file\n    value: \"x\"\n\ncontrol:\n  status: running\n\natoms:\n  \
        - id: A1\n    description: \"One\"\n    status: pending\n    depends_on: []\n  \
        - id: A2\n    description: \"Two\"\n    status: pending\n    depends_on: [A1]\n  \
        - id: A3\n    description: \"Three\"\n    status: pending\n    depends_on: []\n\n\
        decompositions: []\n\nor_groups: {}\n\nbindings: {}\n\ntrail: []\n\ncorrections: []\n---\n";

    fn version(text: &str) -> WorkVersion {
        WorkVersion::read(Format::Aot, text.as_bytes()).expect("a graph")
    }

    fn changed(from: &str, to: &str) -> Option<Vec<(String, AtomState)>> {
        let after = version(to);
        let places = after.changed_since(&version(from))?;
        let told = places.into_iter().filter_map(|place| after.unit(place));
        Some(told.map(|told| (told.atom.id, told.atom.state)).collect())
    }

    #[test]
    fn a_unit_that_is_done_changes_those_that_wait_for_it_and_no_other() {
        let done = PLAN.replacen("status: pending", "status: resolved", 1);
        let told = [("A1".to_owned(), AtomState::Resolved), ("A2".to_owned(), AtomState::Ready)];
        assert_eq!(changed(PLAN, &done).as_deref(), Some(&told[..]));
        assert_eq!(changed(&done, &done), Some(Vec::new()));
        assert_eq!(
            (version(&done).totals().done, version(&done).batch()),
            (1, &["A2".to_owned(), "A3".to_owned()][..])
        );
    }

    #[test]
    fn another_graph_is_read_as_a_whole() {
        for other in [
            PLAN.replace("depends_on: [A1]", "depends_on: [A3]"),
            PLAN.replace("id: A3", "id: A4"),
            PLAN.replace("depends_on: []\n\ndecompositions", "depends_on: []\n    or_group: way\n\ndecompositions"),
            PLAN.replace("or_groups: {}", "or_groups:\n  way:\n    choices: [A1, A3]\n    selected: A1\n    failed: []"),
            PLAN.replace("trail: []", "trail:\n  - or_group: way\n    selected: A1\n    reason: \"r\"\n    timestamp: \"2026-01-01T00:00:00Z\""),
        ] {
            assert_ne!(other, PLAN);
            assert_eq!(changed(PLAN, &other), None, "{other}");
        }
    }

    #[test]
    fn what_has_no_atoms_is_not_followed() {
        assert!(WorkVersion::read(Format::Aot, b"half a f").is_none());
        assert!(WorkVersion::read(Format::LoopV2, b"{}").is_none());
    }
}
