//! GitHub Spec Kit: the tasks of a feature (`specs/<feature>/tasks.md`), boxes with ids below phases.
//!
//! `- [ ] T012 [P] [US1] Text with a file (depends on T003, T005-T007)`. Ids repeat in real files, so an item is its line. Legends and
//! boxes without an id are no tasks, and files of other tools at that path have none.

use crate::boxes::{Boxes, FoundBox, mark};
use crate::finding::{Finding, FindingCode};
use crate::format::{Found, PlanFormat, ReadError, Source, Wanted};
use crate::plan::{Fact, FactValue, Item, ItemState, Mark, Plan};

pub(crate) struct SpecKit;

impl PlanFormat for SpecKit {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFolder { root: "specs", file: "tasks.md" }]
    }

    fn wanted(&self) -> &'static [Wanted] {
        &[Wanted::File("spec.md"), Wanted::File("plan.md")]
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let boxes = Boxes::read(source.text()?);
        let items: Vec<Item> = boxes.all().into_iter().filter_map(task).collect();
        if items.is_empty() {
            return Ok(None);
        }
        let mut plan = Plan { title: Some(source.folder().to_owned()), items, ..Plan::default() };
        plan.goal = source.beside("spec.md").and_then(|spec| Boxes::read(spec).title());
        let branch = source.beside("spec.md").and_then(|spec| after(spec, "**Feature Branch**:"));
        let branch = branch.and_then(|branch| FactValue::code(branch.trim_matches('`')));
        plan.facts.extend(branch.map(|value| Fact { name: "branch", value }));
        let unknown = plan.items.iter().filter(|item| item.state == ItemState::Unknown);
        plan.findings = unknown
            .map(|item| {
                Finding::new(FindingCode::UnknownWord)
                    .with("item", &item.id)
                    .with("found", &item.word)
                    .at_line(item.line)
            })
            .collect();
        Ok(Some(plan))
    }

    fn mark(&self, to: ItemState) -> Option<Mark> {
        mark(to)
    }
}

/// A task: its text begins with an id.
fn task(found: FoundBox<'_>) -> Option<Item> {
    let (id, mut rest) = found.text.split_once(char::is_whitespace).unwrap_or((found.text, ""));
    let digits = id.strip_prefix('T')?.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut item = Item { id: id.to_owned(), ..found.item };
    let mut story = None;
    while let Some((tag, after)) = rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        match tag {
            "P" => item.parallel = true,
            tag if tag.starts_with("US") => story = Some(tag),
            _ => break,
        }
        rest = after;
    }
    rest.trim().clone_into(&mut item.text);
    item.depends_on = depends_on(&item.text);
    item.files = files(&item.text);
    // The story groups a task within its phase; the phase is what people read.
    item.group = found.headings.last().map(ToString::to_string).or(story.map(str::to_owned));
    Some(item)
}

/// Ids after "depends on" in a text, ranges taken apart.
fn depends_on(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let Some(at) = lower.find("depends on") else { return Vec::new() };
    let list = text[at..].split(')').next().unwrap_or_default();
    let mut ids: Vec<String> = Vec::new();
    let mut last: Option<(u32, usize)> = None;
    let mut gap = String::new();
    let mut rest = list;
    while let Some(start) = rest.find('T') {
        gap.push_str(&rest[..start]);
        let digits = &rest[start + 1..];
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        rest = &digits[length..];
        let Ok(number) = digits[..length].parse::<u32>() else {
            gap.push('T');
            continue;
        };
        let is_range = matches!(gap.trim(), "-" | "–" | "—" | ".." | "to" | "through");
        if let Some((from, width)) =
            last.filter(|(from, _)| is_range && number > *from && number - from <= 500)
        {
            ids.extend((from + 1..number).map(|number| format!("T{number:0width$}")));
        }
        ids.push(format!("T{}", &digits[..length]));
        last = Some((number, length));
        gap.clear();
    }
    ids
}

/// Words with a slash or an ending that look like files of the repository.
fn files(text: &str) -> Vec<String> {
    let words =
        text.split_whitespace().map(|word| word.trim_matches(|letter: char| "`'\"(),;:".contains(letter)));
    let is_file = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_path = word.contains('/') && !word.contains("//");
        is_path && name.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && !ending.is_empty())
    };
    words.filter(is_file).map(str::to_owned).collect()
}

/// The rest of the line after a label.
fn after<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let at = text.find(label)?;
    text[at + label.len()..].lines().next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_a_text_may_be_ranges() {
        for (text, ids) in [
            ("Do it (depends on T012, T013)", vec!["T012", "T013"]),
            ("Do it (Depends on T001-T003 and T009)", vec!["T001", "T002", "T003", "T009"]),
            ("Do it, depends on Tests", vec![]),
            ("Test T012 again", vec![]),
        ] {
            assert_eq!(depends_on(text), ids, "{text}");
        }
    }
}
