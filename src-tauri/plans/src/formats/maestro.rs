//! Maestro: a session with its chain of steps.
//!
//! `.workflow/sessions/<id>/session.json` in any of its versions: 3.0 has the chain itself, 1.x has it in `orchestration`, and 2.0 in
//! the file of an execution. Each step is done by runs. Only the tool's own command writes these files.

use crate::boxes::one_line;
use crate::fields;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::json::{Json, count, first, word, words};
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use std::collections::HashMap;

pub(crate) struct Maestro;

/// Most receipts that are told; the newest ones.
const MOST_EVENTS: usize = 200;

impl PlanFormat for Maestro {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFolder { root: ".workflow/sessions", file: "session.json" }]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[
            Wanted::Files { folder: "runs", depth: 1, endings: &["run.json"] },
            Wanted::Files { folder: "receipts/transitions", depth: 0, endings: &[".json"] },
        ]
    }

    fn named(&self, bytes: &[u8]) -> Vec<String> {
        Json::read(bytes).ok().and_then(|json| execution(&json.root())).into_iter().collect()
    }

    fn names_files(&self) -> bool {
        true
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        let version = word(root.get("schema_version"));
        if !version.starts_with("session/") || root.find("session_id").is_none() {
            return Ok(None);
        }
        let mut plan = Plan { findings: json.findings(), ..Plan::default() };
        plan.title = fields::some(root.get("session_id"));
        plan.goal = first(&root, &["objective", "intent"]).map(|goal| fields::shown(&word(goal)));
        let execution = execution(&root).and_then(|name| Some((source.beside(&name)?, name)));
        let execution = execution.and_then(|(text, name)| Some((Json::read(text.as_bytes()).ok()?, name)));
        match &execution {
            Some((json, name)) => {
                tell_chain(&json.root(), json, Some(name), &mut plan);
                tell_execution(&root, &json.root(), &mut plan);
            }
            None => {
                let chain = root.find("orchestration").unwrap_or(&root);
                tell_chain(chain, &json, None, &mut plan);
                tell_status(&root, &mut plan);
            }
        }
        tell_facts(&root, version, &mut plan);
        let step_of_run = tell_runs(source, &mut plan);
        tell_receipts(source, &step_of_run, &mut plan);
        if plan.items.is_empty() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        Ok(Some(plan))
    }

    /// The first step that waits, when nothing before it is at work, failed or to be decided.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        let settled = |item: &Item| matches!(item.state, ItemState::Done | ItemState::Dropped);
        let at = plan.items.iter().position(|item| !settled(item));
        let is_open =
            !matches!(plan.status, Some(PlanStatus::Completed | PlanStatus::Stopped | PlanStatus::Failed));
        let waits = |at: &usize| {
            let gate = at.checked_sub(1).and_then(|before| plan.items[before].done_when.first());
            gate.is_none_or(|gate| !plan.needs.iter().any(|need| need == gate))
        };
        at.filter(|at| is_open && plan.items[*at].state == ItemState::Open && waits(at)).into_iter().collect()
    }

    fn command(&self, _source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        Some(["claude", "-p", "/maestro-ralph -c -y"].map(str::to_owned).to_vec())
    }
}

/// The file of the execution that a session without a chain names, where its id is a plain name.
fn execution(root: &Node<'_>) -> Option<String> {
    let id = first(root, &["current_execution_id", "latest_execution_id"]).and_then(Node::text)?;
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let is_name = is_plain && !id.starts_with('.') && !id.ends_with('.') && !id.is_empty() && id.len() <= 120;
    is_name.then(|| format!("executions/{id}/execution.json"))
}

/// The steps and decisions of a chain, in the session's own file or in the one with this name.
fn tell_chain(chain: &Node<'_>, json: &Json<'_>, file: Option<&str>, plan: &mut Plan) {
    for (at, step) in chain.get("chain").items().iter().enumerate() {
        let status = word(step.get("status"));
        let id = first(step, &["step_id", "id"]).map(word).filter(|id| !id.is_empty());
        let command = first(step, &["command", "title", "name"]).map(word).unwrap_or_default();
        let text = std::iter::once(command).chain(words(step.get("args"))).collect::<Vec<_>>().join(" ");
        let mut item = Item {
            id: id.unwrap_or_else(|| (at + 1).to_string()),
            text: fields::shown(&one_line(&text)),
            state: match status.as_str() {
                "pending" | "" => ItemState::Open,
                "running" => ItemState::Active,
                "completed" | "sealed" => ItemState::Done,
                "failed" => ItemState::Failed,
                "skipped" => ItemState::Dropped,
                _ => ItemState::Unknown,
            },
            word: status,
            group: fields::some(step.get("stage")),
            file: file.map(str::to_owned),
            line: json.line(step),
            ..Item::default()
        };
        // A step with a decision is done when that is made: the tool doesn't go on before.
        item.done_when = words(step.get("decision_ref"));
        plan.items.push(item);
    }
    plan.findings.extend(crate::order::unknown_words(&plan.items));
    let decisions = first(chain, &["decisions", "decision_points"]).map(Node::items).unwrap_or_default();
    for decision in decisions {
        // What is "pending" in the older versions the tool decides itself.
        if matches!(word(decision.get("status")).as_str(), "open" | "escalated") {
            plan.needs
                .extend(first(decision, &["decision_id", "point_id"]).map(|id| fields::shown(&word(id))));
        }
    }
}

fn tell_status(root: &Node<'_>, plan: &mut Plan) {
    plan.word = fields::shown(&word(root.get("status")));
    let is_begun = || plan.items.iter().any(|item| item.state != ItemState::Open);
    let is_done = || !root.get("completed_at").is_null() || !root.get("lifecycle").get("sealed_at").is_null();
    plan.status = match plan.word.as_str() {
        // It says that nothing has ended it, and nothing of work.
        "open" if is_begun() => Some(PlanStatus::Running),
        "open" => Some(PlanStatus::NotStarted),
        "running" => Some(PlanStatus::Running),
        // The newest version has no pause, and reads this word as open.
        "paused" => Some(PlanStatus::Paused),
        "completed" | "sealed" => Some(PlanStatus::Completed),
        "archived" if is_done() => Some(PlanStatus::Completed),
        "archived" => Some(PlanStatus::Stopped),
        "failed" => Some(PlanStatus::Failed),
        "" if !root.get("archived_at").is_null() => Some(PlanStatus::Stopped),
        "" => None,
        _ => Some(PlanStatus::Unknown),
    };
    if plan.status == Some(PlanStatus::Unknown) {
        plan.findings.push(Finding::new(FindingCode::UnknownWord).with("found", &plan.word));
    }
}

fn tell_execution(root: &Node<'_>, execution: &Node<'_>, plan: &mut Plan) {
    plan.word = fields::shown(&word(execution.get("status")));
    plan.reason = fields::some(execution.get("seal_summary"));
    plan.status = Some(match plan.word.as_str() {
        _ if !root.get("archived_at").is_null() => PlanStatus::Stopped,
        "active" => PlanStatus::Running,
        "paused" => PlanStatus::Paused,
        "sealed" if word(execution.get("final_outcome")) == "failed" => PlanStatus::Failed,
        "sealed" => PlanStatus::Completed,
        _ => PlanStatus::Unknown,
    });
}

fn tell_facts(root: &Node<'_>, version: String, plan: &mut Plan) {
    plan.facts.push(Fact { name: "schema_version", value: FactValue::Code(version) });
    let boundary = root.get("boundary_contract");
    let done_when =
        fields::text(root, "definition_of_done").or_else(|| fields::text(boundary, "definition_of_done"));
    plan.facts.extend(done_when);
    let orchestration = root.get("orchestration");
    plan.facts.extend(fields::code(orchestration, "engine"));
    plan.facts.extend(fields::code(orchestration, "quality_mode"));
    for name in ["created_at", "updated_at", "completed_at", "archived_at"] {
        plan.facts.extend(fields::time(root, name));
    }
    if plan.reason.is_none() {
        let summary = fields::shown(&word(root.get("lifecycle").get("seal_summary")));
        plan.reason = Some(summary).filter(|summary| !summary.is_empty());
    }
}

/// What became of each step's newest run, and how many there were. Returns the step of each run.
fn tell_runs(source: &Source<'_>, plan: &mut Plan) -> HashMap<String, String> {
    let steps: HashMap<String, usize> =
        plan.items.iter().enumerate().map(|(at, item)| (item.id.clone(), at)).collect();
    let mut step_of_run = HashMap::new();
    let mut runs = 0;
    for (name, text) in source.below("runs") {
        let Ok(json) = Json::read(text.as_bytes()) else { continue };
        let root = json.root();
        if !name.ends_with("/run.json") || root.find("run_id").is_none() {
            continue;
        }
        runs += 1;
        let handoff = first(&root, &["summary"]).or_else(|| root.get("handoff").find("summary"));
        let summary = fields::shown(&handoff.map(word).unwrap_or_default());
        let step = first(&root, &["step_id", "chain_step_id"]).map(word);
        let item = step.as_ref().and_then(|step| steps.get(step)).map(|at| &mut plan.items[*at]);
        step_of_run.extend(step.map(|step| (word(root.get("run_id")), step)));
        if let Some(item) = item
            && !summary.is_empty()
        {
            // Names of runs begin with a day and a number, so the newest is the last one.
            item.details.clone_from(&summary);
        }
        if word(root.get("status")) == "blocked" {
            let goal = fields::shown(&word(root.get("goal")));
            plan.needs
                .push([summary, goal].into_iter().find(|text| !text.is_empty()).unwrap_or(name.to_owned()));
        }
    }
    plan.iteration = Some(runs).filter(|runs| *runs > 0);
    step_of_run
}

fn tell_receipts(source: &Source<'_>, step_of_run: &HashMap<String, String>, plan: &mut Plan) {
    // Their names begin with a number of twelve digits, so they come in order.
    let receipts: Vec<&str> = source.below("receipts/transitions").map(|(_, text)| text).collect();
    for text in receipts.iter().skip(receipts.len().saturating_sub(MOST_EVENTS)) {
        let Ok(json) = Json::read(text.as_bytes()) else { continue };
        let root = json.root();
        let item = step_of_run.get(&word(root.get("target_id"))).cloned();
        let text = fields::shown(&one_line(&word(root.get("reason"))));
        if count(root.get("activity_revision")).is_some() && !text.is_empty() {
            plan.events.push(Event { time: word(root.get("recorded_at")), text, item });
        }
    }
}
