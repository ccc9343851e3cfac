//! Runs of Spec Kit's workflows (`.specify/workflows/runs/<id>/state.json`).
//!
//! The state has the results of the steps, `workflow.yml` beside it the steps themselves, `log.jsonl` what happened. The engine writes
//! them and checks them when it loads them, so nothing is changed here: a person goes on with its command.

mod steps;

use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::json::{Json, word};
use crate::plan::{Event, Fact, FactValue, ItemState, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::yaml_span;
use std::collections::HashSet;

/// Most events and most findings of a kind.
const MOST: (usize, usize) = (1000, 20);

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
        let about = |key| about.and_then(|about| about.get(key)?.text()).map(|text| text.trim().to_owned());
        let run = word(state.get("status"));
        let mut plan = Plan {
            title: about("name")
                .or_else(|| Some(word(state.get("workflow_id"))))
                .filter(|title| !title.is_empty()),
            goal: about("description").filter(|goal| !goal.is_empty()),
            status: Some(status(&run)),
            word: run,
            reason: state.get("error").shown(2000).filter(|error| !error.trim().is_empty()),
            events: events(source.beside("log.jsonl").unwrap_or_default()),
            facts: facts(&state, about("version"), source),
            findings: json.findings(),
            ..Plan::default()
        };
        let is_over = plan.status == Some(PlanStatus::Running) && has_ended(&state, &plan.events);
        let run = steps::Run::new(&state, plan.status.filter(|_| !is_over));
        run.read(tree.as_ref().and_then(|tree| tree.root.get("steps")), &mut plan);
        let ids: HashSet<&str> = plan.items.iter().map(|item| item.id.as_str()).collect();
        for id in plan.events.iter_mut().filter_map(|event| event.item.as_mut()) {
            // A later iteration has an id of its own.
            if !ids.contains(id.as_str()) && ids.contains(steps::base(id)) {
                *id = steps::base(id).to_owned();
            }
        }
        plan.findings.extend(findings(&plan, &state, source, is_over));
        Ok(Some(plan))
    }

    /// Only a run that rests or failed can be gone on with.
    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let run = source.folder();
        let is_plain = run.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let is_run =
            is_plain && run.starts_with(|letter: char| letter.is_ascii_alphanumeric()) && run.len() <= 100;
        let can_resume = matches!(plan.status, Some(PlanStatus::Paused | PlanStatus::Failed));
        let agrees = plan.findings.iter().all(|finding| finding.code != FindingCode::SourcesDisagree);
        let words = ["specify", "workflow", "resume", run];
        (is_run && can_resume && agrees).then(|| words.map(str::to_owned).to_vec())
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
    let mut events: Vec<Event> = events.take(MOST.0).collect();
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
    let inputs =
        inputs.iter().take(50).filter_map(|(key, value)| Some(format!("{key}: {}", value.shown(500)?)));
    let inputs: Vec<String> = inputs.collect();
    let code = |key| FactValue::code(word(state.get(key)));
    let time = |key| Some(word(state.get(key))).filter(|time| !time.is_empty()).map(FactValue::Time);
    let facts = [
        ("run_id", code("run_id")),
        ("workflow_id", code("workflow_id")),
        ("version", version.and_then(FactValue::code)),
        ("current_step_id", code("current_step_id")),
        ("created_at", time("created_at")),
        ("updated_at", time("updated_at")),
        ("inputs", (!inputs.is_empty()).then_some(FactValue::List(inputs))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })).collect()
}

fn findings(plan: &Plan, state: &Node<'_>, source: &Source<'_>, is_over: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    let (run, folder) = (word(state.get("run_id")), source.folder());
    if run != folder {
        // Its own tool refuses such a run.
        let finding = Finding::new(FindingCode::SourcesDisagree).with("found", run);
        found.push(finding.with("expected", folder));
    }
    if plan.status == Some(PlanStatus::Unknown) {
        found.push(Finding::new(FindingCode::UnknownWord).with("found", &plan.word));
    }
    if is_over {
        found.push(Finding::new(FindingCode::StaleRunning).with("found", &plan.word));
    }
    if plan.items.is_empty() {
        found.push(Finding::new(FindingCode::NoItems));
    }
    let unknown = plan.items.iter().filter(|item| item.state == ItemState::Unknown).take(MOST.1);
    found.extend(
        unknown.map(|item| {
            Finding::new(FindingCode::UnknownWord).with("item", &item.id).with("found", &item.word)
        }),
    );
    found
}
