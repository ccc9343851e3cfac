//! Filling the start form from a pasted text: a Markdown issue, a plain list, or a task list (`tasks.jsonl`,
//! `prep-tasks.jsonl`). Nothing in it is followed or run; it only becomes words in fields that the person
//! reads.

use super::MAX_TASKS;
use loopdeck_text::almost_json;
use loopdeck_text::markdown::{Document, Mark};
use serde::Serialize;
use specta::Type;
use std::ops::Range;

/// The values found in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct Prefill {
    /// First heading, or nothing.
    pub title: String,
    /// The text without its first heading and its list of tasks.
    pub goal: String,
    /// At most [`MAX_TASKS`]: open check boxes, or the lines of a text that is only a list.
    pub tasks: Vec<String>,
    /// How many more tasks the text has.
    pub left_out: u32,
}

/// Reads `text`.
#[must_use]
pub fn prefill(text: &str) -> Prefill {
    let text = text.trim_start_matches('\u{feff}');
    let mut found = of_records(text).unwrap_or_else(|| of_markdown(text));
    found.left_out = u32::try_from(found.tasks.len().saturating_sub(MAX_TASKS)).unwrap_or(u32::MAX);
    found.tasks.truncate(MAX_TASKS);
    // The person has to shorten one that is too long: the form says so, and nothing is cut silently.
    found.goal = found.goal.trim().to_owned();
    found
}

/// One JSON object per task.
fn of_records(text: &str) -> Option<Prefill> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut tasks = Vec::new();
    for record in almost_json::records(text) {
        let Some(object) = record.object else {
            let between = text[record.span].trim();
            if between == "," || between.starts_with("```") {
                continue;
            }
            return None;
        };
        let node = object.node();
        let said = node.get("description").text().or_else(|| node.get("title").text())?;
        tasks.push(one_line(said));
    }
    tasks.retain(|task| !task.is_empty());
    Some(Prefill { tasks, ..Prefill::default() })
}

fn of_markdown(text: &str) -> Prefill {
    let list = Document::read(text);
    let mut found = Prefill::default();
    // What became a field, and the lines of items without a box.
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut plain: Vec<(usize, String)> = Vec::new();
    if let Some(heading) = list.headings.iter().find(|heading| heading.level == 1) {
        found.title = one_line(&text[heading.text.clone()]).chars().take(100).collect();
        taken.push(heading.range.clone());
    }
    for item in &list.items {
        let said = one_line(&text[item.text.clone()]);
        match item.mark {
            // A ticked box is done, so not a task.
            Some((Mark::Ticked, _)) => {}
            Some(_) => {
                found.tasks.push(said);
                taken.push(item.start..item.text.end);
            }
            None => plain.push((line_start(text, item.start), said)),
        }
    }
    let mut rest: Vec<&str> = Vec::new();
    let mut only_items = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        if !taken.iter().any(|range| range.start < end && start < range.end) {
            only_items &= line.trim().is_empty() || plain.iter().any(|(item, _)| *item == start);
            rest.push(line.trim_end_matches(['\n', '\r']));
        }
    }
    if found.tasks.is_empty() && only_items && plain.len() > 1 {
        found.tasks = plain.into_iter().map(|(_, said)| said).collect();
        rest.clear();
    }
    found.tasks.retain(|task| !task.is_empty());
    found.goal = rest.join("\n");
    if found.goal.trim().is_empty() {
        found.goal.clone_from(&found.title);
    }
    found
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_gives_title_goal_and_its_open_boxes() {
        let text = "# Login fails\n\nUsers see a 500.\n\n```\n- [ ] not a task\n```\n- [ ] reproduce\n- [x] report\n- [ ]  mend  it\n";
        let found = prefill(text);
        assert_eq!(found.title, "Login fails");
        assert_eq!(found.tasks, ["reproduce", "mend it"]);
        assert!(found.goal.starts_with("Users see a 500.") && found.goal.contains("- [ ] not a task"));
        assert!(found.goal.contains("- [x] report"), "what is done is said to the agent");
    }

    #[test]
    fn a_list_alone_is_tasks_and_a_list_in_a_text_is_not() {
        assert_eq!(prefill("1. one\n2. two\n").tasks, ["one", "two"]);
        assert_eq!(prefill("Do this:\n- one\n- two\n").tasks, Vec::<String>::new());
        assert_eq!(prefill("- one").tasks, Vec::<String>::new(), "a single line is a goal");
        assert_eq!(prefill("# Only a title").goal, "Only a title");
    }

    #[test]
    fn boxes_are_those_of_the_list_in_every_spelling() {
        let text = "Shop\n====\n\n```npm test``` is green.\n\n1) [ ] cart\n   + [~] half\n> - [ ] quoted\n\n<!--\n- [ ] copy me\n-->\n";
        let found = prefill(text);
        assert_eq!((found.title.as_str(), found.tasks.join(",")), ("Shop", "cart,half,quoted".to_owned()));
        assert_eq!(found.goal, "```npm test``` is green.\n\n\n<!--\n- [ ] copy me\n-->");
        assert_eq!(prefill("+ one\n2) two\n").tasks, ["one", "two"]);
    }

    #[test]
    fn a_goal_that_is_too_long_is_taken_over_whole() {
        let text = "字".repeat(30_000);
        assert_eq!(prefill(&text).goal, text, "the form says that it is too long");
    }

    #[test]
    fn a_task_list_gives_its_descriptions_and_says_what_it_left_out() {
        let lines: String =
            (0..25).map(|n| format!("{{\"task_id\":\"t{n}\",\"description\":\"do {n}\"}}\n")).collect();
        let found = prefill(&lines);
        assert_eq!((found.tasks.len(), found.left_out), (MAX_TASKS, 5));
        assert_eq!(found.tasks[3], "do 3");
        assert!(prefill("{ not json\n- [ ] x").tasks == ["x"], "no task list after all");
        assert_eq!(prefill("{\"description\": \"a\",},\n{\n  description: 'b'\n}\n").tasks, ["a", "b"]);
    }
}
