//! Runs of Spec Kit's workflows (`.specify/workflows/runs/<id>/state.json`).
//!
//! The state has the results of the steps, `workflow.yml` beside it the steps themselves, `log.jsonl` what happened. The engine writes
//! them and checks them when it loads them, so nothing is changed here: a person goes on with its command.

mod steps;

use crate::fields::{self, is_plain_name};
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::json::{Json, word};
use crate::order::{no_items, unknown_status, unknown_words};
use crate::plan::{Event, Fact, FactValue, ItemState, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::yaml_span;
use std::collections::HashSet;

/// Most events that are told; the newest ones.
const MOST_EVENTS: usize = 1000;

pub(crate) struct SpecKitRun;

impl PlanFormat for SpecKitRun {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFolder { root: ".specify/workflows/runs", file: "state.json" }]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::File("workflow.yml"), Wanted::File("inputs.json"), Wanted::End("log.jsonl")]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let state = json.root();
        if ["run_id", "workflow_id", "status"].iter().any(|key| state.get(key).text().is_none()) {
            return Ok(None);
        }
        let text = source.beside("workflow.yml").unwrap_or_default();
        let tree = yaml_span::parse(text, 0, 1).ok();
        let about = tree.as_ref().and_then(|tree| tree.root.get("workflow"));
        let about = |key| about.and_then(|about| about.get(key)?.text());
        let about = |key| about(key).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let run = word(state.get("status"));
        let mut plan = Plan {
            title: about("name").or_else(|| fields::some(state.get("workflow_id"))),
            goal: about("description"),
            status: Some(status(&run)),
            word: run,
            reason: state.get("error").shown(2000).filter(|error| !error.trim().is_empty()),
            events: events(source.beside("log.jsonl").unwrap_or_default()),
            facts: facts(&state, about("version"), source),
            findings: json.findings(),
            ..Plan::default()
        };
        let is_over = plan.status == Some(PlanStatus::Running) && has_ended(&state, &plan.events);
        let steps = tree.as_ref().and_then(|tree| tree.root.get("steps"));
        let run = steps::Run::read(&state, plan.status.filter(|_| !is_over), steps);
        tell_steps(&mut plan, run);
        plan.findings.extend(findings(&plan, &state, source, is_over));
        Ok(Some(plan))
    }

    /// Only a run that rests or failed can be gone on with.
    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let run = source.folder();
        let can_resume = matches!(plan.status, Some(PlanStatus::Paused | PlanStatus::Failed));
        let agrees = plan.findings.iter().all(|finding| finding.code != FindingCode::SourcesDisagree);
        let words = ["specify", "workflow", "resume", run];
        (is_plain_name(run) && can_resume && agrees).then(|| words.map(str::to_owned).to_vec())
    }
}

/// The steps, what a person is asked by them, and how often loops ran.
fn tell_steps(plan: &mut Plan, run: steps::Run<'_>) {
    plan.items = run.items;
    let gates = plan.items.iter().filter(|item| item.state == ItemState::Blocked && !item.text.is_empty());
    if plan.status == Some(PlanStatus::Paused) {
        plan.needs = gates.map(|gate| gate.text.clone()).collect();
    }
    // Several loops have no common count.
    if let [(_, count, limit)] = run.loops.as_slice() {
        (plan.iteration, plan.limit) = (Some(*count), Some(*limit));
    }
    let loops = run.loops.iter().map(|(id, count, limit)| format!("{id}: {count} / {limit}")).collect();
    plan.facts.extend(fields::list("iterations", loops));
    let ids: HashSet<&str> = plan.items.iter().map(|item| item.id.as_str()).collect();
    for id in plan.events.iter_mut().filter_map(|event| event.item.as_mut()) {
        // A later iteration has an id of its own.
        if !ids.contains(id.as_str()) && ids.contains(steps::base(id)) {
            *id = steps::base(id).to_owned();
        }
    }
}

fn status(word: &str) -> PlanStatus {
    match word {
        "created" => PlanStatus::NotStarted,
        "running" => PlanStatus::Running,
        "paused" => PlanStatus::Paused,
        "completed" => PlanStatus::Completed,
        "failed" => PlanStatus::Failed,
        "aborted" => PlanStatus::Stopped,
        _ => PlanStatus::Unknown,
    }
}

/// What the log says, as far as its lines are whole.
fn events(log: &str) -> Vec<Event> {
    let lines = log.lines().rev().filter_map(|line| Node::parse(line.trim().as_bytes()).ok());
    let events = lines.filter_map(|line| {
        let event = line.get("event").text()?.to_owned();
        let more = ["error", "status"].iter().find_map(|key| line.get(key).shown(500));
        let text =
            more.filter(|more| !more.is_empty()).map_or(event.clone(), |more| format!("{event}: {more}"));
        Some(Event {
            time: word(line.get("timestamp")),
            text,
            item: line.get("step_id").text().map(str::to_owned),
        })
    });
    let mut events: Vec<Event> = events.take(MOST_EVENTS).collect();
    events.reverse();
    events
}

/// Whether a run that says that it runs shows that it doesn't: by the end of its log, or without one by the result of its step. The
/// result may be an old one, because a step keeps it while it is tried again.
fn has_ended(state: &Node<'_>, events: &[Event]) -> bool {
    let Some(current) = state.get("current_step_id").text() else { return true };
    let last = events.last().map(|event| event.text.split(':').next().unwrap_or_default());
    let result = state.get("step_results").get(current).get("status");
    last.map_or(matches!(result.text(), Some("failed" | "paused")), |last| {
        last.starts_with("workflow_") || matches!(last, "resume_failed" | "step_failed")
    })
}

fn facts(state: &Node<'_>, version: Option<String>, source: &Source<'_>) -> Vec<Fact> {
    let inputs = source.beside("inputs.json").and_then(|text| Node::parse(text.as_bytes()).ok());
    let inputs = inputs.as_ref().map_or(&[][..], |inputs| inputs.get("inputs").fields());
    let told = |(key, value): &(_, Node<'_>)| Some(format!("{key}: {}", value.shown(500)?));
    let facts = [
        fields::code(state, "run_id"),
        fields::code(state, "workflow_id"),
        version.map(|version| Fact { name: "version", value: FactValue::Code(version) }),
        fields::code(state, "current_step_id"),
        fields::time(state, "created_at"),
        fields::time(state, "updated_at"),
        fields::list("inputs", inputs.iter().take(50).filter_map(told).collect()),
    ];
    facts.into_iter().flatten().collect()
}

fn findings(plan: &Plan, state: &Node<'_>, source: &Source<'_>, is_over: bool) -> Vec<Finding> {
    let (run, folder) = (word(state.get("run_id")), source.folder());
    // Its own tool refuses such a run.
    let finding = || Finding::new(FindingCode::SourcesDisagree).with("found", &run).with("expected", folder);
    let other = (run != folder).then(finding);
    let stale = is_over.then(|| Finding::new(FindingCode::StaleRunning).with("found", &plan.word));
    let all = [other, unknown_status(plan, 0), stale, no_items(plan)];
    all.into_iter().flatten().chain(unknown_words(&plan.items)).collect()
}
