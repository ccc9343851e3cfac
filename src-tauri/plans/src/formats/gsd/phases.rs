//! The folders of phases: plans, what became of them, and what a person was asked.

use super::lists::{between, entries};
use super::names::{
    id, ids_of_any_phase, is_plan, is_plan_number, is_summary, padded, parts_of, phase_of, plan_id,
};
use super::roadmap::{Listed, Phase};
use crate::boxes::one_line;
use crate::format::Source;
use crate::front_matter::FrontMatter;
use crate::plan::{Event, Item, ItemState, Plan};
use loopdeck_text::shorten;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The files of a phase.
#[derive(Default)]
pub(super) struct Folder<'f> {
    /// Its name.
    name: &'f str,
    /// Name below `phases/`, text.
    files: Vec<(&'f str, &'f str)>,
}

/// What the files of a phase say.
#[derive(Default)]
pub(super) struct Counts {
    /// Plans that have a file and weren't given up.
    pub(super) files: usize,
    /// How many of them have a summary.
    pub(super) summaries: usize,
    /// It has plans, also such that were given up.
    has_plans: bool,
    /// How its verification ended, as written.
    pub(super) verification: Option<String>,
}

impl Counts {
    /// Whether there are plans, and every one that wasn't given up has a summary.
    pub(super) fn is_carried_out(&self) -> bool {
        self.has_plans && self.summaries == self.files
    }
}

/// The folders below `phases/` by the numbers of their phases.
pub(super) fn folders<'f>(source: &Source<'f>, phases: &[Phase]) -> BTreeMap<String, Folder<'f>> {
    let known: HashSet<&str> = phases.iter().map(|phase| phase.number.as_str()).collect();
    let mut numbers: HashMap<&str, String> = HashMap::new();
    let mut found: BTreeMap<String, Folder<'f>> = BTreeMap::new();
    for (path, text) in source.below("phases") {
        let Some((name, _)) = path.split_once('/') else { continue };
        let number = || phase_of(name, |number| known.contains(number)).unwrap_or_else(|| name.to_owned());
        let number = numbers.entry(name).or_insert_with(number);
        let folder = found.entry(number.clone()).or_default();
        folder.name = name;
        folder.files.push((path, text));
    }
    found
}

/// Makes items of a phase and its plans.
pub(super) struct Maker<'p, 'f> {
    pub(super) plan: &'p mut Plan,
    /// Plans that stop for a person.
    pub(super) checkpoints: Vec<String>,
    /// Waves of the items, by index.
    pub(super) waves: HashMap<usize, &'f str>,
    /// What plans say that they wait for, by index.
    waits: Vec<(usize, String, Vec<String>)>,
}

impl<'p, 'f> Maker<'p, 'f> {
    pub(super) fn new(plan: &'p mut Plan) -> Self {
        Self { plan, checkpoints: Vec::new(), waves: HashMap::new(), waits: Vec::new() }
    }

    /// Adds the phase and its plans.
    pub(super) fn add(&mut self, phase: &Phase, folder: Option<&Folder<'f>>) -> Counts {
        let title = if phase.name.is_empty() { phase.number.clone() } else { phase.name.clone() };
        let file = folder.and_then(|folder| folder.files.first()).map(|(path, _)| format!("phases/{path}"));
        let at = self.plan.items.len();
        self.plan.items.push(Item {
            id: phase.number.clone(),
            text: title.clone(),
            details: phase.goal.clone(),
            word: phase.mark.clone().unwrap_or_default(),
            depends_on: phase.depends_on.clone(),
            group: phase.milestone.clone(),
            done_when: phase.done_when.clone(),
            file: if phase.line > 0 { Some("ROADMAP.md".to_owned()) } else { file },
            line: phase.line.max(1),
            ..Item::default()
        });
        let mut counts = folder.map(|folder| self.add_files(phase, folder)).unwrap_or_default();
        let known: HashSet<String> = self.plan.items[at + 1..].iter().map(|item| item.id.clone()).collect();
        let is_done = phase.mark.as_deref().is_some_and(is_ticked);
        for listed in phase.plans.iter().filter(|listed| !known.contains(&listed.id)) {
            self.plan.items.push(item_of(listed, &phase.number, is_done && counts.files == 0));
        }
        let group = if phase.line > 0 { format!("Phase {}: {title}", phase.number) } else { title };
        self.group(at, &group);
        counts.verification = folder.and_then(Folder::verification);
        // The plans of a phase count, not the phase; of the backlog (999.x) nothing does.
        let is_backlog = phase.number.split('.').next() == Some("999");
        self.plan.items[at].optional = self.plan.items.len() > at + 1;
        self.plan.items[at..].iter_mut().for_each(|item| item.optional |= is_backlog);
        counts
    }

    fn add_files(&mut self, phase: &Phase, folder: &Folder<'f>) -> Counts {
        let mut counts = Counts { has_plans: folder.has_plans(), ..Counts::default() };
        let texts: HashMap<&str, &str> =
            phase.plans.iter().map(|listed| (listed.id.as_str(), listed.text.as_str())).collect();
        let summaries = folder.files.iter().filter(|(path, _)| is_summary(name_of(path)));
        let summaries: HashMap<String, Fields<'f>> =
            summaries.map(|(path, text)| (id_of(path, &phase.number), Fields::of(text))).collect();
        for (path, text) in folder.files.iter().filter(|(path, _)| is_plan(name_of(path))) {
            let id = id_of(path, &phase.number);
            let fields = Fields::of(text);
            let summary = summaries.get(&id);
            let ended = summary.and_then(|summary| summary.value("status"));
            let state = match summary {
                _ if fields.is("status", "superseded") => ItemState::Dropped,
                // A stop that was planned has a summary too, and what waits for it doesn't go on.
                Some(summary) if summary.is("status", "halted") => ItemState::Blocked,
                Some(_) => ItemState::Done,
                None => ItemState::Open,
            };
            counts.files += usize::from(state != ItemState::Dropped);
            counts.summaries += usize::from(state != ItemState::Dropped && summary.is_some());
            let index = self.plan.items.len();
            if state == ItemState::Open && fields.is("autonomous", "false") {
                self.checkpoints.push(id.clone());
            }
            self.waves.extend(fields.value("wave").filter(|wave| is_number(wave)).map(|wave| (index, wave)));
            self.waits.push((index, phase.number.clone(), fields.list("depends_on")));
            self.plan.events.extend(summary.map(|summary| Event {
                time: summary.value("completed").unwrap_or_default().to_owned(),
                text: summary.heading(),
                item: Some(id.clone()),
            }));
            let listed = texts.get(id.as_str()).copied();
            let mut item = fields.item(id, listed);
            ended.or(fields.value("status")).unwrap_or_default().clone_into(&mut item.word);
            let (parent, file) = (Some(phase.number.clone()), Some(format!("phases/{path}")));
            self.plan.items.push(Item { state, parent, file, ..item });
        }
        counts
    }

    /// Names the group of each plan of a phase: its wave, where there are several.
    fn group(&mut self, phase: usize, group: &str) {
        let waves = &self.waves;
        let mut count: HashMap<&str, usize> = HashMap::new();
        for at in phase + 1..self.plan.items.len() {
            *count.entry(waves.get(&at).copied().unwrap_or_default()).or_insert(0) += 1;
        }
        for at in phase + 1..self.plan.items.len() {
            let wave = waves.get(&at).copied().unwrap_or_default();
            let item = &mut self.plan.items[at];
            item.parallel = !wave.is_empty() && count[wave] > 1;
            let is_one = count.len() == 1 || wave.is_empty();
            item.group = Some(if is_one { group.to_owned() } else { format!("{group} · Wave {wave}") });
        }
    }

    /// Puts ids in the place of what plans say that they wait for. What is no plan here doesn't hold anything up: its own tool
    /// passes over it too.
    pub(super) fn resolve(&mut self) -> Vec<(usize, String)> {
        let ids: HashMap<String, String> =
            self.plan.items.iter().map(|item| (item.id.to_lowercase(), item.id.clone())).collect();
        let mut lost = Vec::new();
        for (index, phase, waits) in std::mem::take(&mut self.waits) {
            let mut told = HashSet::new();
            for written in waits {
                let bare = written.trim_end_matches(".md");
                let own = [&self.plan.items[index].id, &phase];
                let known =
                    |name: &str| ids.get(&name.to_lowercase()).filter(|id| !own.contains(id)).cloned();
                let as_words = bare.strip_prefix("phase-").or(bare.strip_prefix("Phase "));
                let is_sibling = as_words.is_none() && is_plan_number(bare);
                let bare = as_words.unwrap_or(bare);
                let by_name = || {
                    let as_phase = phase_of(bare, |number| ids.contains_key(&number.to_lowercase()));
                    let names = plan_id(bare, &phase).into_iter().chain(ids_of_any_phase(bare));
                    names.chain([parts_of(bare).join("-")]).chain(as_phase).find_map(|name| known(&name))
                };
                let sibling = if is_sibling { known(&id(&phase, bare)) } else { known(bare) };
                let found = sibling.or_else(by_name);
                match found {
                    Some(id) if told.insert(id.clone()) => self.plan.items[index].depends_on.push(id),
                    Some(_) => {}
                    None => lost.push((index, written)),
                }
            }
        }
        lost
    }
}

/// A file with its front matter.
struct Fields<'f> {
    text: &'f str,
    front: Option<FrontMatter<'f>>,
}

impl<'f> Fields<'f> {
    fn of(text: &'f str) -> Self {
        Self { text, front: FrontMatter::read(text) }
    }

    fn value(&self, key: &str) -> Option<&'f str> {
        self.front.as_ref()?.value(key)
    }

    fn is(&self, key: &str, word: &str) -> bool {
        self.value(key).is_some_and(|value| value.eq_ignore_ascii_case(word))
    }

    fn list(&self, key: &str) -> Vec<String> {
        self.front.as_ref().map_or_else(Vec::new, |front| entries(&self.text[front.inner.clone()], key))
    }

    /// Its first heading.
    fn heading(&self) -> String {
        one_line(self.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default())
    }

    /// What a plan says of itself, named by the roadmap where that has it.
    fn item(&self, id: String, listed: Option<&str>) -> Item {
        let objective = between(self.text, "<objective>", "</objective>");
        let first = objective.lines().map(str::trim).find(|line| !line.is_empty());
        let title = listed.filter(|text| !text.is_empty()).or(first);
        let files = ["files_modified", "files-modified"].map(|key| self.list(key));
        Item {
            text: title.map_or_else(|| id.clone(), |title| one_line(&shorten(title, 400))),
            details: shorten(objective, 4_000),
            files: files.into_iter().find(|list| !list.is_empty()).unwrap_or_default(),
            done_when: self.list("truths"),
            line: 1,
            id,
            ..Item::default()
        }
    }
}

impl Folder<'_> {
    pub(super) fn has_plans(&self) -> bool {
        self.files.iter().any(|(path, _)| is_plan(name_of(path)))
    }

    /// The words of its name.
    pub(super) fn words(&self) -> String {
        let words = self.name.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
        words.replace('-', " ")
    }

    /// The status of the last verification.
    fn verification(&self) -> Option<String> {
        let files =
            self.files.iter().filter(|(file, _)| file.to_ascii_uppercase().ends_with("VERIFICATION.MD"));
        files.rev().find_map(|(_, text)| FrontMatter::read(text)?.value("status").map(str::to_lowercase))
    }

    /// What the verification and the tests of a person wait for.
    pub(super) fn questions(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (file, text) in &self.files {
            let upper = file.to_ascii_uppercase();
            let Some(front) = FrontMatter::read(text) else { continue };
            let word = front.value("status").unwrap_or_default().to_ascii_lowercase();
            let inner = text.get(front.inner.clone()).unwrap_or_default();
            let found = match word.as_str() {
                "human_needed" if upper.ends_with("VERIFICATION.MD") => entries(inner, "human_verification"),
                "gaps_found" if upper.ends_with("VERIFICATION.MD") => entries(inner, "gaps"),
                "testing" | "partial" | "pending" | "diagnosed" if upper.ends_with("UAT.MD") => {
                    open_tests(front.body())
                }
                _ => continue,
            };
            let none = found.is_empty();
            all.extend(found);
            all.extend(none.then_some(word));
        }
        all
    }
}

fn item_of(listed: &Listed, phase: &str, is_done: bool) -> Item {
    let state = if is_done { ItemState::Done } else { state_of(&listed.mark) };
    Item {
        id: listed.id.clone(),
        text: listed.text.clone(),
        word: listed.mark.clone(),
        state,
        parent: Some(phase.to_owned()),
        file: Some("ROADMAP.md".to_owned()),
        line: listed.line,
        ..Item::default()
    }
}

/// What a box says; people write `[~]` for what was begun.
pub(super) fn state_of(mark: &str) -> ItemState {
    match mark.trim() {
        "" => ItemState::Open,
        "~" => ItemState::Active,
        mark if is_ticked(mark) => ItemState::Done,
        _ => ItemState::Unknown,
    }
}

pub(super) fn is_ticked(mark: &str) -> bool {
    matches!(mark, "x" | "X")
}

fn is_number(word: &str) -> bool {
    (1..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn name_of(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// The id of a plan, and of its summary.
fn id_of(file: &str, phase: &str) -> String {
    let name = name_of(file);
    plan_id(name, phase).unwrap_or_else(|| {
        let words = parts_of(name).join("-");
        let is_bare = words.is_empty() || super::names::number(&words).as_deref() == Some(phase);
        if is_bare { format!("{}-PLAN", padded(phase)) } else { words }
    })
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
            let is_open = ["pending", "blocked", "issue", "fail"].iter().any(|word| result.starts_with(word));
            all.extend((is_open && !name.is_empty()).then(|| one_line(name)));
        }
    }
    all
}
