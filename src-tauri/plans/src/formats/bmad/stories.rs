//! The files of stories next to the sprint: their titles, their own status, and what an unattended run waits for.

use super::entries::state;
use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::Source;
use crate::front_matter::FrontMatter;
use crate::plan::{FactValue, Item, ItemState, Plan};
use std::collections::HashMap;

/// Most stories whose files are asked for.
const MOST_NAMED: usize = 300;
/// Most lines in which a story states its status.
const HEAD: usize = 40;

/// Where the file of a story may be: below the sprint's folder.
fn places(key: &str) -> [String; 3] {
    [format!("{key}.md"), format!("spec-{key}.md"), format!("stories/{key}.md")]
}

/// Whether a key can be the name of a file, and an argument.
pub(super) fn is_name(key: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    key.len() <= 150
        && key.starts_with(char::is_alphanumeric)
        && !key.contains("..")
        && key.chars().all(is_plain)
}

fn is_open(item: &&mut Item) -> bool {
    !item.optional && !matches!(item.state, ItemState::Done | ItemState::Dropped)
}

/// The files of the stories that aren't done.
pub(super) fn names(plan: &Plan) -> Vec<String> {
    let is_below = |value: &FactValue| matches!(value, FactValue::Code(place) if place.ends_with("stories"));
    let below = plan.facts.iter().any(|fact| fact.name == "story_location" && is_below(&fact.value));
    let mut items = plan.items.clone();
    let open = items.iter_mut().filter(is_open).filter(|item| is_name(&item.id)).take(MOST_NAMED);
    open.flat_map(|item| places(&item.id).into_iter().take(if below { 3 } else { 2 })).collect()
}

/// Adds what the files of open stories say.
pub(super) fn read(source: &Source<'_>, plan: &mut Plan) {
    let files =
        source.beside.iter().filter_map(|file| Some((file.file, std::str::from_utf8(file.bytes).ok()?)));
    let files: HashMap<&str, &str> = files.collect();
    let Plan { items, needs, findings, .. } = plan;
    for item in items.iter_mut().filter(|item| !files.is_empty() && is_open(item)) {
        let found = places(&item.id).into_iter().find_map(|place| Some((*files.get(place.as_str())?, place)));
        let Some((text, place)) = found else { continue };
        if let Some(title) = title(text) {
            item.text = title;
        }
        let in_body = || text.lines().take(HEAD).find_map(|line| field(line, "Status")).map(str::to_owned);
        let says = written(text, "status").or_else(in_body);
        let Some(says) = says.filter(|says| !matches!(state(says), ItemState::Unknown)) else { continue };
        if state(&says) != item.state {
            let finding =
                Finding::new(FindingCode::SourcesDisagree).with("item", &item.id).with("found", &says);
            findings.push(finding.with("expected", &item.word).with("file", place).at_line(item.line));
        }
        if state(&says) == ItemState::Blocked {
            let condition = text.lines().rev().find_map(|line| field(line, "Blocking condition"));
            needs.push(format!("{}: {}", item.id, one_line(condition.unwrap_or(&says))));
            item.state = ItemState::Blocked;
        }
    }
}

/// The value of a line `Name: value`, also in a list or in bold.
fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let (key, value) = line.trim_start_matches(['-', '*', ' ', '#']).split_once(':')?;
    let value = value.trim_matches(['*', ' ', '`']);
    (key.trim_matches(['*', ' ']).eq_ignore_ascii_case(name) && !value.is_empty()).then_some(value)
}

/// A field of its front matter; the placeholder of a template is none.
fn written(text: &str, key: &str) -> Option<String> {
    let front = FrontMatter::read(text)?;
    let root = front.yaml();
    let value = root.as_ref().and_then(|root| root.get(key)?.text()).map(|value| one_line(value));
    let value = value.or_else(|| front.value(key).map(str::to_owned))?;
    Some(value).filter(|value| !value.is_empty() && !value.starts_with('{'))
}

/// Its heading without `Story 1.2:`; without a heading, as in the tool's own template, the title of its front matter.
fn title(text: &str) -> Option<String> {
    let body = FrontMatter::read(text).map_or(text, |front| &text[front.body..]);
    let Some(heading) = body.lines().find_map(|line| line.strip_prefix("# ")) else {
        return written(text, "title");
    };
    let own =
        heading.split_once(':').filter(|(label, _)| label.to_lowercase().trim_start().starts_with("story"));
    Some(one_line(own.map_or(heading, |(_, own)| own))).filter(|title| !title.is_empty())
}
