//! The phases of a roadmap: boxes with their names, sections with what they are for, and the plans that they list.

use super::names::{number, plan_id};
use crate::boxes::{Boxes, one_line};
use crate::format::Lines;
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A phase as the roadmap has it.
#[derive(Default)]
pub(super) struct Phase {
    /// `2.1`, without leading zeros.
    pub(super) number: String,
    pub(super) name: String,
    /// What is in its box; `None` where it has none.
    pub(super) mark: Option<String>,
    /// It is struck through.
    pub(super) is_struck: bool,
    /// 0 where the roadmap doesn't have it.
    pub(super) line: u32,
    pub(super) goal: String,
    /// Numbers of phases.
    pub(super) depends_on: Vec<String>,
    pub(super) done_when: Vec<String>,
    /// The heading of its milestone.
    pub(super) milestone: Option<String>,
    /// It belongs to a milestone that was shipped.
    pub(super) is_archived: bool,
    /// It belongs to the milestone that the work is at.
    pub(super) is_current: bool,
    pub(super) plans: Vec<Listed>,
}

/// A plan that a phase lists.
pub(super) struct Listed {
    /// `02.1-03`.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) mark: String,
    pub(super) line: u32,
}

/// What the text belongs to from a heading on.
#[derive(Clone, Default)]
struct Region {
    start: usize,
    phase: Option<usize>,
    milestone: Option<String>,
    is_shipped: bool,
    is_current: bool,
}

#[derive(Default)]
struct Roadmap {
    phases: Vec<Phase>,
    /// Numbers begin again in a new milestone of some projects.
    known: HashMap<(bool, String), usize>,
    regions: Vec<Region>,
    /// What is between `<details>` and `</details>`: milestones that were shipped.
    folded: Vec<Range<usize>>,
}

/// Its first heading, and every phase, those of other milestones than the one of this version too.
pub(super) fn read(text: &str, version: Option<&str>) -> (Option<String>, Vec<Phase>) {
    let boxes = Boxes::read(text);
    let mut roadmap = Roadmap { folded: folded(text), ..Roadmap::default() };
    roadmap.read_headings(text, &boxes, version);
    roadmap.read_boxes(&boxes);
    (boxes.title(), roadmap.phases)
}

impl Roadmap {
    fn phase(&mut self, (number, name): (String, &str), region: &Region, line: u32) -> usize {
        let before = self.folded.partition_point(|range| range.start <= region.start);
        let is_folded = before > 0 && self.folded[before - 1].end > region.start;
        let is_archived = region.is_shipped || is_folded;
        let phases = &mut self.phases;
        let index = *self.known.entry((is_archived, number.clone())).or_insert_with(|| {
            let milestone = region.milestone.clone();
            let name = one_line(&shorten(name, 200));
            phases.push(Phase { number, name, line, milestone, is_archived, ..Phase::default() });
            phases.len() - 1
        });
        self.phases[index].is_current |= region.is_current && !is_archived;
        index
    }

    fn read_headings(&mut self, text: &str, boxes: &Boxes<'_>, version: Option<&str>) {
        let lines = Lines::of(text);
        let headings = &boxes.document.headings;
        let (mut milestone_level, mut current_level, mut phase_level) = (0, 0, 0);
        let mut region = Region::default();
        for (at, heading) in headings.iter().enumerate() {
            let title = text[heading.text.clone()].trim();
            region.start = heading.range.start;
            if let Some(found) = label(title) {
                let index = self.phase(found, &region, lines.of_byte(region.start));
                let end = headings.get(at + 1).map_or(text.len(), |next| next.range.start);
                self.phases[index].fill(&text[heading.range.end..end.max(heading.range.end)]);
                phase_level = heading.level;
                region.phase = Some(index);
            } else {
                region.phase = region.phase.filter(|_| heading.level > phase_level);
                let is_milestone = heading.level <= 3 && is_milestone(title);
                if is_milestone || heading.level <= milestone_level {
                    milestone_level = if is_milestone { heading.level } else { 0 };
                    region.milestone = is_milestone.then(|| one_line(&shorten(title, 200)));
                    region.is_shipped = is_milestone && is_shipped(title);
                }
                // The milestone goes on until the next one, as its own tool reads it.
                let is_this = version.is_some_and(|version| names_version(title, version));
                if is_milestone && is_this && !region.is_shipped {
                    region.is_current = true;
                    current_level =
                        if current_level == 0 { heading.level } else { current_level.min(heading.level) };
                } else if is_milestone && heading.level <= current_level {
                    region.is_current = false;
                    current_level = 0;
                }
            }
            self.regions.push(region.clone());
        }
    }

    fn read_boxes(&mut self, boxes: &Boxes<'_>) {
        for found in boxes.all() {
            let start = found.item.mark.as_ref().map_or(0, |mark| mark.start);
            let above = self.regions.partition_point(|region| region.start <= start);
            let region = above.checked_sub(1).map(|at| self.regions[at].clone()).unwrap_or_default();
            if let Some((number, name)) = label(found.text) {
                let is_bold = found.text.trim_start_matches('~').starts_with("**");
                let end = if is_bold {
                    name.find("**")
                } else {
                    [" — ", " – ", " - ", " ("].iter().filter_map(|end| name.find(end)).min()
                };
                let name = &name[..end.unwrap_or(name.len())];
                let milestone = region.milestone.clone();
                let index = self.phase((number, name), &Region { start, ..region }, found.item.line);
                let phase = &mut self.phases[index];
                phase.is_struck |= found.text.trim_start_matches("**").starts_with("~~");
                if phase.mark.is_none() {
                    // The box says the state, so the phase is where the box is.
                    (phase.mark, phase.line) = (Some(found.item.word), found.item.line);
                    phase.milestone = milestone.or(phase.milestone.take());
                }
            } else if let Some(phase) = region.phase.map(|index| &mut self.phases[index]) {
                let listed = listed(&phase.number, found.text).map(|(id, text)| Listed {
                    id,
                    text: one_line(text),
                    mark: found.item.word,
                    line: found.item.line,
                });
                phase.plans.extend(listed);
            }
        }
    }
}

impl Phase {
    /// What its section says: `**Goal**: …`, `**Depends on**: …`, `**Success Criteria**` with a list.
    fn fill(&mut self, section: &str) {
        let mut in_criteria = false;
        for line in section.lines() {
            let trimmed = line.trim();
            let plain = trimmed.trim_start_matches(['-', '*', ' ']);
            let value = |name: &str| {
                let (label, value) = plain.split_once(':')?;
                let label = label.trim_end_matches('*');
                let is_it = label.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
                (is_it && label.len() < 60).then(|| value.trim_start_matches('*').trim())
            };
            if let Some(goal) = value("goal").filter(|_| self.goal.is_empty()) {
                self.goal = shorten(goal, 2_000);
            } else if let Some(phases) = value("depends on").filter(|_| self.depends_on.is_empty()) {
                self.depends_on = phases_in(&shorten(phases, 500));
            }
            let entry = trimmed
                .trim_start_matches(|letter: char| letter.is_ascii_digit() || ".)-* ".contains(letter));
            match () {
                () if value("success criteria").is_some() => in_criteria = true,
                () if !in_criteria || trimmed.is_empty() => {}
                () if trimmed.starts_with("**") || trimmed.starts_with('<') => in_criteria = false,
                () if entry.len() < trimmed.len() => self.done_when.push(one_line(entry)),
                () => self.done_when.iter_mut().last().into_iter().for_each(|last| {
                    last.push(' ');
                    last.push_str(trimmed);
                }),
            }
        }
    }
}

/// `Phase 2.1: Name`, with signs, a tag in brackets or one in parentheses before the name.
fn label(text: &str) -> Option<(String, &str)> {
    let skip =
        |text: &str| text.trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '[').len();
    let mut rest = &text[text.len() - skip(text)..];
    if let Some((_, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        rest = &after[after.len() - skip(after)..];
    }
    let word = rest.get(.."phase".len()).filter(|word| word.eq_ignore_ascii_case("phase"))?;
    let after = &rest[word.len()..];
    let token = after.trim_start();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let length = token.find(|letter| !is_part(letter)).unwrap_or(token.len());
    let written = token[..length].trim_end_matches(['.', '-', '_']);
    let mut name = token[written.len()..].trim_start_matches('.').trim_start();
    if let Some((tag, after)) = name.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        name = if tag.len() <= 200 { after.trim_start() } else { name };
    }
    let is_named = name.is_empty() || name.starts_with([':', '—', '–', '-', '*', '~']);
    let number = number(written).filter(|_| is_named && after.len() > token.len())?;
    Some((
        number,
        name.trim_start_matches([':', '—', '–', '-', '*', '~', ' ']).trim_end_matches("(INSERTED)").trim(),
    ))
}

/// A plan that the box of a phase names, with what it says of it.
fn listed<'t>(phase: &str, text: &'t str) -> Option<(String, &'t str)> {
    let text = text.trim_start_matches(['*', '`', '[', '~', ' ']);
    let text = text.strip_prefix("Plan ").unwrap_or(text);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let length = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let id = plan_id(text[..length].trim_end_matches(['.', '-']), phase)?;
    let rest = &text[length..];
    // The rest of a link: `](phases/…)`.
    let link = rest.trim_start_matches('`').strip_prefix("](").and_then(|rest| rest.split_once(')'));
    let rest = link.map_or(rest, |(_, rest)| rest);
    Some((id, rest.trim_start_matches(|letter: char| "*`]~:—–- \t".contains(letter)).trim_end_matches('*')))
}

/// Numbers of phases in a sentence: `Phase 1, Phase 2.1 (why)`, `Phases 3-5 and 7`.
fn phases_in(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut is_outside = |letter: &char| {
        depth = (depth + usize::from(*letter == '(')).saturating_sub(usize::from(*letter == ')'));
        depth == 0 && *letter != ')'
    };
    // What is in parentheses, and what comes after the first sentence, speaks of other phases too.
    let bare: String = text.chars().filter(&mut is_outside).collect();
    let sentence = bare.split(['⛔', ';', '—']).next().unwrap_or_default();
    let sentence = sentence.split(". ").next().unwrap_or_default().trim();
    let mut found: Vec<String> = Vec::new();
    let (mut is_list, mut is_range) = (sentence.starts_with(|letter: char| letter.is_ascii_digit()), false);
    for word in sentence.split(|letter: char| letter.is_whitespace() || ",+&/".contains(letter)) {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric() && !"-–".contains(letter));
        match word.to_ascii_lowercase().as_str() {
            "" | "and" => {}
            "phase" | "phases" => is_list = true,
            "-" | "–" | "to" | "through" => is_range = is_list,
            lower if is_list => {
                let (from, to) = lower.split_once(['-', '–']).unwrap_or((lower, lower));
                let (Some(from), Some(to)) = (number(from), number(to)) else {
                    is_list = false;
                    continue;
                };
                let from = found.last().filter(|_| is_range).cloned().unwrap_or(from);
                let between = from.parse::<u32>().ok().zip(to.parse::<u32>().ok());
                let between = between.filter(|(from, to)| to.saturating_sub(*from) <= 100);
                found.push(from);
                found.extend(
                    between.into_iter().flat_map(|(from, to)| from + 1..to).map(|number| number.to_string()),
                );
                found.push(to);
                is_range = false;
            }
            _ => {}
        }
    }
    let mut told = HashSet::new();
    found.retain(|number| told.insert(number.clone()));
    found
}

fn is_milestone(title: &str) -> bool {
    has_version(title) || ['✅', '📋', '🚧', '🔄'].iter().any(|sign| title.contains(*sign))
}

/// Whether a heading is of this version: `v1.2` isn't `v1.20`.
fn names_version(title: &str, version: &str) -> bool {
    let mut ends = title.match_indices(version).map(|(at, found)| at + found.len());
    !version.is_empty() && ends.any(|end| !title[end..].starts_with(|letter: char| letter.is_alphanumeric()))
}

/// `v1.2` somewhere.
fn has_version(title: &str) -> bool {
    let is_one = |rest: &str| {
        let after = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        after.len() < rest.len()
            && after
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    };
    title.match_indices(['v', 'V']).any(|(at, _)| is_one(&title[at + 1..]))
}

fn is_shipped(title: &str) -> bool {
    let upper = title.to_uppercase();
    let is_closed =
        ["CLOSED", "ARCHIVED", "ABANDONED", "SHIPPED", "✅", "🗄"].iter().any(|word| upper.contains(word));
    let is_open =
        ["STARTED", "ACTIVE", "WIP", "IN PROGRESS", "🚧", "🔄"].iter().any(|word| upper.contains(word));
    has_version(title) && is_closed && !is_open
}

fn folded(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.trim_start().get(..9).map(str::to_ascii_lowercase).unwrap_or_default();
        if lower.starts_with("<details") {
            start = start.or(Some(at));
        } else if lower.starts_with("</details") {
            found.extend(start.take().map(|start| start..at));
        }
        at += line.len();
    }
    found.extend(start.map(|start| start..text.len()));
    found
}
