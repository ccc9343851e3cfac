//! Ralph-claude-code: a plan to fix with its run.
//!
//! `.ralph/fix_plan.md` has boxes below headings; older versions kept it at the top, as `@fix_plan.md` too. The tool counts open boxes
//! outside of optional sections and ticked ones anywhere, and next to the plan says how its run is. Status files of other tools have
//! the same name.

use crate::boxes::{Boxes, FoundBox, mark};
use crate::fields;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Layout, PlanFormat, ReadError, Source, Wanted};
use crate::json::{count, word};
use crate::plan::{Event, Item, ItemState, Mark, Plan, PlanStatus};
use crate::records::beside;
use loopdeck_text::json_span::tree::Node;
use std::collections::HashSet;

pub(crate) struct Frankbria;

/// Sections whose open boxes don't count, unless `.ralphrc` names others.
const OPTIONAL: &str = "Optional,Future,Future Enhancements,Nice to Have";

/// Longest heading that says something of its section; a longer one isn't looked at again for each of its boxes.
const LONGEST_TITLE: usize = 200;

const STATUS: &str = "status.json";
const BREAKER: &str = ".circuit_breaker_state";
const PROMPT: &str = "PROMPT.md";

impl PlanFormat for Frankbria {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File(".ralph/fix_plan.md"),
            Found::File(".ralph/@fix_plan.md"),
            Found::File("@fix_plan.md"),
            Found::File("fix_plan.md"),
        ]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[
            Wanted::File(STATUS),
            Wanted::File("progress.json"),
            Wanted::File(BREAKER),
            Wanted::File(".circuit_breaker_history"),
            Wanted::File(".claude_session_id"),
            Wanted::File(PROMPT),
            Wanted::File("@AGENT.md"),
            Wanted::File("fix_plan.md"),
            Wanted::File(".ralphrc"),
            Wanted::File("../.ralphrc"),
        ]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let boxes = Boxes::read(source.text()?);
        if !is_of_the_tool(source) {
            return Ok(None);
        }
        let mut plan =
            Plan { title: boxes.title(), items: items(&boxes, &optional_titles(source)), ..Plan::default() };
        if plan.items.is_empty() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        plan.findings.extend(crate::order::unknown_words(&plan.items));
        plan.prompt = source.beside(PROMPT).filter(|text| !text.trim().is_empty()).map(str::to_owned);
        tell_status(source, &mut plan);
        tell_breaker(source, &mut plan);
        if let Some(progress) = beside(source, "progress.json") {
            let root = progress.root();
            plan.facts.extend(fields::number(&root, "elapsed_seconds"));
            plan.facts.extend(fields::text(&root, "last_output"));
        }
        if let Some(session) = beside(source, ".claude_session_id") {
            plan.facts.extend(fields::code(&session.root(), "session_id"));
        }
        Ok(Some(plan))
    }

    fn layout(&self) -> Layout {
        Layout::Boxes
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        mark(to)
    }

    fn command(&self, source: &Source<'_>, _plan: &Plan) -> Option<Vec<String>> {
        // The tool refuses the older places.
        (source.file == ".ralph/fix_plan.md").then(|| vec!["ralph".to_owned()])
    }
}

/// Whether the tool keeps this file. The name is its own but for a `fix_plan.md` at the top, which others have too: next to that one
/// there has to be something of the tool, or a prompt that works it off.
fn is_of_the_tool(source: &Source<'_>) -> bool {
    if source.folder() == ".ralph" {
        return source.name() == "fix_plan.md" || source.beside("fix_plan.md").is_none();
    }
    let prompt = source.beside(PROMPT).unwrap_or_default();
    let has = |file: &str| source.beside.iter().any(|beside| beside.file == file);
    source.name() == "@fix_plan.md"
        || has(".ralphrc")
        || has("@AGENT.md")
        || has(BREAKER)
        || prompt.contains("fix_plan")
        || prompt.contains("RALPH_STATUS")
}

/// Titles of the sections that don't count, in lower case.
fn optional_titles(source: &Source<'_>) -> HashSet<String> {
    let settings = source.beside("../.ralphrc").or_else(|| source.beside(".ralphrc"));
    let named = settings.and_then(|settings| {
        let value = settings.lines().rev().find_map(|line| line.trim().strip_prefix("OPTIONAL_SECTIONS="))?;
        let value = value.trim();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        match quote {
            Some(quote) => value[1..].split(quote).next(),
            None => value.split_whitespace().next(),
        }
    });
    // What another command or variable would give isn't known here.
    let titles = named.filter(|value| !value.is_empty() && !value.contains('$')).unwrap_or(OPTIONAL);
    titles.split(',').map(|title| title.trim().to_lowercase()).filter(|title| !title.is_empty()).collect()
}

fn items(boxes: &Boxes<'_>, optional: &HashSet<String>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    // Boxes that a further one may be a part of: their columns, ids and where their heading is.
    let mut above: Vec<(usize, String, Option<*const u8>)> = Vec::new();
    for (at, found) in boxes.all().into_iter().enumerate() {
        let FoundBox { text, below, indent, headings, item } = found;
        let place = headings.last().map(|heading| heading.as_ptr());
        above.retain(|(column, _, heading)| *column < indent && *heading == place);
        let mut titles = headings.iter().rev().filter(|heading| heading.len() <= LONGEST_TITLE);
        let is_optional = titles.clone().any(|title| optional.contains(&title.to_lowercase()));
        let id = (at + 1).to_string();
        let parent = above.last().map(|(_, id, _)| id.clone());
        above.push((indent, id.clone(), place));
        items.push(Item {
            id,
            text: crate::boxes::one_line(&loopdeck_text::plain(text)),
            details: fields::shown(below),
            priority: titles.find_map(|title| priority(title)),
            group: headings.last().map(|heading| loopdeck_text::shorten(heading, LONGEST_TITLE)),
            parent,
            // What is ticked counts as done in every section, and other marks count nowhere.
            optional: item.state == ItemState::Unknown || is_optional && item.state != ItemState::Done,
            ..item
        });
    }
    items
}

/// The word before "priority" in a heading.
fn priority(heading: &str) -> Option<String> {
    let words: Vec<&str> = heading.split(|letter: char| !letter.is_alphanumeric()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| word.eq_ignore_ascii_case("priority"))?;
    at.checked_sub(1).map(|before| words[before].to_owned())
}

/// What the tool wrote of its run.
fn tell_status(source: &Source<'_>, plan: &mut Plan) {
    let Some(status) = beside(source, STATUS) else { return };
    let root = status.root();
    if root.find("loop_count").is_none() || root.find("status").is_none() {
        return; // of another tool
    }
    plan.word = fields::shown(&word(root.get("status")));
    plan.reason = fields::some(root.get("exit_reason"));
    plan.status = Some(status_of(&plan.word, plan.reason.as_deref()));
    plan.iteration = count(root.get("loop_count"));
    plan.facts.extend(fields::code(&root, "last_action"));
    for name in ["calls_made_this_hour", "max_calls_per_hour", "tokens_used_this_hour", "max_tokens_per_hour"]
    {
        plan.facts.extend(fields::number(&root, name));
    }
    plan.facts.extend(fields::time(&root, "timestamp"));
    plan.facts.extend(fields::time(&root, "next_reset"));
    let (done, all) = plan.progress();
    let disagree = match plan.status {
        Some(PlanStatus::Completed) if done < all => FindingCode::SourcesDisagree,
        Some(PlanStatus::Unknown) => FindingCode::UnknownWord,
        _ => return,
    };
    let mut finding = Finding::new(disagree).with("found", &plan.word);
    if disagree == FindingCode::SourcesDisagree {
        finding = finding.with("expected", format!("{done}/{all}"));
    }
    plan.findings.push(finding.with("file", STATUS));
}

fn status_of(word: &str, reason: Option<&str>) -> PlanStatus {
    match word {
        // A round ended well; the loop itself continues.
        "running" | "success" => PlanStatus::Running,
        "paused" => PlanStatus::Paused,
        "stopped" if reason.is_some_and(|reason| reason.ends_with("_limit")) => PlanStatus::LimitReached,
        "stopped" => PlanStatus::Stopped,
        "halted" | "error" => PlanStatus::Failed,
        "completed" => PlanStatus::Completed,
        _ => PlanStatus::Unknown,
    }
}

/// What stops a run that makes no progress.
fn tell_breaker(source: &Source<'_>, plan: &mut Plan) {
    if let Some(history) = beside(source, ".circuit_breaker_history") {
        plan.events = history.root().items().iter().rev().take(100).map(event).collect();
        plan.events.reverse();
    }
    let Some(breaker) = beside(source, BREAKER) else { return };
    let root = breaker.root();
    let state = word(root.get("state"));
    if !matches!(state.as_str(), "CLOSED" | "HALF_OPEN" | "OPEN") {
        return; // of another tool
    }
    plan.facts.push(crate::plan::Fact {
        name: "circuit_breaker",
        value: crate::plan::FactValue::Code(state.clone()),
    });
    plan.facts.extend(fields::number(&root, "consecutive_no_progress"));
    plan.facts.extend(fields::number(&root, "consecutive_same_error"));
    if state == "OPEN" {
        plan.needs.extend(fields::some(root.get("reason")));
        if plan.status == Some(PlanStatus::Running) {
            plan.findings.push(Finding::new(FindingCode::StaleRunning).with("found", &plan.word));
        }
    }
}

fn event(node: &Node<'_>) -> Event {
    let text = fields::some(node.get("reason")).unwrap_or_else(|| word(node.get("to_state")));
    Event { time: word(node.get("timestamp")), text, item: None }
}
