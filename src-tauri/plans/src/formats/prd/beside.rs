//! What lies beside a prd.json: the log of its agents, the prompt that each of them gets, and the session of ralph-tui.

use super::story::stories;
use super::{MOST_TOLD, text};
use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::Source;
use crate::json::{Json, count, word, words};
use crate::plan::{Event, Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};

/// Most events of a file that are kept, the newest.
const MOST_EVENTS: usize = 500;

/// The prompt: a file beside that speaks of the stories. At the top of a repository `CLAUDE.md` mostly is something else.
pub(super) fn prompt(source: &Source<'_>) -> Option<String> {
    let mut prompts = ["prompt.md", "CLAUDE.md"].iter().filter_map(|name| source.beside(name));
    prompts.find(|text| text.contains("prd.json")).map(|text| text.trim().to_owned())
}

/// Entries of `progress.txt`: headings with a date, lines with the id of a story, and what the agents learned about the code.
pub(super) fn progress(source: &Source<'_>, plan: &mut Plan) {
    let Some(log) = source.beside("progress.txt") else { return };
    let ids: HashSet<&str> = plan.items.iter().map(|item| item.id.as_str()).collect();
    let (mut patterns, mut in_patterns) = (Vec::new(), false);
    let lines: Vec<&str> = log.lines().map(str::trim).collect();
    for (at, line) in lines.iter().enumerate() {
        let head = line.trim_start_matches('#');
        let level = line.len() - head.len();
        if level > 0 || line.starts_with("---") {
            in_patterns = head.trim().eq_ignore_ascii_case("codebase patterns");
        } else if let Some(pattern) = line.strip_prefix("- ").filter(|_| in_patterns) {
            patterns.push(pattern.trim().to_owned());
        }
        if level < 2 && !line.starts_with('[') {
            continue;
        }
        let separates = |letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter);
        let item =
            head.split(separates).map(|word| word.trim_matches(['.', '-'])).find(|word| ids.contains(word));
        let (time, zone) = date(head).unwrap_or_default();
        if item.is_some() || !time.is_empty() {
            let rest = head.replacen(&format!("{time}{zone}"), "", 1);
            let joints = ['[', ']', '-', '–', '—', ':', ' '];
            let what = one_line(if time.is_empty() { head } else { rest.trim_matches(joints) });
            let below = Some(&lines[at + 1..]).filter(|_| !what.contains(' ')).and_then(first_done);
            let text = match below {
                Some(done) if item.is_some() => one_line(done),
                Some(done) => one_line(&format!("{what}: {done}")),
                None => what,
            };
            // A time without a zone is one of UTC.
            let zone = if matches!(zone, " UTC" | " GMT") { "" } else { zone };
            let (time, item) = (format!("{time}{zone}"), item.map(str::to_owned));
            plan.events.push(Event { time, text: shorten(&text, 200), item });
        }
    }
    plan.events.drain(..plan.events.len().saturating_sub(MOST_EVENTS));
    if !patterns.is_empty() {
        plan.facts.push(Fact { name: "codebase_patterns", value: FactValue::List(patterns) });
    }
}

/// What was done first, by the list below a heading: most headings say no more than a time and a story.
fn first_done<'l>(below: &[&'l str]) -> Option<&'l str> {
    let mut own = below.iter().take_while(|line| !line.starts_with(['#', '[']) && !line.starts_with("---"));
    let entry = own.find_map(|line| line.strip_prefix("- "))?.trim();
    Some(entry).filter(|entry| !entry.trim_end_matches('*').ends_with(':'))
}

/// Stories that a copy of this file elsewhere in the repository says something else about.
pub(super) fn copies(source: &Source<'_>, plan: &mut Plan) {
    for copy in source.beside.iter().filter(|beside| beside.file.ends_with("prd.json")) {
        let Ok(json) = Json::read(copy.bytes) else { continue };
        let root = json.root();
        let Some(theirs) = stories(&json, &root) else { continue };
        let states: HashMap<(&str, &str), ItemState> =
            theirs.items.iter().map(|item| ((item.id.as_str(), item.text.as_str()), item.state)).collect();
        let differs = |item: &&Item| {
            states.get(&(item.id.as_str(), item.text.as_str())).is_some_and(|state| *state != item.state)
        };
        let word = |is_done| if is_done { "done" } else { "open" };
        let tell = |item: &Item| {
            let is_done = item.state == ItemState::Done;
            let finding =
                Finding::new(FindingCode::SourcesDisagree).with("item", &item.id).at_line(item.line);
            finding.with("file", copy.file).with("found", word(!is_done)).with("expected", word(is_done))
        };
        plan.findings.extend(plan.items.iter().filter(differs).take(MOST_TOLD).map(tell));
    }
}

/// The first `2026-05-01` of a line, with a time of day behind it, and the name of a zone behind that with its blank.
fn date(line: &str) -> Option<(&str, &str)> {
    let is_date = |bytes: &[u8]| {
        let fits =
            |(at, byte): (usize, &u8)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() };
        bytes.iter().enumerate().all(fits)
    };
    let start = line.as_bytes().windows(10).position(is_date)?;
    let rest = &line[start + 10..];
    let time = rest.strip_prefix([' ', 'T']).unwrap_or_default();
    let length = time.bytes().take_while(|byte| byte.is_ascii_digit() || b":.Z".contains(byte)).count();
    let length = if time[..length].contains(':') { length + 1 } else { 0 };
    let (time, behind) = line[start..].split_at(10 + length);
    let letters = behind.bytes().skip(1).take_while(u8::is_ascii_uppercase).count();
    let zone =
        behind.get(..=letters).filter(|_| length > 0 && (3..=4).contains(&letters)).unwrap_or_default();
    let is_zone = zone.starts_with(' ') && (zone == " UTC" || zone.ends_with('T'));
    let ends = !behind[zone.len()..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '-');
    Some((time, if is_zone && ends { zone } else { "" }))
}

/// A session of ralph-tui that works on this file, below its folder or the one above.
pub(super) fn session(source: &Source<'_>, plan: &mut Plan) {
    let files =
        ["", "../"].map(|folder| (folder, source.beside(&format!("{folder}.ralph-tui/session.json"))));
    let Some((folder, Some(session))) = files.into_iter().find(|(_, session)| session.is_some()) else {
        return;
    };
    let Ok(json) = Json::read(session.as_bytes()) else { return };
    let root = json.root();
    if !is_of(&root, source, folder) {
        return;
    }
    let lock_file = format!("{folder}.ralph-tui/ralph.lock");
    let lock = source.beside(&lock_file).and_then(|lock| Json::read(lock.as_bytes()).ok());
    plan.lock = lock.is_some().then_some(lock_file);
    plan.process = lock.as_ref().and_then(|lock| count(lock.root().get("pid")));
    plan.word = word(root.get("status"));
    plan.iteration = count(root.get("currentIteration"));
    plan.limit = count(root.get("maxIterations")).filter(|limit| *limit > 0);
    let is_used_up = plan.limit.is_some_and(|limit| plan.iteration >= Some(limit));
    // A session without a lock has crashed, for its own tool too. One that was interrupted can be gone on with. One that ended at its
    // limit keeps saying that it runs.
    let (status, doubt) = match plan.word.as_str() {
        "running" if lock.is_none() && is_used_up => (PlanStatus::LimitReached, None),
        "running" => (PlanStatus::Running, lock.is_none().then_some(FindingCode::StaleRunning)),
        "paused" | "interrupted" => (PlanStatus::Paused, None),
        "completed" => (PlanStatus::Completed, None),
        "failed" => (PlanStatus::Failed, None),
        _ => (PlanStatus::Unknown, Some(FindingCode::UnknownWord)),
    };
    plan.status = Some(status);
    plan.findings.extend(doubt.map(|code| Finding::new(code).with("found", &plan.word)));
    if plan.limit.is_none() && status != PlanStatus::Completed {
        plan.findings.push(Finding::new(FindingCode::NoLimit));
    }
    tasks_of_session(&root, folder, plan);
    for (name, key) in [("agent", "agentPlugin"), ("model", "model"), ("session_id", "sessionId")] {
        plan.facts.extend(FactValue::code(word(root.get(key))).map(|value| Fact { name, value }));
    }
    plan.facts.extend(
        text(&root, "startedAt").map(|time| Fact { name: "started_at", value: FactValue::Time(time) }),
    );
    let iterations = root.get("iterations").items();
    plan.events.extend(iterations[iterations.len().saturating_sub(MOST_EVENTS)..].iter().map(event));
    if plan.events.iter().all(|event| event.time.starts_with("20")) {
        plan.events.sort_by(|one, other| one.time.cmp(&other.time));
    }
}

/// An iteration of a session.
fn event(node: &Node<'_>) -> Event {
    let said: Vec<String> = ["status", "error"].iter().filter_map(|key| text(node, key)).collect();
    let what = shorten(&one_line(&said.join(": ")), 200);
    Event {
        time: text(node, "endedAt startedAt").unwrap_or_default(),
        text: what,
        item: text(node, "taskId"),
    }
}

/// Whether the path in a session means this file. It is compared, not followed.
fn is_of(root: &Node<'_>, source: &Source<'_>, folder: &str) -> bool {
    let path = word(root.get("trackerState").get("prdPath")).replace('\\', "/");
    let cwd = word(root.get("cwd")).replace('\\', "/");
    let inner = path.strip_prefix(&cwd).filter(|_| !cwd.is_empty()).unwrap_or(&path);
    let inner = inner.trim_start_matches("./").trim_start_matches('/');
    let inner = if folder.is_empty() {
        Some(inner)
    } else {
        inner.strip_prefix(source.folder()).and_then(|inner| inner.strip_prefix('/'))
    };
    inner == Some(source.name())
}

/// Tasks that the session works on, and those that it counts as done while the stories don't.
fn tasks_of_session(root: &Node<'_>, folder: &str, plan: &mut Plan) {
    let active: HashSet<String> = words(root.get("activeTaskIds")).into_iter().collect();
    let tasks = root.get("trackerState").get("tasks").items().iter();
    let done = tasks.filter(|task| task.get("status").text() == Some("completed"));
    let done: HashSet<String> = done.map(|task| word(task.get("id"))).collect();
    let file = format!("{folder}.ralph-tui/session.json");
    let open = plan.items.iter().filter(|item| item.state != ItemState::Done && done.contains(&item.id));
    let disagree = open.take(MOST_TOLD).map(|item| {
        let finding =
            Finding::new(FindingCode::SourcesDisagree).with("item", &item.id).with("found", &item.word);
        finding.with("expected", "completed").with("file", &file).at_line(item.line)
    });
    plan.findings.extend(disagree);
    for item in
        plan.items.iter_mut().filter(|item| item.state == ItemState::Open && active.contains(&item.id))
    {
        item.state = ItemState::Active;
        item.mark = None;
    }
}

/// How its own tool goes on: the session of ralph-tui, or the script beside the stories. The folder is one of [`super::Prd`]'s places.
pub(super) fn command(source: &Source<'_>, plan: &Plan) -> Option<Vec<String>> {
    let words = |list: &[&str]| Some(list.iter().map(ToString::to_string).collect());
    if plan.status.is_some_and(|status| status != PlanStatus::Completed) {
        return words(&["ralph-tui", "resume", "--headless"]);
    }
    let script = source.beside("ralph.sh")?;
    let path = format!("./{}ralph.sh", source.file.strip_suffix(source.name())?);
    if script.contains("--tool") { words(&[&path, "--tool", "claude", "10"]) } else { words(&[&path, "10"]) }
}
