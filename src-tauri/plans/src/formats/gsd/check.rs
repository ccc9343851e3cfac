//! What doesn't agree: the state, the boxes of the roadmap and the summaries; plans of one wave that change one file.

use super::plans::count;
use super::roadmap::Phase;
use super::state::PositionFile;
use crate::finding::{Finding, FindingCode};
use crate::order::disagreement;
use crate::plan::{Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use std::collections::{HashMap, HashSet};

/// Most findings of a kind.
const MOST_TOLD: usize = 20;
/// Most boxes that are named one by one; beyond that, only their number is.
const MOST_BOXES: usize = 10;

/// Tells how many plans are done by each of the three, and where they differ.
pub(super) fn disagreements(plan: &mut Plan, phases: &[Phase], state: &PositionFile<'_>) {
    let disk = count_all(phases.iter());
    // Folders of what was shipped are taken away; boxes stay.
    let has_files = |phase: &&Phase| disk.1 == 0 || count(&phase.plans).is_some_and(|(_, all)| all > 0);
    let listed: Vec<&Item> = phases.iter().filter(has_files).flat_map(|phase| &phase.listed).collect();
    let ticked = listed.iter().filter(|listed| listed.state == ItemState::Done).count();
    // A roadmap that lists the plans of some phases says nothing of the others.
    let of_listing = count_all(phases.iter().filter(|phase| !phase.listed.is_empty()));
    let written = |(done, all): (usize, usize)| format!("{done}/{all}");
    let stated = state.count("completed_plans").zip(state.count("total_plans")).map(written);
    let boxes = Some((ticked, listed.len())).filter(|(_, all)| *all > 0).map(written);
    let of_files = |counts| Some(counts).filter(|(_, all)| *all > 0).map(written);
    let files = of_files(disk);
    let sources = [
        ("STATE.md", "completed_plans", &stated, files.clone()),
        ("ROADMAP.md", "roadmap_plans", &boxes, of_files(of_listing)),
    ];
    for (file, item, counts, files) in &sources {
        let different = counts.as_ref().zip(files.as_ref()).filter(|(counts, files)| counts != files);
        let told = different.map(|(counts, files)| disagreement(item, counts, files, file));
        plan.findings.extend(told);
    }
    let is_over =
        |phase: &&Phase| matches!(phase.item.state, ItemState::Done | ItemState::Blocked | ItemState::Failed);
    let over = phases.iter().filter(is_over).count().to_string();
    let stated_phases = state.count("completed_phases").map(|count| count.to_string());
    if let Some(stated) = stated_phases.filter(|stated| *stated != over && !phases.is_empty()) {
        plan.findings.push(disagreement("completed_phases", &stated, &over, "STATE.md"));
    }
    plan.findings.extend(phases.iter().filter_map(box_of_phase).take(MOST_TOLD));
    plan.findings.extend(phases.iter().flat_map(boxes_of_plans).take(MOST_BOXES));
    let is_settled = |item: &Item| matches!(item.state, ItemState::Done | ItemState::Dropped);
    let is_over = |phase: &Phase| is_settled(&phase.item) && phase.plans.iter().all(is_settled);
    if plan.status == Some(PlanStatus::Running) && !phases.is_empty() && phases.iter().all(is_over) {
        plan.findings.push(Finding::new(FindingCode::StaleRunning).with("found", &plan.word));
    }
    for (name, counts) in [("completed_plans", stated), ("roadmap_plans", boxes), ("summaries", files)] {
        plan.facts.extend(counts.map(|counts| Fact { name, value: FactValue::Code(counts) }));
    }
}

/// How many plans of phases have a summary, and how many have a file.
fn count_all<'p>(phases: impl Iterator<Item = &'p Phase>) -> (usize, usize) {
    let counts = phases.filter_map(|phase| count(&phase.plans));
    counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// A phase whose box says something else than its summaries.
fn box_of_phase(phase: &Phase) -> Option<Finding> {
    let Item { id, word, state, .. } = &phase.item;
    let (done, all) = count(&phase.plans).filter(|(_, all)| *all > 0 && !word.is_empty())?;
    // Between the last summary and a verification that passed the box is rightly open.
    let differs = if matches!(word.as_str(), "x" | "X") { done < all } else { *state == ItemState::Done };
    differs.then(|| disagreement(id, &format!("[{word}]"), &format!("{done}/{all}"), "ROADMAP.md"))
}

/// Boxes of plans that say something else than their summaries, or than the box of a phase without files.
fn boxes_of_plans(phase: &Phase) -> impl Iterator<Item = Finding> {
    let listed: HashMap<&str, ItemState> =
        phase.listed.iter().map(|listed| (listed.id.as_str(), listed.state)).collect();
    phase.plans.iter().filter_map(move |plan| {
        let (says, is) = match (listed.get(plan.id.as_str())?, plan.state) {
            (ItemState::Open, ItemState::Done) => ("[ ]", "[x]"),
            (ItemState::Done, ItemState::Open) => ("[x]", "[ ]"),
            _ => return None,
        };
        Some(disagreement(&plan.id, says, is, "ROADMAP.md"))
    })
}

/// Plans of one wave of a phase that aren't done and change one file, unless one of them waits for the other.
pub(super) fn conflicts(items: &[Item]) -> Vec<Finding> {
    let mut first: HashMap<(&Option<String>, &Option<String>, &str), &Item> = HashMap::new();
    let mut told = HashSet::new();
    let mut found = Vec::new();
    for item in items.iter().filter(|item| item.state == ItemState::Open && item.parent.is_some()) {
        for file in &item.files {
            let other = *first.entry((&item.parent, &item.group, file)).or_insert(item);
            let waits = item.depends_on.contains(&other.id) || other.depends_on.contains(&item.id);
            if other.id != item.id && !waits && told.insert((&other.id, &item.id)) {
                let finding = Finding::new(FindingCode::FileConflict).with("item", &other.id);
                found.push(finding.with("found", &item.id).with("file", file));
            }
        }
    }
    found.truncate(MOST_TOLD);
    found
}
