//! Beads: the export of its issues.
//!
//! `.beads/issues.jsonl` has an issue on each line. It is an export: the tool's database has the truth, so nothing is changed here.
//! Versions of early 2026 wrote the tables of the database to `.beads/backup/` instead, with the dependencies in a file of their own; that
//! is read where there is no export.
//! What can be begun follows the rules of `bd ready`: a blocker that isn't in the file doesn't block, and a blocked epic blocks its parts.

use crate::boxes::one_line;
use crate::fields::{some, unique};
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::json::{word, words};
use crate::moment::moment;
use crate::order;
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Plan, facts_of};
use crate::records::json_lines;
use loopdeck_text::json_span::tree::Node;
use std::collections::{HashMap, HashSet};

pub(crate) struct Beads;

/// Most open parts of an epic that an issue is said to wait for; one is enough to hold it back.
const MOST_PARTS: usize = 50;
/// Most events that are told; the newest ones.
const MOST_EVENTS: usize = 200;
/// Longest id, in bytes; ids are repeated where others wait for them.
const LONGEST_ID: usize = 255;
/// The dependencies of a backup.
const DEPENDENCIES: &str = "dependencies.jsonl";
/// The export, as a backup sees it.
const EXPORT: &str = "../issues.jsonl";
const HOUR: i64 = 3_600_000;
/// Kinds of issues that are no work.
const OTHER_KINDS: [&str; 8] =
    ["merge-request", "gate", "molecule", "message", "agent", "role", "rig", "event"];

impl PlanFormat for Beads {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".beads/issues.jsonl"), Found::File(".beads/backup/issues.jsonl")]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::File(DEPENDENCIES), Wanted::File(EXPORT)]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let is_backup = source.file.ends_with("/backup/issues.jsonl");
        if is_backup && source.beside(EXPORT).is_some_and(|export| !export.trim().is_empty()) {
            return Ok(None);
        }
        // A project without issues has an empty export.
        let is_empty = source.bytes.iter().all(u8::is_ascii_whitespace);
        let (records, findings) = json_lines(if is_empty { "" } else { source.text()? });
        let (rows, _) = json_lines(source.beside(DEPENDENCIES).filter(|_| is_backup).unwrap_or_default());
        let mut edges = Edges::new();
        for row in rows.iter().filter_map(|row| Some(row.object.as_ref()?.node())) {
            edges.entry(word(row.get("issue_id"))).or_default().push(row);
        }
        let objects = records.iter().filter_map(|record| Some((record.object.as_ref()?.node(), record.line)));
        let (issues, others): (Vec<Issue<'_>>, Vec<Issue<'_>>) = objects.partition(is_issue);
        let memories = others.iter().filter(|other| is_memory(other)).count();
        let deleted = others.iter().filter(|other| is_deleted(other)).count();
        if issues.is_empty() && memories + deleted == 0 && !is_empty {
            return Ok(None);
        }
        let export = Finding::new(FindingCode::ExportOnly).with("found", "bd");
        let mut plan = Plan { findings: vec![export], events: events(&issues), ..Plan::default() };
        plan.items = issues.iter().map(|issue| item(issue, &edges, source.now)).collect();
        let waits_for_person = issues.iter().zip(&plan.items).filter(|((node, _), item)| {
            word(node.get("await_type")) == "human" && item.state != ItemState::Done
        });
        plan.needs = waits_for_person.map(|(_, item)| item.text.clone()).collect();
        plan.facts = facts(source, &issues, memories, deleted);
        join(&mut plan.items, &issues, &edges, source.now);
        plan.findings.extend(findings);
        plan.findings.extend(order::unknown_words(&plan.items));
        plan.findings.extend(order::no_items(&plan));
        Ok(Some(plan))
    }

    fn next(&self, plan: &Plan) -> Vec<usize> {
        let held = held_back(plan);
        let is_ready =
            |item: &Item| item.state == ItemState::Open && !item.optional && !held.contains(item.id.as_str());
        let mut next: Vec<usize> = (0..plan.items.len()).filter(|at| is_ready(&plan.items[*at])).collect();
        // The most urgent is 0, and an issue without a priority has that.
        let priority = |at: &usize| plan.items[*at].priority.as_deref().and_then(|text| text.parse().ok());
        next.sort_by_cached_key(|at| priority(at).unwrap_or(0_u32));
        next
    }

    fn command(&self, _source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        Some(["bd", "ready", "--json"].map(str::to_owned).to_vec())
    }
}

/// What issues name others for, where that is in a file of its own, by the ids of the issues.
type Edges<'r> = HashMap<String, Vec<Node<'r>>>;

/// An object, and its line.
type Issue<'r> = (Node<'r>, u32);

fn is_memory((node, _): &Issue<'_>) -> bool {
    word(node.get("_type")) == "memory"
}

fn is_deleted((node, _): &Issue<'_>) -> bool {
    word(node.get("status")) == "tombstone"
}

fn is_issue(object: &Issue<'_>) -> bool {
    let (node, _) = object;
    let own = ["issue_type", "created_at", "_type", "dependencies"];
    let is_ours = own.iter().any(|key| node.find(key).is_some()) && node.find("_schema").is_none();
    let (id, title) = (word(node.get("id")), word(node.get("title")));
    let is_named = (1..=LONGEST_ID).contains(&id.len()) && !title.is_empty();
    is_ours && is_named && !is_memory(object) && !is_deleted(object)
}

fn facts(source: &Source<'_>, issues: &[Issue<'_>], memories: usize, deleted: usize) -> Vec<Fact> {
    let times = issues.iter().map(|(node, _)| word(node.get("updated_at")));
    let newest = times.filter_map(|time| Some((moment(&time)?, time))).max();
    // A checkout gives the file a new time, and its newest issue keeps the real one.
    let changed = newest.as_ref().map_or(source.modified, |(at, _)| *at);
    let hours = source.now.saturating_sub(changed).max(0) / HOUR;
    #[allow(clippy::cast_precision_loss)] // for a screen
    let (hours, memories, deleted) = (hours as f64, memories as f64, deleted as f64);
    let some = |count: f64| Some(count).filter(|count| *count > 0.0).map(FactValue::Number);
    facts_of([
        ("updated_at", newest.map(|(_, time)| FactValue::Time(time))),
        ("age_hours", Some(FactValue::Number(hours))),
        ("memories", some(memories)),
        ("tombstones", some(deleted)),
    ])
}

/// The newest issues that were closed, oldest first.
fn events(issues: &[Issue<'_>]) -> Vec<Event> {
    let closed = issues.iter().filter_map(|(node, _)| {
        let time = word(node.get("closed_at"));
        let reason = some(node.get("close_reason")).unwrap_or("closed".to_owned());
        let event = Event { text: one_line(&reason), item: Some(word(node.get("id"))), time };
        Some((moment(&event.time)?, event))
    });
    let mut closed: Vec<(i64, Event)> = closed.collect();
    closed.sort_by_key(|(at, _)| *at);
    let old = closed.len().saturating_sub(MOST_EVENTS);
    closed.into_iter().skip(old).map(|(_, event)| event).collect()
}

fn is_deferred((node, _): &Issue<'_>, now: i64) -> bool {
    moment(&word(node.get("defer_until"))).is_some_and(|until| until > now)
}

/// What an issue names others for.
fn edges_of<'e>(node: &'e Node<'e>, edges: &'e Edges<'e>) -> impl Iterator<Item = &'e Node<'e>> {
    let more = edges.get(&word(node.get("id"))).map(Vec::as_slice).unwrap_or_default();
    node.get("dependencies").items().iter().chain(more)
}

/// What other issues an issue names for one of these reasons.
fn named<'e>(node: &'e Node<'e>, edges: &'e Edges<'e>, kinds: &[&str]) -> Vec<String> {
    let named = edges_of(node, edges).filter(|named| kinds.contains(&word(named.get("type")).as_str()));
    named.map(|named| word(named.get("depends_on_id"))).filter(|id| !id.is_empty()).collect()
}

/// An issue, with what it waits for and is a part of before it is known which others there are.
fn item<'e>(issue: &'e Issue<'e>, edges: &'e Edges<'e>, now: i64) -> Item {
    let (node, line) = issue;
    let (id, status) = (word(node.get("id")), word(node.get("status")));
    let details = ["description", "design", "notes"].map(|key| word(node.get(key)));
    let flags = ["pinned", "ephemeral", "wisp", "is_template"];
    let dotted = || id.rsplit_once('.').map(|(parent, _)| parent.to_owned());
    Item {
        text: one_line(&word(node.get("title"))),
        details: details.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"),
        state: match status.as_str() {
            "open" | "" | "pinned" if !is_deferred(issue, now) => ItemState::Open,
            "in_progress" | "hooked" => ItemState::Active,
            // What waits for it is still blocked.
            "blocked" | "deferred" | "open" | "" | "pinned" => ItemState::Blocked,
            "closed" => ItemState::Done,
            _ => ItemState::Unknown,
        },
        depends_on: named(node, edges, &["blocks", "conditional-blocks", ""]),
        parent: named(node, edges, &["parent-child"]).into_iter().next().or_else(dotted),
        priority: some(node.get("priority")),
        optional: status == "pinned"
            || OTHER_KINDS.contains(&word(node.get("issue_type")).as_str())
            || flags.iter().any(|key| is_set(node.get(key))),
        done_when: words(node.get("acceptance_criteria")),
        word: status,
        line: *line,
        id,
        ..Item::default()
    }
}

/// Whether a flag is set; in a table it is a number.
fn is_set(flag: &Node<'_>) -> bool {
    flag.flag() == Some(true) || flag.lenient_number().is_some_and(|number| number > 0.0)
}

/// Leaves of what items wait for and are parts of what is there, and adds the parts that they wait for.
fn join<'e>(items: &mut [Item], issues: &'e [Issue<'e>], edges: &'e Edges<'e>, now: i64) {
    let told =
        |(item, issue): (&Item, _)| (item.id.clone(), (item.word != "pinned", is_deferred(issue, now)));
    let known: HashMap<String, (bool, bool)> = items.iter().zip(issues).map(told).collect();
    // Pinned issues stay open for ever and hold nothing back.
    let is_blocking = |id: &String| known.get(id).is_some_and(|(is_blocking, _)| *is_blocking);
    let mut parts: HashMap<String, Vec<(String, bool)>> = HashMap::new();
    for item in items.iter_mut() {
        item.parent = item.parent.take().filter(|parent| *parent != item.id && known.contains_key(parent));
        let Some(parent) = &item.parent else { continue };
        let (_, is_deferred) = known[parent];
        if item.state == ItemState::Open && is_deferred {
            item.state = ItemState::Blocked;
        }
        if is_blocking(&item.id) {
            let part = (item.id.clone(), item.state == ItemState::Done);
            parts.entry(parent.clone()).or_default().push(part);
        }
    }
    for (item, (node, _)) in items.iter_mut().zip(issues) {
        item.depends_on.retain(is_blocking);
        for edge in edges_of(node, edges).filter(|edge| word(edge.get("type")) == "waits-for") {
            let Some(parts) = parts.get(&word(edge.get("depends_on_id"))) else { continue };
            // One that is done is enough for those that wait for any.
            let is_any = word(edge.get("metadata")).contains("any-children");
            if !is_any || parts.iter().all(|(_, is_done)| !is_done) {
                let open = parts.iter().filter(|(_, is_done)| !is_done);
                item.depends_on.extend(open.take(MOST_PARTS).map(|(id, _)| id.clone()));
            }
        }
        item.depends_on = unique(std::mem::take(&mut item.depends_on));
    }
}

/// Ids that are held back: by an open blocker, or with the item that they are a part of.
fn held_back(plan: &Plan) -> HashSet<&str> {
    let is_open = |item: &&Item| item.state != ItemState::Done && item.word != "pinned";
    let open: HashSet<&str> = plan.items.iter().filter(is_open).map(|item| item.id.as_str()).collect();
    let mut parts: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut left = Vec::new();
    for item in plan.items.iter().filter(is_open) {
        parts.entry(item.parent.as_deref().unwrap_or_default()).or_default().push(&item.id);
        if item.depends_on.iter().any(|id| open.contains(id.as_str())) {
            left.push(item.id.as_str());
        }
    }
    let mut held = HashSet::new();
    while let Some(id) = left.pop() {
        held.insert(id);
        left.extend(parts.remove(id).unwrap_or_default());
    }
    held
}
