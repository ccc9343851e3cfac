//! Beads: the export of its issues.
//!
//! `.beads/issues.jsonl` has an issue on each line. It is an export: the tool's database has the truth, so nothing is changed here.
//! What can be begun follows the rules of `bd ready`: a blocker that isn't in the file doesn't block, and a blocked epic blocks its parts.

use crate::boxes::one_line;
use crate::fields;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::json::{word, words};
use crate::moment::moment;
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Plan};
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
const HOUR: i64 = 3_600_000;

/// What the lines say so far.
#[derive(Default)]
struct Export {
    issues: Vec<Issue>,
    events: Vec<(i64, Event)>,
    newest: Option<(i64, String)>,
    needs: Vec<String>,
    memories: u32,
    deleted: u32,
    is_ours: bool,
}

/// An issue before it is known which others there are.
struct Issue {
    item: Item,
    blockers: Vec<String>,
    /// Issues whose parts it waits for; whether the first part is enough.
    spawners: Vec<(String, bool)>,
    is_deferred: bool,
}

impl PlanFormat for Beads {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".beads/issues.jsonl")]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let (records, findings) = json_lines(source.text()?);
        let mut export = Export::default();
        for record in &records {
            if let Some(object) = &record.object {
                export.add(&object.node(), record.line, source.now);
            }
        }
        if !export.is_ours {
            return Ok(None);
        }
        let mut plan = export.into_plan(source);
        plan.findings.extend(findings);
        plan.findings.extend(crate::order::unknown_words(&plan.items));
        Ok(Some(plan))
    }

    fn next(&self, plan: &Plan) -> Vec<usize> {
        let held = held_back(plan);
        let is_ready =
            |(at, item): &(usize, &Item)| item.state == ItemState::Open && !item.optional && !held[*at];
        let mut next: Vec<usize> = plan.items.iter().enumerate().filter(is_ready).map(|(at, _)| at).collect();
        // The most urgent is 0, and an issue without a priority has that.
        let priority = |at: &usize| plan.items[*at].priority.as_deref().and_then(|text| text.parse().ok());
        next.sort_by_cached_key(|at| priority(at).unwrap_or(0_u32));
        next
    }

    fn command(&self, _source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        Some(["bd", "ready", "--json"].map(str::to_owned).to_vec())
    }
}

impl Export {
    fn add(&mut self, node: &Node<'_>, line: u32, now: i64) {
        let status = word(node.get("status"));
        let is_memory = word(node.get("_type")) == "memory";
        if is_memory || status == "tombstone" || node.find("_schema").is_some() {
            self.is_ours |= is_memory || status == "tombstone";
            self.memories += u32::from(is_memory);
            self.deleted += u32::from(status == "tombstone" && !is_memory);
            return;
        }
        let (id, title) = (word(node.get("id")), word(node.get("title")));
        let own = ["issue_type", "created_at", "_type", "dependencies"];
        if id.is_empty()
            || id.len() > LONGEST_ID
            || title.is_empty()
            || own.iter().all(|key| node.find(key).is_none())
        {
            return;
        }
        self.is_ours = true;
        let updated = word(node.get("updated_at"));
        if let Some(at) = moment(&updated)
            && self.newest.as_ref().is_none_or(|(newest, _)| at > *newest)
        {
            self.newest = Some((at, updated));
        }
        let time = word(node.get("closed_at"));
        if let Some(at) = moment(&time) {
            let text = fields::some(node.get("close_reason"))
                .map_or("closed".to_owned(), |reason| one_line(&reason));
            self.events.push((at, Event { time, text, item: Some(id.clone()) }));
        }
        let item = Item { id, text: one_line(&title), word: status, line, ..Item::default() };
        let issue = issue(node, item, now);
        let waits_for_person = word(node.get("await_type")) == "human" && issue.item.state != ItemState::Done;
        self.needs.extend(waits_for_person.then(|| issue.item.text.clone()));
        self.issues.push(issue);
    }

    fn into_plan(mut self, source: &Source<'_>) -> Plan {
        let export = Finding::new(FindingCode::ExportOnly).with("found", "bd");
        let mut plan = Plan { needs: self.needs, findings: vec![export], ..Plan::default() };
        // A checkout gives the file a new time, and its newest issue keeps the real one.
        let changed = self.newest.as_ref().map_or(source.modified, |(at, _)| *at);
        let updated = self.newest.map(|(_, time)| FactValue::Time(time));
        plan.facts.extend(updated.map(|value| Fact { name: "updated_at", value }));
        let hours = source.now.saturating_sub(changed).max(0) / HOUR;
        let counts =
            [("age_hours", hours), ("memories", self.memories.into()), ("tombstones", self.deleted.into())];
        let counts = counts.into_iter().filter(|(name, count)| *count > 0 || *name == "age_hours");
        #[allow(clippy::cast_precision_loss)] // for a screen
        plan.facts.extend(counts.map(|(name, count)| Fact { name, value: FactValue::Number(count as f64) }));
        self.events.sort_by_key(|(at, _)| *at);
        let old = self.events.len().saturating_sub(MOST_EVENTS);
        plan.events = self.events.into_iter().skip(old).map(|(_, event)| event).collect();
        plan.items = joined(self.issues);
        plan
    }
}

/// The rest of an issue.
fn issue(node: &Node<'_>, mut item: Item, now: i64) -> Issue {
    let is_deferred = moment(&word(node.get("defer_until"))).is_some_and(|until| until > now);
    item.state = match item.word.as_str() {
        "open" | "" | "pinned" if is_deferred => ItemState::Blocked,
        "open" | "" | "pinned" => ItemState::Open,
        "in_progress" | "hooked" => ItemState::Active,
        // Deferred: what waits for it is still blocked.
        "blocked" | "deferred" => ItemState::Blocked,
        "closed" => ItemState::Done,
        _ => ItemState::Unknown,
    };
    let kind = word(node.get("issue_type"));
    let others = ["merge-request", "gate", "molecule", "message", "agent", "role", "rig", "event"];
    let flags = ["pinned", "ephemeral", "wisp", "is_template"];
    item.optional = item.word == "pinned"
        || others.contains(&kind.as_str())
        || flags.iter().any(|key| node.get(key).flag() == Some(true));
    let details = ["description", "design", "notes"].map(|key| word(node.get(key)));
    item.details = details.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    item.priority = fields::some(node.get("priority"));
    item.done_when = words(node.get("acceptance_criteria"));
    let mut issue = Issue { item, blockers: Vec::new(), spawners: Vec::new(), is_deferred };
    for dependency in node.get("dependencies").items() {
        let on = word(dependency.get("depends_on_id"));
        match word(dependency.get("type")).as_str() {
            _ if on.is_empty() => {}
            "blocks" | "conditional-blocks" | "" => issue.blockers.push(on),
            "parent-child" => issue.item.parent = issue.item.parent.or(Some(on)),
            "waits-for" => {
                let is_first = word(dependency.get("metadata")).contains("any-children");
                issue.spawners.push((on, is_first));
            }
            _ => {}
        }
    }
    issue
}

/// The items, with what they wait for among those that are there.
fn joined(mut issues: Vec<Issue>) -> Vec<Item> {
    // Whether each one blocks and is deferred. Pinned issues stay open for ever and hold nothing back.
    let known: HashMap<String, (bool, bool)> = issues
        .iter()
        .map(|issue| (issue.item.id.clone(), (issue.item.word != "pinned", issue.is_deferred)))
        .collect();
    let mut open_parts: HashMap<String, Vec<String>> = HashMap::new();
    let mut has_done_part: HashSet<String> = HashSet::new();
    for Issue { item, .. } in &mut issues {
        let dotted = || item.id.rsplit_once('.').map(|(parent, _)| parent.to_owned());
        let parent = item.parent.take().or_else(dotted).filter(|parent| *parent != item.id);
        let Some((parent, (_, is_deferred))) = parent.and_then(|id| known.get(&id).map(|known| (id, *known)))
        else {
            continue;
        };
        if item.state == ItemState::Open && is_deferred {
            item.state = ItemState::Blocked;
        }
        if item.state == ItemState::Done {
            has_done_part.insert(parent.clone());
        } else if item.word != "pinned" {
            open_parts.entry(parent.clone()).or_default().push(item.id.clone());
        }
        item.parent = Some(parent);
    }
    let join = |issue: Issue| {
        let mut item = issue.item;
        let blocks = |id: &String| known.get(id).is_some_and(|(blocks, _)| *blocks);
        item.depends_on = issue.blockers.into_iter().filter(blocks).collect();
        for (spawner, is_first) in issue.spawners {
            let parts = open_parts.get(&spawner).filter(|_| !(is_first && has_done_part.contains(&spawner)));
            item.depends_on.extend(parts.into_iter().flatten().take(MOST_PARTS).cloned());
        }
        let mut seen = HashSet::new();
        item.depends_on.retain(|id| seen.insert(id.clone()));
        item
    };
    issues.into_iter().map(join).collect()
}

/// Whether each item is held back: by an open blocker, or with the item that it is a part of.
fn held_back(plan: &Plan) -> Vec<bool> {
    let is_done = |item: &Item| item.state == ItemState::Done || item.word == "pinned";
    let mut open: HashSet<&str> = HashSet::new();
    let mut parts: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in plan.items.iter().enumerate().filter(|(_, item)| !is_done(item)) {
        open.insert(&item.id);
        parts.entry(item.parent.as_deref().unwrap_or_default()).or_default().push(at);
    }
    let waits = |item: &Item| !is_done(item) && item.depends_on.iter().any(|id| open.contains(id.as_str()));
    let mut held: Vec<bool> = plan.items.iter().map(waits).collect();
    let mut left: Vec<usize> = (0..held.len()).filter(|at| held[*at]).collect();
    while let Some(at) = left.pop() {
        for part in parts.remove(plan.items[at].id.as_str()).unwrap_or_default() {
            held[part] = true;
            left.push(part);
        }
    }
    held
}
