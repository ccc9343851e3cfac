//! Paths through the graph: cycles in which work can never finish, and the longest chain of remaining work.

use super::WorkGraph;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    OnPath,
    Done,
}

impl WorkGraph<'_> {
    /// Cycles in which work can never finish, each as the ids along it with the first repeated (V7); at most
    /// `limit`.
    ///
    /// Searches twice: the dependencies as written, and the effective waits (a container for its children, an
    /// unselected choice for the selected one).
    #[must_use]
    pub fn cycles(&self, limit: usize) -> Vec<Vec<String>> {
        let written = |at: usize, step: usize| self.units[at].depends_on.get(step).copied();
        let mut found = find_cycles(self.len(), written, limit);
        let differs = !self.groups.is_empty() || self.units.iter().any(|node| node.container);
        if found.is_empty() && differs {
            found = find_cycles(self.len(), |at, step| self.wait(at, step), limit);
        }
        let name = |at: &usize| self.id(*at).to_owned();
        found.iter().map(|cycle| cycle.iter().map(name).collect()).collect()
    }

    /// The longest chain of units that must be done one after the other, in order.
    ///
    /// Containers and parts of unselected alternatives are passed through without being counted. Of equal
    /// chains, the first in file order. A chain breaks where units wait in a cycle.
    #[must_use]
    pub fn critical_path(&self) -> Vec<usize> {
        let mut chains = Chains { length: vec![0; self.len()], before: vec![None; self.len()] };
        let mut marks = vec![Mark::New; self.len()];
        let mut longest: Option<usize> = None;
        for start in (0..self.len()).filter(|at| self.counts(*at)) {
            self.measure(start, &mut marks, &mut chains);
            if longest.is_none_or(|best| chains.length[start] > chains.length[best]) {
                longest = Some(start);
            }
        }
        let mut path = Vec::new();
        while let Some(at) = longest {
            if self.counts(at) {
                path.push(at);
            }
            longest = chains.before[at];
        }
        path.reverse();
        path
    }

    /// `roots` and everything built on them: dependent units, the containers above them, and the children of
    /// a root that is a container; in file order.
    #[must_use]
    pub fn built_on(&self, roots: &[usize]) -> Vec<usize> {
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (at, node) in self.units.iter().enumerate() {
            for need in node.depends_on.iter().chain(&node.children).copied().flatten() {
                above[need].push(at);
            }
            if let Some(group) = node.group.filter(|_| self.is_inactive(at)) {
                beside[group].push(at);
            }
        }
        let mut touched = vec![false; self.len()];
        let mut open: Vec<usize> = roots.to_vec();
        let mut below = 0;
        while let Some(root) = open.get(below).copied() {
            below += 1;
            if !std::mem::replace(&mut touched[root], true) {
                open.extend(self.children(root));
            }
        }
        // A unit that waits for an unselected alternative waits for the selected one instead.
        let mut done = vec![false; self.len()];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut done[at], true) {
                continue;
            }
            touched[at] = true;
            open.extend(&above[at]);
            let chosen = self.units[at].group.filter(|group| self.groups[*group].selected_at == Some(at));
            for other in chosen.iter().flat_map(|group| &beside[*group]) {
                open.extend(above[*other].iter().filter(|waiting| !self.units[**waiting].container));
            }
        }
        (0..self.len()).filter(|at| touched[*at]).collect()
    }

    /// Whether it still has work of its own to do.
    fn counts(&self, at: usize) -> bool {
        self.is_unresolved(at) && !self.is_idle(at) && !self.is_container(at)
    }

    /// Finds the chain that ends at `start`, and all chains it needs.
    fn measure(&self, start: usize, marks: &mut [Mark], chains: &mut Chains) {
        if marks[start] != Mark::New {
            return;
        }
        marks[start] = Mark::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let Some(to) = self.wait(at, *next) else {
                chains.length[at] += u32::from(self.counts(at));
                marks[at] = Mark::Done;
                path.pop();
                continue;
            };
            match to.filter(|to| !self.units[*to].satisfied) {
                Some(to) if marks[to] == Mark::New => {
                    marks[to] = Mark::OnPath;
                    path.push((to, 0));
                    // The edge is visited again when its end is measured.
                    continue;
                }
                Some(to) if marks[to] == Mark::Done => chains.follow(at, to),
                _ => {}
            }
            *next += 1;
        }
    }
}

/// The longest chain that ends at each unit: its length, and the unit before.
struct Chains {
    length: Vec<u32>,
    before: Vec<Option<usize>>,
}

impl Chains {
    fn follow(&mut self, at: usize, to: usize) {
        if self.length[to] > self.length[at] {
            self.length[at] = self.length[to];
            self.before[at] = Some(to);
        }
    }
}

/// Depth-first search with an explicit path; each edge back into the path is one cycle.
fn find_cycles(
    units: usize,
    edge: impl Fn(usize, usize) -> Option<Option<usize>>,
    limit: usize,
) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::New; units];
    let mut found = Vec::new();
    for start in 0..units {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let Some(to) = edge(at, *next) else {
                marks[at] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let Some(to) = to else { continue };
            match marks[to] {
                Mark::New => {
                    marks[to] = Mark::OnPath;
                    path.push((to, 0));
                }
                Mark::OnPath if found.len() < limit => found.push(circle(&path, to)),
                Mark::OnPath | Mark::Done => {}
            }
        }
    }
    found
}

fn circle(path: &[(usize, usize)], back_to: usize) -> Vec<usize> {
    let on_circle = path.iter().map(|(at, _)| *at).skip_while(|at| *at != back_to);
    on_circle.chain(std::iter::once(back_to)).collect()
}
