//! Task Master (`.taskmaster/tasks/tasks.json`): the tasks of one tag, with their subtasks.
//!
//! The file holds a list of tasks for each tag, or one list in older files. A tag is a plan: `master`, or the first tag where there is no
//! `master`, is the file's own, the others are its parts. Which tag is current is in `../state.json`; only the command depends on it. The
//! tool counts tasks; subtasks are parts of them. An undotted dependency of a subtask means a sibling.

mod log;

use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Layout, PlanFormat, ReadError, Source, Wanted};
use crate::json::{Json, first, word, words};
use crate::order::words_outside;
use crate::plan::{Fact, FactValue, Item, ItemState, Mark, Plan};
use loopdeck_text::json_span::tree::{Node, Value};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Most tags that are plans of their own. Each row is read from the whole file.
const MOST_TAGS: usize = 50;
/// Bytes of the longest name of a part.
const LONGEST_NAME: usize = 200;
/// Most findings of a kind that are told one by one.
const MOST_TOLD: usize = 20;
const STATE: &str = "../state.json";

pub(crate) struct TaskMaster;

impl PlanFormat for TaskMaster {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".taskmaster/tasks/tasks.json"), Found::File("tasks/tasks.json")]
    }

    fn wanted(&self) -> &'static [Wanted] {
        const { &[Wanted::File(STATE), log::END[0], log::END[1], log::END[2]] }
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn parts(&self, bytes: &[u8]) -> Vec<String> {
        let Ok(json) = Json::read(bytes) else { return Vec::new() };
        let root = json.root();
        let tags = tags(&root);
        let own = own_tag(&tags).map(|(tag, _)| tag);
        let mut told = HashSet::new();
        let others = tags.iter().map(|(tag, _)| *tag).filter(|tag| Some(*tag) != own && told.insert(*tag));
        others.filter_map(part_name).take(MOST_TAGS).collect()
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        let tags = tags(&root);
        let Some((tag, shown)) = tag_of(&tags, source.part()) else { return Ok(None) };
        let list = shown.get("tasks").items();
        if !source.file.contains(".taskmaster/") && !list.iter().any(is_task) {
            return Ok(None);
        }
        let items = items(&json, list);
        let mut plan = Plan { items, findings: json.findings(), ..Plan::default() };
        let meta = first(shown, &["metadata", "meta"]);
        let meta = |keys: &[&str]| Some(word(first(meta?, keys)?)).filter(|text| !text.is_empty());
        let others = tags.iter().filter(|(name, _)| *name != tag).map(|(name, node)| progress(name, node));
        let others: Vec<String> = others.collect();
        let project = meta(&["projectName", "project", "name"]).map(|name| one_line(&name));
        plan.title = match project {
            // The tags of a project often have its name, all of them.
            Some(project) if !others.is_empty() => Some(format!("{project}: {tag}")),
            project => project.or(Some(tag.to_owned()).filter(|tag| !tag.is_empty())),
        };
        plan.goal = meta(&["description"]);
        let facts = [
            ("tag", FactValue::code(tag)),
            ("tags", Some(others).filter(|others| !others.is_empty()).map(FactValue::List)),
            ("updated", meta(&["updated", "lastModified", "lastUpdated"]).map(FactValue::Time)),
        ];
        plan.facts =
            facts.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })).collect();
        log::read(source, tag, &mut plan);
        let told = findings(&plan);
        plan.findings.extend(told);
        Ok(Some(plan))
    }

    fn layout(&self) -> Layout {
        Layout::Objects
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        match to {
            ItemState::Open => Some("\"pending\""),
            ItemState::Active => Some("\"in-progress\""),
            ItemState::Done => Some("\"done\""),
            ItemState::Blocked => Some("\"blocked\""),
            ItemState::Dropped => Some("\"cancelled\""),
            ItemState::Failed | ItemState::Unknown => None,
        }
    }

    /// Subtasks of tasks in progress, then tasks; each by priority, number of dependencies and id. Only what is done satisfies.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        let items = &plan.items;
        let done: HashSet<&str> =
            items.iter().filter(|item| item.state == ItemState::Done).map(|item| item.id.as_str()).collect();
        let by_id: HashMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
        let parent_of = |item: &Item| item.parent.as_deref().and_then(|id| by_id.get(id).copied());
        let is_ready = |item: &Item| {
            matches!(item.word.to_ascii_lowercase().as_str(), "" | "pending" | "in-progress")
                && item.depends_on.iter().all(|id| done.contains(id.as_str()))
                && (item.parent.is_none() || parent_of(item).is_some_and(|of| of.word == "in-progress"))
        };
        let rank = |item: &Item| {
            let own = item.priority.as_deref().or_else(|| parent_of(item)?.priority.as_deref());
            match own {
                Some("critical") => 0,
                Some("high") => 1,
                Some("low") => 3,
                _ => 2,
            }
        };
        let number = |text: &str| text.parse().unwrap_or(u64::MAX);
        let mut ready: Vec<usize> = (0..items.len()).filter(|at| is_ready(&items[*at])).collect();
        ready.sort_by_cached_key(|at| {
            let item = &items[*at];
            let (id, part) = item.id.split_once('.').unwrap_or((&item.id, ""));
            (item.parent.is_none(), rank(item), item.depends_on.len(), number(id), number(part))
        });
        ready
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let mut command: Vec<String> = ["task-master", "loop", "-n", "10"].map(str::to_owned).to_vec();
        let tag = plan.facts.iter().find(|fact| fact.name == "tag");
        let Some(FactValue::Code(tag)) = tag.map(|fact| &fact.value) else { return Some(command) };
        if *tag != current_tag(source).unwrap_or_else(|| "master".to_owned()) {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
            let is_name = tag.len() <= 100 && !tag.starts_with('-') && tag.chars().all(is_plain);
            command.extend(is_name.then(|| ["--tag".to_owned(), tag.clone()])?);
        }
        Some(command)
    }
}

/// The tags with their lists; the list of an older file has no name. Other keys at the top are no tags.
fn tags<'n>(root: &'n Node<'n>) -> Vec<(&'n str, &'n Node<'n>)> {
    let has_tasks = |node: &Node<'_>| matches!(node.get("tasks").value, Value::List(_));
    let named = root.fields().iter().filter(|(_, node)| has_tasks(node));
    let mut tags: Vec<_> = named.map(|(name, node)| (name.as_ref(), node)).collect();
    if tags.is_empty() && has_tasks(root) {
        tags.push(("", root));
    }
    tags
}

type Tag<'n> = (&'n str, &'n Node<'n>);

/// The tag that the file itself stands for. Not the current one: a loop doesn't become another when a person chooses a tag.
fn own_tag<'n>(tags: &[Tag<'n>]) -> Option<Tag<'n>> {
    let first = tags.first()?.0;
    let named = |name: &str| tags.iter().rev().find(|(tag, _)| *tag == name);
    named("master").or_else(|| named(first)).copied()
}

/// The tag that a part stands for; the file's own without a part.
fn tag_of<'n>(tags: &[Tag<'n>], part: Option<&str>) -> Option<Tag<'n>> {
    let own = own_tag(tags)?;
    let Some(part) = part else { return Some(own) };
    let is_meant = |tag: &&Tag<'_>| tag.0 != own.0 && part_name(tag.0).as_deref() == Some(part);
    tags.iter().rev().find(is_meant).copied()
}

/// The name of the part that is a tag. It stands in ids and paths, so all but letters, digits, `-`, `_` and `.` are written as `%` and the
/// number of their bytes; letters of every script stay readable. `None` for a tag without a name and for one that is too long.
fn part_name(tag: &str) -> Option<String> {
    let mut name = String::new();
    for letter in tag.chars() {
        if letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.') {
            name.push(letter);
        } else {
            for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(name, "%{byte:02X}");
            }
        }
        if name.len() > LONGEST_NAME {
            return None;
        }
    }
    Some(name).filter(|name| !name.is_empty())
}

fn current_tag(source: &Source<'_>) -> Option<String> {
    let state = Json::read(source.beside(STATE)?.as_bytes()).ok()?;
    Some(word(state.root().get("currentTag"))).filter(|tag| !tag.is_empty())
}

/// Whether it looks like a task of this tool, for files that could be of another one.
fn is_task(node: &Node<'_>) -> bool {
    let has = |key: &str| !word(node.get(key)).is_empty();
    has("id") && has("title") && (has("status") || node.find("dependencies").is_some())
}

/// The name of a tag with how many of its tasks are done.
fn progress(name: &str, tag: &Node<'_>) -> String {
    let states = tag.get("tasks").items().iter().filter(|task| task.is_object());
    let states = states.map(|task| state(&word(task.get("status"))));
    let counted: Vec<ItemState> = states.filter(|state| *state != ItemState::Dropped).collect();
    let done = counted.iter().filter(|state| **state == ItemState::Done).count();
    format!("{} {done}/{}", loopdeck_text::shorten(name, 100), counted.len())
}

/// What a word means.
fn state(word: &str) -> ItemState {
    match word.to_lowercase().replace(['_', ' '], "-").as_str() {
        "" | "pending" | "todo" | "to-do" | "open" | "backlog" | "not-started" => ItemState::Open,
        "in-progress" | "review" | "in-review" => ItemState::Active,
        "done" | "completed" | "complete" => ItemState::Done,
        "blocked" => ItemState::Blocked,
        "failed" => ItemState::Failed,
        "deferred" | "cancelled" | "canceled" | "skipped" => ItemState::Dropped,
        _ => ItemState::Unknown,
    }
}

/// Whether the tool has a word.
fn is_official(word: &str) -> bool {
    let finished = matches!(word, "done" | "completed" | "deferred" | "cancelled");
    finished || matches!(word, "" | "pending" | "in-progress" | "review" | "blocked")
}

/// Tasks, each before its subtasks.
fn items(json: &Json<'_>, list: &[Node<'_>]) -> Vec<Item> {
    let name = |node: &Node<'_>, at: usize| {
        Some(word(node.get("id"))).filter(|id| !id.is_empty()).unwrap_or(format!("#{}", at + 1))
    };
    let mut items = Vec::new();
    for (at, task) in list.iter().enumerate().filter(|(_, task)| task.is_object()) {
        let id = name(task, at);
        items.push(Item { id: id.clone(), depends_on: words(task.get("dependencies")), ..item(json, task) });
        let below = |name: String| if name.contains('.') { name } else { format!("{id}.{name}") };
        let parts = task.get("subtasks").items().iter().filter(|part| part.is_object());
        items.extend(parts.enumerate().map(|(at, part)| Item {
            id: below(name(part, at)),
            depends_on: words(part.get("dependencies")).into_iter().map(below).collect(),
            parent: Some(id.clone()),
            optional: true,
            ..item(json, part)
        }));
    }
    items
}

/// What tasks and subtasks have in common.
fn item(json: &Json<'_>, node: &Node<'_>) -> Item {
    let text = |key: &str| Some(word(node.get(key))).filter(|text| !text.is_empty());
    let about: Vec<String> = ["description", "details"].into_iter().filter_map(text).collect();
    let title = text("title").or_else(|| text("description")).unwrap_or_default();
    let status = node.get("status");
    let mut done_when = words(node.get("acceptanceCriteria"));
    done_when.extend(text("testStrategy"));
    let files = first(node, &["relevantFiles", "files"]).map(Node::items).unwrap_or_default();
    let files = files.iter().map(|file| word(if file.is_object() { file.get("path") } else { file }));
    Item {
        text: one_line(&title),
        details: about.join("\n\n"),
        state: state(&word(status)),
        word: word(status),
        group: text("phase").or_else(|| text("category")),
        priority: text("priority"),
        files: files.filter(|path| !path.is_empty()).collect(),
        done_when,
        line: json.line(node),
        mark: json.place(status).filter(|_| status.text().is_some()),
        ..Item::default()
    }
}

/// What only this tool's rules show: words that it doesn't have, done tasks with open subtasks (it doesn't count those), and tasks that
/// wait for a cancelled one, which it never takes.
fn findings(plan: &Plan) -> Vec<Finding> {
    let items = &plan.items;
    let mut found = Vec::new();
    if items.is_empty() {
        found.push(Finding::new(FindingCode::NoItems));
    }
    let tell = |code, item: &Item, value: String| {
        Finding::new(code).with("item", &item.id).with("found", value).at_line(item.line)
    };
    found.extend(words_outside(items, |item| is_official(&item.word)));
    let is_settled = |item: &Item| matches!(item.state, ItemState::Done | ItemState::Dropped);
    let mut open: HashMap<&str, usize> = HashMap::new();
    for parent in items.iter().filter(|item| !is_settled(item)).filter_map(|item| item.parent.as_deref()) {
        *open.entry(parent).or_insert(0) += 1;
    }
    let done = items.iter().filter(|item| item.state == ItemState::Done && item.parent.is_none());
    let with_open = done.filter_map(|item| Some((item, open.get(item.id.as_str())?)));
    let with_open =
        with_open.map(|(item, count)| tell(FindingCode::DoneWithOpenParts, item, count.to_string()));
    found.extend(with_open.take(MOST_TOLD));
    let cancelled: HashSet<&str> =
        items.iter().filter(|item| item.word == "cancelled").map(|item| item.id.as_str()).collect();
    let waiting = items.iter().filter(|item| !is_settled(item));
    let never = waiting.filter_map(|item| {
        let id = item.depends_on.iter().find(|id| cancelled.contains(id.as_str()))?;
        Some(tell(FindingCode::NeverReady, item, id.clone()))
    });
    found.extend(never.take(MOST_TOLD));
    found
}
