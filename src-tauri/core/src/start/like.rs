//! New work that is modelled on an existing loop.

use super::{NewFormat, NewWork, Recipe, WorkMode};
use crate::format::Format;
use crate::formats::aot::{AotWork, BaseCase, NewAtom};
use crate::view::{AtomView, LoopDetail, ObjectiveView};
use std::collections::{HashMap, HashSet};

impl NewWork {
    /// The work that continues a plan of another tool.
    #[must_use]
    pub fn of_plan(file: &str, title: &str) -> Self {
        Self {
            recipe: Recipe::BuildFeature,
            format: Some(NewFormat::OF_PLANS),
            mode: None,
            goal: format!("Work through the plan in {file}, item by item, until all of it is done."),
            title: super::cut_at_word(title, 100),
            max_iterations: None,
            tasks: Vec::new(),
            base_case: None,
            follow_up: None,
            plan: Some(file.to_owned()),
            aot: AotWork::default(),
        }
    }

    /// The work of a loop that is a prompt and no list: one item, which is done when all that the prompt asks for is true. Its own
    /// tool keeps its file, so the new loop is not tied to it.
    #[must_use]
    pub fn of_prompt(prompt: &str, title: &str, detail: &LoopDetail) -> Self {
        let tasks = vec!["Do what the goal says, until all of it is true.".into()];
        Self {
            goal: prompt.trim().to_owned(),
            max_iterations: limit_of(detail),
            tasks,
            plan: None,
            ..Self::of_plan("", title)
        }
    }

    /// The work that would make a loop like this one. `mode` and `title` are those of its row; a read-only format
    /// becomes a Loop v2.
    #[must_use]
    pub fn like(format: Format, mode: Option<&str>, title: &str, detail: &LoopDetail) -> Self {
        let format = NewFormat::like(format);
        let (recipe, aot, base_case) = format.new_loops().like(detail);
        let goal = detail.metadata.description.clone().filter(|text| !text.trim().is_empty());
        Self {
            recipe,
            format: (recipe.format() != format).then_some(format),
            // Defaults are left out.
            mode: mode.and_then(WorkMode::from_word).filter(|mode| *mode != WorkMode::Auto),
            goal: goal.unwrap_or_else(|| title.to_owned()),
            title: title.to_owned(),
            max_iterations: limit_of(detail),
            tasks: Vec::new(),
            base_case,
            follow_up: None,
            plan: None,
            aot,
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked by the form
fn limit_of(detail: &LoopDetail) -> Option<u32> {
    detail.metadata.max_iterations.map(|limit| limit.max(0.0) as u32)
}

/// The work and checks in `detail`, for the form. Children of a container are left out: the container is
/// redone, and atoms that waited for one of them wait for it.
#[must_use]
pub(crate) fn aot_like(detail: &LoopDetail) -> (AotWork, Option<BaseCase>) {
    let objective = detail.objective.clone().unwrap_or_default();
    let ObjectiveView { background_intent, deliverables, definition_of_done, in_scope, out_of_scope, .. } =
        objective;
    let work = AotWork {
        background_intent,
        deliverables,
        definition_of_done,
        in_scope,
        out_of_scope,
        atoms: atoms(&detail.atoms),
        max_parallel_agents: objective.max_parallel_agents.and_then(limit),
        max_stall_count: objective.max_stall_count.and_then(limit),
    };
    let checks = detail.present_checks.as_ref().map(|present| present.base_case.clone());
    (work, checks.filter(|checks| *checks != BaseCase::Checklist(Vec::new())))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within bounds
fn limit(limit: f64) -> Option<u32> {
    (limit >= 1.0 && limit <= f64::from(u32::MAX)).then_some(limit as u32)
}

fn atoms(all: &[AtomView]) -> Vec<NewAtom> {
    let parents: HashMap<&str, &str> =
        all.iter().filter_map(|atom| Some((atom.id.as_str(), atom.parent.as_deref()?))).collect();
    let ids: HashSet<&str> = all.iter().map(|atom| atom.id.as_str()).collect();
    // A cycle of parents has no outermost one: the search stops after as many steps as there are atoms.
    let outermost = |id: &'_ str| {
        let mut at = *ids.get(id)?;
        for _ in 0..all.len() {
            match parents.get(at).and_then(|parent| ids.get(parent)) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        Some(at)
    };
    let again = |atom: &AtomView| {
        let mut needs: Vec<String> = Vec::new();
        for need in atom.depends_on.iter().filter_map(|on| outermost(&on.id)) {
            if need != atom.id && !needs.iter().any(|known| known == need) {
                needs.push(need.to_owned());
            }
        }
        NewAtom {
            id: Some(atom.id.clone()),
            description: atom.description.clone(),
            depends_on: needs,
            or_group: atom.or_group.clone(),
        }
    };
    all.iter().filter(|atom| outermost(&atom.id) == Some(&atom.id)).map(again).collect()
}
