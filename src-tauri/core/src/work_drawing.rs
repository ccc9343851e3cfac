//! The drawing of a loop's work: atoms with their containers and alternatives, or prep tasks with what they wait for.

use crate::graph_layout::{Drawing, Style, Unit, draw};
use crate::view::LoopDetail;
use crate::work_units;

/// Draws the atoms of a loop, or its tasks when it has none.
#[must_use]
pub fn drawing(detail: &LoopDetail, style: &Style) -> Drawing {
    let plain = work_units::units(detail);
    let mut drawn: Vec<Unit<'_>> = Vec::with_capacity(plain.len());
    for one in &plain {
        drawn.push(Unit {
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
            artifacts: Vec::new(),
            line: None,
        };
        detail.atoms = vec![atom("A1", &[]), atom("A2", &[on])];
        let drawn = drawing(&detail, &Style::default());
        assert_eq!(drawn.units[0].id, "A1");
        assert!(drawn.edges[0].critical);
    }
}
