//! The prd.json family: user stories that pass or don't, worked off by a loop that lies beside them.
//!
//! The shape is that of snarktank's ralph. Other tools and many agents write it their own way (other names for the list and its fields,
//! words for the state, a list at the top, stories below phases), so a file is known by what is in it. Nothing in it says whether a
//! loop runs; the session of ralph-tui does, where it names this file.

mod beside;
mod story;

use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Layout, PlanFormat, ReadError, Source, Wanted};
use crate::json::{Json, count, word, words};
use crate::order;
use crate::plan::{Fact, FactValue, Item, ItemState, Mark, Plan};
use loopdeck_text::json_span::tree::Node;

/// Most findings of a kind that are told one by one.
const MOST_TOLD: usize = 20;

pub(crate) struct Prd;

impl PlanFormat for Prd {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File("scripts/ralph/prd.json"),
            Found::File("ralph/prd.json"),
            Found::File(".ralph/prd.json"),
            Found::File("tasks/prd.json"),
            Found::File("plans/prd.json"),
            Found::File(".omc/prd.json"),
            Found::File(".omc/state/prd.json"),
            Found::EachFolder { root: ".omc/state/sessions", file: "prd.json" },
            Found::File("prd.json"),
        ]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[
            Wanted::End("progress.txt"),
            Wanted::File("prompt.md"),
            Wanted::File("CLAUDE.md"),
            Wanted::File("ralph.sh"),
            Wanted::File(".ralph-tui/session.json"),
            Wanted::File(".ralph-tui/ralph.lock"),
            Wanted::File("../.ralph-tui/session.json"),
            Wanted::File("../.ralph-tui/ralph.lock"),
            // Copies, seen from the one at the top.
            Wanted::File("scripts/ralph/prd.json"),
            Wanted::File("ralph/prd.json"),
            Wanted::File(".ralph/prd.json"),
            Wanted::File("tasks/prd.json"),
            Wanted::File("plans/prd.json"),
            Wanted::File(".omc/prd.json"),
        ]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        let Some(stories) = story::stories(&json, &root) else { return Ok(None) };
        let mut plan = Plan {
            title: name(&root),
            goal: text(&root, "description overview summary goal objective task"),
            word: text(&root, "status").unwrap_or_default(),
            iteration: at(&root, "iteration currentIteration current_iteration").and_then(count),
            limit: at(&root, "maxIterations max_iterations").and_then(count).filter(|limit| *limit > 0),
            prompt: beside::prompt(source),
            facts: facts(&root),
            findings: json.findings(),
            ..Plan::default()
        };
        let waits = ["blockers", "openQuestions", "open_questions"];
        plan.needs = waits.iter().flat_map(|key| words(root.get(key))).chain(stories.needs).collect();
        plan.items = stories.items;
        plan.findings.extend(stories.findings);
        if plan.items.is_empty() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        beside::progress(source, &mut plan);
        beside::session(source, &mut plan);
        beside::copies(source, &mut plan);
        Ok(Some(plan))
    }

    fn layout(&self) -> Layout {
        Layout::Objects
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        match to {
            ItemState::Open => Some("false"),
            ItemState::Done => Some("true"),
            _ => None,
        }
    }

    /// The lowest priority first, as every loop of the family is told.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        let mut ready = order::ready(plan);
        ready.sort_by(|one, other| rank(&plan.items[*one]).total_cmp(&rank(&plan.items[*other])));
        ready
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        beside::command(source, plan)
    }
}

/// The first of these keys, apart by blanks, that has a value.
fn at<'n, 'a>(node: &'n Node<'a>, keys: &str) -> Option<&'n Node<'a>> {
    keys.split(' ').find_map(|key| node.find(key).filter(|value| !value.is_null()))
}

/// The first of these keys that has a text or a number.
fn text(node: &Node<'_>, keys: &str) -> Option<String> {
    keys.split(' ').map(|key| word(node.get(key))).find(|text| !text.is_empty())
}

/// A priority as a number: the first is the most urgent. None is the third, as ralph-tui has it.
fn rank(item: &Item) -> f64 {
    let word = item.priority.as_deref().unwrap_or_default().to_lowercase();
    let number = word.trim_start_matches('p').parse().ok().filter(|number: &f64| number.is_finite());
    number.unwrap_or(match word.as_str() {
        "critical" | "urgent" | "highest" | "blocker" => 0.0,
        "high" | "must" => 1.0,
        "medium" | "normal" | "should" => 2.0,
        "low" | "could" | "" => 3.0,
        _ => f64::INFINITY,
    })
}

/// The name of the project or feature, in whichever field it is.
fn name(root: &Node<'_>) -> Option<String> {
    let holders = ["feature", "project", "meta", "metadata", "prd"].map(|key| root.get(key));
    let keys = "name project projectName project_name productName title feature featureName";
    std::iter::once(root).chain(holders).find_map(|holder| text(holder, keys)).map(|name| one_line(&name))
}

fn facts(root: &Node<'_>) -> Vec<Fact> {
    let (feature, metadata) = (root.get("feature"), root.get("metadata"));
    let branch = text(root, "branchName branch_name branch").or_else(|| text(feature, "branch branchName"));
    let either = |keys| text(metadata, keys).or_else(|| text(root, keys));
    let facts = [
        ("branch", branch.map(FactValue::Code)),
        ("source_prd", either("sourcePrd plan_source sourceDocument").map(FactValue::Code)),
        ("created_at", either("createdAt created_at").map(FactValue::Time)),
        ("updated_at", either("updatedAt updated_at lastUpdated last_updated").map(FactValue::Time)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })).collect()
}
