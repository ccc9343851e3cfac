//! The folders of phases: plans, what became of them, and what a person was asked.

use super::names::{id, id_of, is_of_kind, is_plan_number, order, phase_of, plan_id};
use super::roadmap::Phase;
use crate::boxes::one_line;
use crate::fields::unique;
use crate::finding::{Finding, FindingCode};
use crate::format::Source;
use crate::front_matter::FrontMatter;
use crate::plan::{Event, Item, ItemState};
use loopdeck_text::shorten;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The wave of a plan that is only listed: after those that are written.
const LAST_WAVE: u32 = u32::MAX;

/// The files of phases by their numbers: the path below `phases/` and the text of each.
pub(super) type Folders<'f> = BTreeMap<String, Vec<(&'f str, &'f str)>>;

pub(super) fn folders<'f>(source: &Source<'f>) -> Folders<'f> {
    let mut found = Folders::new();
    for (path, text) in source.below("phases") {
        let Some((folder, _)) = path.split_once('/') else { continue };
        let number = phase_of(folder).unwrap_or_else(|| folder.to_owned());
        found.entry(number).or_default().push((path, text));
    }
    found
}

/// A phase that the roadmap doesn't have; `None` for a folder without plans.
pub(super) fn unlisted(number: &str, files: &[(&str, &str)]) -> Option<Phase> {
    let (path, _) = files.iter().find(|(path, _)| is_of_kind(path, "plan"))?;
    let name = path.split('/').next()?.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    let text = if name.is_empty() { number.to_owned() } else { name.replace('-', " ") };
    let file = Some(format!("phases/{path}"));
    let item = Item { id: number.to_owned(), text, file, line: 1, ..Item::default() };
    Some(Phase { item, ..Phase::default() })
}

/// What the files of phases say besides the items.
#[derive(Default)]
pub(super) struct Told {
    /// Plans that stop for a person.
    pub(super) checkpoints: Vec<String>,
    /// What was carried out.
    pub(super) events: Vec<Event>,
}

/// The plans of a phase, in the order in which they are carried out.
pub(super) fn plans_of(phase: &Phase, files: &[(&str, &str)], told: &mut Told) -> Vec<Item> {
    let number = &phase.item.id;
    let of_kind = |word| {
        let files = files.iter().filter(move |(path, _)| is_of_kind(path, word));
        files.map(|(path, text)| (*path, id_of(path, number), FrontMatter::of(text)))
    };
    let summaries: HashMap<String, FrontMatter<'_>> =
        of_kind("summary").map(|(_, id, summary)| (id, summary)).collect();
    let mut all: Vec<(u32, Item)> = Vec::new();
    for (path, id, front) in of_kind("plan") {
        let summary = summaries.get(&id);
        let listed = phase.listed.iter().find(|listed| listed.id == id);
        let (parent, file) = (Some(number.clone()), Some(format!("phases/{path}")));
        let item = Item { parent, file, id, line: 1, ..Item::default() };
        let item = described(item, &front, summary, listed);
        if item.state == ItemState::Open && is(&front, "autonomous", "false") {
            told.checkpoints.push(item.id.clone());
        }
        told.events.extend(summary.map(|summary| carried_out(&item.id, summary)));
        // Its own tool takes one without a wave for one of the first.
        all.push((front.value("wave").and_then(|wave| wave.parse().ok()).unwrap_or(1), item));
    }
    let is_shipped = all.is_empty() && phase.item.state == ItemState::Done;
    let written: HashSet<String> = all.iter().map(|(_, plan)| plan.id.clone()).collect();
    for listed in phase.listed.iter().filter(|listed| !written.contains(&listed.id)) {
        let is_done = is_shipped || summaries.contains_key(&listed.id);
        let state = if is_done { ItemState::Done } else { listed.state };
        all.push((LAST_WAVE, Item { state, ..listed.clone() }));
    }
    all.sort_by_cached_key(|(wave, item)| (*wave, order(&item.id)));
    in_waves(phase, all)
}

/// The plans with their waves as groups, where there are several.
fn in_waves(phase: &Phase, plans: Vec<(u32, Item)>) -> Vec<Item> {
    let group = format!("Phase {}: {}", phase.item.id, phase.item.text);
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    plans.iter().for_each(|(wave, _)| *sizes.entry(*wave).or_default() += 1);
    let place = |(wave, item): (u32, Item)| {
        let is_only = sizes.len() == 1 || wave == LAST_WAVE;
        let group = if is_only { group.clone() } else { format!("{group} · Wave {wave}") };
        Item { parallel: wave != LAST_WAVE && sizes[&wave] > 1, group: Some(group), ..item }
    };
    plans.into_iter().map(place).collect()
}

/// A plan with what its file says, named by the roadmap where that has it.
fn described(
    item: Item,
    front: &FrontMatter<'_>,
    summary: Option<&FrontMatter<'_>>,
    listed: Option<&Item>,
) -> Item {
    let objective =
        front.body().split_once("<objective>").and_then(|(_, rest)| rest.split_once("</objective>"));
    let objective = objective.map_or("", |(inner, _)| inner.trim());
    let title = listed.map(|listed| listed.text.as_str()).filter(|text| !text.is_empty());
    let title = title.or(objective.lines().next()).unwrap_or(&item.id);
    let word = summary.and_then(|summary| summary.value("status")).or(front.value("status"));
    let files = ["files_modified", "files-modified"].map(|key| front.list(key));
    Item {
        text: one_line(&shorten(title, 400)),
        details: shorten(objective, 4_000),
        word: word.unwrap_or_default().to_owned(),
        state: match summary {
            _ if is(front, "status", "superseded") => ItemState::Dropped,
            // A stop that was planned has a summary too, and what waits for it doesn't go on.
            Some(summary) if is(summary, "status", "halted") => ItemState::Blocked,
            Some(_) => ItemState::Done,
            None => ItemState::Open,
        },
        depends_on: front.list("depends_on"),
        files: files.concat(),
        done_when: front.list("truths"),
        ..item
    }
}

fn is(front: &FrontMatter<'_>, key: &str, word: &str) -> bool {
    front.value(key).is_some_and(|value| value.eq_ignore_ascii_case(word))
}

fn carried_out(plan: &str, summary: &FrontMatter<'_>) -> Event {
    let time = summary.value("completed").unwrap_or_default().to_owned();
    let heading = summary.body().lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    Event { time, text: one_line(heading), item: Some(plan.to_owned()) }
}

/// Puts ids in the place of what plans say that they wait for. What is no plan here doesn't hold anything up: its own tool passes over
/// it too.
pub(super) fn resolve(items: &mut [Item]) -> Vec<Finding> {
    let ids: HashMap<String, String> =
        items.iter().map(|item| (item.id.to_lowercase(), item.id.clone())).collect();
    let mut lost = Vec::new();
    for item in items {
        let Some(phase) = &item.parent else { continue };
        let known = |name: String| {
            let found = ids.get(&name.to_lowercase())?;
            (*found != item.id && found != phase).then(|| found.clone())
        };
        let mut waits = Vec::new();
        for written in &item.depends_on {
            let name = written.trim_end_matches(".md");
            let sibling = is_plan_number(name).then(|| id(phase, name));
            let by_phase = || phase_of(name.strip_prefix("Phase ").unwrap_or(name)).and_then(known);
            let by_name = || plan_id(name, phase).and_then(known).or_else(|| known(id_of(name, phase)));
            let found = sibling.and_then(known).or_else(by_name).or_else(by_phase);
            if found.is_none() {
                let finding = Finding::new(FindingCode::FileMissing).with("item", &item.id);
                lost.push(finding.with("file", written));
            }
            waits.extend(found);
        }
        item.depends_on = unique(waits);
    }
    lost.truncate(20);
    lost
}

/// Plans of a phase that have a file and weren't given up: how many have a summary, and how many there are. `None` without a file.
pub(super) fn count(plans: &[Item]) -> Option<(usize, usize)> {
    let mut written = plans.iter().filter(|plan| plan.file.as_deref() != Some("ROADMAP.md")).peekable();
    written.peek()?;
    let counted = written.filter(|plan| plan.state != ItemState::Dropped);
    Some(
        counted
            .fold((0, 0), |(done, all), plan| (done + usize::from(plan.state != ItemState::Open), all + 1)),
    )
}

/// How the last verification of a phase ended.
pub(super) fn verification(files: &[(&str, &str)]) -> Option<String> {
    let files = files.iter().rev().filter(|(path, _)| path.to_uppercase().ends_with("VERIFICATION.MD"));
    files.filter_map(|(_, text)| FrontMatter::of(text).value("status").map(str::to_lowercase)).next()
}

/// What the verification and the tests of a person wait for.
pub(super) fn questions(files: &[(&str, &str)]) -> Vec<String> {
    let asked = |(path, text): &(&str, &str)| {
        let front = FrontMatter::of(text);
        let word = front.value("status").unwrap_or_default().to_lowercase();
        let upper = path.to_uppercase();
        let found = match word.as_str() {
            "human_needed" if upper.ends_with("VERIFICATION.MD") => front.list("human_verification"),
            "gaps_found" if upper.ends_with("VERIFICATION.MD") => front.list("gaps"),
            "testing" | "partial" | "pending" | "diagnosed" if upper.ends_with("UAT.MD") => {
                open_tests(front.body())
            }
            _ => return Vec::new(),
        };
        if found.is_empty() { vec![word] } else { found }
    };
    files.iter().flat_map(asked).collect()
}

/// Tests of a person that have no result yet, or found a fault.
fn open_tests(body: &str) -> Vec<String> {
    let mut name = "";
    let mut all = Vec::new();
    for line in body.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix("### ") {
            name =
                heading.trim_start_matches(|letter: char| letter.is_ascii_digit() || ". ".contains(letter));
        } else if let Some(result) = line.strip_prefix("result:") {
            let result = result.trim().trim_matches(['[', ']', '"']).to_ascii_lowercase();
            if ["pending", "blocked", "issue", "fail"].iter().any(|word| result.starts_with(word)) {
                all.push(one_line(name));
            }
        }
    }
    all
}
