//! The phases of a roadmap: boxes with their names, sections with what they are for, and the plans that they list.

use super::names::{begins_with_digit, id, number, plan_id};
use crate::boxes::{Boxes, FoundBox, one_line};
use crate::fields::unique;
use crate::plan::{Item, ItemState};
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};

/// A phase as the roadmap has it.
#[derive(Default)]
pub(super) struct Phase {
    /// Its id is its number without leading zeros, its word what is in its box, its group its milestone.
    pub(super) item: Item,
    /// The plans that the roadmap lists below it.
    pub(super) listed: Vec<Item>,
    /// Those, and the ones that have a file, in the order in which they are carried out.
    pub(super) plans: Vec<Item>,
    /// It belongs to the milestone that the work is at.
    pub(super) is_current: bool,
}

#[derive(Default)]
pub(super) struct Roadmap {
    /// Its name.
    pub(super) title: Option<String>,
    pub(super) phases: Vec<Phase>,
    /// Numbers of phases that were shipped and left out: in some projects numbers begin again.
    pub(super) shipped: HashSet<String>,
    /// Boxes of such phases: number, name, mark. The sections of some stand outside of the milestone.
    shipped_boxes: Vec<(String, String, String)>,
    known: HashMap<String, usize>,
    with_shipped: bool,
    /// Where `<details>` begins and ends; a milestone that was shipped is inside of it. With an attribute (`<details open>`) it is a
    /// milestone like any other.
    folds: Vec<(usize, bool)>,
    /// Where milestones begin, and whether it is the one that the work is at.
    milestones: Vec<(usize, bool)>,
}

impl Roadmap {
    /// Reads what isn't shipped, or all where nothing is left; the milestone of this version is the one that the work is at.
    pub(super) fn read(text: &str, version: Option<&str>) -> Self {
        let boxes = Boxes::read(text);
        let unshipped = Self::read_boxes(text, &boxes, version.unwrap_or_default(), false);
        if unshipped.phases.is_empty() { Self::read_boxes(text, &boxes, "", true) } else { unshipped }
    }

    fn read_boxes(text: &str, boxes: &Boxes<'_>, version: &str, with_shipped: bool) -> Self {
        let title = boxes.title().and_then(|title| title.strip_prefix("Roadmap").map(str::to_owned));
        let title =
            title.map(|title| title.trim_start_matches([' ', ':', '-', '—', '–', '·', '|']).to_owned());
        let title = title.filter(|title| !title.is_empty());
        let sections = boxes.sections();
        let milestones = sections.iter().filter(|section| is_milestone(section.title));
        let is_current = |title: &str| is_of_version(title, version) && !is_shipped(title);
        // A milestone ends where the next one begins, as GSD reads it.
        let milestones = milestones.map(|section| (section.start, is_current(section.title))).collect();
        let mut roadmap = Self { title, folds: folds(text), milestones, with_shipped, ..Self::default() };
        roadmap.unfold_current(text, is_current);
        for section in sections {
            let Some(label) = label(section.title) else { continue };
            if let Some(phase) = roadmap.phase(label, &section.headings, section.start, section.line) {
                read_section(&mut phase.item, section.body);
            }
        }
        boxes.all().into_iter().for_each(|found| roadmap.add_box(found));
        roadmap.tell_shipped();
        roadmap
    }

    /// Takes the fold whose summary names the current milestone for one, where no heading does.
    fn unfold_current(&mut self, text: &str, is_current: impl Fn(&str) -> bool) {
        if self.milestones.iter().any(|(_, is_it)| *is_it) {
            return;
        }
        let summary = |at: usize| text[at..].split_once("<summary>")?.1.split_once("</summary>");
        let names_it = |(at, is_fold): &(usize, bool)| {
            *is_fold && summary(*at).is_some_and(|(title, _)| is_current(title))
        };
        let Some(at) = self.folds.iter().position(names_it) else { return };
        self.folds[at].1 = false;
        let end = self.folds.get(at + 1).map_or(text.len(), |(end, _)| *end);
        self.milestones.extend([(self.folds[at].0, true), (end, false)]);
        self.milestones.sort_unstable();
    }

    /// Gives phases whose boxes stand in a milestone that was shipped, and whose sections outside of it, what their boxes say.
    fn tell_shipped(&mut self) {
        for (id, name, word) in std::mem::take(&mut self.shipped_boxes) {
            let Some(phase) = self.known.get(&id).map(|at| &mut self.phases[*at].item) else { continue };
            // Where numbers begin again, another phase has this one.
            if phase.word.is_empty() && phase.text.starts_with(&name) {
                (phase.state, phase.word) = (state_of(&word), word);
            }
        }
    }

    /// The phase with this number and name, made where it is new; `None` in a milestone that was shipped.
    fn phase(&mut self, label: (String, &str), above: &[&str], at: usize, line: u32) -> Option<&mut Phase> {
        let (id, name) = label;
        let milestone = above.iter().rev().find(|title| is_milestone(title));
        let is_in = |places: &[(usize, bool)]| {
            let before = &places[..places.partition_point(|(start, _)| *start < at)];
            before.last().is_some_and(|(_, is_it)| *is_it)
        };
        let (is_folded, is_current) = (is_in(&self.folds), is_in(&self.milestones));
        let is_shipped = is_folded || milestone.is_some_and(|title| is_shipped(title));
        if is_shipped && !self.with_shipped {
            self.shipped.insert(id);
            return None;
        }
        let index = *self.known.entry(id.clone()).or_insert(self.phases.len());
        if index == self.phases.len() {
            let text = one_line(&shorten(if name.is_empty() { &id } else { name }, 200));
            let item = Item { id, text, file: Some("ROADMAP.md".to_owned()), line, ..Item::default() };
            self.phases.push(Phase { item, ..Phase::default() });
        }
        let phase = &mut self.phases[index];
        phase.is_current |= is_current;
        if let Some(milestone) = milestone.filter(|_| phase.item.word.is_empty()) {
            phase.item.group = Some(one_line(&shorten(milestone, 200)));
        }
        Some(phase)
    }

    fn add_box(&mut self, found: FoundBox<'_>) {
        let Item { word, line, mark, .. } = found.item;
        let state = state_of(&word);
        let at = mark.map_or(0, |mark| mark.start);
        if let Some((number, name)) = label(found.text) {
            let ends: &[&str] = if name.contains("**") { &["**"] } else { &[" — ", " – ", " - ", " ("] };
            let end = ends.iter().filter_map(|end| name.find(end)).min().unwrap_or(name.len());
            let name = &name[..end];
            let Some(phase) = self.phase((number.clone(), name), &found.headings, at, line) else {
                return self.shipped_boxes.push((number, one_line(name), word));
            };
            if phase.item.word.is_empty() {
                // The box says the state, so the phase is where the box is.
                (phase.item.word, phase.item.line, phase.item.state) = (word, line, state);
            }
            if found.text.trim_start_matches("**").starts_with("~~") {
                phase.item.state = ItemState::Dropped;
            }
        } else if let Some(label) = found.headings.iter().rev().find_map(|title| label(title)) {
            // The headings were read: a phase that isn't known was shipped, even where its section continues behind the fold.
            if !self.known.contains_key(&label.0) {
                return;
            }
            let Some(phase) = self.phase(label, &found.headings, at, line) else { return };
            let Some((id, text)) = listed(&phase.item.id, found.text) else { return };
            let (text, parent) = (one_line(text), Some(phase.item.id.clone()));
            let file = phase.item.file.clone();
            phase.listed.push(Item { id, text, word, state, parent, file, line, ..Item::default() });
        }
    }
}

/// Where `<details>` without an attribute begins, and where any ends.
fn folds(text: &str) -> Vec<(usize, bool)> {
    let fold = |(at, name): (usize, &str)| match &text[..at] {
        before if before.ends_with('<') => Some((at, text[at + name.len()..].starts_with('>'))),
        before => before.ends_with("</").then_some((at, false)),
    };
    text.match_indices("details").filter_map(fold).collect()
}

/// What a box says; people write `[~]` for what was begun.
fn state_of(mark: &str) -> ItemState {
    match mark.trim() {
        "" => ItemState::Open,
        "~" => ItemState::Active,
        "x" | "X" => ItemState::Done,
        _ => ItemState::Unknown,
    }
}

/// The value of a line `**Name:** value`, `**Name**: value` or `- Name: value`, or of a row of a table with two columns.
pub(super) fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let line = line.trim_start_matches(['*', '-', '|', ' ', '\t']);
    let start = line.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name))?;
    let rest = line[start.len()..].trim_start_matches(['*', ' ']);
    let value = rest.strip_prefix([':', '|'])?.trim_matches(['*', '|', ' ', '\t', '\r']);
    // `| Phase | Plans | Total |` is the head of a table.
    let is_head = rest.starts_with('|') && value.contains('|');
    Some(value).filter(|value| !value.is_empty() && !is_head)
}

/// Reads the section of a phase: `**Goal**: …`, `**Depends on**: …`, `**Success Criteria**` with a list.
fn read_section(item: &mut Item, section: &str) {
    let mut in_criteria = false;
    for line in section.lines().map(str::trim) {
        let entry =
            line.trim_start_matches(|letter: char| letter.is_ascii_digit() || ".)-* ".contains(letter));
        if let Some(goal) = field(line, "goal").filter(|_| item.details.is_empty()) {
            item.details = shorten(goal, 2_000);
        } else if let Some(phases) = field(line, "depends on").filter(|_| item.depends_on.is_empty()) {
            item.depends_on = phases_in(&shorten(phases, 500));
        } else if entry.to_ascii_lowercase().starts_with("success criteria") {
            in_criteria = true;
        } else if line.starts_with("**") || line.starts_with('<') {
            in_criteria = false;
        } else if in_criteria && !line.is_empty() {
            match item.done_when.last_mut().filter(|_| entry.len() == line.len()) {
                Some(last) => *last = format!("{last} {line}"),
                None => item.done_when.push(one_line(entry)),
            }
        }
    }
}

/// `Phase 2.1: Name`, with signs before it, or something in parentheses before the name.
fn label(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let word = text.get(.."phase".len()).filter(|word| word.eq_ignore_ascii_case("phase"))?;
    let (number, rest) = first_name(text[word.len()..].strip_prefix(' ')?);
    let rest = rest.trim_start_matches('.').trim_start();
    let name = rest
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map_or(rest, |(_, name)| name.trim_start());
    let bare = name.trim_start_matches([':', '—', '–', '-', '*', '~', ' ']);
    let is_named = name.is_empty() || bare.len() < name.len();
    let number = self::number(number).filter(|_| is_named)?;
    Some((number, bare.trim_end_matches("(INSERTED)").trim()))
}

/// A plan of a phase that a box names, with what it says of it.
fn listed<'t>(phase: &str, text: &'t str) -> Option<(String, &'t str)> {
    let text = text.trim_start_matches(['*', '`', '[', '~', ' ']);
    let (name, rest) = first_name(text.strip_prefix("Plan ").unwrap_or(text));
    let id = plan_id(name, phase).filter(|found| found.starts_with(&id(phase, "")))?;
    // The rest of a link: `](phases/…)`.
    let link = rest.trim_start_matches('`').strip_prefix("](").and_then(|rest| rest.split_once(')'));
    let rest = link.map_or(rest, |(_, rest)| rest);
    Some((id, rest.trim_start_matches(|letter: char| "*`]~:—–- \t".contains(letter)).trim_end_matches('*')))
}

/// The name that a text begins with, and the rest.
fn first_name(text: &str) -> (&str, &str) {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    text.split_at(text[..end].trim_end_matches(['.', '-', '_']).len())
}

/// Numbers of phases in a sentence: `Phase 1, Phase 2.1 (why)`, `Phases 3-5 and 7`.
fn phases_in(text: &str) -> Vec<String> {
    // What is in parentheses, and what comes after the first sentence, speaks of other phases too.
    let mut parts = text.split('(');
    let mut bare = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| bare.push_str(part.split_once(')').map_or("", |(_, rest)| rest)));
    let sentence =
        bare.split(['⛔', ';', '—']).next().and_then(|text| text.split(". ").next()).unwrap_or_default();
    let mut found = Vec::new();
    let mut is_list = begins_with_digit(sentence.trim());
    for word in sentence.split(|letter: char| letter.is_whitespace() || ",+&/".contains(letter)) {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_ascii_lowercase();
        let (from, to) = word.split_once(['-', '–']).unwrap_or((&word, &word));
        match (number(from), number(to)) {
            (Some(from), Some(to)) if is_list => match (from.parse::<u32>(), to.parse::<u32>()) {
                (Ok(from), Ok(to)) if to.saturating_sub(from) <= 100 => {
                    found.extend((from..=to).map(|number| number.to_string()));
                }
                _ => found.extend([from, to]),
            },
            _ if matches!(word.as_str(), "" | "and") => {}
            _ => is_list = matches!(word.as_str(), "phase" | "phases"),
        }
    }
    unique(found)
}

/// The words of a heading; a version is one.
fn words(title: &str) -> impl Iterator<Item = &str> {
    title.split(|letter: char| !letter.is_alphanumeric() && letter != '.')
}

fn is_of_version(title: &str, version: &str) -> bool {
    let version = version.trim_start_matches('v');
    !version.is_empty() && words(title).any(|word| word.trim_start_matches('v') == version)
}

/// Whether `v1.2` is in a heading.
fn has_version(title: &str) -> bool {
    let is_version = |rest: &str| begins_with_digit(rest) && rest.contains('.');
    words(title).any(|word| word.strip_prefix(['v', 'V']).is_some_and(is_version))
}

fn is_milestone(title: &str) -> bool {
    label(title).is_none() && (has_version(title) || title.contains(['✅', '📋', '🚧', '🔄']))
}

fn is_shipped(title: &str) -> bool {
    let upper = title.to_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| upper.contains(word));
    let is_open = has(&["STARTED", "ACTIVE", "WIP", "IN PROGRESS", "🚧", "🔄"]);
    has_version(title) && !is_open && has(&["CLOSED", "ARCHIVED", "ABANDONED", "SHIPPED", "✅", "🗄"])
}
