//! The stories of a prd.json, in the shapes that tools and agents give them.

use super::{MOST_TOLD, at, text};
use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::json::{Json, word, words};
use crate::plan::{Item, ItemState};
use loopdeck_text::json_span::tree::{Node, Value};
use std::collections::HashSet;

/// Names of a list of stories. The first two mean nothing else.
const LISTS: [&str; 7] = ["userStories", "user_stories", "stories", "tasks", "items", "issues", "features"];
/// Names of a list of groups with such lists.
const GROUPS: [&str; 6] = ["phases", "epics", "milestones", "sprints", "sections", "features"];
/// Names of a flag that says that a story is done.
const FLAGS: &str = "passes passed complete completed isComplete done tested implemented verified";
const IDS: &str = "id storyId story_id taskId key number";
const PARTS: [&str; 3] = ["tasks", "subtasks", "subTasks"];
const CRITERIA: &str = "acceptanceCriteria acceptance_criteria acceptance criteria";
/// What status words mean, with `_` for blanks and hyphens.
const WORDS: [(ItemState, &str); 6] = [
    (
        ItemState::Done,
        "done complete completed pass passes passed finished closed merged verified implemented resolved",
    ),
    (
        ItemState::Active,
        "in_progress inprogress active started doing wip running partial in_review review testing",
    ),
    (
        ItemState::Open,
        "pending todo to_do open not_started ready planned backlog queued new draft incomplete",
    ),
    (ItemState::Blocked, "blocked on_hold waiting paused"),
    (ItemState::Failed, "failed failing error"),
    (ItemState::Dropped, "skipped cancelled canceled deferred dropped obsolete superseded wont_do removed"),
];

/// All stories with what was told and found on the way.
#[derive(Default)]
pub(super) struct Stories {
    pub(super) items: Vec<Item>,
    pub(super) needs: Vec<String>,
    pub(super) findings: Vec<Finding>,
    /// Stories so far, without their parts.
    count: usize,
    /// Ids of all stories and parts.
    ids: HashSet<String>,
}

/// The stories of a document; `None` when there is no list that holds stories.
pub(super) fn stories(json: &Json<'_>, root: &Node<'_>) -> Option<Stories> {
    let lists = lists(root)?;
    let mut stories = Stories::default();
    for node in lists.iter().flat_map(|(_, list)| list.items()) {
        let parts = PARTS.iter().flat_map(|key| node.get(key).items());
        stories.ids.extend(std::iter::once(node).chain(parts).filter_map(|node| text(node, IDS)));
    }
    for (group, list) in lists {
        for node in list.items().iter().filter(|node| node.is_object()) {
            stories.add(json, node, group.as_deref());
        }
    }
    Some(stories)
}

/// The lists of stories with the group that each is in: at the top, in an object at the top, or in each of several groups.
fn lists<'n, 'a>(root: &'n Node<'a>) -> Option<Vec<(Option<String>, &'n Node<'a>)>> {
    let holders = ["prd", "feature", "project", "plan", "spec"].map(|key| root.get(key));
    for holder in std::iter::once(root).chain(holders) {
        let own =
            LISTS[..2].iter().map(|key| holder.get(key)).find(|list| matches!(list.value, Value::List(_)));
        let own = own.or(Some(holder).filter(|list| list.items().iter().any(is_story)));
        if let Some(list) = own.or_else(|| list_in(holder)) {
            return Some(vec![(None, list)]);
        }
        let groups = GROUPS.iter().map(|key| holder.get(key).items());
        // A later group may have no more than titles in the list whose stories show what it is.
        let with_lists = |groups: &'n [Node<'a>]| {
            let key = groups.iter().find_map(list_key)?;
            let list = |group: &'n Node<'a>| {
                let list = list_in(group).unwrap_or_else(|| group.get(key));
                list.items().iter().any(Node::is_object).then_some((text(group, "name title id phase"), list))
            };
            Some(groups.iter().filter_map(list).collect())
        };
        if let Some(lists) = groups.into_iter().find_map(with_lists) {
            return Some(lists);
        }
    }
    None
}

fn list_in<'n, 'a>(holder: &'n Node<'a>) -> Option<&'n Node<'a>> {
    list_key(holder).map(|key| holder.get(key))
}

/// The name of the list of stories in an object.
fn list_key(holder: &Node<'_>) -> Option<&'static str> {
    LISTS.into_iter().find(|key| holder.get(key).items().iter().any(is_story))
}

/// Whether something is a piece of work: it has a state, or a name and when it is done.
fn is_story(node: &Node<'_>) -> bool {
    let has_state = done(node).is_some() || node.get("status").text().is_some();
    at(node, "id title name description").is_some() && (has_state || at(node, CRITERIA).is_some())
}

/// The flag that says whether it is done.
fn done<'n, 'a>(node: &'n Node<'a>) -> Option<(&'n Node<'a>, bool)> {
    let flag = |node: &Node<'_>| {
        node.flag().or_else(|| match node.text()?.trim() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        })
    };
    FLAGS.split(' ').find_map(|key| Some((node.get(key), flag(node.get(key))?)))
}

impl Stories {
    fn add(&mut self, json: &Json<'_>, node: &Node<'_>, group: Option<&str>) {
        self.count += 1;
        let mut item = self.item(json, node, format!("#{}", self.count));
        let own = text(node, "phase epic category milestone sprint track batch gate");
        item.group = own.or_else(|| group.map(str::to_owned));
        let parts = PARTS.iter().map(|key| node.get(key).items());
        let parts = parts.into_iter().find(|parts| parts.iter().any(is_story)).unwrap_or_default();
        let counts_itself = !item.word.is_empty();
        let id = item.id.clone();
        let place = self.items.len();
        self.items.push(item);
        for (number, part) in parts.iter().filter(|part| part.is_object()).enumerate() {
            let mut part = self.item(json, part, format!("{id}.{}", number + 1));
            part.optional |= counts_itself;
            part.parent = Some(id.clone());
            self.items.push(part);
        }
        // What has no state of its own is as far as its parts, which count then.
        let (before, parts) = self.items.split_at_mut(place + 1);
        if let Some(item) = before.last_mut().filter(|_| !counts_itself && !parts.is_empty()) {
            item.optional = true;
            item.state = if parts.iter().all(|part| part.state == ItemState::Done) {
                ItemState::Done
            } else {
                item.state
            };
        }
    }

    fn item(&mut self, json: &Json<'_>, node: &Node<'_>, place: String) -> Item {
        let title = text(node, "title name story task summary");
        let more = "description details notes note completionNotes evidence resolution";
        let more = more.split(' ').skip_while(|key| title.is_none() && *key == "description");
        let files = node.get("files");
        let changed = ["create", "modify"].iter().flat_map(|key| words(files.get(key)));
        let named = ["filesToCreate", "filesToModify"].iter().flat_map(|key| words(node.get(key)));
        let own = if files.is_object() { changed.collect() } else { words(files) };
        let mut item = Item {
            id: text(node, IDS).unwrap_or(place),
            details: more.flat_map(|key| words(node.get(key))).collect::<Vec<_>>().join("\n\n"),
            text: one_line(&title.or_else(|| text(node, "description requirement")).unwrap_or_default()),
            depends_on: depends_on(node, &self.ids),
            priority: text(node, "priority"),
            parallel: at(node, "parallel parallelizable").and_then(Node::flag) == Some(true),
            optional: node.get("optional").flag() == Some(true),
            files: own.into_iter().chain(named).collect(),
            done_when: at(node, CRITERIA)
                .or_else(|| at(node, "steps actionItems testSteps tests"))
                .or_else(|| {
                    Some(node.get("subtasks")).filter(|parts| !parts.items().iter().any(Node::is_object))
                })
                .map_or(vec![], sentences),
            line: json.line(node),
            ..Item::default()
        };
        self.state(json, node, &mut item);
        item
    }

    /// The flag decides whether a story is done; a word next to it says how far an open one is.
    fn state(&mut self, json: &Json<'_>, node: &Node<'_>, item: &mut Item) {
        let status = at(node, "status state").and_then(Node::text).map(str::trim).unwrap_or_default();
        let told = state_of(status);
        let is_begun =
            ["inProgress", "in_progress", "started"].iter().any(|key| node.get(key).flag() == Some(true));
        let blocked = at(node, "blocked blockedReason blocked_reason blocker");
        let reasons = blocked.map(words).unwrap_or_default();
        let is_blocked = !reasons.is_empty() || blocked.and_then(Node::flag) == Some(true);
        let done = done(node);
        item.state = match (done.map(|(_, done)| done), told) {
            (Some(true), _) | (None, Some(ItemState::Done)) => ItemState::Done,
            _ if is_blocked => ItemState::Blocked,
            (Some(false), Some(told @ (ItemState::Blocked | ItemState::Failed | ItemState::Dropped))) => told,
            // "active" beside a flag means that the story isn't put away.
            (Some(false), Some(ItemState::Active)) if status != "active" => ItemState::Active,
            _ if is_begun => ItemState::Active,
            (Some(false), _) => ItemState::Open,
            (None, told) => told.unwrap_or_default(),
        };
        item.word = done.map_or_else(|| status.to_owned(), |(_, done)| done.to_string());
        if item.state == ItemState::Blocked {
            self.needs.extend(reasons.iter().map(|reason| format!("{}: {reason}", item.id)));
        }
        // Where a word says more, the flag alone doesn't change the state.
        let plain =
            done.filter(|(node, done)| node.flag().is_some() && (*done || item.state == ItemState::Open));
        item.mark = plain.and_then(|(node, _)| json.place(node)).filter(|_| !is_begun && !is_blocked);
        item.mark =
            item.mark.take().filter(|_| matches!(told, None | Some(ItemState::Done | ItemState::Open)));
        if self.findings.len() < MOST_TOLD {
            self.findings.extend(doubt(node, item, done.is_some(), status, told));
        }
    }
}

/// A word that nothing defines, or fields of one story that say different things.
fn doubt(
    node: &Node<'_>,
    item: &Item,
    has_flag: bool,
    status: &str,
    told: Option<ItemState>,
) -> Option<Finding> {
    let about = |code| Finding::new(code).with("item", &item.id).at_line(item.line);
    let disagree =
        |expected| about(FindingCode::SourcesDisagree).with("found", &item.word).with("expected", expected);
    let is_done = item.state == ItemState::Done;
    if item.state == ItemState::Unknown {
        return Some(about(FindingCode::UnknownWord).with("found", status));
    }
    if is_done && has_flag && node.get("architectVerified").flag() == Some(false) {
        return Some(disagree("architectVerified: false".to_owned()));
    }
    let told = told.filter(|told| has_flag && *told != ItemState::Unknown)?;
    ((told == ItemState::Done) != is_done).then(|| disagree(format!("status: {status}")))
}

/// What a status word means; `None` for none.
fn state_of(status: &str) -> Option<ItemState> {
    let plain = status.to_lowercase().replace(['-', ' '], "_");
    let known = WORDS.iter().find(|(_, words)| words.split(' ').any(|word| word == plain));
    (!plain.is_empty()).then(|| known.map_or(ItemState::Unknown, |(state, _)| *state))
}

/// Ids that a story waits for: texts, numbers or objects with an id, also several in one text. The key `dependsOn` is that of ralph-tui,
/// for which an id that no story has holds nothing up.
fn depends_on(node: &Node<'_>, known: &HashSet<String>) -> Vec<String> {
    let own = at(node, "dependsOn");
    let list = own.or_else(|| at(node, "depends_on dependencies deps blockedBy blocked_by prerequisites"));
    let Some(list) = list else { return Vec::new() };
    let objects = list.items().iter().filter_map(|node| text(node, "id storyId story"));
    let ids: Vec<String> = words(list).into_iter().chain(objects).collect();
    let ids = ids.iter().flat_map(|ids| ids.split(',')).map(str::trim);
    ids.filter(|id| !matches!(id.to_lowercase().as_str(), "" | "none" | "n/a" | "-"))
        .filter(|id| own.is_none() || known.contains(*id))
        .map(str::to_owned)
        .collect()
}

/// Sentences of a list whose entries may be objects.
fn sentences(node: &Node<'_>) -> Vec<String> {
    let list = if node.items().is_empty() { std::slice::from_ref(node) } else { node.items() };
    let one = |node: &Node<'_>| {
        text(node, "text description criterion criteria title name").unwrap_or_else(|| word(node))
    };
    list.iter().map(one).filter(|sentence| !sentence.is_empty()).collect()
}
