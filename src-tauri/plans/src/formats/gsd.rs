//! GSD: a project with phases and plans (`.planning/STATE.md`, or one for each workstream).
//!
//! STATE.md says where the work stands; what there is to do is in ROADMAP.md and in the folders below `phases/`. A plan is done when its
//! summary is there; only one that has no file is done when its box is ticked, too. The three often disagree, so all of them are told.
//! What is next follows GSD's own `execute-phase`: the lowest phase, its first wave that isn't carried out, the lowest number. GSD's own
//! tool writes STATE.md: nothing here changes it.

use crate::boxes::Boxes;
use crate::fields::{is_plain_name, list, unique};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::order;
use crate::plan::{Fact, FactValue, Item, ItemState, Plan};
use plans::{Folders, Told};
use roadmap::{Phase, Roadmap};
use state::PositionFile;
use std::collections::{HashMap, HashSet};

mod check;
mod names;
mod plans;
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
            Wanted::Files { folder: "phases", depth: 2, endings: &[".md"] },
        ]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let Some(state) = PositionFile::read(source.text()?) else { return Ok(None) };
        let mut plan = state.plan();
        let text = source.beside("ROADMAP.md").unwrap_or_default();
        let roadmap = Roadmap::read(text, state.front("milestone"));
        let name = || roadmap.title.as_deref().or(state.front("milestone_name"));
        plan.title = stream(source).or_else(name).map(str::to_owned);
        state::tell_pause(&mut plan, source, &state);
        tell_work(&mut plan, roadmap, &plans::folders(source), &state);
        let required =
            source.beside("REQUIREMENTS.md").map(|text| Boxes::read(text).all()).unwrap_or_default();
        if !required.is_empty() {
            let done = required.iter().filter(|found| found.item.state == ItemState::Done).count();
            let value = FactValue::Code(format!("{done}/{}", required.len()));
            plan.facts.push(Fact { name: "requirements", value });
        }
        plan.findings.extend(order::no_items(&plan));
        Ok(Some(plan))
    }

    fn when_done(&self) -> Option<&'static str> {
        Some(
            "Write its summary next to its plan (`01-02-PLAN.md` has `01-02-SUMMARY.md`): what was done, and what came out otherwise \
             than planned. It counts as done when that file is there. A phase without plans gets its plans first.",
        )
    }

    /// Plans of the first wave that isn't carried out, of each phase that can be worked on; a phase itself has to be planned.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        let phases = plan.items.iter().filter(|item| item.parent.is_none());
        let phases: HashMap<&str, &Item> = phases.map(|phase| (phase.id.as_str(), phase)).collect();
        // A phase that only waits for a person's check doesn't hold up the next one, and a plan that was halted not the next wave.
        let is_over =
            |item: &Item| matches!(item.state, ItemState::Done | ItemState::Dropped | ItemState::Blocked);
        let is_free = |phase: &Item| {
            phase.depends_on.iter().all(|id| phases.get(id.as_str()).is_some_and(|phase| is_over(phase)))
        };
        let mut waves: HashMap<&str, Option<&String>> = HashMap::new();
        for item in plan.items.iter().filter(|item| !is_over(item)) {
            item.parent.as_deref().map(|phase| waves.entry(phase).or_insert(item.group.as_ref()));
        }
        let ready: HashSet<usize> = order::ready(plan).into_iter().collect();
        let can_begin = |at: &usize| {
            let item = &plan.items[*at];
            let Some(phase) = item.parent.as_deref() else {
                // One that is worked on and has no plans yet has to be planned.
                let is_open = matches!(item.state, ItemState::Open | ItemState::Active);
                return is_open && !item.optional && is_free(item);
            };
            let is_turn = waves.get(phase) == Some(&item.group.as_ref());
            // Its own tool believes the box of a phase, whatever the summaries say.
            let is_open = |phase: &&Item| !matches!(phase.word.as_str(), "x" | "X") && is_free(phase);
            ready.contains(at) && is_turn && phases.get(phase).is_none_or(is_open)
        };
        (0..plan.items.len()).filter(can_begin).collect()
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let waits_for_person = |item: &Item| plan.needs.contains(&need_of(item));
        let mut next = self.next(plan).into_iter().map(|at| &plan.items[at]);
        // Gaps that a verification found are planned when nothing else is left.
        let with_gaps =
            || plan.items.iter().find(|item| item.parent.is_none() && item.state == ItemState::Failed);
        let next = next.find(|item| !waits_for_person(item)).or_else(with_gaps)?;
        // Only a plan that is written can be carried out.
        let is_written = next.parent.is_some() && next.file.as_deref() != Some("ROADMAP.md");
        let verb = if is_written { "execute" } else { "plan" };
        let phase = next.parent.as_ref().unwrap_or(&next.id);
        let stream = stream(source);
        if !is_plain_name(phase) || stream.is_some_and(|stream| !is_plain_name(stream)) {
            return None;
        }
        let gaps = if next.state == ItemState::Failed { " --gaps" } else { "" };
        let stream = stream.map(|stream| format!(" --ws {stream}")).unwrap_or_default();
        Some(vec!["claude".to_owned(), "-p".to_owned(), format!("/gsd-{verb}-phase {phase}{gaps}{stream}")])
    }
}

/// The name of a workstream; `None` for the project itself.
fn stream<'f>(source: &Source<'f>) -> Option<&'f str> {
    source.file.contains("/workstreams/").then(|| source.folder())
}

/// Makes items of the phases of the milestone that the work is at, and tells where the files disagree.
fn tell_work(plan: &mut Plan, roadmap: Roadmap, folders: &Folders<'_>, state: &PositionFile<'_>) {
    let mut phases = of_milestone(plan, roadmap, folders);
    let working_on = state.working_on();
    let mut told = Told::default();
    for phase in &mut phases {
        let files = folders.get(&phase.item.id).map_or(&[][..], Vec::as_slice);
        phase.plans = plans::plans_of(phase, files, &mut told);
        phase.item.state = state_of(phase, files, working_on.as_ref() == Some(&phase.item.id));
        // The plans of a phase count, not the phase; of the backlog (999.x) nothing does.
        let is_backlog = phase.item.id.split('.').next() == Some("999");
        phase.item.optional = is_backlog || !phase.plans.is_empty();
        phase.plans.iter_mut().for_each(|plan| plan.optional = is_backlog);
        let questions = plans::questions(files).into_iter();
        plan.needs.extend(questions.map(|text| format!("{}: {text}", phase.item.id)));
    }
    check::disagreements(plan, &phases, state);
    plan.items =
        phases.into_iter().flat_map(|phase| std::iter::once(phase.item).chain(phase.plans)).collect();
    let lost = plans::resolve(&mut plan.items);
    plan.findings.extend(order::unknown_words(&plan.items));
    plan.findings.extend(check::conflicts(&plan.items));
    plan.findings.extend(lost);
    plan.events = told.events;
    plan.events.sort_by(|one, other| one.time.cmp(&other.time));
    let next = Gsd.next(plan).into_iter().map(|at| &plan.items[at]);
    let needs: Vec<String> = next.filter(|item| told.checkpoints.contains(&item.id)).map(need_of).collect();
    plan.needs.extend(needs);
    plan.needs = unique(std::mem::take(&mut plan.needs));
    plan.facts.extend(list("checkpoints", told.checkpoints));
}

/// What a person is asked for a plan that stops for one.
fn need_of(item: &Item) -> String {
    format!("{}: {}", item.id, item.text)
}

/// The phases of the milestone that the work is at, sorted; the others become a fact. Where no heading is of its version, it is all.
fn of_milestone(plan: &mut Plan, roadmap: Roadmap, folders: &Folders<'_>) -> Vec<Phase> {
    let Roadmap { phases, shipped, .. } = roadmap;
    let has_current = phases.iter().any(|phase| phase.is_current);
    let is_one = |phase: &Phase| !has_current || phase.is_current;
    let (mut phases, others): (Vec<Phase>, Vec<Phase>) = phases.into_iter().partition(is_one);
    let mut known: HashSet<&String> = phases.iter().chain(&others).map(|phase| &phase.item.id).collect();
    known.extend(&shipped);
    let later = others.iter().filter(|phase| phase.item.state != ItemState::Done);
    let later = later.map(|phase| format!("{} {}", phase.item.id, phase.item.text)).collect();
    plan.facts.extend(list("other_phases", later));
    // Folders of older milestones stay in many projects, and other things are kept there too.
    let first = phases.iter().map(|phase| names::order(&phase.item.id)).min();
    let is_later = |number: &String| first.as_ref().is_none_or(|first| names::order(number) > *first);
    let new = folders.iter().filter(|(number, _)| known.insert(number) && is_later(number));
    let new: Vec<Phase> = new.filter_map(|(number, files)| plans::unlisted(number, files)).collect();
    phases.extend(new);
    phases.sort_by_cached_key(|phase| names::order(&phase.item.id));
    // A phase that isn't here was shipped, and doesn't hold anything up.
    let all: HashSet<String> = phases.iter().map(|phase| phase.item.id.clone()).collect();
    phases.iter_mut().for_each(|phase| phase.item.depends_on.retain(|id| all.contains(id)));
    phases
}

/// How far a phase is. A ticked box is enough; without one it is all of the summaries, unless a verification asks for a person or found
/// gaps.
fn state_of(phase: &Phase, files: &[(&str, &str)], is_worked_on: bool) -> ItemState {
    let (done, all) = plans::count(&phase.plans).unwrap_or((0, usize::MAX));
    match (phase.item.state, plans::verification(files).as_deref()) {
        (state @ (ItemState::Done | ItemState::Dropped), _) => state,
        (_, Some("human_needed")) if done == all => ItemState::Blocked,
        (_, Some("gaps_found")) if done == all => ItemState::Failed,
        _ if done == all => ItemState::Done,
        (ItemState::Open, _) if done > 0 || is_worked_on => ItemState::Active,
        (state, _) => state,
    }
}
