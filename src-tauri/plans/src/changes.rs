//! Changes of a plan's items in place, for formats whose items are boxes of a Markdown text or objects of a JSON text.
//!
//! An item is found by its mark: the line of its box with what is indented below it, or the object around its state. Nothing here
//! knows a format; whoever writes reads the result back and refuses it when it isn't what was meant.

use crate::boxes::one_line;
use crate::format::{Layout, PlanFormat};
use crate::plan::{Item, ItemState, Plan};
use loopdeck_text::json_span::scan::Reader;
use loopdeck_text::json_span::tree::{Node, Value, quote};
use loopdeck_text::text_edit::TextEdit;
use std::ops::Range;

/// A change of one item, named by its index in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemChange<'t> {
    /// Its state is written.
    Mark(ItemState),
    /// Its text becomes another one, on one line.
    Reword(&'t str),
    /// It stands before this other item of its list, or at the end of the list.
    MoveBefore(Option<usize>),
    /// A new open item stands behind it, with this text.
    AddBehind(&'t str),
}

/// Names of the field that says what an item of a JSON text is, the first that is there counts.
const TITLES: [&str; 6] = ["title", "name", "story", "task", "summary", "description"];
/// Names of the field that names an item.
const IDS: [&str; 6] = ["id", "storyId", "story_id", "taskId", "key", "number"];

/// The bytes that change `at`, in `text`: the plan's own file, or the one that the item names. `None` where this format, or this item,
/// can't be changed so.
#[must_use]
pub fn edits(
    format: &dyn PlanFormat,
    text: &str,
    plan: &Plan,
    at: usize,
    change: ItemChange<'_>,
) -> Option<Vec<TextEdit>> {
    let item = plan.items.get(at)?;
    let mark = item.mark.clone()?;
    text.get(mark.clone())?;
    let layout = format.layout();
    match (change, layout) {
        (ItemChange::Mark(to), _) => Some(vec![TextEdit::replace(mark, format.mark(to)?)]),
        (_, Layout::Fixed) => None,
        (ItemChange::Reword(words), _) => {
            let words = Some(one_line(words)).filter(|words| !words.is_empty())?;
            let place = words_of(text, item, layout)?;
            let words = if layout == Layout::Boxes { words } else { quote(&words) };
            Some(vec![TextEdit::replace(place, words)])
        }
        (ItemChange::MoveBefore(before), _) => moved(text, plan, at, before, layout),
        (ItemChange::AddBehind(words), _) => {
            let words = Some(one_line(words)).filter(|words| !words.is_empty())?;
            let block = block_of(text, &mark, layout)?;
            let added = match layout {
                Layout::Boxes => new_line(format, text, plan, item, &words)?,
                _ => new_object(format, &text[block.clone()], plan, item, &words)?,
            };
            let between = between(text, plan, at, &block, layout);
            Some(vec![TextEdit::insert(block.end, between + &added)])
        }
    }
}

/// Whether a plan that was read back is the one before with this change, and nothing else.
#[must_use]
pub fn is_meant(before: &Plan, after: &Plan, at: usize, change: ItemChange<'_>) -> bool {
    // Without a place for its state an item is as far as its parts.
    let is_derived = |one: &Item, other: &Item| one.mark.is_none() && other.mark.is_none();
    let same = |(one, other): (&Item, &Item)| {
        one.text == other.text && (one.state == other.state || is_derived(one, other))
    };
    let Some(own) = before.items.get(at) else { return false };
    let pairs = || before.items.iter().zip(&after.items).enumerate();
    let is_same_length = before.items.len() == after.items.len();
    match change {
        ItemChange::Mark(to) => {
            let expected = |(place, (one, other)): (usize, (&Item, &Item))| {
                let is_as_meant = if place == at { other.state == to } else { same((one, other)) };
                one.id == other.id && one.text == other.text && is_as_meant
            };
            is_same_length && pairs().all(expected)
        }
        ItemChange::Reword(words) => {
            let expected = |(place, (one, other)): (usize, (&Item, &Item))| {
                let text = if place == at { one_line(words) } else { one.text.clone() };
                one.id == other.id && one.state == other.state && other.text == text
            };
            is_same_length && pairs().all(expected)
        }
        ItemChange::MoveBefore(target) => {
            let sorted = |plan: &Plan| {
                let mut items: Vec<(String, ItemState)> =
                    plan.items.iter().map(|item| (item.text.clone(), item.state)).collect();
                items.sort_by(|one, other| one.0.cmp(&other.0).then((one.1 as u8).cmp(&(other.1 as u8))));
                items
            };
            let target = target.and_then(|target| before.items.get(target));
            let follows = |next: &Item| {
                let mut places = after.items.iter().enumerate().filter(|(_, item)| same((item, own)));
                places.any(|(place, _)| after.items[place..].iter().any(|item| same((item, next))))
            };
            sorted(before) == sorted(after)
                && !pairs().all(|(_, pair)| same(pair))
                && target.is_none_or(follows)
        }
        ItemChange::AddBehind(words) => {
            let is_new = |item: &Item| item.text == one_line(words) && item.state == ItemState::Open;
            let mut rest = after.items.iter().enumerate();
            let added = rest.position(|(place, item)| {
                is_new(item) && !before.items.get(place).is_some_and(|old| same((old, item)))
            });
            let Some(added) = added.filter(|_| after.items.len() == before.items.len() + 1) else {
                return false;
            };
            let others = after.items[..added].iter().chain(&after.items[added + 1..]);
            added > at && before.items.iter().zip(others).all(same)
        }
    }
}

/// Where an item with all that belongs to it is.
fn block_of(text: &str, mark: &Range<usize>, layout: Layout) -> Option<Range<usize>> {
    if layout == Layout::Objects {
        objects_around(text, &[mark.start]).pop()?
    } else {
        Some(lines_of(text, mark.start))
    }
}

/// The innermost object around each of these bytes, which are in order.
fn objects_around(text: &str, places: &[usize]) -> Vec<Option<Range<usize>>> {
    let mut found = vec![None; places.len()];
    // Where the objects and lists begin that are open, and the places that are in each.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let (mut at, mut next) = (0, 0);
    while let Some(step) = text[at..].find(['{', '}', '[', ']', '"']) {
        let sign = at + step;
        while places.get(next).is_some_and(|place| *place <= sign) {
            if let Some((_, inside)) = open.last_mut() {
                inside.push(next);
            }
            next += 1;
        }
        at = sign + 1;
        match text.as_bytes()[sign] {
            b'"' => match value_end(text, sign) {
                Some(end) => at = end,
                None => return found,
            },
            b'{' | b'[' => open.push((sign, Vec::new())),
            _ => {
                let Some((start, inside)) = open.pop() else { continue };
                if text.as_bytes()[start] == b'{' {
                    inside.into_iter().for_each(|place| found[place] = Some(start..at));
                }
            }
        }
    }
    found
}

/// The line of the box with this mark, from its bullet, with the lines below it that are indented more or continue it; without the last
/// line end.
#[must_use]
pub fn lines_of(text: &str, mark: usize) -> Range<usize> {
    let line = text[..mark].rfind('\n').map_or(0, |at| at + 1);
    let column = indentation(&text[line..]);
    let mut end = text[mark..].find('\n').map_or(text.len(), |at| mark + at);
    let (mut next, mut is_after_blank) = (end + 1, false);
    while next < text.len() {
        let stop = text[next..].find('\n').map_or(text.len(), |at| next + at);
        let written = &text[next..stop];
        let bare = written.trim();
        if !bare.is_empty() {
            // A line that isn't indented continues the text above it, unless it begins something.
            let continues = !is_after_blank && !begins_block(bare);
            if indentation(written) <= column && !continues {
                break;
            }
            end = stop;
        }
        is_after_blank = bare.is_empty();
        next = stop + 1;
    }
    let end = line + text[line..end].trim_end().len();
    line + column..end
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t', '\u{feff}']).len()
}

/// Whether a line begins an item, a heading, a quote, a table, a fence, a comment or a rule.
fn begins_block(line: &str) -> bool {
    let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    is_numbered || line.starts_with(['-', '*', '+', '#', '>', '|', '<', '`', '~', '=', '_'])
}

/// The place of an item's text.
fn words_of(text: &str, item: &Item, layout: Layout) -> Option<Range<usize>> {
    let mark = item.mark.clone()?;
    if layout == Layout::Objects {
        let object = block_of(text, &mark, layout)?;
        let node = Node::parse(text[object.clone()].as_bytes()).ok()?;
        let field = TITLES.iter().find_map(|key| node.find(key).filter(|title| title.text().is_some()))?;
        let is_shown = one_line(field.text()?) == item.text;
        let start = object.start + field.at;
        return Some(start..value_end(text, start)?).filter(|_| is_shown);
    }
    // What stands before the text is its id and its marks, which stay.
    let start = mark.end + text[mark.end..].find(']')? + 1;
    let line = &text[start..text[start..].find('\n').map_or(text.len(), |at| start + at)];
    let at = line.rfind(item.text.as_str()).filter(|_| !item.text.is_empty())?;
    Some(start + at..start + at + item.text.len())
}

/// The items of the list that an item is in, in file order, with their places.
fn siblings(text: &str, plan: &Plan, at: usize, layout: Layout) -> Vec<(usize, Range<usize>)> {
    let Some(own) = plan.items.get(at) else { return Vec::new() };
    let level =
        |block: &Range<usize>| block.start - text[..block.start].rfind('\n').map_or(0, |newline| newline + 1);
    let own_level =
        own.mark.as_ref().and_then(|mark| block_of(text, mark, layout)).map(|block| level(&block));
    let is_sibling =
        |item: &Item| (&item.parent, &item.group, &item.file) == (&own.parent, &own.group, &own.file);
    let found = plan.items.iter().enumerate().filter(|(_, item)| is_sibling(item));
    let mut marks: Vec<(usize, usize)> =
        found.filter_map(|(place, item)| Some((item.mark.as_ref()?.start, place))).collect();
    marks.sort_unstable();
    if layout == Layout::Objects {
        let starts: Vec<usize> = marks.iter().map(|(start, _)| *start).collect();
        let blocks = objects_around(text, &starts).into_iter();
        return marks.iter().zip(blocks).filter_map(|((_, place), block)| Some((*place, block?))).collect();
    }
    let blocks = marks.into_iter().map(|(start, place)| (place, lines_of(text, start)));
    blocks.filter(|(_, block)| Some(level(block)) == own_level).collect()
}

/// The items between the old and the new place change places; what stands between them stays where it is.
fn moved(text: &str, plan: &Plan, at: usize, before: Option<usize>, layout: Layout) -> Option<Vec<TextEdit>> {
    let list = siblings(text, plan, at, layout);
    let place_of = |wanted: usize| list.iter().position(|(place, _)| *place == wanted);
    let from = place_of(at)?;
    let to = before.map_or(Some(list.len()), place_of)?;
    let mut order: Vec<usize> = (0..list.len()).collect();
    let own = order.remove(from);
    order.insert(if to > from { to - 1 } else { to }, own);
    let is_apart = list.windows(2).all(|pair| pair[0].1.end <= pair[1].1.start);
    let changed = order.iter().enumerate().filter(|(place, from)| place != *from);
    let edits: Vec<TextEdit> = changed
        .map(|(place, from)| TextEdit::replace(list[place].1.clone(), &text[list[*from].1.clone()]))
        .collect();
    (is_apart && !edits.is_empty()).then_some(edits)
}

/// What stands between two items of a list: as between this one and the next, or the one before.
fn between(text: &str, plan: &Plan, at: usize, own: &Range<usize>, layout: Layout) -> String {
    let list = siblings(text, plan, at, layout);
    let place = list.iter().position(|(place, _)| *place == at).unwrap_or_default();
    let neighbours = [(place, place + 1), (place.wrapping_sub(1), place)];
    let found = neighbours.iter().find_map(|(one, other)| Some((list.get(*one)?, list.get(*other)?)));
    let plain = |between: &&str| between.trim().trim_start_matches(',').trim().is_empty();
    let written = found.and_then(|((_, one), (_, other))| text.get(one.end..other.start)).filter(plain);
    if let Some(written) = written {
        return written.to_owned();
    }
    let line = text[..own.start].rfind('\n').map_or(0, |newline| newline + 1);
    let indentation = &text[line..line + indentation(&text[line..])];
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let comma = if layout == Layout::Objects { "," } else { "" };
    format!("{comma}{newline}{indentation}")
}

/// The line of a new box like another one: its bullet, the next id, its labels.
fn new_line(format: &dyn PlanFormat, text: &str, plan: &Plan, like: &Item, words: &str) -> Option<String> {
    let mark = like.mark.clone()?;
    let block = lines_of(text, mark.start);
    let head = text.get(block.start..mark.start)?;
    let rest = text.get(mark.end..block.end)?.strip_prefix(']')?.trim_start();
    let id = rest.strip_prefix(like.id.as_str()).filter(|_| !like.id.is_empty()).map(|behind| {
        let sign = behind.split(char::is_whitespace).next().unwrap_or_default();
        let labels = behind.split_whitespace().skip(usize::from(!sign.is_empty()));
        // It isn't known whether the new one can be done beside others.
        let labels = labels.take_while(|label| label.starts_with('[') && label.ends_with(']'));
        let labels: String =
            labels.filter(|label| *label != "[P]").map(|label| format!("{label} ")).collect();
        Some(format!("{}{sign} {labels}", next_id(plan, &like.id)?))
    });
    let id = if let Some(id) = id { id? } else { String::new() };
    Some(format!("{head}{}] {id}{words}", format.mark(ItemState::Open)?))
}

/// An object like another one: the next id, the text, the open state, and nothing else but its priority.
fn new_object(format: &dyn PlanFormat, like: &str, plan: &Plan, item: &Item, words: &str) -> Option<String> {
    let node = Node::parse(like.as_bytes()).ok()?;
    let title = TITLES.iter().find(|key| node.find(key).is_some_and(|value| value.text().is_some()))?;
    let fields = node.fields();
    let mark = item.mark.as_ref().and_then(|_| state_key(fields, item, format))?;
    let mut edits = Vec::new();
    for (key, value) in fields {
        let end = value_end(like, value.at)?;
        let text = match &value.value {
            _ if key == title => quote(words),
            _ if **key == *mark => format.mark(ItemState::Open)?.to_owned(),
            Value::Text(_) if IDS.contains(&&**key) => quote(&next_id(plan, &item.id)?),
            Value::Number(_) if IDS.contains(&&**key) => next_id(plan, &item.id)?,
            _ if key == "priority" => continue,
            Value::Text(_) => "\"\"".to_owned(),
            Value::List(_) => "[]".to_owned(),
            Value::Object(_) => "{}".to_owned(),
            Value::Bool(_) => "false".to_owned(),
            Value::Number(_) | Value::Null => continue,
        };
        edits.push(TextEdit::replace(value.at..end, text));
    }
    let bytes = loopdeck_text::text_edit::apply(like.as_bytes(), &edits).ok()?;
    String::from_utf8(bytes).ok()
}

/// The field that the state of an item is written in.
fn state_key<'n>(
    fields: &'n [(std::borrow::Cow<'_, str>, Node<'_>)],
    item: &Item,
    format: &dyn PlanFormat,
) -> Option<&'n str> {
    let is_written = |value: &Node<'_>| match &value.value {
        Value::Bool(flag) => format
            .mark(if *flag { ItemState::Done } else { ItemState::Open })
            .is_some_and(|mark| mark == flag.to_string()),
        Value::Text(text) => text.trim() == item.word,
        _ => false,
    };
    let known = ["status", "passes", "passed", "state", "done", "completed", "complete"];
    let named = fields.iter().filter(|(key, value)| known.contains(&&**key) && is_written(value));
    named.map(|(key, _)| &**key).next()
}

/// The id that follows the highest one with the same beginning: `T014` behind `T013`, `1.4` behind `1.3`.
fn next_id(plan: &Plan, id: &str) -> Option<String> {
    let head = id.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = |id: &str| -> Option<(u64, usize)> {
        let digits = id.strip_prefix(head)?;
        Some((digits.parse().ok()?, digits.len()))
    };
    let (highest, width) = plan.items.iter().filter_map(|item| number(&item.id)).max()?;
    let width = number(id)?.1.max(width);
    Some(format!("{head}{:0width$}", highest.checked_add(1)?))
}

/// The end of the value that begins at a byte.
fn value_end(text: &str, at: usize) -> Option<usize> {
    Reader::at(text, at).skip().ok().map(|range| range.end)
}
