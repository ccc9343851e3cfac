//! What doesn't agree: the state, the boxes of the roadmap and the summaries; plans of one wave that change one file.

use super::phases::{Counts, is_ticked};
use super::roadmap::Phase;
use super::state::PositionFile;
use crate::finding::{Finding, FindingCode};
use crate::plan::{Fact, FactValue, ItemState, Plan, PlanStatus};
use std::collections::{HashMap, HashSet};

/// Most findings of a kind.
const MOST_TOLD: usize = 20;
/// Most boxes that are named one by one; the number of all is told once.
const MOST_BOXES: usize = 10;

/// Tells how many plans are done by each of the three, and where they differ.
pub(super) fn disagreements(
    plan: &mut Plan,
    phases: &[Phase],
    counted: &[(usize, Counts)],
    state: &PositionFile<'_>,
) {
    let (files, summaries) = counted
        .iter()
        .fold((0, 0), |(files, summaries), (_, counts)| (files + counts.files, summaries + counts.summaries));
    // Folders of what was shipped are taken away; boxes stay.
    let with_files = phases.iter().zip(counted).filter(|(_, (_, counts))| files == 0 || counts.files > 0);
    let listed: Vec<&str> =
        with_files.flat_map(|(phase, _)| &phase.plans).map(|listed| listed.mark.as_str()).collect();
    let ticked = listed.iter().filter(|mark| is_ticked(mark)).count();
    let stated = state.count("completed_plans").zip(state.count("total_plans"));
    let boxes = Some((ticked, listed.len())).filter(|(_, all)| *all > 0);
    let disk = Some((summaries, files)).filter(|(_, all)| *all > 0);
    let written = |(done, all): (usize, usize)| format!("{done}/{all}");
    for (name, counts) in [("completed_plans", stated), ("roadmap_plans", boxes), ("summaries", disk)] {
        plan.facts.extend(counts.map(|counts| Fact { name, value: FactValue::Code(written(counts)) }));
    }
    let mut tell = |item: &str, file: &str, found: String, expected: String| {
        let finding = Finding::new(FindingCode::SourcesDisagree).with("item", item).with("found", found);
        plan.findings.push(finding.with("expected", expected).with("file", file));
    };
    if let Some(disk) = disk {
        for (file, item, counts) in
            [("STATE.md", "completed_plans", stated), ("ROADMAP.md", "roadmap_plans", boxes)]
        {
            if let Some(counts) = counts.filter(|counts| *counts != disk) {
                tell(item, file, written(counts), written(disk));
            }
        }
    }
    let is_over = |(phase, (_, counts)): &(&Phase, &(usize, Counts))| {
        phase.mark.as_deref().is_some_and(is_ticked) || counts.is_carried_out()
    };
    let over = phases.iter().zip(counted).filter(is_over).count();
    if let Some(stated) =
        state.count("completed_phases").filter(|stated| *stated != over && !phases.is_empty())
    {
        tell("completed_phases", "STATE.md", stated.to_string(), over.to_string());
    }
    let mut left = MOST_TOLD;
    for (phase, (_, counts)) in phases.iter().zip(counted) {
        let Some(mark) = phase.mark.as_deref().filter(|_| counts.files > 0 && left > 0) else { continue };
        // Between the last summary and a verification that passed the box is rightly open.
        let is_checked = counts.verification.as_deref().is_none_or(|word| word == "passed");
        if is_ticked(mark) != counts.is_carried_out() && (is_ticked(mark) || is_checked) {
            tell(&phase.number, "ROADMAP.md", format!("[{mark}]"), written((counts.summaries, counts.files)));
            left -= 1;
        }
    }
    tell_boxes(plan, phases);
    tell_words(plan);
}

/// Boxes of plans that say something else than their summaries, or than the box of a phase without files.
fn tell_boxes(plan: &mut Plan, phases: &[Phase]) {
    let marks: HashMap<&str, &str> = phases
        .iter()
        .flat_map(|phase| &phase.plans)
        .map(|listed| (listed.id.as_str(), listed.mark.as_str()))
        .collect();
    let differs = |done: bool, mark: &str| if done { mark.trim().is_empty() } else { is_ticked(mark) };
    let of_plans = plan.items.iter().filter(|item| item.parent.is_some());
    let of_plans = of_plans.filter(|item| matches!(item.state, ItemState::Done | ItemState::Open));
    let found = of_plans.filter_map(|item| {
        let is_done = item.state == ItemState::Done;
        let mark = marks.get(item.id.as_str()).filter(|mark| differs(is_done, mark))?;
        let finding = Finding::new(FindingCode::SourcesDisagree).with("item", &item.id);
        let finding =
            finding.with("found", format!("[{mark}]")).with("expected", if is_done { "[x]" } else { "[ ]" });
        Some(finding.with("file", "ROADMAP.md"))
    });
    let found: Vec<Finding> = found.take(MOST_BOXES).collect();
    plan.findings.extend(found);
}

/// Marks that no tool defines, and a state that says that it runs with nothing left to do.
fn tell_words(plan: &mut Plan) {
    let unknown = plan.items.iter().filter(|item| item.state == ItemState::Unknown);
    let found = unknown
        .map(|item| Finding::new(FindingCode::UnknownWord).with("item", &item.id).with("found", &item.word));
    let found: Vec<Finding> = found.take(MOST_TOLD).collect();
    plan.findings.extend(found);
    let is_settled = |state| matches!(state, ItemState::Done | ItemState::Dropped);
    let is_over = !plan.items.is_empty() && plan.items.iter().all(|item| is_settled(item.state));
    if is_over && plan.status == Some(PlanStatus::Running) {
        plan.findings.push(Finding::new(FindingCode::StaleRunning).with("found", &plan.word));
    }
}

/// Plans of one wave of a phase that aren't done and change one file, unless one of them waits for the other.
pub(super) fn conflicts(plan: &mut Plan, waves: &HashMap<usize, &str>) {
    let mut seen: HashMap<(&str, &str, &str), Vec<usize>> = HashMap::new();
    let first: HashMap<&str, usize> =
        plan.items.iter().enumerate().rev().map(|(at, item)| (item.id.as_str(), at)).collect();
    let mut found = Vec::new();
    let mut told = HashSet::new();
    let mut tries = 60;
    for (at, item) in plan.items.iter().enumerate().filter(|(_, item)| item.state == ItemState::Open) {
        let Some(parent) = item.parent.as_deref() else { continue };
        let wave = waves.get(&at).copied().unwrap_or_default();
        for file in &item.files {
            let others = seen.entry((parent, wave, file)).or_default();
            for other in others.iter().copied().filter(|other| *other != at) {
                if tries == 0 || found.len() == MOST_TOLD || !told.insert((other, at)) {
                    continue;
                }
                tries -= 1;
                if !waits_for(plan, &first, at, other) && !waits_for(plan, &first, other, at) {
                    let finding = Finding::new(FindingCode::FileConflict).with("item", &plan.items[other].id);
                    found.push(finding.with("found", &item.id).with("file", file));
                }
            }
            if others.len() < 8 {
                others.push(at);
            }
        }
    }
    plan.findings.extend(found);
}

/// Whether an item waits for another one, also by way of others; yes where that takes too long to find out.
fn waits_for(plan: &Plan, first: &HashMap<&str, usize>, item: usize, other: usize) -> bool {
    let mut seen = HashSet::from([item]);
    let mut todo = vec![item];
    let mut left = 20_000;
    while let Some(at) = todo.pop() {
        for next in plan.items[at].depends_on.iter().filter_map(|id| first.get(id.as_str()).copied()) {
            left -= 1;
            if next == other || left == 0 {
                return true;
            }
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    false
}
