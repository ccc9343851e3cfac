//! The entries of `development_status` as items: epics and retrospectives beside the stories that count.

use crate::boxes::one_line;
use crate::format::Lines;
use crate::order::words_outside;
use crate::plan::{Item, ItemState, Plan};
use crate::yaml_parts::{YamlPart, comment_behind, is_replaceable, yaml_parts};
use loopdeck_text::yaml_span::YamlNode;
use std::collections::HashMap;
use std::ops::Range;

/// Most comment lines above an epic that are looked at.
const MOST_COMMENTS: usize = 20;

struct Entries<'t, 'l> {
    text: &'t str,
    lines: &'l Lines,
    items: Vec<Item>,
}

/// Reads what is at `status`, the key `development_status` with its value.
pub(super) fn read(text: &str, lines: &Lines, status: Range<usize>, plan: &mut Plan) {
    let mut entries = Entries { text, lines, items: Vec::new() };
    let first = text[status.clone()].lines().next().unwrap_or_default();
    let beside_key = first.split_once(':').map_or("", |(_, rest)| rest.trim());
    let mut fault = None;
    if beside_key.is_empty() || beside_key.starts_with('#') {
        for part in yaml_parts(text, status.start + first.len()..status.end, lines) {
            entries.entry(&part.key, &part.value, part.range.start);
            fault = fault.or(part.fault);
        }
    }
    if let (true, Some(part)) = (entries.items.is_empty(), YamlPart::at(text, status, lines)) {
        entries.below(&part.value);
        fault = fault.or(part.fault);
    }
    plan.findings.extend(fault);
    group(&mut entries.items);
    plan.findings.extend(words_outside(&entries.items, is_official));
    plan.items = entries.items;
}

impl<'t> Entries<'t, '_> {
    /// Every entry of a map, or of a list of maps.
    fn below(&mut self, node: &YamlNode<'t>) {
        for entry in node.entries().iter().chain(node.items().iter().flat_map(YamlNode::entries)) {
            if let Some(key) = entry.key.text() {
                self.entry(key, &entry.value, entry.key.range.start);
            }
        }
    }

    fn entry(&mut self, key: &str, value: &YamlNode<'t>, at: usize) {
        let field = |names: &[&str]| names.iter().find_map(|name| value.get(name)).and_then(YamlNode::text);
        let status = if value.is_map() { value.get("status") } else { Some(value) };
        let title = field(&["title", "name", "summary"]).map(|text| one_line(text));
        let title = title.or_else(|| if is_epic(key) { self.title_above(at) } else { None });
        let notes = field(&["notes", "description"]).map(|text| text.trim());
        let word = status.and_then(YamlNode::text).map(|text| one_line(text)).unwrap_or_default();
        self.items.push(Item {
            id: key.to_owned(),
            text: title.unwrap_or_else(|| slug(key)),
            details: notes.or_else(|| comment_behind(self.text, status?)).unwrap_or_default().to_owned(),
            state: state(&word),
            word,
            optional: is_epic(key) || is_retrospective(key),
            line: self.lines.of_byte(at),
            // A retrospective has words of its own.
            mark: status
                .filter(|node| !is_retrospective(key) && is_replaceable(self.text, node))
                .map(|node| node.range.clone()),
            ..Item::default()
        });
        for parts in ["stories", "deliverables"].into_iter().filter_map(|name| value.get(name)) {
            self.below(parts);
        }
    }

    /// The comment above an epic that names it: `# Epic 2: Payments`.
    fn title_above(&self, at: usize) -> Option<String> {
        let line = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let above = self.text[..line].lines().rev().map(str::trim);
        let comments = above.take_while(|line| line.is_empty() || line.starts_with('#')).take(MOST_COMMENTS);
        let mut names =
            comments.map(|line| line.trim_matches(|sign: char| !sign.is_alphanumeric() && sign != ')'));
        names.find(|name| name.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("epic"))).map(one_line)
    }
}

fn is_retrospective(key: &str) -> bool {
    key.ends_with("-retrospective")
}

fn is_epic(key: &str) -> bool {
    key.starts_with("epic-") && !is_retrospective(key)
}

/// What of the key of an epic a story begins with.
type Name = fn(&str) -> &str;

/// Gives each story its epic: the one above if the key begins with its number, the one that the key names, or for a key without a
/// number the one above.
fn group(items: &mut [Item]) {
    let all: Vec<usize> = (0..items.len()).filter(|at| is_epic(&items[*at].id)).collect();
    let by = |name: Name| -> HashMap<String, usize> {
        all.iter().rev().map(|at| (name(&items[*at].id).to_owned(), *at)).collect()
    };
    let names: [(Name, _); 2] = [(name, by(name)), (number, by(number))];
    let mut above = None;
    for at in 0..items.len() {
        let key = items[at].id.as_str();
        if is_epic(key) {
            above = Some(at);
            continue;
        }
        let ends: Vec<usize> = key.match_indices('-').map(|(end, _)| end).take(6).collect();
        let named = names.iter().find_map(|(name, epics)| {
            let begins = |epic: &usize| {
                key.strip_prefix(name(&items[*epic].id)).is_some_and(|rest| rest.starts_with('-'))
            };
            let named = || ends.iter().rev().find_map(|end| epics.get(&key[..*end]).copied());
            above.filter(begins).or_else(named)
        });
        let has_number = key.starts_with(|first: char| first.is_ascii_digit());
        let epic = named.or(above.filter(|_| !has_number));
        let group = epic.map(|epic| (items[epic].id.clone(), items[epic].text.clone()));
        (items[at].parent, items[at].group) = group.unzip();
    }
}

/// What the key of an epic names.
fn name(epic: &str) -> &str {
    epic.strip_prefix("epic-").unwrap_or(epic)
}

/// The number in the key of an epic: `3-5` of `epic-3-5-tails`; the whole name where it has none.
fn number(epic: &str) -> &str {
    let name = name(epic);
    let parts = name.split('-').take_while(|part| part.starts_with(|first: char| first.is_ascii_digit()));
    let length: usize = parts.map(|part| part.len() + 1).sum();
    name.get(..length.saturating_sub(1)).filter(|number| !number.is_empty()).unwrap_or(name)
}

/// The numbers of a story: `2-6a-…`; `None` for a key that has none.
pub(super) fn numbers(key: &str) -> Option<(u64, u64, String)> {
    let mut parts = key.splitn(3, '-');
    let (epic, story, _) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = story.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    Some((epic.parse().ok()?, digits.parse().ok()?, story[digits.len()..].to_owned()))
}

/// What a key says of its story.
fn slug(key: &str) -> String {
    let is_number = |part: &&str| part.starts_with(|first: char| first.is_ascii_digit());
    let words: Vec<&str> = key.split('-').skip_while(is_number).collect();
    if words.is_empty() || is_epic(key) { key.to_owned() } else { words.join(" ") }
}

/// Whether the format has or had its word. When the tool regenerates the file, it replaces any other word with the first one.
fn is_official(item: &Item) -> bool {
    match item.word.as_str() {
        "" | "backlog" | "drafted" | "ready-for-dev" | "contexted" | "in-progress" | "review" | "done" => {
            true
        }
        "optional" | "completed" => is_retrospective(&item.id),
        _ => false,
    }
}

/// A word in small letters with hyphens, without signs before it and without what follows it (`done (merged)`).
pub(super) fn plain(word: &str) -> String {
    let word = word.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let word = word.to_lowercase().replace(['_', ' '], "-");
    let end = word.find(|letter: char| !letter.is_alphanumeric() && letter != '-').unwrap_or(word.len());
    word[..end].split("--").next().unwrap_or_default().trim_end_matches('-').to_owned()
}

/// What a word means.
pub(super) fn state(word: &str) -> ItemState {
    match plain(word).as_str() {
        "" | "backlog" | "ready-for-dev" | "drafted" | "draft" | "optional" | "todo" | "pending"
        | "planned" | "open" | "ready" | "not-started" => ItemState::Open,
        "in-progress" | "review" | "in-review" | "contexted" | "started" | "active" => ItemState::Active,
        "done" | "completed" | "complete" | "closed" | "finished" => ItemState::Done,
        "blocked" | "on-hold" | "waiting" | "paused" => ItemState::Blocked,
        "failed" => ItemState::Failed,
        "deferred" | "cancelled" | "canceled" | "superseded" | "skipped" | "dropped" | "removed"
        | "obsolete" | "postponed" | "descoped" | "deprecated" => ItemState::Dropped,
        _ => ItemState::Unknown,
    }
}
