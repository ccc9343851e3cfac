//! The layer of each item in one frame: after everything that comes before it.

/// Layer of each item, counted from the first: the longest path from an item without predecessors. Items that
/// only come before others move up to them. Edges `against` the direction count as reversed.
pub(super) fn layers(items: usize, edges: &[(usize, usize)], against: &[bool]) -> Vec<usize> {
    let turned: Vec<(usize, usize)> = edges
        .iter()
        .zip(against)
        .map(|((from, to), against)| if *against { (*to, *from) } else { (*from, *to) })
        .collect();
    let mut after = vec![Vec::new(); items];
    let mut before = vec![0usize; items];
    for (from, to) in &turned {
        after[*from].push(*to);
        before[*to] += 1;
    }
    let first: Vec<bool> = before.iter().map(|count| *count == 0).collect();
    let mut of = vec![0; items];
    let mut ready: Vec<usize> = (0..items).filter(|item| first[*item]).collect();
    let mut next = 0;
    while let Some(item) = ready.get(next).copied() {
        next += 1;
        for to in &after[item] {
            of[*to] = of[*to].max(of[item] + 1);
            before[*to] -= 1;
            if before[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    for item in (0..items).filter(|item| first[*item]) {
        let nearest = after[item].iter().map(|to| of[*to]).min();
        of[item] = nearest.map_or(0, |layer: usize| layer.saturating_sub(1));
    }
    of
}

/// Edges that close a cycle, found by a depth-first walk without recursion.
pub(super) fn circles(items: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut after = vec![Vec::new(); items];
    for (edge, (from, to)) in edges.iter().enumerate() {
        after[*from].push((edge, *to));
    }
    let mut against = vec![false; edges.len()];
    let mut marks = vec![Mark::New; items];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..items {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        stack.push((root, 0));
        while let Some((item, next)) = stack.last_mut() {
            match after[*item].get(*next) {
                None => {
                    marks[*item] = Mark::Done;
                    stack.pop();
                }
                Some((edge, to)) => {
                    *next += 1;
                    match marks[*to] {
                        Mark::Open => against[*edge] = true,
                        Mark::New => {
                            marks[*to] = Mark::Open;
                            stack.push((*to, 0));
                        }
                        Mark::Done => {}
                    }
                }
            }
        }
    }
    against
}
