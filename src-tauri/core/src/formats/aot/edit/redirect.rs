//! A person changes the direction (AoT contract §7): the change and its correction in one write.

use super::draft::MapPlace;
use super::operation::{ConstraintPatch, Correction, NewAtom, ObjectivePatch};
use super::work::{Work, refusal};
use super::written::Written;
use crate::formats::aot::forms::STEPS;
use crate::formats::aot::read::state::text;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use loopdeck_text::yaml_span::YamlNode;
use std::collections::HashSet;

/// The OR group of each trail entry with the entry's index; entries of other shapes have none.
pub(crate) fn trail_groups(root: &YamlNode<'_>) -> Vec<(String, usize)> {
    let entries = root.get("trail").map(YamlNode::items).unwrap_or_default().iter().enumerate();
    entries.map(|(index, entry)| (text(entry.get("or_group")).into_owned(), index)).collect()
}

/// A correction without effect is not recorded.
fn nothing_changes() -> Refusal {
    Refusal::new(RefusalCode::NothingChanges)
}

impl Work<'_, '_> {
    /// Any redirect also ends the hold and lets atoms in progress wait again: their worker is gone.
    pub(crate) fn redirect(&mut self, change: &Correction, description: &str) -> Result<(), Refusal> {
        if description.trim().is_empty() {
            return Err(bad_value("description"));
        }
        let kind = match change {
            Correction::Objective(_) => "objective_change",
            Correction::Constraints(_) => "constraint_change",
            Correction::AddAtom(_)
            | Correction::DeleteAtom { .. }
            | Correction::ForceSelection { .. }
            | Correction::EditAtom { .. }
            | Correction::Decompose { .. } => "dag_adjustment",
            Correction::Redo { .. } => "bindings_override",
        };
        match change {
            Correction::Objective(patch) => self.objective(patch)?,
            Correction::Constraints(patch) => self.constraints(*patch)?,
            Correction::AddAtom(atom) => self.add_atom(atom)?,
            Correction::DeleteAtom { id } => self.delete_atom(id)?,
            Correction::ForceSelection { group, id, reason } => self.force(group, id, reason)?,
            Correction::Redo { ids } => self.redo(ids)?,
            Correction::EditAtom { id, description, depends_on } => {
                self.edit_atom(id, description.as_deref(), depends_on.as_deref())?;
            }
            Correction::Decompose { parent, children, reason } => self.decompose(parent, children, reason)?,
        }
        if matches!(kind, "dag_adjustment" | "bindings_override") {
            // A person's change does not count as a stall.
            self.draft.control("prev_pending_count", &Written::word("-1"))?;
        }
        self.draft.release_atoms(&self.state.atoms)?;
        if self.state.control.redirect_requested {
            self.draft.control("redirect_requested", &Written::word("false"))?;
        }
        self.draft.correction(kind, description, kind == "objective_change", self.now);
        Ok(())
    }

    fn objective(&mut self, patch: &ObjectivePatch) -> Result<(), Refusal> {
        let texts = [
            ("goal", &patch.goal),
            ("background_intent", &patch.background_intent),
            ("deliverables", &patch.deliverables),
            ("definition_of_done", &patch.definition_of_done),
        ];
        let mut changed = false;
        let now = &self.state.objective;
        let said = [&now.goal, &now.background_intent, &now.deliverables, &now.definition_of_done];
        let mut given = false;
        for ((key, text), said) in texts.into_iter().zip(said) {
            let Some(text) = text else { continue };
            given = true;
            let written = Written::text(text);
            if matches!(&written, Written::Quoted(text) if text.is_empty()) {
                return Err(bad_value(key));
            }
            changed |= !matches!(&written, Written::Quoted(text) if *text == said.trim());
            self.draft.set(MapPlace::Objective, key, &written)?;
        }
        if let Some(base_case) = &patch.base_case {
            self.draft.base_case(base_case)?;
            changed = true;
        }
        if !changed {
            return Err(if given { nothing_changes() } else { bad_value("objective") });
        }
        for (_, index) in self.trail {
            self.draft.additions.remove("trail", *index);
        }
        Ok(())
    }

    fn constraints(&mut self, patch: ConstraintPatch) -> Result<(), Refusal> {
        let now = &self.state.objective;
        let limits = [
            ("max_iterations", patch.max_iterations, now.max_iterations),
            ("max_parallel_agents", patch.max_parallel_agents, now.max_parallel_agents),
            ("max_stall_count", patch.max_stall_count, now.max_stall_count),
        ];
        let (mut given, mut changed) = (false, false);
        for (key, limit, said) in limits {
            let Some(limit) = limit else { continue };
            if limit < STEPS.least_limit {
                return Err(bad_value(key));
            }
            self.draft.set(MapPlace::Limits, key, &Written::number(limit))?;
            (given, changed) = (true, changed || i64::from(limit) != said);
        }
        match (given, changed) {
            (_, true) => Ok(()),
            (true, false) => Err(nothing_changes()),
            (false, false) => Err(bad_value("constraints")),
        }
    }

    fn add_atom(&mut self, atom: &NewAtom) -> Result<(), Refusal> {
        self.add_atoms(std::slice::from_ref(atom), &[]).map(drop)
    }

    fn delete_atom(&mut self, id: &str) -> Result<(), Refusal> {
        let at = self.unresolved(id)?;
        if self.graph.is_container(at) {
            return Err(refusal(RefusalCode::AtomIsContainer, id));
        }
        let in_use = |by: &str| refusal(RefusalCode::AtomInUse, id).with("by", by);
        for (other, atom) in self.state.atoms.iter().enumerate() {
            if other != at && self.graph.is_unresolved(other) && atom.depends_on.iter().any(|need| need == id)
            {
                return Err(in_use(&atom.id));
            }
        }
        if let Some(group) = self.state.or_groups.iter().find(|group| group.selected.as_deref() == Some(id)) {
            return Err(in_use(&group.name));
        }
        for (index, group) in self.state.or_groups.iter().enumerate() {
            self.without(MapPlace::OrGroup(index), "choices", &group.choices, id)?;
            self.without(MapPlace::OrGroup(index), "failed", &group.failed, id)?;
        }
        for (index, record) in self.state.decompositions.iter().enumerate() {
            if record.children.iter().all(|child| child == id) && !record.children.is_empty() {
                // A container without children would count as done.
                self.draft.additions.remove("decompositions", index);
            } else {
                self.without(MapPlace::Decomposition(index), "children", &record.children, id)?;
            }
        }
        self.unbind(id);
        self.draft.additions.remove("atoms", at);
        Ok(())
    }

    fn without<T: AsRef<str>>(
        &mut self,
        place: MapPlace,
        key: &'static str,
        ids: &[T],
        gone: &str,
    ) -> Result<(), Refusal> {
        if !ids.iter().any(|id| id.as_ref() == gone) {
            return Ok(());
        }
        let kept = ids.iter().map(AsRef::as_ref).filter(|id| *id != gone);
        self.draft.set(place, key, &Written::ids(kept))
    }

    fn force(&mut self, name: &str, id: &str, reason: &str) -> Result<(), Refusal> {
        let index = self.group(name)?;
        let at = self.find(id)?;
        let group = &self.state.or_groups[index];
        if self.graph.group_name(at) != Some(name) || !group.choices.iter().any(|choice| choice == id) {
            return Err(refusal(RefusalCode::NotAChoice, id).with("group", name));
        }
        if group.selected.as_deref() == Some(id) && !group.failed.iter().any(|failed| failed == id) {
            return Err(nothing_changes());
        }
        self.without(MapPlace::OrGroup(index), "failed", &group.failed, id)?;
        self.draft.set(MapPlace::OrGroup(index), "selected", &Written::id(id))?;
        self.trail(name, id, reason);
        Ok(())
    }

    fn redo(&mut self, ids: &[String]) -> Result<(), Refusal> {
        if ids.is_empty() {
            return Err(bad_value("ids"));
        }
        let roots: Vec<usize> = ids.iter().map(|id| self.find(id)).collect::<Result<_, _>>()?;
        let affected = self.graph.built_on(&roots);
        for at in affected.iter().copied().filter(|at| self.state.atoms[*at].word != "pending") {
            self.draft.atom_status(at, "pending")?;
        }
        let names: HashSet<&str> = affected.iter().map(|at| self.graph.id(*at)).collect();
        let is_done = |at: &usize| self.state.atoms[*at].word != "pending";
        let is_bound = self.state.bindings.iter().any(|binding| names.contains(&*binding.id));
        if !is_bound && !affected.iter().any(is_done) {
            return Err(nothing_changes());
        }
        self.unbind_all(&names);
        let groups: HashSet<&str> = affected.iter().filter_map(|at| self.graph.group_name(*at)).collect();
        for (group, index) in self.trail {
            if groups.contains(group.as_str()) {
                self.draft.additions.remove("trail", *index);
            }
        }
        Ok(())
    }
}
