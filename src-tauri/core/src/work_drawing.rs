//! The drawing of a loop's work: atoms with their containers and alternatives, or prep tasks with their
//! dependencies.

use crate::formats::aot::{self, NewAtom};
use crate::view::LoopDetail;
use crate::work_units;
use crate::work_view::work_view;
use loopdeck_graph::layout::{Direction, Drawing, Style, UnitToDraw, draw};
use serde::Serialize;
use specta::Type;

/// Work being typed, with its drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DraftedWork {
    /// The atoms as a loop's page has them, with their problems.
    pub detail: LoopDetail,
    /// Where they are drawn.
    pub drawing: Drawing,
}

/// The first atoms of a loop that does not exist yet; incomplete ones are drawn unchanged.
#[must_use]
pub fn drafted(atoms: &[NewAtom], direction: Direction) -> DraftedWork {
    let atoms = &atoms[..atoms.len().min(aot::forms::MAX_ATOMS)];
    let mut detail = if atoms.is_empty() { LoopDetail::default() } else { aot::draft(atoms) };
    detail.work = work_view(&detail);
    let drawing = drawing(&detail, &Style { direction, ..Style::default() });
    DraftedWork { detail, drawing }
}

/// Draws the atoms of a loop, or its tasks when it has none.
#[must_use]
pub fn drawing(detail: &LoopDetail, style: &Style) -> Drawing {
    let plain = work_units::units(detail);
    let mut drawn: Vec<UnitToDraw<'_>> = Vec::with_capacity(plain.len());
    for one in &plain {
        drawn.push(UnitToDraw {
            id: one.id,
            after: one.after.clone(),
            parent: one.parent.map(|parent| plain[parent].id),
            group: one.group,
            critical: one.critical,
        });
    }
    draw(&drawn, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_drawn_while_it_is_typed() {
        let atom = |id: &str, on: &[&str]| NewAtom {
            id: Some(id.into()),
            depends_on: on.iter().map(|id| (*id).to_owned()).collect(),
            ..NewAtom::default()
        };
        let drawn = drafted(&[atom("A1", &["A2"]), atom("A2", &["A1", "A7"])], Direction::Right);
        let names: Vec<&str> = drawn.drawing.units.iter().map(|unit| unit.id.as_str()).collect();
        assert_eq!(names, ["A1", "A2", "A7"], "also what is missing");
        assert!(drawn.drawing.edges.iter().any(|edge| edge.circle));
        assert!(drawn.detail.work.is_some_and(|work| !work.problems.is_empty() && work.missing.len() == 1));
        assert_eq!(drafted(&[], Direction::Down).drawing.units.len(), 0);
    }
    use crate::view::{AtomState, AtomView, DependencyView, TaskView};

    #[test]
    fn atoms_come_first_and_tasks_are_drawn_without_them() {
        let task = |id: &str, on: &[&str]| TaskView {
            id: id.into(),
            depends_on: on.iter().map(|id| (*id).to_owned()).collect(),
            ..TaskView::default()
        };
        let mut detail =
            LoopDetail { tasks: vec![task("t1", &[]), task("t2", &["t1"])], ..LoopDetail::default() };
        let drawn = drawing(&detail, &Style::default());
        assert_eq!((drawn.units.len(), drawn.edges.len()), (2, 1));
        let on = DependencyView { id: "A1".into(), known: true, satisfied: false, status: "pending".into() };
        let atom = |id: &str, on: &[DependencyView]| AtomView {
            id: id.into(),
            description: String::new(),
            status: "pending".into(),
            state: AtomState::Blocked,
            depends_on: on.to_vec(),
            blocked_by: Vec::new(),
            on_critical_path: true,
            ready_to_resolve: false,
            or_group: None,
            parent: None,
            children: Vec::new(),
            summary: None,
            summary_cut: false,
            artifacts: Vec::new(),
            has_result: false,
            line: None,
        };
        detail.atoms = vec![atom("A1", &[]), atom("A2", &[on])];
        let drawn = drawing(&detail, &Style::default());
        assert_eq!(drawn.units[0].id, "A1");
        assert!(drawn.edges[0].critical);
    }
}
