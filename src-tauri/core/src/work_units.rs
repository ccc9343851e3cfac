//! The units of a loop's work: its atoms, or its tasks when it has none. Both the graph and the drawing use
//! these, in this order.

use crate::view::{AtomState, AtomView, LoopDetail, TaskState, UnitStanding};
use std::collections::{HashMap, HashSet};

/// A unit, with what decides its position.
#[derive(Clone, Debug)]
pub(crate) struct PlainUnit<'d> {
    /// Its index in `atoms` or `tasks`.
    pub(crate) at: usize,
    pub(crate) id: &'d str,
    /// Ids that it waits for; they need not exist.
    pub(crate) after: Vec<&'d str>,
    /// The unit that contains it, by index; none if that would close a cycle.
    pub(crate) parent: Option<usize>,
    pub(crate) group: Option<&'d str>,
    pub(crate) critical: bool,
    pub(crate) standing: UnitStanding,
    /// 1-based line in the file.
    pub(crate) line: Option<u32>,
}

/// All units in file order; if several share an id, only the first.
pub(crate) fn units(detail: &LoopDetail) -> Vec<PlainUnit<'_>> {
    let (mut units, parents) = if detail.atoms.is_empty() { tasks(detail) } else { atoms(detail) };
    let places: HashMap<&str, usize> =
        units.iter().enumerate().map(|(place, unit)| (unit.id, place)).collect();
    let parents = parents.into_iter().map(|parent| places.get(parent?).copied()).collect();
    for (unit, parent) in units.iter_mut().zip(without_circles(parents)) {
        unit.parent = parent;
    }
    units
}

type Named<'d> = (Vec<PlainUnit<'d>>, Vec<Option<&'d str>>);

/// Which choice holds in place of another one of its group, by id.
struct Chosen<'d>(HashMap<&'d str, &'d str>);

impl<'d> Chosen<'d> {
    fn new(detail: &'d LoopDetail) -> Self {
        let selected: HashMap<&str, &str> = detail
            .or_groups
            .iter()
            .filter_map(|group| Some((group.name.as_str(), group.selected.as_deref()?)))
            .collect();
        let exists: HashSet<&str> = detail.atoms.iter().map(|atom| atom.id.as_str()).collect();
        let instead = detail.atoms.iter().filter_map(|atom| {
            let selected = selected.get(atom.or_group.as_deref()?)?;
            (*selected != atom.id && exists.contains(selected)).then_some((atom.id.as_str(), *selected))
        });
        Self(instead.collect())
    }

    /// What `atom` waits for: what it names, and the choice that holds where that is another one (AoT contract §9.2).
    fn after(&self, atom: &'d AtomView) -> Vec<&'d str> {
        let mut told: HashSet<&str> = atom.depends_on.iter().map(|on| on.id.as_str()).collect();
        told.insert(&atom.id);
        let mut after: Vec<&str> = Vec::with_capacity(atom.depends_on.len());
        for on in &atom.depends_on {
            after.push(&on.id);
            after.extend(self.0.get(on.id.as_str()).copied().filter(|chosen| told.insert(chosen)));
        }
        after
    }
}

fn atoms(detail: &LoopDetail) -> Named<'_> {
    let chosen = Chosen::new(detail);
    let mut known = HashSet::new();
    let first = detail.atoms.iter().enumerate().filter(|(_, atom)| known.insert(atom.id.as_str()));
    let unit = |(at, atom)| {
        let atom: &AtomView = atom;
        let unit = PlainUnit {
            at,
            id: &atom.id,
            after: chosen.after(atom),
            parent: None,
            group: atom.or_group.as_deref(),
            critical: atom.on_critical_path,
            standing: of_atom(atom.state),
            line: atom.line,
        };
        (unit, atom.parent.as_deref())
    };
    first.map(unit).unzip()
}

fn tasks(detail: &LoopDetail) -> Named<'_> {
    let mut known = HashSet::new();
    let first = detail.tasks.iter().enumerate().filter(|(_, task)| known.insert(task.id.as_str()));
    let unit = |(at, task)| {
        let task: &crate::view::TaskView = task;
        let unit = PlainUnit {
            at,
            id: &task.id,
            after: task.depends_on.iter().map(String::as_str).collect(),
            parent: None,
            group: None,
            critical: false,
            standing: of_task(task.state),
            line: task.line,
        };
        (unit, task.parent.as_deref())
    };
    first.map(unit).unzip()
}

fn of_atom(state: AtomState) -> UnitStanding {
    match state {
        AtomState::Resolved => UnitStanding::Done,
        AtomState::InProgress | AtomState::Ready => UnitStanding::Now,
        AtomState::Inactive | AtomState::Failed => UnitStanding::Idle,
        AtomState::Blocked | AtomState::Container | AtomState::ChooseBranch => UnitStanding::Open,
    }
}

/// A task that failed is still to be done.
fn of_task(state: TaskState) -> UnitStanding {
    match state {
        TaskState::Completed => UnitStanding::Done,
        TaskState::InProgress => UnitStanding::Now,
        TaskState::Dropped => UnitStanding::Idle,
        TaskState::Pending | TaskState::Failed | TaskState::Blocked | TaskState::Other => UnitStanding::Open,
    }
}

/// Every cycle of parents is cut at its last unit in the file.
fn without_circles(mut parents: Vec<Option<usize>>) -> Vec<Option<usize>> {
    /// Not visited; visited from this start; settled.
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        From(usize),
    }
    let mut seen = vec![Seen::Not; parents.len()];
    for start in 0..parents.len() {
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| seen[*at] == Seen::Not) {
            seen[at] = Seen::From(start);
            next = parents[at];
        }
        // It came back to a unit already on this path.
        let Some(first) = next.filter(|at| seen[*at] == Seen::From(start)) else { continue };
        let (mut last, mut at) = (first, first);
        while let Some(above) = parents[at].filter(|above| *above != first) {
            (last, at) = (last.max(above), above);
        }
        parents[last] = None;
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parents = &'static [Option<usize>];

    #[test]
    fn circles_of_parents_are_cut_at_the_last_of_them() {
        let table: [(Parents, Parents); 7] = [
            (&[], &[]),
            (&[None, Some(0), Some(1)], &[None, Some(0), Some(1)]),
            (&[Some(2), Some(0), None], &[Some(2), Some(0), None]),
            (&[Some(0)], &[None]),
            (&[Some(1), Some(0)], &[Some(1), None]),
            (&[Some(1), Some(2), Some(0), Some(1)], &[Some(1), Some(2), None, Some(1)]),
            (&[Some(3), Some(2), Some(1), Some(3)], &[Some(3), Some(2), None, None]),
        ];
        for (parents, expected) in table {
            assert_eq!(without_circles(parents.to_vec()), expected, "{parents:?}");
        }
    }
}
