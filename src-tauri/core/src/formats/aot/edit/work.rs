//! A state being changed: what the steps of a driver and of a person have in common.

use super::draft::{MapPlace, PendingChanges};
use super::long_result::long_result;
use super::operation::NewAtom;
use super::written::{Fields, Written};
use crate::formats::aot::check::lint;
use crate::formats::aot::create::first_atoms;
use crate::formats::aot::read::state::AotState;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use crate::times::{self, Timestamp};
use loopdeck_graph::work_graph::{Blocker, WorkGraph};
use std::collections::HashSet;

/// A state with its graph, and the draft of what changes.
pub(crate) struct Work<'w, 'a> {
    pub(crate) state: &'w AotState<'a>,
    pub(crate) graph: &'w WorkGraph<'w>,
    pub(crate) draft: PendingChanges<'a>,
    pub(crate) trail: &'w [(String, usize)],
    pub(crate) now: Timestamp,
}

/// A refusal with the id it is about.
pub(crate) fn refusal(code: RefusalCode, id: &str) -> Refusal {
    Refusal::new(code).with("id", id)
}

impl Work<'_, '_> {
    pub(crate) fn find(&self, id: &str) -> Result<usize, Refusal> {
        self.graph.find(id).ok_or_else(|| refusal(RefusalCode::UnknownAtom, id))
    }

    /// An atom that is not resolved.
    pub(crate) fn unresolved(&self, id: &str) -> Result<usize, Refusal> {
        let at = self.find(id)?;
        if self.graph.is_unresolved(at) { Ok(at) } else { Err(refusal(RefusalCode::AtomResolved, id)) }
    }

    fn in_progress(&self, id: &str) -> Result<usize, Refusal> {
        let at = self.unresolved(id)?;
        if self.graph.is_container(at) {
            return Err(refusal(RefusalCode::AtomIsContainer, id));
        }
        if self.state.atoms[at].word == "in_progress" {
            Ok(at)
        } else {
            Err(refusal(RefusalCode::AtomNotInProgress, id))
        }
    }

    pub(crate) fn start(&mut self, ids: &[String]) -> Result<(), Refusal> {
        let limit = usize::try_from(self.state.objective.max_parallel_agents).unwrap_or(0);
        if ids.len() > limit {
            return Err(bad_value("max_parallel_agents"));
        }
        for id in ids {
            let at = self.unresolved(id)?;
            if self.graph.is_container(at) {
                return Err(refusal(RefusalCode::AtomIsContainer, id));
            }
            if !self.graph.is_ready(at) {
                let by = self.graph.blocked_by(at);
                let by: Vec<&str> = by.iter().map(Blocker::name).collect();
                return Err(refusal(RefusalCode::AtomNotReady, id).with("by", by.join(", ")));
            }
            self.draft.atom_status(at, "in_progress")?;
        }
        Ok(())
    }

    pub(crate) fn resolve(&mut self, id: &str, summary: &str, artifacts: &[String]) -> Result<(), Refusal> {
        let at = self.in_progress(id)?;
        if summary.trim().is_empty() {
            return Err(bad_value("summary"));
        }
        self.draft.atom_status(at, "resolved")?;
        self.unbind(id);
        match long_result(id, self.state.control.iteration, summary) {
            Some(long) => {
                let artifacts: Vec<String> =
                    [long.artifact].into_iter().chain(artifacts.iter().cloned()).collect();
                self.bind(id, &long.short, &artifacts);
            }
            None => self.bind(id, summary, artifacts),
        }
        Ok(())
    }

    /// Writes the result of an atom; an older one is removed (AoT contract §10, V14).
    fn bind(&mut self, id: &str, summary: &str, artifacts: &[String]) {
        let artifacts = Written::texts(artifacts.iter().map(String::as_str));
        let fields: Fields = vec![("summary", Written::summary(summary)), ("artifacts", artifacts)];
        self.draft.additions.entry("bindings", id, fields);
    }

    pub(crate) fn unbind(&mut self, id: &str) {
        for (index, _) in self.state.bindings.iter().enumerate().filter(|(_, binding)| binding.id == id) {
            self.draft.additions.remove("bindings", index);
        }
    }

    pub(crate) fn fail(&mut self, id: &str) -> Result<(), Refusal> {
        let at = self.in_progress(id)?;
        if let Some(group) = self.graph.group_name(at) {
            return Err(refusal(RefusalCode::AtomInGroup, id).with("group", group));
        }
        self.unbind(id);
        self.draft.atom_status(at, "pending")
    }

    pub(crate) fn decompose(
        &mut self,
        parent: &str,
        children: &[NewAtom],
        reason: &str,
    ) -> Result<(), Refusal> {
        let at = self.unresolved(parent)?;
        if children.is_empty() {
            return Err(bad_value("children"));
        }
        if reason.trim().is_empty() {
            return Err(bad_value("reason"));
        }
        if self.state.atoms[at].word == "in_progress" {
            self.draft.atom_status(at, "pending")?;
        }
        self.unbind(parent);
        let inherited: Vec<String> =
            self.state.atoms[at].depends_on.iter().map(|id| id.clone().into_owned()).collect();
        let ids = self.add_atoms(children, &inherited)?;
        self.draft.additions.item(
            "decompositions",
            vec![
                ("parent", Written::id(parent)),
                ("children", Written::ids(ids.iter().map(String::as_str))),
                ("reason", Written::text(reason)),
            ],
        );
        Ok(())
    }

    /// Adds atoms, as choices of their groups if they name one, and returns their ids in order.
    pub(crate) fn add_atoms(
        &mut self,
        atoms: &[NewAtom],
        inherited: &[String],
    ) -> Result<Vec<String>, Refusal> {
        let ids = self.new_ids(atoms)?;
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for (atom, id) in atoms.iter().zip(&ids) {
            if atom.description.trim().is_empty() {
                return Err(bad_value("description"));
            }
            let known = |need: &&String| self.graph.find(need).is_none() && !ids.contains(need);
            if let Some(unknown) = atom.depends_on.iter().find(known) {
                return Err(refusal(RefusalCode::UnknownAtom, unknown));
            }
            let own = atom.depends_on.iter().filter(|id| !inherited.contains(id));
            let needs = Written::ids(inherited.iter().chain(own).map(String::as_str));
            let mut fields: Fields = vec![
                ("id", Written::id(id)),
                ("description", Written::text(&atom.description)),
                ("status", Written::word("pending")),
                ("depends_on", needs),
            ];
            if let Some(group) = &atom.or_group {
                fields.push(("or_group", Written::id(group)));
                match groups.iter_mut().find(|(name, _)| name == group) {
                    Some((_, choices)) => choices.push(id),
                    None => groups.push((group, vec![id])),
                }
            }
            self.draft.additions.item("atoms", fields);
        }
        for (group, choices) in groups {
            self.add_choices(group, &choices)?;
        }
        Ok(ids)
    }

    fn new_ids(&self, atoms: &[NewAtom]) -> Result<Vec<String>, Refusal> {
        let ids = first_atoms::ids(atoms, self.state.atoms.iter().map(|atom| &*atom.id));
        let mut used = HashSet::new();
        for id in &ids {
            if !lint::is_plain_id(id) {
                return Err(bad_value("id"));
            }
            if self.graph.find(id).is_some() || !used.insert(id) {
                return Err(refusal(RefusalCode::IdTaken, id));
            }
        }
        Ok(ids)
    }

    fn add_choices(&mut self, group: &str, new: &[&str]) -> Result<(), Refusal> {
        if !lint::is_plain_id(group) {
            return Err(bad_value("or_group"));
        }
        match self.group(group) {
            Ok(index) => {
                let choices = &self.state.or_groups[index].choices;
                let all = choices.iter().map(AsRef::as_ref).chain(new.iter().copied());
                self.draft.set(MapPlace::OrGroup(index), "choices", &Written::ids(all))
            }
            Err(_) => {
                let fields: Fields = vec![
                    ("choices", Written::ids(new.iter().copied())),
                    ("selected", Written::word("null")),
                    ("failed", Written::ids([])),
                ];
                self.draft.additions.entry("or_groups", group, fields);
                Ok(())
            }
        }
    }

    pub(crate) fn resolve_containers(&mut self) -> Result<(), Refusal> {
        let graph = self.graph;
        let done: Vec<usize> = (0..graph.len()).filter(|at| graph.ready_to_resolve(*at)).collect();
        self.unbind_all(&done.iter().map(|at| graph.id(*at)).collect());
        for at in done {
            let children: Vec<&str> = graph.children(at).map(|child| graph.id(child)).collect();
            self.draft.atom_status(at, "resolved")?;
            self.bind(graph.id(at), &format!("Completed via {} resolution", children.join(", ")), &[]);
        }
        Ok(())
    }

    pub(crate) fn group(&self, name: &str) -> Result<usize, Refusal> {
        let found = self.state.or_groups.iter().position(|group| group.name == name);
        found.ok_or_else(|| Refusal::new(RefusalCode::UnknownGroup).with("group", name))
    }

    /// Atom `id`, an alternative or part of one, has failed: the next choice of its group is selected. A
    /// group that is exhausted inside another alternative makes that one fail too; without one above, the
    /// loop stops.
    pub(crate) fn backtrack(&mut self, id: &str, why: &str) -> Result<(), Refusal> {
        let at = self.unresolved(id)?;
        let Some(mut failed) = self.graph.alternative(at) else {
            return Err(Refusal::new(RefusalCode::UnknownGroup).with("group", ""));
        };
        if self.state.atoms[at].word == "in_progress" {
            self.draft.atom_status(at, "pending")?;
        }
        self.unbind(id);
        let mut why = if failed == at { why.trim().to_owned() } else { format!("{id}: {}", why.trim()) };
        while let Exhausted::Yes { group } = self.fail_choice(failed, &why)? {
            let Some(above) =
                self.graph.alternative_above(failed).filter(|above| !self.graph.is_idle(*above))
            else {
                if self.state.control.status != "running" {
                    return Ok(()); // whoever ended it said why
                }
                let reason = format!("OR group exhausted: {group} - all alternatives failed");
                self.draft.control("status", &Written::word("stopped"))?;
                return self.draft.control("stop_reason", &Written::reason(&reason));
            };
            why = format!("{}: {why}", self.graph.id(failed));
            failed = above;
        }
        Ok(())
    }

    /// Records that a choice has failed, and selects the next one if it was the selected one.
    fn fail_choice(&mut self, at: usize, why: &str) -> Result<Exhausted, Refusal> {
        let (id, name) = (self.graph.id(at), self.graph.group_name(at).unwrap_or_default());
        let index = self.group(name)?;
        let group = &self.state.or_groups[index];
        self.draft.atom_status(at, "pending")?;
        self.unbind(id);
        let mut failed: Vec<&str> = group.failed.iter().map(AsRef::as_ref).collect();
        if !failed.contains(&id) {
            failed.push(id);
        }
        let chosen = group.selected.as_deref().is_none_or(|selected| selected == id);
        let next = first_choice(self, index, &failed);
        if let Some(next) = next.filter(|_| chosen) {
            self.draft.set(MapPlace::OrGroup(index), "selected", &Written::id(next))?;
            self.trail(name, next, &format!("Auto-backtrack: {id} failed ({why})"));
        }
        self.draft.set(MapPlace::OrGroup(index), "failed", &Written::ids(failed))?;
        let is_exhausted = chosen && next.is_none();
        Ok(if is_exhausted { Exhausted::Yes { group: name.to_owned() } } else { Exhausted::No })
    }

    pub(crate) fn select(&mut self, name: &str, id: Option<&str>, reason: &str) -> Result<(), Refusal> {
        let index = self.group(name)?;
        let group = &self.state.or_groups[index];
        let failed: Vec<&str> = group.failed.iter().map(AsRef::as_ref).collect();
        let id = match id {
            Some(id) => id.to_owned(),
            None => first_choice(self, index, &failed).unwrap_or_default().to_owned(),
        };
        let choice = group.choices.iter().any(|choice| *choice == *id) && !failed.contains(&id.as_str());
        if !choice || self.graph.find(&id).is_none() {
            return Err(refusal(RefusalCode::NotAChoice, &id).with("group", name));
        }
        if let Some(before) = group.selected.as_deref().filter(|before| *before != id)
            && let Some(at) = self.graph.find(before)
            && self.state.atoms[at].word == "in_progress"
        {
            self.draft.atom_status(at, "pending")?;
        }
        self.draft.set(MapPlace::OrGroup(index), "selected", &Written::id(&id))?;
        self.trail(name, &id, reason);
        Ok(())
    }

    pub(crate) fn trail(&mut self, group: &str, selected: &str, reason: &str) {
        self.draft.additions.item(
            "trail",
            vec![
                ("or_group", Written::id(group)),
                ("selected", Written::id(selected)),
                ("reason", Written::text(reason)),
                ("timestamp", Written::Quoted(times::to_iso_seconds(self.now))),
            ],
        );
    }

    pub(crate) fn complete(&mut self) -> Result<(), Refusal> {
        let graph = self.graph;
        let open = (0..graph.len()).find(|at| graph.is_unresolved(*at) && !graph.is_idle(*at));
        if let Some(at) = open {
            return Err(Refusal::new(RefusalCode::NotDone).with("field", "atoms").with("id", graph.id(at)));
        }
        self.draft.control("status", &Written::word("completed"))?;
        self.draft.control("stop_reason", &Written::word("null"))
    }

    /// Removes the results of all these atoms.
    pub(crate) fn unbind_all(&mut self, ids: &HashSet<&str>) {
        for (index, binding) in self.state.bindings.iter().enumerate() {
            if ids.contains(&*binding.id) {
                self.draft.additions.remove("bindings", index);
            }
        }
    }
}

/// Whether an OR group has a choice left.
enum Exhausted {
    No,
    Yes { group: String },
}

/// The first choice that exists and has not failed.
fn first_choice<'w>(work: &Work<'w, '_>, group: usize, failed: &[&str]) -> Option<&'w str> {
    let (state, failed): (&'w AotState<'_>, HashSet<&str>) = (work.state, failed.iter().copied().collect());
    let mut choices = state.or_groups[group].choices.iter().map(AsRef::as_ref);
    choices.find(|id: &&str| !failed.contains(id) && work.graph.find(id).is_some())
}
