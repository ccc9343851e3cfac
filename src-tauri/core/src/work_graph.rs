//! Which piece of work can start, what it waits for, and what can never finish (AoT contract §9).
//!
//! Pure and iterative: chains of any length cost their length, never the stack.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// How far one unit of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Resolved,
    /// A word nobody knows: neither done nor to be done.
    Other,
}

/// What is known of one unit when the graph is built.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'t> {
    /// Its id; the first unit of an id counts.
    pub id: &'t str,
    /// How far it is.
    pub progress: Progress,
    /// Ids it waits for.
    pub depends_on: &'t [Cow<'t, str>],
    /// The OR group it names.
    pub group: Option<&'t str>,
}

/// What is known of one OR group when the graph is built.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'t> {
    /// Its name.
    pub name: &'t str,
    /// Ids to choose from.
    pub choices: &'t [Cow<'t, str>],
    /// The chosen one.
    pub selected: Option<&'t str>,
    /// Tried in vain.
    pub failed: &'t [Cow<'t, str>],
}

/// Why a unit cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// Waits for this unit.
    WaitsFor(String),
    /// Depends on an id that does not exist.
    Missing(String),
    /// It is one of the failed choices of this group.
    FailedIn(String),
    /// Another choice of this group is selected.
    NotSelected(String),
    /// This group has no choice yet.
    ChooseBranch(String),
}

/// The graph of all units.
#[derive(Debug)]
pub struct WorkGraph<'t> {
    units: Vec<Node<'t>>,
    groups: Vec<Group<'t>>,
    index: HashMap<&'t str, usize>,
}

#[derive(Debug)]
struct Node<'t> {
    unit: Unit<'t>,
    depends_on: Vec<Option<usize>>,
    children: Vec<Option<usize>>,
    container: bool,
    group: Option<usize>,
    failed: bool,
    satisfied: bool,
}

#[derive(Debug)]
struct Group<'t> {
    name: &'t str,
    selected: Option<&'t str>,
}

impl<'t> WorkGraph<'t> {
    /// Builds the graph; `contains` are pairs of parent and child.
    #[must_use]
    pub fn new(units: &[Unit<'t>], groups: &[Choice<'t>], contains: &[(&'t str, &'t str)]) -> Self {
        let mut index = HashMap::with_capacity(units.len());
        for (at, unit) in units.iter().enumerate() {
            index.entry(unit.id).or_insert(at);
        }
        let node = |unit: &Unit<'t>| Node {
            unit: *unit,
            depends_on: unit.depends_on.iter().map(|id| index.get(id.as_ref()).copied()).collect(),
            children: Vec::new(),
            container: false,
            group: None,
            failed: false,
            satisfied: false,
        };
        let mut graph = Self { units: units.iter().map(node).collect(), groups: Vec::new(), index };
        graph.join_groups(groups);
        graph.join_children(contains);
        graph.settle();
        graph
    }

    /// Membership is the union of a group's choices and the units that name it (§9.1).
    fn join_groups(&mut self, groups: &[Choice<'t>]) {
        let mut names = HashMap::new();
        for group in groups {
            let at = *names.entry(group.name).or_insert(self.groups.len());
            if at == self.groups.len() {
                self.groups.push(Group { name: group.name, selected: group.selected });
            }
            for id in group.choices {
                if let Some(unit) = self.index.get(id.as_ref()).copied() {
                    self.units[unit].group.get_or_insert(at);
                }
            }
        }
        for at in 0..self.units.len() {
            let Some(name) = self.units[at].unit.group else { continue };
            let group = *names.entry(name).or_insert(self.groups.len());
            if group == self.groups.len() {
                self.groups.push(Group { name, selected: None });
            }
            self.units[at].group = Some(group);
        }
        for group in groups {
            for id in group.failed {
                let member = self.index.get(id.as_ref()).copied();
                if let Some(unit) = member.filter(|unit| self.group_name(*unit) == Some(group.name)) {
                    self.units[unit].failed = true;
                }
            }
        }
    }

    fn join_children(&mut self, contains: &[(&str, &str)]) {
        let mut known = HashSet::new();
        for (parent, child) in contains {
            let Some(parent) = self.find(parent) else { continue };
            self.units[parent].container = true;
            if known.insert((parent, *child)) {
                let child = self.find(child);
                self.units[parent].children.push(child);
            }
        }
    }

    /// Where `id` stands in the list of units.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there is no unit at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Whether others do the work of unit `at`.
    #[must_use]
    pub fn is_container(&self, at: usize) -> bool {
        self.units[at].container
    }

    /// Known children of unit `at`.
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.units[at].children.iter().copied().flatten()
    }

    /// The group unit `at` belongs to.
    #[must_use]
    pub fn group_name(&self, at: usize) -> Option<&'t str> {
        self.units[at].group.map(|group| self.groups[group].name)
    }

    /// Whether another choice of its group is selected.
    #[must_use]
    pub fn is_inactive(&self, at: usize) -> bool {
        self.selected_beside(at).is_some()
    }

    /// Whether it belongs to a group without a choice.
    #[must_use]
    pub fn needs_choice(&self, at: usize) -> bool {
        self.units[at].group.is_some_and(|group| self.groups[group].selected.is_none())
    }

    /// Whether it is among the failed choices of its group.
    #[must_use]
    pub fn has_failed(&self, at: usize) -> bool {
        self.units[at].failed
    }

    /// Whether `id` counts as done for those who wait for it (§9.2).
    #[must_use]
    pub fn satisfied(&self, id: &str) -> bool {
        self.find(id).is_some_and(|at| self.units[at].satisfied)
    }

    /// Whether unit `at` could start now (§9.3).
    #[must_use]
    pub fn is_ready(&self, at: usize) -> bool {
        let node = &self.units[at];
        node.unit.progress == Progress::Pending
            && !node.container
            && !node.failed
            && !self.needs_choice(at)
            && !self.is_inactive(at)
            && node.depends_on.iter().all(|dep| dep.is_some_and(|dep| self.units[dep].satisfied))
    }

    /// All that could start now, in file order.
    pub fn ready(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.units.len()).filter(|at| self.is_ready(*at))
    }

    /// Why unit `at` cannot start; empty when nothing holds it (§9.3).
    #[must_use]
    pub fn blocked_by(&self, at: usize) -> Vec<Blocker> {
        let node = &self.units[at];
        let mut blockers = Vec::new();
        if let Some(group) = self.group_name(at) {
            if node.failed {
                blockers.push(Blocker::FailedIn(group.to_owned()));
            }
            if self.needs_choice(at) {
                blockers.push(Blocker::ChooseBranch(group.to_owned()));
            } else if self.is_inactive(at) {
                blockers.push(Blocker::NotSelected(group.to_owned()));
            }
        }
        for (id, dep) in node.unit.depends_on.iter().zip(&node.depends_on) {
            match dep {
                None => blockers.push(Blocker::Missing(id.to_string())),
                Some(dep) if !self.units[*dep].satisfied => blockers.push(Blocker::WaitsFor(id.to_string())),
                Some(_) => {}
            }
        }
        blockers
    }

    /// Circles in which work can never finish, each as the ids along it with the first repeated (V7); at most `limit`.
    ///
    /// Looked for twice: in the dependencies as written, and in what really waits for what (a container for its
    /// children, an unselected choice for the selected one).
    #[must_use]
    pub fn cycles(&self, limit: usize) -> Vec<Vec<String>> {
        let written: Vec<Vec<usize>> =
            self.units.iter().map(|node| node.depends_on.iter().copied().flatten().collect()).collect();
        let mut found = find_cycles(&written, limit);
        if found.is_empty() {
            let waits: Vec<Vec<usize>> = (0..self.units.len()).map(|at| self.waits_for(at)).collect();
            found = find_cycles(&waits, limit);
        }
        let name = |at: &usize| self.units[*at].unit.id.to_owned();
        found.iter().map(|cycle| cycle.iter().map(name).collect()).collect()
    }

    fn waits_for(&self, at: usize) -> Vec<usize> {
        let node = &self.units[at];
        if let Some(selected) = self.selected_beside(at) {
            return self.find(selected).into_iter().collect();
        }
        let edges = if node.container { &node.children } else { &node.depends_on };
        edges.iter().copied().flatten().collect()
    }

    fn selected_beside(&self, at: usize) -> Option<&'t str> {
        let node = &self.units[at];
        self.groups[node.group?].selected.filter(|selected| *selected != node.unit.id)
    }

    /// Computes `satisfied` for all units. Every rule is an "and", so whatever lies on a circle is not satisfied.
    fn settle(&mut self) {
        let needs: Vec<Option<Vec<Option<usize>>>> = (0..self.units.len()).map(|at| self.needs(at)).collect();
        let mut judged = vec![Judged::New; self.units.len()];
        for start in 0..self.units.len() {
            if judged[start] != Judged::New {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                let need = match &needs[at] {
                    None => Some(Judged::No),
                    Some(needs) => match needs.get(*next) {
                        None => Some(Judged::Yes),
                        Some(None) => Some(Judged::No),
                        Some(Some(need)) => {
                            judged[at] = Judged::OnPath;
                            match judged[*need] {
                                Judged::Yes => *next += 1,
                                Judged::New => path.push((*need, 0)),
                                // Meeting a unit that is being judged means a circle.
                                Judged::No | Judged::OnPath => judged[at] = Judged::No,
                            }
                            (judged[at] == Judged::No).then_some(Judged::No)
                        }
                    },
                };
                if let Some(verdict) = need {
                    judged[at] = verdict;
                    path.pop();
                }
            }
        }
        for (node, verdict) in self.units.iter_mut().zip(judged) {
            node.satisfied = verdict == Judged::Yes;
        }
    }

    /// What must be satisfied for unit `at` to be; `None` when nothing but its own work can do it (§9.2).
    fn needs(&self, at: usize) -> Option<Vec<Option<usize>>> {
        let node = &self.units[at];
        if node.unit.progress == Progress::Resolved {
            return Some(Vec::new());
        }
        if let Some(selected) = self.selected_beside(at) {
            return Some(vec![self.find(selected)]);
        }
        node.container.then(|| node.children.clone())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Judged {
    New,
    OnPath,
    Yes,
    No,
}

/// Depth-first search with an explicit path; each edge back into the path is one circle.
fn find_cycles(edges: &[Vec<usize>], limit: usize) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::New; edges.len()];
    let mut found = Vec::new();
    for start in 0..edges.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let Some(to) = edges[at].get(*next).copied() else {
                marks[at] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
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

#[cfg(test)]
mod tests {
    use super::*;

    type Ids = Vec<Cow<'static, str>>;

    /// Units as `id:status:dep,dep:group`; groups as `name:choice,choice:selected:failed`; containment as `parent>child`.
    struct Spec {
        units: Vec<(String, Progress, Ids, Option<String>)>,
        groups: Vec<(String, Ids, Option<String>, Ids)>,
        contains: Vec<(String, String)>,
    }

    fn list(text: &str) -> Vec<Cow<'static, str>> {
        text.split(',').filter(|id| !id.is_empty()).map(|id| Cow::Owned(id.to_owned())).collect()
    }

    fn some(text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn spec(units: &[&str], groups: &[&str], contains: &[&str]) -> Spec {
        let parts = |text: &str, n: usize| text.split(':').nth(n).unwrap_or_default().to_owned();
        let progress = |word: &str| match word {
            "p" => Progress::Pending,
            "i" => Progress::InProgress,
            "r" => Progress::Resolved,
            _ => Progress::Other,
        };
        Spec {
            units: units
                .iter()
                .map(|u| (parts(u, 0), progress(&parts(u, 1)), list(&parts(u, 2)), some(&parts(u, 3))))
                .collect(),
            groups: groups
                .iter()
                .map(|g| (parts(g, 0), list(&parts(g, 1)), some(&parts(g, 2)), list(&parts(g, 3))))
                .collect(),
            contains: contains
                .iter()
                .filter_map(|c| c.split_once('>').map(|(a, b)| (a.to_owned(), b.to_owned())))
                .collect(),
        }
    }

    fn with_graph<T>(spec: &Spec, look: impl FnOnce(&WorkGraph<'_>) -> T) -> T {
        let units: Vec<Unit<'_>> = spec
            .units
            .iter()
            .map(|(id, progress, depends_on, group)| Unit {
                id,
                progress: *progress,
                depends_on,
                group: group.as_deref(),
            })
            .collect();
        let groups: Vec<Choice<'_>> = spec
            .groups
            .iter()
            .map(|(name, choices, selected, failed)| Choice {
                name,
                choices,
                selected: selected.as_deref(),
                failed,
            })
            .collect();
        let contains: Vec<(&str, &str)> =
            spec.contains.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        look(&WorkGraph::new(&units, &groups, &contains))
    }

    fn ready(units: &[&str], groups: &[&str], contains: &[&str]) -> Vec<String> {
        let spec = spec(units, groups, contains);
        with_graph(&spec, |graph| graph.ready().map(|at| graph.units[at].unit.id.to_owned()).collect())
    }

    fn cycles(units: &[&str], groups: &[&str], contains: &[&str]) -> Vec<String> {
        with_graph(&spec(units, groups, contains), |graph| {
            graph.cycles(9).iter().map(|c| c.join(" -> ")).collect()
        })
    }

    #[test]
    fn a_dependency_must_be_resolved() {
        assert_eq!(ready(&["A:r", "B:p:A", "C:p:B", "D:p", "E:i"], &[], &[]), ["B", "D"]);
    }

    #[test]
    fn an_unknown_dependency_is_never_satisfied() {
        assert!(ready(&["A:p:nobody"], &[], &[]).is_empty());
        let spec = spec(&["A:p:nobody,B", "B:p"], &[], &[]);
        let blockers = with_graph(&spec, |graph| graph.blocked_by(0));
        assert_eq!(blockers, [Blocker::Missing("nobody".into()), Blocker::WaitsFor("B".into())]);
    }

    #[test]
    fn containers_are_satisfied_by_all_children_and_never_ready() {
        let units =
            |last: &str| vec!["P:p".to_owned(), "C1:r".to_owned(), last.to_owned(), "X:p:P".to_owned()];
        let run = |last: &str| {
            let units = units(last);
            let units: Vec<&str> = units.iter().map(String::as_str).collect();
            ready(&units, &[], &["P>C1", "P>C2"])
        };
        assert_eq!(run("C2:p"), ["C2"]);
        assert_eq!(run("C2:r"), ["X"]);
        assert!(ready(&["P:p", "X:p:P"], &[], &["P>gone"]).is_empty());
    }

    #[test]
    fn the_selected_choice_stands_for_its_group() {
        let groups = ["g:A,B:B:A"];
        assert_eq!(ready(&["A:p::g", "B:p::g", "X:p:A"], &groups, &[]), ["B"]);
        assert_eq!(ready(&["A:p::g", "B:r::g", "X:p:A"], &groups, &[]), ["X"]);
        assert!(ready(&["A:p::g", "B:p::g"], &["g:A,B"], &[]).is_empty());
        assert!(ready(&["A:p", "B:p"], &["g:A,B:A:A"], &[]).is_empty());
        assert!(ready(&["A:p::unlisted"], &[], &[]).is_empty());
    }

    #[test]
    fn circles_are_found_in_dependencies_containment_and_selection() {
        assert_eq!(cycles(&["A:p:B", "B:p:A"], &[], &[]), ["A -> B -> A"]);
        assert_eq!(cycles(&["A:p:A"], &[], &[]), ["A -> A"]);
        assert_eq!(cycles(&["A1:p:A5", "A3:p:A1", "A5:p"], &[], &["A5>A3"]), ["A1 -> A5 -> A3 -> A1"]);
        assert_eq!(cycles(&["A:p", "B:p"], &[], &["A>B", "B>A"]), ["A -> B -> A"]);
        assert_eq!(cycles(&["A:p::g", "B:p:A:g"], &["g:A,B:B"], &[]), ["A -> B -> A"]);
    }

    #[test]
    fn what_is_no_deadlock_is_no_circle() {
        assert!(cycles(&["A:p", "B:p:A", "C:p:A,B"], &[], &[]).is_empty());
        // The container waits for a neighbour of its child: it is never executed, so nothing waits in a circle.
        assert!(cycles(&["P:p:X", "C:p", "X:p:C"], &[], &["P>C"]).is_empty());
    }

    #[test]
    fn circles_are_not_satisfied_and_end() {
        let spec = spec(&["A:p", "B:p", "X:p:A"], &[], &["A>B", "B>A"]);
        assert!(!with_graph(&spec, |graph| graph.satisfied("A") || graph.satisfied("B")));
    }

    #[test]
    fn long_chains_and_wide_containers_cost_no_stack_and_little_time() {
        let n = 50_000;
        let id = |k: usize| format!("A{k}");
        let mut deep = Spec { units: Vec::new(), groups: Vec::new(), contains: Vec::new() };
        for k in 0..n {
            let progress = if k + 1 == n { Progress::Resolved } else { Progress::Pending };
            deep.units.push((id(k), progress, list(&id(k + 1)), None));
            if k + 1 < n {
                deep.contains.push((id(k), id(k + 1)));
                deep.contains.push((id(0), id(k + 1)));
            }
        }
        assert!(with_graph(&deep, |graph| graph.satisfied("A0") && graph.cycles(9).is_empty()));
    }
}
