//! Maestro: a session with its chain of steps.
//!
//! `.workflow/sessions/<id>/session.json` in any of its versions: 3.0 has the chain itself, 1.x has it in `orchestration`, and 2.0 in
//! the file of an execution. Each step is done by runs. Before there were such sessions, a chain with its steps was in
//! `.workflow/.maestro/<id>/status.json`, which the tool still reads. Only the tool's own command writes these files.

use crate::boxes::one_line;
use crate::fields;
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::json::{Json, first, word, words};
use crate::order::{no_items, unknown_status, unknown_words};
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use crate::records;
use loopdeck_text::json_span::tree::Node;
use std::collections::HashMap;

pub(crate) struct Maestro;

/// The name of the file that was before sessions.
const STATUS_FILE: &str = "status.json";
/// Most receipts that are told; the newest ones.
const MOST_EVENTS: usize = 200;

impl PlanFormat for Maestro {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFolder { root: ".workflow/sessions", file: "session.json" },
            Found::EachFolder { root: ".workflow/.maestro", file: STATUS_FILE },
        ]
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
        let is_session = version.starts_with("session/") && root.find("session_id").is_some();
        // Chains of design work have no id of their own.
        let is_chain = source.name() == STATUS_FILE
            && root.find("steps").is_some()
            && ["ralph_protocol_version", "chain_name", "chain_type"]
                .iter()
                .any(|key| root.find(key).is_some());
        if !is_session && !is_chain {
            return Ok(None);
        }
        let file = execution(&root).filter(|file| source.beside(file).is_some());
        let execution = file.as_deref().and_then(|file| records::beside(source, file));
        // The file that has the chain and the status.
        let own = execution.as_ref().unwrap_or(&json);
        let state = own.root();
        let chain = state.find("orchestration").unwrap_or(&state);
        let steps = first(chain, &["chain", "steps"]).map(Node::items).unwrap_or_default().iter().enumerate();
        let file = file.filter(|_| execution.is_some());
        let step = |(at, node)| Item { file: file.clone(), line: own.line(node), ..step(node, at) };
        let summaries = [&state, root.get("lifecycle")].map(|node| fields::some(node.get("seal_summary")));
        let mut plan = Plan {
            title: fields::some(root.get("session_id")).or_else(|| Some(source.folder().to_owned())),
            goal: first(&root, &["objective", "intent", "target"]).map(|goal| fields::shown(&word(goal))),
            word: fields::shown(&word(state.get("status"))),
            reason: summaries.into_iter().flatten().next(),
            items: steps.map(step).collect(),
            needs: decisions(chain),
            facts: facts(&root, version),
            findings: json.findings(),
            ..Plan::default()
        };
        plan.status = status(&plan.word, &root, &state, &plan.items);
        plan.findings.extend(unknown_words(&plan.items));
        plan.findings.extend(unknown_status(&plan, 0));
        let step_of_run = tell_runs(source, &mut plan);
        plan.events = events(source, &step_of_run);
        plan.findings.extend(no_items(&plan));
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

    fn command(&self, source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        let command = ["claude", "-p", "/maestro-ralph -c -y"].map(str::to_owned).to_vec();
        Some(command).filter(|_| source.name() != STATUS_FILE)
    }
}

/// The file of the execution that a session without a chain names, where its id is a plain name.
fn execution(root: &Node<'_>) -> Option<String> {
    let id = first(root, &["current_execution_id", "latest_execution_id"]).and_then(Node::text)?;
    fields::is_plain_name(id).then(|| format!("executions/{id}/execution.json"))
}

/// A step of a chain.
fn step(node: &Node<'_>, at: usize) -> Item {
    let id = first(node, &["step_id", "id"]).map(word).filter(|id| !id.is_empty());
    let command =
        first(node, &["command", "skill", "title", "name", "decision", "type"]).map(word).unwrap_or_default();
    let text = std::iter::once(command).chain(words(node.get("args"))).collect::<Vec<_>>().join(" ");
    let status = word(node.get("status"));
    Item {
        id: id.unwrap_or_else(|| (at + 1).to_string()),
        text: fields::shown(&one_line(&text)),
        details: ["notes", "concerns", "error"]
            .map(|key| word(node.get(key)))
            .into_iter()
            .find(|text| !text.is_empty())
            .map(|text| fields::shown(&text))
            .unwrap_or_default(),
        state: match status.as_str() {
            "sealed" | "DONE" => ItemState::Done,
            word => fields::step_state(word),
        },
        word: status,
        group: fields::some(node.get("stage")),
        // A step with a decision is done when that is made: the tool doesn't go on before.
        done_when: words(node.get("decision_ref")),
        ..Item::default()
    }
}

/// The decisions that a person has to make. What is "pending" in the older versions the tool decides itself.
fn decisions(chain: &Node<'_>) -> Vec<String> {
    let all = first(chain, &["decisions", "decision_points"]).map(Node::items).unwrap_or_default();
    let open = all.iter().filter(|one| matches!(word(one.get("status")).as_str(), "open" | "escalated"));
    let ids = open.filter_map(|one| first(one, &["decision_id", "point_id"]));
    ids.map(|id| fields::shown(&word(id))).collect()
}

fn status(status: &str, session: &Node<'_>, own: &Node<'_>, items: &[Item]) -> Option<PlanStatus> {
    let has = |node: &Node<'_>, key: &str| !node.get(key).is_null();
    let is_done = has(session, "completed_at") || has(session.get("lifecycle"), "sealed_at");
    Some(match status {
        "" | "active" | "paused" if has(session, "archived_at") => PlanStatus::Stopped,
        "" => return None,
        // It says that nothing has ended it, and nothing of work.
        "open" if items.iter().all(|item| item.state == ItemState::Open) => PlanStatus::NotStarted,
        "open" | "running" | "active" => PlanStatus::Running,
        // The newest version has no pause, and reads this word as open.
        "paused" => PlanStatus::Paused,
        "sealed" if word(own.get("final_outcome")) == "failed" => PlanStatus::Failed,
        "completed" | "sealed" => PlanStatus::Completed,
        "archived" if is_done => PlanStatus::Completed,
        "archived" | "cancelled" => PlanStatus::Stopped,
        "failed" => PlanStatus::Failed,
        _ => PlanStatus::Unknown,
    })
}

fn facts(root: &Node<'_>, version: String) -> Vec<Fact> {
    let orchestration = root.get("orchestration");
    let done_when = [root, root.get("boundary_contract")];
    let facts = [
        Some(Fact { name: "schema_version", value: FactValue::Code(version) }),
        done_when.iter().find_map(|node| fields::text(node, "definition_of_done")),
        fields::code(orchestration, "engine"),
        fields::code(orchestration, "quality_mode"),
        fields::time(root, "created_at"),
        fields::time(root, "updated_at"),
        fields::time(root, "completed_at"),
        fields::time(root, "archived_at"),
    ];
    facts.into_iter().flatten().collect()
}

/// What became of each step's newest run, and how many there were. Returns the step of each run.
fn tell_runs(source: &Source<'_>, plan: &mut Plan) -> HashMap<String, String> {
    let mut step_of_run = HashMap::new();
    for (name, text) in source.below("runs") {
        let Ok(json) = Json::read(text.as_bytes()) else { continue };
        let root = json.root();
        if !name.ends_with("/run.json") || root.find("run_id").is_none() {
            continue;
        }
        let step = first(&root, &["step_id", "chain_step_id"]).map(word);
        let summary =
            fields::some(root.get("summary")).or_else(|| fields::some(root.get("handoff").get("summary")));
        let item = plan.items.iter_mut().find(|item| Some(&item.id) == step.as_ref());
        if let (Some(item), Some(summary)) = (item, &summary) {
            // Names of runs begin with a day and a number, so the newest is the last one.
            item.details.clone_from(summary);
        }
        if word(root.get("status")) == "blocked" {
            plan.needs.push(summary.or_else(|| fields::some(root.get("goal"))).unwrap_or(name.to_owned()));
        }
        plan.iteration = Some(plan.iteration.unwrap_or(0) + 1);
        step_of_run.extend(step.map(|step| (word(root.get("run_id")), step)));
    }
    step_of_run
}

/// What the newest receipts say.
fn events(source: &Source<'_>, step_of_run: &HashMap<String, String>) -> Vec<Event> {
    // Their names begin with a number of twelve digits, so they come in order.
    let receipts: Vec<&str> = source.below("receipts/transitions").map(|(_, text)| text).collect();
    let newest = receipts.iter().skip(receipts.len().saturating_sub(MOST_EVENTS));
    let event = |text: &&str| {
        let json = Json::read(text.as_bytes()).ok()?;
        let root = json.root();
        let item = step_of_run.get(&word(root.get("target_id"))).cloned();
        let text = one_line(&fields::some(root.get("reason"))?);
        Some(Event { time: word(root.get("recorded_at")), text, item })
    };
    newest.filter_map(event).collect()
}
