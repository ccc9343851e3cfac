//! Oh-my-openagent: the boulder (`boulder.json`), which names the plan that is worked on, and that plan.
//!
//! The paths in it are of another machine or of nobody: a plan is the file of that name in `plans` or `drafts` next to the boulder.
//! Version 2 has several works, of which the active one counts; version 1 is that work alone. Agents also write it with `activePlan`
//! and `planName`. Tasks are of the plan's file, so they name it and are marked there.

mod checklist;

use crate::boxes::{mark as box_mark, one_line};
use crate::finding::{Finding, FindingCode};
use crate::format::{Change, Found, Layout, PlanFormat, ReadError, Request, Source, Wanted};
use crate::json::{Json, count, first, word, words};
use crate::order;
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Mark, Plan, PlanStatus, facts_of};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit::TextEdit;
use std::collections::HashSet;

pub(crate) struct Boulder;

/// Longest name of a plan, in bytes.
const LONGEST_NAME: usize = 150;

/// Most bytes of a notepad that are shown, from its end.
const NOTEPAD: usize = 4000;

/// Most findings about sessions that are told one by one.
const MOST_TOLD: usize = 20;

const NOTEPADS: [&str; 4] = ["learnings", "issues", "decisions", "problems"];

impl PlanFormat for Boulder {
    fn found(&self) -> &'static [Found] {
        &[Found::File(".omo/boulder.json"), Found::File(".sisyphus/boulder.json")]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::Files { folder: "evidence", depth: 1, endings: &[".md", ".txt", ".json", ".log"] }]
    }

    fn named(&self, bytes: &[u8]) -> Vec<String> {
        let Ok(json) = Json::read(bytes) else { return Vec::new() };
        let root = json.root();
        let names = names(work(&root));
        let plans = plan_files(&names);
        let pads = names.iter().flat_map(|name| NOTEPADS.map(|pad| format!("notepads/{name}/{pad}.md")));
        plans.into_iter().chain(pads).collect()
    }

    fn names_files(&self) -> bool {
        true
    }

    fn understands(&self, request: Request) -> bool {
        matches!(request, Request::Pause | Request::Resume | Request::Stop)
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let json = Json::read(source.bytes)?;
        let root = json.root();
        if first(&root, &["works", "active_plan", "activePlan", "plan_name", "planName", "plan_path"])
            .is_none()
        {
            return Ok(None);
        }
        let work = work(&root);
        let names = names(work);
        let mut plan =
            Plan { title: names.first().cloned(), word: word(work.get("status")), ..Plan::default() };
        plan.status = status(&plan.word);
        plan.findings = json.findings();
        plan.facts = facts(&root, work);
        if !WORDS.contains(&plan.word.as_str()) {
            let finding =
                Finding::new(FindingCode::UnknownWord).with("item", names.first().map_or("", String::as_str));
            plan.findings.push(finding.with("found", &plan.word).at_line(json.line(work.get("status"))));
        }
        let files = plan_files(&names);
        match files.iter().find_map(|file| Some((file, source.beside(file)?))) {
            Some((file, text)) => take_plan(&mut plan, source, file, text),
            None if names.is_empty() => plan.findings.push(Finding::new(FindingCode::NoItems)),
            None => plan.findings.push(Finding::new(FindingCode::FileMissing).with("file", &files[0])),
        }
        take_sessions(&mut plan, work);
        plan.facts.extend(NOTEPADS.into_iter().filter_map(|pad| notepad(source, &names, pad)));
        Ok(Some(plan))
    }

    fn layout(&self) -> Layout {
        Layout::Boxes
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        if to == ItemState::Blocked { Some("~") } else { box_mark(to) }
    }

    fn next(&self, plan: &Plan) -> Vec<usize> {
        // The final wave verifies what the others did.
        let is_final = |item: &Item| item.id.starts_with('F');
        let others_are_done = plan.items.iter().all(|item| is_final(item) || item.state == ItemState::Done);
        let ready = order::ready(plan).into_iter();
        ready.filter(|at| others_are_done || !is_final(&plan.items[*at])).collect()
    }

    fn request(&self, source: &Source<'_>, _plan: &Plan, request: Request) -> Option<Change> {
        let json = Json::read(source.bytes).ok()?;
        let root = json.root();
        let work = work(&root);
        let written = word(work.get("status"));
        // The editions for Codex and Senpi go on with a paused work.
        let keeps_on = words(work.get("session_ids"))
            .iter()
            .any(|id| id.starts_with("codex:") || id.starts_with("senpi:"));
        let to = match (request, written.as_str()) {
            (Request::Pause, "active") if !keeps_on => "\"paused\"",
            (Request::Resume, "paused") => "\"active\"",
            (Request::Stop, "active" | "paused") => "\"abandoned\"",
            _ => return None,
        };
        // The top level repeats what the active work says.
        let mirror = root.find("status").filter(|status| word(status) == written);
        let mut ranges = vec![json.place(work.get("status"))?];
        ranges.extend(mirror.and_then(|status| json.place(status)).filter(|range| *range != ranges[0]));
        let edits = ranges.into_iter().map(|range| TextEdit::replace(range, to)).collect();
        Some(Change { edits, ..Change::default() })
    }

    fn command(&self, source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
        let json = Json::read(source.bytes).ok()?;
        let root = json.root();
        let name = names(work(&root)).into_iter().next()?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let is_there = !plan.items.is_empty() && plan.shown_status() != PlanStatus::Completed;
        let is_safe =
            name.chars().all(is_plain) && name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        (is_there && is_safe).then(|| vec!["opencode".into(), "run".into(), format!("/start-work {name}")])
    }
}

/// The work that counts: the active one, else the newest as upstream takes it, else the top level.
fn work<'n, 'a>(root: &'n Node<'a>) -> &'n Node<'a> {
    let works = root.get("works").fields().iter().filter(|(_, work)| !work.fields().is_empty());
    let active = first(root, &["active_work_id", "activeWorkId"]).map(word).unwrap_or_default();
    let is_active = |key: &str, work: &Node<'_>| {
        !active.is_empty() && (word(work.get("work_id")) == active || key == active)
    };
    // Times are written in one form, so that their texts are in their order.
    let time = |work: &Node<'_>| first(work, &["updated_at", "started_at"]).map(word).unwrap_or_default();
    let newest = works.clone().rev().max_by_key(|(_, work)| time(work));
    works.clone().find(|(key, work)| is_active(key, work)).or(newest).map_or(root, |(_, work)| work)
}

/// Names that its plan may have: what the path ends in, and the name.
fn names(work: &Node<'_>) -> Vec<String> {
    let written = [&["active_plan", "activePlan", "plan_path"][..], &["plan_name", "planName", "plan"]];
    let mut names: Vec<String> = Vec::new();
    for name in written.into_iter().filter_map(|keys| plain_name(&word(first(work, keys)?))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The last part of a path without its ending, when that is a plain name.
fn plain_name(path: &str) -> Option<String> {
    let last = path.rsplit(['/', '\\']).next()?.trim();
    let name = last.strip_suffix(".md").unwrap_or(last);
    let is_plain = |letter: char| !letter.is_control() && !":*?\"<>|".contains(letter);
    let is_name = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.starts_with('.')
        && !name.ends_with(['.', ' ']);
    (is_name && name.chars().all(is_plain)).then(|| name.to_owned())
}

/// Where a plan of one of these names may be, in the order in which it counts.
fn plan_files(names: &[String]) -> Vec<String> {
    let below = |folder: &'static str| names.iter().map(move |name| format!("{folder}/{name}.md"));
    below("plans").chain(below("drafts")).collect()
}

/// The words of upstream, and none.
const WORDS: [&str; 5] = ["", "active", "paused", "completed", "abandoned"];

fn status(written: &str) -> Option<PlanStatus> {
    match written {
        "" => None,
        "active" => Some(PlanStatus::Running),
        // Agents write it, and upstream treats it as active.
        _ if written.eq_ignore_ascii_case("in_progress") => Some(PlanStatus::Running),
        "paused" => Some(PlanStatus::Paused),
        "completed" => Some(PlanStatus::Completed),
        "abandoned" => Some(PlanStatus::Stopped),
        _ => Some(PlanStatus::Unknown),
    }
}

/// What the plan's own file says.
fn take_plan(plan: &mut Plan, source: &Source<'_>, file: &str, text: &str) {
    let checklist = checklist::read(text);
    plan.goal = checklist.objective.or_else(|| checklist.title.clone());
    plan.title = checklist.title.or(plan.title.take());
    plan.items = checklist.items;
    for item in &mut plan.items {
        item.file = Some(file.to_owned());
    }
    let (done, all) = plan.progress();
    let theirs = checklist.upstream;
    let mut there: HashSet<&str> = source.beside.iter().map(|beside| beside.file).collect();
    let evidence = plan.items.iter().flat_map(|item| &item.files).filter(|name| there.remove(name.as_str()));
    let evidence: Vec<String> = evidence.cloned().collect();
    plan.facts.extend(facts_of([
        ("plan_file", FactValue::code(file)),
        (
            "tool_progress",
            FactValue::code(format!("{}/{}", theirs.0, theirs.1)).filter(|_| theirs != (done, all)),
        ),
        ("evidence", Some(FactValue::List(evidence.clone())).filter(|_| !evidence.is_empty())),
    ]));
    let blocked = plan.items.iter().filter(|item| item.state == ItemState::Blocked);
    plan.needs = blocked.map(|item| item.text.clone()).collect();
    plan.findings.extend(order::unknown_words(&plan.items));
    let stated = |code| Finding::new(code).with("found", &plan.word);
    let finding = match plan.status {
        _ if all == 0 => Some(Finding::new(FindingCode::NoItems)),
        Some(PlanStatus::Completed) if done < all => Some(
            stated(FindingCode::SourcesDisagree).with("expected", format!("{done}/{all}")).with("file", file),
        ),
        // Nothing is left that could run.
        Some(PlanStatus::Running) if done == all => Some(stated(FindingCode::StaleRunning)),
        _ => None,
    };
    plan.findings.extend(finding);
}

/// What agents worked on, with what their sessions say of tasks.
fn take_sessions(plan: &mut Plan, work: &Node<'_>) {
    let sessions = work.get("task_sessions");
    let listed = sessions.items().iter().chain(sessions.fields().iter().map(|(_, session)| session));
    let open = plan.items.iter().filter(|item| item.state == ItemState::Open);
    let open: HashSet<&str> = open.map(|item| item.id.as_str()).collect();
    let mut found = Vec::new();
    for session in listed.filter(|session| !session.fields().is_empty()) {
        let text = |keys: &[&str]| first(session, keys).map(|node| one_line(&word(node))).unwrap_or_default();
        let (label, said) = (text(&["task_label", "label"]).to_ascii_uppercase(), text(&["status"]));
        if said == "completed" && open.contains(label.as_str()) && found.len() < MOST_TOLD {
            let finding =
                Finding::new(FindingCode::SourcesDisagree).with("item", &label).with("found", &said);
            found.push(finding.with("expected", "[ ]").with("file", "boulder.json"));
        }
        let time = text(&["ended_at", "updated_at", "started_at"]);
        let title = text(&["task_title", "title"]);
        let text = [said, title].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
        plan.events.push(Event { time, text, item: Some(label).filter(|label| !label.is_empty()) });
    }
    plan.events.sort_by(|one, other| one.time.cmp(&other.time));
    plan.findings.extend(found);
}

fn facts(root: &Node<'_>, work: &Node<'_>) -> Vec<Fact> {
    let text = |keys: &[&str]| first(work, keys).map(word).unwrap_or_default();
    let time = |keys: &[&str]| Some(text(keys)).filter(|time| !time.is_empty()).map(FactValue::Time);
    let number = |number: u32| FactValue::Number(number.into());
    let sessions = first(work, &["session_ids", "sessionIds"]).map(|ids| words(ids).len());
    let works = root.get("works").fields().iter().filter(|(_, other)| !std::ptr::eq(other, work));
    let others: Vec<String> = works.map(|(key, other)| told(key, other)).collect();
    facts_of([
        ("agent", FactValue::code(text(&["agent"]))),
        ("worktree_path", FactValue::code(text(&["worktree_path"]))),
        ("session_count", sessions.and_then(|count| u32::try_from(count).ok()).map(number)),
        ("started_at", time(&["started_at", "startedAt"])),
        ("updated_at", time(&["updated_at", "updatedAt"])),
        ("ended_at", time(&["ended_at", "endedAt", "completed_at"])),
        ("elapsed_ms", count(work.get("elapsed_ms")).map(number)),
        ("other_works", Some(FactValue::List(others.clone())).filter(|_| !others.is_empty())),
    ])
}

/// Another work in a line.
fn told(key: &str, work: &Node<'_>) -> String {
    let name = names(work).pop().unwrap_or_else(|| key.to_owned());
    let said = word(work.get("status"));
    if said.is_empty() { name } else { format!("{name} ({said})") }
}

/// The end of what agents noted, from a whole line on.
fn notepad(source: &Source<'_>, names: &[String], pad: &'static str) -> Option<Fact> {
    let text = names.iter().find_map(|name| source.beside(&format!("notepads/{name}/{pad}.md")))?.trim();
    let start = (text.len().saturating_sub(NOTEPAD)..=text.len()).find(|at| text.is_char_boundary(*at))?;
    let line = if start == 0 { 0 } else { text[start..].find('\n').map_or(0, |at| at + 1) };
    Some(Fact { name: pad, value: FactValue::text(&text[start + line..])? })
}
