//! The boxes of a file that are tasks.

use super::{ids, waits};
use crate::boxes::{Boxes, FoundBox, one_line};
use crate::plan::{Item, ItemState};
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What the line of a box says.
struct Line<'t> {
    id: &'t str,
    tags: Vec<&'t str>,
    text: String,
    is_struck: bool,
}

/// The tasks of a file, in its order.
pub(super) fn read(boxes: &Boxes<'_>) -> Vec<Item> {
    let all: Vec<_> = boxes.all().into_iter().map(|found| (line(found.text), found)).collect();
    let place = |found: &FoundBox<'_>| found.item.mark.as_ref().map_or(0, |mark| mark.start);
    // What is below a task ends at the next one and at a heading.
    let mut ends: Vec<usize> = boxes.document.headings.iter().map(|heading| heading.range.start).collect();
    ends.extend(all.iter().filter(|(line, _)| line.is_some()).map(|(_, found)| place(found)));
    ends.sort_unstable();
    let (mut items, mut texts, mut inner) = (Vec::<Item>::new(), Vec::new(), 0..0);
    let mut outer: Vec<(usize, String)> = Vec::new();
    for (line, found) in all {
        outer.retain(|(indent, _)| *indent < found.indent);
        let at = place(&found);
        let Some(line) = line else {
            if let Some(item) = items.last_mut().filter(|_| inner.contains(&at)) {
                item.done_when.push(found.item.text);
            }
            continue;
        };
        let end = ends.get(ends.partition_point(|end| *end <= at)).copied().unwrap_or(boxes.text.len());
        let (more, details) = below(boxes.text, at, end, found.indent);
        let parent = outer.last().map(|(_, id)| id.clone());
        outer.push((found.indent, line.id.to_owned()));
        let shown = boxes.text[details.clone()].trim();
        texts.push([&line.text, " ", &more, "\n", shown].concat());
        inner = details;
        items.push(Item { parent, details: shorten(shown, 4000), ..item(found, &line, &more) });
    }
    let mut known = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        known.entry(ids::unspelled(&item.id)).or_insert_with(|| (item.id.clone(), at));
    }
    for (at, (item, text)) in items.iter_mut().zip(&texts).enumerate() {
        (item.depends_on, item.files) = (waits::read(text, at, &known), files(text));
    }
    items
}

/// Every box of a file in which no box has an id, named by its place; those below a heading with an id by that: `T003.1`. None where
/// the tasks are the rows of a table, or headings of which most have no boxes.
pub(super) fn without_ids(boxes: &Boxes<'_>) -> Vec<Item> {
    let task = |text: &str| ids::of_task(text).map(|end| text[..end].to_owned());
    let all = boxes.all();
    let with_boxes = all.iter().flat_map(|found| found.headings.iter().filter_map(|heading| task(heading)));
    let with_boxes = with_boxes.collect::<HashSet<String>>().len();
    let headings = boxes.document.headings.iter().map(|heading| boxes.text[heading.text.clone()].trim());
    let mut rows = boxes.text.lines().filter_map(|line| line.trim_start().strip_prefix('|'));
    let is_table = rows.any(|row| task(row.trim_start_matches(['*', '`', ' '])).is_some());
    if is_table || headings.filter_map(task).collect::<HashSet<String>>().len() > 2 * with_boxes {
        return Vec::new();
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut outer: Vec<(usize, String)> = Vec::new();
    let mut items = Vec::with_capacity(all.len());
    for (at, found) in all.into_iter().enumerate() {
        let heading = found.headings.iter().rev().find_map(|heading| task(heading));
        let id = heading.map_or_else(
            || format!("#{}", at + 1),
            |id| {
                let count = counts.entry(id.clone()).or_default();
                *count += 1;
                format!("{id}.{count}")
            },
        );
        outer.retain(|(indent, _)| *indent < found.indent);
        let parent = outer.last().map(|(_, id)| id.clone());
        outer.push((found.indent, id.clone()));
        let (tags, text) = tags(found.text);
        let line = Line { id: &id, tags, text: text.to_owned(), is_struck: text.starts_with("~~") };
        items.push(Item { parent, files: files(text), ..item(found, &line, "") });
    }
    items
}

fn item(found: FoundBox<'_>, line: &Line<'_>, more: &str) -> Item {
    let mut item = Item { id: line.id.to_owned(), ..found.item };
    let phase = found.headings.iter().copied().find(|heading| super::is_phase(heading));
    let nearest = found.headings.last().copied().filter(|_| found.headings.len() > 1);
    let (mut story, mut other) = (None, String::new());
    for tag in &line.tags {
        match *tag {
            "P" | "p" => item.parallel = true,
            tag if tag.eq_ignore_ascii_case("optional") => item.optional = true,
            tag if is_numbered(tag, "US") => story = story.or(Some(tag)),
            tag if is_numbered(tag, "P") => item.priority = Some(tag.to_owned()),
            tag => other.extend(["[", tag, "] "]),
        }
    }
    item.text = one_line(&[&other, &line.text, " ", more].concat());
    let lower = item.text.to_ascii_lowercase();
    item.optional |= lower.starts_with("(optional)") || lower.ends_with("(optional)");
    item.optional |= phase.is_some_and(|phase| phase.to_ascii_lowercase().ends_with("(optional)"));
    let priority = phase.and_then(|phase| phase.split_once("(Priority:")?.1.split_once(')'));
    item.priority = item.priority.or(priority.map(|(word, _)| word.trim().to_owned()));
    item.group = phase.or(nearest).or(story).map(str::to_owned);
    if line.is_struck && item.state == ItemState::Open {
        // Its box says that it is open, so a box can't bring it back.
        (item.state, item.mark) = (ItemState::Dropped, None);
    }
    item
}

/// Whether a tag is this word with a number, as `US1` and `US-401`.
fn is_numbered(tag: &str, word: &str) -> bool {
    let number = tag.strip_prefix(word).map(|number| number.trim_start_matches('-'));
    number.is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// A box with an id: it may be bold, in brackets, struck out or behind tags.
fn line(text: &str) -> Option<Line<'_>> {
    let (mut rest, mut tags) = (text, Vec::new());
    let is_ornament = |letter: char| {
        letter.is_whitespace() || "*_`~".contains(letter) || !letter.is_ascii() && !letter.is_alphanumeric()
    };
    let (id, rest) = loop {
        rest = rest.trim_start_matches(is_ornament);
        if let Some(end) = ids::of_task(rest) {
            break rest.split_at(end);
        }
        let (tag, behind) = tag(rest)?;
        if ids::of_task(tag) == Some(tag.len()) {
            break (tag, behind);
        }
        tags.push(tag);
        rest = behind;
    };
    let before = text.split(id).next().unwrap_or_default();
    let (more, rest) = self::tags(rest.trim_start_matches(['*', '`', ':', '.', ' ', '\t']));
    tags.extend(more);
    let rest = rest.trim_start_matches(['-', '–', '—', ':', ' ']).trim_end_matches("~~");
    // `**T001: Title** - more`: the sign ends what began before the id.
    let text = if before.contains("**") { rest.replacen("**", "", 1) } else { rest.to_owned() };
    Some(Line { id, tags, text, is_struck: before.contains("~~") })
}

/// The tags at the start of a text, and the rest.
fn tags(mut text: &str) -> (Vec<&str>, &str) {
    let mut tags = Vec::new();
    while let Some((tag, behind)) = tag(text) {
        tags.push(tag);
        text = behind.trim_start();
    }
    (tags, text)
}

/// `[tag]` at the start of a text, and what is behind it; a link is none.
fn tag(text: &str) -> Option<(&str, &str)> {
    let (tag, behind) = text.strip_prefix('[')?.split_once(']')?;
    (!behind.starts_with('(') && tag.len() <= 100).then_some((tag.trim(), behind))
}

/// The lines of a task below its first one: the rest of its sentence, and where the others are. They go up to a line that stands no
/// further in than its bullet and is behind a blank one or begins something else.
fn below(text: &str, at: usize, end: usize, indent: usize) -> (String, Range<usize>) {
    let mut from = text[at..end].find('\n').map_or(end, |line| at + line + 1);
    let (mut more, mut details) = (String::new(), from..from);
    let (mut is_sentence, mut after_blank) = (true, false);
    for line in text[from..end].split_inclusive('\n') {
        from += line.len();
        let words = line.trim();
        let begins =
            ["- ", "* ", "+ ", "#", ">", "```", "---", "**", "|"].iter().any(|sign| words.starts_with(sign));
        let is_outside = line.len() - line.trim_start().len() <= indent && (after_blank || begins);
        after_blank |= words.is_empty();
        is_sentence &= !begins && !words.is_empty();
        if is_outside && !words.is_empty() {
            break;
        }
        if is_sentence {
            more.extend([words, " "]);
            details.start = from;
        }
        details.end = from;
    }
    (more, details)
}

/// Words with a slash and an ending that look like files of the repository.
fn files(text: &str) -> Vec<String> {
    let words =
        text.split(|letter: char| letter.is_whitespace() || "`'\"(),;|<>[]*，、（）。；".contains(letter));
    let words = words.map(|word| word.trim_end_matches([':', '.', '：']));
    let is_file = |word: &&str| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let is_path =
            name.len() < word.len() && word.len() <= 300 && !word.starts_with('/') && !word.contains("//");
        is_path && name.contains('.') && !word.contains(['?', '=', '&', '{', '}', '$'])
    };
    words.filter(is_file).take(20).map(str::to_owned).collect()
}
