//! Pi-ralph: a loop with its state in `.ralph/<name>.state.json` and its task in a file beside it.
//!
//! The extension reads the state again after each turn and goes on only while it says `active`, so a word in the file is a pause. Its
//! task file is any Markdown; boxes in it are what can be counted. Other tools keep states of the same name.

use crate::boxes::{Boxes, mark};
use crate::finding::{Finding, FindingCode};
use crate::format::{Change, Found, Layout, PlanFormat, ReadError, Request, Source};
use crate::json::{Json, count, first, word};
use crate::plan::{Fact, FactValue, Item, ItemState, Mark, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::TextEdit;

/// Most bytes of a name that is asked for.
const LONGEST_NAME: usize = 120;

/// Most findings of a kind that are told one by one.
const MOST_TOLD: usize = 20;

pub(crate) struct PiRalph;

impl PlanFormat for PiRalph {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFile { root: ".ralph", ending: ".state.json" }]
    }

    fn named(&self, bytes: &[u8]) -> Vec<String> {
        let Ok(json) = Json::read(bytes) else { return Vec::new() };
        let root = json.root();
        is_state(&root).then(|| task_name(&root)).flatten().into_iter().collect()
    }

    fn understands(&self, request: Request) -> bool {
        matches!(request, Request::Pause | Request::Resume | Request::Stop)
    }

    fn names_files(&self) -> bool {
        true
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        if !is_state(&root) {
            return Ok(None);
        }
        let own = source.name().strip_suffix(".state.json").unwrap_or_default();
        let name = Some(word(root.get("name"))).filter(|name| !name.is_empty());
        let mut plan = Plan {
            title: name.or_else(|| Some(own.to_owned())).filter(|name| !name.is_empty()),
            word: status_word(&root),
            // The turn that is being worked on counts, as the tool says it.
            iteration: count(root.get("iteration")),
            limit: count(root.get("maxIterations")).filter(|limit| *limit > 0),
            facts: facts(&root),
            findings: json.findings(),
            ..Plan::default()
        };
        let is_over =
            plan.limit.is_some_and(|limit| plan.iteration.is_some_and(|iteration| iteration > limit));
        plan.status = Some(match plan.word.as_str() {
            "active" => PlanStatus::Running,
            "paused" => PlanStatus::Paused,
            "completed" if is_over => PlanStatus::LimitReached,
            "completed" => PlanStatus::Completed,
            _ => PlanStatus::Unknown,
        });
        if plan.status == Some(PlanStatus::Unknown) {
            plan.findings.push(Finding::new(FindingCode::UnknownWord).with("found", &plan.word));
        }
        if plan.limit.is_none() && plan.word != "completed" {
            plan.findings.push(Finding::new(FindingCode::NoLimit));
        }
        if let Some(name) = task_name(&root) {
            match source.beside(&name) {
                Some(task) => read_task(&name, task, &mut plan),
                None => plan.findings.push(Finding::new(FindingCode::FileMissing).with("file", &name)),
            }
        }
        Ok(Some(plan))
    }

    fn layout(&self) -> Layout {
        Layout::Boxes
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        mark(to)
    }

    /// The words that the extension itself writes: its stop pauses, and `/ralph-stop` completes.
    fn request(&self, source: &Source<'_>, plan: &Plan, request: Request) -> Option<Change> {
        let (to, is_active) = match (request, plan.word.as_str()) {
            (Request::Pause, "active") => ("\"paused\"", "false"),
            (Request::Resume, "paused") => ("\"active\"", "true"),
            (Request::Stop, "active" | "paused") => ("\"completed\"", "false"),
            _ => return None,
        };
        let json = Json::read(source.bytes).ok()?;
        let root = json.root();
        let status = root.find("status").and_then(|status| json.place(status));
        let active = root
            .find("active")
            .filter(|active| active.flag().is_some())
            .and_then(|active| json.place(active));
        // Without a status the older flag is the state, and it has no third value.
        if status.is_none() && (root.find("status").is_some() || request == Request::Stop) {
            return None;
        }
        let status = status.map(|place| TextEdit::replace(place, to));
        let edits: Vec<TextEdit> =
            status.into_iter().chain(active.map(|place| TextEdit::replace(place, is_active))).collect();
        (!edits.is_empty()).then(|| Change { edits, ..Change::default() })
    }
}

/// A state of this tool: it names its task file.
fn is_state(root: &Node<'_>) -> bool {
    let has_state = root.get("status").text().is_some() || root.get("active").flag().is_some();
    root.get("taskFile").text().is_some() && has_state && root.find("iteration").is_some()
}

/// The status, or what the flag of older versions means.
fn status_word(root: &Node<'_>) -> String {
    let status = word(root.get("status"));
    if !status.is_empty() {
        return status;
    }
    if root.get("active").flag() == Some(true) { "active".to_owned() } else { "paused".to_owned() }
}

/// The name of the task file where it lies beside the state. One elsewhere in the repository is shown and not read.
fn task_name(root: &Node<'_>) -> Option<String> {
    let file = word(root.get("taskFile")).replace('\\', "/");
    let name = file.strip_prefix("./").unwrap_or(&file).strip_prefix(".ralph/")?;
    let is_plain = !name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.');
    let fits = |letter: char| !letter.is_control() && !"/:*?\"<>|".contains(letter);
    (is_plain && name.chars().all(fits)).then(|| name.to_owned())
}

/// What the task says: its boxes, numbered as they come, those further in as parts.
fn read_task(name: &str, task: &str, plan: &mut Plan) {
    let boxes = Boxes::read(task);
    plan.goal = boxes.title();
    plan.prompt = Some(task.trim_start_matches('\u{feff}').trim().to_owned());
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut headings = Vec::new();
    for (at, found) in boxes.all().into_iter().enumerate() {
        let id = format!("#{}", at + 1);
        if headings != found.headings {
            above.clear();
            headings.clone_from(&found.headings);
        }
        above.retain(|(indent, _)| *indent < found.indent);
        let parent = above.last().map(|(_, id)| id.clone());
        above.push((found.indent, id.clone()));
        let group = headings.last().map(ToString::to_string);
        let details = found.below.to_owned();
        plan.items.push(Item { id, parent, group, details, file: Some(name.to_owned()), ..found.item });
    }
    let unknown = plan.items.iter().filter(|item| item.state == ItemState::Unknown).take(MOST_TOLD);
    let unknown = unknown
        .map(|item| Finding::new(FindingCode::UnknownWord).with("item", &item.id).with("found", &item.word));
    plan.findings.extend(unknown);
    if plan.items.is_empty() {
        plan.findings.push(Finding::new(FindingCode::NoItems));
    }
}

fn facts(root: &Node<'_>) -> Vec<Fact> {
    let code = |key: &str| FactValue::code(word(root.get(key)));
    let time = |key: &str| Some(word(root.get(key))).filter(|time| !time.is_empty()).map(FactValue::Time);
    let number = |keys: &[&str]| first(root, keys).and_then(count).filter(|number| *number > 0);
    let number = |keys: &[&str]| number(keys).map(|number| FactValue::Number(f64::from(number)));
    let facts = [
        ("task_file", code("taskFile")),
        ("started_at", time("startedAt")),
        ("completed_at", time("completedAt")),
        ("items_per_iteration", number(&["itemsPerIteration"])),
        ("reflect_every", number(&["reflectEvery", "reflectEveryItems"])),
        ("last_reflection_at", number(&["lastReflectionAt", "lastReflectionAtItems"])),
        ("session_id", code("ownerSessionId")),
    ];
    facts.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })).collect()
}
