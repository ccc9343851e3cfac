//! The drawing of a loop's work: atoms with their containers and alternatives, or prep tasks with what they wait for.

use crate::graph_layout::{Drawing, Style, Unit, draw};
use crate::view::LoopDetail;

/// Draws the atoms of a loop, or its tasks when it has none.
#[must_use]
pub fn drawing(detail: &LoopDetail, style: &Style) -> Drawing {
    let units: Vec<Unit<'_>> = if detail.atoms.is_empty() { tasks(detail) } else { atoms(detail) };
    draw(&units, style)
}

fn atoms(detail: &LoopDetail) -> Vec<Unit<'_>> {
    detail
        .atoms
        .iter()
        .map(|atom| Unit {
            id: &atom.id,
            after: atom.depends_on.iter().map(|on| on.id.as_str()).collect(),
            parent: atom.parent.as_deref(),
            group: atom.or_group.as_deref(),
            critical: atom.on_critical_path,
        })
        .collect()
}

fn tasks(detail: &LoopDetail) -> Vec<Unit<'_>> {
    detail
        .tasks
        .iter()
        .map(|task| Unit {
            id: &task.id,
            after: task.depends_on.iter().map(String::as_str).collect(),
            ..Unit::default()
        })
        .collect()
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
