//! Goals of oh-my-openagent, oh-my-claudecode and oh-my-codex.
//!
//! Two shapes: `goal` with one objective of a session (`.omo/goal/<session>.json`), and `goals`, a list of them that is worked off in
//! order (`goals.json`), with its brief and a ledger next to it. A list is changed by the command of its own tool, which asks for
//! evidence and writes the ledger: nothing in it can be edited. A session's goal can be paused, resumed and removed.

use crate::boxes::{Boxes, one_line};
use crate::finding::{Finding, FindingCode};
use crate::format::{Change, Found, PlanFormat, ReadError, Request, Source, Wanted};
use crate::json::{Json, count, first, word, words};
use crate::order;
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Plan, PlanStatus, facts_of};
use loopdeck_text::almost_json::records;
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;
use loopdeck_text::text_edit::TextEdit;

pub(crate) struct Goals;

/// Most events of the ledger that are kept, the newest.
const MOST_EVENTS: usize = 1000;

impl PlanFormat for Goals {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFile { root: ".omo/goal", ending: ".json" },
            Found::EachFolder { root: ".omo/ulw-loop", file: "goals.json" },
            Found::File(".omc/ultragoal/goals.json"),
            Found::File(".omo/ulw-loop/goals.json"),
            Found::EachFolder { root: ".omc/ultragoal/plans", file: "goals.json" },
            Found::File(".omx/ultragoal/goals.json"),
            Found::EachFolder { root: ".omx/ultragoal", file: "goals.json" },
        ]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::File("brief.md"), Wanted::End("ledger.jsonl")]
    }

    fn understands(&self, request: Request) -> bool {
        matches!(request, Request::Pause | Request::Resume)
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        let mut plan = match (root.find("goals"), root.find("goal")) {
            (Some(goals), _) if is_list_of_goals(goals) => list(source, &json, &root),
            (_, Some(goal)) if goal.is_null() || goal.find("objective").is_some() => session(&json, goal),
            _ => return Ok(None),
        };
        plan.findings.extend(order::unknown_words(&plan.items));
        if plan.items.is_empty() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        plan.findings.extend(json.findings());
        Ok(Some(plan))
    }

    fn request(&self, source: &Source<'_>, _plan: &Plan, request: Request) -> Option<Change> {
        let json = Json::read(source.bytes).ok()?;
        let root = json.root();
        let status = root.get("goal").find("status")?;
        let (from, to) = match request {
            Request::Pause => ("active", "\"paused\""),
            Request::Resume => ("paused", "\"active\""),
            Request::Stop => return None,
        };
        let range = json.place(status).filter(|_| word(status) == from)?;
        Some(Change { edits: vec![TextEdit::replace(range, to)], ..Change::default() })
    }
}

fn is_list_of_goals(goals: &Node<'_>) -> bool {
    let items = goals.items();
    matches!(goals.value, Value::List(_))
        && (items.is_empty() || items.iter().any(|goal| !goal.fields().is_empty()))
}

/// The goal of a session.
fn session(json: &Json<'_>, goal: &Node<'_>) -> Plan {
    if goal.is_null() {
        return Plan::default();
    }
    let mut plan = Plan { word: word(goal.get("status")), ..Plan::default() };
    let (status, state) = match plan.word.as_str() {
        "active" => (Some(PlanStatus::Running), ItemState::Active),
        "paused" => (Some(PlanStatus::Paused), ItemState::Open),
        "blocked" => (Some(PlanStatus::Paused), ItemState::Blocked),
        "budgetLimited" => (Some(PlanStatus::LimitReached), ItemState::Open),
        "complete" => (Some(PlanStatus::Completed), ItemState::Done),
        "" => (None, ItemState::Open),
        _ => (Some(PlanStatus::Unknown), ItemState::Unknown),
    };
    plan.status = status;
    let objective = word(goal.get("objective"));
    plan.title = Some(shorten(&one_line(&objective), 120)).filter(|title| !title.is_empty());
    let item = Item {
        id: Some(word(goal.get("id"))).filter(|id| !id.is_empty()).unwrap_or_else(|| "goal".to_owned()),
        text: one_line(&objective),
        word: plan.word.clone(),
        state,
        line: json.line(goal),
        ..Item::default()
    };
    plan.items.push(item);
    plan.goal = Some(objective).filter(|objective| !objective.is_empty());
    let code = |key: &str| FactValue::code(word(goal.get(key)));
    let number = |key: &str| count(goal.get(key)).map(|number| FactValue::Number(f64::from(number)));
    let time = |key: &str| Some(word(goal.get(key))).filter(|time| !time.is_empty()).map(FactValue::Time);
    plan.facts = facts_of([
        ("session_id", first(goal, &["sessionID", "threadId"]).and_then(|id| FactValue::code(word(id)))),
        ("token_budget", number("tokenBudget")),
        ("tokens_used", number("tokensUsed")),
        ("time_used_seconds", number("timeUsedSeconds")),
        ("created_at", time("createdAt")),
        ("updated_at", time("updatedAt")),
        ("completed_at", time("completedAt")),
        ("blocked_reason", code("blockedReason")),
    ]);
    plan
}

/// A list of goals.
fn list(source: &Source<'_>, json: &Json<'_>, root: &Node<'_>) -> Plan {
    let goals = root.get("goals").items();
    let mut plan = Plan::default();
    for (at, goal) in goals.iter().enumerate().filter(|(_, goal)| !goal.fields().is_empty()) {
        let item = item(json, goal, at);
        if word(goal.get("status")) == "needs_user_decision" {
            let said = first(goal, &["requiredExternalDecision", "blockedReason"]).map(word);
            plan.needs.push(said.filter(|said| !said.is_empty()).unwrap_or_else(|| item.text.clone()));
        }
        plan.items.push(item);
    }
    let whole = root.get("aggregateCompletion");
    if word(whole.get("status")) == "complete" {
        (plan.word, plan.status) = ("complete".to_owned(), Some(PlanStatus::Completed));
        let (done, all) = plan.progress();
        let finding = Finding::new(FindingCode::DoneWithOpenParts).with("item", "aggregateCompletion");
        plan.findings
            .extend((done < all).then(|| finding.with("found", all - done).at_line(json.line(whole))));
    }
    let brief = source.beside("brief.md").map(|brief| brief.trim_start_matches('\u{feff}').trim());
    let objective = first(root, &["objective", "claudeObjective", "codexObjective"]).map(word);
    let stated = brief.map(str::to_owned).filter(|brief| !brief.is_empty()).or(objective);
    plan.goal = stated.filter(|goal| !goal.is_empty());
    let plan_id = Some(word(root.get("planId"))).filter(|id| !id.is_empty());
    plan.title = brief.and_then(|brief| Boxes::read(brief).title()).or_else(|| plan_id.clone());
    plan.facts = list_facts(root, goals, plan_id);
    plan.events = source.beside("ledger.jsonl").map(events).unwrap_or_default();
    plan
}

fn item(json: &Json<'_>, goal: &Node<'_>, at: usize) -> Item {
    let written = word(goal.get("status"));
    let state = match (word(goal.get("steeringStatus")).as_str(), written.as_str()) {
        ("superseded", _) => ItemState::Dropped,
        (_, "complete") => ItemState::Done,
        ("blocked", _) | (_, "blocked" | "review_blocked" | "needs_user_decision") => ItemState::Blocked,
        (_, "pending" | "") => ItemState::Open,
        (_, "in_progress") => ItemState::Active,
        (_, "failed") => ItemState::Failed,
        _ => ItemState::Unknown,
    };
    let (title, objective) = (one_line(&word(goal.get("title"))), word(goal.get("objective")));
    let said = ["failureReason", "blockedReason", "evidence"].map(|key| word(goal.get(key)));
    let more = std::iter::once(&objective).chain(&said).filter(|text| !text.is_empty() && **text != title);
    let details = more.map(String::as_str).collect::<Vec<_>>().join("\n\n");
    let criteria = goal.get("successCriteria").items().iter();
    let criterion = |node: &Node<'_>| Some(word(first(node, &["scenario"]).unwrap_or(node)));
    Item {
        id: Some(word(goal.get("id"))).filter(|id| !id.is_empty()).unwrap_or_else(|| format!("#{}", at + 1)),
        text: if title.is_empty() { one_line(&objective) } else { title },
        details,
        word: written,
        state,
        done_when: criteria.filter_map(criterion).filter(|text| !text.is_empty()).collect(),
        line: json.line(goal),
        ..Item::default()
    }
}

fn list_facts(root: &Node<'_>, goals: &[Node<'_>], plan_id: Option<String>) -> Vec<Fact> {
    let time = |key: &str| Some(word(root.get(key))).filter(|time| !time.is_empty()).map(FactValue::Time);
    let mode = first(root, &["claudeGoalMode", "codexGoalMode"]).and_then(|mode| FactValue::code(word(mode)));
    let criteria = || goals.iter().flat_map(|goal| goal.get("successCriteria").items());
    let passed = criteria().filter(|criterion| word(criterion.get("status")) == "pass").count();
    let shown = (criteria().count() > 0).then(|| FactValue::Code(format!("{passed}/{}", criteria().count())));
    let evidence = words(root.get("aggregateCompletion").get("evidence")).join("\n");
    facts_of([
        ("plan_id", plan_id.and_then(FactValue::code)),
        ("active_goal_id", FactValue::code(word(root.get("activeGoalId")))),
        ("goal_mode", mode),
        ("criteria_passed", shown),
        ("created_at", time("createdAt")),
        ("updated_at", time("updatedAt")),
        ("evidence", FactValue::text(evidence)),
    ])
}

/// What the ledger tells, oldest first. Its first line may be cut off, and lines of another shape tell nothing.
fn events(ledger: &str) -> Vec<Event> {
    let event = |node: &Node<'_>| {
        let kind = first(node, &["event", "kind", "status"]).map(word).filter(|kind| !kind.is_empty())?;
        let said = first(node, &["message", "evidence", "requiredExternalDecision"]).map(word);
        let said = said.filter(|said| !said.is_empty()).map(|said| shorten(&one_line(&said), 300));
        Some(Event {
            time: first(node, &["ts", "at"]).map(word).unwrap_or_default(),
            text: said.map_or(kind.clone(), |said| format!("{kind}: {said}")),
            item: first(node, &["goalId", "goal_id"]).map(word).filter(|id| !id.is_empty()),
        })
    };
    let objects: Vec<_> = records(ledger).into_iter().filter_map(|record| record.object).collect();
    let newest = objects.iter().rev().take(MOST_EVENTS).filter_map(|object| event(&object.node()));
    let mut events: Vec<Event> = newest.collect();
    events.reverse();
    events
}
