//! Ralph-orchestrator: tasks of its loops.
//!
//! `.ralph/agent/tasks.jsonl` has a task on each line; the folder above has the lock, the events and the queue of what is to be merged.
//! A loop without tasks has its list in `scratchpad.md`, as older versions had. A blocker counts only as the id of a closed task.

use crate::boxes::{Boxes, FoundBox, one_line};
use crate::fields;
use crate::finding::{Finding, FindingCode};
use crate::format::{Change, Found, PlanFormat, ReadError, Request, Source, Wanted};
use crate::json::{count, word, words};
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Mark, Plan, PlanStatus};
use crate::records::{beside, json_lines, word_place};
use loopdeck_text::almost_json::{Record, records};
use loopdeck_text::json_span::tree::Node;
use std::collections::BTreeMap;

pub(crate) struct Orchestrator;

const TASKS: &str = "tasks.jsonl";
const SCRATCHPAD: &str = "scratchpad.md";
const LOCK: &str = "../loop.lock";
const SUSPENDED: &str = "../suspend-state.json";
const STOP: &str = "../stop-requested";
const RESUME: &str = "../resume-requested";
const HISTORY: &str = "../history.jsonl";
const QUEUE: &str = "../merge-queue.jsonl";

/// Most events that are told; the newest ones.
const MOST_EVENTS: usize = 200;

impl PlanFormat for Orchestrator {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".ralph/agent/tasks.jsonl"), Found::File(".ralph/agent/scratchpad.md")]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[
            Wanted::File(TASKS),
            Wanted::File(SCRATCHPAD),
            Wanted::File(LOCK),
            Wanted::File("../loops.json"),
            Wanted::File("../current-events"),
            Wanted::File("../current-loop-id"),
            Wanted::File(SUSPENDED),
            Wanted::File(STOP),
            Wanted::File(RESUME),
            Wanted::End(HISTORY),
            Wanted::End(QUEUE),
            // The events of each run, named by its time.
            Wanted::Files { folder: "..", depth: 0, endings: &[".jsonl"] },
        ]
    }

    fn understands(&self, request: Request) -> bool {
        matches!(request, Request::Stop | Request::Resume)
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let text = source.text()?;
        let found = if source.name() == TASKS { tasks(text) } else { list(source, text) };
        let Some(mut plan) = found else { return Ok(None) };
        if let Some(lock) = beside(source, LOCK) {
            let root = lock.root();
            plan.goal = fields::some(root.get("prompt"));
            plan.process = count(root.get("pid"));
            plan.lock = Some(LOCK.to_owned());
            plan.facts.extend(fields::time(&root, "started"));
        }
        let current = source.beside("../current-loop-id").map(fields::shown).unwrap_or_default();
        plan.facts.extend(FactValue::code(current.as_str()).map(|value| Fact { name: "loop_id", value }));
        tell_events(source, &mut plan);
        tell_others(source, &mut plan);
        // What other loops left open says nothing about how this one ended.
        let is_own = |item: &Item| {
            source.name() != TASKS
                || current.is_empty()
                || item.group.as_ref().is_none_or(|of| *of == current)
        };
        let is_open = |item: &Item| matches!(item.state, ItemState::Open | ItemState::Active) && is_own(item);
        if plan.status == Some(PlanStatus::Completed) && plan.items.iter().any(is_open) {
            let finding = Finding::new(FindingCode::SourcesDisagree).with("found", "completed");
            let (done, all) = plan.progress();
            plan.findings.push(finding.with("expected", format!("{done}/{all}")).with("file", "events"));
        }
        Ok(Some(plan))
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        match to {
            ItemState::Open => Some("\"open\""),
            ItemState::Active => Some("\"in_progress\""),
            ItemState::Done => Some("\"closed\""),
            ItemState::Failed => Some("\"failed\""),
            _ => None,
        }
    }

    fn request(&self, source: &Source<'_>, plan: &Plan, request: Request) -> Option<Change> {
        let create = match request {
            Request::Stop if !has_ended(plan) => STOP,
            Request::Resume if plan.status == Some(PlanStatus::Paused) => RESUME,
            _ => return None,
        };
        let is_asked = source.beside.iter().any(|beside| beside.file == create);
        (!is_asked).then(|| Change { create: Some(create), ..Change::default() })
    }

    fn command(&self, source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        // The tool goes on only where there is a scratchpad; otherwise it begins anew, with the prompt of its settings.
        let has_pad = source.name() == SCRATCHPAD || source.beside(SCRATCHPAD).is_some();
        let words =
            ["ralph", "run"].into_iter().chain(has_pad.then_some("--continue")).chain(["--autonomous"]);
        Some(words.map(str::to_owned).collect())
    }
}

fn has_ended(plan: &Plan) -> bool {
    use PlanStatus::{Completed, Failed, LimitReached, Stopped};
    matches!(plan.status, Some(Completed | Failed | LimitReached | Stopped))
}

/// The tasks of a file with one on each line; `None` when none is a task of this tool. What isn't JSON the tool leaves out.
fn tasks(text: &str) -> Option<Plan> {
    let (records, findings) = json_lines(text);
    let tasks: Vec<(Item, bool)> = records.iter().filter_map(|record| task(text, record)).collect();
    let is_ours = tasks.iter().any(|(_, is_task)| *is_task);
    let mut plan =
        Plan { items: tasks.into_iter().map(|(item, _)| item).collect(), findings, ..Plan::default() };
    plan.findings.extend(crate::order::unknown_words(&plan.items));
    is_ours.then_some(plan)
}

/// The task on a line, and whether it has what only this tool writes.
fn task(text: &str, record: &Record<'_>) -> Option<(Item, bool)> {
    let object = record.object.as_ref()?;
    let node = object.node();
    let (id, title) = (word(node.get("id")), word(node.get("title")));
    let status = word(node.get("status"));
    if id.is_empty() || title.is_empty() {
        return None;
    }
    let has = |key: &str| !node.get(key).is_null();
    let is_task = !status.is_empty() && (has("blocked_by") || has("created"));
    let item = Item {
        id,
        text: one_line(&title),
        details: word(node.get("description")),
        state: match status.as_str() {
            "open" => ItemState::Open,
            "in_progress" => ItemState::Active,
            "closed" => ItemState::Done,
            "failed" => ItemState::Failed,
            _ => ItemState::Unknown,
        },
        word: status,
        depends_on: words(node.get("blocked_by")),
        group: fields::some(node.get("loop_id")),
        priority: fields::some(node.get("priority")),
        line: record.line,
        mark: word_place(text, object, node.get("status")),
        ..Item::default()
    };
    Some((item, is_task))
}

/// The list of a loop without tasks; `None` where the tasks are next to it, or where nothing shows that it is a list.
fn list(source: &Source<'_>, text: &str) -> Option<Plan> {
    if source.beside(TASKS).is_some_and(|text| tasks(text).is_some()) {
        return None;
    }
    let boxes = Boxes::read(text);
    let item = |(at, found): (usize, FoundBox<'_>)| Item {
        id: (at + 1).to_string(),
        group: found.headings.last().map(|heading| loopdeck_text::shorten(heading, 200)),
        // `[~]` is what the tool asks for where something was cancelled.
        state: if found.item.word == "~" { ItemState::Dropped } else { found.item.state },
        // A mark here is another one than in the tasks.
        mark: None,
        ..found.item
    };
    let items: Vec<Item> = boxes.all().into_iter().enumerate().map(item).collect();
    let has_loop = ["../current-events", LOCK, HISTORY].iter().any(|file| source.beside(file).is_some());
    if items.is_empty() && !has_loop {
        return None;
    }
    let findings = if items.is_empty() { vec![Finding::new(FindingCode::NoItems)] } else { Vec::new() };
    Some(Plan { title: boxes.title(), items, findings, ..Plan::default() })
}

/// What happened in the newest run, and how it ended.
fn tell_events(source: &Source<'_>, plan: &mut Plan) {
    let newest =
        source.beside("../current-events").map(|name| name.trim().rsplit('/').next().unwrap_or_default());
    let files = source.beside.iter().filter_map(|beside| {
        let name = beside.file.strip_prefix("../")?;
        let is_events = name.starts_with("events") && name.ends_with(".jsonl");
        Some((name, std::str::from_utf8(beside.bytes).ok()?)).filter(|_| is_events)
    });
    let files: Vec<(&str, &str)> = files.collect();
    let named = files.iter().find(|(name, _)| Some(*name) == newest);
    if let Some((_, text)) = named.or(files.last().filter(|_| newest.is_none())) {
        plan.status = Some(PlanStatus::Running);
        for object in records(text).into_iter().filter_map(|record| record.object) {
            tell_event(&object.node(), plan);
        }
        let old = plan.events.len().saturating_sub(MOST_EVENTS);
        plan.events.drain(..old);
    } else if let Some(history) = source.beside(HISTORY) {
        let last = records(history).into_iter().filter_map(|record| record.object).next_back();
        let Some(last) = last else { return };
        let kind = last.node().get("type").clone().into_owned();
        match word(kind.get("kind")).as_str() {
            "loop_completed" => end(plan, &word(kind.get("reason"))),
            "loop_terminated" => end(plan, "interrupted"),
            "loop_discarded" => end(plan, "cancelled"),
            _ => plan.status = Some(PlanStatus::Running),
        }
    }
}

fn tell_event(node: &Node<'_>, plan: &mut Plan) {
    let topic = word(node.get("topic"));
    if topic.is_empty() {
        return;
    }
    let payload = fields::shown(&node.get("payload").shown(500).unwrap_or_default());
    plan.iteration = count(node.get("iteration")).filter(|round| *round > 0).or(plan.iteration);
    match topic.as_str() {
        "loop.terminate" => {
            let mut lines = payload.lines().map(str::trim);
            let reason = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
            end(plan, reason.unwrap_or_default());
        }
        // The loop goes on in the same file.
        "task.start" | "task.resume" => (plan.status, plan.reason) = (Some(PlanStatus::Running), None),
        _ => {}
    }
    let text = if payload.is_empty() { topic } else { format!("{topic}: {}", one_line(&payload)) };
    let item = payload.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    let item = item.into_iter().find(|word| word.starts_with("task-")).map(str::to_owned);
    plan.events.push(Event { time: word(node.get("ts")), text, item });
}

fn end(plan: &mut Plan, reason: &str) {
    plan.status = Some(match reason {
        "completed" | "completion_promise" => PlanStatus::Completed,
        "max_iterations" | "max_runtime" | "max_cost" => PlanStatus::LimitReached,
        "stopped" | "interrupted" | "restart_requested" | "cancelled" => PlanStatus::Stopped,
        "consecutive_failures"
        | "loop_thrashing"
        | "loop_stale"
        | "validation_failure"
        | "workspace_gone"
        | "error" => PlanStatus::Failed,
        _ => PlanStatus::Unknown,
    });
    plan.reason = Some(fields::shown(reason)).filter(|reason| !reason.is_empty());
}

/// A hook that suspends the loop, other loops, and what waits to be merged.
fn tell_others(source: &Source<'_>, plan: &mut Plan) {
    if has_ended(plan) {
        plan.process = None; // the lock keeps its last holder
    }
    if let Some(state) = beside(source, SUSPENDED) {
        plan.status = Some(PlanStatus::Paused);
        "suspended".clone_into(&mut plan.word);
        plan.needs.extend(fields::some(state.root().get("reason")));
    }
    if let Some(loops) = beside(source, "../loops.json") {
        let root = loops.root();
        let list = root.find("loops").map_or(root.items(), Node::items);
        let prompts: Vec<String> =
            list.iter().map(|entry| fields::shown(&word(entry.get("prompt")))).collect();
        if !prompts.is_empty() {
            plan.facts.push(Fact { name: "loops", value: FactValue::List(prompts) });
        }
    }
    let mut queue: BTreeMap<String, (String, String)> = BTreeMap::new();
    let records = source.beside(QUEUE).map(records).unwrap_or_default();
    for object in records.into_iter().filter_map(|record| record.object) {
        let node = object.node();
        let event = node.get("event");
        queue.insert(word(node.get("loop_id")), (word(event.get("type")), word(event.get("reason"))));
    }
    queue.retain(|_, (state, _)| !matches!(state.as_str(), "merged" | "discarded" | ""));
    for (id, (_, reason)) in queue.iter().filter(|(_, (state, _))| state == "needs_review") {
        plan.needs.push(fields::shown(&format!("{id}: {reason}")));
    }
    let waiting: Vec<String> = queue.iter().map(|(id, (state, _))| format!("{id}: {state}")).collect();
    if !waiting.is_empty() {
        plan.facts.push(Fact { name: "merge_queue", value: FactValue::List(waiting) });
    }
}
