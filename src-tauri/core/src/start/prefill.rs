//! Filling the start form from a pasted text: a Markdown issue, a plain list, or a task list (`tasks.jsonl`,
//! `prep-tasks.jsonl`). Nothing in it is followed or run; it only becomes words in fields that the person
//! reads.

use super::MAX_TASKS;
use loopdeck_text::json_span::tree::Node;
use serde::Serialize;
use specta::Type;

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
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let node = Node::parse(line.as_bytes()).ok()?;
        let said = node.get("description").text().or_else(|| node.get("title").text())?;
        tasks.push(one_line(said));
    }
    tasks.retain(|task| !task.is_empty());
    Some(Prefill { tasks, ..Prefill::default() })
}

fn of_markdown(text: &str) -> Prefill {
    let mut found = Prefill::default();
    let mut fenced = false;
    let mut rest: Vec<&str> = Vec::new();
    let mut plain_items = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        fenced ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let heading = trimmed.strip_prefix("# ").filter(|_| !fenced && found.title.is_empty());
        if let Some(title) = heading {
            found.title = one_line(title).chars().take(100).collect();
        } else if let Some(task) = open_box(trimmed).filter(|_| !fenced) {
            found.tasks.push(one_line(task));
        } else {
            if let Some(item) = item(trimmed).filter(|_| !fenced) {
                plain_items.push(one_line(item));
            }
            rest.push(line);
        }
    }
    let only_items = rest.iter().filter(|line| !line.trim().is_empty()).count() == plain_items.len();
    if found.tasks.is_empty() && only_items && plain_items.len() > 1 {
        found.tasks = plain_items;
        rest.clear();
    }
    found.tasks.retain(|task| !task.is_empty());
    found.goal = rest.join("\n");
    if found.goal.trim().is_empty() {
        found.goal.clone_from(&found.title);
    }
    found
}

/// `- [ ] text`; a ticked box is done, so not a task.
fn open_box(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    rest.strip_prefix("[ ] ")
}

/// `- text`, `* text`, `1. text`.
fn item(line: &str) -> Option<&str> {
    let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
    bullet.filter(|text| !text.starts_with("[x]") && !text.starts_with("[X]")).or_else(|| {
        let (number, text) = line.split_once(". ")?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
    })
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
    }
}
