//! GitHub Spec Kit: the tasks of a feature (`specs/<feature>/tasks.md`), boxes with ids below phases.
//!
//! `- [ ] T012 [P] [US1] Text with a file (depends on T003, T005-T007)`. Ids repeat in real files, so an item is its line. Legends and
//! boxes without an id are no tasks, and files of other tools at that path have none; where no box has an id, all are tasks if the
//! specification is there. What a task waits for is what its own lines say; the order of the phases is a rule of the tool, so it is in
//! [`PlanFormat::next`] and no edge of the graph.

mod ids;
mod tasks;
mod waits;

use crate::boxes::{Boxes, mark};
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Layout, PlanFormat, ReadError, Source, Wanted};
use crate::order;
use crate::plan::{Fact, FactValue, Item, ItemState, Mark, Plan};
use loopdeck_text::shorten;

/// Most entries of a list that is only shown, and most findings of a kind.
const MOST_TOLD: usize = 20;
/// What a checkpoint begins with, in the languages that files were seen in.
const CHECKPOINTS: [&str; 4] = ["**Checkpoint", "**檢查點", "**检查点", "**チェックポイント"];
/// What the heading of a phase begins with.
const PHASES: [&str; 5] = ["phase", "fase", "階段", "阶段", "フェーズ"];
/// What the heading of a phase that is a user story has in it.
const STORIES: [&str; 5] = ["user story", "(priority: p", "使用者故事", "用户故事", "ユーザーストーリー"];

pub(crate) struct SpecKit;

impl PlanFormat for SpecKit {
    fn found(&self) -> &'static [Found] {
        const FILE: &str = "tasks.md";
        &[
            Found::EachFolder { root: "specs", file: FILE },
            Found::EachFolder { root: ".specify/specs", file: FILE },
        ]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::File("spec.md"), Wanted::File("plan.md")]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let boxes = Boxes::read(source.text()?);
        let spec = source.beside("spec.md");
        let items = tasks::read(&boxes);
        let items = if items.is_empty() && spec.is_some() { tasks::without_ids(&boxes) } else { items };
        if items.is_empty() {
            return Ok(None);
        }
        let spec = spec.unwrap_or_default();
        let title = feature(Boxes::read(spec).title()).or_else(|| feature(boxes.title()));
        let unknown = items.iter().filter(|item| item.state == ItemState::Unknown).take(MOST_TOLD);
        let unknown = unknown.map(|item| {
            let finding = Finding::new(FindingCode::UnknownWord).with("item", &item.id);
            finding.with("found", &item.word).at_line(item.line)
        });
        Ok(Some(Plan {
            title: title.or_else(|| Some(source.folder().to_owned()).filter(|folder| !folder.is_empty())),
            goal: goal(spec),
            needs: [spec, source.beside("plan.md").unwrap_or_default()]
                .into_iter()
                .flat_map(unclear)
                .collect(),
            facts: facts(spec, boxes.text),
            findings: unknown.collect(),
            items,
            ..Plan::default()
        }))
    }

    fn layout(&self) -> Layout {
        Layout::Boxes
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        mark(to)
    }

    /// A phase waits for those before it, but stories don't wait for each other. In a phase a task that is neither `[P]` nor says what it
    /// waits for comes after all before it.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        let (ready, held) = (order::ready(plan), held(&plan.items));
        let next: Vec<usize> = ready.iter().copied().filter(|at| !held[*at]).collect();
        if next.is_empty() { ready } else { next }
    }
}

/// For each item whether its phase, or its place in it, makes it wait.
fn held(items: &[Item]) -> Vec<bool> {
    // Whether work is open in phases before, and in those of them that are no stories.
    let (mut any, mut other) = (false, false);
    let mut held = Vec::with_capacity(items.len());
    for phase in items.chunk_by(|one, next| one.group == next.group) {
        let name = phase[0].group.as_deref().filter(|group| is_phase(group));
        let waits = name.is_some_and(|name| if is_story(name) { other } else { any });
        let mut is_open = false;
        for item in phase {
            let is_free = item.parallel || !item.depends_on.is_empty() || item.parent.is_some();
            held.push(waits || is_open && !is_free);
            is_open |= !item.optional && !matches!(item.state, ItemState::Done | ItemState::Dropped);
        }
        any |= is_open && name.is_some();
        other |= is_open && name.is_some_and(|name| !is_story(name));
    }
    held
}

/// Whether a heading is one of a phase.
fn is_phase(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    PHASES.iter().any(|start| heading.starts_with(start))
}

/// Whether the heading of a phase names a user story.
fn is_story(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let mut words = heading.split(|letter: char| !letter.is_alphanumeric());
    STORIES.iter().any(|story| lower.contains(story))
        || words.any(|word| word.strip_prefix("US").is_some_and(|number| number.parse::<u32>().is_ok()))
}

/// The name of a feature in a heading such as `Feature Specification: Cart`; `None` for a placeholder or a path.
fn feature(heading: Option<String>) -> Option<String> {
    let heading = heading?;
    let label = heading.split_once([':', '：']).filter(|(label, _)| label.split_whitespace().count() <= 3);
    let name = label.map_or(heading.as_str(), |(_, name)| name).trim();
    Some(name.to_owned()).filter(|name| !name.is_empty() && !name.starts_with('[') && !name.ends_with(".md"))
}

/// The rest of the first line that begins with this label, which may be bold; `None` for a placeholder.
fn labelled<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let rest = text.lines().take(100).find_map(|line| {
        let line = line.trim_start_matches(['*', '-', ' ']).strip_prefix(label)?;
        Some(line.trim_start_matches('*').strip_prefix(':')?.trim_start_matches('*').trim())
    });
    rest.filter(|rest| !rest.trim_start_matches('`').starts_with('['))
}

/// What the person asked for.
fn goal(spec: &str) -> Option<String> {
    let input = labelled(spec, "Input")?.trim_start_matches("User description:").trim();
    let input = input.trim_matches(['"', '“', '”']);
    Some(shorten(input, 4000)).filter(|input| !input.is_empty() && input != "$ARGUMENTS")
}

/// What is marked as to be clarified by a person, and isn't only spoken of (`` `[NEEDS …` ``).
fn unclear(text: &str) -> Vec<String> {
    let marks = text.match_indices("[NEEDS CLARIFICATION:").filter(|(at, _)| !text[..*at].ends_with('`'));
    let questions = marks.filter_map(|(at, mark)| {
        let line = text[at + mark.len()..].lines().next()?;
        let question = line.rsplit_once(']').map_or(line, |(question, _)| question);
        Some(shorten(question.trim(), 500)).filter(|question| !question.is_empty())
    });
    questions.take(MOST_TOLD).collect()
}

fn facts(spec: &str, tasks: &str) -> Vec<Fact> {
    let checkpoints = tasks.lines().filter_map(|line| {
        let line = line.trim_start_matches(['>', ' ']);
        let rest = CHECKPOINTS.iter().find_map(|word| line.strip_prefix(word))?;
        Some(shorten(rest.trim_matches(['*', ':', '：', ' ']), 500)).filter(|rest| !rest.is_empty())
    });
    let checkpoints: Vec<String> = checkpoints.take(MOST_TOLD).collect();
    let code = |label| labelled(spec, label).and_then(|word| FactValue::code(word.trim_matches('`')));
    let created =
        labelled(spec, "Created").map(|time| time.trim_matches('`')).filter(|time| !time.is_empty());
    let facts = [
        ("branch", code("Feature Branch")),
        ("spec_status", code("Status")),
        ("created", created.map(|time| FactValue::Time(time.to_owned()))),
        ("checkpoints", (!checkpoints.is_empty()).then_some(FactValue::List(checkpoints))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })).collect()
}
