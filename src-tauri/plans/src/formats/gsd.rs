//! GSD: a project with phases and plans (`.planning/STATE.md`, or one for each workstream).
//!
//! STATE.md says where the work stands; what there is to do is in ROADMAP.md and in the folders below `phases/`. A plan is done when its
//! summary is there. The three often disagree, so all of them are told. GSD's own tool writes STATE.md: nothing here changes it.

use crate::boxes::Boxes;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::json::{self, Json};
use crate::order;
use crate::plan::{Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use lists::between;
use loopdeck_text::json_span::tree::Node;
use phases::{Counts, Maker, folders, is_ticked, state_of};
use roadmap::Phase;
use state::PositionFile;
use std::collections::{HashMap, HashSet};

mod check;
mod lists;
mod names;
mod phases;
mod roadmap;
mod state;

pub(crate) struct Gsd;

impl PlanFormat for Gsd {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File(".planning/STATE.md"),
            Found::EachFolder { root: ".planning/workstreams", file: "STATE.md" },
        ]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[
            Wanted::File("ROADMAP.md"),
            Wanted::File("REQUIREMENTS.md"),
            Wanted::File("HANDOFF.json"),
            Wanted::File(".continue-here.md"),
            Wanted::Files { folder: "phases", depth: 2, endings: &[".md"] },
        ]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let Some(state) = PositionFile::read(source.text()?) else { return Ok(None) };
        let mut plan = Plan::default();
        state.fill(&mut plan);
        let roadmap = source.beside("ROADMAP.md").unwrap_or_default();
        let (heading, phases) = roadmap::read(roadmap, state.front("milestone"));
        let name = heading
            .as_deref()
            .and_then(|heading| heading.strip_prefix("Roadmap")?.trim_start().strip_prefix([':', '-', '—']));
        let milestone = state.front("milestone_name").map(str::to_owned);
        plan.title = match source.file.contains("/workstreams/") {
            true => Some(source.folder().to_owned()),
            false => name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).or(milestone),
        };
        let (phases, others) = of_milestone(phases);
        let later =
            others.iter().filter(|phase| !phase.is_archived && !phase.mark.as_deref().is_some_and(is_ticked));
        let later: Vec<String> = later.map(|phase| format!("{} {}", phase.number, phase.name)).collect();
        if !later.is_empty() {
            plan.facts.push(Fact { name: "other_phases", value: FactValue::List(later) });
        }
        let others: HashSet<String> = others.into_iter().map(|phase| phase.number).collect();
        fill_pause(&mut plan, source, &state);
        fill_items(&mut plan, source, phases, &others, &state);
        let required =
            source.beside("REQUIREMENTS.md").map(|text| Boxes::read(text).all()).unwrap_or_default();
        let done = required.iter().filter(|found| found.item.state == ItemState::Done).count();
        if !required.is_empty() {
            let value = FactValue::Code(format!("{done}/{}", required.len()));
            plan.facts.push(Fact { name: "requirements", value });
        }
        if plan.items.is_empty() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        Ok(Some(plan))
    }

    fn next(&self, plan: &Plan) -> Vec<usize> {
        let phases: HashMap<&str, &Item> = plan
            .items
            .iter()
            .filter(|item| item.parent.is_none())
            .map(|item| (item.id.as_str(), item))
            .collect();
        // A phase that only waits for a person's check doesn't hold up the next one.
        let is_over = |id: &String| {
            let phase = phases.get(id.as_str());
            phase.is_some_and(|phase| {
                matches!(phase.state, ItemState::Done | ItemState::Dropped | ItemState::Blocked)
            })
        };
        let ready: HashSet<usize> = order::ready(plan).into_iter().collect();
        let can_begin = |at: usize, item: &Item| match &item.parent {
            Some(parent) => {
                let phase = phases.get(parent.as_str());
                ready.contains(&at) && phase.is_none_or(|phase| phase.depends_on.iter().all(is_over))
            }
            None => item.state == ItemState::Open && !item.optional && item.depends_on.iter().all(is_over),
        };
        (0..plan.items.len()).filter(|at| can_begin(*at, &plan.items[*at])).collect()
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let checkpoints = plan.facts.iter().find_map(|fact| match &fact.value {
            FactValue::List(ids) if fact.name == "checkpoints" => Some(ids.as_slice()),
            _ => None,
        });
        let waits = |item: &Item| checkpoints.is_some_and(|ids| ids.contains(&item.id));
        let mut next = self.next(plan).into_iter().map(|at| &plan.items[at]);
        // Gaps that a verification found are planned when nothing else is left.
        let with_gaps =
            || plan.items.iter().find(|item| item.parent.is_none() && item.state == ItemState::Failed);
        let next = next.find(|item| !waits(item)).or_else(with_gaps)?;
        // Only a plan that is written can be carried out.
        let is_written = next.parent.is_some() && next.file.as_deref() != Some("ROADMAP.md");
        let phase = next.parent.as_ref().unwrap_or(&next.id);
        let is_plain = |name: &str| {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
            name.len() <= 80
                && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
                && name.chars().all(is_part)
                && !name.contains("..")
        };
        let stream = if source.file.contains("/workstreams/") { Some(source.folder()) } else { None };
        if !is_plain(phase) || stream.is_some_and(|stream| !is_plain(stream)) {
            return None;
        }
        let verb = if is_written { "execute" } else { "plan" };
        let gaps = if next.state == ItemState::Failed { " --gaps" } else { "" };
        let stream = stream.map(|stream| format!(" --ws {stream}")).unwrap_or_default();
        Some(vec!["claude".to_owned(), "-p".to_owned(), format!("/gsd-{verb}-phase {phase}{gaps}{stream}")])
    }
}

/// The phases of the milestone that the work is at, and the others. Where no heading is of its version, what isn't shipped is, or all.
fn of_milestone(phases: Vec<Phase>) -> (Vec<Phase>, Vec<Phase>) {
    let has_current = phases.iter().any(|phase| phase.is_current);
    let is_all_shipped = phases.iter().all(|phase| phase.is_archived);
    let is_one =
        |phase: &Phase| is_all_shipped || if has_current { phase.is_current } else { !phase.is_archived };
    phases.into_iter().partition(is_one)
}

/// Makes items of the phases and their plans, and tells where the files disagree.
fn fill_items(
    plan: &mut Plan,
    source: &Source<'_>,
    mut phases: Vec<Phase>,
    others: &HashSet<String>,
    state: &PositionFile<'_>,
) {
    let folders = folders(source, &phases);
    let known: HashSet<String> = phases.iter().map(|phase| phase.number.clone()).collect();
    let first = phases.iter().map(|phase| names::order(&phase.number)).min();
    let is_new = |number: &String| !known.contains(number) && !others.contains(number);
    for (number, folder) in folders.iter().filter(|(number, _)| is_new(number)) {
        // Folders of older milestones stay in many projects, and other things are kept there too.
        if folder.has_plans() && first.as_ref().is_none_or(|first| names::order(number) > *first) {
            phases.push(Phase { number: number.clone(), name: folder.words(), ..Phase::default() });
        }
    }
    phases.sort_by_key(|phase| names::order(&phase.number));
    let all: HashSet<String> = phases.iter().map(|phase| phase.number.clone()).collect();
    for phase in &mut phases {
        // An earlier phase that isn't here was shipped, and doesn't hold anything up.
        let own = names::order(&phase.number);
        phase.depends_on.retain(|id| all.contains(id) || !others.contains(id) && names::order(id) >= own);
    }
    let mut maker = Maker::new(plan);
    let counted: Vec<(usize, Counts)> = phases
        .iter()
        .map(|phase| (maker.plan.items.len(), maker.add(phase, folders.get(&phase.number))))
        .collect();
    let lost = maker.resolve();
    let (waves, checkpoints) = (maker.waves, maker.checkpoints);
    let working_on = state.working_on();
    for ((at, counts), phase) in counted.iter().zip(&phases) {
        set_state(plan, *at, counts, phase, working_on.as_ref());
    }
    plan.events.sort_by(|one, other| one.time.cmp(&other.time));
    check::disagreements(plan, &phases, &counted, state);
    check::conflicts(plan, &waves);
    plan.findings.extend(lost.iter().take(20).map(|(at, written)| {
        let finding = Finding::new(FindingCode::FileMissing).with("item", &plan.items[*at].id);
        finding.with("file", written)
    }));
    let questions = phases.iter().filter_map(|phase| Some((phase, folders.get(&phase.number)?)));
    let questions =
        questions.flat_map(|(phase, folder)| folder.questions().into_iter().map(move |text| (phase, text)));
    plan.needs.extend(questions.map(|(phase, text)| format!("{}: {text}", phase.number)));
    fill_checkpoints(plan, checkpoints);
}

/// How far a phase is. A ticked box is enough; without one it is all of the summaries, unless a verification asks for a person or found
/// gaps.
fn set_state(plan: &mut Plan, at: usize, counts: &Counts, phase: &Phase, working_on: Option<&String>) {
    let is_carried_out = counts.is_carried_out();
    let is_begun = counts.summaries > 0 || working_on == Some(&phase.number);
    let mark = phase.mark.as_deref().unwrap_or_default();
    plan.items[at].state = match (state_of(mark), counts.verification.as_deref()) {
        _ if phase.is_struck => ItemState::Dropped,
        (ItemState::Done, _) => ItemState::Done,
        (_, Some("human_needed")) if is_carried_out => ItemState::Blocked,
        (_, Some("gaps_found")) if is_carried_out => ItemState::Failed,
        _ if is_carried_out => ItemState::Done,
        (ItemState::Open, _) if is_begun => ItemState::Active,
        (state, _) => state,
    };
}

/// What the handoff of a pause says: why it rests, how to go on, and what a person has to do first.
fn fill_pause(plan: &mut Plan, source: &Source<'_>, state: &PositionFile<'_>) {
    let beside = source.beside.iter().find(|beside| beside.file == "HANDOFF.json");
    let Some(handoff) = beside.and_then(|beside| Json::read(beside.bytes).ok()) else {
        let text = source.beside(".continue-here.md").unwrap_or_default();
        let value = FactValue::text(between(text, "<next_action>", "</next_action>"));
        return plan.facts.extend(value.map(|value| Fact { name: "resume_with", value }));
    };
    let root = handoff.root();
    let text = |key: &str| root.find(key).map(json::word).filter(|text| !text.is_empty());
    // The tool removes it when work resumes; one from before the day of the last change was forgotten.
    let days = text("timestamp").zip(state.front("last_updated"));
    if days.is_some_and(|(paused, updated)| paused.get(..10) < updated.get(..10)) {
        return;
    }
    if text("status").is_none_or(|status| status == "paused") && plan.status != Some(PlanStatus::Completed) {
        plan.status = Some(PlanStatus::Paused);
        plan.reason = text("context_notes").or(plan.reason.take());
    }
    let lists = ["human_actions_pending", "blockers"].iter().filter_map(|key| root.find(key));
    let entry =
        |node| json::first(node, &["action", "description"]).map_or_else(|| json::word(node), json::word);
    plan.needs.extend(lists.flat_map(Node::items).map(entry).filter(|text| !text.is_empty()));
    let value = text("next_action").and_then(FactValue::text);
    plan.facts.extend(value.map(|value| Fact { name: "resume_with", value }));
}

/// Plans that are next and stop for a person, as needs; all that will as a fact.
fn fill_checkpoints(plan: &mut Plan, checkpoints: Vec<String>) {
    let ids: HashSet<&str> = checkpoints.iter().map(String::as_str).collect();
    let next =
        Gsd.next(plan).into_iter().map(|at| &plan.items[at]).filter(|item| ids.contains(item.id.as_str()));
    let needs: Vec<String> = next.map(|item| format!("{}: {}", item.id, item.text)).collect();
    plan.needs.extend(needs);
    if !checkpoints.is_empty() {
        plan.facts.push(Fact { name: "checkpoints", value: FactValue::List(checkpoints) });
    }
    let mut told = HashSet::new();
    plan.needs.retain(|need| told.insert(need.clone()));
}
