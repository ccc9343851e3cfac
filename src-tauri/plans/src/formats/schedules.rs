//! Claude Code's schedules of a repository (`.claude/scheduled_tasks.json`): prompts that are sent at times.
//!
//! Opening the repository in Claude Code starts them, so each one is a finding. Claude Code has ignored `enabled: false`: such a schedule is
//! shown as dropped, and is a finding all the same. The file is the tool's own: nothing is changed here.

use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source};
use crate::json::{Json, word};
use crate::plan::{Event, Item, ItemState, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// Most findings that are told one by one.
const MOST_TOLD: usize = 20;
/// Characters of a prompt that name a schedule.
const MOST_SHOWN: usize = 200;

pub(crate) struct Schedules;

impl PlanFormat for Schedules {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".claude/scheduled_tasks.json")]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        let Some(list) = root.find("tasks") else { return Ok(None) };
        let schedules: Vec<&Node<'_>> = list.items().iter().filter(|node| node.is_object()).collect();
        let items: Vec<Item> = schedules.iter().map(|node| item(&json, node)).collect();
        let can_fire = |item: &Item| {
            let finding = Finding::new(FindingCode::CanFire).with("item", &item.text);
            finding.with("found", item.group.as_deref().unwrap_or_default()).at_line(item.line)
        };
        let mut findings = json.findings();
        findings.extend(items.iter().take(MOST_TOLD).map(can_fire));
        let events = schedules.iter().filter_map(|node| fired(node)).collect();
        Ok(Some(Plan { status: Some(PlanStatus::NotStarted), items, events, findings, ..Plan::default() }))
    }
}

/// A schedule. It is no work that is done once, so it doesn't count.
fn item(json: &Json<'_>, node: &Node<'_>) -> Item {
    let is_off = node.get("enabled").flag() == Some(false);
    let prompt = word(node.get("prompt"));
    Item {
        id: word(node.get("id")),
        text: shorten(&one_line(&prompt), MOST_SHOWN),
        details: if prompt.chars().count() > MOST_SHOWN { prompt } else { String::new() },
        state: if is_off { ItemState::Dropped } else { ItemState::Open },
        group: Some(word(node.get("cron"))).filter(|times| !times.is_empty()),
        optional: true,
        line: json.line(node),
        ..Item::default()
    }
}

/// When it fired last.
fn fired(node: &Node<'_>) -> Option<Event> {
    let time = Some(word(node.get("lastFiredAt"))).filter(|time| !time.is_empty())?;
    let (text, item) = (one_line(&word(node.get("prompt"))), Some(word(node.get("id"))));
    Some(Event { time, text: shorten(&text, MOST_SHOWN), item })
}
