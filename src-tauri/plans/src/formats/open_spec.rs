//! OpenSpec: the tasks of a change (`openspec/changes/<change>/tasks.md`), numbered boxes below headings.
//!
//! A change is done when its folder was moved below `archive`, whatever its boxes say. Numbers are ids, and `2.1.3` is a part of `2.1`;
//! boxes without a number are named by their place and belong to the box that they are indented below. Boxes that only upstream knows
//! (`[]`, `[ x ]`, `[x]text`) are boxes here. Upstream counts lines, also those in code and comments: where that gives another count, a
//! fact tells it.

use crate::boxes::{Boxes, FoundBox, indented_below, mark, one_line};
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, Layout, PlanFormat, ReadError, Source, Wanted, trimmed};
use crate::order;
use crate::plan::{Fact, FactValue, Item, ItemState, Mark, Plan, PlanStatus, facts_of};
use loopdeck_text::markdown::Mark as BoxMark;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Headings below which a proposal says why: the tool's own, and others that are seen.
const WHY: [&str; 12] = [
    "why",
    "motivation",
    "intent",
    "summary",
    "problem",
    "problem statement",
    "purpose",
    "为什么",
    "背景",
    "動機",
    "动机",
    "なぜ",
];

pub(crate) struct OpenSpec;

impl PlanFormat for OpenSpec {
    fn found(&self) -> &'static [Found] {
        &[
            Found::EachFolder { root: "openspec/changes", file: "tasks.md" },
            Found::EachFolder { root: "openspec/changes/archive", file: "tasks.md" },
        ]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::File("proposal.md"), Wanted::File(".openspec.yaml")]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        // Upstream takes the folder `archive` for no change.
        if source.folder() == "archive" {
            return Ok(None);
        }
        let text = source.text()?;
        let mut plan = Plan { title: Some(source.folder().to_owned()), ..Plan::default() };
        plan.items = items(text, boxes(text).all());
        plan.goal = source.beside("proposal.md").and_then(why);
        plan.facts = facts(source, text, &plan.items);
        plan.findings = order::unknown_words(&plan.items);
        if plan.items.is_empty() {
            plan.findings.push(Finding::new(FindingCode::NoItems));
        }
        if source.file.rsplit('/').nth(2) == Some("archive") {
            "archived".clone_into(&mut plan.word);
            plan.status = Some(PlanStatus::Completed);
            let (done, all) = plan.progress();
            if done < all {
                let finding = Finding::new(FindingCode::DoneWithOpenParts).with("item", source.folder());
                plan.findings.push(finding.with("found", all - done));
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

    /// An archived change has no next task.
    fn next(&self, plan: &Plan) -> Vec<usize> {
        if plan.status == Some(PlanStatus::Completed) { Vec::new() } else { order::ready(plan) }
    }
}

/// The boxes of a text, with those that upstream knows and Markdown doesn't.
fn boxes(text: &str) -> Boxes<'_> {
    let mut boxes = Boxes::read(text);
    for item in boxes.document.items.iter_mut().filter(|item| item.mark.is_none()) {
        // Below a tab an item begins at the line break before it.
        let start = text.len() - text[item.start..].trim_start().len();
        let line = text[start..].lines().next().unwrap_or_default();
        let brackets = line.find('[').zip(line.find(']'));
        let Some((is_done, (open, close))) = upstream_box(line).zip(brackets) else { continue };
        let mark = match line[open + 1..close].trim() {
            "" => BoxMark::Open,
            _ if is_done => BoxMark::Ticked,
            _ => BoxMark::Unknown,
        };
        item.mark = Some((mark, start + open + 1..start + close));
        item.text = trimmed(text, start + close + 1..start + line.len());
    }
    boxes
}

/// The tasks, with what each is a part of.
fn items(text: &str, boxes: Vec<FoundBox<'_>>) -> Vec<Item> {
    let starts: Vec<usize> = boxes.iter().filter_map(|found| Some(found.item.mark.as_ref()?.start)).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for id in boxes.iter().filter_map(|found| number(found.text)).map(|(id, _)| id) {
        *uses.entry(id).or_insert(0) += 1;
    }
    // `1.` that begins anew below each heading names nothing; `1.1` twice is a fault that a person should know.
    let is_name = |id: &str| id.contains('.') || uses.get(id) == Some(&1);
    let known: HashSet<&str> = uses.keys().copied().filter(|id| is_name(id)).collect();
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut last_heading = None;
    let mut items = Vec::with_capacity(boxes.len());
    for (at, found) in boxes.into_iter().enumerate() {
        let heading = found.headings.last().copied();
        if heading != last_heading {
            above.clear();
            last_heading = heading;
        }
        above.retain(|(indent, _)| *indent < found.indent);
        let named = number(found.text).filter(|(id, _)| is_name(id));
        let place = || (format!("#{}", at + 1), found.text);
        let (id, title) = named.map_or_else(place, |(id, title)| (id.to_owned(), title));
        let by_number = id.rmatch_indices('.').map(|(dot, _)| &id[..dot]).find(|id| known.contains(id));
        let parent = by_number.or(above.last().map(|(_, id)| id.as_str())).filter(|parent| *parent != id);
        let parent = parent.map(str::to_owned);
        above.push((found.indent, id.clone()));
        // `[ ](a.md)` with a sign in it would be a link, and no box.
        let is_link =
            |mark: &Range<usize>| text[mark.end..].starts_with("](") || text[mark.end..].starts_with("][");
        let mark = found.item.mark.clone().filter(|mark| !is_link(mark));
        items.push(Item {
            mark,
            id,
            text: one_line(title),
            details: below(text, starts[at], starts.get(at + 1).copied()),
            parent,
            group: heading.map(str::to_owned),
            ..found.item
        });
    }
    items
}

/// The number at the beginning of a task's text, and what is behind it: `1.2`, `3.`, `B.1.4`, `PR2.1`, `**1.2**`, `2.1a`.
fn number(text: &str) -> Option<(&str, &str)> {
    let bare = text.trim_start_matches('*');
    let (word, rest) = bare.split_once(char::is_whitespace).unwrap_or((bare, ""));
    let id = word.trim_end_matches(['*', ':', ')', '.']);
    let is_part = |part: &str| {
        let letters = part.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        let end = letters.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_short = part.len() <= 6 && part.len() - letters.len() <= 3;
        is_short
            && !part.is_empty()
            && (end.is_empty() || end.len() == 1 && end.as_bytes()[0].is_ascii_lowercase())
    };
    let has_digit = id.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = id.contains('.') || id.starts_with(|letter: char| letter.is_ascii_digit());
    // "3 files" is a text; "3. Files" and "3) Files" are numbers.
    let is_marked = id.contains('.') || word.len() > id.len();
    let is_number = has_digit && is_plain && is_marked && id.split('.').all(is_part);
    let behind = if bare.len() < text.len() { rest.trim_end_matches("**") } else { rest };
    is_number.then(|| (id, behind.trim()))
}

/// The lines below a box up to the next one.
fn below(text: &str, start: usize, next: Option<usize>) -> String {
    let stop = next.and_then(|next| text[..next].rfind('\n'));
    indented_below(text, start, stop.unwrap_or(text.len()).max(start))
}

/// The first paragraph below a heading of a proposal that says why, or its first heading.
fn why(proposal: &str) -> Option<String> {
    let boxes = Boxes::read(proposal);
    let is_why = |title: &str| WHY.contains(&title.trim_end_matches([':', '：']).to_lowercase().as_str());
    let paragraph = boxes.sections().iter().filter(|section| is_why(section.title)).find_map(|section| {
        let lines = section.body.lines().map(str::trim).skip_while(|line| line.is_empty());
        let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        Some(one_line(&lines.join(" "))).filter(|text| !text.is_empty() && !text.starts_with("<!--"))
    });
    paragraph.or_else(|| boxes.title())
}

fn facts(source: &Source<'_>, text: &str, items: &[Item]) -> Vec<Fact> {
    let settings = source.beside(".openspec.yaml").unwrap_or_default();
    let setting = |key: &str| {
        let lines = settings.lines().filter_map(|line| line.split_once(':'));
        let value = lines.filter(|(name, _)| *name == key).map(|(_, value)| value).next()?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let schema = setting("schema").and_then(FactValue::code);
    let created = setting("created").filter(|time| !time.is_empty()).map(FactValue::Time);
    let ours = (items.iter().filter(|item| item.state == ItemState::Done).count(), items.len());
    let theirs = upstream_count(text);
    let differs = (ours != theirs).then(|| FactValue::Code(format!("{}/{}", theirs.0, theirs.1)));
    facts_of([("schema", schema), ("created", created), ("tool_progress", differs)])
}

/// How many tasks upstream takes for done, and how many it sees: lines with a box, wherever they are.
fn upstream_count(text: &str) -> (usize, usize) {
    let boxes = text.split('\n').filter_map(upstream_box);
    boxes.fold((0, 0), |(done, all), is_done| (done + usize::from(is_done), all + 1))
}

/// Whether upstream takes the box of a line for done; `None` where it sees no box. A box has one sign at most, and is no link.
fn upstream_box(line: &str) -> Option<bool> {
    let line = line.trim_start_matches('\u{feff}').trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        1..=9 => line[digits..].strip_prefix(['.', ')']),
        _ => None,
    };
    let (inner, behind) = rest?.trim_start().strip_prefix('[')?.split_once(']')?;
    let sign = inner.trim();
    let is_blank = sign.is_empty() && !inner.is_empty();
    let is_box = sign.encode_utf16().count() <= 1 && !behind.starts_with(['(', '[']);
    (is_blank || is_box).then(|| sign.eq_ignore_ascii_case("x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_texts() {
        for (text, expected) in [
            ("1.2 Add it", Some(("1.2", "Add it"))),
            ("3. Add it", Some(("3", "Add it"))),
            ("3) Add it", Some(("3", "Add it"))),
            ("**1.2.3** Add it", Some(("1.2.3", "Add it"))),
            ("**1.2 Add it**", Some(("1.2", "Add it"))),
            ("B.1.4 Add it", Some(("B.1.4", "Add it"))),
            ("PR2.1: Add it", Some(("PR2.1", "Add it"))),
            ("2.1a Add it", Some(("2.1a", "Add it"))),
            ("1.2", Some(("1.2", ""))),
            ("3 files", None),
            ("Node.js 20", None),
            ("v1.2 of it", None),
            ("e.g. this", None),
            ("T001 of another tool", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn upstream_has_boxes_of_its_own() {
        for (line, expected) in [
            ("- [ ] 1.1 Add it", Some(false)),
            ("\u{feff}- [X] Add it\r", Some(true)),
            ("\t+ [ x ] Add it", Some(true)),
            ("1. [] Add it", Some(false)),
            ("12) [~] Add it", Some(false)),
            ("*[x]Add it", Some(true)),
            ("- [ ](a.md)", Some(false)),
            ("- [x](a.md)", None),
            ("- [](a.md)", None),
            ("- [1][2]", None),
            ("- [WIP] Add it", None),
            ("- [🔴] Add it", None),
            ("1234567890. [ ] Add it", None),
            ("> - [ ] Add it", None),
            ("[ ] Add it", None),
            ("- [ ", None),
        ] {
            assert_eq!(upstream_box(line), expected, "{line}");
        }
    }
}
