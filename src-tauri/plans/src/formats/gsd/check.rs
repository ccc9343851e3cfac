//! What doesn't agree: the state, the boxes of the roadmap and the summaries; plans of one wave that change one file.

use super::plans::{count, is_carried_out};
use super::roadmap::Phase;
use super::state::PositionFile;
use crate::finding::{Finding, FindingCode};
use crate::order::{disagreement, unknown_words};
use crate::plan::{Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Most findings of a kind.
const MOST_TOLD: usize = 20;

/// Tells how many plans are done by each of the three, and where they differ; `places` are those of the plans of each phase.
pub(super) fn disagreements(
    plan: &mut Plan,
    phases: &[Phase],
    places: &[Range<usize>],
    state: &PositionFile<'_>,
) {
    let of_phases = || phases.iter().zip(places).map(|(phase, place)| (phase, &plan.items[place.clone()]));
    let disk = of_phases()
        .filter_map(|(_, plans)| count(plans))
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    // Folders of what was shipped are taken away; boxes stay.
    let with_files =
        of_phases().filter(|(_, plans)| disk.1 == 0 || count(plans).is_some_and(|(_, all)| all > 0));
    let listed: Vec<&Item> = with_files.flat_map(|(phase, _)| &phase.plans).collect();
    let ticked = listed.iter().filter(|listed| listed.state == ItemState::Done).count();
    let written = |(done, all): (usize, usize)| format!("{done}/{all}");
    let stated = state.count("completed_plans").zip(state.count("total_plans")).map(written);
    let boxes = Some((ticked, listed.len())).filter(|(_, all)| *all > 0).map(written);
    let files = Some(disk).filter(|(_, all)| *all > 0).map(written);
    let mut found = Vec::new();
    for (file, item, counts) in
        [("STATE.md", "completed_plans", &stated), ("ROADMAP.md", "roadmap_plans", &boxes)]
    {
        let different = counts.as_ref().zip(files.as_ref()).filter(|(counts, files)| counts != files);
        found.extend(different.map(|(counts, files)| disagreement(item, counts, files, file)));
    }
    let is_over =
        |item: &Item| matches!(item.state, ItemState::Done | ItemState::Blocked | ItemState::Failed);
    let over = plan.items.iter().filter(|item| item.parent.is_none() && is_over(item)).count();
    if let Some(stated) =
        state.count("completed_phases").filter(|stated| *stated != over && !phases.is_empty())
    {
        found.push(disagreement("completed_phases", &stated.to_string(), &over.to_string(), "STATE.md"));
    }
    let of_boxes =
        phases.iter().zip(places).filter_map(|(phase, place)| box_of_phase(phase, &plan.items, place));
    found.extend(of_boxes.take(MOST_TOLD));
    found.extend(boxes_of_plans(&plan.items, phases).into_iter().take(MOST_TOLD));
    found.extend(unknown_words(&plan.items));
    if plan.status == Some(PlanStatus::Running) && !plan.items.is_empty() && plan.items.iter().all(is_settled)
    {
        found.push(Finding::new(FindingCode::StaleRunning).with("found", &plan.word));
    }
    found.extend(conflicts(&plan.items));
    plan.findings.extend(found);
    for (name, counts) in [("completed_plans", stated), ("roadmap_plans", boxes), ("summaries", files)] {
        plan.facts.extend(counts.map(|counts| Fact { name, value: FactValue::Code(counts) }));
    }
}

fn is_settled(item: &Item) -> bool {
    matches!(item.state, ItemState::Done | ItemState::Dropped)
}

/// A phase whose box says something else than its summaries.
fn box_of_phase(phase: &Phase, items: &[Item], place: &Range<usize>) -> Option<Finding> {
    let plans = &items[place.clone()];
    let is_ticked = phase.item.word.eq_ignore_ascii_case("x");
    // Between the last summary and a verification that passed the box is rightly open.
    let is_over = items[place.start - 1].state == ItemState::Done;
    let (done, all) = count(plans).filter(|(_, all)| *all > 0)?;
    let differs = if is_ticked { !is_carried_out(plans) } else { is_over };
    let mark = format!("[{}]", phase.item.word);
    (differs && !phase.item.word.is_empty())
        .then(|| disagreement(&phase.item.id, &mark, &format!("{done}/{all}"), "ROADMAP.md"))
}

/// Boxes of plans that say something else than their summaries, or than the box of a phase without files.
fn boxes_of_plans(items: &[Item], phases: &[Phase]) -> Vec<Finding> {
    let listed = phases.iter().flat_map(|phase| &phase.plans);
    let listed: HashMap<&str, &Item> = listed.map(|listed| (listed.id.as_str(), listed)).collect();
    let differs = |item: &Item| {
        let listed = listed.get(item.id.as_str())?;
        let (is, says) = match (item.state, listed.state) {
            (ItemState::Done, ItemState::Open) => ("[x]", "[ ]"),
            (ItemState::Open, ItemState::Done) => ("[ ]", "[x]"),
            _ => return None,
        };
        Some(disagreement(&item.id, says, is, "ROADMAP.md"))
    };
    items.iter().filter(|item| item.parent.is_some()).filter_map(differs).collect()
}

/// Plans of one wave of a phase that aren't done and change one file, unless one of them waits for the other.
fn conflicts(items: &[Item]) -> Vec<Finding> {
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
