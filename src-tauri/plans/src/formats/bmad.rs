//! BMAD: the status of a sprint (`sprint-status.yaml`), epics with their stories.
//!
//! `development_status` maps `epic-1`, `1-2-a-story` and `epic-1-retrospective` to words. Every key that is neither an epic nor a
//! retrospective is a story. Values may be maps with a `status`.

mod entries;
mod stories;

use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Lines, PlanFormat, ReadError, Source};
use crate::plan::{Fact, FactValue, ItemState, Mark, Plan};
use crate::yaml_parts::{YamlPart, key_of, part_ranges};
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::YamlNode;

/// Fields of the top that are told.
const FIELDS: [&str; 5] = ["project_key", "tracking_system", "story_location", "generated", "last_updated"];

pub(crate) struct Bmad;

impl PlanFormat for Bmad {
    fn found(&self) -> &'static [Found] {
        // The first is today's default, the others are those of older versions and what people chose, by how often they are seen.
        &[
            Found::File("_bmad-output/implementation-artifacts/sprint-status.yaml"),
            Found::File("docs/sprint-artifacts/sprint-status.yaml"),
            Found::File("docs/sprint-status.yaml"),
            Found::File("docs/implementation-artifacts/sprint-status.yaml"),
            Found::File("_bmad-output/sprint-status.yaml"),
            Found::File("sprint-status.yaml"),
            Found::File("_bmad-output/planning-artifacts/sprint-status.yaml"),
            Found::File("docs/stories/sprint-status.yaml"),
            Found::File(".bmad-ephemeral/sprint-status.yaml"),
            Found::File("bmad/sprint-status.yaml"),
            Found::File("_bmad-output/sprint-artifacts/sprint-status.yaml"),
            Found::File("implementation-artifacts/sprint-status.yaml"),
            Found::File("bmad-output/implementation-artifacts/sprint-status.yaml"),
            Found::File("docs/bmad/sprint-status.yaml"),
        ]
    }

    fn named(&self, bytes: &[u8]) -> Vec<String> {
        let file = Source { file: "", bytes, beside: &[], modified: 0, now: 0 };
        self.read(&file).ok().flatten().map(|plan| stories::names(&plan)).unwrap_or_default()
    }

    fn names_files(&self) -> bool {
        true
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let text = source.text()?;
        let lines = Lines::of(text);
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut plan = Plan::default();
        let mut status = None;
        for range in part_ranges(text, start..text.len()) {
            match key_of(text, &range) {
                "development_status" => status = Some(range),
                key if FIELDS.contains(&key) || matches!(key, "project" | "action_items") => {
                    field(YamlPart::at(text, range, &lines), &mut plan);
                }
                _ => {}
            }
        }
        let Some(status) = status else { return Ok(None) };
        entries::read(text, &lines, status, &mut plan);
        stories::read(source, &mut plan);
        if plan.counted().next().is_none() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        Ok(Some(plan))
    }

    /// Words that epics and stories have both.
    fn mark(&self, to: ItemState) -> Option<Mark> {
        match to {
            ItemState::Open => Some("backlog"),
            ItemState::Active => Some("in-progress"),
            ItemState::Done => Some("done"),
            _ => None,
        }
    }

    /// Stories: what was begun, what waits for its review, what is ready, the rest; each by numbers. Stories without numbers are last.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        let turn = |word: &str| match entries::plain(word).as_str() {
            "in-progress" => 0,
            "review" => 1,
            "ready-for-dev" | "drafted" => 2,
            _ => 3,
        };
        let can_begin = |at: &usize| {
            let item = &plan.items[*at];
            !item.optional && matches!(item.state, ItemState::Open | ItemState::Active)
        };
        let mut next: Vec<usize> = (0..plan.items.len()).filter(can_begin).collect();
        next.sort_by_cached_key(|at| {
            let item = &plan.items[*at];
            let numbers = entries::numbers(&item.id);
            (turn(&item.word), numbers.is_none(), numbers)
        });
        next
    }

    fn command(&self, _source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let story = plan.items[*self.next(plan).first()?].id.as_str();
        let request = format!("/bmad-build-auto {}", Some(story).filter(|story| stories::is_name(story))?);
        Some(vec!["claude".to_owned(), "-p".to_owned(), request])
    }
}

/// A field of the top.
fn field(part: Option<YamlPart<'_>>, plan: &mut Plan) {
    let Some(part) = part else { return };
    let text = part.value.get("name").unwrap_or(&part.value).text().map(|text| shorten(&one_line(text), 300));
    plan.findings.extend(part.fault);
    plan.facts.extend(action_items(&part.value).filter(|_| part.key == "action_items"));
    let Some(text) = text.filter(|text| text != "NOKEY") else { return };
    if part.key == "project" {
        plan.title = Some(text);
    } else if let Some(name) = FIELDS.into_iter().find(|name| *name == part.key) {
        let is_time = matches!(name, "generated" | "last_updated");
        plan.facts
            .push(Fact { name, value: if is_time { FactValue::Time(text) } else { FactValue::Code(text) } });
    }
}

/// What was decided in retrospectives and isn't done.
fn action_items(list: &YamlNode<'_>) -> Option<Fact> {
    let open = list.items().iter().filter_map(|item| {
        let text = |key: &str| item.get(key).and_then(YamlNode::text).map(|text| one_line(text));
        let is_done = text("status").is_some_and(|word| entries::state(&word) == ItemState::Done);
        let action = text("action").filter(|_| !is_done)?;
        Some(text("owner").map_or(action.clone(), |owner| format!("{action} ({owner})")))
    });
    let open: Vec<String> = open.collect();
    (!open.is_empty()).then_some(Fact { name: "action_items", value: FactValue::List(open) })
}
