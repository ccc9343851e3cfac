//! Which dependencies are on a cycle: both ends wait for each other, directly or through others.

use super::{DrawnEdge, UnitToDraw};
use std::collections::HashMap;

/// Marks the edges of cycles. A container waits for its children, so a child that waits for its container is
/// on one too.
pub(super) fn mark(units: &[UnitToDraw<'_>], edges: &mut [DrawnEdge]) {
    let mut index: HashMap<&str, usize> = HashMap::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        index.entry(unit.id).or_insert(at);
    }
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); units.len()];
    for (at, unit) in units.iter().enumerate() {
        waits[at].extend(unit.after.iter().filter_map(|id| index.get(id)));
        if let Some(parent) = unit.parent.and_then(|parent| index.get(parent)) {
            waits[*parent].push(at);
        }
    }
    let knots = knots(&waits);
    let knot = |id: &str| index.get(id).map(|at| knots[*at]);
    for edge in edges {
        let (from, to) = (knot(&edge.from), knot(&edge.to));
        edge.circle = from.is_some() && from == to;
    }
}

/// The strongly connected component of each unit: its units wait for each other (Tarjan, without recursion).
fn knots(waits: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let count = waits.len();
    let (mut seen, mut low, mut knot) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut open, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let (mut time, mut knots) = (0, 0);
    for root in 0..count {
        if seen[root] == NEW {
            path.push((root, 0));
        }
        while let Some((at, next)) = path.last_mut() {
            let (at, step) = (*at, *next);
            if step == 0 {
                (seen[at], low[at]) = (time, time);
                time += 1;
                open.push(at);
            }
            *next += 1;
            match waits[at].get(step) {
                Some(&to) if seen[to] == NEW => path.push((to, 0)),
                Some(&to) if knot[to] == NEW => low[at] = low[at].min(seen[to]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        low[*above] = low[*above].min(low[at]);
                    }
                    if low[at] == seen[at] {
                        let from = open.iter().rposition(|one| *one == at).unwrap_or_default();
                        for one in open.split_off(from) {
                            knot[one] = knots;
                        }
                        knots += 1;
                    }
                }
            }
        }
    }
    knot
}
