//! Which piece of work can start, what it waits for, and what can never finish (AoT contract §9).
//!
//! Pure and iterative: a chain costs time proportional to its length, never stack.

mod branches;
mod paths;
#[cfg(test)]
mod tests;

use branches::Branch;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The state of one unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Not started.
    Pending,
    /// Started.
    InProgress,
    /// Done.
    Resolved,
    /// An unknown word: neither done nor to be done.
    Other,
}

/// What is known about a unit when the graph is built.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'t> {
    /// Its id; if two units share one, the first counts.
    pub id: &'t str,
    /// Its state.
    pub progress: Progress,
    /// Ids it waits for.
    pub depends_on: &'t [Cow<'t, str>],
    /// The OR group it names.
    pub group: Option<&'t str>,
}

/// What is known about an OR group when the graph is built.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'t> {
    /// Its name.
    pub name: &'t str,
    /// Ids to choose from.
    pub choices: &'t [Cow<'t, str>],
    /// The chosen one.
    pub selected: Option<&'t str>,
    /// Tried and failed.
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

impl Blocker {
    /// The id or group it refers to.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::WaitsFor(name)
            | Self::Missing(name)
            | Self::FailedIn(name)
            | Self::NotSelected(name)
            | Self::ChooseBranch(name) => name,
        }
    }
}

/// The graph of all units.
#[derive(Debug)]
pub struct WorkGraph<'t> {
    units: Vec<Node<'t>>,
    groups: Vec<Group<'t>>,
    index: HashMap<&'t str, usize>,
    group_index: HashMap<&'t str, usize>,
}

#[derive(Debug)]
struct Node<'t> {
    unit: Unit<'t>,
    depends_on: Vec<Option<usize>>,
    children: Vec<Option<usize>>,
    parents: Vec<usize>,
    container: bool,
    branch: Branch,
    group: Option<usize>,
    failed: bool,
    satisfied: bool,
}

#[derive(Debug)]
struct Group<'t> {
    name: &'t str,
    selected: Option<&'t str>,
    selected_at: Option<usize>,
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
            parents: Vec::new(),
            container: false,
            branch: Branch::default(),
            group: None,
            failed: false,
            satisfied: false,
        };
        let units = units.iter().map(node).collect();
        let mut graph = Self { units, groups: Vec::new(), index, group_index: HashMap::new() };
        graph.join_groups(groups);
        graph.join_children(contains);
        graph.spread_branches();
        graph.settle();
        graph
    }

    /// Membership is the union of a group's choices and the units that name it (§9.1).
    fn join_groups(&mut self, groups: &[Choice<'t>]) {
        let mut names = std::mem::take(&mut self.group_index);
        for group in groups {
            let at = *names.entry(group.name).or_insert(self.groups.len());
            if at == self.groups.len() {
                let selected_at = group.selected.and_then(|id| self.find(id));
                self.groups.push(Group { name: group.name, selected: group.selected, selected_at });
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
                self.groups.push(Group { name, selected: None, selected_at: None });
            }
            self.units[at].group = Some(group);
        }
        self.group_index = names;
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
                if let Some(child) = child {
                    self.units[child].parents.push(parent);
                }
            }
        }
    }

    /// Index of `id` in the list of units.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there are no units.
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

    /// Whether `id` counts as done for the units that wait for it (§9.2).
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
            && self.held_by(at).is_none()
            && node.depends_on.iter().all(|dep| dep.is_some_and(|dep| self.units[dep].satisfied))
    }

    /// All units that could start now, in file order.
    pub fn ready(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.units.len()).filter(|at| self.is_ready(*at))
    }

    /// What one round starts: the first `limit` of the ready list (§9.3).
    pub fn batch(&self, limit: usize) -> impl Iterator<Item = usize> + '_ {
        self.ready().take(limit)
    }

    /// Whether the selected choice of group `name` is satisfied.
    #[must_use]
    pub fn group_satisfied(&self, name: &str) -> bool {
        let group = self.group_index.get(name).map(|at| &self.groups[*at]);
        group.and_then(|group| group.selected_at).is_some_and(|at| self.units[at].satisfied)
    }

    /// How many children of unit `at` are satisfied, and how many it has.
    #[must_use]
    pub fn children_done(&self, at: usize) -> (usize, usize) {
        let children = &self.units[at].children;
        let done = |child: &&Option<usize>| child.is_some_and(|child| self.units[child].satisfied);
        (children.iter().filter(done).count(), children.len())
    }

    /// Whether unit `at` is an unresolved container whose children have all done their work (§9.5).
    #[must_use]
    pub fn ready_to_resolve(&self, at: usize) -> bool {
        let (done, all) = self.children_done(at);
        self.units[at].container && self.is_unresolved(at) && done == all && !self.is_idle(at)
    }

    /// Whether unit `at` is pending or in progress.
    #[must_use]
    pub fn is_unresolved(&self, at: usize) -> bool {
        matches!(self.units[at].unit.progress, Progress::Pending | Progress::InProgress)
    }

    /// The id of unit `at`.
    #[must_use]
    pub fn id(&self, at: usize) -> &'t str {
        self.units[at].unit.id
    }

    /// Why unit `at` cannot start; empty when nothing blocks it (§9.3).
    #[must_use]
    pub fn blocked_by(&self, at: usize) -> Vec<Blocker> {
        let node = &self.units[at];
        let mut blockers = self.blocked_by_choice(at);
        if let Some(above) = self.held_by(at) {
            blockers.extend(self.blocked_by_choice(above));
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

    fn blocked_by_choice(&self, at: usize) -> Vec<Blocker> {
        let mut blockers = Vec::new();
        let Some(group) = self.group_name(at) else { return blockers };
        if self.has_failed(at) {
            blockers.push(Blocker::FailedIn(group.to_owned()));
        }
        if self.needs_choice(at) {
            blockers.push(Blocker::ChooseBranch(group.to_owned()));
        } else if self.is_inactive(at) {
            blockers.push(Blocker::NotSelected(group.to_owned()));
        }
        blockers
    }

    /// The `step`-th unit that unit `at` waits for. The outer `None` means no more, the inner one an unknown
    /// id.
    ///
    /// A container waits for its children, an unselected choice for the selected one.
    fn wait(&self, at: usize, step: usize) -> Option<Option<usize>> {
        let node = &self.units[at];
        if self.is_inactive(at) {
            let group = &self.groups[node.group?];
            return (step == 0).then_some(group.selected_at);
        }
        if node.container { &node.children } else { &node.depends_on }.get(step).copied()
    }

    fn selected_beside(&self, at: usize) -> Option<&'t str> {
        let node = &self.units[at];
        self.groups[node.group?].selected.filter(|selected| *selected != node.unit.id)
    }

    /// Computes `satisfied` for all units. Every rule is an "and", so nothing on a cycle is satisfied.
    fn settle(&mut self) {
        let mut judged = vec![Judged::New; self.units.len()];
        for start in 0..self.units.len() {
            if judged[start] != Judged::New {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                let need = match self.need(at, *next) {
                    Need::Nothing => Some(Judged::Yes),
                    Need::Never => Some(Judged::No),
                    Need::Unit(need) => {
                        judged[at] = Judged::OnPath;
                        match judged[need] {
                            Judged::Yes => *next += 1,
                            Judged::New => path.push((need, 0)),
                            // Reaching a unit that is still being judged means a cycle.
                            Judged::No | Judged::OnPath => judged[at] = Judged::No,
                        }
                        (judged[at] == Judged::No).then_some(Judged::No)
                    }
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

    /// The `step`-th condition for unit `at` to be satisfied (§9.2).
    fn need(&self, at: usize, step: usize) -> Need {
        let node = &self.units[at];
        if node.unit.progress == Progress::Resolved {
            return Need::Nothing;
        }
        if !node.container && !self.is_inactive(at) {
            return Need::Never;
        }
        match self.wait(at, step) {
            None => Need::Nothing,
            Some(None) => Need::Never,
            Some(Some(unit)) => Need::Unit(unit),
        }
    }
}

/// One condition for a unit to be satisfied.
enum Need {
    /// No more.
    Nothing,
    /// A condition that cannot be met: its own work, or an id that does not exist.
    Never,
    /// This one.
    Unit(usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Judged {
    New,
    OnPath,
    Yes,
    No,
}
